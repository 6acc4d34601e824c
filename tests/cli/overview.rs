//! `olmap overview`: table of packages and catalogs.

use std::{fmt::Write as _, fs, path::Path};

use super::run::olmap;

/// Returns a package with one channel. Each version has properties and replaces the previous one.
fn package_yaml(name: &str, versions: &[(&str, &str)]) -> String {
    let mut yaml = format!(
        "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\nname: stable\nentries:\n"
    );
    for (nth, (version, _)) in versions.iter().enumerate() {
        let _ = writeln!(yaml, "- name: {name}.v{version}");
        if let Some((before, _)) = nth.checked_sub(1).and_then(|before| versions.get(before)) {
            let _ = writeln!(yaml, "  replaces: {name}.v{before}");
        }
    }
    for (version, more) in versions {
        let _ = write!(
            yaml,
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: example.com/{name}:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n{more}"
        );
    }
    yaml
}

const UP_TO_4_18: &str = "- type: olm.maxOpenShiftVersion\n  value: \"4.18\"\n";

/// Returns a repository with three catalogs. Packages: unchanged, blocking the update, removed,
/// with a lower head, and new.
pub fn repository_of_three_catalogs() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let ferry = package_yaml("ferry", &[("1.0.0", ""), ("1.1.0", "")]);
    let tide = package_yaml("tide", &[("1.0.0", UP_TO_4_18)]);
    let buoy = package_yaml("buoy", &[("1.0.0", "")]);
    let crane = |head: &[(&str, &str)]| package_yaml("crane", head);
    let dock = package_yaml("harbour-dock-with-a-long-name", &[("1.0.0", "")]);
    let (two, one): (&[_], &[_]) = (&[("2.0.0", ""), ("2.1.0", "")], &[("2.0.0", "")]);
    for (version, yaml) in [
        ("v4.18", [ferry.clone(), tide.clone(), buoy.clone(), crane(two)].concat()),
        ("v4.20", [ferry.clone(), tide, buoy, crane(two), dock.clone()].concat()),
        ("v4.22", [ferry, crane(one), dock].concat()),
    ] {
        let folder = dir.path().join("catalogs").join(version);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("catalog.yaml"), yaml).unwrap();
    }
    dir
}

fn run_overview(dir: &Path, words: &[&str]) -> super::run::Run {
    let root = dir.to_str().unwrap();
    let words: Vec<&str> = ["overview", root].iter().chain(words).copied().collect();
    olmap(&words)
}

#[test]
fn three_catalogs_fit_80_columns() {
    let dir = repository_of_three_catalogs();
    let out = run_overview(dir.path(), &[]).exits(0).out;
    assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
    insta::assert_snapshot!(out);
}

#[test]
fn sorts_by_name_and_prints_markdown() {
    let dir = repository_of_three_catalogs();
    insta::assert_snapshot!(
        run_overview(dir.path(), &["--sort", "name", "--format", "markdown"]).exits(0).out
    );
}

#[test]
fn package_is_shown_with_its_channels() {
    let dir = repository_of_three_catalogs();
    insta::assert_snapshot!(
        run_overview(dir.path(), &["--package", "crane", "--package", "buoy"]).exits(0).out
    );
}

#[test]
fn json_has_a_cell_per_catalog() {
    let dir = repository_of_three_catalogs();
    let rows = run_overview(dir.path(), &["--sort", "name", "--format", "json"]).exits(0).json();
    let names: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["package"].as_str().unwrap()).collect();
    assert_eq!(names, ["buoy", "crane", "ferry", "harbour-dock-with-a-long-name", "tide"]);
    let [buoy, crane, .., tide] = rows.as_array().unwrap().as_slice() else { panic!("{rows}") };
    assert!(buoy["cells"][2].is_null());
    assert!(buoy["gone"][0].as_str().unwrap().ends_with("v4.22"));
    assert_eq!(
        (&crane["cells"][2]["change"], &crane["cells"][2]["head"]),
        (&"lower".into(), &"crane.v2.0.0".into())
    );
    let cell = tide["cells"][0].as_object().unwrap();
    let fields: Vec<&str> = cell.keys().map(String::as_str).collect();
    assert_eq!(
        fields,
        [
            "catalog",
            "openshift",
            "default_channel",
            "head",
            "version",
            "bundles",
            "versions",
            "stuck",
            "v1_stuck",
            "dead_ends",
            "escaping",
            "deprecated",
            "unanswered",
            "blocked",
            "blocked_for_good",
            "errors",
            "warnings",
            "change"
        ]
    );
    assert_eq!(
        (&cell["openshift"], &cell["blocked"], &cell["blocked_for_good"]),
        (&"4.18".into(), &1.into(), &1.into())
    );
}

/// Tests one catalog without a known version, and many catalogs.
#[test]
fn one_catalog_and_many_catalogs_are_readable() {
    let one = olmap(&["overview", "demo/catalog"]).exits(0).out;
    assert!(one.lines().all(|line| line.chars().count() <= 80), "{one}");
    insta::assert_snapshot!(one);
    let dir = repository_of_three_catalogs();
    let path = dir.path().join("catalogs/v4.18");
    let many: Vec<String> = (10..20).map(|minor| format!("4.{minor}={}", path.display())).collect();
    let words: Vec<&str> = std::iter::once("overview").chain(many.iter().map(String::as_str)).collect();
    let many = olmap(&words).exits(0).out;
    assert!(many.lines().all(|line| line.chars().count() <= 80), "{many}");
    insta::assert_snapshot!(many);
}

#[test]
fn refuses_an_unknown_package() {
    let dir = repository_of_three_catalogs();
    let run = run_overview(dir.path(), &["--package", "sloop"]).exits(2);
    assert_eq!(
        run.err,
        "olmap: no catalog has a package sloop\nhint: packages: buoy, crane, ferry, harbour-dock-with-a-long-name, tide\n"
    );
}
