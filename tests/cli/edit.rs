//! `olmap edit`.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::run::{Run, olmap_in, olmap_with, root};

/// Writes two catalogs with a package of the demo that differ in their newest version.
fn two_catalogs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("demo/catalog/tidewater-operator/catalog.yaml")).unwrap();
    for name in ["v4.20", "v4.22"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("catalog.yaml"), &text).unwrap();
    }
    let older = text.replace(
        "- name: tidewater-operator.v2.4.1\n  replaces: tidewater-operator.v2.4.0\n  \
     skipRange: '>=2.3.0 <2.4.1'\nname: fast",
        "name: fast",
    );
    assert_ne!(older, text);
    fs::write(folder.path().join("v4.20/catalog.yaml"), older).unwrap();
    folder
}

fn read_catalog(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name).join("catalog.yaml")).unwrap()
}

fn run_edit(folder: &Path, arguments: &[&str]) -> Run {
    olmap_in(folder, &[&["edit"], arguments].concat())
}

const PROMOTE: [&str; 4] = ["promote", "tidewater-operator.v2.4.1", "--channel", "stable-2.3"];

#[test]
fn promotion_is_previewed_and_written() {
    let folder = two_catalogs();
    let before = read_catalog(&folder, "v4.22");
    let run = run_edit(folder.path(), &[&PROMOTE[..], &["v4.22", "-n"]].concat()).exits(0);
    insta::assert_snapshot!(run.out);
    assert_eq!(read_catalog(&folder, "v4.22"), before, "a dry run writes nothing");
    let run = run_edit(folder.path(), &[&PROMOTE[..], &["v4.22"]].concat()).exits(0);
    assert!(run.out.contains("wrote v4.22/catalog.yaml (+3 -0)"), "{}", run.out);
    let entry = "- name: tidewater-operator.v2.4.1\n  replaces: tidewater-operator.v2.3.2\n  skipRange: '>=2.3.0 <2.4.1'\nname: stable-2.3\n";
    assert_eq!(read_catalog(&folder, "v4.22"), before.replace("name: stable-2.3\n", entry));
}

