//! What may be wrong with a package of a catalog: in a letter, in words, and how much it weighs.

use std::ops::Add;

/// What is counted, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// Errors of `validate`.
    Errors,
    /// Versions without an answer.
    Unanswered,
    /// Stuck versions: upgrades never lead to the current version of the package.
    Stuck,
    /// Versions that block the next OpenShift version, and no upgrade leads away from them.
    BlockedForGood,
    /// Versions that block the next OpenShift version until they are upgraded.
    Blocked,
    /// Versions whose next upgrade is to a deprecated bundle.
    Deprecated,
    /// Warnings of `validate`.
    Warnings,
}

/// Returns the marks with a count above zero, given the count of each.
pub fn some(count: impl Fn(Mark) -> usize) -> impl Iterator<Item = (Mark, usize)> {
    let marks = Mark::ALL.into_iter().map(move |mark| (mark, count(mark)));
    marks.filter(|(_, count)| *count > 0)
}

/// How much is wrong: for sorting, what is grave first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Trouble {
    /// Errors, and versions that get no further.
    pub grave: usize,
    /// What is worth a look.
    pub slight: usize,
}

impl Add for Trouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            grave: self.grave.saturating_add(other.grave),
            slight: self.slight.saturating_add(other.slight),
        }
    }
}

impl Mark {
    /// All of them, the worst first.
    pub const ALL: [Self; 7] = [
        Self::Errors,
        Self::Unanswered,
        Self::Stuck,
        Self::BlockedForGood,
        Self::Blocked,
        Self::Deprecated,
        Self::Warnings,
    ];

    /// In a cell: the sign before the count.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Errors => "E",
            Self::Unanswered => "?",
            Self::Stuck => "stuck",
            Self::BlockedForGood => "B",
            Self::Blocked => "b",
            Self::Deprecated => "o",
            Self::Warnings => "!",
        }
    }

    /// In a list: `3 stuck`, `1 error`.
    pub fn words(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Errors => ("error", "errors"),
            Self::Unanswered => ("without an answer", "without an answer"),
            Self::Stuck => ("stuck", "stuck"),
            Self::BlockedForGood => ("blocks without an upgrade", "block without an upgrade"),
            Self::Blocked => ("blocks until upgraded", "block until upgraded"),
            Self::Deprecated => ("lands on deprecated", "land on deprecated"),
            Self::Warnings => ("warning", "warnings"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }

    /// What it means, in a sentence for a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Errors => "errors that olmap validate finds in the package",
            Self::Unanswered => "without an answer: Classic or v1 reports an error for them",
            Self::Stuck => "upgrades never lead from them to the head of the default channel",
            Self::BlockedForGood => {
                "block the cluster's update to the next OpenShift version (olm.maxOpenShiftVersion), and no \
                 upgrade in this catalog leads to one that does not"
            }
            Self::Blocked => {
                "block the cluster's update to the next OpenShift version until they are upgraded"
            }
            Self::Deprecated => "land on deprecated: their next upgrade is to a deprecated bundle",
            Self::Warnings => {
                "warnings of olmap validate in the package; about templates only once those were read"
            }
        }
    }

    /// Whether it is an error, or versions get no further because of it.
    pub fn is_grave(self) -> bool {
        matches!(self, Self::Errors | Self::Unanswered | Self::Stuck | Self::BlockedForGood)
    }

    /// How much so many of it weigh.
    pub fn trouble(self, count: usize) -> Trouble {
        if self.is_grave() {
            Trouble { grave: count, slight: 0 }
        } else {
            Trouble { grave: 0, slight: count }
        }
    }
}
