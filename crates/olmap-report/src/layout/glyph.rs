//! Content of one cell of a picture: the same arms in Unicode and in ASCII, always one column wide.

/// Directions in which a line leaves a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each of four directions is independent
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

    /// Returns the union of both sets of arms.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self {
            up: self.up || other.up,
            right: self.right || other.right,
            down: self.down || other.down,
            left: self.left || other.left,
        }
    }
}

/// Symbol of a bundle; the shapes differ, so that colors are optional.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeShape {
    /// Entry that Classic may pick.
    Entry,
    /// Entry that another skips: Classic never picks it.
    Skipped,
    /// Entry that is a dead end for Classic.
    DeadEnd,
    /// Name that is replaced or skipped but is not an entry of the channel.
    Dangling,
}

/// The content of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Glyph {
    /// Empty cell.
    #[default]
    Blank,
    /// Bundle.
    Node(NodeShape),
    /// Line of `replaces` or `skips`.
    Line(Arms),
    /// Line of a `skipRange`.
    Dotted(Arms),
    /// Arrowhead to the right, at the target of upgrades.
    TipRight,
    /// Arrowhead to the left, at the target of upgrades.
    TipLeft,
    /// End of an edge that Classic ignores, because its target is skipped.
    Ignored,
    /// Line of upgrades that OLM refuses.
    Refused(Arms),
}

impl Glyph {
    /// Returns one column of Unicode.
    pub fn unicode(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Node(NodeShape::Entry) => "●",
            Self::Node(NodeShape::Skipped) => "○",
            Self::Node(NodeShape::DeadEnd) => "■",
            Self::Node(NodeShape::Dangling) => "◌",
            // A tick next to the line marks the rows in the range; the line itself stays dotted.
            Self::Dotted(Arms { up: true, down: true, .. }) => "┊",
            Self::Dotted(Arms::HORIZONTAL) => "╌",
            Self::Line(arms) | Self::Dotted(arms) => light_line(arms),
            Self::TipRight => "▸",
            Self::TipLeft => "◂",
            Self::Ignored => "✗",
            Self::Refused(arms) => heavy_line(arms),
        }
    }

    /// Returns one column of ASCII with the same arms.
    pub fn ascii(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Node(NodeShape::Entry) => "o",
            Self::Node(NodeShape::Skipped) => "x",
            Self::Node(NodeShape::DeadEnd) => "#",
            Self::Node(NodeShape::Dangling) => "?",
            Self::Dotted(Arms { up: true, down: true, .. }) => ":",
            Self::Line(arms) | Self::Dotted(arms) => ascii_line(arms),
            Self::TipRight => ">",
            Self::TipLeft => "<",
            Self::Ignored => "X",
            Self::Refused(arms) if arms.up || arms.down => "!",
            Self::Refused(arms) if arms.left || arms.right => "=",
            Self::Refused(_) => " ",
        }
    }

    /// Returns the arms of a line; empty for other glyphs.
    pub fn arms(self) -> Arms {
        match self {
            Self::Line(arms) | Self::Dotted(arms) | Self::Refused(arms) => arms,
            _ => Arms::default(),
        }
    }

    /// Returns the glyph for further lines of text in the same row: vertical lines continue.
    #[must_use]
    pub fn continuation(self) -> Self {
        match self {
            Self::Line(arms) if arms.down => Self::Line(Arms::VERTICAL),
            Self::Dotted(arms) if arms.down => Self::Dotted(Arms::VERTICAL),
            _ => Self::Blank,
        }
    }
}

fn light_line(arms: Arms) -> &'static str {
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

/// Heavy lines by their arms; bits from the lowest: up, right, down, left.
const HEAVY: [&str; 16] = [" ", "┃", "━", "┗", "┃", "┃", "┏", "┣", "━", "┛", "━", "┻", "┓", "┫", "┳", "╋"];

fn heavy_line(arms: Arms) -> &'static str {
    let bits = [arms.up, arms.right, arms.down, arms.left];
    let number = bits.iter().rev().fold(0, |number, is_there| 2 * number + usize::from(*is_there));
    HEAVY.get(number).copied().unwrap_or_default()
}

fn ascii_line(arms: Arms) -> &'static str {
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

    fn all_glyphs() -> Vec<Glyph> {
        let mut all = vec![Glyph::Blank, Glyph::TipRight, Glyph::TipLeft, Glyph::Ignored];
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
    fn every_glyph_is_one_column_wide() {
        for glyph in all_glyphs() {
            assert_eq!(glyph.unicode().width(), 1, "{glyph:?}");
            assert!(glyph.ascii().is_ascii() && glyph.ascii().len() == 1, "{glyph:?}");
        }
    }

    #[test]
    fn ascii_has_same_vertical_arms_as_unicode() {
        for glyph in all_glyphs() {
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
    fn bundle_symbols_differ_in_shape() {
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
