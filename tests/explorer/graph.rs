//! Tests of the Graph screen: navigation, view options, and the panel below.

use olmap_report::layout::FoldLine;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::support::ExplorerDriver;

/// Returns a channel from 1.20.0 down to 1.0.0, each entry replacing the one below. The only
/// upgrade of 1.8.1 is 1.9.1, which 1.20.0 skips.
fn open_long_channel(columns: u16, rows: u16) -> ExplorerDriver {
    let mut yaml = String::from(
        "---\nschema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n",
    );
    for n in (0..=20).rev() {
        yaml += &format!("- name: p.v1.{n}.0\n");
        match n {
            20 => yaml += "  replaces: p.v1.19.0\n  skips: [p.v1.9.1]\n",
            0 => {}
            n => yaml += &format!("  replaces: p.v1.{}.0\n", n - 1),
        }
    }
    yaml += "- {name: p.v1.9.1, skips: [p.v1.8.1]}\n- {name: p.v1.8.1, replaces: p.v1.8.0}\n";
    for version in (0..=20).map(|n| format!("1.{n}.0")).chain(["1.9.1".to_owned(), "1.8.1".to_owned()]) {
        yaml += &format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: example.com/p@sha256:{:064}\nproperties:\n\
             - type: olm.package\n  value: {{packageName: p, version: {version}}}\n",
            0
        );
    }
    let mut hand = ExplorerDriver::open_yaml(&yaml, columns, rows);
    hand.press("2");
    hand
}

fn selected_bundle(hand: &ExplorerDriver) -> &str {
    hand.model.session.selection().bundle.as_ref().map(AsRef::as_ref).unwrap_or_default()
}

fn count_folded_lines(hand: &ExplorerDriver) -> usize {
    let lines = &hand.model.screens.graph.graph_lines().lines;
    lines.iter().filter(|line| !matches!(line, FoldLine::Row(_))).count()
}

#[test]
fn whole_upgrade_path_is_drawn_with_its_end() {
    let mut hand = open_long_channel(100, 40);
    hand.press("/ '1.8.1' enter");
    let ways = hand.model.screens.graph.layout().unwrap().paths.clone().unwrap();
    assert!(ways.classic.hops.is_empty(), "Classic leaves it behind");
    let v1: Vec<&str> = ways.v1.hops.iter().map(AsRef::as_ref).collect();
    assert_eq!(v1, ["p.v1.9.1", "p.v1.20.0"]);
    assert!(hand.shows("v1 ends here") && !hand.shows("Classic ends here"));
    hand.press("esc G");
    assert!(hand.shows("both end here") && hand.shows("Both go 1.1.0"), "{}", hand.screen());
}

#[test]
fn notable_rows_are_visited_in_a_cycle() {
    let mut hand = open_long_channel(100, 40);
    hand.press("}");
    assert_eq!(selected_bundle(&hand), "p.v1.8.1");
    hand.press("}");
    assert!(hand.shows("no other notable row in this channel"));
    hand.press("g {");
    assert_eq!(selected_bundle(&hand), "p.v1.8.1");
}

#[test]
fn folded_rows_are_skipped_by_the_cursor() {
    let mut hand = open_long_channel(100, 40);
    hand.press("F");
    assert!(count_folded_lines(&hand) > 0 && hand.shows("nothing notable"));
    let all = hand.model.screens.graph.layout().unwrap().rows.len();
    // Each step moves the cursor until the end.
    let mut steps = 0;
    loop {
        let before = selected_bundle(&hand).to_owned();
        hand.press("j");
        if selected_bundle(&hand) == before {
            break;
        }
        steps += 1;
    }
    assert_eq!(selected_bundle(&hand), "p.v1.0.0");
    assert!(steps < all - 1, "folds save steps: {steps}");
    hand.press("F");
    assert_eq!(count_folded_lines(&hand), 0);
}

