//! Start of an editor, and the return to olmap.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::pty::{CATALOG, Terminal, write_catalog};

/// Starts olmap on a catalog, with a script as the editor.
fn with_editor(script: &str) -> (Terminal, tempfile::TempDir, PathBuf) {
    let (folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap_with(|command| {
        command.env("VISUAL", editor_command(folder.path(), script));
        command.arg("--no-watch");
        command.arg(&path);
    });
    terminal.wait_for_text("Entries 2");
    (terminal, folder, path)
}

/// Returns the quoted command of an editor whose path contains a space, with an argument.
fn editor_command(folder: &Path, script: &str) -> String {
    let tools = folder.join("my tools");
    fs::create_dir(&tools).unwrap();
    let program = tools.join("vim");
    fs::write(&program, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}' --own", program.display())
}

#[test]
fn keys_go_to_the_editor_then_to_olmap_and_its_changes_are_loaded() {
    // The editor reads one line, and then waits until a file exists.
    let (mut terminal, folder, path) = with_editor(
        "echo \"editor: $1 $2 $3\"\nread line\nsed \"s/newest/$line/; s/1.1.0/1.2.0/g\" \"$3\" >\"$3.new\" && mv \"$3.new\" \"$3\"\n\
         mkfifo \"${3%/*}/go\"\necho closing\nread go <\"${3%/*}/go\"\n",
    );
    terminal.press_keys("ll");
    terminal.press_keys("E");
    terminal.wait_for_text(&format!("editor: --own +9 {}", path.display()));
    terminal.assert_given_back();
    terminal.press_keys("jq2\r");
    terminal.wait_for_text("closing");
    // The editor does not read anymore, and olmap does not read yet.
    terminal.press_keys("h3j");
    fs::write(folder.path().join("go"), "\n").unwrap();
    terminal.wait_for_text("[3 Upgrades]");
    terminal.wait_for_text("1.2.0");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        CATALOG.replace("newest", "jq2").replace("1.1.0", "1.2.0"),
        "what was meant for the editor went there"
    );
    terminal.press_keys("qqq");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
}

#[test]
fn unsaved_edits_are_applied_to_the_changes_of_the_editor() {
    let (mut terminal, _folder, path) =
        with_editor("sed 's/newest/old/' \"$3\" >\"$3.new\" && mv \"$3.new\" \"$3\"\n");
    terminal.press_keys("lle\t\t>=1.0.0 <1.1.0\r");
    terminal.wait_for_text("1 unsaved");
    terminal.press_keys("E");
    terminal.wait_for_text("reloaded, your edits are kept");
    terminal.wait_for_text("1 unsaved");
    assert_eq!(fs::read_to_string(&path).unwrap(), CATALOG.replace("newest", "old"));
    terminal.press_keys("\x03d");
    terminal.wait_for_exit();
}

#[test]
fn crashing_editor_does_not_affect_the_explorer() {
    // The editor leaves the terminal in an unusable state.
    let (mut terminal, _folder, _) =
        with_editor("stty raw -echo\nprintf '\\033[?1049h\\033[?25l'\nkill -s KILL $$\n");
    terminal.press_keys("E");
    terminal.wait_for_text("ended with signal: 9");
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("q");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
    terminal.assert_readable();
}

#[test]
fn missing_or_failing_editor_is_reported() {
    let (mut terminal, _folder, _) = with_editor("exit 3\n");
    terminal.press_keys("E");
    terminal.wait_for_text("ended with exit status: 3");
    terminal.press_keys("q");
    terminal.wait_for_exit();

    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_olmap_with(|command| {
        command.env("VISUAL", "olmap-has-no-such-editor");
        command.arg(folder.path());
    });
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("E");
    terminal.wait_for_text("olmap-has-no-such-editor cannot be started");
    terminal.press_keys("q");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
}

#[test]
fn interrupt_reaches_the_editor_and_termination_ends_both() {
    let (mut terminal, _folder, _) = with_editor(
        "trap 'echo interrupted' INT\ntrap 'echo ended; exit 0' TERM\necho begun\nwhile :; do read line; done\n",
    );
    terminal.press_keys("E");
    terminal.wait_for_text("begun");
    terminal.press_keys("\x03");
    terminal.wait_for_text("interrupted");
    terminal.send_signal("TERM");
    terminal.wait_until_written("ended");
    assert_eq!(terminal.wait_for_exit(), 128 + 15);
    terminal.assert_given_back();
}

#[test]
fn read_only_mode_does_not_start_an_editor() {
    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path(), Path::new("--read-only")]);
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("E");
    terminal.wait_for_text("open in editor: read-only");
    terminal.press_keys("q");
    assert_eq!(terminal.wait_for_exit(), 0);
}
