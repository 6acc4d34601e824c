//! Providers and requirers of APIs and packages, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;

use super::{
    escape::{self, wrap},
    style::{Ink, Style},
    table::{Cell, Table},
};
use olm_catalog::{ChannelName, blob::BundleBlob};
use olm_upgrade::apis::{DependencyGroup, DependencyTarget, Side, Usage};

/// API or package as `olmap apis -o json` prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    missing: bool,
    provided: Vec<GroupRow<'a>>,
    required: Vec<GroupRow<'a>>,
}

#[derive(Debug, Serialize)]
struct GroupRow<'a> {
    catalog: &'a str,
    package: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    met: Option<bool>,
    channels: Vec<&'a str>,
    heads: Vec<&'a str>,
    bundles: Vec<BundleRow<'a>>,
}

#[derive(Debug, Serialize)]
struct BundleRow<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

impl<'a> Row<'a> {
    /// Returns the row of an API or package. `labels` are the names of the searched catalogs.
    pub fn from_usage(usage: &'a Usage, labels: &'a [String]) -> Self {
        let (group, kind, package) = match &usage.thing {
            DependencyTarget::Api(api) => (Some(api.group.as_str()), Some(api.kind.as_str()), None),
            DependencyTarget::Package(name) => (None, None, Some(name.as_str())),
        };
        let rows = |side: Side| {
            usage.side(side).iter().map(|own| GroupRow::from_group(own, side, usage, labels)).collect()
        };
        let (provided, required) = (rows(Side::Provided), rows(Side::Required));
        Self { group, kind, package, missing: usage.is_missing(), provided, required }
    }
}

impl<'a> GroupRow<'a> {
    fn from_group(group: &'a DependencyGroup, side: Side, usage: &Usage, labels: &'a [String]) -> Self {
        let what = group.label.as_str();
        let (version, range) = match (&usage.thing, side) {
            (DependencyTarget::Api(_), _) => (Some(what), None),
            (DependencyTarget::Package(_), Side::Required) => (None, Some(what)),
            (DependencyTarget::Package(_), Side::Provided) => (None, None),
        };
        let bundle = |bundle: &'a BundleBlob| BundleRow {
            name: bundle.name.value.as_str(),
            version: bundle.version.as_ref().map(ToString::to_string),
        };
        Self {
            catalog: catalog_label(labels, group.catalog),
            package: group.package_name().as_str(),
            version,
            range,
            met: (side == Side::Required).then_some(group.met),
            channels: group.channel_names().into_iter().map(ChannelName::as_str).collect(),
            heads: group.head_channels().into_iter().map(ChannelName::as_str).collect(),
            bundles: group.bundles().map(bundle).collect(),
        }
    }
}

fn catalog_label(labels: &[String], catalog: usize) -> &str {
    labels.get(catalog).map_or("", String::as_str)
}

/// Renders a table with the number of providers and requirers of each API or package.
pub fn render_usage_table(usages: &[&Usage], has_header: bool, style: &Style) -> String {
    let mut table = Table::new(&["API OR PACKAGE", "#PROVIDED BY", "#REQUIRED BY", "NOT PROVIDED"]);
    for usage in usages {
        let missing: Vec<&str> = {
            let unmet = usage.required.iter().filter(|group| !group.met);
            let mut missing: Vec<&str> = unmet.map(|group| group.label.as_str()).collect();
            missing.sort_unstable();
            missing.dedup();
            missing
        };
        let missing = match (missing.is_empty(), missing.join(", ")) {
            (true, _) => String::new(),
            (false, versions) if versions.trim().is_empty() => "missing".to_owned(),
            (false, versions) => versions,
        };
        table.push_row([
            Cell::new(&usage.thing.to_string()),
            usage.count_packages(Side::Provided).into(),
            usage.count_packages(Side::Required).into(),
            Cell::with_ink(Ink::Warning, &missing),
        ]);
    }
    match table {
        table if table.is_empty() => String::new(),
        table if has_header => table.render(style),
        table => table.without_header().render(style),
    }
}

/// Renders an API or package in full: its providers and its requirers.
pub fn render_usage_detail(usage: &Usage, labels: &[String], style: &Style) -> String {
    let mut out = format!("{}\n", style.paint(Ink::Bold, &usage.thing.to_string()));
    for side in [Side::Provided, Side::Required] {
        let groups = usage.side(side);
        if groups.is_empty() {
            let _ = writeln!(out, "{} by no bundle", side.as_str());
        }
        for group in groups {
            let what = match (&usage.thing, side) {
                (DependencyTarget::Package(_), Side::Provided) => String::new(),
                _ => format!("{} ", group.label),
            };
            let words =
                format!("{what}{} by {} {}", side.as_str(), group.package_name(), group.format_versions());
            let mut words = escape::escape_line(&words).into_owned();
            if labels.len() > 1 {
                let _ = write!(words, " in {}", escape::escape_line(catalog_label(labels, group.catalog)));
            }
            let words = if group.met { words } else { format!("NOT PROVIDED: {words}") };
            out.push_str(&wrap::wrap_hanging(&words, "", "        ", style.width));
            for line in
                wrap::wrap_sentence(&describe_group_channels(group), "", style.width.saturating_sub(4))
                    .lines()
            {
                let _ = writeln!(out, "    {}", style.paint(Ink::Dim, line));
            }
        }
    }
    out
}

/// Describes the channels of a group: `in candidate, stable; head of stable`.
pub fn describe_group_channels(group: &DependencyGroup) -> String {
    let list = |names: std::collections::BTreeSet<&ChannelName>| {
        names.into_iter().map(ChannelName::as_str).collect::<Vec<_>>().join(", ")
    };
    match (list(group.channel_names()), list(group.head_channels())) {
        (channels, _) if channels.is_empty() => "in no channel".to_owned(),
        (channels, heads) if heads.is_empty() => format!("in {channels}; no head"),
        (channels, heads) => format!("in {channels}; head of {heads}"),
    }
}
