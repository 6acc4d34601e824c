//! Folding: the visible rows of a picture, and lines that replace the hidden ones.

use std::ops::Range;

use super::{
    channel::{Layout, Marks, Row},
    glyph::{Arms, Glyph},
    paths::{PathStop, RowStops},
};

/// Line of the folded picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldLine {
    /// Single row.
    Row(usize),
    /// Rows that look the same, with the same note or none.
    Alike(Range<usize>),
    /// Rows that the search did not find.
    NotFound(Range<usize>),
    /// Rows below the lowest version to show.
    BelowFloor(Range<usize>),
    /// Bundle that left the channel; it does not have a row. See [`Layout::with_removed`].
    Removed {
        /// Row above which the line is; the number of rows if it is below all of them.
        above: usize,
        /// Number of the bundle, as the caller passed it.
        number: usize,
    },
}

impl FoldLine {
    /// Returns the rows that the line represents.
    pub fn row_range(&self) -> Range<usize> {
        match self {
            Self::Row(row) => *row..row + 1,
            Self::Alike(rows) | Self::NotFound(rows) | Self::BelowFloor(rows) => rows.clone(),
            Self::Removed { above, .. } => *above..*above,
        }
    }
}

/// Lowest version to show; missing numbers are 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Floor([u64; 3]);

impl Floor {
    /// Parses `4`, `4.16` or `4.16.3`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut numbers = [0; 3];
        for (index, slot) in numbers.iter_mut().enumerate() {
            match parts.next() {
                Some(part) => *slot = part.parse().ok()?,
                None if index > 0 => {}
                None => return None,
            }
        }
        parts.next().is_none().then_some(Self(numbers))
    }

    /// Returns true if a version is lower than the floor, so that it is hidden. False for
    /// pre-releases of the floor (4.16 includes its candidates) and for invalid versions.
    pub fn excludes(self, version: &str) -> bool {
        let numbers = version.split(['-', '+']).next().unwrap_or_default();
        Self::parse(numbers).is_some_and(|version| version < self)
    }
}

impl std::fmt::Display for Floor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self([major, minor, patch]) = self;
        match patch {
            0 => write!(f, "{major}.{minor}"),
            patch => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

/// Options of the folding.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldOptions<'a> {
    /// True to fold unremarkable rows; with a search, to fold all rows that it did not find.
    pub fold_alike: bool,
    /// True to fold rows below a row with the same note, for example the same reason why they are
    /// stuck. Included in `fold_alike`.
    pub fold_repeated_notes: bool,
    /// Rows that the search found, in order.
    pub matches: Option<&'a [usize]>,
    /// Lowest version to show.
    pub floor: Option<Floor>,
}

/// Minimum number of rows in a fold; shorter runs are shown.
const MIN_FOLDED_ROWS: usize = 3;

impl Layout {
    /// Returns the visible lines from top to bottom; together they represent every row once. The
    /// selected row and the ends of its upgrade paths are always visible.
    pub fn fold_lines(&self, fold: FoldOptions<'_>) -> Vec<FoldLine> {
        let count = self.rows.len();
        let below = |row: &Row| fold.floor.is_some_and(|floor| floor.excludes(&row.version));
        let mut lines = Vec::with_capacity(count);
        let alike_runs = match fold.matches {
            None if fold.fold_alike || fold.fold_repeated_notes => {
                self.find_alike_runs(MIN_FOLDED_ROWS, !fold.fold_alike)
            }
            _ => Vec::new(),
        };
        let mut dull = alike_runs.into_iter().peekable();
        let mut at = 0;
        while let Some(row) = self.rows.get(at) {
            while dull.next_if(|run| run.end <= at).is_some() {}
            let is_below = |row: &Row| below(row) && !row.relation.selected;
            let run = |holds: &dyn Fn(usize, &Row) -> bool| {
                let rest = self.rows.iter().enumerate().skip(at);
                at..at + rest.take_while(|(index, row)| holds(*index, row)).count()
            };
            let line = if is_below(row) {
                FoldLine::BelowFloor(run(&|_, row| is_below(row)))
            } else if let (true, Some(found)) = (fold.fold_alike, fold.matches) {
                let unfound =
                    |index: usize, row: &Row| !row.relation.selected && found.binary_search(&index).is_err();
                match run(&|index, row| unfound(index, row) && !below(row)) {
                    rows if rows.is_empty() => FoldLine::Row(at),
                    rows => FoldLine::NotFound(rows),
                }
            } else {
                match dull.peek().filter(|run| run.start <= at) {
                    Some(dull) => {
                        let rows = run(&|index, row| index < dull.end && !below(row));
                        if rows.len() < MIN_FOLDED_ROWS { FoldLine::Row(at) } else { FoldLine::Alike(rows) }
                    }
                    None => FoldLine::Row(at),
                }
            };
            at = line.row_range().end.max(at + 1);
            lines.push(line);
        }
        lines
    }

