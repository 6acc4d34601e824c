//! The real binary in a pseudo terminal: it starts, edits, saves, and restores the terminal at its
//! end.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod against;
mod away;
mod colours;
mod drawing;
mod editor;
mod ending;
mod images;
mod pty;

use std::path::Path;

use pty::{CATALOG, Terminal, write_catalog};

#[test]
fn edited_entry_is_saved_and_nothing_else_changes() {
    let (folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("ll");
    terminal.press_keys("e");
    terminal.wait_for_text("ship.v1.1.0 in stable");
    terminal.press_keys("\t\t>=1.0.0 <1.1.0");
    terminal.wait_for_text("matches 1 of 2");
    terminal.press_keys("\r");
    terminal.wait_for_text("1 unsaved");
    terminal.press_keys("\x13");
    terminal.wait_for_text("1 edit, 1 file to save");
    terminal.press_keys("\r");
    terminal.wait_for_text("No unsaved edits");
    terminal.press_keys("qqqq");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
    let saved = std::fs::read_to_string(&path).unwrap();
    let expected = CATALOG
        .replace("  replaces: ship.v1.0.0\n", "  replaces: ship.v1.0.0\n  skipRange: '>=1.0.0 <1.1.0'\n");
    assert_eq!(saved, expected);
}

#[test]
fn external_change_is_never_overwritten() {
    let (folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path(), Path::new("--no-watch")]);
    terminal.wait_for_text("Entries 2");
    terminal.press_keys("lle\x15\r");
    terminal.wait_for_text("1 unsaved");
    std::fs::write(&path, "# mine\n").unwrap();
    terminal.press_keys("\x13\r");
    terminal.wait_for_text("opm will reject this catalog: 1 new error");
    terminal.press_keys("w");
    terminal.wait_for_text("Nothing was saved");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n");
    terminal.press_keys("\r");
    terminal.wait_for_text("1 edit not restored");
    terminal.press_keys("\x03");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
}

#[test]
fn edits_survive_a_program_that_is_killed_and_saving_ends_their_journal() {
    let (folder, path) = write_catalog();
    let state = tempfile::tempdir().unwrap();
    let start = || {
        Terminal::start_olmap_with(|command| {
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            command.arg(folder.path());
        })
    };
    let mut killed = start();
    killed.wait_for_text("Entries 2");
    killed.press_keys("lle\x15\r");
    killed.wait_for_text("1 unsaved");
    killed.send_signal("KILL");
    killed.wait_for_exit();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CATALOG);

    let mut next = start();
    next.wait_for_text("1 edit of this catalog was not saved");
    next.press_keys("\r");
    next.wait_for_text("1 unsaved");
    next.press_keys("\x13");
    next.wait_for_text("1 edit, 1 file to save");
    next.press_keys("\r");
    next.wait_for_text("Save anyway?");
    next.press_keys("w");
    next.wait_for_text("No unsaved edits");
    next.press_keys("qqqq");
    assert_eq!(next.wait_for_exit(), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CATALOG.replace("  replaces: ship.v1.0.0\n", ""));
    let left = std::fs::read_dir(state.path().join("olmap").join("journals")).unwrap().count();
    assert_eq!(left, 0, "nothing is left to be offered");
}

#[test]
fn second_explorer_reports_the_first_and_only_the_owner_can_read_journals() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, path) = write_catalog();
    let state = tempfile::tempdir().unwrap();
    let start = |path: &Path| {
        Terminal::start_olmap_with(|command| {
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            command.arg(path);
        })
    };
    let mut first = start(folder.path());
    first.wait_for_text("Entries 2");
    first.press_keys("lle\x15\r");
    first.wait_for_text("1 unsaved");
    let journals = std::fs::read_dir(state.path().join("olmap/journals")).unwrap();
    let modes = journals.map(|entry| entry.unwrap().metadata().unwrap().permissions().mode() & 0o777);
    assert_eq!(modes.collect::<Vec<_>>(), [0o600]);
    let mut second = start(&path);
    second.wait_for_text(&format!("another olmap (process {})", first.child.process_id().unwrap()));
    for terminal in [&mut first, &mut second] {
        terminal.send_signal("TERM");
        terminal.wait_for_exit();
    }
    let mut third = start(folder.path());
    third.wait_for_text("1 edit of this catalog was not saved");
    assert!(!third.parser.screen().contents().contains("another olmap"));
    third.send_signal("TERM");
    third.wait_for_exit();
}

