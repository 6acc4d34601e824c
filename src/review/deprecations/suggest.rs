//! Suggestions for missing deprecations.

use super::Effects;
use crate::{
    catalog::{
        BundleName, Catalog, ChannelName, PackageName,
        blob::{BundleBlob, DeprecationTarget},
        lifecycle::{Date, Lifecycle},
    },
    edit::{self, Edit},
    review::{Judged, findings},
    upgrade::ChannelGraph,
    validate::{Diagnostic, Severity, Surroundings},
    version::{Version, VersionRelease},
};

/// Suggested deprecation with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Name of the package.
    pub package: PackageName,
    /// Targets: one channel, or bundles, highest version first.
    pub targets: Vec<DeprecationTarget>,
    /// Reason for the suggestion.
    pub why: Why,
    /// Suggested message for users.
    pub message: String,
}

/// Reason for a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The support of its version has ended.
    Ended {
        /// Version as named in the lifecycle blob.
        version: String,
        /// Last day of support.
        end: Date,
    },
    /// Its version is older than all versions in the lifecycle blob.
    Unlisted {
        /// Oldest version in the blob.
        oldest: String,
    },
    /// The head of the channel is older than the heads of all other channels.
    OldestHead {
        /// Head of the channel.
        head: BundleName,
        /// Channel with the next older head.
        next: ChannelName,
        /// Head of that channel.
        next_head: BundleName,
    },
}

impl Suggestion {
    /// Describes the reason in a sentence.
    pub fn reason(&self, label: impl Fn(&BundleName) -> String) -> String {
        match &self.why {
            Why::Ended { version, end } => format!("support for {version} ended on {end}"),
            Why::Unlisted { oldest } => {
                format!("older than {oldest}, the oldest version in the package's lifecycle data")
            }
            Why::OldestHead { head, next, next_head } => format!(
                "its head {} is older than all other heads: the next is {} of {next}",
                label(head),
                label(next_head)
            ),
        }
    }
}

/// Suggests deprecations in a package as of a date: channels first. Without a date no support has ended.
///
/// Skips targets that are already deprecated, and bundles that are only in deprecated channels. Never suggests the default
/// channel.
pub fn suggestions(catalog: &Catalog, judged: &Judged, today: Option<Date>) -> Vec<Suggestion> {
    let mut all: Vec<Suggestion> = oldest_channel(judged).into_iter().collect();
    if let Some(today) = today {
        let lifecycle = Lifecycle::of(catalog, judged.package());
        all.extend(ended(judged, &lifecycle, today));
    }
    all.into_iter().filter_map(|suggestion| harmless(catalog, judged, suggestion)).collect()
}

/// Reduces a suggestion to the targets without harm. Each is tried: a deprecation that causes a finding or blocks a bundle
/// is not suggested.
fn harmless(catalog: &Catalog, judged: &Judged, mut suggestion: Suggestion) -> Option<Suggestion> {
    if !does_harm(catalog, judged, &suggestion.targets, &suggestion.message) {
        return Some(suggestion);
    }
    let Suggestion { targets, message, .. } = &mut suggestion;
    if targets.len() < 2 {
        return None;
    }
    targets.retain(|target| !does_harm(catalog, judged, std::slice::from_ref(target), message));
    (!targets.is_empty() && !does_harm(catalog, judged, targets, message)).then_some(suggestion)
}

fn does_harm(catalog: &Catalog, judged: &Judged, targets: &[DeprecationTarget], message: &str) -> bool {
    let package = &judged.package().name;
    let edits = targets.iter().map(|target| Edit::Deprecate {
        package: package.clone(),
        target: target.clone(),
        message: message.to_owned(),
    });
    let edit = Edit::Several { title: String::new(), edits: edits.collect() };
    let Ok(after) = edit::apply(catalog, &edit) else { return true };
    let Some(there) = after.package(package.as_str()) else { return true };
    let now = Judged::again(&Surroundings::of(&after), there, judged);
    let (new, gone) = findings::compare(&judged.findings, &now.findings);
    let takes_a_way = Effects::between(package, Some(judged), Some(&now))
        .is_some_and(|effects| !effects.lost.is_empty() || !effects.stopped.is_empty());
    // The text of an existing note may change because it now applies to fewer bundles.
    let was_there = |new: &Diagnostic| {
        let same = |old: &Diagnostic| (old.rule, &old.channel) == (new.rule, &new.channel);
        new.severity() == Severity::Note && gone.iter().any(same)
    };
    takes_a_way || !new.iter().all(was_there)
}

