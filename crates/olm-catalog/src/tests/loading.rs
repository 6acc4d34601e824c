//! Tests of finding and reading files.

use std::{
    fs,
    path::Path,
    sync::{Arc, atomic::Ordering},
};

use crate::{
    Catalog,
    load::{self, LoadError, Progress},
    names::PackageName,
    problem::ProblemKind,
};

pub(super) fn create_tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

pub(super) fn open_dir(root: &Path) -> Catalog {
    load::open_catalog(root).unwrap()
}

pub(super) fn display_paths(catalog: &Catalog) -> Vec<String> {
    catalog.files().iter().map(|file| file.display_path().display().to_string()).collect()
}

pub(super) const PACKAGE: &str = "schema: olm.package\nname: p\n";

#[test]
fn reads_every_file_except_ignored_ones() {
    let root = create_tree(&[
        ("b/catalog.yaml", PACKAGE),
        ("a.txt", "schema: x\n"),
        (".hidden", "schema: x\n"),
        ("b/skip/me.yaml", "schema: x\n"),
        ("README.md", "# not YAML: [\n"),
        (".indexignore", "*.md\nskip/\n"),
    ]);
    let catalog = open_dir(root.path());
    assert_eq!(display_paths(&catalog), [".hidden", "a.txt", "b/catalog.yaml"]);
    assert!(!catalog.has_unread_parts());
}

#[test]
fn progress_counts_found_and_read_files() {
    let root = create_tree(&[("a.yaml", PACKAGE), ("b.yaml", "schema: x\n")]);
    let progress = Progress::default();
    load::open_catalog_with_progress(root.path(), &progress).unwrap();
    assert_eq!(progress.files.load(Ordering::Relaxed), 2);
    assert_eq!(progress.read.load(Ordering::Relaxed), 2);
    assert_eq!(progress.bytes.load(Ordering::Relaxed), PACKAGE.len() + "schema: x\n".len());
}

#[test]
fn loading_stops_when_cancelled() {
    let root = create_tree(&[("a.yaml", PACKAGE)]);
    let progress = Progress::default();
    progress.stop.store(true, Ordering::Relaxed);
    assert!(matches!(load::open_catalog_with_progress(root.path(), &progress), Err(LoadError::Stopped)));
}

#[cfg(unix)]
#[test]
fn links_to_files_are_read_and_other_links_are_problems() {
    use std::os::unix::fs::symlink;
    let root = create_tree(&[("real/a.yaml", PACKAGE)]);
    symlink("real/a.yaml", root.path().join("file-link")).unwrap();
    symlink("real", root.path().join("folder-link")).unwrap();
    symlink("nowhere", root.path().join("dangling")).unwrap();
    let catalog = open_dir(root.path());
    assert_eq!(display_paths(&catalog), ["file-link", "real/a.yaml"]);
    assert_eq!(catalog.problems().complete_problems().len(), 2);
    assert!(catalog.problems().complete_problems().iter().all(|p| matches!(p.kind, ProblemKind::BadLink(_))));
}

#[cfg(unix)]
#[test]
fn catalog_path_may_be_link_to_folder() {
    let root = create_tree(&[("real/a.yaml", PACKAGE)]);
    let link = root.path().join("link");
    std::os::unix::fs::symlink(root.path().join("real"), &link).unwrap();
    assert_eq!(display_paths(&open_dir(&link)), ["a.yaml"]);
}

#[test]
fn missing_path_or_wrong_format_is_reported_with_hint() {
    let missing = load::open_catalog(Path::new("/nowhere/at/all")).unwrap_err();
    assert!(missing.to_string().contains("/nowhere/at/all"));
    let image = load::open_catalog(Path::new("quay.example.com/ns/index:v4.18")).unwrap_err();
    assert!(image.hint().unwrap().contains("opm render"));
    let root = create_tree(&[("index.db", "SQLite format 3\0 and so on")]);
    let database = load::open_catalog(root.path().join("index.db")).unwrap_err();
    assert!(database.hint().unwrap().contains("opm render"));
}

#[test]
fn empty_folder_and_empty_file_are_empty_catalogs() {
    let root = create_tree(&[("empty.yaml", "")]);
    assert_eq!(open_dir(root.path()).packages().len(), 0);
    assert!(!open_dir(&root.path().join("empty.yaml")).has_unread_parts());
}

#[test]
fn keeps_arbitrary_bytes() {
    let root = create_tree(&[]);
    let bytes: Vec<u8> = (0..=255).collect();
    fs::write(root.path().join("binary"), &bytes).unwrap();
    let catalog = open_dir(root.path());
    assert_eq!(catalog.files()[0].current_bytes(), bytes);
    assert!(catalog.has_unread_parts());
}

/// Formats the files and packages of a catalog.
fn format_content(catalog: &Catalog) -> String {
    let files: Vec<_> =
        catalog.files().iter().map(|f| (f.display_path(), f.current_bytes(), f.writable)).collect();
    let packages: Vec<_> = catalog
        .packages()
        .map(|p| (&p.name, &p.definitions, &p.channels, &p.bundles, &p.deprecations, &p.others, &p.problems))
        .collect();
    format!("{files:#?}{packages:#?}{:#?}{:#?}", catalog.others(), catalog.problems())
}

