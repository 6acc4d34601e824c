use std::{collections::BTreeMap, fs};

use serde_json::Value;

use super::*;
use crate::{
    Access,
    images::{Contents, open_reference, sample},
};

fn write_catalog() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("catalog");
    fs::create_dir_all(root.join("tide/more")).unwrap();
    fs::write(root.join("tide/catalog.yaml"), sample::CATALOG).unwrap();
    fs::write(root.join(".indexignore"), "*.md\n").unwrap();
    fs::write(root.join("README.md"), ": : :").unwrap();
    folder
}

fn test_recipe() -> ImageRecipe {
    ImageRecipe {
        content: PackedContent::Catalog,
        name: ImageRecipe::parse_name("docker://example.com/ns/cat:v1").unwrap(),
        base: None,
        platform: None,
        labels: BTreeMap::from([("a".to_owned(), "b".to_owned())]),
    }
}

fn build_test_image(folder: &Path, recipe: &ImageRecipe, target: &str) -> Result<Digest, String> {
    let target = target.replacen(':', &format!(":{}/", folder.display()), 1).parse().unwrap();
    build_image(&folder.join("catalog"), recipe, &target, &Progress::default())
        .map_err(|error| error.to_string())
}

fn read_config(folder: &Path, layout: &str) -> Value {
    let place = super::open_layout(&format!("oci:{}", folder.join(layout).display())).unwrap();
    let (_, manifest) = image::manifest_for(&*place, &Platform::for_this_machine()).unwrap();
    serde_json::from_slice(&place.small_blob(&manifest.config, MAX_MANIFEST_BYTES).unwrap()).unwrap()
}

