use std::{fs, path::Path};

use super::open_package_part;
use crate::{
    Catalog,
    load::{self, Progress},
    problem::{Problem, ProblemLocation, Problems},
};

/// Text of a bundle with an image as long as needed, so that it crosses windows.
fn bundle_text(package: &str, version: usize, image: &str) -> String {
    format!(
        "{{\n    \"schema\": \"olm.bundle\",\n    \"name\": \"{package}.v{version}.0.0\",\n    \"package\": \
         \"{package}\",\n    \"image\": \"{image}\",\n    \"properties\": [{{\"type\": \"olm.package\", \"value\": \
         {{\"packageName\": \"{package}\", \"version\": \"{version}.0.0\"}}}}]\n}}\n"
    )
}

fn package_text(name: &str, versions: usize) -> String {
    let head = format!("{{\"schema\": \"olm.package\", \"name\": \"{name}\", \"defaultChannel\": \"a\"}}\n");
    let entries: Vec<String> =
        (1..=versions).map(|version| format!("{{\"name\": \"{name}.v{version}.0.0\"}}")).collect();
    let channel = format!(
        "{{\"schema\": \"olm.channel\", \"name\": \"a\", \"package\": \"{name}\", \"entries\": [{}]}}\n",
        entries.join(",")
    );
    let bundles: String = (1..=versions).map(|version| bundle_text(name, version, "example.com/x")).collect();
    head + &channel + &bundles
}

/// Returns the errors with their locations, outside of packages first.
fn errors(catalog: &Catalog) -> Vec<String> {
    let line = |problem: &Problem| {
        let at = match &problem.at {
            ProblemLocation::File(path) => path.display().to_string(),
            ProblemLocation::Document(doc, span) => catalog.location(*doc, *span).unwrap().to_string(),
        };
        format!("{at}: {}", problem.kind)
    };
    let problems = catalog.all_problems().flat_map(Problems::complete_problems);
    problems.filter(|problem| problem.kind.is_error()).map(line).collect()
}

/// Returns what is known of a package, with locations.
fn describe(catalog: &Catalog, name: &str) -> Vec<String> {
    let Some(package) = catalog.package(name) else { return vec!["absent".to_owned()] };
    let place = |doc, span| catalog.location(doc, span).unwrap().to_string();
    let bundles = package.bundles.iter().map(|bundle| {
        let at = place(bundle.doc, bundle.name.span);
        format!("{at} {} {:?} {:?}", bundle.name.value, bundle.version, bundle.image)
    });
    let channels = package.channels.iter().map(|channel| {
        let entries: Vec<&str> = channel.entries.iter().map(|entry| entry.name.value.as_str()).collect();
        format!("{} {} {entries:?}", place(channel.doc, channel.name.span), channel.name.value)
    });
    let default = format!("{:?}", package.default_channel());
    bundles.chain(channels).chain([default]).collect()
}

/// Checks that a part shows the same of a package as the whole catalog, and the same errors.
fn assert_same(path: &Path, name: &str) -> Catalog {
    let whole = load::open_catalog(path).unwrap();
    let part = open_package_part(path, &name.into(), &Progress::default()).unwrap();
    assert_eq!(errors(&part), errors(&whole), "{name} in {}", path.display());
    assert_eq!(describe(&part, name), describe(&whole, name), "{name} in {}", path.display());
    part
}

#[test]
fn part_has_package_and_all_errors() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(600_000);
    let files = [
        ("a/catalog.json", package_text("a", 3)),
        (
            "b/catalog.json",
            package_text("b", 2)
                + &bundle_text("b", 3, &long)
                + &bundle_text("b", 4, &long)
                + &bundle_text("b", 5, "y"),
        ),
        ("c/catalog.yaml", "schema: olm.package\nname: c\ndefaultChannel: a\n".to_owned()),
        ("d/wrong-type.json", package_text("d", 1).replace("\"image\": \"example.com/x\"", "\"image\": 5")),
        ("e/broken.json", package_text("e", 3) + "{\"schema\": "),
        (
            "f/yaml-after-json.json",
            "{\"schema\": \"olm.package\", \"name\": \"f\"}\nschema: olm.channel\n".to_owned(),
        ),
        ("g/wrong-type.yaml", "schema: olm.channel\npackage: g\nname: a\nentries: 5\n".to_owned()),
        ("h/broken.yaml", "schema: [\n".to_owned()),
        ("i/late.json", package_text("i", 2) + &package_text("a", 1).replace(".v1.0.0", ".v9.0.0")),
        ("j/no-schema.json", "{\"package\": \"j\"}".to_owned()),
        ("k/blank.json", " \n\n".to_owned()),
        ("l/empty.json", String::new()),
        ("m/far.json", format!("{}{}", "\n".repeat(5000), package_text("m", 1))),
        (
            "n/long-and-broken.json",
            bundle_text("n", 1, &long) + &bundle_text("n", 2, &long).replace("]\n}", "]\n"),
        ),
    ];
    for (path, text) in &files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for name in "abcdefghijklmnz".chars() {
        assert_same(folder.path(), &name.to_string());
    }
    for (path, _) in &files {
        for name in [&path[..1], "a"] {
            assert_same(&folder.path().join(path), name);
        }
    }
}

#[test]
fn part_leaves_out_other_packages_and_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(3_000_000);
    for (name, text) in [
        ("a.json", package_text("a", 3)),
        ("b.json", package_text("b", 3) + &bundle_text("b", 4, &long)),
        ("c.yaml", "schema: olm.package\nname: c\n".to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let part = assert_same(folder.path(), "a");
    assert_eq!(part.packages().len(), 1);
    assert_eq!(part.files().len(), 1);
    assert!(part.missing_part().is_some());
    assert_eq!(part.package("a").unwrap().bundles.len(), 3);

    let file = folder.path().join("all.json");
    fs::write(&file, package_text("a", 3) + &package_text("b", 3)).unwrap();
    let part = assert_same(&file, "b");
    assert_eq!(part.packages().len(), 1);
}
