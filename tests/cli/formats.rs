//! Output formats of findings, tables and rules for other programs, and colors by the environment.

use super::run::{command, fixture, olmap, olmap_with, run_with_input};

/// Catalog with an error, a warning and characters that XML and one-line formats escape.
const FAULTY: &str = "\
schema: olm.package
name: tide
defaultChannel: stable
---
schema: olm.channel
package: tide
name: stable
entries:
- name: tide.v1.0.0
- name: 'tide<&\">é'
  replaces: tide.v0.9.0
";

#[test]
fn concise_format_has_one_line_for_each_finding() {
    let run = olmap_with(FAULTY, &["validate", "-o", "concise", "-"]).exits(1);
    let findings = olmap_with(FAULTY, &["validate", "-o", "json", "-"]).exits(1).json();
    assert!(run.out.lines().count() > 2, "{}", run.out);
    for line in run.out.lines() {
        let (place, rest) = line.split_once(": ").unwrap();
        let (severity, rest) = rest.split_once(' ').unwrap();
        let (rule, message) = rest.split_once(": ").unwrap();
        let found = findings.as_array().unwrap().iter().find(|finding| {
            finding["rule"] == rule && finding["severity"] == severity && finding["message"] == message
        });
        let found = found.unwrap_or_else(|| panic!("{line} is not in {findings:#}"));
        if let Some(number) = found["line"].as_u64() {
            assert_eq!(place, format!("<stdin>:{number}:{}", found["column"]), "{line}");
        }
    }
}

#[test]
fn junit_format_is_well_formed_and_counts_its_tests() {
    let run = olmap_with(FAULTY, &["validate", "-o", "junit", "-", "demo/catalog"]).exits(1);
    let document = roxmltree::Document::parse(&run.out).unwrap();
    let count =
        |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count().to_string();
    let root = document.root_element();
    assert_eq!(root.attribute("tests"), Some(&*count("testcase")));
    assert_eq!(root.attribute("failures"), Some(&*count("failure")));
    assert_eq!(root.attribute("errors"), Some(&*count("error")));
    let failed: Vec<_> = document.descendants().filter(|node| node.has_tag_name("failure")).collect();
    assert!(!failed.is_empty() && count("system-out") != "0");
    assert!(run.out.contains("tide&lt;&amp;&quot;&gt;é"), "{}", run.out);
    // A warning fails only if it is denied, as the exit code does.
    let denied = olmap_with(FAULTY, &["validate", "-o", "junit", "--deny", "warnings", "-", "demo/catalog"]);
    let denied = denied.exits(1).out;
    assert!(denied.matches("<failure").count() > failed.len(), "{denied}");
}

#[test]
fn junit_format_of_a_clean_catalog_has_a_passed_test() {
    let run = olmap(&["validate", "--rule", "multiple-heads", "-o", "junit", &fixture("anvil")]).exits(0);
    let document = roxmltree::Document::parse(&run.out).unwrap();
    let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
    assert_eq!(case.attribute("name"), Some("no findings"));
    assert_eq!(document.root_element().attribute("tests"), Some("1"));
}

#[test]
fn rdjson_format_has_locations_in_bytes() {
    let result = olmap_with(FAULTY, &["validate", "-o", "rdjson", "-"]).exits(1).json();
    assert_eq!(result["source"]["name"], "olmap");
    let diagnostics = result["diagnostics"].as_array().unwrap();
    let findings = olmap_with(FAULTY, &["validate", "-o", "json", "-"]).exits(1).json();
    assert_eq!(diagnostics.len(), findings.as_array().unwrap().len());
    let severities = ["ERROR", "WARNING", "INFO"];
    for diagnostic in diagnostics {
        assert!(severities.iter().any(|severity| diagnostic["severity"] == *severity), "{diagnostic}");
        let Some(range) = diagnostic["location"].get("range") else { continue };
        let position = |name: &str| {
            let line = usize::try_from(range[name]["line"].as_u64().unwrap()).unwrap();
            (line, usize::try_from(range[name]["column"].as_u64().unwrap()).unwrap())
        };
        let ((line, start), (end_line, end)) = (position("start"), position("end"));
        // The columns are byte offsets in the line.
        if line == end_line {
            assert!(FAULTY.lines().nth(line - 1).unwrap().get(start - 1..end - 1).is_some(), "{diagnostic}");
        }
    }
    let odd = diagnostics.iter().find(|of| of["message"].as_str().unwrap().contains('é')).unwrap();
    assert_eq!(odd["location"]["path"], "<stdin>");
}