#[test]
fn bundle_determines_the_package() {
    let folder = tempfile::tempdir().unwrap();
    let two = "schema: olm.package\nname: ship\n---\nschema: olm.package\nname: boat\n";
    fs::write(folder.path().join("cat.yaml"), two).unwrap();
    let blob = |package: &str| {
        format!("schema: olm.bundle\npackage: {package}\nname: {package}.v1.0.0\nimage: example.com/x:1\n")
    };
    let add = |blob: String| {
        fs::write(folder.path().join("new.yaml"), blob).unwrap();
        run_edit(folder.path(), &["add-bundle", "new.yaml", "cat.yaml"])
    };
    add(blob("boat")).exits(0);
    let after = fs::read_to_string(folder.path().join("cat.yaml")).unwrap();
    assert!(after.contains("name: boat.v1.0.0"), "{after}");
    insta::assert_snapshot!(add(blob("raft")).exits(2).err, @r"
    olmap: no package raft in cat.yaml
    hint: packages: boat, ship
          with --channel the package is made
    ");
}

#[test]
fn promotion_creates_a_new_channel() {
    let folder = two_catalogs();
    let new = ["--new-channel", "stable-2.4", "v4.22", "-n", "--format", "diff"];
    let run = run_edit(folder.path(), &[&PROMOTE[..], &new].concat()).exits(0);
    assert!(run.out.contains("+- name: tidewater-operator.v2.4.1\n+name: stable-2.4\n"), "{}", run.out);
    run_edit(folder.path(), &["promote", "2.4.1", "--new-channel", "a", "--new-channel", "b", "v4.22"])
        .exits(0);
    assert!(["name: a\n", "name: b\n"].iter().all(|name| read_catalog(&folder, "v4.22").contains(name)));
    run_edit(folder.path(), &["promote", "2.4.1", "v4.22"]).exits(2);
}

#[test]
fn diff_is_accepted_by_patch() {
    let folder = two_catalogs();
    let run =
        run_edit(folder.path(), &[&PROMOTE[..], &["v4.22", "-n", "--format", "diff"]].concat()).exits(0);
    insta::assert_snapshot!(run.out);
    let patch = folder.path().join("patch");
    fs::write(&patch, &run.out).unwrap();
    // Without the program `patch`, only the snapshot is checked.
    let patched = Command::new("patch").args(["-p1", "-i"]).arg(&patch).current_dir(folder.path()).output();
    if let Ok(patched) = patched {
        assert!(patched.status.success(), "{patched:?}");
        let by_patch = read_catalog(&folder, "v4.22");
        let other = two_catalogs();
        run_edit(other.path(), &[&PROMOTE[..], &["v4.22"]].concat()).exits(0);
        assert_eq!(by_patch, read_catalog(&other, "v4.22"));
    }
}

#[test]
fn several_catalogs_are_edited_all_or_none() {
    let folder = two_catalogs();
    let before = [read_catalog(&folder, "v4.20"), read_catalog(&folder, "v4.22")];
    let promote = ["promote", "tidewater-operator.v2.4.1", "--channel", "fast", "v4.20", "v4.22"];
    let run = run_edit(folder.path(), &promote).exits(2);
    assert!(
        run.err.contains("v4.22: tidewater-operator.v2.4.1 in fast: it is already an entry"),
        "{}",
        run.err
    );
    assert_eq!([read_catalog(&folder, "v4.20"), read_catalog(&folder, "v4.22")], before);
    let run = run_edit(folder.path(), &[&promote[..], &["--where-possible"]].concat()).exits(0);
    assert!(run.err.contains("skipped: v4.22"), "{}", run.err);
    assert_ne!(read_catalog(&folder, "v4.20"), before[0]);
    assert_eq!(read_catalog(&folder, "v4.22"), before[1]);
    run_edit(folder.path(), &["deprecate", "--message", "Old.", "--channel", "stable-2.2", "v4.20", "v4.22"])
        .exits(0);
    for name in ["v4.20", "v4.22"] {
        assert!(read_catalog(&folder, name).contains("message: Old."), "{name}");
    }
}

#[test]
fn deny_refuses_an_edit_with_new_errors() {
    let folder = two_catalogs();
    let before = read_catalog(&folder, "v4.22");
    let remove = ["remove-entry", "tidewater-operator.v2.2.1", "--channel", "stable-2.2", "v4.22"];
    let run = run_edit(folder.path(), &[&remove[..], &["--deny"]].concat()).exits(1);
    assert!(run.out.contains("did not write") && run.out.contains("error"), "{}", run.out);
    assert_eq!(read_catalog(&folder, "v4.22"), before);
    run_edit(folder.path(), &remove).exits(0);
    assert_ne!(read_catalog(&folder, "v4.22"), before);
}

#[test]
fn downgrades_by_an_edit_are_listed_first_and_can_be_denied() {
    let folder = two_catalogs();
    let before = read_catalog(&folder, "v4.22");
    let older = "tidewater-operator.v2.2.0";
    let promote = ["promote", older, "--channel", "stable-2.3", "v4.22", "--placement", "head"];
    let promote = [&promote[..], &["--allow-downgrade"]].concat();
    let run = run_edit(folder.path(), &[&promote[..], &["--deny"]].concat()).exits(1);
    assert_eq!(read_catalog(&folder, "v4.22"), before);
    let place = |words: &str| run.out.find(words).unwrap_or_else(|| panic!("{words}: {}", run.out));
    let first = place("Classic  DOWNGRADED stable-2.3: ");
    assert!(first < place("\n  new "), "{}", run.out);
    assert!(run.out.contains("DOWNGRADED fresh install (stable-2.3): "), "{}", run.out);
    let row = run_edit(folder.path(), &[&promote[..], &["-n", "-o", "json"]].concat()).exits(0).json();
    assert!(row[0]["worseOff"]["downgraded"].as_u64() > Some(0), "{row}");
    assert!(row[0]["worseOff"]["freshOlder"].as_u64() > Some(0), "{row}");
    // Without `--deny`, the edit is written.
    run_edit(folder.path(), &promote).exits(0);
    assert_ne!(read_catalog(&folder, "v4.22"), before);
}

#[test]
fn edit_does_not_fix_a_finding_if_its_rule_was_not_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read(root().join("demo/catalog/granary-operator/catalog.yaml")).unwrap();
    fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    let found = olmap_in(folder.path(), &["validate", "catalog.yaml", "-o", "json"]).json();
    assert!(found.as_array().unwrap().iter().any(|row| row["rule"] == "stuck"), "{found}");
    // Without its edges, the channel has two heads.
    let break_ = ["set-entry", "granary-operator.v3.1.1", "--channel", "stable", "--no-replaces"];
    let break_ = [&break_[..], &["--no-skips", "--no-skip-range", "catalog.yaml", "-n"]].concat();
    let rows = run_edit(folder.path(), &[&break_[..], &["-o", "json"]].concat()).exits(0).json();
    assert_eq!(rows[0]["fixedFindings"], json!([]));
    let unchecked = rows[0]["uncheckedFindings"].as_array().unwrap();
    let stuck = unchecked.iter().find(|row| row["rule"] == "stuck");
    assert_eq!(stuck.map(|row| &row["reason"]), Some(&json!("channel stable is invalid")), "{rows}");
    let text = run_edit(folder.path(), &break_).exits(0).out;
    assert!(text.contains("  unchecked warning stuck: "), "{text}");
    assert!(!text.contains("  fixed  "), "{text}");
}

