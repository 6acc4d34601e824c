//! Input of the sections: the objects of a bundle from any source.

use std::{borrow::Cow, sync::Arc};

use super::{Body, Icon, Outline, OutlineLocation, Part, Row, Source, apis::join_words};
use crate::{
    console_annotations::INITIALIZATION_RESOURCE,
    document::Document,
    field_access,
    manifests::{Tree, TreeFile},
    registry::{Annotations, CSV_KIND, DirectoryContents, Object, Property},
    render::{JsonStyle, compact_json, indent_json},
};
use olm_catalog::{Node, Span, Value, text::json};

/// Known parts of a bundle.
pub(super) struct OutlineInput<'m, 't> {
    pub source: Source,
    pub package: String,
    /// Name and version of the bundle in the catalog, if any.
    pub catalog_name: [String; 2],
    /// ClusterServiceVersion, or its known part in the same form.
    pub csv: Option<Piece<'m, 't>>,
    /// Other objects.
    pub objects: Vec<Piece<'m, 't>>,
    /// Bundle image; empty for a directory.
    pub image: String,
    /// Images in the catalog, by name.
    pub listed_images: Option<Vec<(String, String)>>,
    /// Dependencies and properties.
    pub stated: Vec<StatedProperty>,
    /// Directory of the bundle.
    pub directory: Option<(&'m DirectoryContents<'t>, &'m Tree)>,
}

/// A dependency or property.
pub(super) struct StatedProperty {
    pub is_dependency: bool,
    pub kind: String,
    pub value: Node<'static>,
    pub location: Option<OutlineLocation>,
}

impl<'m, 't> OutlineInput<'m, 't> {
    /// Returns the name of the bundle.
    pub fn bundle_name(&self) -> String {
        match self.csv_text(&["metadata", "name"]) {
            name if name.is_empty() => self.catalog_name[0].clone(),
            name => name.into_owned(),
        }
    }

    /// Returns a string of the ClusterServiceVersion.
    pub fn csv_text(&self, path: &[&str]) -> Cow<'m, str> {
        self.csv.map(|csv| csv.child_text(path)).unwrap_or_default()
    }

    /// Returns a part of the ClusterServiceVersion.
    pub fn csv_piece(&self, path: &[&str]) -> Option<Piece<'m, 't>> {
        self.csv?.child(path)
    }

    /// Returns the items of a list in the ClusterServiceVersion.
    pub fn csv_items(&self, path: &[&str]) -> Vec<Piece<'m, 't>> {
        self.csv_piece(path).map(|list| list.list_items().collect()).unwrap_or_default()
    }

    /// Returns an annotation of the ClusterServiceVersion.
    pub fn csv_annotation(&self, key: &str) -> Option<Piece<'m, 't>> {
        let annotations = self.csv_piece(&["metadata", "annotations"])?;
        let members = annotations.node.members();
        let member = members.iter().rfind(|member| member.key == key)?;
        Some(annotations.with_node(&member.value))
    }

    /// Returns the objects of a kind.
    pub fn objects_of_kind(&self, kind: &str) -> impl Iterator<Item = Piece<'m, 't>> {
        self.objects.iter().copied().filter(move |object| object.child_text(&["kind"]) == kind)
    }
}

/// A node with its source text.
#[derive(Clone, Copy)]
pub(super) struct Piece<'m, 't> {
    pub node: &'m Node<'t>,
    pub source: &'m SourceText,
}

impl<'m, 't> Piece<'m, 't> {
    /// Returns another node of the same text.
    pub fn with_node(self, node: &'m Node<'t>) -> Self {
        Self { node, ..self }
    }

    pub fn child(self, path: &[&str]) -> Option<Self> {
        field_access::node_at(self.node, path).map(|node| self.with_node(node))
    }

    pub fn child_text(self, path: &[&str]) -> Cow<'m, str> {
        field_access::text_at(self.node, path)
    }

    /// Returns the strings of a list.
    pub fn child_texts(self, path: &[&str]) -> Vec<Cow<'m, str>> {
        field_access::texts_at(self.node, path).collect()
    }

    /// Returns its items, if it is a list.
    pub fn list_items(self) -> impl Iterator<Item = Self> {
        self.node.items().iter().map(move |node| self.with_node(node))
    }

    /// Returns the items of a list in it.
    pub fn child_items(self, path: &[&str]) -> impl Iterator<Item = Self> + use<'m, 't> {
        self.child(path).into_iter().flat_map(Self::list_items)
    }

    #[allow(clippy::unnecessary_wraps, reason = "a row may have no place, and most ask for it so")]
    pub fn location(self) -> Option<OutlineLocation> {
        Some(self.source.location_of(self.node.span))
    }
}

