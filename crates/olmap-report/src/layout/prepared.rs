//! Part of a picture that does not depend on the selection, so that another selection can be drawn quickly.

use std::sync::OnceLock;

use petgraph::graph::NodeIndex;

use super::{
    channel::{HiddenEdges, Layout, Options, Row},
    facts::{CachedFacts, Facts},
    neighborhood::{self, Neighborhood},
    note,
    paint::{Drawing, paint_channel},
    paths::{self, RowStops},
    relation::{self, Relation},
    strand::Strands,
};
use olm_catalog::BundleName;
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

/// Prepared channel that can be drawn for any selected bundle.
#[derive(Debug)]
pub struct PreparedChannel {
    package: PackageGraph,
    /// Index of the channel in the package.
    channel: usize,
    ground: PreparedLayout,
    /// Positions in its ranges, for neighborhoods.
    ranges: OnceLock<neighborhood::RangeIndex>,
}

impl PreparedChannel {
    /// Prepares a channel by name; the first if there are several. Ignores [`Options::selected`].
    pub fn new(package: &PackageGraph, channel: &str, options: &Options) -> Option<Self> {
        let (channel, upgrades) =
            package.channels().iter().enumerate().find(|(_, upgrades)| upgrades.graph.name() == channel)?;
        let ground = PreparedLayout::for_channel(package, upgrades, options);
        Some(Self { ground, package: package.clone(), channel, ranges: OnceLock::new() })
    }

    /// Draws the same as [`super::draw_layout()`], with a bundle selected.
    pub fn draw_layout(&self, selected: Option<&BundleName>) -> Option<Layout> {
        let facts = self.facts()?;
        let selected = selected.and_then(|name| facts.graph().find_node(name.as_str()));
        Some(self.ground.draw_selection(&facts, selected))
    }

    /// Draws the same as [`neighborhood::draw_neighborhood`]; `None` if the channel does not contain the bundle.
    pub fn draw_neighborhood(
        &self,
        centre: &BundleName,
        options: &neighborhood::Options,
    ) -> Option<Neighborhood> {
        let facts = self.facts()?;
        let centre = facts.graph().find_node(centre.as_str())?;
        let ranges = self.ranges.get_or_init(|| neighborhood::RangeIndex::new(&facts));
        Some(neighborhood::draw_from_facts(&facts, ranges, centre, options))
    }

    fn facts(&self) -> Option<Facts<'_>> {
        Some(self.ground.restore_facts(&self.package, self.package.channels().get(self.channel)?))
    }
}

/// Prepared channel for callers that have the channel itself.
#[derive(Debug)]
pub(super) struct PreparedLayout {
    options: Options,
    cached: CachedFacts,
    strands: Strands,
    /// Rows without the parts that depend on the selection.
    rows: Vec<Row>,
}

impl PreparedLayout {
    pub(super) fn for_channel(package: &PackageGraph, channel: &ChannelUpgrades, options: &Options) -> Self {
        let facts = Facts::new(package, channel);
        let mut words = note::NoteWriter::new(&facts, &options.query);
        let name = |at| facts.graph().node(at).map(|node| node.name.clone());
        let row = |&at: &NodeIndex| {
            let marks = note::node_marks(&facts, at);
            Row {
                at,
                name: name(at).unwrap_or_default(),
                version: facts.version_label(at),
                cells: Vec::new(),
                stops: RowStops::default(),
                classic_target: facts.classic_pick[at.index()].and_then(name),
                relation: Relation::default(),
                note: words.write_note(at, &marks),
                hidden: HiddenEdges::default(),
                marks,
            }
        };
        let rows = facts.order.iter().map(row).collect();
        Self { options: options.clone(), strands: Strands::new(&facts), rows, cached: facts.to_cached() }
    }

    /// Recreates its facts; the channel must be the same.
    pub(super) fn restore_facts<'a>(
        &self,
        package: &'a PackageGraph,
        channel: &'a ChannelUpgrades,
    ) -> Facts<'a> {
        Facts::from_cached(package, channel, &self.cached)
    }

    pub(super) fn draw_selection(&self, facts: &Facts<'_>, selected: Option<NodeIndex>) -> Layout {
        let selected = selected.filter(|&at| facts.graph().node(at).is_some());
        let options = self.options.clone().with_selected(selected);
        let Drawing { cells, columns, strands, hidden } = paint_channel(facts, &self.strands, &options);
        let reach = relation::relations_to(facts, selected);
        let ways = selected.map(|from| paths::compute_paths(facts, &options.query, from));
        let stops = selected.zip(ways.as_ref()).map_or_else(
            || vec![RowStops::default(); facts.order.len()],
            |(from, ways)| paths::row_stops(facts, from, ways),
        );
        let mut total = HiddenEdges::default();
        let mut rows = Vec::with_capacity(self.rows.len());
        let drawn = cells.into_iter().zip(reach).zip(stops).zip(hidden);
        for (row, (((cells, reach), stops), hidden)) in self.rows.iter().zip(drawn) {
            total.replaces += hidden.replaces;
            total.skips += hidden.skips;
            total.ranges += hidden.ranges;
            rows.push(Row { cells, stops, relation: reach, hidden, ..row.clone() });
        }
        let error = facts.channel.chain.as_ref().err().cloned();
        Layout { rows, columns, strands, hidden: total, paths: ways, error }
    }
}
