//! Tests of the file for a new package.

use std::path::PathBuf;

use crate::{Edit, EditError, apply_edit, find_own_folder};
use olm_catalog::{Catalog, Origin, load};

fn catalog_from_files(files: &[(&str, &str)]) -> Catalog {
    let text = |names: &str| -> String {
        let document = |name| ["---\nschema: olm.package\nname: ", name, "\ndefaultChannel: stable\n"];
        names.split_whitespace().flat_map(document).collect()
    };
    let files = files.iter().map(|(path, names)| (PathBuf::from(path), text(names).into_bytes()));
    load::from_texts(Origin::Directory("cat".into()), files)
}

fn add_package(name: &str) -> Edit {
    Edit::AddPackage {
        package: name.into(),
        default_channel: "stable".into(),
        description: Some("Sails.".to_owned()),
        icon: None,
        folder: None,
    }
}

/// Returns the file of the package, and whether it is a new one.
fn package_file(files: &[(&str, &str)], name: &str) -> (String, bool) {
    let before = catalog_from_files(files);
    let after = apply_edit(&before, &add_package(name)).unwrap();
    let file = after.package(name).unwrap().definition().unwrap().doc.file;
    let file = after.file(file).unwrap();
    assert!(
        !file.display_path.ends_with("x")
            && String::from_utf8_lossy(&file.current_bytes()).contains("Sails.")
    );
    (file.display_path().display().to_string(), before.files().len() != after.files().len())
}

#[test]
fn new_package_gets_own_file_like_others() {
    for (files, expected) in [
        (vec![("a/catalog.yaml", "a"), ("c/catalog.yaml", "c")], ("b/catalog.yaml", true)),
        (vec![("a/index.json", "a"), ("c/index.json", "c"), ("d/d.yaml", "d")], ("b/index.json", true)),
        (vec![("a.yaml", "a"), ("c.yaml", "c")], ("b.yaml", true)),
        (vec![("packages/a.yaml", "a"), ("packages/c.yaml", "c")], ("packages/b.yaml", true)),
        (vec![("a/a.yaml", "a"), ("c/c.yaml", "c")], ("b/b.yaml", true)),
        (vec![("all.yaml", "a c")], ("all.yaml", false)),
        (vec![("catalog.yaml", "a")], ("catalog.yaml", false)),
        (vec![], ("b/catalog.yaml", true)),
    ] {
        let (path, is_new) = package_file(&files, "b");
        assert_eq!((path.as_str(), is_new), expected, "{files:?}");
    }
}

/// A copy gets the folder that the package has in the other catalog.
#[test]
fn copied_package_keeps_its_folder_name() {
    let copy_to = |source: &[(&str, &str)], files: &[(&str, &str)]| {
        let edit = Edit::copy_package(&catalog_from_files(source), &"b".into()).unwrap();
        let after = apply_edit(&catalog_from_files(files), &edit).unwrap();
        let file = after.package("b").unwrap().definition().unwrap().doc.file;
        after.file(file).unwrap().display_path().display().to_string()
    };
    let folders = [("a/catalog.yaml", "a"), ("c/catalog.yaml", "c")];
    assert_eq!(copy_to(&[("ship/index.yaml", "b")], &folders), "ship/catalog.yaml");
    assert_eq!(copy_to(&[("all/a.yaml", "a"), ("all/b.yaml", "b")], &folders), "b/catalog.yaml");
    assert_eq!(copy_to(&[("ship/b.yaml", "b")], &[("a.yaml", "a"), ("c.yaml", "c")]), "b.yaml");
    assert_eq!(copy_to(&[("ship/b.yaml", "b")], &[("a/a.yaml", "a"), ("c/c.yaml", "c")]), "ship/b.yaml");
    // The folder belongs to another package there.
    let taken = [("a/catalog.yaml", "a"), ("ship/catalog.yaml", "ship")];
    assert_eq!(copy_to(&[("ship/catalog.yaml", "b")], &taken), "b/catalog.yaml");
    // The path of a single file is not a path in a catalog.
    let file = load::from_texts(
        Origin::File("v4.18/catalog.yaml".into()),
        [("v4.18/catalog.yaml".into(), b"schema: olm.package\nname: b\ndefaultChannel: stable\n".to_vec())],
    );
    assert_eq!(find_own_folder(&file, &"b".into()), None);
}

#[test]
fn new_package_is_sorted_by_name_in_shared_file() {
    let names = |files: &[(&str, &str)], name: &str| -> String {
        let after = apply_edit(&catalog_from_files(files), &add_package(name)).unwrap();
        let text = String::from_utf8(after.files()[0].current_bytes()).unwrap();
        text.lines().filter_map(|line| line.strip_prefix("name: ")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&[("all.yaml", "b d")], "c"), "b c d");
    assert_eq!(names(&[("all.yaml", "b d")], "a"), "a b d");
    assert_eq!(names(&[("all.yaml", "b d")], "e"), "b d e");
    assert_eq!(names(&[("all.yaml", "d b")], "c"), "d b c", "they are in no order");
}

#[test]
fn name_of_package_is_never_used_as_path() {
    for name in ["..", "../b", "/etc", "a/b", "."] {
        let refused = apply_edit(&catalog_from_files(&[]), &add_package(name)).unwrap_err();
        assert!(matches!(refused, EditError::NoFileName(_)), "{name}");
        let after = apply_edit(&catalog_from_files(&[("a/catalog.yaml", "a")]), &add_package(name)).unwrap();
        assert_eq!(after.files().len(), 1, "{name} stays in a file that is there");
    }
    assert!(matches!(
        apply_edit(&catalog_from_files(&[("a.yaml", "a")]), &add_package("a")),
        Err(EditError::PackageExists(_))
    ));
    assert!(matches!(apply_edit(&catalog_from_files(&[]), &add_package(" ")), Err(EditError::NoName)));
}
