//! Decodes upgrades from the Unicode glyphs of a picture by following the lines between boxes.

use std::collections::BTreeSet;

use super::Neighbourhood;
use crate::upgrade::EdgeKind;

/// Source box, target box, kind, and true if Classic ignores it.
pub(super) type Seen = (usize, usize, EdgeKind, bool);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Heading {
    Up,
    Right,
    Down,
    Left,
}

use Heading::{Down, Left, Right, Up};

impl Heading {
    fn back(self) -> Self {
        match self {
            Up => Down,
            Right => Left,
            Down => Up,
            Left => Right,
        }
    }

    fn step(self, (y, x): (usize, usize)) -> (usize, usize) {
        match self {
            Up => (y.checked_sub(1).expect("a line leaves the picture"), x),
            Right => (y, x + 1),
            Down => (y + 1, x),
            Left => (y, x.checked_sub(1).expect("a line leaves the picture")),
        }
    }
}

/// Returns the directions in which the line of a glyph continues.
fn arms(glyph: &str) -> Vec<Heading> {
    let alphabets = [" ╵╶╰╷│╭├╴╯─┴╮┤┬┼", "   ╚ ║╔╠ ╝═╩╗╣╦╬", "     ┊    ╌     "];
    let bits = alphabets.iter().find_map(|order| order.chars().position(|c| glyph.starts_with(c)));
    let bits = bits.unwrap_or_else(|| panic!("no line looks like {glyph}"));
    [(1, Up), (2, Right), (4, Down), (8, Left)]
        .into_iter()
        .filter(|(bit, _)| bits & bit > 0)
        .map(|(_, to)| to)
        .collect()
}

fn kind(glyph: &str) -> Option<EdgeKind> {
    match glyph {
        "r" => Some(EdgeKind::Replaces),
        "s" => Some(EdgeKind::Skips),
        "~" => Some(EdgeKind::SkipRange),
        _ => None,
    }
}

struct Reader<'p> {
    picture: &'p Neighbourhood,
    from: BTreeSet<(usize, bool)>,
    to: BTreeSet<usize>,
    kinds: BTreeSet<EdgeKind>,
    seen: BTreeSet<(usize, usize)>,
}

impl Reader<'_> {
    fn glyph(&self, (y, x): (usize, usize)) -> &'static str {
        self.picture.cells.get(y).and_then(|row| row.get(x)).expect("a line leaves the picture").ink.unicode()
    }

    fn box_at(&self, (y, x): (usize, usize)) -> Option<usize> {
        self.picture.boxes.iter().position(|b| {
            (b.area.y..b.area.y + b.area.height).contains(&y)
                && (b.area.x..b.area.x + b.area.width).contains(&x)
        })
    }

    /// Follows a line into a cell.
    fn go(&mut self, at: (usize, usize), heading: Heading) {
        if let Some(index) = self.box_at(at) {
            assert!(
                heading == Left && matches!(self.glyph(at), "├" | "┠"),
                "a line runs into a box at {at:?}"
            );
            self.from.insert((index, false));
            return;
        }
        let beyond = || heading.step(at);
        match self.glyph(at) {
            "▸" | "◂" => {
                assert_eq!(heading, if self.glyph(at) == "▸" { Right } else { Left });
                self.to.insert(self.box_at(beyond()).expect("a tip points at a box"));
            }
            "✗" => {
                assert_eq!(heading, Left);
                self.from.insert((self.box_at(beyond()).expect("a dead edge starts at a box"), true));
            }
            glyph if kind(glyph).is_some() => {
                assert!(matches!(heading, Left | Right));
                self.kinds.extend(kind(glyph));
                if self.seen.insert(at) {
                    self.go(beyond(), heading);
                    self.go(heading.back().step(at), heading.back());
                }
            }
            glyph => {
                let arms = arms(glyph);
                if !arms.contains(&heading.back()) {
                    assert!(
                        matches!(glyph, "│" | "║" | "┊") && matches!(heading, Left | Right),
                        "a line breaks off at {at:?}"
                    );
                    self.go(beyond(), heading);
                } else if self.seen.insert(at) {
                    for to in arms {
                        self.go(to.step(at), to);
                    }
                }
            }
        }
    }
}

/// Returns all upgrades that the picture shows.
pub(super) fn decode(picture: &Neighbourhood) -> BTreeSet<Seen> {
    let mut told = BTreeSet::new();
    let mut seen_cells = BTreeSet::new();
    for one in &picture.boxes {
        for y in one.area.y..one.area.y + one.area.height {
            let start = (y, one.area.x + one.area.width);
            let mut reader = Reader {
                picture,
                from: BTreeSet::new(),
                to: BTreeSet::new(),
                kinds: BTreeSet::new(),
                seen: BTreeSet::new(),
            };
            let Some(cell) = picture.cells[y].get(start.1) else { continue };
            if matches!(reader.glyph((y, start.1 - 1)), "├" | "┠") {
                reader.go(start, Right);
            } else if cell.ink.unicode() == "✗" {
                reader.go((y, start.1 + 1), Right);
            } else {
                continue;
            }
            seen_cells.extend(reader.seen.iter().copied());
            assert_eq!(reader.kinds.len(), 1, "a line has one letter");
            for &(from, dead) in &reader.from {
                told.extend(
                    reader
                        .to
                        .iter()
                        .flat_map(|&to| reader.kinds.iter().map(move |&kind| (from, to, kind, dead))),
                );
            }
        }
    }
    // Every line starts at a box.
    for (y, row) in picture.cells.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            let is_line = matches!(cell.ink, super::Ink::Line(..) | super::Ink::Letter(_));
            assert!(!is_line || seen_cells.contains(&(y, x)), "a line comes from nowhere at {y} {x}");
        }
    }
    told
}