    /// Returns the glyph of a column in the line for folded rows. Lines that come from above or go
    /// on below are drawn through it.
    pub fn folded_glyph(&self, rows: &Range<usize>, column: usize) -> Glyph {
        let cell = |row: Option<&Row>| row.and_then(|row| row.cells.get(column)).map(|cell| cell.glyph);
        let first = cell(self.rows.get(rows.start)).unwrap_or_default();
        let last = cell(rows.end.checked_sub(1).and_then(|last| self.rows.get(last))).unwrap_or_default();
        match first {
            Glyph::Line(arms) if arms.up => Glyph::Line(Arms::VERTICAL),
            Glyph::Dotted(arms) if arms.up => Glyph::Dotted(Arms::VERTICAL),
            _ => last.continuation(),
        }
    }

    /// Returns runs of at least `at_least` rows that look the same, with the same note or none. The
    /// first row with a note is not part of its run, so that the note stays visible. With
    /// `only_notes`, rows without a note are not folded.
    fn find_alike_runs(&self, at_least: usize, only_notes: bool) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        for end in 1..=self.rows.len() {
            let goes_on = self.rows.get(start).zip(self.rows.get(end)).is_some_and(|(first, next)| {
                let glyphs = |row: &Row| row.cells.iter().map(|c| c.glyph).collect::<Vec<_>>();
                first.is_unremarkable()
                    && next.is_unremarkable()
                    && first.has_same_note(next)
                    && glyphs(first) == glyphs(next)
            });
            if !goes_on {
                if let Some(first) = self.rows.get(start).filter(|row| row.is_unremarkable()) {
                    let has_note = !first.note.is_empty();
                    let run = start + usize::from(has_note)..end;
                    if run.len() >= at_least && (has_note || !only_notes) {
                        runs.push(run);
                    }
                }
                start = end;
            }
        }
        runs
    }
}

impl Row {
    /// Returns true if both rows have the same note: none, skipped by the same entry, not an entry of
    /// the channel, or stuck for the same reason.
    fn has_same_note(&self, other: &Self) -> bool {
        let known = |row: &Self| {
            let Marks { skipped_by, dangling, stuck, .. } = &row.marks;
            row.note.is_empty() || skipped_by.is_some() || *dangling || stuck.is_some()
        };
        let Marks { skipped_by, dangling, stuck, .. } = &self.marks;
        known(self)
            && known(other)
            && *skipped_by == other.marks.skipped_by
            && *dangling == other.marks.dangling
            && *stuck == other.marks.stuck
            && (!dangling && stuck.is_none() || self.note == other.note)
    }