#[test]
fn removed_entry_passes_on_its_edges_with_repair() {
    let folder = two_catalogs();
    let remove = ["remove-entry", "tidewater-operator.v2.2.1", "--channel", "stable-2.2", "v4.22"];
    run_edit(folder.path(), &[&remove[..], &["--repair"]].concat()).exits(0);
    let after = read_catalog(&folder, "v4.22");
    let handed_on = "- name: tidewater-operator.v2.2.2\n  replaces: tidewater-operator.v2.1.1\n  \
                     skipRange: '>=2.1.0 <2.2.2'\n  skips:\n  - tidewater-operator.v2.2.0\n";
    assert_eq!(after.matches(handed_on).count(), 1, "{after}");
}

#[test]
fn catalog_from_standard_input_is_written_to_standard_output() {
    let catalog = "schema: olm.package\nname: p\ndefaultChannel: a # first\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n- name: p.v1\n---\nschema: olm.channel\npackage: p\nname: b\nentries:\n- name: p.v1\n---\nschema: olm.bundle\npackage: p\nname: p.v1\nimage: example.com/p@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nproperties:\n- {type: olm.package, value: {packageName: p, version: 1.0.0}}\n";
    let run = olmap_with(catalog, &["edit", "default-channel", "b", "-"]).exits(0);
    assert_eq!(run.out, catalog.replace("defaultChannel: a", "defaultChannel: b"));
    assert!(run.err.contains("default channel of p: b"), "{}", run.err);
}

