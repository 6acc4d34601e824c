//! Tests of what-ifs and of the range tester.

use std::sync::Arc;

use insta::assert_snapshot;
use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::tui::{
    Effect, LoadOutcome, Msg, Screen, Settings, Source, session::wait_state::BlockingWork,
    work::outcome::SaveDestination,
};
use proptest::prelude::*;

use super::support::ExplorerDriver;

const SHIP_CATALOG: &str = "\
# Ships.
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.3.0
  replaces: ship.v1.2.0   # as ever
- name: ship.v1.2.0
  replaces: ship.v1.1.0
- name: ship.v1.1.0
  replaces: ship.v1.0.0
- name: ship.v1.0.0
---
schema: olm.channel
package: ship
name: old
entries:
- name: ship.v1.0.0
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
    let mut hand = ExplorerDriver::open_yaml(SHIP_CATALOG, 110, 30);
    hand.press("2");
    hand
}

/// Returns the text of the catalog with the what-if.
fn what_if_text(hand: &ExplorerDriver) -> String {
    String::from_utf8(hand.model.session.snapshot().unwrap().catalog.files()[0].current_bytes()).unwrap()
}

/// Returns the text of the catalog without the what-if.
fn actual_text(hand: &ExplorerDriver) -> String {
    let open = hand.model.session.current_catalog().unwrap();
    String::from_utf8(open.history.now().catalog.files()[0].current_bytes()).unwrap()
}

#[test]
fn what_if_is_visible_on_every_screen_and_changes_nothing() {
    let mut hand = open_ship();
    hand.press("W r '>=1.0.0'");
    assert!(hand.shows("matches 4 of 4: 1.3.0 1.2.0 1.1.0 1.0.0"), "{}", hand.screen());
    hand.press("space '<1.2.0' enter");
    for screen in ["1", "2", "3", "4", "5", "6"] {
        hand.press(screen);
        assert!(hand.shows("WHAT IF 1"), "{}", hand.screen());
    }
    assert_eq!(actual_text(&hand), SHIP_CATALOG);
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
    assert!(what_if_text(&hand).contains("skipRange: '>=1.0.0 <1.2.0'"), "{}", what_if_text(&hand));
    hand.press("2");
    let screen = hand.screen();
    let changed: Vec<&str> = screen.lines().filter(|line| line.contains("≠ was 1.")).collect();
    assert_eq!(changed.len(), 2, "1.1.0 and 1.0.0 go to 1.3.0 now: {screen}");
    assert!(hand.shows("2 rows changed"));
}

#[test]
fn editing_and_saving_are_refused_during_a_what_if() {
    let mut hand = open_ship();
    hand.press("W s '1.0.0' enter");
    let before = what_if_text(&hand);
    for keys in ["e", "p", "a", "u", "ctrl-r", "ctrl-s", "r"] {
        hand.press(keys);
        assert!(hand.shows("a what-if is active: W applies or drops it"), "{keys}: {}", hand.screen());
        assert!(hand.model.dialogs.is_empty());
    }
    hand.press("6 enter");
    assert_eq!((what_if_text(&hand), actual_text(&hand).as_str()), (before, SHIP_CATALOG));
    assert!(!hand.effects.iter().any(|e| matches!(e, Effect::Save { .. } | Effect::SaveAs { .. })));
}

#[test]
fn what_ifs_accumulate_and_are_undone_in_reverse_order() {
    let mut hand = open_ship();
    hand.press("W s '1.0.0' enter");
    let one = what_if_text(&hand);
    hand.press("j W l");
    assert!(hand.shows("WHAT IF 2"), "{}", hand.screen());
    let is_removed = |hand: &ExplorerDriver| {
        hand.model.session.selected_package().unwrap().package().bundle("ship.v1.2.0").is_none()
    };
    assert!(is_removed(&hand), "{}", hand.screen());
    hand.press("W u");
    assert!(!is_removed(&hand));
    assert_eq!(what_if_text(&hand), one);
    hand.press("W u");
    assert_eq!(what_if_text(&hand), SHIP_CATALOG);
    assert!(!hand.shows("WHAT IF"), "{}", hand.screen());
    hand.press("W");
    assert!(!hand.shows("undo the last change"), "nothing to undo: {}", hand.screen());
}

#[test]
fn applied_what_if_is_one_edit_and_undo_restores_the_text() {
    let mut hand = open_ship();
    hand.press("W s '1.0.0' enter W r '>=1.0.0' enter");
    let wished = what_if_text(&hand);
    hand.press("W a");
    assert!(hand.model.session.catalogs.what_if().is_none() && !hand.shows("WHAT IF"));
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    assert_eq!(actual_text(&hand), wished);
    hand.press("u");
    assert_eq!(actual_text(&hand), SHIP_CATALOG);
    hand.press("ctrl-r ctrl-s enter");
    assert_eq!(actual_text(&hand), wished);
}

