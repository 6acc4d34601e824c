//! Large numbers of findings: the first are listed, and all are counted.

use std::fs;

use serde_json::Value;

use super::run::olmap;

/// Writes a folder with one file.
fn folder_with_text(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c.yaml"), text).unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn lists_first_thousand_findings_of_a_rule_and_counts_all() {
    let keys = (0..2501).map(|value| format!("a: {value}\n")).collect::<Vec<_>>().concat();
    let (_folder, path) = folder_with_text(&format!("schema: olm.package\nname: p\n{keys}"));
    let run = olmap(&["validate", &path, "--rule", "duplicate-key"]);
    assert_eq!(run.code, 0);
    assert!(run.out.contains("1500 more findings of this rule in this file are not listed"), "{}", run.out);
    assert!(run.out.contains("2500 warnings"), "{}", run.out);
    assert_eq!(olmap(&["validate", &path, "--rule", "duplicate-key", "--deny", "warnings"]).code, 1);

    let json: Vec<Value> =
        serde_json::from_str(&olmap(&["validate", &path, "--rule", "duplicate-key", "--format", "json"]).out)
            .unwrap();
    assert_eq!((json.len(), &json[1000]["count"], json[999].get("count")), (1001, &Value::from(1500), None));
    let sarif: Value = serde_json::from_str(
        &olmap(&["validate", &path, "--rule", "duplicate-key", "--format", "sarif"]).out,
    )
    .unwrap();
    assert_eq!(sarif["runs"][0]["results"][1000]["occurrenceCount"], 1500);
    let markdown = olmap(&["validate", &path, "--rule", "duplicate-key", "--format", "markdown"]).out;
    assert!(markdown.contains("2500 warnings"), "{markdown}");
}

#[test]
fn counts_all_unreadable_parts() {
    let (_folder, path) = folder_with_text(&"---\nfoo: x\n".repeat(2500));
    let validate = olmap(&["validate", &path]);
    assert!(validate.out.contains("2500 errors"), "{}", validate.out);
    let render = olmap(&["render", &path]);
    assert!(render.err.contains("and 2490 more"), "{}", render.err);
    let list = olmap(&["list", "packages", &path]);
    assert!(list.err.contains("2500 parts of"), "{}", list.err);
}

#[test]
fn diff_reports_a_new_finding_among_thousands() {
    let channel = |entries: usize| {
        let head = "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\n";
        format!("{head}entries:\n{}", "- {}\n".repeat(entries))
    };
    let (_old, old) = folder_with_text(&channel(2500));
    let (_new, new) = folder_with_text(&channel(2501));
    let run = olmap(&["diff", &old, &new, "--fail-on", "new-errors"]).exits(1);
    assert!(run.out.contains("2501 findings of this rule, 2500 before"), "{}", run.out);
    let same = olmap(&["diff", &old, &old, "--fail-on", "new-errors"]);
    assert!(!same.out.contains("findings of this rule"), "{}", same.out);
}
