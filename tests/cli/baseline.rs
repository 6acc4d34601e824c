//! `validate --write-baseline` and `--baseline`: accepted findings.

use std::{fs, path::PathBuf};

use super::{
    run::{Run, olmap},
    validate::HARMLESS,
};

/// Folder with a catalog that has a warning (an unknown key) and a note (an unbounded range).
struct BaselineFolder {
    folder: tempfile::TempDir,
}

impl BaselineFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("catalog")).unwrap();
        let place = Self { folder };
        place.write_catalog(HARMLESS);
        place
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write_catalog(&self, text: &str) {
        fs::write(self.path_of("catalog/catalog.yaml"), text).unwrap();
    }

    fn run_validate(&self, args: &[&str]) -> Run {
        let (catalog, file) = (self.path_of("catalog"), self.path_of("accepted.yaml"));
        let given = |arg: &&str| if *arg == "FILE" { file.display().to_string() } else { (*arg).to_owned() };
        let mut all = vec!["validate".to_owned(), catalog.display().to_string()];
        all.extend(args.iter().map(given));
        olmap(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn read_accepted(&self) -> String {
        fs::read_to_string(self.path_of("accepted.yaml")).unwrap()
    }
}

const DENY: [&str; 6] = ["--deny", "warnings", "--deny", "notes", "--baseline", "FILE"];

#[test]
fn only_findings_outside_of_the_baseline_fail() {
    let place = BaselineFolder::new();
    assert!(
        place
            .run_validate(&["--write-baseline", "FILE"])
            .exits(0)
            .out
            .contains("2 findings accepted, 2 of them new")
    );
    let run = place.run_validate(&DENY).exits(0);
    assert!(run.out.contains("no findings\n2 findings are accepted by "), "{}", run.out);
    // Findings do not depend on lines, file names and quotes.
    place.write_catalog(
        &HARMLESS
            .replace("---\nschema: olm.channel", "# Fires clay.\n---\nschema: olm.channel")
            .replace('\'', "\""),
    );
    place.run_validate(&DENY).exits(0);
    place.write_catalog(&HARMLESS.replace("  comment: first\n", "  comment: first\n  commend: second\n"));
    let run = place.run_validate(&DENY).exits(1);
    assert!(run.out.contains("warning[unknown-key]") && run.out.contains(": 1 warning\n"), "{}", run.out);
}

#[test]
fn row_of_unknown_package_suggests_similar_package() {
    let place = BaselineFolder::new();
    place.run_validate(&["--write-baseline", "FILE"]).exits(0);
    let text = place.read_accepted();
    assert!(text.contains("package: kiln,"), "{text}");
    for (package, remark) in [("klin", "; did you mean kiln?\n"), ("lighthouse", "\n")] {
        let changed = text.replacen("package: kiln,", &format!("package: {package},"), 1);
        fs::write(place.path_of("accepted.yaml"), changed).unwrap();
        let run = place.run_validate(&DENY).exits(1);
        let remark = format!(": no checked catalog has the package{remark}");
        assert!(run.out.contains(&remark), "{}", run.out);
    }
    // A fixed finding of a package that exists.
    let gone =
        text.replacen("- {", "- {rule: empty-channel, package: kiln, channel: gone, reason: ''}\n- {", 1);
    fs::write(place.path_of("accepted.yaml"), gone).unwrap();
    let run = place.run_validate(&DENY).exits(0);
    assert!(run.out.contains("can be removed") && !run.out.contains("no checked catalog"), "{}", run.out);
}

/// The row accepts nothing, so its finding is not accepted.
#[test]
fn row_of_unknown_rule_suggests_similar_rule() {
    let place = BaselineFolder::new();
    place.run_validate(&["--write-baseline", "FILE"]).exits(0);
    let text = place.read_accepted().replacen("rule: unknown-key", "rule: unknown-keys", 1);
    assert!(text.contains("unknown-keys"), "{text}");
    fs::write(place.path_of("accepted.yaml"), &text).unwrap();
    let run = place.run_validate(&DENY).exits(1);
    assert!(run.out.contains("no such rule; did you mean unknown-key?"), "{}", run.out);
}

#[test]
fn reports_rows_without_findings_and_removes_them_when_writing() {
    let place = BaselineFolder::new();
    place.run_validate(&["--write-baseline", "FILE"]).exits(0);
    let text = place.read_accepted().replacen("reason: \"\"", "reason: it is only a word", 1);
    assert!(text.contains("only a word"), "{text}");
    fs::write(place.path_of("accepted.yaml"), &text).unwrap();
    place.write_catalog(&HARMLESS.replace("  skipRange: '>=0.9.0'\n", ""));
    let run = place.run_validate(&DENY).exits(0);
    assert!(
        run.out.contains("1 row of ") && run.out.contains("its finding is gone:\n  range-"),
        "{}",
        run.out
    );
    // With `--rule`, rows of other rules are not reported.
    let run = place.run_validate(&["--baseline", "FILE", "--rule", "unknown-key"]).exits(0);
    assert!(!run.out.contains("can be removed"), "{}", run.out);
    let run = place.run_validate(&["--write-baseline", "FILE", "--rule", "unknown-key"]).exits(0);
    assert!(run.out.contains("2 findings accepted, 0 of them new; 0 obsolete"), "{}", run.out);
    assert!(
        place.run_validate(&["--write-baseline", "FILE"]).exits(0).out.contains("1 obsolete and removed")
    );
    assert_eq!(
        place.read_accepted().lines().filter(|line| line.starts_with("- ")).count(),
        1,
        "{}",
        place.read_accepted()
    );
}

#[test]
fn every_format_marks_accepted_findings() {
    let place = BaselineFolder::new();
    place.run_validate(&["--write-baseline", "FILE", "--rule", "unknown-key"]).exits(0);
    let text = place.read_accepted().replace("reason: \"\"", "reason: historic");
    fs::write(place.path_of("accepted.yaml"), text).unwrap();
    let with = |format: &str| place.run_validate(&["--baseline", "FILE", "--format", format]).exits(0);
    let rows = with("json").json();
    let rows = rows.as_array().unwrap();
    let told: Vec<_> =
        rows.iter().map(|row| (row["rule"].as_str().unwrap(), row["reason"].as_str())).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[1], ("unknown-key", Some("historic")));
    assert!(rows[0].get("accepted").is_none() && rows[1]["accepted"] == true);
    let log = with("sarif").json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results[0]["suppressions"].as_array().map(Vec::len), Some(0));
    let suppression = &results[1]["suppressions"][0];
    assert_eq!(suppression["kind"], "external");
    assert_eq!(
        (&suppression["status"], &suppression["justification"]),
        (&"accepted".into(), &"historic".into())
    );
    let run = with("markdown");
    assert!(
        run.out.contains("1 note in") && run.out.contains("1 accepted finding is ignored."),
        "{}",
        run.out
    );
    assert!(run.err.contains("1 finding is accepted by"), "{}", run.err);
    assert!(!with("github").out.contains("unknown-key"));
}

