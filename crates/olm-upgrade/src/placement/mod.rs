//! Places of a new bundle in a channel: where its version puts it, and the edges that keep all upgrades.
//!
//! A bundle above the head becomes the head. A bundle below the head, such as a fix of an older minor version, must
//! not become the head, because that would downgrade users. It is placed below the next higher entry instead.

mod channel_minor;
mod choice;
mod range_convention;
#[cfg(test)]
mod tests;

pub use channel_minor::find_other_minor;
pub use choice::{ChosenPlacement, CsvConflict, PlacementChoice, PreviousRelease, WantedEdges, WantedPlace};

use std::cmp::Ordering;

use petgraph::graph::NodeIndex;

use range_convention::{RangeConvention, convention_range};

use super::{
    ChannelGraph, EdgeKind, PackageGraph, ResolveError, package::ChannelUpgrades,
    stuck::is_prerelease_channel, v1::effective_version,
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{Entry, EntrySpec},
};
use olm_version::{Version, VersionRelease, blang::Range};

/// Kinds of places of a new bundle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Placement {
    /// Only entry of a channel that is new or empty.
    First,
    /// New head, above all others.
    Head,
    /// Below the next higher entry, which skips it. OLM Classic never picks it. Installations of it upgrade.
    Skipped,
    /// Between two entries: the next higher entry replaces it.
    Step,
    /// Entry without other changes, because an entry already replaces or skips it.
    EntryOnly,
    /// New head although its version is lower than that of the head: users are downgraded.
    Downgrade,
}

impl Placement {
    /// Returns the name in options and JSON.
    pub fn id(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Head => "head",
            Self::Skipped => "skipped",
            Self::Step => "step",
            Self::EntryOnly => "entry",
            Self::Downgrade => "downgrade",
        }
    }
}

/// Form of the edges of the new entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EdgeForm {
    /// The form of the nearest entry of the channel.
    Like(BundleName),
    /// Only `replaces`.
    Replaces,
    /// The edges that the ClusterServiceVersion asks for.
    Csv,
}

/// A place of the new bundle, with all changes of the channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacementProposal {
    /// Kind of the place.
    pub placement: Placement,
    /// Edges of the new entry in each possible form, the preferred form first.
    pub forms: Vec<(EdgeForm, EntrySpec)>,
    /// Other entries that change, with their new edges.
    pub changes: Vec<(BundleName, EntrySpec)>,
    /// Next higher entry; `None` if the new bundle is the head.
    pub above: Option<BundleName>,
}

/// Reason why a bundle is not placed in a channel unless the user asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reservation {
    /// Its version is lower than those of all entries.
    OlderThanChannel,
    /// It is a pre-release, and the channel is not for pre-releases.
    Prerelease,
}

impl std::fmt::Display for Reservation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::OlderThanChannel => "too old for this channel",
            Self::Prerelease => "a pre-release, and the channel has releases",
        })
    }
}

/// Possible places of a bundle in a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelPlacements {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Places, the preferred one first. There is at least one.
    pub proposals: Vec<PlacementProposal>,
    /// Reason not to place it in this channel by default.
    pub reservation: Option<Reservation>,
    /// Current head; `None` if the channel is new or empty.
    pub head: Option<BundleName>,
    /// Edges that the ClusterServiceVersion asks for.
    pub csv: Option<EntrySpec>,
}

/// Reason why a bundle cannot be placed in a channel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// The package does not have the bundle.
    #[error("is not a bundle of the package")]
    NoBundle,
    /// The channel already contains the bundle.
    #[error("is already an entry")]
    AlreadyThere,
    /// The channel is invalid, so there is no place in it.
    #[error("is invalid: {0}")]
    InvalidChannel(ResolveError),
    /// The version of a bundle is unknown, so it has no place among the others.
    #[error("the version of {0} is unknown")]
    UnknownVersion(BundleName),
    /// An entry has the same version, and neither releases nor build metadata order them.
    #[error("{0} has the same version, and OLM does not order them")]
    SameVersion(BundleName),
    /// The bundle is older than the head, which is named.
    #[error("is older than the head {0}: as the head it downgrades users")]
    Downgrade(BundleName),
    /// The entries do not follow their versions at this place.
    #[error("cannot be a step: the chain does not follow the versions there")]
    NoStep,
    /// The ClusterServiceVersion has no edges.
    #[error("its ClusterServiceVersion asks for no edges")]
    NoCsvEdges,
}

