//! Sentences about paths: why they do not arrive, and what helps.

use std::fmt;

use super::{
    IgnoredEdge, PathFix, PathFixKind, PathOutcome, PathReport, PickedPath, StopReason, UnreachableReason,
    UpgradeContext,
};
use crate::{Engine, Refusal};
use olm_catalog::{BundleName, ChannelName};

/// Writes the OLM and the query: `Classic, channel stable` or `v1, all channels, version >=1.2, SelfCertified`.
impl fmt::Display for UpgradeContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classic(channel) => write!(f, "Classic, channel {channel}"),
            Self::V1(query) => write!(f, "v1, {query}"),
        }
    }
}

impl PickedPath {
    /// Returns a sentence with the reason why the path does not reach its goal. `None` if it does, or if it does not
    /// have a goal.
    pub fn reason(&self) -> Option<String> {
        let to = self.to.as_ref()?;
        Some(match &self.outcome {
            PathOutcome::Arrives => return None,
            PathOutcome::Stays { at, why } => format!("It stays on {at}: {}.", explain_stop(self, at, why)),
            PathOutcome::PassesBy { from, to: lands, skipped_by: None } => {
                format!("The upgrade from {from} goes to {lands}, past {to}.")
            }
            PathOutcome::PassesBy { from, to: lands, skipped_by: Some(by) } => {
                format!(
                    "The upgrade from {from} goes to {lands}, past {to}: {by} skips {to}, so Classic never \
                     installs it."
                )
            }
            PathOutcome::Never(never) => format!("{}.", explain_unreachable(self, to, never)),
            PathOutcome::Cycle { at } => format!("It returns to {at}: the upgrades form a cycle."),
            PathOutcome::Error { at, error } => {
                format!("On {at} {} reports an error: {error}.", self.context.engine())
            }
        })
    }
}

/// Writes the bundles in order, then the reason if the path does not reach its goal: `p.v1 -> p.v2. It stays on p.v2:
/// ...`.
impl fmt::Display for PickedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.from.name)?;
        self.hops.iter().try_for_each(|hop| write!(f, " -> {}", hop.to))?;
        self.reason().map_or(Ok(()), |reason| write!(f, ". {reason}"))
    }
}

fn explain_stop(path: &PickedPath, at: &BundleName, why: &StopReason) -> String {
    let place = || match &path.context {
        UpgradeContext::Classic(channel) => channel.to_string(),
        UpgradeContext::V1(query) => join_channels(&query.channels, "or"),
    };
    match why {
        StopReason::Head => format!("it is the head of {}", place()),
        StopReason::DeadEnd(ignored) => explain_dead_end(ignored),
        StopReason::NoEdge { is_entry: true } => {
            let entry = match &path.context {
                UpgradeContext::V1(query) if query.channels.is_empty() => "entry".to_owned(),
                _ => format!("entry of {}", place()),
            };
            format!("no {entry} replaces it, skips it, or has a skipRange that includes its version")
        }
        StopReason::NoEdge { is_entry: false } if path.from.name == *at && path.from.version.is_none() => {
            format!(
                "it is not in {}, no entry there replaces or skips it, and no skipRange can match, because \
             its version is unknown",
                place()
            )
        }
        StopReason::NoEdge { is_entry: false } => format!(
            "it is not in {}, and no entry there replaces it, skips it, or has a skipRange that includes \
             its version",
            place()
        ),
        StopReason::OwnRange { range } => {
            format!("its own skipRange {range} includes it, so it is its own successor")
        }
        StopReason::OnlyDeprecated(names) => {
            let are = if names.len() == 1 { "is" } else { "are" };
            format!("v1 prefers it to {}, which {are} deprecated", first_name_and_count(names))
        }
        StopReason::Constraint { constraint, to } => {
            format!("the version constraint {constraint} excludes the upgrade to {to}")
        }
        StopReason::OtherChannels { channel, to } => {
            format!("no edge in {}, but {channel} would upgrade it to {to}", place())
        }
        StopReason::Highest => "it is the highest version that is not deprecated".to_owned(),
    }
}

fn explain_dead_end(ignored: &[IgnoredEdge]) -> String {
    let Some(first) = ignored.first() else {
        return "no edge on the replaces chain leads from it to the head".to_owned();
    };
    let to = &first.to;
    let why = match &first.why {
        Refusal::Skipped { by, .. } => format!("{by} skips {to}, so Classic ignores its edges"),
        _ => format!("{to} is not on the replaces chain from the head"),
    };
    match ignored.len() {
        1 => format!("{to} would upgrade it, but {why}"),
        n => format!("{to} and {} more would upgrade it, but {why}, and so on", n - 1),
    }
}

