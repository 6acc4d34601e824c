//! Tests that open generated folders of bundles as catalogs.

use std::{fs, path::Path};

use super::find_bundle_folder;
use crate::{OpenOptions, open_path, reopen};
use olm_bundle::render::ImageTemplate;
use olm_catalog::{BundleSource, Catalog, load::Progress};

/// A generated bundle: its path, version, spec lines and channels.
struct TestBundle<'a> {
    at: &'a str,
    version: &'a str,
    spec: &'a str,
    channels: &'a str,
}

impl TestBundle<'_> {
    fn write_to(&self, root: &Path) {
        let write = |path: &str, text: String| {
            let path = root.join(self.at).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let Self { version, spec, channels, .. } = self;
        write(
            "manifests/lamp.clusterserviceversion.yaml",
            format!(
                "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  \
                 name: lamp.v{version}\nspec:\n  version: {version}\n  displayName: Lamp {version}\n  \
                 description: Lights of {version}.\n{spec}"
            ),
        );
        write(
            "metadata/annotations.yaml",
            format!(
                "annotations:\n  operators.operatorframework.io.bundle.package.v1: lamp\n  \
                 operators.operatorframework.io.bundle.channels.v1: {channels}\n  \
                 operators.operatorframework.io.bundle.channel.default.v1: stable\n"
            ),
        );
    }
}

fn write_bundles() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write =
        |at, version, spec, channels| TestBundle { at, version, spec, channels }.write_to(root.path());
    write("operators/lamp/1.0.0", "1.0.0", "", "stable");
    write("operators/lamp/1.0.1", "1.0.1", "  replaces: lamp.v1.0.0\n", "stable, fast");
    write("operators/lamp/1.1.0", "1.1.0", "  replaces: lamp.v1.0.1\n  skips: [lamp.v1.0.0]\n", "fast");
    root
}

fn open_catalog(path: &Path) -> Catalog {
    open_path(path, &OpenOptions::default(), &Progress::default()).unwrap()
}

fn channel_entries(catalog: &Catalog, channel: &str) -> Vec<String> {
    let package = catalog.package("lamp").unwrap();
    let channel = package.channel(channel).unwrap();
    let entry = |entry: &olm_catalog::blob::Entry| {
        let replaces = entry.replaces.as_ref().map(|name| format!(" replaces {}", name.value));
        let skips: Vec<String> = entry.skips.iter().map(|name| format!(" skips {}", name.value)).collect();
        format!("{}{}{}", entry.name.value, replaces.unwrap_or_default(), skips.concat())
    };
    channel.entries.iter().map(entry).collect()
}

#[test]
fn repository_operator_and_bundle_open_as_catalogs() {
    let root = write_bundles();
    let counts = |path: &str| {
        let catalog = open_catalog(&root.path().join(path));
        assert!(catalog.is_rendered_from_bundles() && !catalog.has_unread_parts(), "{path}");
        catalog.package("lamp").unwrap().bundles.len()
    };
    assert_eq!(["", "operators", "operators/lamp"].map(counts), [3, 3, 3]);
    assert_eq!(counts("operators/lamp/1.0.1"), 1);
    let catalog = open_catalog(root.path());
    assert_eq!(channel_entries(&catalog, "stable"), ["lamp.v1.0.0", "lamp.v1.0.1 replaces lamp.v1.0.0"]);
    let fast = ["lamp.v1.0.1 replaces lamp.v1.0.0", "lamp.v1.1.0 replaces lamp.v1.0.1 skips lamp.v1.0.0"];
    assert_eq!(channel_entries(&catalog, "fast"), fast);
    let package = catalog.package("lamp").unwrap();
    assert_eq!(package.default_channel().unwrap().as_str(), "stable");
    assert_eq!(package.definition().unwrap().description.as_ref().unwrap().value, "Lights of 1.1.0.");
}

#[test]
fn edges_follow_update_graph_of_ci_yaml() {
    let root = write_bundles();
    let ci = root.path().join("operators/lamp/ci.yaml");
    fs::write(&ci, "updateGraph: semver-mode\n").unwrap();
    let fast = ["lamp.v1.0.1", "lamp.v1.1.0 replaces lamp.v1.0.1"];
    assert_eq!(channel_entries(&open_catalog(root.path()), "fast"), fast);
    fs::write(&ci, "updateGraph: semver-skippatch-mode\n").unwrap();
    let stable = ["lamp.v1.0.0", "lamp.v1.0.1 skips lamp.v1.0.0"];
    assert_eq!(channel_entries(&open_catalog(root.path()), "stable"), stable);
}

#[test]
fn bundle_has_directory_and_image_from_template() {
    let root = write_bundles();
    let template: ImageTemplate = "registry.example.com/{{.Package}}:v{{.Version}}".parse().unwrap();
    let catalog = open_path(
        root.path(),
        &OpenOptions { image: Some(template), ..OpenOptions::default() },
        &Progress::default(),
    )
    .unwrap();
    let bundle = catalog.package("lamp").unwrap().bundle("lamp.v1.1.0").unwrap();
    assert_eq!(bundle.image.as_ref().unwrap().value, "registry.example.com/lamp:v1.1.0");
    let home = catalog.bundle_source(&"lamp".into(), &"lamp.v1.1.0".into());
    let path = root.path().join("operators/lamp/1.1.0");
    let csv = Some(path.join("manifests/lamp.clusterserviceversion.yaml"));
    assert_eq!(home, Some(BundleSource::Directory { path, csv }));
}

