//! Placement of a bundle: the channels of its annotations and the entry of its CSV. In a file-based catalog
//! these are proposals; the channel entry decides.
//!
//! Source: operator-registry `pkg/registry/bundlegraphloader.go` and `populator.go` (`opm index add`).

mod channels;
mod package;

pub use channels::{Channel, Entry, UpdateGraph, propose_channels};
pub use package::{Package, newest_index, propose_package};

use std::borrow::Cow;

use super::{
    field_access::{annotation_value, text_at, texts_at},
    registry::{Annotations, DirectoryContents},
};
use olm_catalog::Node;
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
