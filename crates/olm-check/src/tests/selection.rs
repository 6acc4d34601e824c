//! Tests that a selection by rule changes only the list, not the findings.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{
    all_findings,
    bundles::{ANNOTATIONS, CRD, CSV, Files, base_files, check_files},
    cases::load_cases,
    open_test_catalog, repository_path,
};
use crate::{Finding, bundles::BundleChecks, rules};
use olm_bundle::suites::Suite;
use olm_catalog::{Catalog, load};
use olm_upgrade::fixture;

/// Returns options that check everything and merge findings.
fn all_checks() -> BundleChecks {
    BundleChecks { suites: Suite::ALL.to_vec(), v1: true, ..BundleChecks::default() }
}

/// Counts messages by rule.
fn count_messages<'a>(
    found: impl IntoIterator<Item = &'a Finding>,
) -> BTreeMap<(&'static str, String), usize> {
    let mut messages = BTreeMap::new();
    for finding in found {
        *messages.entry((finding.rule.id, finding.message.clone())).or_default() += 1;
    }
    messages
}

fn is_about_examples(finding: &Finding) -> bool {
    finding.message.contains("no example")
}

/// Checks the findings of a bundle against each rule.
fn check_selection(files: &Files) {
    let full = check_files(files, &all_checks());
    // Merging does not hide findings: each unmerged finding is in the list or part of a listed
    // one.
    let raw = check_files(files, &BundleChecks { merges_duplicates: false, ..all_checks() });
    let parts = || full.iter().flat_map(Finding::all_parts).filter(|part| !is_about_examples(part));
    assert_eq!(
        count_messages(parts()),
        count_messages(raw.iter().filter(|finding| !is_about_examples(finding)))
    );
    for rule in rules::ALL {
        let names = |finding: &&Finding| finding.reporting_rules().contains(rule);
        // `--rule`: a finding is listed exactly if one of the full run names the rule.
        let select = |finding: &Finding| finding.select_parts(&|part: &Finding| part.rule == *rule);
        for finding in &full {
            let selected = select(finding);
            assert_eq!(!selected.is_empty(), names(&finding), "{}: {}", rule.id, finding.message);
            assert!(selected.iter().all(|part| part.reporting_rules() == [*rule]), "{}", rule.id);
            let own = finding.all_parts().into_iter().filter(|part| part.rule == *rule);
            assert_eq!(count_messages(selected.iter().flat_map(Finding::all_parts)), count_messages(own));
        }
        // `--allow`: the rule is removed from the names, and a finding goes only if no name is left.
        for finding in &full {
            let left = finding.select_parts(&|part: &Finding| part.rule != *rule);
            let others = finding.reporting_rules().into_iter().filter(|other| other != rule).count();
            assert_eq!(left.is_empty(), others == 0, "{}: {}", rule.id, finding.message);
            let rest = finding.all_parts().into_iter().filter(|part| part.rule != *rule);
            assert_eq!(count_messages(left.iter().flat_map(Finding::all_parts)), count_messages(rest));
        }
    }
}

/// Changes of the base bundle: file, old text, new text.
const CHANGES: [(&str, &str, &str); 8] = [
    (CRD, "scope: Namespaced", "scope: Global"),
    (CSV, "name: kilns.clay.example.com", "name: kilns"),
    (CSV, "supported: false", "supported: true"),
    (
        CSV,
        "spec:\n  displayName: Kiln\n",
        "spec:\n  displayName: Kiln\n  webhookdefinitions:\n  - {type: ConversionWebhook, generateName: a, deploymentName: \
         kiln, conversionCRDs: [kilns.clay.example.com]}\n",
    ),
    (CSV, "apiVersion: ", "# Copyright of the potters.\n---\napiVersion: "),
    (CRD, "apiVersion: ", "# Copyright of the potters.\n---\napiVersion: "),
    (ANNOTATIONS, "annotations:", "# Copyright of the potters.\n---\nannotations:"),
    (CRD, "group: clay.example.com", "group: mud.example.com"),
];

fn changed_base_files(which: impl IntoIterator<Item = usize>) -> Files {
    let mut files = base_files();
    for (file, from, to) in which.into_iter().map(|at| CHANGES[at]) {
        let text = files[file].replacen(from, to, 1);
        files.insert(file.to_owned(), text);
    }
    files
}

#[test]
fn each_change_modifies_the_base_bundle() {
    for at in 0..CHANGES.len() {
        assert_ne!(changed_base_files([at]), base_files(), "change {at}");
    }
}

#[test]
fn conversion_with_other_install_modes_is_reported_whichever_rule_is_selected() {
    let found = check_files(&changed_base_files([2, 3]), &all_checks());
    let one =
        found.iter().find(|finding| finding.reporting_rules().contains(&&rules::CONVERSION_WEBHOOK)).unwrap();
    let ids: Vec<&str> = one.reporting_rules().iter().map(|rule| rule.id).collect();
    assert_eq!(ids, ["suite-csv", "suite-content", "conversion-webhook"]);
    check_selection(&changed_base_files([2, 3]));
}