/// Keys that a user can press during a what-if.
const KEY_SCRIPTS: &[&str] = &[
    "W l",
    "W s '1.0.0' enter",
    "W s '1.1.0' enter",
    "W r ctrl-u '>=1.0.0 space '<1.2.0' enter",
    "W b enter",
    "W x enter",
    "W u",
    "W esc",
    "j",
    "k",
    "1 l j 2",
    "3 j",
    "esc",
    "u",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_if_is_dropped_or_applied_as_one_edit(
        deeds in prop::collection::vec(prop::sample::select(KEY_SCRIPTS), 0..14),
    ) {
        let mut hand = open_ship();
        let real_state = hand.model.session.snapshot().unwrap().clone();
        hand.press(&deeds.join(" ")).press("esc 2");
        prop_assert_eq!(actual_text(&hand), SHIP_CATALOG);
        prop_assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
        let edits = hand.model.session.catalogs.what_if().map(|what_if| what_if.edits.clone()).unwrap_or_default();
        let wished = what_if_text(&hand);
        let by_hand = edits.iter().fold(load::from_bytes(SHIP_CATALOG.as_bytes().to_vec()), |catalog, edit| {
            olm_edit::apply_edit(&catalog, edit).unwrap()
        });
        prop_assert_eq!(String::from_utf8(by_hand.files()[0].current_bytes()).unwrap(), wished.clone());

        let mut other = open_ship();
        other.press(&deeds.join(" ")).press("esc esc 2 W d");
        prop_assert!(other.model.session.catalogs.what_if().is_none());
        prop_assert_eq!(what_if_text(&other), SHIP_CATALOG);
        let findings = |state: &Snapshot| state.findings().map(|f| f.message.clone()).collect::<Vec<_>>();
        prop_assert_eq!(findings(other.model.session.snapshot().unwrap()), findings(&real_state));

        hand.press("W a");
        prop_assert!(hand.model.session.catalogs.what_if().is_none());
        prop_assert_eq!(actual_text(&hand), wished);
        prop_assert_eq!(hand.model.session.catalogs.unsaved_count(), usize::from(!edits.is_empty()));
        hand.press("u");
        prop_assert_eq!(actual_text(&hand), SHIP_CATALOG);
    }
}

