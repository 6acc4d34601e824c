//! Records the current answers as expectations.

use std::collections::{HashMap, HashSet};

use super::{ExpectedResult, expect_same_answer, formatter};
use crate::review::{PackageState, Snapshot};
use olm_catalog::{BundleName, ChannelName, package::Package, text::emit::write_inline_scalar};
use olm_upgrade::{
    Engine, Installed,
    path::UpgradeContext,
    table::{self, NextUpgrade},
    v1::Query,
};

/// Selection of recorded answers.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Packages; all if empty.
    pub packages: Vec<olm_catalog::PackageName>,
    /// Classic: the subscribed channels; the default channel of each package if empty. v1: the selected channels; all if
    /// empty.
    pub channels: Vec<ChannelName>,
    /// Resolvers to query.
    pub engines: &'static [Engine],
}

/// Writes expectations that the catalog meets: the result of a new installation, and the next upgrade of every bundle in the
/// channels. Adjacent bundles with the same answer share a row. `None` if there are no answers.
pub fn record_expectations(snapshot: &Snapshot, label: &str, wish: &RecordOptions) -> Option<String> {
    let channels = match wish.channels.as_slice() {
        [] => "the default channel of each package".to_owned(),
        names => format!("channel {}", join_channel_names(names)),
    };
    let mut text = format!(
        "# Upgrade expectations: what happens today, written by olmap expect --record.\n\
         # Catalog: {}; {channels}.\n\
         # Each group begins with a fresh install. Keep what must stay, change what must become different, and remove what\n\
         # does not matter.\n",
        write_inline_scalar(label)
    );
    let before = text.len();
    let wanted = |judged: &&std::sync::Arc<PackageState>| {
        let name = &judged.package().name;
        !name.as_str().is_empty() && (wish.packages.is_empty() || wish.packages.contains(name))
    };
    for judged in snapshot.packages().map(|(_, judged)| judged).filter(wanted) {
        for traveller in upgrade_contexts(judged.package(), wish) {
            text.push_str(&format_group(judged, &traveller));
        }
    }
    (text.len() > before).then_some(text)
}

fn upgrade_contexts(package: &Package, wish: &RecordOptions) -> Vec<UpgradeContext> {
    let named = || wish.channels.iter().filter(|name| package.channel(name.as_str()).is_some()).cloned();
    let classic: Vec<ChannelName> = match package.default_channel() {
        Some(default) if wish.channels.is_empty() => {
            package.channel(default.as_str()).map(|_| default.clone()).into_iter().collect()
        }
        _ => named().collect(),
    };
    if classic.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for engine in wish.engines {
        match engine {
            Engine::Classic => all.extend(classic.iter().cloned().map(UpgradeContext::Classic)),
            Engine::V1 => {
                all.push(UpgradeContext::V1(Query { channels: named().collect(), ..Query::default() }));
            }
        }
    }
    all
}

fn format_heading(package: &Package, traveller: &UpgradeContext) -> String {
    let name = write_inline_scalar(package.name.as_str());
    match traveller {
        UpgradeContext::Classic(channel) => {
            let default = package.default_channel() == Some(channel);
            let default = if default { ", its default channel" } else { "" };
            format!("{name}: Classic in {}{default}", write_inline_scalar(channel.as_str()))
        }
        UpgradeContext::V1(query) => match query.channels.as_slice() {
            [] => format!("{name}: v1, any channel"),
            names => format!("{name}: v1 in {}", join_channel_names(names)),
        },
    }
}

fn join_channel_names(names: &[ChannelName]) -> String {
    names.iter().map(|name| write_inline_scalar(name.as_str())).collect::<Vec<_>>().join(", ")
}

