//! Upgrade table: the next upgrade of every bundle of a package in each OLM, and the end of its
//! path.

use std::{collections::HashMap, fmt, sync::Arc};

use super::{
    answer::{Engine, ResolveError},
    classic,
    cluster::CatalogProperties,
    graph::GraphNode,
    install_blockers::{self, InstallBlockerKind},
    installed::Installed,
    package::{ChannelUpgrades, PackageGraph},
    v1::{Query, Resolver},
};
use olm_catalog::{BundleName, ChannelName};

/// Next upgrade of an installed bundle in one OLM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NextUpgrade {
    /// The bundle stays.
    Stays,
    /// The bundle is upgraded.
    To(BundleName),
    /// The resolver reports an error.
    Error(ResolveError),
}

impl NextUpgrade {
    /// Returns the target of the upgrade.
    pub fn target(&self) -> Option<&BundleName> {
        match self {
            Self::To(name) => Some(name),
            _ => None,
        }
    }
}

/// Writes `stays`, the target, or the error.
impl fmt::Display for NextUpgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stays => f.write_str("stays"),
            Self::To(name) => name.fmt(f),
            Self::Error(error) => error.fmt(f),
        }
    }
}

/// End of an upgrade path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathEnd {
    /// Last bundle.
    pub name: BundleName,
    /// Number of upgrades.
    pub hops: usize,
    /// True if the path is a cycle.
    pub circular: bool,
}

/// Row of an installed bundle.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own, shown in a word of its own")]
#[derive(Clone, Debug)]
pub struct UpgradeRow {
    /// Installed bundle.
    pub installed: Installed,
    /// True if the bundle is an entry of the subscribed channel.
    pub in_channel: bool,
    /// True if an entry of the subscribed channel skips it.
    pub skipped: bool,
    /// True if the bundle is deprecated.
    pub deprecated: bool,
    /// Next upgrade in Classic.
    pub classic: NextUpgrade,
    /// End of the path in Classic.
    pub classic_end: PathEnd,
    /// Next upgrade in v1.
    pub v1: NextUpgrade,
    /// End of the path in v1.
    pub v1_end: PathEnd,
    /// Catalog of v1's pick, if v1 chooses between the catalogs of a cluster.
    pub v1_catalog: Option<Arc<CatalogProperties>>,
    /// True if Classic stays although the head of the channel is higher.
    pub dead_end: bool,
    /// True if the bundle is an entry of the subscribed channel and v1 upgrades it to a bundle that
    /// is not.
    pub leaves_channel: bool,
    /// True if at least one OLM upgrades it to a deprecated bundle.
    pub lands_on_deprecated: bool,
    /// Reason why v1 refuses its pick, which may be the installed bundle. v1 does not try another bundle.
    pub refused: Option<InstallBlockerKind>,
}

impl UpgradeRow {
    /// Returns true if Classic and v1 have the same next upgrade.
    pub fn agrees(&self) -> bool {
        self.classic == self.v1
    }

    /// Returns the bundle that v1 picks: the target of the upgrade, or the installed bundle.
    pub fn v1_pick(&self) -> Option<&BundleName> {
        match &self.v1 {
            NextUpgrade::Stays => Some(&self.installed.name),
            NextUpgrade::To(name) => Some(name),
            NextUpgrade::Error(_) => None,
        }
    }

    /// Returns true if Classic and v1 differ in the next upgrade or in the end of the path.
    pub fn differs(&self) -> bool {
        !self.agrees() || self.classic_end != self.v1_end
    }
}

/// Table for one subscribed channel and one v1 query.
#[derive(Clone, Debug)]
pub struct UpgradeTable {
    /// Subscribed channel of Classic.
    pub channel: ChannelName,
    /// Query for v1.
    pub query: Query,
    /// Reason why v1 cannot evaluate the query; `None` if it can.
    pub query_error: Option<ResolveError>,
    /// Rows, one per bundle: entries of the subscribed channel first, then the others, each highest
    /// version first.
    pub rows: Vec<UpgradeRow>,
    /// Index of each bundle's row.
    by_name: HashMap<BundleName, usize>,
}

