//! Shared actions take what is highlighted, on every screen: not what was selected on another one.

use olmap::app::{
    dialogs::OpenDialog, keys::Screen, parts::list::ListId, screens::deprecations::rows::Listed,
};

use super::support::Hand;

/// What the form of an entry is about.
fn form(hand: &Hand) -> String {
    let Some(OpenDialog::Entry(form)) = hand.model.dialogs.last() else {
        panic!("no form:\n{}", hand.screen())
    };
    format!("{} {} {}", form.package, form.channel, form.bundle)
}

#[test]
fn on_problems_the_entry_of_the_finding_is_edited_and_promoted() {
    let mut hand = Hand::demo(120, 36);
    let before = hand.model.session.selection().clone();
    hand.press("4 / 'dead-end' enter");
    let finding = hand.model.screens.problems.problems()[0].finding.clone();
    let (package, bundle) = (finding.package.unwrap(), finding.bundle.unwrap());
    assert_ne!(before.bundle.as_ref(), Some(&bundle), "else this shows nothing");
    hand.press("e");
    assert_eq!(form(&hand), format!("{package} {} {bundle}", finding.channel.unwrap()));
    hand.press("esc p");
    let Some(OpenDialog::Promote(promote)) = hand.model.dialogs.last() else { panic!("{}", hand.screen()) };
    assert_eq!((&promote.package, &promote.bundle), (&package, &bundle));
    hand.press("esc a");
    assert!(!hand.model.dialogs.is_empty(), "{}", hand.screen());
    assert_eq!(*hand.model.session.selection(), before, "what is selected stays");
}

#[test]
fn a_finding_without_an_entry_says_that_it_names_none() {
    let mut hand = Hand::demo(120, 36);
    hand.press("4");
    let without =
        hand.model.screens.problems.problems().iter().position(|problem| problem.finding.bundle.is_none());
    hand.press(&"j ".repeat(without.unwrap()));
    for key in ["e", "p"] {
        hand.press(key);
        assert!(hand.model.dialogs.is_empty(), "{key}\n{}", hand.screen());
        let said = hand.model.notices.passing.as_ref().unwrap().words();
        assert!(said.contains("this finding has no"), "{key}: {said}");
    }
}

#[test]
fn on_deprecations_the_deprecated_bundle_is_edited_in_a_channel_that_has_it() {
    let mut hand = Hand::demo(120, 36);
    hand.press("5");
    let rows = hand.model.screens.deprecations.deprecations().len();
    let mut edited = 0;
    for _ in 0..rows {
        let at = hand.model.cursor(ListId::Deprecations).unwrap();
        let row = &hand.model.screens.deprecations.deprecations()[at];
        let wanted = format!("{} ", row.package);
        let words =
            if matches!(row.listed, Listed::Suggested(_)) { "this suggestion" } else { "this deprecation" };
        hand.press("e");
        if hand.model.dialogs.is_empty() {
            let said = hand.model.notices.passing.as_ref().unwrap().words();
            assert!(said.contains(&format!("{words} has no")), "{said}\n{}", hand.screen());
        } else {
            assert!(form(&hand).starts_with(&wanted), "{}, row of {wanted}", form(&hand));
            edited += 1;
            hand.press("esc");
        }
        hand.press("j");
    }
    assert!(edited > 0 && edited < rows, "{edited} of {rows}");
}

#[test]
fn on_changes_without_a_row_nothing_is_edited_behind_ones_back() {
    let mut hand = Hand::demo(120, 36);
    hand.press("g enter l 6");
    assert_eq!(hand.model.session.screen, Screen::Changes);
    for key in ["e", "p"] {
        hand.press(key);
        assert!(hand.model.dialogs.is_empty(), "{key}\n{}", hand.screen());
        assert!(hand.model.notices.passing.is_some(), "{key} says why not");
    }
}
