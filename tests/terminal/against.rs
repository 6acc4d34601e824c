//! Comparison with a git revision.

use std::{path::Path, process::Command};

use crate::pty::{CATALOG, Terminal, write_catalog};

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

#[test]
fn catalog_is_compared_with_its_history() {
    let (folder, path) = write_catalog();
    run_git(folder.path(), &["init", "-q", "-b", "main"]);
    run_git(folder.path(), &["add", "-A"]);
    run_git(folder.path(), &["commit", "-q", "-m", "one"]);
    std::fs::write(&path, CATALOG.replace("  replaces: ship.v1.0.0\n", "")).unwrap();
    let mut terminal = Terminal::start_olmap(&[&path]);
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("B");
    terminal.wait_for_text("the last commit of its git repository");
    terminal.press_keys("\r6");
    terminal.wait_for_text("1 package differs from git:HEAD");
    terminal.wait_for_text("~ 1.1.0: replaces 1.0.0 => nothing");
    terminal.press_keys("Bj\rno-such-branch\r");
    // The reason is shown below the input, and the previous comparison is kept.
    terminal.wait_for_text("no-such-branch");
    terminal.wait_for_text("git has no revision");
    terminal.press_keys("\x1b");
    terminal.wait_for_text("1 package differs from git:HEAD");
    terminal.press_keys("q\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
    // The command line gives the same result for a named revision.
    let mut terminal = Terminal::start_olmap_with(|command| {
        command.args(["--against", "git:main"]);
        command.arg(&path);
    });
    terminal.wait_for_text("against git:main");
    terminal.press_keys("6");
    terminal.wait_for_text("1 package differs from git:main");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn revision_is_opened_and_cannot_be_edited() {
    let (folder, path) = write_catalog();
    run_git(folder.path(), &["init", "-q", "-b", "main"]);
    run_git(folder.path(), &["add", "-A"]);
    run_git(folder.path(), &["commit", "-q", "-m", "one"]);
    std::fs::write(&path, CATALOG.replace("  replaces: ship.v1.0.0\n", "")).unwrap();
    let now = std::fs::read(&path).unwrap();
    let mut terminal = Terminal::start_olmap_with(|command| {
        command.cwd(folder.path());
        command.arg("git:HEAD:.");
    });
    terminal.wait_for_text("Entries 2");
    terminal.wait_for_text("replaces");
    terminal.press_keys("lle");
    terminal.wait_for_text("catalog.yaml is write-protected");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(std::fs::read(&path).unwrap(), now);
}

#[test]
fn comparison_without_a_repository_shows_a_message() {
    let (_folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap_with(|command| {
        // A repository around the folder of temporary files would be found.
        command.env("GIT_CEILING_DIRECTORIES", path.parent().unwrap().parent().unwrap());
        command.arg(&path);
    });
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("B");
    // The cursor is on what is possible; the reason is whole below the list if its row is selected.
    terminal.wait_for_text(">another catalog");
    terminal.press_keys("kk");
    terminal.wait_for_text("is not in a git repository");
    terminal.press_keys("q\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
}
