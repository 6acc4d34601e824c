//! History of edits: states of one catalog, and edits of the open catalogs with preview, undo and
//! redo. All edits of the history go through this module.

use std::sync::{Arc, Weak};

use crate::tui::{
    keys::ActionId,
    session::{catalogs::Catalogs, context::ViewContext, jobs::load, open_catalog::OpenCatalog, what_if},
    work::preview::{self, EditOutcome, Preview},
};
use olm_check::review::Snapshot;
use olm_edit::{Batch, Conflict, Edit, RecordedEdit};

/// State and the edit that led to it. The first state has no edit.
#[derive(Clone, Debug)]
struct State {
    snapshot: Arc<Snapshot>,
    title: String,
    edit: Option<Arc<RecordedEdit>>,
    /// Batch of edits in several catalogs.
    batch: Option<Batch>,
}

impl State {
    /// Returns the edit with its batch, as a journal holds it.
    fn recorded(&self) -> Option<Arc<RecordedEdit>> {
        let edit = self.edit.as_ref()?;
        if edit.batch == self.batch {
            return Some(edit.clone());
        }
        Some(Arc::new(RecordedEdit { batch: self.batch.clone(), ..RecordedEdit::clone(edit) }))
    }
}

/// All states since loading. States share everything that their edits did not touch.
#[derive(Clone, Debug)]
pub struct History {
    states: Vec<State>,
    current: usize,
    /// Discarded states: undone, then replaced by another edit. Each has the index of its last
    /// state in the history.
    discarded: Vec<(Weak<Snapshot>, usize)>,
}

