//! Marks for kinds of problems of a package in a catalog. Each has a sign, a text and a severity.

use std::ops::Add;

/// Mark for a kind of problem, most severe first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProblemMark {
    /// Errors of `validate`.
    Errors,
    /// Versions with a resolver error.
    Unanswered,
    /// Stuck versions: upgrades never lead to the current version of the package.
    Stuck,
    /// Versions that block the next OpenShift version and cannot be upgraded to a version that does
    /// not.
    BlocksPermanently,
    /// Versions that block the next OpenShift version until they are upgraded.
    BlocksUntilUpgraded,
    /// Versions whose next upgrade is to a deprecated bundle.
    Deprecated,
    /// Warnings of `validate`.
    Warnings,
}

/// Returns the marks with a count above zero; `count` returns the count of a mark.
pub fn nonzero_marks(count: impl Fn(ProblemMark) -> usize) -> impl Iterator<Item = (ProblemMark, usize)> {
    let marks = ProblemMark::ALL.into_iter().map(move |mark| (mark, count(mark)));
    marks.filter(|(_, count)| *count > 0)
}

/// Numbers of severe and minor problems. Severe problems are compared first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ProblemCount {
    /// Number of problems for which [`ProblemMark::is_severe`] is true.
    pub severe: usize,
    /// Number of minor problems.
    pub minor: usize,
}

impl Add for ProblemCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            severe: self.severe.saturating_add(other.severe),
            minor: self.minor.saturating_add(other.minor),
        }
    }
}

impl ProblemMark {
    /// All marks, most severe first.
    pub const ALL: [Self; 7] = [
        Self::Errors,
        Self::Unanswered,
        Self::Stuck,
        Self::BlocksPermanently,
        Self::BlocksUntilUpgraded,
        Self::Deprecated,
        Self::Warnings,
    ];

    /// Returns the sign before the count in a cell.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Errors => "E",
            Self::Unanswered => "?",
            Self::Stuck => "stuck",
            Self::BlocksPermanently => "B",
            Self::BlocksUntilUpgraded => "b",
            Self::Deprecated => "o",
            Self::Warnings => "!",
        }
    }

    /// Formats a count for a list: `3 stuck`, `1 error`.
    pub fn format_count(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Errors => ("error", "errors"),
            Self::Unanswered => ("without an answer", "without an answer"),
            Self::Stuck => ("stuck", "stuck"),
            Self::BlocksPermanently => ("blocks without an upgrade", "block without an upgrade"),
            Self::BlocksUntilUpgraded => ("blocks until upgraded", "block until upgraded"),
            Self::Deprecated => ("lands on deprecated", "land on deprecated"),
            Self::Warnings => ("warning", "warnings"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// Describes the mark in a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Errors => "errors that olmap validate finds in the package",
            Self::Unanswered => "without an answer: Classic or v1 reports an error for them",
            Self::Stuck => "upgrades never lead from them to the head of the default channel",
            Self::BlocksPermanently => {
                "block the cluster's update to the next OpenShift version (olm.maxOpenShiftVersion), and no \
                 upgrade in this catalog leads to one that does not"
            }
            Self::BlocksUntilUpgraded => {
                "block the cluster's update to the next OpenShift version until they are upgraded"
            }
            Self::Deprecated => "land on deprecated: their next upgrade is to a deprecated bundle",
            Self::Warnings => {
                "warnings of olmap validate in the package; about templates only once those were read"
            }
        }
    }

    /// Returns true for errors and for problems that leave versions without a further upgrade.
    pub fn is_severe(self) -> bool {
        matches!(self, Self::Errors | Self::Unanswered | Self::Stuck | Self::BlocksPermanently)
    }

    /// Converts a count to a number of problems.
    pub fn weigh(self, count: usize) -> ProblemCount {
        if self.is_severe() {
            ProblemCount { severe: count, minor: 0 }
        } else {
            ProblemCount { severe: 0, minor: count }
        }
    }
}
