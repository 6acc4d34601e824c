//! Suspension of the program, other programs in its terminal, and the return to it.

use std::path::Path;

use crate::pty::{Terminal, screen_with_size, write_catalog};

/// Script that runs olmap as a job of a shell and writes its process ID. When olmap has stopped,
/// the shell waits for a line, and continues olmap after another one.
const JOB: &str = r#"
set -m
sh -c 'echo $$ >"$0/pid"; exec "$1" "$2"' "$0" "$1" "$2"
echo "back in the shell"
read line
echo "the shell read <$line>"
read line
fg
echo "left with $?"
"#;

struct Job {
    terminal: Terminal,
    folder: tempfile::TempDir,
}

impl Job {
    fn start_job(catalog: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let terminal = Terminal::start_program("sh", |command| {
            command.args(["-c", JOB]);
            command.args([folder.path(), Path::new(env!("CARGO_BIN_EXE_olmap")), catalog]);
        });
        Self { terminal, folder }
    }

    fn signal(&self, name: &str) {
        let pid = std::fs::read_to_string(self.folder.path().join("pid")).unwrap();
        let sent = std::process::Command::new("kill").args(["-s", name, pid.trim()]).status().unwrap();
        assert!(sent.success());
    }
}

#[test]
fn resumed_explorer_redraws_the_whole_screen_at_its_new_size() {
    let (folder, _) = write_catalog();
    for how in ["\x1a", "TSTP"] {
        let mut job = Job::start_job(folder.path());
        job.terminal.wait_for_text("Entries 2");
        if how.len() == 1 {
            job.terminal.press_keys(how);
        } else {
            job.signal(how);
        }
        job.terminal.wait_for_text("back in the shell");
        job.terminal.assert_given_back();
        job.terminal.resize(20, 120);
        // The shell reads and echoes the input now: the terminal has its original state.
        job.terminal.press_keys("j2\x7fq\r");
        job.terminal.wait_for_text("the shell read <jq>");
        assert!(job.terminal.parser.screen().contents().contains("jq\n"), "what was typed was not shown");
        // The screen is cleared, so that everything must be drawn again.
        job.terminal.parser = screen_with_size(20, 120);
        job.terminal.press_keys("\r");
        job.terminal.wait_for_text("Entries 2");
        job.terminal
            .wait_until("the last row", |screen| screen.contents_between(19, 0, 19, 120).contains("? help"));
        job.terminal.press_keys("q");
        job.terminal.wait_for_text("left with 0");
        job.terminal.assert_given_back();
        job.terminal.wait_for_exit();
    }
}

#[test]
fn terminal_is_taken_again_after_sigstop() {
    let (folder, _) = write_catalog();
    let mut job = Job::start_job(folder.path());
    job.terminal.wait_for_text("Entries 2");
    // SIGSTOP cannot be caught, so the terminal was not restored before.
    job.signal("STOP");
    job.terminal.wait_until_written("back in the shell");
    job.terminal.press_keys("\n");
    job.terminal.wait_until_written("the shell read");
    job.terminal.parser = screen_with_size(30, 100);
    job.terminal.press_keys("\n");
    job.terminal.wait_for_text("Entries 2");
    job.terminal.press_keys("q");
    job.terminal.wait_for_text("left with 0");
    job.terminal.assert_given_back();
    job.terminal.wait_for_exit();
}

#[test]
fn program_without_a_shell_does_not_suspend() {
    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("\x1a");
    terminal.wait_for_text("no shell to return to");
    terminal.press_keys(":suspend");
    terminal.wait_for_text("not now: no shell");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
}

/// In a container, a process may belong to a session and job outside of it. Linux only, and only if
/// containers are permitted.
#[test]
fn shell_outside_of_the_container_does_not_suspend_it() {
    const CONTAINED: [&str; 4] = ["--user", "--pid", "--fork", "sh"];
    let tried = std::process::Command::new("unshare").args(CONTAINED).args(["-c", "exit 0"]).status();
    if !tried.is_ok_and(|status| status.success()) {
        eprintln!("not tested: unshare(1) makes no container here");
        return;
    }
    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_program("unshare", |command| {
        command.args(CONTAINED);
        // Without the last command, olmap would replace the shell.
        command.args(["-c", "\"$0\" \"$1\"; exit $?", env!("CARGO_BIN_EXE_olmap")]);
        command.arg(folder.path());
    });
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("\x1a");
    terminal.wait_for_text("no shell to return to");
    terminal.press_keys("q");
    assert_eq!(terminal.wait_for_exit(), 0);
}

