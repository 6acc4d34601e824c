//! All channels of a package side by side: the same bundle on the same row, a narrow strip a channel.

mod channels;
pub mod heading;
mod note;
pub mod page;
#[cfg(test)]
mod tests;
mod union;

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use petgraph::graph::NodeIndex;

use self::union::Union;
use super::{
    channel::{Cell, Edge, Hidden, Marks, StrandId},
    facts::{Facts, Kept},
    note::marks,
    paint::{self, Picture, STRIP},
    strand::Strand,
};
use crate::{
    catalog::{BundleName, ChannelName},
    upgrade::{PackageGraph, ResolveError},
    version::VersionRelease,
};

/// What the picture is to show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Columns for all strips together. One strip is drawn however few there are.
    pub room: usize,
    /// The most columns a strip and the gap beside it may take, so that names fit above; as many are taken as let all
    /// channels fit, at least [`NARROWEST`].
    pub widest: usize,
    /// The channel that is in sight whatever else is.
    pub selected: Option<ChannelName>,
    /// The channel, by number, with which the window begins if it can.
    pub first: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { room: 80, widest: NARROWEST, selected: None, first: 0 }
    }
}

/// Columns of a strip and the gap beside it where there is no more room.
pub const NARROWEST: usize = STRIP + 1;

/// A channel, in sight or not.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name, as written: make it harmless before it meets a terminal.
    pub name: ChannelName,
    /// Whether a subscription without a channel gets it.
    pub is_default: bool,
    /// Whether a deprecation names it.
    pub deprecated: bool,
    /// How many entries it has.
    pub entries: usize,
    /// On how many of them Classic leaves people behind.
    pub dead_ends: usize,
    /// Why Classic has no chain in it, where it has none; then no entry is a dead end.
    pub error: Option<ResolveError>,
}

impl Channel {
    /// Its marks, three columns at most: `*` for the default channel, `D` deprecated, `!` Classic cannot use it.
    pub fn flags(&self) -> String {
        let flags = [(self.is_default, '*'), (self.deprecated, 'D'), (self.error.is_some(), '!')];
        flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).collect()
    }
}

/// What a channel says of the bundle of a row.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its node in the channel's graph.
    pub at: NodeIndex,
    /// What holds of it there.
    pub marks: Marks,
    /// Its edges that are not drawn.
    pub hidden: Hidden,
}

/// The drawing of a channel. It shows `replaces` only; the [`Hidden`] of it count nothing else.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The number of its channel in [`SideBySide::channels`].
    pub channel: usize,
    /// A vector of [`Strip::WIDTH`] cells for each row: the bundle, the way to the lane, the lane.
    pub cells: Vec<Vec<Cell>>,
    /// What the channel says of each row; `None` where it has nothing of that name.
    pub places: Vec<Option<Place>>,
    /// The lines that are drawn.
    pub strands: Vec<Arc<Strand>>,
    /// How many `replaces` found no lane.
    pub hidden: usize,
}

impl Strip {
    /// Columns of the drawing, without the gap to the next.
    pub const WIDTH: usize = STRIP;

    /// The line with a number.
    pub fn strand(&self, id: StrandId) -> Option<&Strand> {
        self.strands.get(id.0 as usize).map(Arc::as_ref)
    }

    /// The edges whose way leads through a cell; none for a bundle's own cell.
    pub fn edges_at(&self, row: usize, column: usize) -> Vec<Edge> {
        let cell = self.cells.get(row).and_then(|cells| cells.get(column));
        let strands = cell.into_iter().flat_map(|cell| &cell.strands).filter_map(|&id| self.strand(id));
        let edges = strands.flat_map(|strand| {
            strand.edges_in(row, false).map(|(from, to)| Edge { from: from.1, to: to.1, kind: strand.kind })
        });
        edges.collect()
    }

    /// What the channel says of a row.
    pub fn place(&self, row: usize) -> Option<&Place> {
        self.places.get(row)?.as_ref()
    }
}

/// A bundle.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name, as written: make it harmless before it meets a terminal.
    pub name: BundleName,
    /// Its version, or what its name tells of it.
    pub version: String,
    /// How many channels have an entry for it.
    pub channels: usize,
    /// In how many of them Classic stays on it though the head is higher.
    pub dead_ends: usize,
    /// Whether a deprecation names it.
    pub deprecated: bool,
    /// Whether the package has it no more, nor names it.
    pub gone: bool,
    /// What to say of it; empty where all is well. Contains catalog text as written.
    pub note: String,
}

/// The picture of a package.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// Its bundles and what its channels name, newest on top: what an entry of any channel replaces or skips stands
    /// below it, unless the channels contradict each other.
    pub rows: Arc<[Row]>,
    /// All channels: the default one first, then in natural order, highest first. Of several with one name the first
    /// counts, as everywhere.
    pub channels: Arc<[Channel]>,
    /// The channels that fit.
    pub strips: Vec<Arc<Strip>>,
    /// The number of the first of them.
    pub first: usize,
    /// Columns from one strip to the next.
    pub pitch: usize,
}

impl SideBySide {
    /// How many channels are out of sight on the left.
    pub fn left(&self) -> usize {
        self.first
    }

    /// How many channels are out of sight on the right.
    pub fn right(&self) -> usize {
        self.channels.len() - self.first - self.strips.len()
    }

    /// Columns of all strips together, without a gap behind the last.
    pub fn width(&self) -> usize {
        self.strips.len().checked_sub(1).map_or(0, |gaps| gaps * self.pitch + Strip::WIDTH)
    }

