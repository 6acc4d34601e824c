//! Tests of `o` on the Graph screen: the prompt, the written file, and refusals.

use olmap::tui::UserError;
use std::path::PathBuf;

use insta::assert_snapshot;
use olm_catalog::{Origin, load};
use olmap::tui::{
    Effect, Exported, Msg, SaveDestination, SaveFailure, Settings, Source, session::wait_state::BlockingWork,
};
use olmap_report::graph::Format;

use super::support::ExplorerDriver;

const GRANARY_KEYS: &str = "/ 'granary' enter l l 2";

/// Returns the requested exports: channel, format and path.
fn requested_exports(hand: &ExplorerDriver) -> Vec<(Option<String>, Format, String)> {
    let exports = hand.effects.iter().filter_map(|effect| match effect {
        Effect::Export { channel, format, path, package, .. } => {
            assert_eq!(package.package().name, "granary-operator");
            Some((channel.as_ref().map(ToString::to_string), *format, path.display().to_string()))
        }
        _ => None,
    });
    exports.collect()
}

fn send_refusal(hand: &mut ExplorerDriver, path: &str) {
    let outcome = Err(UserError::new(format!("{path} already exists")).with_hint("Choose another name."));
    hand.send(Msg::Exported { asked: PathBuf::from(path), outcome });
}

fn send_written(hand: &mut ExplorerDriver, path: &str, flowcharts: usize, is_split: bool) {
    let outcome = Ok(Exported { path: PathBuf::from(path), flowcharts, is_split });
    hand.send(Msg::Exported { asked: PathBuf::from(path), outcome });
}

#[test]
fn export_asks_for_a_path_and_proposes_one() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("o");
    assert!(hand.shows("Write the graph to") && hand.shows("the channel stable"), "{}", hand.screen());
    assert!(requested_exports(&hand).is_empty(), "not before enter");
    hand.press("enter");
    let path = "granary-operator-stable.svg".to_owned();
    assert_eq!(requested_exports(&hand), [(Some("stable".to_owned()), Format::Svg, path)]);
}

#[test]
fn copy_menu_lists_its_choices() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press(GRANARY_KEYS).press("y");
        assert_snapshot!(format!("copy_menu_{columns}x{rows}"), hand.screen());
    }
}

#[test]
fn prompt_and_refusal_at_three_sizes() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press(GRANARY_KEYS).press("o");
        assert_snapshot!(format!("question_{columns}x{rows}"), hand.screen());
        hand.press("enter");
        send_refusal(&mut hand, "granary-operator-stable.svg");
        assert_snapshot!(format!("refusal_{columns}x{rows}"), hand.screen());
    }
}

#[test]
fn refusal_keeps_the_input_for_another_name() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("o ctrl-u 'docs/a.svg' enter enter");
    assert_eq!(requested_exports(&hand).len(), 1, "enter again asks nothing while the first is under way");
    send_refusal(&mut hand, "docs/a.svg");
    assert!(
        hand.shows("docs/a.svg already exists") && hand.shows("Choose another name"),
        "{}",
        hand.screen()
    );
    hand.press("backspace backspace backspace backspace 'b.svg'");
    assert!(!hand.shows("exists already"), "what is typed now is not refused yet");
    hand.press("enter");
    assert_eq!(requested_exports(&hand).last().unwrap().2, "docs/ab.svg");
    send_written(&mut hand, "docs/ab.svg", 0, false);
    assert!(hand.model.dialogs.is_empty());
    assert!(hand.shows("written: docs/ab.svg"), "{}", hand.screen());
}

#[test]
fn refusal_of_closed_prompt_is_a_notice() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("o ctrl-u 'a.svg' enter esc o ctrl-u 'b.dot'");
    send_refusal(&mut hand, "a.svg");
    assert!(
        hand.shows("Write the graph to") && hand.shows("not written: a.svg already exists"),
        "{}",
        hand.screen()
    );
    hand.press("enter");
    send_written(&mut hand, "b.dot", 0, false);
    assert!(hand.model.dialogs.is_empty());
}

#[test]
fn number_of_flowcharts_is_shown_if_a_channel_was_split() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("o ctrl-u 'granary-operator-stable.md' enter");
    send_written(&mut hand, "granary-operator-stable.md", 3, true);
    let said = "written: granary-operator-stable.md, 3 flowcharts: GitHub draws none larger";
    assert!(hand.shows(said), "{}", hand.screen());
}

