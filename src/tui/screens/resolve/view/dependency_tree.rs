//! Drawing of the dependencies between bundles.
//!
//! Below each bundle are its dependencies: a package or API in a box, together with its providers.
//! If the provider has dependencies itself, they follow below the box. The border of a satisfied
//! dependency is solid, that of an unmet one is dotted. A shared dependency is drawn
//! below the first bundle that needs it.

use std::collections::{HashMap, HashSet};

use crate::tui::widgets::{
    canvas::{Line, display_width, pad, piece, wrap_text},
    theme::Ink,
};
use olm_upgrade::resolve::needs::{BundleNeeds, Need, Provider};

/// Maximum number of bundles.
const MAX_BUNDLES: usize = 100;
/// Minimum columns of a box. If fewer are left, the provider is drawn at the left edge instead.
const MIN_BOX_COLUMNS: usize = 24;
/// Columns of the lines that lead to a box and of its borders.
const FRAME_COLUMNS: usize = 6;
/// Indentation of a provider relative to the bundle that depends on it.
const INDENT: usize = 4;

/// Draws the bundles that have dependencies.
pub fn draw_dependency_trees(all: &[BundleNeeds], columns: usize, ascii: bool, lines: &mut Vec<Line>) {
    let needing: Vec<&BundleNeeds> = all.iter().filter(|needing| !needing.needs.is_empty()).collect();
    let places = needing.iter().enumerate().map(|(at, of)| (of.bundle.as_str(), at)).collect();
    let mut drawing = TreeDrawing { needing, indexes: places, drawn: HashSet::new(), columns, ascii, lines };
    // Bundles that no other depends on come first; only cycles remain after them.
    let sole_providers: HashSet<&str> = drawing
        .needing
        .iter()
        .flat_map(|of| of.needs.iter().filter_map(|need| Some((of.bundle.as_str(), only_provider(need)?))))
        .filter(|(of, by)| of != by)
        .map(|(_, by)| by)
        .collect();
    let is_first =
        |at: &usize| drawing.needing.get(*at).is_some_and(|of| !sole_providers.contains(of.bundle.as_str()));
    let (first, last): (Vec<usize>, Vec<usize>) = (0..drawing.needing.len()).partition(is_first);
    for at in first.into_iter().chain(last) {
        drawing.draw_bundle_tree(at, &[]);
    }
    let left = drawing.needing.len() - drawing.drawn.len();
    if left > 0 {
        lines.push(vec![piece(format!(" and {left} more that need something"), Ink::Dim)]);
    }
}

/// Returns the only provider of a dependency; `None` if there are several or none.
fn only_provider(need: &Need) -> Option<&str> {
    match need.providers.as_slice() {
        [only] if need.more_providers == 0 => Some(only.bundle.as_str()),
        _ => None,
    }
}

struct TreeDrawing<'a, 'l> {
    needing: Vec<&'a BundleNeeds>,
    indexes: HashMap<&'a str, usize>,
    drawn: HashSet<usize>,
    columns: usize,
    ascii: bool,
    lines: &'l mut Vec<Line>,
}

