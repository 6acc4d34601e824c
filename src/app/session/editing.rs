//! From an edit to a state one may accept, and to the present one: the one way into the history.

use super::loading::templates;
use std::sync::Arc;

use crate::{
    app::{
        keys::ActionId,
        session::{Session, cx::See, open::labels},
        work::preview::{self, Outcome, Preview},
    },
    edit::{Batch, Edit},
};

impl Session {
    /// What an edit of the catalog that is looked at would lead to.
    pub(in crate::app) fn preview(&self, edit: Edit) -> Preview {
        let Some(before) = self.snapshot() else { return Err("no catalog is open".to_owned()) };
        preview::of(before, edit, &self.others_around())
    }

    /// Makes the state that an edit leads to the present one of a catalog. What is renamed stays selected.
    pub(in crate::app) fn keep(&mut self, catalog: usize, outcome: &Outcome) -> bool {
        let Some(open) = self.open.get_mut(catalog) else { return false };
        open.history.push(outcome.after.clone(), outcome.edit.clone());
        if let Edit::RenameChannel { channel, to, .. } = &outcome.edit
            && open.selection.channel.as_ref() == Some(channel)
        {
            open.selection.channel = Some(to.clone());
        }
        true
    }
}

/// An edit that was undone, or redone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::app) struct Walked {
    /// What it was.
    pub title: String,
    /// In how many catalogs.
    pub catalogs: usize,
    /// The catalogs in which it stays: other edits were made there since, or something is supposed.
    pub left: Vec<String>,
}

impl Walked {
    /// What to say of it: `undone` or `redone`, what, and where.
    pub(in crate::app) fn words(&self, what: &str) -> String {
        let Self { title, catalogs, left } = self;
        let all = if *catalogs > 1 { format!(" in {catalogs} catalogs") } else { String::new() };
        let but = if left.is_empty() {
            String::new()
        } else {
            format!("; still applied in {}: undo it there", left.join(", "))
        };
        format!("{what}{all}: {title}{but}")
    }
}

impl Session {
    /// Makes the last edit of the catalog that is looked at in others too: one step of undo for all. How many others there
    /// were.
    pub(in crate::app) fn keep_elsewhere(&mut self, others: &[(usize, Arc<Outcome>)]) -> usize {
        let batch = self.catalog().and_then(|open| open.history.undoable_batch().cloned());
        let batch = batch.unwrap_or_else(Batch::unique);
        let made: Vec<usize> =
            others.iter().filter(|(at, outcome)| self.keep(*at, outcome)).map(|(at, _)| *at).collect();
        for at in made.iter().copied().chain([self.current]) {
            if let Some(open) = self.open.get_mut(at) {
                open.history.join(&batch);
                // A journal may have the edit without its batch.
                open.journaled = None;
            }
        }
        made.len()
    }

    /// Makes an edit in several catalogs at once: one step of undo. How many there were.
    pub(in crate::app) fn keep_together(&mut self, outcomes: &[(usize, Arc<Outcome>)]) -> usize {
        let batch = Batch::unique();
        let made: Vec<usize> =
            outcomes.iter().filter(|(at, outcome)| self.keep(*at, outcome)).map(|(at, _)| *at).collect();
        if let [_, _, ..] = made.as_slice() {
            for at in &made {
                if let Some(open) = self.open.get_mut(*at) {
                    open.history.join(&batch);
                }
            }
        }
        made.len()
    }

    /// Undoes the last edit of the catalog that is looked at, in every catalog where it was made with it.
    pub(in crate::app) fn undo(&mut self) -> Option<Walked> {
        let batch = self.catalog()?.history.undoable_batch().cloned();
        let title = self.catalog_mut()?.history.undo()?.to_owned();
        let mut walked = Walked { title, catalogs: 1, left: Vec::new() };
        let labels = labels(&self.open);
        for (open, label) in self.open.iter_mut().zip(labels) {
            let Some(batch) = &batch else { break };
            if open.history.undoable_batch() == Some(batch) && open.what_if.is_none() {
                open.history.undo();
                walked.catalogs += 1;
            } else if open.history.has(batch) {
                walked.left.push(label);
            }
        }
        Some(walked)
    }

    /// Redoes what was undone last, in every catalog where it was undone with it.
    pub(in crate::app) fn redo(&mut self) -> Option<Walked> {
        let batch = self.catalog()?.history.redoable_batch().cloned();
        let title = self.catalog_mut()?.history.redo()?.to_owned();
        let mut walked = Walked { title, catalogs: 1, left: Vec::new() };
        for open in &mut self.open {
            let is_it = batch.is_some() && open.history.redoable_batch() == batch.as_ref();
            if is_it && open.what_if.is_none() {
                open.history.redo();
                walked.catalogs += 1;
            }
        }
        Some(walked)
    }
}

/// What to say of an edit of the catalog that is looked at, which was just made.
pub(in crate::app) fn told(see: &See<'_>, outcome: &Outcome) -> String {
    let title = outcome.edit.title();
    if let Some(template) = see.session.catalog().and_then(templates::lost_edits) {
        let (open, there) = (see.key(ActionId::OpenTemplate), see.key(ActionId::EditElsewhere));
        return format!("{title}   (generated from {template}: {open} opens it, {there} edits it too)");
    }
    let (undo, save) = (see.key(ActionId::Undo), see.key(ActionId::Review));
    if see.session.open.len() > 1 {
        let there = see.key(ActionId::EditElsewhere);
        return format!("{title}   ({undo} undo, {there} other catalogs too, {save} save)");
    }
    format!("{title}   ({undo} undo, {save} save)")
}
