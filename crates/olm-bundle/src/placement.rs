//! Placement of a bundle: the channels of its annotations and the entry of its CSV. In a file-based catalog
//! these are proposals; the channel entry decides.
//!
//! Source: operator-registry `pkg/registry/bundlegraphloader.go` and `populator.go` (`opm index add`).

use std::{borrow::Cow, cmp::Ordering, collections::BTreeMap};

use serde::Serialize;

use super::{
    field_access::{annotation_value, items_at, property_values, text_at, texts_at},
    registry::{Annotations, CSV_KIND, DirectoryContents},
};
use olm_catalog::{
    Catalog, Node,
    blob::BundleBlob,
    details::bundle_object,
    text::{emit, json},
};
use olm_version::VersionRelease;

/// Placement that a bundle states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// Name of the bundle.
    pub name: String,
    /// Package; empty if the annotations do not have it.
    pub package: String,
    /// `spec.version` as written.
    pub version: String,
    /// `spec.release` as written.
    pub release: String,
    /// Channels of the annotations, without duplicates.
    pub channels: Vec<String>,
    /// Default channel of the annotations; may be empty.
    pub default_channel: String,
    /// Entry that the CSV requests.
    pub entry: Entry,
}

impl Entry {
    /// Returns the entry that a ClusterServiceVersion requests.
    pub fn from_csv(csv: &Node) -> Self {
        let some = |text: Cow<str>| (!text.is_empty()).then(|| text.into_owned());
        let skips = texts_at(csv, &["spec", "skips"]).filter(|skipped| !skipped.is_empty());
        Self {
            name: text_at(csv, &["metadata", "name"]).into_owned(),
            replaces: some(text_at(csv, &["spec", "replaces"])),
            skips: skips.map(Cow::into_owned).collect(),
            skip_range: annotation_value(csv, "olm.skipRange").and_then(some),
        }
    }
}

/// Returns the `olm.skipRange` of the CSV of a bundle in a catalog. `None` if the bundle has neither
/// `olm.csv.metadata` nor a CSV, or declares no range.
pub fn declared_skip_range(catalog: &Catalog, blob: &BundleBlob) -> Option<String> {
    let document = catalog.parse_document(blob.doc)?.ok()?;
    let values = |kind| property_values(&document, kind);
    let csv =
        values("olm.bundle.object").filter_map(bundle_object).find(|o| text_at(o, &["kind"]) == CSV_KIND);
    let range = match csv {
        Some(csv) => annotation_value(&csv, "olm.skipRange")?.into_owned(),
        None => text_at(values("olm.csv.metadata").next()?, &["annotations", "olm.skipRange"]).into_owned(),
    };
    Some(range).filter(|range| !range.is_empty())
}

impl Placement {
    /// Returns the placement of a bundle; `None` without a CSV.
    pub fn from_contents(contents: &DirectoryContents) -> Option<Self> {
        let csv = contents.csv()?;
        let spec = |key: &str| text_at(csv.node(), &["spec", key]).into_owned();
        let annotations = contents.metadata.annotations.as_ref();
        let mut channels: Vec<String> = Vec::new();
        for channel in annotations.into_iter().flat_map(Annotations::channel_list) {
            if !channels.iter().any(|known| known == channel) {
                channels.push(channel.to_owned());
            }
        }
        Some(Self {
            name: csv.name().to_owned(),
            package: contents.package().to_owned(),
            version: spec("version"),
            release: spec("release"),
            channels,
            default_channel: annotations.map(|said| said.default_channel.clone()).unwrap_or_default(),
            entry: Entry::from_csv(csv.node()),
        })
    }

    /// Returns its version, if valid.
    pub fn parsed_version(&self) -> Option<VersionRelease> {
        VersionRelease::parse(&self.version, &self.release).ok()
    }
}

/// Source of the upgrade edges: the mode of `opm index add`, as in `updateGraph` of an operator's `ci.yaml`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UpdateGraph {
    /// The fields of each CSV.
    #[default]
    Replaces,
    /// Each version replaces the next lower one.
    Semver,
    /// Like `Semver`, and the highest patch of a minor version skips the others.
    SemverSkipPatch,
}

impl UpdateGraph {
    /// Parses a mode, with or without the suffix `-mode`.
    pub fn from_mode(name: &str) -> Option<Self> {
        match name.strip_suffix("-mode").unwrap_or(name) {
            "replaces" => Some(Self::Replaces),
            "semver" => Some(Self::Semver),
            "semver-skippatch" => Some(Self::SemverSkipPatch),
            _ => None,
        }
    }
}