    /// The row of a bundle.
    pub fn row_of(&self, name: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.name == name)
    }

    /// The number of a channel.
    pub fn channel_of(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|channel| channel.name == name)
    }

    /// Which strip, by its place in [`SideBySide::strips`], stands in a column; the gap behind it belongs to it.
    pub fn strip_at(&self, column: usize) -> Option<usize> {
        Some(column / self.pitch.max(1)).filter(|&strip| strip < self.strips.len())
    }

    /// How many `replaces` of the channels in sight found no lane.
    pub fn hidden(&self) -> usize {
        self.strips.iter().map(|strip| strip.hidden).sum()
    }
}

/// Draws the channels of a package. Who draws them again with another one in sight keeps their [`Ground`].
pub fn side_by_side(package: &PackageGraph, options: &Options) -> SideBySide {
    Ground::new(package).draw(options)
}

/// The channels of a package, ready to be drawn whichever of them are in sight.
#[derive(Debug)]
pub struct Ground {
    package: PackageGraph,
    /// For each channel its place in the package, and what is known of it.
    known: Vec<(usize, Kept)>,
    rows: Arc<[Row]>,
    channels: Arc<[Channel]>,
    /// The strips that were in sight once.
    strips: Vec<OnceLock<Arc<Strip>>>,
}

impl Ground {
    /// Looks at all channels.
    pub fn new(package: &PackageGraph) -> Self {
        Self::with_gone(package, &[])
    }

    /// The same with rows for bundles that the package has no more, each with its version.
    pub fn with_gone(package: &PackageGraph, gone: &[(BundleName, Option<VersionRelease>)]) -> Self {
        let (places, upgrades): (Vec<usize>, Vec<_>) = channels::in_order(package).into_iter().unzip();
        let union = Union::new(package, &upgrades, gone);
        let rows = union.names.len();
        let facts: Vec<Facts<'_>> = upgrades
            .iter()
            .zip(&union.rows)
            .map(|(channel, row)| Facts::in_rows(package, channel, row.clone(), rows))
            .collect();
        let channels: Arc<[Channel]> = facts.iter().map(channel).collect();
        Self {
            rows: note::rows(package, &union, &facts, &channels).into(),
            known: places.into_iter().zip(facts.iter().map(Facts::kept)).collect(),
            strips: channels.iter().map(|_| OnceLock::new()).collect(),
            channels,
            package: package.clone(),
        }
    }

    /// Draws those that fit.
    pub fn draw(&self, options: &Options) -> SideBySide {
        let is_selected = |channel: &Channel| Some(&channel.name) == options.selected.as_ref();
        let selected = self.channels.iter().position(is_selected);
        let (window, pitch) = window(self.channels.len(), selected, options);
        SideBySide {
            rows: Arc::clone(&self.rows),
            strips: window.clone().filter_map(|number| self.strip(number)).collect(),
            channels: Arc::clone(&self.channels),
            first: window.start,
            pitch,
        }
    }

    fn strip(&self, number: usize) -> Option<Arc<Strip>> {
        let slot = self.strips.get(number)?;
        if slot.get().is_none() {
            let (_, kept) = self.known.get(number)?;
            let _ = slot.set(Arc::new(self.drawn(number, kept)?));
        }
        slot.get().map(Arc::clone)
    }

    /// Draws a channel in the rows that are kept.
    fn drawn(&self, number: usize, kept: &Kept) -> Option<Strip> {
        let (place, _) = self.known.get(number)?;
        let channel = self.package.channels().get(*place)?;
        Some(strip(number, &Facts::again(&self.package, channel, kept)))
    }
}

fn channel(facts: &Facts<'_>) -> Channel {
    let (package, name) = (&facts.package.package, facts.graph().name());
    Channel {
        name: name.clone(),
        is_default: package.default_channel() == Some(name),
        deprecated: package.channel_deprecation(name).is_some(),
        entries: facts.graph().entries().count(),
        dead_ends: facts.dead_end.iter().filter(|&&dead_end| dead_end).count(),
        error: facts.channel.chain.as_ref().err().cloned(),
    }
}

/// Which channels fit, and how wide each is.
fn window(channels: usize, selected: Option<usize>, options: &Options) -> (Range<usize>, usize) {
    let fitting = (options.room + 1).checked_div(channels).unwrap_or(NARROWEST);
    let pitch = fitting.min(options.widest).max(NARROWEST);
    let fit = ((options.room + pitch).saturating_sub(STRIP) / pitch).clamp(1, channels.max(1));
    let last_first = channels.saturating_sub(fit);
    let first = match selected {
        Some(at) => options.first.clamp((at + 1).saturating_sub(fit), at),
        None => options.first,
    };
    let first = first.min(last_first);
    (first..(first + fit).min(channels), pitch)
}

fn strip(channel: usize, facts: &Facts<'_>) -> Strip {
    let Picture { cells, strands, hidden, .. } = paint::strip(facts);
    let mut places = vec![None; facts.rows];
    for (at, &row) in facts.graph().graph().node_indices().zip(facts.row.iter()) {
        let hidden = hidden.get(row).copied().unwrap_or_default();
        if let Some(place) = places.get_mut(row) {
            *place = Some(Place { at, marks: marks(facts, at), hidden });
        }
    }
    Strip { channel, cells, places, strands, hidden: hidden.iter().map(|h| h.replaces).sum() }
}
