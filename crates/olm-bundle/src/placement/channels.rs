//! Channels that a set of bundles proposes.

use std::{cmp::Ordering, collections::BTreeMap};

use super::Placement;
use olm_version::VersionRelease;

/// Source of the upgrade edges: the mode of `opm index add`, as in `updateGraph` of an operator's `ci.yaml`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UpdateGraph {
    /// The fields of each CSV.
    #[default]
    Replaces,
    /// Each version replaces the next lower one.
    Semver,
    /// Like `Semver`, and the highest patch of a minor version skips the others.
    SemverSkipPatch,
}

impl UpdateGraph {
    /// Parses a mode, with or without the suffix `-mode`.
    pub fn from_mode(name: &str) -> Option<Self> {
        match name.strip_suffix("-mode").unwrap_or(name) {
            "replaces" => Some(Self::Replaces),
            "semver" => Some(Self::Semver),
            "semver-skippatch" => Some(Self::SemverSkipPatch),
            _ => None,
        }
    }
}

/// A proposed channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// Name of the channel.
    pub name: String,
    /// Entries from the lowest version on.
    pub entries: Vec<Entry>,
}

/// An entry of a channel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// Name of the bundle.
    pub name: String,
    /// Replaced bundle.
    pub replaces: Option<String>,
    /// Skipped bundles.
    pub skips: Vec<String>,
    /// Range of versions that can upgrade to it.
    pub skip_range: Option<String>,
}

/// Returns the channels that bundles of one package propose, by name.
pub fn propose_channels(placements: &[Placement], mode: UpdateGraph) -> Vec<Channel> {
    let mut members: BTreeMap<&str, Vec<(Option<VersionRelease>, &Placement)>> = BTreeMap::new();
    for placement in placements {
        for channel in &placement.channels {
            members.entry(channel).or_default().push((placement.parsed_version(), placement));
        }
    }
    let channel = |(name, mut members): (&str, Vec<(Option<VersionRelease>, &Placement)>)| {
        members.sort_by(|(a, x), (b, y)| {
            compare_versions(a.as_ref(), b.as_ref()).then_with(|| x.name.cmp(&y.name))
        });
        let entries = match mode {
            UpdateGraph::Replaces => members.iter().map(|(_, placement)| placement.entry.clone()).collect(),
            UpdateGraph::Semver => semver_entries(&members),
            UpdateGraph::SemverSkipPatch => skip_patch_entries(&members),
        };
        Channel { name: name.to_owned(), entries }
    };
    members.into_iter().map(channel).collect()
}

/// Compares versions; an absent one is lowest.
pub(super) fn compare_versions(a: Option<&VersionRelease>, b: Option<&VersionRelease>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp_precedence(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn semver_entries(members: &[(Option<VersionRelease>, &Placement)]) -> Vec<Entry> {
    let before =
        std::iter::once(None).chain(members.iter().map(|(_, placement)| Some(placement.name.clone())));
    let entry =
        |((_, placement), replaces): (&(_, &Placement), _)| Entry { replaces, ..bare_entry(placement) };
    members.iter().zip(before).map(entry).collect()
}

/// Returns the entries for `SemverSkipPatch`. opm deletes the skipped patches from the channel; here they
/// remain, because they may be installed.
fn skip_patch_entries(members: &[(Option<VersionRelease>, &Placement)]) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(members.len());
    let mut before: Option<&str> = None;
    for minor in members.chunk_by(|(a, _), (b, _)| minor_version(a.as_ref()) == minor_version(b.as_ref())) {
        let Some(((_, newest), patches)) = minor.split_last() else { continue };
        entries.extend(patches.iter().map(|(_, patch)| bare_entry(patch)));
        entries.push(Entry {
            replaces: before.replace(&newest.name).map(str::to_owned),
            skips: patches.iter().map(|(_, patch)| patch.name.clone()).collect(),
            ..bare_entry(newest)
        });
    }
    entries
}

fn bare_entry(placement: &Placement) -> Entry {
    Entry { name: placement.name.clone(), ..Entry::default() }
}

fn minor_version(version: Option<&VersionRelease>) -> Option<(u64, u64)> {
    version.map(|version| (version.version.major(), version.version.minor()))
}
