//! Cached data that is derived from the selection and used by several screens.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::tui::{
    keys::Screen,
    parts::memo::{Memo, SharedRef},
    session::{
        Session, UpgradeQuery,
        accepted_findings::AcceptanceCache,
        catalogs::Catalogs,
        cluster_members::{ClusterResolution, ClusterUpgrade, MemberStates},
        jobs::base_comparison::installed_bundle,
        navigation::Selection,
        upgrade_expectations::ExpectationReports,
    },
    work::comparison::{ChangeMarks, Comparison, RemovedEntry},
};
use olm_catalog::{BundleName, ChannelName, PackageName, details::BundleDetails};
use olm_check::review::{PackageState, Snapshot, diff::ChangeKind, expect};
use olm_upgrade::{
    Answer,
    table::{NextUpgrade, PathEnd, UpgradeRow, UpgradeTable},
    v1::Query,
};

/// Upgrades of the selected bundle under both OLM versions.
#[derive(Clone, Debug, Default)]
pub struct SelectedUpgrades {
    /// Classic, in the selected or subscribed channel.
    pub classic: Option<Answer>,
    /// v1, with the current query, in this catalog alone.
    pub v1: Option<Answer>,
    /// v1 over the catalogs of the cluster, if the catalog is a member.
    pub cluster: Option<Box<ClusterUpgrade>>,
}

impl SelectedUpgrades {
    /// Returns the answers for this catalog alone that hold. That of v1 does not if v1 chooses between the
    /// catalogs of a cluster.
    pub fn catalog_answers(&self) -> impl Iterator<Item = &Answer> {
        let v1 = self.v1.as_ref().filter(|_| self.cluster.is_none());
        self.classic.iter().chain(v1)
    }
}

type TableKey = (SharedRef<PackageState>, Option<ChannelName>, Query);
type PicksKey = (
    SharedRef<PackageState>,
    SharedRef<PackageState>,
    Option<ChannelName>,
    Option<BundleName>,
    Query,
    SharedRef<ClusterResolution>,
);
/// Content of the members, package and query.
type ClusterKey = (Option<MemberStates>, Option<PackageName>, Query);

/// Table of the catalog alone, and the answers over the catalogs of the cluster.
type ClusterTableKey = (SharedRef<UpgradeTable>, SharedRef<ClusterResolution>);

/// Change marks of the entries of a channel.
type EntryMarks = Memo<(SharedRef<Comparison>, Option<PackageName>, Option<ChannelName>), Arc<ChangeMarks>>;

/// Changes by unsaved edits, keyed by the loaded and the current state.
type Edits = Memo<(SharedRef<Snapshot>, SharedRef<Snapshot>), Option<Arc<Comparison>>>;

/// Cached derived data. `Session::derive` updates it.
#[derive(Debug, Default)]
pub struct DerivedState {
    other_bundles: Memo<(SharedRef<PackageState>, Option<ChannelName>), bool>,
    table: Memo<TableKey, Option<Arc<UpgradeTable>>>,
    cluster: Memo<ClusterKey, Option<Arc<ClusterResolution>>>,
    cluster_table: Memo<ClusterTableKey, Option<Arc<UpgradeTable>>>,
    previous: PreviousUpgradeCache,
    details: Memo<(SharedRef<PackageState>, Option<BundleName>), Option<BundleDetails>>,
    picks: Memo<PicksKey, SelectedUpgrades>,
    expected: ExpectationReports,
    accepted: AcceptanceCache,
    edits: Edits,
    marks: EntryMarks,
    package_marks: Memo<(SharedRef<Comparison>, Option<PackageName>), Arc<ChangeMarks>>,
}

impl DerivedState {
    /// Returns the upgrade table of the package. On the Upgrades screen, the answers of v1 are those over the
    /// catalogs of the cluster, if the catalog is a member.
    pub fn upgrade_table(&self) -> Option<&Arc<UpgradeTable>> {
        self.cluster_table.value.as_ref().or(self.catalog_table())
    }

    /// Returns the upgrade table of the package for this catalog alone.
    pub fn catalog_table(&self) -> Option<&Arc<UpgradeTable>> {
        self.table.value.as_ref()
    }

    /// Returns v1's answers about the package over the catalogs of the cluster, if the catalog is a member.
    pub fn cluster_resolution(&self) -> Option<&Arc<ClusterResolution>> {
        self.cluster.value.as_ref()
    }

    /// Returns the details of the selected bundle.
    pub fn details(&self) -> Option<&BundleDetails> {
        self.details.value.as_ref()
    }

    /// Returns the upgrades of the selected bundle.
    pub fn selected_upgrades(&self) -> &SelectedUpgrades {
        &self.picks.value
    }

