//! The Deprecations screen with somebody at its keys.

use olmap::{
    app::{keys::Screen, parts::list::ListId, screens::deprecations::rows::Listed},
    catalog::blob::DeprecationTarget,
    edit::Edit,
    review::diff::Fate,
};

use super::support::Hand;

/// The package and the name in the row of the cursor.
fn here(hand: &Hand) -> (String, String) {
    let at = hand.model.cursor(ListId::Deprecations).unwrap();
    let row = &hand.model.screens.deprecations.deprecations()[at];
    let name = match row.target().unwrap() {
        DeprecationTarget::Package => String::new(),
        DeprecationTarget::Channel(name) => name.to_string(),
        DeprecationTarget::Bundle(name) => name.to_string(),
    };
    (row.package.to_string(), name)
}

fn is_suggested(hand: &Hand) -> bool {
    let at = hand.model.cursor(ListId::Deprecations).unwrap();
    matches!(hand.model.screens.deprecations.deprecations()[at].listed, Listed::Suggested(_))
}

#[test]
fn what_blocks_and_whom_is_there_at_once() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5 j");
    for words in [
        "Deprecations 5, 3 block; 5 suggested",
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
fn conditions_are_those_of_the_channels_that_v1_is_asked_for() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5 j j j");
    assert!(hand.shows("shows on 1.2.0: PackageDeprecated, ChannelDeprecated, BundleDeprecated"));
    hand.model.session.question.query.channels = vec!["stable".into()];
    hand.press("k j");
    assert!(hand.shows("shows on 1.2.0: PackageDeprecated, BundleDeprecated"), "{}", hand.screen());
}

#[test]
fn what_is_suggested_is_deprecated_together_with_the_words_proposed() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5 / '1.3.1' enter G");
    assert!(is_suggested(&hand));
    hand.press("d");
    assert!(hand.shows("Deprecation message for 2 bundles of quill-operator"), "{}", hand.screen());
    assert!(hand.shows("1.3.1 is deprecated: 1 version is affected"));
    assert!(hand.shows("all keep an upgrade path to a supported bundle, and v1 does not stop"));
    hand.press("enter");
    let edits = hand.model.session.catalog().unwrap().history.last_edit().unwrap().edit.clone();
    let Edit::Several { edits, .. } = edits else { panic!("{edits:?}") };
    assert_eq!(edits.len(), 2);
    let Edit::Deprecate { message, .. } = &edits[0] else { panic!("{edits:?}") };
    assert_eq!(message, "Support of 1.3 ended on 2026-06-30. Please upgrade.");
    assert!(!is_suggested(&hand), "the cursor goes along");
    assert_eq!(here(&hand), ("quill-operator".to_owned(), "quill-operator.v1.3.1".to_owned()));
    hand.press("esc u");
    assert!(hand.shows("5 suggested"), "taken back, it is suggested again");
}

#[test]
fn new_deprecation_is_marked_and_those_that_block_users_stand_first() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5");
    assert!(hand.model.screens.deprecations.deprecations().iter().all(|row| row.fate().is_none()));
    // The head of the default channel.
    hand.press("1 / 'granary' enter l l d 'broken' enter 5");
    let rows = hand.model.screens.deprecations.deprecations();
    let first = &rows[0];
    assert_eq!((first.package.as_str(), first.fate()), ("granary-operator", Some(Fate::Added)));
    assert!(first.blocked() > 0);
    assert_eq!(rows.iter().filter(|row| row.fate() == Some(Fate::Added)).count(), 1);
    assert!(hand.shows("Deprecations 6, 1 new, 4 block"), "{}", hand.screen());
    assert!(hand.shows("+ bundle"), "{}", hand.screen());
}

#[test]
fn a_suggestion_without_words_deprecates_nothing() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5 G d ctrl-u");
    assert!(hand.shows("No change yet."));
    hand.press("enter esc");
    assert_eq!(hand.model.session.unsaved(), 0);
}

#[test]
fn enter_goes_to_what_is_suggested_and_nothing_is_taken_back_of_it() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5 G");
    assert_eq!(here(&hand), ("tidewater-operator".to_owned(), "stable-2.2".to_owned()));
    hand.press("x");
    assert!(hand.shows("it is not deprecated, only suggested"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.session.screen, Screen::Catalog);
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "stable-2.2");
}

#[test]
fn suggestions_stay_last_in_every_order_and_can_be_filtered() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5");
    for _ in 0..3 {
        let rows = hand.model.screens.deprecations.deprecations();
        let suggested: Vec<bool> = rows.iter().map(|row| row.deprecated().is_none()).collect();
        assert!(suggested.is_sorted(), "{suggested:?}");
        hand.press("S");
    }
    hand.press("/ 'suggested' enter");
    let rows = hand.model.screens.deprecations.deprecations();
    assert!(rows.len() == 5 && rows.iter().all(|row| row.deprecated().is_none()));
}

#[test]
fn who_loses_the_way_out_stands_there_before_a_deprecation_is_kept() {
    let mut hand = Hand::demo(120, 36);
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
fn where_nobody_knows_the_day_nothing_has_ended() {
    let mut hand = Hand::demo(120, 36);
    hand.model.settings.today = None;
    hand.press("5");
    assert!(hand.shows("3 suggested") && !hand.shows("support of 1.3 ended"), "{}", hand.screen());
}

#[test]
fn an_edit_works_out_its_package_only_and_the_list_follows() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5 j x enter");
    assert!(hand.shows("Deprecations 4, 2 block"), "{}", hand.screen());
    hand.press("u");
    assert!(hand.shows("Deprecations 5, 3 block"));
}
