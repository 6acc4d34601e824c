//! Leaving the explorer for another program: what it asks the world for.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use std::path::PathBuf;

use olmap::{
    app::{Effect, Settings, Source},
    catalog::load,
    review::Snapshot,
};
use support::Hand;

/// Each thing on a line of its own.
const SHIP: &str = "\
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

fn on_disk(settings: Settings) -> (Hand, tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ship.yaml");
    std::fs::write(&path, SHIP).unwrap();
    let source = Source::Path(folder.path().to_owned());
    let catalog = load::open(folder.path(), &load::Progress::default()).unwrap();
    let mut hand = Hand::starting(vec![source.clone()], settings, 100, 30);
    hand.loaded(source, Ok(std::sync::Arc::new(Snapshot::new(catalog))));
    (hand, folder, path)
}

/// The line at which the editor was last asked for, and its text.
fn line(hand: &mut Hand, path: &PathBuf) -> (usize, &'static str) {
    hand.effects.clear();
    hand.press("E");
    let [Effect::OpenEditor { spot }] = hand.effects.as_slice() else { panic!("{:?}", hand.effects) };
    assert_eq!(spot.path, *path);
    (spot.line, SHIP.lines().nth(spot.line - 1).unwrap_or_default())
}

#[test]
fn the_editor_opens_at_the_line_of_what_is_selected() {
    let (mut hand, _folder, path) = on_disk(Settings::default());
    assert_eq!(line(&mut hand, &path), (3, "name: ship"), "a package");
    hand.press("l j");
    assert_eq!(line(&mut hand, &path), (16, "name: other"), "a channel");
    hand.press("l j");
    assert_eq!(line(&mut hand, &path), (20, "  name: ship.v1.0.0"), "an entry of it");
    hand.press("2");
    assert_eq!(line(&mut hand, &path), (20, "  name: ship.v1.0.0"), "the same in the graph");
    hand.press("G");
    assert_eq!(line(&mut hand, &path), (19, "- replaces: ship.v0.9.0"), "who speaks of what is not there");
    hand.press("4 / 'dangling' enter");
    assert_eq!(line(&mut hand, &path), (19, "- replaces: ship.v0.9.0"), "a finding");
    hand.press("5");
    assert_eq!(line(&mut hand, &path).1, "- reference: {schema: olm.channel, name: other}");
    hand.press("j");
    assert_eq!(line(&mut hand, &path).1, "- reference: {schema: olm.bundle, name: ship.v1.0.0}");
}

#[test]
fn what_only_unsaved_edits_have_opens_where_it_will_be() {
    let (mut hand, _folder, path) = on_disk(Settings::default());
    // The first entry goes: lines on the screen are no longer those on disk.
    hand.press("l j l x enter");
    assert_eq!(hand.model.unsaved(), 1, "{}", hand.screen());
    assert_eq!(line(&mut hand, &path), (20, "  name: ship.v1.0.0"));
    hand.press("h A 'new' enter enter");
    assert_eq!(hand.model.selection().channel.as_ref().unwrap(), "new", "{}", hand.screen());
    assert_eq!(line(&mut hand, &path), (3, "name: ship"), "the package it will be in");
}

#[test]
fn where_there_is_no_file_there_is_nothing_to_open() {
    let (mut hand, _folder, _) = on_disk(Settings {
        read_only: Some("olmap was started with --read-only".to_owned()),
        ..Settings::default()
    });
    hand.press("E");
    assert!(hand.shows("open in editor: read-only"), "{}", hand.screen());
    let mut demo = Hand::demo(100, 30);
    demo.press("E");
    assert!(demo.shows("the demo is built into olmap: it has no file"), "{}", demo.screen());
    let mut piped = Hand::text(SHIP, 100, 30);
    piped.press("E");
    assert!(piped.shows("what came through standard input has no file"), "{}", piped.screen());
    for hand in [hand, demo, piped] {
        assert!(!hand.effects.iter().any(|effect| matches!(effect, Effect::OpenEditor { .. })));
    }
}
