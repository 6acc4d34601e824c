//! Conversion of the tables of a SQLite index to a file-based catalog, as opm does it
//! (operator-registry `pkg/sqlite`: `ListBundles`, `SQLQuerier`, `sqliteToDeclcfg`).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Write as _,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;

use super::IndexFault;
use olm_bundle::render::{JsonStyle, RawProperty, RenderedBundle, compact_json, sort_as_go};
use olm_catalog::{
    Node,
    decode::decode_base64,
    text::{
        json as json_text,
        split::{self, ChunkKind, Format},
    },
};
use olm_version::Version;

const OBJECT: &str = "olm.bundle.object";
/// Property of a bundle that `opm index deprecatetruncate` deprecated; such a bundle is not served.
const DEPRECATED: &str = "olm.deprecated";

/// Returns the blobs of the catalog as JSON, one per line. Fails if they exceed the limit in bytes,
/// because a small index can repeat a text for each row that refers to it.
pub(super) fn convert_tables(tables: &Tables, max_bytes: usize) -> Result<Vec<u8>, IndexFault> {
    let lists = RowsByBundle::new(tables);
    let heads = Heads::new(tables);
    let mut out = String::new();
    for package in &tables.packages {
        let default = package.default_channel.as_deref().filter(|name| !name.is_empty());
        let default = default.ok_or_else(|| IndexFault::NoDefault(package.name.clone()))?;
        let mut blob = json!({"schema": "olm.package", "name": package.name, "defaultChannel": default});
        if let Some((data, media)) = heads.icon(&package.name, default)? {
            blob["icon"] = json!({"base64data": data, "mediatype": media});
        }
        let _ = writeln!(out, "{blob}");
    }
    let served: HashMap<&str, ServedBundle<'_>> = tables
        .bundles
        .iter()
        .filter_map(|bundle| Some((bundle.name.as_deref()?, bundle)))
        .filter(|(name, bundle)| bundle.path.is_some() && !lists.is_deprecated(name))
        .filter_map(|(name, bundle)| Some((name, ServedBundle::new(bundle, tables)?)))
        .collect();
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    let channels = build_channels(tables, &served);
    check_versions(&channels, &served)?;
    for ((package, channel), entries) in channels {
        for name in entries.keys() {
            homes.entry(name).or_insert(package);
        }
        let bytes =
            entries.iter().map(|(name, edges)| name.len() + edges.repeated_bytes(served.get(name))).sum();
        if out.len().saturating_add(bytes) > max_bytes {
            return Err(IndexFault::Unbounded);
        }
        let entries: Vec<_> =
            entries.iter().map(|(name, edges)| edges.to_entry(name, served.get(name))).collect();
        let blob = json!({"schema": "olm.channel", "package": package, "name": channel, "entries": entries});
        let _ = writeln!(out, "{blob}");
    }
    for (name, package) in homes {
        let Some(served) = served.get(name) else { continue };
        let _ = writeln!(out, "{}", render_bundle(name, package, served, tables, &lists)?.to_compact_json());
        if out.len() > max_bytes {
            return Err(IndexFault::Unbounded);
        }
    }
    Ok(out.into_bytes())
}

/// Rows grouped by bundle.
struct RowsByBundle<'t> {
    properties: HashMap<&'t str, Vec<&'t TypedRow>>,
    dependencies: HashMap<&'t str, Vec<&'t TypedRow>>,
    images: HashMap<&'t str, Vec<&'t str>>,
    provided: HashMap<&'t str, Vec<&'t ApiRow>>,
    required: HashMap<&'t str, Vec<&'t ApiRow>>,
}

