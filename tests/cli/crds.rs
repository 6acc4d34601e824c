//! `olmap crds`.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::run::{fixture, olmap, olmap_in, olmap_with};

fn old_crds() -> String {
    fixture("crds/old.yaml")
}

fn new_crds() -> String {
    fixture("crds/new.yaml")
}

/// Returns a document of a file by its number.
fn nth_document(file: &str, number: usize) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.split("---\n").filter(|text| text.contains("kind:")).nth(number).unwrap().to_owned()
}

#[test]
fn reports_refused_changes_most_severe_first() {
    let run = olmap(&["crds", "diff", &old_crds(), &new_crds()]).exits(1);
    insta::assert_snapshot!(run.out);
    let safe = olmap(&["crds", "diff", &new_crds(), &new_crds()]).exits(0);
    assert!(safe.out.contains("compatible: buoys.coast.example.com, harbours"), "{}", safe.out);
}

#[test]
fn json_has_every_finding_with_locations() {
    let run = olmap(&["crds", "diff", "-o", "json", &old_crds(), &new_crds()]).exits(1).json();
    assert_eq!(
        (&run["ok"], &run["added"], &run["removed"]),
        (&false.into(), &json!(["harbours.coast.example.com"]), &json!(["wrecks.coast.example.com"]))
    );
    let names: Vec<&Value> = run["crds"].as_array().unwrap().iter().map(|crd| &crd["name"]).collect();
    assert_eq!(names, ["buoys.coast.example.com", "lights.coast.example.com"]);
    let lights = &run["crds"][1];
    let first = &lights["findings"][0];
    assert_eq!(first["message"], "stored versions removed : [v1alpha1]");
    assert_eq!((&first["old"]["file"], &first["old"]["line"]), (&json!(old_crds()), &json!(14)));
    assert_eq!(
        (&lights["classic"]["ok"], &lights["classic"]["storedVersionsRemoved"]),
        (&json!(false), &json!(["v1alpha1"]))
    );
    let minimum =
        lights["findings"].as_array().unwrap().iter().find(|row| row["validation"] == "minimum").unwrap();
    assert_eq!(minimum["property"], "^.spec.range");
    let line = minimum["new"]["line"].as_u64().unwrap() as usize;
    let text = fs::read_to_string(new_crds()).unwrap();
    assert_eq!(text.lines().nth(line - 1).unwrap().trim(), "minimum: 5");
}

#[test]
fn compares_two_crds_with_different_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(path("old.yaml"), nth_document(&old_crds(), 0)).unwrap();
    fs::write(path("new.yaml"), nth_document(&new_crds(), 1)).unwrap();
    let run = olmap(&["crds", "diff", "-o", "json", &path("old.yaml"), &path("new.yaml")]).exits(1).json();
    assert!(run["findings"].as_array().unwrap().len() > 5 && run.get("crds").is_none());
    let run = olmap_with(&nth_document(&old_crds(), 1), &["crds", "diff", "-", &path("new.yaml")]).exits(0);
    assert_eq!(run.out, "buoys.coast.example.com: compatible: nothing is refused\n");
}

/// Writes a bundle directory with the CRDs of a file.
fn write_bundle(folder: &Path, name: &str, crds: &str) -> String {
    let root = folder.join(name);
    fs::create_dir_all(root.join("manifests")).unwrap();
    fs::create_dir_all(root.join("metadata")).unwrap();
    fs::copy(crds, root.join("manifests/crds.yaml")).unwrap();
    let example = json!([{"apiVersion": "coast.example.com/v1", "kind": "Light", "metadata": {"name": "tower"}, "spec": {"colour": "green"}}]);
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {"name": format!("coast.{name}"), "annotations": {"alm-examples": example.to_string()}},
    });
    fs::write(root.join("manifests/csv.json"), csv.to_string()).unwrap();
    root.to_string_lossy().into_owned()
}

#[test]
fn bundle_directories_add_examples_that_classic_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let old = write_bundle(folder.path(), "v1", &old_crds());
    let new = write_bundle(folder.path(), "v2", &new_crds());
    let run = olmap(&["crds", "diff", "-o", "json", &old, &new]).exits(1).json();
    let example = &run["crds"][1]["classic"]["examples"][0];
    assert_eq!((&example["name"], &example["field"]), (&json!("tower"), &json!("spec.colour")));
    assert!(example["at"]["file"].as_str().unwrap().ends_with("v1/manifests/csv.json"));
    let text = olmap(&["crds", "diff", &old, &new]).exits(1).out;
    assert!(text.contains("OLM Classic stops at resources like the old bundle's example tower"), "{text}");
}

