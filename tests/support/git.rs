//! Git repositories for tests, independent of the user's configuration.

#![allow(dead_code, reason = "each test file uses its part")]

use std::{path::Path, process::Command};

/// Runs git in a folder.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) {
    git_on("2025-01-01", folder, arguments);
}

/// Runs git in a folder with the date of a day.
#[track_caller]
pub fn git_on(day: &str, folder: &Path, arguments: &[&str]) {
    let when = if day.starts_with('@') { day.to_owned() } else { format!("{day}T12:00:00Z") };
    let done = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "c"), ("GIT_COMMITTER_EMAIL", "c@example.com")])
        .envs([("GIT_AUTHOR_DATE", &when), ("GIT_COMMITTER_DATE", &when)])
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Creates a repository in a folder.
pub fn init(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
}

/// Commits all changes with the date of a day.
pub fn commit_on(day: &str, folder: &Path) {
    git_on(day, folder, &["add", "-A"]);
    git_on(day, folder, &["commit", "-q", "--allow-empty", "-m", day]);
}

/// Clones a repository as from a server, with options of `git clone`.
pub fn clone(from: &Path, to: &Path, options: &[&str]) {
    git(from, &["config", "uploadpack.allowFilter", "true"]);
    git(from, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    let from = format!("file://{}", from.display());
    let to = to.to_str().unwrap();
    git(Path::new("."), &[&["clone", "-q"], options, &[&from, to]].concat());
}
