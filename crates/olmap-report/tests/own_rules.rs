//! Tests of rules that a caller of the library adds: their findings are in every format.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use olm_catalog::{Catalog, load};
use olm_check::{
    CheckReport, Checker, Finding, Findings, PackageSubject, Rule, RuleError, Severity,
    review::{Difference, accepted::AcceptedFindings},
    rules,
};
use olmap_report::{
    Style,
    finding::{CatalogFindings, Row, render_findings},
    github, gitlab, json, links, markdown,
    sarif::Log,
};
use serde_json::Value;

static PACKAGE_ICON: Rule =
    Rule::for_packages("package-icon", Severity::Note, "A package without an icon", report_missing_icon)
        .with_help("add an icon")
        .with_explanation("Consoles show a placeholder.");

/// Rule with the first id by name, without a help.
static A_CHANNEL: Rule = Rule::for_packages("a-channel", Severity::Error, "A channel", report_channels);

static TAKES_ID: Rule = Rule::for_packages("multiple-heads", Severity::Note, "Mine", report_channels);
static TAKES_FORMER_ID: Rule =
    Rule::for_packages("no-way-to-default-channel", Severity::Note, "Mine", report_channels);
static TAKES_OWN_ID: Rule = Rule::for_packages("a-channel", Severity::Note, "Mine", report_channels);
static INVALID_IDS: [Rule; 3] = [
    Rule::for_packages("", Severity::Note, "Mine", report_channels),
    Rule::for_packages("Icon]", Severity::Note, "Mine", report_channels),
    Rule::for_packages("a--b", Severity::Note, "Mine", report_channels),
];

fn report_missing_icon(subject: &PackageSubject<'_>, findings: &mut Findings) {
    for package in subject.package().definitions.iter().filter(|package| package.icon.is_none()) {
        let message = format!("{} has no icon", package.name.value);
        findings.push(Finding::new(&PACKAGE_ICON, message).at_span(package.doc, package.name.span));
    }
}

fn report_channels(subject: &PackageSubject<'_>, findings: &mut Findings) {
    let channels = subject.package().channels.iter().map(|channel| &channel.name.value);
    findings.extend(channels.map(|name| Finding::new(&A_CHANNEL, "it exists").with_channel(name)));
}

const SHIP: &str = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
    name: stable\nentries:\n- name: ship.v1.0.0\n- name: ship.v1.1.0\n";

fn ship() -> Catalog {
    load::from_bytes(SHIP.as_bytes().to_vec())
}

fn own_checker() -> Checker {
    Checker::standard().with_rule(&PACKAGE_ICON).unwrap().with_rule(&A_CHANNEL).unwrap()
}

fn rule_ids(report: &CheckReport) -> Vec<&'static str> {
    report.findings().iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn own_rules_are_added_to_the_standard_ones() {
    let (own, standard) = (own_checker().check(&ship()), Checker::standard().check(&ship()));
    let is_own = |id: &&str| ["package-icon", "a-channel"].contains(id);
    let (added, others): (Vec<_>, Vec<_>) = rule_ids(&own).into_iter().partition(is_own);
    assert_eq!((added.len(), others), (2, rule_ids(&standard)));
    let icon = own.findings().iter().find(|finding| *finding.rule == PACKAGE_ICON).unwrap();
    assert_eq!(icon.package.as_ref().unwrap().as_str(), "ship");
    assert_eq!(icon.to_string(), "note package-icon: ship has no icon");
}

#[test]
fn excluded_rule_has_no_findings_and_the_verdict_stays() {
    let checker = own_checker().without_rule(&rules::MULTIPLE_HEADS).without_rule(&A_CHANNEL);
    let (report, all) = (checker.check(&ship()), own_checker().check(&ship()));
    let excluded = ["multiple-heads", "a-channel"];
    assert!(rule_ids(&all).iter().any(|id| *id == excluded[0]));
    assert_eq!(
        rule_ids(&report),
        rule_ids(&all).into_iter().filter(|id| !excluded.contains(id)).collect::<Vec<_>>()
    );
    assert!(!report.is_accepted_by_opm());
    // opm does not know the rules of a caller.
    let accepted = load::from_bytes(include_bytes!("../../olm-check/src/tests/base.yaml").to_vec());
    let report = own_checker().check(&accepted);
    assert!(rule_ids(&report).contains(&"a-channel") && report.is_accepted_by_opm());
}

