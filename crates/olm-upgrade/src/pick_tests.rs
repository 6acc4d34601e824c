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
            let pick = resolver.pick(Some(&installed)).cloned();
            prop_assert_eq!(pick, resolver.pick_with_rule(Some(&installed)).map(|(name, _)| name.clone()), "v1: {:?}", installed);
            let step = resolver.pick_with_rule(Some(&installed)).map(|(name, rule)| format!("{name} {rule:?}"));
            prop_assert_eq!(step, winning_rule(&resolver.complete_answer(Some(&installed))), "v1: {:?}", installed);
        }
    }
}
