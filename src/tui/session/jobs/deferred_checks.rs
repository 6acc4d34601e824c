//! Deferred checks in the background: safety of upgrade steps, and packages that differ from their
//! templates. The selected package comes first, then the other open catalogs.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    keys::Screen,
    parts::memo::SharedRef,
    session::{
        catalogs::Catalogs,
        context::Context,
        jobs::{Jobs, StoredQuestion},
        open_catalog::OpenCatalog,
    },
    work::{Effect, Job, JobEnvironment, Question, Source, job::PackageChecks},
};
use olm_catalog::{BundleName, BundleSource, Catalog, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::safety::{PackageSafety, Safety};

/// Package before and after its deferred checks.
type CheckedPackage = (Arc<PackageState>, Arc<PackageState>);

/// Deferred checks to run: safety of upgrade steps, and comparison of packages with their templates.
#[derive(PartialEq, Debug)]
pub struct DeferredCheckRequest {
    /// The package to check. `None` for all unchecked packages of the catalog.
    pub package: Option<Arc<PackageState>>,
    /// The catalog.
    pub snapshot: Arc<Snapshot>,
}

impl Question for DeferredCheckRequest {
    /// The checked packages with their results. Packages without manifests and template are missing.
    type Answer = Vec<PackageChecks>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.run_deferred_checks(self.package.as_ref(), &self.snapshot));
    }
}

/// State of the deferred checks.
#[derive(Debug, Default)]
pub(in crate::tui) struct CheckQueue {
    /// Selected package that was requested last.
    requested: Option<SharedRef<PackageState>>,
    /// Check of a package.
    package_job: Job<DeferredCheckRequest>,
    /// Check of a catalog.
    catalog_job: Job<DeferredCheckRequest>,
    /// Catalog states that are completely checked.
    checked: Vec<SharedRef<Snapshot>>,
    /// Packages whose results are stale, with the sources of their catalogs.
    stale: VecDeque<(Source, PackageName)>,
    /// Open templates by catalog index, to notice changed files.
    templates: Vec<(usize, SharedRef<Catalog>)>,
    /// Open catalogs of bundle directories, to notice new and changed ones.
    bundle_catalogs: Vec<SharedRef<Catalog>>,
    /// Packages of these catalogs.
    bundle_packages: BTreeSet<PackageName>,
    /// Results that are not stored in the catalogs yet.
    arrived: Vec<CheckedPackage>,
}

impl Catalogs {
    /// Returns the safety of the selected package's upgrade steps. `None` while they are checked,
    /// and if no manifests are available.
    pub fn safety(&self) -> Option<&Arc<PackageSafety>> {
        self.selected_package()?.safety()
    }

    /// Returns the safety of an upgrade step of the selected package.
    pub fn safety_of(&self, from: &BundleName, to: &BundleName) -> Option<&Safety> {
        self.safety()?.find_step(from, to)
    }
}

impl Jobs {
    /// Returns true while checks run whose findings are not counted yet.
    pub fn is_checking_catalogs(&self) -> bool {
        let queue = &self.deferred_checks;
        queue.catalog_job.is_waiting() || queue.package_job.is_waiting() || !queue.stale.is_empty()
    }

    /// Checks a package of all open catalogs and previews again, because olmap has more manifests.
    pub(in crate::tui) fn check_package_again(&mut self, catalogs: &Catalogs, package: &PackageName) {
        self.preview_checks = Job::default();
        self.deferred_checks.queue_stale_packages(catalogs, |_, name| name == package);
    }

    /// Returns true while the upgrade steps of a package are checked.
    pub fn is_checking_steps(&self) -> bool {
        self.deferred_checks.package_job.is_waiting()
    }
}

/// Requests pending background checks, selected package first. Dialogs show data of the current
/// states, so these are not replaced while a dialog is open.
pub(in crate::tui) fn request_deferred_checks(cx: &mut Context<'_>) {
    if cx.session.waiting.busy.is_some() {
        return;
    }
    if !cx.in_dialog {
        let arrived = std::mem::take(&mut cx.session.jobs.deferred_checks.arrived);
        replace_checked_packages(&mut cx.session.catalogs, &arrived);
    }
    cx.session.jobs.deferred_checks.mark_template_packages_stale(&cx.session.catalogs);
    use_open_directories(cx);
    request_selected_package(cx);
    request_stale_package(cx);
    request_next_catalog(cx);
}

