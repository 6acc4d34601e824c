//! A new document: in a file, written as its neighbours are, or in a file of its own.

use std::collections::BTreeMap;

use super::{
    EditError,
    document::{changed_text, field, is_canonical, rendered},
    layout::{self, NewFile},
};
use crate::{
    catalog::{
        Catalog, FileId, Node, Value,
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

/// Name, without its ending, of the file for deprecations in catalogs that have no other custom.
const APART: &str = "deprecations";

/// Adds the first `olm.deprecations` of a package, with one item. It comes into a file of its own if the package has a directory
/// of its own, unless the whole package is one file as opm renders it; otherwise behind the last document of the package in the
/// file of its `olm.package`.
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
    let strings = [("schema", SCHEMA), ("package", package.name.as_str())];
    let fill = |tree: &mut Plain| {
        let key = field(tree, "entries");
        tree.set(&key, Plain::list([item]));
    };
    let is_one_file = package.documents().all(|doc| doc.file == above.file);
    let stays = is_one_file && is_canonical(format, text, &tree);
    match (!stays).then(|| apart(catalog, package, above)).flatten() {
        Some(place) => {
            // A channel has a list to learn from.
            let like = package.channels.first().map_or(above, |channel| channel.doc);
            let text = alone(catalog, like, &strings, fill)?;
            Ok(vec![match place {
                Apart::Empty(file) => Place::Front.insert(file, text),
                Apart::New(NewFile { shown, disk, .. }) => DocChange::Make { shown, disk, text },
            }])
        }
        None => behind(catalog, above, &strings, fill),
    }
}

/// Adds a new document behind another document, in its style, with these strings first; `fill` gives it the rest.
pub(super) fn behind(
    catalog: &Catalog,
    above: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut Plain),
) -> Result<Vec<DocChange>, EditError> {
    let new = styled(catalog, above, strings, fill)?;
    Ok(inserted(catalog, above, catalog.text(above).unwrap_or_default(), new))
}

/// Returns a new document for a file of its own, written as another document is.
pub(super) fn alone(
    catalog: &Catalog,
    like: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut Plain),
) -> Result<Vec<u8>, EditError> {
    let new = styled(catalog, like, strings, fill)?;
    let text = catalog.text(like).unwrap_or_default();
    let separator: &[u8] = if line_break(text) == "\n" { b"---\n" } else { b"---\r\n" };
    // The first document of a file may lack its separator.
    let has_separator = catalog.format(like) != Some(Format::Yaml) || text.starts_with(b"---");
    let new =
        if has_separator { new } else { new.strip_prefix(separator).map(<[u8]>::to_vec).unwrap_or(new) };
    Ok(new)
}

/// Returns a new document in the style of another document.
pub(super) fn styled(
    catalog: &Catalog,
    like: DocId,
    strings: &[(&str, &str)],
    fill: impl FnOnce(&mut Plain),
) -> Result<Vec<u8>, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(like), catalog.text(like), catalog.tree(like))
    else {
        return Err(EditError::Unreadable);
    };
    let eol = line_break(text);
    let frame = match format {
        Format::Yaml => {
            let indent = list_indent(text, &tree).or_else(|| habitual_indent(catalog, like));
            yaml_frame(indent, strings, eol)
        }
        Format::Json => json_frame(text, &tree, strings, eol),
    };
    let framed = split::parse(format, frame.as_bytes()).map_err(|_| EditError::Unreadable)?;
    let new = changed_text(format, frame.as_bytes(), &framed, fill)
        .map_err(|error| EditError::Rewrite { doc: like, error })?;
    if is_canonical(format, text, &tree) {
        let canonical = split::parse(format, &new).map(|tree| rendered(format, &tree));
        return canonical.map_err(|_| EditError::Unreadable);
    }
    Ok(new)
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
    New(NewFile),
    /// One that is there and empty, as an edit leaves it.
    Empty(FileId),
}

/// Returns the file of their own that deprecations get: in a directory that holds files of this package only, in a catalog that
/// would read it. It is called as those of other packages are.
fn apart(catalog: &Catalog, package: &Package, above: DocId) -> Option<Apart> {
    if !layout::can_have_files(catalog) {
        return None;
    }
    let neighbour = catalog.file(above.file)?;
    let home = neighbour.shown().parent()?;
    let is_inside = |doc: DocId| {
        let inside = catalog.file(doc.file).and_then(|file| file.shown().parent());
        inside.is_some_and(|inside| inside.starts_with(home))
    };
    let is_foreign = |other: &Package| other.name != package.name && other.documents().any(is_inside);
    if catalog.packages().any(|other| is_foreign(other)) {
        return None;
    }
    let name = custom_name(catalog).unwrap_or_else(|| {
        let ending = neighbour.shown().extension().and_then(|ending| ending.to_str());
        let ending = ending.filter(|ending| ["yaml", "yml", "json"].contains(ending));
        let by_format = if neighbour.format() == Format::Json { "json" } else { "yaml" };
        format!("{APART}.{}", ending.unwrap_or(by_format))
    });
    let path = home.join(name);
    let there = (0..).zip(catalog.files()).find(|(_, file)| file.is_there() && file.shown() == path);
    if let Some((id, file)) = there {
        return (file.segments().is_empty() && !catalog.ignores(&path)).then_some(Apart::Empty(FileId(id)));
    }
    layout::new_file(catalog, path, above).map(Apart::New)
}

/// Returns the name of the files in which other packages keep nothing but deprecations: the most frequent one, if it does not
/// depend on the package.
fn custom_name(catalog: &Catalog) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for package in catalog.packages() {
        let Some(blob) = package.deprecations.first() else { continue };
        let Some(file) = catalog.file(blob.doc.file) else { continue };
        let documents = file.segments().iter().filter(|segment| segment.format().is_some()).count();
        let name = file.shown().file_name().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|name| documents == 1 && !name.contains(package.name.as_str())) {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .max_by(|(a, m), (b, n)| m.cmp(n).then_with(|| b.cmp(a)))
        .map(|(name, _)| name.to_owned())
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

/// Returns a document without content, with room for a list of this indentation.
fn yaml_frame(indent: Option<usize>, strings: &[(&str, &str)], eol: &str) -> String {
    let lines = strings.iter().map(|(key, value)| format!("{key}: {}{eol}", emit::scalar_yaml(value)));
    let head = format!("---{eol}{}", lines.collect::<String>());
    match indent {
        Some(indented @ 1..=8) => {
            format!("{head}entries:{eol}{:indented$}- replaced{eol}", "")
        }
        _ => head,
    }
}

/// Returns the indentation of the first list of a document, as far as it is in block style.
fn list_indent(text: &[u8], tree: &Node) -> Option<usize> {
    let mut lists = tree.members().iter().map(|member| &member.value);
    let first = lists.find(|node| matches!(&node.value, Value::List(items) if !items.is_empty()))?;
    Some(column(text, first.span.start as usize))
}

/// Returns the indentation of lists in the documents around one that has no list: of its file first, then of its package.
fn habitual_indent(catalog: &Catalog, doc: DocId) -> Option<usize> {
    let package = catalog.packages().find(|package| package.documents().any(|known| known == doc))?;
    let mut around: Vec<DocId> = package.documents().filter(|known| *known != doc).collect();
    around.sort_by_key(|known| known.file != doc.file);
    around.into_iter().filter(|known| catalog.format(*known) == Some(Format::Yaml)).find_map(|known| {
        let tree = catalog.tree(known)?.ok()?;
        list_indent(catalog.text(known)?, &tree)
    })
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
