//! Sentences and JSON rows about installed bundles whose next upgrade changes. Bundles with the
//! same outcome share a sentence.

mod folded;
pub mod fresh_installs;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::Serialize;

use super::stuck_changes;
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{ChangedUpgrade, FreshInstallChange, Harm, UpgradeOutcome};
use olm_upgrade::{Engine, table::NextUpgrade};

/// Maximum number of names in a sentence.
const MAX_NAMES: usize = 200;

/// Maximum number of names before the outcome in a sentence. A longer list is moved behind the
/// outcome, and only its first and last name stay in front.
const MAX_LEADING_NAMES: usize = 6;

pub use folded::{FoldedSentence, fold_upgrades_by_target};

/// Sentence about installed bundles with the same change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UpgradeSentence {
    /// OLM of the installed bundles.
    pub engine: Engine,
    /// Channel on Classic; `None` on v1.
    pub channel: Option<ChannelName>,
    /// First of the installed bundles.
    pub installed: BundleName,
    /// Sentence: the affected bundles, and their old and new upgrade.
    pub words: String,
    /// Sentence without the list of all bundles, if that is long.
    pub brief: String,
}

/// Installed bundles with the same outcome.
struct Group<'a> {
    first: &'a ChangedUpgrade,
    /// Bundles, each with its index in the input, which is sorted by version.
    installed: Vec<(usize, &'a ChangedUpgrade)>,
}

/// Key of a group: package, OLM, channel, new step and old step. The old step is `None` if it does
/// not matter, because the new step is a dead end or an error, or the old one was an error.
type OutcomeKey<'a> = (&'a PackageName, Engine, Option<&'a ChannelName>, Step<'a>, Option<Step<'a>>);

/// Step of an installed bundle: the next upgrade, whether it is a dead end of the channel, and
/// whether it leaves the default channel.
type Step<'a> = (&'a NextUpgrade, bool, bool);

fn next_step(outcome: &UpgradeOutcome) -> Step<'_> {
    (&outcome.next, outcome.dead_end, outcome.escapes)
}

/// Returns true if the path ends here in a dead end or an error. The old step then does not matter.
fn is_path_end(outlook: &UpgradeOutcome) -> bool {
    outlook.dead_end || matches!(outlook.next, NextUpgrade::Error(_))
}

fn outcome_key(changed: &ChangedUpgrade) -> OutcomeKey<'_> {
    let matters = !is_path_end(&changed.after) && !matches!(changed.before.next, NextUpgrade::Error(_));
    let before = matters.then(|| next_step(&changed.before));
    (&changed.package, changed.engine, changed.channel.as_ref(), next_step(&changed.after), before)
}

/// Groups bundles with the same outcome, in input order.
fn group_by_outcome(moved: &[ChangedUpgrade]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<OutcomeKey<'_>, usize> = HashMap::new();
    for (at, moved) in moved.iter().enumerate() {
        let key = outcome_key(moved);
        // A group without an old step in its key accepts any old step.
        let any_before = places.get(&(key.0, key.1, key.2, key.3, None));
        let place = match (any_before, places.get(&key)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&place), None) | (None, Some(&place)) => place,
            (None, None) => {
                places.insert(key, groups.len());
                groups.push(Group { first: moved, installed: Vec::new() });
                groups.len() - 1
            }
        };
        if let Some(group) = groups.get_mut(place) {
            group.installed.push((at, moved));
        }
    }
    groups
}

/// Minimum number of groups with the same target to merge them.
const MIN_MERGED_GROUPS: usize = 3;

/// Groups bundles by outcome, and merges groups with the same new step if there are at least
/// [`MIN_MERGED_GROUPS`] of them, even if their old steps differ.
fn group_by_target(moved: &[ChangedUpgrade]) -> Vec<Group<'_>> {
    let end = |group: &Group<'_>| {
        let (package, engine, channel, after, _) = outcome_key(group.first);
        // The key owns its names, because the groups are moved below.
        (package.clone(), engine, channel.cloned(), after.0.clone(), after.1, after.2)
    };
    let all = group_by_outcome(moved);
    let mut counts = HashMap::new();
    for group in &all {
        *counts.entry(end(group)).or_insert(0_usize) += 1;
    }
    let mut places = HashMap::new();
    let mut joined: Vec<Group<'_>> = Vec::new();
    for mut group in all {
        let key = end(&group);
        let is_joined = counts.get(&key).is_some_and(|count| *count >= MIN_MERGED_GROUPS);
        let first = *places.entry(key).or_insert(joined.len());
        match joined.get_mut(first).filter(|_| is_joined) {
            Some(first) => first.installed.append(&mut group.installed),
            None => joined.push(group),
        }
    }
    for group in &mut joined {
        group.installed.sort_unstable_by_key(|(at, _)| *at);
    }
    joined
}

