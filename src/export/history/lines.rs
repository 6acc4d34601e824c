//! Changes of a commit, line by line.

use std::fmt::Display;

use super::{Told, count};
use crate::{
    catalog::blob::DeprecationTarget,
    export::{diff::words, stuck_changes, style::Ink},
    review::{
        diff::{ChannelDiff, DeprecationDiff, Fate, Fortune, Users},
        history::{Changed, Counts, Did, Step},
    },
};

/// Maximum number of names per line.
const MOST: usize = 6;

/// Line about a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Mark `+`, `-` or `~`, or a label.
    pub head: &'static str,
    /// Color of the head.
    pub ink: Ink,
    /// Text of the line. Text from the catalog and from git is not escaped.
    pub words: String,
}

impl Line {
    fn of(fate: Fate, words: String) -> Self {
        let (head, ink) = match fate {
            Fate::Added => ("+", Ink::Good),
            Fate::Removed => ("-", Ink::Error),
            Fate::Changed => ("~", Ink::Warning),
        };
        Self { head, ink, words }
    }
}

/// Lists the first names and the number of the others. `None` if there are none.
fn names<T: Display>(all: impl Iterator<Item = T>) -> Option<String> {
    let all: Vec<String> = all.map(|name| name.to_string()).collect();
    let told = all.iter().take(MOST).cloned().collect::<Vec<_>>().join(" ");
    match all.len() {
        0 => None,
        n if n > MOST => Some(format!("{told} and {} more", n - MOST)),
        _ => Some(told),
    }
}

