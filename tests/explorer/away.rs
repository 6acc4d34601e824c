//! Tests of effects that involve other programs: editor, clipboard, mouse and shell.

use std::path::PathBuf;

use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::{
    config::Clipboard,
    tui::{Effect, Msg, Settings, Source},
};

use super::support::ExplorerDriver;

/// Catalog with one item per line.
const SHIP_CATALOG: &str = "\
# a comment of the file
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.1.0
  replaces: ship.v1.0.0
- name: ship.v1.0.0
---
schema: olm.channel
package: ship
name: other
entries:
- name: ship.v1.1.0
- replaces: ship.v0.9.0
  name: ship.v1.0.0
---
image: example.com/ship:1.1.0
name: ship.v1.1.0
package: ship
properties:
- type: olm.package
  value: {packageName: ship, version: 1.1.0}
schema: olm.bundle
---
image: example.com/ship:1.0.0
name: ship.v1.0.0
package: ship
properties:
- type: olm.package
  value: {packageName: ship, version: 1.0.0}
schema: olm.bundle
---
schema: olm.deprecations
package: ship
entries:
- reference: {schema: olm.channel, name: other}
  message: Use stable.
- reference: {schema: olm.bundle, name: ship.v1.0.0}
  message: Use 1.1.
";

fn open_on_disk(settings: Settings) -> (ExplorerDriver, tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ship.yaml");
    std::fs::write(&path, SHIP_CATALOG).unwrap();
    let source = Source::Path(folder.path().to_owned());
    let catalog = load::open_catalog(folder.path()).unwrap();
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], settings, 100, 30);
    hand.finish_loading(source, Ok(std::sync::Arc::new(Snapshot::new(catalog))));
    (hand, folder, path)
}

/// Returns the line at which the editor was last opened, and its text.
fn editor_line(hand: &mut ExplorerDriver, path: &PathBuf) -> (usize, &'static str) {
    hand.effects.clear();
    hand.press("E");
    let [Effect::OpenEditor { location: spot }] = hand.effects.as_slice() else {
        panic!("{:?}", hand.effects)
    };
    assert_eq!(spot.path, *path);
    (spot.line, SHIP_CATALOG.lines().nth(spot.line - 1).unwrap_or_default())
}

#[test]
fn editor_opens_at_the_line_of_the_selection() {
    let (mut hand, _folder, path) = open_on_disk(Settings::default());
    assert_eq!(editor_line(&mut hand, &path), (3, "name: ship"), "a package");
    hand.press("l j");
    assert_eq!(editor_line(&mut hand, &path), (16, "name: other"), "a channel");
    hand.press("l j");
    assert_eq!(editor_line(&mut hand, &path), (20, "  name: ship.v1.0.0"), "an entry of it");
    hand.press("2");
    assert_eq!(editor_line(&mut hand, &path), (20, "  name: ship.v1.0.0"), "the same in the graph");
    hand.press("G");
    assert_eq!(
        editor_line(&mut hand, &path),
        (19, "- replaces: ship.v0.9.0"),
        "who speaks of what is not there"
    );
    hand.press("4");
    assert_eq!(editor_line(&mut hand, &path), (20, "  name: ship.v1.0.0"), "a finding");
    hand.press("/ 'dangling' enter");
    assert_eq!(
        editor_line(&mut hand, &path),
        (19, "- replaces: ship.v0.9.0"),
        "no finding: where the first line says one is"
    );
    hand.press("5");
    assert_eq!(editor_line(&mut hand, &path).1, "- reference: {schema: olm.channel, name: other}");
    hand.press("j");
    assert_eq!(editor_line(&mut hand, &path).1, "- reference: {schema: olm.bundle, name: ship.v1.0.0}");
}

#[test]
fn unsaved_content_opens_at_its_future_location() {
    let (mut hand, _folder, path) = open_on_disk(Settings::default());
    // Without the first entry, lines on the screen differ from those on disk.
    hand.press("l j l x enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
    assert_eq!(editor_line(&mut hand, &path), (20, "  name: ship.v1.0.0"));
    hand.press("h A c 'new' enter enter");
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "new", "{}", hand.screen());
    assert_eq!(editor_line(&mut hand, &path), (3, "name: ship"), "the package it will be in");
}

#[test]
fn editor_is_refused_without_a_file() {
    let (mut hand, _folder, _) = open_on_disk(Settings {
        read_only: Some("olmap was started with --read-only".to_owned()),
        ..Settings::default()
    });
    hand.press("E");
    assert!(hand.shows("open in editor: read-only"), "{}", hand.screen());
    let mut demo = ExplorerDriver::demo(100, 30);
    demo.press("E");
    assert!(demo.shows("the demo is built into olmap: it has no file"), "{}", demo.screen());
    let mut piped = ExplorerDriver::open_yaml(SHIP_CATALOG, 100, 30);
    piped.press("E");
    assert!(piped.shows("standard input has no file"), "{}", piped.screen());
    for hand in [Box::new(hand), Box::new(demo), Box::new(piped)] {
        assert!(!hand.effects.iter().any(|effect| matches!(effect, Effect::OpenEditor { .. })));
    }
}

