//! Records the current answers as expectations.

use std::collections::{HashMap, HashSet};

use super::{Expect, answered, write};
use crate::{
    catalog::{BundleName, ChannelName, package::Package, text::emit::scalar_yaml},
    review::{Judged, Snapshot},
    upgrade::{
        Engine, Installed,
        path::Traveller,
        table::{self, Next},
        v1::Query,
    },
};

/// Selection of recorded answers.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Packages; all if empty.
    pub packages: Vec<crate::catalog::PackageName>,
    /// Classic: the subscribed channels; the default channel of each package if empty. v1: the selected channels; all if
    /// empty.
    pub channels: Vec<ChannelName>,
    /// Resolvers to query.
    pub engines: &'static [Engine],
}

/// Writes expectations that the catalog meets: the result of a new installation, and the next upgrade of every bundle in the
/// channels. Adjacent bundles with the same answer share a row. `None` if there are no answers.
pub fn record(snapshot: &Snapshot, label: &str, wish: &Wish) -> Option<String> {
    let channels = match wish.channels.as_slice() {
        [] => "the default channel of each package".to_owned(),
        names => format!("channel {}", listed(names)),
    };
    let mut text = format!(
        "# Upgrade expectations: what happens today, written by olmap expect --record.\n\
         # Catalog: {}; {channels}.\n\
         # Each group begins with a fresh install. Keep what must stay, change what must become different, and remove what\n\
         # does not matter.\n",
        scalar_yaml(label)
    );
    let before = text.len();
    let wanted = |judged: &&std::sync::Arc<Judged>| {
        let name = &judged.package().name;
        !name.as_str().is_empty() && (wish.packages.is_empty() || wish.packages.contains(name))
    };
    for judged in snapshot.packages().map(|(_, judged)| judged).filter(wanted) {
        for traveller in travellers(judged.package(), wish) {
            text.push_str(&group(judged, &traveller));
        }
    }
    (text.len() > before).then_some(text)
}

fn travellers(package: &Package, wish: &Wish) -> Vec<Traveller> {
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
            Engine::Classic => all.extend(classic.iter().cloned().map(Traveller::Classic)),
            Engine::V1 => all.push(Traveller::V1(Query { channels: named().collect(), ..Query::default() })),
        }
    }
    all
}

fn heading(package: &Package, traveller: &Traveller) -> String {
    let name = scalar_yaml(package.name.as_str());
    match traveller {
        Traveller::Classic(channel) => {
            let default = package.default_channel() == Some(channel);
            let default = if default { ", its default channel" } else { "" };
            format!("{name}: Classic in {}{default}", scalar_yaml(channel.as_str()))
        }
        Traveller::V1(query) => match query.channels.as_slice() {
            [] => format!("{name}: v1, any channel"),
            names => format!("{name}: v1 in {}", listed(names)),
        },
    }
}

fn listed(names: &[ChannelName]) -> String {
    names.iter().map(|name| scalar_yaml(name.as_str())).collect::<Vec<_>>().join(", ")
}

/// Writes the rows of one traveller: the new installation, then bundles, highest version first.
fn group(judged: &Judged, traveller: &Traveller) -> String {
    let graph = &judged.graph;
    let package = judged.package();
    let fresh = match traveller {
        Traveller::Classic(channel) => graph.classic(channel.as_str(), None),
        Traveller::V1(query) => graph.v1(query, None),
    };
    let fresh = match (fresh.error, fresh.pick) {
        (Some(error), _) => Some(Next::Error(error)),
        (None, pick) => pick.map(Next::To),
    };
    let names = Names::of(judged);
    let expect = |next: &Next| match answered(next) {
        Expect::Pick(name) => Expect::Pick(names.brief(&name)),
        other => other,
    };
    let mut rows: Vec<(Vec<String>, Expect)> = Vec::new();
    let resolver = match traveller {
        Traveller::V1(query) => Some(graph.resolver(query)),
        Traveller::Classic(_) => None,
    };
    for installed in installable(package, traveller) {
        let next = match (traveller, &resolver) {
            (_, Some(resolver)) => table::v1_next(resolver, &installed),
            (Traveller::Classic(channel), _) => match graph.channel(channel.as_str()) {
                Some(channel) => table::classic_next(channel, &installed),
                None => continue,
            },
            (Traveller::V1(_), None) => continue,
        };
        let (name, expect) = (names.brief(installed.name.as_str()), expect(&next));
        match rows.last_mut() {
            Some((installed, last)) if *last == expect => installed.push(name),
            _ => rows.push((vec![name], expect)),
        }
    }
    let mut text = format!("\n# {}\n", heading(package, traveller));
    text.push_str(&write::block("", &write::asked(&package.name, traveller)));
    text.push_str("  expectations:\n");
    let fresh = fresh.iter().map(|next| (Vec::new(), expect(next)));
    let rows =
        fresh.chain(rows).map(|(installed, expect)| write::item("  ", &write::answer(installed, &expect)));
    let before = text.len();
    text.extend(rows);
    if text.len() > before { text } else { String::new() }
}

/// Short names of the bundles of a package: their version if it is unique.
struct Names<'a> {
    judged: &'a Judged,
    /// Number of bundles per version.
    versions: HashMap<String, usize>,
}

impl<'a> Names<'a> {
    fn of(judged: &'a Judged) -> Self {
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

    fn brief(&self, name: &str) -> String {
        let version = self.judged.package().version_of(name).map(ToString::to_string);
        let is_free = |version: &String| {
            self.versions.get(version) == Some(&1) && !super::judge::is_known(&self.judged.graph, version)
        };
        version.filter(is_free).unwrap_or_else(|| name.to_owned())
    }
}

/// Returns the recorded bundles: those of the selected channels, highest version first.
fn installable(package: &Package, traveller: &Traveller) -> Vec<Installed> {
    let default = || package.default_channel().into_iter().cloned().collect();
    let channels: Vec<ChannelName> = match traveller {
        Traveller::Classic(channel) => vec![channel.clone()],
        Traveller::V1(query) if query.channels.is_empty() => default(),
        Traveller::V1(query) => query.channels.clone(),
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
    let mut installed: Vec<Installed> = names.map(|name| Installed::of(package, name)).collect();
    installed.sort_by(|a, b| match (&a.version, &b.version) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    installed
}
