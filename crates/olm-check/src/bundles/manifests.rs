//! Rules about files whose object is lost.

use std::sync::Arc;

use super::{BundleFix, BundleSubject};
use crate::{Finding, findings::Findings, format::format_list, rules};
use olm_bundle::{
    TreeFile,
    document::{self, Document},
    field_access::text_at,
    registry::{BundleLocation, DropReason},
};
use olm_catalog::{Format, Span, text::split};

/// Reports objects after an empty first document. opm and OLM read only the first document of a
/// file.
pub(crate) fn lost_object(s: &BundleSubject<'_>, found: &mut Findings) {
    for (file, lost) in lost_objects(s) {
        let what = match lost.kind.as_str() {
            "" => "what follows".to_owned(),
            kind => format!("the {kind} below"),
        };
        let message = format!("only comments stand before the first `---`, so {what} is lost");
        let last = lost.separators.last().map_or(0, |span| span.start as usize);
        let place = BundleLocation { file: file.path.clone(), span: Span::new(last, last + 3) };
        let fix = lost.to_fix(&file.path);
        found.push(
            Finding::new(&rules::LOST_OBJECT, message).at_location(s.location(&place)).with_bundle_fix(fix),
        );
    }
    for file in s.directory.tree.files_in("manifests") {
        further_documents(s, file, found);
    }
}

/// Reports the objects after the first document of a manifest.
fn further_documents(s: &BundleSubject<'_>, file: &TreeFile, found: &mut Findings) {
    // Most manifests have one document, so nothing is parsed.
    if !document::has_several_documents(file.content_or_empty())
        || !file.first_document().is_ok_and(|document| !document.node.is_null())
    {
        return;
    }
    let all = file.all_documents();
    let further: Vec<_> = all.iter().skip(1).filter_map(|read| read.as_ref().ok()).collect();
    let objects: Vec<_> = further.into_iter().filter(|document| !document.node.is_null()).collect();
    let Some(first) = objects.first() else { return };
    let named = |document: &&Arc<Document<'_>>| {
        let (kind, name) =
            (text_at(&document.node, &["kind"]), text_at(&document.node, &["metadata", "name"]));
        format!("{kind} {name}").trim().to_owned()
    };
    let names: Vec<String> = objects.iter().map(named).filter(|name| !name.is_empty()).collect();
    let what = if names.is_empty() { "what follows".to_owned() } else { format_list(&names) };
    let is = if names.len() > 1 { "are" } else { "is" };
    let message = format!("opm and OLM Classic read the first document of a file only, so {what} {is} lost");
    let (start, span) = (first.start, first.node.span);
    let span = Span::new(start + span.start as usize, start + span.start as usize);
    let place = BundleLocation { file: file.path.clone(), span };
    let finding = Finding::new(&rules::LOST_OBJECT, message).at_location(s.location(&place));
    found.push(finding.with_help("put each object into a file of its own".to_owned()));
}

/// Returns the objects after the first document of a manifest as files of their own.
pub(super) fn further_documents_as_files(file: &TreeFile) -> Vec<TreeFile> {
    if !document::has_several_documents(file.content_or_empty())
        || !file.first_document().is_ok_and(|document| !document.node.is_null())
    {
        return Vec::new();
    }
    let starts: Vec<usize> =
        file.all_documents().iter().filter_map(|read| Some(read.as_ref().ok()?.start)).collect();
    let ends = starts.iter().skip(1).copied().chain([file.content_or_empty().len()]);
    let texts =
        starts.iter().zip(ends).skip(1).filter_map(|(start, end)| file.content_or_empty().get(*start..end));
    texts
        .enumerate()
        .map(|(nth, text)| TreeFile { path: format!("{}-{nth}.yaml", file.path), content: Ok(text.into()) })
        .collect()
}

/// Returns the fixes for lost objects.
pub(super) fn lost_object_fixes(s: &BundleSubject<'_>) -> Vec<BundleFix> {
    lost_objects(s).map(|(file, lost)| lost.to_fix(&file.path)).collect()
}

fn lost_objects<'s>(s: &'s BundleSubject<'_>) -> impl Iterator<Item = (&'s TreeFile, LostObject)> {
    let dropped = s.contents().dropped.iter();
    let empty = dropped.filter(|dropped| dropped.reason == DropReason::EmptyDocument);
    let metadata = s.directory.tree.files_in("metadata").filter(|file| is_first_empty(file));
    let files = empty.map(|dropped| dropped.file).chain(metadata);
    files.filter_map(|file| Some((file, LostObject::find_in(file)?)))
}

fn is_first_empty(file: &TreeFile) -> bool {
    file.first_document().is_ok_and(|document| document.node.is_null())
}

/// Object after a first document without an object.
struct LostObject {
    kind: String,
    /// `---` lines before the object; without them, it is in the first document.
    separators: Vec<Span>,
}

impl LostObject {
    fn find_in(file: &TreeFile) -> Option<Self> {
        let bytes = file.content_or_empty();
        let object = document::parse_all(bytes).into_iter().find_map(|read| match read {
            Ok(document) if document.node.is_null() => None,
            read => Some(read),
        })?;
        let object = object.ok()?;
        let text = bytes.get(..object.start + object.node.span.start as usize)?;
        let mut separators = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let start = at;
            at += line.len();
            let trimmed = line.trim_ascii();
            match trimmed.strip_prefix(b"---") {
                // A separator at the start of the file does not separate documents.
                _ if start == 0 && trimmed.starts_with(b"---") => {}
                Some([]) => separators.push(Span::new(start, at)),
                // Keeps a comment after the separator.
                Some(rest) if rest.trim_ascii_start().starts_with(b"#") => {
                    let comment = line.iter().position(|byte| *byte == b'#')?;
                    separators.push(Span::new(start, start + comment));
                }
                None if trimmed.is_empty() || trimmed.starts_with(b"#") => {}
                // Does not fix other text, since the intent is unclear.
                _ => return None,
            }
        }
        let kind = object.node.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned();
        let lost = Self { kind, separators };
        (!lost.separators.is_empty() && lost.is_fixed_by_removal(bytes, &object.node)).then_some(lost)
    }

    /// Returns the fix that removes the separators.
    fn to_fix(&self, file: &str) -> BundleFix {
        let splices = self.separators.iter().map(|span| (*span, String::new())).collect();
        BundleFix { file: file.to_owned(), splices }
    }

    /// Returns true if the object is in the first document after the fix.
    fn is_fixed_by_removal(&self, bytes: &[u8], object: &olm_catalog::Node) -> bool {
        let Some(mended) = self.to_fix("").apply(bytes) else { return false };
        let chunks = split::split_chunks(&mended);
        let is_yaml =
            chunks.first().is_some_and(|chunk| chunk.kind == split::ChunkKind::Document(Format::Yaml));
        is_yaml && document::parse_first(&mended).is_ok_and(|first| first.node.has_same_value(object))
    }
}
