//! Tests that sentences match a comparison of each bundle with every group.

use proptest::prelude::*;

use super::*;
use olm_upgrade::ResolveError;

/// Returns true if one sentence can describe two installed bundles: both have the same next bundle
/// or the same error.
fn have_same_outcome(a: &ChangedUpgrade, b: &ChangedUpgrade) -> bool {
    let same_place = a.package == b.package && a.engine == b.engine && a.channel == b.channel;
    let broken = is_path_end(&a.after) || matches!(a.before.next, NextUpgrade::Error(_));
    same_place
        && next_step(&a.after) == next_step(&b.after)
        && (broken || next_step(&a.before) == next_step(&b.before))
}

fn group_by_comparison(moved: &[ChangedUpgrade]) -> Vec<Vec<BundleName>> {
    let mut groups: Vec<(&ChangedUpgrade, Vec<BundleName>)> = Vec::new();
    for moved in moved {
        match groups.iter_mut().find(|(first, _)| have_same_outcome(first, moved)) {
            Some((_, names)) => names.push(moved.installed.clone()),
            None => groups.push((moved, vec![moved.installed.clone()])),
        }
    }
    groups.into_iter().map(|(_, names)| names).collect()
}

fn any_next() -> impl Strategy<Value = NextUpgrade> {
    let error = |name: &str| NextUpgrade::Error(ResolveError::NoHead(name.into()));
    let heads = NextUpgrade::Error(ResolveError::SeveralHeads {
        channel: "c".into(),
        heads: vec!["a".into(), "b".into()].into(),
    });
    let to = |name: &str| NextUpgrade::To(name.into());
    prop::sample::select(vec![NextUpgrade::Stays, to("x"), to("y"), error("c"), error("d"), heads])
}

fn any_outlook() -> impl Strategy<Value = UpgradeOutcome> {
    (any_next(), any::<bool>()).prop_map(|(next, bad)| {
        let (stays, moves) = (next == NextUpgrade::Stays, matches!(next, NextUpgrade::To(_)));
        UpgradeOutcome {
            next,
            dead_end: bad && stays,
            escapes: bad && moves,
            end: "z".into(),
            circular: false,
        }
    })
}

/// Package and optional channel.
type PlacePair = (&'static str, Option<&'static str>);

fn any_changed_upgrades() -> impl Strategy<Value = Vec<ChangedUpgrade>> {
    let place =
        (prop::sample::select(vec!["p", "q"]), prop::option::of(prop::sample::select(vec!["c", "d"])));
    let one = (place, any::<bool>(), any_outlook(), any_outlook());
    prop::collection::vec(one, 0..20).prop_map(|all| {
        let made = |(n, one): (usize, (PlacePair, bool, UpgradeOutcome, UpgradeOutcome))| {
            let ((package, channel), classic, before, after) = one;
            ChangedUpgrade {
                package: package.into(),
                engine: if classic { Engine::Classic } else { Engine::V1 },
                channel: channel.map(ChannelName::from),
                installed: format!("b{n}").into(),
                removed: false,
                before,
                after,
            }
        };
        all.into_iter().enumerate().map(made).collect()
    })
}

/// Returns the changed upgrades of a channel from triples of names.
fn upgrade_changes(steps: &[(&str, &str, &str)]) -> Vec<ChangedUpgrade> {
    let outlook = |name: &str| UpgradeOutcome {
        next: NextUpgrade::To(name.into()),
        dead_end: false,
        escapes: false,
        end: name.into(),
        circular: false,
    };
    let one = |(installed, before, after): &(&str, &str, &str)| ChangedUpgrade {
        package: "p".into(),
        engine: Engine::Classic,
        channel: Some("c".into()),
        installed: (*installed).into(),
        removed: false,
        before: outlook(before),
        after: outlook(after),
    };
    steps.iter().map(one).collect()
}

#[test]
fn many_upgrades_to_one_successor_share_a_line_if_space_is_limited() {
    let moved = upgrade_changes(&[("1", "2", "9"), ("2", "3", "9"), ("x", "y", "z"), ("3", "4", "9")]);
    let told = |sentences: Vec<UpgradeSentence>| sentences.into_iter().map(|s| s.words).collect::<Vec<_>>();
    let label = |_: &PackageName, name: &BundleName| name.to_string();
    assert_eq!(
        told(describe_upgrades_by_target(&moved, label)),
        ["c: 1 2 3 (3): their upgrades => 9", "c: x: y => z"]
    );
    assert_eq!(
        told(describe_changed_upgrades(&moved, label)).len(),
        4,
        "on paper each says where it came from"
    );
    let two = upgrade_changes(&[("1", "2", "9"), ("2", "3", "9")]);
    assert_eq!(told(describe_upgrades_by_target(&two, label)), ["c: 1: 2 => 9", "c: 2: 3 => 9"]);
}

#[test]
fn outcome_of_many_bundles_precedes_their_names() {
    let names = ["1", "2", "3", "4", "5", "6", "7"];
    let label = |_: &PackageName, name: &BundleName| name.to_string();
    let told = |count: usize| {
        let moved: Vec<_> = names.iter().take(count).map(|name| (*name, "8", "9")).collect();
        describe_changed_upgrades(&upgrade_changes(&moved), label).remove(0).words
    };
    assert_eq!(told(6), "c: 1 2 3 4 5 6 (6): 8 => 9");
    assert_eq!(told(7), "c: 1 to 7 (7): 8 => 9; all: 1 2 3 4 5 6 7");
    // Bundles with another next bundle before the change join the same group.
    let mixed: Vec<_> =
        names.iter().zip(["a", "b", "c", "a", "b", "c", "a"]).map(|(n, b)| (*n, b, "9")).collect();
    let few = describe_upgrades_by_target(&upgrade_changes(&mixed), label);
    assert_eq!(few[0].words, "c: 1 to 7 (7): their upgrades => 9; all: 1 2 3 4 5 6 7");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bundles_with_equal_outcome_share_a_sentence(moved in any_changed_upgrades()) {
        let quick: Vec<Vec<BundleName>> = group_by_outcome(&moved)
            .into_iter()
            .map(|group| group.installed.into_iter().map(|(_, moved)| moved.installed.clone()).collect())
            .collect();
        prop_assert_eq!(quick, group_by_comparison(&moved));
    }
}
