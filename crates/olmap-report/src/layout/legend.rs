//! Legend of a picture's lines and marks: one table for the screen and for text.

use std::collections::BTreeSet;

use super::{
    channel::{Cell, Columns, Layout},
    glyph::{Glyph, NodeShape},
};

/// Identifiers of signs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SignId {
    /// Entry.
    Entry,
    /// Skipped entry.
    Skipped,
    /// Entry that is a dead end for Classic.
    DeadEnd,
    /// Name without an entry.
    Dangling,
    /// Line of `skips`.
    Skips,
    /// Line of `replaces`.
    Replaces,
    /// Line of a `skipRange`.
    Range,
    /// End of an edge that Classic ignores.
    Ignored,
    /// Number of edges that are not drawn.
    Hidden,
}

/// Sign with its meaning.
#[derive(Debug)]
pub struct Sign {
    /// Identifier of the sign.
    pub id: SignId,
    /// Unicode form.
    pub unicode: &'static str,
    /// ASCII form.
    pub ascii: &'static str,
    /// Meaning in words.
    pub meaning: &'static str,
}

const fn new_sign(id: SignId, unicode: &'static str, ascii: &'static str, meaning: &'static str) -> Sign {
    Sign { id, unicode, ascii, meaning }
}

/// All signs, bundles first.
pub static SIGNS: &[Sign] = &[
    new_sign(SignId::Entry, "●", "o", "an entry"),
    new_sign(SignId::Skipped, "○", "x", "skipped"),
    new_sign(SignId::DeadEnd, "■", "#", "Classic never upgrades it"),
    new_sign(SignId::Dangling, "◌", "?", "not in the channel"),
    new_sign(SignId::Skips, "╭▸ ├─ ╰─", ".> +- '-", "skips each row with a tick"),
    new_sign(SignId::Replaces, "─╮ ─╯", "-. -'", "replaces the next row joined below"),
    new_sign(SignId::Range, "◂╮ ╌┊ ╌╯", "<. -: -'", "skipRange includes all marked below"),
    new_sign(SignId::Ignored, "✗", "X", "Classic ignores this edge: it leads to a skipped bundle"),
    new_sign(SignId::Hidden, "+n", "+n", "edges not drawn"),
];

/// Signs that a picture contains, so that the legend explains only these. A plain dot for an entry needs no explanation.
#[derive(Clone, Debug, Default)]
pub struct VisibleSigns(BTreeSet<SignId>);

impl VisibleSigns {
    /// Adds the signs in the picture of a channel.
    pub fn add_picture(&mut self, picture: &Layout) {
        self.add_cells(picture.rows.iter().flat_map(|r| &r.cells));
        self.add_columns(&picture.columns);
        self.add_if(SignId::Hidden, picture.hidden.total() > 0);
    }

    /// Adds the lines in some columns.
    pub fn add_columns(&mut self, columns: &Columns) {
        self.add_if(SignId::Skips, !columns.skips.is_empty());
        self.add_if(SignId::Replaces, !columns.spine.is_empty());
        self.add_if(SignId::Range, !columns.ranges.is_empty());
    }

    /// Adds the signs in some cells.
    pub fn add_cells<'a>(&mut self, cells: impl Iterator<Item = &'a Cell>) {
        for cell in cells {
            match cell.glyph {
                Glyph::Node(NodeShape::Skipped) => self.add_if(SignId::Skipped, true),
                Glyph::Node(NodeShape::DeadEnd) => self.add_if(SignId::DeadEnd, true),
                Glyph::Node(NodeShape::Dangling) => self.add_if(SignId::Dangling, true),
                Glyph::Ignored => self.add_if(SignId::Ignored, true),
                _ => {}
            }
        }
    }

    /// Adds a sign if it is present.
    pub fn add_if(&mut self, id: SignId, there: bool) {
        if there {
            self.0.insert(id);
        }
    }

    /// Adds the signs of another picture.
    pub fn merge_signs(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Returns the signs to explain.
    pub fn signs(&self) -> impl Iterator<Item = &'static Sign> + '_ {
        SIGNS.iter().filter(|sign| self.0.contains(&sign.id))
    }
}
