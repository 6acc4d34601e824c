//! Converts strands to cells.
//!
//! A lane is a column for vertical lines.
//!
//! - Comb: the `skips` of an entry, in a lane on the left of the nodes. It has a tip (an arrowhead)
//!   at the entry and a tooth (a horizontal line) at each skipped row.
//! - Spine: the `replaces` edges, in lanes on the right of the nodes. An edge joins its lane at its
//!   two rows and passes all rows between them. A joined cell belongs only to its own row, so a
//!   line is read from one joint to the next.
//! - Ranges are on the right of the spine: dotted, with a tooth at each included row.
//!
//! Edges that Classic ignores end in [`Glyph::Ignored`] at the start of the upgrade.

use std::{ops::Range, sync::Arc};

use petgraph::graph::NodeIndex;

use super::{
    channel::{Cell, Columns, HiddenEdges, Options, StrandId},
    facts::Facts,
    glyph::{Arms, Glyph, NodeShape},
    strand::{self, NodePosition, Strand, Strands},
};
use olm_upgrade::EdgeKind;

/// Cells of a picture, without its text.
pub(super) struct Drawing {
    /// A vector per row, all of the same length.
    pub(super) cells: Vec<Vec<Cell>>,
    pub(super) columns: Columns,
    /// Drawn strands; [`StrandId`]s are their indices.
    pub(super) strands: Vec<Arc<Strand>>,
    /// Edges that are not drawn, by row of the owner.
    pub(super) hidden: Vec<HiddenEdges>,
}

/// Strand with its lane.
type Placed = (Arc<Strand>, usize);

/// Draws a channel.
pub(super) fn paint_channel(facts: &Facts<'_>, all: &Strands, options: &Options) -> Drawing {
    let mut hidden = vec![HiddenEdges::default(); facts.row_count];
    for (at, kind) in &all.self_edges {
        hidden[facts.node_rows[at.index()]].add_edges(*kind, 1);
    }
    let selected = options.selected.and_then(|at| Some((*facts.node_rows.get(at.index())?, at)));
    let shares = [options.max_spine_lanes, options.max_skip_lanes, options.max_range_lanes];
    let draw = |limits: [usize; 3], hidden: &mut [HiddenEdges]| {
        let [spine, skips, ranges] = limits;
        (
            assign_spine_lanes(facts, selected, &all.replaces, spine, hidden),
            assign_lanes(facts, selected, &all.skips, skips, hidden),
            assign_lanes(facts, selected, &all.ranges, ranges, hidden),
        )
    };
    let limits = if options.share_lanes {
        let (spine, skips, ranges) = draw([shares.iter().sum(); 3], &mut hidden.clone());
        share_lanes(shares, [spine.1, skips.1, ranges.1])
    } else {
        shares
    };
    let ((spine, spine_lanes), (skips, skip_lanes), (ranges, range_lanes)) = draw(limits, &mut hidden);
    let columns = Columns::new([skip_lanes, spine_lanes, range_lanes], options.labels);
    let mut picture = Drawing::with_nodes(facts, columns, hidden);
    picture.draw_spine(spine);
    for (strand, lane) in skips {
        let column = picture.columns.node.saturating_sub(2 * lane + 2);
        picture.draw_comb(&strand, column, column + 1);
    }
    for (strand, lane) in ranges {
        let column = picture.columns.ranges.start + 2 * lane + 1;
        picture.draw_comb(&strand, column + 1, column);
    }
    picture
}

/// Distributes the lanes: each kind gets its share. Unused lanes go to kinds that need more, in
/// order.
fn share_lanes(shares: [usize; 3], needs: [usize; 3]) -> [usize; 3] {
    let mut limits = [0, 1, 2].map(|kind: usize| shares[kind].min(needs[kind]));
    let mut spare = shares.iter().sum::<usize>() - limits.iter().sum::<usize>();
    for (limit, need) in limits.iter_mut().zip(needs) {
        let more = (need - *limit).min(spare);
        *limit += more;
        spare -= more;
    }
    limits
}

