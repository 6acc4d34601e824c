//! However it ends, the terminal is as it was.

use std::path::Path;

use crate::pty::{Terminal, catalog};

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in ["TERM", "HUP", "INT"] {
        let (folder, _) = catalog();
        let mut terminal = Terminal::start(&[folder.path()]);
        terminal.shows("Entries 2");
        terminal.signal(signal);
        terminal.end();
        terminal.assert_given_back();
    }
}

/// Not a test of its own: what the next one runs in a terminal.
#[test]
#[ignore = "run by another test, in a terminal"]
fn takes_the_terminal_and_panics() {
    let _guard = olmap::runtime::Guard::enter().unwrap();
    panic!("on purpose");
}

#[test]
fn a_panic_gives_the_terminal_back_and_is_readable() {
    let this = std::env::current_exe().unwrap();
    let mut terminal = Terminal::run(this.to_str().unwrap(), |command| {
        command.args(["--ignored", "--exact", "ending::takes_the_terminal_and_panics", "--nocapture"]);
    });
    terminal.shows("on purpose");
    assert_ne!(terminal.end(), 0);
    assert!(String::from_utf8_lossy(&terminal.written).contains("\x1b[?1049h"), "it never took the terminal");
    terminal.assert_given_back();
}

#[test]
fn a_path_that_is_not_there_is_said_and_can_be_left() {
    let mut terminal = Terminal::start(&[Path::new("/nowhere/at/all")]);
    terminal.shows("/nowhere/at/all");
    terminal.press("q");
    terminal.end();
    terminal.assert_given_back();
}
