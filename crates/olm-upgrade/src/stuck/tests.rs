//! Tests of stuck versions in small packages, and in random ones compared with a naive search.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::fixture::{self, any_channel_lines};
use olm_catalog::load;

fn find_in_channels(channels: &[(&str, &str)]) -> StuckReport {
    StuckReport::find_stuck(&fixture::graph_from_channels(channels))
}

/// Returns the versions of bundles, without the prefix of their names.
fn short_versions(names: &[BundleName]) -> Vec<&str> {
    names.iter().map(|name| name.as_str().trim_start_matches("p.v")).collect()
}

fn stuck_versions(package: &StuckReport, engine: Engine) -> Vec<&str> {
    short_versions(package.answer.as_ref().unwrap().on_engine(engine))
}

/// Returns engine, end, reason and versions of each group.
fn list_groups(package: &StuckReport) -> Vec<(Engine, &str, &'static str, Vec<&str>)> {
    let row = |group: &'_ StuckGroup| (group.engine, group.reason.id());
    let groups = package.answer.as_ref().unwrap().groups.iter();
    groups
        .map(|group| {
            let (engine, reason) = row(group);
            (engine, group.end.as_str().trim_start_matches("p.v"), reason, short_versions(&group.versions))
        })
        .collect()
}

#[test]
fn versions_behind_a_dead_end_are_stuck() {
    let package = find_in_channels(&[(
        "c",
        "3.0.0 replaces=2.0.0 skips=2.0.0\n2.0.0 replaces=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0\n",
    )]);
    assert_eq!(stuck_versions(&package, Engine::Classic), ["1.1.0", "1.2.0"]);
    assert_eq!(stuck_versions(&package, Engine::V1), Vec::<&str>::new());
    assert_eq!(
        list_groups(&package),
        [(Engine::Classic, "1.2.0", "blocked by skips", vec!["1.2.0", "1.1.0"])]
    );
}

#[test]
fn head_of_an_old_channel_is_stuck() {
    let package = find_in_channels(&[("new", "2.0.0\n"), ("old", "1.1.0 replaces=1.0.0\n1.0.0\n")]);
    let expected = |engine| (engine, "1.1.0", "old channel", vec!["1.1.0", "1.0.0"]);
    assert_eq!(list_groups(&package), [expected(Engine::Classic), expected(Engine::V1)]);
    assert_eq!((package.versions, package.count_any()), (3, 2));
}

#[test]
fn v1_group_says_that_its_end_is_refused() {
    let package = find_in_channels(&[
        ("new", "2.0.0\n"),
        ("old", "1.1.0 replaces=1.0.0 requires=other\n1.0.0\n"),
        ("older", "0.9.0"),
    ]);
    let refusal = |engine: Engine, end: &str| {
        let mut groups = package.groups_on(engine).filter(|group| group.end == *end);
        groups.next().unwrap().v1_refusal
    };
    assert_eq!(refusal(Engine::V1, "p.v1.1.0"), Some(InstallBlockerKind::Dependency));
    assert_eq!(refusal(Engine::Classic, "p.v1.1.0"), None);
    assert_eq!(refusal(Engine::V1, "p.v0.9.0"), None);
}

#[test]
fn channel_change_is_not_stuck() {
    let package = find_in_channels(&[
        ("new", "2.0.0 replaces=1.1.0\n1.1.0\n"),
        ("old", "1.1.0 replaces=1.0.0\n1.0.0\n"),
    ]);
    let answer = package.answer.unwrap();
    assert_eq!(short_versions(&answer.classic), Vec::<&str>::new());
    assert_eq!(short_versions(&answer.needs_channel_change), ["1.0.0"]);
}

#[test]
fn version_at_or_above_the_head_is_current() {
    let package = find_in_channels(&[("stable", "2.0.0\n"), ("fast", "3.0.0\n2.0.0+1\n")]);
    assert_eq!(package.count_any(), 0);
}

