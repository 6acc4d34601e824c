//! Output to the terminal: content and time.

use crate::pty::{CATALOG, Terminal, empty_screen, write_catalog};

#[test]
fn nothing_is_drawn_without_events() {
    let (folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    // Files that were written recently are read again, because they could change without a new
    // timestamp.
    terminal.wait_until_silent();
    std::fs::write(&path, CATALOG.replace("# newest", "# newer!")).unwrap();
    terminal.wait_for_text("reload");
    terminal.wait_until_silent();
    terminal.press_keys("j");
    terminal.wait_for_text("Entries 2");
    terminal.wait_until_silent();
}

#[test]
fn escape_sequences_of_a_catalog_never_reach_the_terminal() {
    let (folder, path) = write_catalog();
    let nasty = CATALOG
        .replace("schema: olm.package\n", "schema: olm.package\ndescription: \"\\e]0;owned\\a\\e[31mred\"\n");
    std::fs::write(&path, nasty).unwrap();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("owned");
    terminal.press_keys("q");
    terminal.wait_for_exit();
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(!written.contains("\x1b]0;"), "a title sequence got through");
    assert!(!written.contains("\x1b[31mred"), "a colour sequence got through");
}

/// Arguments cannot send escape sequences to the terminal, but colored messages can.
#[test]
fn escape_sequences_of_arguments_never_reach_the_terminal() {
    let mut terminal = Terminal::start_olmap_with(|command| {
        command.args(["validate", "--\x1b]0;PWN\x07\x1b[35m", "\u{9b}2J"]);
    });
    terminal.wait_for_text("unexpected argument");
    assert_eq!(terminal.wait_for_exit(), 2);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(!written.contains("\x1b]0;") && !written.contains("\x1b[35m"), "{written:?}");
    assert!(!written.contains('\u{9b}') && !written.contains('\x07'), "{written:?}");
    assert!(written.contains("\u{241b}]0;PWN\u{2407}"), "{written:?}");
    assert!(written.contains("\x1b[1m\x1b[31merror:\x1b[0m"), "{written:?}");
}

#[test]
fn rapid_resizes_and_keys_do_not_crash() {
    let (folder, _) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    for (rows, cols) in
        [(1, 1), (10, 40), (2, 500), (200, 3), (15, 50), (60, 200), (200, 500), (1, 80), (30, 100)]
    {
        terminal.resize(rows, cols);
        terminal.press_keys("j2k3j1");
    }
    terminal.parser = empty_screen();
    terminal.press_keys("2");
    terminal.wait_for_text("stable: 2 entries");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
}
