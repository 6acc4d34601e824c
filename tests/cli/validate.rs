use std::{fs, path::Path};

use serde_json::Value;

use super::run::{Run, olmap, olmap_in, olmap_with};

const BROKEN: &str = "demo/broken";

/// Catalog with a warning (the key) and a note (the range). opm accepts it.
pub(super) const HARMLESS: &str = "schema: olm.package
name: kiln
defaultChannel: stable
---
schema: olm.channel
package: kiln
name: stable
entries:
- name: kiln.v1.0.0
  comment: first
  skipRange: '>=0.9.0'
---
schema: olm.bundle
package: kiln
name: kiln.v1.0.0
image: registry.example.com/kiln/bundle:v1.0.0
properties:
- type: olm.package
  value: {packageName: kiln, version: 1.0.0}
";

/// Catalog without a head: one cause, one error.
const HEADLESS: &str = "\
schema: olm.package
name: anvil
defaultChannel: stable
---
schema: olm.channel
package: anvil
name: stable
entries:
- name: anvil.v1.0.0
  replaces: anvil.v1.0.0
---
schema: olm.bundle
package: anvil
name: anvil.v1.0.0
image: registry.example.com/anvil/bundle:1
properties:
- type: olm.package
  value: {packageName: anvil, version: 1.0.0}
";

fn finding_rules(run: &Run) -> Vec<String> {
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap().to_owned()).collect()
}

fn validate_harmless(args: &[&str]) -> Run {
    olmap_with(HARMLESS, &[&["validate", "-"], args].concat())
}

fn harmless_rules(args: &[&str]) -> Vec<String> {
    finding_rules(&validate_harmless(&[&["--format", "json"], args].concat()))
}

#[test]
fn valid_catalog_exits_with_0() {
    let run = olmap(&["validate", "demo/catalog", "--parity"]).exits(0);
    assert!(run.out.contains("demo/catalog: 8 packages, 60 bundles: no findings"), "{}", run.out);
}

#[test]
fn warnings_and_notes_exit_with_0_unless_denied() {
    assert_eq!(harmless_rules(&[]), ["unknown-key", "range-unbounded"]);
    validate_harmless(&[]).exits(0);
    for denied in ["warnings", "unknown-key", "notes", "range-unbounded"] {
        validate_harmless(&["--deny", denied]).exits(1);
    }
    validate_harmless(&["--deny", "dead-end", "--deny", "errors"]).exits(0);
    validate_harmless(&["--parity", "--deny", "warnings"]).exits(0);
}

#[test]
fn allowed_findings_are_not_shown_and_do_not_fail() {
    assert_eq!(harmless_rules(&["--allow", "unknown-key"]), ["range-unbounded"]);
    assert_eq!(harmless_rules(&["--allow", "notes"]), ["unknown-key"]);
    assert!(harmless_rules(&["--allow", "notes", "--allow", "warnings"]).is_empty());
    validate_harmless(&["--allow", "unknown-key", "--deny", "warnings"]).exits(0);
    let allowed = ["validate", BROKEN, "--allow", "errors"];
    olmap(&allowed).exits(0);
}

#[test]
fn rules_and_packages_select_findings() {
    let run = olmap(&["validate", BROKEN, "--format", "json", "--rule", "no-head", "--rule", "bad-image"]);
    // Unreadable content may have more findings, so exit code 2 wins over 1.
    assert_eq!(finding_rules(&run.exits(2)), ["no-head", "bad-image"]);
    let run = olmap(&["validate", BROKEN, "--format", "json", "--rule", "dead-end"]).exits(2);
    assert!(finding_rules(&run).is_empty());
    let said = "olmap: not everything could be checked: 5 parts of demo/broken cannot be read and are ignored, the first: ";
    assert!(run.err.starts_with(said), "{}", run.err);
    let run = olmap(&["validate", BROKEN, "--format", "json", "--package", "bellows-operator"]).exits(2);
    let rows = run.json();
    let rows = rows.as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["package"] == "bellows-operator"));
}

#[test]
fn unknown_names_exit_with_2() {
    for option in ["--rule", "--allow", "--deny"] {
        let run = validate_harmless(&[option, "unknwon-key"]).exits(2);
        assert_eq!(run.err, "olmap: no rule unknwon-key\nhint: did you mean unknown-key?\n");
    }
    validate_harmless(&["--rule", "warnings"]).exits(2);
    validate_harmless(&["--package", "oven"]).exits(2);
}

