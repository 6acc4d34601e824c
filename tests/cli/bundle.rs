//! `olmap bundle` and `olmap render` of a bundle directory.

use std::fs;

use super::run::{command, finish, fixture, olmap, root};

#[test]
fn what_is_inside_is_shown_and_what_opm_leaves_out() {
    let run = olmap(&["bundle", "show", &fixture("bundle")]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn what_is_inside_is_told_in_full_section_by_section() {
    let run = olmap(&["bundle", "show", &fixture("lighthouse")]).exits(0);
    insta::assert_snapshot!(run.out);
    let examples = ["bundle", "show", "--section", "examples", "--section", "owned", &fixture("lighthouse")];
    insta::assert_snapshot!(olmap(&examples).exits(0).out);
}

#[test]
fn what_is_inside_is_a_comment_for_a_review() {
    let run = olmap(&["bundle", "show", "-o", "markdown", &fixture("lighthouse")]).exits(0);
    insta::assert_snapshot!(run.out);
}

#[test]
fn what_is_inside_is_data_with_places_and_reasons() {
    let run =
        olmap(&["bundle", "show", "-o", "json", "--section", "permissions", &fixture("lighthouse")]).exits(0);
    let shown: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        (&shown["name"], &shown["supports"]["all"]),
        (&"lighthouse-operator.v2.1.0".into(), &true.into())
    );
    let sections = shown["inside"]["sections"].as_array().unwrap();
    assert_eq!((shown["inside"]["source"].as_str(), sections.len()), (Some("directory"), 1));
    let rows = sections[0]["rows"].as_array().unwrap();
    let secrets = rows.iter().find(|row| row["key"] == "lighthouse cluster-wide: secrets (core)").unwrap();
    assert_eq!(secrets["dangers"][0]["risk"], "secrets");
    assert_eq!(secrets["dangers"][0]["clusterWide"], true);
    assert_eq!(secrets["file"], "manifests/lighthouse.clusterserviceversion.yaml");
    assert_eq!(secrets["line"], 120);
}

#[test]
fn a_bundle_of_a_catalog_tells_what_the_catalog_knows() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog.yaml");
    let path = catalog.to_str().unwrap();
    let show = |migrate: bool, arguments: &[&str]| {
        let template = "registry.example.com/coast/lighthouse-bundle:v{{.Version}}";
        let mut render = vec!["render", "--image-ref-template", template];
        render.extend(migrate.then_some("--migrate"));
        let bundle = fixture("lighthouse");
        render.push(&bundle);
        let channel = "---\nschema: olm.package\nname: lighthouse-operator\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                       package: lighthouse-operator\nname: stable\nentries: [{name: lighthouse-operator.v2.1.0}]\n";
        fs::write(&catalog, olmap(&render).exits(0).out + channel).unwrap();
        olmap(&[&["bundle", "show", path, "--bundle", "2.1.0"], arguments].concat()).exits(0).out
    };
    insta::assert_snapshot!(show(true, &[]).replace(folder.path().to_str().unwrap(), "DIR"));
    let whole = show(false, &["--section", "permissions", "--section", "files"]);
    assert!(whole.contains("! may read every Secret in the cluster"), "{whole}");
    assert!(
        whole.contains("not in this catalog's olm.bundle.object; open the bundle's directory"),
        "{whole}"
    );
    let json: serde_json::Value = serde_json::from_str(&show(true, &["-o", "json"])).unwrap();
    assert_eq!((&json["channels"][0], &json["package"]), (&"stable".into(), &"lighthouse-operator".into()));
    assert_eq!(
        (&json["inside"]["source"], &json["supports"]["own"]),
        (&"olm.csv.metadata".into(), &true.into())
    );
    let wrong = olmap(&["bundle", "show", path, "--bundle", "lighthous-operator.v2.1.0"]).exits(2);
    assert!(wrong.err.contains("is it lighthouse-operator.v2.1.0?"), "{}", wrong.err);
}

#[test]
fn a_bundle_becomes_the_blob_that_opm_makes_of_it() {
    let template = "quay.io/harbour/{{.Package}}-bundle:v{{.Version}}";
    let run = olmap(&["render", &fixture("bundle"), "--migrate", "--image-ref-template", template]).exits(0);
    insta::assert_snapshot!(run.out);
    let unknown = olmap(&["render", &fixture("bundle"), "--image-ref-template", "{{.Channel}}"]).exits(2);
    assert!(unknown.err.contains("{{.Package}}, {{.Name}} and {{.Version}}"), "{}", unknown.err);
}

