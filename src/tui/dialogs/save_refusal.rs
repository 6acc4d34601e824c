//! Saves, and the dialog that asks before a save that opm refuses or that loses part of a file.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::{DialogState, DialogStep},
        prompt::{Prompt, PromptPurpose},
    },
    keys::{ActionId, Dialog, KeyPress, Screen},
    session::{
        context::{Context, ViewContext},
        saving::{changed_catalogs, count_new_errors, has_own_files, propose_copy_path, write_in_place},
    },
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, wrap_text},
        text::format_count,
        theme::Ink,
    },
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("save-refusal", "saving what opm rejects");

/// Reason not to write a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SaveBlocker {
    /// Number of errors that the edits add.
    Errors(usize),
    /// Lost file metadata, one sentence each.
    MetadataLoss(Vec<String>),
}

/// Destination of a save.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveTarget {
    /// The catalog's own files.
    InPlace,
    /// Another path.
    Elsewhere,
}

/// State of the dialog.
#[derive(Debug)]
pub struct SaveRefusal {
    /// Objection to the save.
    pub objection: SaveBlocker,
    /// Requested save.
    pub writing: SaveTarget,
}

impl DialogState for SaveRefusal {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::WriteAnyway) => {
                let knowing = matches!(self.objection, SaveBlocker::MetadataLoss(_));
                match self.writing {
                    SaveTarget::InPlace => write_in_place(cx, knowing),
                    SaveTarget::Elsewhere => ask_for_path(cx),
                }
            }
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let (words, ink) = match &self.objection {
            SaveBlocker::Errors(errors) => {
                let words = format!("opm will reject this catalog: {}.", format_count(*errors, "new error"));
                (vec![words], Ink::Error)
            }
            SaveBlocker::MetadataLoss(costs) => {
                (costs.iter().map(|cost| format!("{cost}.")).collect(), Ink::Warning)
            }
        };
        let wide = if matches!(self.objection, SaveBlocker::Errors(_)) { 60 } else { 76 };
        let columns = usize::from(wide.min(area.width).saturating_sub(4));
        let mut lines: Vec<String> = words.iter().flat_map(|words| wrap_text(words, columns)).collect();
        let most = usize::from(area.height).saturating_sub(6).max(1);
        if lines.len() > most {
            let hidden = lines.len() - most + 1;
            lines.truncate(most - 1);
            lines.push(format!("and {} more", format_count(hidden, "line")));
        }
        let high = u16::try_from(lines.len() + 4).unwrap_or(area.height);
        let inner = canvas.draw_box(centered(area, wide, high), "Save anyway?");
        if inner.is_empty() {
            return;
        }
        for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
            canvas.draw_text(inner.x, y, inner.width, line, ink);
        }
        let keys = [(ActionId::WriteAnyway, "save anyway"), (ActionId::Cancel, "back to Changes")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}

/// Saves all unsaved edits, after a confirmation if necessary.
pub(in crate::tui) fn save_all(cx: &mut Context<'_>) {
    let Some(open) = cx.session.current_catalog() else { return };
    if !has_own_files(open) {
        return save_as(cx);
    }
    let changed = changed_catalogs(cx.session);
    if changed.is_empty() {
        return cx.notices.report_refusal("the files do not change: nothing to save");
    }
    match count_new_errors(changed.into_iter().map(|(_, open)| open)) {
        0 => write_in_place(cx, false),
        errors => refuse_errors(cx, errors, SaveTarget::InPlace),
    }
}

/// Saves the whole catalog to another path, after a confirmation if necessary.
pub(in crate::tui) fn save_as(cx: &mut Context<'_>) {
    if cx.session.current_catalog().is_none() {
        return;
    }
    // Show the Changes screen first, so that the user sees what is written.
    if cx.session.navigation.screen != Screen::Changes && cx.session.catalogs.unsaved_count() > 0 {
        cx.session.navigation.shows_unsaved_edits = true;
        cx.session.jump_with(|session| session.navigation.screen = Screen::Changes);
    }
    match count_new_errors(cx.session.current_catalog()) {
        0 => ask_for_path(cx),
        errors => refuse_errors(cx, errors, SaveTarget::Elsewhere),
    }
}

fn refuse_errors(cx: &mut Context<'_>, errors: usize, writing: SaveTarget) {
    cx.open_dialog(SaveRefusal { objection: SaveBlocker::Errors(errors), writing });
}

/// Asks for the path of a copy.
fn ask_for_path(cx: &mut Context<'_>) {
    let Some(path) = cx.session.current_catalog().map(propose_copy_path) else { return };
    cx.open_dialog(Prompt::new("Save as", PromptPurpose::SaveAs, path, &cx.view()));
}
