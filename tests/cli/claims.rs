//! Claims in the output, each with the situations where the claim would be wrong.

use std::{fs, path::Path};

use super::run::{Run, olmap_in, root};

const CATALOG: &str = "schema: olm.package
name: p
defaultChannel: c
---
schema: olm.channel
package: p
name: c
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: p.v1.0.0
";

fn bundle_yaml(version: &str, more: &str) -> String {
    format!(
        "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: registry.example/p:{version}\nproperties:\n\
         - type: olm.package\n  value: {{packageName: p, version: {version}}}\n{more}"
    )
}

fn catalog_yaml() -> String {
    CATALOG.to_owned() + &bundle_yaml("1.0.0", "") + &bundle_yaml("1.1.0", "")
}

/// Unreadable document.
const UNREADABLE: &str = "---\nschema: olm.bundle\npackage: p\nname: [\n";

/// Unmet requirement.
const NEEDS: &str = "- type: olm.gvk.required\n  value: {group: g.example.com, version: v1, kind: Gone}\n";

/// Fixtures with a step that OLM v1 refuses.
const KETTLE: &str = "tests/fixtures/safety/kettle";

/// Returns the files of a bundle with a valid CSV.
fn manifest_files() -> Vec<(&'static str, String)> {
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: p.v1.0.0}\nspec:\n  \
        displayName: P\n  version: 1.0.0\n  installModes: [{type: AllNamespaces, supported: true}]\n  install: {strategy: \
        deployment, spec: {deployments: []}}\n";
    let annotations = "annotations:\n  operators.operatorframework.io.bundle.mediatype.v1: registry+v1\n  \
        operators.operatorframework.io.bundle.manifests.v1: manifests/\n  operators.operatorframework.io.bundle.metadata.v1: \
        metadata/\n  operators.operatorframework.io.bundle.package.v1: p\n  \
        operators.operatorframework.io.bundle.channels.v1: c\n";
    vec![("b/manifests/p.csv.yaml", csv.to_owned()), ("b/metadata/annotations.yaml", annotations.to_owned())]
}

/// Appends text to the first file.
fn append_to_first(mut files: Vec<(&'static str, String)>, more: &str) -> Vec<(&'static str, String)> {
    files[0].1.push_str(more);
    files
}

/// Runs a command in a folder with the files.
fn run_on_files(files: &[(&str, String)], args: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    olmap_in(folder.path(), args)
}

/// Situation: description, files and command.
type Situation = (&'static str, Vec<(&'static str, String)>, Vec<&'static str>);

fn check_word_is_absent(word: &str, situations: Vec<Situation>) {
    for (what, files, args) in situations {
        let run = run_on_files(&files, &args);
        assert!(!run.out.contains(word), "{what}: {word:?} in\n{}\n{}", run.out, run.err);
        assert!(!run.out.is_empty() || run.code == 2, "{what}: {}", run.err);
    }
}

#[test]
fn no_findings_is_not_printed_for_unread_or_unselected_input() {
    let one = |text: String| vec![("a/catalog.yaml", text)];
    let needs = || one(CATALOG.to_owned() + &bundle_yaml("1.0.0", NEEDS) + &bundle_yaml("1.1.0", NEEDS));
    let csv = || "b/manifests/p.csv.yaml";
    let mut unreadable = manifest_files();
    unreadable[0].1 = unreadable[0].1.replace("displayName: P", "displayName P\n  a: [");
    let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: lathes.example.com}\n";
    check_word_is_absent(
        "no findings",
        vec![
            ("unreadable document", one(catalog_yaml() + UNREADABLE), vec!["validate", "a"]),
            (
                "unreadable document, one package",
                one(catalog_yaml() + UNREADABLE),
                vec!["validate", "a", "--package", "p"],
            ),
            (
                "rule that another one stands for",
                needs(),
                vec!["validate", "a", "--rule", "unmet-dependency"],
            ),
            ("leader that is allowed", needs(), vec!["validate", "a", "--allow", "dependency-unsatisfiable"]),
            ("unreadable CSV", unreadable.clone(), vec!["bundle", "validate", "b"]),
            (
                "unreadable CSV, OLM Classic alone",
                unreadable,
                vec!["bundle", "validate", "b", "--target", "classic"],
            ),
            (
                "second document",
                append_to_first(manifest_files(), &format!("---\n{crd}")),
                vec!["bundle", "validate", "b"],
            ),
            (
                "second document, opened as a catalog",
                append_to_first(manifest_files(), &format!("---\n{crd}")),
                vec!["validate", "b"],
            ),
            (
                "no CSV",
                manifest_files().into_iter().filter(|(path, _)| *path != csv()).collect(),
                vec!["bundle", "validate", "b"],
            ),
        ],
    );
}

