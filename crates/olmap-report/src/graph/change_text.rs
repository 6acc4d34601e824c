//! Changed part of a channel as text for a `diff` block: the drawing before and after, with a mark
//! at the start of each line.

use std::{collections::HashMap, fmt::Write as _, ops::Range};

use super::{ChangeMarks, WIDTH, wrap_note, write_legend};
use crate::{
    escape,
    layout::{FoldLine, Layout, Options, Row, draw_layout, legend::VisibleSigns},
};
use olm_catalog::BundleName;
use olm_check::review::diff::{ChangeKind, ChannelDiff};
use olm_upgrade::PackageGraph;

/// Maximum number of lines of one side.
const MAX_LINES: usize = 40;

/// Width of a line in columns; a wider block scrolls in a comment.
const LINE_WIDTH: usize = 100;

/// Maximum number of entries that are shown because they are a head or a dead end on one side only.
const MAX_NEW_STATES: usize = 12;

/// Sign of folded rows.
const FOLD_MARK: &str = "\u{22ee}";

/// Drawing of one side of a comparison.
struct Side<'a> {
    title: &'static str,
    picture: Layout,
    marks: ChangeMarks<'a>,
}

/// Changed part of a channel, before and after.
#[derive(Debug)]
pub struct ChangeDrawing {
    /// Lines for a `diff` block.
    pub lines: String,
    /// Signs that the lines contain.
    pub signs: VisibleSigns,
}

/// Draws the changed part of a channel before and after. `None` if a side does not have the
/// channel.
pub fn draw_channel_change(
    [before, after]: [&PackageGraph; 2],
    channel: &ChannelDiff,
) -> Option<ChangeDrawing> {
    let side = |title, package: &PackageGraph, other| {
        let upgrades = package.channel(channel.name.as_str())?;
        let picture = draw_layout(package, upgrades, &Options::for_page_width(WIDTH));
        Some(Side { title, picture, marks: ChangeMarks::for_side(channel, other) })
    };
    let mut before = side("before", before, ChangeKind::Added)?;
    let mut after = side("after", after, ChangeKind::Removed)?;
    let names = entries_with_new_state(&before.picture, &after.picture);
    for side in [&mut before, &mut after] {
        side.marks.new_states = names.iter().cloned().collect();
    }
    let mut out = String::new();
    let mut seen = VisibleSigns::default();
    for side in [&before, &after] {
        let lines = side.marks.fold_lines(&side.picture);
        let shown = lines.get(..MAX_LINES.min(lines.len())).unwrap_or_default();
        let rows = shown.iter().filter_map(|line| match line {
            FoldLine::Row(row) => side.picture.rows.get(*row),
            _ => None,
        });
        seen.add_cells(rows.flat_map(|row| &row.cells));
        seen.add_columns(&side.picture.columns);
        let mut page = Page { side, out: &mut out };
        page.write_side(shown);
        let rest: usize = lines.iter().skip(shown.len()).map(|line| line.row_range().len()).sum();
        if rest > 0 {
            let _ = writeln!(page.out, "  and {rest} more below: olmap graph draws them");
        }
    }
    Some(ChangeDrawing { lines: out, signs: seen })
}

/// Renders the legend for the lines of a `diff` block.
pub fn render_change_legend(signs: &VisibleSigns) -> String {
    let mut legend = String::new();
    write_legend(signs, false, &mut legend, false);
    let mut out = String::from("@@ signs @@\n");
    let _ = writeln!(out, "  {FOLD_MARK} versions that are not drawn");
    for line in legend.lines() {
        let _ = writeln!(out, "  {line}");
    }
    out
}

/// Returns entries of both sides that are a head or a dead end on one side only, or a head with
/// another note. Empty if there are too many to show.
fn entries_with_new_state(before: &Layout, after: &Layout) -> Vec<BundleName> {
    let state = |row: &Row| (row.marks.head, row.marks.dead_end);
    let old: HashMap<&BundleName, &Row> = before.rows.iter().map(|row| (&row.name, row)).collect();
    let differs = |row: &&Row| {
        old.get(&row.name)
            .is_some_and(|old| state(old) != state(row) || (row.marks.head && old.note != row.note))
    };
    let names: Vec<BundleName> = after.rows.iter().filter(differs).map(|row| row.name.clone()).collect();
    if names.len() > MAX_NEW_STATES { Vec::new() } else { names }
}

/// Writer of one side.
struct Page<'a, 'o> {
    side: &'a Side<'a>,
    out: &'o mut String,
}

impl Page<'_, '_> {
    fn write_side(&mut self, lines: &[FoldLine]) {
        let picture = &self.side.picture;
        let heads: Vec<&str> =
            picture.rows.iter().filter(|row| row.marks.head).map(|row| row.version.as_str()).collect();
        let words = match heads.as_slice() {
            [] => "no head".to_owned(),
            [head] => format!("head {head}"),
            heads => format!("{} heads", heads.len()),
        };
        let _ = writeln!(self.out, "@@ {}: {} @@", self.side.title, escape::escape_line(&words));
        let spans: Vec<String> = lines.iter().map(|line| self.version_span(line)).collect();
        let rows = lines.iter().zip(&spans).filter(|(line, _)| matches!(line, FoldLine::Row(_)));
        let widest = rows.map(|(_, span)| escape::count_columns(span)).max().unwrap_or(0);
        for (line, span) in lines.iter().zip(&spans) {
            match line {
                FoldLine::Row(row) => self.write_row(*row, span, widest),
                FoldLine::Alike(rows) | FoldLine::NotFound(rows) | FoldLine::BelowFloor(rows) => {
                    self.write_folded_rows(rows, span);
                }
                FoldLine::Removed { .. } => {}
            }
        }
    }

