//! Changed entries of a channel, and the rows that a drawing of one side shows.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::layout::{FoldLine, FoldOptions, Layout};
use olm_catalog::BundleName;
use olm_check::review::diff::{ChangeKind, ChannelDiff};
use olm_upgrade::EdgeKind;

/// Number of rows shown above and below a changed row.
const CONTEXT_ROWS: usize = 1;

/// Maximum number of covered entries that are shown if only the coverage of ranges differs.
const MAX_COVERED_ENTRIES: usize = 12;

/// Changed entries of a channel. Rows are folded unless they are changed, near a change, or the
/// head.
#[derive(Clone, Debug, Default)]
pub struct ChangeMarks<'a> {
    /// Changes of entries.
    pub changes: HashMap<&'a BundleName, ChangeKind>,
    /// Additional entries that are shown.
    pub near: HashSet<&'a BundleName>,
    /// Unchanged entries that are a head or a dead end on one side only.
    pub new_states: HashSet<BundleName>,
}

impl<'a> ChangeMarks<'a> {
    /// Returns the marks for one side of a comparison. Entries with the change `other` do not exist
    /// on this side.
    ///
    /// The ends of changed `replaces` and `skips` are shown. A skipRange is one line along the rows
    /// it includes, so these stay folded.
    pub fn for_side(channel: &'a ChannelDiff, other: ChangeKind) -> Self {
        let entries = channel.entries.iter().map(|entry| (&entry.name, entry.change_kind()));
        let mut marks =
            Self { changes: entries.filter(|(_, kind)| *kind != other).collect(), ..Self::default() };
        let edges = || channel.new_edges.iter().chain(&channel.removed_edges);
        let is_coverage_only = channel.entries.is_empty();
        if is_coverage_only {
            marks.changes.extend(edges().map(|edge| (&edge.to, ChangeKind::Changed)));
        }
        let shows_covered = is_coverage_only && edges().count() <= MAX_COVERED_ENTRIES;
        let shown = edges().filter(|edge| shows_covered || edge.kind != EdgeKind::SkipRange.as_str());
        marks.near = shown.flat_map(|edge| [&edge.from, &edge.to]).collect();
        marks
    }

    /// Returns the lines of a drawing: changed rows, rows near them, the head, and folds for the
    /// others.
    pub(super) fn fold_lines(&self, picture: &Layout) -> Vec<FoldLine> {
        let found = self.visible_rows(picture);
        picture.fold_lines(FoldOptions { fold_alike: true, matches: Some(&found), ..FoldOptions::default() })
    }

    /// Returns the indexes of the visible rows in order. A single row between visible ones is
    /// visible, because a fold would not be shorter.
    fn visible_rows(&self, picture: &Layout) -> Vec<usize> {
        let near = |(at, row): (usize, &crate::layout::Row)| {
            if self.changes.contains_key(&row.name) {
                at.saturating_sub(CONTEXT_ROWS)..at + CONTEXT_ROWS + 1
            } else if row.marks.head || self.near.contains(&row.name) || self.new_states.contains(&row.name) {
                at..at + 1
            } else {
                0..0
            }
        };
        let rows = picture.rows.iter().enumerate().flat_map(near);
        let found: BTreeSet<usize> = rows.filter(|at| *at < picture.rows.len()).collect();
        let is_single = |at: &usize| {
            let is_edge =
                |at: Option<usize>| at.is_none_or(|at| at >= picture.rows.len() || found.contains(&at));
            found.contains(at) || (is_edge(at.checked_sub(1)) && is_edge(at.checked_add(1)))
        };
        (0..picture.rows.len()).filter(is_single).collect()
    }
}
