//! Tests of the examples in stories: the bad example breaks the rule, and the good example does not.

use std::{fmt::Write as _, path::PathBuf};

use super::all_findings;
use crate::{Severity, rule::RuleSubject, rules};
use olm_catalog::{Catalog, Origin, load};

/// Returns the parts that an example omits: the package, a channel, and the bundles of its
/// entries.
pub(super) fn omitted_parts(example: &Catalog) -> String {
    let mut rest = String::new();
    for package in example.packages() {
        let name = &package.name;
        let mut entries: Vec<String> = package
            .channels
            .iter()
            .flat_map(|channel| channel.entries.iter().map(|entry| entry.name.value.to_string()))
            .collect();
        let default = package.default_channel().map_or("stable", |channel| channel.as_str());
        if package.channels.is_empty() {
            entries = package.bundles.iter().map(|bundle| bundle.name.value.to_string()).collect();
            if entries.is_empty() {
                entries = ["kiln.v1.1.0", "kiln.v1.0.0"].map(str::to_owned).to_vec();
            }
            let _ = writeln!(rest, "---\nschema: olm.channel\npackage: {name}\nname: {default}\nentries:");
            for (at, entry) in entries.iter().enumerate() {
                let _ = writeln!(rest, "- name: {entry}");
                if let Some(next) = entries.get(at + 1) {
                    let _ = writeln!(rest, "  replaces: {next}");
                }
            }
        }
        if package.definitions.is_empty() {
            let _ = writeln!(rest, "---\nschema: olm.package\nname: {name}\ndefaultChannel: {default}");
        }
        entries.sort();
        entries.dedup();
        for entry in entries.iter().filter(|_| package.bundles.is_empty()) {
            let version = entry.split_once(".v").unwrap().1;
            let _ = writeln!(
                rest,
                "---\nschema: olm.bundle\npackage: {name}\nname: {entry}\nimage: example.com/kiln:v1\nproperties:\n\
                 - type: olm.package\n  value: {{packageName: {name}, version: {version}}}"
            );
        }
    }
    rest
}

/// Returns the rules and severities of the findings in an example that is completed with `rest`.
fn rule_severities(text: &str, rest: &str) -> Vec<(&'static str, Severity)> {
    // Some rules depend on the OpenShift version that a catalog is for.
    let path = PathBuf::from("v4.18/catalog.yaml");
    let catalog = load::from_texts(Origin::Stdin, [(path, format!("{text}{rest}").into_bytes())]);
    let found = all_findings(&catalog);
    let parts = found.iter().flat_map(|finding| finding.all_parts());
    parts.map(|finding| (finding.rule.id, finding.severity())).collect()
}

#[test]
fn every_bad_example_breaks_its_rule_and_good_example_breaks_none() {
    let mut wrong = String::new();
    for rule in rules::ALL.iter().filter(|rule| rule.subject() == RuleSubject::Catalog) {
        let Some(example) = rule.story().example else { continue };
        let rest = omitted_parts(&load::from_bytes(example.good.as_bytes().to_vec()));
        let (bad, good) = (rule_severities(example.bad, &rest), rule_severities(example.good, &rest));
        if !bad.iter().any(|(id, _)| *id == rule.id) {
            let _ = writeln!(wrong, "{}: the bad example gives {bad:?}", rule.id);
        }
        // Only notes are acceptable, since some are unavoidable.
        if good.iter().any(|(id, severity)| *id == rule.id || *severity != Severity::Note) {
            let _ = writeln!(wrong, "{}: the good example gives {good:?}", rule.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_has_reasons_and_either_an_example_or_an_excuse() {
    for rule in rules::ALL {
        let story = rule.story();
        assert!(story.why.len() > 60, "{}", rule.id);
        assert_ne!(story.example.is_some(), story.excuse.is_some(), "{}", rule.id);
        assert!(!story.why.contains("```"), "{}", rule.id);
        if rule.parity {
            assert!(story.why.contains("opm"), "{} says who rejects it", rule.id);
        }
    }
}

#[test]
fn unknown_rule_suggests_similar_rule() {
    for (written, meant) in [
        ("multiple-head", Some("multiple-heads")),
        ("MULTIPLE_HEADS", Some("multiple-heads")),
        ("heads", Some("multiple-heads")),
        ("granary", None),
    ] {
        assert_eq!(rules::suggest_id(written), meant, "{written}");
    }
}
