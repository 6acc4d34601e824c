//! Versions that several ranges cover together.

use super::{Alternative, Operator, Range};
use crate::Version;

/// Versions from the lowest one to below the upper bound.
#[derive(Clone, PartialEq, Debug)]
pub struct VersionInterval {
    /// The lowest version.
    pub low: Version,
    /// The first version above the interval; `None` if it has no upper bound.
    pub high: Option<Version>,
}

impl VersionInterval {
    /// Returns true if a version lies in the interval.
    pub fn includes(&self, version: &Version) -> bool {
        self.low.cmp_precedence(version).is_le() && is_below(version, self.high.as_ref())
    }

    /// Returns the lowest version, and the upper bound if there is one.
    pub fn bounds(&self) -> impl Iterator<Item = &Version> {
        [Some(&self.low), self.high.as_ref()].into_iter().flatten()
    }
}

impl Alternative {
    /// Returns the interval of the versions that match, without regard to `!=`; `None` if it is empty.
    pub fn interval(&self) -> Option<VersionInterval> {
        let mut low = Version::parse("0.0.0-0").ok()?;
        let mut high: Option<Version> = None;
        for comparator in self.comparators() {
            let version = &comparator.version;
            let (least, end) = match comparator.operator {
                Operator::NotEqual => continue,
                Operator::Equal => (Some(version.clone()), version.successor()),
                Operator::GreaterOrEqual => (Some(version.clone()), None),
                Operator::Greater => (Some(version.successor()?), None),
                Operator::Less => (None, Some(version.clone())),
                Operator::LessOrEqual => (None, version.successor()),
            };
            if let Some(least) = least.filter(|least| least.cmp_precedence(&low).is_gt()) {
                low = least;
            }
            if let Some(end) = end.filter(|end| is_below(end, high.as_ref())) {
                high = Some(end);
            }
        }
        let is_empty = self.comparators().is_empty() || !is_below(&low, high.as_ref());
        (!is_empty).then_some(VersionInterval { low, high })
    }
}

/// Versions that at least one of several ranges includes. A version that a range excludes with `!=` counts as
/// included, so a gap is never reported by mistake.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coverage {
    /// Sorted. There are versions between two of them.
    intervals: Vec<VersionInterval>,
}

impl Coverage {
    /// Returns the versions that the ranges cover.
    pub fn from_ranges<'a>(ranges: impl IntoIterator<Item = &'a Range>) -> Self {
        let alternatives = ranges.into_iter().flat_map(Range::alternatives);
        let mut sorted: Vec<VersionInterval> = alternatives.filter_map(Alternative::interval).collect();
        sorted.sort_by(|a, b| a.low.cmp_precedence(&b.low));
        let mut intervals: Vec<VersionInterval> = Vec::new();
        for next in sorted {
            let touches = |last: &VersionInterval| {
                last.high.as_ref().is_none_or(|end| next.low.cmp_precedence(end).is_le())
            };
            match intervals.last_mut().filter(|last| touches(last)) {
                Some(last) if last.high.as_ref().is_some_and(|end| is_below(end, next.high.as_ref())) => {
                    last.high = next.high;
                }
                Some(_) => {}
                None => intervals.push(next),
            }
        }
        Self { intervals }
    }

    /// Returns the covered versions as sorted intervals, with versions between each two of them.
    pub fn intervals(&self) -> &[VersionInterval] {
        &self.intervals
    }

    /// Returns true if a version is covered.
    pub fn includes(&self, version: &Version) -> bool {
        self.interval_at(version).is_some()
    }

    /// Returns the lowest version of an interval that is not covered; `None` if all of it is covered.
    pub fn first_gap(&self, interval: &VersionInterval) -> Option<Version> {
        let gap = match self.interval_at(&interval.low) {
            Some(covered) => covered.high.as_ref()?,
            None => &interval.low,
        };
        interval.includes(gap).then(|| gap.clone())
    }

    fn interval_at(&self, version: &Version) -> Option<&VersionInterval> {
        let after = self.intervals.partition_point(|interval| interval.low.cmp_precedence(version).is_le());
        let before = after.checked_sub(1).and_then(|at| self.intervals.get(at));
        before.filter(|interval| interval.includes(version))
    }
}