impl ChannelPlacements {
    /// Finds the places of a bundle of the package in one of its channels. A missing channel counts as empty. `csv` has
    /// the edges that the ClusterServiceVersion asks for.
    ///
    /// # Errors
    ///
    /// Fails if the channel contains the bundle or is invalid, or if versions do not order the bundle and the entries.
    pub fn find_placements(
        package: &PackageGraph,
        channel: &ChannelName,
        bundle: &BundleName,
        csv: Option<&EntrySpec>,
    ) -> Result<Self, PlacementError> {
        if package.package.bundle(bundle.as_str()).is_none() {
            return Err(PlacementError::NoBundle);
        }
        let csv = csv.filter(|spec| **spec != EntrySpec::default());
        let in_empty_channel = || Self {
            channel: channel.clone(),
            proposals: vec![propose_first(package, channel, bundle, csv)],
            reservation: None,
            head: None,
            csv: csv.cloned(),
        };
        let Some(upgrades) = package.channel(channel.as_str()) else { return Ok(in_empty_channel()) };
        if upgrades.graph.entry_named(bundle.as_str()).is_some() {
            return Err(PlacementError::AlreadyThere);
        }
        if upgrades.graph.entry_nodes().next().is_none() {
            return Ok(in_empty_channel());
        }
        let unknown = || PlacementError::UnknownVersion(bundle.clone());
        let version =
            package.package.bundle_version(bundle.as_str()).map(effective_version).ok_or_else(unknown)?;
        let neighbors = Neighbors::find_neighbors(upgrades, bundle, &version)?;
        let mut found = neighbors.propose_placements(csv);
        let is_head_prerelease = neighbors.head_version.version.is_prerelease();
        if version.version.is_prerelease() && !is_head_prerelease && !is_prerelease_channel(channel) {
            found.reservation = Some(Reservation::Prerelease);
        }
        Ok(found)
    }

    /// Returns the proposal for a kind of place.
    pub fn proposal(&self, placement: Placement) -> Option<&PlacementProposal> {
        self.proposals.iter().find(|proposal| proposal.placement == placement)
    }
}

/// Returns the `skipRange` that an entry gets in the form of the entries around it. `None` if the nearest range of the
/// channel has another form, or if the version of the entry is unknown.
pub fn usual_skip_range(package: &PackageGraph, channel: &ChannelName, entry: &BundleName) -> Option<String> {
    let graph = &package.channel(channel.as_str())?.graph;
    let version = package.package.bundle_version(entry.as_str()).map(effective_version)?;
    let mut siblings: Vec<(VersionRelease, NodeIndex)> = graph
        .entry_nodes()
        .filter(|at| graph.entry(*at).is_some_and(|other| other.skip_range.is_some()))
        .filter(|at| graph.node(*at).is_some_and(|node| node.name != *entry))
        .filter_map(|at| Some((effective_version(graph.node(at)?.version.as_ref()?), at)))
        .collect();
    // Lower versions come first, nearest first, then higher ones.
    siblings.sort_by(|a, b| b.0.cmp_precedence(&a.0));
    let higher = siblings.partition_point(|(other, _)| other.cmp_precedence(&version).is_gt());
    let (higher, lower) = siblings.split_at(higher);
    let nearest = lower.iter().chain(higher.iter().rev()).map(|(_, at)| *at);
    let convention = RangeConvention::detect(graph, nearest)?;
    let replaced = graph.find_node(entry.as_str()).and_then(|at| graph.replaced_entry(at));
    convention_range(&convention, graph, replaced, &version.version)
}

/// Entry of a channel with its node in the graph.
#[derive(Clone, Copy, Debug)]
struct Neighbor<'a> {
    entry: &'a Entry,
    at: NodeIndex,
}

impl Neighbor<'_> {
    fn name(&self) -> &BundleName {
        &self.entry.name.value
    }
}

/// Entries near the place of a new bundle.
struct Neighbors<'a> {
    graph: &'a ChannelGraph,
    bundle: &'a BundleName,
    version: &'a VersionRelease,
    head: Neighbor<'a>,
    head_version: VersionRelease,
    /// Lowest higher entry on the chain that Classic walks; `None` if the bundle is above the head.
    above: Option<Neighbor<'a>>,
    /// Highest lower entry on that chain.
    below: Option<Neighbor<'a>>,
    /// Form of the ranges of the entries nearest to the place.
    convention: Option<RangeConvention>,
}

