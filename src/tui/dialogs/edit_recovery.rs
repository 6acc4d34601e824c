//! Dialog that offers to restore edits from before a crash.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep},
        edit_conflicts::ConflictList,
    },
    keys::{ActionId, Dialog, KeyPress},
    session::{
        context::{Context, ViewContext},
        recovery,
    },
    widgets::{
        boxes::{QUESTION_COLUMNS, draw_question},
        canvas::{Canvas, Line, piece, text_piece, wrap_text},
        text::format_count,
        theme::Ink,
    },
    work::{Effect, outcome::UnsavedEdits},
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("edit-recovery", "recovered edits");

/// State of the dialog.
#[derive(Debug)]
pub struct EditRecovery {
    /// Edits with the indexes of their catalogs.
    pub recoverable_edits: Vec<(usize, UnsavedEdits)>,
}

impl DialogState for EditRecovery {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => {
                for conflicts in recovery::restore_edits(cx, &self.recoverable_edits) {
                    cx.open_dialog(ConflictList::from_conflicts(conflicts));
                }
            }
            KeyPress::Action(ActionId::DiscardEdits) => {
                cx.notices.report_done("recovered edits discarded");
                for (_, left_over) in &self.recoverable_edits {
                    cx.request(Effect::RemoveJournal { journal: left_over.journal.clone() });
                }
            }
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        cx.notices.report_done("recovered edits kept: olmap offers them again at the next start");
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = usize::from(QUESTION_COLUMNS.min(area.width).saturating_sub(4));
        let labels = view_cx.session.catalogs.labels();
        let opening = wrap_text(&describe_recovery(self, &labels), columns).into_iter();
        let mut lines: Vec<Line> = opening.map(|line| vec![piece(line, Ink::Warning)]).collect();
        let edits = edit_titles(self, &labels);
        let most = usize::from(area.height).saturating_sub(8).max(1);
        let hidden = edits.len().saturating_sub(most);
        for (title, of) in edits.into_iter().take(most) {
            let is_in_all = of.len() == self.recoverable_edits.len();
            let of = if is_in_all { String::new() } else { format!("{}: ", of.join(", ")) };
            lines.push(vec![piece(format!("  {of}"), Ink::Dim), text_piece(title)]);
        }
        if hidden > 0 {
            lines.push(vec![piece(format!("  and {hidden} more"), Ink::Dim)]);
        }
        let keys =
            [(ActionId::Accept, "restore"), (ActionId::DiscardEdits, "discard"), (ActionId::Cancel, "later")];
        draw_question(view_cx, DIALOG, "Recovered edits", &lines, &keys, canvas, area);
    }
}

fn describe_recovery(asked: &EditRecovery, labels: &[String]) -> String {
    let catalog = match asked.recoverable_edits.as_slice() {
        [(catalog, _)] => labels.get(*catalog).filter(|_| labels.len() > 1).cloned(),
        several => {
            let label = |(catalog, _): &(usize, _)| labels.get(*catalog).cloned();
            Some(several.iter().filter_map(label).collect::<Vec<_>>().join(", "))
        }
    };
    let catalog = catalog.unwrap_or_else(|| "this catalog".to_owned());
    let count = asked.recoverable_edits.iter().map(|(_, left_over)| left_over.edits.len()).sum();
    let age = asked.recoverable_edits.iter().map(|(_, left_over)| left_over.age).min().unwrap_or_default();
    let verb = if count == 1 { "was" } else { "were" };
    format!(
        "{} of {catalog} {verb} not saved when olmap ended, {} ago:",
        format_count(count, "edit"),
        format_age(age)
    )
}

/// Returns the titles of the edits, each with the labels of its catalogs.
fn edit_titles(asked: &EditRecovery, labels: &[String]) -> Vec<(String, Vec<String>)> {
    let mut edits: Vec<(String, Vec<String>)> = Vec::new();
    for (catalog, left_over) in &asked.recoverable_edits {
        let label = labels.get(*catalog).cloned().unwrap_or_default();
        for edit in &left_over.edits {
            let title = edit.edit.title();
            let known = edits.iter_mut().find(|(known, of)| *known == title && !of.contains(&label));
            match known {
                Some((_, of)) => of.push(label.clone()),
                None => edits.push((title, vec![label.clone()])),
            }
        }
    }
    edits
}

/// Formats a duration in its largest unit.
fn format_age(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    format_count(usize::try_from(number).unwrap_or(usize::MAX), unit)
}
