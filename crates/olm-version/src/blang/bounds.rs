//! Properties of whole ranges, for checks and screens.

use super::{Alternative, Operator, Range};
use crate::Version;

impl Alternative {
    /// Returns the lowest version that satisfies every comparator; `None` if there is none.
    ///
    /// The order of versions is not dense, so this is exact: `>1.0.0 <1.0.1-0` has none.
    pub fn lowest(&self) -> Option<Version> {
        if self.comparators.is_empty() {
            return None;
        }
        // The lowest of all versions is 0.0.0-0.
        let mut lowest = Version::parse("0.0.0-0").ok()?;
        for comparator in &self.comparators {
            let bound = match comparator.operator {
                Operator::Equal | Operator::GreaterOrEqual => comparator.version.clone(),
                Operator::Greater => comparator.version.successor()?,
                Operator::NotEqual | Operator::Less | Operator::LessOrEqual => continue,
            };
            if bound.cmp_precedence(&lowest).is_gt() {
                lowest = bound;
            }
        }
        // Ascending, so that each exclusion is visited once.
        let exclusions = self.comparators.iter().filter(|c| c.operator == Operator::NotEqual);
        let mut excluded: Vec<&Version> = exclusions.map(|c| &c.version).collect();
        excluded.sort_by(|a, b| a.cmp_precedence(b));
        for version in excluded {
            if version.cmp_precedence(&lowest).is_eq() {
                lowest = lowest.successor()?;
            }
        }
        self.matches(&lowest).then_some(lowest)
    }

    /// Returns true if matching versions are unbounded: it can match, and has no upper limit.
    pub fn is_unbounded_above(&self) -> bool {
        let limited = self
            .comparators
            .iter()
            .any(|c| matches!(c.operator, Operator::Equal | Operator::Less | Operator::LessOrEqual));
        !self.comparators.is_empty() && !limited
    }
}

impl Range {
    /// Returns true if no version matches.
    pub fn is_empty(&self) -> bool {
        self.reachable_alternatives().all(|a| a.lowest().is_none())
    }

    /// Returns true if versions without an upper limit match. As a `skipRange`, it also covers every future
    /// version.
    pub fn is_unbounded_above(&self) -> bool {
        self.reachable_alternatives().any(Alternative::is_unbounded_above)
    }

    /// Returns the alternatives before the first empty one, at which OLM crashes.
    fn reachable_alternatives(&self) -> impl Iterator<Item = &Alternative> {
        self.alternatives.iter().take_while(|a| !a.comparators.is_empty())
    }
}
