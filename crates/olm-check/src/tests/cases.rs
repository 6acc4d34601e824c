//! Tests of each rule with small changes of a small catalog; see `cases.txt`.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{all_findings, assert_distinct_keys, changes};
use crate::{Finding, FindingLocation, review::Snapshot, rule::RuleSubject, rules};
use olm_catalog::{Catalog, load};

const BASE: &str = include_str!("base.yaml");
const CASES: &str = include_str!("cases.txt");

/// Rules that no YAML text can break; they have tests elsewhere.
const TESTED_ELSEWHERE: [&str; 19] = [
    "bundle-object",
    "dependency-only-elsewhere",
    "unreadable-file",
    "bad-link",
    "special-file",
    "link-out-of-catalog",
    "bad-linked-file",
    "lfs-pointer",
    "left-over-save",
    "left-over-folder",
    "template",
    "bad-template",
    "rejected-bundle",
    "bad-indexignore",
    "not-utf8",
    "lost-documents",
    "json-syntax",
    "too-complex",
    "template-differs",
];

pub(super) struct Case {
    title: String,
    pub(super) yaml: String,
    expected: String,
}

pub(super) fn load_cases() -> Vec<Case> {
    changes::cases(CASES).into_iter().map(parse_case).collect()
}

fn parse_case(case: changes::Case) -> Case {
    let mut yaml = BASE.to_owned();
    for change in &case.changes {
        change.make(&mut yaml, BASE, &case.title);
    }
    Case { title: case.title, yaml, expected: case.expected }
}

/// Returns the first line of the text at a location.
fn catalog_line_at(catalog: &Catalog, at: &FindingLocation) -> String {
    let FindingLocation::Document(doc, span) = at else { panic!("{at:?}") };
    let text = String::from_utf8_lossy(&catalog.document_text(*doc).unwrap()[span.range()]).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

/// Formats findings in the notation of `cases.txt`.
pub(super) fn format_findings(catalog: &Catalog, findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let text = catalog_line_at(catalog, finding.at.as_ref().unwrap());
        let _ = writeln!(out, "> {} | {text} | {}", finding.rule.id, finding.message);
        if let Some(help) = &finding.help {
            let _ = writeln!(out, "? {help}");
        }
        for related in &finding.related {
            let _ = writeln!(out, "~ {} | {}", related.message, catalog_line_at(catalog, &related.at));
        }
    }
    out
}

fn check_yaml(yaml: &str) -> (Vec<Finding>, String) {
    let catalog = load::from_bytes(yaml.as_bytes().to_vec());
    let found = all_findings(&catalog);
    let spelt = format_findings(&catalog, &found);
    (found, spelt)
}

#[test]
fn base_catalog_has_no_findings() {
    assert_eq!(check_yaml(BASE).1, "");
}

#[test]
fn every_case_has_exactly_its_findings() {
    let mut wrong = String::new();
    for case in load_cases() {
        let (_, found) = check_yaml(&case.yaml);
        if found != case.expected {
            let _ = writeln!(wrong, "### {}\n{found}", case.title);
        }
    }
    assert!(wrong.is_empty(), "found instead:\n{wrong}");
}

#[test]
fn every_rule_has_a_case_that_breaks_it() {
    let mut broken: BTreeSet<&str> = TESTED_ELSEWHERE.into_iter().collect();
    for case in load_cases() {
        let (id, _) = case.title.split_once(": ").unwrap();
        assert!(rules::by_id(id).is_some(), "no such rule: {id}");
        let found = check_yaml(&case.yaml).0;
        broken.extend(found.iter().flat_map(Finding::reporting_rules).map(|rule| rule.id));
    }
    let of_catalogs = rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Catalog);
    let all: BTreeSet<&str> = of_catalogs.map(|rule| rule.id).collect();
    assert_eq!(broken, all);
}

#[test]
fn each_fault_is_one_finding_that_opm_reports() {
    // The title shows if a case has several causes.
    let several = [" and ", "both", "also", "none", "either"];
    for case in load_cases().iter().filter(|case| !several.iter().any(|word| case.title.contains(word))) {
        let found = check_yaml(&case.yaml).0;
        let parity = found.iter().filter(|finding| finding.rule.parity).count();
        assert!(parity <= 1, "{}: {parity}", case.title);
    }
}

#[test]
fn rejections_are_the_findings_that_opm_reports() {
    for case in load_cases() {
        let catalog = load::from_bytes(case.yaml.as_bytes().to_vec());
        let all =
            all_findings(&catalog).into_iter().filter(|finding| finding.rule.parity).collect::<Vec<_>>();
        let rejecting = crate::rejecting_findings(&catalog);
        assert_eq!(format_findings(&catalog, &rejecting), format_findings(&catalog, &all), "{}", case.title);
    }
}

