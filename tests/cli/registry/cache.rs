//! Cache of images: reuse, offline use, and tags that moved.

use super::*;

/// Returns an image of the demo without one of its packages.
fn smaller_demo(folder: &std::path::Path) -> Image {
    let mut folders: Vec<_> =
        fs::read_dir(root().join(CATALOG)).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.pop();
    for from in folders {
        let to = folder.join(from.file_name().unwrap());
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
            fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
        }
    }
    Image::from_catalog(folder)
}

#[test]
fn cached_image_opens_offline_with_a_note() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let reference = setting.image_reference();
    let run = user.run_olmap(&["render", "--offline", &reference]).exits(2);
    assert!(run.err.contains("the cache does not have") && run.err.contains("--offline"), "{}", run.err);
    let first = user.run_olmap(&["render", "--use-http", &reference]).exits(0);
    let again = user.run_olmap(&["render", "--use-http", &reference]).exits(0);
    assert!(again.out == first.out && again.err.is_empty());

    let run = user.run_olmap(&["render", "--offline", &reference]).exits(0);
    assert!(run.out == first.out);
    assert!(
        run.err.contains("note: ") && run.err.contains("this is the catalog in the cache"),
        "{}",
        run.err
    );
    let by_digest = format!("docker://{}/harbour/catalog@{}", setting.registry.host, setting.image.digest());
    let run = user.run_olmap(&["render", "--offline", &by_digest]).exits(0);
    assert!(run.out == first.out && run.err.is_empty(), "a digest is never old: {}", run.err);

    let DemoRegistry { registry, storage: _storage, .. } = setting;
    drop(registry);
    let run = user.run_olmap(&["render", "--use-http", &reference]).exits(0);
    assert!(run.out == first.out);
    assert!(run.err.contains("cannot reach") && run.err.contains("in the cache"), "{}", run.err);
    let run = User::new().run_olmap(&["render", "--use-http", &reference]).exits(2);
    assert!(run.err.contains("cannot reach"), "{}", run.err);
}

#[test]
fn damaged_blob_in_the_cache_is_fetched_again() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let render = || user.run_olmap(&["render", "--use-http", &setting.image_reference()]).exits(0).out;
    let first = render();
    for (digest, bytes) in &setting.image.blobs {
        let path = user.home_path("cache/olmap/blobs").join(digest.replacen(':', "/", 1));
        assert_eq!(&fs::read(&path).unwrap(), bytes);
        fs::write(&path, b"something else").unwrap();
        assert!(render() == first);
        assert_eq!(&fs::read(&path).unwrap(), bytes, "mended");
        fs::write(&path, b"something else").unwrap();
        let run = user.run_olmap(&["render", "--offline", &setting.image_reference()]).exits(2);
        assert!(run.err.contains("the cache does not have") && run.out.is_empty(), "{}", run.err);
        render();
    }
}

#[test]
fn moved_tag_is_reported_with_a_command_to_compare() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    user.run_olmap(&["list", "packages", "--use-http", &setting.image_reference()]).exits(0);
    let folder = tempfile::tempdir().unwrap();
    let moved = smaller_demo(folder.path());
    moved.push_to_registry(&setting.registry.host, "harbour/catalog", "v1");
    let run = user.run_olmap(&["list", "packages", "--use-http", &setting.image_reference()]).exits(0);
    let before = format!("docker://{}/harbour/catalog@{}", setting.registry.host, setting.image.digest());
    assert!(run.err.contains(&format!("the tag has moved since last time: it was {before}")), "{}", run.err);
    let typed = run.err.split("compare: ").nth(1).unwrap().trim();
    assert_eq!(typed, format!("olmap diff {before} {}", setting.image_reference()));
    let mut words: Vec<&str> = typed.split(' ').skip(1).collect();
    words.push("--use-http");
    words.extend(["--format", "json"]);
    let run = user.run_olmap(&words).exits(0).json();
    let plain =
        user.run_olmap(&["diff", CATALOG, folder.path().to_str().unwrap(), "-o", "json"]).exits(0).json();
    assert_eq!(run["packages"], plain["packages"]);
    assert_eq!(run["packages"].as_array().unwrap().len(), 1, "{run}");
    let again = user.run_olmap(&["list", "packages", "--use-http", &setting.image_reference()]).exits(0);
    assert!(again.err.is_empty(), "it is told once: {}", again.err);
}

