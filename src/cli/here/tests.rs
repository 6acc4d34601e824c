use std::fs;

use super::*;

const PACKAGE: &str = "schema: olm.package\nname: ship\n";

/// A folder with these files, all of them packages but for `ci.yaml`.
fn tree(files: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for file in files {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = if file.ends_with("ci.yaml") { "fbc: {}\n" } else { PACKAGE };
        fs::write(path, text).unwrap();
    }
    root
}

fn found(root: &tempfile::TempDir, folder: &str) -> Option<(Vec<String>, String)> {
    let root = root.path().canonicalize().unwrap();
    let folder = root.join(folder);
    fs::create_dir_all(&folder).unwrap();
    let here = Here::from(&folder, None).unwrap()?;
    for path in &here.paths {
        assert!(folder.join(path).exists(), "{path:?} is there");
    }
    Some((here.paths.iter().map(|path| path.display().to_string()).collect(), here.sentence()))
}

#[track_caller]
fn opens(root: &tempfile::TempDir, folder: &str, paths: &[&str], words: &str) {
    let (found, sentence) = found(root, folder).expect("something is found");
    assert_eq!(found, paths, "{sentence}");
    assert_eq!(sentence, words);
}

/// The layout of community-operators.
fn repository() -> tempfile::TempDir {
    tree(&[
        "catalogs/v4.9/ship/catalog.yaml",
        "catalogs/v4.18/ship/catalog.yaml",
        "catalogs/v4.18/boat/catalog.yaml",
        "operators/ship/ci.yaml",
        "docs/guide/a.txt",
    ])
}

#[test]
fn a_package_is_opened_as_dot_opens_it() {
    let root = repository();
    opens(&root, "catalogs/v4.18/ship", &["."], "opened this folder: it contains catalog.yaml");
    let root = tree(&["whatever.yml"]);
    opens(&root, "", &["."], "opened this folder: it contains whatever.yml");
}

#[test]
fn a_catalog_is_opened_whole() {
    opens(&repository(), "catalogs/v4.18", &["."], "opened this folder: the folders in it are packages");
}

#[test]
fn a_repository_is_opened_catalog_by_catalog() {
    let root = repository();
    let all = ["catalogs/v4.9", "catalogs/v4.18"];
    opens(&root, "", &all, "opened 2 catalogs: the catalogs in catalogs");
    opens(&root, "catalogs", &["v4.9", "v4.18"], "opened 2 catalogs: the catalogs in this folder");
    let above = all.map(|path| format!("../../{path}"));
    let above = above.each_ref().map(String::as_str);
    opens(&root, "docs/guide", &above, "opened 2 catalogs in ../../catalogs: the nearest above");
}

#[test]
fn an_operators_folder_opens_that_operator() {
    let root = repository();
    opens(
        &root,
        "operators/ship",
        &["../../catalogs/v4.9/ship", "../../catalogs/v4.18/ship"],
        "opened ship in 2 catalogs: you are in operators/ship",
    );
    let (deeper, _) = found(&root, "operators/ship/catalog-templates").unwrap();
    assert_eq!(deeper, ["../../../catalogs/v4.9/ship", "../../../catalogs/v4.18/ship"]);
    let (new, _) = found(&root, "operators/new").unwrap();
    assert_eq!(new, ["../../catalogs/v4.9", "../../catalogs/v4.18"], "it has no package yet");
    let root = tree(&["catalogs/v4.9/ship/catalog.yaml", "operators/ship/catalog-templates/blob.yaml"]);
    let ship = "opened ship in ../../../catalogs/v4.9/ship: you are in operators/ship";
    opens(&root, "operators/ship/catalog-templates", &["../../../catalogs/v4.9/ship"], ship);
    let root = tree(&["catalogs/v4.9/ship/catalog.yaml", "operators/ship/odd/catalog.yaml", "operators/a/x"]);
    let above = "opened ../catalogs/v4.9: the nearest catalog above";
    opens(&root, "operators", &["../catalogs/v4.9"], above);
}

#[test]
fn catalogs_with_other_names_are_found_in_their_folder() {
    let root = tree(&["catalogs/fast/ship/catalog.yaml", "catalogs/slow/ship/catalog.yaml", "src/a/b.txt"]);
    let both = ["catalogs/fast", "catalogs/slow"];
    opens(&root, "", &both, "opened 2 catalogs: the catalogs in catalogs");
    let root = tree(&["catalogs/ship/catalog.yaml", "src/a/b.txt"]);
    opens(&root, "", &["catalogs"], "opened catalogs: the catalog in this folder");
}

