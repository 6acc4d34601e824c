//! What differs of a channel: its entries and its heads, beside the edges of its graph.

use std::{cmp::Ordering, collections::BTreeSet};

use super::{
    Change, Fate,
    edges::{self, Edge},
    pairs,
};
use crate::{
    catalog::{
        BundleName, ChannelName,
        blob::{ChannelBlob, EntrySpec},
        package::Package,
    },
    upgrade::ChannelGraph,
    version::blang,
};

/// A channel that differs.
#[derive(Clone, Debug)]
pub struct ChannelDiff {
    /// Its name.
    pub name: ChannelName,
    /// What became of it.
    pub fate: Fate,
    /// Its heads: entries that no other replaces or skips.
    pub heads: Option<Change<Vec<BundleName>>>,
    /// Its entries that differ, the highest version first.
    pub entries: Vec<EntryDiff>,
    /// Edges that come, ranges expanded over the entries of the channel.
    pub new_edges: Vec<Edge>,
    /// Edges that go.
    pub gone_edges: Vec<Edge>,
    /// Whether there are more of either: of each, a million is listed.
    pub has_more_edges: bool,
}

/// An entry that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDiff {
    /// Its bundle.
    pub name: BundleName,
    /// What it asked for; `None` where it is new.
    pub before: Option<EntrySpec>,
    /// What it asks for; `None` where it is gone.
    pub after: Option<EntrySpec>,
}

impl EntryDiff {
    /// What became of it.
    pub fn fate(&self) -> Fate {
        Fate::of(self.before.is_some(), self.after.is_some())
    }

    /// What it replaces, where that differs.
    pub fn replaces(&self) -> Option<Change<Option<&BundleName>>> {
        fn of(spec: Option<&EntrySpec>) -> Option<&BundleName> {
            spec?.replaces.as_ref()
        }
        Change::between(of(self.before.as_ref()), of(self.after.as_ref()))
    }

    /// Bundles it skips now and did not.
    pub fn new_skips(&self) -> Vec<&BundleName> {
        less(self.after.as_ref(), self.before.as_ref())
    }

    /// Bundles it skipped and no longer does.
    pub fn gone_skips(&self) -> Vec<&BundleName> {
        less(self.before.as_ref(), self.after.as_ref())
    }

    /// Its skipRange, where that differs in meaning.
    pub fn skip_range(&self) -> Option<Change<Option<&str>>> {
        fn of(spec: Option<&EntrySpec>) -> Option<&str> {
            spec?.skip_range.as_deref()
        }
        let (before, after) = (of(self.before.as_ref()), of(self.after.as_ref()));
        (!same_range(before, after)).then_some(Change { before, after })
    }

    fn differs(&self) -> bool {
        self.fate() != Fate::Changed
            || self.replaces().is_some()
            || !self.new_skips().is_empty()
            || !self.gone_skips().is_empty()
            || self.skip_range().is_some()
    }
}

fn less<'a>(all: Option<&'a EntrySpec>, without: Option<&EntrySpec>) -> Vec<&'a BundleName> {
    let known: BTreeSet<&BundleName> = without.iter().flat_map(|spec| &spec.skips).collect();
    let mut told = BTreeSet::new();
    let all = all.map(|spec| spec.skips.as_slice()).unwrap_or_default();
    all.iter().filter(|name| !known.contains(name) && told.insert(*name)).collect()
}

/// Whether two ranges are written alike, or blang reads them alike.
pub(super) fn same_range(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a == b };
    let read = |text: &str| blang::Range::parse(text);
    a == b || matches!((read(a), read(b)), (Ok(a), Ok(b)) if a.alternatives() == b.alternatives())
}

/// A channel of one side: as written, and its graph.
pub(super) type Side<'a> = (&'a ChannelBlob, Option<&'a ChannelGraph>);

/// Compares a channel that is there before, after or both.
pub(super) fn compare(
    name: &ChannelName,
    (old, new): (Option<Side<'_>>, Option<Side<'_>>),
    (old_package, new_package): (&Package, &Package),
) -> Option<ChannelDiff> {
    let entries = |side: Option<Side<'_>>| -> Vec<(BundleName, EntrySpec)> {
        let entries = side.map(|(blob, _)| blob.entries.as_slice()).unwrap_or_default();
        entries.iter().map(|entry| (entry.name.value.clone(), entry.spec())).collect()
    };
    let mut entries: Vec<EntryDiff> = pairs::sorted(entries(old), entries(new))
        .into_iter()
        .map(|(name, before, after)| EntryDiff { name, before, after })
        .filter(EntryDiff::differs)
        .collect();
    entries.sort_by(|a, b| newest_first(&a.name, &b.name, (old_package, new_package)));
    let heads = |side: Option<Side<'_>>| -> Vec<BundleName> {
        let heads = |graph: &ChannelGraph| {
            graph.heads().iter().filter_map(|at| graph.node(*at)).map(|n| n.name.clone()).collect()
        };
        let mut heads: Vec<BundleName> = graph(side).map(heads).unwrap_or_default();
        heads.sort();
        heads
    };
    let fate = Fate::of(old.is_some(), new.is_some());
    let heads = Change::between(heads(old), heads(new));
    let (come, go) = (edges::lacking(graph(new), graph(old)), edges::lacking(graph(old), graph(new)));
    let diff = ChannelDiff {
        name: name.clone(),
        fate,
        heads,
        entries,
        new_edges: come.edges,
        gone_edges: go.edges,
        has_more_edges: come.is_cut || go.is_cut,
    };
    diff.differs().then_some(diff)
}

fn graph(side: Option<Side<'_>>) -> Option<&ChannelGraph> {
    side?.1
}

/// The order of two bundles: the highest version first, what has none last.
pub(in crate::review) fn newest_first(
    a: &BundleName,
    b: &BundleName,
    (old, new): (&Package, &Package),
) -> Ordering {
    let version = |name: &BundleName| new.version_of(name.as_str()).or_else(|| old.version_of(name.as_str()));
    match (version(a), version(b)) {
        (Some(a), Some(b)) => b.cmp_precedence(a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

impl ChannelDiff {
    fn differs(&self) -> bool {
        // A range may cover other entries than before though nobody touched the channel: a bundle got another version.
        self.fate != Fate::Changed
            || self.heads.is_some()
            || !self.entries.is_empty()
            || !self.new_edges.is_empty()
            || !self.gone_edges.is_empty()
    }
}