/// A source text with its lines.
pub(super) struct SourceText {
    file: Arc<str>,
    lines: LineIndex,
}

enum LineIndex {
    /// A document: its offset in the file, its first line number, and the end of each line.
    Document { start: usize, first: usize, ends: Vec<usize> },
    /// A text encoded in another one: all positions are the same.
    Encoded(OutlineLocation),
}

impl SourceText {
    /// Creates the source for a document in a file.
    pub fn new(file: &str, start: usize, first_line: usize, text: &[u8]) -> Self {
        let ends = memchr::memchr_iter(b'\n', text).collect();
        Self { file: file.into(), lines: LineIndex::Document { start, first: first_line, ends } }
    }

    /// Creates the source for a document encoded in another one.
    pub fn from_encoded(spot: OutlineLocation) -> Self {
        Self { file: Arc::clone(&spot.file), lines: LineIndex::Encoded(spot) }
    }

    pub fn location_of(&self, span: Span) -> OutlineLocation {
        match &self.lines {
            LineIndex::Encoded(spot) => spot.clone(),
            LineIndex::Document { start, first, ends } => {
                let line = ends.partition_point(|end| *end < span.start as usize) + first;
                let span = Span::new(span.start as usize + start, span.end as usize + start);
                OutlineLocation { file: Arc::clone(&self.file), line, span }
            }
        }
    }
}

impl Outline {
    /// Reads the outline of a bundle directory.
    pub fn from_directory(contents: &DirectoryContents, tree: &Tree) -> Self {
        let csv = contents.any_csv();
        let csv_ground = csv.map(|csv| object_source(csv.object));
        let others: Vec<(&Object, SourceText)> = contents
            .objects
            .iter()
            .filter(|object| object.kind() != CSV_KIND)
            .map(|object| (object, object_source(object)))
            .collect();
        let objects =
            others.iter().map(|(object, source)| Piece { node: &object.document.node, source }).collect();
        let csv = csv
            .zip(csv_ground.as_ref())
            .map(|(csv, source)| Piece { node: &csv.object.document.node, source });
        let metadata = &contents.metadata;
        let stated = |list: &[Property], is_dependency| -> Vec<StatedProperty> {
            list.iter().map(|property| stated_property(property, is_dependency)).collect()
        };
        let mut listed = stated(&metadata.dependencies, true);
        listed.extend(stated(&metadata.properties, false));
        listed.extend(csv.into_iter().flat_map(annotated_properties));
        Self::from_contents(&OutlineInput {
            source: Source::Directory,
            package: contents.package().to_owned(),
            catalog_name: Default::default(),
            csv,
            objects,
            image: String::new(),
            listed_images: None,
            stated: listed,
            directory: Some((contents, tree)),
        })
    }
}

fn object_source(object: &Object) -> SourceText {
    file_source(object.file, &object.document)
}

pub(super) fn file_source(file: &TreeFile, document: &Document) -> SourceText {
    let (start, bytes) = (document.start, file.content_or_empty());
    let (before, text) = bytes.split_at_checked(start).unwrap_or((bytes, &[]));
    SourceText::new(&file.path, start, memchr::memchr_iter(b'\n', before).count() + 1, text)
}

/// Returns the properties in an annotation of the CSV, as opm does.
fn annotated_properties(csv: Piece) -> Vec<StatedProperty> {
    let Some(annotation) =
        csv.child(&["metadata", "annotations"]).and_then(|all| all.child(&["olm.properties"]))
    else {
        return Vec::new();
    };
    let Ok(list) = json::parse_json(annotation.child_text(&[]).as_bytes()).map(|list| list.detached()) else {
        return Vec::new();
    };
    let stated = |property: &Node<'static>| StatedProperty {
        is_dependency: false,
        kind: field_access::text_at(property, &["type"]).into_owned(),
        value: field_access::node_at(property, &["value"])
            .map_or_else(super::catalog::null_node, Node::clone),
        location: annotation.location(),
    };
    list.items().iter().map(stated).collect()
}

fn stated_property(property: &Property, is_dependency: bool) -> StatedProperty {
    let value = property.value.as_ref().map(Node::detached);
    StatedProperty {
        is_dependency,
        kind: property.kind.clone(),
        value: value.unwrap_or_else(super::catalog::null_node),
        location: None,
    }
}

