//! Content of one cell of a neighborhood: frames of boxes, and lines of three kinds with different shapes.

use crate::layout::glyph::{Arms, Glyph};
use olm_upgrade::EdgeKind;

/// Content of one cell, always one column wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CellGlyph {
    /// Empty cell; in a box, its text is drawn here.
    #[default]
    Blank,
    /// Frame of a box. If its right side has an arm to the right, an edge starts there.
    Frame(Arms),
    /// Frame of the central bundle.
    CenterFrame(Arms),
    /// Line of an edge.
    Line(EdgeKind, Arms),
    /// Letter of the kind of an edge, in a horizontal line.
    Letter(EdgeKind),
    /// Arrowhead to the right, at the target of upgrades.
    TipRight,
    /// Arrowhead to the left, at the target of upgrades.
    TipLeft,
    /// Start of an edge that Classic ignores, because its target is skipped.
    Ignored,
}

/// Returns the letter of a kind, as in [`super::super::Relation::edge_mark`].
pub fn kind_letter(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Replaces => "r",
        EdgeKind::Skips => "s",
        EdgeKind::SkipRange => "~",
    }
}

impl CellGlyph {
    /// Returns one column of Unicode.
    pub fn unicode(self) -> &'static str {
        match self {
            Self::Blank => Glyph::Blank.unicode(),
            Self::Frame(arms) | Self::Line(EdgeKind::Replaces, arms) => Glyph::Line(arms).unicode(),
            // Joints are solid, so that they do not look like a line that passes below.
            Self::Line(EdgeKind::SkipRange, arms) => range_glyph(arms).unicode(),
            Self::Line(EdgeKind::Skips, arms) => double_line(arms),
            Self::CenterFrame(arms) => heavy_line(arms),
            Self::Letter(kind) => kind_letter(kind),
            Self::TipRight => Glyph::TipRight.unicode(),
            Self::TipLeft => Glyph::TipLeft.unicode(),
            Self::Ignored => Glyph::Ignored.unicode(),
        }
    }

    /// Returns one column of ASCII with the same arms.
    pub fn ascii(self) -> &'static str {
        match self {
            Self::Blank => Glyph::Blank.ascii(),
            Self::CenterFrame(Arms::HORIZONTAL) | Self::Line(EdgeKind::Skips, Arms::HORIZONTAL) => "=",
            Self::Frame(arms) | Self::CenterFrame(arms)
                if arms != Arms::VERTICAL && arms != Arms::HORIZONTAL =>
            {
                "+"
            }
            Self::Line(EdgeKind::SkipRange, Arms::HORIZONTAL) => "~",
            Self::Line(EdgeKind::SkipRange, arms) => range_glyph(arms).ascii(),
            Self::Frame(arms) | Self::CenterFrame(arms) | Self::Line(_, arms) => Glyph::Line(arms).ascii(),
            Self::Letter(kind) => kind_letter(kind),
            Self::TipRight => Glyph::TipRight.ascii(),
            Self::TipLeft => Glyph::TipLeft.ascii(),
            Self::Ignored => Glyph::Ignored.ascii(),
        }
    }

    /// Returns the sides on which it joins its neighbors.
    pub fn arms(self) -> Arms {
        match self {
            Self::Frame(arms) | Self::CenterFrame(arms) | Self::Line(_, arms) => arms,
            Self::Letter(_) => Arms::HORIZONTAL,
            Self::Blank | Self::TipRight | Self::TipLeft | Self::Ignored => Arms::default(),
        }
    }
}

/// Returns the glyph of a range's line: dotted if it is straight.
fn range_glyph(arms: Arms) -> Glyph {
    match arms {
        Arms::VERTICAL | Arms::HORIZONTAL => Glyph::Dotted(arms),
        arms => Glyph::Line(arms),
    }
}

fn double_line(arms: Arms) -> &'static str {
    match (arms.up, arms.right, arms.down, arms.left) {
        (false, false, false, false) => " ",
        (true, false, _, false) | (false, false, true, false) => "║",
        (false, _, false, _) => "═",
        (true, true, false, false) => "╚",
        (true, false, false, true) => "╝",
        (false, true, true, false) => "╔",
        (false, false, true, true) => "╗",
        (true, true, true, false) => "╠",
        (true, false, true, true) => "╣",
        (true, true, false, true) => "╩",
        (false, true, true, true) => "╦",
        (true, true, true, true) => "╬",
    }
}

fn heavy_line(arms: Arms) -> &'static str {
    match (arms.up, arms.right, arms.down, arms.left) {
        (false, true, true, false) => "┏",
        (false, false, true, true) => "┓",
        (true, true, false, false) => "┗",
        (true, false, false, true) => "┛",
        // Start of an edge: the arm is a light line, unlike the frame.
        (true, true, true, false) => "┠",
        (true, _, _, _) | (_, _, true, _) => "┃",
        (false, _, false, _) => "━",
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    const KINDS: [EdgeKind; 3] = [EdgeKind::Replaces, EdgeKind::Skips, EdgeKind::SkipRange];

    #[test]
    fn every_ink_is_one_column_wide_with_same_vertical_arms() {
        let mut all = vec![CellGlyph::Blank, CellGlyph::TipRight, CellGlyph::TipLeft, CellGlyph::Ignored];
        all.extend(KINDS.map(CellGlyph::Letter));
        for bits in 0..16_u8 {
            let arms = Arms { up: bits & 1 > 0, right: bits & 2 > 0, down: bits & 4 > 0, left: bits & 8 > 0 };
            all.extend(KINDS.map(|kind| CellGlyph::Line(kind, arms)));
            all.extend([CellGlyph::Frame(arms), CellGlyph::CenterFrame(arms)]);
        }
        for glyph in all {
            assert_eq!(glyph.unicode().width(), 1, "{glyph:?}");
            assert!(glyph.ascii().is_ascii() && glyph.ascii().len() == 1, "{glyph:?}");
            let CellGlyph::Line(_, arms) = glyph else { continue };
            let expected: &[&str] = match (arms.up, arms.down) {
                (true, true) => &["|", ":", "+"],
                (true, false) => &["'"],
                (false, true) => &["."],
                (false, false) => &[" ", "-", "=", "~"],
            };
            assert!(expected.contains(&glyph.ascii()), "{glyph:?}");
        }
    }

    #[test]
    fn kinds_differ_in_straight_lines_and_letters() {
        for show in [CellGlyph::unicode, CellGlyph::ascii] {
            let across = KINDS.map(|kind| show(CellGlyph::Line(kind, Arms::HORIZONTAL)));
            let letters = KINDS.map(|kind| show(CellGlyph::Letter(kind)));
            for marks in [across, letters] {
                assert!(marks[0] != marks[1] && marks[1] != marks[2] && marks[0] != marks[2], "{marks:?}");
            }
        }
    }
}
