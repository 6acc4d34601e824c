//! Tests that the picks from indexes agree with the complete answers, which check every bundle.

use proptest::prelude::*;

use super::{
    Answer, Installed, PackageGraph, ResolveError, Verdict, classic,
    fixture::{self, VERSIONS, any_channel_lines},
    v1::{Policy, Query, Resolver},
};
use olm_version::VersionRelease;

fn any_query() -> impl Strategy<Value = Query> {
    let channels = prop_oneof![3 => Just(vec![]), 1 => Just(vec!["c".into()]), 1 => Just(vec!["d".into()])];
    let version = prop_oneof![3 => Just(""), 1 => Just("<2.0.0"), 1 => Just(">=1.1.0"), 1 => Just("!=1.2.0")];
    let policy = prop_oneof![4 => Just(Policy::CatalogProvided), 1 => Just(Policy::SelfCertified)];
    (channels, version, policy).prop_map(|(channels, version, policy)| Query {
        channels,
        version: version.to_owned(),
        policy,
    })
}

/// Returns installed bundles: all bundles, names that are only mentioned in the catalog, and unknown versions.
fn sample_installed(graph: &PackageGraph) -> Vec<Installed> {
    let mut all: Vec<_> =
        VERSIONS.iter().map(|v| Installed::from_package(&graph.package, &format!("p.v{v}").into())).collect();
    for version in VERSIONS.iter().chain(&["0.1.0", "1.1.5", "99.0.0"]) {
        let version = VersionRelease::parse(version, "").ok();
        all.push(Installed { name: "p.gone".into(), version: version.clone() });
        all.push(Installed { name: "p.v1.0.0".into(), version });
    }
    all.push(Installed { name: "p.v1.0.0".into(), version: None });
    all
}

/// Returns the pick with its rule, or the error.
fn winning_rule(answer: &Answer) -> Result<String, ResolveError> {
    if let Some(error) = &answer.error {
        return Err(error.clone());
    }
    let admitted = answer.candidates.iter().find_map(|candidate| match &candidate.verdict {
        Verdict::Admitted(admission) => Some(format!("{} {admission:?}", candidate.name)),
        Verdict::Refused(_) => None,
    });
    Ok(admitted.unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn picks_agree_with_complete_answers(c in any_channel_lines(), d in any_channel_lines(), query in any_query()) {
        let graph = fixture::graph_from_channels(&[("c", &c), ("d", &d)]);
        let resolver = Resolver::new(&graph.package, &query).unwrap();
        for installed in sample_installed(&graph) {
            for channel in graph.channels() {
                let Ok(chain) = &channel.chain else { continue };
                let pick = classic::pick_successor(&channel.graph, chain, &installed);
                let pick = pick.and_then(|at| channel.graph.node(at)).map(|node| node.name.clone());
                let answer = classic::answer_upgrade(&channel.graph, &channel.chain, &installed);
                prop_assert_eq!(pick, answer.pick, "Classic in {}: {:?}", channel.graph.name(), installed);
            }
            for channel in graph.channels() {
                let name = channel.graph.name().as_str();
                let reason = graph.resolve_classic(name, Some(&installed)).reason();
                prop_assert_eq!(graph.classic_reason(name, &installed), reason, "Classic in {}: {:?}", name, installed);
            }
            let reason = graph.resolve_v1(&query, Some(&installed)).reason();
            prop_assert_eq!(graph.v1_reason(&query, &installed), reason, "v1: {:?}", installed);
            let pick = resolver.pick(Some(&installed)).cloned();
            prop_assert_eq!(pick, resolver.pick_with_rule(Some(&installed)).map(|(name, _)| name.clone()), "v1: {:?}", installed);
            let step = resolver.pick_with_rule(Some(&installed)).map(|(name, rule)| format!("{name} {rule:?}"));
            prop_assert_eq!(step, winning_rule(&resolver.complete_answer(Some(&installed))), "v1: {:?}", installed);
        }
    }

    #[test]
    fn successors_are_the_picks_of_pinned_versions(
        c in any_channel_lines(),
        d in any_channel_lines(),
        query in any_query(),
    ) {
        let graph = fixture::graph_from_channels(&[("c", &c), ("d", &d)]);
        let query = Query { version: String::new(), policy: Policy::CatalogProvided, ..query };
        let resolver = Resolver::new(&graph.package, &query).unwrap();
        let versions = graph.package.bundles.iter().filter_map(|bundle| bundle.version.as_ref());
        let mut pins: Vec<String> = versions.map(|v| format!("={}", v.version.without_build())).collect();
        pins.sort_unstable();
        pins.dedup();
        for installed in sample_installed(&graph) {
            let picks: Vec<_> = pins
                .iter()
                .filter_map(|pin| {
                    let pinned = Resolver::new(&graph.package, &Query { version: pin.clone(), ..query.clone() });
                    let pinned = pinned.unwrap();
                    let (name, rule) = pinned.pick_with_rule(Some(&installed)).ok()?;
                    (*name != installed.name).then(|| (name.clone(), rule.edge()))
                })
                .collect();
            let in_order = |name: &olm_catalog::BundleName| picks.iter().find(|(pick, _)| pick == name).cloned();
            let expected: Vec<_> = resolver.preferred_names().filter_map(in_order).collect();
            let successors = resolver.successors(&installed).unwrap_or_default();
            let successors: Vec<_> = successors.into_iter().map(|(name, kind)| (name.clone(), kind)).collect();
            prop_assert_eq!(successors, expected, "{:?} {:?}", installed, query);
        }
    }
}
