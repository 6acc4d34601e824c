//! Rows of the Upgrades screen, with its display options and further results.

use std::cmp::{Ordering, Reverse};

use crate::tui::{
    parts::{
        list::{ListId, passes_filter},
        memo::{Memo, SharedRef},
    },
    session::{cluster_members::ClusterResolution, context::ViewContext, derived_state::DerivedState},
};
use olm_catalog::{BundleName, ChannelName, package::Package};
use olm_check::review::PackageState;
use olm_upgrade::{
    UpgradeRow, UpgradeTable,
    fresh_install::FreshInstalls,
    openshift::{ClusterUpdate, OpenShift},
    stuck::StuckReport,
    table::NextUpgrade,
    v1::Query,
};
use olmap_report::layout::removed_rows;

/// Visible row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VisibleRow {
    /// A row of the table.
    Table(usize),
    /// A bundle that the package no longer has, by its index among the removed bundles.
    Removed(usize),
}

impl VisibleRow {
    /// Returns the upgrades of the row.
    pub fn upgrade_row(self, derived: &DerivedState) -> Option<&UpgradeRow> {
        match self {
            Self::Table(row) => derived.upgrade_table()?.rows.get(row),
            Self::Removed(row) => derived.removed_bundle_upgrades().get(row),
        }
    }
}

/// Focus on the Upgrades screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum UpgradesFocus {
    /// The subscribed channel.
    Channel,
    /// The `startingCSV` of a fresh installation.
    Starting,
    /// The channels that v1 may choose from.
    V1Channels,
    /// The version constraint.
    Version,
    /// The policy.
    Policy,
    /// The OpenShift version of the cluster.
    OpenShift,
    /// The rows.
    #[default]
    Table,
    /// The reasons of the selected row.
    Reasons,
}

impl UpgradesFocus {
    /// The fields above the table, in order.
    pub const FIELDS: [Self; 6] =
        [Self::Channel, Self::Starting, Self::V1Channels, Self::Version, Self::Policy, Self::OpenShift];
}

/// Sort order. Entries of the subscribed channel always come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SortOrder {
    /// The installed version, newest first.
    #[default]
    Installed,
    /// Trouble, worst first.
    Trouble,
    /// Number of upgrades on Classic's path, most first.
    ClassicHops,
    /// Upgrade target of v1, newest first; then versions without an upgrade.
    V1Next,
}

impl SortOrder {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::Installed, Self::Trouble, Self::ClassicHops, Self::V1Next];

    /// Returns the index in [`SortOrder::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the name for notices.
    pub fn title(self) -> &'static str {
        match self {
            Self::Installed => "installed version",
            Self::Trouble => "worst first",
            Self::ClassicHops => "hops in Classic",
            Self::V1Next => "what v1 does next",
        }
    }
}

/// Display options of the Upgrades screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UpgradesView {
    /// The sort order.
    pub sort: SortOrder,
    /// Whether the order is reversed.
    pub is_reversed: bool,
    /// Whether only rows with different results of Classic and v1 are shown.
    pub only_differences: bool,
}

impl UpgradesView {
    /// Switches to the next order.
    pub(in crate::tui) fn cycle_sort(&mut self) {
        (self.sort, self.is_reversed) = match (self.sort, self.is_reversed) {
            (SortOrder::Installed, false) => (SortOrder::Installed, true),
            (SortOrder::Installed, true) => (SortOrder::Trouble, false),
            (SortOrder::Trouble, _) => (SortOrder::ClassicHops, false),
            (SortOrder::ClassicHops, _) => (SortOrder::V1Next, false),
            (SortOrder::V1Next, _) => (SortOrder::Installed, false),
        };
    }

    /// Sorts by a column, or reverses the order if the column is already used.
    pub(in crate::tui) fn sort_by(&mut self, sort: SortOrder) {
        self.is_reversed = self.sort == sort && !self.is_reversed;
        self.sort = sort;
    }