/// Counts of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSummary {
    /// Number of rows.
    pub total: usize,
    /// Number of rows where the next upgrade is the same.
    pub agree: usize,
    /// Number of dead ends.
    pub dead_ends: usize,
    /// Number of rows where v1 leaves the channel.
    pub escapes: usize,
    /// Number of rows where the next upgrade in at least one OLM lands on a deprecated bundle.
    pub deprecated: usize,
    /// Number of rows where at least one OLM reports an error.
    pub errors: usize,
    /// Number of rows where the next upgrade is the same but a later one differs.
    pub later: usize,
    /// Number of rows where v1 refuses its pick.
    pub refused: usize,
}

/// Part of a [`TableSummary`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SummaryPart {
    /// Number of rows, and the number that agree if both OLMs are used.
    Agree,
    /// Errors.
    Errors,
    /// Dead ends.
    DeadEnds,
    /// Rows where v1 leaves the channel.
    Escapes,
    /// Upgrades to deprecated bundles.
    Deprecated,
    /// Differences after the next upgrade.
    Later,
    /// Picks that v1 refuses.
    Refused,
}

impl TableSummary {
    /// Counts rows.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a UpgradeRow>) -> Self {
        let mut summary = Self::default();
        for row in rows {
            summary.total += 1;
            summary.agree += usize::from(row.agrees());
            summary.refused += usize::from(row.refused.is_some());
            summary.later += usize::from(row.agrees() && row.differs());
            summary.dead_ends += usize::from(row.dead_end);
            summary.escapes += usize::from(row.leaves_channel);
            summary.deprecated += usize::from(row.lands_on_deprecated);
            let errors =
                matches!(row.classic, NextUpgrade::Error(_)) || matches!(row.v1, NextUpgrade::Error(_));
            summary.errors += usize::from(errors);
        }
        summary
    }

    /// Formats the parts that apply to some OLMs and are not zero: `same pick for 412 of 430`, `6 dead
    /// ends`, `v1 leaves the channel for 12`, `3 land on deprecated`.
    pub fn format_parts(&self, engines: &[Engine]) -> Vec<(SummaryPart, String)> {
        let (classic, v1) = (engines.contains(&Engine::Classic), engines.contains(&Engine::V1));
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let all = if classic && v1 {
            format!("same pick for {} of {}", self.agree, self.total)
        } else {
            count(self.total, "version", "versions")
        };
        let parts = [
            (true, SummaryPart::Agree, self.total, all),
            (
                classic && v1,
                SummaryPart::Later,
                self.later,
                count(self.later, "path ends differently", "paths end differently"),
            ),
            (
                true,
                SummaryPart::Errors,
                self.errors,
                count(self.errors, "without an answer", "without an answer"),
            ),
            (
                classic,
                SummaryPart::DeadEnds,
                self.dead_ends,
                format!("Classic never upgrades {}", self.dead_ends),
            ),
            (v1, SummaryPart::Refused, self.refused, format!("v1 refuses {}", self.refused)),
            (v1, SummaryPart::Escapes, self.escapes, format!("v1 leaves the channel for {}", self.escapes)),
            (
                true,
                SummaryPart::Deprecated,
                self.deprecated,
                count(self.deprecated, "lands on deprecated", "land on deprecated"),
            ),
        ];
        parts
            .into_iter()
            .filter(|(asked, what, n, _)| *asked && (*n > 0 || *what == SummaryPart::Agree))
            .map(|(_, what, _, words)| (what, words))
            .collect()
    }
}

