//! From what one document shall mean to its bytes, and whole documents in and out of files.

use super::EditError;
use crate::{
    catalog::{
        Catalog, FileId, Node,
        decode::same_key,
        file::{DocId, Segment, SourceFile},
        model::DocChange,
        text::{
            canonical, emit,
            split::{self, Before, ChunkKind, Format},
            yaml,
        },
    },
    edit::rewrite::{self, Plain},
};

/// A key as the document spells it: OLM does not mind its case, so the one that is there stays. Where several are, the
/// one that counts: the last by bytes.
pub(super) fn field(tree: &Plain, key: &str) -> String {
    spelled(tree, key).unwrap_or_else(|| key.to_owned())
}

fn spelled(tree: &Plain, key: &str) -> Option<String> {
    let there = tree.members().iter().map(|(name, _)| name).filter(|name| same_key(key, name));
    there.max().cloned()
}

/// Takes a key out, in every spelling: otherwise another one would count from then on.
pub(super) fn remove_field(tree: &mut Plain, key: &str) {
    while let Some(key) = spelled(tree, key) {
        tree.remove(&key);
    }
}

/// The `entries` of a channel or of deprecations.
pub(super) fn entries(tree: &mut Plain) -> Option<&mut Vec<Plain>> {
    let key = field(tree, "entries");
    tree.get_mut(&key)?.items_mut()
}

/// Takes items out of the `entries`, by their positions.
pub(super) fn remove_entries(tree: &mut Plain, gone: &[usize]) {
    if let Some(items) = entries(tree) {
        let mut position = 0;
        items.retain(|_| {
            position += 1;
            !gone.contains(&(position - 1))
        });
    }
}

/// Puts an item behind the last of the `entries`.
pub(super) fn add_entry(tree: &mut Plain, item: Plain) {
    if let Some(items) = entries(tree) {
        items.push(item);
    } else {
        let key = field(tree, "entries");
        tree.set(&key, Plain::list([item]));
    }
}

/// Changes one document.
pub(super) fn rewrite(
    catalog: &Catalog,
    doc: DocId,
    change: impl FnOnce(&mut Plain),
) -> Result<Catalog, EditError> {
    Ok(catalog.with_changes(vec![rewritten(catalog, doc, change)?]).0)
}

/// The change of one document: a canonical one stays what opm would render, any other keeps its own style.
pub(super) fn rewritten(
    catalog: &Catalog,
    doc: DocId,
    change: impl FnOnce(&mut Plain),
) -> Result<DocChange, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(doc), catalog.text(doc), catalog.tree(doc))
    else {
        return Err(EditError::Unreadable);
    };
    if yaml::is_utf16(text) {
        return Err(utf16(catalog, doc.file));
    }
    let text =
        changed_text(format, text, &tree, change).map_err(|error| EditError::Rewrite { doc, error })?;
    Ok(DocChange::Replace { doc, text })
}

fn utf16(catalog: &Catalog, file: FileId) -> EditError {
    EditError::Utf16(catalog.file(file).map(|file| file.shown().to_owned()).unwrap_or_default())
}

pub(super) fn changed_text(
    format: Format,
    text: &[u8],
    tree: &Node,
    change: impl FnOnce(&mut Plain),
) -> Result<Vec<u8>, rewrite::RewriteError> {
    let mut plain = Plain::from(tree);
    change(&mut plain);
    let rewritten = rewrite::rewrite(format, text, tree, &plain)?;
    if is_canonical(format, text, tree)
        && let Ok(tree) = split::parse(format, &rewritten.text)
    {
        return Ok(within(text, rendered(format, &tree)));
    }
    Ok(rewritten.text)
}

/// Whether a document is written as opm renders it, in the form of its notation.
pub(super) fn is_canonical(format: Format, text: &[u8], tree: &Node) -> bool {
    within(text, rendered(format, tree)) == text
}

/// A document as opm renders it.
pub(super) fn rendered(format: Format, tree: &Node) -> Vec<u8> {
    written(format, &canonical::normalise(tree))
}

/// Writes a normalised document in one of opm's two forms.
pub(super) fn written(format: Format, tree: &Node) -> Vec<u8> {
    match format {
        Format::Yaml => format!("---\n{}", emit::yaml(tree)).into_bytes(),
        Format::Json => emit::json(tree).into_bytes(),
    }
}

/// A JSON object between the blanks of another one; YAML has none of its own.
fn within(text: &[u8], new: Vec<u8>) -> Vec<u8> {
    if !new.starts_with(b"{") {
        return new;
    }
    let (start, end) = (text.trim_ascii_start().len(), text.trim_ascii_end().len());
    let before = text.get(..text.len() - start).unwrap_or_default();
    [before, new.trim_ascii(), text.get(end..).unwrap_or_default()].concat()
}

