use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{
    DirectoryLock, FileChange, NoObserver, Overwrite, SaveError, SaveStep, Saved, StateDirectory,
    StepObserver, fs, io,
};
use olm_catalog::paths::{indexignore::IgnoreSet, leftover::is_leftover};

/// Saves without a state directory.
pub(super) fn save_stateless(changes: &[FileChange<'_>]) -> Result<Saved, SaveError> {
    save_watched(changes, &mut NoObserver)
}

fn save_watched(changes: &[FileChange<'_>], watch: &mut dyn StepObserver) -> Result<Saved, SaveError> {
    super::save_files_observed(changes, &mut stateless_lock(), watch)
}

pub(super) fn save_as(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<Saved, SaveError> {
    super::save_as(path, bytes, overwrite, &mut stateless_lock())
}

fn save_tree(directory: &Path, files: &[(&Path, &[u8])], overwrite: Overwrite) -> Result<Saved, SaveError> {
    save_tree_watched(directory, files, overwrite, &mut NoObserver)
}

fn save_tree_watched(
    directory: &Path,
    files: &[(&Path, &[u8])],
    overwrite: Overwrite,
    watch: &mut dyn StepObserver,
) -> Result<Saved, SaveError> {
    super::save_tree_observed(directory, files, overwrite, &mut stateless_lock(), watch)
}

fn stateless_lock() -> DirectoryLock {
    DirectoryLock::new(StateDirectory::none())
}

/// Returns all files below a directory with their content.
fn folder_contents(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let text = String::from_utf8(fs::read(&path).unwrap_or_default()).unwrap();
                found.insert(path.strip_prefix(root).unwrap().to_owned(), text);
            }
        }
    }
    found
}

fn file_names(root: &Path) -> Vec<String> {
    folder_contents(root).keys().map(|path| path.display().to_string()).collect()
}

/// Observer that records every step and the directory before it, and may fail at one of them.
struct RecordingObserver<'a> {
    root: &'a Path,
    steps: Vec<(SaveStep, PathBuf)>,
    seen: Vec<BTreeMap<PathBuf, String>>,
    fail: Box<dyn FnMut(usize, SaveStep) -> bool + 'a>,
}

impl<'a> RecordingObserver<'a> {
    fn new(root: &'a Path, fail: impl FnMut(usize, SaveStep) -> bool + 'a) -> Self {
        Self { root, steps: Vec::new(), seen: Vec::new(), fail: Box::new(fail) }
    }
}

impl StepObserver for RecordingObserver<'_> {
    fn before_step(&mut self, step: SaveStep, path: &Path) -> io::Result<()> {
        self.seen.push(folder_contents(self.root));
        self.steps.push((step, path.to_owned()));
        let at = self.steps.len() - 1;
        if (self.fail)(at, step) { Err(io::Error::other("injected")) } else { Ok(()) }
    }
}

/// Three files: one in its own directory, one of them new.
struct ThreeFiles {
    dir: TempDir,
    paths: [PathBuf; 3],
}

impl ThreeFiles {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        let paths = ["a.yaml", "sub/b.yaml", "c.yaml"].map(|name| dir.path().join(name));
        fs::write(&paths[0], "old a\n").unwrap();
        fs::write(&paths[1], "old b\n").unwrap();
        Self { dir, paths }
    }

    fn file_changes(&self) -> [FileChange<'_>; 3] {
        [
            FileChange { path: &self.paths[0], before: Some(b"old a\n"), after: Some(b"new a, longer\n") },
            FileChange { path: &self.paths[1], before: Some(b"old b\n"), after: Some(b"new b\n") },
            FileChange { path: &self.paths[2], before: None, after: Some(b"new c\n") },
        ]
    }

    fn current_contents(&self) -> [Option<String>; 3] {
        self.paths.each_ref().map(|path| fs::read_to_string(path).ok())
    }
}

const OLD: [Option<&str>; 3] = [Some("old a\n"), Some("old b\n"), None];
const NEW: [Option<&str>; 3] = [Some("new a, longer\n"), Some("new b\n"), Some("new c\n")];

