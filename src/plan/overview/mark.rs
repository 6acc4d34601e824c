//! What may be wrong with a package of a catalog: in a letter, in words, and how much it weighs.

use std::ops::Add;

/// What is counted, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// Errors of `validate`.
    Errors,
    /// Versions without an answer.
    Unanswered,
    /// Versions that one of the two OLMs never leads to the head.
    Stranded,
    /// Versions that Classic never upgrades.
    DeadEnds,
    /// Versions that keep a cluster from its next OpenShift version, and that no upgrade leads away from.
    Stuck,
    /// Versions that keep it from that until they are upgraded.
    Blocked,
    /// Versions that v1 upgrades to a bundle outside the channel.
    Escaping,
    /// Versions whose next upgrade is to a deprecated bundle.
    Deprecated,
    /// Warnings of `validate`.
    Warnings,
}

/// What there is some of, given how many there are of each. Of dead ends and those who are stranded only the dead ends, where nobody
/// else is stranded.
pub fn some(count: impl Fn(Mark) -> usize) -> impl Iterator<Item = (Mark, usize)> {
    let only_dead_ends = count(Mark::Stranded) == count(Mark::DeadEnds);
    let is_told = move |mark: &Mark| *mark != Mark::Stranded || !only_dead_ends;
    let marks = Mark::ALL.into_iter().filter(is_told).map(move |mark| (mark, count(mark)));
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
    pub const ALL: [Self; 9] = [
        Self::Errors,
        Self::Unanswered,
        Self::Stranded,
        Self::DeadEnds,
        Self::Stuck,
        Self::Blocked,
        Self::Escaping,
        Self::Deprecated,
        Self::Warnings,
    ];

    /// In a cell: the sign before the count.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Errors => "E",
            Self::Unanswered => "?",
            Self::Stranded => "s",
            Self::DeadEnds => "d",
            Self::Stuck => "B",
            Self::Blocked => "b",
            Self::Escaping => "x",
            Self::Deprecated => "o",
            Self::Warnings => "!",
        }
    }

    /// In a list: `3 stranded`, `1 dead end`.
    pub fn words(self, count: usize) -> String {
        let (one, many) = match self {
            Self::Errors => ("error", "errors"),
            Self::Unanswered => ("without an answer", "without an answer"),
            Self::Stranded => ("stranded", "stranded"),
            Self::DeadEnds => ("dead end", "dead ends"),
            Self::Stuck => ("blocks without an upgrade", "block without an upgrade"),
            Self::Blocked => ("blocks until upgraded", "block until upgraded"),
            Self::Escaping => ("escapes", "escape"),
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
            Self::Stranded => {
                "stranded: on Classic or on v1 no upgrades lead from them to the head, as from dead ends; what v1 \
                 refuses to install is not looked at"
            }
            Self::DeadEnds => "dead ends: Classic never upgrades them though the head is higher",
            Self::Stuck => {
                "block the cluster's update to the next OpenShift version (olm.maxOpenShiftVersion), and no \
                 upgrade in this catalog leads to one that does not"
            }
            Self::Blocked => {
                "block the cluster's update to the next OpenShift version until they are upgraded"
            }
            Self::Escaping => "escape: v1 upgrades them to a bundle that is not in the default channel",
            Self::Deprecated => "land on deprecated: their next upgrade is to a deprecated bundle",
            Self::Warnings => {
                "warnings of olmap validate in the package; about templates only once those were read"
            }
        }
    }

    /// Whether it is an error, or versions get no further because of it.
    pub fn is_grave(self) -> bool {
        matches!(self, Self::Errors | Self::Unanswered | Self::Stranded | Self::DeadEnds | Self::Stuck)
    }

    /// How much so many of it weigh. Dead ends are among the stranded.
    pub fn trouble(self, count: usize) -> Trouble {
        match self.is_grave() {
            _ if self == Self::DeadEnds => Trouble::default(),
            true => Trouble { grave: count, slight: 0 },
            false => Trouble { grave: 0, slight: count },
        }
    }
}
