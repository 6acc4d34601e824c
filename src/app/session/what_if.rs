//! What if: edits that are looked at in every answer and made nowhere, until one keeps or drops them.

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

/// Why nothing else can be edited meanwhile.
pub(in crate::app) fn in_the_way(see: &See<'_>) -> Reason {
    let (keep, drop) = (see.key(ActionId::WhatIfKeep), see.key(ActionId::WhatIfDrop));
    format!("a what-if is active: {keep} applies it, {drop} drops it")
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
            let left_out = all_left_out(real, &state);
            Self { edits, state, consequences, left_out }
        }))
    }

    /// One edit of a state, of which it was worked out what it leads to.
    fn known(real: &Snapshot, outcome: &Outcome) -> Self {
        Self {
            edits: vec![outcome.edit.clone()],
            state: outcome.after.clone(),
            consequences: outcome.consequences.clone(),
            left_out: all_left_out(real, &outcome.after),
        }
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

/// How many bundles are there no more.
fn all_left_out(before: &Snapshot, after: &Snapshot) -> usize {
    after.touched(before).into_iter().map(|name| left_out(before, after, name)).sum()
}

/// The same of a package.
fn left_out(before: &Snapshot, after: &Snapshot, package: &PackageName) -> usize {
    let Some(before) = before.package(package.as_str()) else { return 0 };
    let is_left = |name: &BundleName| {
        after.package(package.as_str()).is_some_and(|judged| judged.package().bundle(name.as_str()).is_some())
    };
    before.package().bundles.iter().filter(|bundle| !is_left(&bundle.name.value)).count()
}

/// Supposes one edit more.
pub(in crate::app) fn suppose(cx: &mut Cx<'_>, edit: Edit) -> Result<(), Reason> {
    suppose_knowing(cx, edit, None)
}

/// Supposes what an edit leads to, which was worked out; says why it cannot be, where it cannot.
pub(in crate::app) fn suppose_known(cx: &mut Cx<'_>, outcome: &Outcome) {
    if let Err(reason) = suppose_knowing(cx, outcome.edit.clone(), Some(outcome)) {
        cx.notices.refused(reason);
    }
}

fn suppose_knowing(cx: &mut Cx<'_>, edit: Edit, known: Option<&Outcome>) -> Result<(), Reason> {
    let title = edit.title();
    // What is read or written replaces the state: what is supposed of this one would be lost without a word.
    if let Some(busy) = cx.session.busy {
        return Err(busy.reason().to_owned());
    }
    let Some(open) = cx.session.catalog_mut() else { return Err("no catalog is open".to_owned()) };
    open.what_if = match (open.what_if.as_ref(), known) {
        // Of a catalog of any size, that takes long enough to be done once.
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

/// Supposes an edit that asks nothing more; says why it cannot be, where it cannot.
pub(in crate::app) fn suppose_at_once(cx: &mut Cx<'_>, edit: Edit) {
    if let Err(reason) = suppose(cx, edit) {
        cx.notices.refused(reason);
    }
}

/// Takes back the last supposition.
pub(in crate::app) fn take_back(cx: &mut Cx<'_>) {
    let Some(open) = cx.session.catalog_mut() else { return };
    let Some(mut what_if) = open.what_if.take() else { return };
    let Some(last) = what_if.edits.pop() else { return };
    // They could be made before, so they can be made now.
    open.what_if = WhatIf::of(open.history.now(), what_if.edits).ok().flatten();
    cx.notices.done(format!("what-if undone: {}", last.title()));
    cx.session.settle();
}

/// What all suppositions come to as one edit. They are no longer supposed.
pub(in crate::app) fn ended(session: &mut Session) -> Option<Outcome> {
    let what_if = session.catalog_mut().and_then(|open| open.what_if.take())?;
    let edit = what_if.kept()?;
    let WhatIf { state: after, consequences, .. } = what_if;
    Some(Outcome { edit, after, consequences })
}

/// What is supposed of a catalog was written: it becomes an edit, where this is the state that was.
pub(in crate::app) fn became_real(session: &mut Session, catalog: usize, written: &Arc<Snapshot>) {
    let Some(open) = session.open.get_mut(catalog) else { return };
    let is_it = open.what_if.as_ref().is_some_and(|what_if| Arc::ptr_eq(&what_if.state, written));
    if let Some(what_if) = open.what_if.take_if(|_| is_it)
        && let Some(edit) = what_if.kept()
    {
        open.history.push(what_if.state, edit);
    }
}

/// Forgets all suppositions.
pub(in crate::app) fn forget(cx: &mut Cx<'_>) {
    if cx.session.catalog_mut().and_then(|open| open.what_if.take()).is_some() {
        cx.notices.done("what-if dropped");
    }
    cx.session.settle();
}
