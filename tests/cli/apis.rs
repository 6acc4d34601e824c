//! `olmap apis`: providers and requirers of APIs and packages, and unmet requirements.

use super::run::{olmap, olmap_in, olmap_with, root};

/// Returns a package that requires an API, and a package that provides the given version of it.
fn sea_yaml(provided: &str) -> String {
    let package = |name: &str, property: &str, version: &str| {
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: {name}\n\
             name: stable\nentries:\n- name: {name}.v1.0.0\n---\nschema: olm.bundle\npackage: {name}\nname: {name}.v1.0.0\n\
             image: example.com/{name}:1\nproperties:\n- type: olm.package\n  value: {{packageName: {name}, version: 1.0.0}}\n\
             - type: {property}\n  value: {{group: sea.example.com, version: {version}, kind: Ship}}\n"
        )
    };
    package("beacon", "olm.gvk.required", "v1") + &package("harbour", "olm.gvk", provided)
}

#[test]
fn lists_apis_in_a_table_missing_ones_first() {
    insta::assert_snapshot!(olmap(&["apis", "demo/catalog"]).exits(0).out);
}

#[test]
fn shows_details_of_one_api() {
    insta::assert_snapshot!(olmap(&["apis", "Broker", "demo/catalog"]).exits(0).out);
    let same = |api: &str| olmap(&["apis", api, "demo/catalog"]).exits(0).out;
    assert_eq!(same("broker.tidewater.example.com/Broker"), same("broker"));
    assert_eq!(same("broker.tidewater.example.com/v1/Broker"), same("Broker"));
    assert!(
        same("inkwell-operator")
            .contains("provided by no bundle\nNOT PROVIDED: >=1.4.0 <2.0.0 required by quill-operator")
    );
}

#[test]
fn json_contains_bundles_that_text_summarizes() {
    let run = olmap_with(&sea_yaml("v2"), &["apis", "Ship", "-", "--format", "json"]).exits(0);
    let group = |package: &str, version: &str| {
        serde_json::json!({
            "catalog": "standard input", "package": package, "version": version, "channels": ["stable"], "heads": ["stable"],
            "bundles": [{"name": format!("{package}.v1.0.0"), "version": "1.0.0"}],
        })
    };
    let mut required = group("beacon", "v1");
    required["met"] = false.into();
    assert_eq!(
        run.json(),
        serde_json::json!([{
            "group": "sea.example.com", "kind": "Ship", "missing": true, "provided": [group("harbour", "v2")],
            "required": [required],
        }])
    );
}

#[test]
fn missing_exits_with_1_if_an_api_is_not_provided() {
    let run = olmap_with(&sea_yaml("v2"), &["apis", "--missing", "-"]).exits(1);
    assert!(run.out.contains("sea.example.com/Ship"), "{}", run.out);
    let run = olmap_with(&sea_yaml("v1"), &["apis", "--missing", "-"]).exits(0);
    assert_eq!(run.out, "");
    // Unreadable content may require any API.
    let half = sea_yaml("v1") + "---\nschema: olm.bundle\nname: [x\n";
    let run = olmap_with(&half, &["apis", "--missing", "-"]).exits(2);
    assert!(run.err.contains("not everything could be checked"), "{}", run.err);
}

#[test]
fn another_catalog_may_provide_a_required_api() {
    let folder = tempfile::tempdir().unwrap();
    let whole = sea_yaml("v1");
    let at = whole.rfind("---\nschema: olm.package\n").unwrap();
    for (name, text) in [("mine", &whole[..at]), ("theirs", &whole[at..])] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("catalog.yaml"), text).unwrap();
    }
    olmap_in(folder.path(), &["apis", "--missing", "mine"]).exits(1);
    olmap_in(folder.path(), &["apis", "--missing", "mine", "theirs"]).exits(0);
    let told = olmap_in(folder.path(), &["apis", "Ship", "mine", "theirs"]).exits(0).out;
    assert!(told.contains("v1 provided by harbour 1.0.0 (1 bundle) in theirs\n"), "{told}");
}

#[test]
fn reads_catalog_of_current_directory_without_a_path() {
    let run = olmap_in(&root().join("demo/catalog"), &["apis", "Broker"]).exits(0);
    assert!(run.out.starts_with("broker.tidewater.example.com/Broker\n"), "{}", run.out);
}

#[test]
fn suggests_closest_api_for_an_unknown_word() {
    let run = olmap(&["apis", "broker.tidewater.example.com/Brokr", "demo/catalog"]).exits(2);
    assert!(run.out.is_empty());
    assert!(run.err.contains("hint: did you mean broker.tidewater.example.com/Broker?"), "{}", run.err);
    let run = olmap(&["apis", "./nowhere"]).exits(2);
    assert!(run.err.contains("nowhere"), "{}", run.err);
}

#[test]
fn edit_reports_requirers_before_removing_a_provider() {
    // A package needs a remaining bundle, here without the API.
    let text = sea_yaml("v1").replace(
        "entries:\n- name: harbour.v1.0.0\n",
        "entries:\n- name: harbour.v1.0.0\n  replaces: harbour.v0.9.0\n- name: harbour.v0.9.0\n",
    ) + "---\nschema: olm.bundle\npackage: harbour\nname: harbour.v0.9.0\nimage: example.com/harbour:0\nproperties:\n- type: \
           olm.package\n  value: {packageName: harbour, version: 0.9.0}\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("catalog.yaml"), text).unwrap();
    let run =
        olmap_in(folder.path(), &["edit", "remove-bundle", "harbour.v1.0.0", "--dry-run", "catalog.yaml"])
            .exits(0);
    let words = "beacon.v1.0.0 needs API sea.example.com/v1 Ship: no open catalog provides it";
    let told = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains(words), "{told}");
}
