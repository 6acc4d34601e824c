//! Properties of all channels and all deprecations.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{parse_target, with_deprecation};
use crate::review::{
    Consequences, PackageState, Snapshot,
    deprecations::{DeprecationEffects, ExitPath, list_deprecations},
};
use olm_catalog::{BundleName, Catalog, ChannelName, blob::DeprecationTarget};
use olm_edit::Edit;
use olm_upgrade::{
    Engine, Installed, fixture,
    path::{self, PathOutcome, UpgradeContext},
    table::{NextUpgrade, v1_next},
    v1::Query,
};

/// Generates deprecation targets in a package with the channels `c` and `d`.
fn any_targets() -> impl Strategy<Value = Vec<DeprecationTarget>> {
    let version = prop::sample::select(&["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.0.1", "3.0.0", "10.0.0"][..]);
    let one = prop_oneof![
        1 => Just(parse_target("package")),
        2 => Just(parse_target("channel c")),
        2 => Just(parse_target("channel d")),
        8 => version.prop_map(|version| parse_target(&format!("bundle {version}"))),
    ];
    prop::collection::vec(one, 1..5)
}

fn deprecate_all(catalog: &Catalog, targets: &[DeprecationTarget]) -> Option<Catalog> {
    let mut catalog = catalog.clone();
    for target in targets {
        let edit = Edit::Deprecate { package: "p".into(), target: target.clone(), message: "m".into() };
        // Missing targets cannot be deprecated.
        catalog = olm_edit::apply_edit(&catalog, &edit).ok()?;
    }
    Some(catalog)
}

/// Returns true if a bundle on a path is not deprecated. For Classic the subscribed channel counts too, for v1 all channels.
fn is_free(judged: &PackageState, by: &UpgradeContext, name: &BundleName) -> bool {
    let package = judged.package();
    let dead = |channel: &ChannelName| package.channel_deprecation(channel).is_some();
    package.bundle_deprecation(name).is_none()
        && match by {
            UpgradeContext::Classic(channel) => !dead(channel),
            UpgradeContext::V1(_) => {
                let homes: Vec<_> = package.channels_with(name).map(|c| c.name.value.clone()).collect();
                homes.is_empty() || !homes.iter().all(dead)
            }
        }
}

