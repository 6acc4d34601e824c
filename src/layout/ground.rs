//! Part of a picture that does not depend on the selection, so that another selection can be drawn quickly.

use std::sync::OnceLock;

use petgraph::graph::NodeIndex;

use super::{
    channel::{Hidden, Layout, Options, Row},
    facts::{Facts, Kept},
    neighbourhood::{self, Neighbourhood},
    note,
    paint::{Picture, paint},
    reach::{self, Reach},
    strand::Strands,
    ways::{self, Stops},
};
use crate::{
    catalog::BundleName,
    upgrade::{PackageGraph, package::ChannelUpgrades},
};

/// Prepared channel that can be drawn for any selected bundle.
#[derive(Debug)]
pub struct ChannelGround {
    package: PackageGraph,
    /// Index of the channel in the package.
    channel: usize,
    ground: Ground,
    /// Positions in its ranges, for neighborhoods.
    ranges: OnceLock<neighbourhood::Ranges>,
}

impl ChannelGround {
    /// Prepares a channel by name; the first if there are several. Ignores [`Options::selected`].
    pub fn new(package: &PackageGraph, channel: &str, options: &Options) -> Option<Self> {
        let (channel, upgrades) =
            package.channels().iter().enumerate().find(|(_, upgrades)| upgrades.graph.name() == channel)?;
        let ground = Ground::of(package, upgrades, options);
        Some(Self { ground, package: package.clone(), channel, ranges: OnceLock::new() })
    }

    /// Draws the same as [`super::layout()`], with a bundle selected.
    pub fn layout(&self, selected: Option<&BundleName>) -> Option<Layout> {
        let facts = self.facts()?;
        let selected = selected.and_then(|name| facts.graph().find(name.as_str()));
        Some(self.ground.draw(&facts, selected))
    }

    /// Draws the same as [`neighbourhood::neighbourhood`]; `None` if the channel does not contain the bundle.
    pub fn neighbourhood(
        &self,
        centre: &BundleName,
        options: &neighbourhood::Options,
    ) -> Option<Neighbourhood> {
        let facts = self.facts()?;
        let centre = facts.graph().find(centre.as_str())?;
        let ranges = self.ranges.get_or_init(|| neighbourhood::Ranges::new(&facts));
        Some(neighbourhood::of_facts(&facts, ranges, centre, options))
    }

    fn facts(&self) -> Option<Facts<'_>> {
        Some(self.ground.facts(&self.package, self.package.channels().get(self.channel)?))
    }
}

/// Prepared channel for callers that have the channel itself.
#[derive(Debug)]
pub(super) struct Ground {
    options: Options,
    kept: Kept,
    strands: Strands,
    /// Rows without the parts that depend on the selection.
    rows: Vec<Row>,
}

impl Ground {
    pub(super) fn of(package: &PackageGraph, channel: &ChannelUpgrades, options: &Options) -> Self {
        let facts = Facts::new(package, channel);
        let mut words = note::Words::new(&facts, &options.query);
        let name = |at| facts.graph().node(at).map(|node| node.name.clone());
        let row = |&at: &NodeIndex| {
            let marks = note::marks(&facts, at);
            Row {
                at,
                name: name(at).unwrap_or_default(),
                version: facts.version(at),
                cells: Vec::new(),
                stops: Stops::default(),
                classic: facts.classic[at.index()].and_then(name),
                reach: Reach::default(),
                note: words.note(at, &marks),
                hidden: Hidden::default(),
                marks,
            }
        };
        let rows = facts.order.iter().map(row).collect();
        Self { options: options.clone(), strands: Strands::new(&facts), rows, kept: facts.kept() }
    }

    /// Recreates its facts; the channel must be the same.
    pub(super) fn facts<'a>(&self, package: &'a PackageGraph, channel: &'a ChannelUpgrades) -> Facts<'a> {
        Facts::again(package, channel, &self.kept)
    }

    pub(super) fn draw(&self, facts: &Facts<'_>, selected: Option<NodeIndex>) -> Layout {
        let selected = selected.filter(|&at| facts.graph().node(at).is_some());
        let options = self.options.clone().with_selected(selected);
        let Picture { cells, columns, strands, hidden } = paint(facts, &self.strands, &options);
        let reach = reach::about(facts, selected);
        let ways = selected.map(|from| ways::ways(facts, &options.query, from));
        let stops = selected.zip(ways.as_ref()).map_or_else(
            || vec![Stops::default(); facts.order.len()],
            |(from, ways)| ways::both_stops(facts, from, ways),
        );
        let mut total = Hidden::default();
        let mut rows = Vec::with_capacity(self.rows.len());
        let drawn = cells.into_iter().zip(reach).zip(stops).zip(hidden);
        for (row, (((cells, reach), stops), hidden)) in self.rows.iter().zip(drawn) {
            total.replaces += hidden.replaces;
            total.skips += hidden.skips;
            total.ranges += hidden.ranges;
            rows.push(Row { cells, stops, reach, hidden, ..row.clone() });
        }
        let error = facts.channel.chain.as_ref().err().cloned();
        Layout { rows, columns, strands, hidden: total, ways, error }
    }
}
