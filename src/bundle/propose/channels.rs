//! The channels that a set of bundles proposes.

use std::{cmp::Ordering, collections::BTreeMap};

use super::Placement;
use crate::version::VersionRelease;

/// Where the edges between bundles come from: the mode of `opm index add`, which `updateGraph` of an operator's `ci.yaml`
/// names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UpdateGraph {
    /// What each CSV says.
    #[default]
    Replaces,
    /// Each version replaces the next lower one.
    Semver,
    /// The same, and the highest patch of a minor version skips the others.
    SemverSkipPatch,
}

impl UpdateGraph {
    /// A mode by its name, with or without `-mode` at the end.
    pub fn parse(name: &str) -> Option<Self> {
        match name.strip_suffix("-mode").unwrap_or(name) {
            "replaces" => Some(Self::Replaces),
            "semver" => Some(Self::Semver),
            "semver-skippatch" => Some(Self::SemverSkipPatch),
            _ => None,
        }
    }
}

/// A channel that bundles propose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Its entries, the lowest version first.
    pub entries: Vec<Entry>,
}

/// An entry of a channel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The bundle.
    pub name: String,
    /// What it replaces.
    pub replaces: Option<String>,
    /// What it skips.
    pub skips: Vec<String>,
    /// The range it covers.
    pub skip_range: Option<String>,
}

/// The channels that bundles of one package propose, by name.
pub fn channels(placements: &[Placement], mode: UpdateGraph) -> Vec<Channel> {
    let mut members: BTreeMap<&str, Vec<(Option<VersionRelease>, &Placement)>> = BTreeMap::new();
    for placement in placements {
        for channel in &placement.channels {
            members.entry(channel).or_default().push((placement.version(), placement));
        }
    }
    let channel = |(name, mut members): (&str, Vec<(Option<VersionRelease>, &Placement)>)| {
        members
            .sort_by(|(a, x), (b, y)| by_version(a.as_ref(), b.as_ref()).then_with(|| x.name.cmp(&y.name)));
        let entries = match mode {
            UpdateGraph::Replaces => members.iter().map(|(_, placement)| placement.entry.clone()).collect(),
            UpdateGraph::Semver => each_replaces_the_next_lower(&members),
            UpdateGraph::SemverSkipPatch => patches_are_skipped(&members),
        };
        Channel { name: name.to_owned(), entries }
    };
    members.into_iter().map(channel).collect()
}

/// What has no version comes first.
pub(super) fn by_version(a: Option<&VersionRelease>, b: Option<&VersionRelease>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn each_replaces_the_next_lower(members: &[(Option<VersionRelease>, &Placement)]) -> Vec<Entry> {
    let before =
        std::iter::once(None).chain(members.iter().map(|(_, placement)| Some(placement.name.clone())));
    let entry = |((_, placement), replaces): (&(_, &Placement), _)| Entry { replaces, ..bare(placement) };
    members.iter().zip(before).map(entry).collect()
}

/// opm deletes the skipped patches from the channel; here they stay, as what is installed must be known.
fn patches_are_skipped(members: &[(Option<VersionRelease>, &Placement)]) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(members.len());
    let mut before: Option<&str> = None;
    for minor in members.chunk_by(|(a, _), (b, _)| minor(a.as_ref()) == minor(b.as_ref())) {
        let Some(((_, newest), patches)) = minor.split_last() else { continue };
        entries.extend(patches.iter().map(|(_, patch)| bare(patch)));
        entries.push(Entry {
            replaces: before.replace(&newest.name).map(str::to_owned),
            skips: patches.iter().map(|(_, patch)| patch.name.clone()).collect(),
            ..bare(newest)
        });
    }
    entries
}

fn bare(placement: &Placement) -> Entry {
    Entry { name: placement.name.clone(), ..Entry::default() }
}

fn minor(version: Option<&VersionRelease>) -> Option<(u64, u64)> {
    version.map(|version| (version.version.major(), version.version.minor()))
}