/// A proposed channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Name of the channel.
    pub name: String,
    /// Entries from the lowest version on.
    pub entries: Vec<Entry>,
}

/// An entry of a channel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// Name of the bundle.
    pub name: String,
    /// Replaced bundle.
    pub replaces: Option<String>,
    /// Skipped bundles.
    pub skips: Vec<String>,
    /// Range of versions that can upgrade to it.
    pub skip_range: Option<String>,
}

/// Returns the channels that bundles of one package propose, by name.
pub fn propose_channels(placements: &[Placement], mode: UpdateGraph) -> Vec<Channel> {
    let mut members: BTreeMap<&str, Vec<(Option<VersionRelease>, &Placement)>> = BTreeMap::new();
    for placement in placements {
        for channel in &placement.channels {
            members.entry(channel).or_default().push((placement.parsed_version(), placement));
        }
    }
    let channel = |(name, mut members): (&str, Vec<(Option<VersionRelease>, &Placement)>)| {
        members.sort_by(|(a, x), (b, y)| {
            compare_versions(a.as_ref(), b.as_ref()).then_with(|| x.name.cmp(&y.name))
        });
        let entries = match mode {
            UpdateGraph::Replaces => members.iter().map(|(_, placement)| placement.entry.clone()).collect(),
            UpdateGraph::Semver => semver_entries(&members),
            UpdateGraph::SemverSkipPatch => skip_patch_entries(&members),
        };
        Channel { name: name.to_owned(), entries }
    };
    members.into_iter().map(channel).collect()
}

/// Compares versions; an absent one is lowest.
fn compare_versions(a: Option<&VersionRelease>, b: Option<&VersionRelease>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn semver_entries(members: &[(Option<VersionRelease>, &Placement)]) -> Vec<Entry> {
    let before =
        std::iter::once(None).chain(members.iter().map(|(_, placement)| Some(placement.name.clone())));
    let entry =
        |((_, placement), replaces): (&(_, &Placement), _)| Entry { replaces, ..bare_entry(placement) };
    members.iter().zip(before).map(entry).collect()
}

/// Returns the entries for `SemverSkipPatch`. opm deletes the skipped patches from the channel; here they
/// remain, because they may be installed.
fn skip_patch_entries(members: &[(Option<VersionRelease>, &Placement)]) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(members.len());
    let mut before: Option<&str> = None;
    for minor in members.chunk_by(|(a, _), (b, _)| minor_version(a.as_ref()) == minor_version(b.as_ref())) {
        let Some(((_, newest), patches)) = minor.split_last() else { continue };
        entries.extend(patches.iter().map(|(_, patch)| bare_entry(patch)));
        entries.push(Entry {
            replaces: before.replace(&newest.name).map(str::to_owned),
            skips: patches.iter().map(|(_, patch)| patch.name.clone()).collect(),
            ..bare_entry(newest)
        });
    }
    entries
}

fn bare_entry(placement: &Placement) -> Entry {
    Entry { name: placement.name.clone(), ..Entry::default() }
}

fn minor_version(version: Option<&VersionRelease>) -> Option<(u64, u64)> {
    version.map(|version| (version.version.major(), version.version.minor()))
}

/// An `olm.package` with the description of its newest bundle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Package {
    /// Name of the package.
    pub name: String,
    /// Default channel: that of a Subscription without a channel; empty if there are no channels.
    pub default_channel: String,
    /// Description in Markdown.
    pub description: String,
    /// Icon, if any.
    pub icon: Option<Icon>,
    /// Name of its folder in a catalog with one folder per package; `None` for the name of the package.
    pub folder: Option<String>,
}

/// An icon in base64, with its media type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Icon {
    /// Image data in base64.
    pub base64data: String,
    /// Media type, such as `image/svg+xml`.
    pub mediatype: String,
}