#[test]
fn no_errors_is_not_printed_for_a_catalog_with_an_error() {
    let files = || {
        let read = catalog_yaml() + UNREADABLE.replace("package: p\n", "").as_str();
        vec![("a/catalog.yaml", read), ("b/catalog.yaml", catalog_yaml())]
    };
    let run = run_on_files(&files(), &["overview", "a", "b", "--package", "p"]);
    let (of_a, of_b) = run.out.split_once("p in b").unwrap();
    assert!(of_b.contains("ok") && of_b.contains("no errors, no warnings"), "{}", run.out);
    assert!(!of_a.contains(" ok") && of_a.contains("1 error outside of packages"), "{}", run.out);
}

#[test]
fn safe_is_not_printed_for_an_unchecked_or_refused_step() {
    let bare = || vec![("a/catalog.yaml", catalog_yaml())];
    check_word_is_absent(
        "safe",
        vec![
            ("no manifests", bare(), vec!["successors", "--installed", "1.0.0", "--safety", "a"]),
            ("no manifests, all versions", bare(), vec!["successors", "--safety", "a"]),
            ("no manifests on a path", bare(), vec!["path", "1.0.0", "head", "--safety", "a"]),
            ("no manifests, all steps", bare(), vec!["crds", "graph", "a", "--all"]),
        ],
    );
    for args in [
        vec!["successors", "--installed", "1.0.0", "--engine", "v1"],
        vec!["successors", "--installed", "1.0.0", "--engine", "v1", "--safety"],
        vec!["path", "1.0.0", "1.1.0", "--engine", "v1"],
    ] {
        let run = olmap_in(&root(), &[args.as_slice(), &[KETTLE]].concat());
        assert!(run.out.contains("v1 refuses"), "a refused step is not silent: {args:?}\n{}", run.out);
        assert!(!run.out.replace("fixtures/safety", "").contains("safe"), "{args:?}\n{}", run.out);
    }
}

#[test]
fn same_is_not_printed_for_uncompared_input() {
    let both = |old: String, new: String| vec![("a/catalog.yaml", old), ("b/catalog.yaml", new)];
    let broken = || catalog_yaml() + UNREADABLE;
    check_word_is_absent(
        "\"same\": true",
        vec![
            ("both partly unreadable", both(broken(), broken()), vec!["diff", "a", "b", "-o", "json"]),
            (
                "old side partly unreadable",
                both(broken(), catalog_yaml()),
                vec!["diff", "a", "b", "-o", "json"],
            ),
            (
                "new side partly unreadable",
                both(catalog_yaml(), broken()),
                vec!["diff", "a", "b", "-o", "json"],
            ),
        ],
    );
    check_word_is_absent(
        "a => b: no difference",
        vec![("text", both(broken(), broken()), vec!["diff", "a", "b"])],
    );
    let same =
        run_on_files(&both(catalog_yaml(), catalog_yaml()), &["diff", "a", "b", "-o", "json"]).exits(0);
    assert!(same.out.contains("\"same\": true"), "{}", same.out);
}

#[test]
fn compatible_is_not_printed_for_a_crd_that_loses_a_served_version() {
    let version = |name: &str, storage: bool| {
        format!(
            "{{name: {name}, served: true, storage: {storage}, schema: {{openAPIV3Schema: {{type: object}}}}}}"
        )
    };
    let crd = |versions: String| {
        format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: lathes.example.com}}\nspec: \
             {{group: example.com, scope: Namespaced, names: {{kind: Lathe, plural: lathes}}, versions: [{versions}]}}\n"
        )
    };
    let files = || {
        let old = format!("{}, {}", version("v1alpha1", false), version("v1", true));
        vec![("a.yaml", crd(old)), ("b.yaml", crd(version("v1", true)))]
    };
    check_word_is_absent(
        "compatible",
        vec![("two files", files(), vec!["crds", "diff", "a.yaml", "b.yaml"])],
    );
    let told = run_on_files(&files(), &["crds", "diff", "a.yaml", "b.yaml"]);
    assert!(told.out.replace('\n', " ").contains("version v1alpha1 is removed"), "{}", told.out);
}

#[test]
fn finding_is_not_counted_as_gone_if_its_rule_was_not_evaluated() {
    let stranded = |tail: &str| {
        let text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n\
                    - name: p.v1.1.0\n---\nschema: olm.channel\npackage: p\nname: d\nentries:\n- name: p.v1.0.0\n";
        text.to_owned() + tail + &bundle_yaml("1.0.0", "") + &bundle_yaml("1.1.0", "")
    };
    let broken = stranded("- name: p.v0.9.0\n") + &bundle_yaml("0.9.0", "");
    let files = vec![("a/catalog.yaml", stranded("")), ("b/catalog.yaml", broken)];
    let run = run_on_files(&files, &["diff", "a", "b", "-o", "json"]);
    let gone = run.json()["goneFindings"].as_array().unwrap().len();
    assert_eq!(gone, 0, "{}", run.out);
    let unchecked = &run.json()["uncheckedFindings"];
    assert_eq!(
        (&unchecked[0]["rule"], unchecked[0]["reason"].as_str()),
        (&"stuck".into(), Some("channel d is invalid"))
    );
}