/// Presses keys; returns the copied text and its name.
fn press_and_get_copy(hand: &mut ExplorerDriver, keys: &str) -> (String, String) {
    hand.effects.clear();
    hand.press(keys);
    let [Effect::Copy(copied)] = hand.effects.as_slice() else {
        panic!("{keys}: {:?}\n{}", hand.effects, hand.screen())
    };
    (copied.description.clone(), copied.text.clone())
}

/// Splits a command like a shell.
fn split_shell_words(command: &str) -> Vec<String> {
    shell_words::split(command).unwrap()
}

#[test]
fn selection_is_copied() {
    let (mut hand, _folder, path) = open_on_disk(Settings::default());
    hand.press("l l j");
    assert_eq!(press_and_get_copy(&mut hand, "y n").1, "ship.v1.0.0");
    assert_eq!(press_and_get_copy(&mut hand, "y i").1, "example.com/ship:1.0.0");
    assert_eq!(press_and_get_copy(&mut hand, "y f").1, format!("{}:12", path.display()));
    assert_eq!(
        press_and_get_copy(&mut hand, "k y e"),
        ("the entry ship.v1.1.0".to_owned(), "- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n".to_owned())
    );
    let (what, text) = press_and_get_copy(&mut hand, "j y p");
    assert_eq!(what, "the path from 1.0.0 to 1.1.0");
    assert!(text.starts_with("ship: ship.v1.0.0 to ship.v1.1.0\n\n"), "{text}");
    assert!(text.contains("arrives in 1 upgrade") && text.contains("replaces it in stable"), "{text}");
    hand.send(Msg::Notice(Ok(format!("copied {what} (test)"))));
    assert!(hand.shows("copied the path from 1.0.0 to 1.1.0 (test)"), "{}", hand.screen());
}

#[test]
fn copied_path_starts_at_the_mark() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("2 G k m g");
    let (what, text) = press_and_get_copy(&mut hand, "y p");
    let (from, to) = (
        hand.model.session.navigation.marked_bundle.clone().unwrap().1,
        hand.model.session.selection().bundle.clone().unwrap(),
    );
    assert!(text.contains(&format!(": {from} to {to}\n")), "{what}: {text}");
}

