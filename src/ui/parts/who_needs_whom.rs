//! Drawing of the dependencies between bundles.
//!
//! Below each bundle are its dependencies: a package or API in a box, together with its providers.
//! If the provider has dependencies itself, they follow below the box. The border of a satisfied
//! dependency is solid, that of an unmet one is dotted. A shared dependency is drawn
//! below the first bundle that needs it.

use std::collections::{HashMap, HashSet};

use crate::{
    resolve::needs::{Need, Needing, Provider},
    ui::{
        canvas::{Pieces, pad, piece, width, wrap},
        theme::Role,
    },
};

/// Maximum number of bundles.
const MOST: usize = 100;
/// Minimum columns of a box. If fewer are left, the provider is drawn at the left edge instead.
const NARROWEST: usize = 24;
/// Columns of the lines that lead to a box and of its borders.
const AROUND: usize = 6;
/// Indentation of a provider relative to the bundle that depends on it.
const DEEPER: usize = 4;

/// Draws the bundles that have dependencies.
pub fn draw(all: &[Needing], columns: usize, ascii: bool, lines: &mut Vec<Pieces>) {
    let needing: Vec<&Needing> = all.iter().filter(|needing| !needing.needs.is_empty()).collect();
    let places = needing.iter().enumerate().map(|(at, of)| (of.bundle.as_str(), at)).collect();
    let mut drawing = Drawing { needing, places, drawn: HashSet::new(), columns, ascii, lines };
    // Bundles that no other depends on come first; only cycles remain after them.
    let wanted: HashSet<&str> = drawing
        .needing
        .iter()
        .flat_map(|of| of.needs.iter().filter_map(|need| Some((of.bundle.as_str(), sole(need)?))))
        .filter(|(of, by)| of != by)
        .map(|(_, by)| by)
        .collect();
    let is_first =
        |at: &usize| drawing.needing.get(*at).is_some_and(|of| !wanted.contains(of.bundle.as_str()));
    let (first, last): (Vec<usize>, Vec<usize>) = (0..drawing.needing.len()).partition(is_first);
    for at in first.into_iter().chain(last) {
        drawing.bundle(at, &[]);
    }
    let left = drawing.needing.len() - drawing.drawn.len();
    if left > 0 {
        lines.push(vec![piece(format!(" and {left} more that need something"), Role::Dim)]);
    }
}

/// Returns the only provider of a dependency; `None` if there are several or none.
fn sole(need: &Need) -> Option<&str> {
    match need.by.as_slice() {
        [only] if need.more == 0 => Some(only.bundle.as_str()),
        _ => None,
    }
}

struct Drawing<'a, 'l> {
    needing: Vec<&'a Needing>,
    places: HashMap<&'a str, usize>,
    drawn: HashSet<usize>,
    columns: usize,
    ascii: bool,
    lines: &'l mut Vec<Pieces>,
}

