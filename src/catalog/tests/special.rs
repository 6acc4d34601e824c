//! Special files in a catalog directory: they never block, and content from outside is never quoted.

use std::{fs, os::unix::fs::symlink, path::Path};

use nix::{sys::stat::Mode, unistd::mkfifo};

use super::loading::{PACKAGE, open, shown, tree};
use crate::catalog::{
    Catalog, load,
    problem::{Problem, ProblemKind},
};

fn kinds(catalog: &Catalog) -> Vec<String> {
    catalog.problems().told().iter().map(|Problem { kind, .. }| kind.to_string()).collect()
}

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    mkfifo(path, Mode::S_IRWXU).unwrap();
}

#[test]
fn pipes_sockets_and_devices_are_findings_and_never_block() {
    let root = tree(&[("a.yaml", PACKAGE)]);
    pipe(&root.path().join("pipe.yaml"));
    let _socket = std::os::unix::net::UnixListener::bind(root.path().join("socket")).unwrap();
    symlink("/dev/zero", root.path().join("zero.yaml")).unwrap();
    symlink("/proc/self/environ", root.path().join("environ.yaml")).unwrap();
    symlink("pipe.yaml", root.path().join("link.yaml")).unwrap();
    let catalog = open(root.path());
    assert_eq!(shown(&catalog), ["a.yaml"]);
    let expected = ["a kernel file", "a named pipe", "a named pipe", "a socket", "a device"];
    assert_eq!(kinds(&catalog), expected.map(|what| ProblemKind::Special(what).to_string()));
    // opm does not open ignored files.
    fs::write(root.path().join(".indexignore"), "*.yaml\nsocket\n!a.yaml\n").unwrap();
    assert!(kinds(&open(root.path())).is_empty());
}

#[test]
fn indexignore_files_must_be_regular() {
    let root = tree(&[("a.yaml", PACKAGE)]);
    pipe(&root.path().join(".indexignore"));
    let catalog = open(root.path());
    assert_eq!(shown(&catalog), ["a.yaml"]);
    assert_eq!(kinds(&catalog), [ProblemKind::Special("a named pipe").to_string()]);
    let repository = tree(&[("catalogs/v4.18/ship/catalog.yaml", PACKAGE)]);
    pipe(&repository.path().join("operators/ship/ci.yaml"));
    assert!(open(&repository.path().join("catalogs/v4.18")).made_from(&"p".into()).is_none());
}

#[test]
fn named_pipe_is_read_once() {
    let root = tree(&[]);
    let path = root.path().join("pipe");
    pipe(&path);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || fs::write(path, PACKAGE).unwrap()
    });
    let catalog = open(&path);
    writer.join().unwrap();
    assert_eq!(catalog.packages().len(), 1);
    assert!(load::open_again(&catalog, &load::Progress::default()).unwrap().is_none());
}

#[test]
fn link_with_changed_target_is_read_again() {
    let outside = tree(&[("secret", PACKAGE)]);
    let root = tree(&[("real/a.yaml", PACKAGE)]);
    let link = root.path().join("link.yaml");
    symlink("real/a.yaml", &link).unwrap();
    let catalog = open(root.path());
    assert!(catalog.files().iter().all(|file| !file.foreign));
    fs::remove_file(&link).unwrap();
    symlink(outside.path().join("secret"), &link).unwrap();
    let again = load::open_again(&catalog, &load::Progress::default()).unwrap().unwrap();
    assert!(again.files()[0].foreign);
    assert_eq!(kinds(&again), [ProblemKind::OutOfCatalog.to_string()]);
}
