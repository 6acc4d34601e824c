//! Comparison of open catalogs with a base: the loaded files, a git revision, or another catalog.
//!
//! A worker reads the base and compares. A chosen base takes effect when it is read; answers to
//! older requests are dropped.

use std::{path::Path, sync::Arc};

use crate::{
    app::{
        keys::spec::Reason,
        parts::{memo::Same, notice::About},
        session::{
            Session,
            cx::Cx,
            open::{Open, Stage},
        },
        work::{
            Base, Effect, Refusal, Source,
            comparison::{Comparison, Labelled},
        },
    },
    catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget},
    review::{Snapshot, diff::Fate},
};

/// Active base and its comparison.
#[derive(Clone, Debug)]
struct Against {
    base: Base,
    /// State of the base, if it has to be read.
    read: Option<Arc<Snapshot>>,
    /// The last comparison.
    comparison: Option<Arc<Comparison>>,
}

/// Comparison state of an open catalog.
#[derive(Clone, Default, Debug)]
pub struct Comparing {
    against: Option<Against>,
    /// Base that is being read, with the number of the request.
    asked: Option<(Base, u64)>,
    /// Number of the running comparison.
    underway: Option<u64>,
    /// True once the base of the command line was applied.
    begun: bool,
    /// `Err` with the reason if the catalog is not in a git repository. `None` while unknown.
    repository: Option<Result<(), Refusal>>,
}

impl Comparing {
    /// Returns the active base.
    pub fn base(&self) -> Option<&Base> {
        self.against.as_ref().map(|against| &against.base)
    }

    /// Returns the state of a base that had to be read.
    pub(in crate::app) fn read_mut(&mut self) -> Option<&mut Arc<Snapshot>> {
        self.against.as_mut()?.read.as_mut()
    }

    /// Returns the base that is being read.
    pub fn asked(&self) -> Option<&Base> {
        self.asked.as_ref().map(|(base, _)| base)
    }
}

impl Open {
    /// Returns the path of the catalog, which is also the path in revisions.
    pub(in crate::app) fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::Path(path) => Some(path),
            Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
        }
    }
}

impl Session {
    /// Returns the base of the current catalog.
    pub fn base(&self) -> Option<&Base> {
        self.catalog()?.comparing.base()
    }

    /// Returns the state of the base.
    pub fn base_state(&self) -> Option<&Arc<Snapshot>> {
        let open = self.catalog()?;
        let against = open.comparing.against.as_ref()?;
        match &against.base {
            Base::Loaded => Some(&open.baseline),
            Base::Open(source) => {
                let other = self.open.iter().find(|other| other.source == *source)?;
                Some(other.history.now())
            }
            Base::Revision(_) | Base::Path(_) => against.read.as_ref(),
        }
    }

    /// Returns the last comparison of the current catalog.
    pub fn comparison(&self) -> Option<&Arc<Comparison>> {
        self.catalog()?.comparing.against.as_ref()?.comparison.as_ref()
    }

    /// Returns true if the Changes screen shows a comparison or waits for one, instead of unsaved
    /// edits.
    pub fn shows_comparison(&self) -> bool {
        let compares = self
            .catalog()
            .is_some_and(|open| open.comparing.against.is_some() || open.comparing.asked.is_some());
        compares && !self.shows_bytes
    }

    /// Returns the change of a package.
    pub fn package_fate(&self, name: &PackageName) -> Option<Fate> {
        self.marked()?.package(name).map(|package| package.fate)
    }

    /// Returns the change of a channel of the selected package.
    pub fn channel_fate(&self, name: &ChannelName) -> Option<Fate> {
        let package = self.marked()?.package(self.selection().package.as_ref()?)?;
        let is_it = |target: &Option<DeprecationTarget>| matches!(target, Some(DeprecationTarget::Channel(of)) if of == name);
        let deprecated = package.deprecations.iter().any(|deprecation| is_it(&deprecation.target));
        let fate = package.channel(name.as_str()).map(|channel| channel.fate);
        fate.or(deprecated.then_some(Fate::Changed))
    }

    /// Returns the change of an entry of the selected channel.
    pub fn entry_fate(&self, name: &BundleName) -> Option<Fate> {
        self.answers.marks().fate(name)
    }

    /// Returns true if the selected package does not have the bundle in the base.
    pub fn is_new_bundle(&self, name: &BundleName) -> bool {
        let compares = self.marked_state().is_some() && self.what_if().is_none();
        let known = self.marked_package().map(Arc::as_ref);
        compares && known.is_none_or(|judged| judged.package().bundle(name.as_str()).is_none())
    }

    /// Returns the number of bundles of the selected package that only the base has.
    pub fn gone_bundles(&self) -> usize {
        let (Some(before), Some(now)) = (self.marked_package(), self.package()) else { return 0 };
        let bundles = &before.package().bundles;
        bundles.iter().filter(|bundle| now.package().bundle(bundle.name.value.as_str()).is_none()).count()
    }

    fn request(&mut self) -> u64 {
        self.requests += 1;
        self.requests
    }
}