#[test]
fn printed_edits_can_be_applied_to_another_catalog() {
    let folder = two_catalogs();
    let run = run_edit(folder.path(), &["remove-bundle", "2.3.0", "v4.22", "--format", "json"]).exits(0);
    let rows = run.json();
    assert_eq!(
        rows[0]["edit"],
        json!({"operation": "remove-bundle", "package": "tidewater-operator", "bundle": "tidewater-operator.v2.3.0"})
    );
    assert_eq!(
        (&rows[0]["written"], &rows[0]["files"][0]["path"]),
        (&json!(true), &json!("v4.22/catalog.yaml"))
    );
    // Installed users keep the removed version, and ranges of other entries include it.
    assert_eq!(rows[0]["moved"], json!([]));
    fs::write(folder.path().join("edits.json"), Value::Array(vec![rows[0]["edit"].clone()]).to_string())
        .unwrap();
    let before = read_catalog(&folder, "v4.20");
    run_edit(folder.path(), &["apply", "edits.json", "v4.20"]).exits(0);
    let other = two_catalogs();
    run_edit(other.path(), &["remove-bundle", "2.3.0", "v4.20"]).exits(0);
    assert_eq!(read_catalog(&folder, "v4.20"), read_catalog(&other, "v4.20"));
    assert_ne!(read_catalog(&folder, "v4.20"), before);
    fs::write(folder.path().join("edits.json"), "{\"operation\": \"dance\"}").unwrap();
    let run = run_edit(folder.path(), &["apply", "edits.json", "v4.20"]).exits(2);
    assert!(run.err.contains("edits.json: not valid edits"), "{}", run.err);
}

#[test]
fn to_writes_a_copy_and_never_overwrites() {
    let folder = two_catalogs();
    let before = read_catalog(&folder, "v4.22");
    let describe = ["describe", "Moves tides.", "v4.22", "--to", "copy"];
    run_edit(folder.path(), &describe).exits(0);
    assert_eq!(read_catalog(&folder, "v4.22"), before);
    assert!(read_catalog(&folder, "copy").contains("description: Moves tides.\n"));
    let run = run_edit(folder.path(), &describe).exits(2);
    assert!(run.err.contains("already exists"), "{}", run.err);
}

#[test]
fn every_operation_changes_the_catalog_as_requested() {
    let blob = "schema: olm.bundle\npackage: tidewater-operator\nname: tidewater-operator.v2.5.0\nimage: registry.example.com/t@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nproperties:\n- {type: olm.package, value: {packageName: tidewater-operator, version: 2.5.0}}\n";
    let folder = two_catalogs();
    fs::write(folder.path().join("blob.yaml"), blob).unwrap();
    fs::write(folder.path().join("icon.svg"), "<svg/>").unwrap();
    let says = |arguments: &[&str], expected: &str| {
        let run =
            run_edit(folder.path(), &[arguments, &["v4.22", "-n", "--format", "diff"]].concat()).exits(0);
        let changed: Vec<&str> = run
            .out
            .lines()
            .filter(|line| {
                line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
            })
            .collect();
        assert_eq!(changed.join("\n"), expected, "{arguments:?}");
    };
    let channel = ["--channel", "stable-2.2"];
    says(
        &[&["set-entry", "2.2.2", "--replaces", "2.2.0", "--no-skip-range"][..], &channel].concat(),
        "-  replaces: tidewater-operator.v2.2.1\n-  skipRange: '>=2.1.0 <2.2.2'\n+  replaces: tidewater-operator.v2.2.0",
    );
    says(
        &[&["set-entry", "2.2.2", "--skip", "2.2.0"][..], &channel].concat(),
        "+  skips:\n+  - tidewater-operator.v2.2.0",
    );
    says(
        &[&["add-entry", "2.3.0", "--replaces", "2.2.2"][..], &channel].concat(),
        "+- name: tidewater-operator.v2.3.0\n+  replaces: tidewater-operator.v2.2.2",
    );
    says(&["rename-channel", "stable-2.2", "stable-2"], "-name: stable-2.2\n+name: stable-2");
    says(&["default-channel", "fast"], "-defaultChannel: stable\n+defaultChannel: fast");
    says(
        &["add-channel", "new", "--from", "candidate", "--up-to", "2.4.0-rc.1"],
        "+- name: tidewater-operator.v2.4.0-rc.1\n+name: new\n+package: tidewater-operator\n+schema: olm.channel\n+---\n+entries:",
    );
    let icon =
        run_edit(folder.path(), &["set-icon", "icon.svg", "v4.22", "-n", "--format", "diff"]).exits(0).out;
    assert!(icon.contains("+  base64data: PHN2Zy8+\n+  mediatype: image/svg+xml\n"), "{icon}");
    let run = run_edit(folder.path(), &["undeprecate", "v4.22"]).exits(2);
    assert!(run.err.contains("package tidewater-operator is not deprecated"), "{}", run.err);
    let run = run_edit(folder.path(), &["add-bundle", "blob.yaml", "v4.22", "--format", "json"]).exits(0);
    assert_eq!(run.json()[0]["files"][0]["added"], 10);
    let run = run_edit(folder.path(), &["leave-out-below", "2.3.0", "v4.22"]).exits(0);
    assert!(run.out.contains("gone"), "{}", run.out);
}

