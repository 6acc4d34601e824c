//! The neighbourhood of one bundle: what can be upgraded to it on the left, where it can go on the right, two hops each
//! way, as boxes and routed edges.
//!
//! Versions that are connected in the same way share a box, and what does not fit stands in a box that counts it, so that
//! a channel of five hundred entries still gives a picture that can be read. Edges are lines between the sides of boxes;
//! lines that are joined are upgrades of one kind, from each box they leave to each box they reach.

mod boxes;
#[cfg(test)]
mod decode;
mod fit;
mod hops;
mod ink;
mod links;
mod pen;
mod routes;
#[cfg(test)]
mod tests;

use petgraph::graph::NodeIndex;

pub use boxes::{BoxKind, VersionBox};
pub(super) use hops::Ranges;
pub use ink::{Ink, letter};
pub use routes::{Cell, Strand};

use std::collections::HashMap;

use super::{facts::Facts, ways};
use crate::{
    catalog::BundleName,
    upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades, v1::Query},
};

/// What a picture is to show, and how much room there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The most columns.
    pub width: usize,
    /// The most rows.
    pub height: usize,
    /// What v1 is asked.
    pub query: Query,
    /// A mark before the title of a bundle's box.
    pub marks: HashMap<BundleName, char>,
}

/// A rectangle of cells.
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

/// The two sides of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What can be upgraded to it.
    Older,
    /// What it can be upgraded to.
    Newer,
}

/// The picture. Cells hold frames and lines; words are put into the boxes by whoever draws it.
#[derive(Clone, Debug, Default)]
pub struct Neighbourhood {
    /// Rows of cells, all of one length, within the size asked for. None where there is no room for a box.
    pub cells: Vec<Vec<Cell>>,
    /// The boxes; those of a column from top to bottom.
    pub boxes: Vec<VersionBox>,
    /// The lines that are drawn. Cells name them by their place in here.
    pub strands: Vec<Strand>,
    /// Edges among the bundles of the boxes for which no line was found.
    pub hidden: usize,
    /// Edges among bundles of the same box.
    pub inside: usize,
    /// How many bundles are within two hops on the older side, shown or not.
    pub older: usize,
    /// How many are on the newer side.
    pub newer: usize,
    /// How many of both are in no box, because the picture is too narrow for their column.
    pub beyond: usize,
    /// The neighbour to go to first, on the older and on the newer side.
    first: [Option<NodeIndex>; 2],
}

impl Neighbourhood {
    /// Columns of the picture.
    pub fn width(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    /// Rows of the picture.
    pub fn height(&self) -> usize {
        self.cells.len()
    }

    /// The neighbour to go to first on a side: what OLM picks, then by `replaces`, `skips` and range.
    pub fn first(&self, side: Side) -> Option<NodeIndex> {
        match side {
            Side::Older => self.first[0],
            Side::Newer => self.first[1],
        }
    }

    /// The box of a bundle.
    pub fn box_of(&self, at: NodeIndex) -> Option<usize> {
        self.boxes.iter().position(|b| b.members.contains(&at))
    }

    /// The kinds of lines that are drawn, in the order in which OLM asks, and whether one of them is ignored by Classic:
    /// what a legend has to explain.
    pub fn kinds(&self) -> (Vec<EdgeKind>, bool) {
        let mut kinds: Vec<EdgeKind> = self.strands.iter().map(|s| s.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        (kinds, self.strands.iter().any(|s| s.dead))
    }
}

/// Draws the neighbourhood of a node of a channel. A node of another graph has none.
pub fn neighbourhood(
    package: &PackageGraph,
    channel: &ChannelUpgrades,
    centre: NodeIndex,
    options: &Options,
) -> Neighbourhood {
    let facts = Facts::new(package, channel);
    of_facts(&facts, &Ranges::new(&facts), centre, options)
}

/// The same for a channel that was looked at.
pub(super) fn of_facts(
    facts: &Facts<'_>,
    ranges: &Ranges,
    centre: NodeIndex,
    options: &Options,
) -> Neighbourhood {
    if facts.graph().node(centre).is_none() {
        return Neighbourhood::default();
    }
    let ways = ways::ways(facts, &options.query, centre);
    let hops = hops::hops(facts, ranges, centre);
    let author = boxes::Author { facts, ranges, hops: &hops, centre, ways: &ways, titled: &options.marks };
    let first = [hops::CENTRE - 1, hops::CENTRE + 1].map(|column| author.first_of(column));
    let counted = |columns: std::ops::Range<usize>| hops[columns].iter().map(Vec::len).sum();
    let older = counted(0..hops::CENTRE);
    let newer = counted(hops::CENTRE + 1..hops::COLUMNS);
    let Some(plan) = fit::fit(&author, options) else {
        return Neighbourhood { older, newer, beyond: older + newer, first, ..Neighbourhood::default() };
    };
    let shown: usize = plan.boxes.iter().map(|b| b.members.len()).sum();
    let routes::Drawing { cells, strands, hidden } = routes::draw(&plan);
    Neighbourhood {
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