#[test]
fn what_if_does_not_affect_another_catalog() {
    let mut hand = ExplorerDriver::before_loading(
        vec![Source::Demo, Source::Path("ship".into())],
        Settings::default(),
        110,
        30,
    );
    let outcome = |source| LoadOutcome {
        source,
        result: Ok(Arc::new(Snapshot::new(load::from_bytes(SHIP_CATALOG.as_bytes().to_vec())))),
        recoverable_edits: None,
    };
    let outcomes = vec![outcome(Source::Demo), outcome(Source::Path("ship".into()))];
    hand.finish_loads(outcomes);
    hand.press("2 W l");
    assert!(hand.shows("WHAT IF 1"), "{}", hand.screen());
    hand.press(">");
    assert!(!hand.shows("WHAT IF"), "{}", hand.screen());
    assert_eq!(what_if_text(&hand), SHIP_CATALOG);
    hand.press("1 l j s enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1, "{}", hand.screen());
    hand.press("u r");
    assert!(hand.shows("a what-if is active"), "reading again would lose it: {}", hand.screen());
    hand.press(">");
    assert!(hand.shows("WHAT IF 1"), "{}", hand.screen());
}

#[test]
fn what_if_is_refused_during_a_reload() {
    let mut hand = open_ship();
    hand.model.session.waiting.busy = Some(BlockingWork::Reading);
    hand.press("W l");
    assert!(hand.shows("the files are being read"), "{}", hand.screen());
    assert!(hand.model.session.catalogs.what_if().is_none());
}

#[test]
fn dropped_what_if_leaves_no_trace() {
    let mut hand = open_ship();
    hand.press("W l");
    assert_eq!(
        hand.model.session.selection().bundle.as_ref().unwrap(),
        "ship.v1.2.0",
        "the head is left out"
    );
    hand.press("W d");
    assert!(hand.shows("dropped") && hand.shows("1.3.0"), "{}", hand.screen());
    assert_eq!(what_if_text(&hand), SHIP_CATALOG);
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}

#[test]
fn below_prompt_proposes_the_selected_version_and_completes_others() {
    let mut hand = open_ship();
    hand.press("3 j W b");
    assert!(hand.shows("removes 2 of 4 bundles"), "{}", hand.screen());
    hand.press("ctrl-u '1.' tab");
    assert!(hand.shows("removes 3 of 4 bundles"), "{}", hand.screen());
    hand.press("ctrl-u '1.2'");
    assert!(
        hand.shows("a version needs three numbers") && hand.shows("did you mean 1.2.0?"),
        "{}",
        hand.screen()
    );
    hand.press("enter");
    assert_eq!(hand.model.dialogs.len(), 1, "what is no version is not taken");
    hand.press("'.0' enter");
    assert!(hand.shows("2 bundles removed"), "{}", hand.screen());
    let package = hand.model.session.selected_package().unwrap().package().clone();
    assert_eq!((package.bundles.len(), package.channels.len()), (2, 1));
}

#[test]
fn impossible_what_if_shows_reason() {
    let mut hand = open_ship();
    hand.press("W b ctrl-u '9.0.0'");
    assert!(hand.shows("package ship would be empty"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.dialogs.len(), 1);
    hand.press("esc W s '1.2.1'");
    assert!(hand.shows("the package has no bundle of this name or version"), "{}", hand.screen());
    hand.press("ctrl-u '1.3.0'");
    assert!(hand.shows("an entry cannot skip itself"), "{}", hand.screen());
    hand.press("esc W r '>=1'");
    assert!(hand.shows("column 4"), "{}", hand.screen());
    hand.press("enter esc");
    assert!(hand.model.session.catalogs.what_if().is_none());
}

#[test]
fn removing_the_default_channel_asks_for_another() {
    let mut hand = open_ship();
    hand.press("W x");
    assert!(hand.shows("Remove stable; new default channel") && hand.shows("old"), "{}", hand.screen());
    hand.press("enter");
    let package = hand.model.session.selected_package().unwrap().package().clone();
    assert_eq!(package.default_channel().unwrap(), "old");
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "old");
    hand.press("W x");
    assert!(hand.shows("it is the only channel of the package"), "{}", hand.screen());
    hand.press("W d 1 l G 2 W x");
    assert_eq!(
        hand.model.session.selected_package().unwrap().package().channels.len(),
        1,
        "{}",
        hand.screen()
    );
}

#[test]
fn what_if_is_possible_but_not_applicable_in_read_only_mode() {
    let settings = Settings { read_only: Some("asked for".to_owned()), ..Settings::default() };
    let source = Source::Demo;
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], settings, 110, 30);
    let catalog = load::from_bytes(SHIP_CATALOG.as_bytes().to_vec());
    hand.finish_loading(source, Ok(Arc::new(Snapshot::new(catalog))));
    hand.press("2 W s '1.0.0' enter");
    assert!(hand.shows("WHAT IF 1"), "{}", hand.screen());
    hand.press("W a");
    assert!(hand.shows("read-only: asked for"), "{}", hand.screen());
    assert_eq!(actual_text(&hand), SHIP_CATALOG);
}

#[test]
fn changes_screen_previews_the_applied_what_if() {
    let mut hand = open_ship();
    hand.press("W s '1.0.0' enter 6");
    assert!(hand.shows("not applied"), "{}", hand.screen());
    assert!(hand.shows("+  skips:"), "{}", hand.screen());
    assert!(!hand.shows("enter writes"), "{}", hand.screen());
}

#[test]
fn range_is_tested_in_both_dialects_while_typing() {
    let mut hand = open_ship();
    hand.press("R '>=1.1.0'");
    assert!(hand.shows("skipRange (blang)  matches 3 of 4"), "{}", hand.screen());
    assert!(hand.shows("v1 version (Masterminds)  matches 3 of 4"), "{}", hand.screen());
    hand.press("'<1.3.0'");
    assert!(hand.shows("separate comparators by spaces"), "{}", hand.screen());
    let screen = hand.screen();
    let caret = screen.lines().find(|line| line.contains("^ column 8")).unwrap();
    let range = screen.lines().find(|line| line.contains(">=1.1.0<1.3.0") && !line.contains('╭')).unwrap();
    let at = |line: &str, sign: char| line.chars().position(|c| c == sign).unwrap();
    assert_eq!(at(caret, '^'), at(range, '<') + 2, "the field is two columns further left: {screen}");
    hand.press("enter");
    assert!(hand.model.dialogs.is_empty());
    assert_eq!(hand.model.session.navigation.screen, Screen::Graph);
}

#[test]
fn range_tester_starts_with_the_range_of_the_entry_and_scrolls() {
    let mut hand = ExplorerDriver::demo(80, 14);
    hand.press("/ 'granary' enter l l 2 R");
    assert!(hand.shows(">=3.0.0 <3.1.1"), "{}", hand.screen());
    hand.press("ctrl-u '>=0.0.0'");
    assert!(hand.shows(" 3.1.1") && !hand.shows("1.9.0  "), "{}", hand.screen());
    hand.press("pgdn pgdn pgdn pgdn");
    assert!(hand.shows("1.9.0"), "{}", hand.screen());
}

