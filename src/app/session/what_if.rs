//! What if: edits that are looked at in every answer and made nowhere, until one keeps or drops them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use crate::app::{
    keys::{ActionId, spec::Reason},
    session::{editing as edit_flow, model::Model, outcome::Outcome},
};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    edit::{self, Edit, EditError},
    review::{Consequences, Judged, Snapshot},
    upgrade::{
        UpgradeRow, UpgradeTable,
        table::{Next, PathEnd},
        v1::Query,
    },
};

/// Why nothing else can be edited meanwhile.
pub(in crate::app) fn in_the_way(model: &Model) -> Reason {
    let (keep, drop) = (model.key(ActionId::WhatIfKeep), model.key(ActionId::WhatIfDrop));
    format!("a what-if is on: {keep} keeps it, {drop} drops it")
}

/// Edits that are supposed.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The edits, in order.
    pub edits: Vec<Edit>,
    /// What they lead to.
    pub state: Arc<Snapshot>,
    /// What that changes.
    pub consequences: Consequences,
    /// How many bundles they leave out.
    pub left_out: usize,
}

impl WhatIf {
    /// Works out what edits of a state would lead to; none, where there are none.
    fn of(real: &Snapshot, edits: Vec<Edit>) -> Result<Option<Self>, EditError> {
        let mut catalog = None;
        for edit in &edits {
            catalog = Some(edit::apply(catalog.as_ref().unwrap_or(&real.catalog), edit)?);
        }
        Ok(catalog.map(|catalog| {
            let state = Arc::new(real.after(catalog));
            let consequences = Consequences::between(real, &state);
            let left_out = state.touched(real).into_iter().map(|name| left_out(real, &state, name)).sum();
            Self { edits, state, consequences, left_out }
        }))
    }

    /// How many installed versions come to something else, under one OLM or the other.
    fn moved(&self) -> usize {
        let moved = self.consequences.moved.iter().map(|moved| (&moved.package, &moved.installed));
        moved.collect::<BTreeSet<_>>().len()
    }

    /// The suppositions as one edit.
    fn kept(&self) -> Option<Edit> {
        match self.edits.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            [first, rest @ ..] => {
                let title = format!("{} and {} more", first.title(), rest.len());
                Some(Edit::Several { title, edits: self.edits.clone() })
            }
        }
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
) -> BTreeMap<BundleName, Was> {
    let [before, after] = [real, supposed].map(|judged| UpgradeTable::new(&judged.graph, channel, query));
    let before: HashMap<_, _> =
        before.rows.into_iter().map(|row| (row.installed.name.clone(), row)).collect();
    let rows = after.rows.into_iter().filter_map(|now| {
        let was = before.get(&now.installed.name)?;
        let other = |was: &Next, now: &Next| (was != now).then(|| was.clone());
        let was = match with {
            With::Supposed => Was {
                classic: other(&was.classic, &now.classic),
                v1: other(&was.v1, &now.v1),
                ..Was::default()
            },
            With::Base => Was::between(was, &now),
        };
        (was != Was::default()).then_some((now.installed.name, was))
    });
    rows.collect()
}

/// How many bundles of a package are there no more.
fn left_out(before: &Snapshot, after: &Snapshot, package: &PackageName) -> usize {
    let Some(before) = before.package(package.as_str()) else { return 0 };
    let is_left = |name: &BundleName| {
        after.package(package.as_str()).is_some_and(|judged| judged.package().bundle(name.as_str()).is_some())
    };
    before.package().bundles.iter().filter(|bundle| !is_left(&bundle.name.value)).count()
}

/// Supposes one edit more.
pub(in crate::app) fn suppose(model: &mut Model, edit: Edit) -> Result<(), Reason> {
    let title = edit.title();
    // What is read or written replaces the state: what is supposed of this one would be lost without a word.
    if let Some(busy) = model.busy {
        return Err(busy.reason().to_owned());
    }
    let Some(open) = model.catalog_mut() else { return Err("no catalog is open".to_owned()) };
    let mut edits = open.what_if.as_ref().map(|what_if| what_if.edits.clone()).unwrap_or_default();
    edits.push(edit);
    open.what_if = WhatIf::of(open.history.now(), edits).map_err(|error| error.to_string())?;
    let (moved, left_out) = open.what_if.as_ref().map(|w| (w.moved(), w.left_out)).unwrap_or_default();
    let gone = match left_out {
        0 => String::new(),
        1 => ", 1 bundle left out".to_owned(),
        gone => format!(", {gone} bundles left out"),
    };
    let moved = match moved {
        0 => "no installed version goes elsewhere".to_owned(),
        1 => "1 installed version goes elsewhere".to_owned(),
        moved => format!("{moved} installed versions go elsewhere"),
    };
    model.notices.done(format!("supposed: {moved}{gone}: {title}"));
    model.settle();
    Ok(())
}

/// Supposes an edit that asks nothing more; says why it cannot be, where it cannot.
pub(in crate::app) fn suppose_at_once(model: &mut Model, edit: Edit) {
    if let Err(reason) = suppose(model, edit) {
        model.notices.refused(reason);
    }
}

/// Takes back the last supposition.
pub(in crate::app) fn take_back(model: &mut Model) {
    let Some(open) = model.catalog_mut() else { return };
    let Some(mut what_if) = open.what_if.take() else { return };
    let Some(last) = what_if.edits.pop() else { return };
    // They could be made before, so they can be made now.
    open.what_if = WhatIf::of(open.history.now(), what_if.edits).ok().flatten();
    model.notices.done(format!("no longer supposed: {}", last.title()));
    model.settle();
}

/// Makes one edit of all suppositions.
pub(in crate::app) fn keep(model: &mut Model) {
    let Some(what_if) = model.catalog_mut().and_then(|open| open.what_if.take()) else { return };
    if let Some(edit) = what_if.kept() {
        let WhatIf { state: after, consequences, .. } = what_if;
        edit_flow::accept(model, &Outcome { edit, after, consequences });
    }
}

/// Forgets all suppositions.
pub(in crate::app) fn forget(model: &mut Model) {
    if model.catalog_mut().and_then(|open| open.what_if.take()).is_some() {
        model.notices.done("the what-if is dropped: this is the catalog as it is");
    }
    model.settle();
}
