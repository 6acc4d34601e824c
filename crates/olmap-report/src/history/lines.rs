//! Changes of a commit, line by line.

use std::fmt::Display;

use super::{HistoryReport, count_noun};
use crate::{
    diff,
    document::{Item, Piece, piece},
    stuck_changes,
    style::Ink,
};
use olm_catalog::blob::DeprecationTarget;
use olm_check::review::{
    diff::{ChangeKind, ChannelDiff, DeprecationDiff, Impact, ImpactCounts},
    history::{CommitEffect, FindingCounts, HistoryStep, PackageChange},
};

/// Maximum number of names per line.
const MAX_NAMES: usize = 6;

/// Returns an item about added, removed or changed content.
fn change_item(kind: ChangeKind, text: String) -> Item {
    let (mark, ink) = match kind {
        ChangeKind::Added => ("+", Ink::Good),
        ChangeKind::Removed => ("-", Ink::Error),
        ChangeKind::Changed => ("~", Ink::Warning),
    };
    item(mark, ink, text)
}

/// Returns an item. Text from the catalog and from git is not escaped.
fn item(mark: &'static str, ink: Ink, text: impl Into<String>) -> Item {
    Item { indent: 0, mark, ink, text: text.into() }
}

/// Lists the first names and the number of the others. `None` if there are none.
fn join_first_names<T: Display>(all: impl Iterator<Item = T>) -> Option<String> {
    let all: Vec<String> = all.map(|name| name.to_string()).collect();
    let told = all.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(" ");
    match all.len() {
        0 => None,
        n if n > MAX_NAMES => Some(format!("{told} and {} more", n - MAX_NAMES)),
        _ => Some(told),
    }
}

/// Returns the subject, the number of commits and the period.
pub fn history_headline(told: &HistoryReport<'_>) -> String {
    let history = told.history;
    let what = match told.bundle {
        Some(bundle) => format!("{bundle} of {}", history.package),
        None => history.package.to_string(),
    };
    let commits = count_noun(history.steps.len(), "commit", "commits");
    let days = match (history.steps.last(), history.steps.first()) {
        (Some(first), Some(last)) if first.committed.date != last.committed.date => {
            format!(", {} to {}", first.committed.date, last.committed.date)
        }
        (Some(only), _) => format!(", {}", only.committed.date),
        _ => String::new(),
    };
    format!("{what} in {}: {commits}{days}", told.catalog)
}

/// Returns all lines about a commit.
pub fn commit_lines(step: &HistoryStep) -> Vec<Item> {
    let changed = match &step.effect {
        CommitEffect::Unread(why) => {
            return vec![item("?", Ink::Warning, format!("cannot be read: {why}"))];
        }
        CommitEffect::Changed(changed) => changed,
    };
    let mut lines = Vec::new();
    match changed.package.change_kind {
        ChangeKind::Added => lines.push(change_item(ChangeKind::Added, "the package".to_owned())),
        ChangeKind::Removed => {
            lines.push(change_item(ChangeKind::Removed, "the package".to_owned()));
        }
        ChangeKind::Changed => {}
    }
    if let (Some(place), Some(line)) = (&step.moved, lines.first_mut()) {
        let way = if changed.package.change_kind == ChangeKind::Added { "from" } else { "to" };
        line.text = format!("the package, moved {way} {}", place.display());
    }
    for (fate, what) in [
        (ChangeKind::Added, "bundles"),
        (ChangeKind::Removed, "bundles"),
        (ChangeKind::Changed, "changed bundles"),
    ] {
        let of = changed.bundles_by_kind(fate).count();
        let what = if of == 1 { what.trim_end_matches('s') } else { what };
        lines.extend(
            join_first_names(changed.bundles_by_kind(fate))
                .map(|names| change_item(fate, format!("{what} {names}"))),
        );
    }
    lines.extend(
        changed
            .package
            .channels
            .iter()
            .map(|diff| change_item(diff.change_kind, describe_channel_commit(diff))),
    );
    if let Some(change) = &changed.package.default_channel
        && changed.package.change_kind == ChangeKind::Changed
    {
        let name = |name: &Option<_>| name.as_ref().map_or("none".to_owned(), ToString::to_string);
        let words = format!("default channel {} => {}", name(&change.before), name(&change.after));
        lines.push(change_item(ChangeKind::Changed, words));
    }
    lines.extend(changed.package.deprecations.iter().map(deprecation_line));
    if !changed.package.description.is_empty() {
        lines.push(change_item(ChangeKind::Changed, diff::describe_leaves(&changed.package.description)));
    }
    if !changed.package.others.is_empty() {
        let words = count_noun(changed.package.others.len(), "other object", "other objects");
        lines.push(change_item(ChangeKind::Changed, words));
    }
    if lines.is_empty() {
        lines.push(item("=", Ink::Dim, "no change in meaning: only formatting differs"));
    }
    push_user_lines(changed, &mut lines);
    push_finding_line(changed, &mut lines);
    if changed.unread_before > 0 {
        let commits = count_noun(changed.unread_before, "commit", "commits");
        let words = format!("includes what {commits} before it did and cannot be read");
        lines.push(item("?", Ink::Warning, words));
    }
    lines
}

