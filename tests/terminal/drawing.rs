//! Output to the terminal: content and time.

use crate::pty::{CATALOG, Terminal, catalog, screen};

#[test]
fn nothing_is_drawn_without_events() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    // Files that were written recently are read again, because they could change without a new
    // timestamp.
    terminal.falls_silent();
    std::fs::write(&path, CATALOG.replace("# newest", "# newer!")).unwrap();
    terminal.shows("reload");
    terminal.falls_silent();
    terminal.press("j");
    terminal.shows("Entries 2");
    terminal.falls_silent();
}

#[test]
fn escape_sequences_of_a_catalog_never_reach_the_terminal() {
    let (folder, path) = catalog();
    let nasty = CATALOG
        .replace("schema: olm.package\n", "schema: olm.package\ndescription: \"\\e]0;owned\\a\\e[31mred\"\n");
    std::fs::write(&path, nasty).unwrap();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("owned");
    terminal.press("q");
    terminal.end();
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(!written.contains("\x1b]0;"), "a title sequence got through");
    assert!(!written.contains("\x1b[31mred"), "a colour sequence got through");
}

/// Arguments cannot send escape sequences to the terminal, but colored messages can.
#[test]
fn escape_sequences_of_arguments_never_reach_the_terminal() {
    let mut terminal =
        Terminal::start_with(|command| command.args(["validate", "--\x1b]0;PWN\x07\x1b[35m", "\u{9b}2J"]));
    terminal.shows("unexpected argument");
    assert_eq!(terminal.end(), 2);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(!written.contains("\x1b]0;") && !written.contains("\x1b[35m"), "{written:?}");
    assert!(!written.contains('\u{9b}') && !written.contains('\x07'), "{written:?}");
    assert!(written.contains("\u{241b}]0;PWN\u{2407}"), "{written:?}");
    assert!(written.contains("\x1b[1m\x1b[31merror:\x1b[0m"), "{written:?}");
}

#[test]
fn a_storm_of_sizes_is_survived() {
    let (folder, _) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    for (rows, cols) in
        [(1, 1), (10, 40), (2, 500), (200, 3), (15, 50), (60, 200), (200, 500), (1, 80), (30, 100)]
    {
        terminal.resize(rows, cols);
        terminal.press("j2k3j1");
    }
    terminal.parser = screen();
    terminal.press("2");
    terminal.shows("stable: 2 entries");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
}
