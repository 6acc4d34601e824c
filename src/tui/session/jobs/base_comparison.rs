//! Comparison of open catalogs with a base: the loaded files, a git revision, or another catalog.
//!
//! A worker reads the base and compares. A chosen base takes effect when it is read; answers to
//! older requests are dropped.

mod report;

pub(in crate::tui) use report::find_changed_catalog;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    keys::{Screen, spec::Reason},
    parts::{memo::SharedRef, notice::NoticeTopic},
    session::{
        Session,
        catalogs::Catalogs,
        context::Context,
        jobs::StoredQuestion,
        navigation::{SelectableBundles, Selection},
        open_catalog::OpenCatalog,
        wait_state::Stage,
    },
    work::{
        Base, Job, JobEnvironment, JobSlot, Question, Source, UserError,
        comparison::{ComparedCatalog, Comparison, LabeledComparison, is_bundle_named},
        effect::{ClipboardText, Effect},
    },
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget};
use olm_check::review::{PackageState, Snapshot, diff::ChangeKind};
use olm_upgrade::Installed;

/// Base to compare a catalog with.
#[derive(PartialEq, Debug)]
pub struct BaseRequest {
    /// Index of the open catalog.
    pub catalog: usize,
    /// The base to read.
    pub base: Base,
    /// The path of the catalog, for revisions without a path.
    pub default_path: Option<PathBuf>,
    /// True if the other open catalogs get the base once it is read.
    pub is_for_all: bool,
}

impl Question for BaseRequest {
    type Answer = Result<Arc<Snapshot>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        let Self { base, default_path, .. } = self;
        send(environment.services.load_base(base, default_path.as_deref(), environment.progress));
    }

    fn slot(&self) -> Option<JobSlot> {
        Some(JobSlot::Base(self.catalog))
    }
}

/// States of a catalog to compare.
#[derive(PartialEq, Debug)]
pub struct ComparisonRequest {
    /// Index of the open catalog.
    pub catalog: usize,
    /// The old state.
    pub before: Arc<Snapshot>,
    /// The new state.
    pub after: Arc<Snapshot>,
}

impl ComparisonRequest {
    /// Compares the states. This may take seconds.
    pub fn compare(&self) -> Arc<Comparison> {
        Arc::new(Comparison::compare_states(Arc::clone(&self.before), Arc::clone(&self.after)))
    }
}

impl Question for ComparisonRequest {
    type Answer = Arc<Comparison>;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(self.compare());
    }
}

impl StoredQuestion for ComparisonRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        let Some(open) = cx.session.catalogs.get_mut(question.catalog) else { return };
        if open.base_comparison.comparison_job.finish(&question)
            && let Some(against) = &mut open.base_comparison.active_base
        {
            against.comparison = Some(answer);
            report::report_comparisons(cx);
        }
    }
}

/// Catalog that may be in a git repository.
#[derive(PartialEq, Debug)]
pub struct RepositoryRequest {
    /// Index of the open catalog.
    pub catalog: usize,
    /// Its path.
    pub path: PathBuf,
}

impl Question for RepositoryRequest {
    type Answer = Result<(), UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.check_repository(&self.path));
    }
}

impl StoredQuestion for RepositoryRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        if let Some(open) = cx.session.catalogs.get_mut(question.catalog) {
            open.base_comparison.repository = Some(answer);
        }
    }
}

/// Active base and its comparison.
#[derive(Clone, Debug)]
struct ActiveBase {
    base: Base,
    /// State of the base; `None` for a base that is open already.
    loaded_state: Option<Arc<Snapshot>>,
    /// The last comparison.
    comparison: Option<Arc<Comparison>>,
    /// True once the result of the first comparison was reported.
    is_reported: bool,
}

