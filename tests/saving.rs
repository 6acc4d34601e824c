//! Saves whose process is killed before each of its steps. Every file keeps its complete old or new
//! content, and leftover files have recognizable names, as described in `docs/saving.md`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use olm_catalog::paths::leftover::is_leftover;
use olm_edit::save::{
    DirectoryLock, FileChange, SaveStep, StateDirectory, StepObserver, save_files, save_files_observed,
};

const FOLDER_VARIABLE: &str = "OLMAP_TEST_FOLDER";
const STATE_VARIABLE: &str = "OLMAP_TEST_STATE";
const STEP_VARIABLE: &str = "OLMAP_TEST_STEP";

/// Ends the process before one of the steps, as in a power failure: destructors do not run.
struct KillAtStep {
    steps: usize,
    at: usize,
}

impl StepObserver for KillAtStep {
    fn before_step(&mut self, _: SaveStep, _: &Path) -> io::Result<()> {
        if self.steps == self.at {
            let pid = std::process::id().to_string();
            Command::new("kill").args(["-s", "KILL", &pid]).status().unwrap();
            unreachable!("killed");
        }
        self.steps += 1;
        Ok(())
    }
}

/// Changed files, a new one and a removed one.
const OLD: [(&str, Option<&str>); 4] = [
    ("a.yaml", Some("old a\n")),
    ("b.yaml", Some("old b\n")),
    ("deprecations.yaml", None),
    ("gone.yaml", Some("old d\n")),
];
const NEW: [Option<&str>; 4] = [Some("new a, longer\n"), Some("new b\n"), Some("new c\n"), None];

fn with_changes<T>(folder: &Path, make: impl FnOnce(&[FileChange<'_>]) -> T) -> T {
    let paths: Vec<PathBuf> = OLD.iter().map(|(name, _)| folder.join(name)).collect();
    let changes: Vec<FileChange<'_>> = paths
        .iter()
        .zip(OLD)
        .zip(NEW)
        .map(|((path, (_, old)), new)| FileChange {
            path,
            before: old.map(str::as_bytes),
            after: new.map(str::as_bytes),
        })
        .collect();
    make(&changes)
}

/// Returns a lock with or without a state directory.
fn new_lock(state: Option<&Path>) -> DirectoryLock {
    DirectoryLock::new(state.map_or_else(StateDirectory::none, StateDirectory::from_path))
}

#[test]
#[ignore = "run by the test below, in a process of its own"]
fn save_is_killed_at_a_step() {
    let folder = PathBuf::from(env::var_os(FOLDER_VARIABLE).unwrap());
    let at = env::var(STEP_VARIABLE).unwrap().parse().unwrap();
    with_changes(&folder, |changes| {
        save_files_observed(
            changes,
            &mut new_lock(env::var_os(STATE_VARIABLE).map(PathBuf::from).as_deref()),
            &mut KillAtStep { steps: 0, at },
        )
    })
    .unwrap()
    .ignore_warning();
}

#[test]
fn kill_at_any_step_leaves_each_file_whole_without_a_state_directory() {
    check_kill_at_every_step(None);
}

#[test]
fn kill_at_any_step_leaves_no_extra_files_with_a_state_directory() {
    let state = tempfile::tempdir().unwrap();
    check_kill_at_every_step(Some(state.path()));
}

fn check_kill_at_every_step(state: Option<&Path>) {
    let mut outcomes = Vec::new();
    for at in 0.. {
        let folder = tempfile::tempdir().unwrap();
        for (name, old) in OLD {
            if let Some(old) = old {
                fs::write(folder.path().join(name), old).unwrap();
            }
        }
        let mut process = Command::new(env::current_exe().unwrap());
        process
            .args(["--exact", "save_is_killed_at_a_step", "--ignored"])
            .env(FOLDER_VARIABLE, folder.path())
            .env(STEP_VARIABLE, at.to_string())
            .stdout(Stdio::null());
        if let Some(state) = state {
            process.env(STATE_VARIABLE, state);
        }
        let status = process.status().unwrap();
        let mut saved = 0;
        for ((name, old), new) in OLD.into_iter().zip(NEW) {
            let now = fs::read_to_string(folder.path().join(name)).ok();
            assert!(now.as_deref() == old || now.as_deref() == new, "step {at}: {name} is {now:?}");
            saved += usize::from(now.as_deref() == new);
        }
        for entry in fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name();
            let is_known = OLD.iter().any(|(known, _)| name == *known);
            assert!(is_known || state.is_none() && is_leftover(&name), "step {at}: {}", name.display());
        }
        outcomes.push(saved);
        if status.success() {
            break;
        }
        // Leftover files are not part of the catalog. Another save succeeds, whether the files are
        // loaded again or not, and no lock is held.
        with_changes(folder.path(), |changes| save_files(changes, &mut new_lock(state)))
            .unwrap()
            .ignore_warning();
        for ((name, _), new) in OLD.into_iter().zip(NEW) {
            let now = fs::read_to_string(folder.path().join(name)).ok();
            assert_eq!(now.as_deref(), new, "step {at}");
        }
    }
    if let Some(state) = state {
        let left = fs::read_dir(state.join("staging")).unwrap().count();
        assert_eq!(left, 0, "each save takes away what those before it left");
    }
    assert!(outcomes.is_sorted(), "files are put in place one after the other: {outcomes:?}");
    let before_the_first = outcomes.iter().filter(|saved| **saved == 0).count();
    assert!(before_the_first > 12, "all files are prepared before the first is put in place: {outcomes:?}");
    assert!([1, 2, 3, 4].iter().all(|some| outcomes.contains(some)), "{outcomes:?}");
}