fn as_strs(now: &[Option<String>; 3]) -> [Option<&str>; 3] {
    now.each_ref().map(Option::as_deref)
}

#[test]
fn saves_several_files_and_leaves_nothing_else() {
    let three = ThreeFiles::new();
    assert!(save_stateless(&three.file_changes()).unwrap().warning().is_none());
    assert_eq!(as_strs(&three.current_contents()), NEW);
    assert_eq!(file_names(three.dir.path()), ["a.yaml", "c.yaml", "sub/b.yaml"]);
}

#[test]
fn error_at_any_step_leaves_old_files_and_no_temporary_files() {
    let state = tempfile::tempdir().unwrap();
    for state in [StateDirectory::none(), StateDirectory::from_path(state.path())] {
        let save = |three: &ThreeFiles, script: &mut RecordingObserver<'_>| {
            super::save_files_observed(&three.file_changes(), &mut DirectoryLock::new(state.clone()), script)
        };
        let three = ThreeFiles::new();
        let mut script = RecordingObserver::new(three.dir.path(), |_, _| false);
        assert!(save(&three, &mut script).unwrap().warning().is_none());
        let steps = script.steps;
        assert!(steps.len() > 15, "{steps:?}");
        for (fail_at, (step, _)) in steps.iter().enumerate() {
            let three = ThreeFiles::new();
            let saved = save(&three, &mut RecordingObserver::new(three.dir.path(), |at, _| at == fail_at));
            if *step == SaveStep::SyncDirectory {
                let saved = saved.unwrap();
                assert!(saved.warning().is_some(), "it is saved, and said not to be certain");
                assert!(saved.to_string().starts_with("saved, but "), "{saved}");
                assert_eq!(as_strs(&three.current_contents()), NEW, "{step:?} {fail_at}");
            } else {
                assert_eq!(
                    as_strs(&three.current_contents()),
                    OLD,
                    "{step:?} {fail_at}: {}",
                    saved.unwrap_err()
                );
            }
            assert_eq!(count_leftovers(three.dir.path()), 0, "{step:?} {fail_at}");
            if let Ok(staging) = state.create_subdirectory("staging") {
                assert_eq!(fs::read_dir(staging).unwrap().count(), 0, "{step:?} {fail_at}");
            }
        }
    }
}

fn count_leftovers(root: &Path) -> usize {
    file_names(root).into_iter().filter(|name| name.contains("olmap")).count()
}

#[test]
fn removes_file_together_with_other_changes_or_not_at_all() {
    let saved = || {
        let three = ThreeFiles::new();
        save_stateless(&three.file_changes()).unwrap().ignore_warning();
        three
    };
    let back = |three: &ThreeFiles, watch: &mut RecordingObserver| {
        let mut changes = three.file_changes().map(|change| FileChange {
            path: change.path,
            before: change.after,
            after: change.before,
        });
        // The file to be removed is first, so that an error at another file must restore it.
        changes.reverse();
        save_watched(&changes, watch)
    };
    let three = saved();
    let mut script = RecordingObserver::new(three.dir.path(), |_, _| false);
    back(&three, &mut script).unwrap().ignore_warning();
    assert_eq!(as_strs(&three.current_contents()), OLD);
    for (fail_at, (step, _)) in script.steps.iter().enumerate() {
        let three = saved();
        let saved = back(&three, &mut RecordingObserver::new(three.dir.path(), |at, _| at == fail_at));
        assert_eq!(saved.is_ok(), *step == SaveStep::SyncDirectory, "{saved:?}");
        assert_eq!(
            as_strs(&three.current_contents()),
            if saved.is_ok() { OLD } else { NEW },
            "{step:?} {fail_at}"
        );
    }
    let three = saved();
    fs::write(&three.paths[2], "someone else\n").unwrap();
    let error = back(&three, &mut RecordingObserver::new(three.dir.path(), |_, _| false)).unwrap_err();
    assert!(matches!(error, SaveError::ChangedOnDisk { .. }), "{error:?}");
    assert_eq!(fs::read_to_string(&three.paths[2]).unwrap(), "someone else\n");
}

