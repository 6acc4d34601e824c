//! Dialog that explains the symbols of the graph.

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
        what_if,
    },
};
use olmap_report::layout::legend::{SIGNS, SignId};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("legend", "the legend").with_text();

/// State of the dialog. Any key closes it.
#[derive(Debug)]
pub struct Legend {
    /// Whether the legend is about all channels side by side.
    pub is_side_by_side: bool,
}

impl DialogState for Legend {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, _press: KeyPress, _cx: &mut Context<'_>) -> DialogStep {
        DialogStep::Close
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let room = usize::from(area.width).saturating_sub(6 + SIGN_COLUMNS);
        let mut lines: Vec<Line> = Vec::new();
        let add = |lines: &mut Vec<Line>, sign: &str, meaning: &str| {
            for (index, line) in wrap_text(meaning, room.min(70)).into_iter().enumerate() {
                let sign = if index == 0 { sign } else { "" };
                lines.push(vec![piece(pad(sign, SIGN_COLUMNS, false), Ink::Key), text_piece(line)]);
            }
        };
        let strips = self.is_side_by_side;
        for sign in SIGNS.iter().filter(|sign| !strips || STRIP_SIGNS.contains(&sign.id)) {
            add(&mut lines, canvas.unicode_or_ascii(sign.unicode, sign.ascii), sign.meaning);
        }
        for (sign, meaning) in if strips { STRIP_MARKS } else { GRAPH_MARKS } {
            let sign = match *sign {
                "⋮" => canvas.unicode_or_ascii(*sign, "."),
                "━" => canvas.unicode_or_ascii(*sign, "!"),
                sign => sign,
            };
            add(&mut lines, sign, meaning);
        }
        if view_cx.session.mark_comparison().is_some() {
            let words = format!(
                "entry added, removed (struck), changed: compared with {}",
                what_if::base_label(view_cx)
            );
            add(&mut lines, "+ - ~", &words);
            if !strips {
                add(&mut lines, canvas.unicode_or_ascii("≠", "#"), "another upgrade, or another end");
            }
        }
        lines.push(vec![piece("In the overview at the right edge:", Ink::Dim)]);
        for (unicode, ascii, meaning) in if strips { STRIP_OVERVIEW_MARKS } else { OVERVIEW_MARKS } {
            add(&mut lines, canvas.unicode_or_ascii(unicode, ascii), meaning);
        }
        if view_cx.session.mark_comparison().is_some() {
            add(&mut lines, "-", "gone");
        }
        let high = u16::try_from(lines.len() + 2).unwrap_or(area.height);
        let title = if strips { "All channels: any key closes" } else { "The graph: any key closes" };
        let inner = canvas.draw_box(centered(area, 84, high), title);
        let key = view_cx.keys.display_key(DIALOG, ActionId::PreviewDown);
        draw_scrolled_text(view_cx, canvas, inner, ListId::Preview, false, key, &lines);
    }
}

/// Marks beside the graph that only the screen uses.
const GRAPH_MARKS: &[(&str, &str)] = &[
    ("@", "the selected bundle; all other marks refer to it"),
    ("C v", "columns: upgrades of the selected bundle on Classic and v1"),
    ("c v", "an upgrade goes through here"),
    ("C V", "it ends here"),
    ("^", "v1 leaves the channel"),
    ("r s ~", "from here to the selected bundle: replaces, skips, skipRange"),
    (">r >s >~", "an edge leads from the selected bundle to here"),
    ("rX", "an edge that Classic ignores"),
    ("m", "the mark: start of the path shown below"),
    ("━", "a line of upgrades that OLM v1 or Classic refuses"),
    ("E !", "an error, a warning: see Problems"),
    ("⋮", "folded rows"),
];

/// Marks of the ruler at the right edge, which is drawn if not all rows are visible.
const OVERVIEW_MARKS: &[(&str, &str, &str)] = &[
    ("/", "/", "search match"),
    ("■", "#", "a dead end"),
    ("E", "E", "no bundle, or a cycle"),
    ("!", "!", "a downgrade"),
    ("@", "@", "selected bundle"),
    ("C V", "C V", "its path on Classic, end on v1"),
    ("D", "D", "deprecated"),
    ("●", "o", "the head"),
];

/// Marks of the ruler beside the strips of all channels.
const STRIP_OVERVIEW_MARKS: &[(&str, &str, &str)] = &[
    ("@", "@", "the selected row"),
    ("●", "o", "the head of the selected channel"),
    ("■", "#", "a dead end"),
    ("D", "D", "deprecated"),
    ("?", "?", "in no channel"),
];

/// Marks around the strips of all channels.
const STRIP_MARKS: &[(&str, &str)] = &[
    ("[ ]", "the selected channel in the selected row"),
    ("* D !", "above a channel: default, deprecated, Classic cannot use it"),
    ("stuck", "how many of its entries are dead ends"),
    ("in", "number of channels with the bundle"),
    ("m", "the mark: start of the path shown below"),
];

/// Signs of the legend that apply to strips.
const STRIP_SIGNS: [SignId; 7] = [
    SignId::Entry,
    SignId::Skipped,
    SignId::DeadEnd,
    SignId::Dangling,
    SignId::Replaces,
    SignId::Ignored,
    SignId::Hidden,
];

/// Columns of the signs.
const SIGN_COLUMNS: usize = 10;