/// Characters for drawing a box.
struct Pen {
    across: &'static str,
    down: &'static str,
    corners: [&'static str; 4],
    /// Joint of the line from the left and the box.
    joint: &'static str,
    /// Joint of the box and the line to the provider.
    leave: &'static str,
}

const WHOLE: Pen =
    Pen { across: "─", down: "│", corners: ["┌", "┐", "└", "┘"], joint: "┤", leave: "┬" };
const DOTS: Pen =
    Pen { across: "╌", down: "╎", corners: ["┌", "┐", "└", "┘"], joint: "┤", leave: "┬" };
const WHOLE_ASCII: Pen = Pen { across: "-", down: "|", corners: ["+"; 4], joint: "+", leave: "+" };
const DOTS_ASCII: Pen = Pen { across: ".", down: ":", corners: ["."; 4], joint: ":", leave: "." };

impl Drawing<'_, '_> {
    fn either(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// Draws a bundle and its dependencies. `before` holds one element per enclosing line: true if
    /// the line continues.
    fn bundle(&mut self, at: usize, before: &[bool]) {
        if self.drawn.len() >= MOST || !self.drawn.insert(at) {
            return;
        }
        let Some(needing) = self.needing.get(at).copied() else { return };
        let front = self.front(before);
        let corner = if before.is_empty() { " " } else { self.either("└ ", "` ") };
        // The lines to this bundle end in the corner before its name.
        let cut = front.chars().count().saturating_sub(corner.chars().count());
        let front: String = front.chars().take(if before.is_empty() { 0 } else { cut }).collect();
        self.lines.push(vec![
            piece(format!("{front}{corner}"), Role::Rule),
            piece(needing.bundle.as_str(), Role::Active),
        ]);
        for (nth, need) in needing.needs.iter().enumerate() {
            let goes_on = nth + 1 < needing.needs.len();
            let below = self.below(need, before.len() + 1);
            self.need(need, before, goes_on, below.is_some());
            if let Some(below) = below {
                let before: Vec<bool> = before.iter().copied().chain([goes_on]).collect();
                self.bundle(below, &before);
            }
        }
    }

    /// Returns the index of the provider to draw below a dependency. `None` if it has no
    /// dependencies, is already drawn, or does not fit.
    fn below(&self, need: &Need, depth: usize) -> Option<usize> {
        let at = *self.places.get(sole(need)?)?;
        let has_room = self.columns >= 1 + depth * DEEPER + AROUND + NARROWEST;
        (has_room && self.drawn.len() < MOST && !self.drawn.contains(&at)).then_some(at)
    }

    fn front(&self, before: &[bool]) -> String {
        let line = |goes_on: &bool| if *goes_on { self.either("│   ", "|   ") } else { "    " };
        std::iter::once("  ").chain(before.iter().map(line)).collect()
    }

    fn need(&mut self, need: &Need, before: &[bool], goes_on: bool, has_below: bool) {
        let met = !need.by.is_empty();
        let (pen, role) = match (met, &need.unknown) {
            (true, _) => (if self.ascii { WHOLE_ASCII } else { WHOLE }, Role::Good),
            (false, Some(_)) => (if self.ascii { DOTS_ASCII } else { DOTS }, Role::Warning),
            (false, None) => (if self.ascii { DOTS_ASCII } else { DOTS }, Role::Error),
        };
        let front = self.front(before);
        let room = self.columns.saturating_sub(width(&front) + AROUND).max(NARROWEST / 2);
        let words = self.words(need, room);
        let inner = words.iter().map(|(line, _)| width(line)).max().unwrap_or(0).min(room);
        let trunk = |goes_on: bool| if goes_on { self.either("│ ", "| ") } else { "  " };
        let (down, branch) = (
            self.either("│ ", "| "),
            if goes_on { self.either("├─", "|-") } else { self.either("└─", "`-") },
        );
        let [left, right, left_below, right_below] = pen.corners;
        let edge = |left: &str, leave: Option<&str>, right: &str| {
            let first = leave.unwrap_or(pen.across);
            format!("{left}{}{first}{}{right}", pen.across, pen.across.repeat(inner))
        };
        let mut lines: Vec<Pieces> = Vec::with_capacity(words.len() + 2);
        lines.push(vec![piece(format!("{front}{down}"), Role::Rule), piece(edge(left, None, right), role)]);
        for (nth, (line, of)) in words.into_iter().enumerate() {
            let (lead, side) = if nth == 0 { (branch, pen.joint) } else { (trunk(goes_on), pen.down) };
            lines.push(vec![
                piece(format!("{front}{lead}"), Role::Rule),
                piece(format!("{side} "), role),
                piece(pad(&line, inner, self.ascii), of),
                piece(format!(" {}", pen.down), role),
            ]);
        }
        let leave = has_below.then_some(pen.leave);
        let edge = edge(left_below, leave, right_below);
        lines.push(vec![piece(format!("{front}{}", trunk(goes_on)), Role::Rule), piece(edge, role)]);
        self.lines.append(&mut lines);
    }

    /// Returns the text in a box, line by line.
    fn words(&self, need: &Need, room: usize) -> Vec<(String, Role)> {
        let mut words: Vec<(String, Role)> =
            wrap(&need.what, room).into_iter().map(|line| (line, Role::Text)).collect();
        let mut say = |mark: &str, what: &str, role: Role| {
            let folded = wrap(what, room.saturating_sub(2)).into_iter().enumerate();
            words.extend(folded.map(|(at, line)| {
                let mark = if at == 0 { mark } else { " " };
                (format!("{mark} {line}"), role)
            }));
        };
        for provider in &need.by {
            say(self.either("●", "*"), &provided(provider), Role::Dim);
        }
        if need.more > 0 {
            say(" ", &format!("and {} more", need.more), Role::Dim);
        }
        match (&need.unknown, &need.nearest) {
            (Some(unknown), _) => say("?", unknown, Role::Warning),
            (None, Some(nearest)) => {
                let words = format!("nothing satisfies it; {nearest}");
                say(self.either("✗", "x"), &words, Role::Error);
            }
            (None, None) if need.by.is_empty() => {
                say(self.either("✗", "x"), "nothing satisfies it", Role::Error);
            }
            (None, None) => {}
        }
        words
    }
}

/// Describes a provider and its origin.
fn provided(by: &Provider) -> String {
    match (&by.channel, &by.catalog) {
        (Some(channel), Some(catalog)) => format!("{} (channel {channel} of {catalog})", by.bundle),
        _ => format!("{} (installed)", by.bundle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(name: &str, needs: &[(&str, &[&str])]) -> Needing {
        let provider = |name: &&str| Provider {
            bundle: (*name).into(),
            package: "p".into(),
            channel: None,
            catalog: None,
        };
        let need = |(what, by): &(&str, &[&str])| Need {
            what: (*what).to_owned(),
            is_label: false,
            by: by.iter().map(provider).collect(),
            more: 0,
            nearest: None,
            unknown: None,
        };
        Needing { bundle: name.into(), needs: needs.iter().map(need).collect() }
    }

    fn drawn(all: &[Needing], columns: usize, ascii: bool) -> String {
        let mut lines = Vec::new();
        draw(all, columns, ascii, &mut lines);
        let line = |pieces: &Pieces| {
            let line: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            assert!(width(&line) <= columns, "{line}");
            format!("{}\n", line.trim_end())
        };
        lines.iter().map(line).collect()
    }

    const BOXES: &str = " beacon.v2
  │ ┌─────────────────────────┐
  ├─┤ package lamp in >=1.0.0 │
  │ │ ● lamp.v1 (installed)   │
  │ └─┬───────────────────────┘
  │ └ lamp.v1
  │   │ ┌─────────────────────────┐
  │   └─┤ API oil/v1 Oil          │
  │     │ ● tanker.v1 (installed) │
  │     └─────────────────────────┘
  │ ┌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┐
  └─┤ API sea/v1 Ship        ╎
    ╎ ✗ nothing satisfies it ╎
    └╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘
";

    const IN_ASCII: &str = " beacon.v2
  | +-------------------------+
  |-+ package lamp in >=1.0.0 |
  | | * lamp.v1 (installed)   |
  | +-+-----------------------+
  | ` lamp.v1
  |   | +-------------------------+
  |   `-+ API oil/v1 Oil          |
  |     | * tanker.v1 (installed) |
  |     +-------------------------+
  | ..........................
  `-: API sea/v1 Ship        :
    : x nothing satisfies it :
    ..........................
";

    #[test]
    fn provider_dependencies_are_drawn_below_the_provider() {
        let all = [
            bundle("lamp.v1", &[("API oil/v1 Oil", &["tanker.v1"])]),
            bundle("beacon.v2", &[("package lamp in >=1.0.0", &["lamp.v1"]), ("API sea/v1 Ship", &[])]),
            bundle("tanker.v1", &[]),
        ];
        assert_eq!(drawn(&all, 60, false), BOXES);
        assert_eq!(drawn(&all, 38, true), IN_ASCII);
    }

    #[test]
    fn cycles_end_and_long_chains_are_cut() {
        let all = [bundle("a.v1", &[("package b", &["b.v1"])]), bundle("b.v1", &[("package a", &["a.v1"])])];
        let picture = drawn(&all, 60, false);
        assert_eq!(picture.matches("package").count(), 2, "{picture}");
        let chain = |n: usize| {
            let next = format!("p{}", n + 1);
            bundle(&format!("p{n}"), &[("the next", &[next.as_str()])])
        };
        let picture = drawn(&(0..300).map(chain).collect::<Vec<_>>(), 80, false);
        assert!(picture.ends_with("and 200 more that need something\n"), "{picture}");
    }
}