#[test]
fn concurrent_reader_sees_each_file_once_and_complete() {
    let state = tempfile::tempdir().unwrap();
    for (state, is_seen) in [(StateDirectory::none(), true), (StateDirectory::from_path(state.path()), false)]
    {
        let three = ThreeFiles::new();
        let mut script = RecordingObserver::new(three.dir.path(), |_, _| false);
        super::save_files_observed(&three.file_changes(), &mut DirectoryLock::new(state), &mut script)
            .unwrap()
            .ignore_warning();
        let mut staged = 0;
        for (at, seen) in script.seen.iter().enumerate() {
            for (path, text) in seen {
                let whole = match path.to_str().unwrap() {
                    "a.yaml" => text == "old a\n" || text == "new a, longer\n",
                    "sub/b.yaml" => text == "old b\n" || text == "new b\n",
                    "c.yaml" => text == "new c\n",
                    _ => {
                        staged += 1;
                        is_hidden(seen, path)
                    }
                };
                assert!(whole, "before step {at} {:?}: {path:?} is {text:?}", script.steps[at]);
            }
        }
        assert_eq!(
            staged > 0,
            is_seen,
            "only where there is no other place does anything stand beside the files"
        );
    }
}

/// Returns true if opm ignores a file, by the rules in the tree.
fn is_hidden(tree: &BTreeMap<PathBuf, String>, path: &Path) -> bool {
    let parts =
        |path: &Path| -> Vec<String> { path.iter().map(|part| part.to_str().unwrap().to_owned()).collect() };
    let mut rules = IgnoreSet::new();
    for (path, text) in tree.iter().filter(|(path, _)| path.ends_with(".indexignore")) {
        let folder = parts(path.parent().unwrap());
        rules.add(&folder.iter().map(String::as_str).collect::<Vec<_>>(), text).unwrap();
    }
    let is_rule = path.ends_with(".indexignore") && path.parent().unwrap().iter().any(is_leftover);
    is_rule || rules.ignores(&parts(path).iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn flushes_files_before_the_first_rename_and_directories_after_the_last() {
    let three = ThreeFiles::new();
    let mut script = RecordingObserver::new(three.dir.path(), |_, _| false);
    save_watched(&three.file_changes(), &mut script).unwrap().ignore_warning();
    let steps: Vec<SaveStep> = script.steps.iter().map(|(step, _)| *step).collect();
    let first = |wanted| steps.iter().position(|step| *step == wanted).unwrap();
    let last = |wanted| steps.iter().rposition(|step| *step == wanted).unwrap();
    assert!(last(SaveStep::Write) < last(SaveStep::SyncFile));
    assert!(last(SaveStep::SyncFile) < first(SaveStep::Recheck));
    assert!(last(SaveStep::Recheck) < first(SaveStep::Rename));
    assert!(last(SaveStep::Rename) < first(SaveStep::SyncDirectory));
    assert!(steps.contains(&SaveStep::Attributes));
    let synced: Vec<_> = script.steps.iter().filter(|(step, _)| *step == SaveStep::SyncDirectory).collect();
    assert_eq!(synced.len(), 2, "one for each directory");
}

#[test]
fn error_names_new_files_if_the_rollback_fails() {
    let three = ThreeFiles::new();
    let mut renames = 0;
    let mut script = RecordingObserver::new(three.dir.path(), |_, step| {
        renames += usize::from(step == SaveStep::Rename);
        step == SaveStep::Restore || (step == SaveStep::Rename && renames == 3)
    });
    let error = save_watched(&three.file_changes(), &mut script).unwrap_err();
    let SaveError::PartlySaved { saved, .. } = error else { panic!("{error:?}") };
    assert_eq!(saved, three.paths[..2]);
    assert_eq!(as_strs(&three.current_contents()), [NEW[0], NEW[1], None]);
}

#[test]
fn file_changed_by_another_program_is_never_overwritten() {
    for other in ["old b, edited\n", "old B\n", ""] {
        let three = ThreeFiles::new();
        fs::write(&three.paths[1], other).unwrap();
        let error = save_stateless(&three.file_changes()).unwrap_err();
        assert!(matches!(&error, SaveError::ChangedOnDisk { path } if *path == three.paths[1]), "{error:?}");
        assert_eq!(as_strs(&three.current_contents()), [OLD[0], Some(other), None]);
    }
}

#[test]
fn change_during_the_save_is_detected_before_the_rename() {
    let three = ThreeFiles::new();
    let (edited, created) = (three.paths[1].clone(), three.paths[2].clone());
    for (victim, created) in [(&edited, false), (&created, true)] {
        let mut script = RecordingObserver::new(three.dir.path(), |_, step| {
            if step == SaveStep::Recheck {
                fs::write(victim, "theirs\n").unwrap();
            }
            false
        });
        let error = save_watched(&three.file_changes(), &mut script).unwrap_err();
        let noticed = match error {
            SaveError::ChangedOnDisk { .. } => !created,
            SaveError::Exists { .. } => created,
            _ => false,
        };
        assert!(noticed, "{error:?}");
        assert_eq!(fs::read_to_string(victim).unwrap(), "theirs\n");
        assert_eq!(fs::read_to_string(&three.paths[0]).unwrap(), "old a\n");
        fs::write(&edited, "old b\n").unwrap();
    }
}

#[test]
fn file_that_appears_during_the_save_is_not_overwritten() {
    let three = ThreeFiles::new();
    let mut script = RecordingObserver::new(three.dir.path(), |_, step| {
        if step == SaveStep::Rename {
            fs::write(&three.paths[2], "theirs\n").unwrap();
        }
        false
    });
    let error = save_watched(&three.file_changes(), &mut script).unwrap_err();
    assert!(matches!(error, SaveError::Exists { .. }), "{error:?}");
    assert_eq!(as_strs(&three.current_contents()), [OLD[0], OLD[1], Some("theirs\n")]);
}

#[test]
fn errors_name_the_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("dir")).unwrap();
    fs::write(at("file"), "x").unwrap();
    fs::write(at("locked"), "x").unwrap();
    let mut permissions = fs::metadata(at("locked")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(at("locked"), permissions).unwrap();
    let cases: [(&str, Option<&[u8]>, &str); 8] = [
        ("dir", Some(b"x"), "is a directory"),
        ("dir", None, "is a directory"),
        ("gone", Some(b"x"), "was deleted"),
        ("file", None, "already exists"),
        ("locked", Some(b"x"), "is read-only"),
        ("none/deeper/file", None, "does not exist"),
        ("none/file", Some(b"x"), "was deleted"),
        ("file/below", None, "is not a regular file"),
    ];
    for (name, before, expected) in cases {
        let error = save_stateless(&[FileChange { path: &at(name), before, after: Some(b"y") }]).unwrap_err();
        assert!(error.to_string().contains(expected), "{name}: {error}");
        assert!(!error.hint().is_empty());
        assert!(error.path().starts_with(dir.path()));
    }
    assert_eq!(file_names(dir.path()), ["file", "locked"]);
}

#[test]
fn refuses_the_same_file_twice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "x").unwrap();
    let detour = dir.path().join(".").join("a");
    let change = |path| FileChange { path, before: Some(b"x"), after: Some(b"y") };
    let error = save_stateless(&[change(&path), change(&detour)]).unwrap_err();
    assert!(matches!(error, SaveError::SameFile { .. }), "{error:?}");
    assert_eq!(fs::read_to_string(path).unwrap(), "x");
}

