//! `olmap edit add-bundle`: adds a bundle to channels of several catalogs.

use std::{fs, path::Path};

use tempfile::TempDir;

use super::run::{Run, fixture, olmap_in, root};

const IMAGE: &str =
    "quay.io/harbour/beacon@sha256:5f4dcc3b5aa765d61d8327deb882cf99aabbccddeeff00112233445566778899";

/// Returns a catalog with older versions of the package of the fixture bundle.
fn catalog_yaml(channel: &str) -> String {
    let blob = |version: &str| {
        format!(
            "---\nschema: olm.bundle\nname: beacon-operator.v{version}\npackage: beacon-operator\n\
             image: quay.io/harbour/beacon@sha256:{version:0>64}\nproperties:\n- type: olm.package\n  value:\n    \
             packageName: beacon-operator\n    version: {version}\n"
        )
    };
    format!(
        "---\nschema: olm.package\nname: beacon-operator\ndefaultChannel: {channel}\n---\nschema: olm.channel\n\
         package: beacon-operator\nname: {channel}\nentries:\n- name: beacon-operator.v1.3.1\n\
         - name: beacon-operator.v1.3.2\n  replaces: beacon-operator.v1.3.1\n{}{}",
        blob("1.3.1"),
        blob("1.3.2")
    )
}