/// Returns the current comparison with labels, for export.
///
/// # Errors
///
/// The reason, if there is no comparison.
pub(in crate::app) fn told(session: &Session) -> Result<Labelled, Reason> {
    let open = session.catalog().ok_or("no catalog is open")?;
    let Some(base) = session.base().filter(|_| session.shows_comparison()) else {
        return Err("no comparison is active".to_owned());
    };
    let states = session.base_state().zip(session.snapshot());
    let comparison = session.comparison().zip(states);
    let comparison = comparison.filter(|(known, (before, after))| known.is_of(before, after));
    let (comparison, _) = comparison.ok_or("the comparison is not ready yet")?;
    let but = match &open.what_if {
        Some(_) => " with the what-if",
        None if open.history.unsaved(&open.baseline) > 0 => " with the unsaved edits",
        None => "",
    };
    let new = format!("{}{but}", open.source.label());
    Ok(Labelled { comparison: Same::of(Some(comparison)), old: base.label(), new })
}

/// Sets the base of the current catalog. `None` stops the comparison.
pub(in crate::app) fn choose(cx: &mut Cx<'_>, base: Option<Base>) {
    let catalog = cx.session.current;
    let number = cx.session.request();
    cx.session.shows_bytes = false;
    let Some(open) = cx.session.catalog_mut() else { return };
    open.comparing.asked = None;
    let Some(base) = base else {
        open.comparing.against = None;
        // Removed entries have no rows now.
        cx.session.settle();
        cx.notices.done("comparison stopped");
        return;
    };
    if base.is_read() {
        let like = open.path().map(Path::to_owned);
        open.comparing.asked = Some((base.clone(), number));
        cx.ask(Effect::ReadBase { catalog, number, base, like });
        return;
    }
    open.comparing.against = Some(Against { base, read: None, comparison: None });
    cx.session.settle();
}

/// Reads all bases again, because branches or files may have changed.
pub(in crate::app) fn read_again(cx: &mut Cx<'_>) {
    for catalog in 0..cx.session.open.len() {
        let number = cx.session.request();
        let Some(open) = cx.session.open.get_mut(catalog) else { continue };
        let known = open.comparing.asked().or(open.comparing.base()).filter(|base| base.is_read()).cloned();
        if let Some(base) = known {
            let like = open.path().map(Path::to_owned);
            open.comparing.asked = Some((base.clone(), number));
            cx.ask(Effect::ReadBase { catalog, number, base, like });
        }
    }
}

/// Stores a base that was read. Returns the base with the error, if it could not be read.
pub(in crate::app) fn was_read(
    cx: &mut Cx<'_>,
    catalog: usize,
    number: u64,
    result: Result<Arc<Snapshot>, Refusal>,
) -> Option<(Base, Result<(), Refusal>)> {
    let open = cx.session.open.get_mut(catalog)?;
    let (base, _) = open.comparing.asked.take_if(|(_, asked)| *asked == number)?;
    match result {
        Ok(read) => {
            open.comparing.against = Some(Against { base: base.clone(), read: Some(read), comparison: None });
            cx.session.settle_all();
            cx.notices.succeeded(About::Comparing);
            Some((base, Ok(())))
        }
        Err(refusal) => Some((base, Err(refusal))),
    }
}

/// Stores a finished comparison.
pub(in crate::app) fn was_compared(
    session: &mut Session,
    catalog: usize,
    number: u64,
    comparison: Arc<Comparison>,
) {
    let Some(open) = session.open.get_mut(catalog) else { return };
    if open.comparing.underway.take_if(|underway| *underway == number).is_none() {
        return;
    }
    if let Some(against) = &mut open.comparing.against {
        against.comparison = Some(comparison);
    }
}

/// Stores whether a catalog is in a git repository.
pub(in crate::app) fn found_repository(session: &mut Session, catalog: usize, outcome: Result<(), Refusal>) {
    if let Some(open) = session.open.get_mut(catalog) {
        open.comparing.repository = Some(outcome);
    }
}

/// Requests the comparison of the current state if the last one is stale.
pub(in crate::app) fn want(cx: &mut Cx<'_>) {
    // Entries that are not read yet would look removed.
    let session = &*cx.session;
    if session.stage != Stage::Ready || session.is_growing() || session.unread().is_some() {
        return;
    }
    let asked = cx.settings.against.clone();
    if let (Some(base), Some(open)) = (asked, cx.session.catalog_mut())
        && !std::mem::replace(&mut open.comparing.begun, true)
    {
        choose(cx, Some(base));
    }
    let session = &*cx.session;
    let Some((before, after)) = session.base_state().cloned().zip(session.snapshot().cloned()) else {
        return;
    };
    let is_known = session.comparison().is_some_and(|known| known.is_of(&before, &after));
    // One comparison at a time. The next one starts with the state at that time.
    let is_underway = session.catalog().is_some_and(|open| open.comparing.underway.is_some());
    if is_known || is_underway {
        return;
    }
    let (catalog, number) = (session.current, cx.session.request());
    if let Some(open) = cx.session.catalog_mut() {
        open.comparing.underway = Some(number);
        cx.ask(Effect::Compare { catalog, number, before, after });
    }
}

/// Returns an error if a revision needs an explicit path. Assumes that the catalog is in a
/// repository until the check is done.
pub(in crate::app) fn repository(open: &Open) -> Result<(), Refusal> {
    match (&open.source, &open.comparing.repository) {
        (Source::Demo, _) => Err(Refusal::new("the demo is not in a git repository")),
        (Source::Stdin(_), _) => Err(Refusal::new("standard input is not in a git repository")),
        (Source::Revision(_), _) => Ok(()),
        (Source::Path(_), Some(Err(why))) => Err(Refusal::new(&why.message)),
        (Source::Path(_), _) => Ok(()),
    }
}