#[test]
fn unchanged_file_is_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "x").unwrap();
    let mut script = RecordingObserver::new(dir.path(), |_, _| false);
    save_watched(&[FileChange { path: &path, before: Some(b"x"), after: Some(b"x") }], &mut script)
        .unwrap()
        .ignore_warning();
    assert_eq!(script.steps.len(), 1);
}

#[test]
fn system_errors_become_typed_errors() {
    use io::ErrorKind as Kind;
    let cases = [
        (Kind::StorageFull, SaveStep::Write, "no space"),
        (Kind::QuotaExceeded, SaveStep::SyncFile, "no space"),
        (Kind::PermissionDenied, SaveStep::Create, "cannot create files"),
        (Kind::ReadOnlyFilesystem, SaveStep::Create, "cannot create files"),
        (Kind::PermissionDenied, SaveStep::Read, "no permission"),
        (Kind::ReadOnlyFilesystem, SaveStep::Read, "is read-only"),
        (Kind::NotFound, SaveStep::Recheck, "was deleted"),
        (Kind::Other, SaveStep::Attributes, "setting owner and permissions"),
    ];
    for (kind, step, expected) in cases {
        let error = SaveError::from_io(step, Path::new("d/a"), Path::new("/d/a"), kind.into());
        assert!(error.to_string().contains(expected), "{kind:?}: {error}");
    }
}