impl BaseComparison {
    /// Replaces the base. A comparison with the former base is dropped.
    fn activate_base(&mut self, base: Option<Base>, loaded_state: Option<Arc<Snapshot>>) {
        self.comparison_job.cancel();
        let is_reported = self
            .active_base
            .as_ref()
            .is_some_and(|former| former.is_reported && Some(&former.base) == base.as_ref());
        self.active_base = base.map(|base| ActiveBase { base, loaded_state, comparison: None, is_reported });
    }
}

/// Comparison state of an open catalog.
#[derive(Clone, Default, Debug)]
pub struct BaseComparison {
    active_base: Option<ActiveBase>,
    base_job: Job<BaseRequest>,
    comparison_job: Job<ComparisonRequest>,
    /// True once the base of the command line was applied.
    applied_settings: bool,
    /// `Err` with the reason if the catalog is not in a git repository. `None` while unknown.
    repository: Option<Result<(), UserError>>,
}

impl BaseComparison {
    /// Returns the active base.
    pub fn base(&self) -> Option<&Base> {
        self.active_base.as_ref().map(|against| &against.base)
    }

    /// Returns the last comparison with the active base.
    pub fn comparison(&self) -> Option<&Arc<Comparison>> {
        self.active_base.as_ref()?.comparison.as_ref()
    }

    /// Returns the state of a base that had to be read.
    pub(in crate::tui) fn base_state_mut(&mut self) -> Option<&mut Arc<Snapshot>> {
        self.active_base.as_mut()?.loaded_state.as_mut()
    }

    /// Returns the base that is being read.
    pub fn pending_base(&self) -> Option<&Base> {
        self.base_job.pending_question().map(|asked| &asked.base)
    }
}

impl OpenCatalog {
    /// Replaces the base that is being read.
    fn request_base(&mut self, catalog: usize, base: Base, is_for_all: bool) -> Arc<BaseRequest> {
        let default_path = self.catalog_path().map(Path::to_owned);
        self.base_comparison.base_job.replace(BaseRequest { catalog, base, default_path, is_for_all })
    }
}

/// The base of the current catalog.
impl Catalogs {
    /// Returns the base of the current catalog.
    pub fn base(&self) -> Option<&Base> {
        self.current()?.base_comparison.base()
    }

    /// Returns the state of the base.
    pub fn base_state(&self) -> Option<&Arc<Snapshot>> {
        self.base_state_of(self.current()?)
    }

    /// Returns the state of the base of a catalog.
    fn base_state_of<'a>(&'a self, open: &'a OpenCatalog) -> Option<&'a Arc<Snapshot>> {
        let against = open.base_comparison.active_base.as_ref()?;
        match &against.base {
            Base::Loaded => Some(&open.baseline),
            Base::Open(source) => Some(self.find(source)?.history.now()),
            Base::Revision(_) | Base::Path(_) => against.loaded_state.as_ref(),
        }
    }

    /// Returns the last comparison of the current catalog.
    pub fn comparison(&self) -> Option<&Arc<Comparison>> {
        self.current()?.base_comparison.comparison()
    }
}

/// State that change marks compare with: the base of a comparison, otherwise the loaded files if
/// edits are unsaved.
impl Catalogs {
    /// Returns the state that change marks compare with. `None` if there is no base and nothing is
    /// unsaved.
    pub fn mark_base(&self) -> Option<&Arc<Snapshot>> {
        if self.base().is_some() { self.base_state() } else { self.loaded_state_if_edited() }
    }

    /// Returns the loaded state, if there is no base and edits are unsaved. A what-if and a past
    /// commit have their own display.
    pub(in crate::tui::session) fn loaded_state_if_edited(&self) -> Option<&Arc<Snapshot>> {
        let has_words = |open: &&OpenCatalog| open.what_if.is_some() || open.past_commit.is_some();
        let open = self.current().filter(|open| open.base_comparison.base().is_none() && !has_words(open))?;
        (!Arc::ptr_eq(open.history.now(), &open.baseline)).then_some(&open.baseline)
    }