/// Summarizes the worst changes of a commit for a list.
pub fn summarize_commit(step: &HistoryStep) -> Piece {
    let changed = match &step.effect {
        CommitEffect::Unread(_) => return piece("cannot be read", Ink::Warning),
        CommitEffect::Changed(changed) => changed,
    };
    let package = &changed.package;
    let mut words: Vec<String> = match package.change_kind {
        ChangeKind::Added => vec!["+package".to_owned()],
        ChangeKind::Removed => vec!["-package".to_owned()],
        ChangeKind::Changed => Vec::new(),
    };
    let mut ink = if package.change_kind == ChangeKind::Removed { Ink::Error } else { Ink::Text };
    let stuck = changed.stuck.as_slice();
    let newly = [stuck_changes::summarize_newly_stuck(stuck), stuck_changes::summarize_removed(stuck)];
    for newly in newly.into_iter().flatten() {
        ink = Ink::Error;
        words.push(newly);
    }
    for (count, what) in [
        (changed.users.failing + changed.users.orphaned, "failing"),
        (changed.users.downgraded, "downgraded"),
    ] {
        if count > 0 {
            (ink, words) = (Ink::Error, [words, vec![format!("{count} {what}")]].concat());
        }
    }
    for (fate, mark) in [(ChangeKind::Added, '+'), (ChangeKind::Removed, '-'), (ChangeKind::Changed, '~')] {
        let bundles: Vec<_> = changed.bundles_by_kind(fate).collect();
        match bundles.as_slice() {
            [] => {}
            [only] => {
                // The title of the list contains the package name.
                let name = only.as_str().strip_prefix(package.name.as_str());
                let name = name.and_then(|rest| rest.strip_prefix('.')).unwrap_or(only.as_str());
                words.push(format!("{mark}{name}"));
            }
            several => words.push(format!("{mark}{} bundles", several.len())),
        }
    }
    if package.default_channel.is_some() && package.change_kind == ChangeKind::Changed {
        words.push("default channel".to_owned());
    }
    if !package.deprecations.is_empty() {
        words.push(count_noun(package.deprecations.len(), "deprecation", "deprecations"));
    }
    if words.is_empty() && !package.channels.is_empty() {
        words.push(count_noun(package.channels.len(), "channel", "channels"));
    }
    if words.is_empty() {
        let words = if package.has_same_meaning() { "only formatting" } else { "other changes" };
        return piece(words, Ink::Dim);
    }
    piece(words.join(", "), ink)
}

