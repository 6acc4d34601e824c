//! The states of one catalog that undo and redo walk through.

use std::sync::{Arc, Weak};

use crate::{
    edit::{Batch, Conflict, Edit, Recorded},
    review::Snapshot,
};

/// A state and the edit that led to it; the first one has none.
#[derive(Clone, Debug)]
struct State {
    snapshot: Arc<Snapshot>,
    title: String,
    edit: Option<Arc<Recorded>>,
    /// The edits of other catalogs that it is one with.
    batch: Option<Batch>,
}

impl State {
    /// Returns the edit with its batch, as a journal holds it.
    fn recorded(&self) -> Option<Arc<Recorded>> {
        let edit = self.edit.as_ref()?;
        if edit.batch == self.batch {
            return Some(edit.clone());
        }
        Some(Arc::new(Recorded { batch: self.batch.clone(), ..Recorded::clone(edit) }))
    }
}

/// All states since loading. States share whatever their edits did not touch.
#[derive(Clone, Debug)]
pub struct History {
    states: Vec<State>,
    at: usize,
    /// States that are forgotten, each with the last one that it shares with those that are known: what was undone and then
    /// left behind by another edit.
    parted: Vec<(Weak<Snapshot>, usize)>,
}

impl History {
    /// A history that begins with a state.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        Self {
            states: vec![State { snapshot, title: String::new(), edit: None, batch: None }],
            at: 0,
            parted: Vec::new(),
        }
    }

    /// The present state.
    pub fn now(&self) -> &Arc<Snapshot> {
        &self.states[self.at].snapshot
    }

    /// Goes on to a new state; what could be redone is forgotten.
    pub fn push(&mut self, snapshot: Arc<Snapshot>, edit: Edit) {
        let edit = Recorded::new(&self.now().catalog, edit);
        self.go_on(snapshot, Arc::new(edit));
    }

    fn go_on(&mut self, snapshot: Arc<Snapshot>, edit: Arc<Recorded>) {
        for (_, shared) in &mut self.parted {
            *shared = (*shared).min(self.at);
        }
        self.parted.retain(|(state, _)| state.strong_count() > 0);
        let forgotten = self.states.drain(self.at + 1..);
        self.parted.extend(forgotten.map(|state| (Arc::downgrade(&state.snapshot), self.at)));
        self.states.push(State { snapshot, title: edit.edit.title(), edit: Some(edit), batch: None });
        self.at += 1;
    }

    /// Makes edits again, one after the other, and gives back those that could not be made, each with why. What was one with
    /// edits of other catalogs still is.
    pub fn replay<'e>(
        &mut self,
        edits: impl IntoIterator<Item = (&'e Arc<Recorded>, Option<&'e Batch>)>,
    ) -> Vec<(Arc<Recorded>, Conflict)> {
        let mut conflicts = Vec::new();
        for (edit, batch) in edits {
            match edit.replay(&self.now().catalog) {
                Ok(catalog) => {
                    self.go_on(Arc::new(self.now().after(catalog)), edit.clone());
                    if let Some(batch) = batch {
                        self.join(batch);
                    }
                }
                Err(conflict) => conflicts.push((edit.clone(), conflict)),
            }
        }
        conflicts
    }

    /// Puts other states in the place of those that are known.
    pub(in crate::app) fn replace(&mut self, with: &mut dyn FnMut(&mut Arc<Snapshot>)) {
        self.states.iter_mut().for_each(|state| with(&mut state.snapshot));
        for (state, _) in &mut self.parted {
            if let Some(mut known) = state.upgrade() {
                with(&mut known);
                *state = Arc::downgrade(&known);
            }
        }
    }

    /// Goes back one edit and says which.
    pub fn undo(&mut self) -> Option<&str> {
        let undone = self.at;
        self.at = self.at.checked_sub(1)?;
        self.states.get(undone).map(|s| s.title.as_str())
    }

    /// Goes forward one edit and says which.
    pub fn redo(&mut self) -> Option<&str> {
        let state = self.states.get(self.at + 1)?;
        self.at += 1;
        Some(state.title.as_str())
    }

    /// Makes the last edit one with those of other catalogs.
    pub fn join(&mut self, batch: &Batch) {
        if let Some(state) = self.states.get_mut(self.at).filter(|state| state.edit.is_some()) {
            state.batch = Some(batch.clone());
        }
    }

    /// What the edit that undo takes back is one with.
    pub fn undoable_batch(&self) -> Option<&Batch> {
        self.states.get(self.at)?.batch.as_ref()
    }

    /// What the edit that redo brings back is one with.
    pub fn redoable_batch(&self) -> Option<&Batch> {
        self.states.get(self.at + 1)?.batch.as_ref()
    }

    /// Whether an edit of a batch is in force, be it with others made since.
    pub fn has(&self, batch: &Batch) -> bool {
        self.states.iter().take(self.at + 1).any(|state| state.batch.as_ref() == Some(batch))
    }

    /// The last edit, which undo takes back.
    pub fn last_edit(&self) -> Option<&Arc<Recorded>> {
        self.states.get(self.at)?.edit.as_ref()
    }

    /// The edit that undo takes back.
    pub fn undoable(&self) -> Option<&str> {
        (self.at > 0).then(|| self.states[self.at].title.as_str())
    }

    /// The edit that redo brings back.
    pub fn redoable(&self) -> Option<&str> {
        self.states.get(self.at + 1).map(|s| s.title.as_str())
    }

    /// The edits between a state and now, oldest first, each with whether it was taken back since. Where an edit was
    /// saved, taken back and forgotten by making another, it is told of as one that was taken back.
    pub fn since(&self, baseline: &Arc<Snapshot>) -> Vec<(&str, bool)> {
        let known = self.states.iter().position(|s| Arc::ptr_eq(&s.snapshot, baseline));
        let from = known.unwrap_or_default();
        let (low, high) = (from.min(self.at), from.max(self.at));
        let edits = self.states.get(low + 1..=high).unwrap_or_default();
        let edits = edits.iter().map(|s| (s.title.as_str(), from > self.at));
        let forgotten = known.is_none().then_some(("what was saved last", true));
        forgotten.into_iter().chain(edits).collect()
    }

    /// How many edits lie between a state and now.
    pub fn unsaved(&self, baseline: &Arc<Snapshot>) -> usize {
        self.since(baseline).len()
    }

    /// The edits between a state and now that can be made again, oldest first, each with what it is one with; `None` where
    /// edits were undone that are in the state, which only undo can do.
    pub fn edits_since(&self, baseline: &Arc<Snapshot>) -> Option<Vec<(Arc<Recorded>, Option<Batch>)>> {
        let from = self.states.iter().position(|s| Arc::ptr_eq(&s.snapshot, baseline))?;
        let states = self.states.get(from + 1..=self.at)?;
        Some(states.iter().filter_map(|s| Some((s.edit.clone()?, s.batch.clone()))).collect())
    }

    /// The edits in force that are not in a state, oldest first, be it that others which are in it were undone.
    pub fn edits_not_in(&self, baseline: &Arc<Snapshot>) -> Vec<Arc<Recorded>> {
        let known = self.states.iter().position(|s| Arc::ptr_eq(&s.snapshot, baseline));
        let parted =
            || self.parted.iter().find(|(state, _)| std::ptr::eq(state.as_ptr(), Arc::as_ptr(baseline)));
        let Some(from) = known.or_else(|| parted().map(|(_, shared)| *shared)) else { return Vec::new() };
        let states = self.states.get(from + 1..=self.at).unwrap_or_default();
        states.iter().filter_map(State::recorded).collect()
    }
}
