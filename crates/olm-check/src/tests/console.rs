//! Tests of the rules about consoles, which run only on request; see `console.txt`.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

use super::{
    assert_distinct_keys,
    cases::format_findings,
    changes::{self, Change},
    stories::omitted_parts,
};
use crate::{Checker, Finding, Severity, review::Snapshot, rule::RuleSubject, rules};
use olm_catalog::{Catalog, Origin, load};
use olm_upgrade::{openshift::OpenShift, resolve::Source};

const BASE: &str = include_str!("console.yaml");
const CASES: &str = include_str!("console.txt");

/// Reads a catalog for OpenShift 4.`minor`.
fn catalog_for_minor(minor: u64, text: &str) -> Catalog {
    let path = PathBuf::from(format!("v4.{minor}/catalog.yaml"));
    let catalog = load::from_texts(Origin::Stdin, [(path, text.as_bytes().to_vec())]);
    catalog.with_openshift(vec![OpenShift { major: 4, minor }])
}

fn source_for_minor(minor: u64, text: &str) -> Source {
    Snapshot::new(catalog_for_minor(minor, text)).to_source(&format!("catalogs/v4.{minor}"))
}

/// Returns a catalog and its findings about consoles.
fn check_consoles(catalog: Catalog, compared: Vec<Source>) -> Vec<Finding> {
    let snapshot = Snapshot::new(catalog).with_console_rules(compared);
    let findings = snapshot.findings().filter(|finding| finding.rule.subject() == RuleSubject::Console);
    findings.cloned().collect()
}

fn changed_base<'c>(changes: impl Iterator<Item = &'c Change>, title: &str) -> String {
    let mut text = BASE.to_owned();
    changes.for_each(|change| change.make(&mut text, BASE, title));
    text
}

/// Returns the findings of each case with the expected text.
fn check_cases() -> Vec<(String, Catalog, Vec<Finding>, String)> {
    let check = |case: changes::Case| {
        let own = case.changes.iter().filter(|change| change.file.is_none());
        let before = case.changes.iter().filter(|change| change.file.is_some());
        let catalog = catalog_for_minor(18, &changed_base(own, &case.title));
        let before = source_for_minor(17, &changed_base(before, &case.title));
        // A bundle that only one catalog has does not differ.
        let found = check_consoles(catalog.clone(), vec![before]);
        (case.title, catalog, found, case.expected)
    };
    changes::cases(CASES).into_iter().map(check).collect()
}

#[test]
fn base_catalog_has_no_findings() {
    let found = check_consoles(catalog_for_minor(18, BASE), vec![source_for_minor(17, BASE)]);
    assert_eq!(found, []);
}

#[test]
fn every_case_has_exactly_its_findings() {
    let mut wrong = String::new();
    for (title, catalog, findings, expected) in check_cases() {
        let found = format_findings(&catalog, &findings);
        if found != expected {
            let _ = writeln!(wrong, "### {title}\n{found}");
        }
        assert_distinct_keys(&catalog, &findings);
    }
    assert!(wrong.is_empty(), "found instead:\n{wrong}");
}

#[test]
fn every_rule_has_a_case_that_breaks_it() {
    let mut broken: BTreeSet<&str> =
        check_cases().iter().flat_map(|(_, _, found, _)| found).map(|finding| finding.rule.id).collect();
    assert!(!broken.contains(rules::CONSOLE_METADATA_FORM.id), "the catalogs of cases are for 4.18");
    broken.insert(rules::CONSOLE_METADATA_FORM.id);
    let all = rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Console);
    assert_eq!(broken, all.map(|rule| rule.id).collect());
}