    /// Returns true if a fold may hide the row. Edges and paths that pass the row are marked on the
    /// line of the fold. The end of a path and the row where two paths diverge stay visible.
    fn is_unremarkable(&self) -> bool {
        let goes_on = |stop: Option<PathStop>| {
            stop.is_none_or(|stop| matches!(stop, PathStop::Passes | PathStop::Lands))
        };
        let RowStops { classic, v1 } = self.stops;
        !self.marks.has_problem()
            && !self.marks.head
            && self.hidden.total() == 0
            && !self.relation.selected
            && goes_on(classic)
            && goes_on(v1)
            && (classic == Some(PathStop::Lands)) == (v1 == Some(PathStop::Lands))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::{Options, draw_layout, fixture};

    /// Creates the rows 1.9.0 to 1.0.0, each replacing the next. 1.5.0 is skipped, so 1.4.0 is a dead end.
    fn sample_with_dead_end() -> Layout {
        sample_that_skips("1.5.0")
    }

    fn sample_that_skips(version: &str) -> Layout {
        let mut lines = format!("1.9.0 replaces=1.8.0 skips={version}\n");
        (1..9).rev().for_each(|n| lines += &format!("1.{n}.0 replaces=1.{}.0\n", n - 1));
        let package = fixture::graph_from_lines(&(lines + "1.0.0"));
        draw_layout(&package, &package.channels()[0], &Options::default())
    }

    #[test]
    fn folds_runs_of_rows_that_look_the_same() {
        let picture = sample_with_dead_end();
        let versions: Vec<_> = picture.rows.iter().map(|r| r.version.as_str()).collect();
        assert_eq!(versions[4..7], ["1.5.0", "1.4.0", "1.3.0"]);
        let lines = picture.fold_lines(FoldOptions { fold_alike: true, ..FoldOptions::default() });
        // 1.4.0 is a dead end. Too few versions below it are stuck for the same reason.
        let mut expected = vec![FoldLine::Row(0), FoldLine::Alike(1..4)];
        expected.extend((4..10).map(FoldLine::Row));
        assert_eq!(lines, expected);
        assert_eq!(
            picture.fold_lines(FoldOptions::default()),
            (0..10).map(FoldLine::Row).collect::<Vec<_>>()
        );
    }

    #[test]
    fn folds_rows_that_are_stuck_for_the_reason_of_the_row_above() {
        let picture = sample_that_skips("1.7.0");
        // 1.6.0 is a dead end. 1.5.0 says why it and the versions below it are stuck.
        let lines = picture.fold_lines(FoldOptions { fold_repeated_notes: true, ..FoldOptions::default() });
        let mut expected: Vec<FoldLine> = (0..5).map(FoldLine::Row).collect();
        expected.extend([FoldLine::Alike(5..9), FoldLine::Row(9)]);
        assert_eq!(lines, expected, "rows without a note stay visible");
    }

    #[test]
    fn floor_hides_lower_versions_and_search_hides_other_rows() {
        let picture = sample_with_dead_end();
        let floor = Floor::parse("1.7");
        assert_eq!(
            picture.fold_lines(FoldOptions { floor, ..FoldOptions::default() }),
            [FoldLine::Row(0), FoldLine::Row(1), FoldLine::Row(2), FoldLine::BelowFloor(3..10)]
        );
        let found = [0, 5];
        assert_eq!(
            picture.fold_lines(FoldOptions {
                matches: Some(&found),
                fold_alike: true,
                floor,
                ..FoldOptions::default()
            }),
            [FoldLine::Row(0), FoldLine::NotFound(1..3), FoldLine::BelowFloor(3..10)]
        );
    }

    #[test]
    fn floor_may_be_short_and_includes_its_candidates() {
        let floor = Floor::parse("4.16").unwrap();
        assert!(floor.excludes("4.15.9") && floor.excludes("3.99.0+1"));
        assert!(!floor.excludes("4.16.0-rc.1") && !floor.excludes("5.0.0") && !floor.excludes("nightly"));
        assert_eq!(floor.to_string(), "4.16");
        for wrong in ["", "4.", "v4", "4.16.0.1", "4.16.x", "99999999999999999999"] {
            assert_eq!(Floor::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn lines_represent_every_row_once(
            dull: bool,
            floor in prop::option::of(0_u64..12),
            found in prop::option::of(prop::collection::btree_set(0_usize..10, 0..10)),
            selected in prop::option::of(0_usize..10),
        ) {
            let mut picture = sample_with_dead_end();
            if let Some(row) = selected {
                picture.rows[row].relation.selected = true;
            }
            let found: Option<Vec<usize>> = found.map(|found| found.into_iter().collect());
            let floor = floor.map(|minor| Floor([1, minor, 0]));
            let lines = picture.fold_lines(FoldOptions { fold_alike: dull, fold_repeated_notes: !dull, matches: found.as_deref(), floor });
            let rows: Vec<usize> = lines.iter().flat_map(FoldLine::row_range).collect();
            prop_assert_eq!(rows, (0..10).collect::<Vec<_>>());
            if let Some(row) = selected {
                prop_assert!(lines.contains(&FoldLine::Row(row)), "the selected row is always seen");
            }
        }
    }
}
