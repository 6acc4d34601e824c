//! Dependencies and CEL rules: arbitrary properties do not panic, no rule exceeds its step limit, and an
//! answer satisfies the query.
//!
//! Input: lines with the type of a property, a blank, and its value as JSON. An empty line ends a bundle. All
//! bundles are installed. A first line that begins with `=` is a CEL rule, which is evaluated on the first
//! bundle.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olm_upgrade::resolve::{
    InstalledCsv, Limits, Question,
    cel::{MAX_STEPS, Rule, Value, properties_value},
    checker,
    entry::EntryView,
    resolve,
};

/// Step limit per bundle.
const FEW: u64 = 200_000;

fn bundles(text: &str) -> Vec<InstalledCsv> {
    let bundles = text.split("\n\n").take(4).enumerate();
    let property = |line: &str| line.split_once(' ').map(|(kind, json)| (kind.to_owned(), json.to_owned()));
    bundles
        .map(|(at, lines)| {
            let properties: Vec<(String, String)> = lines.lines().take(12).filter_map(property).collect();
            InstalledCsv::with_properties(format!("b{at}.v1.0.0").as_str().into(), None, &properties)
        })
        .collect()
}

fuzz_target!(|input: &str| {
    let (rule, text) = match input.strip_prefix('=') {
        Some(rest) => {
            let (rule, text) = rest.split_once('\n').unwrap_or((rest, ""));
            (Some(rule), text)
        }
        None => (None, input),
    };
    let installed = bundles(text);
    if let Some(Ok(rule)) = rule.map(Rule::compile) {
        let mut steps = MAX_STEPS;
        let seen = installed.first().map(|csv| EntryView { facts: &csv.facts, catalog_bundle: None });
        let empty = properties_value(Vec::<(String, Value)>::new());
        let of = seen.and_then(|seen| seen.properties()).unwrap_or(&empty);
        let first = rule.holds(of, &mut steps);
        if steps > 0 {
            assert_eq!(rule.holds(of, &mut { MAX_STEPS }), first, "the second answer is another one");
        }
        assert!(Rule::compile(rule.text()).is_ok());
    }
    for csv in &installed {
        for requirement in &csv.facts.requirements {
            match &requirement.predicate {
                Ok(predicate) => {
                    assert_eq!(predicate.cache_key(), predicate.clone().cache_key());
                    assert!(!predicate.to_string().is_empty());
                    for other in &installed {
                        let seen = EntryView { facts: &other.facts, catalog_bundle: None };
                        let mut steps = FEW;
                        let holds = predicate.holds(seen, &mut steps);
                        if steps > 0 {
                            assert_eq!(predicate.holds(seen, &mut { FEW }), holds);
                        }
                    }
                }
                Err(fault) => assert!(!fault.to_string().is_empty()),
            }
        }
    }
    let mut question = Question::new(Vec::new());
    question.installed = installed;
    let answer = resolve(&question, Limits { search: FEW, explanation: FEW, stability: FEW });
    match &answer.outcome {
        Ok(picks) => assert_eq!(checker::violations(&question, picks), Vec::<String>::new()),
        Err(_) => assert!(!answer.why.is_empty()),
    }
});
