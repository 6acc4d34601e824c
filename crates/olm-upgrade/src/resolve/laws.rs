//! Properties of all answers, tested on random clusters.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{
    Limits, Question, Source, checker,
    explain::find_core,
    fixture::{build_documents, load_catalog, with_installed, with_subscription},
    index::CatalogIndex,
    problem::{Problem, VarId},
    resolve,
    search::{Demand, Demands, SearchResult, search},
};

const PACKAGES: [&str; 4] = ["a", "b", "d", "e"];
const VERSIONS: [&str; 3] = ["1.0.0", "2.0.0", "3.0.0"];

/// Returns random properties of a bundle besides its version.
fn any_traits() -> impl Strategy<Value = String> {
    let needs =
        (0..PACKAGES.len(), prop::sample::select(vec![">=1.0.0", "<2.0.0", "2.0.0", ">=9.0.0", ">=2.0.0"]));
    let one = prop_oneof![
        4 => needs.prop_map(|(package, range)| format!("needs={}:{range}", PACKAGES[package])),
        2 => (0..4u8).prop_map(|kind| format!("asks=K{kind}")),
        2 => (0..4u8).prop_map(|kind| format!("gives=K{kind}")),
        1 => Just("deprecated".to_owned()),
    ];
    prop::collection::btree_set(one, 0..3).prop_map(|all| all.into_iter().collect::<Vec<_>>().join(" "))
}

/// Returns a random catalog as lines.
fn any_lines() -> impl Strategy<Value = String> {
    let of_package = prop::collection::vec(any_traits(), 1..=VERSIONS.len());
    prop::collection::vec(of_package, PACKAGES.len()).prop_map(|packages| {
        let mut lines = String::new();
        for (name, versions) in PACKAGES.iter().zip(packages) {
            for (at, traits) in versions.iter().enumerate() {
                let replaces = match at.checked_sub(1) {
                    Some(before) => format!("replaces={}", VERSIONS[before]),
                    None => String::new(),
                };
                lines += &format!("{name} {} {replaces} {traits}\n", VERSIONS[at]);
            }
        }
        lines
    })
}

/// Returns random subscriptions with their installed versions, and installed packages without a subscription.
fn any_wishes() -> impl Strategy<Value = Vec<(usize, Option<bool>)>> {
    let wish = (0..PACKAGES.len(), prop::option::weighted(0.5, prop::bool::weighted(0.8)));
    prop::collection::vec(wish, 1..4).prop_map(|mut wishes| {
        wishes.sort_unstable();
        wishes.dedup_by_key(|wish| wish.0);
        wishes
    })
}

fn build_question(documents: &[String], wishes: &[(usize, Option<bool>)]) -> Question {
    let index = std::sync::Arc::new(CatalogIndex::new(&load_catalog(documents)));
    let mut question = Question::new(vec![Source::new("c", &index)]);
    for &(package, installed) in wishes {
        question = match installed {
            None => with_subscription(question, PACKAGES[package], None),
            Some(true) => with_subscription(question, PACKAGES[package], Some("1.0.0")),
            Some(false) => with_installed(question, &format!("{}.v1.0.0", PACKAGES[package])),
        };
    }
    question
}

/// Searches without backjumping, in the order of the specification.
fn search_plainly(
    problem: &Problem<'_>,
    queue: &[&[VarId]],
    chosen: &BTreeSet<VarId>,
) -> Option<BTreeSet<VarId>> {
    let Some((first, rest)) = queue.split_first() else { return Some(chosen.clone()) };
    if first.iter().any(|var| chosen.contains(var)) {
        return search_plainly(problem, rest, chosen);
    }
    first.iter().filter(|var| fits(problem, chosen, **var)).find_map(|var| {
        let mut chosen = chosen.clone();
        chosen.insert(*var);
        let mut queue = rest.to_vec();
        queue.extend(problem.variables[*var].needs.iter().map(|need| need.candidates.as_slice()));
        search_plainly(problem, &queue, &chosen)
    })
}