/// Writes the rows of one traveller: the new installation, then bundles, highest version first.
fn format_group(judged: &PackageState, traveller: &UpgradeContext) -> String {
    let graph = &judged.graph;
    let package = judged.package();
    let fresh = match traveller {
        UpgradeContext::Classic(channel) => graph.resolve_classic(channel.as_str(), None),
        UpgradeContext::V1(query) => graph.resolve_v1(query, None),
    };
    let fresh = match (fresh.error, fresh.pick) {
        (Some(error), _) => Some(NextUpgrade::Error(error)),
        (None, pick) => pick.map(NextUpgrade::To),
    };
    let names = ShortNames::from_package(judged);
    let expect = |next: &NextUpgrade| match expect_same_answer(next) {
        ExpectedResult::Pick(name) => ExpectedResult::Pick(names.shortest_name(&name)),
        other => other,
    };
    let mut rows: Vec<(Vec<String>, ExpectedResult)> = Vec::new();
    let resolver = match traveller {
        UpgradeContext::V1(query) => Some(graph.v1_resolver(query)),
        UpgradeContext::Classic(_) => None,
    };
    for installed in list_installable(package, traveller) {
        let next = match (traveller, &resolver) {
            (_, Some(resolver)) => table::v1_next(resolver, &installed),
            (UpgradeContext::Classic(channel), _) => match graph.channel(channel.as_str()) {
                Some(channel) => table::classic_next(channel, &installed),
                None => continue,
            },
            (UpgradeContext::V1(_), None) => continue,
        };
        let (name, expect) = (names.shortest_name(installed.name.as_str()), expect(&next));
        match rows.last_mut() {
            Some((installed, last)) if *last == expect => installed.push(name),
            _ => rows.push((vec![name], expect)),
        }
    }
    let mut text = format!("\n# {}\n", format_heading(package, traveller));
    text.push_str(&formatter::format_block("", &formatter::query_members(&package.name, traveller)));
    text.push_str("  expectations:\n");
    let fresh = fresh.iter().map(|next| (Vec::new(), expect(next)));
    let rows = fresh.chain(rows).map(|(installed, expect)| {
        formatter::format_item("  ", &formatter::result_members(installed, &expect))
    });
    let before = text.len();
    text.extend(rows);
    if text.len() > before { text } else { String::new() }
}

/// Short names of the bundles of a package: their version if it is unique.
struct ShortNames<'a> {
    judged: &'a PackageState,
    /// Number of bundles per version.
    versions: HashMap<String, usize>,
}

impl<'a> ShortNames<'a> {
    fn from_package(judged: &'a PackageState) -> Self {
        let mut versions: HashMap<String, usize> = HashMap::new();
        for version in judged.package().bundles.iter().filter_map(|bundle| bundle.version.as_ref()) {
            let (whole, plain) = (version.to_string(), version.version.to_string());
            if plain != whole {
                *versions.entry(plain).or_default() += 1;
            }
            *versions.entry(whole).or_default() += 1;
        }
        Self { judged, versions }
    }

    fn shortest_name(&self, name: &str) -> String {
        let version = self.judged.package().bundle_version(name).map(ToString::to_string);
        let is_free = |version: &String| {
            self.versions.get(version) == Some(&1)
                && !super::check::is_known_name(&self.judged.graph, version)
        };
        version.filter(is_free).unwrap_or_else(|| name.to_owned())
    }
}

/// Returns the recorded bundles: those of the selected channels, highest version first.
fn list_installable(package: &Package, traveller: &UpgradeContext) -> Vec<Installed> {
    let default = || package.default_channel().into_iter().cloned().collect();
    let channels: Vec<ChannelName> = match traveller {
        UpgradeContext::Classic(channel) => vec![channel.clone()],
        UpgradeContext::V1(query) if query.channels.is_empty() => default(),
        UpgradeContext::V1(query) => query.channels.clone(),
    };
    let entries: HashSet<&BundleName> = package
        .channels
        .iter()
        .filter(|channel| channels.contains(&channel.name.value))
        .flat_map(|channel| channel.entries.iter().map(|entry| &entry.name.value))
        .collect();
    let mut seen = HashSet::new();
    let names = package.bundles.iter().map(|bundle| &bundle.name.value);
    let names =
        names.filter(|name| !name.as_str().is_empty() && entries.contains(name) && seen.insert(*name));
    let mut installed: Vec<Installed> = names.map(|name| Installed::from_package(package, name)).collect();
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    installed
}
