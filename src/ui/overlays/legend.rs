//! What the lines and marks of the graph mean.

use ratatui::layout::Rect;

use super::{
    super::{
        canvas::{Canvas, Pieces, pad, piece, text, wrap},
        theme::Role,
    },
    centred,
};
use crate::layout::legend::SIGNS;

/// The marks beside the drawing, which only the screen has.
const BESIDE: &[(&str, &str)] = &[
    ("*", "the selected bundle; all other marks are about it"),
    ("C v", "columns: where Classic and where v1 take the selected bundle"),
    ("c v", "an upgrade lands here, and goes on"),
    ("C V", "it ends here"),
    ("^", "v1 leaves the channel"),
    ("r s ~", "can come to the selected one: it replaces, skips or covers this"),
    (">r >s >~", "the selected one can go here: this replaces, skips or covers it"),
    ("rX", "so it says, but Classic ignores it"),
    ("m", "the mark: the path from there is shown below"),
    ("E !", "an error, a warning: Problems has the words"),
];

/// Columns of the signs.
const SIGN: usize = 10;

/// Draws it in the middle.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect) {
    let room = usize::from(area.width).saturating_sub(6 + SIGN);
    let mut lines: Vec<Pieces> = Vec::new();
    let mut add = |sign: &str, meaning: &str| {
        for (index, line) in wrap(meaning, room.min(70)).into_iter().enumerate() {
            let sign = if index == 0 { sign } else { "" };
            lines.push(vec![piece(pad(sign, SIGN, false), Role::Key), text(line)]);
        }
    };
    for sign in SIGNS {
        add(canvas.either(sign.unicode, sign.ascii), sign.meaning);
    }
    for (sign, meaning) in BESIDE {
        add(sign, meaning);
    }
    let high = u16::try_from(lines.len() + 2).unwrap_or(area.height);
    let inner = canvas.boxed(centred(area, 84, high), "The graph: any key closes");
    for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.line(Rect { y, height: 1, ..inner }, line);
    }
}
