//! Insertion of a new document in the style of its neighbors, or in its own file.

use std::collections::BTreeMap;

use super::{
    EditError,
    document::{effective_key, is_canonical, render_canonical, rewrite_text},
    layout::{self, NewFile},
};
use crate::rewrite::ValueTree;
use olm_catalog::{
    Catalog, FileId, Node, Value,
    file::DocId,
    model::DocChange,
    package::Package,
    text::{
        emit,
        split::{self, Format},
    },
};

/// Base name of the file for deprecations in catalogs without a convention.
const DEFAULT_NAME: &str = "deprecations";

/// Adds the first `olm.deprecations` of a package, with one item. It gets its own file if the package has its
/// own directory, unless the whole package is one file rendered by opm. Otherwise it follows the last document
/// of the package in the file of its `olm.package`.
pub(super) fn add_deprecations(
    catalog: &Catalog,
    package: &Package,
    item: ValueTree,
) -> Result<Vec<DocChange>, EditError> {
    const SCHEMA: &str = "olm.deprecations";
    let no_definition = || EditError::NoDefinition(package.name.clone());
    let above = last_document_of(catalog, package).ok_or_else(no_definition)?;
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(above), catalog.document_text(above), catalog.parse_document(above))
    else {
        return Err(EditError::Unreadable);
    };
    let strings = [("schema", SCHEMA), ("package", package.name.as_str())];
    let fill = |tree: &mut ValueTree| {
        let key = effective_key(tree, "entries");
        tree.set(&key, ValueTree::from_items([item]));
    };
    let is_one_file = package.documents().all(|doc| doc.file == above.file);
    let stays = is_one_file && is_canonical(format, text, &tree);
    match (!stays).then(|| separate_file(catalog, package, above)).flatten() {
        Some(place) => {
            // The style of lists comes from a channel.
            let like = package.channels.first().map_or(above, |channel| channel.doc);
            let text = render_for_own_file(catalog, like, &strings, fill)?;
            Ok(vec![match place {
                SeparateFile::Empty(file) => InsertPosition::Front.insert(file, text),
                SeparateFile::New(NewFile { shown, disk, .. }) => {
                    DocChange::Make { display_path: shown, disk, text }
                }
            }])
        }
        None => insert_new_after(catalog, above, &strings, fill),
    }
}

/// Adds a new document after another one, in its style. `strings` come first, and `fill` adds the rest.
pub(super) fn insert_new_after(
    catalog: &Catalog,
    above: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut ValueTree),
) -> Result<Vec<DocChange>, EditError> {
    let new = render_like(catalog, above, strings, fill)?;
    Ok(insert_text_after(catalog, above, catalog.document_text(above).unwrap_or_default(), new))
}

/// Returns a new document for its own file, in the style of another document.
pub(super) fn render_for_own_file(
    catalog: &Catalog,
    like: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut ValueTree),
) -> Result<Vec<u8>, EditError> {
    let new = render_like(catalog, like, strings, fill)?;
    let text = catalog.document_text(like).unwrap_or_default();
    let separator: &[u8] = if line_break(text) == "\n" { b"---\n" } else { b"---\r\n" };
    // The first document of a file may lack its separator.
    let has_separator = catalog.format(like) != Some(Format::Yaml) || text.starts_with(b"---");
    let new =
        if has_separator { new } else { new.strip_prefix(separator).map(<[u8]>::to_vec).unwrap_or(new) };
    Ok(new)
}

/// Returns a new document in the style of another document.
pub(super) fn render_like(
    catalog: &Catalog,
    like: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut ValueTree),
) -> Result<Vec<u8>, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(like), catalog.document_text(like), catalog.parse_document(like))
    else {
        return Err(EditError::Unreadable);
    };
    let eol = line_break(text);
    let frame = match format {
        Format::Yaml => {
            let indent = list_indent(text, &tree).or_else(|| usual_list_indent(catalog, like));
            yaml_frame(indent, strings, eol)
        }
        Format::Json => json_frame(text, &tree, strings, eol),
    };
    let framed = split::parse_chunk(format, frame.as_bytes()).map_err(|_| EditError::Unreadable)?;
    let new = rewrite_text(format, frame.as_bytes(), &framed, fill)
        .map_err(|error| EditError::Rewrite { doc: like, error })?;
    if is_canonical(format, text, &tree) {
        let canonical = split::parse_chunk(format, &new).map(|tree| render_canonical(format, &tree));
        return canonical.map_err(|_| EditError::Unreadable);
    }
    Ok(new)
}

