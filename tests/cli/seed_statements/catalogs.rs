//! Statements about file-based catalogs: layout, composition, schemas and deprecations.

use std::{fs, path::Path};

use super::{
    super::{
        resolve::package_yaml,
        run::{olmap_in, olmap_with},
    },
    assert_message, finding_messages,
};

fn write_file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Catalog of the package `cable` as JSON.
const CABLE_JSON: &str = r#"{"schema": "olm.package", "name": "cable", "defaultChannel": "stable"}
{"schema": "olm.channel", "package": "cable", "name": "stable", "entries": [{"name": "cable.v1.0.0"}]}
{"schema": "olm.bundle", "package": "cable", "name": "cable.v1.0.0", "image": "example.com/cable:v1.0.0",
 "properties": [{"type": "olm.package", "value": {"packageName": "cable", "version": "1.0.0"}}]}
"#;

fn listed_packages(root: &Path, path: &str) -> Vec<String> {
    let rows = olmap_in(root, &["list", "packages", path, "-o", "json"]).exits(0).json();
    rows.as_array().unwrap().iter().map(|row| row["package"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn recommended_layout_mixes_formats_and_ignores_objects() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| write_file(root.path(), path, text);
    write("harbor/anchor/index.yaml", &package_yaml("anchor", &[("1.0.0", "")]));
    write("harbor/buoy/index.yaml", &package_yaml("buoy", &[("1.0.0", "")]));
    write("harbor/buoy/objects/buoy.v1.0.0.clusterserviceversion.yaml", "kind: ClusterServiceVersion\n");
    write("harbor/buoy/README.md", "No catalog.\n");
    write("harbor/cable/index.json", CABLE_JSON);
    let validate = || olmap_in(root.path(), &["validate", "harbor", "-o", "json"]);
    assert_message(&validate().exits(1), "the object has no `schema`");
    let ignore = "# Only catalog files.\n**/*\n!*.json\n!*.yaml\n**/objects/*.json\n**/objects/*.yaml\n";
    write("harbor/buoy/.indexignore", ignore);
    assert_eq!(finding_messages(&validate().exits(0)), [""; 0]);
    assert_eq!(listed_packages(root.path(), "harbor"), ["anchor", "buoy", "cable"]);
    // Each directory is a catalog.
    for package in ["anchor", "buoy", "cable"] {
        assert_eq!(listed_packages(root.path(), &format!("harbor/{package}")), [package]);
    }
}

#[test]
fn copied_catalogs_are_one_catalog_unless_a_package_is_in_both() {
    let root = tempfile::tempdir().unwrap();
    let anchor = package_yaml("anchor", &[("1.0.0", "")]);
    for folder in ["a", "c/a"] {
        write_file(root.path(), &format!("{folder}/anchor/index.yaml"), &anchor);
    }
    for folder in ["b", "c/b"] {
        write_file(root.path(), &format!("{folder}/cable/index.json"), CABLE_JSON);
    }
    let validate = || olmap_in(root.path(), &["validate", "c", "-o", "json"]);
    assert_eq!(finding_messages(&validate().exits(0)), [""; 0]);
    assert_eq!(listed_packages(root.path(), "c"), ["anchor", "cable"]);
    write_file(root.path(), "c/b/anchor/index.yaml", &anchor);
    let run = validate().exits(1);
    for text in
        ["package anchor is defined 2 times", "channel stable is defined", "bundle anchor.v1.0.0 is defined"]
    {
        assert_message(&run, text);
    }
}

#[test]
fn every_blob_has_a_schema_and_may_have_package_and_properties() {
    for (text, code) in [
        ("schema: example.com.notes\n", 0),
        ("schema: example.com.notes\npackage: anchor\nproperties: []\n", 0),
        ("schema: example.com.notes\nproperties:\n- type: example.com.note\n  value: {a: [1]}\n", 0),
        ("schema: ''\n", 1),
        ("package: anchor\n", 1),
        ("schema: 5\n", 1),
        ("schema: example.com.notes\npackage: [anchor]\n", 1),
    ] {
        let catalog = package_yaml("anchor", &[("1.0.0", "")]);
        let run = olmap_with(&format!("{catalog}---\n{text}"), &["validate", "-", "-o", "json"]);
        assert_eq!((finding_messages(&run).len(), run.code), (code as usize, code), "{text}: {}", run.out);
    }
}

#[test]
fn replaced_name_outside_of_the_catalog_is_accepted_and_drawn() {
    let catalog = package_yaml("anchor", &[("1.1.0", "")])
        .replace("- name: anchor.v1.1.0\n", "- name: anchor.v1.1.0\n  replaces: anchor.v1.0.0\n");
    let run = olmap_with(&catalog, &["validate", "-", "-o", "json"]).exits(0);
    assert_eq!(finding_messages(&run), [""; 0]);
    let graph = olmap_with(&catalog, &["graph", "-"]).exits(0);
    assert!(graph.out.contains("1.0.0    not in this channel; 1.1.0 replaces it"), "{}", graph.out);
}

#[test]
fn deprecations_of_all_three_kinds_stay_apart() {
    let root = tempfile::tempdir().unwrap();
    let catalog = package_yaml("anchor", &[("1.0.0", ""), ("1.1.0", "")]);
    write_file(root.path(), "harbor/anchor/index.yaml", &catalog);
    let deprecations = "\
schema: olm.deprecations
package: anchor
entries:
- reference:
    schema: olm.package
  message: |
    The package 'anchor' ends. Use 'mooring'.
- reference:
    schema: olm.channel
    name: stable
  message: |
    The channel 'stable' ends.
- reference:
    schema: olm.bundle
    name: anchor.v1.0.0
  message: |
    anchor.v1.0.0 ends. Install anchor.v1.1.0.
";
    write_file(root.path(), "harbor/anchor/deprecations.yaml", deprecations);
    let errors = olmap_in(root.path(), &["validate", "harbor", "--parity", "-o", "json"]).exits(0);
    assert_eq!(finding_messages(&errors), [""; 0]);
    let rows = olmap_in(root.path(), &["deprecations", "harbor", "-o", "json"]).exits(1).json();
    let described: Vec<(&str, &str, &str)> = rows["deprecations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap_or_default();
            (text("schema"), text("name"), text("message").lines().next().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        described,
        [
            ("olm.package", "", "The package 'anchor' ends. Use 'mooring'."),
            ("olm.channel", "stable", "The channel 'stable' ends."),
            ("olm.bundle", "anchor.v1.0.0", "anchor.v1.0.0 ends. Install anchor.v1.1.0."),
        ]
    );
}
