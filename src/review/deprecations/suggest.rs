//! Deprecations that are probably missing. They are suggested; nothing follows from leaving them out.

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

/// Something that could be deprecated, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The package.
    pub package: PackageName,
    /// What could be deprecated: one channel, or bundles, highest version first.
    pub targets: Vec<DeprecationTarget>,
    /// Why.
    pub why: Why,
    /// What users could be told.
    pub message: String,
}

/// Why something could be deprecated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The lifecycle of its version has ended.
    Ended {
        /// The version as the lifecycle blob names it.
        version: String,
        /// Its last day.
        end: Date,
    },
    /// Its version is older than all that the lifecycle blob speaks of.
    Unlisted {
        /// The oldest version it speaks of.
        oldest: String,
    },
    /// The head of the channel is older than that of every other channel.
    OldestHead {
        /// Its head.
        head: BundleName,
        /// The channel with the next older head.
        next: ChannelName,
        /// That head.
        next_head: BundleName,
    },
}

impl Suggestion {
    /// Why, in a sentence for people.
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

/// What could be deprecated in a package as of a day: channels first. Without a day nothing has ended.
///
/// What is deprecated already is left out, and a bundle that is only in deprecated channels: its users are told. The
/// default channel is never suggested.
pub fn suggestions(catalog: &Catalog, judged: &Judged, today: Option<Date>) -> Vec<Suggestion> {
    let mut all: Vec<Suggestion> = oldest_channel(judged).into_iter().collect();
    if let Some(today) = today {
        let lifecycle = Lifecycle::of(catalog, judged.package());
        all.extend(ended(judged, &lifecycle, today));
    }
    all.into_iter().filter_map(|suggestion| harmless(catalog, judged, suggestion)).collect()
}

/// What of a suggestion does no harm. It is tried out: what brings a finding, or leaves somebody without a way out, is no good
/// advice before something else is done.
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
    // A note that was there may be about less now, and so told in other words.
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

/// Why a version could be deprecated, and what its users could be told.
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

/// Whether the users of a bundle are told by a deprecation of it or of every channel that has it.
fn is_told(judged: &Judged, name: &BundleName) -> bool {
    let package = judged.package();
    let mut homes = package.channels_with(name).peekable();
    package.bundle_deprecation(name).is_some()
        || (homes.peek().is_some()
            && homes.all(|channel| package.channel_deprecation(&channel.name.value).is_some()))
}

/// The channel whose head is of an older minor version than every other's. Where one channel has no head, or several, nothing is known.
fn oldest_channel(judged: &Judged) -> Option<Suggestion> {
    let package = judged.package();
    let heads: Option<Vec<Head<'_>>> =
        judged.graph.channels().iter().map(|c| head(judged, &c.graph)).collect();
    let mut heads = heads?;
    heads.sort_by(|a, b| a.version.cmp_precedence(b.version));
    let [oldest, next, ..] = heads.as_slice() else { return None };
    let is_default = package.default_channel() == Some(oldest.channel);
    // A channel that is behind by patches only lags, as stable ones do.
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