#[test]
fn search_moves_between_matches_and_can_hide_other_rows() {
    let mut hand = open_long_channel(100, 40);
    hand.press("/ '1.1'");
    assert_eq!(selected_bundle(&hand), "p.v1.19.0", "the first match below");
    assert!(hand.shows("match 1 of 11"));
    hand.press("enter n n");
    assert_eq!(selected_bundle(&hand), "p.v1.17.0");
    hand.press("N N N");
    assert_eq!(selected_bundle(&hand), "p.v1.1.0", "it goes round");
    hand.press("F");
    assert!(hand.shows("not found"));
    hand.press("esc");
    assert!(!hand.shows("not found"), "esc takes the search away");
    hand.press("/ 'zzz' enter n");
    assert!(hand.shows("no match"));
}

#[test]
fn floor_hides_lower_versions_until_they_are_visited() {
    let mut hand = open_long_channel(100, 40);
    hand.press("b ctrl-u '1.15'");
    assert!(hand.shows("shows 6 of 23 bundles"));
    hand.press("enter");
    assert!(hand.shows("from 1.15 on") && hand.shows("17 lower"));
    hand.press("} ");
    assert_eq!(selected_bundle(&hand), "p.v1.8.1");
    assert!(hand.shows("STUCK"), "what one jumps to is shown");
    hand.press("b ctrl-u 'x1' enter");
    assert!(hand.shows("one to three numbers"));
    hand.press("ctrl-u enter");
    assert_eq!(count_folded_lines(&hand), 0);
}

#[test]
fn mark_shows_the_path_and_the_edit_that_adds_one() {
    let mut hand = open_long_channel(100, 40);
    hand.press("} m");
    assert!(hand.shows("The mark m is set here"));
    hand.press("g");
    assert!(hand.shows("From p.v1.8.1 (m) to p.v1.20.0"));
    assert!(hand.shows("no upgrade path to p.v1.20.0") && hand.shows("One edit adds an upgrade path"));
    hand.press(".");
    assert!(hand.shows("Add upgrade path") && hand.shows("Changed upgrades"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("arrives in 1 upgrade"), "{}", hand.screen());
    hand.press(".");
    assert!(hand.shows("Classic has an upgrade path"), "{}", hand.screen());
    hand.press("u");
    assert!(hand.shows("no upgrade path to"));
    hand.press("esc");
    assert!(!hand.shows("(m)"), "esc takes the mark away");
    hand.press(".");
    assert!(
        hand.shows("is not stuck; 1 other is, in c (. on Packages); m starts an upgrade path"),
        "{}",
        hand.screen()
    );
}

#[test]
fn tab_scrolls_the_panel() {
    let mut hand = open_long_channel(60, 18);
    hand.press("} m g");
    assert!(hand.shows("tab scrolls"));
    hand.press("tab");
    assert!(!hand.shows("tab scrolls"));
    let before = selected_bundle(&hand).to_owned();
    hand.press("j j j");
    assert_eq!(selected_bundle(&hand), before, "the keys scroll the words now");
    hand.press("esc j");
    assert_ne!(selected_bundle(&hand), before);
}

#[test]
fn click_on_a_line_describes_its_edge() {
    let mut hand = open_long_channel(100, 40);
    let click = |hand: &mut ExplorerDriver, column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        hand.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    };
    let layout = hand.model.screens.graph.layout().unwrap().clone();
    // The line right of the first node is an edge to the row below.
    let column = u16::try_from(layout.columns.node + 2).unwrap();
    let list = *hand.model.frame.hits.drawn_list(olmap::tui::parts::list::ListId::Graph).unwrap();
    click(&mut hand, list.area.x + 1 + column, list.area.y);
    assert!(hand.shows("1.20.0 replaces 1.19.0"), "{}", hand.screen());
}

#[test]
fn legend_closes_with_any_key() {
    let mut hand = open_long_channel(100, 40);
    hand.press("i");
    assert!(hand.shows("Classic never upgrades it"));
    hand.press("x");
    assert!(hand.model.dialogs.is_empty());
}