impl<'t> RowsByBundle<'t> {
    fn new(tables: &'t Tables) -> Self {
        fn by_bundle(rows: &[TypedRow]) -> HashMap<&str, Vec<&TypedRow>> {
            let mut found: HashMap<&str, Vec<&TypedRow>> = HashMap::new();
            for row in rows {
                found.entry(&row.bundle).or_default().push(row);
            }
            found
        }
        let mut images: HashMap<&str, Vec<&str>> = HashMap::new();
        for (image, bundle) in &tables.images {
            images.entry(bundle).or_default().push(image);
        }
        let by_id: HashMap<i64, &str> = tables.entries.iter().map(|row| (row.id, &*row.bundle)).collect();
        let apis = |rows: &'t [ApiRow]| {
            let mut found: HashMap<&str, Vec<&ApiRow>> = HashMap::new();
            for row in rows {
                let bundle_of_entry = || row.entry.and_then(|id| by_id.get(&id).copied());
                if let Some(bundle) = row.bundle.as_deref().or_else(bundle_of_entry) {
                    found.entry(bundle).or_default().push(row);
                }
            }
            found
        };
        Self {
            provided: apis(&tables.provided),
            required: apis(&tables.required),
            properties: by_bundle(tables.properties.as_deref().unwrap_or_default()),
            dependencies: by_bundle(&tables.dependencies),
            images,
        }
    }

    fn is_deprecated(&self, bundle: &str) -> bool {
        self.properties.get(bundle).is_some_and(|rows| rows.iter().any(|row| row.kind == DEPRECATED))
    }
}

/// A bundle that opm serves: it has an image and a version, and is not deprecated. Its version and
/// skip range come from the columns, or from the CSV if the table does not have the columns.
struct ServedBundle<'t> {
    row: &'t BundleRow,
    version: String,
    skip_range: Option<String>,
}

impl<'t> ServedBundle<'t> {
    /// Returns `None` if the bundle does not have a version.
    fn new(row: &'t BundleRow, tables: &Tables) -> Option<Self> {
        let (mut version, mut skip_range) = (row.version.clone(), row.skip_range.clone());
        if !(tables.has_version && tables.has_skip_range) {
            let csv = row.csv.as_deref().and_then(|text| json_text::parse_json(text.as_bytes()).ok());
            let csv = csv.as_ref();
            if !tables.has_version {
                version = csv
                    .and_then(|csv| csv.get("spec")?.get("version"))
                    .and_then(Node::as_str)
                    .map(str::to_owned);
            }
            if !tables.has_skip_range {
                let annotations = csv.and_then(|csv| csv.get("metadata")?.get("annotations"));
                let range = annotations.and_then(|annotations| annotations.get("olm.skipRange"));
                skip_range = range.and_then(Node::as_str).map(str::to_owned);
            }
        }
        Some(Self { row, version: version?, skip_range: skip_range.filter(|range| !range.is_empty()) })
    }
}

/// Edges of an entry.
#[derive(Default)]
struct Edges<'t> {
    replaces: Option<&'t str>,
    skips: Vec<&'t str>,
}

impl Edges<'_> {
    /// Returns the number of bytes of the names and the range, which the output repeats.
    fn repeated_bytes(&self, served: Option<&ServedBundle<'_>>) -> usize {
        let range = served.and_then(|served| served.skip_range.as_ref()).map_or(0, String::len);
        let skips: usize = self.skips.iter().map(|name| name.len()).sum();
        self.replaces.map_or(0, str::len) + skips + range
    }

    fn to_entry(&self, name: &str, served: Option<&ServedBundle<'_>>) -> serde_json::Value {
        let mut entry = json!({"name": name});
        if let Some(replaces) = self.replaces {
            entry["replaces"] = json!(replaces);
        }
        if !self.skips.is_empty() {
            entry["skips"] = json!(self.skips);
        }
        if let Some(range) = served.and_then(|served| served.skip_range.as_ref()) {
            entry["skipRange"] = json!(range);
        }
        entry
    }
}

/// Checks that all bundles in channels have semantic versions, unique in their package.
fn check_versions(
    channels: &Channels<'_>,
    served: &HashMap<&str, ServedBundle<'_>>,
) -> Result<(), IndexFault> {
    let mut versions: HashMap<(&str, String), &str> = HashMap::new();
    for ((package, _), entries) in channels {
        for name in entries.keys().copied() {
            let Some(served) = served.get(name) else { continue };
            let version = Version::parse(&served.version).map_err(|_| IndexFault::BadVersion {
                bundle: name.to_owned(),
                version: served.version.clone(),
            })?;
            let version = version.to_string();
            let first = *versions.entry((package, version.clone())).or_insert(name);
            if first != name {
                let (package, first) = ((*package).to_owned(), first.to_owned());
                return Err(IndexFault::SameVersion { package, version, first, second: name.to_owned() });
            }
        }
    }
    Ok(())
}

