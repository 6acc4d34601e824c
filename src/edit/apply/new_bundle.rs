//! A bundle that comes to a package: its rendered blob, such as `opm render IMAGE` prints.

use super::{
    EditError,
    channel::definition,
    document::{change, written},
    fresh,
    layout::{self, Known},
};
use crate::{
    bundle::render::{Style, compact, order_metadata},
    catalog::{
        Catalog, Node, Value,
        blob::BundleBlob,
        model::DocChange,
        package::Package,
        text::{
            canonical,
            split::{self, ChunkKind, Format},
        },
    },
};

/// Puts the blob among the bundles of the package: in opm's place where they are in opm's order, otherwise behind the
/// last. It is written as opm renders a bundle image; in JSON on one line if its neighbour is.
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
    let mut bundle = canonical::normalise(&tree);
    order_metadata(&mut bundle);
    let known: Vec<Known<'_>> = package.bundles.iter().map(|bundle| known(bundle)).collect();
    let is_apart = known.iter().all(|known| known.doc.file != home.file);
    let words = [name, version(&tree).unwrap_or_default()];
    if let Some(file) = is_apart.then(|| layout::own_file(catalog, home, &known, words)).flatten() {
        let neighbour = catalog.text(file.like).unwrap_or_default();
        let format = catalog.format(file.like).ok_or(EditError::Unreadable)?;
        let text = in_style(format, &bundle, neighbour);
        return change(catalog, vec![DocChange::Make { shown: file.shown, disk: file.disk, text }]);
    }
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
    let new = in_style(format, &bundle, neighbour);
    let changes = match ahead {
        Some(place) => vec![place.insert(above.file, new)],
        None => fresh::inserted(catalog, above, neighbour, new),
    };
    change(catalog, changes)
}

/// Returns a bundle as opm writes it, with the line breaks of a neighbour; in JSON on one line if the neighbour is.
fn in_style(format: Format, bundle: &Node, neighbour: &[u8]) -> Vec<u8> {
    let new = match format {
        Format::Json if !neighbour.trim_ascii().contains(&b'\n') => {
            format!("{}\n", compact(bundle, Style::Raw)).into_bytes()
        }
        format => written(format, bundle),
    };
    match fresh::line_break(neighbour) {
        "\n" => new,
        eol => String::from_utf8_lossy(&new).replace('\n', eol).into_bytes(),
    }
}

fn known(bundle: &BundleBlob) -> Known<'_> {
    let version = bundle.package_properties.first().map_or("", |property| property.version.value.as_str());
    Known { doc: bundle.doc, words: [bundle.name.value.as_str(), version] }
}

/// Returns the version in the `olm.package` property of a bundle.
fn version<'n>(bundle: &'n Node<'_>) -> Option<&'n str> {
    let properties = bundle.get("properties").map(Node::items).unwrap_or_default();
    let of_package = |property: &&Node| text(property, "type") == Some("olm.package");
    text(properties.iter().find(of_package)?.get("value")?, "version")
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
