//! The `olm.package` that bundles propose, and the documents of a catalog as text.

use serde::Serialize;

use super::{Channel, Entry, Placement, channels::compare_versions};
use crate::field_access::{items_at, text_at};
use olm_catalog::{
    Node,
    text::{emit, json},
};

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
