//! What-if: edits that all screens show but that are not applied until the user applies or drops
//! them.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    app::{
        keys::{ActionId, spec::Reason},
        session::{
            Session,
            cx::{Cx, See},
        },
        work::preview::Outcome,
    },
    catalog::{BundleName, PackageName},
    edit::{self, Edit, EditError},
    review::{Consequences, Snapshot},
};

/// Returns the reason why other edits are blocked.
pub(in crate::app) fn in_the_way(see: &See<'_>) -> Reason {
    let (keep, drop) = (see.key(ActionId::WhatIfKeep), see.key(ActionId::WhatIfDrop));
    format!("a what-if is active: {keep} applies it, {drop} drops it")
}

/// Edits of a what-if with their result.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The edits in order.
    pub edits: Vec<Edit>,
    /// State after the edits.
    pub state: Arc<Snapshot>,
    /// Changes in meaning.
    pub consequences: Consequences,
    /// Number of bundles that the edits remove.
    pub left_out: usize,
}

impl WhatIf {
    /// Applies edits to a state. `None` if there are no edits.
    fn of(real: &Snapshot, edits: Vec<Edit>) -> Result<Option<Self>, EditError> {
        let mut catalog = None;
        for edit in &edits {
            catalog = Some(edit::apply(catalog.as_ref().unwrap_or(&real.catalog), edit)?);
        }
        Ok(catalog.map(|catalog| {
            let state = Arc::new(real.after(catalog));
            let consequences = Consequences::between(real, &state);
            let left_out = all_left_out(real, &state);
            Self { edits, state, consequences, left_out }
        }))
    }

    /// Creates a what-if from one edit whose result is known.
    fn known(real: &Snapshot, outcome: &Outcome) -> Self {
        Self {
            edits: vec![outcome.edit.clone()],
            state: outcome.after.clone(),
            consequences: outcome.consequences.clone(),
            left_out: all_left_out(real, &outcome.after),
        }
    }

    /// Returns the number of installed versions whose upgrade target changes under either OLM
    /// version.
    fn moved(&self) -> usize {
        let moved = self.consequences.moved.iter().map(|moved| (&moved.package, &moved.installed));
        moved.collect::<BTreeSet<_>>().len()
    }

    /// Returns the edits as one edit.
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

/// Returns the number of removed bundles.
fn all_left_out(before: &Snapshot, after: &Snapshot) -> usize {
    after.touched(before).into_iter().map(|name| left_out(before, after, name)).sum()
}

/// Returns the number of removed bundles of a package.
fn left_out(before: &Snapshot, after: &Snapshot, package: &PackageName) -> usize {
    let Some(before) = before.package(package.as_str()) else { return 0 };
    let is_left = |name: &BundleName| {
        after.package(package.as_str()).is_some_and(|judged| judged.package().bundle(name.as_str()).is_some())
    };
    before.package().bundles.iter().filter(|bundle| !is_left(&bundle.name.value)).count()
}

/// Adds an edit to the what-if.
pub(in crate::app) fn suppose(cx: &mut Cx<'_>, edit: Edit) -> Result<(), Reason> {
    suppose_knowing(cx, edit, None)
}

/// Adds an edit with a known result to the what-if. Reports the reason if that is not possible.
pub(in crate::app) fn suppose_known(cx: &mut Cx<'_>, outcome: &Outcome) {
    if let Err(reason) = suppose_knowing(cx, outcome.edit.clone(), Some(outcome)) {
        cx.notices.refused(reason);
    }
}

fn suppose_knowing(cx: &mut Cx<'_>, edit: Edit, known: Option<&Outcome>) -> Result<(), Reason> {
    let title = edit.title();
    // Reading and writing replace the state, which would silently drop the what-if.
    if let Some(busy) = cx.session.busy {
        return Err(busy.reason().to_owned());
    }
    let Some(open) = cx.session.catalog_mut() else { return Err("no catalog is open".to_owned()) };
    open.what_if = match (open.what_if.as_ref(), known) {
        // For large catalogs this is too slow to compute twice.
        (None, Some(outcome)) => Some(WhatIf::known(open.history.now(), outcome)),
        (before, _) => {
            let mut edits = before.map(|what_if| what_if.edits.clone()).unwrap_or_default();
            edits.push(edit);
            WhatIf::of(open.history.now(), edits).map_err(|error| error.to_string())?
        }
    };
    let (moved, left_out) = open.what_if.as_ref().map(|w| (w.moved(), w.left_out)).unwrap_or_default();
    let gone = match left_out {
        0 => String::new(),
        1 => ", 1 bundle removed".to_owned(),
        gone => format!(", {gone} bundles removed"),
    };
    let moved = match moved {
        0 => "no version changes its upgrade target".to_owned(),
        1 => "1 version changes its upgrade target".to_owned(),
        moved => format!("{moved} versions change their upgrade target"),
    };
    cx.notices.done(format!("what if: {moved}{gone}: {title}"));
    cx.session.settle();
    Ok(())
}

/// Adds an edit to the what-if. Reports the reason if that is not possible.
pub(in crate::app) fn suppose_at_once(cx: &mut Cx<'_>, edit: Edit) {
    if let Err(reason) = suppose(cx, edit) {
        cx.notices.refused(reason);
    }
}

/// Removes the last edit of the what-if.
pub(in crate::app) fn take_back(cx: &mut Cx<'_>) {
    let Some(open) = cx.session.catalog_mut() else { return };
    let Some(mut what_if) = open.what_if.take() else { return };
    let Some(last) = what_if.edits.pop() else { return };
    // The remaining edits were applied before, so they can be applied again.
    open.what_if = WhatIf::of(open.history.now(), what_if.edits).ok().flatten();
    cx.notices.done(format!("what-if undone: {}", last.title()));
    cx.session.settle();
}

/// Ends the what-if and returns all its edits as one edit.
pub(in crate::app) fn ended(session: &mut Session) -> Option<Outcome> {
    let what_if = session.catalog_mut().and_then(|open| open.what_if.take())?;
    let edit = what_if.kept()?;
    let WhatIf { state: after, consequences, .. } = what_if;
    Some(Outcome { edit, after, consequences })
}

/// Turns the what-if into an edit, if this state of it was written.
pub(in crate::app) fn became_real(session: &mut Session, catalog: usize, written: &Arc<Snapshot>) {
    let Some(open) = session.open.get_mut(catalog) else { return };
    let is_it = open.what_if.as_ref().is_some_and(|what_if| Arc::ptr_eq(&what_if.state, written));
    if let Some(what_if) = open.what_if.take_if(|_| is_it)
        && let Some(edit) = what_if.kept()
    {
        open.history.push(what_if.state, edit);
    }
}

/// Drops the what-if.
pub(in crate::app) fn forget(cx: &mut Cx<'_>) {
    if cx.session.catalog_mut().and_then(|open| open.what_if.take()).is_some() {
        cx.notices.done("what-if dropped");
    }
    cx.session.settle();
}
