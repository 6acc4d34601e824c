//! Dialog with the problems in the configuration.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, RowCursor, dialog_list},
    keys::{ActionId, Dialog},
    session::context::{Settings, ViewContext},
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, piece, text_piece, wrap_text},
        text::format_count,
        theme::Ink,
    },
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("configuration", "the configuration").with_rows();

/// State of the dialog. The problems themselves are part of the settings.
#[derive(Debug)]
pub struct ConfigurationProblems {
    /// Number of problems.
    pub count: usize,
    /// Index of the selected problem.
    pub cursor: usize,
}

impl ConfigurationProblems {
    /// Counts the problems of the settings.
    pub(in crate::tui) fn new(settings: &Settings) -> Self {
        Self { count: settings.configuration.problems.len(), cursor: 0 }
    }
}

impl DialogState for ConfigurationProblems {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let configuration = &view_cx.settings.configuration;
        let problems = &configuration.problems;
        let wide = 100.min(area.width);
        let columns = usize::from(wide.saturating_sub(4));
        // The selected problem is shown in full below the list.
        let mut below = Vec::new();
        if let Some(problem) = problems.get(self.cursor) {
            below.extend(wrap_text(&problem.message, columns).into_iter().map(|line| (line, Ink::Error)));
            let hint = problem.hint.iter().flat_map(|hint| wrap_text(hint, columns));
            below.extend(hint.map(|line| (line, Ink::Good)));
        }
        let rows = u16::try_from(problems.len()).unwrap_or(u16::MAX);
        let told = u16::try_from(below.len()).unwrap_or(u16::MAX).max(4);
        let title = format!("Configuration: {}", format_count(problems.len(), "problem"));
        let inner =
            canvas.draw_box(centered(area, wide, rows.saturating_add(told).saturating_add(6)), &title);
        if inner.height < 4 {
            return;
        }
        let path = configuration.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        canvas.draw_text(
            inner.x,
            inner.y,
            inner.width,
            &format!("{path}: invalid settings are ignored"),
            Ink::Title,
        );
        let room = inner.height - 2;
        let list = Rect { y: inner.y + 1, height: rows.min(room.saturating_sub(told + 1).max(1)), ..inner };
        let place = problems.iter().map(|problem| problem.at.to_string().len()).max().unwrap_or_default();
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            let Some(problem) = problems.get(row) else { return Vec::new() };
            vec![
                piece(format!("{:place$}  ", problem.at.to_string()), Ink::Key),
                text_piece(problem.message.clone()),
            ]
        });
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        for (y, (line, ink)) in (list.bottom() + 1..inner.bottom() - 1).zip(below) {
            canvas.draw_text(inner.x, y, inner.width, &line, ink);
        }
        let keys =
            [(ActionId::RowUp, ""), (ActionId::RowDown, "previous, next"), (ActionId::Cancel, "close")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}