#[test]
fn exit_code_is_the_same_for_every_format() {
    for format in ["text", "json", "sarif", "markdown", "github"] {
        olmap(&["validate", BROKEN, "--format", format]).exits(1);
        validate_harmless(&["--format", format]).exits(0);
    }
}

fn validate_broken(format: &str) -> String {
    olmap(&["validate", BROKEN, "--format", format]).exits(1).out
}

#[test]
fn findings_as_a_comment() {
    let comment = validate_broken("markdown");
    assert_eq!(comment.matches("<details>").count(), comment.matches("</details>").count());
    insta::assert_snapshot!(comment);
}

#[test]
fn findings_as_workflow_commands() {
    let commands = validate_broken("github");
    assert!(commands.lines().all(|line| line.starts_with("::")));
    insta::assert_snapshot!(commands);
}

#[test]
fn findings_as_sarif() {
    let text = validate_broken("sarif");
    assert_eq!(text, validate_broken("sarif"));
    let log: Value = serde_json::from_str(&text).unwrap();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
        assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
        // The byte region matches the lines and columns.
        let place = &result["locations"][0]["physicalLocation"];
        let number = |name: &str| place["region"][name].as_u64().unwrap() as usize;
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(place["artifactLocation"]["uri"].as_str().unwrap());
        let bytes = fs::read(path).unwrap();
        let before = &bytes[..number("byteOffset")];
        assert_eq!(before.split(|b| *b == b'\n').count(), number("startLine"));
        let end = &bytes[..number("byteOffset") + number("byteLength")];
        assert_eq!(end.split(|b| *b == b'\n').count(), number("endLine"));
    }
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(text);
}

#[test]
fn sarif_findings_have_help_and_the_fingerprints_of_gitlab() {
    let log: Value = serde_json::from_str(&validate_broken("sarif")).unwrap();
    let issues: Value = serde_json::from_str(&validate_broken("gitlab")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let issues = issues.as_array().unwrap();
    assert_eq!(results.len(), issues.len());
    for (result, issue) in results.iter().zip(issues) {
        assert_eq!(result["partialFingerprints"]["olmapFinding/v1"], issue["fingerprint"]);
        let (text, help) =
            (result["message"]["text"].as_str().unwrap(), result["properties"]["help"].as_str().unwrap());
        assert!(
            help.is_empty() || text.ends_with(&format!("({help})")) || help.contains(['{', '[']),
            "{text}"
        );
    }
}

#[test]
fn sarif_locations_outside_of_the_folder_have_a_base() {
    let folder = tempfile::tempdir().unwrap();
    let (inner, catalog) = (folder.path().join("a/b"), folder.path().join("c"));
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir_all(&catalog).unwrap();
    fs::write(catalog.join("catalog.yaml"), "schema: olm.package\nname: kiln\n").unwrap();
    let log = olmap_in(&inner, &["validate", "../../c", "-o", "sarif"]).exits(1).json();
    let run = &log["runs"][0];
    let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!((&place["uri"], &place["uriBaseId"]), (&"c/catalog.yaml".into(), &"ABOVE2".into()));
    let base = run["originalUriBaseIds"]["ABOVE2"]["uri"].as_str().unwrap();
    let expected = folder.path().canonicalize().unwrap();
    assert_eq!(base.strip_prefix("file://").unwrap(), format!("{}/", expected.display()));
    assert!(!log.to_string().contains("\"../"), "{log}");
    // Inside of the folder there is no base.
    let log = olmap_in(folder.path(), &["validate", "c", "-o", "sarif"]).exits(1).json();
    assert!(log["runs"][0].get("originalUriBaseIds").is_none());
}

#[test]
fn catalog_text_cannot_break_out_of_any_format() {
    let nasty = HARMLESS.replace(
        "  comment: first",
        "  \"</details>|::error::\\n::warning::@all [x](https://example.com) {0}\": first",
    );
    let run = |format| olmap_with(&nasty, &["validate", "-", "--format", format]).exits(0).out;
    let markdown = run("markdown");
    assert_eq!(markdown.matches("</details>").count(), 2, "{markdown}");
    assert!(
        !markdown.contains("](") && !markdown.contains("://") && !markdown.contains("@all"),
        "{markdown}"
    );
    assert!(
        run("github")
            .lines()
            .all(|line| line.starts_with("::warning file=") || line.starts_with("::notice "))
    );
    let sarif: Value = serde_json::from_str(&run("sarif")).unwrap();
    let message = sarif["runs"][0]["results"][0]["message"]["text"].as_str().unwrap();
    assert!(message.contains("\\[x\\](") && message.contains("{{0}}"), "{message}");
}

#[test]
fn findings_have_the_format_of_a_compiler() {
    let run =
        olmap(&["validate", "demo/catalog", "--package", "granary-operator", "--package", "quill-operator"]);
    insta::assert_snapshot!(run.exits(0).out);
}

#[test]
fn finds_all_mistakes_in_one_run() {
    let run = olmap(&["validate", "demo/broken"]).exits(1);
    insta::assert_snapshot!(run.out);
}

#[test]
fn json_has_locations_in_lines_and_bytes() {
    let run = olmap(&["validate", "demo/broken", "--format", "json"]).exits(1);
    let rows = run.json();
    let rows = rows.as_array().unwrap();
    let row = rows.iter().find(|row| row["rule"] == "multiple-heads").unwrap();
    let keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "rule", "severity", "message", "package", "channel", "bundle", "path", "line", "column", "bytes",
            "help", "related",
        ]
    );
    for row in rows.iter().filter(|row| row["bytes"].is_array()) {
        let text =
            fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(row["path"].as_str().unwrap())).unwrap();
        let at = |n: usize| usize::try_from(row["bytes"][n].as_u64().unwrap()).unwrap();
        assert!(at(0) <= at(1) && at(1) <= text.len(), "{row}");
        let line = text[..at(0)].split(|b| *b == b'\n').count();
        assert_eq!(row["line"].as_u64().unwrap(), line as u64, "{row}");
    }
}