    /// Returns the selected package in the state that change marks compare with.
    pub fn mark_base_package(&self) -> Option<&Arc<PackageState>> {
        self.mark_base()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// Returns true if the catalog does not have or name a bundle any more.
    pub(in crate::tui) fn is_removed(&self, package: &PackageName, bundle: &BundleName) -> bool {
        let now = self.snapshot().and_then(|now| now.package(package.as_str()));
        let before = self.mark_base().and_then(|before| before.package(package.as_str()));
        let is_named = |package_state: Option<&Arc<PackageState>>| {
            package_state.is_some_and(|j| is_bundle_named(j, bundle))
        };
        is_named(before) && !is_named(now)
    }

    /// Returns true if a removed bundle has a row on the screen, so that it can be selected.
    pub(in crate::tui::session) fn has_removed_row(
        &self,
        selection: &Selection,
        bundle: &BundleName,
        reach: SelectableBundles,
    ) -> bool {
        let before = self.mark_base().zip(selection.package.as_ref());
        let Some(before) = before.and_then(|(before, name)| before.package(name.as_str())) else {
            return false;
        };
        let was_entry = || {
            let channel = selection.channel.as_ref().and_then(|name| before.graph.channel(name.as_str()));
            channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
        };
        match reach {
            SelectableBundles::InChannel => was_entry(),
            SelectableBundles::InAnyChannel => before.package().channels_with(bundle).next().is_some(),
            SelectableBundles::InPackage => before.package().bundle(bundle.as_str()).is_some(),
        }
    }

    /// Returns a bundle as it is installed on a cluster. The version of a removed bundle comes from
    /// the earlier state.
    pub(in crate::tui) fn installed_bundle(&self, package: &PackageState, bundle: &BundleName) -> Installed {
        installed_bundle(package, self.mark_base_package().map(Arc::as_ref), bundle)
    }

    /// Returns true if the selected package does not have the bundle in the base.
    pub fn is_new_bundle(&self, name: &BundleName) -> bool {
        let compares = self.mark_base().is_some() && self.what_if().is_none();
        let known = self.mark_base_package().map(Arc::as_ref);
        compares && known.is_none_or(|package_state| package_state.package().bundle(name.as_str()).is_none())
    }

    /// Returns the number of bundles of the selected package that only the base has.
    pub fn removed_bundle_count(&self) -> usize {
        let (Some(before), Some(now)) = (self.mark_base_package(), self.selected_package()) else { return 0 };
        let bundles = &before.package().bundles;
        bundles.iter().filter(|bundle| now.package().bundle(bundle.name.value.as_str()).is_none()).count()
    }
}

/// See [`Catalogs::installed_bundle`].
pub(in crate::tui::session) fn installed_bundle(
    package: &PackageState,
    before: Option<&PackageState>,
    bundle: &BundleName,
) -> Installed {
    let is_there = package.package().bundle(bundle.as_str()).is_some();
    let source = before.filter(|_| !is_there).unwrap_or(package);
    Installed::from_package(source.package(), bundle)
}

impl Session {
    /// Returns true if the Changes screen shows a comparison or waits for one, instead of unsaved
    /// edits.
    pub fn shows_comparison(&self) -> bool {
        let compares = self.current_catalog().is_some_and(|open| {
            open.base_comparison.active_base.is_some() || open.base_comparison.pending_base().is_some()
        });
        compares && !self.navigation.shows_unsaved_edits
    }

    /// Returns the comparison of the change marks.
    pub fn mark_comparison(&self) -> Option<&Arc<Comparison>> {
        self.derived.mark_comparison(&self.catalogs)
    }

    /// Returns true if the change marks show unsaved edits.
    pub fn marks_show_edits(&self) -> bool {
        self.catalogs.base().is_none() && self.derived.edit_comparison().is_some()
    }

