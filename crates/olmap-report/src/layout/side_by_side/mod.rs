//! All channels of a package side by side: each bundle has one row, each channel a narrow strip.

pub mod heading;
mod note;
pub mod page;
#[cfg(test)]
mod tests;
use std::{
    borrow::Cow,
    collections::HashMap,
    ops::Range,
    sync::{Arc, OnceLock},
};

use petgraph::graph::{DiGraph, NodeIndex};

use super::{
    channel::{Cell, Edge, HiddenEdges, Marks, StrandId},
    facts::{CachedFacts, Facts},
    note::node_marks,
    paint::{self, Drawing, STRIP_WIDTH},
    strand::Strand,
};
use crate::layout::order;
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::{PackageGraph, ResolveError, package::ChannelUpgrades};
use olm_version::VersionRelease;

/// Options of the picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Columns for all strips together; at least one strip is always drawn.
    pub columns: usize,
    /// Maximum width of a strip with its gap, wide enough for the names. The picture reduces it to fit all channels, down to
    /// [`MIN_PITCH`].
    pub max_pitch: usize,
    /// Channel that is always visible.
    pub selected: Option<ChannelName>,
    /// Preferred index of the first visible channel.
    pub first: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { columns: 80, max_pitch: MIN_PITCH, selected: None, first: 0 }
    }
}

/// Minimum width of a strip with its gap.
pub const MIN_PITCH: usize = STRIP_WIDTH + 1;

/// Channel of the package, visible or not.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Name as written; it may not be safe to print.
    pub name: ChannelName,
    /// True if a Subscription without a channel gets this one.
    pub is_default: bool,
    /// True if the channel is deprecated.
    pub deprecated: bool,
    /// Number of entries.
    pub entries: usize,
    /// Number of entries that are stuck on Classic or v1. `None` if unknown.
    pub stuck: Option<usize>,
    /// Error of Classic in this channel.
    pub error: Option<ResolveError>,
}

impl Channel {
    /// Returns the number of stuck entries in at most three columns: empty for none, `?` if unknown.
    pub fn stuck_sign(&self) -> String {
        match self.stuck {
            Some(0) => String::new(),
            Some(count @ 1..1000) => count.to_string(),
            Some(_) => ">>>".to_owned(),
            None => "?".to_owned(),
        }
    }

    /// Returns its flags, at most three columns: `*` for the default channel, `D` for deprecated, `!` if Classic cannot use
    /// it.
    pub fn flags(&self) -> String {
        let flags = [(self.is_default, '*'), (self.deprecated, 'D'), (self.error.is_some(), '!')];
        flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1).collect()
    }
}

/// Node of a row's bundle in a channel.
#[derive(Clone, Debug)]
pub struct RowNode {
    /// Node in the graph of the channel.
    pub node: NodeIndex,
    /// Properties of the node.
    pub marks: Marks,
    /// Edges of the node that are not drawn.
    pub hidden: HiddenEdges,
}

/// Drawing of a channel. It shows only `replaces`, and [`HiddenEdges`] counts only these.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Index of its channel in [`SideBySide::channels`].
    pub channel: usize,
    /// [`Strip::WIDTH`] cells per row: the bundle, the connection to the lane, and the lane.
    pub cells: Vec<Vec<Cell>>,
    /// Node of the channel in each row; `None` if the channel does not have the name.
    pub nodes: Vec<Option<RowNode>>,
    /// Drawn lines.
    pub strands: Vec<Arc<Strand>>,
    /// Number of `replaces` edges without a lane.
    pub hidden: usize,
}

impl Strip {
    /// Width of the drawing, without the gap.
    pub const WIDTH: usize = STRIP_WIDTH;

    /// Returns the line with an id.
    pub fn strand(&self, id: StrandId) -> Option<&Strand> {
        self.strands.get(id.0 as usize).map(Arc::as_ref)
    }

    /// Returns the edges that pass through a cell; empty for the cell of a bundle.
    pub fn edges_at(&self, row: usize, column: usize) -> Vec<Edge> {
        let cell = self.cells.get(row).and_then(|cells| cells.get(column));
        let strands = cell.into_iter().flat_map(|cell| &cell.strands).filter_map(|&id| self.strand(id));
        let edges = strands.flat_map(|strand| {
            strand.edges_through(row, false).map(|(from, to)| Edge {
                from: from.1,
                to: to.1,
                kind: strand.kind,
            })
        });
        edges.collect()
    }

    /// Returns the node of the channel in a row.
    pub fn node_in_row(&self, row: usize) -> Option<&RowNode> {
        self.nodes.get(row)?.as_ref()
    }
}

/// Bundle with its row.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name as written; it may not be safe to print.
    pub name: BundleName,
    /// Version of the bundle, or the version in its name.
    pub version: String,
    /// Number of channels with an entry for it.
    pub channels: usize,
    /// Number of channels where it is a dead end for Classic.
    pub dead_ends: usize,
    /// True if the bundle is deprecated.
    pub deprecated: bool,
    /// True if the package no longer has or mentions the bundle.
    pub removed: bool,
    /// Remark on the bundle; empty if there is none. Contains catalog text as written.
    pub note: String,
}

