//! The past: the history of a package, and its catalog as a commit left it. It is looked at and never changed; unsaved edits
//! wait until one is back.

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

/// What is known of the history of a package, and what is being read.
#[derive(Debug, Default)]
pub struct Looking {
    /// Given back with the answers; an older one is dropped.
    number: u64,
    /// What was asked for last: the catalog and the package.
    asked: Option<(usize, PackageName)>,
    /// What came of it; `None` until it is there.
    pub found: Option<Result<Arc<History>, Refusal>>,
    /// The step that is being read.
    reading: Option<usize>,
}

/// A catalog as a commit left it.
#[derive(Clone, Debug)]
pub struct Past {
    /// The history that one goes through.
    pub history: Arc<History>,
    /// Which of its steps, from the newest on.
    pub at: usize,
    /// The catalog after it.
    pub state: Arc<Snapshot>,
    /// What was selected in the present.
    selection: Selection,
}

impl Past {
    /// The commit that is looked at.
    pub fn step(&self) -> Option<&Step> {
        self.history.steps.get(self.at)
    }
}

impl Session {
    /// The past that is looked at, where one does.
    pub fn past(&self) -> Option<&Past> {
        self.catalog()?.past.as_ref()
    }

    /// Whether a commit is being read.
    pub fn is_reading_past(&self) -> bool {
        self.looking.reading.is_some()
    }
}

/// Why nothing can be changed in the past.
pub(in crate::app) fn in_the_way(see: &See<'_>) -> Reason {
    let short = see.session.past().and_then(Past::step).map(|step| step.committed.short.clone());
    let back = see.key(ActionId::Back);
    format!("this is the catalog as of {}: {back} goes back to now", short.unwrap_or_default())
}

/// Asks for the history of the selected package.
pub(in crate::app) fn ask(cx: &mut Cx<'_>, package: &PackageName) {
    let Some(path) = cx.session.catalog().and_then(|open| open.path()).map(ToOwned::to_owned) else { return };
    let looking = &mut cx.session.looking;
    looking.number += 1;
    looking.asked = Some((cx.session.current, package.clone()));
    looking.found = None;
    looking.reading = None;
    cx.ask(Effect::ReadHistory { number: cx.session.looking.number, path, package: package.clone() });
}

/// The history is there, or why it is not.
pub(in crate::app) fn found(session: &mut Session, number: u64, result: Result<Arc<History>, Refusal>) {
    let looking = &mut session.looking;
    if looking.number == number && looking.reading.is_none() {
        looking.found = Some(result);
    }
}

/// Reads no more.
pub(in crate::app) fn stop(cx: &mut Cx<'_>) {
    cx.session.looking.number += 1;
    cx.session.looking.reading = None;
    cx.ask(Effect::StopPast);
}

/// Goes to a step of the history that is known.
pub(in crate::app) fn look(cx: &mut Cx<'_>, at: usize) {
    let history = match cx.session.past() {
        Some(past) => Some(Arc::clone(&past.history)),
        None => cx.session.looking.found.as_ref().and_then(|found| found.as_ref().ok()).cloned(),
    };
    if let Some(history) = history {
        read(cx, history, at);
    }
}

/// Goes to a step of the history that was asked for last, whichever one looks at.
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

/// A commit was read, or was not.
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
    // Where it was not there yet, the selection is chosen anew: what was selected now is tried first each time.
    open.selection = selection.clone();
    open.past = Some(Past { history, at, state, selection });
    cx.session.settle_all();
    let told = cx.session.past().and_then(Past::step).map(said);
    if let Some(words) = told {
        cx.notices.done(words);
    }
}

/// A commit in a line, its subject last: what does not fit of it is no loss.
fn said(step: &Step) -> String {
    let by = &step.committed;
    format!("as of {}, {}, {}: {}", by.short, by.date, by.author, by.subject)
}

/// Goes to an older step, or a newer one; after the newest comes the present.
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

/// Goes back to the present, or stops reading a commit; whether there was anything to end.
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

/// Goes back to the present.
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