/// Draws a channel as a narrow strip: the bundles and one lane for `replaces`. If edges compete for
/// the lane, edges of Classic's walk come first, then others that Classic uses. Ignored edges come
/// last, those of dead ends before the others.
pub(super) fn paint_strip(facts: &Facts<'_>) -> Drawing {
    let mut hidden = vec![HiddenEdges::default(); facts.row_count];
    let (mut strands, selfish) = strand::replaces_strands(facts);
    for at in selfish {
        hidden[facts.node_rows[at.index()]].add_edges(EdgeKind::Replaces, 1);
    }
    let walk = find_walk(facts);
    strands.sort_by_cached_key(|strand| {
        let is_main = strand.owners.iter().any(|owner| walk[owner.1.index()]);
        let rank = if strand.ignored { 2 + strand_rank(facts, None, strand) } else { usize::from(!is_main) };
        (rank, strand.owners.first().copied())
    });
    let mut lane = Lanes::new(facts.row_count, 1);
    let mut placed = Vec::with_capacity(strands.len());
    for strand in strands {
        let mut span = spine_span(&strand);
        if strand.ignored {
            // A cross occupies the cell where another line would join, so this line cannot meet
            // another.
            span = span.start.saturating_sub(1)..strand.row_span().end;
        }
        match lane.assign_rows(&span, None) {
            Some(lane) => placed.push((strand, lane)),
            None => count_hidden(&mut hidden, &strand),
        }
    }
    let mut picture = Drawing::with_nodes(facts, Columns::new([0, 1, 0], false), hidden);
    picture.draw_spine(placed);
    picture
}

/// Number of columns of a strip: a bundle, the connection to the lane, the lane.
pub(super) const STRIP_WIDTH: usize = 3;

fn node_shape(facts: &Facts<'_>, at: NodeIndex) -> NodeShape {
    match facts.graph().node(at) {
        Some(node) if node.entry.is_none() => NodeShape::Dangling,
        _ if facts.dead_end[at.index()] => NodeShape::DeadEnd,
        _ if facts.is_skipped(at) => NodeShape::Skipped,
        _ => NodeShape::Entry,
    }
}

/// Returns the rank of a strand if not all fit, 0 for the most important: edges of the selected
/// bundle, then ignored edges of dead ends, then edges that Classic uses.
fn strand_rank(facts: &Facts<'_>, selected: Option<NodePosition>, strand: &Strand) -> usize {
    let strands_someone = || strand.ends.iter().any(|e| facts.dead_end[e.1.index()]);
    match selected {
        Some(at) if strand.owns(at) => 0,
        Some(at) if strand.touches(at) => 1,
        _ if strand.ignored && strands_someone() => 2,
        _ if !strand.ignored => 3,
        _ => 4,
    }
}

/// Chooses the strands that fit, in order of importance, and counts the others.
fn choose_strands(
    facts: &Facts<'_>,
    selected: Option<NodePosition>,
    strands: &[Arc<Strand>],
    span: impl Fn(&Strand) -> Range<usize>,
    limit: usize,
    hidden: &mut [HiddenEdges],
) -> Vec<Arc<Strand>> {
    let mut strands = strands.to_vec();
    strands.sort_by_cached_key(|s| (strand_rank(facts, selected, s), s.owners.first().copied()));
    let spans: Vec<_> = strands.iter().map(|s| span(s)).collect();
    let admitted = select_spans(&spans, facts.row_count, limit);
    let mut chosen = Vec::with_capacity(strands.len());
    for (strand, admitted) in strands.into_iter().zip(admitted) {
        if admitted {
            chosen.push(strand);
        } else {
            count_hidden(hidden, &strand);
        }
    }
    chosen.sort_by_key(|s| span(s).start);
    chosen
}

fn count_hidden(hidden: &mut [HiddenEdges], strand: &Strand) {
    for owner in &strand.owners {
        if let Some(hidden) = hidden.get_mut(owner.0) {
            hidden.add_edges(strand.kind, strand.count_ends(*owner));
        }
    }
}

/// Assigns lanes to combs and ranges; returns the strands that fit and the number of lanes. Strands
/// of one lane do not share rows.
fn assign_lanes(
    facts: &Facts<'_>,
    selected: Option<NodePosition>,
    strands: &[Arc<Strand>],
    limit: usize,
    hidden: &mut [HiddenEdges],
) -> (Vec<Placed>, usize) {
    let chosen = choose_strands(facts, selected, strands, Strand::row_span, limit, hidden);
    let mut lanes = Lanes::new(facts.row_count, limit);
    let mut placed = Vec::with_capacity(chosen.len());
    for strand in chosen {
        match lanes.assign_rows(&strand.row_span(), None) {
            Some(lane) => placed.push((strand, lane)),
            None => count_hidden(hidden, &strand),
        }
    }
    (placed, lanes.count_used())
}

