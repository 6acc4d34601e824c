//! Properties of all channels and all deprecations.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{deprecating, target};
use crate::{
    catalog::{BundleName, Catalog, ChannelName, blob::DeprecationTarget},
    edit::{self, Edit},
    review::{
        Consequences, Judged, Snapshot,
        deprecations::{Effects, Way, deprecated},
    },
    upgrade::{
        Engine, Installed, fixture,
        path::{self, End, Traveller},
        picks,
        table::{Next, v1_next},
        v1::Query,
    },
};

/// Generates deprecation targets in a package with the channels `c` and `d`.
fn targets() -> impl Strategy<Value = Vec<DeprecationTarget>> {
    let version = prop::sample::select(&["1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.0.1", "3.0.0", "10.0.0"][..]);
    let one = prop_oneof![
        1 => Just(target("package")),
        2 => Just(target("channel c")),
        2 => Just(target("channel d")),
        8 => version.prop_map(|version| target(&format!("bundle {version}"))),
    ];
    prop::collection::vec(one, 1..5)
}

fn all_of(catalog: &Catalog, targets: &[DeprecationTarget]) -> Option<Catalog> {
    let mut catalog = catalog.clone();
    for target in targets {
        let edit = Edit::Deprecate { package: "p".into(), target: target.clone(), message: "m".into() };
        // Missing targets cannot be deprecated.
        catalog = edit::apply(&catalog, &edit).ok()?;
    }
    Some(catalog)
}

/// Returns true if a bundle on a path is not deprecated. For Classic the subscribed channel counts too, for v1 all channels.
fn is_free(judged: &Judged, by: &Traveller, name: &BundleName) -> bool {
    let package = judged.package();
    let dead = |channel: &ChannelName| package.channel_deprecation(channel).is_some();
    package.bundle_deprecation(name).is_none()
        && match by {
            Traveller::Classic(channel) => !dead(channel),
            Traveller::V1(_) => {
                let homes: Vec<_> = package.channels_with(name).map(|c| c.name.value.clone()).collect();
                homes.is_empty() || !homes.iter().all(dead)
            }
        }
}

