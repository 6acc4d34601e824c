//! Lines and shapes of cells. Lines with the same style share one element to keep the image small.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::layout::{Arms, Glyph, Layout, NodeShape};
use olm_upgrade::EdgeKind;

/// Width of a cell in pixels.
pub(super) const CELL: usize = 12;
/// Height of a row in pixels.
pub(super) const ROW: usize = 24;
pub(super) const MARGIN: usize = 16;

/// Lines and shapes of an image.
#[derive(Default)]
pub(super) struct Drawing {
    /// Path data by class.
    paths: BTreeMap<(&'static str, bool), String>,
    shapes: String,
}

impl Drawing {
    /// Draws the cells of a row whose upper edge is at `y`. `of` returns the glyph to draw for a
    /// cell.
    pub fn draw_row(&mut self, picture: &Layout, row: usize, y: usize, of: impl Fn(usize, Glyph) -> Glyph) {
        let cells = picture.rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default();
        for (column, cell) in cells.iter().enumerate() {
            let kind = cell.strands.first().and_then(|&id| picture.strand(id)).map(|strand| strand.kind);
            self.draw_cell(of(column, cell.glyph), kind, MARGIN + column * CELL, y);
        }
    }

    fn draw_cell(&mut self, glyph: Glyph, kind: Option<EdgeKind>, x: usize, y: usize) {
        let (middle, centre) = (x + CELL / 2, y + ROW / 2);
        let class = kind.map_or("", EdgeKind::as_str);
        match glyph {
            Glyph::Blank => {}
            Glyph::Node(shape) => self.draw_node_shape(shape, middle, centre),
            Glyph::TipRight => self.add_path(class, true, &format!("M{x} {centre}h{CELL}m-5 -4l5 4l-5 4")),
            Glyph::TipLeft => {
                self.add_path(class, true, &format!("M{} {centre}h-{CELL}m5 -4l-5 4l5 4", x + CELL));
            }
            Glyph::Ignored => self.add_path("x", false, &format!("M{} {}l8 8m0 -8l-8 8", x + 2, centre - 4)),
            Glyph::Line(arms) | Glyph::Dotted(arms) | Glyph::Refused(arms) => {
                self.add_path(class, false, &arm_strokes(arms, x, y));
            }
        }
    }

    fn add_path(&mut self, class: &'static str, is_tip: bool, data: &str) {
        self.paths.entry((class, is_tip)).or_default().push_str(data);
    }

    fn draw_node_shape(&mut self, shape: NodeShape, x: usize, y: usize) {
        let class = match shape {
            NodeShape::Entry => "n",
            NodeShape::Skipped => "n s",
            NodeShape::Dangling => "n g",
            NodeShape::DeadEnd => {
                let (left, top) = (x - 5, y - 5);
                let _ = writeln!(
                    self.shapes,
                    "<rect class=\"n e\" x=\"{left}\" y=\"{top}\" width=\"10\" height=\"10\"/>"
                );
                return;
            }
        };
        let _ = writeln!(self.shapes, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/>");
    }

    /// Returns the elements, lines below bundles.
    pub fn into_markup(self) -> String {
        let mut out = String::new();
        for ((class, is_tip), data) in &self.paths {
            let tip = if *is_tip { " tip" } else { "" };
            let _ = writeln!(out, "<path class=\"{class}{tip}\" d=\"{data}\"/>");
        }
        out + &self.shapes
    }
}

/// Returns lines from the center of a cell to its edges.
fn arm_strokes(arms: Arms, x: usize, y: usize) -> String {
    let (middle, centre) = (x + CELL / 2, y + ROW / 2);
    let (across, down) = (CELL / 2, ROW / 2);
    let mut path = match (arms.up, arms.down) {
        (true, true) => format!("M{middle} {y}v{ROW}"),
        (true, false) => format!("M{middle} {centre}v-{down}"),
        (false, true) => format!("M{middle} {centre}v{down}"),
        (false, false) => String::new(),
    };
    let _ = match (arms.left, arms.right) {
        (true, true) => write!(path, "M{x} {centre}h{CELL}"),
        (true, false) => write!(path, "M{middle} {centre}h-{across}"),
        (false, true) => write!(path, "M{middle} {centre}h{across}"),
        (false, false) => Ok(()),
    };
    path
}