impl<'a> Neighbors<'a> {
    fn find_neighbors(
        upgrades: &'a ChannelUpgrades,
        bundle: &'a BundleName,
        version: &'a VersionRelease,
    ) -> Result<Self, PlacementError> {
        let graph = &upgrades.graph;
        let chain = upgrades.chain.as_ref().map_err(|error| PlacementError::InvalidChannel(error.clone()))?;
        let version_at = |at: NodeIndex| Some(effective_version(graph.node(at)?.version.as_ref()?));
        let order_of = |at: NodeIndex| version_at(at).map(|other| other.cmp_precedence(version));
        if let Some(same) = graph.entry_nodes().find(|at| order_of(*at) == Some(Ordering::Equal)) {
            let name = graph.node(same).map(|node| node.name.clone()).unwrap_or_default();
            return Err(PlacementError::SameVersion(name));
        }
        let neighbor = |at: NodeIndex| Some(Neighbor { entry: graph.entry(at)?, at });
        let no_head = || PlacementError::InvalidChannel(ResolveError::NoHead(graph.name().clone()));
        let head = chain.order.first().copied().and_then(neighbor).ok_or_else(no_head)?;
        let head_version =
            version_at(head.at).ok_or_else(|| PlacementError::UnknownVersion(head.name().clone()))?;
        let on_side = |side: Ordering| {
            let nodes = chain.order.iter().copied().filter(move |at| order_of(*at) == Some(side));
            nodes.filter_map(|at| Some((version_at(at)?, at)))
        };
        let compare =
            |a: &(VersionRelease, NodeIndex), b: &(VersionRelease, NodeIndex)| a.0.cmp_precedence(&b.0);
        let above = on_side(Ordering::Greater).min_by(compare).and_then(|(_, at)| neighbor(at));
        let below = on_side(Ordering::Less).max_by(compare).and_then(|(_, at)| neighbor(at));
        let mut near: Vec<_> = on_side(Ordering::Less).collect();
        near.sort_by(|a, b| compare(b, a));
        // Entries above are the only examples if none is below.
        let mut higher: Vec<_> = on_side(Ordering::Greater).collect();
        higher.sort_by(compare);
        let samples = near.into_iter().chain(higher).map(|(_, at)| at);
        let convention = RangeConvention::detect(graph, samples);
        Ok(Self { graph, bundle, version, head, head_version, above, below, convention })
    }

    fn propose_placements(&self, csv: Option<&EntrySpec>) -> ChannelPlacements {
        let mut placements = ChannelPlacements {
            channel: self.graph.name().clone(),
            proposals: Vec::new(),
            reservation: None,
            head: Some(self.head.name().clone()),
            csv: csv.cloned(),
        };
        if let Some(named) = self.graph.find_node(self.bundle.as_str()) {
            placements.proposals.push(self.propose_entry_only(named, csv));
            return placements;
        }
        let Some(above) = &self.above else {
            let plain = replacing(self.head.name());
            placements.proposals.push(propose(Placement::Head, self.head_forms(), plain, csv));
            return placements;
        };
        let mut lower = self.propose_below(Placement::Skipped, csv);
        let mut spec = above.entry.to_spec();
        self.insert_skip(&mut spec.skips, self.bundle);
        lower.changes.push((above.name().clone(), spec));
        lower.above = Some(above.name().clone());
        let step = self.propose_step(above, csv);
        if step.is_some() && self.is_range_of_above_covering() {
            placements.proposals.extend(step);
            placements.proposals.push(lower);
        } else {
            placements.proposals.push(lower);
            placements.proposals.extend(step);
        }
        let plain = replacing(self.head.name());
        placements.proposals.push(propose(Placement::Downgrade, Vec::new(), plain, csv));
        if self.is_older_than_all() {
            placements.reservation = Some(Reservation::OlderThanChannel);
        }
        placements
    }

    fn is_older_than_all(&self) -> bool {
        let mut versions = self.graph.entry_nodes().filter_map(|at| self.version_at(at));
        versions.all(|other| other.cmp_precedence(self.version).is_gt())
    }

    /// Returns true if the next higher entry upgrades the bundle and the next lower entry by its skipRange, and skips
    /// nothing by name. A step then costs users no additional upgrade, and the channel gets no list of skips.
    fn is_range_of_above_covering(&self) -> bool {
        let Some(above) = &self.above else { return false };
        let below = self.below.and_then(|below| self.range_version(below.at));
        above.entry.skips.is_empty()
            && above.entry.range_matches(&self.version.version)
            && below.is_none_or(|below| above.entry.range_matches(below))
    }