/// Returns the subject, the number of commits and the period.
pub fn headline(told: &Told<'_>) -> String {
    let history = told.history;
    let what = match told.bundle {
        Some(bundle) => format!("{bundle} of {}", history.package),
        None => history.package.to_string(),
    };
    let commits = count(history.steps.len(), "commit", "commits");
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
pub fn lines(step: &Step) -> Vec<Line> {
    let changed = match &step.did {
        Did::Unread(why) => {
            return vec![Line { head: "?", ink: Ink::Warning, words: format!("cannot be read: {why}") }];
        }
        Did::Changed(changed) => changed,
    };
    let mut lines = Vec::new();
    match changed.package.fate {
        Fate::Added => lines.push(Line::of(Fate::Added, "the package".to_owned())),
        Fate::Removed => lines.push(Line::of(Fate::Removed, "the package".to_owned())),
        Fate::Changed => {}
    }
    if let (Some(place), Some(line)) = (&step.moved, lines.first_mut()) {
        let way = if changed.package.fate == Fate::Added { "from" } else { "to" };
        line.words = format!("the package, moved {way} {}", place.display());
    }
    for (fate, what) in
        [(Fate::Added, "bundles"), (Fate::Removed, "bundles"), (Fate::Changed, "changed bundles")]
    {
        let of = changed.bundles(fate).count();
        let what = if of == 1 { what.trim_end_matches('s') } else { what };
        lines.extend(names(changed.bundles(fate)).map(|names| Line::of(fate, format!("{what} {names}"))));
    }
    lines.extend(changed.package.channels.iter().map(|diff| Line::of(diff.fate, channel(diff))));
    if let Some(change) = &changed.package.default_channel
        && changed.package.fate == Fate::Changed
    {
        let name = |name: &Option<_>| name.as_ref().map_or("none".to_owned(), ToString::to_string);
        let words = format!("default channel {} => {}", name(&change.before), name(&change.after));
        lines.push(Line::of(Fate::Changed, words));
    }
    lines.extend(changed.package.deprecations.iter().map(deprecation));
    if !changed.package.about.is_empty() {
        lines.push(Line::of(Fate::Changed, words::leaves(&changed.package.about)));
    }
    if !changed.package.others.is_empty() {
        let words = count(changed.package.others.len(), "other object", "other objects");
        lines.push(Line::of(Fate::Changed, words));
    }
    if lines.is_empty() {
        let words = "no change in meaning: only formatting differs".to_owned();
        lines.push(Line { head: "=", ink: Ink::Dim, words });
    }
    users(changed, &mut lines);
    findings(changed, &mut lines);
    if changed.unread_before > 0 {
        let commits = count(changed.unread_before, "commit", "commits");
        let words = format!("includes what {commits} before it did and cannot be read");
        lines.push(Line { head: "?", ink: Ink::Warning, words });
    }
    lines
}

/// Summarizes the worst changes of a commit for a list.
pub fn one_line(step: &Step) -> (Ink, String) {
    let changed = match &step.did {
        Did::Unread(_) => return (Ink::Warning, "cannot be read".to_owned()),
        Did::Changed(changed) => changed,
    };
    let package = &changed.package;
    let mut words: Vec<String> = match package.fate {
        Fate::Added => vec!["+package".to_owned()],
        Fate::Removed => vec!["-package".to_owned()],
        Fate::Changed => Vec::new(),
    };
    let mut ink = if package.fate == Fate::Removed { Ink::Error } else { Ink::Text };
    for (count, what) in [
        (changed.users.stuck, "more stuck"),
        (changed.users.failing + changed.users.orphaned, "failing"),
        (changed.users.downgraded, "downgraded"),
    ] {
        if count > 0 {
            (ink, words) = (Ink::Error, [words, vec![format!("{count} {what}")]].concat());
        }
    }
    for (fate, mark) in [(Fate::Added, '+'), (Fate::Removed, '-'), (Fate::Changed, '~')] {
        let bundles: Vec<_> = changed.bundles(fate).collect();
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
    if package.default_channel.is_some() && package.fate == Fate::Changed {
        words.push("default channel".to_owned());
    }
    if !package.deprecations.is_empty() {
        words.push(count(package.deprecations.len(), "deprecation", "deprecations"));
    }
    if words.is_empty() && !package.channels.is_empty() {
        words.push(count(package.channels.len(), "channel", "channels"));
    }
    if words.is_empty() {
        return (
            Ink::Dim,
            if package.means_the_same() { "only formatting" } else { "other changes" }.to_owned(),
        );
    }
    (ink, words.join(", "))
}

/// Describes the change of a channel: its entries and its head.
fn channel(diff: &ChannelDiff) -> String {
    let of =
        |fate: Fate| diff.entries.iter().filter(move |entry| entry.fate() == fate).map(|entry| &entry.name);
    let mut parts = Vec::new();
    match diff.fate {
        Fate::Changed => {
            for (fate, mark) in [(Fate::Added, '+'), (Fate::Removed, '-'), (Fate::Changed, '~')] {
                parts.extend(names(of(fate)).map(|names| format!("{mark} {names}")));
            }
        }
        _ => parts.push(count(diff.entries.len(), "entry", "entries")),
    }
    if let Some(heads) = &diff.heads {
        let told = |heads: &[_]| names(heads.iter()).unwrap_or_else(|| "none".to_owned());
        parts.push(match diff.fate {
            Fate::Added => format!("head {}", told(&heads.after)),
            Fate::Removed => format!("head was {}", told(&heads.before)),
            Fate::Changed => format!("head {} => {}", told(&heads.before), told(&heads.after)),
        });
    }
    if parts.is_empty() {
        parts.push("same entries, but ranges match other versions".to_owned());
    }
    format!("channel {}: {}", diff.name, parts.join("; "))
}

fn deprecation(diff: &DeprecationDiff) -> Line {
    let what = match &diff.target {
        Some(DeprecationTarget::Package) => "the package".to_owned(),
        Some(DeprecationTarget::Channel(name)) => format!("channel {name}"),
        Some(DeprecationTarget::Bundle(name)) => name.to_string(),
        None => format!("an unknown reference ({})", diff.reference),
    };
    let words = match diff.fate() {
        Fate::Added => format!("deprecates {what}"),
        Fate::Removed => format!("no longer deprecates {what}"),
        Fate::Changed => format!("new deprecation message for {what}"),
    };
    Line::of(diff.fate(), words)
}

/// Adds the lines about users who are worse or better off.
fn users(changed: &Changed, lines: &mut Vec<Line>) {
    for (fortune, words) in words::users_of(&changed.users, changed.stuck.as_slice()) {
        let ink = stuck_changes::ink(fortune);
        // Fresh installs do not have an installed bundle to name.
        let is_fresh = words.contains("fresh install");
        let who = names(changed.faring(fortune)).filter(|_| !is_fresh && fortune != Fortune::Moved);
        let words = who.map_or(words.clone(), |who| format!("{words}: {who}"));
        lines.push(Line { head: "users:", ink, words });
    }
    // A history of one bundle does not count users.
    if changed.users == Users::default() {
        for (bundle, fortune) in &changed.installed {
            let what = match fortune {
                Fortune::Stuck => "is newly stuck",
                Fortune::Failing => "gets an error",
                Fortune::Downgraded => "is downgraded",
                Fortune::Freed => "is freed",
                Fortune::Recovered => "gets no error any more",
                Fortune::Moved => "changes its upgrade target",
            };
            let (ink, words) = (stuck_changes::ink(*fortune), format!("{bundle}, where installed, {what}"));
            lines.push(Line { head: "users:", ink, words });
        }
    }
}

fn findings(changed: &Changed, lines: &mut Vec<Line>) {
    let told = |counts: Counts| {
        let parts = [
            (counts.errors, "error", "errors"),
            (counts.warnings, "warning", "warnings"),
            (counts.notes, "note", "notes"),
        ];
        let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
        parts.map(|(n, one, many)| count(n, one, many)).collect::<Vec<_>>().join(", ")
    };
    let (new, fixed) = (changed.new_findings, changed.fixed_findings);
    let parts: Vec<String> = [("new", new), ("fixed", fixed)]
        .into_iter()
        .filter(|(_, counts)| counts.all() > 0)
        .map(|(what, counts)| format!("{what}: {}", told(counts)))
        .collect();
    if !parts.is_empty() {
        let ink = if new.errors > 0 { Ink::Error } else { Ink::Dim };
        lines.push(Line { head: "findings:", ink, words: parts.join("; ") });
    }
}
