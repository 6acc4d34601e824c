//! Outline of a bundle, as shown in text, Markdown, JSON, the Bundle screen and comparisons.
//!
//! A bundle is read from its directory, which is complete, or from the `olm.bundle` of a catalog. The latter
//! has the objects of the directory (`olm.bundle.object`), a part of its ClusterServiceVersion
//! (`olm.csv.metadata`), or neither. A section with unavailable data says so. The keys of rows are stable
//! across versions, so that the outlines of two bundles can be compared row by row.

mod apis;
mod catalog;
mod constraints;
mod containers;
mod contents;
mod icon;
pub mod permissions;
mod platform;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use crate::{
    TreeFile,
    classic::{InstallMode, TargetNamespaces, supported_targets_for},
    field_access,
    registry::{CRD_KIND, OTHER_KINDS},
    render::{JsonStyle, compact_json},
};
use contents::OutlineInput;
use olm_catalog::{
    Node, Span,
    blob::{ApiName, DependencyTarget},
};

pub use containers::{ImageReference, images_in_argument, images_in_variable};
pub use icon::{Icon, ImageFormat};
pub use permissions::{Danger, Risk};

/// Outline of a bundle for display.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// Name of the bundle.
    pub name: String,
    /// Package of the bundle.
    pub package: String,
    /// Source of the data.
    pub source: Source,
    /// Kinds of `OperatorGroup`s that can install it.
    pub supports: BTreeSet<TargetNamespaces>,
    /// Non-empty sections in display order.
    pub sections: Vec<Section>,
}

/// Source of a bundle's data, which determines how much is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Its directory: complete.
    Directory,
    /// Objects in a catalog: complete except for files.
    Objects,
    /// `olm.csv.metadata` of a catalog: the data for consoles.
    Metadata,
    /// A catalog without such data.
    Nothing,
}

impl Source {
    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::Objects => "olm.bundle.object",
            Self::Metadata => "olm.csv.metadata",
            Self::Nothing => "catalog",
        }
    }

    /// Returns the reason why data is unavailable; `None` for a directory.
    pub fn gap(self) -> Option<&'static str> {
        match self {
            Self::Directory => None,
            Self::Objects => Some("not in this catalog's olm.bundle.object; open the bundle's directory"),
            Self::Metadata => Some("not in this catalog's olm.csv.metadata; open the bundle's directory"),
            Self::Nothing => Some("not in this catalog; open the bundle's directory"),
        }
    }
}

/// A part of the outline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Name, version, package, provider, icon.
    Identity,
    /// Description.
    Description,
    /// Install modes.
    InstallModes,
    /// Kubernetes, OpenShift, architectures, features.
    Platform,
    /// Permissions of service accounts.
    Permissions,
    /// Admission and conversion webhooks.
    Webhooks,
    /// CRDs and API services of the bundle.
    Owned,
    /// APIs that must exist on the cluster.
    Required,
    /// Examples of its APIs.
    Examples,
    /// Deployments with their containers.
    Deployments,
    /// Images, and whether a disconnected cluster can mirror them.
    Images,
    /// Dependencies and properties.
    Dependencies,
    /// Objects except the ClusterServiceVersion and CRDs.
    Objects,
    /// Links, maintainers, keywords.
    Links,
    /// Files of the directory.
    Files,
}

impl Part {
    /// All parts in display order.
    pub const ALL: [Self; 15] = [
        Self::Identity,
        Self::Description,
        Self::InstallModes,
        Self::Platform,
        Self::Permissions,
        Self::Webhooks,
        Self::Owned,
        Self::Required,
        Self::Examples,
        Self::Deployments,
        Self::Images,
        Self::Dependencies,
        Self::Objects,
        Self::Links,
        Self::Files,
    ];

