//! Restoration of the terminal after any kind of exit.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    sync::mpsc,
};

use nix::sys::termios::{FlowArg, tcflow};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::pty::{TIMEOUT, Terminal, write_catalog};

#[test]
fn signal_restores_the_terminal() {
    for signal in ["TERM", "HUP", "INT", "QUIT"] {
        let (folder, _) = write_catalog();
        let mut terminal = Terminal::start_olmap(&[folder.path()]);
        terminal.wait_for_text("Entries 2");
        terminal.send_signal(signal);
        terminal.wait_for_exit();
        terminal.assert_given_back();
    }
}

/// The program is blocked: its terminal does not accept output, as after ctrl-s.
#[test]
fn one_signal_ends_the_explorer_at_any_moment() {
    for signal in ["TERM", "HUP", "INT"] {
        let (folder, _) = write_catalog();
        let size = PtySize { rows: 30, cols: 100, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).unwrap();
        let state = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_olmap"));
        command.arg(folder.path());
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", state.path());
        command.env("XDG_CACHE_HOME", state.path());
        command.env("OLMAP_CONFIG", "none");
        let mut child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        // Once the program draws, its signal handlers are installed.
        pty.master.try_clone_reader().unwrap().read_exact(&mut [0; 500]).unwrap();
        let name = pty.master.tty_name().unwrap();
        let side = std::fs::File::options().read(true).write(true).open(name).unwrap();
        tcflow(&side, FlowArg::TCOOFF).unwrap();
        pty.master.take_writer().unwrap().write_all(b"2").unwrap();
        let pid = child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        let (ended, end) = mpsc::channel();
        std::thread::spawn(move || ended.send(child.wait().is_ok()));
        assert_eq!(end.recv_timeout(TIMEOUT), Ok(true), "{signal} does not end it");
    }
}

/// Another process holds the lock of the catalog when the signal arrives. The waiting save still
/// completes.
#[test]
#[cfg(target_os = "linux")]
fn save_is_completed_if_a_signal_arrives() {
    let (folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("lle\x15\r");
    terminal.wait_for_text("1 unsaved");
    terminal.press_keys("\x13\r");
    terminal.wait_for_text("Save anyway?");
    let lock = std::fs::File::open(folder.path()).unwrap();
    lock.lock().unwrap();
    terminal.press_keys("w");
    // The folder is open for locking.
    let descriptors = format!("/proc/{}/fd", terminal.child.process_id().unwrap());
    let real = folder.path().canonicalize().unwrap();
    let is_waiting = || {
        let mut open = std::fs::read_dir(&descriptors).unwrap().flatten();
        open.any(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == real))
    };
    let deadline = std::time::Instant::now() + TIMEOUT;
    while !is_waiting() {
        assert!(std::time::Instant::now() < deadline, "it does not wait for the lock");
        std::thread::yield_now();
    }
    terminal.send_signal("TERM");
    terminal.wait_until_silent();
    assert!(terminal.child.try_wait().unwrap().is_none(), "it ended before it had saved");
    drop(lock);
    terminal.wait_for_exit();
    terminal.assert_given_back();
    let saved = std::fs::read_to_string(path).unwrap();
    assert_eq!(saved, crate::pty::CATALOG.replace("  replaces: ship.v1.0.0\n", ""));
}

/// Not a test: it is run in a terminal by the next test.
#[test]
#[ignore = "run by another test, in a terminal"]
fn takes_the_terminal_and_panics() {
    let _guard = olmap::TerminalGuard::take_over().unwrap();
    panic!("on purpose");
}

#[test]
fn panic_restores_the_terminal_and_is_readable() {
    let this = std::env::current_exe().unwrap();
    let mut terminal = Terminal::start_program(this.to_str().unwrap(), |command| {
        command.args(["--ignored", "--exact", "ending::takes_the_terminal_and_panics", "--nocapture"]);
    });
    terminal.wait_for_text("on purpose");
    assert_ne!(terminal.wait_for_exit(), 0);
    assert!(String::from_utf8_lossy(&terminal.written).contains("\x1b[?1049h"), "it never took the terminal");
    terminal.assert_given_back();
}

#[test]
fn missing_path_is_reported_and_can_be_left() {
    let mut terminal = Terminal::start_olmap(&[Path::new("/nowhere/at/all")]);
    terminal.wait_for_text("/nowhere/at/all");
    terminal.press_keys("q");
    terminal.wait_for_exit();
    terminal.assert_given_back();
}