#[test]
fn cache_is_shown_and_cleared() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    user.run_olmap(&["validate", "--use-http", &setting.image_reference()]);
    let shown = user.run_olmap(&["cache", "show", "--format", "json"]).exits(0).json();
    assert_eq!(shown["images"]["blobs"], 3, "manifest, config, layer");
    assert_eq!(shown["images"]["names"], 1);
    let text = user.run_olmap(&["cache", "show"]).exits(0).out;
    assert!(text.contains("3 blobs") && text.contains("1 names"), "{text}");
    let doctor = user.run_olmap(&["doctor"]).exits(0).out;
    assert!(doctor.contains("3 blobs"), "{doctor}");
    assert!(!doctor.contains("harbour"), "which images is private: {doctor}");
    let run = user.run_olmap(&["cache", "clear"]).exits(0);
    assert!(run.out.starts_with("removed 3 blobs"), "{}", run.out);
    assert_eq!(user.run_olmap(&["cache", "show", "--format", "json"]).exits(0).json()["images"]["blobs"], 0);
    user.run_olmap(&["render", "--offline", &setting.image_reference()]).exits(2);
}

/// Every command with a catalog argument accepts an image and its options.
#[test]
fn every_command_opens_an_image() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let image = setting.image_reference();
    let config = user.write_file("imageset.yaml", &format!(
        "apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: {}\n",
        image.trim_start_matches("docker://")
    ));
    let config = config.to_str().unwrap().to_owned();
    let images = user.run_olmap(&["list", "images", "--format", "json", CATALOG]).exits(0).json();
    let template = user.write_file(
        "template.yaml",
        &format!(
            "schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n  - image: {}\n",
            images.as_array().unwrap().iter().find(|row| row["bundles"][0].is_string()).unwrap()["image"]
                .as_str()
                .unwrap()
        ),
    );
    let template = template.to_str().unwrap().to_owned();
    let bundles = user.run_olmap(&["list", "bundles", "--format", "json", CATALOG]).exits(0).json();
    let [old, new] = [1, 0].map(|at| bundles[at]["bundle"].as_str().unwrap().to_owned());
    let package = bundles[0]["package"].as_str().unwrap().to_owned();
    let channel = bundles[0]["channels"][0].as_str().unwrap().to_owned();
    let line = |line: &str| {
        let words = line.split(' ').map(|word| match word {
            "{image}" => image.clone(),
            "{named}" => format!("main={image}"),
            "{config}" => config.clone(),
            "{template}" => template.clone(),
            "{package}" => package.clone(),
            "{channel}" => channel.clone(),
            "{old}" => old.clone(),
            "{new}" => new.clone(),
            word => word.to_owned(),
        });
        words.collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    for text in [
        "validate {image}",
        "list packages {image}",
        "apis {image}",
        "successors --package {package} --installed {old} {image}",
        "resolve {named} --installed {old}",
        "path --package {package} {old} {new} {image}",
        "graph --package {package} {image}",
        "range >=1.0.0 --catalog {image} --package {package}",
        "deprecations {image}",
        "render {image}",
        "diff {image} {image}",
        "bundle show {image} --bundle {old}",
        "bundle diff {old} {new} --catalog {image}",
        "crds graph {image}",
        "mirror filter {image} --config {config}",
        "mirror check {config} {image}",
        "template render semver {template} --bundles {image}",
        "expect --record - {image}",
        "edit default-channel --package {package} {channel} {image} --dry-run",
    ] {
        let words = line(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = user.run_olmap(&[words.as_slice(), &["--use-http"]].concat());
        let is_open =
            run.code != 2 || !(run.err.contains("unexpected argument") || run.err.contains("cannot open"));
        if !is_open || run.err.contains("panicked") || run.err.contains("Usage") || run.code == 2 {
            wrong.push(format!("{text}: {}", run.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cached_tag_stays_until_the_new_image_is_complete() {
    let Some(setting) = DemoRegistry::new() else { return };
    let user = User::new();
    let reference = setting.image_reference();
    let first = user.run_olmap(&["render", "--use-http", &reference]).exits(0).out;
    let folder = tempfile::tempdir().unwrap();
    let moved = smaller_demo(folder.path());
    moved.push_to_registry(&setting.registry.host, "harbour/catalog", "v1");
    let (layer, bytes) = moved.blobs.last().unwrap();
    let path = blob_path(setting.storage.path(), layer);
    fs::remove_file(&path).unwrap();
    user.run_olmap(&["render", "--use-http", &reference]).exits(2);
    assert!(
        user.run_olmap(&["render", "--offline", &reference]).exits(0).out == first,
        "the old one is whole"
    );
    fs::write(&path, bytes).unwrap();
    let run = user.run_olmap(&["render", "--use-http", &reference]).exits(0);
    assert!(run.out != first && run.err.contains("the tag has moved"), "{}", run.err);
}