    /// Returns its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Identity => "Bundle",
            Self::Description => "Description",
            Self::InstallModes => "Install modes",
            Self::Platform => "Cluster requirements",
            Self::Permissions => "Permissions",
            Self::Webhooks => "Webhooks",
            Self::Owned => "Owned APIs",
            Self::Required => "Required APIs",
            Self::Examples => "Examples",
            Self::Deployments => "Deployments",
            Self::Images => "Images",
            Self::Dependencies => "Dependencies and properties",
            Self::Objects => "Other objects",
            Self::Links => "Links and maintainers",
            Self::Files => "Files",
        }
    }

    /// Returns a sentence about its content.
    pub fn description(self) -> &'static str {
        match self {
            Self::Identity => "Which operator and version it is, and what its author says of it.",
            Self::Description => "What consoles show before an install.",
            Self::InstallModes => "Which namespaces the operator can watch.",
            Self::Platform => "What a cluster must be, have or allow.",
            Self::Permissions => "What OLM grants to each service account, the most dangerous first.",
            Self::Webhooks => "Calls from the API server to the operator, for admission and conversion.",
            Self::Owned => {
                "CRDs and API services that an install brings, with what consoles know of their fields."
            }
            Self::Required => "APIs of other operators that must be there.",
            Self::Examples => "Templates that consoles offer for the owned APIs.",
            Self::Deployments => "What runs after an install, with arguments, environment and resources.",
            Self::Images => "What a mirror has to copy for a disconnected cluster.",
            Self::Dependencies => {
                "What the bundle needs from other packages, and properties that no other section tells."
            }
            Self::Objects => "What else is installed with the bundle and removed with it.",
            Self::Links => "Where to read more, and whom to ask.",
            Self::Files => "What is in the bundle's directory.",
        }
    }

    /// Returns its name in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::Identity => "bundle",
            Self::Description => "description",
            Self::InstallModes => "installModes",
            Self::Platform => "requirements",
            Self::Permissions => "permissions",
            Self::Webhooks => "webhooks",
            Self::Owned => "owned",
            Self::Required => "required",
            Self::Examples => "examples",
            Self::Deployments => "deployments",
            Self::Images => "images",
            Self::Dependencies => "dependencies",
            Self::Objects => "objects",
            Self::Links => "links",
            Self::Files => "files",
        }
    }
}

/// Rows of a part, or the reason why they are unavailable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Part of the outline.
    pub part: Part,
    /// Reason why data is unavailable, and where to find it.
    pub gap: Option<&'static str>,
    /// Known rows.
    pub rows: Vec<Row>,
}

/// A row of the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Key in its section, stable across versions.
    pub key: String,
    /// Indentation: rows of level 1 belong to the row of level 0 above, rows of level 2 to that of level 1.
    pub level: u8,
    /// Label of the row.
    pub label: String,
    /// Value on one line; may be empty.
    pub value: String,
    /// Additional note.
    pub note: String,
    /// Dangerous uses, if it is a permission.
    pub dangers: Vec<Danger>,
    /// Longer text.
    pub body: Option<Body>,
    /// Hash of the data that the row does not show, so that a comparison finds changes in it; 0 if
    /// the row shows everything.
    pub hidden_hash: u64,
    /// Position in the bundle.
    pub location: Option<OutlineLocation>,
    /// API or package that the bundle provides or requires, if the row is about one.
    pub dependency_target: Option<DependencyTarget>,
}

/// A longer text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// Markdown.
    Markdown(String),
    /// JSON, pretty-printed.
    Json(String),
}

impl Body {
    /// Returns the text.
    pub fn text(&self) -> &str {
        match self {
            Self::Markdown(text) | Self::Json(text) => text,
        }
    }
}

/// A position in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutlineLocation {
    /// Path of the file, relative to the bundle's directory or as shown by the catalog.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: usize,
    /// Byte span in the file.
    pub span: Span,
}

impl Outline {
    fn from_contents(bundle: &OutlineInput) -> Self {
        let sections = Part::ALL.into_iter().map(|part| build_section(part, bundle));
        Self {
            name: bundle.bundle_name(),
            package: bundle.package.clone(),
            source: bundle.source,
            supports: bundle
                .csv_piece(&["spec", "installModes"])
                .map(|modes| supported_targets_for(modes.node.items()))
                .unwrap_or_default(),
            sections: sections.filter(|section| !section.rows.is_empty() || section.gap.is_some()).collect(),
        }
    }