    /// Returns the sorted rows that pass the filter, including removed bundles.
    pub(in crate::tui) fn sorted_rows(
        &self,
        package: &Package,
        (table, removed): (&UpgradeTable, &[UpgradeRow]),
        stuck: Option<&StuckReport>,
        update: Option<&ClusterUpdate>,
        filter: &str,
    ) -> Vec<VisibleRow> {
        let own = table
            .rows
            .iter()
            .enumerate()
            .map(|(index, row)| ((index, true, index), VisibleRow::Table(index), row));
        let others = removed.iter().enumerate().map(|(index, row)| {
            ((row_below_removed(table, row), false, index), VisibleRow::Removed(index), row)
        });
        let mut rows: Vec<SortableRow<'_>> = own
            .chain(others)
            .filter(|(.., row)| passes_filter(filter, &filter_text(row, stuck)))
            // Rows outside of the channel do not have a Classic result to compare.
            .filter(|(.., row)| !self.only_differences || (row.in_channel && row.differs()))
            .collect();
        let apply_direction = |order: Ordering| if self.is_reversed { order.reverse() } else { order };
        let target =
            |row: &UpgradeRow| row.v1.target().and_then(|name| package.bundle_version(name.as_str()));
        let order = |a: &SortableRow<'_>, b: &SortableRow<'_>| match self.sort {
            // The order of the table.
            SortOrder::Installed => a.0.cmp(&b.0),
            SortOrder::Trouble => trouble_rank(a.2, update).cmp(&trouble_rank(b.2, update)),
            SortOrder::ClassicHops => b.2.classic_end.hops.cmp(&a.2.classic_end.hops),
            SortOrder::V1Next => match (target(a.2), target(b.2)) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => Reverse(a.is_some()).cmp(&Reverse(b.is_some())),
            },
        };
        rows.sort_by(|a, b| {
            let outside = b.2.in_channel.cmp(&a.2.in_channel);
            outside.then_with(|| apply_direction(order(a, b))).then(a.0.cmp(&b.0))
        });
        rows.into_iter().map(|(_, shows, _)| shows).collect()
    }
}

/// Row with its position in the order of the table. A removed bundle has the position of the row
/// below it, and comes before that row.
type SortableRow<'a> = ((usize, bool, usize), VisibleRow, &'a UpgradeRow);

/// Returns the index of the table row below a removed bundle. The rows of the channel and the other
/// rows are separate groups, each sorted by version.
fn row_below_removed(table: &UpgradeTable, removed: &UpgradeRow) -> usize {
    let is_alike = |row: &&UpgradeRow| row.in_channel == removed.in_channel;
    let before = table.rows.iter().take_while(|row| row.in_channel && !removed.in_channel).count();
    let alike = || table.rows.iter().skip(before).take_while(is_alike);
    let versions = alike().map(|row| row.installed.version.as_ref());
    before
        + removed_rows::insert_position(versions, removed.installed.version.as_ref())
            .unwrap_or_else(|| alike().count())
}

type RowsKey = (SharedRef<UpgradeTable>, SharedRef<PackageState>, String, UpgradesView, Option<OpenShift>);
type FreshKey =
    (SharedRef<PackageState>, Option<ChannelName>, Option<BundleName>, Query, SharedRef<ClusterResolution>);

/// Cached results of the Upgrades screen.
#[derive(Debug, Default)]
pub(in crate::tui) struct UpgradesCache {
    /// Installed bundles that block the cluster update.
    pub cluster_update: Memo<(SharedRef<UpgradeTable>, Option<OpenShift>), Option<ClusterUpdate>>,
    /// Result of a fresh installation.
    pub fresh: Memo<FreshKey, Option<FreshInstalls>>,
    /// The visible rows in order.
    pub rows: Memo<RowsKey, Vec<VisibleRow>>,
}