#[test]
fn several_catalogs_are_checked_separately() {
    let run = olmap_with(HEADLESS, &["validate", "demo/catalog/granary-operator", "-", "--parity"]).exits(1);
    assert!(
        run.out.contains("demo/catalog/granary-operator: 1 package, 10 bundles: no findings\n"),
        "{}",
        run.out
    );
    assert!(run.out.ends_with("standard input: 1 package, 1 bundle: 1 error\n"), "{}", run.out);
    assert!(run.out.contains("--> <stdin>:10:13\n"), "{}", run.out);
}

#[test]
fn successors_of_a_rejected_catalog_print_a_warning() {
    let run = olmap_with(HEADLESS, &["successors", "-"]).exits(1);
    assert!(
        run.err.starts_with("warning: opm rejects this catalog (1 error), so OLM Classic"),
        "{}",
        run.err
    );
    let run = olmap_with(HEADLESS, &["successors", "-", "--engine", "v1"]).exits(0);
    assert_eq!(run.err, "");
}

/// A catalog may provide the requirements of another one.
#[test]
fn requirements_are_met_by_other_given_catalogs() {
    let folder = tempfile::tempdir().unwrap();
    let package = |name: &str, property: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\n\
             name: stable\nentries:\n- name: {name}.v1.0.0\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
             image: example.com/{name}:v1\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: 1.0.0}}\n\
             {property}"
        )
    };
    let api = "value: {group: sea.example.com, version: v1, kind: Oil}";
    let (needs, gives) = (folder.path().join("needs.yaml"), folder.path().join("gives.yaml"));
    std::fs::write(&needs, package("lamp", &format!("- type: olm.gvk.required\n  {api}\n"))).unwrap();
    std::fs::write(&gives, package("whale", &format!("- type: olm.gvk\n  {api}\n"))).unwrap();
    let (needs, gives) = (needs.to_str().unwrap(), gives.to_str().unwrap());
    let alone = olmap(&["validate", needs]).exits(0).out;
    assert!(alone.contains("dependency-unsatisfiable"), "{alone}");
    let both = olmap(&["validate", needs, gives]).exits(0).out;
    assert!(both.contains("dependency-only-elsewhere") && !both.contains("unsatisfiable"), "{both}");
    assert!(both.contains("gives.yaml"), "{both}");
}