/// Entries by name, of each package and channel.
type Channels<'t> = BTreeMap<(&'t str, &'t str), BTreeMap<&'t str, Edges<'t>>>;

/// Returns the entries of each channel for the served bundles.
///
/// The `replaces` of a row is a replacement if the row has the smallest depth of the whole table,
/// or if such a row leads to it by `replaces`. The `replaces` of any other row is a skip.
fn build_channels<'t>(tables: &'t Tables, served: &HashMap<&str, ServedBundle<'_>>) -> Channels<'t> {
    let by_id: HashMap<i64, &EntryRow> = tables.entries.iter().map(|row| (row.id, row)).collect();
    let tip = tables.entries.iter().map(|row| row.depth).min().unwrap_or_default();
    let mut chain: HashSet<i64> = HashSet::new();
    let mut work: Vec<i64> = tables.entries.iter().filter(|row| row.depth == tip).map(|row| row.id).collect();
    while let Some(id) = work.pop() {
        if chain.insert(id) {
            work.extend(by_id.get(&id).and_then(|row| row.replaces));
        }
    }
    let mut channels = Channels::new();
    for row in tables.entries.iter().filter(|row| served.contains_key(row.bundle.as_str())) {
        let channel = channels.entry((&row.package, &row.channel)).or_default();
        let edges = channel.entry(&row.bundle).or_default();
        let Some(target) = row.replaces.and_then(|id| by_id.get(&id)) else { continue };
        if chain.contains(&row.id) {
            edges.replaces.get_or_insert(&target.bundle);
        } else {
            edges.skips.push(&target.bundle);
        }
    }
    channels
}

/// Heads of channels, with the bundles and entries to look them up in.
struct Heads<'t> {
    by_channel: HashMap<(&'t str, &'t str), Option<&'t str>>,
    bundles: HashMap<&'t str, &'t BundleRow>,
    /// Package, channel and bundle of each entry.
    entries: HashSet<(&'t str, &'t str, &'t str)>,
}

impl<'t> Heads<'t> {
    fn new(tables: &'t Tables) -> Self {
        let (mut heads, mut bundles) = (HashMap::new(), HashMap::new());
        for channel in &tables.channels {
            let key = (channel.package.as_str(), channel.name.as_str());
            heads.entry(key).or_insert(channel.head.as_deref());
        }
        for bundle in &tables.bundles {
            if let Some(name) = bundle.name.as_deref() {
                bundles.entry(name).or_insert(bundle);
            }
        }
        let entry = |row: &'t EntryRow| (row.package.as_str(), row.channel.as_str(), row.bundle.as_str());
        Self { by_channel: heads, bundles, entries: tables.entries.iter().map(entry).collect() }
    }

    /// Returns the data and media type of the first icon of the default channel's head.
    fn icon(&self, package: &str, default: &str) -> Result<Option<(String, String)>, IndexFault> {
        let head = self.by_channel.get(&(package, default));
        let head = *head.ok_or_else(|| IndexFault::NoDefault(package.to_owned()))?;
        let bundle = head.and_then(|head| self.bundles.get(head));
        let is_entry = head.is_some_and(|head| self.entries.contains(&(package, default, head)));
        let (Some(head), Some(bundle), true) = (head, bundle, is_entry) else {
            let (package, channel) = (package.to_owned(), default.to_owned());
            return Err(IndexFault::NoHead { package, channel });
        };
        let bad = || IndexFault::BadCsv(head.to_owned());
        let text = bundle.csv.as_deref().ok_or_else(bad)?;
        let csv = json_text::parse_json(text.as_bytes()).map_err(|_| bad())?;
        let icon = csv.get("spec").and_then(|spec| spec.get("icon")).and_then(|icons| icons.items().first());
        let field = |icon: &Node, key| icon.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
        Ok(icon.and_then(|icon| Some((icon_data(&field(icon, "base64data"))?, field(icon, "mediatype")))))
    }
}