/// Inserts a text as a separate document after another one.
pub(super) fn insert_text_after(
    catalog: &Catalog,
    above: DocId,
    text: &[u8],
    mut new: Vec<u8>,
) -> Vec<DocChange> {
    let mut changes = Vec::new();
    if !text.ends_with(b"\n") {
        // The file keeps missing its final line break, and JSON objects need none between them.
        new.truncate(new.len() - trailing_line_break(&new));
        if is_last_of_its_file(catalog, above) {
            // A line break at the end does not change the meaning, because YAML assumes one there anyway.
            let ended = [text, line_break(text).as_bytes()].concat();
            changes.push(DocChange::Replace { doc: above, text: ended });
        }
    }
    changes.push(DocChange::Insert { file: above.file, after: Some(above.serial), text: new });
    changes
}

/// Returns the line break of a text.
pub(super) fn line_break(text: &[u8]) -> &'static str {
    if memchr::memmem::find(text, b"\r\n").is_some() { "\r\n" } else { "\n" }
}

/// Returns the document of a kind after which a new name belongs. This follows the sorted order if the file is
/// sorted like opm does, else it is the last document. Returns `first` if the new name comes before all, or if
/// there are none.
pub(super) fn insert_after_doc<'a>(
    catalog: &Catalog,
    first: DocId,
    kind: impl Iterator<Item = (DocId, &'a str)>,
    name: &str,
) -> DocId {
    let Some(source) = catalog.file(first.file) else { return first };
    let mut there: Vec<(usize, DocId, &str)> = kind
        .filter(|(doc, _)| doc.file == first.file)
        .filter_map(|(doc, name)| Some((source.position(doc.serial)?, doc, name)))
        .collect();
    there.sort_unstable();
    if there.is_sorted_by_key(|(_, _, name)| *name) {
        there.retain(|(_, _, known)| *known <= name);
    }
    there.last().map_or(first, |(_, doc, _)| *doc)
}

/// A position in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InsertPosition {
    /// Before all documents.
    Front,
    /// After the document with this serial number.
    After(u32),
}

impl InsertPosition {
    /// Returns the change that inserts a document at the position.
    pub fn insert(self, file: FileId, text: Vec<u8>) -> DocChange {
        let after = match self {
            Self::Front => None,
            Self::After(serial) => Some(serial),
        };
        DocChange::Insert { file, after, text }
    }
}

/// Returns the position for inserting a document before another one. `None` if the other document does not begin
/// with a separator.
pub(super) fn position_before(catalog: &Catalog, doc: DocId) -> Option<InsertPosition> {
    let source = catalog.file(doc.file)?;
    let begins_anew = match catalog.format(doc)? {
        Format::Yaml => catalog.document_text(doc)?.starts_with(b"---"),
        Format::Json => true,
    };
    let above = source.position(doc.serial)?.checked_sub(1).and_then(|at| source.segments().get(at));
    begins_anew.then(|| above.map_or(InsertPosition::Front, |segment| InsertPosition::After(segment.serial)))
}

/// Separate file for deprecations.
enum SeparateFile {
    /// A file that must be created.
    New(NewFile),
    /// An existing empty file, which an earlier edit left.
    Empty(FileId),
}

/// Returns the separate file for deprecations. Requires a directory with only files of this package, and a
/// catalog that would read the file. Its name follows the other packages.
fn separate_file(catalog: &Catalog, package: &Package, above: DocId) -> Option<SeparateFile> {
    if !layout::can_add_files(catalog) {
        return None;
    }
    let neighbour = catalog.file(above.file)?;
    let home = neighbour.display_path().parent()?;
    let is_inside = |doc: DocId| {
        let inside = catalog.file(doc.file).and_then(|file| file.display_path().parent());
        inside.is_some_and(|inside| inside.starts_with(home))
    };
    let is_foreign = |other: &Package| other.name != package.name && other.documents().any(is_inside);
    if catalog.packages().any(|other| is_foreign(other)) {
        return None;
    }
    let name = custom_name(catalog).unwrap_or_else(|| {
        let ending = neighbour.display_path().extension().and_then(|ending| ending.to_str());
        let ending = ending.filter(|ending| ["yaml", "yml", "json"].contains(ending));
        let by_format = if neighbour.format() == Format::Json { "json" } else { "yaml" };
        format!("{DEFAULT_NAME}.{}", ending.unwrap_or(by_format))
    });
    let path = home.join(name);
    let there = (0..).zip(catalog.files()).find(|(_, file)| file.exists() && file.display_path() == path);
    if let Some((id, file)) = there {
        return (file.segments().is_empty() && !catalog.ignores(&path))
            .then_some(SeparateFile::Empty(FileId(id)));
    }
    layout::new_file(catalog, path, above).map(SeparateFile::New)
}