#[test]
fn the_nearest_below_is_opened() {
    let root = tree(&["work/cat/ship/catalog.yaml", "work/src/a.txt", "deep/er/still/cat/catalog.yaml"]);
    opens(&root, "", &["work/cat"], "opened work/cat: the nearest catalog below");
    assert_eq!(found(&tree(&["a/b/c/d/catalog.yaml"]), ""), None, "three levels down nobody looks");
    let home = root.path();
    assert_eq!(Here::from(home, Some(home)).unwrap(), None, "at home anything may lie about");
}

#[test]
fn above_is_looked_at_as_far_as_the_repository_reaches() {
    let root = tree(&["ship/catalog.yaml", "docs/guide/a.txt", "src/a.txt", "tests/a.txt"]);
    assert_eq!(found(&root, "docs/guide"), None, "what is above is not ours");
    fs::create_dir(root.path().join(".git")).unwrap();
    opens(&root, "docs/guide", &["../../ship"], "opened ../../ship: the nearest catalog above");
    let root = tree(&["r/.git/x", "r/cat/ship/catalog.yaml", "r/cat/boat/catalog.yaml"]);
    opens(&root, "r/cat/empty", &[".."], "opened ..: the nearest catalog above");
}

#[test]
fn templates_and_other_yaml_are_no_catalogs() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.yaml"), "schema: olm.semver\n").unwrap();
    fs::write(root.path().join("b.yaml"), "kind: Deployment\n").unwrap();
    let opened = found(&root, "").unwrap();
    assert_eq!(opened, (vec!["a.yaml".to_owned()], "opened a.yaml: a template (semver)".to_owned()));
    assert_eq!(templates_of(root.path()), [root.path().join("a.yaml")]);
    let operator = tempfile::tempdir().unwrap();
    let folder = operator.path().join("catalog-templates");
    fs::create_dir(&folder).unwrap();
    for name in ["b.yaml", "a.yaml"] {
        fs::write(folder.join(name), "schema: olm.semver\n").unwrap();
    }
    fs::write(operator.path().join("ci.yaml"), "fbc: {enabled: true}\n").unwrap();
    assert_eq!(templates_of(operator.path()), [folder.join("a.yaml"), folder.join("b.yaml")]);
    fs::write(root.path().join("c.yaml"), PACKAGE).unwrap();
    assert!(templates_of(root.path()).is_empty());
}

#[test]
fn a_huge_tree_is_given_up_early() {
    let root = tempfile::tempdir().unwrap();
    for n in 0..500 {
        fs::create_dir_all(root.path().join(format!("{n:03}/a"))).unwrap();
    }
    fs::create_dir_all(root.path().join("zzz")).unwrap();
    fs::write(root.path().join("zzz/catalog.yaml"), PACKAGE).unwrap();
    let mut looker = Looker::new();
    // Marked as such by its name all the same: that takes no listing.
    assert_eq!(looker.below(root.path()), [PathBuf::from("zzz")]);
    assert_eq!(looker.kind(root.path()), None, "nothing more is listed");
}

#[test]
fn operators_are_no_catalog_and_it_is_said_what_to_open() {
    let root = tree(&["operators/ship/ci.yaml", "catalogs/v4.9/ship/catalog.yaml"]);
    let operators = root.path().join("operators");
    assert_eq!(of_operators(&operators), None, "a file alone says nothing");
    fs::create_dir_all(operators.join("ship/catalog-templates")).unwrap();
    let words = "templates, not a catalog";
    let catalogs = root.path().join("catalogs");
    let opens = format!("{words}: try olmap {}", catalogs.display());
    assert_eq!(of_operators(&operators), Some(opens.clone()));
    assert_eq!(of_operators(&operators.join("ship")), Some(opens));
    assert_eq!((of_operators(root.path()), of_operators(&catalogs)), (None, None));
    fs::remove_dir_all(&catalogs).unwrap();
    assert_eq!(of_operators(&operators).as_deref(), Some(words));
    let templates = operators.join("ship/catalog-templates");
    let template = templates.join("basic.yaml");
    fs::write(&template, "schema: olm.template.basic\n").unwrap();
    let opens = format!("{words}: try olmap {}", template.display());
    assert_eq!(of_operators(&operators), Some(opens));
    for folder in ["manifests", "metadata"] {
        fs::create_dir_all(operators.join("ship/1.0.0").join(folder)).unwrap();
    }
    assert_eq!(of_operators(&operators), None, "bundles are opened");
}
