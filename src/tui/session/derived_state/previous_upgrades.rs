//! Earlier upgrades of installed bundles: without the what-if, or in the base.

use std::collections::{BTreeMap, HashMap};

use crate::tui::{
    parts::memo::{Memo, SharedRef},
    session::derived_state::DerivedState,
};
use olm_catalog::{BundleName, ChannelName};
use olm_check::review::PackageState;
use olm_upgrade::{
    table::{NextUpgrade, PathEnd, UpgradeRow, UpgradeTable},
    v1::Query,
};

use super::TableKey;

/// Cache of earlier upgrades, keyed by the earlier package and the current table.
pub(super) type PreviousUpgradeCache = Memo<(SharedRef<PackageState>, TableKey), PreviousUpgrades>;

/// Earlier upgrades of a package.
#[derive(Debug, Default)]
pub(in crate::tui) struct PreviousUpgrades {
    /// Bundles whose upgrades changed.
    changed: BTreeMap<BundleName, PreviousUpgrade>,
    /// Current upgrades of removed bundles, highest version first.
    pub(super) removed: Vec<UpgradeRow>,
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
    /// Returns the parts of a row that changed.
    fn from_rows(was: &UpgradeRow, now: &UpgradeRow) -> Self {
        let next = |was: &NextUpgrade, now: &NextUpgrade| (was != now).then(|| was.clone());
        let flag = |is_same: bool, was: bool, now: bool| (is_same && was != now).then_some(was);
        let end = |is_same: bool, was: &PathEnd, now: &PathEnd| {
            (is_same && was.name != now.name).then(|| was.name.clone())
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
/// query for v1.
pub(in crate::tui) fn compare_upgrades(
    real: &PackageState,
    supposed: &PackageState,
    channel: &ChannelName,
    query: &Query,
    with: EarlierState,
) -> PreviousUpgrades {
    // The package is unchanged.
    if std::ptr::eq(real, supposed) {
        return PreviousUpgrades::default();
    }
    let [before, after] =
        [real, supposed].map(|package_state| UpgradeTable::new(&package_state.graph, channel, query));
    let left = before.rows.iter().filter(|row| after.find_row(&row.installed.name).is_none());
    let left = left.map(|row| (row.installed.clone(), row.in_channel)).collect();
    let gone =
        if with == EarlierState::Base { after.rows_of_others(&supposed.graph, left) } else { Vec::new() };
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
            EarlierState::Base => PreviousUpgrade::from_rows(was, now),
        };
        (was != PreviousUpgrade::default()).then(|| (now.installed.name.clone(), was))
    });
    PreviousUpgrades { changed: rows.collect(), removed: gone }
}