/// Returns one sentence per outcome. `label` returns the display name of a bundle of a package.
pub fn describe_changed_upgrades(
    moved: &[ChangedUpgrade],
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<UpgradeSentence> {
    describe_outcome_groups(group_by_outcome(moved), label)
}

/// Returns fewer sentences for limited space: many bundles with one successor share a sentence.
pub fn describe_upgrades_by_target(
    moved: &[ChangedUpgrade],
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<UpgradeSentence> {
    describe_outcome_groups(group_by_target(moved), label)
}

fn describe_outcome_groups(
    groups: Vec<Group<'_>>,
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<UpgradeSentence> {
    groups.into_iter().map(|group| describe_outcome_group(group, &label)).collect()
}

/// Describes the next step of an installed bundle.
fn describe_next_step(outcome: &UpgradeOutcome, label: impl Fn(&BundleName) -> String) -> String {
    match &outcome.next {
        NextUpgrade::Stays if outcome.dead_end => "never upgrades".to_owned(),
        NextUpgrade::Stays => "stays".to_owned(),
        NextUpgrade::To(name) if outcome.escapes => format!("{}, outside the default channel", label(name)),
        NextUpgrade::To(name) => label(name),
        NextUpgrade::Error(error) => format!("error: {error}"),
    }
}

fn describe_outcome_group(
    Group { first, installed }: Group<'_>,
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> UpgradeSentence {
    let next = |outcome: &UpgradeOutcome| describe_next_step(outcome, |name| label(&first.package, name));
    let channel = first.channel.as_ref().map(|c| format!("{c}: ")).unwrap_or_default();
    let installed: Vec<&ChangedUpgrade> = installed.into_iter().map(|(_, moved)| moved).collect();
    // One sentence covers bundles that are all gone.
    let are_gone = installed.iter().all(|moved| moved.removed);
    let name = |moved: &ChangedUpgrade| {
        let gone = if moved.removed && !are_gone { " (gone)" } else { "" };
        format!("{}{gone}", label(&moved.package, &moved.installed))
    };
    let called: Vec<String> = installed.iter().take(MAX_NAMES).copied().map(name).collect();
    let gone = if are_gone { " gone" } else { "" };
    let several = installed.iter().any(|moved| next_step(&moved.before) != next_step(&first.before));
    let before = if several { "their upgrades".to_owned() } else { next(&first.before) };
    let from_to = format!("{before} => {}", next(&first.after));
    let (brief, list) = match (installed.as_slice(), installed.len()) {
        ([_], _) if are_gone => (format!("{channel}{} (gone): {from_to}", called.join(" ")), String::new()),
        ([_], _) => (format!("{channel}{}: {from_to}", called.join(" ")), String::new()),
        // The outcome precedes a long list, so that it is not overlooked.
        ([lowest, .., highest], all) if all > MAX_LEADING_NAMES => {
            let [lowest, highest] = [lowest, highest].map(|of| label(&of.package, &of.installed));
            let more = if all > MAX_NAMES { " ..." } else { "" };
            let called = called.join(" ");
            let brief = format!("{channel}{lowest} to {highest} ({all}{gone}): {from_to}");
            (brief, format!("; all: {called}{more}"))
        }
        (_, all) => (format!("{channel}{} ({all}{gone}): {from_to}", called.join(" ")), String::new()),
    };
    let (channel, installed) = (first.channel.clone(), first.installed.clone());
    UpgradeSentence { engine: first.engine, channel, installed, words: format!("{brief}{list}"), brief }
}

/// Describes the users who are worse off, worst first. The engine is `None` if a sentence is about
/// both OLMs.
pub fn describe_harm(
    harm: &Harm,
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<(Option<Engine>, String)> {
    let stuck = harm.stuck.iter().flat_map(|(package, newly)| {
        stuck_changes::describe_newly_stuck(newly, |bundle| label(package, bundle))
    });
    let stuck: Vec<(Option<Engine>, String)> = stuck.map(|of| (of.engine, of.words)).collect();
    let moved = |what: &str, moved: &[ChangedUpgrade]| -> Vec<(Option<Engine>, String)> {
        let sentences = describe_upgrades_by_target(moved, &label).into_iter();
        sentences.map(|of| (Some(of.engine), format!("{what} {}", of.words))).collect()
    };
    let fresh = |what: &str, fresh: &[FreshInstallChange]| -> Vec<(Option<Engine>, String)> {
        let sentences = fresh_installs::describe_fresh_changes(fresh, &label).into_iter();
        sentences.map(|of| (Some(of.engine), format!("{what} {}", of.words))).collect()
    };
    let all = [
        stuck,
        moved("FAILS", &harm.failing),
        moved("DOWNGRADED", &harm.downgraded),
        fresh("FAILS", &harm.fresh_broken),
        fresh("DOWNGRADED", &harm.fresh_older),
    ];
    all.concat()
}

/// Installed bundle with a changed successor, as JSON prints it (`docs/cli.md`).
#[derive(Debug, Serialize)]
pub struct Row {
    package: String,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    installed: String,
    /// True if the new catalog does not contain the bundle.
    #[serde(skip_serializing_if = "is_false")]
    gone: bool,
    before: OutcomeRow,
    after: OutcomeRow,
}

/// Next upgrade and upgrade path of an installed bundle, before or after the change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OutcomeRow {
    #[serde(flatten)]
    next: NextRow,
    #[serde(skip_serializing_if = "is_false")]
    dead_end: bool,
    #[serde(skip_serializing_if = "is_false")]
    escapes: bool,
    /// Last bundle of the upgrade path.
    end: String,
    #[serde(skip_serializing_if = "is_false")]
    circular: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum NextRow {
    Pick(String),
    Error(String),
    Stays(bool),
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Row {
    /// Returns the row of an installed bundle.
    pub fn from_changed_upgrade(moved: &ChangedUpgrade) -> Self {
        let outlook = |outlook: &UpgradeOutcome| OutcomeRow {
            next: match &outlook.next {
                NextUpgrade::Stays => NextRow::Stays(true),
                NextUpgrade::To(name) => NextRow::Pick(name.to_string()),
                NextUpgrade::Error(error) => NextRow::Error(error.to_string()),
            },
            dead_end: outlook.dead_end,
            escapes: outlook.escapes,
            end: outlook.end.to_string(),
            circular: outlook.circular,
        };
        Self {
            package: moved.package.to_string(),
            engine: moved.engine.as_str(),
            channel: moved.channel.as_ref().map(ToString::to_string),
            installed: moved.installed.to_string(),
            gone: moved.removed,
            before: outlook(&moved.before),
            after: outlook(&moved.after),
        }
    }
}