/// Assigns lanes to `replaces`: Classic's walk in the first, then other edges that Classic uses,
/// then ignored ones. An edge continues in the lane of the one above it if possible.
fn assign_spine_lanes(
    facts: &Facts<'_>,
    selected: Option<NodePosition>,
    strands: &[Arc<Strand>],
    limit: usize,
    hidden: &mut [HiddenEdges],
) -> (Vec<Placed>, usize) {
    let walk = find_walk(facts);
    let chosen = choose_strands(facts, selected, strands, spine_span, limit, hidden);
    let (mut used, mut lane_above) = (0, vec![None; facts.row_count]);
    let mut placed: Vec<Placed> = Vec::with_capacity(chosen.len());
    let is_main = |s: &Strand| s.owners.iter().any(|o| walk[o.1.index()]);
    let passes: [&dyn Fn(&Strand) -> bool; 3] =
        [&|s| !s.ignored && is_main(s), &|s| !s.ignored && !is_main(s), &|s| s.ignored];
    let mut lanes = Lanes::new(facts.row_count, limit);
    for (pass, belongs) in passes.into_iter().enumerate() {
        if pass == 2 {
            used = lanes.count_used();
            lanes = Lanes::new(facts.row_count, limit - used);
            lane_above.fill(None);
        }
        for strand in chosen.iter().filter(|s| belongs(s)) {
            let rows = strand.row_span();
            match lanes.assign_rows(&spine_span(strand), lane_above[rows.start]) {
                Some(lane) => {
                    lane_above[rows.end - 1] = Some(lane);
                    placed.push((Arc::clone(strand), lane + used));
                }
                None => count_hidden(hidden, strand),
            }
        }
    }
    (placed, used + lanes.count_used())
}

/// Returns the rows that a `replaces` edge reserves in its lane.
fn spine_span(strand: &Strand) -> Range<usize> {
    let rows = strand.row_span();
    if strand.owner_in(rows.start).is_some() {
        // Two strands of a lane may meet in the row of their common entry.
        rows.start..rows.end - 1
    } else {
        // A downward edge must not meet another, so that its marks are unambiguous.
        rows.start.saturating_sub(1)..rows.end
    }
}

/// Returns, per node, true if it is on the `replaces` chain of the first head.
fn find_walk(facts: &Facts<'_>) -> Vec<bool> {
    let mut on_walk = vec![false; facts.order.len()];
    let mut at = facts.heads.first().copied();
    while let Some(entry) = at.filter(|e| !std::mem::replace(&mut on_walk[e.index()], true)) {
        at = facts.graph().replaced_entry(entry);
    }
    on_walk
}

impl Drawing {
    /// Draws only the bundles, each in its row.
    fn with_nodes(facts: &Facts<'_>, columns: Columns, hidden: Vec<HiddenEdges>) -> Self {
        let cells = vec![vec![Cell::default(); columns.width()]; facts.row_count];
        let mut picture = Self { cells, columns, strands: Vec::new(), hidden };
        for &at in &facts.order {
            picture.cells[facts.node_rows[at.index()]][picture.columns.node].glyph =
                Glyph::Node(node_shape(facts, at));
        }
        picture
    }

    fn add_strand(&mut self, strand: Arc<Strand>) -> StrandId {
        self.strands.push(strand);
        StrandId(self.strands.len() as u32 - 1)
    }

    fn put_glyph(&mut self, row: usize, column: usize, glyph: Glyph, id: StrandId) {
        if let Some(cell) = self.cells.get_mut(row).and_then(|r| r.get_mut(column)) {
            cell.glyph = glyph;
            cell.strands.push(id);
        }
    }

    /// Draws a comb or a range: a lane and, on the side of the nodes, a column for tip and teeth.
    fn draw_comb(&mut self, strand: &Arc<Strand>, lane: usize, teeth: usize) {
        let rows = strand.row_span();
        let is_range = strand.kind == EdgeKind::SkipRange;
        let id = self.add_strand(Arc::clone(strand));
        for row in rows.clone() {
            let mut arms = Arms { up: row > rows.start, down: row + 1 < rows.end, left: false, right: false };
            let is_owner = strand.owner_in(row).is_some();
            if is_owner || strand.end_in(row).is_some() {
                (arms.left, arms.right) = (is_range, !is_range);
                let tooth = match (is_owner, is_range) {
                    (true, true) => Glyph::TipLeft,
                    (true, false) => Glyph::TipRight,
                    (false, _) if strand.ignored => Glyph::Ignored,
                    (false, true) => Glyph::Dotted(Arms::HORIZONTAL),
                    (false, false) => Glyph::Line(Arms::HORIZONTAL),
                };
                self.put_glyph(row, teeth, tooth, id);
            }
            let glyph = if is_range { Glyph::Dotted(arms) } else { Glyph::Line(arms) };
            self.put_glyph(row, lane, glyph, id);
        }
    }

