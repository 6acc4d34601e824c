//! What upgrade steps do to a cluster, and whether packages are what their templates make: found out in the background, what
//! is looked at first, then the rest of the open catalogs.

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

/// A package before and after its steps were judged.
type Replaced = (Arc<Judged>, Arc<Judged>);

/// What is judged, and what came back.
#[derive(Debug, Default)]
pub(in crate::app) struct Learning {
    /// The package that was asked for last.
    asked: Option<Same<Judged>>,
    /// Whether the answer is still to come: packages are judged one at a time, however fast somebody goes through them.
    waits: bool,
    /// Whether all of a catalog is being judged: one at a time.
    sweeps: bool,
    /// The states of which all that can be judged is.
    swept: Vec<Same<Snapshot>>,
    /// Packages of which it is no longer true, with their catalogs.
    stale: VecDeque<(Arc<Judged>, Arc<Snapshot>)>,
    /// The files of the templates that are open.
    templates: Vec<(usize, Same<Catalog>)>,
    /// What came back and has not its place yet.
    arrived: Vec<Replaced>,
}

impl Session {
    /// What is known of the steps of the selected package; `None` while they are being judged, and where no manifests are in
    /// sight.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.package()?.safety()
    }

    /// What is known of a step of the selected package.
    pub fn safety_of(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        self.safety()?.of(from, to)
    }

    /// Whether the steps of a package that is looked at are being judged.
    pub fn is_judging_steps(&self) -> bool {
        self.learning.waits
    }
}

/// Has found out what is not yet: of the package that is looked at, then of all others. `in_dialog` says whether somebody is
/// at a dialog: what it shows was made from the states that are there.
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

/// Has it found out again of packages of which it may be otherwise now.
pub(in crate::app) fn forget(session: &mut Session, is_meant: impl Fn(&Snapshot, &PackageName) -> bool) {
    let all = session.open.iter().map(Open::now);
    let meant = all.flat_map(|now| {
        let meant = now.packages().filter(|(_, judged)| is_meant(now, &judged.package().name));
        meant.map(|(_, judged)| (Arc::clone(judged), Arc::clone(now))).collect::<Vec<_>>()
    });
    session.learning.stale.extend(meant.collect::<Vec<_>>());
}

/// Where the file of an open template changed, catalogs may be what it makes, or no longer.
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

/// What takes time was found out.
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

/// Puts what is known in the place of what was not, in every state that has it: states are told apart by being others.
fn take_in(session: &mut Session) {
    let arrived = std::mem::take(&mut session.learning.arrived);
    if arrived.is_empty() {
        return;
    }
    let mut known: HashMap<*const Snapshot, (Arc<Snapshot>, Option<Arc<Snapshot>>)> = HashMap::new();
    // The old states are kept until all is replaced, so that no new one gets the address of one that is gone.
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