/// Writes a catalog with two bundles and the given properties of each.
fn write_catalog(folder: &Path, properties: impl Fn(&str) -> Value) -> String {
    let bundle = |name: &str| {
        let mut all = vec![
            json!({"type": "olm.package", "value": {"packageName": "coast", "version": format!("{name}.0.0")}}),
        ];
        all.extend(properties(name).as_array().unwrap().iter().cloned());
        json!({"schema": "olm.bundle", "package": "coast", "name": format!("coast.v{name}"), "image": "example.com/a:b", "properties": all})
    };
    let package = json!({"schema": "olm.package", "name": "coast", "defaultChannel": "stable"});
    let channel = json!({"schema": "olm.channel", "package": "coast", "name": "stable", "entries": [{"name": "coast.v1"}, {"name": "coast.v2", "replaces": "coast.v1"}]});
    let text: String = [package, channel, bundle("1"), bundle("2")].map(|blob| format!("{blob}\n")).concat();
    let path = folder.join("catalog.json");
    fs::write(&path, text).unwrap();
    path.to_string_lossy().into_owned()
}

fn encode_base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let number =
            part.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..4 {
            let sign = SIGNS[(number >> (18 - 6 * at) & 63) as usize] as char;
            out.push(if at <= part.len() { sign } else { '=' });
        }
    }
    out
}

#[test]
fn compares_bundles_of_a_catalog_that_contains_their_crds() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_catalog(folder.path(), |name| {
        let crd = if name == "1" { nth_document(&old_crds(), 0) } else { nth_document(&new_crds(), 0) };
        json!([{"type": "olm.bundle.object", "value": {"data": encode_base64(crd.as_bytes())}}])
    });
    let run = olmap(&["crds", "diff", "--catalog", &path, "coast.v1", "2.0.0", "-o", "json"]).exits(1).json();
    let first = &run["crds"][0]["findings"][0];
    assert_eq!((&first["old"]["file"], &first["old"]["line"]), (&json!(path), &json!(3)));
    let run = olmap(&["crds", "diff", "--catalog", &path, "coast.v1", "9.0.0"]).exits(2);
    assert!(run.err.contains("no bundle 9.0.0"), "{}", run.err);
}

#[test]
fn unavailable_crds_are_never_called_safe() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_catalog(folder.path(), |_| json!([{"type": "olm.csv.metadata", "value": {}}]));
    let run = olmap(&["crds", "diff", "--catalog", &path, "coast.v1", "coast.v2"]).exits(2);
    assert!(
        run.err.contains("CRDs not available") && run.err.contains("hint: compare the bundle directories"),
        "{}",
        run.err
    );
    assert_eq!(run.out, "");
}

#[test]
fn pairs_are_answered_line_by_line() {
    let crd = |maximum: u32| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b"},
            "spec": {"versions": [{"name": "v1", "storage": true, "schema": {"openAPIV3Schema": {"maxItems": maximum}}}]},
        })
    };
    let pair = |old: u32, new: u32| format!("{}\n", json!({"old": crd(old), "new": crd(new)}));
    let ask = |input: &str| olmap_with(input, &["crds", "diff", "--pairs", "-", "--format", "jsonl"]);
    assert_eq!(ask(&pair(1, 2)).exits(0).out, "{\"ok\":true,\"findings\":[]}\n");
    let run = ask(&(pair(2, 1) + "{\"old\": 1}\n" + &pair(1, 1))).exits(2);
    assert!(
        run.err.contains("`old` is no CustomResourceDefinition") && run.err.contains("hint: a pair is"),
        "{}",
        run.err
    );
    let lines: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[0]["findings"][0],
        json!({"check": "same", "version": "v1", "property": "^", "validation": "maxItems", "message": "maximum decreased : 2 -> 1"})
    );
    assert!(lines[1]["error"].is_string() && lines[2]["ok"] == true);
    ask(&pair(2, 1)).exits(1);
}