    /// Returns the change of a package.
    pub fn package_change(&self, name: &PackageName) -> Option<ChangeKind> {
        self.mark_comparison()?.changed_package(name).map(|package| package.change_kind)
    }

    /// Returns the change of a channel of the selected package.
    pub fn channel_change(&self, name: &ChannelName) -> Option<ChangeKind> {
        let package = self.mark_comparison()?.changed_package(self.selection().package.as_ref()?)?;
        let is_it = |target: &Option<DeprecationTarget>| matches!(target, Some(DeprecationTarget::Channel(of)) if of == name);
        let deprecated = package.deprecations.iter().any(|deprecation| is_it(&deprecation.target));
        let fate = package.find_channel(name.as_str()).map(|channel| channel.change_kind);
        fate.or(deprecated.then_some(ChangeKind::Changed))
    }
}

/// Returns the comparison for a pull request: of the open catalogs with the base of the current one, otherwise the
/// unsaved edits of all open catalogs.
///
/// # Errors
///
/// The reason, if there is no comparison and nothing is edited.
pub(in crate::tui) fn labeled_comparison(session: &Session) -> Result<LabeledComparison, Reason> {
    let open = session.current_catalog().ok_or("no catalog is open")?;
    let Some(base) = session.catalogs.base().filter(|_| session.shows_comparison()) else {
        return compare_unsaved_edits(session);
    };
    let states = session.catalogs.base_state().zip(session.snapshot());
    let comparison = session.catalogs.comparison().zip(states);
    comparison
        .filter(|(known, (before, after))| known.is_between(before, after))
        .ok_or("the comparison is not ready yet")?;
    let but = match &open.what_if {
        Some(_) => " with the what-if",
        None if open.unsaved_count() > 0 => " with the unsaved edits",
        None => "",
    };
    let compared = session.catalogs.all().iter().filter_map(|open| {
        let against = open.base_comparison.active_base.as_ref().filter(|against| against.base == *base)?;
        let (before, after) = (session.catalogs.base_state_of(open)?, open.visible_state());
        let known = against.comparison.as_ref().filter(|known| known.is_between(before, after));
        Some(ComparedCatalog {
            // Readers of the text do not have the local paths.
            label: session.catalogs.short_source_name(&open.source),
            before: SharedRef::from_shared(Some(before)),
            after: SharedRef::from_shared(Some(after)),
            comparison: SharedRef::from_shared(known),
        })
    });
    let catalogs: Vec<ComparedCatalog> = compared.collect();
    // The text names each of several catalogs with its old state.
    let name = match catalogs.as_slice() {
        [only] => only.label.as_str(),
        _ => "now",
    };
    let (old, new) = (session.catalogs.short_base_name(base), format!("{name}{but}"));
    Ok(LabeledComparison { catalogs, old, new })
}

/// Compares all catalogs with unsaved edits with their files.
fn compare_unsaved_edits(session: &Session) -> Result<LabeledComparison, Reason> {
    let all = session.catalogs.all().iter().zip(session.catalogs.labels());
    let catalogs = all.filter(|(open, _)| open.unsaved_count() > 0).map(|(open, label)| ComparedCatalog {
        label,
        before: SharedRef::from_shared(Some(&open.baseline)),
        after: SharedRef::from_shared(Some(open.history.now())),
        comparison: SharedRef::from_shared(None),
    });
    let catalogs: Vec<ComparedCatalog> = catalogs.collect();
    if catalogs.is_empty() {
        return Err("no comparison is shown, and there are no unsaved edits".to_owned());
    }
    Ok(LabeledComparison { catalogs, old: "the saved files".to_owned(), new: "the edits".to_owned() })
}

/// Request to copy a comparison that is not computed yet.
#[derive(PartialEq, Debug)]
pub struct CopyComparisonRequest {
    /// Description of the copied text.
    pub description: String,
    /// The catalogs.
    pub compared: LabeledComparison,
}

impl Question for CopyComparisonRequest {
    type Answer = String;