/// Re-encodes the data of an icon as opm writes it. Ignores blanks, and drops an icon that is not base64
/// (`conversion.go`).
fn icon_data(text: &str) -> Option<String> {
    let bytes = decode_base64(text).or_else(|| decode_base64(&text.replace(' ', "")))?;
    Some(STANDARD.encode(bytes))
}

fn render_bundle(
    name: &str,
    package: &str,
    served: &ServedBundle<'_>,
    tables: &Tables,
    lists: &RowsByBundle<'_>,
) -> Result<RenderedBundle, IndexFault> {
    let bundle = served.row;
    let csv = match bundle.csv.as_deref().filter(|text| !text.is_empty()) {
        Some(text) => {
            Some(json_text::parse_json(text.as_bytes()).map_err(|_| IndexFault::BadCsv(name.to_owned()))?)
        }
        None => None,
    };
    let mut properties: BTreeSet<RawProperty> = BTreeSet::new();
    let mut add = |kind: &str, value: String| {
        properties.insert(RawProperty { kind: kind.to_owned(), value });
    };
    let mut has_package = false;
    for row in lists.properties.get(name).into_iter().flatten() {
        has_package |= row.kind == "olm.package";
        add(&row.kind, compact_json(&parse_value(name, row)?, JsonStyle::Kept));
    }
    if !has_package {
        add("olm.package", json!({"packageName": package, "version": served.version}).to_string());
    }
    if tables.properties.is_none() {
        for (list, kind) in [("owned", "olm.gvk"), ("required", "olm.gvk.required")] {
            for value in csv.iter().flat_map(|csv| api_properties(csv, list)) {
                add(kind, value);
            }
        }
        for (rows, kind) in [(&lists.provided, "olm.gvk"), (&lists.required, "olm.gvk.required")] {
            for row in rows.get(name).into_iter().flatten() {
                let value = json!({"group": row.group, "kind": row.kind, "version": row.version});
                add(kind, value.to_string());
            }
        }
    }
    for row in lists.dependencies.get(name).into_iter().flatten() {
        let node = parse_value(name, row)?;
        match row.kind.as_str() {
            "olm.gvk" => add("olm.gvk.required", compact_json(&node, JsonStyle::Kept)),
            "olm.package" => {
                let text = |key| node.get(key).and_then(Node::as_str).unwrap_or_default();
                let value = json!({"packageName": text("packageName"), "versionRange": text("version")});
                add("olm.package.required", value.to_string());
            }
            // opm has no property for other kinds, such as constraints.
            _ => {}
        }
    }
    let mut properties: Vec<RawProperty> = properties.into_iter().collect();
    properties.extend(parse_objects(name, bundle)?);
    properties.sort();
    properties.dedup();
    properties.sort_by_key(|property| property.kind == OBJECT);
    Ok(RenderedBundle {
        name: name.to_owned(),
        package: package.to_owned(),
        image: bundle.path.clone().unwrap_or_default(),
        properties,
        related_images: merged_images(name, csv.as_ref(), lists),
    })
}

fn parse_value<'t>(bundle: &str, row: &'t TypedRow) -> Result<Node<'t>, IndexFault> {
    json_text::parse_json(row.value.as_bytes())
        .map_err(|_| IndexFault::BadProperty { bundle: bundle.to_owned(), kind: row.kind.clone() })
}

/// Returns the objects of a bundle in the index, which are consecutive JSON values.
fn parse_objects(name: &str, bundle: &BundleRow) -> Result<Vec<RawProperty>, IndexFault> {
    let text = bundle.objects.as_deref().unwrap_or_default().as_bytes();
    let mut found = Vec::new();
    for chunk in split::split_chunks(text) {
        let part = text.get(chunk.range).unwrap_or_default();
        match chunk.kind {
            ChunkKind::NoObject => {}
            ChunkKind::Document(Format::Json) => {
                let node =
                    json_text::parse_json(part).map_err(|_| IndexFault::BadObjects(name.to_owned()))?;
                let data = STANDARD.encode(compact_json(&node, JsonStyle::Marshalled));
                found
                    .push(RawProperty { kind: OBJECT.to_owned(), value: format!("{{\"data\":\"{data}\"}}") });
            }
            _ if part.trim_ascii().is_empty() => {}
            _ => return Err(IndexFault::BadObjects(name.to_owned())),
        }
    }
    Ok(found)
}