#[test]
fn suites_say_where_what_is_wrong() {
    let run = olmap(&["bundle", "validate", &fixture("bundle")]).exits(1);
    assert!(run.out.contains("manifests/licence.yaml:1: error content:"), "{}", run.out);
    let run = olmap(&["bundle", "validate", "--suite", "good-practices", "-o", "json", &fixture("bundle")])
        .exits(0);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found[0]["validator"], "good-practices");
    assert_eq!(found[0]["level"], "Warning");
    assert_eq!(found[0]["file"], "manifests/beacon.clusterserviceversion.yaml");
    assert_eq!(found[0]["line"], 47);
    olmap(&["bundle", "validate", "--target", "v1", &fixture("bundle")]).exits(0);
}

#[test]
fn categories_of_a_file_take_the_place_of_the_standard_ones() {
    let csv = "manifests/beacon.clusterserviceversion.yaml";
    let folder = changed(csv, "capabilities: Seamless Upgrades", "categories: Lighthouses");
    let bundle = folder.path().to_str().unwrap();
    let arguments = ["bundle", "validate", "--suite", "standardcategories", bundle];
    let run = olmap(&arguments).exits(1);
    assert!(run.out.contains("`Lighthouses` is no standard category"), "{}", run.out);
    let file = folder.path().join("categories.json");
    fs::write(&file, r#"{"categories": ["Lighthouses"]}"#).unwrap();
    let run = finish(command().args(arguments).env("OPERATOR_BUNDLE_CATEGORIES", &file), b"");
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn what_is_no_bundle_is_not_said_to_be_fine() {
    let run = olmap(&["bundle", "show", "demo/catalog"]).exits(2);
    assert!(run.err.contains("demo/catalog is not a bundle directory"), "{}", run.err);
    let run = olmap(&["bundle", "validate", "--target", "classic", "demo/catalog"]).exits(1);
    assert!(run.out.contains("holds a ClusterServiceVersion"), "{}", run.out);
}

#[test]
fn what_is_deep_ends_neither_the_program_nor_patience() {
    let folder = changed("metadata/annotations.yaml", "annotations:", "annotations:");
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let bundle = folder.path().to_str().unwrap();
    for rule in [format!("a{}", ".a".repeat(31_000)), format!("1{}", "+1".repeat(2_000)), "(".repeat(4_000)] {
        let rule = format!("{{failureMessage: x, cel: {{rule: '{rule}'}}}}");
        write(
            "metadata/dependencies.yaml",
            format!("dependencies:\n- {{type: olm.constraint, value: {rule}}}\n"),
        );
        let run = olmap(&["bundle", "validate", "--suite", "format", bundle]).exits(1);
        assert!(run.out.contains("olm.constraint: the CEL rule"), "{}", run.out);
    }
    let lists = 4_900;
    let (open, close) = ("{\"kind\":\"List\",\"items\":[".repeat(lists), "]}".repeat(lists));
    write("manifests/deep.json", format!("{open}{{\"kind\":\"Deployment\"}}{close}"));
    let run = olmap(&["bundle", "validate", "--target", "v1", bundle]).exits(1);
    assert!(run.out.contains("error object-kind: Deployment"), "{}", run.out);
}

/// A copy of the bundle with one file changed.
fn changed(file: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for inside in ["manifests", "metadata"] {
        fs::create_dir(folder.path().join(inside)).unwrap();
        for entry in fs::read_dir(root().join(fixture("bundle")).join(inside)).unwrap() {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            let is_it = entry.path().ends_with(file);
            assert!(!is_it || text.contains(from));
            let text = if is_it { text.replace(from, to) } else { text };
            fs::write(folder.path().join(inside).join(entry.file_name()), text).unwrap();
        }
    }
    folder
}

#[test]
fn what_opm_rejects_is_not_rendered_and_the_field_is_named() {
    let csv = "manifests/beacon.clusterserviceversion.yaml";
    let folder = changed(csv, "capabilities: Seamless Upgrades", "capabilities: 5");
    let run = olmap(&["render", folder.path().to_str().unwrap()]).exits(2);
    assert!(run.out.is_empty());
    assert!(run.err.contains("metadata.annotations.capabilities: must be a string"), "{}", run.err);
    let folder = changed(csv, "kind: Beacon\n  install", "kind: Lamp\n  install");
    let run = olmap(&["render", folder.path().to_str().unwrap()]).exits(2);
    assert!(run.err.contains("no CRD for harbour.example.com/v1/Lamp (beacons)"), "{}", run.err);
}

#[test]
fn escape_sequences_of_a_bundle_stay_harmless() {
    let folder = changed(
        "manifests/beacon.clusterserviceversion.yaml",
        "displayName: Beacon Operator",
        "displayName: \"Beacon\\e[31m\\e]0;title\\a Operator\"",
    );
    let path = folder.path().to_str().unwrap().to_owned();
    for arguments in [vec!["bundle", "show", &path], vec!["bundle", "show", "-o", "json", &path]] {
        let run = olmap(&arguments).exits(0);
        assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{7}'), "{}", run.out);
    }
}

/// Another version of the lighthouse, with what an author does from release to release.
fn next_lighthouse() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "manifests/lenses.crd.yaml",
        "manifests/lighthouse.clusterserviceversion.yaml",
        "manifests/lighthouses.crd.yaml",
        "manifests/metrics.service.yaml",
        "metadata/annotations.yaml",
        "metadata/dependencies.yaml",
    ] {
        let text = fs::read_to_string(std::path::Path::new(&fixture("lighthouse")).join(file)).unwrap();
        let text = match file {
            "manifests/metrics.service.yaml" => text.replacen("name: ", "name: new-", 1),
            "manifests/lighthouse.clusterserviceversion.yaml" => {
                let next = text.replace("2.1.0", "2.2.0").replacen("supported: true", "supported: false", 1);
                assert!(next.contains("  minKubeVersion: "), "it asks for a Kubernetes version");
                next.replacen("  minKubeVersion: 1.", "  minKubeVersion: 1.9", 1)
            }
            _ => text.replacen("served: true", "served: false", 1),
        };
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn two_bundles_are_compared_and_what_matters_stands_first() {
    let next = next_lighthouse();
    let (old, new) = (fixture("lighthouse"), next.path().to_str().unwrap());
    let run = olmap(&["bundle", "diff", &old, new]).exits(0);
    insta::assert_snapshot!(run.out);
    insta::assert_snapshot!(olmap(&["bundle", "diff", "-o", "markdown", &old, new]).exits(0).out);
    let all = olmap(&["bundle", "diff", "-o", "json", &old, new]).exits(0).json();
    let kinds: Vec<&str> =
        all["concerns"].as_array().unwrap().iter().map(|concern| concern["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"unserved-version") && kinds.contains(&"removed-install-mode"), "{kinds:?}");
    assert_eq!(kinds.last(), Some(&"removed-object"), "{kinds:?}");
    let same = olmap(&["bundle", "diff", "-o", "json", &old, &old]).exits(0).json();
    assert_eq!((&same["same"], same["sections"].as_array().unwrap().len()), (&true.into(), 0));
    olmap(&["bundle", "diff", "--fail-on", "removed-object", &old, new]).exits(1);
    olmap(&["bundle", "diff", "--fail-on", "serious", &old, new]).exits(1);
    olmap(&["bundle", "diff", "--fail-on", "removed-api,new-webhook", &old, new]).exits(0);
    olmap(&["bundle", "diff", "--fail-on", "all", &old, &old]).exits(0);
    let run = olmap(&["bundle", "diff", &old, "demo"]).exits(2);
    assert!(run.err.contains("is not a bundle directory"), "{}", run.err);
}

#[test]
fn bundles_of_a_catalog_are_compared_as_far_as_it_knows_them() {
    let next = next_lighthouse();
    let folder = tempfile::tempdir().unwrap();
    let catalog = folder.path().join("catalog.yaml");
    let path = catalog.to_str().unwrap();
    let template = "registry.example.com/coast/lighthouse-bundle:v{{.Version}}";
    let render = |bundle: &str| {
        let arguments = ["render", "--migrate", "--image-ref-template", template, bundle];
        olmap(&arguments).exits(0).out
    };
    let bundles = render(&fixture("lighthouse")) + "---\n" + &render(next.path().to_str().unwrap());
    let channel = "---\nschema: olm.package\nname: lighthouse-operator\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                   package: lighthouse-operator\nname: stable\nentries:\n- name: lighthouse-operator.v2.1.0\n- {name: \
                   lighthouse-operator.v2.2.0, replaces: lighthouse-operator.v2.1.0}\n";
    fs::write(&catalog, bundles + channel).unwrap();
    let run = olmap(&["bundle", "diff", "--catalog", path, "2.1.0", "lighthouse-operator.v2.2.0"]).exits(0);
    insta::assert_snapshot!(run.out);
    let run = olmap(&["bundle", "diff", "--catalog", path, "--fail-on", "new-webhook", "2.1.0", "2.2.0"]);
    assert!(run.exits(2).err.contains("not compared: "), "what is not known is not fine");
    let run = olmap(&["bundle", "diff", "--catalog", path, "2.1.0", "2.3.0"]).exits(2);
    assert!(run.err.contains("no bundle 2.3.0"), "{}", run.err);
}