#[test]
fn refuses_unreadable_crds_with_location_and_hint() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::write(path("broken.yaml"), format!("{}---\nkind: \"x\n", nth_document(&old_crds(), 0))).unwrap();
    fs::write(path("service.yaml"), "kind: Service\n").unwrap();
    let run = olmap(&["crds", "diff", &path("broken.yaml"), &new_crds()]).exits(2);
    assert!(run.err.contains("broken.yaml:") && run.err.contains("hint: close the quote"), "{}", run.err);
    for (wrong, words) in [
        ("service.yaml", "holds no CustomResourceDefinition"),
        ("nothing.yaml", "cannot read"),
        ("", "is not a bundle directory"),
    ] {
        let run = olmap(&["crds", "diff", &path(wrong), &new_crds()]).exits(2);
        assert!(run.err.contains(words) && run.err.contains("hint: name a file"), "{}", run.err);
    }
    olmap(&["crds", "diff", "--format", "jsonl", &old_crds(), &new_crds()]).exits(2);
    olmap(&["crds", "diff", &old_crds()]).exits(2);
}

/// New CRD whose colour has choices, and a minimum range.
const LIGHTS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lights.coast.example.com}
spec:
  group: coast.example.com
  names: {kind: Light, plural: lights}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              colour: {type: string, enum: [red, green]}
              range: {type: integer, minimum: 5}
";

/// Output of `kubectl get lights,configmaps -A -o yaml`.
const RESOURCES: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: coast.example.com/v1
  kind: Light
  metadata: {name: tower, namespace: harbour}
  spec: {colour: secretblue, range: 3}
- apiVersion: coast.example.com/v1
  kind: Light
  metadata: {name: pier, namespace: harbour}
  spec: {colour: red}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
";

/// Returns a folder with the new CRD and the resources.
fn resource_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new.yaml"), LIGHTS).unwrap();
    fs::create_dir_all(folder.path().join("crs/harbour")).unwrap();
    fs::write(folder.path().join("crs/harbour/lights.yaml"), RESOURCES).unwrap();
    folder
}

#[test]
fn resources_that_do_not_fit_are_listed_without_their_values() {
    let folder = resource_folder();
    let run =
        olmap_in(folder.path(), &["crds", "check", "new.yaml", "--resources", "crs/harbour/lights.yaml"]);
    let run = run.exits(1);
    assert!(!run.out.contains("secretblue"), "{}", run.out);
    insta::assert_snapshot!(run.out);
}

#[test]
fn resource_json_names_versions_and_the_installed_crd() {
    let folder = resource_folder();
    fs::write(folder.path().join("crs/crd.yaml"), LIGHTS.replace("minimum: 5", "minimum: 1")).unwrap();
    let args = ["crds", "check", "new.yaml", "--cluster", "crs", "-o", "json"];
    let run = olmap_in(folder.path(), &args).exits(1).json();
    assert_eq!(
        run["crds"],
        json!([{"name": "lights.coast.example.com", "checked": 2, "refused": 1, "onlyWarns": false, "installed": true}])
    );
    assert_eq!(run["notChecked"], json!([{"kind": "ConfigMap", "group": "", "count": 1}]));
    assert_eq!(
        run["refused"][1],
        json!({
            "crd": "lights.coast.example.com", "namespace": "harbour", "name": "tower", "versions": ["v1"],
            "field": "spec.range", "message": "is a number, the minimum is 5", "wasRefused": false,
            "at": {"file": "crs/harbour/lights.yaml", "line": 7, "column": 37},
        })
    );
    assert_eq!(
        (&run["refused"][0]["field"], &run["refused"][0]["wasRefused"]),
        (&json!("spec.colour"), &json!(true))
    );
}

#[test]
fn resource_check_says_if_nothing_was_checked() {
    let folder = resource_folder();
    let check = |resources: &str| {
        let args = ["crds", "check", "new.yaml", "--resources", "-"];
        let mut command = crate::run::command();
        crate::run::run_with_input(command.current_dir(folder.path()).args(args), resources.as_bytes())
    };
    let run = check("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n").exits(2);
    assert!(run.err.contains("no resource has the kind of a new CRD"), "{}", run.err);
    assert_eq!(check("{apiVersion: v1, kind: List, items: []}\n").exits(0).out, "no resources\n");
    let run = check("kind: Light\napiVersion: coast.example.com/v1\nmetadata: {name: secret\n").exits(2);
    assert!(run.err.contains("standard input:") && !run.err.contains("secret"), "{}", run.err);
    let fits = RESOURCES.replace("colour: secretblue, range: 3", "colour: green, range: 8");
    let run = check(&fits).exits(0);
    assert!(run.out.starts_with("lights.coast.example.com: 2 resources, all fit\n"), "{}", run.out);
}