/// Makes changes that put whole documents into files or take them out, if the files are then cut into documents where
/// they are meant to be.
pub(super) fn change(catalog: &Catalog, changes: Vec<DocChange>) -> Result<Catalog, EditError> {
    let mut touched = changes.iter().filter_map(|change| match change {
        DocChange::Replace { doc, .. } | DocChange::Remove { doc } => Some(doc.file),
        DocChange::Insert { file, .. } => Some(*file),
        DocChange::Make { .. } => None,
    });
    let is_utf16 = |file: &FileId| {
        let source = catalog.file(*file);
        source.is_some_and(|file| file.segments().iter().any(|segment| yaml::is_utf16(segment.text.bytes())))
    };
    if let Some(file) = touched.find(is_utf16) {
        return Err(utf16(catalog, file));
    }
    let (mut next, _) = catalog.with_changes(changes);
    let mut mended = lost_marks(catalog, &next);
    mended.extend(bare_separators(catalog, &next));
    if !mended.is_empty() {
        let revision = next.revision;
        next = next.with_changes(mended).0;
        // It is one edit all the same.
        next.revision = revision;
    }
    let changed = next.files_changed_since(catalog).into_iter();
    let wrong = { changed }.find_map(|file| file.after.filter(|after| !is_cut_as_meant(file.before, after)));
    match wrong {
        Some(file) => Err(EditError::Parting(file.shown().to_owned())),
        None => Ok(next),
    }
}

/// A byte order mark is the file's: it stays when the document behind it goes.
fn lost_marks(before: &Catalog, after: &Catalog) -> Vec<DocChange> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let first = |file: &SourceFile| Some(file.segments().first()?.clone());
    let files = (0..).zip(before.files().iter().zip(after.files()));
    let lost = files.filter_map(|(file, (old, new))| {
        let (old, new) = (first(old)?, first(new)?);
        let is_lost = old.text.bytes().starts_with(MARK) && !new.text.bytes().starts_with(MARK);
        let doc = DocId { file: FileId(file), serial: new.serial };
        is_lost.then(|| DocChange::Replace { doc, text: [MARK, new.text.bytes()].concat() })
    });
    lost.collect()
}

/// A separator at the end of a file goes with the last document: alone it would be an object without a schema.
fn bare_separators(before: &Catalog, after: &Catalog) -> Vec<DocChange> {
    let bare = |file: &SourceFile| file.segments().iter().all(|segment| segment.kind == ChunkKind::NoObject);
    let files = (0..).zip(before.files().iter().zip(after.files()));
    let bared = files.filter(|(_, (old, new))| bare(new) && !bare(old));
    let rest = bared.flat_map(|(file, (_, source))| {
        let serials = source.segments().iter().map(|segment| segment.serial);
        serials.map(move |serial| DocChange::Remove { doc: DocId { file: FileId(file), serial } })
    });
    rest.collect()
}

/// Whether a file, read again, is cut into the chunks that it has now. Those are looked at that were changed, the one
/// before them, which they may run into, and two behind them; it is what they are together that says where the others
/// begin, so a file of any size costs no more than these.
pub(super) fn is_cut_as_meant(before: Option<&SourceFile>, file: &SourceFile) -> bool {
    let segments = file.segments();
    let changed = before.map_or(0..segments.len(), |before| file.differing(before).0);
    let (start, above) = from_where(segments, changed.start.saturating_sub(1));
    let end = segments.len().min(changed.end + 2);
    let looked_at = segments.get(start..end).unwrap_or_default();
    let chunks = split::split_on(&file.bytes_of(start..end), above);
    let is_last = |nth: usize| start + nth + 1 == segments.len();
    chunks.len() == looked_at.len()
        && chunks.iter().zip(looked_at).enumerate().all(|(nth, (chunk, segment))| {
            let is_whole = nth + 1 < looked_at.len() || is_last(nth);
            // What turns into JSON takes the rest of the file with it.
            let is_taken = is_json(chunk.kind) && !matches!(&segment.kind, ChunkKind::NoObject);
            chunk.range.len() == segment.text.len() && (chunk.kind == segment.kind || !is_whole && !is_taken)
        })
}

fn is_json(kind: ChunkKind) -> bool {
    kind == ChunkKind::Document(Format::Json)
}

/// A chunk to begin with, at or before the given one, and what the reader knows there from the chunks before.
fn from_where(segments: &[Segment], at: usize) -> (usize, Before) {
    let kinds = segments.get(..at).unwrap_or_default();
    match kinds {
        [first, second, ..] if is_json(first.kind) && is_json(second.kind) => (at, Before::JsonForGood),
        [.., above] if above.kind == ChunkKind::Document(Format::Yaml) => (at, Before::Yaml),
        _ => (0, Before::Nothing),
    }
}
