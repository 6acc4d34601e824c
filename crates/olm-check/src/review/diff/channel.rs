//! Differences of a channel: its entries, its heads and the edges of its graph.

use std::{cmp::Ordering, collections::BTreeSet};

use super::{
    ChangeKind, ValueChange,
    edges::{self, Edge},
    package,
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{ChannelBlob, EntrySpec},
    package::Package,
};
use olm_upgrade::ChannelGraph;
use olm_version::blang;

/// Difference of a channel.
#[derive(Clone, Debug)]
pub struct ChannelDiff {
    /// Name of the channel.
    pub name: ChannelName,
    /// Kind of the change.
    pub change_kind: ChangeKind,
    /// Change of its heads: entries that no other entry replaces or skips.
    pub heads: Option<ValueChange<Vec<BundleName>>>,
    /// Changed entries, highest version first.
    pub entries: Vec<EntryDiff>,
    /// New edges; a range represents an edge from each entry in it.
    pub new_edges: Vec<Edge>,
    /// Removed edges.
    pub removed_edges: Vec<Edge>,
    /// True if there are more edges than listed. At most a million are listed per direction.
    pub has_more_edges: bool,
}

/// Difference of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDiff {
    /// Name of the bundle.
    pub name: BundleName,
    /// Old content; `None` if the entry is new.
    pub before: Option<EntrySpec>,
    /// New content; `None` if the entry is removed.
    pub after: Option<EntrySpec>,
}

impl EntryDiff {
    /// Returns the kind of the change.
    pub fn change_kind(&self) -> ChangeKind {
        ChangeKind::from_presence(self.before.is_some(), self.after.is_some())
    }

    /// Returns the change of `replaces`, if any.
    pub fn replaces_change(&self) -> Option<ValueChange<Option<&BundleName>>> {
        fn replaces_of(spec: Option<&EntrySpec>) -> Option<&BundleName> {
            spec?.replaces.as_ref()
        }
        ValueChange::if_different(replaces_of(self.before.as_ref()), replaces_of(self.after.as_ref()))
    }

    /// Returns the newly skipped bundles.
    pub fn new_skips(&self) -> Vec<&BundleName> {
        skips_without(self.after.as_ref(), self.before.as_ref())
    }

    /// Returns the bundles that are no longer skipped.
    pub fn removed_skips(&self) -> Vec<&BundleName> {
        skips_without(self.before.as_ref(), self.after.as_ref())
    }

    /// Returns the change of the skipRange, if its meaning changes.
    pub fn skip_range_change(&self) -> Option<ValueChange<Option<&str>>> {
        fn range_of(spec: Option<&EntrySpec>) -> Option<&str> {
            spec?.skip_range.as_deref()
        }
        let (before, after) = (range_of(self.before.as_ref()), range_of(self.after.as_ref()));
        (!is_same_range(before, after)).then_some(ValueChange { before, after })
    }

    fn differs(&self) -> bool {
        self.change_kind() != ChangeKind::Changed
            || self.replaces_change().is_some()
            || !self.new_skips().is_empty()
            || !self.removed_skips().is_empty()
            || self.skip_range_change().is_some()
    }
}

fn skips_without<'a>(all: Option<&'a EntrySpec>, without: Option<&EntrySpec>) -> Vec<&'a BundleName> {
    let known: BTreeSet<&BundleName> = without.iter().flat_map(|spec| &spec.skips).collect();
    let mut told = BTreeSet::new();
    let all = all.map(|spec| spec.skips.as_slice()).unwrap_or_default();
    all.iter().filter(|name| !known.contains(name) && told.insert(*name)).collect()
}

/// Returns true if two ranges have the same text, or the same meaning for blang.
pub(super) fn is_same_range(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a == b };
    let read = |text: &str| blang::Range::parse(text);
    a == b || matches!((read(a), read(b)), (Ok(a), Ok(b)) if a.alternatives() == b.alternatives())
}

/// State of a channel: its document and its graph.
pub(super) type ChannelState<'a> = (&'a ChannelBlob, Option<&'a ChannelGraph>);

/// Compares the states of a channel.
pub(super) fn compare_channel(
    name: &ChannelName,
    (old, new): (Option<ChannelState<'_>>, Option<ChannelState<'_>>),
    (old_package, new_package): (&Package, &Package),
) -> Option<ChannelDiff> {
    let entries = |side: Option<ChannelState<'_>>| -> Vec<(BundleName, EntrySpec)> {
        let entries = side.map(|(blob, _)| blob.entries.as_slice()).unwrap_or_default();
        entries.iter().map(|entry| (entry.name.value.clone(), entry.to_spec())).collect()
    };
    let mut entries: Vec<EntryDiff> = package::pair_by_key(entries(old), entries(new))
        .into_iter()
        .map(|(name, before, after)| EntryDiff { name, before, after })
        .filter(EntryDiff::differs)
        .collect();
    entries.sort_by(|a, b| compare_newest_first(&a.name, &b.name, (old_package, new_package)));
    let heads = |side: Option<ChannelState<'_>>| -> Vec<BundleName> {
        let heads = |graph: &ChannelGraph| {
            graph.head_nodes().iter().filter_map(|at| graph.node(*at)).map(|n| n.name.clone()).collect()
        };
        let mut heads: Vec<BundleName> = graph_of(side).map(heads).unwrap_or_default();
        heads.sort();
        heads
    };
    let fate = ChangeKind::from_presence(old.is_some(), new.is_some());
    let heads = ValueChange::if_different(heads(old), heads(new));
    let (come, go) = (
        edges::find_extra_edges(graph_of(new), graph_of(old)),
        edges::find_extra_edges(graph_of(old), graph_of(new)),
    );
    let diff = ChannelDiff {
        name: name.clone(),
        change_kind: fate,
        heads,
        entries,
        new_edges: come.edges,
        removed_edges: go.edges,
        has_more_edges: come.is_cut || go.is_cut,
    };
    diff.differs().then_some(diff)
}

fn graph_of(side: Option<ChannelState<'_>>) -> Option<&ChannelGraph> {
    side?.1
}

/// Compares bundles: highest version first, bundles without a version last.
pub(in crate::review) fn compare_newest_first(
    a: &BundleName,
    b: &BundleName,
    (old, new): (&Package, &Package),
) -> Ordering {
    let version =
        |name: &BundleName| new.bundle_version(name.as_str()).or_else(|| old.bundle_version(name.as_str()));
    match (version(a), version(b)) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

impl ChannelDiff {
    fn differs(&self) -> bool {
        // A range may include other entries although the channel is unchanged, because the version
        // of a bundle changed.
        self.change_kind != ChangeKind::Changed
            || self.heads.is_some()
            || !self.entries.is_empty()
            || !self.new_edges.is_empty()
            || !self.removed_edges.is_empty()
    }
}
