//! What a resolver answers, and why.

use std::{
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

use super::{blocked::Blocked, graph::EdgeKind, installed::Installed};
use crate::{
    catalog::{BundleName, ChannelName},
    version::VersionRelease,
};

/// The two generations of OLM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// OLM v0: `Subscription`, one channel, the replaces chain.
    Classic,
    /// OLM v1: `ClusterExtension`, any channels, the highest version within reach.
    V1,
}

impl Engine {
    /// One after the other.
    pub const BOTH: &'static [Self] = &[Self::Classic, Self::V1];

    /// The name used on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::V1 => "v1",
        }
    }

    /// The name in a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Classic => "Classic",
            Self::V1 => "v1",
        }
    }
}

/// What a resolver would do, with the reasons.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Who answers.
    pub engine: Engine,
    /// What was installed; `None` for a fresh install.
    pub installed: Option<Installed>,
    /// What comes next. Classic: `None` means it stays. v1: the installed one means it stays.
    pub pick: Option<BundleName>,
    /// Why there is no answer, where the resolver would report an error.
    pub error: Option<ResolveError>,
    /// Classic: the chain, head first.
    pub order: Vec<BundleName>,
    /// What was considered, in the order in which the resolver prefers it.
    pub candidates: Vec<Candidate>,
    /// What would keep the pick from being installed on a cluster; not part of the pick.
    pub blocked: Vec<Blocked>,
    /// Classic: what comes of it with dependencies, where that was asked for; not part of the pick either.
    pub solved: Option<Solved>,
}

/// What OLM Classic does with dependencies, for one package alone in its namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// It installs this one of the package.
    Bundle(BundleName),
    /// What is installed stays.
    Stays,
    /// Nothing satisfies all constraints.
    Nothing,
}

impl Answer {
    pub(super) fn new(engine: Engine, installed: Option<&Installed>) -> Self {
        Self {
            engine,
            installed: installed.cloned(),
            pick: None,
            error: None,
            order: Vec::new(),
            candidates: Vec::new(),
            blocked: Vec::new(),
            solved: None,
        }
    }

    pub(super) fn failed(engine: Engine, installed: Option<&Installed>, error: ResolveError) -> Self {
        Self { error: Some(error), ..Self::new(engine, installed) }
    }

    /// Whether the installed bundle stays.
    pub fn stays(&self) -> bool {
        self.error.is_none()
            && self
                .installed
                .as_ref()
                .is_some_and(|installed| self.pick.is_none() || self.pick.as_ref() == Some(&installed.name))
    }

    /// The bundle an upgrade goes to; `None` where it stays or fails.
    pub fn moves_to(&self) -> Option<&BundleName> {
        let installed = self.installed.as_ref().map(|i| &i.name);
        self.pick.as_ref().filter(|&pick| Some(pick) != installed)
    }

    /// Returns true if the pick has a lower version than the installed bundle.
    pub fn moves_down(&self) -> bool {
        let installed = self.installed.as_ref().and_then(|installed| installed.version.as_ref());
        let pick = self.moves_to();
        let candidate = self.candidates.iter().find(|candidate| Some(&candidate.name) == pick);
        let version = candidate.and_then(|candidate| candidate.version.as_ref());
        installed.zip(version).is_some_and(|(installed, to)| to.cmp_precedence(installed).is_lt())
    }

    /// The candidate that won.
    pub fn winner(&self) -> Option<&Candidate> {
        let pick = self.pick.as_ref()?;
        self.candidates.iter().find(|c| &c.name == pick && matches!(c.verdict, Verdict::Admitted(_)))
    }

    /// One line: why this is the answer.
    pub fn reason(&self) -> String {
        if let Some(error) = &self.error {
            return error.to_string();
        }
        match (self.winner(), &self.installed) {
            (Some(winner), _) => match &winner.verdict {
                Verdict::Admitted(admission) => admission.to_string(),
                Verdict::Refused(refusal) => refusal.to_string(),
            },
            (None, Some(_)) => self.reason_to_stay(),
            (None, None) => "nothing to install".to_owned(),
        }
    }