#[test]
fn all_channels_side_by_side_are_exported_together() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("w o ctrl-u 'granary-operator.txt' enter");
    assert_eq!(requested_exports(&hand), [(None, Format::SideBySide, "granary-operator.txt".to_owned())]);
    assert!(hand.model.dialogs.len() == 1, "until it is written");
}

#[test]
fn prompt_mentions_unsaved_edits_and_what_if() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("e ctrl-u enter o");
    assert!(hand.shows("enter writes the channel stable, with the unsaved edits"), "{}", hand.screen());
    hand.press("esc u W l o");
    assert!(hand.shows("enter writes the channel stable, with the what-if"), "{}", hand.screen());
}

#[test]
fn export_is_possible_in_read_only_mode() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.model.settings = Settings { read_only: Some("a test".to_owned()), ..Settings::default() };
    hand.press(GRANARY_KEYS).press("o ctrl-u 'graph.json' enter");
    assert_eq!(requested_exports(&hand).len(), 1);
}

#[test]
fn ending_of_the_path_is_the_format() {
    let formats = [
        ("a.svg", Format::Svg),
        ("a.md", Format::Markdown),
        ("a.MMD", Format::Mermaid),
        ("a.dot", Format::Dot),
        ("a.txt", Format::Text),
        ("a.json", Format::Json),
        ("a.jsonl", Format::Jsonl),
    ];
    for (path, format) in formats {
        let mut hand = ExplorerDriver::demo(100, 30);
        hand.press(GRANARY_KEYS).press(&format!("o ctrl-u '{path}' enter"));
        assert_eq!(requested_exports(&hand)[0].1, format, "{path}");
    }
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("o ctrl-u 'a.png' enter");
    assert!(hand.shows("the ending is the format: .svg, .md"), "{}", hand.screen());
    assert!(requested_exports(&hand).is_empty());
}

#[test]
fn nothing_is_exported_without_a_path() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press(GRANARY_KEYS).press("o ctrl-u enter");
    assert!(hand.shows("a path is needed") && requested_exports(&hand).is_empty());
    hand.press("esc");
    assert!(hand.model.dialogs.is_empty() && requested_exports(&hand).is_empty());
}

#[test]
fn path_outside_of_the_catalog_directory_is_proposed() {
    let text = "schema: olm.package\nname: granary-operator\ndefaultChannel: c\n---\nschema: olm.channel\n\
        package: granary-operator\nname: c\nentries:\n- name: v1\n";
    let origin = Origin::Directory(PathBuf::from("."));
    let catalog = load::from_texts(origin, [(PathBuf::from("c.yaml"), text.as_bytes().to_vec())]);
    let mut hand = ExplorerDriver::open_source(Source::Path(PathBuf::from(".")), catalog, 100, 30);
    hand.press("2 o enter");
    assert_eq!(requested_exports(&hand)[0].2, "../granary-operator-c.svg");
}

#[test]
fn refused_save_as_keeps_the_prompt_open() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("6 : 'save' space 'as' enter");
    assert!(hand.shows("a new directory with all files of the catalog"), "{}", hand.screen());
    hand.press("ctrl-u 'taken' enter");
    assert_eq!(hand.model.session.waiting.busy, Some(BlockingWork::Saving));
    let (catalog, written) =
        (hand.model.session.catalogs.current_index(), hand.model.session.snapshot().unwrap().clone());
    let outcome = Err(SaveFailure::Failed(UserError::new("taken already exists")));
    hand.send(Msg::Saved { written: vec![(catalog, written.clone())], outcome, warning: None });
    assert_eq!(hand.model.session.waiting.busy, None);
    assert!(hand.shows("Save as") && hand.shows("taken already exists."), "{}", hand.screen());
    hand.press("'-not' enter");
    let path = hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::SaveAs { path, .. } => Some(path.clone()),
        _ => None,
    });
    assert_eq!(path, Some(PathBuf::from("taken-not")));
    hand.send(Msg::Saved {
        written: vec![(catalog, written)],
        outcome: Ok(SaveDestination::Elsewhere(PathBuf::from("taken-not"))),
        warning: None,
    });
    assert!(hand.model.dialogs.is_empty(), "{}", hand.screen());
    assert!(hand.shows("saved as taken-not"), "{}", hand.screen());
}