#[test]
fn copied_command_asks_the_same_as_the_screen() {
    let (mut hand, folder, _) = open_on_disk(Settings::default());
    let path = folder.path().to_str().unwrap();
    hand.press("l l");
    let asked = |hand: &mut ExplorerDriver| {
        let (what, text) = press_and_get_copy(hand, "y s");
        (what, text.lines().map(split_shell_words).collect::<Vec<_>>())
    };
    let common = ["olmap", "successors", path, "--package", "ship", "--installed", "ship.v1.1.0"];
    let with = |more: &[&'static str]| [common.as_slice(), more].concat();
    let (what, commands) = asked(&mut hand);
    assert_eq!(what, "the command");
    assert_eq!(commands, [with(&[])], "the default channel and all channels are what is asked anyway");
    // The program accepts the command that it copied.
    let run =
        std::process::Command::new(env!("CARGO_BIN_EXE_olmap")).args(&commands[0][1..]).output().unwrap();
    let answer = String::from_utf8(run.stdout).unwrap();
    assert!(run.status.success() && answer.contains("stays on ship.v1.1.0"), "{answer}");
    // Another channel affects only Classic.
    hand.press("h j l");
    let (what, commands) = asked(&mut hand);
    assert_eq!(what, "the commands for Classic and v1");
    assert_eq!(commands, [with(&["--channel", "other", "--engine", "classic"]), with(&["--engine", "v1"])]);
    // The query of v1 is in a field; its special characters are quoted for the shell.
    hand.model.session.upgrade_query.query.version = ">=1.0.0 <2 || '".to_owned();
    hand.model.session.upgrade_query.query.channels = vec!["other".into()];
    let (_, commands) = asked(&mut hand);
    assert_eq!(commands, [with(&["--channel", "other", "--version", ">=1.0.0 <2 || '"])]);
}

#[test]
fn copied_command_warns_about_unsaved_edits() {
    let (mut hand, _folder, _) = open_on_disk(Settings::default());
    hand.press("l l e ctrl-u enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
    assert_eq!(press_and_get_copy(&mut hand, "y s").0, "the command (it reads the files on disk)");
}

#[test]
fn missing_item_is_not_copied_and_the_reason_is_shown() {
    let refused = |hand: &mut ExplorerDriver, keys: &str| {
        hand.effects.clear();
        hand.press(keys);
        assert!(!hand.effects.iter().any(|effect| matches!(effect, Effect::Copy(_))), "{keys}");
        hand.model.notices.transient.as_ref().unwrap().text.clone()
    };
    let mut demo = ExplorerDriver::demo(100, 30);
    assert!(refused(&mut demo, "y s").contains("commands cannot read it"));
    assert!(refused(&mut demo, "esc y f").contains("it has no file"));
    let (mut hand, _folder, _) = open_on_disk(Settings::default());
    // A bundle that an entry replaces but no catalog contains.
    hand.press("l j 2 G");
    assert_eq!(press_and_get_copy(&mut hand, "y n").1, "ship.v0.9.0");
    assert!(refused(&mut hand, "y i").contains("no bundle in this catalog"));
    assert!(refused(&mut hand, "esc y e").contains("ship.v0.9.0 is not an entry of other"));
    assert!(refused(&mut hand, "esc y s").contains("is not in this catalog"));
    let settings = Settings { clipboard: Some(Clipboard::Off), ..Settings::default() };
    let (mut hand, _folder, _) = open_on_disk(settings);
    assert!(refused(&mut hand, "y").contains("copying is disabled"));
    let mut empty = ExplorerDriver::open_yaml("", 100, 30);
    for keys in ["y n", "y e", "y p", "y s", "y i", "y f"] {
        refused(&mut empty, keys);
        empty.press("esc");
    }
}

#[test]
fn control_characters_are_not_copied() {
    let odd = SHIP_CATALOG.replace("example.com/ship:1.1.0", "\"a\\e[31m\\nb\"");
    let mut hand = ExplorerDriver::open_yaml(&odd, 100, 30);
    let (_, text) = press_and_get_copy(&mut hand, "l l y i");
    assert!(!text.contains(char::is_control), "{text:?}");
}

#[test]
fn mouse_is_released_to_the_terminal_and_captured_again() {
    let captures = |hand: &ExplorerDriver| match hand.effects.last() {
        Some(Effect::CaptureMouse(ours)) => *ours,
        other => panic!("{other:?}"),
    };
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("I m");
    assert!(!captures(&hand));
    assert!(hand.shows("mouse off: select text with it; I m turns it on"), "{}", hand.screen());
    hand.press("j");
    assert!(hand.shows("I m mouse on"), "it stays there: {}", hand.screen());
    hand.press("I m");
    assert!(captures(&hand));
    hand.press("j");
    assert!(!hand.shows("takes the mouse back"), "{}", hand.screen());
    let settings = Settings { no_mouse: true, ..Settings::default() };
    let (hand, ..) = open_on_disk(settings);
    assert!(!hand.model.frame.captures_mouse && !hand.shows("takes the mouse back"), "{}", hand.screen());
}

#[test]
fn suspend_is_refused_without_a_shell() {
    let is_suspended =
        |hand: &ExplorerDriver| hand.effects.iter().any(|effect| matches!(effect, Effect::Suspend));
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("ctrl-z");
    assert!(is_suspended(&hand));
    let (mut hand, ..) = open_on_disk(Settings { no_shell: Some("no shell here"), ..Settings::default() });
    hand.press("ctrl-z");
    assert!(!is_suspended(&hand) && hand.shows("no shell here"), "{}", hand.screen());
}

/// The key that opens Changes saves there.
#[test]
fn review_key_saves_on_the_changes_screen() {
    let (mut hand, _folder, _) = open_on_disk(Settings::default());
    hand.press("l l x enter enter ctrl-s");
    assert!(!hand.effects.iter().any(|effect| matches!(effect, Effect::Save { .. })), "{}", hand.screen());
    hand.press("ctrl-s");
    let is_saved = hand.effects.iter().any(|effect| matches!(effect, Effect::Save { .. }));
    assert!(is_saved || !hand.model.dialogs.is_empty(), "{}", hand.screen());
}

/// A catalog without packages shows one page with the first error and the keys that help.
#[test]
fn catalog_without_packages_shows_one_page() {
    let mut hand = ExplorerDriver::open_yaml("schema: olm.bundle\nname: [\n", 80, 24);
    assert!(hand.shows("No packages could be read. 1 file read, with errors"), "{}", hand.screen());
    assert!(hand.shows("yaml-syntax"), "{}", hand.screen());
    for words in ["1 error", "open another catalog", "quit"] {
        assert!(hand.shows(words), "{words}: {}", hand.screen());
    }
    assert!(!hand.shows("Entries"), "{}", hand.screen());
    hand.resize(50, 15);
    assert!(hand.shows("quit"), "{}", hand.screen());
    let hand = ExplorerDriver::open_yaml("schema: example.com/other\nname: x\n", 80, 24);
    assert!(hand.shows("This catalog has no packages. 1 file read: no olm.package"), "{}", hand.screen());
}
