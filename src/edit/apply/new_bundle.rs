//! A bundle that comes to a package: its rendered blob, such as `opm render IMAGE` prints.

use super::{
    EditError,
    channel::definition,
    document::{change, rendered},
    fresh,
};
use crate::catalog::{
    Catalog, Node, Value,
    package::Package,
    text::split::{self, ChunkKind, Format},
};

/// Puts the blob among the bundles of the package: in opm's place where they are in opm's order, otherwise behind the
/// last. It is written as opm renders it; in JSON on one line where its neighbour is.
pub(super) fn add(catalog: &Catalog, package: &Package, blob: &str) -> Result<Catalog, EditError> {
    let tree = read(blob)?;
    let said = |key: &str| text(&tree, key);
    let name = said("name").filter(|name| !name.is_empty()).ok_or(EditError::NoBlob("it has no name"))?;
    if said("schema") != Some("olm.bundle") {
        return Err(EditError::NoBlob("its schema is not olm.bundle"));
    }
    if said("package") != Some(package.name.as_str()) {
        return Err(EditError::NoBlob("it belongs to another package"));
    }
    if package.bundle(name).is_some() {
        return Err(EditError::BundleThere(name.into()));
    }
    let bundles = || package.bundles.iter().map(|b| (b.doc, b.name.value.as_str()));
    let home = definition(package)?.doc;
    // Where the bundles have a file of their own, that is the place.
    let first = match bundles().next() {
        Some((doc, _)) if !bundles().any(|(doc, _)| doc.file == home.file) => doc,
        _ => {
            let channels = package.channels.iter().filter(|c| c.doc.file == home.file).map(|c| c.doc);
            let source = catalog.file(home.file);
            channels.max_by_key(|doc| source.and_then(|s| s.position(doc.serial))).unwrap_or(home)
        }
    };
    let above = fresh::place(catalog, first, bundles(), name);
    // Among bundles that have a file of their own there is none to go behind for the first one.
    let is_first = bundles().any(|(doc, known)| doc == above && known > name);
    let ahead = if is_first { fresh::ahead(catalog, above) } else { None };
    let (Some(format), Some(neighbour)) = (catalog.format(above), catalog.text(above)) else {
        return Err(EditError::Unreadable);
    };
    let new = match format {
        Format::Json if !neighbour.trim_ascii().contains(&b'\n') => one_line(&tree),
        format => rendered(format, &tree),
    };
    let new = match fresh::line_break(neighbour) {
        "\n" => new,
        eol => String::from_utf8_lossy(&new).replace('\n', eol).into_bytes(),
    };
    let changes = match ahead {
        Some(place) => vec![place.insert(above.file, new)],
        None => fresh::inserted(catalog, above, neighbour, new),
    };
    change(catalog, changes)
}

/// The only document of a text.
fn read(blob: &str) -> Result<Node<'_>, EditError> {
    let mut chunks = split::split(blob.as_bytes()).into_iter().filter_map(|chunk| match chunk.kind {
        ChunkKind::Document(format) => Some((format, chunk.range)),
        ChunkKind::NoObject | ChunkKind::Unreadable(_) => None,
    });
    let (Some((format, range)), None) = (chunks.next(), chunks.next()) else {
        return Err(EditError::NoBlob("it must be exactly one document"));
    };
    let text = blob.as_bytes().get(range).unwrap_or_default();
    split::parse(format, text).map_err(|_| EditError::NoBlob("it cannot be read"))
}

fn text<'a>(tree: &'a Node, key: &str) -> Option<&'a str> {
    let members = tree.members().iter();
    let member = { members }.find(|member| member.key.eq_ignore_ascii_case(key))?;
    match &member.value.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn one_line(tree: &Node) -> Vec<u8> {
    // What we have written ourselves is JSON.
    let value: serde_json::Value = serde_json::from_slice(&rendered(Format::Json, tree)).unwrap_or_default();
    format!("{value}\n").into_bytes()
}
