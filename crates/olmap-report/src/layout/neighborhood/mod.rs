//! Neighborhood of one bundle as boxes and routed edges: older bundles on the left, newer ones on the right, two hops each.
//!
//! Equally connected versions share a box, and a box counts the bundles that do not fit. So even a channel of five hundred
//! entries has a readable picture. Edges are lines between the sides of boxes. Joined lines are upgrades of one kind, from
//! each source box to each target box.

mod box_placement;
mod boxes;
mod hops;
mod ink;
#[cfg(test)]
mod line_decoder;
mod links;
mod pen;
mod routes;
#[cfg(test)]
mod tests;

use petgraph::graph::NodeIndex;

pub use boxes::{BoxKind, VersionBox};
pub(super) use hops::RangeIndex;
pub use ink::{Ink, kind_letter};
pub use routes::{Cell, Strand};

use std::collections::HashMap;

use super::{facts::Facts, paths};
use olm_catalog::BundleName;
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades, v1::Query};

/// Options and size of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum number of columns.
    pub width: usize,
    /// Maximum number of rows.
    pub height: usize,
    /// Query for v1.
    pub query: Query,
    /// Marks before the titles of bundles.
    pub marks: HashMap<BundleName, char>,
}

/// Rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Left column.
    pub x: usize,
    /// Top row.
    pub y: usize,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Sides of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Bundles that can be upgraded to it.
    Older,
    /// Bundles that it can be upgraded to.
    Newer,
}

/// Picture of a neighborhood. Cells contain frames and lines; the caller draws the text of the
/// boxes.
#[derive(Clone, Debug, Default)]
pub struct Neighborhood {
    /// Rows of cells, all of the same length and within the requested size. Empty if not even one box fits.
    pub cells: Vec<Vec<Cell>>,
    /// Boxes, from top to bottom in each column.
    pub boxes: Vec<VersionBox>,
    /// Drawn lines; cells refer to them by index.
    pub strands: Vec<Strand>,
    /// Number of edges between the bundles of the boxes that do not have a line.
    pub hidden: usize,
    /// Number of edges between bundles of the same box.
    pub inside: usize,
    /// Number of bundles within two hops on the older side, visible or not.
    pub older: usize,
    /// Number of bundles within two hops on the newer side, visible or not.
    pub newer: usize,
    /// Number of bundles of both sides that are in no box, because the picture is too narrow.
    pub beyond: usize,
    /// Preferred neighbor on the older and on the newer side.
    first: [Option<NodeIndex>; 2],
}

impl Neighborhood {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.cells.len()
    }

    /// Returns the preferred neighbor on a side: OLM's pick, then by `replaces`, `skips` and range.
    pub fn first_neighbor(&self, side: Side) -> Option<NodeIndex> {
        match side {
            Side::Older => self.first[0],
            Side::Newer => self.first[1],
        }
    }

    /// Returns the box of a bundle.
    pub fn box_of_node(&self, at: NodeIndex) -> Option<usize> {
        self.boxes.iter().position(|b| b.members.contains(&at))
    }

    /// Returns the kinds of the drawn lines in OLM's order, and true if Classic ignores one of them. Legends explain these.
    pub fn drawn_kinds(&self) -> (Vec<EdgeKind>, bool) {
        let mut kinds: Vec<EdgeKind> = self.strands.iter().map(|s| s.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        (kinds, self.strands.iter().any(|s| s.ignored))
    }
}

/// Draws the neighborhood of a node of a channel; empty for a node of another graph.
pub fn draw_neighborhood(
    package: &PackageGraph,
    channel: &ChannelUpgrades,
    centre: NodeIndex,
    options: &Options,
) -> Neighborhood {
    let facts = Facts::new(package, channel);
    draw_from_facts(&facts, &RangeIndex::new(&facts), centre, options)
}

/// Draws the neighborhood from prepared facts about a channel.
pub(super) fn draw_from_facts(
    facts: &Facts<'_>,
    ranges: &RangeIndex,
    centre: NodeIndex,
    options: &Options,
) -> Neighborhood {
    if facts.graph().node(centre).is_none() {
        return Neighborhood::default();
    }
    let ways = paths::compute_paths(facts, &options.query, centre);
    let hops = hops::collect_hops(facts, ranges, centre);
    let author = boxes::BoxBuilder {
        facts,
        ranges,
        hops: &hops,
        center: centre,
        ways: &ways,
        title_marks: &options.marks,
    };
    let first = [hops::CENTER - 1, hops::CENTER + 1].map(|column| author.first_neighbor(column));
    let counted = |columns: std::ops::Range<usize>| hops[columns].iter().map(Vec::len).sum();
    let older = counted(0..hops::CENTER);
    let newer = counted(hops::CENTER + 1..hops::COLUMNS);
    let Some(plan) = box_placement::fit_boxes(&author, options) else {
        return Neighborhood { older, newer, beyond: older + newer, first, ..Neighborhood::default() };
    };
    let shown: usize = plan.boxes.iter().map(|b| b.members.len()).sum();
    let routes::Drawing { cells, strands, hidden } = routes::draw_plan(&plan);
    Neighborhood {
        cells,
        strands,
        hidden,
        inside: plan.inside,
        boxes: plan.boxes,
        older,
        newer,
        beyond: (older + newer + 1).saturating_sub(shown),
        first,
    }
}
