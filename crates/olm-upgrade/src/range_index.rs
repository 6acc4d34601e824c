//! Index of skipRanges in an order of preference. It finds the first one that includes a version without evaluating
//! each.

use std::sync::OnceLock;

use olm_catalog::blob::Entry;
use olm_version::{
    Version,
    blang::{Alternative, Range, VersionInterval},
};

/// Number of ranges that are evaluated one after another before the index is used. Most picks are among them.
const MAX_SCANNED: usize = 16;

/// Candidates with skipRanges, by their ascending ranks.
#[derive(Clone, Debug, Default)]
pub(crate) struct RangedCandidates {
    ranks: Vec<usize>,
    /// Built on first use.
    index: OnceLock<RangeIndex>,
}

impl RangedCandidates {
    /// Adds a candidate with the next rank.
    pub(crate) fn push_rank(&mut self, rank: usize) {
        self.ranks.push(rank);
        self.index = OnceLock::new();
    }

    /// Returns the ranks of all candidates.
    pub(crate) fn ranks(&self) -> &[usize] {
        &self.ranks
    }

    /// Returns the first rank below `end` with an entry whose range includes a version. `entries` returns the entries
    /// of a rank.
    pub(crate) fn first_including<'e, I: Iterator<Item = &'e Entry>>(
        &self,
        version: &Version,
        end: Option<usize>,
        entries: impl Fn(usize) -> I,
    ) -> Option<usize> {
        let count = end.map_or(self.ranks.len(), |end| self.ranks.partition_point(|rank| *rank < end));
        let includes = |rank: usize| entries(rank).any(|entry| entry.range_matches(version));
        let near = self.ranks.iter().take(count.min(MAX_SCANNED)).copied();
        if let Some(found) = near.into_iter().find(|rank| includes(*rank)) {
            return Some(found);
        }
        if count <= MAX_SCANNED {
            return None;
        }
        let intervals = |rank: &usize| entries(*rank).flat_map(entry_intervals).collect::<Vec<_>>();
        let index = self.index.get_or_init(|| RangeIndex::from_intervals(self.ranks.iter().map(intervals)));
        let rank_at = |at: usize| self.ranks.get(at).copied();
        let at = index.find_first(version, count, |at| rank_at(at).is_some_and(includes))?;
        rank_at(at)
    }
}

/// Returns the intervals of the versions that a skipRange includes.
fn entry_intervals(entry: &Entry) -> impl Iterator<Item = VersionInterval> {
    let range = entry.skip_range.as_ref().and_then(|skip_range| skip_range.range.as_ref().ok());
    range.into_iter().flat_map(Range::alternatives).filter_map(Alternative::interval)
}

/// Binary tree over ranges in order. A node has the lowest and the highest bound of all ranges below it.
#[derive(Clone, Debug)]
struct RangeIndex {
    /// Bounds of all ranges, ascending.
    bounds: Vec<Version>,
    /// Root at 1, children of a node at twice its index. The ranges are the last half.
    nodes: Vec<Hull>,
}

/// Indices in [`RangeIndex::bounds`] of a lowest version and of the first version above the highest. Empty if the first
/// is not less than the second.
#[derive(Clone, Copy, Debug)]
struct Hull {
    low: usize,
    high: usize,
}

impl Hull {
    const EMPTY: Self = Self { low: usize::MAX, high: 0 };

    fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

impl RangeIndex {
    /// Builds the index of ranges in order, each with the intervals that it includes.
    fn from_intervals(ranges: impl Iterator<Item = Vec<VersionInterval>>) -> Self {
        let ranges: Vec<Vec<VersionInterval>> = ranges.collect();
        let mut bounds: Vec<Version> =
            ranges.iter().flatten().flat_map(VersionInterval::bounds).cloned().collect();
        bounds.sort_by(Version::cmp_precedence);
        bounds.dedup_by(|a, b| a.cmp_precedence(b).is_eq());
        let index_of = |bound: &Version| bounds.partition_point(|known| known.cmp_precedence(bound).is_lt());
        let hull = |interval: &VersionInterval| Hull {
            low: index_of(&interval.low),
            high: interval.high.as_ref().map_or(usize::MAX, index_of),
        };
        let leaves = ranges.len().next_power_of_two();
        let mut nodes = vec![Hull::EMPTY; 2 * leaves];
        for (node, intervals) in nodes.iter_mut().skip(leaves).zip(&ranges) {
            *node = intervals.iter().map(hull).fold(Hull::EMPTY, Hull::union);
        }
        for at in (1..leaves).rev() {
            nodes[at] = nodes[2 * at].union(nodes[2 * at + 1]);
        }
        Self { bounds, nodes }
    }

    /// Returns the first of the `count` first ranges that may include a version and for which `includes` returns true.
    fn find_first(&self, version: &Version, count: usize, includes: impl Fn(usize) -> bool) -> Option<usize> {
        let leaves = self.nodes.len() / 2;
        // Bounds up to the version.
        let passed = self.bounds.partition_point(|bound| bound.cmp_precedence(version).is_le());
        let mut left = vec![1];
        while let Some(node) = left.pop() {
            let is_possible =
                self.nodes.get(node).is_some_and(|hull| hull.low < passed && passed <= hull.high);
            if !is_possible {
                continue;
            }
            match node.checked_sub(leaves) {
                None => left.extend([2 * node + 1, 2 * node]),
                Some(at) if at >= count => return None,
                Some(at) if includes(at) => return Some(at),
                Some(_) => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    fn intervals(range: &Range) -> Vec<VersionInterval> {
        range.alternatives().iter().filter_map(Alternative::interval).collect()
    }

    fn index_of(ranges: &[Range]) -> RangeIndex {
        RangeIndex::from_intervals(ranges.iter().map(intervals))
    }

    fn any_version() -> impl Strategy<Value = String> {
        (0..3_u64, 0..3_u64, prop_oneof![Just(""), Just("-0"), Just("-rc.1"), Just("+5")])
            .prop_map(|(major, minor, end)| format!("{major}.{minor}.0{end}"))
    }

    fn any_range() -> impl Strategy<Value = Range> {
        let operator = prop_oneof![Just(">="), Just(">"), Just("<"), Just("<="), Just("="), Just("!=")];
        let comparator =
            (operator, any_version()).prop_map(|(operator, version)| format!("{operator}{version}"));
        let alternative = prop::collection::vec(comparator, 1..4).prop_map(|all| all.join(" "));
        let text = prop::collection::vec(alternative, 1..3).prop_map(|all| all.join(" || "));
        text.prop_map(|text| Range::parse(&text).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn first_range_is_that_of_a_scan(
            ranges in prop::collection::vec(any_range(), 0..20),
            version in any_version(),
            count in 0..21_usize,
        ) {
            let version = Version::parse(&version).unwrap();
            let count = count.min(ranges.len());
            let found = index_of(&ranges).find_first(&version, count, |at| ranges[at].matches(&version));
            prop_assert_eq!(found, ranges[..count].iter().position(|range| range.matches(&version)));
        }
    }

    #[test]
    fn few_of_many_shifted_ranges_are_evaluated() {
        let ranges: Vec<Range> = (0..4_096)
            .rev()
            .map(|n: u64| Range::parse(&format!(">={}.0.0 <{n}.0.0", n.saturating_sub(400))).unwrap())
            .collect();
        let index = index_of(&ranges);
        for version in [0, 7, 1_000, 4_094] {
            let version = Version::new(version, 0, 0);
            let evaluated = Cell::new(0);
            let includes = |at: usize| {
                evaluated.set(evaluated.get() + 1);
                ranges[at].matches(&version)
            };
            let scanned = ranges.iter().position(|range| range.matches(&version));
            assert_eq!(index.find_first(&version, ranges.len(), includes), scanned);
            assert_eq!(evaluated.get(), 1, "{version}");
        }
    }
}
