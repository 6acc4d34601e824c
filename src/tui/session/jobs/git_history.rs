//! Git history of a package, and the catalog at a commit. Past commits are read-only; unsaved edits
//! stay until the user returns.

use std::{path::PathBuf, sync::Arc};

use crate::tui::{
    keys::{ActionId, spec::Reason},
    parts::{list::Direction, memo::SharedRef},
    session::{
        context::{Context, ViewContext},
        jobs::StoredQuestion,
        navigation::Selection,
    },
    work::{Effect, Job, JobEnvironment, JobSlot, Question, UserError},
};
use olm_catalog::PackageName;
use olm_check::review::{
    Snapshot,
    history::{History, HistoryStep},
};

/// Package whose history is read: the commits that touched its files with their changes.
#[derive(PartialEq, Debug)]
pub struct HistoryRequest {
    /// Path of the catalog.
    pub path: PathBuf,
    /// The package.
    pub package: PackageName,
}

impl Question for HistoryRequest {
    type Answer = Result<Arc<History>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.load_history(&self.path, &self.package, environment.progress));
    }

    fn slot(&self) -> Option<JobSlot> {
        Some(JobSlot::History)
    }
}

impl StoredQuestion for HistoryRequest {
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        let reading = &mut cx.session.jobs.git_history;
        if reading.history.finish(&question) {
            reading.result = Some(answer);
        }
    }
}

/// Commit at which a catalog is read.
#[derive(PartialEq, Debug)]
pub struct CommitRequest {
    /// Index of the open catalog.
    pub catalog: usize,
    /// Path of the catalog.
    pub path: PathBuf,
    /// The full commit ID.
    pub commit: String,
    /// Index of the commit in the history.
    pub at: usize,
    /// The history of the commit.
    pub history: SharedRef<History>,
}

impl Question for CommitRequest {
    type Answer = Result<Arc<Snapshot>, UserError>;

    fn compute(&self, environment: &JobEnvironment<'_>, send: &(dyn Fn(Self::Answer) + Sync)) {
        send(environment.services.load_commit(&self.path, &self.commit, environment.progress));
    }

    fn slot(&self) -> Option<JobSlot> {
        Some(JobSlot::History)
    }
}

/// State of history requests. History and commit are not read at the same time.
#[derive(Debug, Default)]
pub struct HistoryState {
    history: Job<HistoryRequest>,
    commit: Job<CommitRequest>,
    /// The history, or the reason of the failure. `None` until it is read.
    pub result: Option<Result<Arc<History>, UserError>>,
}

/// Catalog at a commit.
#[derive(Clone, Debug)]
pub struct PastCommit {
    /// The history of the commit.
    pub history: Arc<History>,
    /// Index of the commit, starting with the newest.
    pub at: usize,
    /// State of the catalog after the commit.
    pub state: Arc<Snapshot>,
    /// Selection in the current state.
    selection: Selection,
}

impl PastCommit {
    /// Returns the commit.
    pub fn step(&self) -> Option<&HistoryStep> {
        self.history.steps.get(self.at)
    }
}

impl HistoryState {
    /// Returns true while a commit is read.
    pub fn is_reading_commit(&self) -> bool {
        self.commit.is_waiting()
    }
}

/// Returns the reason why a past commit cannot be changed.
pub(in crate::tui) fn block_reason(view_cx: &ViewContext<'_>) -> Reason {
    let short = view_cx
        .session
        .catalogs
        .past_commit()
        .and_then(PastCommit::step)
        .map(|step| step.committed.short.clone());
    let back = view_cx.key_label(ActionId::Back);
    format!("this is the catalog as of {}: {back} goes back to now", short.unwrap_or_default())
}

/// Requests the history of a package of the current catalog.
pub(in crate::tui) fn request_history(cx: &mut Context<'_>, package: &PackageName) {
    let Some(path) = cx.session.current_catalog().and_then(|open| open.catalog_path()).map(ToOwned::to_owned)
    else {
        return;
    };
    let reading = &mut cx.session.jobs.git_history;
    reading.result = None;
    reading.commit.cancel();
    let asked = reading.history.replace(HistoryRequest { path, package: package.clone() });
    cx.run_job(asked);
}

/// Stops reading.
pub(in crate::tui) fn stop_reading_history(cx: &mut Context<'_>) {
    cx.session.jobs.git_history.history.cancel();
    cx.session.jobs.git_history.commit.cancel();
    cx.request(Effect::Stop(JobSlot::History));
}

