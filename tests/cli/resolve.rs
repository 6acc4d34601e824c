//! `olmap resolve` and `olmap cel`: installed dependencies, and reasons for failures.

use super::run::{olmap, olmap_in, olmap_with};

/// Returns a package with bundles, oldest first, each with properties as YAML.
pub(super) fn package_yaml(name: &str, bundles: &[(&str, &str)]) -> String {
    let mut yaml = format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n");
    yaml += &format!("---\nschema: olm.channel\npackage: {name}\nname: stable\nentries:\n");
    let mut before = None;
    for (version, _) in bundles {
        yaml += &format!("- name: {name}.v{version}\n");
        yaml += &before.map(|before| format!("  replaces: {name}.v{before}\n")).unwrap_or_default();
        before = Some(version);
    }
    for (version, properties) in bundles {
        yaml += &format!(
            "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: example.com/{name}:v{version}\n\
             properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n{properties}"
        );
    }
    yaml
}

const NEEDS_LAMP: &str =
    "- type: olm.package.required\n  value: {packageName: lamp, versionRange: '>=1.0.0 <2.0.0'}\n";
const NEEDS_OIL: &str =
    "- type: olm.gvk.required\n  value: {group: sea.example.com, version: v2, kind: Oil}\n";
const GIVES_OIL: &str = "- type: olm.gvk\n  value: {group: sea.example.com, version: v1, kind: Oil}\n";

fn sea_yaml() -> String {
    package_yaml("beacon", &[("1.0.0", NEEDS_LAMP), ("2.0.0", NEEDS_OIL)])
        + &package_yaml("lamp", &[("1.0.0", GIVES_OIL), ("1.1.0", GIVES_OIL), ("2.0.0", GIVES_OIL)])
}

