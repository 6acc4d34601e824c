//! Reads a bundle from the `olm.bundle` of a catalog.

use super::{
    Inside, Source, Spot,
    contents::{BundleContents, Ground, Piece, Stated},
};
use crate::{
    bundle::{read, registry::CSV_KIND},
    catalog::{Catalog, Member, Node, Span, Value, blob::BundleBlob, details::bundle_object},
};

/// Fields of `olm.csv.metadata` with another name in the spec.
const RENAMED: [(&str, &str); 2] =
    [("crdDescriptions", "customresourcedefinitions"), ("apiServiceDefinitions", "apiservicedefinitions")];

impl Inside {
    /// Reads the outline of a bundle in a catalog; `None` if its document cannot be read.
    pub fn of_catalog(catalog: &Catalog, blob: &BundleBlob) -> Option<Self> {
        let document = catalog.tree(blob.doc)?.ok()?;
        let place = catalog.place(blob.doc, Span::default())?;
        let text = catalog.text(blob.doc)?;
        let ground = Ground::new(&place.path.to_string_lossy(), place.bytes.start, place.line, text);
        Some(Self::of_document(&document, &ground, blob))
    }

    fn of_document(document: &Node, ground: &Ground, blob: &BundleBlob) -> Self {
        let properties = read::items(document, &["properties"]);
        let of_kind = |kind: &'static str| {
            let of_kind = properties.iter().filter(move |property| read::text(property, &["type"]) == kind);
            of_kind.filter_map(|property| read::at(property, &["value"]))
        };
        let spot = |node: &Node| ground.spot(node.span);
        let encoded: Vec<(Node<'static>, Ground)> = of_kind("olm.bundle.object")
            .filter_map(|value| Some((bundle_object(value)?, Ground::encoded(spot(value)))))
            .collect();
        let metadata =
            of_kind("olm.csv.metadata").next().map(|value| as_csv(value, blob.name.value.as_str()));
        let (csvs, others): (Vec<_>, Vec<_>) = encoded
            .iter()
            .map(|(node, ground)| Piece { node, ground })
            .partition(|piece| piece.text(&["kind"]) == CSV_KIND);
        let whole = csvs.first().copied();
        let part = metadata.as_ref().map(|node| Piece { node, ground });
        let source = match (whole, part) {
            (Some(_), _) => Source::Objects,
            (None, Some(_)) => Source::Metadata,
            (None, None) => Source::Nothing,
        };
        let images = blob.related_images.iter();
        let version = blob.package_properties.first().map(|property| property.version.value.clone());
        Self::from_contents(&BundleContents {
            source,
            package: blob.package.value.to_string(),
            named: [blob.name.value.to_string(), version.unwrap_or_default()],
            csv: whole.or(part),
            objects: others,
            image: blob.image.as_ref().map(|image| image.value.clone()).unwrap_or_default(),
            listed: Some(images.map(|image| (image.name.clone(), image.image.value.clone())).collect()),
            stated: properties.iter().map(|property| stated(property, spot(property))).collect(),
            directory: None,
        })
    }
}

fn stated(property: &Node, spot: Spot) -> Stated {
    let kind = read::text(property, &["type"]).into_owned();
    // Long ones are in other sections.
    let is_told = matches!(kind.as_str(), "olm.csv.metadata" | "olm.bundle.object");
    let value = read::at(property, &["value"]).filter(|_| !is_told).map(Node::detached);
    Stated {
        is_dependency: kind.ends_with(".required") || kind == "olm.constraint",
        kind,
        value: value.unwrap_or_else(super::metadata::null),
        spot: Some(spot),
    }
}

/// Converts `olm.csv.metadata` to the form of its ClusterServiceVersion; spans are kept.
fn as_csv<'a>(value: &Node<'a>, name: &str) -> Node<'a> {
    let member = |key: &'static str, value| Member { key: key.into(), key_span: Span::default(), value };
    let (mut spec, mut metadata) = (Vec::new(), Vec::new());
    metadata.push(member("name", Node::new(Value::String(name.to_owned().into()), value.span)));
    for field in value.members() {
        let key = field.key.as_ref();
        let renamed = RENAMED.iter().find(|(from, _)| *from == key);
        match (key, renamed) {
            ("annotations" | "labels", _) => metadata.push(field.clone()),
            (_, Some((_, to))) => spec.push(member(to, field.value.clone())),
            _ => spec.push(field.clone()),
        }
    }
    let map = |members| Node::new(Value::Map(members), value.span);
    map(vec![member("metadata", map(metadata)), member("spec", map(spec))])
}