/// Shows a commit of the known history.
pub(in crate::tui) fn show_known_commit(cx: &mut Context<'_>, at: usize) {
    let history = match cx.session.catalogs.past_commit() {
        Some(past) => Some(Arc::clone(&past.history)),
        None => cx.session.jobs.git_history.result.as_ref().and_then(|found| found.as_ref().ok()).cloned(),
    };
    if let Some(history) = history {
        read_commit(cx, history, at);
    }
}

/// Shows a commit of the history that was requested last.
pub(in crate::tui) fn show_requested_commit(cx: &mut Context<'_>, at: usize) {
    if let Some(Ok(history)) = cx.session.jobs.git_history.result.clone() {
        read_commit(cx, history, at);
    }
}

fn read_commit(cx: &mut Context<'_>, history: Arc<History>, at: usize) {
    let Some(path) = cx.session.current_catalog().and_then(|open| open.catalog_path()).map(ToOwned::to_owned)
    else {
        return;
    };
    let Some(step) = history.steps.get(at) else { return };
    let commit = step.committed.commit.as_str().to_owned();
    cx.notices.report_done(format!("reading {} of {}", step.committed.short, step.committed.date));
    let catalog = cx.session.catalogs.current_index();
    let reading = &mut cx.session.jobs.git_history;
    reading.history.cancel();
    let shared = SharedRef::from_shared(Some(&history));
    reading.result = Some(Ok(history));
    let asked = reading.commit.replace(CommitRequest { catalog, path, commit, at, history: shared });
    cx.run_job(asked);
}

impl StoredQuestion for CommitRequest {
    /// Shows the commit.
    fn store(question: Arc<Self>, answer: Self::Answer, cx: &mut Context<'_>) {
        if !cx.session.jobs.git_history.commit.finish(&question) {
            return;
        }
        let state = match answer {
            Ok(state) => state,
            Err(refusal) => return cx.notices.report_refusal(refusal.to_string()),
        };
        let Some(history) = question.history.shared().cloned() else { return };
        let Some(open) = cx.session.catalogs.get_mut(question.catalog) else { return };
        let selection = open.past_commit.take().map_or_else(|| open.selection.clone(), |past| past.selection);
        // The selection in the current state is tried first. If the commit does not have it, another
        // one is chosen.
        open.selection = selection.clone();
        open.past_commit = Some(PastCommit { history, at: question.at, state, selection });
        cx.session.correct_all_selections();
        let told = cx.session.catalogs.past_commit().and_then(PastCommit::step).map(commit_notice);
        if let Some(words) = told {
            cx.notices.report_done(words);
        }
    }
}

/// Formats a commit as a line. The subject is last, because it may be truncated.
fn commit_notice(step: &HistoryStep) -> String {
    let by = &step.committed;
    format!("as of {}, {}, {}: {}", by.short, by.date, by.author, by.subject)
}

/// Shows the next older or newer commit. After the newest, shows the current state.
pub(in crate::tui) fn show_next_commit(cx: &mut Context<'_>, way: Direction) {
    let Some((at, steps)) = cx.session.catalogs.past_commit().map(|past| (past.at, past.history.steps.len()))
    else {
        return;
    };
    let from = cx.session.jobs.git_history.commit.pending_question().map_or(at, |asked| asked.at);
    match (way, from.checked_sub(1)) {
        (Direction::Up, _) if from + 1 < steps => show_known_commit(cx, from + 1),
        (Direction::Up, _) => cx.notices.report_refusal("no older commit of this package"),
        (Direction::Down, Some(newer)) => show_known_commit(cx, newer),
        (Direction::Down, None) => end_history(cx),
    }
}

/// Returns to the current state, or stops reading a commit. Returns false if there is nothing to
/// end.
pub(in crate::tui) fn return_from_history(cx: &mut Context<'_>) -> bool {
    if cx.session.jobs.git_history.is_reading_commit() {
        stop_reading_history(cx);
        cx.notices.report_done("stopped");
        return true;
    }
    let is_past = cx.session.catalogs.past_commit().is_some();
    if is_past {
        end_history(cx);
    }
    is_past
}

/// Returns to the current state.
pub(in crate::tui) fn end_history(cx: &mut Context<'_>) {
    if cx.session.jobs.git_history.is_reading_commit() {
        stop_reading_history(cx);
    }
    if let Some(open) = cx.session.catalogs.current_mut()
        && let Some(past) = open.past_commit.take()
    {
        open.selection = past.selection;
        cx.session.correct_all_selections();
        cx.notices.report_done("back to now");
    }
}
