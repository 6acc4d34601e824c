//! `olmap expect`: met and unmet expectations, invalid files, and recording.

use std::fs;

use serde_json::json;

use super::run::{Run, olmap, olmap_with};

const DEMO: &str = "demo/catalog";

/// Rows of every kind that are not met, and a row that is met.
const UNMET_ROWS: &str = "\
- {package: granary-operator, installed: 2.6.4, expect: pick 3.0.1}
- {package: granary-operator, installed: 2.6.0, engine: v1, expect: reaches 3.1.1 within 2 hops}
- {package: granary-operator, installed: 2.6.4, engine: classic, expect: reaches 3.1.1 within 9 hops}
- {package: orrery-operator, installed: 4.7.0, engine: v1, expect: never lands on nightly}
- {package: orrery-operator, engine: classic, expect: pick orrery-operator.v9.0.0}
- {package: orrery-operator, installed: 4.7.0, engine: classic, expect: stays}
- {package: orrery-operator, installed: 4.7.0, engine: classic, expect: error}
- {package: orrery-operator, installed: 4.7.2, engine: classic, expect: stays}
";

fn run_expect(rows: &str, more: &[&str]) -> Run {
    olmap_with(rows, &[&["expect", "-", DEMO], more].concat())
}

#[test]
fn expectations_of_the_demo_are_met() {
    let run = olmap(&["expect", "demo/expectations.yaml", DEMO]).exits(0);
    assert!(run.out.contains("expectations met"), "{}", run.out);
    assert_eq!(run.err, "");
}

#[test]
fn unmet_expectation_has_location_result_and_reason() {
    let run = run_expect(UNMET_ROWS, &[]).exits(1);
    assert!(run.out.lines().skip(1).all(|line| line.chars().count() <= 80), "{}", run.out);
    insta::assert_snapshot!(run.out);
    insta::assert_snapshot!(
        "expect_markdown",
        run_expect(UNMET_ROWS, &["--format", "markdown"]).exits(1).out
    );
    insta::assert_snapshot!("expect_github", run_expect(UNMET_ROWS, &["--format", "github"]).exits(1).out);
}

#[test]
fn json_has_the_documented_fields() {
    let rows = run_expect(UNMET_ROWS, &["--format", "json"]).exits(1).json();
    assert_eq!(rows.as_array().unwrap().len(), 9, "one row asks both OLMs");
    assert_eq!(
        rows[0],
        json!({"file": "-", "line": 1, "column": 3, "package": "granary-operator", "engine": "classic", "channel": "stable",
            "installed": "granary-operator.v2.6.4", "expect": "pick 3.0.1", "met": false, "got": "stays",
            "reason": "granary-operator.v3.0.1 would upgrade it, but granary-operator.v3.1.0 skips granary-operator.v3.0.1, so \
                       Classic ignores its edges"})
    );
    assert_eq!((&rows[1]["met"], &rows[1]["got"]), (&json!(true), &json!("pick granary-operator.v3.0.1")));
    let asked = "- {package: quill-operator, installed: 1.3.1, channels: [stable, stable-1.x], version: ^1, policy: SelfCertified, engine: v1, expect: stays}";
    let row = &run_expect(asked, &["--format", "json"]).exits(0).json()[0];
    assert_eq!(
        *row,
        json!({"file": "-", "line": 1, "column": 3, "package": "quill-operator", "engine": "v1", "channels": ["stable", "stable-1.x"],
            "version": "^1", "policy": "SelfCertified", "installed": "quill-operator.v1.3.1", "expect": "stays", "met": true,
            "got": "stays"})
    );
}

#[test]
fn invalid_file_is_refused_with_all_mistakes() {
    let wrong = "\
- {package: granary-operator, installed: 2.6.4, expcet: stays}
- {package: granary-oprator, expect: error}
- {package: orrery-operator, channel: stabel, installed: 4.7.9, expect: stays}
- {package: orrery-operator, installed: 4.7.0, expect: stays}
";
    let run = run_expect(wrong, &[]).exits(2);
    assert_eq!(run.out, "");
    insta::assert_snapshot!(run.err);
    let github = run_expect(wrong, &["--format", "github"]).exits(2).out;
    assert_eq!(
        github.lines().filter(|line| line.contains("title=not an expectation")).count(),
        4,
        "{github}"
    );
    assert!(run_expect("", &[]).exits(2).err.contains("has no expectations"));
    assert!(run_expect("[{", &[]).exits(2).err.contains("-:1:3: cannot read this"));
    let twice = olmap(&["expect", "-", "-"]).exits(2).err;
    assert!(twice.contains("only once"), "{twice}");
    assert!(olmap(&["expect", "no/such.yaml", DEMO]).exits(2).err.contains("--record"));
}

#[test]
fn warns_of_a_file_inside_the_catalog() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = "---\nschema: olm.package\nname: p\ndefaultChannel: c\n";
    fs::write(folder.path().join("p.yaml"), catalog).unwrap();
    let file = folder.path().join("e.yaml");
    fs::write(&file, "- {expect: error, channel: c}\n").unwrap();
    let run = olmap(&["expect", file.to_str().unwrap(), folder.path().to_str().unwrap()]).exits(2);
    assert!(run.err.contains("as part of the catalog: move it out"), "{}", run.err);
}

#[test]
fn recorded_expectations_are_met_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("e.yaml");
    let file = file.to_str().unwrap();
    let run = olmap(&["expect", "--record", file, DEMO]).exits(0);
    assert!(run.out.ends_with("expectations written\n"), "{}", run.out);
    olmap(&["expect", file, DEMO]).exits(0);
    let before = fs::read(file).unwrap();
    let refused = olmap(&["expect", "--record", file, DEMO, "--package", "tidewater-operator"]).exits(2);
    assert!(refused.err.contains("already exists") && refused.err.contains("--force"), "{}", refused.err);
    assert_eq!(fs::read(file).unwrap(), before);
    let channels = ["--channel", "stable-2.2", "--channel", "fast", "--engine", "classic"];
    let more =
        [&["expect", "--record", "--force", file, DEMO, "--package", "tidewater-operator"][..], &channels]
            .concat();
    olmap(&more).exits(0);
    insta::assert_snapshot!(fs::read_to_string(file).unwrap());
    olmap(&["expect", file, DEMO]).exits(0);
    let printed =
        [&["expect", "--record", "-", DEMO, "--package", "tidewater-operator"][..], &channels].concat();
    assert_eq!(olmap(&printed).exits(0).out, fs::read_to_string(file).unwrap());
}

#[test]
fn record_refuses_invalid_requests_with_a_reason() {
    let record = |more: &[&str]| olmap(&[&["expect", "--record"][..], more].concat()).exits(2).err;
    assert!(record(&["-", DEMO, "--package", "ghost"]).contains("no package ghost"));
    assert!(record(&["-", DEMO, "--channel", "ghost"]).contains("no package has a channel ghost"));
    assert!(record(&["demo/catalog/e.yaml", DEMO]).contains("a part of the catalog"));
    let nowhere = ["-", DEMO, "--package", "tinsel-operator", "--channel", "stable"];
    assert!(record(&nowhere).contains("nothing to record"), "{}", record(&nowhere));
}
