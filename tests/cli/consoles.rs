//! `validate --suite console`: what users see of catalogs in a console.

use std::{fs, path::Path};

use super::run::{Run, olmap_in};

/// Metadata of a bundle on the page of a console.
const METADATA: &str = "\
- type: olm.csv.metadata
  value:
    displayName: Beacon
    description: Lights the way.
    provider: {name: Lamplighters}
    installModes: [{type: AllNamespaces, supported: true}]
";

fn bundle_text(version: &str, image: &str, properties: &str) -> String {
    format!(
        "---
schema: olm.bundle
package: beacon
name: beacon.v{version}
image: {image}
properties:
- type: olm.package
  value: {{packageName: beacon, version: {version}}}
{properties}"
    )
}

/// Returns a catalog with the channels `stable` (default) and `fast`, each with one bundle.
fn catalog_text(default: &str, stable: &str, fast: &str) -> String {
    format!(
        "---
schema: olm.package
name: beacon
defaultChannel: {default}
icon: {{base64data: aWNvbg==, mediatype: image/png}}
---
schema: olm.channel
package: beacon
name: stable
entries:
- name: beacon.v1.0.0
---
schema: olm.channel
package: beacon
name: fast
entries:
- name: beacon.v2.0.0
{stable}{fast}"
    )
}

/// Returns a catalog in which consoles show everything.
fn good_catalog() -> String {
    let stable = bundle_text("1.0.0", "registry.example.com/beacon/bundle:1.0.0", METADATA);
    catalog_text(
        "stable",
        &stable,
        &bundle_text("2.0.0", "registry.example.com/beacon/bundle:2.0.0", METADATA),
    )
}

fn write_catalog(root: &Path, version: &str, text: &str) {
    let folder = root.join("catalogs").join(version).join("beacon");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("catalog.yaml"), text).unwrap();
}

/// Returns the rule, path and line of each finding of the suite.
fn finding_rows(run: &Run) -> Vec<(String, String)> {
    let rows = run.json();
    let row = |row: &serde_json::Value| {
        let place = format!("{}:{}", row["path"].as_str().unwrap(), row["line"]);
        (row["rule"].as_str().unwrap().to_owned(), place)
    };
    let is_of_suite = |(rule, _): &(String, String)| rule.starts_with("console-");
    rows.as_array().unwrap().iter().map(row).filter(is_of_suite).collect()
}

fn run_suite(root: &Path, args: &[&str]) -> Run {
    olmap_in(root, &[&["validate", "--suite", "console", "-o", "json"], args].concat())
}

#[test]
fn bundle_without_metadata_is_missing_in_consoles() {
    let root = tempfile::tempdir().unwrap();
    write_catalog(root.path(), "v4.20", &good_catalog().replace(METADATA, ""));
    let rows = finding_rows(&run_suite(root.path(), &["catalogs/v4.20"]).exits(0));
    assert_eq!(
        rows,
        [("console-no-metadata".to_owned(), "catalogs/v4.20/beacon/catalog.yaml:29".to_owned())]
    );
    let run = run_suite(root.path(), &["catalogs/v4.20", "--deny", "console-no-metadata"]).exits(1);
    assert!(run.out.contains("consoles do not show package beacon, because of beacon.v2.0.0"), "{}", run.out);
}

#[test]
fn catalogs_of_several_versions_are_compared() {
    let root = tempfile::tempdir().unwrap();
    write_catalog(root.path(), "v4.18", &good_catalog());
    write_catalog(root.path(), "v4.19", &good_catalog().replace("bundle:2.0.0", "bundle:2.0.0-rc"));
    write_catalog(
        root.path(),
        "v4.20",
        &good_catalog().replace("defaultChannel: stable", "defaultChannel: fast"),
    );
    let run = run_suite(root.path(), &["catalogs/v4.18", "catalogs/v4.19", "catalogs/v4.20"]).exits(0);
    let expected = [
        ("console-other-image", "catalogs/v4.19/beacon/catalog.yaml:36"),
        ("console-default-channel", "catalogs/v4.20/beacon/catalog.yaml:4"),
    ];
    let expected = expected.map(|(rule, place)| (rule.to_owned(), place.to_owned()));
    assert_eq!(finding_rows(&run), expected);
    assert!(run.out.contains("but stable in catalogs/v4.19 (OpenShift 4.19)"), "{}", run.out);
}

