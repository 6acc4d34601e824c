//! What a range covers as a whole: questions that checks and screens ask.

use super::{Alternative, Operator, Range};
use crate::version::Version;

impl Alternative {
    /// The lowest version that passes every comparator; `None` where nothing does.
    ///
    /// The order of versions is not dense, so this is exact: `>1.0.0 <1.0.1-0` has none.
    pub fn lowest(&self) -> Option<Version> {
        if self.comparators.is_empty() {
            return None;
        }
        // Nothing is lower than 0.0.0-0.
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
        // Upwards, so that each exclusion is looked at once.
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

    /// Whether versions match without end: something passes, and nothing limits it above.
    pub fn is_unbounded_above(&self) -> bool {
        let limited = self
            .comparators
            .iter()
            .any(|c| matches!(c.operator, Operator::Equal | Operator::Less | Operator::LessOrEqual));
        !self.comparators.is_empty() && !limited
    }
}

impl Range {
    /// Whether no version at all matches.
    pub fn is_empty(&self) -> bool {
        self.reached().all(|a| a.lowest().is_none())
    }

    /// Whether versions without upper limit match: as a `skipRange` it also covers every version to come.
    pub fn is_unbounded_above(&self) -> bool {
        self.reached().any(Alternative::is_unbounded_above)
    }

    /// The alternatives before one that crashes.
    fn reached(&self) -> impl Iterator<Item = &Alternative> {
        self.alternatives.iter().take_while(|a| !a.comparators.is_empty())
    }
}