/// Maximum ratio of indentation to JSON text; otherwise the JSON stays on one line. The indentation of a wide
/// and deep object is quadratic in its size.
const MAX_INDENTATION_RATIO: usize = 8;

/// Annotations with examples, in reading order.
const ANNOTATIONS: [&str; 2] = ["alm-examples", "olm.examples"];

pub(super) fn example_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    for annotation in ANNOTATIONS.into_iter().filter_map(|key| bundle.csv_annotation(key)) {
        let text = annotation.child_text(&[]);
        let spot = annotation.location();
        if text.trim().is_empty() {
            continue;
        }
        match json::parse_json(text.as_bytes()).map(|node| node.detached()) {
            Ok(list) if matches!(list.value, Value::List(_)) => {
                rows.extend(list.items().iter().map(|item| example_row(item, spot.clone())));
            }
            _ => rows.push(Row::new("unreadable", "unreadable", "not a JSON list").with_location(spot)),
        }
    }
    rows.extend(bundle.csv_annotation(INITIALIZATION_RESOURCE).map(initialization_row));
    rows
}

fn initialization_row(annotation: Piece) -> Row {
    let text = annotation.child_text(&[]);
    let row = match json::parse_json(text.as_bytes()) {
        Ok(node) if !matches!(node.value, Value::Map(_)) => {
            Row::new_fact("initialization resource", "not a JSON object")
        }
        Ok(node) => Row::new_fact("initialization resource", example_title(&node))
            .with_body(Body::Json(pretty_json(&node))),
        Err(_) => Row::new_fact("initialization resource", "not JSON"),
    };
    row.with_note("to be created right after the install").with_location(annotation.location())
}

fn example_row(node: &Node, spot: Option<OutlineLocation>) -> Row {
    let kind = field_access::text_at(node, &["kind"]);
    let name = field_access::text_at(node, &["metadata", "name"]);
    let kind = if kind.is_empty() { "no kind".into() } else { kind };
    let value = [name, field_access::text_at(node, &["apiVersion"])].join("  ");
    Row::new(example_title(node), kind, value.trim())
        .with_body(Body::Json(pretty_json(node)))
        .with_location(spot)
}

fn example_title(node: &Node) -> String {
    [field_access::text_at(node, &["kind"]), field_access::text_at(node, &["metadata", "name"])]
        .join(" ")
        .trim()
        .to_owned()
}

/// Formats a tree as indented JSON.
pub(super) fn pretty_json(node: &Node) -> String {
    let json = compact_json(node, JsonStyle::Raw);
    if count_indentation(&json) > MAX_INDENTATION_RATIO * json.len() {
        json
    } else {
        indent_json(&json, "  ").trim_end().to_owned()
    }
}

/// Returns the number of indentation blanks of compact JSON. Brackets and commas in strings also count.
fn count_indentation(json: &str) -> usize {
    let (mut blanks, mut depth) = (0_usize, 0_usize);
    for byte in json.bytes() {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => {}
            _ => continue,
        }
        blanks = blanks.saturating_add(2 * depth);
    }
    blanks
}

pub(super) fn identity_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fact = |label: &str, piece: Option<Piece>| {
        let value = piece.map(|piece| piece.child_text(&[])).unwrap_or_default();
        if !value.is_empty() {
            rows.push(Row::new_fact(label, value).with_location(piece.and_then(Piece::location)));
        }
    };
    let spec = |path: &[&str]| bundle.csv_piece(&[&["spec"], path].concat());
    fact("name", bundle.csv_piece(&["metadata", "name"]));
    fact("display name", spec(&["displayName"]));
    fact("version", spec(&["version"]));
    fact("release", spec(&["release"]));
    fact("provider", spec(&["provider", "name"]));
    fact("provider URL", spec(&["provider", "url"]));
    fact("maturity", spec(&["maturity"]));
    fact("capability level", bundle.csv_annotation("capabilities"));
    fact("categories", bundle.csv_annotation("categories"));
    fact("created at", bundle.csv_annotation("createdAt"));
    fact("repository", bundle.csv_annotation("repository"));
    fact("support", bundle.csv_annotation("support"));
    fact("container image", bundle.csv_annotation("containerImage"));
    fact("replaces", spec(&["replaces"]));
    fact("skipRange", bundle.csv_annotation("olm.skipRange"));
    fact("substitutes for", bundle.csv_annotation("olm.substitutesFor"));
    rows.extend(label_rows(bundle));
    let skips = spec(&["skips"]);
    if let Some(skips) = skips {
        let names = skips.child_texts(&[]);
        if !names.is_empty() {
            rows.push(Row::new_fact("skips", names.join(", ")).with_location(skips.location()));
        }
    }
    let [name, version] = &bundle.catalog_name;
    for (label, value, at) in [("name", name, 0), ("version", version, 1)] {
        if !value.is_empty() && !rows.iter().any(|row| row.label == label) {
            rows.insert(at.min(rows.len()), Row::new_fact(label, value.as_str()));
        }
    }
    let at = rows.iter().take_while(|row| row.label == "name").count();
    rows.splice(at..at, packaging_rows(bundle));
    rows.extend(Icon::from_contents(bundle).map(|icon| icon.icon_row()));
    rows
}

