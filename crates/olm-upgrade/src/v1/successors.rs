//! Successors of an installed bundle, with versions pinned.

use std::ops;

use super::{Ranked, Resolver, find_admission};
use crate::{answer::ResolveError, graph::EdgeKind, installed::Installed};
use olm_catalog::BundleName;
use olm_version::{Version, VersionRelease};

/// First edge of a bundle from a name: `replaces` or `skips`.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedEdge {
    /// Index in [`Resolver::ranked`].
    pub place: usize,
    /// Index of the entry among the selected entries of the bundle.
    pub entry: usize,
    pub kind: EdgeKind,
}

impl Resolver {
    /// Returns the edges that name a bundle, best first.
    pub(super) fn edges_from(&self, name: &BundleName) -> &[NamedEdge] {
        self.named_edges.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the indices in `ranked` of bundles with this precedence: those that are not deprecated, and the
    /// deprecated ones.
    pub(super) fn places_with_version(&self, wanted: &VersionRelease) -> [ops::Range<usize>; 2] {
        let places = |part: ops::Range<usize>| {
            let ranked = self.ranked.get(part.clone()).unwrap_or_default();
            let start = ranked.partition_point(|ranked| {
                ranked.version.as_ref().is_some_and(|version| version.cmp_precedence(wanted).is_gt())
            });
            let same = ranked.iter().skip(start).take_while(|ranked| ranked.has_version(wanted)).count();
            part.start + start..part.start + start + same
        };
        [places(0..self.first_deprecated), places(self.first_deprecated..self.ranked.len())]
    }

    /// Returns the indices in `ranked` of bundles that can have an edge from the installed bundle, or that have its
    /// version, in order. The other bundles have neither.
    fn possible_successors(&self, installed: &Installed, installed_version: &VersionRelease) -> Vec<usize> {
        let mut places: Vec<usize> = self.edges_from(&installed.name).iter().map(|edge| edge.place).collect();
        places.extend(self.ranged.ranks());
        places.extend(self.places_with_version(installed_version).into_iter().flatten());
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Returns the kind of the first edge from an installed bundle to the bundle at an index in `ranked`.
    fn first_edge_kind(&self, place: usize, installed: &Installed) -> Option<EdgeKind> {
        let edges = self.edges_from(&installed.name);
        let at = edges.binary_search_by_key(&place, |edge| edge.place).ok();
        let named = at.and_then(|at| edges.get(at));
        let mut before =
            self.ranked.get(place)?.selected_entries().take(named.map_or(usize::MAX, |edge| edge.entry));
        let version = &installed.version;
        let by_range =
            version.as_ref().is_some_and(|v| before.any(|(_, entry)| entry.range_matches(&v.version)));
        if by_range { Some(EdgeKind::SkipRange) } else { named.map(|edge| edge.kind) }
    }

    /// Returns the pick for each version that `spec.source.catalog.version` may pin, best first,
    /// with the kind of its edge. Excludes the installed bundle. The query must not pin a version.
    ///
    /// # Errors
    ///
    /// Fails if the installed version is unknown.
    pub fn successors(
        &self,
        installed: &Installed,
    ) -> Result<Vec<(&BundleName, Option<EdgeKind>)>, ResolveError> {
        let wanted = self.edge_version(Some(installed))?;
        let places = match &wanted {
            Some(wanted) => self.possible_successors(installed, wanted),
            None => (0..self.ranked.len()).collect(),
        };
        // Constraints ignore build metadata, so a pin gets the first of bundles that differ only in it. Versions
        // decrease in both parts.
        let (mut seen, mut seen_deprecated): (Vec<&Version>, Option<&Version>) = (Vec::new(), None);
        let mut found = Vec::new();
        for place in places {
            let Some(ranked) = self.ranked.get(place) else { continue };
            // A range never admits a bundle without a readable version.
            let Some(pinned) = ranked.version.as_ref().map(|version| &version.version) else { continue };
            let kind = self.first_edge_kind(place, installed);
            let is_same = wanted.as_ref().is_none_or(|wanted| ranked.has_version(wanted));
            if kind.is_none() && !is_same {
                continue;
            }
            let is_seen = |known: &&Version| known.cmp_precedence(pinned).is_eq();
            if place < self.first_deprecated {
                if seen.last().is_some_and(is_seen) {
                    continue;
                }
                seen.push(pinned);
            } else {
                let is_kept = seen.binary_search_by(|known| pinned.cmp_precedence(known)).is_ok();
                if is_kept || seen_deprecated.as_ref().is_some_and(is_seen) {
                    continue;
                }
                seen_deprecated = Some(pinned);
            }
            if ranked.bundle.name.value != installed.name
                && !self.crashes_for(pinned, installed, wanted.as_ref())
            {
                found.push((&ranked.bundle.name.value, kind));
            }
        }
        Ok(found)
    }

    /// Returns true if OLM crashes on a pinned version, because it checks the ranges of all bundles
    /// with that version.
    fn crashes_for(&self, pinned: &Version, installed: &Installed, wanted: Option<&VersionRelease>) -> bool {
        let is_asked = |ranked: &&Ranked| {
            let version = ranked.version.as_ref();
            version.is_some_and(|version| version.version.cmp_precedence(pinned).is_eq())
        };
        let crashes = |ranked: &Ranked| find_admission(ranked, Some(installed), wanted).is_err();
        self.may_crash && self.ranked.iter().filter(is_asked).any(crashes)
    }
}
