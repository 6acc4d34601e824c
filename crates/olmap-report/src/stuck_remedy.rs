//! Text about remedies: edits of one entry that give stuck versions an upgrade path.

use crate::style::Ink;
use olm_catalog::BundleName;
use olm_check::review::stuck::{FoundRemedy, RemedyError};
use olm_upgrade::Engine;

/// Returns the numbers of freed versions of the package: `frees 6 on both`, `frees 2 on Classic, 6 on v1`.
pub fn describe_freed(found: &FoundRemedy) -> String {
    let [classic, v1] = [Engine::Classic, Engine::V1].map(|engine| found.remedy.freed_on(engine));
    match (classic.len(), v1.len()) {
        (count, 0) => format!("frees {count} on {}", Engine::Classic),
        (0, count) => format!("frees {count} on {}", Engine::V1),
        (count, _) if classic == v1 => format!("frees {count} on both"),
        (on_classic, on_v1) => {
            format!("frees {on_classic} on {}, {on_v1} on {}", Engine::Classic, Engine::V1)
        }
    }
}

/// Returns the sentences of the preview of a remedy: the stuck versions, the longest upgrade, and the range of the CSV.
pub fn describe_remedy_details(found: &FoundRemedy) -> Vec<(Ink, String)> {
    let FoundRemedy { group, package_stuck, remedy, csv_skip_range } = found;
    let stuck = match group.versions.len() {
        all if all == *package_stuck => format_version_count(all),
        some => format!("{some} of {}", format_version_count(*package_stuck)),
    };
    let (own, other) = (remedy.freed_on(group.engine), remedy.freed_on(group.engine.other()));
    let is_freed_twice = |name: &&BundleName| own.contains(name) && other.contains(name);
    let other = match group.versions.iter().filter(is_freed_twice).count() {
        0 => String::new(),
        all if all == remedy.frees => format!(", on {} too", group.engine.other()),
        some => format!(", {some} of them on {} too", group.engine.other()),
    };
    let effect = format!("{stuck} stuck on {}; this edit {}{other}", group.engine, remedy.freed_effect());
    let mut sentences = vec![(Ink::Title, effect)];
    match remedy.frees_by_channel_change {
        0 => {}
        count => {
            let who = if count == remedy.frees {
                "users".to_owned()
            } else {
                format!("users of {}", format_version_count(count))
            };
            let words = format!("not automatic: {who} must change the channel of their Subscription");
            sentences.push((Ink::Warning, words));
        }
    }
    let jump = &remedy.jump;
    let is_longer = jump.skipped > remedy.longest_skip;
    if jump.skipped > 0 || jump.changes_major {
        let mut words = format!("longest new upgrade: {} to {}", jump.from, remedy.entry);
        if jump.skipped > 0 {
            words.push_str(&format!(", skips {}", format_version_count(jump.skipped)));
        }
        if is_longer {
            words.push_str(&match remedy.longest_skip {
                0 => " (no upgrade skips one today)".to_owned(),
                longest => format!(" (the longest today: {longest})"),
            });
        }
        if jump.changes_major {
            words.push_str(", changes the major version");
        }
        sentences.push((if is_longer || jump.changes_major { Ink::Warning } else { Ink::Title }, words));
    }
    if let Some(range) = csv_skip_range {
        sentences.push((Ink::Title, format!("the CSV of {} declares skipRange '{range}'", remedy.entry)));
    }
    sentences
}

fn format_version_count(count: usize) -> String {
    if count == 1 { "1 version".to_owned() } else { format!("{count} versions") }
}

/// Returns the reason why a list has no remedy for a group.
pub(super) fn summarize_missing_remedy(reason: RemedyError) -> &'static str {
    match reason {
        RemedyError::NoneFrees => "no remedy found; not every edit is tried",
        RemedyError::AddsFinding => "no remedy: each edit that frees them would add an error or a warning",
        RemedyError::Refused => "no remedy: each edit that frees them adds an upgrade step that OLM refuses",
        RemedyError::IncompletePackage => "no remedy searched: the package could not be read completely",
    }
}

/// Returns a sentence with the reason why no remedy is offered.
pub fn explain_missing_remedy(reason: RemedyError) -> &'static str {
    match reason {
        RemedyError::NoneFrees => {
            "No edit of one entry frees these versions. Not every edit is tried: a new entry or channel may help."
        }
        RemedyError::AddsFinding => {
            "Each edit of one entry that frees these versions would add an error or a warning, so none is offered."
        }
        RemedyError::Refused => {
            "Each edit of one entry that frees these versions adds an upgrade step that OLM refuses, so none is offered."
        }
        RemedyError::IncompletePackage => {
            "The package could not be read completely: the versions may only look stuck, so no edit is tried."
        }
    }
}