/// Characters for drawing a box.
struct BoxStyle {
    across: &'static str,
    down: &'static str,
    corners: [&'static str; 4],
    /// Joint of the line from the left and the box.
    joint: &'static str,
    /// Joint of the box and the line to the provider.
    leave: &'static str,
}

const SOLID: BoxStyle =
    BoxStyle {
        across: "─", down: "│", corners: ["┌", "┐", "└", "┘"], joint: "┤", leave: "┬"
    };
const DOTTED: BoxStyle =
    BoxStyle {
        across: "╌", down: "╎", corners: ["┌", "┐", "└", "┘"], joint: "┤", leave: "┬"
    };
const SOLID_ASCII: BoxStyle = BoxStyle { across: "-", down: "|", corners: ["+"; 4], joint: "+", leave: "+" };
const DOTTED_ASCII: BoxStyle = BoxStyle { across: ".", down: ":", corners: ["."; 4], joint: ":", leave: "." };

impl TreeDrawing<'_, '_> {
    fn unicode_or_ascii(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    /// Draws a bundle and its dependencies. `before` holds one element per enclosing line: true if
    /// the line continues.
    fn draw_bundle_tree(&mut self, at: usize, before: &[bool]) {
        if self.drawn.len() >= MAX_BUNDLES || !self.drawn.insert(at) {
            return;
        }
        let Some(needing) = self.needing.get(at).copied() else { return };
        let front = self.line_prefix(before);
        let corner = if before.is_empty() { " " } else { self.unicode_or_ascii("└ ", "` ") };
        // The lines to this bundle end in the corner before its name.
        let cut = front.chars().count().saturating_sub(corner.chars().count());
        let front: String = front.chars().take(if before.is_empty() { 0 } else { cut }).collect();
        self.lines.push(vec![
            piece(format!("{front}{corner}"), Ink::Rule),
            piece(needing.bundle.as_str(), Ink::Active),
        ]);
        for (nth, need) in needing.needs.iter().enumerate() {
            let goes_on = nth + 1 < needing.needs.len();
            let below = self.index_below(need, before.len() + 1);
            self.draw_need_box(need, before, goes_on, below.is_some());
            if let Some(below) = below {
                let before: Vec<bool> = before.iter().copied().chain([goes_on]).collect();
                self.draw_bundle_tree(below, &before);
            }
        }
    }

    /// Returns the index of the provider to draw below a dependency. `None` if it has no
    /// dependencies, is already drawn, or does not fit.
    fn index_below(&self, need: &Need, depth: usize) -> Option<usize> {
        let at = *self.indexes.get(only_provider(need)?)?;
        let has_room = self.columns >= 1 + depth * INDENT + FRAME_COLUMNS + MIN_BOX_COLUMNS;
        (has_room && self.drawn.len() < MAX_BUNDLES && !self.drawn.contains(&at)).then_some(at)
    }

    fn line_prefix(&self, before: &[bool]) -> String {
        let line = |goes_on: &bool| if *goes_on { self.unicode_or_ascii("│   ", "|   ") } else { "    " };
        std::iter::once("  ").chain(before.iter().map(line)).collect()
    }

    fn draw_need_box(&mut self, need: &Need, before: &[bool], goes_on: bool, has_below: bool) {
        let met = !need.providers.is_empty();
        let (style, ink) = match (met, &need.unknown_reason) {
            (true, _) => (if self.ascii { SOLID_ASCII } else { SOLID }, Ink::Good),
            (false, Some(_)) => (if self.ascii { DOTTED_ASCII } else { DOTTED }, Ink::Warning),
            (false, None) => (if self.ascii { DOTTED_ASCII } else { DOTTED }, Ink::Error),
        };
        let front = self.line_prefix(before);
        let room =
            self.columns.saturating_sub(display_width(&front) + FRAME_COLUMNS).max(MIN_BOX_COLUMNS / 2);
        let words = self.need_text_lines(need, room);
        let inner = words.iter().map(|(line, _)| display_width(line)).max().unwrap_or(0).min(room);
        let trunk = |goes_on: bool| if goes_on { self.unicode_or_ascii("│ ", "| ") } else { "  " };
        let (down, branch) = (
            self.unicode_or_ascii("│ ", "| "),
            if goes_on {
                self.unicode_or_ascii("├─", "|-")
            } else {
                self.unicode_or_ascii("└─", "`-")
            },
        );
        let [left, right, left_below, right_below] = style.corners;
        let edge = |left: &str, leave: Option<&str>, right: &str| {
            let first = leave.unwrap_or(style.across);
            format!("{left}{}{first}{}{right}", style.across, style.across.repeat(inner))
        };
        let mut lines: Vec<Line> = Vec::with_capacity(words.len() + 2);
        lines.push(vec![piece(format!("{front}{down}"), Ink::Rule), piece(edge(left, None, right), ink)]);
        for (nth, (line, of)) in words.into_iter().enumerate() {
            let (lead, side) = if nth == 0 { (branch, style.joint) } else { (trunk(goes_on), style.down) };
            lines.push(vec![
                piece(format!("{front}{lead}"), Ink::Rule),
                piece(format!("{side} "), ink),
                piece(pad(&line, inner, self.ascii), of),
                piece(format!(" {}", style.down), ink),
            ]);
        }
        let leave = has_below.then_some(style.leave);
        let edge = edge(left_below, leave, right_below);
        lines.push(vec![piece(format!("{front}{}", trunk(goes_on)), Ink::Rule), piece(edge, ink)]);
        self.lines.append(&mut lines);
    }

    /// Returns the text in a box, line by line.
    fn need_text_lines(&self, need: &Need, room: usize) -> Vec<(String, Ink)> {
        let mut words: Vec<(String, Ink)> =
            wrap_text(&need.description, room).into_iter().map(|line| (line, Ink::Text)).collect();
        let mut push_marked = |mark: &str, what: &str, ink: Ink| {
            let folded = wrap_text(what, room.saturating_sub(2)).into_iter().enumerate();
            words.extend(folded.map(|(at, line)| {
                let mark = if at == 0 { mark } else { " " };
                (format!("{mark} {line}"), ink)
            }));
        };
        for provider in &need.providers {
            push_marked(self.unicode_or_ascii("●", "*"), &describe_provider(provider), Ink::Dim);
        }
        if need.more_providers > 0 {
            push_marked(" ", &format!("and {} more", need.more_providers), Ink::Dim);
        }
        match (&need.unknown_reason, &need.suggestion) {
            (Some(unknown), _) => push_marked("?", unknown, Ink::Warning),
            (None, Some(nearest)) => {
                let words = format!("nothing satisfies it; {nearest}");
                push_marked(self.unicode_or_ascii("✗", "x"), &words, Ink::Error);
            }
            (None, None) if need.providers.is_empty() => {
                push_marked(self.unicode_or_ascii("✗", "x"), "nothing satisfies it", Ink::Error);
            }
            (None, None) => {}
        }
        words
    }
}

/// Describes a provider and its origin.
fn describe_provider(by: &Provider) -> String {
    match (&by.channel, &by.catalog) {
        (Some(channel), Some(catalog)) => format!("{} (channel {channel} of {catalog})", by.bundle),
        _ => format!("{} (installed)", by.bundle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_needing(name: &str, needs: &[(&str, &[&str])]) -> BundleNeeds {
        let provider = |name: &&str| Provider {
            bundle: (*name).into(),
            package: "p".into(),
            channel: None,
            catalog: None,
        };
        let need = |(what, by): &(&str, &[&str])| Need {
            description: (*what).to_owned(),
            is_label: false,
            providers: by.iter().map(provider).collect(),
            more_providers: 0,
            suggestion: None,
            unknown_reason: None,
        };
        BundleNeeds { bundle: name.into(), needs: needs.iter().map(need).collect() }
    }

    fn draw_sample_trees(all: &[BundleNeeds], columns: usize, ascii: bool) -> String {
        let mut lines = Vec::new();
        draw_dependency_trees(all, columns, ascii, &mut lines);
        let line = |pieces: &Line| {
            let line: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            assert!(display_width(&line) <= columns, "{line}");
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
            sample_needing("lamp.v1", &[("API oil/v1 Oil", &["tanker.v1"])]),
            sample_needing(
                "beacon.v2",
                &[("package lamp in >=1.0.0", &["lamp.v1"]), ("API sea/v1 Ship", &[])],
            ),
            sample_needing("tanker.v1", &[]),
        ];
        assert_eq!(draw_sample_trees(&all, 60, false), BOXES);
        assert_eq!(draw_sample_trees(&all, 38, true), IN_ASCII);
    }

    #[test]
    fn cycles_end_and_long_chains_are_cut() {
        let all = [
            sample_needing("a.v1", &[("package b", &["b.v1"])]),
            sample_needing("b.v1", &[("package a", &["a.v1"])]),
        ];
        let picture = draw_sample_trees(&all, 60, false);
        assert_eq!(picture.matches("package").count(), 2, "{picture}");
        let chain = |n: usize| {
            let next = format!("p{}", n + 1);
            sample_needing(&format!("p{n}"), &[("the next", &[next.as_str()])])
        };
        let picture = draw_sample_trees(&(0..300).map(chain).collect::<Vec<_>>(), 80, false);
        assert!(picture.ends_with("and 200 more that need something\n"), "{picture}");
    }
}