    /// Proposes the entry without other changes. It replaces the next lower entry, unless an entry with a lower version
    /// names it: then that edge could close a circle.
    fn propose_entry_only(&self, named: NodeIndex, csv: Option<&EntrySpec>) -> PlacementProposal {
        let naming = [EdgeKind::Replaces, EdgeKind::Skips];
        let mut naming = naming.into_iter().flat_map(|kind| self.graph.successors(named, kind));
        let is_higher =
            |at| self.version_at(at).is_some_and(|other| other.cmp_precedence(self.version).is_gt());
        let mut proposal = if naming.all(is_higher) {
            self.propose_below(Placement::EntryOnly, csv)
        } else {
            propose(Placement::EntryOnly, Vec::new(), EntrySpec::default(), csv)
        };
        proposal.above = self.above.map(|above| above.name().clone());
        proposal
    }

    /// Proposes an entry that replaces the next lower one.
    fn propose_below(&self, placement: Placement, csv: Option<&EntrySpec>) -> PlacementProposal {
        let plain =
            EntrySpec { replaces: self.below.map(|below| below.name().clone()), ..EntrySpec::default() };
        let like = self.with_range(plain.clone(), self.below.map(|below| below.at));
        propose(placement, like.into_iter().collect(), plain, csv)
    }

