//! Special files in a catalog directory: they never block, and content from outside is never quoted.

use std::{fs, os::unix::fs::symlink, path::Path};

use nix::{sys::stat::Mode, unistd::mkfifo};

use super::loading::{PACKAGE, create_tree, display_paths, open_dir};
use crate::{
    Catalog, load,
    problem::{Problem, ProblemKind},
};

fn problem_kinds(catalog: &Catalog) -> Vec<String> {
    catalog.problems().complete_problems().iter().map(|Problem { kind, .. }| kind.to_string()).collect()
}

fn create_pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mkfifo(path, Mode::S_IRWXU).unwrap();
}

#[test]
fn pipes_sockets_and_devices_are_findings_and_never_block() {
    let root = create_tree(&[("a.yaml", PACKAGE)]);
    create_pipe(&root.path().join("pipe.yaml"));
    let _socket = std::os::unix::net::UnixListener::bind(root.path().join("socket")).unwrap();
    symlink("/dev/zero", root.path().join("zero.yaml")).unwrap();
    symlink("/proc/self/environ", root.path().join("environ.yaml")).unwrap();
    symlink("pipe.yaml", root.path().join("link.yaml")).unwrap();
    let catalog = open_dir(root.path());
    assert_eq!(display_paths(&catalog), ["a.yaml"]);
    let expected = ["a kernel file", "a named pipe", "a named pipe", "a socket", "a device"];
    assert_eq!(problem_kinds(&catalog), expected.map(|what| ProblemKind::Special(what).to_string()));
    // opm does not open ignored files.
    fs::write(root.path().join(".indexignore"), "*.yaml\nsocket\n!a.yaml\n").unwrap();
    assert!(problem_kinds(&open_dir(root.path())).is_empty());
}

#[test]
fn indexignore_files_must_be_regular() {
    let root = create_tree(&[("a.yaml", PACKAGE)]);
    create_pipe(&root.path().join(".indexignore"));
    let catalog = open_dir(root.path());
    assert_eq!(display_paths(&catalog), ["a.yaml"]);
    assert_eq!(problem_kinds(&catalog), [ProblemKind::Special("a named pipe").to_string()]);
    let repository = create_tree(&[("catalogs/v4.18/ship/catalog.yaml", PACKAGE)]);
    create_pipe(&repository.path().join("operators/ship/ci.yaml"));
    assert!(open_dir(&repository.path().join("catalogs/v4.18")).template_source(&"p".into()).is_none());
}

#[test]
fn named_pipe_is_read_once() {
    let root = create_tree(&[]);
    let path = root.path().join("pipe");
    create_pipe(&path);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || fs::write(path, PACKAGE).unwrap()
    });
    let catalog = open_dir(&path);
    writer.join().unwrap();
    assert_eq!(catalog.packages().len(), 1);
    assert!(load::reload(&catalog, &load::Progress::default()).unwrap().is_none());
}

#[test]
fn link_with_changed_target_is_read_again() {
    let outside = create_tree(&[("secret", PACKAGE)]);
    let root = create_tree(&[("real/a.yaml", PACKAGE)]);
    let link = root.path().join("link.yaml");
    symlink("real/a.yaml", &link).unwrap();
    let catalog = open_dir(root.path());
    assert!(catalog.files().iter().all(|file| !file.foreign));
    fs::remove_file(&link).unwrap();
    symlink(outside.path().join("secret"), &link).unwrap();
    let again = load::reload(&catalog, &load::Progress::default()).unwrap().unwrap();
    assert!(again.files()[0].foreign);
    assert_eq!(problem_kinds(&again), [ProblemKind::OutOfCatalog.to_string()]);
}