/// Returns the images of the CSV, then those that are only in the table.
fn merged_images(name: &str, csv: Option<&Node<'_>>, lists: &RowsByBundle<'_>) -> Vec<(String, String)> {
    let text = |node: &Node, key| node.get(key).and_then(Node::as_str).unwrap_or_default().to_owned();
    let spec = csv.and_then(|csv| csv.get("spec"));
    let listed = spec.and_then(|spec| spec.get("relatedImages")).map(Node::items).unwrap_or_default();
    let mut images: Vec<(String, String)> =
        listed.iter().map(|image| (text(image, "name"), text(image, "image"))).collect();
    let known: HashSet<String> = images.iter().map(|(_, image)| image.clone()).collect();
    let from_table = lists.images.get(name).into_iter().flatten();
    let others: BTreeSet<&str> = from_table.copied().filter(|image| !known.contains(*image)).collect();
    images.extend(others.into_iter().map(|image| (String::new(), image.to_owned())));
    sort_as_go(&mut images, |a, b| a.1 < b.1);
    images
}

/// Returns the APIs of the CRDs that a CSV owns or requires, as property values.
fn api_properties(csv: &Node<'_>, list: &str) -> Vec<String> {
    let definitions = csv.get("spec").and_then(|spec| spec.get("customresourcedefinitions"));
    let items = definitions.and_then(|all| all.get(list)).map(Node::items).unwrap_or_default();
    let api = |item: &Node<'_>| {
        let text = |key| item.get(key).and_then(Node::as_str);
        let (_, group) = text("name")?.split_once('.')?;
        Some(json!({"group": group, "kind": text("kind")?, "version": text("version")?}).to_string())
    };
    items.iter().filter_map(api).collect()
}

/// Rows of the tables, in the order they were written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tables {
    /// `package`
    pub packages: Vec<PackageRow>,
    /// `channel`
    pub channels: Vec<ChannelRow>,
    /// `channel_entry`
    pub entries: Vec<EntryRow>,
    /// `operatorbundle`
    pub bundles: Vec<BundleRow>,
    /// True if there is a version column. A bundle with an empty cell then has no version, whatever its CSV
    /// says.
    pub has_version: bool,
    /// True if there is a skip range column. An empty cell then means no skip range.
    pub has_skip_range: bool,
    /// `properties`; `None` in an index that is older than the table.
    pub properties: Option<Vec<TypedRow>>,
    /// `dependencies`
    pub dependencies: Vec<TypedRow>,
    /// `related_image`: image and bundle.
    pub images: Vec<(String, String)>,
    /// `api_provider`, only if the index has no `properties`.
    pub provided: Vec<ApiRow>,
    /// `api_requirer`, only if the index has no `properties`.
    pub required: Vec<ApiRow>,
}

/// A row of `package`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PackageRow {
    pub name: String,
    pub default_channel: Option<String>,
}

/// A row of `channel`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ChannelRow {
    pub name: String,
    pub package: String,
    pub head: Option<String>,
}

/// A row of `channel_entry`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EntryRow {
    pub id: i64,
    pub channel: String,
    pub package: String,
    pub bundle: String,
    pub replaces: Option<i64>,
    pub depth: i64,
}

/// A row of `operatorbundle`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BundleRow {
    pub name: Option<String>,
    pub csv: Option<String>,
    /// Objects as consecutive JSON values.
    pub objects: Option<String>,
    /// Image of the bundle.
    pub path: Option<String>,
    pub skip_range: Option<String>,
    pub version: Option<String>,
}

/// A row of `api_provider` or `api_requirer`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ApiRow {
    pub group: String,
    pub version: String,
    pub kind: String,
    /// Name of the bundle; older indexes refer to its entry instead.
    pub bundle: Option<String>,
    pub entry: Option<i64>,
}

/// A row of `properties` or `dependencies`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TypedRow {
    pub kind: String,
    pub value: String,
    pub bundle: String,
}
