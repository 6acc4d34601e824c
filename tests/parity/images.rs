//! Comparison of commands that pull images, with a registry on this machine (`docker-registry` from
//! Debian).

use std::fs;

use serde_json::{Value, json};

use crate::{
    comparison::ComparisonKind,
    questions::{repository_path, to_arguments},
    session::{Request, Session},
};
use crate::{
    registry::{
        image::Image,
        server::{Door, Registry},
    },
    run::root,
};

const KETTLE: &str = "tests/fixtures/safety/kettle";
const VERSIONS: [&str; 3] = ["1.0.0", "1.1.0", "1.2.0"];

/// Compares a catalog image, bundle images, and templates that reference them.
pub fn compare_images(session: &Session) {
    let storage = tempfile::tempdir().unwrap();
    let Some(registry) = Registry::start(storage.path(), &Door::Open) else {
        return session.record_omission("what takes an image: docker-registry is not installed".to_owned());
    };
    let host = &registry.host;
    Image::from_catalog(&root().join("demo/catalog")).push_to_registry(host, "harbour/catalog", "v1");
    let images = VERSIONS.map(|version| {
        let image = Image::from_bundle(&root().join(KETTLE).join(version), "kettle");
        image.push_to_registry(host, "kitchen/kettle", version);
        format!("{host}/kitchen/kettle:{version}")
    });
    for image in [&format!("{host}/harbour/catalog:v1"), &images[0], &format!("{host}/harbour/gone:v1")] {
        render_images(session, &[image], "json");
        render_images(session, &[image], "yaml");
    }
    let all: Vec<&str> = images.iter().map(String::as_str).collect();
    let (Some(bundles), Some(first)) =
        (render_images(session, &all, "yaml"), render_images(session, &all[..1], "json"))
    else {
        return;
    };
    let folder = session.new_folder("images");
    let file = |name: &str, text: &[u8]| {
        fs::write(folder.join(name), text).unwrap();
        repository_path(&folder.join(name))
    };
    let bundles = file("bundles.yaml", &bundles);
    for (name, text) in image_templates(&images, &first) {
        let template = file(name, &text);
        for more in [
            &["-o", "yaml"][..],
            &["-o", "json"],
            &["-o", "mermaid"],
            &["--migrate-level", "all", "-o", "yaml"],
        ] {
            let asked = [&[template.as_str()], more].concat();
            session.compare_request(&Request {
                kind: "alpha render-template with images",
                about: &format!("template, {name}"),
                opm: to_arguments(&[&["alpha", "render-template"], &asked[..], &["--use-http"]].concat()),
                olmap: to_arguments(
                    &[&["template", "render"], &asked[..], &["--bundles", &bundles]].concat(),
                ),
                same: ComparisonKind::Bytes,
                pulls: true,
            });
        }
    }
}

fn render_images(session: &Session, images: &[&str], format: &str) -> Option<Vec<u8>> {
    let asked = to_arguments(&[&["render"], images, &["--use-http", "-o", format]].concat());
    let about = match images {
        [image] => (*image).to_owned(),
        _ => format!("{} images", images.len()),
    };
    session.compare_request(&Request {
        kind: "render IMAGE",
        about: &about,
        opm: asked.clone(),
        olmap: asked,
        same: ComparisonKind::Bytes,
        pulls: true,
    })
}

/// Returns a template of each kind, and one that opm refuses. `first` is the output for the first
/// image.
fn image_templates(images: &[String; 3], first: &[u8]) -> [(&'static str, Vec<u8>); 5] {
    let listed =
        |images: &[&String]| images.iter().map(|image| json!({ "image": image })).collect::<Vec<_>>();
    let [one, two, three] = images;
    let package = json!({ "schema": "olm.package", "name": "kettle", "defaultChannel": "stable" });
    let entries =
        json!([{ "name": "kettle.v1.1.0", "replaces": "kettle.v1.0.0" }, { "name": "kettle.v1.0.0" }]);
    let channel = |entries: Value| json!({ "schema": "olm.channel", "package": "kettle", "name": "stable", "entries": entries });
    let image = |image: &String| json!({ "schema": "olm.bundle", "image": image });
    let first: Value = serde_json::from_slice(first).unwrap();
    let templates = [
        (
            "basic.json",
            json!({ "schema": "olm.template.basic", "entries": [package.clone(), channel(entries), image(one), image(two)] }),
        ),
        (
            "semver.json",
            json!({
                "schema": "olm.semver", "generateMajorChannels": true, "generateMinorChannels": true,
                "candidate": { "bundles": listed(&[one, two, three]) }, "stable": { "bundles": listed(&[two, one]) },
            }),
        ),
        (
            "semver-minor.json",
            json!({ "schema": "olm.semver", "fast": { "bundles": listed(&[three, two, one]) } }),
        ),
        ("semver-twice.json", json!({ "schema": "olm.semver", "fast": { "bundles": listed(&[one, one]) } })),
        (
            "substitutes.json",
            json!({
                "schema": "olm.template.substitutes",
                "entries": [package, channel(json!([{ "name": "kettle.v1.0.0" }])), first],
                "substitutions": [{ "name": two, "base": "kettle.v1.0.0" }],
            }),
        ),
    ];
    templates.map(|(name, template)| (name, serde_json::to_vec_pretty(&template).unwrap()))
}
