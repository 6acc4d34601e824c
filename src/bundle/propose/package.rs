//! The `olm.package` that bundles propose, and all their documents as text.

use serde::Serialize;

use super::{Channel, Entry, Placement, channels::by_version};
use crate::{
    bundle::read::{items, text},
    catalog::{
        Node,
        text::{emit, json},
    },
};

/// An `olm.package` with what its newest bundle says of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The channel of whoever names none; empty where there is no channel.
    pub default_channel: String,
    /// What it is, as Markdown.
    pub description: String,
    /// The icon.
    pub icon: Option<Icon>,
}

/// An icon: base64 and its media type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Icon {
    /// The image, base64.
    pub base64data: String,
    /// `image/svg+xml` and the like.
    pub mediatype: String,
}

/// The package of some bundles and their channels, without description and icon.
///
/// The default channel is that of the highest version that names one, else the first by name: what `opm index add` keeps.
pub fn package(placements: &[Placement], channels: &[Channel]) -> Package {
    let mut newest_first: Vec<_> =
        placements.iter().map(|placement| (placement.version(), placement)).collect();
    newest_first.sort_by(|(a, _), (b, _)| by_version(b.as_ref(), a.as_ref()));
    let said = newest_first.iter().map(|(_, placement)| &placement.default_channel);
    let said = { said }.find(|channel| !channel.is_empty());
    let first = || channels.first().map(|channel| &channel.name);
    Package {
        name: placements.first().map(|placement| placement.package.clone()).unwrap_or_default(),
        default_channel: said.or_else(first).cloned().unwrap_or_default(),
        ..Package::default()
    }
}

/// The position of the highest version.
pub fn newest(placements: &[Placement]) -> Option<usize> {
    let versions = placements.iter().map(Placement::version).enumerate();
    Some(versions.max_by(|(_, a), (_, b)| by_version(a.as_ref(), b.as_ref()))?.0)
}

impl Package {
    /// With description and icon of a bundle.
    #[must_use]
    pub fn described_by(self, csv: &Node) -> Self {
        let icon = items(csv, &["spec", "icon"]).first().map(|icon| Icon {
            base64data: text(icon, &["base64data"]).into_owned(),
            mediatype: text(icon, &["mediatype"]).into_owned(),
        });
        Self {
            description: text(csv, &["spec", "description"]).into_owned(),
            icon: icon.filter(|icon| !icon.base64data.is_empty()),
            ..self
        }
    }

    /// Its document, in the order of keys that opm writes.
    pub fn text(&self) -> String {
        document(&PackageDocument {
            schema: "olm.package",
            name: &self.name,
            default_channel: &self.default_channel,
            icon: self.icon.as_ref(),
            description: &self.description,
        })
    }
}

impl Channel {
    /// Its document, in the order of keys that opm writes.
    pub fn text(&self, package: &str) -> String {
        let entries = self.entries.iter().map(EntryDocument::of).collect();
        document(&ChannelDocument { schema: "olm.channel", package, name: &self.name, entries })
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
    fn of(entry: &'a Entry) -> Self {
        Self {
            name: &entry.name,
            replaces: entry.replaces.as_deref(),
            skips: &entry.skips,
            skip_range: entry.skip_range.as_deref(),
        }
    }
}

fn document(value: &impl Serialize) -> String {
    // What is made of texts and lists is always JSON, and JSON always a tree.
    let json = serde_json::to_vec(value).unwrap_or_default();
    let node = json::parse(&json);
    node.map(|node| format!("---\n{}", emit::yaml(&node))).unwrap_or_default()
}