impl UpgradeTable {
    /// Computes the table.
    pub fn new(graph: &PackageGraph, channel: &ChannelName, query: &Query) -> Self {
        let package = &graph.package;
        let resolver = graph.v1_resolver(query);
        let upgrades = graph.channel(channel.as_str());
        let head = upgrades.and_then(|c| c.graph.head());
        let asked = RowBuilder { graph, upgrades, resolver: &resolver, head, channel, query };
        let mut rows: Vec<UpgradeRow> = Vec::with_capacity(package.bundles.len());
        for bundle in &package.bundles {
            let installed = Installed { name: bundle.name.value.clone(), version: bundle.version.clone() };
            let in_channel = upgrades.is_some_and(|c| c.graph.entry_named(installed.name.as_str()).is_some());
            rows.push(asked.build_row(installed, in_channel));
        }
        // Classic also lands on entries without a bundle, and upgrades from there.
        let beyond: Vec<(BundleName, NextUpgrade)> = upgrades.map_or_else(Vec::new, |upgrades| {
            let entries = upgrades.graph.entry_nodes().filter_map(|at| upgrades.graph.node(at));
            let missing = entries.filter(|node| package.bundle(node.name.as_str()).is_none());
            let installed = missing.map(|node| Installed { name: node.name.clone(), version: None });
            installed.map(|i| (i.name.clone(), classic_next(upgrades, &i))).collect()
        });
        let classic: Vec<_> = rows
            .iter()
            .map(|row| (&row.installed.name, &row.classic))
            .chain(beyond.iter().map(|(name, next)| (name, next)))
            .collect();
        let v1: Vec<_> = rows.iter().map(|row| (&row.installed.name, &row.v1)).collect();
        let ends: Vec<_> = find_path_ends(&classic).into_iter().zip(find_path_ends(&v1)).collect();
        for (row, (classic, v1)) in rows.iter_mut().zip(ends) {
            row.classic_end = classic;
            row.v1_end = v1;
        }
        rows.sort_by(|a, b| {
            let versions = match (&a.installed.version, &b.installed.version) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            b.in_channel.cmp(&a.in_channel).then(versions)
        });
        let mut by_name = HashMap::with_capacity(rows.len());
        for (place, row) in rows.iter().enumerate() {
            by_name.entry(row.installed.name.clone()).or_insert(place);
        }
        Self { channel: channel.clone(), query: query.clone(), query_error: resolver.err(), rows, by_name }
    }

    /// Computes rows for bundles that the package does not have. The flag is true if a bundle
    /// counts as an entry of the channel.
    pub fn rows_of_others(&self, graph: &PackageGraph, others: Vec<(Installed, bool)>) -> Vec<UpgradeRow> {
        let resolver = graph.v1_resolver(&self.query);
        let upgrades = graph.channel(self.channel.as_str());
        let head = upgrades.and_then(|c| c.graph.head());
        let asked = RowBuilder {
            graph,
            upgrades,
            resolver: &resolver,
            head,
            channel: &self.channel,
            query: &self.query,
        };
        let end = |row: &UpgradeRow, next: &NextUpgrade, of: fn(&UpgradeRow) -> &PathEnd| match next.target()
        {
            None => PathEnd { name: row.installed.name.clone(), hops: 0, circular: false },
            Some(to) => match self.find_row(to).map(of) {
                Some(end) => PathEnd { hops: end.hops + 1, ..end.clone() },
                None => PathEnd { name: to.clone(), hops: 1, circular: false },
            },
        };
        let rows = others.into_iter().map(|(installed, in_channel)| {
            let mut row = asked.build_row(installed, in_channel);
            row.classic_end = end(&row, &row.classic, |row| &row.classic_end);
            row.v1_end = end(&row, &row.v1, |row| &row.v1_end);
            row
        });
        rows.collect()
    }

    /// Counts the rows of entries of the subscribed channel.
    pub fn summarize_channel(&self) -> TableSummary {
        TableSummary::from_rows(self.rows.iter().filter(|row| row.in_channel))
    }

    /// Returns the row of a bundle.
    pub fn find_row(&self, name: &BundleName) -> Option<&UpgradeRow> {
        self.rows.get(self.row_position(name)?)
    }

    /// Returns the index of a bundle's row.
    pub fn row_position(&self, name: &BundleName) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// Inputs for each row.
struct RowBuilder<'a> {
    graph: &'a PackageGraph,
    upgrades: Option<&'a ChannelUpgrades>,
    resolver: &'a Result<Arc<Resolver>, ResolveError>,
    head: Option<&'a GraphNode>,
    channel: &'a ChannelName,
    query: &'a Query,
}