#[test]
fn accepted_error_fails_only_with_parity() {
    let place = BaselineFolder::new();
    place.write_catalog(&HARMLESS.replace("image: registry.example.com/kiln/bundle:v1.0.0\n", ""));
    place.run_validate(&[]).exits(1);
    place.run_validate(&["--write-baseline", "FILE"]).exits(0);
    place.run_validate(&["--baseline", "FILE"]).exits(0);
    place.run_validate(&["--parity"]).exits(1);
    place.run_validate(&["--parity", "--baseline", "FILE"]).exits(2);
}

#[test]
fn refuses_invalid_baseline_with_its_location() {
    let place = BaselineFolder::new();
    let run = place.run_validate(&["--baseline", "FILE"]).exits(2);
    assert!(run.err.contains("--write-baseline"), "{}", run.err);
    fs::write(place.path_of("accepted.yaml"), "- {rule: unknown-key}\n- {rul: x}\n").unwrap();
    let run = place.run_validate(&["--baseline", "FILE"]).exits(2);
    assert!(
        run.err.contains("accepted.yaml:2: unknown key rul") && run.err.contains("did you mean rule?"),
        "{}",
        run.err
    );
    place.run_validate(&["--write-baseline", "FILE"]).exits(2);
    assert!(place.read_accepted().starts_with("- {rule: unknown-key}"), "it is not written over");
    let inside = place.path_of("catalog/accepted.yaml").display().to_string();
    let run = place.run_validate(&["--write-baseline", &inside]).exits(2);
    assert!(run.err.contains("as a part of the catalog"), "{}", run.err);
}