#[test]
fn findings_of_each_case_have_distinct_keys() {
    for case in load_cases() {
        let catalog = load::from_bytes(case.yaml.as_bytes().to_vec());
        assert_distinct_keys(&catalog, &all_findings(&catalog));
    }
}

#[test]
fn findings_do_not_depend_on_document_order() {
    let words = |yaml: &str| {
        let mut found: Vec<_> = check_yaml(yaml).0.into_iter().map(|f| (f.rule.id, f.message)).collect();
        found.sort();
        found
    };
    for case in
        load_cases().iter().filter(|case| case.expected.lines().all(|line| !line.starts_with("> yaml")))
    {
        let documents: Vec<&str> = case.yaml.split("---\n").filter(|text| !text.is_empty()).collect();
        let reversed: String = documents.iter().rev().flat_map(|text| ["---\n", text]).collect();
        assert_eq!(words(&case.yaml), words(&reversed), "{}", case.title);
    }
}

mod random {
    use proptest::prelude::*;

    use super::{super::assert_distinct_keys, BASE, check_yaml};
    use crate::FindingKey;
    use olm_catalog::load;

    /// Change of one line of the base catalog.
    #[derive(Clone, Debug)]
    enum Change {
        Drop(usize),
        Double(usize),
        Swap(usize, usize),
        /// Value of one line after the key of another.
        Value(usize, usize),
    }

    fn arbitrary_line_change() -> impl Strategy<Value = Change> {
        let line = || 0..BASE.lines().count();
        prop_oneof![
            line().prop_map(Change::Drop),
            line().prop_map(Change::Double),
            (line(), line()).prop_map(|(a, b)| Change::Swap(a, b)),
            (line(), line()).prop_map(|(a, b)| Change::Value(a, b)),
        ]
    }

    fn apply_line_changes(changes: &[Change]) -> String {
        let mut lines: Vec<String> = BASE.lines().map(str::to_owned).collect();
        for change in changes {
            let last = lines.len() - 1;
            match *change {
                Change::Drop(at) => drop(lines.remove(at.min(last))),
                Change::Double(at) => lines.insert(at.min(last), lines[at.min(last)].clone()),
                Change::Swap(a, b) => lines.swap(a.min(last), b.min(last)),
                Change::Value(a, b) => {
                    let value = lines[b.min(last)].split_once(": ").map(|(_, value)| value.to_owned());
                    let line = &mut lines[a.min(last)];
                    if let (Some((key, _)), Some(value)) = (line.split_once(": "), value) {
                        *line = format!("{key}: {value}");
                    }
                }
            }
        }
        lines.join("\n")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn findings_of_any_catalog_have_locations_and_are_deterministic(
            changes in prop::collection::vec(arbitrary_line_change(), 1..6),
        ) {
            let yaml = apply_line_changes(&changes);
            // This reads the text at each location, so it fails if a location does not exist.
            let (found, spelt) = check_yaml(&yaml);
            prop_assert_eq!(&check_yaml(&yaml).1, &spelt);
            for finding in &found {
                prop_assert!(!finding.message.contains("  "), "{}", finding.message);
            }
            // A finding is not reported twice.
            let catalog = load::from_bytes(yaml.as_bytes().to_vec());
            let mut lines: Vec<_> =
                found.iter().map(|f| (FindingKey::from_finding(&catalog, f), f.at.clone(), &f.message)).collect();
            lines.sort();
            lines.dedup();
            prop_assert_eq!(lines.len(), found.len(), "{}", spelt);
            assert_distinct_keys(&catalog, &found);
        }
    }
}

#[test]
fn rejecting_rules_alone_find_what_opm_rejects() {
    let texts = load_cases().into_iter().map(|case| case.yaml);
    let mut rejected = 0;
    for yaml in texts {
        let catalog = load::from_bytes(yaml.clone().into_bytes());
        let rejecting = |snapshot: Snapshot| -> Vec<String> {
            let findings =
                snapshot.findings().filter(|finding| finding.rule.parity || finding.rule.hides_content());
            findings
                .map(|finding| format!("{} {:?} {}", finding.rule.id, finding.at, finding.message))
                .collect()
        };
        let alone = rejecting(Snapshot::with_rejecting_rules(catalog.clone()));
        assert_eq!(alone, rejecting(Snapshot::new(catalog)), "{yaml}");
        rejected += usize::from(!alone.is_empty());
    }
    assert!(rejected > 10, "{rejected}");
}
