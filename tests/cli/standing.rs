//! Commands without a path: the catalog that one stands in, above or below.

use std::{fs, path::Path};

use super::run::{Run, olmap_in, root};

/// A repository of one operator and two catalogs, in a folder of its own.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text =
        fs::read_to_string(root().join("tests/fixtures/cli/repository/catalogs/v4.9/anvil/catalog.yaml"));
    let text = text.unwrap();
    for name in ["v4.9", "v4.18"] {
        let package = folder.path().join("catalogs").join(name).join("anvil");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("catalog.yaml"), &text).unwrap();
    }
    fs::create_dir_all(folder.path().join("operators/anvil")).unwrap();
    folder
}

fn list(folder: &Path) -> Run {
    olmap_in(folder, &["list", "packages"])
}

#[test]
fn a_command_reads_the_catalog_one_stands_in() {
    let folder = repository();
    for inside in ["catalogs/v4.18", "catalogs/v4.18/anvil"] {
        let run = list(&folder.path().join(inside)).exits(0);
        assert!(run.out.contains("anvil") && run.err.is_empty(), "{} {}", run.out, run.err);
    }
}

#[test]
fn a_command_says_which_catalog_it_chose_elsewhere() {
    let folder = repository();
    fs::remove_dir_all(folder.path().join("catalogs/v4.9")).unwrap();
    let run = list(folder.path()).exits(0);
    assert!(run.out.contains("anvil"), "{}", run.out);
    assert_eq!(run.err, "note: opened catalogs/v4.18: the catalog in this folder\n");
    let run = list(&folder.path().join("operators/anvil")).exits(0);
    assert_eq!(run.err, "note: opened anvil in ../../catalogs/v4.18/anvil: you are in operators/anvil\n");
}

#[test]
fn of_several_catalogs_a_command_wants_one() {
    let folder = repository();
    insta::assert_snapshot!(list(&folder.path().join("operators/anvil")).exits(2).err, @r"
    olmap: there are 2 catalogs here, and no PATH given
    hint: choose one:
          ../../catalogs/v4.9/anvil
          ../../catalogs/v4.18/anvil
    ");
}

#[test]
fn nothing_is_found_in_an_empty_folder() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(list(folder.path()).exits(2).err, @r"
    olmap: no catalog here, above or below, and no PATH given
    hint: give a directory, a file, or - for standard input
    ");
}

#[test]
fn an_edit_is_made_only_where_one_stands() {
    let folder = repository();
    fs::remove_dir_all(folder.path().join("catalogs/v4.9")).unwrap();
    let describe = ["edit", "describe", "Strikes."];
    insta::assert_snapshot!(olmap_in(folder.path(), &describe).exits(2).err, @r"
    olmap: outside of a catalog, an edit needs a PATH
    hint: the nearest is catalogs/v4.18
    ");
    olmap_in(&folder.path().join("catalogs/v4.18"), &describe).exits(0);
    let text = fs::read_to_string(folder.path().join("catalogs/v4.18/anvil/catalog.yaml")).unwrap();
    assert!(text.contains("Strikes."), "{text}");
}