#[test]
fn reports_dependencies_with_subscription_and_reason() {
    let run = olmap_with(&sea_yaml(), &["resolve", "-", "--subscribe", "beacon"]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn failure_reports_conflicting_requirements() {
    let args = ["resolve", "-", "--subscribe", "beacon", "--installed", "lamp.v2.0.0"];
    insta::assert_snapshot!(olmap_with(&sea_yaml(), &args).exits(0).out);
}

#[test]
fn upgrade_shows_the_installed_version() {
    let args = ["resolve", "-", "--subscribe", "beacon", "--subscribe", "lamp", "--installed", "lamp.v1.0.0"];
    insta::assert_snapshot!(olmap_with(&sea_yaml(), &args).exits(0).out);
}

#[test]
fn prints_json_and_answers_queries_in_order() {
    let row =
        olmap_with(&sea_yaml(), &["resolve", "-", "--subscribe", "lamp", "--format", "json"]).exits(0).json();
    assert_eq!(
        row,
        serde_json::json!({
            "install": [{"package": "lamp", "channel": "stable", "bundle": "lamp.v2.0.0", "catalog": "catalog",
                "replaces": "lamp.v1.1.0"}],
            "subscriptions": [], "error": null, "why": [],
        })
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sea.yaml"), sea_yaml()).unwrap();
    let queries = [
        r#"{"subscriptions": [{"package": "lamp", "channel": "stable", "catalog": "c", "installed": "lamp.v1.0.0"}],
            "installed": [{"name": "lamp.v1.0.0"}]}"#,
        r#"{"subscriptions": [{"package": "lamp", "catalog": "c"}], "catalogs": [{"name": "c", "namespace": "far"}]}"#,
    ];
    let lines: Vec<String> = queries.iter().map(|query| query.replace('\n', " ")).collect();
    std::fs::write(folder.path().join("queries"), lines.join("\n")).unwrap();
    let run = olmap_in(folder.path(), &["resolve", "c=sea.yaml", "--queries", "queries"]).exits(0);
    let rows: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[0]["install"][0]["bundle"], "lamp.v1.1.0");
    assert_eq!(rows[1]["error"], "subscription lamp: no such open catalog, or it is empty");
}

#[test]
fn rejected_catalog_fails_the_resolution() {
    let broken =
        sea_yaml() + "---\nschema: olm.channel\npackage: lamp\nname: fast\nentries:\n- name: lamp.v9\n";
    let run = olmap_with(&broken, &["resolve", "-", "--subscribe", "lamp"]).exits(0);
    assert!(run.out.starts_with("nothing is installed: catalog catalog does not load"), "{}", run.out);
}

#[test]
fn installed_bundle_is_given_in_three_forms() {
    let bundle = |installed: &str| {
        let args = ["resolve", "-", "--subscribe", "lamp", "--installed", installed, "--format", "json"];
        olmap_with(&sea_yaml(), &args).exits(0).json()["install"][0]["bundle"].clone()
    };
    assert_eq!(bundle("lamp.v1.0.0"), "lamp.v1.1.0");
    assert_eq!(bundle("lamp@1.0.0"), "lamp.v1.1.0");
    assert_eq!(bundle("lamp.v1.0.0@1.0.0"), "lamp.v1.1.0");
    // No version of the catalog replaces one that left it.
    assert_eq!(bundle("lamp.v0.9.0@0.9.0"), serde_json::Value::Null);
}

#[test]
fn limit_of_olmap_is_not_reported_as_an_error_of_olm() {
    let rule = format!("true{}", " || true".repeat(600));
    let long = format!("- type: olm.constraint\n  value: {{cel: {{rule: '{rule}'}}}}\n");
    let catalog = package_yaml("beacon", &[("1.0.0", long.as_str())]);
    let row =
        olmap_with(&catalog, &["resolve", "-", "--subscribe", "beacon", "--format", "json"]).exits(2).json();
    assert_eq!(row["unknown"], true);
    assert!(row["error"].as_str().unwrap().contains("OLM itself has no such limit"), "{row}");
    let text = olmap_with(&catalog, &["resolve", "-", "--subscribe", "beacon"]).exits(2).out;
    assert!(text.starts_with("not known: beacon.v1.0.0 has a dependency that olmap does not read"), "{text}");
    let findings = olmap_with(&catalog, &["validate", "-"]).exits(2).out;
    assert!(!findings.contains("stops OLM's resolution"), "{findings}");
    assert!(findings.contains("OLM itself has no such limit"), "{findings}");
    let row = olmap(&["cel", &rule, "--format", "jsonl"]).exits(2).json();
    assert_eq!((&row["valid"], &row["match"]), (&serde_json::Value::Null, &serde_json::Value::Null));
}

#[test]
fn invalid_query_fields_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sea.yaml"), sea_yaml()).unwrap();
    let queries = [
        r#"{"subscribtions": []}"#,
        r#"{"installed": [{"name": "lamp.v1.0.0", "catalog": "d"}]}"#,
        r#"{"case": "x", "result": [], "catalogs": [{"name": "c", "path": "sea.yaml"}]}"#,
    ];
    std::fs::write(folder.path().join("queries"), queries.join("\n")).unwrap();
    let run = olmap_in(folder.path(), &["resolve", "c=sea.yaml", "--queries", "queries"]).exits(0);
    let rows: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows[0]["error"].as_str().unwrap().contains("unknown field"), "{}", run.out);
    assert!(rows[1]["error"].as_str().unwrap().contains("no catalog is called d"), "{}", run.out);
    assert_eq!(rows[2]["error"], serde_json::Value::Null);
}

#[test]
fn mistakes_get_a_hint() {
    let fails = |args: &[&str]| olmap_with(&sea_yaml(), args).exits(2).err;
    let run = fails(&["resolve", "-", "--subscribe", "beacn"]);
    assert!(run.contains("did you mean beacon?"), "{run}");
    let run = fails(&["resolve", "-", "--subscribe", "lamp:fast"]);
    assert!(run.contains("channels: stable"), "{run}");
    let run = fails(&["resolve", "-", "--installed", "lamp.v1.0.1"]);
    assert!(run.contains("no catalog has a bundle lamp.v1.0.1"), "{run}");
    let run = fails(&["resolve", "-", "--installed", "lamp@9.0.0"]);
    assert!(run.contains("lamp.v9.0.0@9.0.0"), "{run}");
    let run = fails(&["resolve", "-", "--installed", "gone.v1.0.0@1.0.0"]);
    assert!(run.contains("a package that its name begins with"), "{run}");
    let run = fails(&["resolve", "-", "--installed", "lamp@one"]);
    assert!(run.contains("not a version after the @"), "{run}");
    let run = fails(&["resolve", "-", "--subscribe", "lamp@other"]);
    assert!(run.contains("catalogs: catalog"), "{run}");
    assert!(fails(&["resolve", "-"]).contains("nothing to resolve"));
    let run =
        olmap(&["resolve", "demo/catalog", "x=demo/catalog", "demo/catalog", "--subscribe", "a"]).exits(2);
    assert!(run.err.contains("two catalogs are called catalog"), "{}", run.err);
}

