//! Sentences for limited space: many installed bundles with one successor share a sentence, and their
//! versions are a detail that a reader opens.

use std::collections::HashSet;

use super::{
    Group, MAX_LEADING_NAMES, MAX_NAMES, UpgradeSentence, describe_next_step, describe_outcome_group,
    group_by_target, next_step,
};
use crate::document::count_noun;
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{ChangedUpgrade, UpgradeOutcome};
use olm_upgrade::table::NextUpgrade;

/// Sentence about installed bundles with the same successor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldedSentence {
    /// Sentence; `words` and `brief` are equal if `versions` is not empty.
    pub sentence: UpgradeSentence,
    /// Installed versions that the sentence only counts, each with its old upgrade if they differ.
    pub versions: Vec<String>,
}

/// Returns one sentence per new successor. A sentence about many bundles has their number and the first
/// and last of them. `label` returns the display name of a bundle of a package.
pub fn fold_upgrades_by_target(
    moved: &[ChangedUpgrade],
    label: impl Fn(&PackageName, &BundleName) -> String,
) -> Vec<FoldedSentence> {
    group_by_target(moved).into_iter().map(|group| fold_group(group, &label)).collect()
}

fn fold_group(group: Group<'_>, label: impl Fn(&PackageName, &BundleName) -> String) -> FoldedSentence {
    let first = group.first;
    let installed: Vec<&ChangedUpgrade> = group.installed.iter().map(|(_, moved)| *moved).collect();
    let old_steps: HashSet<_> = installed.iter().map(|moved| next_step(&moved.before)).collect();
    let ([lowest, _, .., highest], true) = (installed.as_slice(), installed.len() > MAX_LEADING_NAMES) else {
        return FoldedSentence { sentence: describe_outcome_group(group, label), versions: Vec::new() };
    };
    let next = |outcome: &UpgradeOutcome| describe_next_step(outcome, |name| label(&first.package, name));
    let channel = first.channel.as_ref().map(|c| format!("{c}: ")).unwrap_or_default();
    let are_gone = installed.iter().all(|moved| moved.removed);
    let gone = if are_gone { " that are gone" } else { "" };
    let [lowest, highest] = [lowest, highest].map(|moved| label(&moved.package, &moved.installed));
    let after = match &first.after.next {
        NextUpgrade::Stays if first.after.dead_end => "now never upgrade".to_owned(),
        NextUpgrade::Stays => "now stay".to_owned(),
        NextUpgrade::To(_) => format!("now go to {}", next(&first.after)),
        // Readers of lists look for this form (`RepeatedReasons`).
        NextUpgrade::Error(_) => format!("their upgrades => {}", next(&first.after)),
    };
    let before = match old_steps.len() {
        1 => format!(" (before: {})", next(&first.before)),
        count => format!(" (before: {count} different upgrades)"),
    };
    let is_error = matches!(first.after.next, NextUpgrade::Error(_));
    let before = if is_error { String::new() } else { before };
    let words =
        format!("{channel}{} versions{gone}, {lowest} to {highest}, {after}{before}", installed.len());
    let version = |moved: &ChangedUpgrade| {
        let name = label(&moved.package, &moved.installed);
        let gone = if moved.removed && !are_gone { ", gone" } else { "" };
        match old_steps.len() {
            1 if gone.is_empty() => name,
            1 => format!("{name} (gone)"),
            _ => format!("{name} (before: {}{gone})", next(&moved.before)),
        }
    };
    let mut versions: Vec<String> = installed.iter().copied().take(MAX_NAMES).map(version).collect();
    if installed.len() > MAX_NAMES {
        versions.push(format!("and {}", count_noun(installed.len() - MAX_NAMES, "more", "more")));
    }
    let (channel, installed) = (first.channel.clone(), first.installed.clone());
    let sentence = UpgradeSentence { engine: first.engine, channel, installed, brief: words.clone(), words };
    FoldedSentence { sentence, versions }
}