    /// Returns the report on the upgrade expectations. `None` if there are no expectations.
    pub fn expectation_report(&self) -> Option<&expect::ExpectationReport> {
        self.expected.report()
    }

    /// Returns the rows of the expectations that unsaved edits break.
    pub fn broken_expectations(&self) -> Vec<usize> {
        self.expected.newly_failing_rows()
    }

    /// Returns the accepted findings.
    pub(in crate::tui) fn acceptance(&self) -> &AcceptanceCache {
        &self.accepted
    }

    /// Returns the changes by unsaved edits. `None` if the catalog is compared with a base.
    pub(in crate::tui) fn edit_comparison(&self) -> Option<&Arc<Comparison>> {
        self.edits.value.as_ref()
    }

    /// Returns the change marks of the entries of the screen's channel.
    pub fn marks(&self) -> &Arc<ChangeMarks> {
        &self.marks.value
    }

    /// Returns the change marks of the package's entries over all channels.
    pub fn package_marks(&self) -> &Arc<ChangeMarks> {
        &self.package_marks.value
    }

    /// Returns the upgrades of installed bundles that the package no longer has.
    pub fn removed_bundle_upgrades(&self) -> &[UpgradeRow] {
        &self.previous.value.removed
    }

    /// Returns the change of an entry of the selected channel.
    pub fn entry_change(&self, name: &BundleName) -> Option<ChangeKind> {
        self.marks().entry_change(name)
    }

    /// Returns a removed entry of the selected channel, or a removed bundle of the package.
    pub fn removed_entry(&self, name: &BundleName) -> Option<&RemovedEntry> {
        self.marks().removed_entry(name).or_else(|| self.package_marks().removed_entry(name))
    }

    /// See [`Session::mark_comparison`].
    pub(super) fn mark_comparison<'a>(&'a self, catalogs: &'a Catalogs) -> Option<&'a Arc<Comparison>> {
        if catalogs.base().is_some() { catalogs.comparison() } else { self.edit_comparison() }
    }

    /// Recomputes the values whose inputs changed.
    pub(super) fn update(&mut self, catalogs: &Catalogs, screen: Screen, query: &UpgradeQuery) {
        let (snapshot, package) = (catalogs.snapshot(), catalogs.selected_package());
        let edited = catalogs.loaded_state_if_edited();
        let key = (SharedRef::from_shared(edited), SharedRef::from_shared(edited.and(snapshot)));
        self.edits.update(key, |_| {
            let (before, after) = (edited?, snapshot?);
            Some(Arc::new(Comparison::from_edits(Arc::clone(before), Arc::clone(after))))
        });
        let comparison = self.mark_comparison(catalogs).cloned();
        let comparison = comparison.as_ref();
        let Selection { package: name, channel, bundle } = catalogs.selection();
        let subscribed = query.subscribed_channel(catalogs.selection());
        let about = if screen == Screen::Upgrades { subscribed } else { channel.as_ref() };
        self.other_bundles.update((SharedRef::from_shared(package), channel.clone()), |(_, channel)| {
            package
                .zip(channel.as_ref())
                .is_some_and(|(package, channel)| has_bundles_outside_channel(package, channel))
        });
        let key = (SharedRef::from_shared(package), subscribed.cloned(), query.query.clone());
        self.table.update(key, |(_, channel, query)| {
            let (package, channel) = (package?, channel.as_ref()?);
            Some(Arc::new(UpgradeTable::new(&package.graph, channel, query)))
        });
        self.update_cluster(catalogs, screen, &query.query);
        let cluster = self.cluster.value.clone();
        let cluster = cluster.as_ref();
        // A what-if takes precedence over the base.
        let base = catalogs.mark_base_package();
        let (before, with) = if catalogs.what_if().is_some() {
            (catalogs.package_without_what_if(), EarlierState::WithoutWhatIf)
        } else {
            (base, EarlierState::Base)
        };
        let key = (
            SharedRef::from_shared(before),
            (SharedRef::from_shared(package), about.cloned(), query.query.clone()),
            SharedRef::from_shared(cluster),
        );
        let states = self.cluster.key().and_then(|(states, ..)| states.as_ref());
        self.previous.update(key, |(_, (_, channel, query), _)| match (before, package, channel) {
            (Some(before), Some(now), Some(channel)) => {
                // Only the current catalog was different before.
                let name = catalogs.current().and_then(|open| catalogs.properties_on_cluster(&open.source));
                let earlier = states.zip(name).map(|(states, own)| {
                    states.resolve_package(&now.package().name, query, Some((&own.name, before)))
                });
                let resolvers = earlier.as_ref().zip(cluster.map(Arc::as_ref));
                compare_upgrades((before, now), channel, query, with, resolvers)
            }
            _ => PreviousUpgrades::default(),
        });
        let key = (SharedRef::from_shared(comparison), name.clone(), about.cloned());
        self.marks.update(key, |(_, package, channel)| {
            let wanted = comparison.zip(package.as_ref()).zip(channel.as_ref());
            let marks = wanted.map(|((of, package), channel)| ChangeMarks::for_channel(of, package, channel));
            marks.map(Arc::new).unwrap_or_default()
        });
        self.package_marks.update((SharedRef::from_shared(comparison), name.clone()), |(_, package)| {
            let wanted = comparison.zip(package.as_ref());
            wanted.map(|(of, package)| Arc::new(ChangeMarks::for_package(of, package))).unwrap_or_default()
        });
        self.details.update((SharedRef::from_shared(package), bundle.clone()), |(_, bundle)| {
            let blob = package?.package().bundle(bundle.as_ref()?.as_str())?;
            let tree = snapshot?.catalog.parse_document(blob.doc)?.ok()?;
            Some(BundleDetails::from_bundle(&tree))
        });
        let key = (
            SharedRef::from_shared(package),
            SharedRef::from_shared(base),
            subscribed.cloned(),
            bundle.clone(),
            query.query.clone(),
            SharedRef::from_shared(cluster),
        );
        self.picks.update(key, |(_, _, channel, bundle, query, _)| match (package, bundle) {
            (Some(package), Some(bundle)) => {
                let installed = installed_bundle(package, base.map(Arc::as_ref), bundle);
                SelectedUpgrades {
                    classic: channel
                        .as_ref()
                        .map(|c| package.graph.resolve_classic(c.as_str(), Some(&installed))),
                    v1: Some(package.graph.resolve_v1(query, Some(&installed))),
                    cluster: cluster
                        .map(|cluster| Box::new(cluster.resolve_upgrade(package.package(), &installed))),
                }
            }
            _ => SelectedUpgrades::default(),
        });
        self.expected.update(screen, catalogs.current());
        self.accepted.update(catalogs.current());
    }