#[test]
fn metadata_form_depends_on_the_openshift_version() {
    let root = tempfile::tempdir().unwrap();
    write_catalog(root.path(), "v4.16", &good_catalog());
    write_catalog(root.path(), "v4.17", &good_catalog());
    let run = run_suite(root.path(), &["catalogs/v4.16", "catalogs/v4.17"]).exits(0);
    let expected = ("console-metadata-form".to_owned(), "catalogs/v4.16/beacon/catalog.yaml:40".to_owned());
    assert_eq!(finding_rows(&run), [expected]);
}

#[test]
fn architecture_of_another_channel_is_hidden() {
    let root = tempfile::tempdir().unwrap();
    let more = "    labels: {operatorframework.io/arch.amd64: supported, operatorframework.io/arch.s390x: supported}\n";
    let stable = bundle_text("1.0.0", "registry.example.com/beacon/bundle:1.0.0", METADATA);
    let fast = bundle_text("2.0.0", "registry.example.com/beacon/bundle:2.0.0", &format!("{METADATA}{more}"));
    write_catalog(root.path(), "v4.20", &catalog_text("stable", &stable, &fast));
    let run = olmap_in(root.path(), &["validate", "--suite", "console", "catalogs/v4.20"]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn default_findings_and_parity_do_not_change() {
    let root = tempfile::tempdir().unwrap();
    write_catalog(root.path(), "v4.16", &good_catalog().replace("2.0.0", "2.0.0-rc.1"));
    let run = olmap_in(root.path(), &["validate", "catalogs/v4.16"]).exits(0);
    assert!(run.out.ends_with("no findings\n"), "{}", run.out);
    assert_eq!(run_suite(root.path(), &["catalogs/v4.16"]).json().as_array().unwrap().len(), 2);
    olmap_in(root.path(), &["validate", "--suite", "console", "--parity", "catalogs/v4.16"]).exits(2);
}

#[test]
fn rule_of_the_suite_needs_the_suite() {
    let root = tempfile::tempdir().unwrap();
    write_catalog(root.path(), "v4.16", &good_catalog());
    for option in ["--rule", "--deny"] {
        let args = ["validate", option, "console-metadata-form", "catalogs/v4.16"];
        let run = olmap_in(root.path(), &args).exits(2);
        assert!(run.err.contains("the rule console-metadata-form is in the suite console"), "{}", run.err);
        assert!(run.err.contains("hint: add --suite console"), "{}", run.err);
    }
    olmap_in(root.path(), &["validate", "--allow", "console-metadata-form", "catalogs/v4.16"]).exits(0);
    let run = run_suite(root.path(), &["--rule", "console-metadata-form", "catalogs/v4.16"]).exits(0);
    assert_eq!(finding_rows(&run).len(), 1);
}

#[test]
fn baseline_keeps_rows_of_the_suite() {
    let root = tempfile::tempdir().unwrap();
    write_catalog(root.path(), "v4.16", &good_catalog());
    let run = |args: &[&str]| olmap_in(root.path(), &[&["validate", "catalogs/v4.16"], args].concat());
    run(&["--suite", "console", "--write-baseline", "accepted.yaml"]).exits(0);
    let accepted = || fs::read_to_string(root.path().join("accepted.yaml")).unwrap();
    assert!(accepted().contains("rule: console-metadata-form"), "{}", accepted());
    // Without the suite, olmap does not know if the row is obsolete.
    let without = run(&["--baseline", "accepted.yaml"]).exits(0);
    assert!(!without.out.contains("obsolete") && !without.out.contains("removed"), "{}", without.out);
    run(&["--write-baseline", "accepted.yaml"]).exits(0);
    assert!(accepted().contains("rule: console-metadata-form"), "{}", accepted());
    let all = run(&["--suite", "console", "--baseline", "accepted.yaml", "--deny", "warnings"]).exits(0);
    assert!(all.out.contains("1 finding is accepted"), "{}", all.out);
}
