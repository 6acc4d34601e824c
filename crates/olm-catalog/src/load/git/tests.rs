//! Tests with the installed git, in temporary repositories.

use std::{fs, path::Path, process::Command};

use tempfile::TempDir;

use super::*;
use crate::{model::Origin, problem::ProblemLocation};

const SHIP: &str = "schema: olm.package\nname: ship\ndefaultChannel: stable\n";

/// Creates a repository with one commit: a catalog with two packages, one of them ignored, with valid and
/// invalid links.
fn create_repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("catalogs/v4.20/ship/catalog.yaml", SHIP);
    write("catalogs/v4.20/boat/catalog.yaml", &SHIP.replace("ship", "boat"));
    write("catalogs/v4.20/boat/notes.md", "not: {a catalog");
    write("catalogs/v4.20/boat/.indexignore", "*.md\n");
    write("shared.yaml", &SHIP.replace("ship", "raft"));
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
    link("../../shared.yaml", "catalogs/v4.20/raft.yaml");
    link("ship", "catalogs/v4.20/folder");
    link("nothing", "catalogs/v4.20/nothing");
    run_git(root, &["init", "-q", "-b", "main"]);
    commit_all(root, "first");
    folder
}

fn commit_all(root: &Path, message: &str) {
    run_git(root, &["add", "-A"]);
    run_git(root, &["commit", "-q", "-m", message]);
}

fn run_git(root: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(arguments);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "a"),
        ("GIT_AUTHOR_EMAIL", "a@example.com"),
        ("GIT_COMMITTER_NAME", "a"),
        ("GIT_COMMITTER_EMAIL", "a@example.com"),
    ] {
        git.env(name, value);
    }
    assert!(git.status().unwrap().success(), "git {arguments:?}");
}

fn open_at_revision(root: &Path, revision: &str, path: &str) -> Result<Catalog, LoadError> {
    let repository = Repository::discover(root)?;
    let commit = repository.resolve_revision(revision)?;
    let path: PathBuf = Path::new(path).components().collect();
    repository.open_catalog("git:x", &commit, &path, &Progress::default())
}

fn package_names(catalog: &Catalog) -> Vec<String> {
    catalog.packages().map(|package| package.name.to_string()).collect()
}

#[test]
fn reads_commit_by_rules_of_directory_on_disk() {
    let folder = create_repository();
    let catalog = open_at_revision(folder.path(), "main", "catalogs/v4.20").unwrap();
    let on_disk = crate::load::open_catalog(folder.path().join("catalogs/v4.20")).unwrap();
    let shown = |c: &Catalog| {
        c.files().iter().map(|f| (f.display_path.clone(), f.current_bytes())).collect::<Vec<_>>()
    };
    assert_eq!(shown(&catalog), shown(&on_disk));
    assert_eq!(package_names(&catalog), ["boat", "raft", "ship"]);
    let places =
        |c: &Catalog| c.problems().complete_problems().iter().map(|p| p.at.clone()).collect::<Vec<_>>();
    assert_eq!(places(&catalog), places(&on_disk));
    assert_eq!(
        places(&catalog),
        ["folder", "nothing", "raft.yaml"].map(|path| ProblemLocation::File(path.into()))
    );
    let foreign = |c: &Catalog| c.files().iter().map(|file| file.foreign).collect::<Vec<_>>();
    assert_eq!(foreign(&catalog), foreign(&on_disk));
    assert_eq!(foreign(&catalog), [false, true, false]);
    assert!(catalog.files().iter().all(|file| file.disk.is_none() && !file.writable));
    assert!(matches!(&catalog.origin, Origin::Revision(at) if !at.is_file && at.label == "git:x"));
}