    /// Recomputes v1's answers over the catalogs of the cluster. The table takes one resolution a row, so only the
    /// screen that shows it needs it.
    fn update_cluster(&mut self, catalogs: &Catalogs, screen: Screen, query: &Query) {
        let states = catalogs.current_member_states();
        let name = catalogs.selection().package.clone().filter(|_| states.is_some());
        self.cluster.update((states, name, query.clone()), |(states, name, query)| {
            Some(Arc::new(states.as_ref()?.resolve_package(name.as_ref()?, query, None)))
        });
        let cluster = self.cluster.value.as_ref().filter(|_| screen == Screen::Upgrades);
        let table = self.table.value.as_ref();
        let key =
            (SharedRef::from_shared(table.filter(|_| cluster.is_some())), SharedRef::from_shared(cluster));
        self.cluster_table.update(key, |_| {
            let (table, package) = (table?, catalogs.selected_package()?);
            Some(Arc::new(table.with_cluster(&package.graph, &cluster?.resolver)))
        });
    }
}

impl Session {
    /// Returns true if a package has bundles that are not entries of a channel.
    pub(in crate::tui) fn has_other_bundles(
        &self,
        package: &Arc<PackageState>,
        channel: &ChannelName,
    ) -> bool {
        // Called for each frame, mostly for the selected channel.
        let is_selected = self.selection().channel.as_ref() == Some(channel)
            && self.selected_package().is_some_and(|selected| Arc::ptr_eq(selected, package));
        if is_selected {
            self.derived.other_bundles.value
        } else {
            has_bundles_outside_channel(package, channel)
        }
    }
}

fn has_bundles_outside_channel(package: &PackageState, channel: &ChannelName) -> bool {
    let channel = package.graph.channel(channel.as_str());
    let is_entry =
        |name: &BundleName| channel.is_some_and(|channel| channel.graph.entry_named(name.as_str()).is_some());
    package.package().bundles.iter().any(|bundle| !is_entry(&bundle.name.value))
}

/// Cache of earlier upgrades, keyed by the earlier package, the current table, and the answers over the catalogs
/// of the cluster.
type PreviousUpgradeCache =
    Memo<(SharedRef<PackageState>, TableKey, SharedRef<ClusterResolution>), PreviousUpgrades>;

/// Earlier upgrades of a package.
#[derive(Debug, Default)]
pub(in crate::tui) struct PreviousUpgrades {
    /// Bundles whose upgrades changed.
    changed: BTreeMap<BundleName, PreviousUpgrade>,
    /// Current upgrades of removed bundles, highest version first.
    removed: Vec<UpgradeRow>,
}

impl DerivedState {
    /// Returns the earlier upgrades of a bundle in the screen's channel, if they differ from the
    /// current ones.
    pub fn previous_upgrade(&self, bundle: &BundleName) -> Option<&PreviousUpgrade> {
        self.previous.value.changed.get(bundle)
    }