    /// Returns a section, if it is not empty.
    pub fn section(&self, part: Part) -> Option<&Section> {
        self.sections.iter().find(|section| section.part == part)
    }

    /// Returns the number of dangerous rows.
    pub fn dangers(&self) -> usize {
        self.sections.iter().map(Section::dangers).sum()
    }
}

impl Section {
    /// Returns the number of items, without their details.
    pub fn item_count(&self) -> usize {
        let is_counted =
            |row: &&Row| row.level == 0 && (self.part != Part::Images || containers::is_image_row(row));
        self.rows.iter().filter(is_counted).count()
    }

    /// Returns the number of its dangerous rows.
    pub fn dangers(&self) -> usize {
        self.rows.iter().filter(|row| !row.dangers.is_empty()).count()
    }
}

fn build_section(part: Part, bundle: &OutlineInput) -> Section {
    let rows = match part {
        Part::Identity => contents::identity_rows(bundle),
        Part::Description => contents::description_rows(bundle),
        Part::InstallModes => install_mode_rows(bundle),
        Part::Platform => platform::platform_rows(bundle),
        Part::Permissions => permissions::permission_rows(bundle),
        Part::Webhooks => apis::webhook_rows(bundle),
        Part::Owned => apis::owned_api_rows(bundle),
        Part::Required => apis::required_api_rows(bundle),
        Part::Examples => contents::example_rows(bundle),
        Part::Deployments => containers::workload_rows(bundle),
        Part::Images => containers::image_rows(bundle),
        Part::Dependencies => catalog::property_rows(bundle),
        Part::Objects => object_rows(bundle),
        Part::Links => contents::link_rows(bundle),
        Part::Files => file_rows(bundle),
    };
    Section { part, gap: gap_for(part, bundle.source), rows: with_unique_keys(rows) }
}

/// Returns the reason why a source does not have a part.
fn gap_for(part: Part, source: Source) -> Option<&'static str> {
    let is_whole = match part {
        Part::Files => source == Source::Directory,
        Part::Permissions | Part::Webhooks | Part::Deployments | Part::Objects => {
            matches!(source, Source::Directory | Source::Objects)
        }
        Part::Dependencies | Part::Images => true,
        _ => source != Source::Nothing,
    };
    source.gap().filter(|_| !is_whole)
}

impl Row {
    fn new(key: impl Into<String>, label: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            level: 0,
            label: label.into(),
            value: value.into(),
            note: String::new(),
            dangers: Vec::new(),
            body: None,
            hidden_hash: 0,
            location: None,
            dependency_target: None,
        }
    }

    /// Creates a row whose label is its key.
    fn new_fact(label: &str, value: impl Into<String>) -> Self {
        Self::new(label, label, value)
    }

    fn with_level(self, level: u8) -> Self {
        Self { level, ..self }
    }

    fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    fn with_body(self, body: Body) -> Self {
        Self { body: Some(body), ..self }
    }

    fn with_hidden_hash(self, unseen: u64) -> Self {
        Self { hidden_hash: unseen, ..self }
    }

    fn with_location(self, spot: Option<OutlineLocation>) -> Self {
        Self { location: spot, ..self }
    }

    fn with_api(self, group: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            dependency_target: Some(DependencyTarget::Api(ApiName {
                group: group.into(),
                kind: kind.into(),
            })),
            ..self
        }
    }
}

/// Returns a hash of the whole content of a node; the order of keys does not matter.
fn hash_node(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    compact_json(node, JsonStyle::Kept).hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash without the members that rows show.
fn hash_without(node: &Node, shown: &[&str]) -> u64 {
    let mut members: Vec<_> =
        node.members().iter().filter(|member| !shown.contains(&member.key.as_ref())).collect();
    members.sort_by(|a, b| a.key.cmp(&b.key));
    let mut hasher = DefaultHasher::new();
    for member in members {
        member.key.hash(&mut hasher);
        hash_node(&member.value).hash(&mut hasher);
    }
    hasher.finish()
}

fn install_mode_rows(bundle: &OutlineInput) -> Vec<Row> {
    let modes = bundle.csv_items(&["spec", "installModes"]);
    modes
        .into_iter()
        .map(|mode| {
            let name = mode.child_text(&["type"]);
            let supported = if field_access::is_true_at(mode.node, &["supported"]) {
                "supported"
            } else {
                "not supported"
            };
            let known = InstallMode::ALL.into_iter().find(|known| known.name() == name);
            let note = known.map_or("not an install mode", describe_mode);
            Row::new(name.as_ref(), name.as_ref(), supported).with_note(note).with_location(mode.location())
        })
        .collect()
}

fn describe_mode(mode: InstallMode) -> &'static str {
    match mode {
        InstallMode::OwnNamespace => "watches the namespace it is installed in",
        InstallMode::SingleNamespace => "watches one other namespace",
        InstallMode::MultiNamespace => "watches several namespaces",
        InstallMode::AllNamespaces => "watches all namespaces",
    }
}

