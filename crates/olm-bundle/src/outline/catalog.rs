//! Reads a bundle from the `olm.bundle` of a catalog.

use super::{
    Outline, OutlineLocation, Row, RowKeys, Source,
    constraints::constraint_rows,
    contents::{OutlineInput, Piece, SourceText, StatedProperty},
    platform::MAX_OPENSHIFT,
};
use crate::{
    field_access,
    registry::CSV_KIND,
    render::{JsonStyle, compact_json},
};
use olm_catalog::{
    Catalog, Member, Node, Span, Value,
    blob::{BundleBlob, DependencyTarget},
    details::bundle_object,
};

/// Fields of `olm.csv.metadata` with another name in the spec.
const RENAMED: [(&str, &str); 2] =
    [("crdDescriptions", "customresourcedefinitions"), ("apiServiceDefinitions", "apiservicedefinitions")];

impl Outline {
    /// Reads the outline of a bundle in a catalog; `None` if its document cannot be read.
    pub fn from_catalog(catalog: &Catalog, blob: &BundleBlob) -> Option<Self> {
        let document = catalog.parse_document(blob.doc)?.ok()?;
        let place = catalog.location(blob.doc, Span::default())?;
        let text = catalog.document_text(blob.doc)?;
        let ground = SourceText::new(&place.path.to_string_lossy(), place.bytes.start, place.line, text);
        Some(Self::from_document(&document, &ground, blob))
    }

    fn from_document(document: &Node, ground: &SourceText, blob: &BundleBlob) -> Self {
        let properties = field_access::items_at(document, &["properties"]);
        let of_kind = |kind| field_access::property_values(document, kind);
        let spot = |node: &Node| ground.location_of(node.span);
        let encoded: Vec<(Node<'static>, SourceText)> = of_kind("olm.bundle.object")
            .filter_map(|value| Some((bundle_object(value)?, SourceText::from_encoded(spot(value)))))
            .collect();
        let metadata =
            of_kind("olm.csv.metadata").next().map(|value| metadata_to_csv(value, blob.name.value.as_str()));
        let (csvs, others): (Vec<_>, Vec<_>) = encoded
            .iter()
            .map(|(node, ground)| Piece { node, source: ground })
            .partition(|piece| piece.child_text(&["kind"]) == CSV_KIND);
        let whole = csvs.first().copied();
        let part = metadata.as_ref().map(|node| Piece { node, source: ground });
        let source = match (whole, part) {
            (Some(_), _) => Source::Objects,
            (None, Some(_)) => Source::Metadata,
            (None, None) => Source::Nothing,
        };
        let images = blob.related_images.iter();
        let version = blob.package_properties.first().map(|property| property.version.value.clone());
        Self::from_contents(&OutlineInput {
            source,
            package: blob.package.value.to_string(),
            catalog_name: [blob.name.value.to_string(), version.unwrap_or_default()],
            csv: whole.or(part),
            objects: others,
            image: blob.image.as_ref().map(|image| image.value.clone()).unwrap_or_default(),
            listed_images: Some(
                images.map(|image| (image.name.clone(), image.image.value.clone())).collect(),
            ),
            stated: properties.iter().map(|property| stated_property(property, spot(property))).collect(),
            directory: None,
        })
    }
}

fn stated_property(property: &Node, spot: OutlineLocation) -> StatedProperty {
    let kind = field_access::text_at(property, &["type"]).into_owned();
    // Long ones are in other sections.
    let is_told = matches!(kind.as_str(), "olm.csv.metadata" | "olm.bundle.object");
    let value = field_access::node_at(property, &["value"]).filter(|_| !is_told).map(Node::detached);
    StatedProperty {
        is_dependency: kind.ends_with(".required") || kind == "olm.constraint",
        kind,
        value: value.unwrap_or_else(null_node),
        location: Some(spot),
    }
}

/// Converts `olm.csv.metadata` to the form of its ClusterServiceVersion; spans are kept.
fn metadata_to_csv<'a>(value: &Node<'a>, name: &str) -> Node<'a> {
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

/// Longer values are shortened to one line.
const MAX_LEN: usize = 2000;

pub(super) fn null_node() -> Node<'static> {
    Node::new(Value::Null, Span::default())
}

/// Returns dependencies, then other properties. Properties shown in other sections are omitted.
pub(super) fn property_rows(bundle: &OutlineInput) -> Vec<Row> {
    let told = ["olm.package", "olm.gvk", "olm.csv.metadata", "olm.bundle.object", MAX_OPENSHIFT];
    let dependencies = bundle.stated.iter().filter(|stated| stated.is_dependency);
    let others =
        bundle.stated.iter().filter(|stated| !stated.is_dependency && !told.contains(&&*stated.kind));
    let mut keys = RowKeys::default();
    let mut rows = Vec::new();
    for stated in dependencies.chain(others) {
        let row = keys.make_unique(property_row(stated));
        let conditions = match stated.kind.as_str() {
            "olm.constraint" => constraint_rows(&stated.value, &row),
            _ => Vec::new(),
        };
        rows.push(row);
        rows.extend(conditions);
    }
    rows
}

fn property_row(stated: &StatedProperty) -> Row {
    let field = |key: &str| field_access::text_at(&stated.value, &[key]).into_owned();
    let gvk = || {
        (format!("{} {}", field("kind"), field("version")), format!("{} {}", field("group"), field("kind")))
    };
    let (label, (value, key)) = match stated.kind.as_str() {
        "olm.package" | "olm.package.required" => {
            let range = [field("version"), field("versionRange")].concat();
            ("needs package", (format!("{} {range}", field("packageName")), field("packageName")))
        }
        "olm.gvk" | "olm.gvk.required" => {
            let (api, key) = gvk();
            ("needs API", (format!("{api} ({})", field("group")), key))
        }
        "olm.constraint" => {
            let words = field("failureMessage");
            let all = format_value(&stated.value);
            ("needs", (if words.is_empty() { all.clone() } else { words }, all))
        }
        kind => (kind, (format_value(&stated.value), String::new())),
    };
    let key = if key.is_empty() { stated.kind.clone() } else { format!("{label}: {key}") };
    let row = Row::new(key, label, value).with_location(stated.location.clone());
    match stated.kind.as_str() {
        "olm.gvk" | "olm.gvk.required" => row.with_api(field("group"), field("kind")),
        "olm.package.required" => Row {
            dependency_target: Some(DependencyTarget::Package(field("packageName").as_str().into())),
            ..row
        },
        _ => row,
    }
}

fn format_value(value: &Node) -> String {
    let text = match &value.value {
        Value::String(text) => text.clone().into_owned(),
        _ => compact_json(value, JsonStyle::Raw),
    };
    match text.char_indices().nth(MAX_LEN) {
        Some((at, _)) => format!("{} … {} bytes", text.get(..at).unwrap_or_default(), text.len()),
        None => text,
    }
}