#[test]
fn rejected_bundle_is_listed_with_reason() {
    let root = write_bundles();
    fs::create_dir_all(root.path().join("operators/lamp/3.0.0/manifests")).unwrap();
    fs::create_dir_all(root.path().join("operators/lamp/3.0.0/metadata")).unwrap();
    let owned = "  customresourcedefinitions:\n    owned:\n    - {name: lamps.example.com, kind: Lamp, version: v1}\n";
    TestBundle { at: "operators/lamp/2.1.0", version: "2.1.0", spec: owned, channels: "fast" }
        .write_to(root.path());
    let catalog = open_catalog(root.path());
    let told: Vec<String> =
        catalog.problems().complete_problems().iter().map(|problem| problem.kind.to_string()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().any(|told| told.contains("no CRD for")), "{told:?}");
    assert!(catalog.package("lamp").unwrap().bundle("lamp.v2.1.0").is_some());
}

#[test]
fn reopening_detects_changes_on_disk() {
    let root = write_bundles();
    let catalog = open_catalog(root.path());
    assert!(reopen(&catalog, &OpenOptions::default(), &Progress::default()).unwrap().is_none());
    TestBundle { at: "operators/lamp/1.2.0", version: "1.2.0", spec: "", channels: "fast" }
        .write_to(root.path());
    let again = reopen(&catalog, &OpenOptions::default(), &Progress::default()).unwrap().unwrap();
    assert_eq!(again.package("lamp").unwrap().bundles.len(), 4);
    // A file that is not in the catalog is still checked with it.
    fs::write(root.path().join("operators/lamp/1.2.0/manifests/other.yaml"), "kind: Service\n").unwrap();
    let again = reopen(&again, &OpenOptions::default(), &Progress::default()).unwrap().unwrap();
    fs::write(root.path().join("operators/lamp/bundle.Dockerfile"), "FROM scratch\n").unwrap();
    assert!(reopen(&again, &OpenOptions::default(), &Progress::default()).unwrap().is_some());
}

#[test]
fn catalog_is_not_a_folder_of_bundles() {
    let root = write_bundles();
    fs::write(root.path().join("catalog.yaml"), "schema: olm.package\nname: p\n").unwrap();
    assert_eq!(find_bundle_folder(root.path()), None);
    assert_eq!(find_bundle_folder(&root.path().join("operators")).unwrap().directories.len(), 3);
    fs::remove_file(root.path().join("catalog.yaml")).unwrap();
    fs::create_dir_all(root.path().join("catalogs/lamp")).unwrap();
    fs::write(root.path().join("catalogs/lamp/catalog.yaml"), "schema: olm.package\nname: p\n").unwrap();
    assert_eq!(find_bundle_folder(root.path()), None, "both: which is meant?");
}

#[test]
fn directory_is_found_by_csv_name_next_to_operators() {
    let root = write_bundles();
    let catalogs = root.path().join("catalogs/v4.20/lamp");
    fs::create_dir_all(&catalogs).unwrap();
    let text =
        "---\nschema: olm.package\nname: lamp\n---\nschema: olm.bundle\nname: lamp.v1.0.1\npackage: lamp\n";
    fs::write(catalogs.join("catalog.yaml"), text).unwrap();
    let catalog = open_catalog(&root.path().join("catalogs/v4.20"));
    let home = catalog.bundle_source(&"lamp".into(), &"lamp.v1.0.1".into()).unwrap();
    let found = |version| super::find_directory(&home, "lamp.v1.0.1", version);
    let there = root.path().join("operators/lamp/1.0.1");
    // The folder of another version does not match, and text of the catalog never becomes a path.
    for version in ["1.0.1", "1.0.0", "../../catalogs", ""] {
        assert_eq!(found(version).as_deref(), Some(there.as_path()), "{version}");
    }
    assert_eq!(super::find_directory(&home, "lamp.v9.0.0", "1.0.1"), None);
}

#[test]
fn bundle_is_found_by_csv_name_in_a_folder() {
    let root = write_bundles();
    let folder = find_bundle_folder(&root.path().join("operators")).unwrap();
    let there = root.path().join("operators/lamp/1.0.1");
    for version in ["1.0.1", "1.0.0", ""] {
        assert_eq!(folder.find_bundle("lamp.v1.0.1", version).as_deref(), Some(there.as_path()), "{version}");
    }
    assert_eq!(folder.find_bundle("lamp.v9.0.0", "1.0.1"), None);
}

#[test]
fn unreadable_directories_are_listed() {
    let root = write_bundles();
    for folder in ["manifests", "metadata"] {
        fs::create_dir_all(root.path().join("operators/lamp/3.0.0").join(folder)).unwrap();
    }
    let catalog = open_catalog(root.path());
    assert_eq!(catalog.bundle_directories().len(), 4);
    assert_eq!(catalog.package("lamp").unwrap().bundles.len(), 3);
}

/// Bundles of one package may be in the folders of several operators, and in several portions.
#[test]
fn package_in_two_folders_is_one_package() {
    let root = tempfile::tempdir().unwrap();
    for patch in 0..40 {
        let (at, version) = (format!("operators/dusk/1.0.{patch}"), format!("1.0.{patch}"));
        TestBundle { at: &at, version: &version, spec: "", channels: "stable" }.write_to(root.path());
    }
    let spec = "  replaces: lamp.v1.0.39\n";
    TestBundle { at: "operators/lamp/1.1.0", version: "1.1.0", spec, channels: "stable" }
        .write_to(root.path());
    let catalog = open_catalog(root.path());
    let package = catalog.package("lamp").unwrap();
    assert_eq!((package.definitions.len(), package.channels.len(), package.bundles.len()), (1, 1, 41));
    assert!(channel_entries(&catalog, "stable").contains(&"lamp.v1.1.0 replaces lamp.v1.0.39".to_owned()));
}
