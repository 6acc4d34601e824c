//! Findings of a bundle as a directory and as an image.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use super::{
    registry::image::Image,
    run::{Run, olmap_in, root},
};

/// Bundle directories among the fixtures.
const FIXTURES: &[&str] = &[
    "tests/fixtures/safety/kettle/1.0.0",
    "tests/fixtures/safety/kettle/1.2.0",
    "tests/fixtures/cli/lighthouse",
    "tests/fixtures/cli/bundle",
    "tests/fixtures/conformance/bundles/cases/made/no-csv",
    "tests/fixtures/conformance/bundles/cases/made/kiln",
    "demo/operators/tidewater-operator/2.4.2",
];

/// Folders of a bundle image.
const FOLDERS: [&str; 3] = ["manifests", "metadata", "tests"];

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Returns the annotations of a bundle as labels of an image, as in its Dockerfile.
fn annotation_labels(bundle: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(bundle.join("metadata/annotations.yaml")).unwrap_or_default();
    let value: Value = serde_yaml::from_str(&text).unwrap_or_default();
    let annotations = value["annotations"].as_object().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    annotations.iter().map(|(key, value)| (key.clone(), text(value))).collect()
}

/// Writes a directory `bundle` and its image `oci:image`.
fn bundle_and_image(fixture: &str, change: impl FnOnce(&Path)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle");
    for name in FOLDERS {
        let from = root().join(fixture).join(name);
        if from.is_dir() {
            copy_folder(&from, &bundle.join(name));
        }
    }
    change(&bundle);
    let mut labels = annotation_labels(&bundle);
    labels
        .entry("operators.operatorframework.io.bundle.package.v1".to_owned())
        .or_insert_with(|| "x".to_owned());
    Image::from_directory(&bundle, ".", &serde_json::json!(labels))
        .write_layout(&folder.path().join("image"));
    folder
}

/// Returns the findings without the prefixes of their paths.
fn findings_without_prefix(run: &Run) -> Vec<Value> {
    let mut rows = run.json().as_array().unwrap().clone();
    let strip = |place: &mut Value| {
        if let Some(path) = place["path"].as_str() {
            let path = path.strip_prefix("bundle/").or_else(|| path.strip_prefix("./")).unwrap_or(path);
            place["path"] = if path == "." || path == "bundle" { "".into() } else { path.into() };
        }
    };
    for row in &mut rows {
        strip(row);
        if let Some(place) = row.get_mut("place") {
            strip(place);
        }
        for related in row["related"].as_array_mut().into_iter().flatten() {
            strip(related);
            if let Some(place) = related.get_mut("place") {
                strip(place);
            }
        }
    }
    rows
}

/// Change of a bundle with its name.
type NamedChange = (&'static str, fn(&Path));

fn find_csv(bundle: &Path) -> Option<std::path::PathBuf> {
    let files = fs::read_dir(bundle.join("manifests")).unwrap().map(|entry| entry.unwrap().path());
    files
        .into_iter()
        .find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("ClusterServiceVersion")))
}

const CHANGES: &[NamedChange] = &[
    ("nothing", |_| ()),
    ("a CSV that cannot be read", |bundle| {
        if let Some(csv) = find_csv(bundle) {
            fs::write(csv, "kind: ClusterServiceVersion\n\tmetadata: [\n").unwrap();
        }
    }),
    ("a second document", |bundle| {
        if let Some(csv) = find_csv(bundle) {
            let text = fs::read_to_string(&csv).unwrap();
            fs::write(csv, text + "\n---\nkind: Service\napiVersion: v1\nmetadata: {name: lost}\n").unwrap();
        }
    }),
    ("two CSVs", |bundle| {
        if let Some(csv) = find_csv(bundle) {
            fs::copy(&csv, csv.with_file_name("other.yaml")).unwrap();
        }
    }),
    ("no channels", |bundle| {
        let path = bundle.join("metadata/annotations.yaml");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.contains("channels.v1")).collect();
        fs::write(path, lines.join("\n") + "\n").unwrap();
    }),
    ("an API that is removed", |bundle| {
        let text = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: gone}\n";
        fs::write(bundle.join("manifests/pdb.yaml"), text).unwrap();
    }),
];

#[test]
fn directory_and_image_have_the_same_findings() {
    let mut seen = 0;
    for fixture in FIXTURES {
        for (name, change) in CHANGES {
            let folder = bundle_and_image(fixture, change);
            for line in [
                "bundle validate {} -o json",
                "bundle validate {} -o json --suite good-practices --suite community --suite operatorhubv2",
                "bundle validate {} -o json --target v1",
                "validate {} -o json",
            ] {
                let run = |path: &str| {
                    olmap_in(folder.path(), &line.replace("{}", path).split(' ').collect::<Vec<_>>())
                };
                let (directory, image) = (run("bundle"), run("oci:image"));
                let context = format!("{fixture} with {name}: {line}: {}{}", directory.err, image.err);
                assert_eq!(findings_without_prefix(&directory), findings_without_prefix(&image), "{context}");
                assert_eq!(directory.code, image.code, "{context}");
                seen += findings_without_prefix(&image).len();
            }
        }
    }
    assert!(seen > 300, "only {seen} findings were compared");
}

#[test]
fn image_is_shown_as_its_directory() {
    for fixture in FIXTURES {
        let folder = bundle_and_image(fixture, |_| ());
        let show =
            |path: &str, format: &str| olmap_in(folder.path(), &["bundle", "show", path, "-o", format]);
        for format in ["text", "json", "markdown"] {
            let (directory, image) = (show("bundle", format), show("oci:image", format));
            assert_eq!((directory.code, directory.out), (image.code, image.out), "{fixture} {format}");
        }
    }
}

#[test]
fn label_that_contradicts_its_annotation_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle");
    for name in ["manifests", "metadata"] {
        copy_folder(&root().join("tests/fixtures/cli/lighthouse").join(name), &bundle.join(name));
    }
    let mut labels = annotation_labels(&bundle);
    let prefix = "operators.operatorframework.io.bundle";
    labels.insert(format!("{prefix}.channels.v1"), "other".to_owned());
    labels.remove(&format!("{prefix}.metadata.v1"));
    Image::from_directory(&bundle, ".", &serde_json::json!(labels))
        .write_layout(&folder.path().join("image"));
    for command in [&["validate", "oci:image"][..], &["bundle", "validate", "oci:image"]] {
        let run = olmap_in(folder.path(), command);
        for words in [
            "label operators.operatorframework.io.bundle.channels.v1 of the image is `other`",
            "the image has no label",
        ] {
            assert!(run.out.contains(words), "{command:?}: {}", run.out);
        }
        assert!(run.out.contains("--> metadata/annotations.yaml:"), "{command:?}: {}", run.out);
    }
}

#[test]
fn catalog_image_is_refused_as_a_bundle() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("catalog")).unwrap();
    fs::write(folder.path().join("catalog/c.yaml"), "schema: olm.package\nname: ship\n").unwrap();
    Image::from_catalog(&folder.path().join("catalog")).write_layout(&folder.path().join("image"));
    for command in ["show", "validate"] {
        let run = olmap_in(folder.path(), &["bundle", command, "oci:image"]).exits(2);
        assert!(run.err.contains("oci:image is a catalog, not a bundle"), "{}", run.err);
    }
    let run = olmap_in(folder.path(), &["bundle", "validate", "oci:missing"]).exits(2);
    assert!(run.err.contains("missing"), "{}", run.err);
}