    fn reason_to_stay(&self) -> String {
        let installed = self.installed.as_ref().map(|i| &i.name);
        if self.order.first() == installed {
            return "it is the head".to_owned();
        }
        let ignored =
            self.candidates.iter().find(|c| matches!(c.verdict, Verdict::Refused(Refusal::Skipped { .. })));
        match ignored {
            Some(Candidate { name, verdict: Verdict::Refused(Refusal::Skipped { by, .. }), .. }) => {
                format!("{name} would upgrade it, but {by} skips {name}, so Classic ignores its edges")
            }
            _ => "no entry replaces it, skips it, or has a skipRange that includes its version".to_owned(),
        }
    }
}

/// A bundle that was considered.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The bundle.
    pub name: BundleName,
    /// Its version, where known.
    pub version: Option<VersionRelease>,
    /// What became of it.
    pub verdict: Verdict,
}

/// Whether a bundle is a possible pick. The first admitted candidate wins.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It may be picked.
    Admitted(Admission),
    /// It may not.
    Refused(Refusal),
}

/// The rule by which a candidate is admitted.
#[derive(Clone, Debug, PartialEq)]
pub enum Admission {
    /// It replaces the installed bundle.
    Replaces {
        /// The channel of the entry that says so.
        channel: ChannelName,
        /// What is installed.
        installed: BundleName,
    },
    /// It skips the installed bundle.
    Skips {
        /// The channel of the entry that says so.
        channel: ChannelName,
        /// What is installed.
        installed: BundleName,
    },
    /// Its skipRange holds the installed version.
    Range {
        /// The channel of the entry that says so.
        channel: ChannelName,
        /// The range as written.
        range: String,
        /// The installed version.
        version: String,
    },
    /// v1: it is what is installed.
    Installed,
    /// Classic: the head is what a fresh install gets.
    Head,
    /// Classic: `startingCSV` asks for it.
    Starting,
    /// v1: nothing is installed, so edges do not matter.
    Fresh,
    /// v1: the policy `SelfCertified` ignores edges.
    SelfCertified,
}

impl Admission {
    /// The kind of the edge that admits it; `None` where no edge is asked for.
    pub fn edge(&self) -> Option<EdgeKind> {
        match self {
            Self::Replaces { .. } => Some(EdgeKind::Replaces),
            Self::Skips { .. } => Some(EdgeKind::Skips),
            Self::Range { .. } => Some(EdgeKind::SkipRange),
            Self::Installed | Self::Head | Self::Starting | Self::Fresh | Self::SelfCertified => None,
        }
    }

    /// The channel of the entry that gives the edge.
    pub fn channel(&self) -> Option<&ChannelName> {
        match self {
            Self::Replaces { channel, .. } | Self::Skips { channel, .. } | Self::Range { channel, .. } => {
                Some(channel)
            }
            Self::Installed | Self::Head | Self::Starting | Self::Fresh | Self::SelfCertified => None,
        }
    }
}

impl fmt::Display for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replaces { channel, installed } => write!(f, "replaces {installed} in {channel}"),
            Self::Skips { channel, installed } => write!(f, "skips {installed} in {channel}"),
            Self::Range { channel, range, version } => {
                write!(f, "skipRange {range} in {channel} includes {version}")
            }
            Self::Installed => f.write_str("no upgrade available"),
            Self::Head => f.write_str("it is the head of the channel"),
            Self::Starting => f.write_str("set by startingCSV"),
            Self::Fresh => f.write_str("highest version, nothing is installed"),
            Self::SelfCertified => f.write_str("highest version, SelfCertified ignores edges"),
        }
    }
}

/// The rule by which a candidate is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// Nothing leads to it from the installed bundle.
    NoEdge {
        /// Its skipRanges that do not hold the installed version, as written.
        ranges: Vec<String>,
    },
    /// Classic: another entry skips it, so Classic never lands on it and its edges do not count.
    Skipped {
        /// Who skips it.
        by: BundleName,
        /// The edge it would have had.
        edge: Box<Admission>,
    },
    /// Classic: it is not on the chain from the head.
    OffChain {
        /// The edge it would have had.
        edge: Box<Admission>,
    },
    /// v1: no listed channel has it.
    NotInChannels,
    /// v1: the version constraint leaves it out.
    Constraint {
        /// The constraint as written.
        constraint: String,
    },
    /// v1: it has no version that could be compared.
    NoVersion,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEdge { ranges } if ranges.is_empty() => f.write_str("no edge leads to it"),
            Self::NoEdge { ranges } => {
                write!(f, "no edge leads to it; skipRange {} does not match", ranges.join(", "))
            }
            Self::Skipped { by, edge } => {
                write!(f, "{by} skips it, so Classic ignores that it {}", verb(edge))
            }
            Self::OffChain { edge } => {
                write!(f, "it is not on the replaces chain from the head, although it {}", verb(edge))
            }
            Self::NotInChannels => f.write_str("not in the given channels"),
            Self::Constraint { constraint } => write!(f, "excluded by the version constraint {constraint}"),
            Self::NoVersion => f.write_str("its version cannot be read"),
        }
    }
}

