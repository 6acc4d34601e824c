//! Git history of a package, and the catalog at a commit. Past commits are read-only; unsaved edits
//! stay until the user returns.

use std::sync::Arc;

use crate::{
    app::{
        keys::{ActionId, spec::Reason},
        parts::way::Way,
        session::{
            Session,
            cx::{Cx, See},
            place::Selection,
        },
        work::{Effect, Refusal},
    },
    catalog::PackageName,
    review::{
        Snapshot,
        history::{History, Step},
    },
};

/// State of history requests.
#[derive(Debug, Default)]
pub struct Looking {
    /// Returned with the answers. Answers to older requests are dropped.
    number: u64,
    /// Catalog and package of the last request.
    asked: Option<(usize, PackageName)>,
    /// The history, or the reason of the failure. `None` until it is read.
    pub found: Option<Result<Arc<History>, Refusal>>,
    /// Index of the commit that is being read.
    reading: Option<usize>,
}

/// Catalog at a commit.
#[derive(Clone, Debug)]
pub struct Past {
    /// The history of the commit.
    pub history: Arc<History>,
    /// Index of the commit, starting with the newest.
    pub at: usize,
    /// State of the catalog after the commit.
    pub state: Arc<Snapshot>,
    /// Selection in the current state.
    selection: Selection,
}

impl Past {
    /// Returns the commit.
    pub fn step(&self) -> Option<&Step> {
        self.history.steps.get(self.at)
    }
}

impl Session {
    /// Returns the past commit that is shown.
    pub fn past(&self) -> Option<&Past> {
        self.catalog()?.past.as_ref()
    }

    /// Returns true while a commit is read.
    pub fn is_reading_past(&self) -> bool {
        self.looking.reading.is_some()
    }
}

/// Returns the reason why a past commit cannot be changed.
pub(in crate::app) fn in_the_way(see: &See<'_>) -> Reason {
    let short = see.session.past().and_then(Past::step).map(|step| step.committed.short.clone());
    let back = see.key(ActionId::Back);
    format!("this is the catalog as of {}: {back} goes back to now", short.unwrap_or_default())
}

/// Requests the history of a package of the current catalog.
pub(in crate::app) fn ask(cx: &mut Cx<'_>, package: &PackageName) {
    let Some(path) = cx.session.catalog().and_then(|open| open.path()).map(ToOwned::to_owned) else { return };
    let looking = &mut cx.session.looking;
    looking.number += 1;
    looking.asked = Some((cx.session.current, package.clone()));
    looking.found = None;
    looking.reading = None;
    cx.ask(Effect::ReadHistory { number: cx.session.looking.number, path, package: package.clone() });
}

/// Stores a history.
pub(in crate::app) fn found(session: &mut Session, number: u64, result: Result<Arc<History>, Refusal>) {
    let looking = &mut session.looking;
    if looking.number == number && looking.reading.is_none() {
        looking.found = Some(result);
    }
}

/// Stops reading.
pub(in crate::app) fn stop(cx: &mut Cx<'_>) {
    cx.session.looking.number += 1;
    cx.session.looking.reading = None;
    cx.ask(Effect::StopPast);
}

/// Shows a commit of the known history.
pub(in crate::app) fn look(cx: &mut Cx<'_>, at: usize) {
    let history = match cx.session.past() {
        Some(past) => Some(Arc::clone(&past.history)),
        None => cx.session.looking.found.as_ref().and_then(|found| found.as_ref().ok()).cloned(),
    };
    if let Some(history) = history {
        read(cx, history, at);
    }
}

/// Shows a commit of the history that was requested last.
pub(in crate::app) fn choose(cx: &mut Cx<'_>, at: usize) {
    if let Some(Ok(history)) = cx.session.looking.found.clone() {
        read(cx, history, at);
    }
}

fn read(cx: &mut Cx<'_>, history: Arc<History>, at: usize) {
    let Some(path) = cx.session.catalog().and_then(|open| open.path()).map(ToOwned::to_owned) else { return };
    let Some(step) = history.steps.get(at) else { return };
    let commit = step.committed.commit.as_str().to_owned();
    cx.notices.done(format!("reading {} of {}", step.committed.short, step.committed.date));
    let catalog = cx.session.current;
    let looking = &mut cx.session.looking;
    looking.number += 1;
    looking.reading = Some(at);
    looking.asked = Some((catalog, history.package.clone()));
    looking.found = Some(Ok(history));
    cx.ask(Effect::ReadPast { number: cx.session.looking.number, path, commit });
}

/// Stores and shows a commit.
pub(in crate::app) fn was_read(cx: &mut Cx<'_>, number: u64, result: Result<Arc<Snapshot>, Refusal>) {
    let looking = &mut cx.session.looking;
    if looking.number != number {
        return;
    }
    let Some(at) = looking.reading.take() else { return };
    let (Some((catalog, _)), Some(Ok(history))) = (&looking.asked, &looking.found) else { return };
    let (catalog, history) = (*catalog, Arc::clone(history));
    let state = match result {
        Ok(state) => state,
        Err(refusal) => return cx.notices.refused(refusal.to_string()),
    };
    let Some(open) = cx.session.open.get_mut(catalog) else { return };
    let selection = open.past.take().map_or_else(|| open.selection.clone(), |past| past.selection);
    // The selection in the current state is tried first. If the commit does not have it, another
    // one is chosen.
    open.selection = selection.clone();
    open.past = Some(Past { history, at, state, selection });
    cx.session.settle_all();
    let told = cx.session.past().and_then(Past::step).map(said);
    if let Some(words) = told {
        cx.notices.done(words);
    }
}

/// Formats a commit as a line. The subject is last, because it may be truncated.
fn said(step: &Step) -> String {
    let by = &step.committed;
    format!("as of {}, {}, {}: {}", by.short, by.date, by.author, by.subject)
}

/// Shows the next older or newer commit. After the newest, shows the current state.
pub(in crate::app) fn step(cx: &mut Cx<'_>, way: Way) {
    let Some((at, steps)) = cx.session.past().map(|past| (past.at, past.history.steps.len())) else { return };
    let from = cx.session.looking.reading.unwrap_or(at);
    match (way, from.checked_sub(1)) {
        (Way::Up, _) if from + 1 < steps => look(cx, from + 1),
        (Way::Up, _) => cx.notices.refused("no older commit of this package"),
        (Way::Down, Some(newer)) => look(cx, newer),
        (Way::Down, None) => end(cx),
    }
}

/// Returns to the current state, or stops reading a commit. Returns false if there is nothing to
/// end.
pub(in crate::app) fn back(cx: &mut Cx<'_>) -> bool {
    if cx.session.is_reading_past() {
        stop(cx);
        cx.notices.done("stopped");
        return true;
    }
    let is_past = cx.session.past().is_some();
    if is_past {
        end(cx);
    }
    is_past
}

/// Returns to the current state.
pub(in crate::app) fn end(cx: &mut Cx<'_>) {
    if cx.session.is_reading_past() {
        stop(cx);
    }
    if let Some(open) = cx.session.catalog_mut()
        && let Some(past) = open.past.take()
    {
        open.selection = past.selection;
        cx.session.settle_all();
        cx.notices.done("back to now");
    }
}
