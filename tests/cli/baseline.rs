//! `validate --write-baseline` and `--baseline`: accepted findings.

use std::{fs, path::PathBuf};

use super::{
    run::{Run, olmap},
    validate::HARMLESS,
};

/// Folder with a catalog that has a warning (an unknown key) and a note (an unbounded range).
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("catalog")).unwrap();
        let place = Self { folder };
        place.write(HARMLESS);
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, text: &str) {
        fs::write(self.at("catalog/catalog.yaml"), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Run {
        let (catalog, file) = (self.at("catalog"), self.at("accepted.yaml"));
        let given = |arg: &&str| if *arg == "FILE" { file.display().to_string() } else { (*arg).to_owned() };
        let mut all = vec!["validate".to_owned(), catalog.display().to_string()];
        all.extend(args.iter().map(given));
        olmap(&all.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn accepted(&self) -> String {
        fs::read_to_string(self.at("accepted.yaml")).unwrap()
    }
}

const DENY: [&str; 6] = ["--deny", "warnings", "--deny", "notes", "--baseline", "FILE"];

#[test]
fn only_findings_outside_of_the_baseline_fail() {
    let place = Place::new();
    assert!(
        place.run(&["--write-baseline", "FILE"]).exits(0).out.contains("2 findings accepted, 2 of them new")
    );
    let run = place.run(&DENY).exits(0);
    assert!(run.out.contains("no findings\n2 findings are accepted by "), "{}", run.out);
    // Findings do not depend on lines, file names and quotes.
    place.write(
        &HARMLESS
            .replace("---\nschema: olm.channel", "# Fires clay.\n---\nschema: olm.channel")
            .replace('\'', "\""),
    );
    place.run(&DENY).exits(0);
    place.write(&HARMLESS.replace("  comment: first\n", "  comment: first\n  commend: second\n"));
    let run = place.run(&DENY).exits(1);
    assert!(run.out.contains("warning[unknown-key]") && run.out.contains(": 1 warning\n"), "{}", run.out);
}

#[test]
fn reports_rows_without_findings_and_removes_them_when_writing() {
    let place = Place::new();
    place.run(&["--write-baseline", "FILE"]).exits(0);
    let text = place.accepted().replacen("reason: \"\"", "reason: it is only a word", 1);
    assert!(text.contains("only a word"), "{text}");
    fs::write(place.at("accepted.yaml"), &text).unwrap();
    place.write(&HARMLESS.replace("  skipRange: '>=0.9.0'\n", ""));
    let run = place.run(&DENY).exits(0);
    assert!(
        run.out.contains("1 row of ") && run.out.contains("its finding is gone:\n  range-"),
        "{}",
        run.out
    );
    // With `--rule`, rows of other rules are not reported.
    let run = place.run(&["--baseline", "FILE", "--rule", "unknown-key"]).exits(0);
    assert!(!run.out.contains("can be removed"), "{}", run.out);
    let run = place.run(&["--write-baseline", "FILE", "--rule", "unknown-key"]).exits(0);
    assert!(run.out.contains("2 findings accepted, 0 of them new; 0 obsolete"), "{}", run.out);
    assert!(place.run(&["--write-baseline", "FILE"]).exits(0).out.contains("1 obsolete and removed"));
    assert_eq!(
        place.accepted().lines().filter(|line| line.starts_with("- ")).count(),
        1,
        "{}",
        place.accepted()
    );
}

#[test]
fn every_format_marks_accepted_findings() {
    let place = Place::new();
    place.run(&["--write-baseline", "FILE", "--rule", "unknown-key"]).exits(0);
    let text = place.accepted().replace("reason: \"\"", "reason: historic");
    fs::write(place.at("accepted.yaml"), text).unwrap();
    let with = |format: &str| place.run(&["--baseline", "FILE", "--format", format]).exits(0);
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
    let place = Place::new();
    place.write(&HARMLESS.replace("image: registry.example.com/kiln/bundle:v1.0.0\n", ""));
    place.run(&[]).exits(1);
    place.run(&["--write-baseline", "FILE"]).exits(0);
    place.run(&["--baseline", "FILE"]).exits(0);
    place.run(&["--parity"]).exits(1);
    place.run(&["--parity", "--baseline", "FILE"]).exits(2);
}

#[test]
fn refuses_invalid_baseline_with_its_location() {
    let place = Place::new();
    let run = place.run(&["--baseline", "FILE"]).exits(2);
    assert!(run.err.contains("--write-baseline"), "{}", run.err);
    fs::write(place.at("accepted.yaml"), "- {rule: unknown-key}\n- {rul: x}\n").unwrap();
    let run = place.run(&["--baseline", "FILE"]).exits(2);
    assert!(
        run.err.contains("accepted.yaml:2: unknown key rul") && run.err.contains("did you mean rule?"),
        "{}",
        run.err
    );
    place.run(&["--write-baseline", "FILE"]).exits(2);
    assert!(place.accepted().starts_with("- {rule: unknown-key}"), "it is not written over");
    let inside = place.at("catalog/accepted.yaml").display().to_string();
    let run = place.run(&["--write-baseline", &inside]).exits(2);
    assert!(run.err.contains("as a part of the catalog"), "{}", run.err);
}
