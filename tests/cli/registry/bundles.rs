//! Bundle images of a catalog: fetched on request, and then read from the cache.

use super::*;

const KETTLE: &str = "tests/fixtures/safety/kettle";

/// Writes a catalog with three bundle images of a registry: by digest, by tag, and missing.
fn write_catalog_of_images(user: &User, host: &str) -> String {
    let image = |version: &str| Image::from_bundle(&root().join(KETTLE).join(version), "kettle");
    let (first, second) = (image("1.0.0"), image("1.1.0"));
    first.push_to_registry(host, "kitchen/kettle", "v1.0.0");
    second.push_to_registry(host, "kitchen/kettle", "v1.1.0");
    let images = [
        ("1.0.0", format!("{host}/kitchen/kettle@{}", first.digest())),
        ("1.1.0", format!("{host}/kitchen/kettle:v1.1.0")),
        ("1.2.0", format!("{host}/kitchen/kettle:v1.2.0")),
    ];
    let mut text = "schema: olm.package\nname: kettle\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                    package: kettle\nname: stable\nentries:\n- name: kettle.v1.0.0\n- name: kettle.v1.1.0\n  \
                    replaces: kettle.v1.0.0\n- name: kettle.v1.2.0\n  replaces: kettle.v1.1.0\n"
        .to_owned();
    for (version, image) in images {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: kettle\nname: kettle.v{version}\nimage: {image}\nproperties:\n- type: \
             olm.package\n  value: {{packageName: kettle, version: {version}}}\n"
        ));
    }
    user.write_file("catalog/catalog.yaml", &text).parent().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn steps_are_judged_with_fetched_images() {
    let storage = tempfile::tempdir().unwrap();
    let Some(registry) = Registry::start(storage.path(), &Door::Open) else { return };
    let user = User::new();
    let catalog = write_catalog_of_images(&user, &registry.host);
    let graph = |more: &[&str]| user.run_olmap(&[&["crds", "graph", &catalog, "--all"], more].concat());
    let before = graph(&[]).exits(0);
    assert!(before.out.contains("the image of kettle.v1.0.0 was not fetched"), "{}", before.out);
    assert_eq!(user.run_olmap(&["cache", "show", "--format", "json"]).exits(0).json()["images"]["blobs"], 0);

    let fetched = graph(&["--fetch-bundles", "--use-http"]).exits(2);
    assert!(fetched.out.contains("v1 refuses"), "{}", fetched.out);
    assert!(fetched.out.contains("kettle@sha256:"), "where it stands: {}", fetched.out);
    assert!(fetched.out.contains("the image of kettle.v1.2.0 cannot be read"), "{}", fetched.out);

    // Then the cache is used, without a connection or message.
    drop(registry);
    let after = graph(&[]).exits(1);
    assert!(after.out.contains("v1 refuses") && after.err.is_empty(), "{}{}", after.out, after.err);
    assert!(after.out.contains("the image of kettle.v1.2.0 was not fetched"), "{}", after.out);
    let path = user.run_olmap(&["path", "1.0.0", "1.1.0", &catalog, "--safety"]);
    assert!(path.out.contains("spec.lid is removed"), "{}{}", path.out, path.err);
    let found = user.run_olmap(&["validate", &catalog, "--format", "json"]).out;
    assert!(
        !found.contains("crd-upgrade-unsafe-v1"),
        "findings do not depend on what is in the cache: {found}"
    );
}

#[test]
fn only_requested_bundles_are_fetched() {
    let storage = tempfile::tempdir().unwrap();
    let Some(registry) = Registry::start(storage.path(), &Door::Open) else { return };
    let user = User::new();
    let catalog = write_catalog_of_images(&user, &registry.host);
    let run = user.run_olmap(&["path", "1.1.0", "1.2.0", &catalog, "--use-http", "--fetch-bundles"]);
    assert!(run.out.contains("1.2.0"), "{}{}", run.out, run.err);
    let blobs = &user.run_olmap(&["cache", "show", "--format", "json"]).exits(0).json()["images"]["blobs"];
    assert_eq!(*blobs, 3, "manifest, config and layer of 1.1.0");
    let run = user.run_olmap(&["path", "1.0.0", "1.2.0", &catalog, "--fetch-bundles", "--offline"]);
    run.exits(2);
}

#[test]
fn template_is_rendered_with_fetched_bundles() {
    let storage = tempfile::tempdir().unwrap();
    let Some(registry) = Registry::start(storage.path(), &Door::Open) else { return };
    let user = User::new();
    let catalog = write_catalog_of_images(&user, &registry.host);
    let text = fs::read_to_string(format!("{catalog}/catalog.yaml")).unwrap();
    let images: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("image: ")).take(2).collect();
    let mut template = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: kettle, defaultChannel: stable}\n\
                        - schema: olm.channel\n  package: kettle\n  name: stable\n  entries:\n  - name: kettle.v1.0.0\n  \
                        - {name: kettle.v1.1.0, replaces: kettle.v1.0.0}\n"
        .to_owned();
    for image in &images {
        template.push_str(&format!("- {{schema: olm.bundle, image: '{image}'}}\n"));
    }
    let template = user.write_file("basic.yaml", &template).to_str().unwrap().to_owned();
    let render = |more: &[&str]| user.run_olmap(&[&["template", "render", &template], more].concat());
    let run = render(&[]).exits(2);
    assert!(run.err.contains("no bundle is known with the image"), "{}", run.err);
    let fetched = render(&["--fetch-bundles", "--use-http"]).exits(0).out;
    for image in &images {
        assert!(fetched.contains(&format!("image: {image}")), "{fetched}");
    }
    assert!(fetched.contains("olm.bundle.object"), "the manifests are known: {fetched}");
    // A catalog with the bundles needs no image.
    let known = user.write_file("known/catalog.yaml", &fetched);
    drop(registry);
    let known = known.parent().unwrap().to_str().unwrap();
    assert_eq!(render(&["--bundles", known, "--fetch-bundles", "--use-http"]).exits(0).out, fetched);
    render(&["--fetch-bundles", "--offline"]).exits(2);
}
