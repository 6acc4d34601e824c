//! Decodes upgrades from the Unicode glyphs of a picture by following the lines between boxes.

use std::collections::BTreeSet;

use super::Neighborhood;
use olm_upgrade::EdgeKind;

/// Source box, target box, kind, and true if Classic ignores it.
pub(super) type DecodedUpgrade = (usize, usize, EdgeKind, bool);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Heading {
    Up,
    Right,
    Down,
    Left,
}

use Heading::{Down, Left, Right, Up};

impl Heading {
    fn opposite(self) -> Self {
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
fn line_directions(glyph: &str) -> Vec<Heading> {
    let alphabets = [" ╵╶╰╷│╭├╴╯─┴╮┤┬┼", "   ╚ ║╔╠ ╝═╩╗╣╦╬", "     ┊    ╌     "];
    let bits = alphabets.iter().find_map(|order| order.chars().position(|c| glyph.starts_with(c)));
    let bits = bits.unwrap_or_else(|| panic!("no line looks like {glyph}"));
    [(1, Up), (2, Right), (4, Down), (8, Left)]
        .into_iter()
        .filter(|(bit, _)| bits & bit > 0)
        .map(|(_, to)| to)
        .collect()
}

fn letter_kind(glyph: &str) -> Option<EdgeKind> {
    match glyph {
        "r" => Some(EdgeKind::Replaces),
        "s" => Some(EdgeKind::Skips),
        "~" => Some(EdgeKind::SkipRange),
        _ => None,
    }
}

struct LineReader<'p> {
    picture: &'p Neighborhood,
    from: BTreeSet<(usize, bool)>,
    to: BTreeSet<usize>,
    kinds: BTreeSet<EdgeKind>,
    seen: BTreeSet<(usize, usize)>,
}

impl LineReader<'_> {
    fn glyph_at(&self, (y, x): (usize, usize)) -> &'static str {
        self.picture
            .cells
            .get(y)
            .and_then(|row| row.get(x))
            .expect("a line leaves the picture")
            .glyph
            .unicode()
    }

    fn box_at(&self, (y, x): (usize, usize)) -> Option<usize> {
        self.picture.boxes.iter().position(|b| {
            (b.area.y..b.area.y + b.area.height).contains(&y)
                && (b.area.x..b.area.x + b.area.width).contains(&x)
        })
    }

    /// Follows a line into a cell.
    fn follow_line(&mut self, at: (usize, usize), heading: Heading) {
        if let Some(index) = self.box_at(at) {
            assert!(
                heading == Left && matches!(self.glyph_at(at), "├" | "┠"),
                "a line runs into a box at {at:?}"
            );
            self.from.insert((index, false));
            return;
        }
        let beyond = || heading.step(at);
        match self.glyph_at(at) {
            "▸" | "◂" => {
                assert_eq!(heading, if self.glyph_at(at) == "▸" { Right } else { Left });
                self.to.insert(self.box_at(beyond()).expect("a tip points at a box"));
            }
            "✗" => {
                assert_eq!(heading, Left);
                self.from.insert((self.box_at(beyond()).expect("a dead edge starts at a box"), true));
            }
            glyph if letter_kind(glyph).is_some() => {
                assert!(matches!(heading, Left | Right));
                self.kinds.extend(letter_kind(glyph));
                if self.seen.insert(at) {
                    self.follow_line(beyond(), heading);
                    self.follow_line(heading.opposite().step(at), heading.opposite());
                }
            }
            glyph => {
                let arms = line_directions(glyph);
                if !arms.contains(&heading.opposite()) {
                    assert!(
                        matches!(glyph, "│" | "║" | "┊") && matches!(heading, Left | Right),
                        "a line breaks off at {at:?}"
                    );
                    self.follow_line(beyond(), heading);
                } else if self.seen.insert(at) {
                    for to in arms {
                        self.follow_line(to.step(at), to);
                    }
                }
            }
        }
    }
}

/// Returns all upgrades that the picture shows.
pub(super) fn decode_upgrades(picture: &Neighborhood) -> BTreeSet<DecodedUpgrade> {
    let mut told = BTreeSet::new();
    let mut seen_cells = BTreeSet::new();
    for one in &picture.boxes {
        for y in one.area.y..one.area.y + one.area.height {
            let start = (y, one.area.x + one.area.width);
            let mut reader = LineReader {
                picture,
                from: BTreeSet::new(),
                to: BTreeSet::new(),
                kinds: BTreeSet::new(),
                seen: BTreeSet::new(),
            };
            let Some(cell) = picture.cells[y].get(start.1) else { continue };
            if matches!(reader.glyph_at((y, start.1 - 1)), "├" | "┠") {
                reader.follow_line(start, Right);
            } else if cell.glyph.unicode() == "✗" {
                reader.follow_line((y, start.1 + 1), Right);
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
            let is_line = matches!(cell.glyph, super::CellGlyph::Line(..) | super::CellGlyph::Letter(_));
            assert!(!is_line || seen_cells.contains(&(y, x)), "a line comes from nowhere at {y} {x}");
        }
    }
    told
}
