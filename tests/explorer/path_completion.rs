//! Tests of completing a path with Tab.

use std::sync::Arc;

use olmap::tui::{
    Effect, UserError, session::jobs::dialog_questions::CompletionRequest, work::outcome::PathCompletions,
};

use super::support::ExplorerDriver;

/// Opens the prompt for the path of a base catalog.
fn open_path_prompt() -> ExplorerDriver {
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.press("B g j j j j enter");
    assert!(hand.shows("Catalog to compare with"), "{}", hand.screen());
    hand
}

fn request(typed: &str) -> Arc<CompletionRequest> {
    Arc::new(CompletionRequest { typed: typed.to_owned() })
}

fn send_names(hand: &mut ExplorerDriver, typed: &str, begun: usize, names: &[&str]) {
    let names = PathCompletions::from_names(names.iter().map(|name| (*name).to_owned()).collect(), begun);
    hand.answer(request(typed), Ok(names));
}

#[test]
fn tab_completes_the_common_prefix_and_lists_names() {
    let mut hand = open_path_prompt();
    hand.press("'~/cat' tab");
    assert_eq!(hand.effects.last(), Some(&Effect::run(request("~/cat"))));
    send_names(&mut hand, "~/cat", 3, &["catalogs/", "catalog.yaml", "catalog\u{1b}[31m.yaml"]);
    assert!(hand.shows("~/catalog "), "{}", hand.screen());
    insta::assert_snapshot!("path_completed_80x24", hand.screen());
    hand.press("'s'");
    assert!(!hand.shows("catalog.yaml       "), "another letter, other names:\n{}", hand.screen());
    hand.press("tab");
    send_names(&mut hand, "~/catalogs", 8, &["catalogs/"]);
    assert!(hand.shows("~/catalogs/ "), "{}", hand.screen());
    hand.press("enter");
    assert!(format!("{:?}", hand.effects.last()).contains("\"~/catalogs/\""), "{:?}", hand.effects.last());
}

#[test]
fn names_for_older_input_are_ignored() {
    let mut hand = open_path_prompt();
    hand.press("'a' tab 'b'");
    send_names(&mut hand, "a", 1, &["apple"]);
    assert!(!hand.shows("apple"), "{}", hand.screen());
    hand.press("tab");
    let refused = UserError { message: "ab: no such folder".to_owned(), hint: None };
    hand.answer(request("ab"), Err(refused));
    assert!(hand.shows("ab: no such folder"), "{}", hand.screen());
    hand.press("'c' tab");
    send_names(&mut hand, "abc", 3, &[]);
    assert!(hand.shows("no such path"), "{}", hand.screen());
    hand.press("tab esc");
    send_names(&mut hand, "abc", 3, &["abcd"]);
    assert!(hand.model.dialogs.is_empty(), "who asked is gone");
}

#[test]
fn save_as_completes_paths_and_revision_prompt_does_not() {
    let mut hand = ExplorerDriver::demo(50, 15);
    hand.press(": 'save-as' enter ctrl-u '../' tab");
    assert_eq!(hand.effects.last(), Some(&Effect::run(request("../"))));
    let many: Vec<String> = (0..90).map(|at| format!("folder-{at}/")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    send_names(&mut hand, "../", 0, &many);
    insta::assert_snapshot!("path_completed_50x15", hand.screen());
    hand.press("esc B g j j j enter 'ma'");
    hand.effects.clear();
    hand.press("tab");
    assert!(hand.effects.is_empty(), "a revision is on no disk: {:?}", hand.effects);
}
