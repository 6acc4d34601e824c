//! Templates, and what they are read as.

use std::sync::Arc;

use super::{Known, TemplateKind};
use crate::catalog::{Catalog, load, problem::Problem};

const TEMPLATE: &str = "\
# Made by hand.
schema: olm.template.basic
entries:
- schema: olm.package
  name: ship
  defaultChannel: stable
- schema: olm.channel
  package: ship
  name: stable
  entries:
  - name: ship.v1.0.0
  - name: ship.v1.1.0
    replaces: ship.v1.0.0
- schema: olm.bundle
  image: registry.example/ship:1
- image: registry.example/ship:2
  schema: olm.bundle
";

const CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.bundle
package: ship
name: ship.v1.0.0
image: registry.example/ship:1
properties:
- type: olm.package
  value: {packageName: ship, version: 1.0.0}
";

fn read(text: &str) -> Catalog {
    load::from_bytes(text.as_bytes().to_vec())
}

fn bundles(catalog: &Catalog) -> Vec<String> {
    let bundles = catalog.packages().flat_map(|package| {
        package.bundles.iter().map(move |bundle| {
            let version = bundle.version.as_ref().map_or("?".to_owned(), ToString::to_string);
            let image = bundle.image.as_ref().map_or("?", |image| image.value.as_str());
            format!("{} {} {version} {image}", package.name, bundle.name.value)
        })
    });
    bundles.collect()
}

fn remarks(catalog: &Catalog) -> Vec<String> {
    catalog.problems().told().iter().map(|problem| problem.kind.to_string()).collect()
}

#[test]
fn a_template_is_read_as_the_catalog_it_stands_for() {
    let catalog = read(TEMPLATE);
    assert_eq!(catalog.template().map(|template| template.kind), Some(TemplateKind::Basic));
    let package = catalog.package("ship").unwrap();
    assert_eq!(package.default_channel().map(ToString::to_string).as_deref(), Some("stable"));
    let channel = package.channel("stable").unwrap();
    let place = catalog.place(channel.doc, channel.entries[1].replaces.as_ref().unwrap().span).unwrap();
    assert_eq!((place.line, place.column), (13, 15), "what is read has its place in the file");
    // Which image is whose is not known, only that there are as many bundles.
    assert_eq!(bundles(&catalog), ["ship ship.v1.0.0 ? ?", "ship ship.v1.1.0 ? ?"]);
    assert_eq!(
        remarks(&catalog),
        ["the versions of all 2 bundles are not known: a template lists only bundle images"]
    );
    assert!(!catalog.has_problems());
}

#[test]
fn names_and_versions_are_those_of_bundles_with_the_image_in_open_catalogs() {
    let known = Arc::new(Known::of([&read(CATALOG)]));
    let catalog = read(TEMPLATE).with_known(known);
    let expected = ["ship ship.v1.0.0 1.0.0 registry.example/ship:1", "ship ship.v1.1.0 ? ?"];
    assert_eq!(bundles(&catalog), expected);
    assert_eq!(
        remarks(&catalog),
        ["the versions of 1 of 2 bundles are not known: a template lists only bundle images"]
    );
    // By name, where the template has names and another image.
    let named = TEMPLATE.replace("image: registry.example/ship:1", "image: other/ship\n  name: ship.v1.0.0");
    let catalog = read(&named).with_known(Arc::new(Known::of([&read(CATALOG)])));
    assert_eq!(bundles(&catalog)[0], "ship ship.v1.0.0 1.0.0 other/ship");
}

#[test]
fn json_is_as_good_and_a_catalog_knows_nothing_new() {
    let text = r#"{"schema": "olm.template.basic", "entries": [{"schema": "olm.package", "name": "ship"}]}"#;
    let catalog = read(text);
    assert!(catalog.package("ship").is_some());
    assert_eq!(remarks(&catalog), Vec::<String>::new(), "no bundle, no version to be missed");
    let catalog = read(CATALOG);
    let again = catalog.with_known(Arc::new(Known::of([&catalog])));
    assert!(again.template().is_none());
    assert_eq!(bundles(&again), bundles(&catalog));
}

#[test]
fn semver_templates_say_what_they_list_and_that_their_channels_are_made() {
    let catalog = read("Schema: olm.semver\nStable:\n  Bundles:\n  - Image: a:1\n  - Image: a:2\nFast: {}\n");
    assert_eq!(catalog.packages().len(), 0);
    let [Problem { kind: crate::catalog::problem::ProblemKind::Template { text, lists, .. }, .. }] =
        catalog.problems().told()
    else {
        panic!("one remark");
    };
    assert!(text.contains("overwritten"), "{text}");
    let lists: Vec<&str> = lists.iter().map(|(words, _)| words.as_str()).collect();
    assert_eq!(lists, ["Fast lists no bundle", "Stable lists 2 bundles: a:1 to a:2"]);
    let catalog = read("schema: olm.template.substitutes\n");
    assert!(remarks(&catalog)[0].contains("not supported"));
}

#[test]
fn beside_other_documents_a_template_is_what_opm_takes_it_for() {
    let catalog = read(&format!("{TEMPLATE}---\nschema: olm.package\nname: other\n"));
    assert!(catalog.template().is_none());
    assert!(catalog.package("ship").is_none());
    assert_eq!(catalog.others().len(), 1);
}

#[test]
fn broken_templates_are_read_as_far_as_they_go() {
    for text in [
        "schema: olm.template.basic\n",
        "schema: olm.template.basic\nentries: 5\n",
        "schema: olm.template.basic\nentries: [null, 5, {schema: olm.bundle}, {schema: olm.bundle, image: x}]\n",
        "schema: olm.template.basic\nentries: [{schema: olm.package}, {schema: olm.channel, entries: [{}]}]\n",
        "schema: olm.semver\nstable: 5\nfast: {bundles: [5, {image: 5}]}\n",
    ] {
        let catalog = read(text);
        assert!(catalog.template().is_some(), "{text}");
        assert!(catalog.with_known(Arc::default()).template().is_some());
    }
}