impl History {
    /// Creates a history that starts with a state.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        Self {
            states: vec![State { snapshot, title: String::new(), edit: None, batch: None }],
            current: 0,
            discarded: Vec::new(),
        }
    }

    /// Returns the current state.
    pub fn now(&self) -> &Arc<Snapshot> {
        &self.states[self.current].snapshot
    }

    /// Adds a new state. States that could be redone are discarded.
    pub fn push(&mut self, snapshot: Arc<Snapshot>, edit: Edit) {
        let edit = RecordedEdit::new(&self.now().catalog, edit);
        self.push_state(snapshot, Arc::new(edit));
    }

    fn push_state(&mut self, snapshot: Arc<Snapshot>, edit: Arc<RecordedEdit>) {
        for (_, shared) in &mut self.discarded {
            *shared = (*shared).min(self.current);
        }
        self.discarded.retain(|(state, _)| state.strong_count() > 0);
        let forgotten = self.states.drain(self.current + 1..);
        self.discarded.extend(forgotten.map(|state| (Arc::downgrade(&state.snapshot), self.current)));
        self.states.push(State { snapshot, title: edit.edit.title(), edit: Some(edit), batch: None });
        self.current += 1;
    }

    /// Applies edits again, one after the other. Edits stay in their batches. Returns the edits
    /// that could not be applied, each with the reason.
    pub fn replay<'e>(
        &mut self,
        edits: impl IntoIterator<Item = (&'e Arc<RecordedEdit>, Option<&'e Batch>)>,
    ) -> Vec<(Arc<RecordedEdit>, Conflict)> {
        let mut conflicts = Vec::new();
        for (edit, batch) in edits {
            match edit.replay(&self.now().catalog) {
                Ok(catalog) => {
                    self.push_state(Arc::new(self.now().after_change(catalog)), edit.clone());
                    if let Some(batch) = batch {
                        self.join_batch(batch);
                    }
                }
                Err(conflict) => conflicts.push((edit.clone(), conflict)),
            }
        }
        conflicts
    }

    /// Replaces states in place.
    pub(in crate::tui) fn replace_states(&mut self, with: &mut dyn FnMut(&mut Arc<Snapshot>)) {
        self.states.iter_mut().for_each(|state| with(&mut state.snapshot));
        for (state, _) in &mut self.discarded {
            if let Some(mut known) = state.upgrade() {
                with(&mut known);
                *state = Arc::downgrade(&known);
            }
        }
    }

    /// Goes back one edit and returns its title.
    pub fn undo(&mut self) -> Option<&str> {
        let undone = self.current;
        self.current = self.current.checked_sub(1)?;
        self.states.get(undone).map(|s| s.title.as_str())
    }

    /// Goes forward one edit and returns its title.
    pub fn redo(&mut self) -> Option<&str> {
        let state = self.states.get(self.current + 1)?;
        self.current += 1;
        Some(state.title.as_str())
    }

    /// Adds the last edit to a batch.
    pub fn join_batch(&mut self, batch: &Batch) {
        if let Some(state) = self.states.get_mut(self.current).filter(|state| state.edit.is_some()) {
            state.batch = Some(batch.clone());
        }
    }

    /// Returns the batch of the edit that undo reverts.
    pub fn undoable_batch(&self) -> Option<&Batch> {
        self.states.get(self.current)?.batch.as_ref()
    }

    /// Returns the batch of the edit that redo applies.
    pub fn redoable_batch(&self) -> Option<&Batch> {
        self.states.get(self.current + 1)?.batch.as_ref()
    }

    /// Returns true if an edit of a batch is applied, even with later edits.
    pub fn has_edit_of(&self, batch: &Batch) -> bool {
        self.states.iter().take(self.current + 1).any(|state| state.batch.as_ref() == Some(batch))
    }

    /// Returns the last edit, which undo reverts.
    pub fn last_edit(&self) -> Option<&Arc<RecordedEdit>> {
        self.states.get(self.current)?.edit.as_ref()
    }

    /// Returns the title of the edit that undo reverts.
    pub fn undo_title(&self) -> Option<&str> {
        (self.current > 0).then(|| self.states[self.current].title.as_str())
    }

    /// Returns the title of the edit that redo applies.
    pub fn redo_title(&self) -> Option<&str> {
        self.states.get(self.current + 1).map(|s| s.title.as_str())
    }

    /// Returns the edits between a state and now, oldest first, each with whether it was undone
    /// since. An unknown state was saved, undone and discarded; it counts as one undone edit.
    pub fn edits_between(&self, baseline: &Arc<Snapshot>) -> Vec<(&str, bool)> {
        let known = self.states.iter().position(|s| Arc::ptr_eq(&s.snapshot, baseline));
        let from = known.unwrap_or_default();
        let (low, high) = (from.min(self.current), from.max(self.current));
        let edits = self.states.get(low + 1..=high).unwrap_or_default();
        let edits = edits.iter().map(|s| (s.title.as_str(), from > self.current));
        let forgotten = known.is_none().then_some(("what was saved last", true));
        forgotten.into_iter().chain(edits).collect()
    }

    /// Returns the number of edits between a state and now.
    pub fn unsaved_count(&self, baseline: &Arc<Snapshot>) -> usize {
        self.edits_between(baseline).len()
    }

    /// Returns the edits between a state and now that can be applied again, oldest first, each with
    /// its batch. `None` if edits of the state were undone, because only undo can revert them.
    pub fn edits_since(&self, baseline: &Arc<Snapshot>) -> Option<Vec<(Arc<RecordedEdit>, Option<Batch>)>> {
        let from = self.states.iter().position(|s| Arc::ptr_eq(&s.snapshot, baseline))?;
        let states = self.states.get(from + 1..=self.current)?;
        Some(states.iter().filter_map(|s| Some((s.edit.clone()?, s.batch.clone()))).collect())
    }

    /// Returns the applied edits that are not in a state, oldest first, even if edits of the state
    /// were undone.
    pub fn edits_not_in(&self, baseline: &Arc<Snapshot>) -> Vec<Arc<RecordedEdit>> {
        let known = self.states.iter().position(|s| Arc::ptr_eq(&s.snapshot, baseline));
        let parted =
            || self.discarded.iter().find(|(state, _)| std::ptr::eq(state.as_ptr(), Arc::as_ptr(baseline)));
        let Some(from) = known.or_else(|| parted().map(|(_, shared)| *shared)) else { return Vec::new() };
        let states = self.states.get(from + 1..=self.current).unwrap_or_default();
        states.iter().filter_map(State::recorded).collect()
    }
}

/// Edit that was undone or redone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tui) struct UndoneEdit {
    /// Title of the edit.
    pub title: String,
    /// Number of catalogs that it was undone or redone in.
    pub catalogs: usize,
    /// Catalogs that keep the edit, because of later edits or a what-if.
    pub remaining: Vec<String>,
}

impl UndoneEdit {
    /// Formats the notice. `what` is `undone` or `redone`.
    pub(in crate::tui) fn notice_text(&self, what: &str) -> String {
        let Self { title, catalogs, remaining: left } = self;
        let all = if *catalogs > 1 { format!(" in {catalogs} catalogs") } else { String::new() };
        let but = if left.is_empty() {
            String::new()
        } else {
            format!("; still applied in {}: undo it there", left.join(", "))
        };
        format!("{what}{all}: {title}{but}")
    }
}

impl Catalogs {
    /// Computes the preview of an edit of the current catalog.
    pub(in crate::tui) fn preview_edit(&self, edit: Edit) -> Preview {
        let Some(before) = self.snapshot() else { return Err("no catalog is open".to_owned()) };
        preview::preview_edit(before, edit, &self.other_cluster_catalogs())
    }