/// Returns all bundles on a path, including the first one.
fn on_path(judged: &Judged, by: &Traveller, from: &BundleName) -> (Vec<BundleName>, End) {
    let installed = Installed::of(judged.package(), from);
    let path = path::path(&judged.graph, by, &installed, None);
    let all = std::iter::once(from.clone()).chain(path.hops.into_iter().map(|hop| hop.to));
    (all.collect(), path.end)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Ways by upgrades are paths, which another module computes.
    #[test]
    fn way_by_upgrades_agrees_with_path(c in picks::lines(), d in picks::lines(), targets in targets()) {
        let Some(catalog) = all_of(&fixture::catalog(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let snapshot = Snapshot::new(catalog);
        let judged = snapshot.package("p").unwrap();
        for user in deprecated(judged).iter().flat_map(|one| &one.users) {
            let classic = user.classic.iter().map(|(channel, way)| (Traveller::Classic(channel.clone()), way));
            for (by, way) in classic.chain([(Traveller::V1(Query::default()), &user.v1)]) {
                let (path, end) = on_path(judged, &by, &user.installed);
                let first = path.iter().position(|name| is_free(judged, &by, name));
                match way {
                    Way::Here => prop_assert_eq!(first, Some(0)),
                    Way::Upgrades { to, hops } => {
                        prop_assert_eq!(first, Some(*hops), "{:?} {:?}", by, path);
                        prop_assert_eq!(&path[*hops], to);
                    }
                    Way::Switch { .. } | Way::Closed { .. } => prop_assert_eq!(first, None, "{:?} {:?}", by, path),
                    Way::Unknown(error) => {
                        prop_assert_eq!(first, None);
                        let reports = matches!(&end, End::Error { error: found, .. } if found == error);
                        prop_assert!(reports, "{:?}", end);
                    }
                }
                if let (Way::Switch { channels, to, hops }, Traveller::Classic(_)) = (way, &by) {
                    let other = Traveller::Classic(channels[0].clone());
                    let (path, _) = on_path(judged, &other, &user.installed);
                    prop_assert_eq!(&path[*hops], to);
                    prop_assert!(is_free(judged, &other, to));
                }
            }
        }
    }

    /// Without deprecations nothing is blocked, and every bundle on which v1 stops has an upgrade.
    #[test]
    fn removal_of_all_deprecations_frees_all_bundles(c in picks::lines(), d in picks::lines(), targets in targets()) {
        let Some(catalog) = all_of(&fixture::catalog(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let before = Snapshot::new(catalog);
        let judged = before.package("p").unwrap();
        let all = deprecated(judged);
        let mut free = (*before.catalog).clone();
        // The fixture may deprecate a bundle in two channels twice; the edit removes both.
        for target in all.iter().filter_map(|one| one.target.clone()).collect::<BTreeSet<_>>() {
            free = edit::apply(&free, &Edit::Undeprecate { package: "p".into(), target }).unwrap();
        }
        let after = before.after(free);
        let freed = after.package("p").unwrap();
        prop_assert!(deprecated(freed).is_empty());
        let (now, then) = (judged.graph.resolver(&Query::default()), freed.graph.resolver(&Query::default()));
        for bundle in &judged.package().bundles {
            let installed = Installed::of(judged.package(), &bundle.name.value);
            let stays = v1_next(&now, &installed) == Next::Stays;
            let goes_on = matches!(v1_next(&then, &installed), Next::To(_));
            let is_deprecated = judged.package().bundle_deprecation(&installed.name).is_some();
            let stopped = all.iter().any(|one| one.stopped.contains(&installed.name));
            prop_assert_eq!(stopped, stays && goes_on && !is_deprecated, "{}", installed.name);
        }
        let effects = Consequences::between(&before, &after).deprecations;
        for effects in effects {
            prop_assert!(effects.added.is_empty() && effects.lost.is_empty() && effects.stopped.is_empty());
        }
    }

    /// Without the single deprecation that stops v1, v1 continues.
    #[test]
    fn each_deprecation_that_stops_v1_does_so_alone(c in picks::lines(), d in picks::lines(), targets in targets()) {
        let Some(catalog) = all_of(&fixture::catalog(&[("c", &c), ("d", &d)]), &targets) else { return Ok(()) };
        let before = Snapshot::new(catalog);
        for one in deprecated(before.package("p").unwrap()).iter().filter(|one| !one.stopped.is_empty()) {
            let target = one.target.clone().unwrap();
            let edit = Edit::Undeprecate { package: "p".into(), target };
            let after = before.after(edit::apply(&before.catalog, &edit).unwrap());
            let judged = after.package("p").unwrap();
            let resolver = judged.graph.resolver(&Query::default());
            for name in &one.stopped {
                let next = v1_next(&resolver, &Installed::of(judged.package(), name));
                prop_assert!(matches!(next, Next::To(_)), "{} without {}: {:?}", name, one.reference, next);
            }
        }
    }

    /// A deprecation never opens a way out for Classic, since Classic ignores deprecations.
    #[test]
    fn deprecation_never_opens_a_way_out_for_classic(
        c in picks::lines(),
        d in picks::lines(),
        targets in targets(),
        more in targets(),
    ) {
        let channels = fixture::catalog(&[("c", &c), ("d", &d)]);
        let Some(before) = all_of(&channels, &targets) else { return Ok(()) };
        let Some(after) = all_of(&before, &more) else { return Ok(()) };
        let (before, after) = (Snapshot::new(before), Snapshot::new(after));
        let effects = Consequences::between(&before, &after).deprecations;
        for found in effects.iter().flat_map(|effects| &effects.found) {
            prop_assert_eq!(found.engine, Engine::V1, "{:?}", found);
        }
    }

    /// A deprecated channel without entries has no effect.
    #[test]
    fn deprecation_of_empty_channel_has_no_effect(c in picks::lines(), targets in targets()) {
        let Some(before) = all_of(&fixture::catalog(&[("c", &c), ("d", &c)]), &targets) else { return Ok(()) };
        let empty = Edit::AddChannel { package: "p".into(), channel: "empty".into(), entries: Vec::new() };
        let before = edit::apply(&before, &empty).unwrap();
        let target = target("channel empty");
        let after = deprecating(&before, &target);
        let (before, after) = (Snapshot::new(before), Snapshot::new(after));
        let effects = Consequences::between(&before, &after).deprecations;
        let expected = Effects { package: "p".into(), added: vec![(target, 0)], ..Effects::default() };
        prop_assert_eq!(effects, [expected]);
    }
}