#[test]
fn missing_crd_is_reported_whichever_rule_is_selected() {
    let mut files = base_files();
    files.remove(CRD);
    let found = check_files(&files, &all_checks());
    assert!(
        found.iter().any(|f| f
            .reporting_rules()
            .iter()
            .map(|rule| rule.id)
            .eq(["suite-bundle", "suite-content"]))
    );
    check_selection(&files);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn selection_by_any_rule_changes_no_finding_of_any_bundle(
        which in prop::collection::btree_set(0..CHANGES.len(), 0..5),
        dropped in prop::option::of((0..2_usize, 0..60_usize)),
    ) {
        let mut files = changed_base_files(which);
        if let Some((file, line)) = dropped {
            let file = [CSV, CRD][file];
            let mut lines: Vec<&str> = files[file].lines().collect();
            let count = lines.len();
            lines.remove(line % count);
            let text = lines.join("\n");
            files.insert(file.to_owned(), text);
        }
        check_selection(&files);
    }
}

/// Checks the findings of a catalog against each rule: the selection contains the findings that
/// name the rule.
fn check_catalog(catalog: &Catalog) {
    let full = all_findings(catalog);
    for rule in rules::ALL {
        let parts = || full.iter().flat_map(|finding| finding.all_parts());
        let select = |is_chosen: &dyn Fn(&Finding) -> bool| -> Vec<Finding> {
            full.iter().flat_map(|finding| finding.select_parts(&|part: &Finding| is_chosen(part))).collect()
        };
        let own = select(&|part| part.rule == *rule);
        assert_eq!(
            count_messages(&own),
            count_messages(parts().filter(|part| part.rule == *rule)),
            "{}",
            rule.id
        );
        let named = full.iter().filter(|finding| finding.reporting_rules().contains(rule)).count();
        assert!(own.len() >= named, "{}", rule.id);
        let others = select(&|part| part.rule != *rule);
        let rest = parts().filter(|part| part.rule != *rule);
        assert_eq!(
            count_messages(others.iter().flat_map(Finding::all_parts)),
            count_messages(rest),
            "{}",
            rule.id
        );
        assert!(others.iter().all(|finding| !finding.reporting_rules().contains(rule)), "{}", rule.id);
    }
}

/// Catalogs with a merged finding, with the rules of both findings.
fn catalogs_with_merged_findings() -> [(Catalog, [&'static str; 2]); 3] {
    let needs = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n\
                 - name: p.v1.0.0\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: example.com/p:1\nproperties:\n\
                 - type: olm.package\n  value: {packageName: p, version: 1.0.0}\n\
                 - type: olm.gvk.required\n  value: {group: g.io, version: v1, kind: Gone}\n";
    let older = "schema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.channel, name: stable-1}\n  \
                 message: m\n";
    let channels = fixture::catalog_from_channels(&[("stable-1", "1.0.0"), ("stable-2", "2.0.0")]);
    let mut text = String::from_utf8(channels.files()[0].current_bytes()).unwrap();
    text.push_str("---\n");
    text.push_str(older);
    [
        (load::from_bytes(needs.as_bytes().to_vec()), ["dependency-unsatisfiable", "unmet-dependency"]),
        (load::from_bytes(text.into_bytes()), ["deprecated-default-channel", "older-default-channel"]),
        (
            fixture::catalog_from_channels(&[
                ("c", "2.0.0"),
                ("d", "1.1.0 replaces=1.0.0 deprecated\n1.0.0 deprecated"),
            ]),
            ["deprecated-head", "no-undeprecated-way-out"],
        ),
    ]
}

#[test]
fn finding_of_catalog_contains_merged_finding_of_another_rule() {
    for (catalog, rules) in catalogs_with_merged_findings() {
        let ids = |finding: &Finding| finding.reporting_rules().iter().map(|rule| rule.id).collect();
        let found: Vec<Vec<&str>> = all_findings(&catalog).iter().map(ids).collect();
        assert!(found.iter().any(|of| of.as_slice() == rules), "{rules:?}: {found:?}");
        assert!(!found.iter().any(|of| of[0] == rules[1]), "{rules:?}: {found:?}");
    }
}

#[test]
fn selection_by_any_rule_changes_no_finding_of_a_catalog() {
    for (catalog, _) in &catalogs_with_merged_findings() {
        check_catalog(catalog);
    }
    for case in load_cases() {
        check_catalog(&load::from_bytes(case.yaml.into_bytes()));
    }
    for demo in ["demo/catalog", "demo/broken"] {
        check_catalog(&open_test_catalog(&repository_path(demo)));
    }
}