#[test]
fn finding_with_another_severity_is_not_called_remaining() {
    let text = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n\
                - name: p.v2.0.0\n---\nschema: olm.channel\npackage: p\nname: d\nentries:\n\
                - {name: p.v1.1.0, replaces: p.v1.0.0}\n- name: p.v1.0.0\n";
    let before =
        text.to_owned() + &["1.0.0", "1.1.0", "2.0.0"].map(|version| bundle_yaml(version, "")).concat();
    let deprecation = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.channel, name: d}\n  \
                       message: Use c.\n";
    let after = before.clone() + deprecation;
    let files = || vec![("a/catalog.yaml", before.clone()), ("b/catalog.yaml", after.clone())];
    let text = run_on_files(&files(), &["diff", "a", "b"]).out;
    assert!(text.contains("changed note stuck: "), "{text}");
    assert!(!text.contains("remain"), "{text}");
    let markdown = run_on_files(&files(), &["diff", "a", "b", "-o", "markdown"]).out;
    assert!(markdown.contains("**finding with another severity**: note "), "{markdown}");
    let run = run_on_files(&files(), &["diff", "a", "b", "-o", "json"]);
    let changes = &run.json()["severityChanges"];
    assert_eq!(changes.as_array().map(Vec::len), Some(1), "{changes}");
    assert_eq!((&changes[0]["severity"], &changes[0]["severityBefore"]), (&"note".into(), &"warning".into()));
    assert_eq!(run.json()["remainingFindings"], serde_json::json!([]));
}

#[test]
fn locations_exist() {
    let files = manifest_files();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in &files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("type: AllNamespaces", "type: OwnNamespace")).unwrap();
    }
    let exists = |path: &str| folder.path().join(path).exists();
    for format in ["json", "github", "gitlab", "sarif", "markdown", "text"] {
        let run =
            olmap_in(folder.path(), &["validate", "b", "--rule", "v1-no-all-namespaces", "--format", format]);
        assert!(run.out.contains("v1-no-all-namespaces"), "{format}: {}", run.out);
        let has_line = (1..10).any(|line| run.out.contains(&format!("b:{line}")));
        assert!(!run.out.contains("b/b") && !has_line, "{format}: {}", run.out);
    }
    let run = olmap_in(folder.path(), &["validate", "b", "--format", "json"]);
    for row in run.json().as_array().unwrap() {
        let path = row["path"].as_str().unwrap();
        assert!(exists(path), "{path}");
        assert_eq!(row["line"].is_null(), Path::new(path).extension().is_none(), "{row}");
    }
    let ready = olmap_in(folder.path(), &["readiness", "b", "-o", "json"]);
    assert_eq!(ready.json()[0]["blockers"][0]["place"], "b", "{}", ready.out);
}

#[test]
fn consequences_of_a_finding_name_their_cause() {
    let mut files = manifest_files();
    files[0].1 = files[0].1.replace("displayName: P", "displayName P\n  a: [");
    let text = run_on_files(&files, &["bundle", "validate", "b"]).exits(1);
    assert_eq!(text.out.matches("error[").count(), 1, "{}", text.out);
    let first = text.out.lines().next().unwrap();
    assert!(first.contains("manifests/p.csv.yaml cannot be read: "), "{first}");
    assert!(text.out.contains("this is the ClusterServiceVersion: correct the file"), "{}", text.out);
    let words = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("follow from it: ") && words.contains("must be `plain`"), "{}", text.out);
    let json = run_on_files(&files, &["bundle", "validate", "b", "-o", "json"]).exits(1);
    let rows = json.json().as_array().unwrap().clone();
    assert!(rows.len() > 2, "{}", json.out);
    assert!(rows[0]["cause"].is_null(), "{}", json.out);
    for row in &rows[1..] {
        assert_eq!(row["cause"]["message"], rows[0]["message"], "{}", json.out);
    }
    let classic = run_on_files(&files, &["bundle", "validate", "b", "--target", "classic"]).exits(1);
    assert!(classic.out.contains("correct manifests/p.csv.yaml, which cannot be read: "), "{}", classic.out);
    let markdown = run_on_files(&files, &["validate", "b", "--format", "markdown"]);
    assert!(markdown.out.contains("follow from it: "), "{}", markdown.out);
}