impl RowBuilder<'_> {
    /// Computes the row of a bundle, without the ends of its paths.
    fn build_row(&self, installed: Installed, in_channel: bool) -> UpgradeRow {
        let (package, upgrades) = (&self.graph.package, self.upgrades);
        let at = upgrades.and_then(|c| c.graph.find_node(installed.name.as_str()));
        let classic = match upgrades {
            None => NextUpgrade::Error(ResolveError::NoChannel(self.channel.to_string())),
            Some(upgrades) => classic_next(upgrades, &installed),
        };
        let v1 = v1_next(self.resolver, &installed);
        let head_is_higher = self.head.and_then(|h| h.version.as_ref()).is_some_and(|head| {
            installed.version.as_ref().is_some_and(|version| head.cmp_precedence(version).is_gt())
        });
        let is_entry =
            |name: &BundleName| upgrades.is_some_and(|c| c.graph.entry_named(name.as_str()).is_some());
        let lands_on_deprecated = [&classic, &v1]
            .into_iter()
            .filter_map(|next| next.target())
            .any(|name| package.bundle_deprecation(name).is_some());
        let end = PathEnd { name: installed.name.clone(), hops: 0, circular: false };
        let mut row = UpgradeRow {
            in_channel,
            skipped: at.is_some_and(|at| upgrades.is_some_and(|c| c.graph.is_skipped(at))),
            deprecated: package.bundle_deprecation(&installed.name).is_some(),
            dead_end: in_channel && classic == NextUpgrade::Stays && head_is_higher,
            leaves_channel: in_channel && v1.target().is_some_and(|name| !is_entry(name)),
            lands_on_deprecated,
            refused: None,
            classic,
            classic_end: end.clone(),
            v1,
            v1_end: end,
            v1_catalog: None,
            installed,
        };
        let blockers = row.v1_pick().map(|pick| {
            install_blockers::v1_pick_blockers(package, pick, Some(&row.installed), &self.query.channels)
        });
        row.refused = blockers.and_then(|blockers| Some(blockers.first()?.kind));
        row
    }
}

/// Returns Classic's next upgrade of an installed bundle in a channel.
pub fn classic_next(upgrades: &ChannelUpgrades, installed: &Installed) -> NextUpgrade {
    match &upgrades.chain {
        Err(error) => NextUpgrade::Error(error.clone()),
        Ok(chain) => classic::pick_successor(&upgrades.graph, chain, installed)
            .and_then(|at| upgrades.graph.node(at))
            // An entry whose skipRange includes itself is its own successor, so it stays.
            .filter(|node| node.name != installed.name)
            .map_or(NextUpgrade::Stays, |node| NextUpgrade::To(node.name.clone())),
    }
}

/// Returns v1's next upgrade of an installed bundle.
pub fn v1_next(resolver: &Result<Arc<Resolver>, ResolveError>, installed: &Installed) -> NextUpgrade {
    match resolver.as_ref().map_err(Clone::clone).and_then(|r| r.pick(Some(installed))) {
        Err(error) => NextUpgrade::Error(error),
        Ok(pick) if *pick == installed.name => NextUpgrade::Stays,
        Ok(pick) => NextUpgrade::To(pick.clone()),
    }
}

/// Returns the end of the path from each bundle. `steps` has the next upgrade of each; every bundle
/// is visited once.
pub fn find_path_ends(steps: &[(&BundleName, &NextUpgrade)]) -> Vec<PathEnd> {
    let by_name: HashMap<&BundleName, usize> =
        steps.iter().enumerate().rev().map(|(index, step)| (step.0, index)).collect();
    let target = |index: usize| steps[index].1.target().and_then(|name| by_name.get(name)).copied();
    let mut ends: Vec<Option<PathEnd>> = vec![None; steps.len()];
    let mut on_trail = vec![false; steps.len()];
    for start in 0..steps.len() {
        let mut trail = Vec::new();
        let mut at = start;
        let mut end = loop {
            if let Some(end) = &ends[at] {
                break end.clone();
            }
            if on_trail[at] {
                break PathEnd { name: steps[at].0.clone(), hops: 0, circular: true };
            }
            on_trail[at] = true;
            trail.push(at);
            if let Some(next) = target(at) {
                at = next;
            } else {
                trail.pop();
                on_trail[at] = false;
                let end = PathEnd { name: steps[at].0.clone(), hops: 0, circular: false };
                ends[at] = Some(end.clone());
                break end;
            }
        };
        for index in trail.into_iter().rev() {
            end.hops += 1;
            on_trail[index] = false;
            ends[index] = Some(end.clone());
        }
    }
    ends.into_iter()
        .map(|end| end.unwrap_or(PathEnd { name: BundleName::default(), hops: 0, circular: false }))
        .collect()
}
