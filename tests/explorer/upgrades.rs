//! Tests of the Upgrades screen, by keys and mouse.

use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::support::ExplorerDriver;

/// Opens the package of the demo with the dead end.
fn open_granary() -> ExplorerDriver {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'granary' enter l l 3");
    hand
}

#[test]
fn invalid_constraint_shows_the_error_position() {
    let mut hand = open_granary();
    hand.press("shift-tab shift-tab shift-tab enter '>=1.0.0' space '||' space '>>2'");
    let screen = hand.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let at = lines.iter().position(|line| line.contains(">>2")).unwrap();
    let column = |line: &str, mark: char| line.chars().position(|c| c == mark);
    let typed: Vec<char> = lines[at].chars().collect();
    let marked = column(lines[at + 1], '^').unwrap();
    assert_eq!(typed[marked], '>', "{screen}");
    hand.press("ctrl-u '<1.2.0'");
    assert!(hand.shows("matches 0 of 10 bundles"), "{}", hand.screen());
}

#[test]
fn table_is_sorted_and_filtered_by_key_and_click() {
    let mut hand = open_granary();
    let first = |hand: &ExplorerDriver| {
        hand.model.screens.upgrades.visible_rows()[0]
            .upgrade_row(&hand.model.session.derived)
            .unwrap()
            .installed
            .name
            .to_string()
    };
    assert_eq!(first(&hand), "granary-operator.v3.1.1");
    hand.press("S");
    assert_eq!(first(&hand), "granary-operator.v2.5.0");
    hand.press("S");
    assert_eq!(first(&hand), "granary-operator.v2.6.4");
    let click = |hand: &mut ExplorerDriver, words: &str| {
        let screen = hand.screen();
        let (row, line) = screen.lines().enumerate().find(|(_, line)| line.contains(words)).unwrap();
        let column = line.find(words).map(|at| line[..at].chars().count()).unwrap();
        hand.mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: u16::try_from(column).unwrap(),
            row: u16::try_from(row).unwrap(),
            modifiers: KeyModifiers::NONE,
        });
    };
    click(&mut hand, "installed ");
    assert_eq!(first(&hand), "granary-operator.v3.1.1");
    click(&mut hand, "installed ");
    assert_eq!(first(&hand), "granary-operator.v2.5.0");
    hand.press("D");
    assert!(hand.shows("differences only: 1 of 8"), "{}", hand.screen());
    hand.press("/ '3.1' enter");
    assert!(hand.shows("nothing that differs matches /3.1; esc clears it, D shows all"), "{}", hand.screen());
    hand.press("D");
    assert_eq!(first(&hand), "granary-operator.v3.1.0");
    hand.press("esc");
    assert_eq!(hand.model.screens.upgrades.visible_rows().len(), 10);
}

#[test]
fn fresh_install_starts_at_starting_csv() {
    let mut hand = open_granary();
    assert!(hand.shows("fresh install  Classic 3.1.1 (the head)   v1 3.1.1"), "{}", hand.screen());
    hand.press("tab tab tab enter '2.5' enter");
    assert!(hand.shows("Classic 2.5.0 (startingCSV) → 3.1.1 in 3 hops"), "{}", hand.screen());
    hand.press("enter '2.6.4' enter");
    assert!(hand.shows("Classic 2.6.4 (startingCSV) (never upgraded in this channel)"), "{}", hand.screen());
    hand.press("enter 'nowhere' enter");
    assert!(hand.shows("nothing matches"), "{}", hand.screen());
    hand.press("esc enter up up up up up up up up up enter");
    assert_eq!(hand.model.session.upgrade_query.starting, None);
    // Another channel has other entries.
    hand.press("enter '3.1.0' enter shift-tab enter j enter");
    assert_eq!(hand.model.session.upgrade_query.subscribed.as_ref().unwrap().as_str(), "stable-1.9");
    assert_eq!(hand.model.session.upgrade_query.starting, None);
}

#[test]
fn blocked_cluster_update_shows_the_required_upgrades() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'quill' enter l l 3 shift-tab enter '4.18' enter esc");
    assert!(
        hand.shows("3 of 7 block 4.18 -> 4.19; 3 can upgrade first on Classic, 1 on v1"),
        "{}",
        hand.screen()
    );
    assert!(hand.shows("NO: 1.3.1 +1"), "{}", hand.screen());
    hand.press("/ '1.1.0' enter enter");
    let words = "blocks the update 4.18 -> 4.19: supports OpenShift up to 4.18; upgrade first: Classic \
     1.3.1 in 2 \
     hops, v1 none";
    assert!(hand.shows(words), "{}", hand.screen());
    hand.press("esc shift-tab enter end 'x'");
    assert!(hand.shows("`4.18x` is not an OpenShift version"), "{}", hand.screen());
    hand.press("ctrl-u enter");
    assert_eq!(hand.model.session.upgrade_query.openshift, None);
}

#[test]
fn value_of_omitted_column_is_shown_below() {
    for (columns, rows) in [(80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("/ 'granary' enter l l 3 j j j j j");
        if rows == 15 {
            hand.press("enter");
        }
        assert!(hand.shows("ends at: Classic 3.1.1 +2, v1 3.1.1 +2 hops"), "{}", hand.screen());
    }
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'granary' enter l l 3 j j j j j");
    assert!(!hand.shows("ends at: "), "{}", hand.screen());
}

#[test]
fn focused_field_has_a_cursor() {
    let mut hand = open_granary();
    assert!(!hand.shows(">policy"), "{}", hand.screen());
    hand.press("shift-tab shift-tab");
    assert!(hand.shows(">policy [CatalogProvided]"), "{}", hand.screen());
    hand.press("shift-tab");
    assert!(hand.shows(">version [any]") && !hand.shows(">policy"), "{}", hand.screen());
}