fn granary_screen(columns: u16, rows: u16, keys: &str) -> String {
    let mut hand = ExplorerDriver::demo(columns, rows);
    hand.press("/ 'granary' enter l l 2").press(keys);
    hand.screen()
}

#[test]
fn what_if_screens_at_three_sizes() {
    let sizes = [(120, 36), (80, 24), (50, 15)];
    for (name, keys) in [
        ("menu", "W"),
        ("below", "j j j W b"),
        ("skip_on_the_graph", "W s '2.6.4' enter"),
        ("without_the_head_on_upgrades", "3 W l"),
        ("skip_in_the_entries", "W s '2.6.4' enter 1"),
        ("changes", "W s '2.6.4' enter 6"),
        ("range", "R ctrl-u '>=2.6.0'"),
        ("range_of_no_dialect", "R ctrl-u '>=1.0<2'"),
    ] {
        for (columns, rows) in sizes {
            assert_snapshot!(format!("{name}_{columns}x{rows}"), granary_screen(columns, rows, keys));
        }
    }
}

#[test]
fn what_if_uses_only_ascii_in_ascii_mode() {
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.model.settings = Settings { ascii: true, ..Settings::default() };
    hand.press("/ 'granary' enter l l 2 W s '2.6.4' enter");
    assert!(hand.shows("# Classic stayed, v1 was 3.0.1"), "{}", hand.screen());
    for keys in ["3", "1", "6", "2 W", "b", "esc R"] {
        hand.press(keys);
        assert!(hand.screen().is_ascii(), "{}", hand.screen());
    }
}

/// Opens a file with two packages.
fn open_two_packages() -> ExplorerDriver {
    let text =
        format!("{SHIP_CATALOG}---\n{}", SHIP_CATALOG.replace("ship", "buoy").replace("# Ships.\n", ""));
    ExplorerDriver::open_yaml(&text, 110, 30)
}

#[test]
fn extract_is_a_what_if_that_lists_additions() {
    let mut hand = open_two_packages();
    hand.press("j W e");
    assert!(hand.shows("What if the catalog had only"), "{}", hand.screen());
    hand.press("ctrl-u");
    assert!(hand.shows("several with ; between"), "{}", hand.screen());
    hand.press("'shi'");
    assert!(hand.shows("ship"), "{}", hand.screen());
    hand.press("tab ':old'");
    assert!(hand.shows("ship: channel stable comes along: it is the default channel"), "{}", hand.screen());
    hand.press("'x'");
    assert!(hand.shows("no channel oldx in package ship"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("What if the catalog had only"), "what is wrong is not tried: {}", hand.screen());
    hand.press("ctrl-u 'ship:stable:1.1.0' space '||' space '1.3.0'");
    assert_snapshot!("what_if_extract", hand.screen());
    hand.press("enter");
    assert!(hand.shows("WHAT IF 1"), "{}", hand.screen());
    let text = what_if_text(&hand);
    assert!(!text.contains("buoy") && !text.contains("name: ship.v1.0.0"), "{text}");
    assert!(text.contains("replaces: ship.v1.2.0   # as ever"), "{text}");
    assert!(actual_text(&hand).contains("buoy"));
}

#[test]
fn what_if_is_saved_as_a_copy_that_becomes_current() {
    let mut hand = open_two_packages();
    hand.press("W e ctrl-u 'ship:stable:>=1.2' enter");
    let wished = what_if_text(&hand);
    hand.press(": 'save' space 'as' enter");
    assert!(hand.shows("Save as"), "{}", hand.screen());
    hand.press("ctrl-u 'part' enter");
    let copied = hand.effects.iter().find_map(|effect| match effect {
        Effect::SaveAs { catalog, state, path } => Some((*catalog, Arc::clone(state), path.clone())),
        _ => None,
    });
    let (catalog, state, path) = copied.unwrap();
    assert_eq!(String::from_utf8(state.catalog.files()[0].current_bytes()).unwrap(), wished);
    hand.press("W d");
    assert!(hand.model.session.catalogs.what_if().is_some(), "it is on its way to disk: {}", hand.screen());
    hand.send(Msg::Saved {
        written: vec![(catalog, state)],
        outcome: Ok(SaveDestination::Elsewhere(path)),
        warning: None,
    });
    assert!(hand.model.session.catalogs.what_if().is_none());
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
    assert_eq!(actual_text(&hand), wished);
}