#[test]
fn shows_picks_with_and_without_dependencies() {
    let args = ["successors", "-", "--package", "beacon", "--engine", "classic", "--with-dependencies"];
    insta::assert_snapshot!(olmap_with(&sea_yaml(), &args).exits(0).out);
    let rows = olmap_with(&sea_yaml(), &[&args[..], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!((&rows[0]["pick"], &rows[0]["solved"]), (&"beacon.v2.0.0".into(), &"beacon.v1.0.0".into()));
    assert_eq!(rows[0]["blocked"][0]["kind"], "dependency");
    let rows = olmap_with(&sea_yaml(), &[&args[..6], &["--format", "json"]].concat()).exits(0).json();
    assert_eq!(rows[0]["solved"], serde_json::Value::Null);
    assert!(rows[0].get("solved").is_none(), "nobody asked");
}

#[test]
fn rule_compiles_or_is_refused_with_the_reason() {
    let rule = "properties.exists(p, p.type == 'tier' && p.value == 'gold')";
    assert_eq!(olmap(&["cel", rule]).exits(0).out, "compiles\n");
    let run = olmap(&["cel", "size(properties)"]).exits(2);
    assert_eq!(run.err, "olmap: the CEL rule gives int and must give bool\n");
    let folder = tempfile::tempdir().unwrap();
    let line = serde_json::json!({"rule": rule, "properties": [{"type": "tier", "value": "gold"}]});
    std::fs::write(folder.path().join("rules"), format!("{line}\n{{\"rule\": \"1\"}}\n")).unwrap();
    let run = olmap_in(folder.path(), &["cel", "--batch", "rules"]).exits(0);
    insta::assert_snapshot!(run.out, @r#"
    {"valid":true,"match":true}
    {"valid":false,"match":false,"error":"the CEL rule gives int and must give bool"}
    "#);
}

/// Ignoring an unknown name would change the query.
#[test]
fn query_with_unknown_names_is_answered_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("sea.yaml");
    std::fs::write(&catalog, sea_yaml()).unwrap();
    let queries = concat!(
        r#"{"subscriptions": [{"package": "lamp", "catalog": "sea"}], "catalogs": [{"name": "see"}]}"#,
        "\n",
        r#"{"installed": [{"name": "lamp.v1.0.0", "version": "one"}]}"#,
        "\n",
    );
    let run = olmap_with(queries, &["resolve", catalog.to_str().unwrap(), "--queries", "-"]).exits(0).out;
    let lines: Vec<serde_json::Value> = run.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["error"], "no catalog is called see; catalogs: sea");
    assert_eq!(lines[1]["error"], "the version one of the installed lamp.v1.0.0 cannot be read");
}

/// A bundle that left the catalogs belongs to the package of its subscription.
#[test]
fn installed_bundle_that_left_the_catalogs_keeps_its_package() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("c.yaml");
    let needs = "- type: olm.package.required\n  value: {packageName: a, versionRange: '>=1.0.0'}\n";
    let yaml = package_yaml("a", &[("2.0.0", "")]) + &package_yaml("b", &[("1.0.0", needs)]);
    std::fs::write(&catalog, yaml).unwrap();
    let query = r#"{"subscriptions": [{"package": "a", "channel": "stable", "catalog": "c", "installed": "a.v1.0.0"},
        {"package": "b", "channel": "stable", "catalog": "c"}], "installed": [{"name": "a.v1.0.0", "version": "1.0.0"}]}"#;
    let query = query.replace('\n', " ");
    let row = olmap_with(&query, &["resolve", catalog.to_str().unwrap(), "--queries", "-"]).exits(0).json();
    let names: Vec<&str> =
        row["install"].as_array().unwrap().iter().map(|pick| pick["bundle"].as_str().unwrap()).collect();
    assert_eq!(names, ["b.v1.0.0"], "{row}");
}