    /// Proposes a step between the next higher entry and the one it replaces. `None` if the chain does not follow the
    /// versions there.
    fn propose_step(&self, above: &Neighbor<'_>, csv: Option<&EntrySpec>) -> Option<PlacementProposal> {
        let replaced = above.entry.replaces.as_ref().map(|name| name.value.clone());
        let is_in_order = match (&replaced, &self.below) {
            (Some(replaced), Some(below)) => replaced == below.name(),
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if !is_in_order {
            return None;
        }
        let plain = EntrySpec { replaces: replaced.clone(), ..EntrySpec::default() };
        let like = self.with_range(plain.clone(), self.below.map(|below| below.at));
        let mut proposal = propose(Placement::Step, like.into_iter().collect(), plain, csv);
        let mut spec = above.entry.to_spec();
        spec.replaces = Some(self.bundle.clone());
        // Users of the replaced version need no second step.
        if spec.skip_range.is_none() {
            let low = replaced.and_then(|name| self.graph.find_node(name.as_str()));
            let bounds = low.and_then(|low| self.range_version(low)).zip(self.range_version(above.at));
            let range = bounds.map(|(low, high)| format!(">={low} <{high}"));
            // The range is empty if only releases order the two versions: ranges ignore releases.
            spec.skip_range = range.filter(|range| Range::parse(range).is_ok_and(|range| !range.is_empty()));
        }
        proposal.changes.push((above.name().clone(), spec));
        proposal.above = Some(above.name().clone());
        Some(proposal)
    }

    /// Returns the forms of a new head that follow the convention of the channel.
    fn head_forms(&self) -> Vec<(EdgeForm, EntrySpec)> {
        let head = self.head.entry.to_spec();
        let like = EdgeForm::Like(self.head.name().clone());
        if self.is_head_skipping_predecessor(&head) {
            let mut skips = head.skips.clone();
            self.insert_skip(&mut skips, self.head.name());
            let spec = EntrySpec { replaces: head.replaces.clone(), skips, skip_range: None };
            if head.skip_range.is_none() {
                return vec![(like, spec)];
            }
            // Users that upgrade to the head by its range must reach the new head by its range.
            let extended = self.convention.as_ref().filter(|convention| convention.keeps_lower_bound());
            let range = extended.and_then(|convention| {
                convention_range(convention, self.graph, Some(self.head.at), &self.version.version)
            });
            return match range {
                Some(range) => vec![(like, EntrySpec { skip_range: Some(range), ..spec })],
                None => Vec::new(),
            };
        }
        self.with_range(replacing(self.head.name()), Some(self.head.at)).into_iter().collect()
    }

    /// Inserts a name into a list of skips, at its place if the list is sorted by version, up or down, else at the end.
    fn insert_skip(&self, skips: &mut Vec<BundleName>, name: &BundleName) {
        let version_of = |name: &BundleName| match self.graph.find_node(name.as_str()) {
            Some(at) => self.version_at(at),
            None => (name == self.bundle).then(|| self.version.clone()),
        };
        let listed: Option<Vec<VersionRelease>> = skips.iter().map(version_of).collect();
        let place = listed.zip(version_of(name)).and_then(|(listed, own)| {
            let is_sorted = |order: Ordering| {
                listed.windows(2).all(|pair| matches!(pair, [a, b] if a.cmp_precedence(b) == order))
            };
            let first_beyond =
                |order: Ordering| listed.iter().position(|other| own.cmp_precedence(other) == order);
            match () {
                () if is_sorted(Ordering::Less) => first_beyond(Ordering::Less),
                () if is_sorted(Ordering::Greater) => first_beyond(Ordering::Greater),
                () => None,
            }
        });
        skips.insert(place.unwrap_or(skips.len()), name.clone());
    }

    /// Returns true if the head skips the entry before it and replaces an older one, as channels do that keep one
    /// version of each minor on the chain.
    fn is_head_skipping_predecessor(&self, head: &EntrySpec) -> bool {
        let lower = self.graph.entry_nodes().filter(|at| *at != self.head.at);
        let versions = lower.filter_map(|at| Some((self.version_at(at)?, at)));
        let predecessor = versions
            .filter(|(version, _)| version.cmp_precedence(&self.head_version).is_lt())
            .max_by(|a, b| a.0.cmp_precedence(&b.0))
            .and_then(|(_, at)| self.graph.node(at));
        predecessor
            .is_some_and(|node| head.skips.contains(&node.name) && head.replaces.as_ref() != Some(&node.name))
    }

    /// Adds the range of the channel's convention; `None` if the channel has none, or if it does not fit.
    fn with_range(&self, spec: EntrySpec, replaced: Option<NodeIndex>) -> Option<(EdgeForm, EntrySpec)> {
        let convention = self.convention.as_ref()?;
        let range = convention_range(convention, self.graph, replaced, &self.version.version)?;
        Some((EdgeForm::Like(convention.example.clone()), EntrySpec { skip_range: Some(range), ..spec }))
    }

    fn version_at(&self, at: NodeIndex) -> Option<VersionRelease> {
        self.graph.node(at)?.version.as_ref().map(effective_version)
    }

    /// Returns the version without its release, as ranges compare it.
    fn range_version(&self, at: NodeIndex) -> Option<&Version> {
        Some(&self.graph.node(at)?.version.as_ref()?.version)
    }
}

/// Proposes the only entry of a channel. If its name has the version of the bundle, and a channel of the previous release has
/// the same name with the version of that release, the entry gets a range in the form of that channel.
fn propose_first(
    package: &PackageGraph,
    channel: &ChannelName,
    bundle: &BundleName,
    csv: Option<&EntrySpec>,
) -> PlacementProposal {
    let like = || {
        let version = package.package.bundle_version(bundle.as_str())?;
        let previous = PreviousRelease::find_previous(&package.package, bundle)?;
        let (other, _) = previous.other_version.iter().find(|(_, renamed)| renamed == channel)?;
        let graph = &package.channel(other.as_str())?.graph;
        let order = graph.entry_nodes().filter_map(|at| Some((graph.node(at)?.version.as_ref()?, at)));
        let mut order: Vec<_> = order.map(|(version, at)| (effective_version(version), at)).collect();
        order.sort_by(|a, b| b.0.cmp_precedence(&a.0));
        let convention = RangeConvention::detect(graph, order.into_iter().map(|(_, at)| at))?;
        let range = convention_range(&convention, graph, None, &version.version)?;
        let spec = EntrySpec { skip_range: Some(range), ..EntrySpec::default() };
        Some((EdgeForm::Like(convention.example), spec))
    };
    propose(Placement::First, like().into_iter().collect(), EntrySpec::default(), csv)
}

fn replacing(name: &BundleName) -> EntrySpec {
    EntrySpec { replaces: Some(name.clone()), ..EntrySpec::default() }
}

/// Builds a proposal from the forms of the channel, the plain form and the one of the CSV. Equal forms are listed once.
fn propose(
    placement: Placement,
    mut forms: Vec<(EdgeForm, EntrySpec)>,
    plain: EntrySpec,
    csv: Option<&EntrySpec>,
) -> PlacementProposal {
    forms.push((EdgeForm::Replaces, plain));
    forms.extend(csv.map(|spec| (EdgeForm::Csv, spec.clone())));
    let mut seen: Vec<EntrySpec> = Vec::new();
    forms.retain(|(_, spec)| {
        let is_new = !seen.contains(spec);
        seen.push(spec.clone());
        is_new
    });
    PlacementProposal { placement, forms, changes: Vec::new(), above: None }
}
