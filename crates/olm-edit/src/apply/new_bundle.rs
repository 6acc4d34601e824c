//! Addition of a bundle to a package, as a rendered blob such as the output of `opm render IMAGE`.

use super::{
    EditError,
    channel::package_definition,
    document::{apply_changes, write_canonical},
    layout::{self, NamedDocument},
    new_document,
};
use olm_bundle::render::{JsonStyle, compact_json, order_metadata};
use olm_catalog::{
    Catalog, Node, Value,
    blob::BundleBlob,
    model::DocChange,
    package::Package,
    text::{
        canonical,
        split::{self, ChunkKind, Format},
    },
};

/// Adds the blob to the bundles of the package: in sorted order if they are sorted like opm does, else after
/// the last. It is written as opm renders a bundle image. In JSON it is on one line if its neighbor is.
pub(super) fn add_bundle(catalog: &Catalog, package: &Package, blob: &str) -> Result<Catalog, EditError> {
    let tree = parse_single_document(blob)?;
    let said = |key: &str| string_field(&tree, key);
    let name = said("name").filter(|name| !name.is_empty()).ok_or(EditError::NotABundle("it has no name"))?;
    if said("schema") != Some("olm.bundle") {
        return Err(EditError::NotABundle("its schema is not olm.bundle"));
    }
    if said("package") != Some(package.name.as_str()) {
        return Err(EditError::NotABundle("it belongs to another package"));
    }
    if package.bundle(name).is_some() {
        return Err(EditError::BundleExists(name.into()));
    }
    let bundles = || package.bundles.iter().map(|b| (b.doc, b.name.value.as_str()));
    let home = package_definition(package)?.doc;
    let mut bundle = canonical::normalize(&tree);
    order_metadata(&mut bundle);
    let named_documents: Vec<NamedDocument<'_>> =
        package.bundles.iter().map(|bundle| named_document(bundle)).collect();
    let is_apart = named_documents.iter().all(|known| known.doc.file != home.file);
    let words = [name, bundle_version(&tree).unwrap_or_default()];
    if let Some(file) =
        is_apart.then(|| layout::separate_file(catalog, home, &named_documents, words)).flatten()
    {
        let neighbour = catalog.document_text(file.sibling).unwrap_or_default();
        let format = catalog.format(file.sibling).ok_or(EditError::Unreadable)?;
        let text = render_like_neighbor(format, &bundle, neighbour);
        return apply_changes(
            catalog,
            vec![DocChange::Make { display_path: file.shown, disk: file.disk, text }],
        );
    }
    // Separate files for bundles take precedence.
    let first = match bundles().next() {
        Some((doc, _)) if !bundles().any(|(doc, _)| doc.file == home.file) => doc,
        _ => {
            let channels = package.channels.iter().filter(|c| c.doc.file == home.file).map(|c| c.doc);
            let source = catalog.file(home.file);
            channels.max_by_key(|doc| source.and_then(|s| s.position(doc.serial))).unwrap_or(home)
        }
    };
    let above = new_document::insert_after_doc(catalog, first, bundles(), name);
    // If bundles have a separate file, there is no document before the first one.
    let is_first = bundles().any(|(doc, known)| doc == above && known > name);
    let ahead = if is_first { new_document::position_before(catalog, above) } else { None };
    let (Some(format), Some(neighbour)) = (catalog.format(above), catalog.document_text(above)) else {
        return Err(EditError::Unreadable);
    };
    let new = render_like_neighbor(format, &bundle, neighbour);
    let changes = match ahead {
        Some(place) => vec![place.insert(above.file, new)],
        None => new_document::insert_text_after(catalog, above, neighbour, new),
    };
    apply_changes(catalog, changes)
}

/// Returns a bundle as opm writes it, with the line breaks of a neighbor. In JSON it is on one line if the
/// neighbor is.
fn render_like_neighbor(format: Format, bundle: &Node, neighbour: &[u8]) -> Vec<u8> {
    let new = match format {
        Format::Json if !neighbour.trim_ascii().contains(&b'\n') => {
            format!("{}\n", compact_json(bundle, JsonStyle::Raw)).into_bytes()
        }
        format => write_canonical(format, bundle),
    };
    match new_document::line_break(neighbour) {
        "\n" => new,
        eol => String::from_utf8_lossy(&new).replace('\n', eol).into_bytes(),
    }
}

fn named_document(bundle: &BundleBlob) -> NamedDocument<'_> {
    let version = bundle.package_properties.first().map_or("", |property| property.version.value.as_str());
    NamedDocument { doc: bundle.doc, words: [bundle.name.value.as_str(), version] }
}

/// Returns the version in the `olm.package` property of a bundle.
fn bundle_version<'n>(bundle: &'n Node<'_>) -> Option<&'n str> {
    let properties = bundle.get("properties").map(Node::items).unwrap_or_default();
    let of_package = |property: &&Node| string_field(property, "type") == Some("olm.package");
    string_field(properties.iter().find(of_package)?.get("value")?, "version")
}

/// Parses the only document of a text.
fn parse_single_document(blob: &str) -> Result<Node<'_>, EditError> {
    let mut chunks = split::split_chunks(blob.as_bytes()).into_iter().filter_map(|chunk| match chunk.kind {
        ChunkKind::Document(format) => Some((format, chunk.range)),
        ChunkKind::NoObject | ChunkKind::Unreadable(_) => None,
    });
    let (Some((format, range)), None) = (chunks.next(), chunks.next()) else {
        return Err(EditError::NotABundle("it must be exactly one document"));
    };
    let text = blob.as_bytes().get(range).unwrap_or_default();
    split::parse_chunk(format, text).map_err(|_| EditError::NotABundle("it cannot be read"))
}

fn string_field<'a>(tree: &'a Node, key: &str) -> Option<&'a str> {
    let members = tree.members().iter();
    let member = { members }.find(|member| member.key.eq_ignore_ascii_case(key))?;
    match &member.value.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
