//! Deferred checks in the background: safety of upgrade steps, and packages that differ from their
//! templates. The selected package comes first, then the other open catalogs.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use crate::tui::{
    keys::Screen,
    parts::memo::SharedRef,
    session::{Session, context::Context, open_catalog::OpenCatalog},
    work::Effect,
};
use olm_catalog::{BundleName, Catalog, PackageName};
use olm_check::review::{DeferredChecks, PackageState, Snapshot};
use olm_upgrade::safety::{PackageSafety, Safety};

/// Package before and after its deferred checks.
type CheckedPackage = (Arc<PackageState>, Arc<PackageState>);

/// State of the deferred checks.
#[derive(Debug, Default)]
pub(in crate::tui) struct CheckQueue {
    /// Selected package that was requested last.
    requested: Option<SharedRef<PackageState>>,
    /// True while a package is checked; at most one at a time.
    package_in_flight: bool,
    /// True while a catalog is checked; at most one at a time.
    catalog_in_flight: bool,
    /// Catalog states that are completely checked.
    checked: Vec<SharedRef<Snapshot>>,
    /// Packages whose results are stale, with their catalogs.
    stale: VecDeque<(Arc<PackageState>, Arc<Snapshot>)>,
    /// Open templates by catalog index, to notice changed files.
    templates: Vec<(usize, SharedRef<Catalog>)>,
    /// Results that are not stored in the catalogs yet.
    arrived: Vec<CheckedPackage>,
}

impl Session {
    /// Returns the safety of the selected package's upgrade steps. `None` while they are checked,
    /// and if no manifests are available.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.selected_package()?.safety()
    }

    /// Returns the safety of an upgrade step of the selected package.
    pub fn safety_of(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        self.safety()?.find_step(from, to)
    }

    /// Returns true while the upgrade steps of a package are checked.
    pub fn is_checking_steps(&self) -> bool {
        self.deferred_checks.package_in_flight
    }
}

/// Requests pending background checks, selected package first. `in_dialog` is true while a dialog
/// is open: dialogs show data of the current states, so these are not replaced then.
pub(in crate::tui) fn request_deferred_checks(cx: &mut Context<'_>, in_dialog: bool) {
    if cx.session.busy.is_some() {
        return;
    }
    if !in_dialog {
        replace_checked_packages(cx.session);
    }
    mark_template_packages_stale(cx.session);
    request_selected_package(cx);
    request_stale_package(cx);
    request_next_catalog(cx);
}

/// Queues the packages that a predicate selects, so that they are checked again.
pub(in crate::tui) fn queue_stale_packages(
    session: &mut Session,
    is_stale: impl Fn(&Snapshot, &PackageName) -> bool,
) {
    let all = session.open_catalogs.iter().map(OpenCatalog::visible_state);
    let stale = all.flat_map(|now| {
        let meant = now.packages().filter(|(_, package_state)| is_stale(now, &package_state.package().name));
        meant.map(|(_, package_state)| (Arc::clone(package_state), Arc::clone(now))).collect::<Vec<_>>()
    });
    session.deferred_checks.stale.extend(stale.collect::<Vec<_>>());
}

/// If the file of an open template changed, its packages are checked again.
fn mark_template_packages_stale(session: &mut Session) {
    let template = |(at, open): (usize, &OpenCatalog)| {
        let catalog = &open.baseline.catalog;
        catalog.template().is_some().then(|| (at, SharedRef::from_shared(Some(catalog))))
    };
    let now: Vec<_> = session.open_catalogs.iter().enumerate().filter_map(template).collect();
    let before = std::mem::take(&mut session.deferred_checks.templates);
    let is_changed = before.iter().any(|(at, was)| now.iter().any(|(other, is)| at == other && was != is));
    session.deferred_checks.templates = now;
    if is_changed {
        queue_stale_packages(session, |of, package| of.catalog.template_source(package).is_some());
    }
}

fn request_stale_package(cx: &mut Context<'_>) {
    let queue = &mut cx.session.deferred_checks;
    if queue.package_in_flight {
        return;
    }
    let Some((package, snapshot)) = queue.stale.pop_front() else { return };
    queue.package_in_flight = true;
    cx.request(Effect::RunDeferredChecks { package: Some(package), snapshot });
}