fn verb(edge: &Admission) -> String {
    match edge {
        Admission::Range { range, .. } => format!("has skipRange {range}"),
        Admission::Replaces { installed, .. } => format!("replaces {installed}"),
        Admission::Skips { installed, .. } => format!("skips {installed}"),
        other => other.to_string(),
    }
}

/// Why a resolver gives no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ResolveError {
    /// The package is not in the catalog.
    #[error("no package {0} in the catalog")]
    NoPackage(String),
    /// The channel is not in the package.
    #[error("no channel {0} in the package")]
    NoChannel(String),
    /// Classic: every entry is replaced or skipped by another.
    #[error("channel {0} has no head: every entry is replaced or skipped")]
    NoHead(ChannelName),
    /// Classic: several entries are replaced and skipped by nothing.
    #[error("channel {channel} has {} heads ({}): Classic needs exactly one", heads.len(), list(heads))]
    SeveralHeads {
        /// The channel.
        channel: ChannelName,
        /// The heads.
        heads: Heads,
    },
    /// Classic: following `replaces` from the head comes back to where it was.
    #[error("channel {channel}: the replaces chain from {head} has a cycle at {at}")]
    Cycle {
        /// The channel.
        channel: ChannelName,
        /// Where the walk began.
        head: BundleName,
        /// The entry seen twice.
        at: BundleName,
    },
    /// Classic: the entry that `startingCSV` names is not in the channel.
    #[error("startingCSV {0} is not in the channel")]
    NoStartingCsv(BundleName),
    /// v1: the version constraint cannot be read.
    #[error("version constraint: {0}")]
    Constraint(String),
    /// v1: the installed version is not known or cannot be read.
    #[error("the version of the installed {0} is unknown")]
    NoInstalledVersion(BundleName),
    /// v1: a skipRange makes the resolver crash.
    #[error("skipRange {range} of {entry} crashes OLM")]
    RangeCrashes {
        /// The entry.
        entry: BundleName,
        /// Its range as written.
        range: String,
    },
    /// v1: nothing matches.
    #[error("no bundle of the package matches{0}")]
    NoMatch(String),
    /// v1: bundles match the version, but no edge leads to one.
    #[error("no edge leads to a bundle that matches{what}: {bundle} does")]
    NoEdge {
        /// The query.
        what: String,
        /// The first bundle that matches.
        bundle: BundleName,
    },
}

impl ResolveError {
    /// The error in the few words that a cell of a table has room for.
    pub fn brief(&self) -> String {
        match self {
            Self::NoHead(channel) => format!("{channel} has no head"),
            Self::SeveralHeads { channel, heads } => format!("{channel} has {} heads", heads.len()),
            Self::Cycle { channel, .. } => format!("{channel} has a cycle"),
            Self::NoMatch(what) => format!("nothing matches{what}"),
            Self::NoEdge { bundle, .. } => format!("no edge leads to {bundle}"),
            Self::RangeCrashes { entry, .. } => format!("the skipRange of {entry} crashes it"),
            other => other.to_string(),
        }
    }
}

/// The heads of a channel that has several. Every bundle of the channel is answered with them, so they are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads(Arc<[BundleName]>);

impl From<Vec<BundleName>> for Heads {
    fn from(heads: Vec<BundleName>) -> Self {
        Self(heads.into())
    }
}

impl Deref for Heads {
    type Target = [BundleName];

    fn deref(&self) -> &[BundleName] {
        &self.0
    }
}

/// A few of them tell lists of heads apart well enough.
impl Hash for Heads {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.len(), self.first(), self.last()).hash(state);
    }
}

/// The first names, and how many more there are.
fn list(names: &[BundleName]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(BundleName::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