    /// Returns the number of bundles whose upgrades changed.
    pub fn changed_upgrade_count(&self) -> usize {
        self.previous.value.changed.len()
    }
}

/// Parts of a bundle's earlier upgrade that differ from the current one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PreviousUpgrade {
    /// Next version under Classic.
    pub classic: Option<NextUpgrade>,
    /// Next version under v1.
    pub v1: Option<NextUpgrade>,
    /// End of the upgrade path under Classic, if the next version is unchanged.
    pub classic_end: Option<BundleName>,
    /// End of the upgrade path under v1, if the next version is unchanged.
    pub v1_end: Option<BundleName>,
    /// Dead end under Classic, if the flag changed and the next version did not.
    pub dead_end: Option<bool>,
    /// Leaving the channel under v1, if the flag changed and the next version did not.
    pub escapes: Option<bool>,
}

impl PreviousUpgrade {
    /// Returns the parts of a row that changed. A path that ends at the head of the channel before
    /// and after is unchanged, even if the channel has a new head.
    ///
    /// * `heads` - head of the channel before and after.
    fn from_rows(was: &UpgradeRow, now: &UpgradeRow, heads: [Option<&BundleName>; 2]) -> Self {
        let next = |was: &NextUpgrade, now: &NextUpgrade| (was != now).then(|| was.clone());
        let flag = |is_same: bool, was: bool, now: bool| (is_same && was != now).then_some(was);
        let end = |is_same: bool, was: &PathEnd, now: &PathEnd| {
            let at_heads = [Some(&was.name), Some(&now.name)] == heads;
            (is_same && was.name != now.name && !at_heads).then(|| was.name.clone())
        };
        let (classic, v1) = (next(&was.classic, &now.classic), next(&was.v1, &now.v1));
        let (same, v1_same) = (classic.is_none(), v1.is_none());
        Self {
            classic_end: end(same, &was.classic_end, &now.classic_end),
            v1_end: end(v1_same, &was.v1_end, &now.v1_end),
            dead_end: flag(same, was.dead_end, now.dead_end),
            escapes: flag(v1_same, was.leaves_channel, now.leaves_channel),
            classic,
            v1,
        }
    }
}

/// Kind of the earlier state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tui) enum EarlierState {
    /// The catalog without the what-if. Only the next version counts.
    WithoutWhatIf,
    /// The base of a comparison. The end of the upgrade path counts too.
    Base,
}

/// Returns the bundles of a package whose upgrades changed, in a channel for Classic and with a
/// query for v1. With `resolvers`, v1 answers over the catalogs of a cluster, before and now.
pub(in crate::tui) fn compare_upgrades(
    (real, supposed): (&PackageState, &PackageState),
    channel: &ChannelName,
    query: &Query,
    with: EarlierState,
    resolvers: Option<(&ClusterResolution, &ClusterResolution)>,
) -> PreviousUpgrades {
    // The package is unchanged.
    if std::ptr::eq(real, supposed) {
        return PreviousUpgrades::default();
    }
    let [mut before, mut after] =
        [real, supposed].map(|package_state| UpgradeTable::new(&package_state.graph, channel, query));
    if let Some((earlier, now)) = resolvers {
        before = before.with_cluster(&real.graph, &earlier.resolver);
        after = after.with_cluster(&supposed.graph, &now.resolver);
    }
    let left = before.rows.iter().filter(|row| after.find_row(&row.installed.name).is_none());
    let left = left.map(|row| (row.installed.clone(), row.in_channel)).collect();
    let mut gone =
        if with == EarlierState::Base { after.rows_of_others(&supposed.graph, left) } else { Vec::new() };
    if let Some((_, now)) = resolvers {
        now.resolver.fill_rows(&mut gone, &supposed.graph, channel);
    }
    let heads = [real, supposed]
        .map(|package_state| Some(&package_state.graph.channel(channel.as_str())?.graph.head()?.name));
    let before: HashMap<_, _> =
        before.rows.into_iter().map(|row| (row.installed.name.clone(), row)).collect();
    let rows = after.rows.iter().chain(&gone).filter_map(|now| {
        let was = before.get(&now.installed.name)?;
        let other = |was: &NextUpgrade, now: &NextUpgrade| (was != now).then(|| was.clone());
        let was = match with {
            EarlierState::WithoutWhatIf => PreviousUpgrade {
                classic: other(&was.classic, &now.classic),
                v1: other(&was.v1, &now.v1),
                ..PreviousUpgrade::default()
            },
            EarlierState::Base => PreviousUpgrade::from_rows(was, now, heads),
        };
        (was != PreviousUpgrade::default()).then(|| (now.installed.name.clone(), was))
    });
    PreviousUpgrades { changed: rows.collect(), removed: gone }
}
