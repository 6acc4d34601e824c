//! The states of one catalog that undo and redo walk through.

use std::sync::Arc;

use crate::review::Snapshot;

/// A state and the edit that led to it.
#[derive(Clone, Debug)]
struct State {
    snapshot: Arc<Snapshot>,
    title: String,
}

/// All states since loading. States share whatever their edits did not touch.
#[derive(Clone, Debug)]
pub struct History {
    states: Vec<State>,
    at: usize,
}

impl History {
    /// A history that begins with a state.
    pub fn new(snapshot: Arc<Snapshot>) -> Self {
        Self { states: vec![State { snapshot, title: String::new() }], at: 0 }
    }

    /// The present state.
    pub fn now(&self) -> &Arc<Snapshot> {
        &self.states[self.at].snapshot
    }

    /// Goes on to a new state; what could be redone is forgotten.
    pub fn push(&mut self, snapshot: Arc<Snapshot>, title: String) {
        self.states.truncate(self.at + 1);
        self.states.push(State { snapshot, title });
        self.at += 1;
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
}