fn ended(judged: &Judged, lifecycle: &Lifecycle, today: Date) -> Vec<Suggestion> {
    let package = judged.package();
    let mut bundles: Vec<(&BundleBlob, &VersionRelease)> =
        package.bundles.iter().filter_map(|b| Some((&**b, b.version.as_ref()?))).collect();
    bundles.sort_by(|(_, a), (_, b)| b.cmp_precedence(a));
    bundles.retain(|(bundle, _)| !is_told(judged, &bundle.name.value));
    let mut all: Vec<Suggestion> = Vec::new();
    for (bundle, version) in bundles {
        let version = &version.version;
        let Some((why, message)) = why(lifecycle, version, today) else { continue };
        let target = DeprecationTarget::Bundle(bundle.name.value.clone());
        match all.iter_mut().find(|known| known.why == why) {
            Some(known) => known.targets.push(target),
            None => {
                all.push(Suggestion { package: package.name.clone(), targets: vec![target], why, message });
            }
        }
    }
    all
}

/// Returns the reason to deprecate a version, and a message for its users.
fn why(lifecycle: &Lifecycle, version: &Version, today: Date) -> Option<(Why, String)> {
    if let Some(known) = lifecycle.version(version) {
        let end = known.end().filter(|_| known.has_ended(today))?;
        let message = format!("Support of {} ended on {end}. Please upgrade.", known.name);
        return Some((Why::Ended { version: known.name.clone(), end }, message));
    }
    let oldest = lifecycle.oldest().filter(|_| lifecycle.is_before_all(version))?;
    let message = format!("Versions before {oldest} are not supported. Please upgrade.");
    Some((Why::Unlisted { oldest: oldest.to_owned() }, message))
}

/// Returns true if a bundle or all of its channels are deprecated.
fn is_told(judged: &Judged, name: &BundleName) -> bool {
    let package = judged.package();
    let mut homes = package.channels_with(name).peekable();
    package.bundle_deprecation(name).is_some()
        || (homes.peek().is_some()
            && homes.all(|channel| package.channel_deprecation(&channel.name.value).is_some()))
}

/// Returns the channel whose head has an older minor version than all other heads. `None` if a channel does not have exactly
/// one head.
fn oldest_channel(judged: &Judged) -> Option<Suggestion> {
    let package = judged.package();
    let heads: Option<Vec<Head<'_>>> =
        judged.graph.channels().iter().map(|c| head(judged, &c.graph)).collect();
    let mut heads = heads?;
    heads.sort_by(|a, b| a.version.cmp_precedence(b.version));
    let [oldest, next, ..] = heads.as_slice() else { return None };
    let is_default = package.default_channel() == Some(oldest.channel);
    // A channel that is only behind in patch versions is not outdated; stable channels often are.
    let minor = |head: &Head<'_>| (head.version.version.major(), head.version.version.minor());
    if is_default || minor(oldest) >= minor(next) || package.channel_deprecation(oldest.channel).is_some() {
        return None;
    }
    let goes_on = package.default_channel().unwrap_or(next.channel);
    Some(Suggestion {
        package: package.name.clone(),
        targets: vec![DeprecationTarget::Channel(oldest.channel.clone())],
        why: Why::OldestHead {
            head: oldest.name.clone(),
            next: next.channel.clone(),
            next_head: next.name.clone(),
        },
        message: format!("Channel {} gets no more updates. Please switch to {goes_on}.", oldest.channel),
    })
}

struct Head<'a> {
    channel: &'a ChannelName,
    name: &'a BundleName,
    version: &'a VersionRelease,
}

fn head<'a>(judged: &'a Judged, graph: &'a ChannelGraph) -> Option<Head<'a>> {
    let name = &graph.node(graph.head()?)?.name;
    Some(Head { channel: graph.name(), name, version: judged.package().version_of(name.as_str())? })
}