    fn compute(&self, _environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(self.compared.render_markdown());
    }
}

impl StoredQuestion for CopyComparisonRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        let description = question.description.clone();
        cx.request(Effect::Copy(ClipboardText { description, text: answer }));
    }
}

/// Sets the base of the open catalogs. `None` stops the comparison.
///
/// A revision without a path is read from the repository of each catalog, after that of the current one. A catalog
/// as the base is for the current catalog only.
pub(in crate::tui) fn set_base(cx: &mut Context<'_>, base: Option<&Base>) {
    let current = cx.session.catalogs.current_index();
    let former = cx.session.catalogs.base().cloned();
    cx.session.navigation.shows_unsaved_edits = false;
    cx.notices.clear_topic(NoticeTopic::Comparison);
    let is_for_all = base.is_none_or(is_for_all_catalogs);
    set_catalog_base(cx, current, base, is_for_all);
    match base {
        // The others follow once the base is read.
        Some(base) if base.needs_loading() => {}
        base if is_for_all => set_other_bases(cx, base, former.as_ref()),
        _ => {}
    }
    if base.is_none() {
        cx.notices.report_done("comparison stopped");
    }
}

/// Returns true for the loaded files, and for a revision without a path.
fn is_for_all_catalogs(base: &Base) -> bool {
    match base {
        Base::Revision(revision) => revision.path.is_none(),
        Base::Loaded => true,
        Base::Open(_) | Base::Path(_) => false,
    }
}

/// Sets the base of the catalogs that are not current, unless they have a base of their own.
///
/// * `former` - the base of the current catalog before.
fn set_other_bases(cx: &mut Context<'_>, base: Option<&Base>, former: Option<&Base>) {
    let current = cx.session.catalogs.current_index();
    for catalog in (0..cx.session.catalogs.all().len()).filter(|catalog| *catalog != current) {
        let Some(open) = cx.session.catalogs.get_mut(catalog) else { continue };
        let own = open.base_comparison.pending_base().or(open.base_comparison.base());
        let follows = own.is_none_or(|own| Some(own) == former || Some(own) == base);
        let is_possible = !matches!(base, Some(Base::Revision(_))) || check_repository(open).is_ok();
        if follows && is_possible {
            set_catalog_base(cx, catalog, base, false);
        }
    }
}

/// Sets the base of a catalog. `None` stops the comparison.
fn set_catalog_base(cx: &mut Context<'_>, catalog: usize, base: Option<&Base>, is_for_all: bool) {
    let Some(open) = cx.session.catalogs.get_mut(catalog) else { return };
    open.base_comparison.base_job.cancel();
    if let Some(base) = base.filter(|base| base.needs_loading()) {
        let asked = open.request_base(catalog, base.clone(), is_for_all);
        cx.run_job(asked);
        return;
    }
    open.base_comparison.activate_base(base.cloned(), None);
    // Removed entries may have no rows now.
    cx.session.correct_all_selections();
}

/// Reads all bases again, because branches or files may have changed.
pub(in crate::tui) fn reread_bases(cx: &mut Context<'_>) {
    for catalog in 0..cx.session.catalogs.all().len() {
        let Some(open) = cx.session.catalogs.get_mut(catalog) else { continue };
        let known = open
            .base_comparison
            .pending_base()
            .or(open.base_comparison.base())
            .filter(|base| base.needs_loading())
            .cloned();
        if let Some(base) = known {
            let asked = open.request_base(catalog, base, false);
            cx.run_job(asked);
        }
    }
}

