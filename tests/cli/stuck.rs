//! `olmap stuck`: versions that can never upgrade to the current one.

use super::run::{olmap, olmap_in, olmap_with};

/// Returns packages with an old channel, with a dead end, and without a single head.
fn catalog_with_stuck_versions() -> String {
    let mut text = String::new();
    let mut package = |name: &str, default: &str, channels: &[(&str, &str)], versions: &[&str]| {
        text += &format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: {default}\n");
        for (channel, entries) in channels {
            text +=
                &format!("---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n{entries}");
        }
        for version in versions {
            text += &format!(
                "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: example.com/{name}@sha256:{version}\n\
                 properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n"
            );
        }
    };
    package(
        "ship",
        "new",
        &[
            ("new", "- name: ship.v2.0.0\n"),
            ("old", "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n"),
        ],
        &["1.0.0", "1.1.0", "2.0.0"],
    );
    package(
        "boat",
        "stable",
        &[(
            "stable",
            "- name: boat.v1.0.0\n- name: boat.v1.1.0\n  replaces: boat.v1.0.0\n- name: boat.v1.2.0\n  replaces: boat.v1.1.0\n  skips: [boat.v1.1.0]\n",
        )],
        &["1.0.0", "1.1.0", "1.2.0"],
    );
    package(
        "raft",
        "stable",
        &[("stable", "- name: raft.v1.0.0\n- name: raft.v2.0.0\n")],
        &["1.0.0", "2.0.0"],
    );
    text
}

#[test]
fn stuck_versions_have_reasons_and_remedies() {
    let text = catalog_with_stuck_versions();
    insta::assert_snapshot!(olmap_with(&text, &["stuck", "-"]).exits(0).out);
    insta::assert_snapshot!(olmap_with(&text, &["stuck", "-", "-o", "markdown"]).exits(0).out);
    let json = olmap_with(&text, &["stuck", "-", "-o", "json"]).exits(0).json();
    let packages = json["packages"].as_array().unwrap();
    let names: Vec<_> = packages.iter().map(|package| package["package"].as_str().unwrap()).collect();
    assert_eq!(names, ["boat", "raft", "ship"]);
    assert_eq!(packages[0]["classic"]["stuck"], serde_json::json!(["boat.v1.0.0"]));
    assert_eq!(packages[1], serde_json::json!({"package": "raft", "head": null}));
    let group = &packages[2]["groups"][0];
    assert_eq!((&group["reason"], &group["end"]), (&"old channel".into(), &"ship.v1.1.0".into()));
    assert_eq!((&group["remedy"]["frees"], &group["remedy"]["remaining"]), (&2.into(), &0.into()));
}

#[test]
fn gate_fails_if_a_version_is_stuck_or_unknown() {
    let text = catalog_with_stuck_versions();
    olmap_with(&text, &["stuck", "-", "-p", "ship", "--fail-on", "any"]).exits(1);
    let unknown = olmap_with(&text, &["stuck", "-", "-p", "raft", "--fail-on", "any"]).exits(2);
    assert!(unknown.err.contains("not known of raft"), "{}", unknown.err);
    olmap_with(&text, &["stuck", "-", "--fail-on", "any"]).exits(2);
    let fine = text.replace("  skips: [boat.v1.1.0]\n", "");
    olmap_with(&fine, &["stuck", "-", "-p", "boat", "--fail-on", "any"]).exits(0);
    olmap_with(&text, &["stuck", "-", "-p", "ferry"]).exits(2);
}

#[test]
fn applied_remedy_frees_stuck_versions() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalog.yaml"), catalog_with_stuck_versions()).unwrap();
    let group = |package: &str| {
        let json = olmap_in(folder.path(), &["stuck", "-p", package, "-o", "json"]).exits(0).json();
        json["packages"][0]["groups"][0].clone()
    };
    for package in ["ship", "boat"] {
        let edit = group(package)["remedy"]["edit"].clone();
        let text = |key: &str| edit[key].as_str().unwrap().to_owned();
        let option = match text("field").as_str() {
            "skips" => "--skip",
            "skipRange" => "--skip-range",
            _ => "--replaces",
        };
        let (channel, entry, value) = (text("channel"), text("entry"), text("value"));
        olmap_in(
            folder.path(),
            &["edit", "set-entry", &entry, "-p", package, "-c", &channel, option, &value],
        )
        .exits(0);
        olmap_in(folder.path(), &["stuck", "-p", package, "--fail-on", "any"]).exits(0);
    }
}

#[test]
fn unknown_package_is_refused_for_several_catalogs() {
    let run = olmap(&["stuck", "demo/catalog", "demo/broken", "-p", "ferry", "--fail-on", "any"]).exits(2);
    assert_eq!(run.err, "olmap: no catalog has a package ferry\n");
}

#[test]
fn several_catalogs_are_named() {
    let run = olmap(&["stuck", "demo/catalog", "demo/broken", "-o", "json"]);
    let json = run.json();
    let catalogs: std::collections::BTreeSet<_> = json["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| package["catalog"].as_str().unwrap())
        .collect();
    assert_eq!(catalogs.into_iter().collect::<Vec<_>>(), ["demo/broken", "demo/catalog"]);
}

/// The missing channel may upgrade the versions, so no edit is a remedy.
#[test]
fn half_read_package_has_no_remedy() {
    let catalog = catalog_with_stuck_versions();
    assert!(olmap_with(&catalog, &["stuck", "-", "-p", "ship"]).exits(0).out.contains("remedy"));
    let broken =
        catalog + "---\nschema: olm.channel\npackage: ship\nname: third\nentries:\n\t- name: ship.v1.1.0\n";
    let run = olmap_with(&broken, &["stuck", "-", "-p", "ship"]).exits(2);
    assert!(run.err.contains("cannot be read"), "{}", run.err);
    let words = "no remedy searched: the package could not be read completely";
    assert!(run.out.contains(words) && !run.out.contains("frees"), "{}", run.out);
}