/// Two packages with a bundle in the console metadata, and one without.
const CONSOLE: &str = "\
schema: olm.package
name: kiln
defaultChannel: stable
---
schema: olm.channel
package: kiln
name: stable
entries:
- name: kiln.v1.0.0
- name: kiln.v1.1.0
  replaces: kiln.v1.0.0
---
schema: olm.bundle # first
package: kiln
name: kiln.v1.0.0
image: example.com/kiln:1
properties:
- {type: olm.package, value: {packageName: kiln, version: 1.0.0}}
- type: olm.csv.metadata
  value: {provider: {name: Potters}, displayName: Kiln}
---
schema: olm.bundle
package: kiln
name: kiln.v1.1.0
image: example.com/kiln:2
properties:
- {type: olm.package, value: {packageName: kiln, version: 1.1.0}}
- type: olm.csv.metadata
  value: {provider: {name: Weavers}, displayName: Kiln}
---
schema: olm.package
name: wheel
defaultChannel: stable
---
schema: olm.channel
package: wheel
name: stable
entries: [{name: wheel.v1.0.0}]
---
schema: olm.bundle
package: wheel
name: wheel.v1.0.0
image: example.com/wheel:1
properties:
- {type: olm.package, value: {packageName: wheel, version: 1.0.0}}
";

