//! Where a bundle wants to be: the channels it names and the entry its CSV asks for. In a file-based catalog these are
//! proposals; the entry of a channel decides.
//!
//! Source: operator-registry `pkg/registry/bundlegraphloader.go` and `populator.go` (`opm index add`).

mod channels;
mod package;

pub use channels::{Channel, Entry, UpdateGraph, channels};
pub use package::{Package, newest, package};

use std::borrow::Cow;

use super::{
    read::{annotation, text, texts},
    registry::{Annotations, Contents},
};
use crate::{catalog::Node, version::VersionRelease};

/// What a bundle says of its place in channels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// The bundle's name.
    pub name: String,
    /// Its package; empty where the annotations do not say.
    pub package: String,
    /// `spec.version` as it is written.
    pub version: String,
    /// `spec.release` as it is written.
    pub release: String,
    /// The channels of the annotations, each once.
    pub channels: Vec<String>,
    /// The default channel of the annotations, which may be empty.
    pub default_channel: String,
    /// The entry that the CSV asks for.
    pub entry: Entry,
}

impl Entry {
    /// The entry that a ClusterServiceVersion asks for.
    pub fn of_csv(csv: &Node) -> Self {
        let some = |text: Cow<str>| (!text.is_empty()).then(|| text.into_owned());
        let skips = texts(csv, &["spec", "skips"]).filter(|skipped| !skipped.is_empty());
        Self {
            name: text(csv, &["metadata", "name"]).into_owned(),
            replaces: some(text(csv, &["spec", "replaces"])),
            skips: skips.map(Cow::into_owned).collect(),
            skip_range: annotation(csv, "olm.skipRange").and_then(some),
        }
    }
}

impl Placement {
    /// What a bundle says; nothing where it has no CSV.
    pub fn of(contents: &Contents) -> Option<Self> {
        let csv = contents.csv()?;
        let spec = |key: &str| text(csv.node(), &["spec", key]).into_owned();
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
            entry: Entry::of_csv(csv.node()),
        })
    }

    /// Its version, where it is one.
    pub fn version(&self) -> Option<VersionRelease> {
        VersionRelease::parse(&self.version, &self.release).ok()
    }
}