/// Picture of a package.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// Bundles and names in channels, newest first. A replaced or skipped bundle is below its successor, unless the channels
    /// contradict each other.
    pub rows: Arc<[Row]>,
    /// All channels: the default one first, then in natural order, highest first. Of several with the same name, the first
    /// counts.
    pub channels: Arc<[Channel]>,
    /// Visible channels.
    pub strips: Vec<Arc<Strip>>,
    /// Index of the first visible channel.
    pub first: usize,
    /// Columns from one strip to the next.
    pub pitch: usize,
}

impl SideBySide {
    /// Returns the number of hidden channels on the left.
    pub fn hidden_left(&self) -> usize {
        self.first
    }

    /// Returns the number of hidden channels on the right.
    pub fn hidden_right(&self) -> usize {
        self.channels.len() - self.first - self.strips.len()
    }

    /// Returns the width of all strips, without a gap after the last.
    pub fn width(&self) -> usize {
        self.strips.len().checked_sub(1).map_or(0, |gaps| gaps * self.pitch + Strip::WIDTH)
    }

    /// Returns the row of a bundle.
    pub fn row_of(&self, name: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.name == name)
    }

    /// Returns the index of a channel.
    pub fn channel_index(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|channel| channel.name == name)
    }

    /// Returns the index in [`SideBySide::strips`] of the strip at a column; the gap after a strip belongs to it.
    pub fn strip_at(&self, column: usize) -> Option<usize> {
        Some(column / self.pitch.max(1)).filter(|&strip| strip < self.strips.len())
    }

    /// Returns the number of `replaces` edges in visible channels that do not have a lane.
    pub fn count_hidden_edges(&self) -> usize {
        self.strips.iter().map(|strip| strip.hidden).sum()
    }
}

/// Draws the channels of a package. Callers that draw them repeatedly should keep a [`PreparedChannels`].
pub fn draw_side_by_side(package: &PackageGraph, options: &Options) -> SideBySide {
    PreparedChannels::new(package).draw_window(options)
}

/// Prepared channels of a package; a window of them can be drawn quickly.
#[derive(Debug)]
pub struct PreparedChannels {
    package: PackageGraph,
    /// For each channel its index in the package and its facts.
    facts: Vec<(usize, CachedFacts)>,
    rows: Arc<[Row]>,
    channels: Arc<[Channel]>,
    /// Cache of drawn strips.
    strips: Vec<OnceLock<Arc<Strip>>>,
}

impl PreparedChannels {
    /// Prepares all channels.
    pub fn new(package: &PackageGraph) -> Self {
        Self::with_removed(package, &[])
    }

    /// Prepares all channels, with extra rows for bundles that left the package, each with its version.
    pub fn with_removed(package: &PackageGraph, gone: &[(BundleName, Option<VersionRelease>)]) -> Self {
        let (places, upgrades): (Vec<usize>, Vec<_>) = note::sort_channels(package).into_iter().unzip();
        let union = CommonRows::new(package, &upgrades, gone);
        let rows = union.names.len();
        let facts: Vec<Facts<'_>> = upgrades
            .iter()
            .zip(&union.rows)
            .map(|(channel, row)| Facts::with_node_rows(package, channel, row.clone(), rows))
            .collect();
        let channels: Arc<[Channel]> = facts.iter().map(describe_channel).collect();
        Self {
            rows: note::package_rows(package, &union, &facts, &channels).into(),
            facts: places.into_iter().zip(facts.iter().map(Facts::to_cached)).collect(),
            strips: channels.iter().map(|_| OnceLock::new()).collect(),
            channels,
            package: package.clone(),
        }
    }

    /// Draws the channels that fit.
    pub fn draw_window(&self, options: &Options) -> SideBySide {
        let is_selected = |channel: &Channel| Some(&channel.name) == options.selected.as_ref();
        let selected = self.channels.iter().position(is_selected);
        let (window, pitch) = visible_window(self.channels.len(), selected, options);
        SideBySide {
            rows: Arc::clone(&self.rows),
            strips: window.clone().filter_map(|number| self.strip_of_channel(number)).collect(),
            channels: Arc::clone(&self.channels),
            first: window.start,
            pitch,
        }
    }

    fn strip_of_channel(&self, number: usize) -> Option<Arc<Strip>> {
        let slot = self.strips.get(number)?;
        if slot.get().is_none() {
            let (_, kept) = self.facts.get(number)?;
            let _ = slot.set(Arc::new(self.draw_strip(number, kept)?));
        }
        slot.get().map(Arc::clone)
    }

    /// Draws a channel in the remaining rows.
    fn draw_strip(&self, number: usize, kept: &CachedFacts) -> Option<Strip> {
        let (place, _) = self.facts.get(number)?;
        let channel = self.package.channels().get(*place)?;
        Some(build_strip(number, &Facts::from_cached(&self.package, channel, kept)))
    }
}

