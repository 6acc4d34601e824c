//! Decodes edges from the Unicode glyphs of a picture, to prove that pictures are unambiguous.

use std::collections::BTreeSet;

use super::Layout;
use olm_upgrade::EdgeKind;

/// Start row, target row, kind, and true if Classic ignores it.
pub(super) type DecodedEdge = (usize, usize, EdgeKind, bool);

/// Returns the sides on which the line of a glyph continues: up, right, down, left. A dotted vertical line has two of them.
fn glyph_arms(glyph: &str) -> [bool; 4] {
    let order = " ╵╶╰╷│╭├╴╯─┴╮┤┬┼";
    let glyph = if glyph == "┊" { "│" } else { glyph };
    let bits = order.chars().position(|c| glyph.starts_with(c)).unwrap_or(0);
    [1, 2, 4, 8].map(|bit| bits & bit > 0)
}

pub(super) fn decode_edges(picture: &Layout) -> BTreeSet<DecodedEdge> {
    let glyphs: Vec<Vec<&str>> =
        picture.rows.iter().map(|r| r.cells.iter().map(|c| c.glyph.unicode()).collect()).collect();
    let mut seen = BTreeSet::new();
    let columns = &picture.columns;
    for lane in (columns.skips.clone()).rev().skip(1).step_by(2) {
        decode_combs(&glyphs, lane, lane + 1, &mut seen);
    }
    for lane in columns.ranges.clone().skip(2).step_by(2) {
        decode_combs(&glyphs, lane, lane - 1, &mut seen);
    }
    for lane in columns.spine.clone().skip(1).step_by(2) {
        decode_spine(&glyphs, lane, &mut seen);
    }
    seen
}

fn decode_combs(glyphs: &[Vec<&str>], lane: usize, beside: usize, seen: &mut BTreeSet<DecodedEdge>) {
    let is_range = beside < lane;
    let mut row = 0;
    while row < glyphs.len() {
        let top = row;
        while glyph_arms(glyphs[row][lane])[2] {
            row += 1;
            assert!(glyph_arms(glyphs[row][lane])[0], "a line breaks off");
        }
        let rows = top..row + 1;
        row += 1;
        let tips: Vec<usize> = rows.clone().filter(|&r| matches!(glyphs[r][beside], "▸" | "◂")).collect();
        let teeth: Vec<usize> =
            rows.clone().filter(|&r| matches!(glyphs[r][beside], "─" | "╌" | "✗")).collect();
        let dead = rows.clone().any(|r| glyphs[r][beside] == "✗");
        let kind = if is_range { EdgeKind::SkipRange } else { EdgeKind::Skips };
        for &to in &tips {
            for from in rows.clone().filter(|&from| from != to) {
                let is_held = match (tips.len(), is_range || dead) {
                    (1, _) | (_, false) => teeth.contains(&from),
                    (_, true) => from > to && (teeth.contains(&from) || tips.contains(&from)),
                };
                if is_held {
                    seen.insert((from, to, kind, dead));
                }
            }
        }
    }
}

pub(super) fn decode_spine(glyphs: &[Vec<&str>], lane: usize, seen: &mut BTreeSet<DecodedEdge>) {
    for upper in 0..glyphs.len() {
        let [_, _, down, joined] = glyph_arms(glyphs[upper][lane]);
        if !(down && joined) {
            continue;
        }
        let mut lower = upper + 1;
        while !glyph_arms(glyphs[lower][lane])[3] {
            assert_eq!(glyphs[lower][lane], "│", "a line breaks off");
            lower += 1;
        }
        assert!(glyph_arms(glyphs[lower][lane])[0], "a line breaks off");
        let points_down = glyphs[lower][lane - 1] == "◂";
        let (from, to) = if points_down { (upper, lower) } else { (lower, upper) };
        let dead = glyphs[from][lane - 1] == "✗";
        seen.insert((from, to, EdgeKind::Replaces, dead));
    }
}
