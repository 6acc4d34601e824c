//! Samples of the signs in a picture, drawn with its own lines and shapes, for legends.

use super::{CELL, Drawing, ROW};
use crate::layout::{
    Arms, Glyph, NodeShape,
    legend::{Sign, SignId},
};
use olm_upgrade::EdgeKind;

/// Size of a sample relative to the picture, in percent.
const SCALE: usize = 60;

/// Words that precede the meaning of a sign: the headings of the columns in a picture.
fn column_heading(id: SignId) -> &'static str {
    match id {
        SignId::Replaces => "spine: ",
        SignId::Range => "range: ",
        _ => "",
    }
}

/// Returns the meaning of a sign, with the heading of its column.
pub fn describe_sign(sign: &Sign) -> String {
    format!("{}{}", column_heading(sign.id), sign.meaning)
}

/// Sample of a sign. Its size is that on the page, in pixels.
#[derive(Debug)]
pub struct SignSample {
    /// Width on the page.
    pub width: usize,
    /// Height on the page.
    pub height: usize,
    columns: usize,
    rows: usize,
    shapes: String,
}

impl SignSample {
    /// Draws a sign. `None` if it is text.
    pub fn draw_sign(id: SignId) -> Option<Self> {
        let grid = sign_glyphs(id)?;
        let (rows, columns) = (grid.len(), grid.iter().map(Vec::len).max().unwrap_or(0));
        let kind = match id {
            SignId::Skips => Some(EdgeKind::Skips),
            SignId::Replaces => Some(EdgeKind::Replaces),
            SignId::Range => Some(EdgeKind::SkipRange),
            _ => None,
        };
        let mut drawing = Drawing::default();
        for (row, glyphs) in grid.into_iter().enumerate() {
            for (column, glyph) in glyphs.into_iter().enumerate() {
                drawing.draw_cell(glyph, kind, column * CELL, row * ROW);
            }
        }
        Some(Self {
            width: columns * CELL * SCALE / 100,
            height: rows * ROW * SCALE / 100,
            columns,
            rows,
            shapes: drawing.into_markup(),
        })
    }

    /// Returns an SVG element. `place` has its position in a larger picture, or other attributes.
    pub fn to_markup(&self, place: &'static str, [x, y]: [usize; 2]) -> String {
        format!(
            "<svg{place} x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\">{}</svg>\n",
            self.width,
            self.height,
            self.columns * CELL,
            self.rows * ROW,
            self.shapes
        )
    }
}

/// Returns the glyphs of a sample, row by row.
fn sign_glyphs(id: SignId) -> Option<Vec<Vec<Glyph>>> {
    const DOWN_RIGHT: Arms = Arms { up: false, right: true, down: true, left: false };
    const UP_RIGHT: Arms = Arms { up: true, right: true, down: false, left: false };
    const DOWN_LEFT: Arms = Arms { up: false, right: false, down: true, left: true };
    const UP_LEFT: Arms = Arms { up: true, right: false, down: false, left: true };
    let across = Glyph::Line(Arms::HORIZONTAL);
    let dotted = Glyph::Dotted(Arms::HORIZONTAL);
    let [entry, skipped] = [NodeShape::Entry, NodeShape::Skipped].map(Glyph::Node);
    let node = |shape| Some(vec![vec![Glyph::Node(shape)]]);
    match id {
        SignId::Entry => node(NodeShape::Entry),
        SignId::Skipped => node(NodeShape::Skipped),
        SignId::DeadEnd => node(NodeShape::DeadEnd),
        SignId::Dangling => node(NodeShape::Dangling),
        SignId::Skips => Some(vec![
            vec![Glyph::Line(DOWN_RIGHT), Glyph::TipRight, entry],
            vec![Glyph::Line(UP_RIGHT), across, skipped],
        ]),
        SignId::Replaces => {
            Some(vec![vec![entry, across, Glyph::Line(DOWN_LEFT)], vec![entry, across, Glyph::Line(UP_LEFT)]])
        }
        SignId::Range => Some(vec![
            vec![entry, Glyph::TipLeft, Glyph::Dotted(DOWN_LEFT)],
            vec![entry, dotted, Glyph::Dotted(Arms::VERTICAL)],
            vec![entry, dotted, Glyph::Dotted(UP_LEFT)],
        ]),
        SignId::Ignored => Some(vec![vec![Glyph::Ignored, across]]),
        SignId::Hidden => None,
    }
}