#[test]
fn built_image_opens_and_is_reproducible() {
    let folder = write_catalog();
    let root = folder.path();
    let first = build_test_image(root, &test_recipe(), "oci-archive:a.tar").unwrap();
    let opened = open_reference(
        &format!("oci-archive:{}:v1", root.join("a.tar").display()),
        &Access::default(),
        &Progress::default(),
    );
    let opened = opened.unwrap();
    assert_eq!(opened.digest, Some(first.clone()));
    let found = opened.into_catalog().unwrap();
    assert!(found.package("tide").is_some() && !found.has_unread_parts());
    assert_eq!(found.files().len(), 1, "what is ignored is there and not read");
    // The copy differs in date, order of the folder and permissions.
    let again = write_catalog();
    fs::rename(again.path().join("catalog/README.md"), again.path().join("x")).unwrap();
    fs::rename(again.path().join("x"), again.path().join("catalog/README.md")).unwrap();
    let file = fs::File::options().write(true).open(again.path().join("catalog/README.md")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(build_test_image(again.path(), &test_recipe(), "oci:layout"), Ok(first));
    assert_eq!(read_config(again.path(), "layout")["config"]["Labels"][CONFIGS], "/configs");
    assert_eq!(read_config(again.path(), "layout")["architecture"], "amd64");
    let archives = [root, again.path()].map(|root| {
        if root.join("a.tar").exists() { Some(fs::read(root.join("a.tar")).unwrap()) } else { None }
    });
    assert!(archives[1].is_none());
    build_test_image(again.path(), &test_recipe(), "oci-archive:a.tar").unwrap();
    assert_eq!(archives[0].as_ref(), Some(&fs::read(again.path().join("a.tar")).unwrap()), "the archive too");
    assert_eq!(fs::read_dir(root).unwrap().count(), 2, "nothing is left beside it");
}

#[test]
fn base_image_keeps_its_layers_and_serves_the_catalog() {
    let folder = write_catalog();
    let root = folder.path();
    let below = sample::sample_image(
        &[("x", "y")],
        &[sample::tar_of(&[("bin/opm", "#!"), ("configs/old.yaml", "schema: x\n")])],
    );
    below.write_layout(&root.join("base"), "latest");
    let recipe = ImageRecipe { base: Some(format!("oci:{}", root.join("base").display())), ..test_recipe() };
    build_test_image(root, &recipe, "oci:layout").unwrap();
    let config = read_config(root, "layout");
    assert_eq!(config["rootfs"]["diff_ids"].as_array().unwrap().len(), 2);
    assert_eq!(config["config"]["Labels"]["x"], "y");
    assert_eq!(config["config"]["Entrypoint"][0], "/bin/opm");
    let opened = open_reference(
        &format!("oci:{}", root.join("layout").display()),
        &Access::default(),
        &Progress::default(),
    )
    .unwrap();
    assert!(opened.into_catalog().unwrap().package("tide").is_some());
    let damaged = root.join("base/blobs").join(below.layers[0].replacen(':', "/", 1));
    let size = fs::metadata(&damaged).unwrap().len();
    for (content, why) in [(vec![b'x'; size as usize], "wrong digest"), (vec![b'x'], "bytes are declared")] {
        fs::write(&damaged, content).unwrap();
        let error = build_test_image(root, &recipe, "oci:other").unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    assert!(!root.join("other").exists());
    let recipe = ImageRecipe { base: Some("docker://example.com/x:v1".to_owned()), ..recipe };
    assert!(build_test_image(root, &recipe, "oci:other").unwrap_err().contains("a layout or an archive"));
}

#[cfg(unix)]
#[test]
fn refuses_links_out_of_the_catalog_and_special_files() {
    use std::os::unix::fs::symlink;
    let folder = write_catalog();
    let root = folder.path();
    let link = root.join("catalog/tide/more/link.yaml");
    for (target, why) in [
        ("/etc/passwd", Some("out of the directory")),
        ("../../../x", Some("out of the directory")),
        ("../catalog.yaml", None),
    ] {
        symlink(target, &link).unwrap();
        let outcome = build_test_image(root, &test_recipe(), "oci-archive:a.tar");
        match why {
            Some(why) => assert!(outcome.unwrap_err().contains(why), "{target}"),
            None => assert!(outcome.is_ok(), "{target}: {outcome:?}"),
        }
        fs::remove_file(&link).unwrap();
    }
    assert!(
        build_test_image(root, &test_recipe(), "oci-archive:a.tar").unwrap_err().contains("cannot write"),
        "it is there already"
    );
    nix::unistd::mkfifo(&link, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
    assert!(
        build_test_image(root, &test_recipe(), "oci-archive:b.tar")
            .unwrap_err()
            .contains("neither a file nor a folder")
    );
    assert_eq!(fs::read_dir(root).unwrap().count(), 2, "nothing is left beside it");
    for wrong in ["", "x", "oci:", "docker://example.com/x:v1", "oci-archive:"] {
        assert!(wrong.parse::<Target>().is_err(), "{wrong}");
    }
    let zeros = "0".repeat(64);
    assert!(ImageRecipe::parse_name(&format!("example.com/x@sha256:{zeros}")).is_err());
}

#[test]
fn refuses_target_inside_the_catalog() {
    let folder = write_catalog();
    let root = folder.path().join("catalog");
    let before = std::fs::read_dir(&root).unwrap().count();
    for target in ["oci-archive:catalog/x.tar", "oci:catalog/pkg/layout"] {
        let why = build_test_image(folder.path(), &test_recipe(), target).unwrap_err();
        assert!(why.contains("as a part of the catalog"), "{why}");
    }
    assert_eq!(std::fs::read_dir(&root).unwrap().count(), before);
}

#[test]
fn removes_only_abandoned_unfinished_images() {
    let folder = write_catalog();
    let (old, new) = (folder.path().join(".olmap-image-old"), folder.path().join(".olmap-image-new"));
    for path in [&old, &new] {
        std::fs::create_dir_all(path.join("blobs")).unwrap();
    }
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(25 * 60 * 60);
    std::fs::File::open(&old).unwrap().set_modified(long_ago).unwrap();
    build_test_image(folder.path(), &test_recipe(), "oci-archive:x.tar").unwrap();
    assert!(!old.exists() && new.exists());
}

#[test]
fn image_of_a_bundle_has_its_folders_and_labels() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("catalog");
    for (path, text) in [
        ("manifests/csv.yaml", "kind: ClusterServiceVersion\n"),
        ("metadata/annotations.yaml", "annotations: {}\n"),
        ("tests/scorecard/config.yaml", "kind: Configuration\n"),
        ("README.md", "# Tide\n"),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let key = "operators.operatorframework.io.bundle.package.v1".to_owned();
    let recipe = ImageRecipe {
        content: PackedContent::Bundle,
        labels: BTreeMap::from([(key.clone(), "tide".to_owned())]),
        ..test_recipe()
    };
    let first = build_test_image(folder.path(), &recipe, "oci:one").unwrap();
    let config = read_config(folder.path(), "one");
    assert_eq!(config["config"]["Labels"], json!({ key: "tide" }));
    assert!(config["config"].get("Entrypoint").is_none());
    let reference = format!("oci:{}", folder.path().join("one").display());
    let opened = open_reference(&reference, &Access::default(), &Progress::default()).unwrap();
    let Contents::Bundle(tree) = opened.contents else { panic!("not a bundle") };
    let paths: Vec<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    assert!(
        paths.contains(&"manifests/csv.yaml") && paths.contains(&"metadata/annotations.yaml"),
        "{paths:?}"
    );
    assert!(!paths.contains(&"README.md"), "{paths:?}");
    fs::remove_file(root.join("README.md")).unwrap();
    assert_eq!(build_test_image(folder.path(), &recipe, "oci:two").unwrap(), first, "only the folders count");
}
