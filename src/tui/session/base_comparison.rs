//! Comparison of open catalogs with a base: the loaded files, a git revision, or another catalog.
//!
//! A worker reads the base and compares. A chosen base takes effect when it is read; answers to
//! older requests are dropped.

use std::{path::Path, sync::Arc};

use crate::tui::{
    keys::spec::Reason,
    parts::{memo::SharedRef, notice::NoticeTopic},
    session::{
        Session,
        context::Context,
        open_catalog::{OpenCatalog, Stage},
    },
    work::{
        Base, Effect, Source, UserError,
        comparison::{Comparison, LabeledComparison},
    },
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget};
use olm_check::review::{Snapshot, diff::ChangeKind};

/// Active base and its comparison.
#[derive(Clone, Debug)]
struct ActiveBase {
    base: Base,
    /// State of the base; `None` for a base that is open already.
    loaded_state: Option<Arc<Snapshot>>,
    /// The last comparison.
    comparison: Option<Arc<Comparison>>,
}

/// Comparison state of an open catalog.
#[derive(Clone, Default, Debug)]
pub struct BaseComparison {
    active_base: Option<ActiveBase>,
    /// Base that is being read, with the number of the request.
    pending_base: Option<(Base, u64)>,
    /// Number of the request for the running comparison.
    running_comparison: Option<u64>,
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

    /// Returns the state of a base that had to be read.
    pub(in crate::tui) fn base_state_mut(&mut self) -> Option<&mut Arc<Snapshot>> {
        self.active_base.as_mut()?.loaded_state.as_mut()
    }

    /// Returns the base that is being read.
    pub fn pending_base(&self) -> Option<&Base> {
        self.pending_base.as_ref().map(|(base, _)| base)
    }
}

impl OpenCatalog {
    /// Returns the path of the catalog, which is also the path in revisions.
    pub(in crate::tui) fn catalog_path(&self) -> Option<&Path> {
        match &self.source {
            Source::Path(path) => Some(path),
            Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
        }
    }
}

impl Session {
    /// Returns the base of the current catalog.
    pub fn base(&self) -> Option<&Base> {
        self.current_catalog()?.base_comparison.base()
    }

    /// Returns the state of the base.
    pub fn base_state(&self) -> Option<&Arc<Snapshot>> {
        let open = self.current_catalog()?;
        let against = open.base_comparison.active_base.as_ref()?;
        match &against.base {
            Base::Loaded => Some(&open.baseline),
            Base::Open(source) => {
                let other = self.open_catalogs.iter().find(|other| other.source == *source)?;
                Some(other.history.now())
            }
            Base::Revision(_) | Base::Path(_) => against.loaded_state.as_ref(),
        }
    }

    /// Returns the last comparison of the current catalog.
    pub fn comparison(&self) -> Option<&Arc<Comparison>> {
        self.current_catalog()?.base_comparison.active_base.as_ref()?.comparison.as_ref()
    }

