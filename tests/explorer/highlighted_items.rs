//! Tests that shared actions on every screen use the highlighted item, not the selection of another
//! screen.

use olmap::tui::{
    dialogs::{entry_form::EntryForm, release::Release},
    keys::Screen,
    parts::list::ListId,
    screens::deprecations::rows::RowContent,
};

use super::support::ExplorerDriver;

/// Returns the package, channel and bundle of the open entry form.
fn entry_form_target(hand: &ExplorerDriver) -> String {
    let Some(form) = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<EntryForm>()) else {
        panic!("no form:\n{}", hand.screen())
    };
    format!("{} {} {}", form.package, form.channel, form.bundle)
}

#[test]
fn problems_screen_edits_and_promotes_the_entry_of_the_finding() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let before = hand.model.session.selection().clone();
    hand.press("4 / 'dead-end' enter");
    let finding = hand.model.screens.problems.listed_findings()[0].finding.clone();
    let (package, bundle) = (finding.package.unwrap(), finding.bundle.unwrap());
    assert_ne!(before.bundle.as_ref(), Some(&bundle), "else this shows nothing");
    hand.press("e");
    assert_eq!(entry_form_target(&hand), format!("{package} {} {bundle}", finding.channel.unwrap()));
    hand.press("esc p");
    let release = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<Release>());
    let Some(released) = release.and_then(|release| release.bundle.as_ref()) else {
        panic!("{}", hand.screen())
    };
    assert_eq!((&released.package, &released.name), (&package, &bundle));
    hand.press("esc a");
    assert!(!hand.model.dialogs.is_empty(), "{}", hand.screen());
    assert_eq!(*hand.model.session.selection(), before, "what is selected stays");
}

#[test]
fn finding_without_an_entry_is_refused_with_a_reason() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("4 home");
    let without = hand
        .model
        .screens
        .problems
        .listed_findings()
        .iter()
        .position(|problem| problem.finding.bundle.is_none());
    hand.press(&"j ".repeat(without.unwrap()));
    for key in ["e", "p"] {
        hand.press(key);
        assert!(hand.model.dialogs.is_empty(), "{key}\n{}", hand.screen());
        let said = hand.model.notices.transient.as_ref().unwrap().display_text();
        assert!(said.contains("this finding has no"), "{key}: {said}");
    }
}

#[test]
fn deprecations_screen_edits_the_bundle_in_a_channel_that_contains_it() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("5");
    let rows = hand.model.screens.deprecations.deprecations().len();
    let mut edited = 0;
    for _ in 0..rows {
        let at = hand.model.list_cursor(ListId::Deprecations).unwrap();
        let row = &hand.model.screens.deprecations.deprecations()[at];
        let wanted = format!("{} ", row.package);
        let words = if matches!(row.content, RowContent::Suggested(_)) {
            "this suggestion"
        } else {
            "this deprecation"
        };
        hand.press("e");
        if hand.model.dialogs.is_empty() {
            let said = hand.model.notices.transient.as_ref().unwrap().display_text();
            assert!(said.contains(&format!("{words} has no")), "{said}\n{}", hand.screen());
        } else {
            assert!(
                entry_form_target(&hand).starts_with(&wanted),
                "{}, row of {wanted}",
                entry_form_target(&hand)
            );
            edited += 1;
            hand.press("esc");
        }
        hand.press("j");
    }
    assert!(edited > 0 && edited < rows, "{edited} of {rows}");
}

#[test]
fn changes_screen_without_a_row_edits_nothing() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("g enter l 6");
    assert_eq!(hand.model.session.navigation.screen, Screen::Changes);
    for key in ["e", "p"] {
        hand.press(key);
        assert!(hand.model.dialogs.is_empty(), "{key}\n{}", hand.screen());
        assert!(hand.model.notices.transient.is_some(), "{key} says why not");
    }
}