impl CheckQueue {
    /// Queues the packages that a predicate selects, so that they are checked again.
    pub(super) fn queue_stale_packages(
        &mut self,
        catalogs: &Catalogs,
        is_stale: impl Fn(&Snapshot, &PackageName) -> bool,
    ) {
        for open in catalogs.all() {
            let now = open.visible_state();
            let stale = now.packages().map(|(name, _)| name).filter(|name| is_stale(now, name));
            for entry in stale.map(|name| (open.source.clone(), name.clone())) {
                if !self.stale.contains(&entry) {
                    self.stale.push_back(entry);
                }
            }
        }
    }

    /// If the file of an open template changed, its packages are checked again.
    fn mark_template_packages_stale(&mut self, catalogs: &Catalogs) {
        let template = |(at, open): (usize, &OpenCatalog)| {
            let catalog = &open.baseline.catalog;
            catalog.template().is_some().then(|| (at, SharedRef::from_shared(Some(catalog))))
        };
        let now: Vec<_> = catalogs.all().iter().enumerate().filter_map(template).collect();
        let before = std::mem::take(&mut self.templates);
        let is_changed =
            before.iter().any(|(at, was)| now.iter().any(|(other, is)| at == other && was != is));
        self.templates = now;
        if is_changed {
            self.queue_stale_packages(catalogs, |of, package| of.catalog.template_source(package).is_some());
        }
    }
}

/// Requests that open bundle directories are searched for the manifests of the bundles of other open catalogs. Packages
/// that were checked without them are checked again.
fn use_open_directories(cx: &mut Context<'_>) {
    let catalogs = cx.session.catalogs.all().iter().map(|open| &open.baseline.catalog);
    let (rendered, others): (Vec<_>, Vec<_>) =
        catalogs.partition(|catalog| catalog.is_rendered_from_bundles());
    let now: Vec<_> = rendered.iter().map(|catalog| SharedRef::from_shared(Some(*catalog))).collect();
    if others.is_empty() || cx.session.jobs.deferred_checks.bundle_catalogs == now {
        return;
    }
    // One directory is enough, because the search includes those next to it.
    let mut directories: BTreeMap<(PackageName, Option<PathBuf>), PathBuf> = BTreeMap::new();
    for catalog in rendered {
        for package in catalog.packages() {
            for bundle in &package.bundles {
                let source = catalog.bundle_source(&package.name, &bundle.name.value);
                if let Some(BundleSource::Directory { path, .. }) = source {
                    let folder = path.parent().map(Path::to_owned);
                    directories.entry((package.name.clone(), folder)).or_insert(path);
                }
            }
        }
    }
    let queue = &mut cx.session.jobs.deferred_checks;
    queue.bundle_catalogs = now;
    queue.bundle_packages = directories.keys().map(|(package, _)| package.clone()).collect();
    let has_checks = queue.requested.is_some() || !queue.checked.is_empty();
    for ((package, _), path) in directories {
        if has_checks {
            cx.session.jobs.check_package_again(&cx.session.catalogs, &package);
        }
        cx.request(Effect::UseBundleDirectory { package, path });
    }
}

fn request_stale_package(cx: &mut Context<'_>) {
    let queue = &mut cx.session.jobs.deferred_checks;
    if queue.package_job.is_waiting() {
        return;
    }
    // The state may be another one than when the package was queued.
    let current = |(source, name): (Source, PackageName)| {
        let open = cx.session.catalogs.all().iter().find(|open| open.source == source)?;
        let snapshot = open.visible_state();
        Some((Arc::clone(snapshot.package(name.as_str())?), Arc::clone(snapshot)))
    };
    let next = std::iter::from_fn(|| queue.stale.pop_front()).find_map(current);
    let Some((package, snapshot)) = next else { return };
    let asked = queue.package_job.replace(DeferredCheckRequest { package: Some(package), snapshot });
    cx.run_job(asked);
}

