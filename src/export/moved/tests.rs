//! Tests that sentences match a comparison of each bundle with every group.

use proptest::prelude::*;

use super::*;
use crate::upgrade::ResolveError;

/// Returns true if one sentence can describe two installed bundles: both have the same next bundle
/// or the same error.
fn alike(a: &Moved, b: &Moved) -> bool {
    let same_place = a.package == b.package && a.engine == b.engine && a.channel == b.channel;
    let broken = is_end(&a.after) || matches!(a.before.next, Next::Error(_));
    same_place && step(&a.after) == step(&b.after) && (broken || step(&a.before) == step(&b.before))
}

fn slow_groups(moved: &[Moved]) -> Vec<Vec<BundleName>> {
    let mut groups: Vec<(&Moved, Vec<BundleName>)> = Vec::new();
    for moved in moved {
        match groups.iter_mut().find(|(first, _)| alike(first, moved)) {
            Some((_, names)) => names.push(moved.installed.clone()),
            None => groups.push((moved, vec![moved.installed.clone()])),
        }
    }
    groups.into_iter().map(|(_, names)| names).collect()
}

fn next() -> impl Strategy<Value = Next> {
    let error = |name: &str| Next::Error(ResolveError::NoHead(name.into()));
    let heads = Next::Error(ResolveError::SeveralHeads {
        channel: "c".into(),
        heads: vec!["a".into(), "b".into()].into(),
    });
    let to = |name: &str| Next::To(name.into());
    prop::sample::select(vec![Next::Stays, to("x"), to("y"), error("c"), error("d"), heads])
}

fn outlook() -> impl Strategy<Value = Outlook> {
    (next(), any::<bool>()).prop_map(|(next, bad)| {
        let (stays, moves) = (next == Next::Stays, matches!(next, Next::To(_)));
        Outlook { next, dead_end: bad && stays, escapes: bad && moves, end: "z".into(), circular: false }
    })
}

/// Package and optional channel.
type Place = (&'static str, Option<&'static str>);

fn moved() -> impl Strategy<Value = Vec<Moved>> {
    let place =
        (prop::sample::select(vec!["p", "q"]), prop::option::of(prop::sample::select(vec!["c", "d"])));
    let one = (place, any::<bool>(), outlook(), outlook());
    prop::collection::vec(one, 0..20).prop_map(|all| {
        let made = |(n, one): (usize, (Place, bool, Outlook, Outlook))| {
            let ((package, channel), classic, before, after) = one;
            Moved {
                package: package.into(),
                engine: if classic { Engine::Classic } else { Engine::V1 },
                channel: channel.map(ChannelName::from),
                installed: format!("b{n}").into(),
                gone: false,
                before,
                after,
            }
        };
        all.into_iter().enumerate().map(made).collect()
    })
}

/// Returns the changed upgrades of a channel from triples of names.
fn steps(steps: &[(&str, &str, &str)]) -> Vec<Moved> {
    let outlook = |name: &str| Outlook {
        next: Next::To(name.into()),
        dead_end: false,
        escapes: false,
        end: name.into(),
        circular: false,
    };
    let one = |(installed, before, after): &(&str, &str, &str)| Moved {
        package: "p".into(),
        engine: Engine::Classic,
        channel: Some("c".into()),
        installed: (*installed).into(),
        gone: false,
        before: outlook(before),
        after: outlook(after),
    };
    steps.iter().map(one).collect()
}

#[test]
fn many_upgrades_to_one_successor_share_a_line_if_space_is_limited() {
    let moved = steps(&[("1", "2", "9"), ("2", "3", "9"), ("x", "y", "z"), ("3", "4", "9")]);
    let told = |sentences: Vec<Sentence>| sentences.into_iter().map(|s| s.words).collect::<Vec<_>>();
    let label = |_: &PackageName, name: &BundleName| name.to_string();
    assert_eq!(told(few_sentences(&moved, label)), ["c: 1 2 3 (3): their upgrades => 9", "c: x: y => z"]);
    assert_eq!(told(sentences(&moved, label)).len(), 4, "on paper each says where it came from");
    let two = steps(&[("1", "2", "9"), ("2", "3", "9")]);
    assert_eq!(told(few_sentences(&two, label)), ["c: 1: 2 => 9", "c: 2: 3 => 9"]);
}

#[test]
fn outcome_of_many_bundles_precedes_their_names() {
    let names = ["1", "2", "3", "4", "5", "6", "7"];
    let label = |_: &PackageName, name: &BundleName| name.to_string();
    let told = |count: usize| {
        let moved: Vec<_> = names.iter().take(count).map(|name| (*name, "8", "9")).collect();
        sentences(&steps(&moved), label).remove(0).words
    };
    assert_eq!(told(6), "c: 1 2 3 4 5 6 (6): 8 => 9");
    assert_eq!(told(7), "c: 1 to 7 (7): 8 => 9; all: 1 2 3 4 5 6 7");
    // Bundles with another next bundle before the change join the same group.
    let mixed: Vec<_> =
        names.iter().zip(["a", "b", "c", "a", "b", "c", "a"]).map(|(n, b)| (*n, b, "9")).collect();
    let few = few_sentences(&steps(&mixed), label);
    assert_eq!(few[0].words, "c: 1 to 7 (7): their upgrades => 9; all: 1 2 3 4 5 6 7");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bundles_with_equal_outcome_share_a_sentence(moved in moved()) {
        let quick: Vec<Vec<BundleName>> = groups(&moved)
            .into_iter()
            .map(|group| group.installed.into_iter().map(|(_, moved)| moved.installed.clone()).collect())
            .collect();
        prop_assert_eq!(quick, slow_groups(&moved));
    }
}