#[test]
fn reads_commit_and_not_working_tree() {
    let folder = create_repository();
    let root = folder.path();
    fs::write(root.join("catalogs/v4.20/ship/catalog.yaml"), SHIP.replace("stable", "beta")).unwrap();
    fs::remove_dir_all(root.join("catalogs/v4.20/boat")).unwrap();
    let channel = |catalog: &Catalog| catalog.package("ship").unwrap().default_channel().unwrap().to_string();
    let first = open_at_revision(root, "HEAD", "catalogs/v4.20").unwrap();
    assert_eq!((package_names(&first).len(), channel(&first).as_str()), (3, "stable"));
    commit_all(root, "second");
    let second = open_at_revision(root, "HEAD", "catalogs/v4.20").unwrap();
    assert_eq!((package_names(&second).len(), channel(&second).as_str()), (2, "beta"));
    assert_eq!(package_names(&open_at_revision(root, "HEAD~1", "catalogs/v4.20").unwrap()).len(), 3);
    // The package and its folder were removed, but the revision still has them.
    assert_eq!(package_names(&open_at_revision(root, "HEAD~1", "catalogs/v4.20/boat").unwrap()), ["boat"]);
}

#[test]
fn single_file_is_a_catalog() {
    let folder = create_repository();
    let catalog = open_at_revision(folder.path(), "main", "catalogs/v4.20/ship/catalog.yaml").unwrap();
    assert_eq!(package_names(&catalog), ["ship"]);
    assert_eq!(catalog.files()[0].display_path, Path::new("catalogs/v4.20/ship/catalog.yaml"));
    assert!(matches!(&catalog.origin, Origin::Revision(at) if at.is_file));
}

#[test]
fn missing_revision_or_path_is_reported_with_hint() {
    let folder = create_repository();
    let failure = |revision: &str, path: &str| open_at_revision(folder.path(), revision, path).unwrap_err();
    let error = failure("no-such", "catalogs");
    assert_eq!(error.to_string(), "git has no revision no-such");
    assert!(error.hint().is_some());
    assert_eq!(failure("--help", "catalogs").to_string(), "git has no revision --help");
    let error = failure("main", "catalogs/v4.99");
    assert_eq!(error.to_string(), "catalogs/v4.99 does not exist at git:x");
    assert!(error.hint().unwrap().contains("git:REV:./PATH"));
    let elsewhere = tempfile::tempdir().unwrap();
    let error = Repository::discover(elsewhere.path()).unwrap_err();
    assert!(error.to_string().ends_with(" is not in a git repository"), "said once: {error}");
    let repository = Repository::discover(folder.path()).unwrap();
    assert!(matches!(repository.relative_path(elsewhere.path()), Err(GitError::Outside { .. })));
    let gone = folder.path().join("catalogs/../catalogs/v1/x");
    assert_eq!(repository.relative_path(&gone).unwrap(), Path::new("catalogs/v1/x"));
}

#[test]
fn revision_without_path_uses_path_of_other_catalog() {
    let folder = create_repository();
    let like = folder.path().join("catalogs/v4.20/ship");
    let revision = Revision::parse("git:main").unwrap();
    let catalog = open_revision(&revision, &like, &Progress::default()).unwrap();
    assert_eq!(package_names(&catalog), ["ship"]);
    assert_eq!(catalog.origin.label(), "git:main");
}

#[test]
fn distinguishes_revisions_from_paths() {
    let revision = |revision: &str, path: Option<&str>| {
        Some(Revision { revision: revision.to_owned(), path: path.map(PathBuf::from) })
    };
    assert_eq!(Revision::parse("git:main"), revision("main", None));
    assert_eq!(Revision::parse("git:HEAD~2:./a:b"), revision("HEAD~2", Some("./a:b")));
    assert_eq!(Revision::parse("git:v1:"), revision("v1", Some("")));
    assert_eq!(Revision::parse("git:"), None);
    assert_eq!(Revision::parse("catalogs/v4.20"), None);
}

#[test]
fn stops_when_cancelled() {
    let folder = create_repository();
    let repository = Repository::discover(folder.path()).unwrap();
    let commit = repository.resolve_revision("main").unwrap();
    let progress = Progress::default();
    progress.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = repository.open_catalog("git:main", &commit, Path::new("catalogs"), &progress);
    assert!(matches!(stopped, Err(LoadError::Stopped)));
}
