//! Sentences about the stuck versions of a bundle, channel or package.

use std::collections::BTreeSet;

use super::stuck::format_stuck_numbers;
use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::{
    Engine, PackageGraph,
    stuck::{StuckEnd, StuckEnds, StuckReport},
};

/// Describes why a version is stuck: `stuck, ends at p.v1: no entry upgrades from it`. `None` if it
/// is not.
pub fn describe_stuck_version(
    ends: &StuckEnds<'_>,
    version: &BundleName,
    label: impl Fn(&BundleName) -> String,
) -> Option<String> {
    let [classic, v1] = [Engine::Classic, Engine::V1].map(|engine| ends.of_published(engine, version));
    let words = |on: &str, StuckEnd { end, reason }: &StuckEnd| {
        let place = if end == version { "ends here".to_owned() } else { format!("ends at {}", label(end)) };
        format!("stuck{on}, {place}: {reason}")
    };
    match (&classic, &v1) {
        (None, None) => None,
        (Some(classic), Some(v1)) if classic == v1 => Some(words("", classic)),
        (Some(classic), Some(v1)) => {
            Some(format!("{}; {}", words(" on Classic", classic), words(" on v1", v1)))
        }
        (Some(classic), None) => Some(words(" on Classic, not on v1", classic)),
        (None, Some(v1)) => Some(words(" on v1, not on Classic", v1)),
    }
}

/// Summarizes the stuck versions: `141 of 152 versions are stuck below p.v3; 6 more need a channel
/// change`.
pub fn summarize_package_stuck(stuck: &StuckReport) -> String {
    let Some(answer) = &stuck.answer else {
        return "which versions are stuck is not known: the default channel has no single head with a bundle"
            .to_owned();
    };
    if stuck.count_any() == 0 {
        return match answer.needs_channel_change.len() {
            0 => "no version is stuck".to_owned(),
            change => format!("no version is stuck; {} a channel change", format_needs(change)),
        };
    }
    let words = format!("{} of {} stuck below {}", format_stuck_numbers(stuck), stuck.versions, answer.head);
    match answer.needs_channel_change.len() {
        0 => words,
        change => format!("{words}; {change} more {} a channel change", needs_verb(change)),
    }
}

fn format_needs(count: usize) -> String {
    format!("{count} {}", needs_verb(count))
}

fn needs_verb(count: usize) -> &'static str {
    if count == 1 { "needs" } else { "need" }
}

/// Counts the stuck versions among the entries of a channel. `None` if unknown or zero.
pub fn summarize_channel_stuck(graph: &PackageGraph, channel: &ChannelName) -> Option<String> {
    let ends = StuckEnds::new(graph)?;
    let upgrades = graph.channel(channel.as_str())?;
    let names = upgrades.graph.entry_nodes().filter_map(|at| upgrades.graph.node(at)).map(|node| &node.name);
    let names: BTreeSet<&BundleName> = names.collect();
    let count = |engine| names.iter().filter(|name| ends.of_published(engine, name).is_some()).count();
    let (classic, v1) = (count(Engine::Classic), count(Engine::V1));
    if classic == 0 && v1 == 0 {
        return None;
    }
    let numbers = if classic == v1 { classic.to_string() } else { format!("{classic}, v1 {v1}") };
    Some(format!("{numbers} of {} entries stuck", names.len()))
}

/// Describes the stuck versions of a package, without a full stop. `None` if there are none.
pub fn describe_stuck_versions(stuck: &StuckReport, head: impl Fn(&BundleName) -> String) -> Option<String> {
    let Some(answer) = &stuck.answer else {
        return Some(
            "stuck versions: unknown, the default channel has no single head with a bundle".to_owned(),
        );
    };
    let (classic, v1, all) = (answer.classic.len(), answer.v1.len(), stuck.versions);
    let head = head(&answer.head);
    let change = answer.needs_channel_change.len();
    let more = match change {
        0 => String::new(),
        1 => "; 1 more needs a channel change".to_owned(),
        change => format!("; {change} more need a channel change"),
    };
    let (is, reaches) =
        (|count| if count == 1 { "is" } else { "are" }, |count| if count == 1 { "reaches" } else { "reach" });
    match (classic, v1) {
        (0, 0) if change > 0 => {
            Some(format!("{change} of {all} versions {} {head} only by a channel change", reaches(change)))
        }
        (0, 0) => None,
        (classic, v1) if classic == v1 => {
            Some(format!("{classic} of {all} versions {} stuck below {head}{more}", is(classic)))
        }
        (classic, v1) => Some(format!(
            "{classic} of {all} versions {} stuck below {head} on Classic, {v1} on v1{more}",
            is(classic)
        )),
    }
}