/// Starts olmap on a catalog, with its newest entry selected.
fn start_on_newest_entry(
    set_up: impl FnOnce(&mut portable_pty::CommandBuilder),
) -> (Terminal, tempfile::TempDir) {
    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_olmap_with(|command| {
        set_up(command);
        command.arg(folder.path());
    });
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("ll");
    (terminal, folder)
}

#[test]
fn copied_text_reaches_the_terminal_with_a_message() {
    // `ship.v1.1.0` in base64.
    let osc = "\x1b]52;c;c2hpcC52MS4xLjA=\x07";
    let (mut terminal, _folder) = start_on_newest_entry(|_| {});
    terminal.press_keys("yn");
    terminal.wait_for_text("sent ship.v1.1.0 to the clipboard of the terminal (OSC 52)");
    terminal.wait_until_written(osc);
    terminal.press_keys("qqq");
    assert_eq!(terminal.wait_for_exit(), 0);
    let (mut terminal, _folder) = start_on_newest_entry(|command| {
        command.env("STY", "1.screen");
    });
    terminal.press_keys("yn");
    terminal.wait_for_text("(OSC 52 through screen)");
    terminal.wait_until_written(&format!("\x1bP{osc}\x1b\\"));
    terminal.press_keys("\x03");
    terminal.wait_for_exit();
}

#[test]
fn clipboard_program_is_used_if_it_works() {
    for (ends, says) in [("exit 0", "copied ship.v1.1.0 (wl-copy)"), ("exit 1", "(OSC 52)")] {
        let tools = tempfile::tempdir().unwrap();
        let program = tools.path().join("wl-copy");
        std::fs::write(&program, format!("#!/bin/sh\ncat >\"$0.got\"\n{ends}\n")).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let (mut terminal, _folder) = start_on_newest_entry(|command| {
            let old = std::env::var("PATH").unwrap();
            command.env("PATH", format!("{}:{old}", tools.path().display()));
            command.env("WAYLAND_DISPLAY", "wayland-0");
            command.env_remove("SSH_CONNECTION");
        });
        terminal.press_keys("yn");
        terminal.wait_for_text(says);
        assert_eq!(std::fs::read_to_string(tools.path().join("wl-copy.got")).unwrap(), "ship.v1.1.0");
        terminal.press_keys("\x03");
        terminal.wait_for_exit();
    }
}

#[test]
fn mouse_can_be_given_to_the_terminal_and_taken_back() {
    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    let is_ours = |screen: &vt100::Screen| screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
    assert!(is_ours(terminal.parser.screen()));
    // A click on the second tab.
    terminal.press_keys("\x1b[<0;16;2M\x1b[<0;16;2m");
    terminal.wait_for_text("[2 Graph]");
    terminal.press_keys("Im");
    terminal.wait_for_text("mouse off: select text");
    assert!(!is_ours(terminal.parser.screen()));
    // After the return, the mouse still belongs to the terminal.
    terminal.press_keys("\x1a");
    terminal.wait_for_text("no shell");
    assert!(!is_ours(terminal.parser.screen()));
    terminal.press_keys("Im");
    terminal.wait_until("the mouse is ours", is_ours);
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
}

#[test]
fn focus_reloads_files_written_meanwhile() {
    // Only a link to the catalog is watched; writes to its target are not noticed.
    let (folder, path) = write_catalog();
    let link = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(&path, link.path().join("catalog.yaml")).unwrap();
    let mut terminal = Terminal::start_olmap(&[link.path()]);
    terminal.wait_for_text("Entries 2");
    terminal.wait_until_silent();
    std::fs::write(&path, crate::pty::CATALOG.replace("stable", "steady")).unwrap();
    terminal.press_keys("\x1b[O\x1b[I");
    terminal.wait_for_text("steady");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    drop(folder);
}