fn fits(problem: &Problem<'_>, chosen: &BTreeSet<VarId>, var: VarId) -> bool {
    let new = &problem.variables[var];
    let against = |other: &VarId| {
        let known = &problem.variables[*other];
        new.groups.iter().any(|group| known.groups.contains(group))
            || new.rivals.contains(other)
            || known.rivals.contains(&var)
    };
    !new.is_deprecated && new.duplicate_group.is_none() && !chosen.iter().any(against)
}

fn search_without_backjumping(problem: &Problem<'_>) -> Option<BTreeSet<VarId>> {
    let mut chosen = BTreeSet::new();
    for &var in &problem.mandatory {
        if !fits(problem, &chosen, var) {
            return None;
        }
        chosen.insert(var);
    }
    let mut queue: Vec<&[VarId]> = problem.targets.iter().map(|wish| wish.candidates.as_slice()).collect();
    for &var in &problem.mandatory {
        queue.extend(problem.variables[var].needs.iter().map(|need| need.candidates.as_slice()));
    }
    search_plainly(problem, &queue, &chosen)
}

fn is_satisfiable(problem: &Problem<'_>, demands: &BTreeSet<Demand>) -> bool {
    matches!(
        search(problem, &Demands::for_demands(problem, demands), &mut 1_000_000).result,
        SearchResult::Chosen(_)
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn answer_satisfies_all_constraints(lines in any_lines(), wishes in any_wishes()) {
        let question = build_question(&build_documents(&lines), &wishes);
        let answer = resolve(&question, Limits::default().answer_only());
        if let Ok(picks) = &answer.outcome {
            prop_assert_eq!(checker::violations(&question, picks), Vec::<String>::new());
        }
    }

    #[test]
    fn backjumping_does_not_change_the_first_answer(lines in any_lines(), wishes in any_wishes()) {
        let question = build_question(&build_documents(&lines), &wishes);
        let Ok(problem) = Problem::new(&question, &mut 1_000_000) else { return Ok(()) };
        let found = search(&problem, &Demands::for_problem(&problem), &mut 1_000_000).result;
        let expected = search_without_backjumping(&problem);
        match found {
            SearchResult::Chosen(chosen) => {
                prop_assert_eq!(Some(chosen.into_iter().collect::<BTreeSet<_>>()), expected);
            }
            other => prop_assert!(expected.is_none(), "{other:?} {expected:?}"),
        }
    }

    #[test]
    fn order_of_documents_does_not_matter(
        lines in any_lines(),
        wishes in any_wishes(),
        keys in prop::collection::vec(any::<u32>(), 40),
    ) {
        let documents = build_documents(&lines);
        let mut shuffled: Vec<(u32, String)> = keys.into_iter().zip(documents.clone()).collect();
        shuffled.sort_unstable();
        let shuffled: Vec<String> = shuffled.into_iter().map(|(_, document)| document).collect();
        let (a, b) = (build_question(&documents, &wishes), build_question(&shuffled, &wishes));
        let (a, b) = (resolve(&a, Limits::default()), resolve(&b, Limits::default()));
        prop_assert_eq!(a.picks(), b.picks());
        prop_assert_eq!((a.error_message(), a.why, a.is_unstable), (b.error_message(), b.why, b.is_unstable));
    }

    #[test]
    fn core_is_unsatisfiable_and_minimal(lines in any_lines(), wishes in any_wishes()) {
        let question = build_question(&build_documents(&lines), &wishes);
        let Ok(problem) = Problem::new(&question, &mut 1_000_000) else { return Ok(()) };
        let found = search(&problem, &Demands::for_problem(&problem), &mut 1_000_000).result;
        let SearchResult::Nothing(seen) = found else { return Ok(()) };
        let core = find_core(&problem, &seen, &mut 1_000_000);
        prop_assert!(!core.is_empty() && !is_satisfiable(&problem, &core));
        for demand in &core {
            let mut fewer = core.clone();
            fewer.remove(demand);
            prop_assert!(is_satisfiable(&problem, &fewer), "{demand:?} of {core:?} is not to blame");
        }
    }
}
