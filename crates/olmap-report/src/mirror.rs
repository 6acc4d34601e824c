//! Part of a catalog that oc-mirror keeps, for people and for programs.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use super::{
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{Catalog, ChannelName, blob::Entry, package::Package};
use olm_upgrade::PackageGraph;

/// Package as `olmap mirror filter -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    default_channel: Option<&'a str>,
    channels: BTreeMap<&'a str, Vec<EntryRow<'a>>>,
    bundles: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deprecations: Vec<DeprecationRow<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryRow<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skips: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_range: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct DeprecationRow<'a> {
    schema: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
}

/// Reduces a catalog to the fields that upgrades need, by package.
pub fn reduce_catalog(catalog: &Catalog) -> BTreeMap<&str, PackageRow<'_>> {
    catalog.packages().map(|package| (package.name.as_str(), PackageRow::from_package(package))).collect()
}

impl<'a> PackageRow<'a> {
    fn from_package(package: &'a Package) -> Self {
        let deprecations = package.deprecations.iter().flat_map(|blob| &blob.entries);
        let mut channels: BTreeMap<&str, Vec<EntryRow>> = BTreeMap::new();
        for channel in &package.channels {
            let rows = channels.entry(channel.name.value.as_str()).or_default();
            rows.extend(channel.entries.iter().map(EntryRow::from_entry));
        }
        Self {
            default_channel: package.default_channel().map(ChannelName::as_str),
            channels,
            bundles: package.bundles.iter().map(|bundle| bundle.name.value.as_str()).collect(),
            deprecations: deprecations
                .map(|entry| DeprecationRow {
                    schema: &entry.schema.value,
                    name: entry.name.as_ref().map(|name| &*name.value),
                })
                .collect(),
        }
    }
}

impl<'a> EntryRow<'a> {
    fn from_entry(entry: &'a Entry) -> Self {
        Self {
            name: entry.name.value.as_str(),
            replaces: entry.replaces.as_ref().map(|name| name.value.as_str()),
            skips: entry.skips.iter().map(|name| name.value.as_str()).collect(),
            skip_range: entry.skip_range.as_ref().map(|range| &*range.text.value),
        }
    }
}

/// Renders the kept part of each channel of the remaining packages, and the totals.
pub fn render_mirrored_channels(catalog: &Catalog, filtered: &Catalog, style: &Style) -> String {
    let mut table = Table::new(&["PACKAGE", "CHANNEL", "HEAD", "#LEFT", "#OF"]);
    let count = |catalog: &Catalog| catalog.packages().map(|package| package.bundles.len()).sum::<usize>();
    for package in filtered.packages() {
        let Some(before) = catalog.package(package.name.as_str()) else { continue };
        let graph = PackageGraph::new(package);
        for channel in &before.channels {
            let name = &channel.name.value;
            let left = package.channel(name.as_str());
            let head = graph.channel(name.as_str()).and_then(|channel| {
                let node = channel.graph.head()?;
                Some(package.short_name(&node.name))
            });
            let is_default = package.default_channel() == Some(name);
            let entries = left.map_or_else(|| "-".to_owned(), |left| left.entries.len().to_string());
            table.push_row([
                Cell::from(package.name.as_str()),
                Cell::new(&format!("{name}{}", if is_default { " (default)" } else { "" })),
                Cell::from(head.as_deref().unwrap_or("-")),
                Cell::new(&entries),
                Cell::from(channel.entries.len()),
            ]);
        }
    }
    let mut out = table.render(style);
    let (left, all) = (count(filtered), count(catalog));
    let words = format!("{left} of {all} bundles are mirrored");
    let _ = writeln!(out, "{}", style.paint(Ink::Note, &words));
    out
}
