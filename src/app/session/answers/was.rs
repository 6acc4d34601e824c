//! Earlier upgrades of installed bundles: without the what-if, or in the base.

use std::collections::{BTreeMap, HashMap};

use crate::{
    app::{
        parts::memo::{Memo, Same},
        session::answers::Answers,
    },
    catalog::{BundleName, ChannelName},
    review::Judged,
    upgrade::{
        table::{Next, PathEnd, UpgradeRow, UpgradeTable},
        v1::Query,
    },
};

use super::TableKey;

/// Cache of earlier upgrades, keyed by the earlier package and the current table.
pub(super) type Compared = Memo<(Same<Judged>, TableKey), Before>;

/// Earlier upgrades of a package.
#[derive(Debug, Default)]
pub(in crate::app) struct Before {
    /// Bundles whose upgrades changed.
    was: BTreeMap<BundleName, Was>,
    /// Current upgrades of removed bundles, highest version first.
    pub(super) gone: Vec<UpgradeRow>,
}

impl Answers {
    /// Returns the earlier upgrades of a bundle in the screen's channel, if they differ from the
    /// current ones.
    pub fn was(&self, bundle: &BundleName) -> Option<&Was> {
        self.was.value.was.get(bundle)
    }

    /// Returns the number of bundles whose upgrades changed.
    pub fn sent_elsewhere(&self) -> usize {
        self.was.value.was.len()
    }
}

/// Parts of a bundle's earlier upgrade that differ from the current one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Was {
    /// Next version under Classic.
    pub classic: Option<Next>,
    /// Next version under v1.
    pub v1: Option<Next>,
    /// End of the upgrade path under Classic, if the next version is unchanged.
    pub classic_end: Option<BundleName>,
    /// End of the upgrade path under v1, if the next version is unchanged.
    pub v1_end: Option<BundleName>,
    /// Dead end under Classic, if the flag changed and the next version did not.
    pub dead_end: Option<bool>,
    /// Leaving the channel under v1, if the flag changed and the next version did not.
    pub escapes: Option<bool>,
}

impl Was {
    /// Returns the parts of a row that changed.
    fn between(was: &UpgradeRow, now: &UpgradeRow) -> Self {
        let next = |was: &Next, now: &Next| (was != now).then(|| was.clone());
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
            escapes: flag(v1_same, was.escapes, now.escapes),
            classic,
            v1,
        }
    }
}

/// Kind of the earlier state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::app) enum With {
    /// The catalog without the what-if. Only the next version counts.
    Supposed,
    /// The base of a comparison. The end of the upgrade path counts too.
    Base,
}

/// Returns the bundles of a package whose upgrades changed, in a channel for Classic and with a
/// query for v1.
pub(in crate::app) fn compare(
    real: &Judged,
    supposed: &Judged,
    channel: &ChannelName,
    query: &Query,
    with: With,
) -> Before {
    // The package is unchanged.
    if std::ptr::eq(real, supposed) {
        return Before::default();
    }
    let [before, after] = [real, supposed].map(|judged| UpgradeTable::new(&judged.graph, channel, query));
    let left = before.rows.iter().filter(|row| after.row(&row.installed.name).is_none());
    let left = left.map(|row| (row.installed.clone(), row.in_channel)).collect();
    let gone = if with == With::Base { after.of_others(&supposed.graph, left) } else { Vec::new() };
    let before: HashMap<_, _> =
        before.rows.into_iter().map(|row| (row.installed.name.clone(), row)).collect();
    let rows = after.rows.iter().chain(&gone).filter_map(|now| {
        let was = before.get(&now.installed.name)?;
        let other = |was: &Next, now: &Next| (was != now).then(|| was.clone());
        let was = match with {
            With::Supposed => Was {
                classic: other(&was.classic, &now.classic),
                v1: other(&was.v1, &now.v1),
                ..Was::default()
            },
            With::Base => Was::between(was, now),
        };
        (was != Was::default()).then(|| (now.installed.name.clone(), was))
    });
    Before { was: rows.collect(), gone }
}
