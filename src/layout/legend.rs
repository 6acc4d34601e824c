//! What the lines and marks of a picture mean: one table for the screen and for text.

use std::collections::BTreeSet;

use super::{
    channel::{Cell, Layout},
    glyph::{Glyph, NodeShape},
};

/// The signs of a drawing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SignId {
    /// An entry.
    Entry,
    /// A skipped entry.
    Skipped,
    /// An entry on which Classic leaves people behind.
    DeadEnd,
    /// A name that is no entry.
    Dangling,
    /// A comb.
    Skips,
    /// A spine.
    Replaces,
    /// A bracket.
    Range,
    /// The end of an edge that Classic ignores.
    Dead,
    /// Edges that are counted, not drawn.
    Hidden,
}

/// A sign and what it means.
#[derive(Debug)]
pub struct Sign {
    /// Which.
    pub id: SignId,
    /// In Unicode.
    pub unicode: &'static str,
    /// In ASCII.
    pub ascii: &'static str,
    /// In words.
    pub meaning: &'static str,
}

const fn sign(id: SignId, unicode: &'static str, ascii: &'static str, meaning: &'static str) -> Sign {
    Sign { id, unicode, ascii, meaning }
}

/// All of them, bundles first.
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

/// Which signs a reader has seen, so that only those are explained. That a plain dot is an entry needs no words there.
#[derive(Clone, Debug, Default)]
pub struct Seen(BTreeSet<SignId>);

impl Seen {
    /// Has seen the picture of a channel.
    pub fn look_at(&mut self, picture: &Layout) {
        self.look_at_cells(picture.rows.iter().flat_map(|r| &r.cells));
        let columns = &picture.columns;
        self.see(SignId::Skips, !columns.skips.is_empty());
        self.see(SignId::Replaces, !columns.spine.is_empty());
        self.see(SignId::Range, !columns.ranges.is_empty());
        self.see(SignId::Hidden, picture.hidden.total() > 0);
    }

    /// Has seen some cells.
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

    /// Has seen a sign, where it was there.
    pub fn see(&mut self, id: SignId, there: bool) {
        if there {
            self.0.insert(id);
        }
    }

    /// What to explain.
    pub fn signs(&self) -> impl Iterator<Item = &'static Sign> + '_ {
        SIGNS.iter().filter(|sign| self.0.contains(&sign.id))
    }
}