#[test]
fn id_of_another_rule_and_invalid_id_are_refused() {
    let refused = |checker: Checker, rule| checker.with_rule(rule).unwrap_err();
    assert_eq!(refused(own_checker(), &TAKES_ID), RuleError::DuplicateId("multiple-heads"));
    assert_eq!(refused(own_checker(), &TAKES_FORMER_ID), RuleError::DuplicateId("no-way-to-default-channel"));
    assert_eq!(refused(own_checker(), &TAKES_OWN_ID), RuleError::DuplicateId("a-channel"));
    assert_eq!(refused(own_checker(), &rules::STUCK), RuleError::DuplicateId("stuck"));
    for rule in &INVALID_IDS {
        assert_eq!(refused(own_checker(), rule), RuleError::InvalidId(rule.id));
    }
}

#[test]
fn every_format_has_findings_of_own_rules() {
    let report = own_checker().check(&ship());
    let judged = CatalogFindings::from(&report);
    let rows: Vec<Row> = Row::rows_for_catalog(&judged).collect();
    let all = [judged];
    let issues = gitlab::code_quality_issues(&all);
    let printed = [
        render_findings(&all[0], &Style::PLAIN),
        json::to_pretty_json(&rows),
        rows.iter().map(json::to_json_line).collect(),
        markdown::render_findings_comment(&all, None, &links::CommentLinks::default()),
        github::finding_commands(&all).as_str().to_owned(),
        json::to_pretty_json(&issues),
        json::to_pretty_json(&Log::from_catalog_findings(&all)),
    ];
    for text in printed {
        for part in ["package-icon", "has no icon", "a-channel", "it exists"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }
    let issues = serde_json::to_value(&issues).unwrap();
    let mut fingerprints: Vec<&str> =
        issues.as_array().unwrap().iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), report.findings().len());
}

#[test]
fn sarif_describes_own_rules_after_the_standard_ones() {
    let report = own_checker().check(&ship());
    let log = serde_json::to_value(Log::from_catalog_findings(&[CatalogFindings::from(&report)])).unwrap();
    let (run, driver) = (&log["runs"][0], &log["runs"][0]["tool"]["driver"]["rules"]);
    let ids: Vec<&str> = driver.as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids[ids.len() - 2..], ["a-channel", "package-icon"]);
    assert!(ids.len() > 2 && ids[..ids.len() - 2].iter().all(|id| rules::by_id(id).is_some()));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), report.findings().len());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(ids[index], result["ruleId"].as_str().unwrap());
    }
    let text = |id: &str, key: &str| {
        let rule = driver.as_array().unwrap().iter().find(|rule| rule["id"] == id).unwrap();
        rule[key]["text"].clone()
    };
    assert_eq!(text("package-icon", "fullDescription"), "Consoles show a placeholder.");
    assert_eq!(text("package-icon", "help"), "add an icon");
    // SARIF requires a text.
    assert_eq!(text("a-channel", "fullDescription"), "A channel");
    assert_eq!(text("a-channel", "help"), "A channel");
    let none: Vec<&Value> = results.iter().filter(|result| result["ruleIndex"].is_null()).collect();
    assert_eq!(none, Vec::<&Value>::new());
}

#[test]
fn comparisons_and_baselines_include_own_rules() {
    let old = own_checker().check(&ship());
    let more = format!("{SHIP}---\nschema: olm.package\nname: boat\ndefaultChannel: stable\n");
    let new = old.snapshot().after_change(load::from_bytes(more.into_bytes()));
    let difference = Difference::compare_catalogs(old.snapshot(), &new);
    let found = difference.consequences.new_findings.iter();
    let own: Vec<String> = found.filter(|f| *f.rule == PACKAGE_ICON).map(ToString::to_string).collect();
    assert_eq!(own, ["note package-icon: boat has no icon"]);
    let rows = AcceptedFindings::default()
        .rows_accepting_all([(old.catalog(), old.findings().iter().collect())].into_iter());
    let text = AcceptedFindings::format_file(&rows);
    let file = AcceptedFindings::parse_file("baseline.yaml".into(), text.as_bytes()).unwrap();
    let open = file.match_findings(&new.catalog, new.findings());
    let open: Vec<&Finding> =
        new.findings().zip(open).filter(|(_, row)| row.is_none()).map(|(finding, _)| finding).collect();
    assert!(open.iter().any(|finding| *finding.rule == PACKAGE_ICON));
    assert!(open.iter().all(|finding| finding.package.as_ref().unwrap() == "boat"), "{open:?}");
}