#[test]
fn entry_without_edges_and_deprecated_upgrades_have_their_reasons() {
    let package = find_in_channels(&[("c", "2.0.0 skips=1.9.0\n1.9.0\n1.0.0\n")]);
    // With two heads the answer is unknown.
    assert_eq!(package.answer, None);
    let package = find_in_channels(&[
        ("c", "2.0.0 replaces=1.5.0 range=>=1.0.0_<1.4.0\n1.5.0 deprecated\n"),
        ("d", "1.4.0\n"),
    ]);
    assert_eq!(list_groups(&package)[0], (Engine::Classic, "1.4.0", "old channel", vec!["1.4.0"]));
    let package = find_in_channels(&[("c", "3.0.0\n"), ("d", "2.0.0 replaces=1.0.0 deprecated\n1.0.0\n")]);
    let of_v1: Vec<_> = list_groups(&package).into_iter().filter(|group| group.0 == Engine::V1).collect();
    assert!(of_v1.contains(&(Engine::V1, "1.0.0", "only deprecated upgrades", vec!["1.0.0"])), "{of_v1:?}");
}

#[test]
fn stuck_in_prerelease_channels_only_is_marked() {
    let package =
        find_in_channels(&[("stable", "2.0.0\n"), ("candidate-v1", "1.1.0-rc.1\n"), ("old", "1.0.0\n")]);
    let groups = &package.answer.as_ref().unwrap().groups;
    let marks: BTreeSet<(&str, bool)> =
        groups.iter().map(|group| (group.end.as_str(), group.is_prerelease)).collect();
    assert_eq!(marks, BTreeSet::from([("p.v1.0.0", false), ("p.v1.1.0-rc.1", true)]));
    // A bundle in no channel is in no pre-release channel.
    let yaml = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n- \
                name: p.v1.1.0\n";
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nproperties:\n- type: olm.package\n  value: {{packageName: p, \
             version: {version}}}\n"
        )
    };
    let catalog = load::from_bytes((yaml.to_owned() + &bundle("1.0.0") + &bundle("1.1.0")).into_bytes());
    let package = StuckReport::find_stuck(&fixture::graph_from_catalog(&catalog));
    let groups = &package.answer.as_ref().unwrap().groups;
    assert!(groups.iter().any(|group| group.end == "p.v1.0.0"), "{groups:?}");
    assert!(groups.iter().all(|group| !group.is_prerelease), "{groups:?}");
    for (name, expected) in
        [("alpha", true), ("my-candidate", true), ("pre-ga-1", true), ("nightly", true), ("stable", false)]
    {
        assert_eq!(is_prerelease_channel(&name.into()), expected, "{name}");
    }
}

#[test]
fn remedy_frees_what_it_says() {
    for channels in [
        vec![("new", "2.0.0\n"), ("old", "1.1.0 replaces=1.0.0\n1.0.0\n")],
        vec![("c", "3.0.0 replaces=2.0.0 skips=2.0.0\n2.0.0 replaces=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0\n")],
        vec![
            ("c", "3.0.0 replaces=2.0.0\n2.0.0\n"),
            ("d", "1.9.0 replaces=1.8.0\n1.8.0\n"),
            ("e", "1.0.0\n"),
        ],
    ] {
        let graph = fixture::graph_from_channels(&channels);
        let package = StuckReport::find_stuck(&graph);
        for group in &package.answer.as_ref().unwrap().groups {
            let remedies = package.remedies(&graph, group);
            let best = remedies.first().unwrap_or_else(|| panic!("no remedy for {group:?}"));
            assert_eq!((best.frees, best.remaining), (group.versions.len(), 0), "{group:?}: {best:?}");
            let edited = graph.package.with_entry(&best.channel, &best.entry, &best.spec).unwrap();
            let after = StuckReport::find_stuck(&PackageGraph::new(&std::sync::Arc::new(edited)));
            for name in &group.versions {
                assert_eq!(after.group_of(group.engine, name), None, "{best:?}");
            }
        }
    }
}

