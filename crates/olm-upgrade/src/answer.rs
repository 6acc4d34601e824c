//! Answer of a resolver, with its reasons.

use std::{
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

use super::{graph::EdgeKind, install_blockers::InstallBlocker, installed::Installed};
use olm_catalog::{BundleName, ChannelName};
use olm_version::VersionRelease;

/// Resolver: one of the two generations of OLM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Engine {
    /// OLM v0: `Subscription`, one channel, the replaces chain.
    Classic,
    /// OLM v1: `ClusterExtension`, any channels, the highest version with an edge.
    V1,
}

impl Engine {
    /// Both resolvers.
    pub const BOTH: &'static [Self] = &[Self::Classic, Self::V1];

    /// Consequence of a step to a lower version, which neither OLM checks.
    pub const DOWNGRADE_RISK: &'static str =
        "data may be lost: a lower version may not read what the higher one has stored";

    /// Returns the other engine.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Classic => Self::V1,
            Self::V1 => Self::Classic,
        }
    }

    /// Returns the name used on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::V1 => "v1",
        }
    }

    /// Returns the name for sentences.
    pub fn label(self) -> &'static str {
        match self {
            Self::Classic => "Classic",
            Self::V1 => "v1",
        }
    }

    /// Returns the verb for a step to a lower version. OLM v1 takes such a step only if it is forced to.
    pub fn downgrade_verb(self) -> &'static str {
        match self {
            Self::Classic => "is downgraded to",
            Self::V1 => "is forced back (ROLLBACK) to",
        }
    }
}

/// Writes the name for sentences.
impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// Answer of a resolver, with the reasons.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Resolver that gives the answer.
    pub engine: Engine,
    /// Installed bundle; `None` for a new installation.
    pub installed: Option<Installed>,
    /// Bundle that the resolver picks. If the installed bundle stays, Classic has `None` and v1 the
    /// installed bundle.
    pub pick: Option<BundleName>,
    /// Error that the resolver would report; `None` if it succeeds.
    pub error: Option<ResolveError>,
    /// Classic: the replaces chain, head first, without skipped entries. v1: empty.
    pub chain: Vec<BundleName>,
    /// Candidates in the resolver's order of preference.
    pub candidates: Vec<Candidate>,
    /// Reasons why a cluster would not install the pick; the pick does not depend on them.
    pub blocked: Vec<InstallBlocker>,
    /// Classic: result with dependencies, if requested. The pick does not depend on it.
    pub solved: Option<DependencyResult>,
}

/// Result of OLM Classic with dependencies, for one package in an otherwise empty namespace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DependencyResult {
    /// Bundle of the package that Classic installs.
    Bundle(BundleName),
    /// The installed bundle stays.
    Stays,
    /// No solution satisfies all constraints.
    Nothing,
}

impl Answer {
    pub(super) fn new(engine: Engine, installed: Option<&Installed>) -> Self {
        Self {
            engine,
            installed: installed.cloned(),
            pick: None,
            error: None,
            chain: Vec::new(),
            candidates: Vec::new(),
            blocked: Vec::new(),
            solved: None,
        }
    }

    pub(super) fn failed(engine: Engine, installed: Option<&Installed>, error: ResolveError) -> Self {
        Self { error: Some(error), ..Self::new(engine, installed) }
    }

    /// Returns true if the installed bundle stays.
    pub fn stays(&self) -> bool {
        self.error.is_none()
            && self
                .installed
                .as_ref()
                .is_some_and(|installed| self.pick.is_none() || self.pick.as_ref() == Some(&installed.name))
    }

    /// Returns the target of the upgrade; `None` if the bundle stays or the resolver fails.
    pub fn upgrade_target(&self) -> Option<&BundleName> {
        let installed = self.installed.as_ref().map(|i| &i.name);
        self.pick.as_ref().filter(|&pick| Some(pick) != installed)
    }

    /// Returns true if the pick has a lower version than the installed bundle.
    pub fn is_downgrade(&self) -> bool {
        let installed = self.installed.as_ref().and_then(|installed| installed.version.as_ref());
        let pick = self.upgrade_target();
        let candidate = self.candidates.iter().find(|candidate| Some(&candidate.name) == pick);
        let version = candidate.and_then(|candidate| candidate.version.as_ref());
        installed.zip(version).is_some_and(|(installed, to)| to.cmp_precedence(installed).is_lt())
    }

    /// Returns the candidate that the resolver picks.
    pub fn winner(&self) -> Option<&Candidate> {
        let pick = self.pick.as_ref()?;
        self.candidates.iter().find(|c| &c.name == pick && matches!(c.verdict, Verdict::Admitted(_)))
    }

    /// Returns the outcome as a verb and the bundle that it is about: `upgrades to` and the target, `stays on` and the
    /// installed bundle, `installs nothing` and `None`.
    pub fn outcome(&self) -> (&'static str, Option<&BundleName>) {
        let verb = match (&self.installed, self.upgrade_target()) {
            (Some(_), Some(_)) if self.is_downgrade() => self.engine.downgrade_verb(),
            (Some(_), Some(_)) => "upgrades to",
            (Some(_), None) => "stays on",
            (None, Some(_)) => "installs",
            (None, None) => "installs nothing",
        };
        (verb, self.upgrade_target().or(self.installed.as_ref().map(|installed| &installed.name)))
    }

