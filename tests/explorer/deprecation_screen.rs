//! Tests of the Deprecations screen.

use olm_catalog::blob::DeprecationTarget;
use olm_check::review::diff::ChangeKind;
use olm_edit::Edit;
use olmap::tui::{keys::Screen, parts::list::ListId, screens::deprecations::rows::RowContent};

use super::support::ExplorerDriver;

/// Returns the package and the target of the selected row.
fn selected_target(hand: &ExplorerDriver) -> (String, String) {
    let at = hand.model.list_cursor(ListId::Deprecations).unwrap();
    let row = &hand.model.screens.deprecations.deprecations()[at];
    let name = match row.target().unwrap() {
        DeprecationTarget::Package => String::new(),
        DeprecationTarget::Channel(name) => name.to_string(),
        DeprecationTarget::Bundle(name) => name.to_string(),
    };
    (row.package.to_string(), name)
}

fn is_suggested(hand: &ExplorerDriver) -> bool {
    let at = hand.model.list_cursor(ListId::Deprecations).unwrap();
    matches!(hand.model.screens.deprecations.deprecations()[at].content, RowContent::Suggested(_))
}

#[test]
fn blocking_deprecations_and_affected_versions_are_shown() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5 j");
    for words in [
        "Deprecations 5, 3 block upgrades; 4 suggested",
        "NO UPGRADE",
        "STOPS V1",
        "2 versions are affected, 2 without an upgrade path",
        "0.8.0 no upgrade path to a supported bundle: ends at 0.8.1",
        "A ClusterExtension of v1 shows on 0.8.1: PackageDeprecated, ChannelDeprecated, BundleDeprecated",
        "catalog.yaml:679",
    ] {
        assert!(hand.shows(words), "{words}\n{}", hand.screen());
    }
    hand.press("j j");
    assert!(hand.shows("1.1.0 stays: the next upgrade is deprecated"), "{}", hand.screen());
    assert!(hand.shows("Lifecycle of 1.2: Full support until 2025-03-16; it has ended"), "{}", hand.screen());
}

#[test]
fn conditions_are_those_of_the_queried_v1_channels() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5 j j j");
    assert!(hand.shows("shows on 1.2.0: PackageDeprecated, ChannelDeprecated, BundleDeprecated"));
    hand.model.session.upgrade_query.query.channels = vec!["stable".into()];
    hand.press("k j");
    assert!(hand.shows("shows on 1.2.0: PackageDeprecated, BundleDeprecated"), "{}", hand.screen());
}

#[test]
fn suggestion_is_deprecated_with_the_proposed_message() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5 / '1.3.1' enter G");
    assert!(is_suggested(&hand));
    hand.press("d");
    assert!(hand.shows("Deprecation message for 2 bundles of quill-operator"), "{}", hand.screen());
    assert!(hand.shows("1.3.1 is deprecated: 1 version is affected"));
    assert!(hand.shows("all keep an upgrade path to a supported bundle, and v1 does not stop"));
    hand.press("enter");
    let edits = hand.model.session.current_catalog().unwrap().history.last_edit().unwrap().edit.clone();
    let Edit::Several { edits, .. } = edits else { panic!("{edits:?}") };
    assert_eq!(edits.len(), 2);
    let Edit::Deprecate { message, .. } = &edits[0] else { panic!("{edits:?}") };
    assert_eq!(message, "Support of 1.3 ended on 2026-06-30. Please upgrade.");
    assert!(!is_suggested(&hand), "the cursor goes along");
    assert_eq!(selected_target(&hand), ("quill-operator".to_owned(), "quill-operator.v1.3.1".to_owned()));
    hand.press("esc u");
    assert!(hand.shows("4 suggested"), "taken back, it is suggested again");
}

#[test]
fn new_deprecation_is_marked_and_blocking_ones_come_first() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5");
    assert!(hand.model.screens.deprecations.deprecations().iter().all(|row| row.change_mark().is_none()));
    // The head of the default channel.
    hand.press("1 / 'granary' enter l l d 'broken' enter 5");
    let rows = hand.model.screens.deprecations.deprecations();
    let first = &rows[0];
    assert_eq!((first.package.as_str(), first.change_mark()), ("granary-operator", Some(ChangeKind::Added)));
    assert!(first.blocked_count() > 0);
    assert_eq!(rows.iter().filter(|row| row.change_mark() == Some(ChangeKind::Added)).count(), 1);
    assert!(hand.shows("Deprecations 6, 1 new, 4 block"), "{}", hand.screen());
    assert!(hand.shows("+ bundle"), "{}", hand.screen());
}

#[test]
fn suggestion_without_message_deprecates_nothing() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5 G d ctrl-u");
    assert!(hand.shows("No change yet."));
    hand.press("enter esc");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}

#[test]
fn enter_opens_the_suggested_target_and_remove_is_refused() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5 G");
    assert_eq!(selected_target(&hand), ("tidewater-operator".to_owned(), "stable-2.2".to_owned()));
    hand.press("x");
    assert!(hand.shows("it is not deprecated, only suggested"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "stable-2.2");
}

#[test]
fn suggestions_stay_last_in_every_order_and_can_be_filtered() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5");
    for _ in 0..3 {
        let rows = hand.model.screens.deprecations.deprecations();
        let suggested: Vec<bool> = rows.iter().map(|row| row.report().is_none()).collect();
        assert!(suggested.is_sorted(), "{suggested:?}");
        hand.press("S");
    }
    hand.press("/ 'suggested' enter");
    let rows = hand.model.screens.deprecations.deprecations();
    assert!(rows.len() == 4 && rows.iter().all(|row| row.report().is_none()));
}

#[test]
fn lost_upgrade_paths_are_shown_before_deprecating() {
    let mut hand = ExplorerDriver::demo(120, 36);
    // The head of the default channel.
    hand.press("/ 'granary' enter l l d 'broken'");
    for words in [
        "3.1.1 is deprecated: 1 version is affected",
        "E Classic in stable: 3.1.1 loses its upgrade path to a supported bundle",
        "E v1: 3.1.1 loses its upgrade path to a supported bundle",
        "v1 stops on",
    ] {
        assert!(hand.shows(words), "{words}\n{}", hand.screen());
    }
    hand.press("enter 6");
    assert!(
        hand.shows("E Classic in stable: 3.1.1 loses its upgrade path to a supported bundle"),
        "{}",
        hand.screen()
    );
}

#[test]
fn no_lifecycle_has_ended_if_the_date_is_unknown() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.model.settings.today = None;
    hand.press("5");
    assert!(hand.shows("2 suggested") && !hand.shows("support of 1.3 ended"), "{}", hand.screen());
}

#[test]
fn deprecation_list_follows_edit_and_undo() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5 j x enter");
    assert!(hand.shows("Deprecations 4, 2 block"), "{}", hand.screen());
    hand.press("u");
    assert!(hand.shows("Deprecations 5, 3 block"));
}