/// Describes the change of a channel: its entries and its head.
fn describe_channel_commit(diff: &ChannelDiff) -> String {
    let of = |fate: ChangeKind| {
        diff.entries.iter().filter(move |entry| entry.change_kind() == fate).map(|entry| &entry.name)
    };
    let mut parts = Vec::new();
    match diff.change_kind {
        ChangeKind::Changed => {
            for (fate, mark) in
                [(ChangeKind::Added, '+'), (ChangeKind::Removed, '-'), (ChangeKind::Changed, '~')]
            {
                parts.extend(join_first_names(of(fate)).map(|names| format!("{mark} {names}")));
            }
        }
        _ => parts.push(count_noun(diff.entries.len(), "entry", "entries")),
    }
    if let Some(heads) = &diff.heads {
        let told = |heads: &[_]| join_first_names(heads.iter()).unwrap_or_else(|| "none".to_owned());
        parts.push(match diff.change_kind {
            ChangeKind::Added => format!("head {}", told(&heads.after)),
            ChangeKind::Removed => format!("head was {}", told(&heads.before)),
            ChangeKind::Changed => format!("head {} => {}", told(&heads.before), told(&heads.after)),
        });
    }
    if parts.is_empty() {
        parts.push("same entries, but ranges match other versions".to_owned());
    }
    format!("channel {}: {}", diff.name, parts.join("; "))
}

fn deprecation_line(diff: &DeprecationDiff) -> Item {
    let what = match &diff.target {
        Some(DeprecationTarget::Package) => "the package".to_owned(),
        Some(DeprecationTarget::Channel(name)) => format!("channel {name}"),
        Some(DeprecationTarget::Bundle(name)) => name.to_string(),
        None => format!("an unknown reference ({})", diff.reference),
    };
    let words = match diff.change_kind() {
        ChangeKind::Added => format!("deprecates {what}"),
        ChangeKind::Removed => format!("no longer deprecates {what}"),
        ChangeKind::Changed => format!("new deprecation message for {what}"),
    };
    change_item(diff.change_kind(), words)
}

/// Adds the lines about users who are worse or better off.
fn push_user_lines(changed: &PackageChange, lines: &mut Vec<Item>) {
    for (fortune, words) in diff::describe_user_counts(&changed.users, changed.stuck.as_slice()) {
        // Fresh installs do not have an installed bundle to name.
        let is_fresh = words.contains("fresh install");
        let who = join_first_names(changed.bundles_by_impact(fortune))
            .filter(|_| !is_fresh && fortune != Impact::Redirected);
        let words = who.map_or(words.clone(), |who| format!("{words}: {who}"));
        lines.push(item("users:", stuck_changes::impact_ink(fortune), words));
    }
    // A history of one bundle does not count users.
    if changed.users == ImpactCounts::default() {
        for (bundle, fortune) in &changed.installed {
            let what = match fortune {
                Impact::Stuck => "is newly stuck",
                Impact::Failing => "gets an error",
                Impact::Downgraded => "is downgraded",
                Impact::Freed => "is freed",
                Impact::Recovered => "gets no error any more",
                Impact::Redirected => "changes its upgrade target",
            };
            let words = format!("{bundle}, where installed, {what}");
            lines.push(item("users:", stuck_changes::impact_ink(*fortune), words));
        }
    }
}

fn push_finding_line(changed: &PackageChange, lines: &mut Vec<Item>) {
    let told = |counts: FindingCounts| {
        let parts = [
            (counts.errors, "error", "errors"),
            (counts.warnings, "warning", "warnings"),
            (counts.notes, "note", "notes"),
        ];
        let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
        parts.map(|(n, one, many)| count_noun(n, one, many)).collect::<Vec<_>>().join(", ")
    };
    let (new, fixed) = (changed.new_findings, changed.fixed_findings);
    let parts: Vec<String> = [("new", new), ("fixed", fixed)]
        .into_iter()
        .filter(|(_, counts)| counts.total() > 0)
        .map(|(what, counts)| format!("{what}: {}", told(counts)))
        .collect();
    if !parts.is_empty() {
        let ink = if new.errors > 0 { Ink::Error } else { Ink::Dim };
        lines.push(item("findings:", ink, parts.join("; ")));
    }
}