#[test]
fn save_as_overwrites_only_if_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    save_as(&path, b"1", Overwrite::Never).unwrap().ignore_warning();
    let error = save_as(&path, b"2", Overwrite::Never).unwrap_err();
    assert!(matches!(error, SaveError::Exists { .. }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "1");
    save_as(&path, b"2", Overwrite::Allowed).unwrap().ignore_warning();
    assert_eq!(fs::read_to_string(&path).unwrap(), "2");
    assert_eq!(file_names(dir.path()), ["a"]);
}

#[test]
fn saves_tree_with_its_directories_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("new");
    let files: [(&Path, &[u8]); 3] =
        [(Path::new("x/a"), b"1"), (Path::new("x/y/b"), b"2"), (Path::new("c"), b"3")];
    let mut script = RecordingObserver::new(dir.path(), |_, _| false);
    save_tree_watched(&root, &files, Overwrite::Never, &mut script).unwrap().ignore_warning();
    assert_eq!(file_names(dir.path()), ["new/c", "new/x/a", "new/x/y/b"]);
    for (fail_at, (step, _)) in script.steps.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let mut script = RecordingObserver::new(dir.path(), |at, _| at == fail_at);
        let saved = save_tree_watched(&dir.path().join("new"), &files, Overwrite::Never, &mut script);
        assert_eq!(saved.is_ok(), *step == SaveStep::SyncDirectory);
        let expected = if saved.is_ok() { 3 } else { 0 };
        assert_eq!(file_names(dir.path()).len(), expected, "{step:?} {fail_at}");
        assert_eq!(dir.path().join("new").exists(), expected > 0, "{step:?} {fail_at}");
    }
    let error = save_tree(&root, &files, Overwrite::Never).unwrap_err();
    assert!(matches!(error, SaveError::Exists { .. }));
    save_tree(&root, &files, Overwrite::Allowed).unwrap().ignore_warning();
}

#[test]
fn refuses_tree_outside_of_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["../a", "/a", "x/../../a", "", "."] {
        let error = save_tree(dir.path(), &[(Path::new(path), b"1")], Overwrite::Never).unwrap_err();
        assert!(matches!(error, SaveError::OutsideTree { .. }), "{path}: {error:?}");
    }
}

#[test]
fn folder_of_new_file_is_removed_if_the_save_fails() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("a.yaml"), dir.path().join("new/c.yaml"));
    fs::write(&old, "old\n").unwrap();
    let changes = [
        FileChange { path: &new, before: None, after: Some(b"c\n") },
        FileChange { path: &old, before: Some(b"old\n"), after: Some(b"new\n") },
    ];
    for at in 0.. {
        let mut script = RecordingObserver::new(dir.path(), move |step, _| step == at);
        let saved = save_watched(&changes, &mut script);
        if saved.is_ok_and(|saved| saved.warning().is_none()) {
            assert!(at > 5, "every step has failed once");
            break;
        }
        if fs::read_to_string(&old).unwrap() == "new\n" {
            // All files are saved; only their durability is unknown.
            fs::write(&old, "old\n").unwrap();
            fs::remove_dir_all(dir.path().join("new")).unwrap();
        }
        assert_eq!(file_names(dir.path()), ["a.yaml"], "at step {at}: {:?}", script.steps);
    }
    assert_eq!(file_names(dir.path()), ["a.yaml", "new/c.yaml"]);
    // A missing folder of the catalog itself is not created.
    let gone = dir.path().join("gone/p/c.yaml");
    let change = FileChange { path: &gone, before: None, after: Some(b"c\n") };
    assert!(matches!(save_stateless(&[change]), Err(SaveError::NoDirectory { .. })));
}