/// Not a test: it is run in a terminal by the next test.
#[test]
#[ignore = "run by another test, in a terminal"]
fn takes_the_terminal_while_another_thread_panics() {
    let mut guard = olmap::TerminalGuard::take_over().unwrap();
    guard.render_frame(|frame| frame.render_widget("drawn", frame.area())).unwrap();
    std::thread::spawn(|| panic!("elsewhere")).join().unwrap_err();
    assert!(guard.render_frame(|_| ()).is_err(), "it draws on a terminal that is not its own any more");
}

#[test]
fn panic_on_another_thread_restores_the_terminal_and_stops_drawing() {
    let this = std::env::current_exe().unwrap();
    let mut terminal = Terminal::start_program(this.to_str().unwrap(), |command| {
        let name = "ending::takes_the_terminal_while_another_thread_panics";
        command.args(["--ignored", "--exact", name, "--nocapture"]);
    });
    terminal.wait_until_written("drawn");
    terminal.wait_for_text("elsewhere");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
    terminal.assert_readable();
}

#[test]
fn unsuitable_terminal_is_reported_and_stays_unchanged() {
    let (folder, _) = write_catalog();
    let olmap = env!("CARGO_BIN_EXE_olmap");
    for (script, says) in [
        ("\"$1\" \"$0\" | cat", "the explorer needs a terminal, but its output is not a terminal"),
        ("TERM=dumb \"$1\" \"$0\"; echo $?", "with cursor movement, but TERM=dumb"),
    ] {
        let mut terminal = Terminal::start_program("sh", |command| {
            command.args(["-c", script]);
            command.args([folder.path(), Path::new(olmap)]);
        });
        terminal.wait_for_exit();
        let written = String::from_utf8_lossy(&terminal.written).replace("\r\n", " ");
        assert!(written.contains(says), "{written}");
        assert!(written.contains("olmap list, validate, successors, graph or render"), "{written}");
        assert!(!written.contains("\x1b[?"), "{written}");
    }
}

#[test]
fn keys_are_read_from_the_terminal_if_standard_input_is_redirected() {
    let (folder, path) = write_catalog();
    for script in ["\"$1\" \"$0\" <&-", "\"$1\" - <\"$2\"", "\"$1\" \"$0\" </dev/null"] {
        let mut terminal = Terminal::start_program("sh", |command| {
            command.args(["-c", script]);
            command.args([folder.path(), Path::new(env!("CARGO_BIN_EXE_olmap")), &path]);
        });
        terminal.wait_for_text("Entries 2");
        terminal.press_keys("2");
        terminal.wait_for_text("[2 Graph]");
        terminal.press_keys("\x03");
        assert_eq!(terminal.wait_for_exit(), 0, "{script}");
        terminal.assert_given_back();
    }
}

#[test]
fn last_location_is_restored_and_read_only_mode_saves_nothing() {
    let (folder, _) = write_catalog();
    let state = tempfile::tempdir().unwrap();
    let places = state.path().join("olmap").join("places.json");
    let start = |read_only: bool| {
        let mut terminal = Terminal::start_olmap_with(|command| {
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            if read_only {
                command.arg("--read-only");
            }
            command.arg(folder.path());
        });
        terminal.wait_for_text(" ship");
        terminal
    };
    let leave = |mut terminal: Terminal, how: &str| {
        if how == "\x03" {
            terminal.press_keys(how);
        } else {
            terminal.send_signal(how);
        }
        terminal.wait_for_exit();
        terminal.assert_given_back();
    };
    let mut terminal = start(true);
    terminal.press_keys("llj2");
    terminal.wait_for_text("[2 Graph]");
    leave(terminal, "\x03");
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "read-only writes nothing at all");
    let mut terminal = start(false);
    terminal.press_keys("llj3");
    terminal.wait_for_text("[3 Upgrades]");
    leave(terminal, "TERM");
    for kept in [None, Some("no JSON")] {
        if let Some(text) = kept {
            std::fs::write(&places, text).unwrap();
        }
        let mut terminal = start(false);
        match kept {
            None => terminal.wait_for_text(">1.0.0"),
            Some(_) => terminal.wait_for_text("[1 Packages]"),
        }
        leave(terminal, "\x03");
    }
    assert!(std::fs::read_to_string(&places).unwrap().contains("ship"), "it is mended");
}