/// Returns true if a version is below an upper bound, if there is one.
fn is_below(version: &Version, bound: Option<&Version>) -> bool {
    bound.is_none_or(|bound| version.cmp_precedence(bound).is_lt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse_version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    fn coverage(ranges: &[&str]) -> Coverage {
        let ranges: Vec<Range> = ranges.iter().map(|text| Range::parse(text).unwrap()).collect();
        Coverage::from_ranges(&ranges)
    }

    fn interval(range: &str) -> VersionInterval {
        Range::parse(range).unwrap().alternatives()[0].interval().unwrap()
    }

    #[test]
    fn coverage_merges_touching_intervals() {
        let covered = coverage(&[">=2.0.0 <3.0.0", ">=1.0.0 <=1.4.9", ">=1.5.0-0 <2.0.0 || =4.0.0"]);
        for (version, is_covered) in [
            ("0.9.9", false),
            ("1.0.0", true),
            ("1.4.9", true),
            ("1.4.10", false),
            ("1.5.0", true),
            ("2.9.9", true),
            ("3.0.0", false),
            ("4.0.0", true),
            ("4.0.1", false),
        ] {
            assert_eq!(covered.includes(&parse_version(version)), is_covered, "{version}");
        }
        assert_eq!(covered.intervals().len(), 3);
    }

    #[test]
    fn range_without_upper_bound_covers_all_later_versions() {
        let covered = coverage(&[">1.0.0", "<0.5.0", ">=0.4.0 <1.0.0", ">=2.0.0 <3.0.0"]);
        for (version, is_covered) in [("0.1.0", true), ("1.0.0", false), ("1.0.1", true), ("99.0.0", true)] {
            assert_eq!(covered.includes(&parse_version(version)), is_covered, "{version}");
        }
        assert_eq!(covered.first_gap(&interval(">=0.5.0")), Some(parse_version("1.0.0")));
    }

    #[test]
    fn impossible_alternatives_cover_nothing() {
        assert_eq!(coverage(&[">=2.0.0 <1.0.0", ">1.0.0 <1.0.1-0"]), Coverage::default());
    }

    #[test]
    fn first_gap_starts_at_the_interval_or_above_a_covered_part() {
        let covered = coverage(&[">=1.0.0 <1.5.0", ">=1.7.0 <2.0.0"]);
        for (range, gap) in [
            (">=0.9.0 <1.2.0", Some("0.9.0")),
            (">=1.0.0 <1.6.0", Some("1.5.0")),
            (">=1.1.0 <1.5.0", None),
            (">=1.1.0", Some("1.5.0")),
            (">=1.8.0 <3.0.0", Some("2.0.0")),
            (">=1.8.0 <=2.0.0-0", None),
        ] {
            assert_eq!(covered.first_gap(&interval(range)), gap.map(parse_version), "{range}");
        }
    }

    fn any_range() -> impl Strategy<Value = String> {
        let comparator = (0..5usize, 0..3u8, 0..3u8)
            .prop_map(|(at, minor, patch)| format!("{}1.{minor}.{patch}", [">=", ">", "<", "<=", "="][at]));
        let alternative = prop::collection::vec(comparator, 1..3).prop_map(|all| all.join(" "));
        prop::collection::vec(alternative, 1..3).prop_map(|all| all.join(" || "))
    }

    proptest! {
        /// Without `!=`, the coverage is exact.
        #[test]
        fn coverage_is_the_union_of_its_ranges(ranges in prop::collection::vec(any_range(), 0..4), own in any_range()) {
            let ranges: Vec<Range> = ranges.iter().map(|text| Range::parse(text).unwrap()).collect();
            let covered = Coverage::from_ranges(&ranges);
            let is_covered = |version: &Version| ranges.iter().any(|range| range.matches(version));
            let versions = (0..4u64).flat_map(|minor| (0..4u64).map(move |patch| Version::new(1, minor, patch)));
            for version in versions.clone() {
                prop_assert_eq!(covered.includes(&version), is_covered(&version), "{}", version);
            }
            for alternative in Range::parse(&own).unwrap().alternatives() {
                let Some(interval) = alternative.interval() else {
                    prop_assert_eq!(alternative.lowest(), None);
                    continue;
                };
                let gap = covered.first_gap(&interval);
                if let Some(gap) = &gap {
                    prop_assert!(alternative.matches(gap) && !is_covered(gap));
                }
                let is_before_gap = |version: &Version| is_below(version, gap.as_ref());
                for version in versions.clone().filter(|version| interval.includes(version) && is_before_gap(version)) {
                    prop_assert!(is_covered(&version), "{}", version);
                }
            }
        }
    }
}
