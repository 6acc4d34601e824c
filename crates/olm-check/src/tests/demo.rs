//! Tests of the demo: opm accepts the good catalog, and every fault of the broken catalog has one
//! finding.

use super::{all_findings, open_test_catalog, repository_path};
use crate::Finding;
use olm_catalog::Catalog;

/// Formats findings as `package:line rule`.
fn finding_lines(catalog: &Catalog, findings: &[Finding], wanted: impl Fn(&Finding) -> bool) -> Vec<String> {
    let mut places: Vec<(String, usize, &str)> = findings
        .iter()
        .filter(|finding| wanted(finding))
        .map(|finding| {
            let place = finding.at.as_ref().unwrap().resolve_in_catalog(catalog).unwrap();
            let package = place.path.parent().unwrap().display().to_string();
            (package, place.line, finding.rule.id)
        })
        .collect();
    places.sort();
    places.into_iter().map(|(package, line, rule)| format!("{package}:{line} {rule}")).collect()
}

#[test]
fn good_catalog_has_only_expected_findings_and_opm_accepts_it() {
    let catalog = open_test_catalog(&repository_path("demo/catalog"));
    let found = all_findings(&catalog);
    assert_eq!(
        finding_lines(&catalog, &found, |_| true),
        [
            "ballast-operator:24 downgrade-edge",
            "ballast-operator:25 stuck",
            "ballast-operator:34 v1-channel-name",
            "ballast-operator:284 v1-no-all-namespaces",
            "granary-operator:15 stuck",
            "kotatsu-operator:332 v1-dependencies",
            "orrery-operator:43 v1-escape",
            "quill-operator:9 stuck",
            "quill-operator:17 stuck",
            "quill-operator:578 dependency-head-unsatisfiable",
            "quill-operator:578 unmet-dependency",
            "quill-operator:578 v1-dependencies",
            "quill-operator:691 no-undeprecated-way-out",
        ]
    );
    assert!(crate::is_accepted(&found));
}

/// The line after a `# Broken:` comment has the fault, or begins the document that has it.
#[test]
fn every_fault_of_broken_catalog_is_reported_once() {
    let catalog = open_test_catalog(&repository_path("demo/broken"));
    let found = all_findings(&catalog);
    assert_eq!(
        finding_lines(&catalog, &found, |finding| finding.rule.parity),
        [
            "anvil-operator:23 multiple-heads",
            "anvil-operator:34 stranded-entry",
            "anvil-operator:49 replaces-cycle",
            "anvil-operator:61 no-head",
            "anvil-operator:68 empty-channel",
            "bellows-operator:12 multiple-heads",
            "bellows-operator:21 multiple-heads",
            "bellows-operator:31 entry-without-bundle",
            "bellows-operator:67 bundle-in-no-channel",
            "bellows-operator:77 unknown-package",
            "crucible-operator:7 unknown-default-channel",
            "crucible-operator:9 bad-encoding",
            "crucible-operator:20 range-dialect",
            "crucible-operator:24 range-dialect",
            "crucible-operator:29 empty-skip",
            "crucible-operator:33 duplicate-entry",
            "crucible-operator:40 duplicate-channel",
            "crucible-operator:53 bad-version",
            "crucible-operator:64 wrong-type",
            "crucible-operator:70 bad-image",
            "crucible-operator:85 wrong-package-name",
            "crucible-operator:91 bad-bundle-name",
            "crucible-operator:103 duplicate-bundle",
            "crucible-operator:112 missing-schema",
            "dross-operator:41 unknown-deprecation-target",
            "dross-operator:46 unknown-deprecation-target",
            "dross-operator:51 deprecation-names-package",
            "dross-operator:57 missing-deprecation-message",
            "dross-operator:61 duplicate-deprecation",
            "dross-operator:66 repeated-deprecations",
            "ember-operator:13 yaml-syntax",
            "ferrule-operator:6 not-utf8",
        ]
    );
    assert_eq!(
        finding_lines(&catalog, &found, |finding| !finding.rule.parity),
        ["bellows-operator:14 unknown-key", "bellows-operator:23 replaces-nothing"]
    );
}

#[test]
fn every_broken_comment_has_its_finding() {
    let folders = std::fs::read_dir(repository_path("demo/broken")).unwrap();
    let comments: usize = folders
        .map(|folder| std::fs::read(folder.unwrap().path().join("catalog.yaml")).unwrap())
        .map(|text| String::from_utf8_lossy(&text).matches("# Broken: ").count())
        .sum();
    let found = all_findings(&open_test_catalog(&repository_path("demo/broken")));
    assert_eq!(found.iter().filter(|finding| finding.rule.parity).count(), comments);
}