/// Prefix of labels that the section about the cluster shows.
const PLATFORM_LABELS: &str = "operatorframework.io/";

/// Returns the labels of the object, and the labels and the selector for the objects of the operator.
fn label_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    for (label, path) in [
        ("object labels", &["metadata", "labels"][..]),
        ("labels", &["spec", "labels"]),
        ("selector", &["spec", "selector", "matchLabels"]),
    ] {
        let Some(piece) = bundle.csv_piece(path) else { continue };
        let members = piece.node.members().iter().filter(|member| !member.key.starts_with(PLATFORM_LABELS));
        let pairs: Vec<String> = members
            .map(|member| format!("{}={}", member.key, field_access::text_at(&member.value, &[])))
            .collect();
        if !pairs.is_empty() {
            rows.push(Row::new_fact(label, join_words(&pairs, ", ")).with_location(piece.location()));
        }
    }
    let expressions = bundle.csv_piece(&["spec", "selector", "matchExpressions"]);
    if let Some(expressions) = expressions.filter(|list| !list.node.items().is_empty()) {
        rows.push(
            Row::new_fact("selector expressions", compact_json(expressions.node, JsonStyle::Raw))
                .with_location(expressions.location()),
        );
    }
    rows
}

/// Returns package and channels, which are in the annotations of a directory.
fn packaging_rows(bundle: &OutlineInput) -> Vec<Row> {
    let mut rows = Vec::new();
    if !bundle.package.is_empty() {
        rows.push(Row::new_fact("package", bundle.package.as_str()));
    }
    if !bundle.image.is_empty() {
        rows.push(Row::new_fact("bundle image", bundle.image.as_str()));
    }
    let annotations = bundle.directory.and_then(|(contents, _)| contents.metadata.annotations.as_ref());
    let channels = annotations.map(format_channels).unwrap_or_default();
    if !channels.is_empty() {
        rows.push(Row::new_fact("channels", channels));
    }
    rows
}

fn format_channels(annotations: &Annotations) -> String {
    let default = annotations.default_channel.as_str();
    let named = |channel: &str| {
        if channel == default { format!("{channel} (default)") } else { channel.to_owned() }
    };
    annotations.channel_list().map(named).collect::<Vec<_>>().join(", ")
}

pub(super) fn description_rows(bundle: &OutlineInput) -> Vec<Row> {
    let Some(piece) = bundle.csv_piece(&["spec", "description"]) else { return Vec::new() };
    let text = piece.child_text(&[]).into_owned();
    if text.trim().is_empty() {
        return Vec::new();
    }
    let label = Part::Description.heading();
    vec![Row::new_fact(label, "").with_body(Body::Markdown(text)).with_location(piece.location())]
}

pub(super) fn link_rows(bundle: &OutlineInput) -> Vec<Row> {
    let pair = |list: &'static str, [label, value]: [&'static str; 2], prefix: &'static str| {
        let items = bundle.csv_items(&["spec", list]).into_iter();
        items.map(move |item| {
            let label = item.child_text(&[label]);
            Row::new(format!("{prefix} {label}"), label, item.child_text(&[value]))
                .with_location(item.location())
        })
    };
    let mut rows: Vec<Row> = pair("links", ["name", "url"], "link").collect();
    rows.extend(pair("maintainers", ["name", "email"], "maintainer"));
    if let Some(keywords) = bundle.csv_piece(&["spec", "keywords"]) {
        let words = keywords.child_texts(&[]).join(", ");
        if !words.is_empty() {
            rows.push(Row::new_fact("keywords", words).with_location(keywords.location()));
        }
    }
    rows
}
