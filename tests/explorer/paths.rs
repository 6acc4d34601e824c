//! Tests of completing a path with Tab.

use olmap::app::{Effect, Msg, Refusal, work::outcome::Names};

use super::support::Hand;

/// Opens the prompt for the path of a base catalog.
fn asked() -> Hand {
    let mut hand = Hand::demo(80, 24);
    hand.press("B g j j j j enter");
    assert!(hand.shows("Catalog to compare with"), "{}", hand.screen());
    hand
}

fn told(hand: &mut Hand, typed: &str, begun: usize, names: &[&str]) {
    let names = Names::of(names.iter().map(|name| (*name).to_owned()).collect(), begun);
    hand.send(Msg::Names { typed: typed.to_owned(), outcome: Ok(names) });
}

#[test]
fn tab_completes_the_common_prefix_and_lists_names() {
    let mut hand = asked();
    hand.press("'~/cat' tab");
    assert_eq!(hand.effects.last(), Some(&Effect::ListNames { typed: "~/cat".to_owned() }));
    told(&mut hand, "~/cat", 3, &["catalogs/", "catalog.yaml", "catalog\u{1b}[31m.yaml"]);
    assert!(hand.shows("~/catalog "), "{}", hand.screen());
    insta::assert_snapshot!("path_completed_80x24", hand.screen());
    hand.press("'s'");
    assert!(!hand.shows("catalog.yaml       "), "another letter, other names:\n{}", hand.screen());
    hand.press("tab");
    told(&mut hand, "~/catalogs", 8, &["catalogs/"]);
    assert!(hand.shows("~/catalogs/ "), "{}", hand.screen());
    hand.press("enter");
    assert!(format!("{:?}", hand.effects.last()).contains("\"~/catalogs/\""), "{:?}", hand.effects.last());
}

#[test]
fn names_for_older_input_are_ignored() {
    let mut hand = asked();
    hand.press("'a' tab 'b'");
    told(&mut hand, "a", 1, &["apple"]);
    assert!(!hand.shows("apple"), "{}", hand.screen());
    hand.press("tab");
    let refused = Refusal { message: "ab: no such folder".to_owned(), hint: None };
    hand.send(Msg::Names { typed: "ab".to_owned(), outcome: Err(refused) });
    assert!(hand.shows("ab: no such folder"), "{}", hand.screen());
    hand.press("'c' tab");
    told(&mut hand, "abc", 3, &[]);
    assert!(hand.shows("no such path"), "{}", hand.screen());
    hand.press("tab esc");
    told(&mut hand, "abc", 3, &["abcd"]);
    assert!(hand.model.dialogs.is_empty(), "who asked is gone");
}

#[test]
fn save_as_completes_paths_and_revision_prompt_does_not() {
    let mut hand = Hand::demo(50, 15);
    hand.press(": 'save-as' enter ctrl-u '../' tab");
    assert_eq!(hand.effects.last(), Some(&Effect::ListNames { typed: "../".to_owned() }));
    let many: Vec<String> = (0..90).map(|at| format!("folder-{at}/")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    told(&mut hand, "../", 0, &many);
    insta::assert_snapshot!("path_completed_50x15", hand.screen());
    hand.press("esc B g j j j enter 'ma'");
    hand.effects.clear();
    hand.press("tab");
    assert!(hand.effects.is_empty(), "a revision is on no disk: {:?}", hand.effects);
}