fn request_selected_package(cx: &mut Context<'_>) {
    let is_shown = matches!(cx.session.screen, Screen::Catalog | Screen::Graph | Screen::Upgrades);
    if !is_shown || cx.session.deferred_checks.package_in_flight {
        return;
    }
    let (Some(package), Some(snapshot)) =
        (cx.session.selected_package().cloned(), cx.session.snapshot().cloned())
    else {
        return;
    };
    let asked = SharedRef::from_shared(Some(&package));
    if package.deferred_checks().is_some() || cx.session.deferred_checks.requested.as_ref() == Some(&asked) {
        return;
    }
    let has_manifests =
        !cx.settings.search_path.folders.is_empty() || snapshot.catalog.has_manifests_of(package.package());
    cx.session.deferred_checks.requested = Some(asked);
    cx.session.deferred_checks.package_in_flight = has_manifests;
    if has_manifests {
        cx.request(Effect::RunDeferredChecks { package: Some(package), snapshot });
    }
}

fn request_next_catalog(cx: &mut Context<'_>) {
    let queue = &cx.session.deferred_checks;
    if queue.catalog_in_flight || !queue.arrived.is_empty() {
        return;
    }
    let is_new =
        |snapshot: &&Arc<Snapshot>| !queue.checked.contains(&SharedRef::from_shared(Some(*snapshot)));
    let Some(snapshot) =
        cx.session.open_catalogs.iter().map(OpenCatalog::visible_state).find(is_new).cloned()
    else {
        return;
    };
    cx.session.deferred_checks.catalog_in_flight = true;
    cx.request(Effect::RunDeferredChecks { package: None, snapshot });
}

/// Stores the results of deferred checks.
pub(in crate::tui) fn store_check_results(
    session: &mut Session,
    checked_catalog: Option<&Arc<Snapshot>>,
    results: Vec<(Arc<PackageState>, DeferredChecks)>,
) {
    match checked_catalog {
        None => session.deferred_checks.package_in_flight = false,
        Some(snapshot) => {
            session.deferred_checks.catalog_in_flight = false;
            let is_open = |of: &SharedRef<Snapshot>| {
                session
                    .open_catalogs
                    .iter()
                    .any(|open| *of == SharedRef::from_shared(Some(open.visible_state())))
            };
            session.deferred_checks.checked.retain(is_open);
            session.deferred_checks.checked.push(SharedRef::from_shared(Some(snapshot)));
        }
    }
    let replaced = results.into_iter().map(|(was, learned)| {
        let now = was.with_deferred_checks(learned);
        (was, now)
    });
    session.deferred_checks.arrived.extend(replaced);
}

/// Replaces packages by their checked versions in every state. States are compared by pointer, so
/// each state is replaced only once.
fn replace_checked_packages(session: &mut Session) {
    let arrived = std::mem::take(&mut session.deferred_checks.arrived);
    if arrived.is_empty() {
        return;
    }
    let mut known: HashMap<*const Snapshot, (Arc<Snapshot>, Option<Arc<Snapshot>>)> = HashMap::new();
    // The old states stay alive until all are replaced, so that a new state cannot reuse an
    // address.
    let mut replace = |state: &mut Arc<Snapshot>| {
        let (_, after) = known
            .entry(Arc::as_ptr(state))
            .or_insert_with(|| (Arc::clone(state), state.with_deferred_checks(&arrived).map(Arc::new)));
        if let Some(after) = after {
            *state = Arc::clone(after);
        }
    };
    for open in &mut session.open_catalogs {
        open.history.replace_states(&mut replace);
        replace(&mut open.baseline);
        open.base_comparison.base_state_mut().into_iter().for_each(&mut replace);
        open.what_if.iter_mut().for_each(|what_if| replace(&mut what_if.state));
        open.past_commit.iter_mut().for_each(|past| replace(&mut past.state));
        if let Some((state, disk)) = &mut open.journaled {
            replace(state);
            replace(disk);
        }
    }
}
