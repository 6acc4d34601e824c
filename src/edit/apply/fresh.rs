//! A new document: in a file, written as its neighbours are, or in a file of its own.

use std::path::PathBuf;

use super::{
    EditError,
    document::{changed_text, field, is_canonical, rendered},
};
use crate::{
    catalog::{
        Catalog, FileId, Node, Origin, Value,
        file::DocId,
        model::DocChange,
        package::Package,
        text::{
            emit,
            split::{self, Format},
        },
    },
    edit::rewrite::Plain,
};

/// The file opm's users know: deprecations apart from what a pipeline renders.
const APART: &str = "deprecations.yaml";

/// The first `olm.deprecations` of a package, with one item: at opm's place where the package is as opm renders it;
/// otherwise in a file of its own where the package has a directory of its own; otherwise behind the last document of
/// the package in the file of its `olm.package`.
pub(super) fn deprecations(
    catalog: &Catalog,
    package: &Package,
    item: Plain,
) -> Result<Vec<DocChange>, EditError> {
    const SCHEMA: &str = "olm.deprecations";
    let no_definition = || EditError::NoDefinition(package.name.clone());
    let above = last_of(catalog, package).ok_or_else(no_definition)?;
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(above), catalog.text(above), catalog.tree(above))
    else {
        return Err(EditError::Unreadable);
    };
    let apart = if is_canonical(format, text, &tree) { None } else { own_file(catalog, package, above.file) };
    if let Some(place) = apart {
        let text = alone(package, above, SCHEMA, item)?;
        return Ok(vec![match place {
            Apart::Empty(file) => Place::Front.insert(file, text),
            Apart::New { shown, disk } => DocChange::Make { shown, disk, text },
        }]);
    }
    let strings = [("schema", SCHEMA), ("package", package.name.as_str())];
    behind(catalog, above, &strings, |tree| {
        let key = field(tree, "entries");
        tree.set(&key, Plain::list([item]));
    })
}

/// A new document behind another one, written as that one is, with these strings first; `fill` gives it the rest.
pub(super) fn behind(
    catalog: &Catalog,
    above: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut Plain),
) -> Result<Vec<DocChange>, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(above), catalog.text(above), catalog.tree(above))
    else {
        return Err(EditError::Unreadable);
    };
    let eol = line_break(text);
    let frame = match format {
        Format::Yaml => yaml_frame(text, &tree, strings, eol),
        Format::Json => json_frame(text, &tree, strings, eol),
    };
    let framed = split::parse(format, frame.as_bytes()).map_err(|_| EditError::Unreadable)?;
    let mut new = changed_text(format, frame.as_bytes(), &framed, fill)
        .map_err(|error| EditError::Rewrite { doc: above, error })?;
    if is_canonical(format, text, &tree) {
        let canonical = split::parse(format, &new).map(|tree| rendered(format, &tree));
        new = canonical.map_err(|_| EditError::Unreadable)?;
    }
    Ok(inserted(catalog, above, text, new))
}

/// A text as a document of its own behind another one.
pub(super) fn inserted(catalog: &Catalog, above: DocId, text: &[u8], mut new: Vec<u8>) -> Vec<DocChange> {
    let mut changes = Vec::new();
    if !text.ends_with(b"\n") {
        // A file without a final line break stays one; two JSON objects on a line need none between them.
        new.truncate(new.len() - trailing_break(&new));
        if is_last_of_its_file(catalog, above) {
            // A text that ends the file means the same with a line break behind it: YAML reads one there anyway.
            let ended = [text, line_break(text).as_bytes()].concat();
            changes.push(DocChange::Replace { doc: above, text: ended });
        }
    }
    changes.push(DocChange::Insert { file: above.file, after: Some(above.serial), text: new });
    changes
}

/// How lines end in a text.
pub(super) fn line_break(text: &[u8]) -> &'static str {
    if memchr::memmem::find(text, b"\r\n").is_some() { "\r\n" } else { "\n" }
}

/// The document of one kind behind which one with a name belongs: in its place where those of the file are sorted by name,
/// as opm sorts them, otherwise behind the last; `first` where it would come before all of them or there are none.
pub(super) fn place<'a>(
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

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Before everything else.
    Front,
    /// Behind the document of this serial.
    Behind(u32),
}

impl Place {
    /// A document put there.
    pub fn insert(self, file: FileId, text: Vec<u8>) -> DocChange {
        let after = match self {
            Self::Front => None,
            Self::Behind(serial) => Some(serial),
        };
        DocChange::Insert { file, after, text }
    }
}

