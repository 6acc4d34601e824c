//! Tests of the editing dialogs: deprecating, removing, adding, renaming, describing, and new
//! channels during a release.

use insta::assert_snapshot;
use olm_catalog::{blob::DeprecationTarget, load, package::Package};
use olmap::tui::{Effect, Msg, SaveFailure, Settings, Source};

use super::support::ExplorerDriver;

const SHIP_CATALOG: &str = "\
# Ships.
schema: olm.package
name: ship
defaultChannel: stable
description: \"Sails.\\nAnd \\\\n is no line break.\"
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.2.0
  replaces: ship.v1.1.0   # as ever
- name: ship.v1.1.0
  replaces: ship.v1.0.0
- name: ship.v1.0.0
---
schema: olm.channel
package: ship
name: fast
entries:
- name: ship.v1.3.0
  replaces: ship.v1.2.0
- name: ship.v1.2.0
---
{schema: olm.bundle, package: ship, name: ship.v1.3.0, image: 'example.com/ship:3', properties: [{type: olm.package, value: {packageName: ship, version: 1.3.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.2.0, image: 'example.com/ship:2', properties: [{type: olm.package, value: {packageName: ship, version: 1.2.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, image: 'example.com/ship:1', properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:0', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

fn open_ship() -> ExplorerDriver {
    ExplorerDriver::open_yaml(SHIP_CATALOG, 110, 30)
}

fn catalog_text(hand: &ExplorerDriver) -> String {
    String::from_utf8(
        hand.model.session.current_catalog().unwrap().history.now().catalog.files()[0].current_bytes(),
    )
    .unwrap()
}

fn selected_package(hand: &ExplorerDriver) -> Package {
    (**hand.model.session.selected_package().unwrap().package()).clone()
}

fn deprecation_message(hand: &ExplorerDriver, target: &DeprecationTarget) -> Option<String> {
    selected_package(hand).deprecation(target).map(|said| said.message.value.clone())
}

fn bundle_target(name: &str) -> DeprecationTarget {
    DeprecationTarget::Bundle(name.into())
}

/// Asserts that undo restores the original bytes and redo the edit.
fn assert_single_edit(hand: &mut ExplorerDriver) {
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
    let edited = catalog_text(hand);
    hand.press("u");
    assert_eq!(catalog_text(hand), SHIP_CATALOG);
    hand.press("ctrl-r");
    assert_eq!(catalog_text(hand), edited);
}

#[test]
fn focused_item_is_deprecated_with_the_typed_message() {
    for (keys, target) in [
        ("", DeprecationTarget::Package),
        ("l", DeprecationTarget::Channel("stable".into())),
        ("l l j", bundle_target("ship.v1.1.0")),
        ("l l j tab", bundle_target("ship.v1.1.0")),
        ("l l j 2", bundle_target("ship.v1.1.0")),
        ("2 j", bundle_target("ship.v1.1.0")),
    ] {
        let mut hand = open_ship();
        hand.press(keys).press("d");
        if hand.shows("Deprecate which?") {
            hand.press("enter");
        }
        assert!(hand.shows("shown to users") || hand.shows("users see only"), "{keys}: {}", hand.screen());
        hand.press("enter");
        assert_eq!(catalog_text(&hand), SHIP_CATALOG, "without words nothing is deprecated");
        hand.press("'gone' enter");
        assert!(hand.model.dialogs.is_empty());
        assert_eq!(deprecation_message(&hand, &target).as_deref(), Some("gone"), "{keys}");
        assert_single_edit(&mut hand);
    }
}

#[test]
fn graph_asks_which_item_to_deprecate() {
    let mut hand = open_ship();
    hand.press("2 d");
    assert!(hand.shows("ship.v1.2.0") && hand.shows("channel stable") && hand.shows("package ship"));
    hand.press("j enter 'old' enter");
    assert_eq!(
        deprecation_message(&hand, &DeprecationTarget::Channel("stable".into())).as_deref(),
        Some("old")
    );
    hand.press("d");
    assert!(hand.shows("is deprecated: old"), "{}", hand.screen());
}

#[test]
fn deprecation_message_is_edited_and_removed_by_emptying_it() {
    let mut hand = open_ship();
    hand.press("l l d 'first\\nsecond' enter");
    assert_eq!(deprecation_message(&hand, &bundle_target("ship.v1.2.0")).as_deref(), Some("first\nsecond"));
    hand.press("d");
    assert!(hand.shows("first\\nsecond"), "{}", hand.screen());
    assert!(hand.shows("No change yet."), "{}", hand.screen());
    hand.press("'!' enter");
    assert_eq!(deprecation_message(&hand, &bundle_target("ship.v1.2.0")).as_deref(), Some("first\nsecond!"));
    hand.press("5 d ctrl-u");
    assert!(hand.shows("empty: the deprecation is removed"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(catalog_text(&hand), SHIP_CATALOG);
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 3);
    hand.press("d");
    assert!(hand.shows("nothing is selected here"), "{}", hand.screen());
}

#[test]
fn messages_of_other_deprecations_are_proposed() {
    let mut hand = open_ship();
    hand.press("l l j d 'moved space 'to space 'harbour' enter j d 'hrbr' tab");
    assert!(hand.shows("moved to harbour"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(
        deprecation_message(&hand, &bundle_target("ship.v1.0.0")).as_deref(),
        Some("moved to harbour")
    );
}

#[test]
fn consequences_of_deprecation_are_shown_before_it_is_applied() {
    let mut hand = open_ship();
    hand.press("l j l d 'x'");
    assert!(hand.shows("New findings") && hand.shows("deprecated-head"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!(catalog_text(&hand), SHIP_CATALOG);
}

#[test]
fn entry_is_removed_from_channel_or_bundle_from_catalog() {
    let mut hand = open_ship();
    hand.press("l l x");
    assert!(hand.shows("from stable") && hand.shows("from the catalog"), "{}", hand.screen());
    assert!(hand.shows("Changed upgrades"), "{}", hand.screen());
    hand.press("enter");
    let entries =
        |hand: &ExplorerDriver, channel: &str| selected_package(hand).channel(channel).unwrap().entries.len();
    assert_eq!((entries(&hand, "stable"), entries(&hand, "fast")), (2, 2));
    assert_eq!(
        hand.model.session.selection().bundle.as_ref().unwrap(),
        "ship.v1.1.0",
        "one stays about there"
    );
    assert_single_edit(&mut hand);
    hand.press("u g x j enter");
    assert!(selected_package(&hand).bundle("ship.v1.2.0").is_none());
    assert_eq!((entries(&hand, "stable"), entries(&hand, "fast")), (2, 1));
    assert_single_edit(&mut hand);
}

#[test]
fn removal_repairs_the_edge_to_the_removed_entry() {
    let mut hand = open_ship();
    // It is the last entry of its bundle, so the first choice removes both.
    hand.press("l l j x");
    assert!(hand.shows(">from the catalog") && !hand.shows("multiple-heads"), "{}", hand.screen());
    hand.press("j");
    assert!(hand.shows("edges repaired") && !hand.shows("multiple-heads"), "{}", hand.screen());
    hand.press("j");
    assert!(hand.shows("multiple-heads"), "{}", hand.screen());
    hand.press("k enter");
    let removed = "- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";
    let wanted =
        SHIP_CATALOG.replace(removed, "").replace("replaces: ship.v1.1.0   #", "replaces: ship.v1.0.0   #");
    assert_eq!(catalog_text(&hand), wanted);
    assert_eq!(hand.model.session.selection().bundle.as_ref().unwrap(), "ship.v1.0.0", "the next row");
    assert_single_edit(&mut hand);
}

#[test]
fn channel_removal_includes_its_own_bundles() {
    let mut hand = open_ship();
    hand.press("l j x enter");
    assert!(
        selected_package(&hand).channel("fast").is_none()
            && selected_package(&hand).bundle("ship.v1.3.0").is_none()
    );
    assert!(selected_package(&hand).bundle("ship.v1.2.0").is_some(), "it is in stable too");
    assert!(hand.shows("0 errors"), "{}", hand.screen());
    assert_single_edit(&mut hand);
}

#[test]
fn edit_that_adds_an_error_has_no_check_mark() {
    let mut hand = open_ship();
    hand.press("l l e tab tab 'ship.v1.2.0' enter");
    assert!(hand.shows("1 error"), "{}", hand.screen());
    assert!(hand.shows("bad-skip-range") && !hand.shows("\u{2713}"), "{}", hand.screen());
    let mut hand = open_ship();
    hand.press("l l e tab tab '>=1.0.0 space '<1.2.0' enter");
    assert!(hand.shows("\u{2713}"), "{}", hand.screen());
}

#[test]
fn default_channel_can_be_removed_after_choosing_another() {
    let mut hand = open_ship();
    hand.press("l j x");
    assert!(hand.shows("Remove channel fast"), "{}", hand.screen());
    assert!(hand.shows("the channel and 1 bundle"), "{}", hand.screen());
    assert!(!hand.shows("bundle-in-no-channel"), "its own bundle goes along: {}", hand.screen());
    hand.press("j");
    assert!(hand.shows("bundle-in-no-channel"), "{}", hand.screen());
    hand.press("enter");
    assert!(selected_package(&hand).channel("fast").is_none());
    assert_single_edit(&mut hand);
    hand.press("x");
    assert!(hand.shows("it is the only channel of the package"), "{}", hand.screen());
    hand.press("u g x");
    assert!(hand.shows("Remove stable; new default channel"), "{}", hand.screen());
    hand.press("j enter");
    assert_eq!(selected_package(&hand).default_channel().unwrap(), "fast");
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "fast");
    assert_single_edit(&mut hand);
}

#[test]
fn item_that_cannot_be_removed_shows_reason() {
    let mut hand = open_ship();
    hand.press("x");
    assert!(hand.shows("ship is a package: delete its files to remove it"), "{}", hand.screen());
    let mut hand =
        ExplorerDriver::open_yaml(&SHIP_CATALOG.replace("- name: ship.v1.0.0\n---", "---"), 110, 30);
    hand.press("2 G x");
    assert!(hand.shows("from the catalog") && !hand.shows("from stable"), "{}", hand.screen());
    let dangling =
        SHIP_CATALOG.replace("  replaces: ship.v1.0.0\n- name: ship.v1.0.0\n", "  replaces: ship.v0.9.0\n");
    let mut hand = ExplorerDriver::open_yaml(&dangling, 110, 30);
    hand.press("2 G x");
    assert!(hand.shows("ship.v0.9.0 is only referenced here"), "{}", hand.screen());
}

#[test]
fn deprecation_is_removed_on_the_deprecations_screen() {
    let mut hand = open_ship();
    hand.press("d 'gone' enter 5 x");
    assert!(hand.shows("package ship is no longer deprecated"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(catalog_text(&hand), SHIP_CATALOG);
}

#[test]
fn entry_is_found_by_a_few_letters_and_gets_edges_in_the_form() {
    let mut hand = open_ship();
    hand.press("l l a '13'");
    assert!(hand.shows("ship.v1.3.0"), "{}", hand.screen());
    hand.press("tab enter");
    assert!(hand.shows("Add ship.v1.3.0 to stable"), "{}", hand.screen());
    assert!(hand.shows("Changed upgrades"), "the head is what it replaces at first: {}", hand.screen());
    hand.press("tab tab '>=1.0.0 space '<1.3.0'");
    assert!(hand.shows("matches 3 of 4: 1.2.0 1.1.0 1.0.0"), "{}", hand.screen());
    hand.press("enter");
    let stable = selected_package(&hand).channel("stable").unwrap().clone();
    let added = stable.entries.iter().find(|entry| entry.name.value == "ship.v1.3.0").unwrap().to_spec();
    assert_eq!(added.replaces.unwrap(), "ship.v1.2.0");
    assert_eq!(added.skip_range.unwrap(), ">=1.0.0 <1.3.0");
    assert_eq!(hand.model.session.selection().bundle.as_ref().unwrap(), "ship.v1.3.0");
    assert_single_edit(&mut hand);
    hand.press("a");
    assert!(hand.shows("every bundle is already in stable; p adds a new one"), "{}", hand.screen());
}

#[test]
fn unknown_bundle_is_not_added() {
    let mut hand = open_ship();
    hand.press("l l a 'boat'");
    assert!(hand.shows("the package has no bundle of this name or version"), "{}", hand.screen());
    hand.press("enter ctrl-u '1.2.0'");
    assert!(hand.shows("ship.v1.2.0 is already in stable"), "{}", hand.screen());
    hand.press("enter esc");
    assert_eq!(catalog_text(&hand), SHIP_CATALOG);
}

#[test]
fn older_bundle_is_skipped_by_the_next_higher_entry() {
    let mut hand = open_ship();
    hand.press("l j l a '1.0.0' enter");
    assert!(hand.shows("Add ship.v1.0.0 to fast"), "{}", hand.screen());
    assert!(!hand.shows("multiple-heads"), "{}", hand.screen());
    hand.press("enter");
    let fast = selected_package(&hand).channel("fast").unwrap().clone();
    let above = fast.entries.iter().find(|e| e.name.value == "ship.v1.2.0").unwrap().to_spec();
    assert_eq!(above.skips, ["ship.v1.0.0"]);
    assert!(fast.entries.iter().any(|e| e.name.value == "ship.v1.0.0" && e.replaces.is_none()));
}

#[test]
fn channel_is_created_empty_or_as_copy_or_up_to_a_version() {
    for (keys, entries) in
        [("enter", vec!["1.2.0", "1.1.0", "1.0.0"]), ("j enter ctrl-u '1.1.0' enter", vec!["1.1.0", "1.0.0"])]
    {
        let mut hand = open_ship();
        hand.press("A c 'slow' enter");
        assert!(hand.shows("New channel slow") && hand.shows("copy of stable"), "{}", hand.screen());
        hand.press(keys);
        let slow = selected_package(&hand).channel("slow").unwrap().clone();
        let names: Vec<&str> = slow.entries.iter().map(|e| &e.name.value.as_str()[6..]).collect();
        assert_eq!(names, entries);
        assert_eq!(
            hand.model.session.selection().channel.as_ref().unwrap(),
            "slow",
            "one sees what was made"
        );
        assert_single_edit(&mut hand);
    }
    let mut hand = open_ship();
    hand.press("A c 'none' enter j j");
    assert!(hand.shows("empty-channel"), "{}", hand.screen());
    hand.press("enter");
    assert!(selected_package(&hand).channel("none").unwrap().entries.is_empty());
    assert_single_edit(&mut hand);
}

#[test]
fn existing_channel_name_is_refused() {
    let mut hand = open_ship();
    hand.press("A c enter");
    assert!(hand.shows("a channel needs a name"), "{}", hand.screen());
    hand.press("'fast' enter");
    assert!(hand.shows("channel fast already exists"), "{}", hand.screen());
    hand.press("esc A r ctrl-u 'fast' enter");
    assert!(hand.shows("channel fast already exists"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!(catalog_text(&hand), SHIP_CATALOG);
}

#[test]
fn renamed_channel_stays_selected() {
    let mut hand = open_ship();
    hand.press("l l j A r");
    assert!(hand.shows("Rename channel stable"), "{}", hand.screen());
    hand.press("'typed' esc A r end '-1' enter");
    assert_eq!(selected_package(&hand).default_channel().unwrap(), "stable-1");
    let selection = hand.model.session.selection();
    assert_eq!(selection.channel.as_ref().unwrap(), "stable-1");
    assert_eq!(selection.bundle.as_ref().unwrap(), "ship.v1.1.0");
    assert_single_edit(&mut hand);
}

#[test]
fn multiline_description_is_edited_in_one_line() {
    let mut hand = open_ship();
    hand.press("A d");
    assert!(hand.shows(r"Sails.\nAnd \\n is no line break."), "{}", hand.screen());
    assert!(hand.shows("No change yet."), "{}", hand.screen());
    hand.press("'\\nBye.' enter");
    let said = selected_package(&hand).definition().unwrap().description.as_ref().unwrap().value.clone();
    assert_eq!(said, "Sails.\nAnd \\n is no line break.\nBye.");
    assert_single_edit(&mut hand);
    hand.press("A d ctrl-u enter");
    assert!(selected_package(&hand).definition().unwrap().description.is_none());
}

#[test]
fn bundle_is_released_to_a_new_channel() {
    let mut hand = open_ship();
    hand.press("l j l g p");
    assert!(hand.shows("[x] stable"), "where the release before is: {}", hand.screen());
    hand.press("n 'rapid' enter");
    assert!(hand.shows("[x] rapid"), "{}", hand.screen());
    hand.press("n 'rapid' enter");
    assert!(hand.shows("every catalog has channel rapid"), "{}", hand.screen());
    hand.press("esc enter");
    assert!(hand.model.dialogs.is_empty());
    let package = selected_package(&hand);
    let head = |name: &str| {
        package.channel(name).unwrap().entries.iter().any(|entry| entry.name.value == "ship.v1.3.0")
    };
    assert!(head("stable") && head("rapid") && package.channel("rapid").unwrap().entries.len() == 1);
    assert_single_edit(&mut hand);
}

#[test]
fn new_channel_can_be_the_only_target() {
    let mut hand = open_ship();
    hand.press("l j l g p space n 'rapid' enter enter");
    assert_eq!(selected_package(&hand).channel("rapid").unwrap().entries.len(), 1, "{}", hand.screen());
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "fast", "one stays where one is");
    assert_single_edit(&mut hand);
}

#[test]
fn names_are_completed_from_a_few_letters() {
    let mut hand = open_ship();
    hand.press("l l e ctrl-u 'sp100' ctrl-n enter");
    assert!(catalog_text(&hand).contains("  replaces: ship.v1.0.0   # as ever"), "{}", catalog_text(&hand));
    let mut hand = open_ship();
    hand.press("l l j e tab '13' ctrl-n enter");
    assert!(
        catalog_text(&hand).contains("  skips:\n  - ship.v1.3.0\n"),
        "of another channel too: {}",
        catalog_text(&hand)
    );
}

#[test]
fn save_as_asks_before_writing_an_invalid_catalog() {
    let mut hand = open_ship();
    hand.press("l l j x j enter");
    hand.press(": 'save space 'as' enter");
    assert!(hand.shows("Save anyway?"), "{}", hand.screen());
    hand.press("esc");
    assert!(hand.model.dialogs.is_empty());
    hand.press("enter w");
    assert!(hand.shows("Save as"), "{}", hand.screen());
}

#[test]
fn save_does_not_ask_about_existing_errors() {
    let broken = SHIP_CATALOG.replace("  replaces: ship.v1.1.0   # as ever\n", "");
    let mut hand = ExplorerDriver::open_source(
        Source::Path("ship.yaml".into()),
        load::from_bytes(broken.into_bytes()),
        110,
        30,
    );
    assert!(hand.shows("1 error"), "{}", hand.screen());
    hand.press("d 'gone' enter ctrl-s enter");
    assert!(hand.effects.iter().any(|e| matches!(e, Effect::Save { .. })), "{}", hand.screen());
}

#[test]
fn editing_is_refused_in_read_only_mode() {
    let settings = Settings { read_only: Some("asked for".to_owned()), ..Settings::default() };
    let mut hand = open_ship();
    hand.model.settings = settings;
    hand.press("l l");
    for key in ["d", "x", "a", "A"] {
        hand.press(key);
        assert!(hand.shows("read-only: asked for"), "{key}: {}", hand.screen());
        assert!(hand.model.dialogs.is_empty());
    }
}

fn granary_screen(columns: u16, rows: u16, keys: &str) -> String {
    let mut hand = ExplorerDriver::demo(columns, rows);
    hand.press("/ 'granary' enter l l j").press(keys);
    hand.screen()
}

#[test]
fn dialogs_at_three_sizes() {
    for (name, keys) in [
        ("deprecate", "d 'Please space 'take space '3.1.1.'"),
        ("deprecate_which", "2 d"),
        ("undeprecate", "5 d ctrl-u"),
        ("remove", "x"),
        ("remove_default_channel", "h x"),
        ("add_entry", "h j l a '31'"),
        ("add_entry_edges", "h j l a '3.1.1' enter"),
        ("new_channel", "A c 'fast' enter"),
        ("new_channel_up_to", "A c 'fast' enter j enter"),
        ("rename", "h j A r end '-lts'"),
        ("describe", "A d"),
        ("release_to_new_channel", "p n 'fast' enter"),
        ("refused", "x j enter ctrl-s enter"),
    ] {
        for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
            assert_snapshot!(format!("{name}_{columns}x{rows}"), granary_screen(columns, rows, keys));
        }
    }
}

#[test]
fn save_asks_before_losing_file_properties() {
    let ship = || load::from_bytes(SHIP_CATALOG.as_bytes().to_vec());
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::open_source(Source::Path("ship.yaml".into()), ship(), columns, rows);
        hand.press("l l x enter ctrl-s enter");
        let costs = [
            "ship.yaml: another hard link to it keeps the old content",
            "ship.yaml: its ACL cannot be kept",
            "ship.yaml: its extended attribute security.ima cannot be kept",
        ];
        let is_asked = |hand: &ExplorerDriver, aware: bool| {
            hand.effects.iter().any(|e| matches!(e, Effect::Save { confirmed, .. } if *confirmed == aware))
        };
        assert!(is_asked(&hand, false));
        hand.effects.clear();
        let outcome = Err(SaveFailure::MetadataLoss(costs.map(str::to_owned).to_vec()));
        hand.send(Msg::Saved { written: Vec::new(), outcome, warning: None });
        assert_snapshot!(format!("costs_{columns}x{rows}"), hand.screen());
        hand.press("w");
        assert!(is_asked(&hand, true), "who was told is not asked again");
    }
}

#[test]
fn dialogs_use_only_ascii_in_ascii_mode() {
    for keys in ["d 'x'", "2 d", "x", "A c 'fast' enter", "p", "x enter ctrl-s enter"] {
        let mut hand = ExplorerDriver::demo(80, 24);
        hand.model.settings = Settings { ascii: true, ..Settings::default() };
        hand.press("/ 'granary' enter l l j").press(keys);
        assert!(hand.screen().is_ascii(), "{keys}: {}", hand.screen());
    }
}

/// Users know versions; catalogs have names.
#[test]
fn version_in_the_entry_form_becomes_the_name_of_its_bundle() {
    let mut hand = open_ship();
    hand.press("/ 'ship' enter l l e tab '1.0.0,ship.v0.9.0' enter");
    let text = catalog_text(&hand);
    assert!(text.contains("  - ship.v1.0.0\n") && text.contains("  - ship.v0.9.0\n"), "{text}");
    hand.press("e ctrl-u '1.0.0' enter");
    assert!(catalog_text(&hand).contains("  replaces: ship.v1.0.0"), "{}", catalog_text(&hand));
}
