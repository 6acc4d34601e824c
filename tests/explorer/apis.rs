//! Tests of the list of API providers and requirers, and of its navigation.

use std::fmt::Write as _;

use insta::assert_snapshot;
use olmap::tui::{Screen, dialogs::api_list, keys::Dialog};

use super::{plan::open_plan_catalogs, resolve::package_yaml, support::ExplorerDriver};

const SIZES: [(u16, u16); 3] = [(120, 36), (80, 24), (50, 15)];

fn selected_bundle(hand: &ExplorerDriver) -> &str {
    hand.model.session.selection().bundle.as_ref().map_or("", |bundle| bundle.as_str())
}

fn open_dialog_id(hand: &ExplorerDriver) -> Option<Dialog> {
    hand.model.dialogs.last().map(|dialog| dialog.id())
}

#[test]
fn api_list_and_usage_at_three_sizes() {
    let mut all = String::new();
    for (columns, rows) in SIZES {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("U");
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        hand.press("'Broker' enter");
        let _ = write!(all, "== one at {columns}x{rows}\n{}", hand.screen());
    }
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.press("U");
    let _ = write!(all, "== what is what at 80x24\n{}", hand.roles());
    hand.model.settings.ascii = true;
    hand.press("down");
    let screen = hand.screen();
    assert!(screen.is_ascii(), "{screen}");
    assert_snapshot!(all);
}

#[test]
fn enter_opens_the_provider_and_back_returns() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("U 'Broker' enter enter");
    assert_eq!((open_dialog_id(&hand), hand.model.session.navigation.screen), (None, Screen::Bundle));
    assert_eq!(selected_bundle(&hand), "tidewater-operator.v2.4.1");
    hand.press("[");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
    assert_ne!(selected_bundle(&hand), "tidewater-operator.v2.4.1");
}

#[test]
fn row_keys_move_in_the_list() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("U");
    let first = hand.screen();
    hand.press("down");
    assert_ne!(hand.screen(), first);
    hand.press("pgup");
    assert_eq!(hand.screen(), first);
}

#[test]
fn escape_returns_to_the_unchanged_list() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("U 'quill' down");
    let before = hand.screen();
    hand.press("enter");
    assert_ne!(hand.screen(), before);
    hand.press("esc");
    assert_eq!(hand.screen(), before);
    hand.press("esc");
    assert_eq!(open_dialog_id(&hand), None);
}

#[test]
fn required_api_leads_to_its_provider_and_back() {
    let mut hand = ExplorerDriver::demo(120, 36);
    // The head of the fast channel of kotatsu requires an API of tidewater, and tidewater itself.
    hand.press("ctrl-p 'kotatsu-operator.v1.2.0' enter 7");
    assert_eq!(
        (selected_bundle(&hand), hand.model.session.navigation.screen),
        ("kotatsu-operator.v1.2.0", Screen::Bundle)
    );
    hand.press("/ 'Broker' enter down U");
    assert_eq!(
        (open_dialog_id(&hand), selected_bundle(&hand)),
        (None, "tidewater-operator.v2.4.1"),
        "{}",
        hand.screen()
    );
    hand.press("/ 'brokers.broker' enter down U");
    assert_eq!(
        (open_dialog_id(&hand), selected_bundle(&hand)),
        (None, "kotatsu-operator.v1.2.0"),
        "{}",
        hand.screen()
    );
    hand.press("[ [");
    assert_eq!(selected_bundle(&hand), "kotatsu-operator.v1.2.0");
    // An API without a provider shows its requirers.
    hand.press("ctrl-p 'quill-operator.v2.0.1' enter 7 / 'inkwell' enter down U");
    assert_eq!(open_dialog_id(&hand), Some(api_list::DIALOG), "{}", hand.screen());
    assert!(hand.shows("requires  quill-operator"), "{}", hand.screen());
    assert!(hand.shows("(1 bundle): not provided"), "{}", hand.screen());
}

/// Catalogs with the same bundles share a line, and all lines name their catalogs.
#[test]
fn details_of_several_catalogs_name_them() {
    let needs = |versions: &[&str]| {
        let properties =
            "- type: olm.gvk.required\n  value: {group: sea.example.com, version: v2, kind: Oil}\n";
        let bundles: Vec<_> = versions.iter().map(|version| (*version, properties)).collect();
        package_yaml("beacon", &[("stable", versions)], &bundles)
    };
    let catalogs =
        [("v4.18", needs(&["1.0.0"])), ("v4.20", needs(&["1.0.0"])), ("v4.22", needs(&["1.0.0", "2.0.0"]))];
    let mut hand = open_plan_catalogs(120, 36, &catalogs);
    hand.press("U");
    for words in [
        "v2 required by beacon 1.0.0 (1 bundle): not provided, in v4.18, v4.20",
        "v2 required by beacon 1.0.0 to 2.0.0 (2 bundles): not provided, in v4.22",
    ] {
        assert!(hand.shows(words), "{words}: {}", hand.screen());
    }
}
