//! Dialog that asks before a save that opm refuses or that loses part of a file.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep},
    keys::{ActionId, Dialog, KeyPress},
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, wrap_text},
        text::format_count,
        theme::Ink,
    },
    work::{
        Command,
        dialog_request::{SaveBlocker, SaveTarget},
    },
};

/// State of the dialog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaveRefusal {
    /// Objection to the save.
    pub objection: SaveBlocker,
    /// Requested save.
    pub writing: SaveTarget,
}

impl DialogState for SaveRefusal {
    fn id(&self) -> Dialog {
        Dialog::SaveRefusal
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::WriteAnyway) => {
                let knowing = matches!(self.objection, SaveBlocker::MetadataLoss(_));
                cx.commands.push(Command::Write { writing: self.writing, confirmed: knowing });
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
        let keys = [(ActionId::WriteAnyway, "saves anyway"), (ActionId::Cancel, "back to Changes")];
        draw_key_hints(view_cx, Dialog::SaveRefusal, canvas, inner, &keys);
    }
}