fn explain_unreachable(path: &PickedPath, to: &BundleName, never: &UnreachableReason) -> String {
    let from = &path.from.name;
    match never {
        UnreachableReason::NoBundle => format!("{to} is only referenced: the package has no such bundle"),
        UnreachableReason::NotInChannel { channels, has } => {
            let has = match has.as_slice() {
                [] if channels.is_empty() => String::new(),
                [] => "; it is in no channel".to_owned(),
                has => format!("; it is in {}", join_channels(has, "and")),
            };
            format!("{to} is not in {}{has}", join_channels(channels, "or"))
        }
        UnreachableReason::Constraint { constraint } => {
            format!("the version constraint {constraint} excludes {to}")
        }
        UnreachableReason::NoVersion => format!("the version of {to} is invalid, so v1 ignores it"),
        UnreachableReason::Lower => format!("{to} is lower than {from}, and OLM does not downgrade"),
        UnreachableReason::Earlier => {
            format!("{to} is before {from} on the path to the head, and OLM does not go back")
        }
        UnreachableReason::Skipped { by } => format!("{by} skips {to}, so Classic never installs it"),
        UnreachableReason::OffChain => {
            format!("{to} is not on the replaces chain from the head, so Classic never installs it")
        }
    }
}

/// Formats a list of channels: `stable`, `stable or fast`, `any channel` for an empty list.
/// `and` is the last separator.
fn join_channels(channels: &[ChannelName], and: &str) -> String {
    match channels {
        [] => "any channel".to_owned(),
        [rest @ .., last] if !rest.is_empty() => {
            let rest: Vec<&str> = rest.iter().map(ChannelName::as_str).collect();
            format!("{} {and} {last}", rest.join(", "))
        }
        _ => channels.iter().map(ChannelName::as_str).collect(),
    }
}

fn first_name_and_count(names: &[BundleName]) -> String {
    match names {
        [first, _, ..] => format!("{first} and {} more", names.len() - 1),
        _ => names.iter().map(BundleName::as_str).collect(),
    }
}

impl PathReport {
    /// Returns sentences that say how the path can reach its goal: by a channel change, or by one added edge. Otherwise
    /// they say that no added skip helps.
    pub fn advice(&self) -> String {
        if let Some(words) = describe_channel_change(self) {
            return words;
        }
        if let Some(fix) = &self.fix {
            let is_own = self.path.context == UpgradeContext::Classic(fix.channel.clone())
                || self.path.context.engine() == Engine::V1;
            let after =
                if is_own { String::new() } else { format!(", with a change to channel {}", fix.channel) };
            return format!("One edit adds an upgrade path{after}: {fix}.");
        }
        let mut text = match &self.path.outcome {
            PathOutcome::PassesBy { skipped_by: None, .. } => match self.path.context {
                UpgradeContext::Classic(_) => {
                    "No skip helps: Classic prefers bundles closer to the head.".to_owned()
                }
                UpgradeContext::V1(_) => "No skip helps: v1 prefers the highest version.".to_owned(),
            },
            PathOutcome::Error { .. } => "No skip helps until that is fixed.".to_owned(),
            _ => "No skip helps.".to_owned(),
        };
        if let Some(constraint) = &self.constraint {
            text.push_str(&format!(" The version constraint {constraint} does."));
        }
        text
    }
}

/// Describes an upgrade path that reaches the target by a channel change, without an edit. `None`
/// if there is none.
fn describe_channel_change(route: &PathReport) -> Option<String> {
    let UpgradeContext::Classic(own) = &route.path.context else { return None };
    let mut channel = own;
    let mut parts = Vec::new();
    for hop in &route.channel_change {
        let of_hop = hop.channel()?;
        if of_hop != channel {
            channel = of_hop;
            parts.push(format!("change to {channel}"));
        }
        parts.push(hop.to.to_string());
    }
    (!parts.is_empty()).then(|| {
        let from = &route.path.from.name;
        format!("It arrives with a channel change, without an edit: {from}, {}.", parts.join(", "))
    })
}

/// Writes the added edge: `tide.v1.2.0 in stable skips tide.v1.0.0`.
impl fmt::Display for PathFix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, channel, from, .. } = self;
        match &self.kind {
            PathFixKind::Skips => write!(f, "{entry} in {channel} skips {from}"),
            PathFixKind::SkipRange { range } => write!(f, "{entry} in {channel} has skipRange {range}"),
        }
    }
}