#[test]
fn properties_and_related_images_are_edited_by_a_criterion() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.yaml");
    let edit = |args: &[&str]| {
        fs::write(&path, CONSOLE).unwrap();
        let run = run_edit(folder.path(), &[args, &["c.yaml"]].concat());
        (run, fs::read_to_string(&path).unwrap())
    };
    let set = |criterion: &[&str]| {
        edit(&[&["set-property", "olm.maxOpenShiftVersion", "4.20"][..], criterion].concat())
    };
    let one = "- type: olm.maxOpenShiftVersion\n  value: \"4.20\"\n";
    let anchor = "Potters}, displayName: Kiln}\n";
    let potters = CONSOLE.replace(anchor, &format!("{anchor}{one}"));
    let (run, text) = set(&["--where", "provider=potters"]);
    run.exits(0);
    assert_eq!(text, potters);
    for criterion in [
        &["--bundle", "kiln.v1.0.0"][..],
        &["--bundle", "1.0.0", "--package", "kiln"],
        &["--versions", "<1.1.0", "--where", "name=kiln"],
    ] {
        let (run, text) = set(criterion);
        run.exits(0);
        assert_eq!(text, potters, "{criterion:?}");
    }
    let (run, text) = set(&["--channel", "stable"]);
    assert!(run.exits(0).out.contains("set property olm.maxOpenShiftVersion of 3 bundles"));
    assert_eq!(text.matches("4.20").count(), 3);

    let (run, text) = set(&["--where", "provider=smiths"]);
    let run = run.exits(2);
    assert!(run.err.contains("no bundle matches") && run.err.contains("cannot find 1 bundle"), "{}", run.err);
    assert_eq!(text, CONSOLE);
    assert!(set(&[]).0.exits(2).err.contains("--where <KEY=VALUE>"));
    assert!(set(&["--where", "providr=x"]).0.exits(2).err.contains("did you mean provider?"));
    assert!(set(&["--bundle", "kiln.v9.0.0"]).0.exits(2).err.contains("no package has a bundle kiln.v9.0.0"));
    assert!(set(&["--channel", "fast"]).0.exits(2).err.contains("no package has a channel fast"));
    assert!(set(&["--versions", "a"]).0.exits(2).err.contains("--versions a:"));

    let (run, text) = edit(&["remove-property", "olm.csv.metadata", "--versions", "*"]);
    run.exits(0);
    assert_eq!(text.matches("csv.metadata").count(), 0);
    let run = edit(&["remove-property", "olm.gvk", "--versions", "*"]).0.exits(2);
    assert!(run.err.contains("no bundle has a property olm.gvk"), "{}", run.err);
    let run = edit(&["set-property", "a", "{", "--versions", "*"]).0.exits(2);
    assert!(run.err.contains("the value is not JSON"), "{}", run.err);

    let lamp = ["set-related-image", "lamp", "example.com/lamp:1", "--where", "provider=potters"];
    let (run, text) = edit(&lamp);
    run.exits(0);
    let images = "relatedImages:\n- name: lamp\n  image: example.com/lamp:1\n";
    assert_eq!(text, CONSOLE.replace(anchor, &format!("{anchor}{images}")));
    let run = edit(&["remove-related-image", "lamp", "--versions", "*"]).0.exits(2);
    assert!(run.err.contains("no bundle has a related image lamp"), "{}", run.err);
}

#[test]
fn printed_edit_of_properties_is_applied_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.yaml");
    fs::write(&path, CONSOLE).unwrap();
    let value = r#"{"group":"example.com","kind":"Pot","version":"v1"}"#;
    let set = ["set-property", "olm.gvk", value, "--add", "--where", "name=kiln", "c.yaml"];
    let row = run_edit(folder.path(), &[&set[..], &["-n", "-o", "json"]].concat()).exits(0).json()[0]["edit"]
        .clone();
    assert_eq!((&row["operation"], &row["change"]), (&json!("bundles"), &json!("add-property")));
    assert_eq!(row["bundles"], json!(["kiln.v1.0.0", "kiln.v1.1.0"]));
    fs::write(folder.path().join("edit.json"), row.to_string()).unwrap();
    run_edit(folder.path(), &set).exits(0);
    let by_command = fs::read_to_string(&path).unwrap();
    fs::write(&path, CONSOLE).unwrap();
    run_edit(folder.path(), &["apply", "edit.json", "c.yaml"]).exits(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), by_command);
    // The same property again changes nothing.
    run_edit(folder.path(), &set).exits(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), by_command);
}

#[test]
fn refuses_impossible_edits_with_a_hint() {
    let promote = |bundle: &str, more: &[&str]| {
        let run = [&["edit", "promote", bundle, "--channel", "stable", "demo/catalog", "-n"], more].concat();
        super::run::olmap(&run).exits(2).err
    };
    let err = promote("tidewater-operator.v2.9.0", &[]);
    assert!(err.contains("no package has a bundle tidewater-operator.v2.9.0"), "{err}");
    let err = promote("tidewater-operator.v2.4.1", &["--package", "tidewater-operator"]);
    assert!(err.contains("it is already an entry"), "{err}");
    let err = promote("2.9.0", &["--package", "tidewater-operator"]);
    assert!(err.contains("did you mean tidewater-operator.v2.4.1?"), "{err}");
}

