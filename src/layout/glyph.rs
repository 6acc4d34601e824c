//! What one cell of a picture shows: the same arms in Unicode and in ASCII, always one column wide.

/// The directions in which a line leaves a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // four directions, each there or not
pub struct Arms {
    /// To the row above.
    pub up: bool,
    /// To the cell on the right.
    pub right: bool,
    /// To the row below.
    pub down: bool,
    /// To the cell on the left.
    pub left: bool,
}

impl Arms {
    /// A vertical line.
    pub const VERTICAL: Self = Self { up: true, right: false, down: true, left: false };
    /// A horizontal line.
    pub const HORIZONTAL: Self = Self { up: false, right: true, down: false, left: true };

    /// Both sets of arms.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            up: self.up || other.up,
            right: self.right || other.right,
            down: self.down || other.down,
            left: self.left || other.left,
        }
    }
}

/// What stands for a bundle; the shapes differ, so that no colour is needed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeShape {
    /// An entry that Classic may land on.
    Entry,
    /// An entry that another skips: Classic never lands on it.
    Skipped,
    /// An entry on which Classic leaves people behind.
    DeadEnd,
    /// A name that is replaced or skipped but is no entry of the channel.
    Dangling,
}

/// The content of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Glyph {
    /// Nothing.
    #[default]
    Blank,
    /// A bundle.
    Node(NodeShape),
    /// A line of `replaces` or `skips`.
    Line(Arms),
    /// A line of a `skipRange`.
    Dotted(Arms),
    /// Points right, at the entry that upgrades land on.
    TipRight,
    /// Points left, at the entry that upgrades land on.
    TipLeft,
    /// The end of an edge that Classic ignores, because the entry it would land on is skipped.
    Dead,
    /// A line of upgrades that OLM refuses.
    Refused(Arms),
}

impl Glyph {
    /// One column of Unicode.
    pub fn unicode(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Node(NodeShape::Entry) => "●",
            Self::Node(NodeShape::Skipped) => "○",
            Self::Node(NodeShape::DeadEnd) => "■",
            Self::Node(NodeShape::Dangling) => "◌",
            // A tick beside it says which rows are held; the line itself stays dotted.
            Self::Dotted(Arms { up: true, down: true, .. }) => "┊",
            Self::Dotted(Arms::HORIZONTAL) => "╌",
            Self::Line(arms) | Self::Dotted(arms) => line(arms),
            Self::TipRight => "▸",
            Self::TipLeft => "◂",
            Self::Dead => "✗",
            Self::Refused(arms) => double_line(arms),
        }
    }

    /// One column of ASCII with the same arms.
    pub fn ascii(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Node(NodeShape::Entry) => "o",
            Self::Node(NodeShape::Skipped) => "x",
            Self::Node(NodeShape::DeadEnd) => "#",
            Self::Node(NodeShape::Dangling) => "?",
            Self::Dotted(Arms { up: true, down: true, .. }) => ":",
            Self::Line(arms) | Self::Dotted(arms) => plain_line(arms),
            Self::TipRight => ">",
            Self::TipLeft => "<",
            Self::Dead => "X",
            Self::Refused(arms) if arms.up || arms.down => "!",
            Self::Refused(arms) if arms.left || arms.right => "=",
            Self::Refused(_) => " ",
        }
    }

    /// The arms of a line; none for anything else.
    pub fn arms(self) -> Arms {
        match self {
            Self::Line(arms) | Self::Dotted(arms) | Self::Refused(arms) => arms,
            _ => Arms::default(),
        }
    }

    /// What stands below this cell where a row is more than one line high: its line goes on.
    #[must_use]
    pub fn continued(self) -> Self {
        match self {
            Self::Line(arms) if arms.down => Self::Line(Arms::VERTICAL),
            Self::Dotted(arms) if arms.down => Self::Dotted(Arms::VERTICAL),
            _ => Self::Blank,
        }
    }
}

fn line(arms: Arms) -> &'static str {
    match (arms.up, arms.right, arms.down, arms.left) {
        (false, false, false, false) => " ",
        (true, false, false, false) => "╵",
        (false, true, false, false) => "╶",
        (false, false, true, false) => "╷",
        (false, false, false, true) => "╴",
        (true, false, true, false) => "│",
        (false, true, false, true) => "─",
        (true, true, false, false) => "╰",
        (true, false, false, true) => "╯",
        (false, true, true, false) => "╭",
        (false, false, true, true) => "╮",
        (true, true, true, false) => "├",
        (true, false, true, true) => "┤",
        (true, true, false, true) => "┴",
        (false, true, true, true) => "┬",
        (true, true, true, true) => "┼",
    }
}

fn double_line(arms: Arms) -> &'static str {
    match (arms.up, arms.right, arms.down, arms.left) {
        (false, false, false, false) => " ",
        (true | false, false, true | false, false) => "║",
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

fn plain_line(arms: Arms) -> &'static str {
    match (arms.up, arms.down, arms.left || arms.right) {
        (true, true, true) => "+",
        (true, true, false) => "|",
        (true, false, _) => "'",
        (false, true, _) => ".",
        (false, false, true) => "-",
        (false, false, false) => " ",
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    fn every_glyph() -> Vec<Glyph> {
        let mut all = vec![Glyph::Blank, Glyph::TipRight, Glyph::TipLeft, Glyph::Dead];
        all.extend(
            [NodeShape::Entry, NodeShape::Skipped, NodeShape::DeadEnd, NodeShape::Dangling].map(Glyph::Node),
        );
        for bits in 0..16_u8 {
            let arms = Arms { up: bits & 1 > 0, right: bits & 2 > 0, down: bits & 4 > 0, left: bits & 8 > 0 };
            all.extend([Glyph::Line(arms), Glyph::Dotted(arms), Glyph::Refused(arms)]);
        }
        all
    }

    #[test]
    fn every_glyph_is_one_column_wide_in_both_alphabets() {
        for glyph in every_glyph() {
            assert_eq!(glyph.unicode().width(), 1, "{glyph:?}");
            assert!(glyph.ascii().is_ascii() && glyph.ascii().len() == 1, "{glyph:?}");
        }
    }

    #[test]
    fn ascii_has_the_vertical_arms_of_unicode() {
        for glyph in every_glyph() {
            let arms = glyph.arms();
            let expected: &[&str] = match (arms.up, arms.down) {
                (true, true) => &["|", ":", "+", "!"],
                (true, false) => &["'", "!"],
                (false, true) => &[".", "!"],
                (false, false) => &[" ", "-", "=", "o", "x", "#", "?", ">", "<", "X"],
            };
            assert!(expected.contains(&glyph.ascii()), "{glyph:?}");
        }
    }

    #[test]
    fn bundles_differ_in_shape_not_only_in_colour() {
        let shapes = [NodeShape::Entry, NodeShape::Skipped, NodeShape::DeadEnd, NodeShape::Dangling];
        let distinct = |f: fn(Glyph) -> &'static str| {
            let mut all: Vec<_> = shapes.map(|s| f(Glyph::Node(s))).to_vec();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        assert_eq!((distinct(Glyph::unicode), distinct(Glyph::ascii)), (4, 4));
    }
}