#[test]
fn bad_example_breaks_its_rule_and_good_example_breaks_none() {
    let mut wrong = String::new();
    for rule in rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Console) {
        let Some(example) = rule.story().example else { continue };
        let minor = if **rule == rules::CONSOLE_METADATA_FORM { 16 } else { 18 };
        let rest = omitted_parts(&load::from_bytes(example.good.as_bytes().to_vec()));
        let check = |text: &str| {
            let catalog = catalog_for_minor(minor, &format!("{text}{rest}"));
            let snapshot = Snapshot::new(catalog).with_console_rules(Vec::new());
            let found = snapshot.findings().map(|finding| (finding.rule.id, finding.severity()));
            found.collect::<Vec<_>>()
        };
        let (bad, good) = (check(example.bad), check(example.good));
        // The example of a rule about channels omits the bundles, which then have no metadata.
        let is_fault = |(id, severity): &&(&str, Severity)| {
            *id == rule.id || (*severity != Severity::Note && *id != rules::CONSOLE_NO_METADATA.id)
        };
        if !bad.iter().any(|(id, _)| *id == rule.id) || good.iter().any(|found| is_fault(&found)) {
            let _ = writeln!(wrong, "{}: bad {bad:?}, good {good:?}", rule.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn metadata_before_4_17_is_reported_with_the_newest_bundle() {
    let catalog = catalog_for_minor(16, BASE);
    let found = check_consoles(catalog.clone(), Vec::new());
    assert_eq!(
        format_findings(&catalog, &found),
        "> console-metadata-form | olm.csv.metadata | 2 bundles of package kiln with olm.csv.metadata in a catalog for \
         OpenShift 4.16 or lower: kiln.v1.1.0 and kiln.v1.0.0\n"
    );
}

#[test]
fn rules_run_only_on_request() {
    let catalog = catalog_for_minor(16, BASE);
    let has_console_findings =
        |findings: &[Finding]| findings.iter().any(|finding| finding.rule.subject() == RuleSubject::Console);
    assert!(!has_console_findings(Checker::standard().check(&catalog).findings()));
    let report = Checker::standard().with_console_rules().check(&catalog);
    assert!(has_console_findings(report.findings()));
    assert!(report.is_accepted_by_opm());
    // An edit keeps the request.
    let snapshot = Snapshot::new(catalog).with_console_rules(Vec::new());
    let edited = snapshot.after_change(catalog_for_minor(16, &BASE.replace("Fires clay.", "Fires.")));
    assert!(edited.findings().any(|finding| *finding.rule == rules::CONSOLE_METADATA_FORM));
}

#[test]
fn build_of_a_release_is_not_a_prerelease_head() {
    let head_ids = |version: &str| -> Vec<(&'static str, Severity)> {
        let text = BASE.replace("kiln.v1.1.0", &format!("kiln.v{version}"));
        let text = text.replace("version: 1.1.0", &format!("version: {version}"));
        let found = check_consoles(catalog_for_minor(18, &text), Vec::new());
        found.iter().map(|finding| (finding.rule.id, finding.severity())).collect()
    };
    let id = rules::CONSOLE_PRERELEASE_HEAD.id;
    assert_eq!(head_ids("1.1.0-202405"), []);
    assert_eq!(head_ids("1.1.0-beta2"), [(id, Severity::Warning)]);
    assert_eq!(head_ids("1.1.0-0.nightly"), [(id, Severity::Warning)]);
    assert_eq!(head_ids("0.9.0-rc.1"), [(id, Severity::Note)], "below 1.0.0");
}

#[test]
fn majority_of_catalogs_decides_which_image_is_reported() {
    let stage = BASE.replace("registry.example.com/kiln", "stage.example.com/kiln");
    let released = |minor| source_for_minor(minor, BASE);
    let ids = |text: &str, compared: Vec<Source>| -> Vec<&'static str> {
        let found = check_consoles(catalog_for_minor(18, text), compared);
        found.iter().map(|finding| finding.rule.id).collect()
    };
    let id = rules::CONSOLE_OTHER_IMAGE.id;
    assert_eq!(ids(&stage, vec![released(17), released(19)]), [id]);
    assert_eq!(ids(BASE, vec![source_for_minor(17, &stage), released(19)]), [""; 0]);
    assert_eq!(ids(BASE, vec![source_for_minor(17, &stage)]), [id], "no majority");
    let tag =
        BASE.replace("@sha256:01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b", ":v1.1.0");
    assert_eq!(ids(&tag, vec![released(17)]), [""; 0], "a tag may be the same image");
}

#[test]
fn default_channel_of_the_nearest_lower_version_counts() {
    let other = BASE.replace("defaultChannel: stable", "defaultChannel: stable-1.0");
    let ids = |compared: Vec<Source>| -> Vec<&'static str> {
        let found = check_consoles(catalog_for_minor(18, BASE), compared);
        found.iter().map(|finding| finding.rule.id).collect()
    };
    assert_eq!(ids(vec![source_for_minor(16, &other), source_for_minor(17, BASE)]), [""; 0]);
    assert_eq!(ids(vec![source_for_minor(19, &other)]), [""; 0], "4.19 reports it");
    // The default channel of the catalog before does not exist in this one.
    let removed = BASE.replace("stable-1.0", "stable-0.9").replace(": stable\n", ": stable-0.9\n");
    assert_eq!(ids(vec![source_for_minor(17, &removed)]), [""; 0]);
}
