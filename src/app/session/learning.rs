//! Deferred checks in the background: safety of upgrade steps, and packages that differ from their
//! templates. The selected package comes first, then the other open catalogs.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use crate::{
    app::{
        keys::Screen,
        parts::memo::Same,
        session::{Session, cx::Cx, open::Open},
        work::Effect,
    },
    catalog::{BundleName, Catalog, PackageName},
    review::{Judged, Learned, Snapshot},
    upgrade::safety::{PackageSafety, Safety},
};

/// Package before and after its deferred checks.
type Replaced = (Arc<Judged>, Arc<Judged>);

/// State of the deferred checks.
#[derive(Debug, Default)]
pub(in crate::app) struct Learning {
    /// Last requested package.
    asked: Option<Same<Judged>>,
    /// True while a package is checked; at most one at a time.
    waits: bool,
    /// True while a catalog is checked; at most one at a time.
    sweeps: bool,
    /// Catalog states that are completely checked.
    swept: Vec<Same<Snapshot>>,
    /// Packages whose results are stale, with their catalogs.
    stale: VecDeque<(Arc<Judged>, Arc<Snapshot>)>,
    /// Files of the open templates.
    templates: Vec<(usize, Same<Catalog>)>,
    /// Results that are not stored in the catalogs yet.
    arrived: Vec<Replaced>,
}

impl Session {
    /// Returns the safety of the selected package's upgrade steps. `None` while they are checked,
    /// and if no manifests are available.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.package()?.safety()
    }

    /// Returns the safety of an upgrade step of the selected package.
    pub fn safety_of(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        self.safety()?.of(from, to)
    }

    /// Returns true while the upgrade steps of a package are checked.
    pub fn is_judging_steps(&self) -> bool {
        self.learning.waits
    }
}

/// Requests pending background checks, selected package first. `in_dialog` is true while a dialog
/// is open: dialogs show data of the current states, so these are not replaced then.
pub(in crate::app) fn want(cx: &mut Cx<'_>, in_dialog: bool) {
    if cx.session.busy.is_some() {
        return;
    }
    if !in_dialog {
        take_in(cx.session);
    }
    forget_templates(cx.session);
    want_selected(cx);
    want_stale(cx);
    want_all(cx);
}

/// Marks the results of packages as stale.
pub(in crate::app) fn forget(session: &mut Session, is_meant: impl Fn(&Snapshot, &PackageName) -> bool) {
    let all = session.open.iter().map(Open::now);
    let meant = all.flat_map(|now| {
        let meant = now.packages().filter(|(_, judged)| is_meant(now, &judged.package().name));
        meant.map(|(_, judged)| (Arc::clone(judged), Arc::clone(now))).collect::<Vec<_>>()
    });
    session.learning.stale.extend(meant.collect::<Vec<_>>());
}

/// If the file of an open template changed, its packages are checked again.
fn forget_templates(session: &mut Session) {
    let template = |(at, open): (usize, &Open)| {
        let catalog = &open.baseline.catalog;
        catalog.template().is_some().then(|| (at, Same::of(Some(catalog))))
    };
    let now: Vec<_> = session.open.iter().enumerate().filter_map(template).collect();
    let before = std::mem::take(&mut session.learning.templates);
    let is_changed = before.iter().any(|(at, was)| now.iter().any(|(other, is)| at == other && was != is));
    session.learning.templates = now;
    if is_changed {
        forget(session, |of, package| of.catalog.made_from(package).is_some());
    }
}

fn want_stale(cx: &mut Cx<'_>) {
    let learning = &mut cx.session.learning;
    if learning.waits {
        return;
    }
    let Some((package, snapshot)) = learning.stale.pop_front() else { return };
    learning.waits = true;
    cx.ask(Effect::Learn { package: Some(package), snapshot });
}

fn want_selected(cx: &mut Cx<'_>) {
    let is_shown = matches!(cx.session.screen, Screen::Catalog | Screen::Graph | Screen::Upgrades);
    if !is_shown || cx.session.learning.waits {
        return;
    }
    let (Some(package), Some(snapshot)) = (cx.session.package().cloned(), cx.session.snapshot().cloned())
    else {
        return;
    };
    let asked = Same::of(Some(&package));
    if package.learned().is_some() || cx.session.learning.asked.as_ref() == Some(&asked) {
        return;
    }
    let in_sight =
        !cx.settings.sight.folders.is_empty() || snapshot.catalog.has_manifests_of(package.package());
    cx.session.learning.asked = Some(asked);
    cx.session.learning.waits = in_sight;
    if in_sight {
        cx.ask(Effect::Learn { package: Some(package), snapshot });
    }
}

fn want_all(cx: &mut Cx<'_>) {
    let learning = &cx.session.learning;
    if learning.sweeps || !learning.arrived.is_empty() {
        return;
    }
    let is_new = |snapshot: &&Arc<Snapshot>| !learning.swept.contains(&Same::of(Some(*snapshot)));
    let Some(snapshot) = cx.session.open.iter().map(Open::now).find(is_new).cloned() else { return };
    cx.session.learning.sweeps = true;
    cx.ask(Effect::Learn { package: None, snapshot });
}

/// Stores the results of deferred checks.
pub(in crate::app) fn found(
    session: &mut Session,
    all_of: Option<&Arc<Snapshot>>,
    learned: Vec<(Arc<Judged>, Learned)>,
) {
    match all_of {
        None => session.learning.waits = false,
        Some(snapshot) => {
            session.learning.sweeps = false;
            let is_open =
                |of: &Same<Snapshot>| session.open.iter().any(|open| *of == Same::of(Some(open.now())));
            session.learning.swept.retain(is_open);
            session.learning.swept.push(Same::of(Some(snapshot)));
        }
    }
    let replaced = learned.into_iter().map(|(was, learned)| {
        let now = was.with_learned(learned);
        (was, now)
    });
    session.learning.arrived.extend(replaced);
}

/// Replaces packages by their checked versions in every state. States are compared by pointer, so
/// each state is replaced only once.
fn take_in(session: &mut Session) {
    let arrived = std::mem::take(&mut session.learning.arrived);
    if arrived.is_empty() {
        return;
    }
    let mut known: HashMap<*const Snapshot, (Arc<Snapshot>, Option<Arc<Snapshot>>)> = HashMap::new();
    // The old states stay alive until all are replaced, so that a new state cannot reuse an
    // address.
    let mut replace = |state: &mut Arc<Snapshot>| {
        let (_, after) = known
            .entry(Arc::as_ptr(state))
            .or_insert_with(|| (Arc::clone(state), state.with_learned(&arrived).map(Arc::new)));
        if let Some(after) = after {
            *state = Arc::clone(after);
        }
    };
    for open in &mut session.open {
        open.history.replace(&mut replace);
        replace(&mut open.baseline);
        open.comparing.read_mut().into_iter().for_each(&mut replace);
        open.what_if.iter_mut().for_each(|what_if| replace(&mut what_if.state));
        open.past.iter_mut().for_each(|past| replace(&mut past.state));
        if let Some((state, disk)) = &mut open.journaled {
            replace(state);
            replace(disk);
        }
    }
}
