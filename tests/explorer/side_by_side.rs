//! Tests of all channels side by side, by keys and mouse.

use olmap::tui::Screen;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::support::ExplorerDriver;

const SHIP_CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- {name: ship.v1.2.0, replaces: ship.v1.1.0}
- {name: ship.v1.1.0, replaces: ship.v1.0.0}
- name: ship.v1.0.0
---
schema: olm.channel
package: ship
name: fast
entries:
- name: ship.v1.1.0
---
{schema: olm.bundle, package: ship, name: ship.v1.2.0, properties: [{type: olm.package, value: {packageName: ship, version: 1.2.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

fn open_ship() -> ExplorerDriver {
    ExplorerDriver::open_yaml(SHIP_CATALOG, 100, 30)
}

fn selected_bundle(hand: &ExplorerDriver) -> String {
    hand.model.session.selection().bundle.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn selected_channel(hand: &ExplorerDriver) -> String {
    hand.model.session.selection().channel.as_ref().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn keys_move_between_channels_and_rows() {
    let mut hand = open_ship();
    hand.press("2 w");
    assert!(hand.shows("2 channels") && hand.shows("HEAD of fast"), "{}", hand.screen());
    hand.press("l");
    assert_eq!(
        (selected_channel(&hand), selected_bundle(&hand)),
        ("fast".into(), "ship.v1.2.0".into()),
        "the row stays"
    );
    hand.press("l");
    assert_eq!(selected_channel(&hand), "fast", "there is none on its right");
    hand.press("j j");
    assert_eq!(selected_bundle(&hand), "ship.v1.0.0", "rows that the channel has not are rows too");
    hand.press("left right h l k");
    assert_eq!((selected_channel(&hand), selected_bundle(&hand)), ("fast".into(), "ship.v1.1.0".into()));
    hand.press("esc");
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.screens.graph.is_side_by_side()),
        (Screen::Graph, false)
    );
    hand.press("esc");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
}

#[test]
fn enter_opens_the_nearest_channel_with_the_bundle() {
    let mut hand = open_ship();
    hand.press("2 w l enter");
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.screens.graph.is_side_by_side()),
        (Screen::Graph, false)
    );
    assert_eq!((selected_channel(&hand), selected_bundle(&hand)), ("stable".into(), "ship.v1.2.0".into()));
    assert!(hand.shows("stable has ship.v1.2.0, fast does not"), "{}", hand.screen());
    hand.press("w l j w");
    assert_eq!((selected_channel(&hand), selected_bundle(&hand)), ("fast".into(), "ship.v1.1.0".into()));
    hand.press("l");
    assert_eq!(
        hand.model.session.navigation.screen,
        Screen::Upgrades,
        "in the graph of one channel l goes in, as ever"
    );
    // The zoom shows the channel with the bundle, too.
    hand.press("2 w l k k");
    assert_eq!(selected_bundle(&hand), "ship.v1.2.0");
    hand.press("z");
    assert_eq!((selected_channel(&hand), selected_bundle(&hand)), ("stable".into(), "ship.v1.2.0".into()));
    hand.press("w");
    assert!(hand.model.screens.graph.is_side_by_side(), "and back again");
}

#[test]
fn enter_selects_the_nearest_entry_if_no_channel_has_the_bundle() {
    let catalog = SHIP_CATALOG.replace("- name: ship.v1.0.0\n", "");
    let mut hand = ExplorerDriver::open_yaml(&catalog, 100, 30);
    hand.press("2 w l G enter");
    assert_eq!((selected_channel(&hand), selected_bundle(&hand)), ("fast".into(), "ship.v1.1.0".into()));
    assert!(hand.shows("fast has no ship.v1.0.0; this is the nearest"), "{}", hand.screen());
}

#[test]
fn side_by_side_stays_active_on_other_screens_and_packages() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("2 w l 1 j 2");
    assert!(hand.model.screens.graph.is_side_by_side());
    let package = hand.model.session.selection().package.clone().unwrap();
    let side = hand.model.screens.graph.side_by_side().unwrap();
    let channels = &hand.model.session.selected_package().unwrap().package().channels;
    assert_eq!(side.channels.len(), channels.len(), "of {package}");
    // An edit is drawn immediately.
    let rows = side.rows.len();
    hand.press("e ctrl-u 'nowhere' enter");
    assert_eq!(hand.model.screens.graph.side_by_side().unwrap().rows.len(), rows + 1, "{}", hand.screen());
}

#[test]
fn mark_shows_the_path_in_all_channels_view() {
    let mut hand = open_ship();
    hand.press("2 w G m g");
    assert!(hand.shows(">1.2.0") && hand.shows(" 1.0.0  m"), "{}", hand.screen());
    assert!(hand.shows("From ship.v1.0.0 (m) to ship.v1.2.0"), "{}", hand.screen());
    hand.press("f");
    assert!(hand.shows("focus: only for one channel"), "{}", hand.screen());
    hand.press("i");
    assert!(hand.shows("All channels: any key closes") && !hand.shows("skipRange"), "{}", hand.screen());
    // Escape closes the last opened view first.
    hand.press("esc esc");
    assert!(
        !hand.model.screens.graph.is_side_by_side() && hand.model.session.navigation.marked_bundle.is_some()
    );
}

#[test]
fn package_without_channels_has_no_side_by_side_view() {
    let yaml = format!("{SHIP_CATALOG}---\nschema: olm.package\nname: tug\n");
    let mut hand = ExplorerDriver::open_yaml(&yaml, 100, 30);
    hand.press("j 2 w 1 k 2");
    assert!(hand.shows("the package has no channels"), "{}", hand.screen());
    hand.press("h l j G enter w esc");
    assert!(!hand.model.screens.graph.is_side_by_side());
    hand.press("2 w");
    assert!(hand.shows("all channels: the package has no channels"), "{}", hand.screen());
}

#[test]
fn click_on_a_line_describes_its_edges() {
    let mut hand = open_ship();
    hand.press("2 w");
    let screen = hand.screen();
    let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains(" 1.1.0")).unwrap();
    let lane = line.chars().position(|c| c == '┤').unwrap();
    hand.mouse(mouse_click(u16::try_from(lane).unwrap(), u16::try_from(y).unwrap()));
    assert!(hand.shows("stable: 1.2.0 replaces 1.1.0, 1.1.0 replaces 1.0.0"), "{}", hand.screen());
}

#[test]
fn click_selects_row_and_channel() {
    let mut hand = open_ship();
    hand.press("2 w");
    let screen = hand.screen();
    let find = |text: &str| {
        let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let x = line.split(text).next().unwrap().chars().count();
        (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
    };
    let (fast, above) = find(" fast");
    let (_, row) = find(" 1.1.0");
    hand.mouse(mouse_click(fast + 1, row));
    assert_eq!((selected_channel(&hand), selected_bundle(&hand)), ("fast".into(), "ship.v1.1.0".into()));
    let stable =
        screen.lines().nth(usize::from(above)).unwrap().split("stable").next().unwrap().chars().count();
    hand.mouse(mouse_click(u16::try_from(stable).unwrap(), above));
    assert_eq!(
        (selected_channel(&hand), selected_bundle(&hand)),
        ("stable".into(), "ship.v1.1.0".into()),
        "names too"
    );
    hand.mouse(mouse_click(2, row + 1));
    assert_eq!(
        (selected_channel(&hand), selected_bundle(&hand)),
        ("stable".into(), "ship.v1.0.0".into()),
        "versions only rows"
    );
}

fn mouse_click(column: u16, row: u16) -> MouseEvent {
    MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column, row, modifiers: KeyModifiers::NONE }
}