#[test]
fn bundle_findings_and_extra_files_have_the_same_formats() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("junit.xml");
    let also = format!("junit={}", file.display());
    olmap_with(FAULTY, &["validate", "-o", "concise", "--also", &also, "-"]).exits(1);
    roxmltree::Document::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let bundle = fixture("bundle");
    for format in ["concise", "junit", "rdjson"] {
        let run = olmap(&["bundle", "validate", "-o", format, &bundle]);
        assert!(run.code <= 1 && !run.out.is_empty(), "{format}: {}", run.err);
    }
}

#[test]
fn tables_are_printed_as_yaml_as_names_and_without_header() {
    let anvil = fixture("anvil");
    for what in ["packages", "channels", "bundles", "images"] {
        let json = olmap(&["list", what, "-o", "json", &anvil]).exits(0).json();
        let yaml = olmap(&["list", what, "-o", "yaml", &anvil]).exits(0).out;
        let yaml: serde_json::Value = serde_yaml::from_str(&yaml).unwrap();
        assert_eq!(yaml, json, "{what}");
        let field = what.trim_end_matches('s');
        let names = olmap(&["list", what, "-o", "name", &anvil]).exits(0).out;
        let expected: Vec<&str> =
            json.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap()).collect();
        assert_eq!(names.lines().collect::<Vec<_>>(), expected, "{what}");
        let table = olmap(&["list", what, &anvil]).exits(0).out;
        let rows = olmap(&["list", what, "--no-headers", &anvil]).exits(0).out;
        assert_eq!(rows.lines().count(), table.lines().count() - 1, "{what}");
        assert!(table.contains(&field.to_uppercase()) && !rows.contains(&field.to_uppercase()), "{rows}");
    }
    let names = olmap(&["apis", "-o", "name", "demo/catalog"]).exits(0).out;
    assert!(names.lines().count() > 3 && !names.contains("API OR"), "{names}");
    let rows = olmap(&["apis", "--no-headers", "demo/catalog"]).exits(0).out;
    assert_eq!(rows.lines().count(), names.lines().count());
}

#[test]
fn package_follows_the_catalog_as_in_opm() {
    for what in ["packages", "channels", "bundles"] {
        let opm = olmap(&["list", what, "demo/catalog", "quill-operator"]).exits(0);
        assert_eq!(opm.out, olmap(&["list", what, "demo/catalog", "-p", "quill-operator"]).exits(0).out);
    }
    let unknown = olmap(&["list", "channels", "demo/catalog", "quil"]).exits(2);
    assert!(unknown.err.contains("no package quil in demo/catalog"), "{}", unknown.err);
    let two = olmap(&["list", "channels", "demo/catalog", "demo/catalog"]).exits(2);
    assert!(two.err.contains("hint: the package follows --package"), "{}", two.err);
}

#[test]
fn rules_are_printed_as_json() {
    let all = olmap(&["explain", "-o", "json"]).exits(0).json();
    assert_eq!(all.as_array().unwrap().len(), olm_check::rules::ALL.len());
    let one = olmap(&["explain", "multiple-heads", "-o", "json"]).exits(0).json();
    assert_eq!(one["rule"], "multiple-heads");
    assert!(all.as_array().unwrap().contains(&one));
    for field in ["title", "why", "help", "severity", "subject"] {
        assert!(!one[field].as_str().unwrap().is_empty(), "{field}");
    }
    assert!(one["example"]["wrong"].as_str().unwrap().contains("schema"), "{one}");
}