/// Stores a base that was read. Returns the base with the error, if it could not be read.
pub(in crate::tui) fn store_base(
    cx: &mut Context<'_>,
    question: &Arc<BaseRequest>,
    result: Result<Arc<Snapshot>, UserError>,
) -> Option<(Base, Result<(), UserError>)> {
    let is_current = question.catalog == cx.session.catalogs.current_index();
    let open = cx.session.catalogs.get_mut(question.catalog)?;
    if !open.base_comparison.base_job.finish(question) {
        return None;
    }
    let base = question.base.clone();
    match result {
        Ok(read) => {
            let former = open.base_comparison.base().cloned();
            open.base_comparison.activate_base(Some(base.clone()), Some(read));
            cx.session.correct_all_selections();
            if is_current {
                cx.notices.clear_topic(NoticeTopic::Comparison);
            }
            if question.is_for_all && is_current {
                set_other_bases(cx, Some(&base), former.as_ref());
            }
            Some((base, Ok(())))
        }
        Err(refusal) => Some((base, Err(refusal))),
    }
}

/// Requests the comparison of the current state if the last comparison is stale.
pub(in crate::tui) fn request_comparison(cx: &mut Context<'_>) {
    // Entries that are not read yet would look removed.
    let session = &*cx.session;
    if session.waiting.stage != Stage::Ready
        || session.waiting.is_loading_visibly()
        || session.catalogs.unread().is_some()
    {
        return;
    }
    apply_configured_base(cx);
    for catalog in 0..cx.session.catalogs.all().len() {
        request_catalog_comparison(cx, catalog);
    }
}

/// Applies the base of the command line once: to all catalogs if it applies to them, otherwise to the current one.
fn apply_configured_base(cx: &mut Context<'_>) {
    let Some(base) = cx.settings.base.clone() else { return };
    let current = cx.session.catalogs.current_index();
    for catalog in 0..cx.session.catalogs.all().len() {
        let Some(open) = cx.session.catalogs.get_mut(catalog) else { continue };
        let applies = catalog == current || (is_for_all_catalogs(&base) && check_repository(open).is_ok());
        if !applies || std::mem::replace(&mut open.base_comparison.applied_settings, true) {
            continue;
        }
        set_catalog_base(cx, catalog, Some(&base), false);
        if catalog == current {
            cx.session.navigation.shows_unsaved_edits = false;
            cx.session.navigation.screen = Screen::Changes;
        }
    }
}

/// Requests the comparison of a catalog with its base, unless it is known or on its way.
fn request_catalog_comparison(cx: &mut Context<'_>, catalog: usize) {
    let open = cx.session.catalogs.all().get(catalog);
    let Some(open) = open.filter(|open| open.visible_state().catalog.missing_part().is_none()) else {
        return;
    };
    let states = cx.session.catalogs.base_state_of(open).map(|base| (base, open.visible_state()));
    let Some((before, after)) = states.map(|(before, after)| (Arc::clone(before), Arc::clone(after))) else {
        return;
    };
    let known = open.base_comparison.active_base.as_ref().and_then(|against| against.comparison.as_ref());
    let is_known = known.is_some_and(|known| known.is_between(&before, &after));
    // One comparison at a time. The next one starts with the state at that time.
    if is_known || open.base_comparison.comparison_job.is_waiting() {
        return;
    }
    if let Some(open) = cx.session.catalogs.get_mut(catalog) {
        let job = &mut open.base_comparison.comparison_job;
        let asked = job.replace(ComparisonRequest { catalog, before, after });
        cx.run_job(asked);
    }
}

/// Returns an error if the catalog is not in a git repository: a revision then needs an explicit
/// path. Assumes that the catalog is in a repository until the check is done.
pub(in crate::tui) fn check_repository(open: &OpenCatalog) -> Result<(), UserError> {
    match (&open.source, &open.base_comparison.repository) {
        (Source::Demo, _) => Err(UserError::new("the demo is not in a git repository")),
        (Source::Stdin(_), _) => Err(UserError::new("standard input is not in a git repository")),
        (Source::Revision(_), _) => Ok(()),
        (Source::Path(_), Some(Err(why))) => Err(UserError::new(&why.message)),
        (Source::Path(_), _) => Ok(()),
    }
}