    /// Returns the reason for the answer in one line.
    pub fn reason(&self) -> String {
        if let Some(error) = &self.error {
            return error.to_string();
        }
        match (self.winner(), &self.installed) {
            (Some(winner), _) => winner.verdict.to_string(),
            (None, Some(_)) => self.reason_to_stay(),
            (None, None) => "nothing to install".to_owned(),
        }
    }

    fn reason_to_stay(&self) -> String {
        let installed = self.installed.as_ref().map(|i| &i.name);
        if self.chain.first() == installed {
            return "it is the head".to_owned();
        }
        let mut candidates = self.candidates.iter();
        let skipped = candidates.find_map(|candidate| match &candidate.verdict {
            Verdict::Refused(Refusal::Skipped { by, .. }) => Some((&candidate.name, by)),
            _ => None,
        });
        if let Some((name, by)) = skipped {
            return format!("{name} would upgrade it, but {by} skips {name}, so Classic ignores its edges");
        }
        let entry = match self.engine {
            Engine::Classic => "entry of the channel",
            Engine::V1 => "entry",
        };
        format!("no {entry} replaces it, skips it, or has a skipRange that includes its version")
    }
}

/// Writes the outcome and its reason: `upgrades to p.v1.1.0: replaces p.v1.0.0 in stable`.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = &self.error {
            return write!(f, "error: {error}");
        }
        match self.outcome() {
            (verb, Some(bundle)) => write!(f, "{verb} {bundle}: {}", self.reason()),
            (verb, None) => f.write_str(verb),
        }
    }
}

/// Bundle that the resolver considered.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Name of the bundle.
    pub name: BundleName,
    /// Version of the bundle, if known.
    pub version: Option<VersionRelease>,
    /// Verdict on the bundle.
    pub verdict: Verdict,
}

/// Verdict on a candidate. The first admitted candidate wins.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Possible pick.
    Admitted(Admission),
    /// Not a possible pick.
    Refused(Refusal),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Admitted(admission) => admission.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

/// Rule that admits a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Admission {
    /// Replaces the installed bundle.
    Replaces {
        /// Channel with the edge.
        channel: ChannelName,
        /// Installed bundle.
        installed: BundleName,
    },
    /// Skips the installed bundle.
    Skips {
        /// Channel with the edge.
        channel: ChannelName,
        /// Installed bundle.
        installed: BundleName,
    },
    /// Its skipRange includes the installed version.
    Range {
        /// Channel with the edge.
        channel: ChannelName,
        /// The range as written.
        range: String,
        /// The installed version.
        version: String,
    },
    /// v1: it is the installed bundle.
    Installed,
    /// Classic: it is the head, for a new installation.
    Head,
    /// Classic: `startingCSV` names it.
    StartingCsv,
    /// v1: nothing is installed, so edges do not matter.
    FreshInstall,
    /// v1: the policy `SelfCertified` ignores edges.
    SelfCertified,
}

impl Admission {
    /// Returns the kind of the edge that admits the candidate; `None` if edges do not matter.
    pub fn edge(&self) -> Option<EdgeKind> {
        match self {
            Self::Replaces { .. } => Some(EdgeKind::Replaces),
            Self::Skips { .. } => Some(EdgeKind::Skips),
            Self::Range { .. } => Some(EdgeKind::SkipRange),
            Self::Installed | Self::Head | Self::StartingCsv | Self::FreshInstall | Self::SelfCertified => {
                None
            }
        }
    }

    /// Returns the channel of the edge.
    pub fn channel(&self) -> Option<&ChannelName> {
        match self {
            Self::Replaces { channel, .. } | Self::Skips { channel, .. } | Self::Range { channel, .. } => {
                Some(channel)
            }
            Self::Installed | Self::Head | Self::StartingCsv | Self::FreshInstall | Self::SelfCertified => {
                None
            }
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
            Self::StartingCsv => f.write_str("set by startingCSV"),
            Self::FreshInstall => f.write_str("highest version, nothing is installed"),
            Self::SelfCertified => f.write_str("highest version, SelfCertified ignores edges"),
        }
    }
}

/// Rule that refuses a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// There is no edge from the installed bundle.
    NoEdge {
        /// Its skipRanges as written, which exclude the installed version.
        ranges: Vec<String>,
    },
    /// Classic: another entry skips it, so Classic never picks it and ignores its edges.
    Skipped {
        /// Entry that skips it.
        by: BundleName,
        /// Its edge, which Classic ignores.
        edge: Box<Admission>,
    },
    /// Classic: it is not on the chain from the head.
    OffChain {
        /// Its edge, which Classic ignores.
        edge: Box<Admission>,
    },
    /// v1: none of the selected channels contains it.
    NotInChannels,
    /// v1: the version constraint excludes it.
    Constraint {
        /// The constraint as written.
        constraint: String,
    },
    /// v1: it does not have a version to compare.
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
                write!(f, "{by} skips it, so Classic ignores that it {}", describe_edge(edge))
            }
            Self::OffChain { edge } => {
                write!(
                    f,
                    "it is not on the replaces chain from the head, although it {}",
                    describe_edge(edge)
                )
            }
            Self::NotInChannels => f.write_str("not in the given channels"),
            Self::Constraint { constraint } => write!(f, "excluded by the version constraint {constraint}"),
            Self::NoVersion => f.write_str("its version cannot be read"),
        }
    }
}