fn request_selected_package(cx: &mut Context<'_>) {
    let is_shown =
        matches!(cx.session.navigation.screen, Screen::Packages | Screen::Graph | Screen::Upgrades);
    if !is_shown || cx.session.jobs.deferred_checks.package_job.is_waiting() {
        return;
    }
    let (Some(package), Some(snapshot)) =
        (cx.session.selected_package().cloned(), cx.session.snapshot().cloned())
    else {
        return;
    };
    let asked = SharedRef::from_shared(Some(&package));
    if package.deferred_checks().is_some()
        || cx.session.jobs.deferred_checks.requested.as_ref() == Some(&asked)
    {
        return;
    }
    let has_manifests = !cx.settings.search_path.folders.is_empty()
        || cx.session.jobs.deferred_checks.bundle_packages.contains(&package.package().name)
        || snapshot.catalog.has_manifests_of(package.package());
    let queue = &mut cx.session.jobs.deferred_checks;
    queue.requested = Some(asked);
    if has_manifests {
        let asked = queue.package_job.replace(DeferredCheckRequest { package: Some(package), snapshot });
        cx.run_job(asked);
    }
}

fn request_next_catalog(cx: &mut Context<'_>) {
    let queue = &cx.session.jobs.deferred_checks;
    if queue.catalog_job.is_waiting() || !queue.arrived.is_empty() {
        return;
    }
    let is_new =
        |snapshot: &&Arc<Snapshot>| !queue.checked.contains(&SharedRef::from_shared(Some(*snapshot)));
    let Some(snapshot) =
        cx.session.catalogs.all().iter().map(OpenCatalog::visible_state).find(is_new).cloned()
    else {
        return;
    };
    let job = &mut cx.session.jobs.deferred_checks.catalog_job;
    let asked = job.replace(DeferredCheckRequest { package: None, snapshot });
    cx.run_job(asked);
}

impl StoredQuestion for DeferredCheckRequest {
    /// Stores the results. They are never outdated, because they name the checked packages.
    fn store(question: Arc<Self>, results: Self::Answer, cx: &mut Context<'_>) {
        let session = &mut *cx.session;
        let queue = &mut session.jobs.deferred_checks;
        if question.package.is_some() {
            queue.package_job.finish(&question);
        } else {
            queue.catalog_job.finish(&question);
            let is_open = |of: &SharedRef<Snapshot>| {
                let mut open = session.catalogs.all().iter();
                open.any(|open| *of == SharedRef::from_shared(Some(open.visible_state())))
            };
            queue.checked.retain(is_open);
            queue.checked.push(SharedRef::from_shared(Some(&question.snapshot)));
        }
        let replaced = results.into_iter().map(|(was, checks)| {
            let now = was.with_deferred_checks(checks);
            (was, now)
        });
        for (was, now) in replaced {
            // Of several results for a state, the last has most manifests.
            queue.arrived.retain(|(other, _)| !Arc::ptr_eq(other, &was));
            queue.arrived.push((was, now));
        }
    }
}

/// Replaces packages by their checked versions in every state. States are compared by pointer, so
/// each state is replaced only once.
fn replace_checked_packages(catalogs: &mut Catalogs, arrived: &[CheckedPackage]) {
    if arrived.is_empty() {
        return;
    }
    let mut known: HashMap<*const Snapshot, (Arc<Snapshot>, Option<Arc<Snapshot>>)> = HashMap::new();
    // The old states stay alive until all are replaced, so that a new state cannot reuse an
    // address.
    let mut replace = |state: &mut Arc<Snapshot>| {
        let (_, after) = known
            .entry(Arc::as_ptr(state))
            .or_insert_with(|| (Arc::clone(state), state.with_deferred_checks(arrived).map(Arc::new)));
        if let Some(after) = after {
            *state = Arc::clone(after);
        }
    };
    for open in catalogs.all_mut() {
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