    /// Returns true if the Changes screen shows a comparison or waits for one, instead of unsaved
    /// edits.
    pub fn shows_comparison(&self) -> bool {
        let compares = self.current_catalog().is_some_and(|open| {
            open.base_comparison.active_base.is_some() || open.base_comparison.pending_base.is_some()
        });
        compares && !self.shows_unsaved_edits
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

    /// Returns the change of an entry of the selected channel.
    pub fn entry_change(&self, name: &BundleName) -> Option<ChangeKind> {
        self.derived.marks().entry_change(name)
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

    fn next_request_number(&mut self) -> u64 {
        self.last_request += 1;
        self.last_request
    }
}

/// Returns the current comparison with labels, for export.
///
/// # Errors
///
/// The reason, if there is no comparison.
pub(in crate::tui) fn labeled_comparison(session: &Session) -> Result<LabeledComparison, Reason> {
    let open = session.current_catalog().ok_or("no catalog is open")?;
    let Some(base) = session.base().filter(|_| session.shows_comparison()) else {
        return Err("no comparison is active".to_owned());
    };
    let states = session.base_state().zip(session.snapshot());
    let comparison = session.comparison().zip(states);
    let comparison = comparison.filter(|(known, (before, after))| known.is_between(before, after));
    let (comparison, _) = comparison.ok_or("the comparison is not ready yet")?;
    let but = match &open.what_if {
        Some(_) => " with the what-if",
        None if open.history.unsaved_count(&open.baseline) > 0 => " with the unsaved edits",
        None => "",
    };
    let new = format!("{}{but}", open.source.label());
    Ok(LabeledComparison { comparison: SharedRef::from_shared(Some(comparison)), old: base.label(), new })
}

/// Sets the base of the current catalog. `None` stops the comparison.
pub(in crate::tui) fn set_base(cx: &mut Context<'_>, base: Option<Base>) {
    let catalog = cx.session.current;
    let number = cx.session.next_request_number();
    cx.session.shows_unsaved_edits = false;
    let Some(open) = cx.session.current_catalog_mut() else { return };
    open.base_comparison.pending_base = None;
    let Some(base) = base else {
        open.base_comparison.active_base = None;
        // Removed entries have no rows now.
        cx.session.correct_selection();
        cx.notices.report_done("comparison stopped");
        return;
    };
    if base.needs_loading() {
        let like = open.catalog_path().map(Path::to_owned);
        open.base_comparison.pending_base = Some((base.clone(), number));
        cx.request(Effect::ReadBase { catalog, number, base, default_path: like });
        return;
    }
    open.base_comparison.active_base = Some(ActiveBase { base, loaded_state: None, comparison: None });
    cx.session.correct_selection();
}

/// Reads all bases again, because branches or files may have changed.
pub(in crate::tui) fn reread_bases(cx: &mut Context<'_>) {
    for catalog in 0..cx.session.open_catalogs.len() {
        let number = cx.session.next_request_number();
        let Some(open) = cx.session.open_catalogs.get_mut(catalog) else { continue };
        let known = open
            .base_comparison
            .pending_base()
            .or(open.base_comparison.base())
            .filter(|base| base.needs_loading())
            .cloned();
        if let Some(base) = known {
            let like = open.catalog_path().map(Path::to_owned);
            open.base_comparison.pending_base = Some((base.clone(), number));
            cx.request(Effect::ReadBase { catalog, number, base, default_path: like });
        }
    }
}

/// Stores a base that was read. Returns the base with the error, if it could not be read.
pub(in crate::tui) fn store_base(
    cx: &mut Context<'_>,
    catalog: usize,
    number: u64,
    result: Result<Arc<Snapshot>, UserError>,
) -> Option<(Base, Result<(), UserError>)> {
    let open = cx.session.open_catalogs.get_mut(catalog)?;
    let (base, _) = open.base_comparison.pending_base.take_if(|(_, asked)| *asked == number)?;
    match result {
        Ok(read) => {
            open.base_comparison.active_base =
                Some(ActiveBase { base: base.clone(), loaded_state: Some(read), comparison: None });
            cx.session.correct_all_selections();
            cx.notices.clear_topic(NoticeTopic::Comparison);
            Some((base, Ok(())))
        }
        Err(refusal) => Some((base, Err(refusal))),
    }
}

/// Stores a finished comparison.
pub(in crate::tui) fn store_comparison(
    session: &mut Session,
    catalog: usize,
    number: u64,
    comparison: Arc<Comparison>,
) {
    let Some(open) = session.open_catalogs.get_mut(catalog) else { return };
    if open.base_comparison.running_comparison.take_if(|underway| *underway == number).is_none() {
        return;
    }
    if let Some(against) = &mut open.base_comparison.active_base {
        against.comparison = Some(comparison);
    }
}

/// Stores whether a catalog is in a git repository.
pub(in crate::tui) fn store_repository_check(
    session: &mut Session,
    catalog: usize,
    outcome: Result<(), UserError>,
) {
    if let Some(open) = session.open_catalogs.get_mut(catalog) {
        open.base_comparison.repository = Some(outcome);
    }
}

/// Requests the comparison of the current state if the last one is stale.
pub(in crate::tui) fn request_comparison(cx: &mut Context<'_>) {
    // Entries that are not read yet would look removed.
    let session = &*cx.session;
    if session.stage != Stage::Ready || session.is_loading_visibly() || session.unread().is_some() {
        return;
    }
    let configured_base = cx.settings.base.clone();
    if let (Some(base), Some(open)) = (configured_base, cx.session.current_catalog_mut())
        && !std::mem::replace(&mut open.base_comparison.applied_settings, true)
    {
        set_base(cx, Some(base));
    }
    let session = &*cx.session;
    let Some((before, after)) = session.base_state().cloned().zip(session.snapshot().cloned()) else {
        return;
    };
    let is_known = session.comparison().is_some_and(|known| known.is_between(&before, &after));
    // One comparison at a time. The next one starts with the state at that time.
    let is_underway =
        session.current_catalog().is_some_and(|open| open.base_comparison.running_comparison.is_some());
    if is_known || is_underway {
        return;
    }
    let (catalog, number) = (session.current, cx.session.next_request_number());
    if let Some(open) = cx.session.current_catalog_mut() {
        open.base_comparison.running_comparison = Some(number);
        cx.request(Effect::Compare { catalog, number, before, after });
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
