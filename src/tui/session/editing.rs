//! Preview, application, undo and redo of edits. All edits of the history go through this module.

use super::jobs::load;
use std::sync::Arc;

use crate::tui::{
    keys::ActionId,
    session::{Session, context::ViewContext, open_catalog::catalog_labels},
    work::preview::{self, EditOutcome, Preview},
};
use olm_edit::{Batch, Edit};

impl Session {
    /// Computes the preview of an edit of the current catalog.
    pub(in crate::tui) fn preview_edit(&self, edit: Edit) -> Preview {
        let Some(before) = self.snapshot() else { return Err("no catalog is open".to_owned()) };
        preview::preview_edit(before, edit, &self.other_cluster_catalogs())
    }

    /// Makes the result of an edit the current state of a catalog. A renamed channel stays
    /// selected.
    pub(in crate::tui) fn apply_outcome(&mut self, catalog: usize, outcome: &EditOutcome) -> bool {
        let Some(open) = self.open_catalogs.get_mut(catalog) else { return false };
        open.history.push(outcome.after.clone(), outcome.edit.clone());
        if let Edit::RenameChannel { channel, to, .. } = &outcome.edit
            && open.selection.channel.as_ref() == Some(channel)
        {
            open.selection.channel = Some(to.clone());
        }
        true
    }
}

/// Edit that was undone or redone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::tui) struct UndoneEdit {
    /// Title of the edit.
    pub title: String,
    /// Number of catalogs in which it was undone or redone.
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

impl Session {
    /// Applies the last edit of the current catalog to other catalogs too, as one undo step.
    /// Returns the number of other catalogs.
    pub(in crate::tui) fn apply_to_others(&mut self, others: &[(usize, Arc<EditOutcome>)]) -> usize {
        let batch = self.current_catalog().and_then(|open| open.history.undoable_batch().cloned());
        let batch = batch.unwrap_or_else(Batch::unique);
        let made: Vec<usize> = others
            .iter()
            .filter(|(at, outcome)| self.apply_outcome(*at, outcome))
            .map(|(at, _)| *at)
            .collect();
        for at in made.iter().copied().chain([self.current]) {
            if let Some(open) = self.open_catalogs.get_mut(at) {
                open.history.join_batch(&batch);
                // The journal may contain the edit without its batch.
                open.journaled = None;
            }
        }
        made.len()
    }

    /// Applies an edit to several catalogs as one undo step. Returns the number of catalogs.
    pub(in crate::tui) fn apply_as_batch(&mut self, outcomes: &[(usize, Arc<EditOutcome>)]) -> usize {
        let batch = Batch::unique();
        let made: Vec<usize> = outcomes
            .iter()
            .filter(|(at, outcome)| self.apply_outcome(*at, outcome))
            .map(|(at, _)| *at)
            .collect();
        if let [_, _, ..] = made.as_slice() {
            for at in &made {
                if let Some(open) = self.open_catalogs.get_mut(*at) {
                    open.history.join_batch(&batch);
                }
            }
        }
        made.len()
    }

    /// Undoes the last edit of the current catalog, in every catalog of its batch.
    pub(in crate::tui) fn undo(&mut self) -> Option<UndoneEdit> {
        let batch = self.current_catalog()?.history.undoable_batch().cloned();
        let title = self.current_catalog_mut()?.history.undo()?.to_owned();
        let mut walked = UndoneEdit { title, catalogs: 1, remaining: Vec::new() };
        let labels = catalog_labels(&self.open_catalogs);
        for (open, label) in self.open_catalogs.iter_mut().zip(labels) {
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
        let batch = self.current_catalog()?.history.redoable_batch().cloned();
        let title = self.current_catalog_mut()?.history.redo()?.to_owned();
        let mut walked = UndoneEdit { title, catalogs: 1, remaining: Vec::new() };
        for open in &mut self.open_catalogs {
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
    let title = outcome.edit.title();
    if let Some(template) = view_cx.session.current_catalog().and_then(load::overwriting_template) {
        let (open, there) =
            (view_cx.key_label(ActionId::OpenTemplate), view_cx.key_label(ActionId::EditElsewhere));
        return format!("{title}   (generated from {template}: {open} opens it, {there} edits it too)");
    }
    let (undo, save) = (view_cx.key_label(ActionId::Undo), view_cx.key_label(ActionId::Review));
    if view_cx.session.open_catalogs.len() > 1 {
        let there = view_cx.key_label(ActionId::EditElsewhere);
        return format!("{title}   ({undo} undo, {there} other catalogs too, {save} save)");
    }
    format!("{title}   ({undo} undo, {save} save)")
}