/// Returns the most frequent name of files in which other packages keep only deprecations. The name must not
/// depend on the package.
fn custom_name(catalog: &Catalog) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for package in catalog.packages() {
        let Some(blob) = package.deprecations.first() else { continue };
        let Some(file) = catalog.file(blob.doc.file) else { continue };
        let documents = file.segments().iter().filter(|segment| segment.format().is_some()).count();
        let name = file.display_path().file_name().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|name| documents == 1 && !name.contains(package.name.as_str())) {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a)))
        .map(|(name, _)| name.to_owned())
}

/// Returns the last document of the package in the file that defines it.
fn last_document_of(catalog: &Catalog, package: &Package) -> Option<DocId> {
    let all: Vec<DocId> = package.documents().collect();
    let file = all.first()?.file;
    let source = catalog.file(file)?;
    all.into_iter().filter(|doc| doc.file == file).max_by_key(|doc| source.position(doc.serial))
}

fn is_last_of_its_file(catalog: &Catalog, doc: DocId) -> bool {
    let last = catalog.file(doc.file).and_then(|file| file.segments().last().map(|s| s.serial));
    last == Some(doc.serial)
}

fn trailing_line_break(text: &[u8]) -> usize {
    match text {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    }
}

/// Returns a document without content, with an empty list of this indentation.
fn yaml_frame(indent: Option<usize>, strings: &[(&str, &str)], eol: &str) -> String {
    let lines =
        strings.iter().map(|(key, value)| format!("{key}: {}{eol}", emit::write_inline_scalar(value)));
    let head = format!("---{eol}{}", lines.collect::<String>());
    match indent {
        Some(indented @ 1..=8) => {
            format!("{head}entries:{eol}{:indented$}- replaced{eol}", "")
        }
        _ => head,
    }
}

/// Returns the indentation of the first list of a document; zero if it is not in block style.
fn list_indent(text: &[u8], tree: &Node) -> Option<usize> {
    let mut lists = tree.members().iter().map(|member| &member.value);
    let first = lists.find(|node| matches!(&node.value, Value::List(items) if !items.is_empty()))?;
    Some(block_list_indent(text, first.span.start as usize))
}

/// Returns the indentation of lists in a document, or otherwise in other documents of its package.
pub(super) fn neighbor_list_indent(catalog: &Catalog, doc: DocId) -> usize {
    let own = || list_indent(catalog.document_text(doc)?, &catalog.parse_document(doc)?.ok()?);
    own().or_else(|| usual_list_indent(catalog, doc)).unwrap_or_default()
}

/// Returns the indentation of lists in other documents, first of the same file, then of the package.
fn usual_list_indent(catalog: &Catalog, doc: DocId) -> Option<usize> {
    let package = catalog.packages().find(|package| package.documents().any(|known| known == doc))?;
    let mut around: Vec<DocId> = package.documents().filter(|known| *known != doc).collect();
    around.sort_by_key(|known| known.file != doc.file);
    around.into_iter().filter(|known| catalog.format(*known) == Some(Format::Yaml)).find_map(|known| {
        let tree = catalog.parse_document(known)?.ok()?;
        list_indent(catalog.document_text(known)?, &tree)
    })
}

/// Returns the number of blanks before a list in block style; zero for other styles.
fn block_list_indent(text: &[u8], start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let line = memchr::memrchr(b'\n', before).map_or(before, |at| before.get(at + 1..).unwrap_or_default());
    let is_block = text.get(start) == Some(&b'-') && line.iter().all(|byte| *byte == b' ');
    if is_block { line.len() } else { 0 }
}

/// Returns an object without entries, with the blanks of its neighbor.
fn json_frame(text: &[u8], like: &Node, strings: &[(&str, &str)], eol: &str) -> String {
    let between = |start: u32, end: u32| {
        let bytes = text.get(start as usize..end as usize).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    let mut blanks = (String::new(), ": ".to_owned(), ", ".to_owned(), String::new());
    if let [first, second, ..] = like.members()
        && let Some(last) = like.members().last()
    {
        blanks = (
            between(like.span.start + 1, first.key_span.start),
            between(first.key_span.end, first.value.span.start),
            between(first.value.span.end, second.key_span.start),
            between(last.value.span.end, like.span.end.saturating_sub(1)),
        );
    }
    let (open, colon, comma, close) = blanks;
    let string = |text: &str| serde_json::Value::from(text).to_string();
    let members = strings.iter().map(|(key, value)| format!("{}{colon}{}", string(key), string(value)));
    let members = members.collect::<Vec<_>>().join(&comma);
    format!("{{{open}{members}{comma}\"entries\"{colon}[]{close}}}{eol}")
}