impl UpgradesCache {
    /// Updates the results.
    pub(super) fn update(&mut self, view: &UpgradesView, view_cx: &ViewContext<'_>) {
        let session = view_cx.session;
        let upgrade_query = &session.upgrade_query;
        let (package, table) = (session.selected_package(), session.derived.upgrade_table());
        let known = package.map(|package_state| package_state.package()).zip(table);
        self.cluster_update.update(
            (SharedRef::from_shared(table), upgrade_query.openshift),
            |(_, openshift)| {
                let (package, table) = known?;
                Some(ClusterUpdate::new(package, table, (*openshift)?))
            },
        );
        let filter = session.lists.filter(ListId::Upgrades).to_owned();
        // Removed bundles depend on the base, so the base is part of the key.
        let before = SharedRef::from_shared(session.catalogs.mark_base_package());
        let key = (SharedRef::from_shared(table), before, filter, view.clone(), upgrade_query.openshift);
        let update = self.cluster_update.value.as_ref();
        let stuck = package.and_then(|package| session.catalogs.stuck_of(package));
        let removed = session.derived.removed_bundle_upgrades();
        self.rows.update(key, |(_, _, filter, view, _)| {
            let Some((package, table)) = known else { return Vec::new() };
            view.sorted_rows(package, (table, removed), stuck, update, filter)
        });
        let key = (
            SharedRef::from_shared(package),
            session.subscribed_channel().cloned(),
            upgrade_query.starting.clone(),
            upgrade_query.query.clone(),
            SharedRef::from_shared(session.derived.cluster_resolution()),
        );
        self.fresh.update(key, |(_, channel, starting, query, cluster)| {
            let fresh = FreshInstalls::new(&package?.graph, channel.as_ref()?, starting.as_ref(), query);
            Some(match cluster.get() {
                Some(cluster) => fresh.with_cluster(&cluster.resolver),
                None => fresh,
            })
        });
    }
}

/// Returns the rank of a row's trouble, 0 for the worst.
fn trouble_rank(row: &UpgradeRow, update: Option<&ClusterUpdate>) -> u8 {
    let blocker = update.and_then(|update| update.blocker(&row.installed.name));
    let is_error = |next: &NextUpgrade| matches!(next, NextUpgrade::Error(_));
    match row {
        _ if is_error(&row.classic) || is_error(&row.v1) => 0,
        row if row.dead_end => 1,
        _ if blocker.is_some_and(|b| b.classic.is_none() || b.v1.is_none()) => 2,
        row if row.refused.is_some() => 3,
        row if row.leaves_channel => 4,
        row if row.classic_end.circular || row.v1_end.circular => 5,
        row if row.lands_on_deprecated => 6,
        row if row.differs() => 7,
        _ if blocker.is_some() => 8,
        _ => 9,
    }
}

