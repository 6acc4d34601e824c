//! Dialog that explains the symbols on screen.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep},
    keys::{ActionId, Dialog, KeyPress},
    parts::list::ListId,
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{centered, draw_scrolled_text},
        canvas::{Canvas, Line, pad, piece, text_piece, wrap_text},
        theme::Ink,
    },
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("legend", "the legend").with_text();

/// Symbol with its meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegendItem {
    /// Unicode form.
    pub unicode: &'static str,
    /// ASCII form.
    pub ascii: &'static str,
    /// Meaning in words.
    pub meaning: String,
}

impl LegendItem {
    /// Explains a symbol with the same form in Unicode and ASCII.
    pub fn with_sign(sign: &'static str, meaning: String) -> Self {
        Self { unicode: sign, ascii: sign, meaning }
    }
}

/// State of the dialog. Any key closes it.
#[derive(Debug)]
pub struct Legend {
    /// Title of the box.
    pub title: &'static str,
    /// Symbols of the picture and beside it.
    pub items: Vec<LegendItem>,
    /// Symbols of the ruler at the right edge. Empty if it is not drawn.
    pub ruler_items: Vec<LegendItem>,
}

impl DialogState for Legend {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, _press: KeyPress, _cx: &mut Context<'_>) -> DialogStep {
        DialogStep::Close
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let room = usize::from(area.width).saturating_sub(6 + SIGN_COLUMNS).min(70);
        let mut lines: Vec<Line> = item_lines(&self.items, room, canvas);
        if !self.ruler_items.is_empty() {
            lines.push(vec![piece("In the overview at the right edge:", Ink::Dim)]);
            lines.extend(item_lines(&self.ruler_items, room, canvas));
        }
        let high = u16::try_from(lines.len() + 2).unwrap_or(area.height);
        let inner = canvas.draw_box(centered(area, 84, high), self.title);
        let key = view_cx.keys.display_key(DIALOG, ActionId::DialogPageDown);
        draw_scrolled_text(view_cx, canvas, inner, ListId::Preview, false, key, &lines);
    }
}

/// Returns the wrapped lines of symbols with their meanings.
fn item_lines(items: &[LegendItem], room: usize, canvas: &Canvas<'_>) -> Vec<Line> {
    let wrapped = items.iter().flat_map(|item| {
        let sign = canvas.unicode_or_ascii(item.unicode, item.ascii);
        wrap_text(&item.meaning, room).into_iter().enumerate().map(move |(index, line)| {
            let sign = if index == 0 { sign } else { "" };
            vec![piece(pad(sign, SIGN_COLUMNS, false), Ink::Key), text_piece(line)]
        })
    });
    wrapped.collect()
}

/// Columns of the signs.
const SIGN_COLUMNS: usize = 10;