/// Returns the package of some bundles and their channels, without description and icon.
///
/// The default channel is that of the highest version that names one, otherwise the first by name, as in `opm
/// index add`.
pub fn propose_package(placements: &[Placement], channels: &[Channel]) -> Package {
    let mut newest_first: Vec<_> =
        placements.iter().map(|placement| (placement.parsed_version(), placement)).collect();
    newest_first.sort_by(|(a, _), (b, _)| compare_versions(b.as_ref(), a.as_ref()));
    let named_channels = newest_first.iter().map(|(_, placement)| &placement.default_channel);
    let said = { named_channels }.find(|channel| !channel.is_empty());
    let first = || channels.first().map(|channel| &channel.name);
    Package {
        name: placements.first().map(|placement| placement.package.clone()).unwrap_or_default(),
        default_channel: said.or_else(first).cloned().unwrap_or_default(),
        ..Package::default()
    }
}

/// Returns the index of the highest version.
pub fn newest_index(placements: &[Placement]) -> Option<usize> {
    let versions = placements.iter().map(Placement::parsed_version).enumerate();
    Some(versions.max_by(|(_, a), (_, b)| compare_versions(a.as_ref(), b.as_ref()))?.0)
}

impl Package {
    /// Returns the package with description and icon of a bundle.
    #[must_use]
    pub fn with_description_from(self, csv: &Node) -> Self {
        let icon = items_at(csv, &["spec", "icon"]).first().map(|icon| Icon {
            base64data: text_at(icon, &["base64data"]).into_owned(),
            mediatype: text_at(icon, &["mediatype"]).into_owned(),
        });
        Self {
            description: text_at(csv, &["spec", "description"]).into_owned(),
            icon: icon.filter(|icon| !icon.base64data.is_empty()),
            ..self
        }
    }

    /// Formats its document, with keys in opm's order.
    pub fn to_document(&self) -> String {
        format_document(&PackageDocument {
            schema: "olm.package",
            name: &self.name,
            default_channel: &self.default_channel,
            icon: self.icon.as_ref(),
            description: &self.description,
        })
    }
}

impl Channel {
    /// Formats its document, with keys in opm's order.
    pub fn to_document(&self, package: &str) -> String {
        let entries = self.entries.iter().map(EntryDocument::new).collect();
        format_document(&ChannelDocument { schema: "olm.channel", package, name: &self.name, entries })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PackageDocument<'a> {
    schema: &'static str,
    name: &'a str,
    default_channel: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<&'a Icon>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
}

#[derive(Serialize)]
struct ChannelDocument<'a> {
    schema: &'static str,
    package: &'a str,
    name: &'a str,
    entries: Vec<EntryDocument<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryDocument<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    skips: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_range: Option<&'a str>,
}

impl<'a> EntryDocument<'a> {
    fn new(entry: &'a Entry) -> Self {
        Self {
            name: &entry.name,
            replaces: entry.replaces.as_deref(),
            skips: &entry.skips,
            skip_range: entry.skip_range.as_deref(),
        }
    }
}

fn format_document(value: &impl Serialize) -> String {
    // Strings and lists can always be serialized, and JSON always parsed.
    let json = serde_json::to_vec(value).unwrap_or_default();
    let node = json::parse_json(&json);
    node.map(|node| format!("---\n{}", emit::write_yaml(&node))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;

    #[test]
    fn declared_range_is_that_of_the_csv_then_of_its_metadata() {
        let metadata =
            r#"{"type": "olm.csv.metadata", "value": {"annotations": {"olm.skipRange": "<2.0.0"}}}"#;
        let csv = r#"{"type": "olm.bundle.object", "value": {"data": "eyJraW5kIjogIkNsdXN0ZXJTZXJ2aWNlVmVyc2lvbiIsICJtZXRhZGF0YSI6IHsiYW5ub3RhdGlvbnMiOiB7Im9sbS5za2lwUmFuZ2UiOiAiPjEuMC4wIn19fQ=="}}"#;
        let empty = r#"{"type": "olm.csv.metadata", "value": {"annotations": {"olm.skipRange": ""}}}"#;
        for (properties, expected) in [
            (metadata.to_owned(), Some("<2.0.0")),
            (csv.to_owned(), Some(">1.0.0")),
            (format!("{metadata}, {csv}"), Some(">1.0.0")),
            (empty.to_owned(), None),
            (String::new(), None),
        ] {
            let text = format!(
                r#"{{"schema": "olm.bundle", "package": "p", "name": "p.v2", "image": "q.io/p:2", "properties": [{properties}]}}"#
            );
            let catalog = load::from_bytes(text.into_bytes());
            let blob = catalog.package("p").and_then(|package| package.bundle("p.v2")).unwrap();
            assert_eq!(declared_skip_range(&catalog, blob).as_deref(), expected, "{properties}");
        }
    }
}