#[test]
fn external_changes_are_reloaded_and_own_saves_are_not() {
    let (folder, path) = write_catalog();
    let mut terminal = Terminal::start_olmap(&[folder.path()]);
    terminal.wait_for_text("Entries 2");
    std::fs::write(
        &path,
        CATALOG.replace("name: stable", "name: steady").replace("Channel: stable", "Channel: steady"),
    )
    .unwrap();
    terminal.wait_for_text("changed on disk: reloaded");
    terminal.wait_for_text("steady");
    std::fs::write(folder.path().join("more.yaml"), "schema: olm.package\nname: boat\n").unwrap();
    terminal.wait_for_text("boat");
    std::fs::remove_file(folder.path().join("more.yaml")).unwrap();
    terminal.wait_for_text("Packages 1 ");
    terminal.press_keys("q");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
}

#[test]
fn catalog_of_the_working_directory_is_opened_with_a_message() {
    let folder = tempfile::tempdir().unwrap();
    for release in ["v4.9", "v4.18"] {
        let package = folder.path().join("catalogs").join(release).join("steady");
        std::fs::create_dir_all(&package).unwrap();
        let text = "schema: olm.package\nname: steady\n---\nschema: olm.channel\npackage: steady\nname: a\nentries:\n\
                    - name: steady.v1\n---\nschema: olm.bundle\npackage: steady\nname: steady.v1\nimage: example.com/steady\n";
        std::fs::write(package.join("catalog.yaml"), text).unwrap();
    }
    let opens = |inside: &str, words: &str, header: &str| {
        let mut terminal = Terminal::start_olmap_with(|command| command.cwd(folder.path().join(inside)));
        terminal.wait_for_text(words);
        terminal.wait_for_text(header);
        terminal.press_keys("q");
        assert_eq!(terminal.wait_for_exit(), 0);
    };
    opens("", "opened 2 catalogs: found in this repository", "[1/2] catalogs/v4.9");
    opens("catalogs/v4.18", "opened this directory: opm can read the directory", "catalogs/v4.18 ›");
}

#[test]
fn tour_starts_until_it_is_completed() {
    let state = tempfile::tempdir().unwrap();
    let note = state.path().join("olmap/tour-seen");
    let leave = |keys: &str, arguments: &[&str], is_led: bool| {
        let mut terminal = Terminal::start_olmap_with(|command| {
            command.cwd(state.path());
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            command.args(arguments);
        });
        // The last text that is drawn.
        terminal.wait_for_text("this is the demo");
        assert_eq!(terminal.parser.screen().contents().contains("Tour 1 of 5"), is_led);
        terminal.press_keys(keys);
        assert_eq!(terminal.wait_for_exit(), 0);
    };
    leave("q", &[], true);
    leave("Ihq", &["--read-only"], true);
    assert!(!note.exists(), "nothing is kept there");
    leave("Ihq", &[], true);
    assert!(note.exists());
    leave("q", &[], false);
    leave("q", &["--read-only"], true);
}

#[test]
fn demo_opens_without_arguments() {
    let (folder, _) = write_catalog();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let mut terminal = Terminal::start_olmap_with(|command| command.cwd(&empty));
    terminal.wait_for_text("demo catalog");
    terminal.wait_for_text("granary-operator");
    terminal.press_keys("q");
    assert_eq!(terminal.wait_for_exit(), 0);
    terminal.assert_given_back();
}
