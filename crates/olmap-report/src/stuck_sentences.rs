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
/// change on Classic`.
pub fn summarize_package_stuck(stuck: &StuckReport) -> String {
    let Some(answer) = &stuck.answer else {
        return "which versions are stuck is not known: the default channel has no single head with a bundle"
            .to_owned();
    };
    if stuck.count_any() == 0 {
        return match answer.needs_channel_change.len() {
            0 => "no version is stuck".to_owned(),
            change => format!("no version is stuck; {} a channel change on Classic", format_needs(change)),
        };
    }
    let words = format!("{} of {} stuck below {}", format_stuck_numbers(stuck), stuck.versions, answer.head);
    match answer.needs_channel_change.len() {
        0 => words,
        change => format!("{words}; {change} more {} a channel change on Classic", needs_verb(change)),
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
    let numbers = if classic == v1 { classic.to_string() } else { format!("Classic {classic}, v1 {v1}") };
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
        change => format!("; {change} more {} a channel change on Classic", needs_verb(change)),
    };
    let (engines, count) = match (classic, v1) {
        (0, 0) if change == 0 => return None,
        (0, 0) => {
            let reach = if change == 1 { "reaches" } else { "reach" };
            return Some(format!(
                "{change} of {all} versions {reach} {head} on Classic only by a channel change"
            ));
        }
        (classic, v1) if classic == v1 => (String::new(), classic),
        (classic, 0) => (" on Classic, none on v1".to_owned(), classic),
        (0, v1) => (" on v1, none on Classic".to_owned(), v1),
        (classic, v1) => (format!(" on Classic, {v1} on v1"), classic),
    };
    let are = if count == 1 { "is" } else { "are" };
    Some(format!("{count} of {all} versions {are} stuck below {head}{engines}{more}"))
}

#[cfg(test)]
mod tests {
    use olm_upgrade::fixture;

    use super::*;

    #[test]
    fn sentence_names_the_engines_with_stuck_versions() {
        let describe = |channels: &[(&str, &str)]| {
            describe_stuck_versions(fixture::graph_from_channels(channels).stuck(), ToString::to_string)
        };
        let chain = "2.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0\n";
        assert_eq!(describe(&[("c", chain)]), None);
        let on_v1 = "1 of 3 versions is stuck below p.v2.0.0 on v1, none on Classic";
        let deprecated = "2.0.0 replaces=1.1.0\n1.1.0 replaces=1.0.0 deprecated\n1.0.0\n";
        assert_eq!(describe(&[("c", deprecated)]).as_deref(), Some(on_v1));
        let on_both = "2 of 3 versions are stuck below p.v2.0.0";
        let old = [("new", "2.0.0\n"), ("old", "1.1.0 replaces=1.0.0\n1.0.0\n")];
        assert_eq!(describe(&old).as_deref(), Some(on_both));
    }
}
