//! What installed bundles did before: without what is supposed, or in what one compares with.

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

/// By the package before, and by the present one with channel and query.
pub(super) type Compared = Memo<(Same<Judged>, TableKey), Before>;

/// What was before.
#[derive(Debug, Default)]
pub(in crate::app) struct Before {
    /// Of bundles that fared otherwise.
    was: BTreeMap<BundleName, Was>,
    /// What happens now to those whose bundle is gone from the package, the highest version first.
    pub(super) gone: Vec<UpgradeRow>,
}

impl Answers {
    /// What a bundle really does, where a what-if sends it elsewhere, or did in what one compares with: in the channel the
    /// screen is about.
    pub fn was(&self, bundle: &BundleName) -> Option<&Was> {
        self.was.value.was.get(bundle)
    }

    /// How many bundles of the package a what-if sends elsewhere, or fare otherwise in what one compares with.
    pub fn sent_elsewhere(&self) -> usize {
        self.was.value.was.len()
    }
}

/// What an installed bundle did before anything was supposed, or in what one compares with, where it did something else.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Was {
    /// Under Classic.
    pub classic: Option<Next>,
    /// Under v1.
    pub v1: Option<Next>,
    /// Where upgrades ended under Classic, where the next one is the same.
    pub classic_end: Option<BundleName>,
    /// The same under v1.
    pub v1_end: Option<BundleName>,
    /// Whether it was a dead end under Classic, where that is another answer and the next upgrade the same.
    pub dead_end: Option<bool>,
    /// Whether v1 left the channel, where that is another answer and the next upgrade the same.
    pub escapes: Option<bool>,
}

impl Was {
    /// What a row said that says something else now.
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

/// What answers are compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::app) enum With {
    /// The catalog as it is: what is supposed moves somebody at once, or not.
    Supposed,
    /// Another state: where upgrades end counts too.
    Base,
}

/// The bundles of a package that go elsewhere than they really do, Classic in a channel and v1 by a query.
pub(in crate::app) fn compare(
    real: &Judged,
    supposed: &Judged,
    channel: &ChannelName,
    query: &Query,
    with: With,
) -> Before {
    // Nothing of it was touched.
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