    /// Makes the result of an edit the current state of a catalog. A renamed channel stays
    /// selected.
    pub(in crate::tui) fn apply_outcome(&mut self, catalog: usize, outcome: &EditOutcome) -> bool {
        let Some(open) = self.get_mut(catalog) else { return false };
        open.history.push(outcome.after.clone(), outcome.edit.clone());
        if let Edit::RenameChannel { channel, to, .. } = &outcome.edit
            && open.selection.channel.as_ref() == Some(channel)
        {
            open.selection.channel = Some(to.clone());
        }
        true
    }

    /// Returns the number of edits that are not on disk, over all catalogs.
    pub fn unsaved_count(&self) -> usize {
        self.all().iter().map(OpenCatalog::unsaved_count).sum()
    }

    /// Applies the last edit of the current catalog to other catalogs too, as one undo step.
    /// Returns the number of other catalogs.
    pub(in crate::tui) fn apply_to_others(&mut self, others: &[(usize, Arc<EditOutcome>)]) -> usize {
        let batch = self.current().and_then(|open| open.history.undoable_batch().cloned());
        let batch = batch.unwrap_or_else(Batch::unique);
        let made = self.apply_outcomes(others);
        for at in made.iter().copied().chain([self.current_index()]) {
            if let Some(open) = self.get_mut(at) {
                open.history.join_batch(&batch);
                // The journal may contain the edit without its batch.
                open.journaled = None;
            }
        }
        made.len()
    }

    /// Applies an edit to several catalogs as one undo step. Returns the indexes of the edited catalogs.
    pub(in crate::tui) fn apply_as_batch(&mut self, outcomes: &[(usize, Arc<EditOutcome>)]) -> Vec<usize> {
        let batch = Batch::unique();
        let made = self.apply_outcomes(outcomes);
        if let [_, _, ..] = made.as_slice() {
            for at in &made {
                if let Some(open) = self.get_mut(*at) {
                    open.history.join_batch(&batch);
                }
            }
        }
        made
    }

    /// Applies the results of edits. Returns the indexes of the edited catalogs.
    fn apply_outcomes(&mut self, outcomes: &[(usize, Arc<EditOutcome>)]) -> Vec<usize> {
        let applied = outcomes.iter().filter(|(at, outcome)| self.apply_outcome(*at, outcome));
        applied.map(|(at, _)| *at).collect()
    }

    /// Undoes the last edit of the current catalog, in every catalog of its batch.
    pub(in crate::tui) fn undo(&mut self) -> Option<UndoneEdit> {
        let batch = self.current()?.history.undoable_batch().cloned();
        let title = self.current_mut()?.history.undo()?.to_owned();
        let mut walked = UndoneEdit { title, catalogs: 1, remaining: Vec::new() };
        let labels = self.labels();
        for (open, label) in self.all_mut().iter_mut().zip(labels) {
            let Some(batch) = &batch else { break };
            if open.history.undoable_batch() == Some(batch) && open.what_if.is_none() {
                open.history.undo();
                walked.catalogs += 1;
            } else if open.history.has_edit_of(batch) {
                walked.remaining.push(label);
            }
        }
        Some(walked)
    }

    /// Redoes the last undone edit, in every catalog of its batch.
    pub(in crate::tui) fn redo(&mut self) -> Option<UndoneEdit> {
        let batch = self.current()?.history.redoable_batch().cloned();
        let title = self.current_mut()?.history.redo()?.to_owned();
        let mut walked = UndoneEdit { title, catalogs: 1, remaining: Vec::new() };
        for open in self.all_mut() {
            let is_it = batch.is_some() && open.history.redoable_batch() == batch.as_ref();
            if is_it && open.what_if.is_none() {
                open.history.redo();
                walked.catalogs += 1;
            }
        }
        Some(walked)
    }
}

/// Returns the notice about an edit that was just applied to the current catalog.
pub(in crate::tui) fn edit_notice(view_cx: &ViewContext<'_>, outcome: &EditOutcome) -> String {
    let title = match what_if::summarize_stuck_changes(&outcome.consequences) {
        Some(stuck) => format!("{stuck}: {}", outcome.edit.title()),
        None => outcome.edit.title(),
    };
    if let Some(template) = view_cx.session.current_catalog().and_then(load::overwriting_template) {
        let (open, there) =
            (view_cx.key_label(ActionId::OpenTemplate), view_cx.key_label(ActionId::EditElsewhere));
        return format!("{title}   (from {template}: {open}, then {there} edits it too)");
    }
    let (undo, review) = (view_cx.key_label(ActionId::Undo), view_cx.key_label(ActionId::Review));
    if view_cx.session.catalogs.all().len() > 1 {
        let there = view_cx.key_label(ActionId::EditElsewhere);
        return format!("{title}   ({undo} undo, {there} other catalogs too, {review} review)");
    }
    format!("{title}   ({undo} undo, {review} review)")
}
