use std::{collections::BTreeSet, fmt::Write as _};

use proptest::prelude::*;

use super::*;
use olm_catalog::Catalog;
use olm_upgrade::fixture;

/// Creates a catalog with a channel of these versions, each replacing the previous one. Without
/// versions there is no package.
fn catalog_of_versions(versions: &BTreeSet<u8>) -> Catalog {
    if versions.is_empty() {
        return olm_catalog::load::from_bytes(Vec::new());
    }
    let mut lines = String::new();
    let mut before = None;
    for version in versions {
        let _ = write!(lines, "{version}.0.0");
        let _ = before.map_or(Ok(()), |before: u8| write!(lines, " replaces={before}.0.0"));
        lines.push('\n');
        before = Some(*version);
    }
    fixture::catalog_from_channels(&[("c", &lines)])
}

/// Returns the effects of states, newest first. The last state is before the oldest commit.
fn commit_effects(states: Vec<Result<Catalog, String>>, at_a_time: usize) -> BTreeMap<usize, CommitEffect> {
    let last = states.len() - 1;
    let mut chain = StateSequence::new("p".into());
    let mut states = states.into_iter();
    let mut did = BTreeMap::new();
    loop {
        let some: Vec<_> = states.by_ref().take(at_a_time).collect();
        if some.is_empty() {
            break;
        }
        did.extend(chain.add_states(some));
    }
    did.extend(chain.finish_sequence());
    did.remove(&last);
    did
}

fn changed_bundle_names(changed: &PackageChange, fate: ChangeKind) -> Vec<String> {
    changed.bundles_by_kind(fate).map(ToString::to_string).collect()
}

fn expect_change(did: Option<&CommitEffect>) -> &PackageChange {
    match did {
        Some(CommitEffect::Changed(changed)) => changed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_commit_has_its_effect_on_users() {
    let of = |versions: &[u8]| Ok(catalog_of_versions(&versions.iter().copied().collect()));
    let did = commit_effects(vec![of(&[2, 3]), of(&[1, 2, 3]), of(&[1, 2, 3]), of(&[1, 2]), of(&[])], 8);
    assert_eq!(did.keys().copied().collect::<Vec<_>>(), [0, 2, 3], "one did nothing");
    let last = expect_change(did.get(&0));
    assert_eq!(changed_bundle_names(last, ChangeKind::Removed), ["p.v1.0.0"]);
    assert_eq!(last.users.stuck, 1);
    assert_eq!(
        last.bundles_by_impact(Impact::Stuck).map(ToString::to_string).collect::<Vec<_>>(),
        ["p.v1.0.0"]
    );
    let released = expect_change(did.get(&2));
    assert_eq!(
        (changed_bundle_names(released, ChangeKind::Added), released.users.moved),
        (vec!["p.v3.0.0".into()], 1)
    );
    assert_eq!(expect_change(did.get(&3)).package.change_kind, ChangeKind::Added);
}

#[test]
fn unreadable_commit_is_included_in_the_next_readable_one() {
    let of = |versions: &[u8]| Ok(catalog_of_versions(&versions.iter().copied().collect()));
    let broken = || Err("broken".to_owned());
    let did = commit_effects(vec![of(&[1, 2]), broken(), broken(), of(&[1]), of(&[])], 2);
    assert!(matches!(did.get(&1), Some(CommitEffect::Unread(why)) if why == "broken"));
    assert_eq!(expect_change(did.get(&0)).unread_before, 2);
    assert_eq!(changed_bundle_names(expect_change(did.get(&0)), ChangeKind::Added), ["p.v2.0.0"]);
    let did = commit_effects(vec![of(&[1]), broken()], 8);
    assert!(matches!(did.get(&0), Some(CommitEffect::Unread(_))), "nobody knows what was there before");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any batch size, the steps together equal the difference between the first and the last
    /// state.
    #[test]
    fn steps_add_up_to_the_total_difference(
        states in prop::collection::vec(prop::collection::btree_set(1..6_u8, 0..5), 2..7),
        at_a_time in 1..4_usize,
        broken in prop::collection::vec(any::<bool>(), 7),
    ) {
        let last = states.len() - 1;
        let state = |(at, versions): (usize, &BTreeSet<u8>)| {
            // The first and the last state are readable.
            if at != 0 && at != last && broken[at] { Err("broken".to_owned()) } else { Ok(catalog_of_versions(versions)) }
        };
        let did = commit_effects(states.iter().enumerate().map(state).collect(), at_a_time);
        let version = |v: &u8| format!("p.v{v}.0.0");
        let mut bundles: BTreeSet<String> = states[last].iter().map(version).collect();
        let mut entries = bundles.clone();
        for did in did.values().rev() {
            let CommitEffect::Changed(changed) = did else { continue };
            for name in changed_bundle_names(changed, ChangeKind::Removed) {
                prop_assert!(bundles.remove(&name), "{name} was not there");
            }
            bundles.extend(changed_bundle_names(changed, ChangeKind::Added));
            for entry in changed.package.channels.iter().flat_map(|channel| &channel.entries) {
                match entry.change_kind() {
                    ChangeKind::Added => prop_assert!(entries.insert(entry.name.to_string())),
                    ChangeKind::Removed => prop_assert!(entries.remove(entry.name.as_str())),
                    ChangeKind::Changed => prop_assert!(entries.contains(entry.name.as_str())),
                }
            }
        }
        let end: BTreeSet<String> = states[0].iter().map(version).collect();
        prop_assert_eq!(&bundles, &end);
        prop_assert_eq!(&entries, &end);
        let ends = PackageChange::compare_package(
            &Snapshot::new(catalog_of_versions(&states[last])), &Snapshot::new(catalog_of_versions(&states[0])), &"p".into(),
        );
        let added: BTreeSet<String> = ends.iter().flat_map(|ends| changed_bundle_names(ends, ChangeKind::Added)).collect();
        let start: BTreeSet<String> = states[last].iter().map(version).collect();
        prop_assert_eq!(added, end.difference(&start).cloned().collect::<BTreeSet<_>>());
    }
}
