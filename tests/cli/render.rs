use std::fs;

use super::run::{fixture, olmap, olmap_with, root};

#[test]
fn canonical_catalog_is_rendered_unchanged() {
    let file = "demo/catalog/granary-operator/catalog.yaml";
    let run = olmap(&["render", file]).exits(0);
    assert_eq!(run.out, fs::read_to_string(root().join(file)).unwrap());
}

#[test]
fn json_is_one_object_after_another() {
    let run = olmap_with("{name: a, schema: olm.package}\n", &["render", "-", "--format", "json"]).exits(0);
    assert_eq!(
        run.out,
        "{\n    \"schema\": \"olm.package\",\n    \"name\": \"a\",\n    \"defaultChannel\": \"\"\n}\n"
    );
}

#[test]
fn several_paths_become_one_stream() {
    let (first, second) = (fixture("anvil"), "demo/catalog/granary-operator".to_owned());
    let merged = olmap(&["render", &second, &first]).exits(0).out;
    let apart = [olmap(&["render", &first]).out, olmap(&["render", &second]).out].concat();
    assert_eq!(merged, apart);
}

#[test]
fn bundle_beside_a_catalog_keeps_the_order_of_its_metadata() {
    let bundle = "tests/fixtures/cli/lighthouse";
    let options = ["--migrate", "--image-ref-template", "q.io/{{.Package}}:1", "-o", "json"];
    let rendered = |paths: &[&str]| olmap(&[&["render"], paths, &options].concat()).exits(0).out;
    let alone = rendered(&[bundle]);
    assert!(alone.contains("olm.csv.metadata"), "{alone}");
    let both = rendered(&[bundle, "demo/catalog/granary-operator"]);
    assert!(both.contains(&alone), "{both}");
}

#[test]
fn invalid_catalog_is_rendered_if_it_can_be_parsed() {
    let text = "schema: olm.channel\npackage: nowhere\nname: stable\nentries: []\n";
    let run = olmap_with(text, &["render", "-"]).exits(0);
    assert!(run.out.starts_with("---\n"), "{}", run.out);
}

#[test]
fn refuses_unreadable_catalog_with_all_locations() {
    let run = olmap(&["render", "demo/broken"]).exits(2);
    assert!(run.out.is_empty());
    insta::assert_snapshot!(run.err);
}