#[test]
fn variables_ask_for_colors_without_a_terminal() {
    let colored = |variables: &[(&str, &str)]| {
        let mut asked = command();
        asked.args(["explain", "multiple-heads"]).envs(variables.iter().copied());
        run_with_input(&mut asked, b"").exits(0).out.contains('\u{1b}')
    };
    assert!(colored(&[("CLICOLOR_FORCE", "1")]) && colored(&[("FORCE_COLOR", "1")]));
    assert!(!colored(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]) && !colored(&[("FORCE_COLOR", "0")]));
}

#[test]
fn annotations_begin_with_errors_and_report_what_github_hides() {
    let mut text = FAULTY.to_owned();
    for number in 0..12 {
        text.push_str(&format!("---\nschema: olm.package\nname: p{number}\ndefaultChannel: none\n"));
    }
    let run = olmap_with(&text, &["validate", "-o", "github", "demo/catalog", "-"]).exits(1);
    let rank = |line: &str| match line.split(' ').next().unwrap() {
        "::error" => 0,
        "::warning" => 1,
        "::notice" => 2,
        other => panic!("{other}"),
    };
    let ranks: Vec<i32> = run.out.lines().map(rank).collect();
    assert!(ranks.is_sorted() && ranks.iter().any(|rank| *rank > 0), "{}", run.out);
    let errors = ranks.iter().filter(|rank| **rank == 0).count();
    assert!(errors > 10, "{}", run.out);
    let hidden =
        format!("GitHub shows 10 annotations of each kind in a step, so {} of kind error", errors - 10);
    assert!(run.err.contains(&hidden), "{}", run.err);
    let few = olmap_with(FAULTY, &["validate", "-o", "github", "-"]).exits(1);
    assert!(!few.err.contains("GitHub shows"), "{}", few.err);
}

#[test]
fn every_command_with_json_has_yaml() {
    let commands = std::fs::read_to_string(super::run::root().join("docs/commands.md")).unwrap();
    let (mut name, mut formats, mut count) = (String::new(), Vec::new(), 0);
    for line in commands.lines().chain(["## end"]) {
        if let Some(format) = line.strip_prefix("  - `").and_then(|rest| rest.split('`').next()) {
            formats.push(format.to_owned());
        } else if line.starts_with('#') {
            let has = |wanted: &str| formats.iter().any(|format| format == wanted);
            assert!(!has("json") || has("yaml"), "{name}: {formats:?}");
            count += usize::from(has("json"));
            (name, formats) = (line.to_owned(), Vec::new());
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn yaml_has_the_values_of_json() {
    let (anvil, catalog) = (fixture("anvil"), "demo/catalog/quill-operator");
    let range = ["range", ">=1.0.0 <2.0.0", "1.2.0", "2.0.0"];
    let both: [&[&str]; 16] = [
        &["validate", "demo/catalog"],
        &["deprecations", "demo/catalog"],
        &["deprecations", "demo/catalog/quill-operator", &anvil],
        &["stuck", "demo/catalog"],
        &["graph", catalog],
        &["successors", catalog],
        &["path", "1.2.0", "head", catalog],
        &range,
        &["locate", "quill-operator.v1.3.1", "demo/catalog"],
        &["diff", catalog, &anvil],
        &["overview", "4.20=demo/catalog", "4.21=demo/catalog"],
        &["readiness", catalog],
        &["explain", "dead-end"],
        &["explain"],
        &["keys"],
        &["schema"],
    ];
    for arguments in both {
        let run = |format: &str| olmap(&[arguments, &["-o", format]].concat());
        let (json, yaml) = (run("json"), run("yaml"));
        assert_eq!(json.code, yaml.code, "{arguments:?}: {}", yaml.err);
        assert!(!yaml.out.starts_with(['{', '[']) && yaml.out.len() > 20, "{arguments:?}: {}", yaml.out);
        let value: serde_json::Value = serde_yaml::from_str(&yaml.out).unwrap();
        assert_eq!(value, json.json(), "{arguments:?}");
    }
    // A file of `--also` has the same.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("findings.yaml");
    let run =
        olmap(&["validate", "demo/catalog", "--also", &format!("yaml={}", file.display()), "-o", "json"]);
    let value: serde_json::Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(value, run.json());
}