/// Where the first of its kind in a file is put so that it comes before another document. `None` where nothing can be put
/// before that document, because no separator begins it.
pub(super) fn ahead(catalog: &Catalog, doc: DocId) -> Option<Place> {
    let source = catalog.file(doc.file)?;
    let begins_anew = match catalog.format(doc)? {
        Format::Yaml => catalog.text(doc)?.starts_with(b"---"),
        Format::Json => true,
    };
    let above = source.position(doc.serial)?.checked_sub(1).and_then(|at| source.segments().get(at));
    begins_anew.then(|| above.map_or(Place::Front, |segment| Place::Behind(segment.serial)))
}

/// The file of their own that deprecations may have.
enum Apart {
    /// One that has to be made.
    New { shown: PathBuf, disk: Option<PathBuf> },
    /// One that is there and empty, as an edit leaves it.
    Empty(FileId),
}

/// Whether deprecations may have a file of their own: in a directory that holds files of this package only, in a catalog
/// that would read it.
fn own_file(catalog: &Catalog, package: &Package, file: FileId) -> Option<Apart> {
    if !matches!(catalog.origin, Origin::Directory(_) | Origin::Demo) {
        return None;
    }
    let neighbour = catalog.file(file)?;
    let home = neighbour.shown().parent()?;
    let is_inside = |doc: DocId| {
        let inside = catalog.file(doc.file).and_then(|file| file.shown().parent());
        inside.is_some_and(|inside| inside.starts_with(home))
    };
    let is_foreign = |other: &Package| other.name != package.name && other.documents().any(is_inside);
    let path = home.join(APART);
    if catalog.ignores(&path) || catalog.packages().any(|other| is_foreign(other)) {
        return None;
    }
    let there = (0..).zip(catalog.files()).find(|(_, file)| file.is_there() && file.shown() == path);
    if let Some((id, file)) = there {
        return file.segments().is_empty().then_some(Apart::Empty(FileId(id)));
    }
    let disk = neighbour.disk.as_ref().map(|disk| disk.with_file_name(APART));
    Some(Apart::New { shown: path, disk })
}

/// A file of its own, written as people write one.
fn alone(package: &Package, above: DocId, schema: &str, item: Plain) -> Result<Vec<u8>, EditError> {
    let head = format!("---\nschema: {schema}\npackage: {}\n", emit::scalar_yaml(package.name.as_str()));
    let tree = split::parse(Format::Yaml, head.as_bytes()).map_err(|_| EditError::Unreadable)?;
    changed_text(Format::Yaml, head.as_bytes(), &tree, |tree| tree.set("entries", Plain::list([item])))
        .map_err(|error| EditError::Rewrite { doc: above, error })
}

/// The last document that speaks of the package, in the file that defines it.
fn last_of(catalog: &Catalog, package: &Package) -> Option<DocId> {
    let all: Vec<DocId> = package.documents().collect();
    let file = all.first()?.file;
    let source = catalog.file(file)?;
    all.into_iter().filter(|doc| doc.file == file).max_by_key(|doc| source.position(doc.serial))
}

fn is_last_of_its_file(catalog: &Catalog, doc: DocId) -> bool {
    let last = catalog.file(doc.file).and_then(|file| file.segments().last().map(|s| s.serial));
    last == Some(doc.serial)
}

fn trailing_break(text: &[u8]) -> usize {
    match text {
        [.., b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    }
}

/// A document without anything to say, its list indented as the first list of its neighbour is.
fn yaml_frame(text: &[u8], like: &Node, strings: &[(&str, &str)], eol: &str) -> String {
    let lists = like.members().iter().map(|member| &member.value);
    let indented = lists
        .filter(|node| matches!(&node.value, Value::List(items) if !items.is_empty()))
        .map(|node| column(text, node.span.start as usize))
        .next();
    let lines = strings.iter().map(|(key, value)| format!("{key}: {}{eol}", emit::scalar_yaml(value)));
    let head = format!("---{eol}{}", lines.collect::<String>());
    match indented {
        Some(indented @ 1..=8) => {
            format!("{head}entries:{eol}{:indented$}- replaced{eol}", "")
        }
        _ => head,
    }
}

/// Blanks before a list in block style; none where it begins elsewhere.
fn column(text: &[u8], start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let line = memchr::memrchr(b'\n', before).map_or(before, |at| before.get(at + 1..).unwrap_or_default());
    let is_block = text.get(start) == Some(&b'-') && line.iter().all(|byte| *byte == b' ');
    if is_block { line.len() } else { 0 }
}

/// An object without entries, with the blanks of its neighbour.
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
