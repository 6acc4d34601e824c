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

use pty::{CATALOG, Terminal, catalog};

#[test]
fn edited_entry_is_saved_and_nothing_else_changes() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    terminal.press("ll");
    terminal.press("e");
    terminal.shows("ship.v1.1.0 in stable");
    terminal.press("\t\t>=1.0.0 <1.1.0");
    terminal.shows("matches 1 of 2");
    terminal.press("\r");
    terminal.shows("1 unsaved");
    terminal.press("\x13");
    terminal.shows("1 edit, 1 file to save");
    terminal.press("\r");
    terminal.shows("No unsaved edits");
    terminal.press("qqqq");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    let saved = std::fs::read_to_string(&path).unwrap();
    let expected = CATALOG
        .replace("  replaces: ship.v1.0.0\n", "  replaces: ship.v1.0.0\n  skipRange: '>=1.0.0 <1.1.0'\n");
    assert_eq!(saved, expected);
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_never_overwritten() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path(), Path::new("--no-watch")]);
    terminal.shows("Entries 2");
    terminal.press("lle\x15\r");
    terminal.shows("1 unsaved");
    std::fs::write(&path, "# mine\n").unwrap();
    terminal.press("\x13\r");
    terminal.shows("opm will reject this catalog: 1 new error");
    terminal.press("w");
    terminal.shows("Nothing was saved");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n");
    terminal.press("\r");
    terminal.shows("1 edit not restored");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}

#[test]
fn edits_survive_a_program_that_is_killed_and_saving_ends_their_journal() {
    let (folder, path) = catalog();
    let state = tempfile::tempdir().unwrap();
    let start = || {
        Terminal::start_with(|command| {
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            command.arg(folder.path());
        })
    };
    let mut killed = start();
    killed.shows("Entries 2");
    killed.press("lle\x15\r");
    killed.shows("1 unsaved");
    killed.signal("KILL");
    killed.end();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CATALOG);

    let mut next = start();
    next.shows("1 edit of this catalog was not saved");
    next.press("\r");
    next.shows("1 unsaved");
    next.press("\x13");
    next.shows("1 edit, 1 file to save");
    next.press("\r");
    next.shows("Save anyway?");
    next.press("w");
    next.shows("No unsaved edits");
    next.press("qqqq");
    assert_eq!(next.end(), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CATALOG.replace("  replaces: ship.v1.0.0\n", ""));
    let left = std::fs::read_dir(state.path().join("olmap").join("journals")).unwrap().count();
    assert_eq!(left, 0, "nothing is left to be offered");
}

#[test]
fn the_second_explorer_is_told_of_the_first_and_journals_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, path) = catalog();
    let state = tempfile::tempdir().unwrap();
    let start = |path: &Path| {
        Terminal::start_with(|command| {
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            command.arg(path);
        })
    };
    let mut first = start(folder.path());
    first.shows("Entries 2");
    first.press("lle\x15\r");
    first.shows("1 unsaved");
    let journals = std::fs::read_dir(state.path().join("olmap/journals")).unwrap();
    let modes = journals.map(|entry| entry.unwrap().metadata().unwrap().permissions().mode() & 0o777);
    assert_eq!(modes.collect::<Vec<_>>(), [0o600]);
    let mut second = start(&path);
    second.shows(&format!("another olmap (process {})", first.child.process_id().unwrap()));
    for terminal in [&mut first, &mut second] {
        terminal.signal("TERM");
        terminal.end();
    }
    let mut third = start(folder.path());
    third.shows("1 edit of this catalog was not saved");
    assert!(!third.parser.screen().contents().contains("another olmap"));
    third.signal("TERM");
    third.end();
}

#[test]
fn what_another_program_writes_is_seen_and_what_olmap_writes_is_no_news() {
    let (folder, path) = catalog();
    let mut terminal = Terminal::start(&[folder.path()]);
    terminal.shows("Entries 2");
    std::fs::write(
        &path,
        CATALOG.replace("name: stable", "name: steady").replace("Channel: stable", "Channel: steady"),
    )
    .unwrap();
    terminal.shows("changed on disk: reloaded");
    terminal.shows("steady");
    std::fs::write(folder.path().join("more.yaml"), "schema: olm.package\nname: boat\n").unwrap();
    terminal.shows("boat");
    std::fs::remove_file(folder.path().join("more.yaml")).unwrap();
    terminal.shows("Packages 1 ");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
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
        let mut terminal = Terminal::start_with(|command| command.cwd(folder.path().join(inside)));
        terminal.shows(words);
        terminal.shows(header);
        terminal.press("q");
        assert_eq!(terminal.end(), 0);
    };
    opens("", "opened 2 catalogs: found in this repository", "[1/2] catalogs/v4.9");
    opens("catalogs/v4.18", "opened this directory: opm can read the directory", "catalogs/v4.18 ›");
}

#[test]
fn tour_starts_until_it_is_completed() {
    let state = tempfile::tempdir().unwrap();
    let note = state.path().join("olmap/tour-seen");
    let leave = |keys: &str, arguments: &[&str], is_led: bool| {
        let mut terminal = Terminal::start_with(|command| {
            command.cwd(state.path());
            command.env("XDG_STATE_HOME", state.path());
            command.env("XDG_CACHE_HOME", state.path());
            command.args(arguments);
        });
        // The last text that is drawn.
        terminal.shows("this is the demo");
        assert_eq!(terminal.parser.screen().contents().contains("Tour 1 of 5"), is_led);
        terminal.press(keys);
        assert_eq!(terminal.end(), 0);
    };
    leave("q", &[], true);
    leave("Hq", &["--read-only"], true);
    assert!(!note.exists(), "nothing is kept there");
    leave("Hq", &[], true);
    assert!(note.exists());
    leave("q", &[], false);
    leave("q", &["--read-only"], true);
}

#[test]
fn demo_opens_without_arguments() {
    let (folder, _) = catalog();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let mut terminal = Terminal::start_with(|command| command.cwd(&empty));
    terminal.shows("demo catalog");
    terminal.shows("granary-operator");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}