/// Returns the text that a filter searches in a row: the name, and `stuck` for a stuck version.
fn filter_text(row: &UpgradeRow, stuck: Option<&StuckReport>) -> String {
    let name = &row.installed.name;
    let is_stuck = stuck.is_some_and(|stuck| stuck.state_of(name).is_stuck());
    if is_stuck { format!("{name} stuck") } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::{Installed, PackageGraph, fixture::graph_from_channels, v1::Query};
    use olm_version::VersionRelease;

    fn row_names(graph: &PackageGraph, view: &UpgradesView, filter: &str) -> Vec<String> {
        row_names_on(graph, view, None, filter)
    }

    fn row_names_on(
        graph: &PackageGraph,
        view: &UpgradesView,
        openshift: Option<OpenShift>,
        filter: &str,
    ) -> Vec<String> {
        let table = UpgradeTable::new(graph, &"c".into(), &Query::default());
        let update = openshift.map(|from| ClusterUpdate::new(&graph.package, &table, from));
        let gone = Installed { name: "p.v2.2.0".into(), version: VersionRelease::parse("2.2.0", "").ok() };
        let gone =
            if filter == "gone" { table.rows_of_others(graph, vec![(gone, true)]) } else { Vec::new() };
        let filter = if filter == "gone" { "" } else { filter };
        let rows = view
            .sorted_rows(&graph.package, (&table, &gone), Some(graph.stuck()), update.as_ref(), filter)
            .into_iter();
        let rows = rows.map(|shows| match shows {
            VisibleRow::Table(row) => graph.package.short_name(&table.rows[row].installed.name),
            VisibleRow::Removed(row) => format!("-{}", gone[row].installed.name),
        });
        rows.collect()
    }

    fn sample_graph() -> PackageGraph {
        // 1.5.0 is a dead end, only v1 upgrades 1.0.0, and 4.0.0 is in another channel.
        graph_from_channels(&[
            (
                "c",
                "3.0.0 replaces=2.0.0 skips=2.5.0\n2.5.0 skips=1.5.0\n2.0.0 replaces=1.0.0\n1.5.0\n1.0.0 max=4.18",
            ),
            ("d", "4.0.0\n2.8.0 replaces=1.0.0"),
        ])
    }

    #[test]
    fn rows_outside_channel_are_last_in_every_order() {
        let mut view = UpgradesView::default();
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push((view.sort, row_names(&sample_graph(), &view, "").join(" ")));
            view.cycle_sort();
        }
        assert_eq!(view, UpgradesView::default(), "once round");
        let seen: Vec<(SortOrder, &str)> = seen.iter().map(|(sort, rows)| (*sort, rows.as_str())).collect();
        assert_eq!(
            seen,
            [
                (SortOrder::Installed, "3.0.0 2.5.0 2.0.0 1.5.0 1.0.0 4.0.0 2.8.0"),
                (SortOrder::Installed, "1.0.0 1.5.0 2.0.0 2.5.0 3.0.0 2.8.0 4.0.0"),
                (SortOrder::Trouble, "1.5.0 1.0.0 3.0.0 2.5.0 2.0.0 4.0.0 2.8.0"),
                (SortOrder::ClassicHops, "1.0.0 2.5.0 2.0.0 3.0.0 1.5.0 4.0.0 2.8.0"),
                (SortOrder::V1Next, "2.5.0 2.0.0 1.0.0 1.5.0 3.0.0 4.0.0 2.8.0"),
            ]
        );
        view.sort_by(SortOrder::Trouble);
        view.sort_by(SortOrder::Trouble);
        assert!(view.is_reversed, "a second click turns it round");
        view.sort_by(SortOrder::V1Next);
        assert!(!view.is_reversed);
    }

    #[test]
    fn removed_bundle_is_at_position_of_its_version() {
        let view = UpgradesView::default();
        assert_eq!(
            row_names(&sample_graph(), &view, "gone").join(" "),
            "3.0.0 2.5.0 -p.v2.2.0 2.0.0 1.5.0 1.0.0 4.0.0 2.8.0"
        );
    }

    #[test]
    fn differences_and_filter_combine() {
        let view = UpgradesView { only_differences: true, ..UpgradesView::default() };
        assert_eq!(row_names(&sample_graph(), &view, ""), ["1.5.0", "1.0.0"]);
        assert_eq!(row_names(&sample_graph(), &view, "v1.5"), ["1.5.0"]);
        assert!(row_names(&sample_graph(), &view, "v3").is_empty());
    }

    #[test]
    fn filter_finds_stuck_versions() {
        let graph = graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0"), ("d", "0.8.0")]);
        assert_eq!(row_names(&graph, &UpgradesView::default(), "stuck"), ["0.8.0"]);
    }

    #[test]
    fn blocker_without_upgrade_counts_as_trouble() {
        let graph = graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0"), ("d", "0.9.0")]);
        let quiet = UpgradesView { sort: SortOrder::Trouble, ..UpgradesView::default() };
        assert_eq!(row_names(&graph, &quiet, "")[0], "2.0.0");
        let graph = graph_from_channels(&[("c", "2.0.0 replaces=1.0.0\n1.0.0 max=4.18"), ("d", "0.9.0")]);
        assert_eq!(
            row_names_on(&graph, &quiet, OpenShift::parse("4.18").ok(), ""),
            ["1.0.0", "2.0.0", "0.9.0"]
        );
    }
}