/// Writes a folder with a catalog for each package.
fn write_catalogs(packages: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in packages {
        let path = folder.path().join(name).join("catalog.yaml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn bundle_path() -> String {
    root().join(fixture("bundle")).display().to_string()
}

fn run_add_bundle(folder: &Path, more: &[&str]) -> Run {
    olmap_in(folder, &[&["edit", "add-bundle", &bundle_path()], more].concat())
}

#[test]
fn adds_bundle_directory_to_channels_of_several_catalogs() {
    let folder = write_catalogs(&[
        ("v4.20/beacon", &catalog_yaml("stable")),
        ("v4.22/beacon", &catalog_yaml("stable")),
    ]);
    let channels = ["--channel", "stable", "--channel", "candidate"];
    let run =
        run_add_bundle(folder.path(), &[&["--image", IMAGE], &channels[..], &["v4.20", "v4.22"]].concat())
            .exits(0);
    assert!(run.out.contains("add beacon-operator.v1.4.0 to 2 channels"), "{}", run.out);
    for version in ["v4.20", "v4.22"] {
        let after = fs::read_to_string(folder.path().join(version).join("beacon/catalog.yaml")).unwrap();
        let entry = "- name: beacon-operator.v1.4.0\n  replaces: beacon-operator.v1.3.2\n";
        assert!(after.contains(entry) && after.contains("name: candidate\n"), "{after}");
        assert!(after.contains(&format!("image: {IMAGE}")) && after.contains("olm.csv.metadata"), "{after}");
    }
    let again = run_add_bundle(folder.path(), &["--image", IMAGE, "v4.20"]).exits(2);
    assert!(again.err.contains("bundle beacon-operator.v1.4.0 already exists"), "{}", again.err);
}

/// `opm render DIR` prints whole objects. The edges of the CSV in them are used.
#[test]
fn uses_edges_of_csv_in_rendered_bundle() {
    let folder = write_catalogs(&[("beacon", &catalog_yaml("stable"))]);
    let rendered =
        olmap_in(folder.path(), &["render", &bundle_path(), "--image-ref-template", IMAGE]).exits(0).out;
    assert!(rendered.contains("olm.bundle.object"), "{rendered}");
    fs::write(folder.path().join("beacon.json"), rendered).unwrap();
    let run = |more: &[&str]| {
        let all =
            ["edit", "add-bundle", "beacon.json", "--channel", "stable", "--format", "diff", "-n", "beacon"];
        olmap_in(folder.path(), &[&all, more].concat())
    };
    let told = run(&[]).exits(0);
    assert!(told.err.contains("stable: the CSV also asks for skipRange; --edges csv"), "{}", told.err);
    let entry = "+  replaces: beacon-operator.v1.3.2\n+  skipRange: '>=1.2.0 <1.4.0'\n";
    let told = run(&["--edges", "csv"]).exits(0);
    assert!(told.out.contains(entry) && told.err.is_empty(), "{}{}", told.out, told.err);
    let other = run(&["--package", "lamp"]).exits(2);
    assert!(other.err.contains("is a bundle of beacon-operator, not of lamp"), "{}", other.err);
}

#[test]
fn sets_image_of_deeply_nested_rendered_bundle() {
    let folder = write_catalogs(&[("beacon", &catalog_yaml("stable"))]);
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let bundle = format!(
        "{{\"schema\": \"olm.bundle\", \"package\": \"beacon-operator\", \"name\": \"beacon-operator.v1.4.0\", \
         \"relatedImages\": null, \"properties\": [{{\"type\": \"olm.package\", \"value\": {{\"packageName\": \
         \"beacon-operator\", \"version\": \"1.4.0\"}}}}, {{\"type\": \"deep\", \"value\": {deep}}}]}}"
    );
    fs::write(folder.path().join("deep.json"), bundle).unwrap();
    let all = ["edit", "add-bundle", "deep.json", "--image", IMAGE, "--channel", "stable", "beacon"];
    olmap_in(folder.path(), &all).exits(0);
    let after = fs::read_to_string(folder.path().join("beacon/catalog.yaml")).unwrap();
    assert_eq!(after.matches(IMAGE).count(), 2, "image and related image: {after}");
}

/// A package without `olm.package` gets one with an existing default channel.
#[test]
fn new_package_gets_an_existing_default_channel() {
    let (_, without) = catalog_yaml("fast")
        .split_once("---\nschema: olm.channel")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let folder = write_catalogs(&[("beacon", &format!("---\nschema: olm.channel{without}"))]);
    let run = run_add_bundle(folder.path(), &["--image", IMAGE, "--format", "diff", "-n", "."]).exits(0);
    assert!(run.out.contains("+defaultChannel: fast"), "{}", run.out);
}

#[test]
fn warns_if_the_csv_asks_for_other_edges() {
    let behind = catalog_yaml("stable").replace("1.3.2", "1.3.9");
    let folder = write_catalogs(&[("beacon", &behind)]);
    let run = run_add_bundle(
        folder.path(),
        &["--image", "quay.io/harbour/beacon:v1", "--channel", "stable", ".", "-n"],
    );
    insta::assert_snapshot!(run.exits(0).err, @r"
    warning: quay.io/harbour/beacon:v1 is a tag, which can move; a digest (@sha256:...) cannot
    warning: stable: the CSV replaces beacon-operator.v1.3.2, the entry beacon-operator.v1.3.9; --edges csv takes what the CSV says
    ");
    let from_csv = ["--channel", "stable", "--edges", "csv", "--format", "diff", ".", "-n"];
    let run = run_add_bundle(folder.path(), &[&["--image", IMAGE], &from_csv[..]].concat()).exits(0);
    let entry = "+- name: beacon-operator.v1.4.0\n+  replaces: beacon-operator.v1.3.2\n+  skipRange: '>=1.2.0 <1.4.0'\n";
    assert!(run.out.contains(entry), "{}", run.out);
    let run = run_add_bundle(folder.path(), &["--image", IMAGE, ".", "-n"]).exits(0);
    assert!(run.err.contains("its annotations name stable, candidate: add --channel"), "{}", run.err);
}

#[test]
fn missing_package_gets_a_file_in_the_layout_of_the_catalog() {
    let ship = "---\nschema: olm.package\nname: ship\ndefaultChannel: a\n---\nschema: olm.channel\npackage: ship\nname: a\nentries:\n- name: ship.v1.0.0\n";
    let folder = write_catalogs(&[("cat/ship", ship), ("flat", "")]);
    let run = run_add_bundle(folder.path(), &["--image", IMAGE, "--channel", "candidate", "cat"]).exits(0);
    assert!(run.out.contains("new package beacon-operator"), "{}", run.out);
    let made = fs::read_to_string(folder.path().join("cat/beacon-operator/catalog.yaml")).unwrap();
    assert!(made.starts_with("---\ndefaultChannel: candidate\n"), "{made}");
    let order =
        ["schema: olm.package", "schema: olm.channel", "schema: olm.bundle"].map(|s| made.find(s).unwrap());
    assert!(order.is_sorted(), "{made}");
    let no_channel =
        run_add_bundle(folder.path(), &["--image", IMAGE, "--skip-range", "<1.4.0", "cat"]).exits(2);
    assert!(no_channel.err.contains("edges need a channel"), "{}", no_channel.err);
    let refused = run_add_bundle(folder.path(), &["--image", IMAGE, "cat/ship"]).exits(2);
    insta::assert_snapshot!(refused.err, @r"
    olmap: no package beacon-operator in cat/ship
    hint: packages: ship
          with --channel the package is made
    ");
    // A file with all packages is not split.
    fs::remove_file(folder.path().join("flat/catalog.yaml")).unwrap();
    fs::write(folder.path().join("flat/all.yaml"), format!("{ship}---\nschema: olm.package\nname: zoo\n"))
        .unwrap();
    run_add_bundle(folder.path(), &["--image", IMAGE, "--channel", "stable", "flat"]).exits(0);
    let all = fs::read_to_string(folder.path().join("flat/all.yaml")).unwrap();
    assert!(all.starts_with("---\ndefaultChannel: stable\nname: beacon-operator\n"), "by name: {all}");
}

#[test]
fn rendered_bundle_is_read_from_standard_input_or_a_file() {
    let folder = write_catalogs(&[("beacon", &catalog_yaml("stable"))]);
    let blob = olmap_in(folder.path(), &["render", &bundle_path()]).exits(0).out;
    fs::write(folder.path().join("blob.yaml"), &blob).unwrap();
    let edit =
        |more: &[&str]| olmap_in(folder.path(), &[&["edit", "add-bundle", "blob.yaml"], more].concat());
    let run = edit(&["--image", IMAGE, "--channel", "stable", "beacon", "-n", "--format", "diff"]).exits(0);
    assert!(run.out.contains(&format!("+image: {IMAGE}\n+name: beacon-operator.v1.4.0")), "{}", run.out);
    let no_bundle = olmap_in(folder.path(), &["edit", "add-bundle", "beacon", "beacon"]).exits(2);
    insta::assert_snapshot!(no_bundle.err, @r"
    olmap: beacon is not a bundle directory
    hint: name the directory with manifests/ and metadata/
    ");
    fs::write(folder.path().join("blob.yaml"), blob.repeat(2)).unwrap();
    assert!(edit(&["beacon", "-n"]).exits(2).err.contains("2 olm.bundle objects, not one"));
}