fn describe_edge(edge: &Admission) -> String {
    match edge {
        Admission::Range { range, .. } => format!("has skipRange {range}"),
        Admission::Replaces { installed, .. } => format!("replaces {installed}"),
        Admission::Skips { installed, .. } => format!("skips {installed}"),
        other => other.to_string(),
    }
}

/// Error of a resolver.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ResolveError {
    /// Package that is not in the catalog.
    #[error("no package {0} in the catalog")]
    NoPackage(String),
    /// Channel that is not in the package.
    #[error("no channel {0} in the package")]
    NoChannel(String),
    /// Classic: another entry replaces or skips each entry.
    #[error("channel {0} has no head: every entry is replaced or skipped")]
    NoHead(ChannelName),
    /// Classic: several entries are neither replaced nor skipped.
    #[error("channel {channel} has {} heads ({}): Classic needs exactly one", heads.len(), join_names(heads))]
    SeveralHeads {
        /// Name of the channel.
        channel: ChannelName,
        /// The heads.
        heads: Heads,
    },
    /// Classic: the replaces chain from the head has a cycle.
    #[error("channel {channel}: the replaces chain from {head} has a cycle at {at}")]
    Cycle {
        /// Name of the channel.
        channel: ChannelName,
        /// Start of the chain.
        head: BundleName,
        /// First entry that repeats.
        at: BundleName,
    },
    /// Classic: the channel does not have the entry in `startingCSV`.
    #[error("startingCSV {0} is not in the channel")]
    NoStartingCsv(BundleName),
    /// v1: the version constraint cannot be read.
    #[error("version constraint: {0}")]
    Constraint(String),
    /// v1: the installed version is unknown or cannot be read.
    #[error("the version of the installed {0} is unknown")]
    NoInstalledVersion(BundleName),
    /// v1: a cluster does not serve the package, because part of the catalog cannot be read.
    #[error("a cluster with OLM v1 does not serve the package: {0}")]
    NotServed(String),
    /// v1: error of a resolution over the catalogs of one cluster.
    #[error("{text}")]
    OnCluster {
        /// Error in one or two words.
        brief: &'static str,
        /// The error.
        text: String,
    },
    /// v1: the version of the picked bundle cannot be read.
    #[error("the version of {0}, which v1 picks, cannot be read")]
    NoBundleVersion(BundleName),
    /// v1: the resolver crashes on a skipRange.
    #[error("skipRange {range} of {entry} crashes OLM")]
    RangeCrashes {
        /// Entry with the range.
        entry: BundleName,
        /// Range as written.
        range: String,
    },
    /// v1: no bundle matches.
    #[error("no bundle of the package matches{0}")]
    NoMatch(String),
    /// v1: bundles match, but no edge leads from the installed bundle to any of them.
    #[error("{}", describe_missing_edge(what, bundle))]
    NoEdge {
        /// Version and channels of the query, as the end of a sentence.
        what: String,
        /// The first bundle that matches.
        bundle: BundleName,
    },
}

impl ResolveError {
    /// Returns a short form for a table cell.
    pub fn brief(&self) -> String {
        match self {
            Self::NoHead(channel) => format!("{channel} has no head"),
            Self::SeveralHeads { channel, heads } => format!("{channel} has {} heads", heads.len()),
            Self::Cycle { channel, .. } => format!("{channel} has a cycle"),
            Self::NoMatch(what) => format!("nothing matches{what}"),
            Self::NoEdge { bundle, .. } => format!("no edge leads to {bundle}"),
            Self::NotServed(_) => "not served".to_owned(),
            Self::OnCluster { brief, .. } => (*brief).to_owned(),
            Self::RangeCrashes { entry, .. } => format!("the skipRange of {entry} crashes it"),
            other => other.to_string(),
        }
    }
}

fn describe_missing_edge(what: &str, bundle: &BundleName) -> String {
    match what {
        "" => "no edge leads to a bundle of the package".to_owned(),
        channels if channels.starts_with(" in ") => format!("no edge leads to a bundle{channels}"),
        what => format!("no edge leads to a bundle that matches{what}: {bundle} does"),
    }
}

/// Heads of a channel with several. They are shared, since the answer for each bundle contains them.
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

/// Hashes only the length and two names, because there may be thousands.
impl Hash for Heads {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.len(), self.first(), self.last()).hash(state);
    }
}

/// Lists the first names and the number of the others.
fn join_names(names: &[BundleName]) -> String {
    const SHOWN: usize = 20;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(BundleName::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