/// Returns all bundles on a path, including the first one.
fn bundles_on_path(
    judged: &PackageState,
    by: &UpgradeContext,
    from: &BundleName,
) -> (Vec<BundleName>, PathOutcome) {
    let installed = Installed::from_package(judged.package(), from);
    let path = path::follow_path(&judged.graph, by, &installed, None);
    let all = std::iter::once(from.clone()).chain(path.hops.into_iter().map(|hop| hop.to));
    (all.collect(), path.outcome)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Ways by upgrades are paths, which another module computes.
    #[test]
    fn way_by_upgrades_agrees_with_path(c in fixture::any_channel_lines(), d in fixture::any_channel_lines(), targets in any_targets()) {
        let Some(catalog) = deprecate_all(&fixture::catalog_from_channels(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let snapshot = Snapshot::new(catalog);
        let judged = snapshot.package("p").unwrap();
        for user in list_deprecations(judged).iter().flat_map(|one| &one.affected) {
            let classic = user.classic.iter().map(|(channel, way)| (UpgradeContext::Classic(channel.clone()), way));
            for (by, way) in classic.chain([(UpgradeContext::V1(Query::default()), &user.v1)]) {
                let (path, end) = bundles_on_path(judged, &by, &user.installed);
                let first = path.iter().position(|name| is_free(judged, &by, name));
                match way {
                    ExitPath::NotNeeded => prop_assert_eq!(first, Some(0)),
                    ExitPath::Upgrades { to, hops } => {
                        prop_assert_eq!(first, Some(*hops), "{:?} {:?}", by, path);
                        prop_assert_eq!(&path[*hops], to);
                    }
                    ExitPath::ChannelSwitch { .. } | ExitPath::Closed { .. } => prop_assert_eq!(first, None, "{:?} {:?}", by, path),
                    ExitPath::Unknown(error) => {
                        prop_assert_eq!(first, None);
                        let reports = matches!(&end, PathOutcome::Error { error: found, .. } if found == error);
                        prop_assert!(reports, "{:?}", end);
                    }
                }
                if let (ExitPath::ChannelSwitch { channels, to, hops }, UpgradeContext::Classic(_)) = (way, &by) {
                    let other = UpgradeContext::Classic(channels[0].clone());
                    let (path, _) = bundles_on_path(judged, &other, &user.installed);
                    prop_assert_eq!(&path[*hops], to);
                    prop_assert!(is_free(judged, &other, to));
                }
            }
        }
    }

    /// Without deprecations nothing is blocked, and every bundle on which v1 stops has an upgrade.
    #[test]
    fn removal_of_all_deprecations_frees_all_bundles(c in fixture::any_channel_lines(), d in fixture::any_channel_lines(), targets in any_targets()) {
        let Some(catalog) = deprecate_all(&fixture::catalog_from_channels(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let before = Snapshot::new(catalog);
        let judged = before.package("p").unwrap();
        let all = list_deprecations(judged);
        let mut free = (*before.catalog).clone();
        // The fixture may deprecate a bundle in two channels twice; the edit removes both.
        for target in all.iter().filter_map(|one| one.target.clone()).collect::<BTreeSet<_>>() {
            free = olm_edit::apply_edit(&free, &Edit::Undeprecate { package: "p".into(), target }).unwrap();
        }
        let after = before.after_change(free);
        let freed = after.package("p").unwrap();
        prop_assert!(list_deprecations(freed).is_empty());
        let (now, then) = (judged.graph.v1_resolver(&Query::default()), freed.graph.v1_resolver(&Query::default()));
        for bundle in &judged.package().bundles {
            let installed = Installed::from_package(judged.package(), &bundle.name.value);
            let stays = v1_next(&now, &installed) == NextUpgrade::Stays;
            let goes_on = matches!(v1_next(&then, &installed), NextUpgrade::To(_));
            let is_deprecated = judged.package().bundle_deprecation(&installed.name).is_some();
            let stopped = all.iter().any(|one| one.stopped.contains(&installed.name));
            prop_assert_eq!(stopped, stays && goes_on && !is_deprecated, "{}", installed.name);
        }
        let effects = Consequences::compare_snapshots(&before, &after).deprecations;
        for effects in effects {
            prop_assert!(effects.added.is_empty() && effects.lost.is_empty() && effects.stopped.is_empty());
        }
    }

    /// Without the single deprecation that stops v1, v1 continues.
    #[test]
    fn each_deprecation_that_stops_v1_does_so_alone(c in fixture::any_channel_lines(), d in fixture::any_channel_lines(), targets in any_targets()) {
        let Some(catalog) = deprecate_all(&fixture::catalog_from_channels(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let before = Snapshot::new(catalog);
        for one in list_deprecations(before.package("p").unwrap()).iter().filter(|one| !one.stopped.is_empty()) {
            let target = one.target.clone().unwrap();
            let edit = Edit::Undeprecate { package: "p".into(), target };
            let after = before.after_change(olm_edit::apply_edit(&before.catalog, &edit).unwrap());
            let judged = after.package("p").unwrap();
            let resolver = judged.graph.v1_resolver(&Query::default());
            for name in &one.stopped {
                let next = v1_next(&resolver, &Installed::from_package(judged.package(), name));
                prop_assert!(matches!(next, NextUpgrade::To(_)), "{} without {}: {:?}", name, one.reference, next);
            }
        }
    }

    /// A deprecation never opens a way out for Classic, since Classic ignores deprecations.
    #[test]
    fn deprecation_never_opens_a_way_out_for_classic(
        c in fixture::any_channel_lines(),
        d in fixture::any_channel_lines(),
        targets in any_targets(),
        more in any_targets(),
    ) {
        let channels = fixture::catalog_from_channels(&[("c", &c), ("d", &d)]);
        let Some(before) = deprecate_all(&channels, &targets) else { return Ok(()) };
        let Some(after) = deprecate_all(&before, &more) else { return Ok(()) };
        let (before, after) = (Snapshot::new(before), Snapshot::new(after));
        let effects = Consequences::compare_snapshots(&before, &after).deprecations;
        for found in effects.iter().flat_map(|effects| &effects.found) {
            prop_assert_eq!(found.engine, Engine::V1, "{:?}", found);
        }
    }

    /// A deprecated channel without entries has no effect.
    #[test]
    fn deprecation_of_empty_channel_has_no_effect(c in fixture::any_channel_lines(), targets in any_targets()) {
        let Some(before) = deprecate_all(&fixture::catalog_from_channels(&[("c", &c), ("d", &c)]), &targets) else { return Ok(()) };
        let empty = Edit::AddChannel { package: "p".into(), channel: "empty".into(), entries: Vec::new() };
        let before = olm_edit::apply_edit(&before, &empty).unwrap();
        let target = parse_target("channel empty");
        let after = with_deprecation(&before, &target);
        let (before, after) = (Snapshot::new(before), Snapshot::new(after));
        let effects = Consequences::compare_snapshots(&before, &after).deprecations;
        let expected = DeprecationEffects { package: "p".into(), added: vec![(target, 0)], ..DeprecationEffects::default() };
        prop_assert_eq!(effects, [expected]);
    }
}