#[test]
fn fix_applies_to_all_findings_or_one_rule() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog.yaml");
    fs::copy(root().join("demo/catalog/granary-operator/catalog.yaml"), &catalog).unwrap();
    let before = fs::read_to_string(&catalog).unwrap();
    let run = run_edit(folder.path(), &["fix", "--rule", "no-head", "."]).exits(2);
    assert!(run.err.contains("no finding can be fixed automatically"), "{}", run.err);
    let run = run_edit(folder.path(), &["fix", "--rule", "dead-ends", "."]).exits(2);
    assert!(run.err.contains("no rule dead-ends"), "{}", run.err);
    let run = run_edit(folder.path(), &["fix", "."]).exits(0);
    assert!(run.out.contains("fixed    warning stuck"), "{}", run.out);
    assert!(run.out.contains("stable: 2.6.4: never upgrades => 3.1.0"), "{}", run.out);
    assert_ne!(fs::read_to_string(&catalog).unwrap(), before);
    run_edit(folder.path(), &["fix", "."]).exits(2);
}

/// Writes a catalog with channels `stable` (1.0.0, 1.1.0, 1.2.0) and `old` (1.0.0).
fn ship_catalog() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
                    name: stable\nentries:\n- name: ship.v1.0.0\n- name: ship.v1.1.0 # slow\n  replaces: ship.v1.0.0\n\
                    - name: ship.v1.2.0\n  replaces: ship.v1.1.0\n---\nschema: olm.channel\npackage: ship\nname: old\n\
                    entries:\n- name: ship.v1.0.0\n"
        .to_owned();
    for version in ["1.0.0", "1.1.0", "1.2.0"] {
        text += &format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: ship, version: {version}}}\n"
        );
    }
    fs::create_dir(folder.path().join("catalog")).unwrap();
    fs::write(folder.path().join("catalog/catalog.yaml"), text).unwrap();
    folder
}

#[test]
fn withdrawn_release_is_skipped_and_removed() {
    let folder = ship_catalog();
    let before = read_catalog(&folder, "catalog");
    let run = run_edit(folder.path(), &["withdraw", "1.1.0", "catalog"]).exits(0);
    insta::assert_snapshot!(format!("{}{}", run.err, run.out));
    let after = read_catalog(&folder, "catalog");
    let expected = before
        .replace("- name: ship.v1.1.0 # slow\n  replaces: ship.v1.0.0\n", "")
        .replace("  replaces: ship.v1.1.0\n", "  replaces: ship.v1.0.0\n  skips:\n  - ship.v1.1.0\n");
    let bundle =
        expected.split_inclusive("---\n").find(|text| text.contains("\nname: ship.v1.1.0\n")).unwrap();
    assert_eq!(after, expected.replace(bundle, ""));
}

#[test]
fn withdrawal_of_the_head_names_those_who_stay() {
    let folder = ship_catalog();
    let run = run_edit(folder.path(), &["withdraw", "ship.v1.2.0", "-c", "stable", "catalog", "-n"]).exits(0);
    insta::assert_snapshot!(format!("{}{}", run.err, run.out));
    assert!(run.err.contains("installed ship.v1.2.0 stays (stable): release a higher version that skips it"));
}

#[test]
fn withdrawal_does_not_empty_a_channel() {
    let folder = ship_catalog();
    let run = run_edit(folder.path(), &["withdraw", "1.0.0", "catalog"]).exits(2);
    assert!(run.err.contains("old would have no entries left"), "{}", run.err);
    assert!(run.err.contains("olmap edit remove-channel old"), "{}", run.err);
    let run = run_edit(folder.path(), &["withdraw", "1.0.0", "-c", "nope", "catalog"]).exits(2);
    assert!(run.err.contains("no channel nope"), "{}", run.err);
    let run = run_edit(folder.path(), &["withdraw", "1.0.0", "-c", "stable", "catalog"]).exits(0);
    assert!(run.out.contains("withdraw ship.v1.0.0 from stable"), "{}", run.out);
    assert!(read_catalog(&folder, "catalog").contains("\nname: ship.v1.0.0\n"), "channel old still has it");
}
