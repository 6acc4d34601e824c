//! Legend of a picture's lines and marks: one table for the screen and for text.

use std::collections::BTreeSet;

use super::{
    channel::{Cell, Layout},
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
    Dead,
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

const fn sign(id: SignId, unicode: &'static str, ascii: &'static str, meaning: &'static str) -> Sign {
    Sign { id, unicode, ascii, meaning }
}

/// All signs, bundles first.
pub static SIGNS: &[Sign] = &[
    sign(SignId::Entry, "●", "o", "an entry"),
    sign(SignId::Skipped, "○", "x", "skipped"),
    sign(SignId::DeadEnd, "■", "#", "DEAD END: can never upgrade on Classic"),
    sign(SignId::Dangling, "◌", "?", "not in the channel"),
    sign(SignId::Skips, "╭▸ ├─ ╰─", ".> +- '-", "skips each row with a tick"),
    sign(SignId::Replaces, "─╮ ─╯", "-. -'", "replaces the next row joined below"),
    sign(SignId::Range, "◂╮ ╌┊ ╌╯", "<. -: -'", "skipRange includes all marked below"),
    sign(SignId::Dead, "✗", "X", "Classic ignores this edge: it leads to a skipped bundle"),
    sign(SignId::Hidden, "+n", "+n", "edges not drawn"),
];

/// Signs that a picture contains, so that the legend explains only these. A plain dot for an entry needs no explanation.
#[derive(Clone, Debug, Default)]
pub struct Seen(BTreeSet<SignId>);

impl Seen {
    /// Adds the signs in the picture of a channel.
    pub fn look_at(&mut self, picture: &Layout) {
        self.look_at_cells(picture.rows.iter().flat_map(|r| &r.cells));
        let columns = &picture.columns;
        self.see(SignId::Skips, !columns.skips.is_empty());
        self.see(SignId::Replaces, !columns.spine.is_empty());
        self.see(SignId::Range, !columns.ranges.is_empty());
        self.see(SignId::Hidden, picture.hidden.total() > 0);
    }

    /// Adds the signs in some cells.
    pub fn look_at_cells<'a>(&mut self, cells: impl Iterator<Item = &'a Cell>) {
        for cell in cells {
            match cell.glyph {
                Glyph::Node(NodeShape::Skipped) => self.see(SignId::Skipped, true),
                Glyph::Node(NodeShape::DeadEnd) => self.see(SignId::DeadEnd, true),
                Glyph::Node(NodeShape::Dangling) => self.see(SignId::Dangling, true),
                Glyph::Dead => self.see(SignId::Dead, true),
                _ => {}
            }
        }
    }

    /// Adds a sign if it is present.
    pub fn see(&mut self, id: SignId, there: bool) {
        if there {
            self.0.insert(id);
        }
    }

    /// Returns the signs to explain.
    pub fn signs(&self) -> impl Iterator<Item = &'static Sign> + '_ {
        SIGNS.iter().filter(|sign| self.0.contains(&sign.id))
    }
}