    /// Returns the version of a row, or the first and last version of folded rows.
    fn version_span(&self, line: &FoldLine) -> String {
        let rows = line.row_range();
        let version = |at: usize| self.side.picture.rows.get(at).map_or("", |row| row.version.as_str());
        let span = match rows.len() {
            0 | 1 => version(rows.start).to_owned(),
            count => format!("{} to {} ({count})", version(rows.start), version(rows.end - 1)),
        };
        escape::escape_line(&span).into_owned()
    }

    fn write_row(&mut self, at: usize, version: &str, widest: usize) {
        let picture = &self.side.picture;
        let Some(row) = picture.rows.get(at) else { return };
        let mark = match self.side.marks.changes.get(&row.name) {
            // A `diff` block highlights `!` as a changed line.
            Some(ChangeKind::Changed) => '!',
            Some(kind) => kind.diff_mark(),
            None if self.side.marks.new_states.contains(&row.name) => '!',
            None => ' ',
        };
        let indent = 2 + picture.width() + 2;
        let notes = wrap_note(&row.note, LINE_WIDTH.saturating_sub(indent + widest + 2).max(super::MIN_NOTE));
        let padding = widest.saturating_sub(escape::count_columns(version));
        let hidden = if row.hidden.total() > 0 {
            format!("  (+{} edges not drawn)", row.hidden.total())
        } else {
            String::new()
        };
        let cells: Vec<&str> = row.cells.iter().map(|cell| cell.glyph.unicode()).collect();
        let below: Vec<&str> = row.cells.iter().map(|cell| cell.glyph.continuation().unicode()).collect();
        let first = notes.first().map(String::as_str).unwrap_or_default();
        self.write_line(mark, &cells, &format!("{version}{:padding$}  {first}{hidden}", ""));
        for more in notes.iter().skip(1) {
            let beside = format!("{:widest$}  {more}", "");
            self.write_line(mark, &below, &beside);
        }
    }

    /// Writes folded rows as one line; vertical lines continue through it.
    fn write_folded_rows(&mut self, rows: &Range<usize>, span: &str) {
        let picture = &self.side.picture;
        let Some(row) = picture.rows.get(rows.start) else { return };
        let glyph = |column: usize| {
            if column == picture.columns.node {
                FOLD_MARK
            } else {
                picture.folded_glyph(rows, column).unicode()
            }
        };
        let cells: Vec<&str> = (0..row.cells.len()).map(glyph).collect();
        self.write_line(' ', &cells, span);
    }

    fn write_line(&mut self, mark: char, cells: &[&str], beside: &str) {
        let line = format!("{mark} {}  {beside}", cells.concat());
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_catalog::load;
    use olm_check::review::{Snapshot, diff::Difference};

    /// Returns a package with a channel of ten versions. `removed` does not exist, and the next
    /// version replaces the one below it.
    fn ship_catalog(removed: Option<u32>) -> Snapshot {
        let mut text = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                        package: ship\nname: stable\nentries:\n"
            .to_owned();
        let versions: Vec<u32> = (0..10).filter(|version| Some(*version) != removed).collect();
        for (nth, version) in versions.iter().enumerate() {
            let _ = writeln!(text, "- name: ship.v1.{version}.0");
            if let Some(below) = nth.checked_sub(1).and_then(|below| versions.get(below)) {
                let _ = writeln!(text, "  replaces: ship.v1.{below}.0");
            }
        }
        for version in versions {
            let _ = write!(
                text,
                "---\nschema: olm.bundle\npackage: ship\nname: ship.v1.{version}.0\nimage: e/ship:{version}\n\
                 properties: [{{type: olm.package, value: {{packageName: ship, version: 1.{version}.0}}}}]\n"
            );
        }
        Snapshot::new(load::from_bytes(text.into_bytes()))
    }

    #[test]
    fn removed_entry_is_marked_before_and_others_are_folded() {
        let difference = Difference::compare_catalogs(&ship_catalog(None), &ship_catalog(Some(7)));
        let [before, after] =
            [difference.before(), difference.after()].map(|side| side.package("ship").unwrap());
        let channel = &difference.packages[0].channels[0];
        let drawing = draw_channel_change([&before.graph, &after.graph], channel).unwrap();
        let expected = "\
@@ before: head 1.9.0 @@
  ●─╮  1.9.0  HEAD
! ●─┤  1.8.0
- ●─┤  1.7.0
  ●─┤  1.6.0
  ⋮ │  1.5.0 to 1.0.0 (6)
@@ after: head 1.9.0 @@
  ●─╮  1.9.0  HEAD
! ●─┤  1.8.0
  ●─┤  1.6.0
  ⋮ │  1.5.0 to 1.0.0 (6)
";
        assert_eq!(drawing.lines, expected);
        assert!(render_change_legend(&drawing.signs).contains("replaces the next row"));
    }
}