    fn draw_spine(&mut self, placed: Vec<Placed>) {
        let first = self.columns.spine.start;
        // Draw verticals and ends first, so that the connections from node to lane know which lines
        // they cross.
        let mut ways = Vec::with_capacity(placed.len() * 2);
        for (strand, lane) in placed {
            let rows = strand.row_span();
            let (upper, lower) = (rows.start, rows.end - 1);
            let column = first + 2 * lane + 1;
            let id = self.add_strand(Arc::clone(&strand));
            for row in rows {
                let arms = Arms {
                    up: row > upper,
                    down: row < lower,
                    right: false,
                    left: row == upper || row == lower,
                };
                let Some(cell) = self.cells.get_mut(row).and_then(|r| r.get_mut(column)) else { continue };
                cell.glyph = Glyph::Line(cell.glyph.arms().union(arms));
                cell.strands.push(id);
            }
            let points_down = strand.owner_in(lower).is_some();
            let (start, land) = if points_down { (upper, lower) } else { (lower, upper) };
            if strand.ignored {
                self.put_glyph(start, column - 1, Glyph::Ignored, id);
            } else {
                ways.push((start, column, id));
            }
            if points_down {
                self.put_glyph(land, column - 1, Glyph::TipLeft, id);
            }
            ways.push((land, column, id));
        }
        for (row, end, id) in ways {
            for column in first..end {
                let Some(cell) = self.cells.get_mut(row).and_then(|r| r.get_mut(column)) else { continue };
                cell.glyph = match cell.glyph {
                    Glyph::Blank => Glyph::Line(Arms::HORIZONTAL),
                    // Another line joins its lane in this row: the connection continues through it.
                    Glyph::Line(arms) if arms.left => Glyph::Line(Arms { right: true, ..arms }),
                    // Another line: the connection passes below it.
                    other => other,
                };
                if !cell.strands.contains(&id) {
                    cell.strands.push(id);
                }
            }
        }
    }
}

/// Lanes of a picture, with the rows that are taken.
#[derive(Debug)]
pub(super) struct Lanes {
    rows: usize,
    taken: Vec<Vec<bool>>,
    limit: usize,
}

impl Lanes {
    /// Creates at most `limit` lanes over `rows` rows.
    pub(super) fn new(rows: usize, limit: usize) -> Self {
        Self { rows, taken: Vec::new(), limit }
    }

    /// Returns the number of used lanes.
    pub(super) fn count_used(&self) -> usize {
        self.taken.len()
    }

    fn is_free(&self, lane: usize, rows: &Range<usize>) -> bool {
        self.taken
            .get(lane)
            .is_none_or(|lane| lane.get(rows.clone()).is_some_and(|part| !part.contains(&true)))
    }

    /// Takes rows in the wanted lane if it is free, otherwise in the first free lane. `None` if there is none.
    pub(super) fn assign_rows(&mut self, rows: &Range<usize>, wanted: Option<usize>) -> Option<usize> {
        let rows = rows.start.min(self.rows)..rows.end.min(self.rows);
        let wanted = wanted.filter(|&lane| lane < self.taken.len() && self.is_free(lane, &rows));
        let lane = match wanted {
            Some(lane) => lane,
            None => (0..self.limit).find(|&lane| self.is_free(lane, &rows))?,
        };
        if lane == self.taken.len() {
            self.taken.push(vec![false; self.rows]);
        }
        if let Some(part) = self.taken.get_mut(lane).and_then(|lane| lane.get_mut(rows)) {
            part.fill(true);
        }
        Some(lane)
    }
}

/// Selects the spans, in order of importance, that fit into `limit` lanes together.
pub(super) fn select_spans(spans: &[Range<usize>], rows: usize, limit: usize) -> Vec<bool> {
    let mut load = vec![0_usize; rows];
    let mut admitted = Vec::with_capacity(spans.len());
    for span in spans {
        let part = load.get_mut(span.start.min(rows)..span.end.min(rows)).unwrap_or_default();
        let fits = limit > 0 && part.iter().all(|&n| n < limit);
        if fits {
            for n in part {
                *n += 1;
            }
        }
        admitted.push(fits);
    }
    admitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_overlapping_spans_get_different_lanes() {
        let mut lanes = Lanes::new(10, 2);
        assert_eq!(lanes.assign_rows(&(0..4), None), Some(0));
        assert_eq!(lanes.assign_rows(&(3..6), None), Some(1));
        assert_eq!(lanes.assign_rows(&(4..8), None), Some(0));
        assert_eq!(lanes.assign_rows(&(5..7), None), None, "both are taken at row 5");
        assert_eq!(lanes.assign_rows(&(6..9), Some(1)), Some(1));
        assert_eq!(lanes.count_used(), 2);
    }

    #[test]
    fn important_spans_are_admitted_first() {
        let spans = [0..10, 2..5, 4..6, 5..9];
        assert_eq!(select_spans(&spans, 10, 2), [true, true, false, true]);
        assert_eq!(select_spans(&spans, 10, 0), [false; 4]);
    }
}