/// Reads a catalog again, and asserts that the result equals a newly opened catalog.
fn reload_and_compare(known: &Catalog, root: &Path) -> Option<Catalog> {
    let again = load::reload(known, &Progress::default()).unwrap();
    assert_eq!(format_content(again.as_ref().unwrap_or(known)), format_content(&open_dir(root)));
    again
}

#[test]
fn only_changed_files_are_read_again() {
    let root = create_tree(&[
        ("a/a.yaml", "schema: olm.package\nname: a\n"),
        ("b/b.yaml", "schema: olm.package\nname: b\n---\nschema: vendor\n---\nschema: 5\n"),
        ("c/c.yaml", "schema: olm.channel\npackage: a\nname: x\n"),
    ]);
    let path = root.path();
    let known = open_dir(path);
    assert!(reload_and_compare(&known, path).is_none(), "nothing changed");
    let write = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();
    write("b/b.yaml", "schema: olm.package\nname: b\ndefaultChannel: z\n---\nschema: [\n");
    let second = reload_and_compare(&known, path).unwrap();
    let shares = |second: &Catalog, name: &str| {
        Arc::ptr_eq(second.package(name).unwrap(), known.package(name).unwrap())
    };
    assert!(shares(&second, "a"), "its files were not touched");
    assert!(!shares(&second, "b"));
    // Same length, other bytes.
    write("c/c.yaml", "schema: olm.channel\npackage: d\nname: x\n");
    let third = reload_and_compare(&second, path).unwrap();
    assert_eq!(third.package("d").unwrap().channels.len(), 1);
    assert!(third.package("a").unwrap().channels.is_empty());
    // Files are added and removed, and the ignore rules change.
    write("d.json", "{\"schema\":\"olm.package\",\"name\":\"e\"}\n");
    let fourth = reload_and_compare(&third, path).unwrap();
    fs::remove_file(path.join("a/a.yaml")).unwrap();
    let fifth = reload_and_compare(&fourth, path).unwrap();
    assert!(fifth.package("a").is_none());
    write("c/.indexignore", "c.yaml\n");
    let sixth = reload_and_compare(&fifth, path).unwrap();
    assert!(sixth.package("d").is_none());
    write("c/.indexignore", "c.yaml\nnothing\n");
    let seventh = reload_and_compare(&sixth, path).unwrap();
    assert!(seventh.ignores(Path::new("c/nothing")));
    assert!(reload_and_compare(&seventh, path).is_none());
}

#[test]
fn single_file_is_read_again_as_a_whole() {
    let root = create_tree(&[("a.yaml", "schema: olm.package\nname: a\n")]);
    let path = root.path().join("a.yaml");
    let known = open_dir(&path);
    assert!(reload_and_compare(&known, &path).is_none());
    fs::write(&path, "schema: olm.template.basic\nentries: []\n").unwrap();
    let template = reload_and_compare(&known, &path).unwrap();
    assert!(template.template().is_some());
    fs::remove_file(&path).unwrap();
    assert!(load::reload(&template, &Progress::default()).is_err());
}

#[test]
fn directory_shows_beginning_of_long_first_file() {
    let package = |name: &str, bytes: usize| {
        format!("---\nschema: olm.package\nname: {name}\n# {}\n", "x".repeat(bytes))
    };
    let long = ["b", "c", "d"].map(|name| package(name, 3_000_000)).concat();
    let root =
        create_tree(&[("a.yaml", &package("a", 1)), ("long.yaml", &long), ("z.yaml", &package("z", 1))]);
    let mut shown = Vec::new();
    let whole =
        load::open_catalog_incremental(root.path(), &Progress::default(), &mut |catalog| shown.push(catalog));
    let whole = whole.unwrap();
    let names = |catalog: &Catalog| catalog.packages().map(|p| p.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&whole), ["a", "b", "c", "d", "z"]);
    assert!(whole.problems().is_empty() && whole.missing_part().is_none());
    let beginning = shown.first().unwrap();
    assert_eq!(names(beginning), ["a", "b", "c"]);
    let unread = beginning.missing_part().unwrap();
    assert!(!unread.is_listed && unread.packages.iter().map(PackageName::as_str).eq(["c"]), "{unread:?}");
}

#[test]
fn reading_in_portions_can_be_cancelled() {
    let package =
        |name: &str| format!("---\nschema: olm.package\nname: {name}\n# {}\n", "x".repeat(3_000_000));
    let root = create_tree(&[("a.yaml", &["a", "b", "c"].map(package).concat())]);
    let progress = Progress::default();
    let mut shown = Vec::new();
    let outcome = load::open_catalog_incremental(&root.path().join("a.yaml"), &progress, &mut |catalog| {
        let is_listed = catalog.missing_part().is_some_and(|unread| unread.is_listed);
        progress.stop.store(is_listed, Ordering::Relaxed);
        shown.push(catalog);
    });
    assert!(matches!(outcome, Err(LoadError::Stopped)));
    let [beginning, first] = shown.as_slice() else { panic!("{}", shown.len()) };
    assert!(!beginning.missing_part().unwrap().is_listed, "the rest of the file is not there yet");
    assert_eq!(first.packages().len(), 3, "all are listed");
    let unread = first.missing_part().unwrap();
    assert!(unread.packages.contains("c") && !unread.packages.contains("a"), "{unread:?}");
    assert!(unread.bytes_read < unread.bytes_found);
}