fn describe_channel(facts: &Facts<'_>) -> Channel {
    let (package, name) = (&facts.package.package, facts.graph().name());
    Channel {
        name: name.clone(),
        is_default: package.default_channel() == Some(name),
        deprecated: package.channel_deprecation(name).is_some(),
        entries: facts.graph().entry_nodes().count(),
        stuck: facts.package.stuck().answer.is_some().then(|| facts.stuck.iter().flatten().count()),
        error: facts.channel.chain.as_ref().err().cloned(),
    }
}

/// Returns the channels that fit, and the width of each.
fn visible_window(channels: usize, selected: Option<usize>, options: &Options) -> (Range<usize>, usize) {
    let fitting = (options.columns + 1).checked_div(channels).unwrap_or(MIN_PITCH);
    let pitch = fitting.min(options.max_pitch).max(MIN_PITCH);
    let fit = ((options.columns + pitch).saturating_sub(STRIP_WIDTH) / pitch).clamp(1, channels.max(1));
    let last_first = channels.saturating_sub(fit);
    let first = match selected {
        Some(at) => options.first.clamp((at + 1).saturating_sub(fit), at),
        None => options.first,
    };
    let first = first.min(last_first);
    (first..(first + fit).min(channels), pitch)
}

fn build_strip(channel: usize, facts: &Facts<'_>) -> Strip {
    let Drawing { cells, strands, hidden, .. } = paint::paint_strip(facts);
    let mut places = vec![None; facts.row_count];
    for (at, &row) in facts.graph().graph().node_indices().zip(facts.node_rows.iter()) {
        let hidden = hidden.get(row).copied().unwrap_or_default();
        if let Some(place) = places.get_mut(row) {
            *place = Some(RowNode { node: at, marks: node_marks(facts, at), hidden });
        }
    }
    Strip { channel, cells, nodes: places, strands, hidden: hidden.iter().map(|h| h.replaces).sum() }
}

/// Bundle with the version that determines its row.
struct Member<'a> {
    name: &'a BundleName,
    version: Option<Cow<'a, VersionRelease>>,
}

/// Rows of a package, newest first: its bundles, all names in its channels, and removed bundles.
struct CommonRows<'a> {
    /// Names from top to bottom.
    names: Vec<&'a BundleName>,
    /// Row of each node, per channel.
    rows: Vec<Vec<usize>>,
    /// For each row, true if it is an end of an edge that points down, because the channels
    /// contradict each other.
    contradicts: Vec<bool>,
}

impl<'a> CommonRows<'a> {
    /// Sorts the rows, newest first. Edges point up unless they are on a cycle of several channels.
    /// `gone` are removed bundles.
    fn new(
        package: &'a PackageGraph,
        channels: &[&'a ChannelUpgrades],
        gone: &'a [(BundleName, Option<VersionRelease>)],
    ) -> Self {
        let mut all: DiGraph<Member<'a>, ()> = DiGraph::new();
        let mut by_name: HashMap<&BundleName, NodeIndex> = HashMap::new();
        let mut members: Vec<Vec<NodeIndex>> = Vec::with_capacity(channels.len());
        for channel in channels {
            let graph = channel.graph.graph();
            let place = |node: &'a olm_upgrade::GraphNode| {
                *by_name.entry(&node.name).or_insert_with(|| {
                    let version = order::version_or_from_name(node.name.as_str(), node.version.as_ref());
                    all.add_node(Member { name: &node.name, version })
                })
            };
            members.push(graph.node_weights().map(place).collect());
        }
        for bundle in &package.package.bundles {
            let name = &bundle.name.value;
            by_name.entry(name).or_insert_with(|| {
                all.add_node(Member {
                    name,
                    version: order::version_or_from_name(name.as_str(), bundle.version.as_ref()),
                })
            });
        }
        for (name, known) in gone {
            by_name.entry(name).or_insert_with(|| {
                all.add_node(Member {
                    name,
                    version: order::version_or_from_name(name.as_str(), known.as_ref()),
                })
            });
        }
        let edges = || {
            channels.iter().zip(&members).flat_map(|(channel, at)| {
                let edges = channel.graph.graph().raw_edges().iter();
                edges.map(|edge| (at[edge.source().index()], at[edge.target().index()]))
            })
        };
        edges().for_each(|(older, newer)| {
            all.add_edge(older, newer, ());
        });
        let order = order::sort_newest_first(&all, |member| member.version.as_deref().map(Cow::Borrowed));
        let mut row = vec![0; order.len()];
        order.iter().enumerate().for_each(|(index, at)| row[at.index()] = index);
        let mut contradicts = vec![false; order.len()];
        for (older, newer) in edges().map(|(older, newer)| (row[older.index()], row[newer.index()])) {
            if older < newer {
                contradicts[older] = true;
                contradicts[newer] = true;
            }
        }
        Self {
            names: order.iter().map(|&at| all[at].name).collect(),
            rows: members.iter().map(|at| at.iter().map(|at| row[at.index()]).collect()).collect(),
            contradicts,
        }
    }
}