#[test]
fn remedy_states_its_longest_upgrade_and_the_longest_so_far() {
    // The range on 3.0.0 skips 1.1.0, 1.2.0 and 2.9.0; so far, the longest upgrade is 1.0.0 to 1.2.0.
    let graph = fixture::graph_from_channels(&[
        ("new", "3.0.0 replaces=2.9.0\n2.9.0\n"),
        ("old", "1.2.0 replaces=1.1.0 skips=1.0.0\n1.1.0\n1.0.0\n"),
    ]);
    assert_eq!(count_longest_skip(&graph), 1);
    let package = StuckReport::find_stuck(&graph);
    let group = &package.answer.as_ref().unwrap().groups[0];
    let remedies = package.remedies(&graph, group);
    let of_head = |field| remedies.iter().find(|it| it.field == field && it.entry.as_str() == "p.v3.0.0");
    let wide = of_head(crate::EdgeKind::SkipRange).unwrap();
    let jump = Jump { from: "p.v1.0.0".into(), skipped: 3, changes_major: true };
    assert_eq!((&wide.jump, wide.longest_skip), (&jump, 1));
    let narrow = of_head(crate::EdgeKind::Skips).unwrap();
    assert_eq!(narrow.jump, Jump { from: "p.v1.2.0".into(), skipped: 1, changes_major: true });
}

/// Returns true if some sequence of picks leads to the goal. Queries the resolvers step by step.
fn naive_arrives(graph: &PackageGraph, engine: Engine, from: &BundleName, goal: &Version) -> bool {
    let (mut open, mut seen) = (vec![from.clone()], BTreeSet::new());
    while let Some(at) = open.pop() {
        let Some(bundle) = graph.package.bundle(at.as_str()) else { continue };
        if bundle.version.as_ref().is_some_and(|version| version.version.cmp_precedence(goal).is_ge()) {
            return true;
        }
        if !seen.insert(at.clone()) {
            continue;
        }
        let installed = Installed::from_package(&graph.package, &at);
        let answers = match engine {
            Engine::V1 => vec![graph.resolve_v1(&Query::default(), Some(&installed))],
            Engine::Classic => graph
                .channels()
                .iter()
                .map(|channel| graph.resolve_classic(channel.graph.name().as_str(), Some(&installed)))
                .collect(),
        };
        open.extend(answers.into_iter().filter_map(|answer| answer.pick));
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stuck_versions_agree_with_naive_search(c in any_channel_lines(), d in any_channel_lines(), e in any_channel_lines()) {
        let graph = fixture::graph_from_channels(&[("c", &c), ("d", &d), ("e", &e)]);
        let package = StuckReport::find_stuck(&graph);
        let Some(answer) = &package.answer else { return Ok(()) };
        let goal = graph.package.bundle_version(answer.head.as_str()).unwrap().version.clone();
        for engine in [Engine::Classic, Engine::V1] {
            let names: BTreeSet<&BundleName> = graph.package.bundles.iter().map(|b| &b.name.value).collect();
            let expected: Vec<&BundleName> =
                names.into_iter().filter(|name| !naive_arrives(&graph, engine, name, &goal)).collect();
            prop_assert_eq!(answer.on_engine(engine).iter().collect::<Vec<_>>(), expected);
            let grouped: BTreeSet<&BundleName> =
                answer.groups.iter().filter(|g| g.engine == engine).flat_map(|g| &g.versions).collect();
            prop_assert_eq!(grouped.into_iter().collect::<Vec<_>>(), answer.on_engine(engine).iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn remedies_strand_no_other_version(c in any_channel_lines(), d in any_channel_lines()) {
        let graph = fixture::graph_from_channels(&[("c", &c), ("d", &d)]);
        let package = StuckReport::find_stuck(&graph);
        for group in package.answer.iter().flat_map(|answer| &answer.groups) {
            for remedy in package.remedies(&graph, group) {
                let edited = graph.package.with_entry(&remedy.channel, &remedy.entry, &remedy.spec).unwrap();
                let after = StuckReport::find_stuck(&PackageGraph::new(&std::sync::Arc::new(edited)));
                let count = |package: &StuckReport| package.count_stuck(group.engine);
                prop_assert!(count(&after) + remedy.frees <= count(&package), "{:?}", remedy);
            }
        }
    }
}