/// Keys in use.
#[derive(Default)]
struct RowKeys {
    taken: HashSet<String>,
    counts: HashMap<String, usize>,
}

impl RowKeys {
    /// Returns the row with a unique key: duplicates get a number.
    pub fn make_unique(&mut self, row: Row) -> Row {
        if self.taken.insert(row.key.clone()) {
            return row;
        }
        let count = self.counts.entry(row.key.clone()).or_insert(1);
        let key = loop {
            *count += 1;
            // A key of the bundle may be `x #2`.
            let key = format!("{} #{count}", row.key);
            if self.taken.insert(key.clone()) {
                break key;
            }
        };
        Row { key, ..row }
    }
}

/// Returns the rows with unique keys.
fn with_unique_keys(rows: Vec<Row>) -> Vec<Row> {
    let mut keys = RowKeys::default();
    rows.into_iter().map(|row| keys.make_unique(row)).collect()
}

/// Returns the objects except the ClusterServiceVersion and the CRDs.
fn object_rows(bundle: &OutlineInput) -> Vec<Row> {
    let others = bundle.objects.iter().filter(|object| object.child_text(&["kind"]) != CRD_KIND);
    others
        .map(|object| {
            let [kind, api] = ["kind", "apiVersion"].map(|key| object.child_text(&[key]));
            let name = object.child_text(&["metadata", "name"]);
            let is_known = OTHER_KINDS.contains(&kind.as_ref());
            let note = if is_known { "" } else { "a kind that OLM does not install" };
            let row = Row::new(format!("{kind} {name}"), kind.as_ref(), name.as_ref());
            let note = if note.is_empty() { api.into_owned() } else { format!("{api}; {note}") };
            row.with_note(note).with_hidden_hash(hash_node(object.node)).with_location(object.location())
        })
        .collect()
}

/// Returns every file with its size, and the reason if opm ignores it.
fn file_rows(bundle: &OutlineInput) -> Vec<Row> {
    let Some((contents, tree)) = bundle.directory else { return Vec::new() };
    let dropped: HashMap<&str, String> = contents
        .dropped
        .iter()
        .map(|dropped| (dropped.file.path.as_str(), dropped.reason.to_string()))
        .collect();
    tree.files
        .iter()
        .map(|file| {
            let size = match &file.content {
                Ok(bytes) => format_size(bytes.len()),
                Err(error) => error.clone(),
            };
            let note = dropped
                .get(file.path.as_str())
                .map_or_else(|| ignore_reason(file), |why| format!("opm ignores it: {why}"));
            let spot = OutlineLocation { file: file.path.as_str().into(), line: 1, span: Span::default() };
            Row::new(file.path.as_str(), file.path.as_str(), size).with_note(note).with_location(Some(spot))
        })
        .collect()
}

/// Returns the reason why opm ignores a file by its path.
fn ignore_reason(file: &TreeFile) -> String {
    let is_deeper = |folder: &str| file.path.strip_prefix(folder).is_some_and(|path| path.contains('/'));
    if is_deeper("manifests/") || is_deeper("metadata/") {
        "opm ignores it: in a subfolder".to_owned()
    } else if file.path.starts_with("manifests/") && file.is_hidden() {
        "opm ignores it: hidden".to_owned()
    } else {
        String::new()
    }
}

fn format_size(bytes: usize) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}
