//! Tests of the programs in `examples/` on the demo, and of their output in `docs/library.md`.

use std::{fs, path::Path};

use crate::read_document;

/// Includes an example as a module, so that its code is compiled and run here.
macro_rules! example {
    ($name:ident, $path:literal) => {
        #[allow(dead_code, reason = "`main` is called by nobody here")]
        #[path = $path]
        mod $name;
    };
}

example!(add_bundle, "../../examples/add_bundle.rs");
example!(diff, "../../examples/diff.rs");
example!(edit, "../../examples/edit.rs");
example!(graph, "../../examples/graph.rs");
example!(own_rule, "../../examples/own_rule.rs");
example!(load, "../../examples/load.rs");
example!(successors, "../../examples/successors.rs");
example!(unreachable, "../../examples/unreachable.rs");
example!(validate, "../../examples/validate.rs");

fn demo_path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("demo")
}

/// Returns the arguments of an example: a path, and words.
fn arguments(path: &Path, words: &[&str]) -> Vec<String> {
    [path.to_str().unwrap()].iter().chain(words).map(ToString::to_string).collect()
}

/// `OLMAP_UPDATE=1 cargo test --test documents` updates the document.
#[test]
fn examples_print_the_text_in_the_document() {
    let openshift = |version: &str| demo_path().join("openshift").join(version);
    let catalog = demo_path().join("catalog");
    let printed = [
        ("unreachable", unreachable::run(&arguments(&catalog, &[])).unwrap()),
        ("successors", successors::run(&arguments(&catalog, &["granary-operator", "2.6.4"])).unwrap()),
        ("diff", diff::run(&openshift("v4.20"), &openshift("v4.22")).unwrap()),
    ];
    let mut document = read_document("docs/library.md");
    for (name, printed) in printed {
        let begin = format!("<!-- example: {name} -->\n```text\n");
        let (before, rest) = document.split_once(&begin).unwrap();
        let (shown, after) = rest.split_once("```\n<!-- end of example -->").unwrap();
        if std::env::var_os("OLMAP_UPDATE").is_none() {
            assert_eq!(shown, printed, "{name}");
        }
        document = format!("{before}{begin}{printed}```\n<!-- end of example -->{after}");
    }
    if std::env::var_os("OLMAP_UPDATE").is_some() {
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/library.md"), document).unwrap();
    }
}

#[test]
fn added_bundle_replaces_the_head_and_changes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.yaml");
    fs::copy(demo_path().join("catalog/tidewater-operator/catalog.yaml"), &file).unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let bundle = demo_path().join("operators/tidewater-operator/2.4.2");
    let words = [bundle.to_str().unwrap(), "registry.example.com/tidewater:v2.4.2", "fast"];
    let diff = add_bundle::run(&arguments(&file, &words)).unwrap();
    assert!(diff.ends_with("\nsaved\n"), "{diff}");
    let entry = "+- name: tidewater-operator.v2.4.2\n+  replaces: tidewater-operator.v2.4.1\n";
    assert!(
        diff.contains(entry) && diff.contains("+image: registry.example.com/tidewater:v2.4.2\n"),
        "{diff}"
    );
    assert!(!diff.lines().skip(2).any(|line| line.starts_with('-')), "{diff}");
    let after = fs::read_to_string(&file).unwrap();
    let added = diff.lines().skip(2).filter(|line| line.starts_with('+')).count();
    assert_eq!(after.lines().count(), before.lines().count() + added);
    let again = add_bundle::run(&arguments(&file, &words)).unwrap_err().to_string();
    assert_eq!(again, "bundle tidewater-operator.v2.4.2 already exists");
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
}

#[test]
fn every_example_is_in_the_document() {
    let document = read_document("docs/library.md");
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(document.contains(&format!("`examples/{name}`")), "{name}");
    }
}

/// Returns the visible lines of the first code block of a page.
fn first_code_block(page: &str) -> Vec<&str> {
    let block = page.lines().skip_while(|line| !line.starts_with("```")).skip(1);
    block.take_while(|line| !line.starts_with("```")).filter(|line| !line.starts_with("# ")).collect()
}

#[test]
fn readme_of_each_crate_shows_the_example_of_its_first_page() {
    let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    let mut compared = 0;
    for folder in crates.map(|entry| entry.unwrap().path()) {
        let Ok(readme) = fs::read_to_string(folder.join("README.md")) else { continue };
        let source = fs::read_to_string(folder.join("src/lib.rs")).unwrap();
        let page = source.lines().map_while(|line| line.strip_prefix("//!"));
        let page: Vec<&str> = page.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        assert_eq!(first_code_block(&readme), first_code_block(&page.join("\n")), "{}", folder.display());
        compared += 1;
    }
    assert_eq!(compared, 10);
}

#[test]
fn catalog_is_listed_checked_and_drawn() {
    let catalog = demo_path().join("catalog");
    let listed = load::run(&arguments(&catalog, &[])).unwrap();
    assert!(listed.contains("granary-operator: "), "{listed}");
    assert!(listed.contains("  stable: granary-operator.v3.1.1\n"), "{listed}");
    let checked = validate::run(&catalog).unwrap();
    assert!(checked.contains("warning stuck: "), "{checked}");
    let locations = checked.lines().filter_map(|line| line.strip_prefix("  at ")?.split(':').next());
    assert!(locations.clone().count() > 0 && locations.map(Path::new).all(Path::exists), "{checked}");
    assert!(checked.ends_with("opm validate accepts it\n"), "{checked}");
    let drawn = graph::run(&arguments(&catalog, &["granary-operator", "stable"])).unwrap();
    assert!(drawn.contains("granary-operator.v2.6.4 -> granary-operator.v3.0.1 by skips\n"), "{drawn}");
    assert!(drawn.contains("granary-operator.v3.0.1 is skipped: Classic never installs it\n"), "{drawn}");
    assert!(drawn.contains("flowchart"), "{drawn}");
    assert!(
        load::run(&arguments(&demo_path().join("nowhere"), &[])).unwrap_err().to_string().contains("nowhere")
    );
    assert!(validate::run(&demo_path().join("broken")).unwrap().ends_with("opm validate rejects it\n"));
}

#[test]
fn own_rule_is_in_sarif() {
    let printed = own_rule::run(&demo_path().join("catalog")).unwrap();
    let log: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let at = rules.iter().position(|rule| rule["id"] == "package-icon").unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let own: Vec<_> = results.iter().filter(|result| result["ruleId"] == "package-icon").collect();
    assert!(!own.is_empty() && own.iter().all(|result| result["ruleIndex"] == at), "{own:?}");
}

#[test]
fn saved_edit_changes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("catalog.yaml");
    fs::copy(demo_path().join("catalog/granary-operator/catalog.yaml"), &file).unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let words = ["granary-operator", "granary-operator.v3.1.0", "Use 3.1.1."];
    let said = edit::run(&arguments(folder.path(), &words)).unwrap();
    assert!(said.ends_with("saved\n"), "{said}");
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with(&before) && after.contains("Use 3.1.1."), "{after}");
    let words = ["granary-operator", "nobody", "Gone."];
    let error = edit::run(&arguments(folder.path(), &words)).unwrap_err().to_string();
    assert!(error.contains("nobody"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), after);
}
