//! Suggestions for missing deprecations.

use super::DeprecationEffects;
use crate::{
    CatalogContext, Finding, Severity,
    review::{PackageState, findings},
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, PackageName,
    blob::{BundleBlob, DeprecationTarget},
    lifecycle::{Date, Lifecycle},
};
use olm_edit::Edit;
use olm_upgrade::ChannelGraph;
use olm_version::{Version, VersionRelease};

/// Suggested deprecation with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Name of the package.
    pub package: PackageName,
    /// Targets: one channel, or bundles, highest version first.
    pub targets: Vec<DeprecationTarget>,
    /// Reason for the suggestion.
    pub reason: SuggestionReason,
    /// Suggested message for users.
    pub message: String,
}

/// Reason for a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuggestionReason {
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
    pub fn describe_reason(&self, label: impl Fn(&BundleName) -> String) -> String {
        match &self.reason {
            SuggestionReason::Ended { version, end } => format!("support for {version} ended on {end}"),
            SuggestionReason::Unlisted { oldest } => {
                format!("older than {oldest}, the oldest version in the package's lifecycle data")
            }
            SuggestionReason::OldestHead { head, next, next_head } => format!(
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
pub fn suggest_deprecations(
    catalog: &Catalog,
    judged: &PackageState,
    today: Option<Date>,
) -> Vec<Suggestion> {
    let mut all: Vec<Suggestion> = suggest_oldest_channel(judged).into_iter().collect();
    if let Some(today) = today {
        let lifecycle = Lifecycle::from_package(catalog, judged.package());
        all.extend(suggest_ended_versions(judged, &lifecycle, today));
    }
    all.into_iter().filter_map(|suggestion| remove_harmful_targets(catalog, judged, suggestion)).collect()
}

/// Reduces a suggestion to the targets without harm. Each is tried: a deprecation that causes a finding or blocks a bundle
/// is not suggested.
fn remove_harmful_targets(
    catalog: &Catalog,
    judged: &PackageState,
    mut suggestion: Suggestion,
) -> Option<Suggestion> {
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

fn does_harm(catalog: &Catalog, judged: &PackageState, targets: &[DeprecationTarget], message: &str) -> bool {
    let package = &judged.package().name;
    let edits = targets.iter().map(|target| Edit::Deprecate {
        package: package.clone(),
        target: target.clone(),
        message: message.to_owned(),
    });
    let edit = Edit::Several { title: String::new(), edits: edits.collect() };
    let Ok(after) = olm_edit::apply_edit(catalog, &edit) else { return true };
    let Some(there) = after.package(package.as_str()) else { return true };
    let now = PackageState::judge_again(&CatalogContext::from_catalog(&after), there, judged);
    let (new, gone) = findings::compare_findings(
        PackageState::finding_list(catalog, Some(judged)),
        PackageState::finding_list(&after, Some(&now)),
    );
    let takes_a_way = DeprecationEffects::compare_states(package, Some(judged), Some(&now))
        .is_some_and(|effects| !effects.lost.is_empty() || !effects.stopped.is_empty());
    // The text of an existing note may change because it now applies to fewer bundles.
    let was_there = |new: &Finding| {
        let same = |old: &Finding| (old.rule, &old.channel) == (new.rule, &new.channel);
        new.severity() == Severity::Note && gone.iter().any(same)
    };
    takes_a_way || !new.iter().all(was_there)
}

fn suggest_ended_versions(judged: &PackageState, lifecycle: &Lifecycle, today: Date) -> Vec<Suggestion> {
    let package = judged.package();
    let mut bundles: Vec<(&BundleBlob, &VersionRelease)> =
        package.bundles.iter().filter_map(|b| Some((&**b, b.version.as_ref()?))).collect();
    bundles.sort_by(|(_, a), (_, b)| b.cmp_precedence(a));
    bundles.retain(|(bundle, _)| !is_already_deprecated(judged, &bundle.name.value));
    let mut all: Vec<Suggestion> = Vec::new();
    for (bundle, version) in bundles {
        let version = &version.version;
        let Some((why, message)) = find_reason(lifecycle, version, today) else { continue };
        let target = DeprecationTarget::Bundle(bundle.name.value.clone());
        match all.iter_mut().find(|known| known.reason == why) {
            Some(known) => known.targets.push(target),
            None => {
                all.push(Suggestion {
                    package: package.name.clone(),
                    targets: vec![target],
                    reason: why,
                    message,
                });
            }
        }
    }
    all
}

/// Returns the reason to deprecate a version, and a message for its users.
fn find_reason(lifecycle: &Lifecycle, version: &Version, today: Date) -> Option<(SuggestionReason, String)> {
    if let Some(known) = lifecycle.support_for(version) {
        let end = known.end_of_support().filter(|_| known.has_ended(today))?;
        let message = format!("Support of {} ended on {end}. Please upgrade.", known.name);
        return Some((SuggestionReason::Ended { version: known.name.clone(), end }, message));
    }
    let oldest = lifecycle.oldest_version().filter(|_| lifecycle.is_before_all(version))?;
    let message = format!("Versions before {oldest} are not supported. Please upgrade.");
    Some((SuggestionReason::Unlisted { oldest: oldest.to_owned() }, message))
}

/// Returns true if a bundle or all of its channels are deprecated.
fn is_already_deprecated(judged: &PackageState, name: &BundleName) -> bool {
    let package = judged.package();
    let mut homes = package.channels_with(name).peekable();
    package.bundle_deprecation(name).is_some()
        || (homes.peek().is_some()
            && homes.all(|channel| package.channel_deprecation(&channel.name.value).is_some()))
}

/// Returns the channel of a version, such as `stable-1.1`, whose head has an older minor version
/// than all other heads. `None` if a channel does not have exactly one head. Channels by maturity,
/// such as `stable` and `fast`, or `stable-1.1` and `fast-1.1`, are not compared; a stable channel is
/// often behind.
fn suggest_oldest_channel(judged: &PackageState) -> Option<Suggestion> {
    let package = judged.package();
    let heads: Option<Vec<ChannelHead<'_>>> =
        judged.graph.channels().iter().map(|c| channel_head(judged, &c.graph)).collect();
    let mut heads = heads?;
    heads.sort_by(|a, b| a.version.cmp_precedence(b.version));
    let [oldest, others @ ..] = heads.as_slice() else { return None };
    let next = others.first()?;
    let number = channel_number(oldest.channel)?;
    if others.iter().any(|head| channel_number(head.channel).as_ref() == Some(&number)) {
        return None;
    }
    let is_default = package.default_channel() == Some(oldest.channel);
    // A channel that is only behind in patch versions is not outdated; stable channels often are.
    let minor = |head: &ChannelHead<'_>| (head.version.version.major(), head.version.version.minor());
    if is_default || minor(oldest) >= minor(next) || package.channel_deprecation(oldest.channel).is_some() {
        return None;
    }
    let goes_on = package.default_channel().unwrap_or(next.channel);
    Some(Suggestion {
        package: package.name.clone(),
        targets: vec![DeprecationTarget::Channel(oldest.channel.clone())],
        reason: SuggestionReason::OldestHead {
            head: oldest.name.clone(),
            next: next.channel.clone(),
            next_head: next.name.clone(),
        },
        message: format!("Channel {} gets no more updates. Please switch to {goes_on}.", oldest.channel),
    })
}

/// Returns the number at the end of a channel's name: 1.10 of `stable-v1.10`. `None` if the name
/// does not end with a number.
fn channel_number(channel: &ChannelName) -> Option<Vec<u64>> {
    let name = channel.as_str();
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    name.get(digits..)?.split('.').map(|part| part.parse().ok()).collect()
}

struct ChannelHead<'a> {
    channel: &'a ChannelName,
    name: &'a BundleName,
    version: &'a VersionRelease,
}

fn channel_head<'a>(judged: &'a PackageState, graph: &'a ChannelGraph) -> Option<ChannelHead<'a>> {
    let name = &graph.head()?.name;
    Some(ChannelHead {
        channel: graph.name(),
        name,
        version: judged.package().bundle_version(name.as_str())?,
    })
}
