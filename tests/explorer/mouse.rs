//! Tests of the mouse: rows, tabs, breadcrumbs, splitters, scroll bars and notices.

use olm_catalog::{PackageName, load};
use olmap::tui::{
    Effect, LoadProgress, Msg, Screen, Source,
    keys::ActionId,
    parts::{
        frame::{Area, Breadcrumb, Hit, Splitter},
        list::ListId,
        notice::NoticeTopic,
    },
    session::navigation::Pane,
};
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;

use super::support::ExplorerDriver;

fn mouse_event(kind: MouseEventKind, (column, row): (u16, u16)) -> MouseEvent {
    MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }
}

fn click(hand: &mut ExplorerDriver, at: (u16, u16)) {
    hand.mouse(mouse_event(MouseEventKind::Down(MouseButton::Left), at));
}

fn drag(hand: &mut ExplorerDriver, from: (u16, u16), to: (u16, u16)) {
    click(hand, from);
    hand.mouse(mouse_event(MouseEventKind::Drag(MouseButton::Left), to));
    hand.mouse(mouse_event(MouseEventKind::Up(MouseButton::Left), to));
}

fn hit_area(hand: &ExplorerDriver, hit: Hit) -> Area {
    hand.model.frame.hits.area_of(hit).unwrap_or_else(|| panic!("{hit:?} is not drawn\n{}", hand.screen()))
}

fn top_left(area: Area) -> (u16, u16) {
    (area.x, area.y)
}

fn splitter_position(hand: &ExplorerDriver, splitter: Splitter) -> u16 {
    hand.model
        .frame
        .hits
        .drawn_splitter(splitter)
        .unwrap_or_else(|| panic!("{splitter:?} is not drawn"))
        .position
}

#[test]
fn every_splitter_can_be_dragged_and_reset() {
    let screens = [
        ("1", &[Splitter::Packages, Splitter::Channels, Splitter::Details][..]),
        ("2", &[Splitter::Graph]),
        ("3", &[Splitter::Upgrades]),
        ("4", &[Splitter::Problems]),
        ("5", &[Splitter::Deprecations]),
    ];
    for (screen, splitters) in screens {
        for &splitter in splitters {
            let mut hand = ExplorerDriver::demo(120, 36);
            hand.press("/ 'granary' enter").press(screen);
            let line = hit_area(&hand, Hit::Splitter(splitter));
            let (from, before) = (top_left(line), splitter_position(&hand, splitter));
            let to = if splitter.is_vertical() { (from.0 + 4, from.1) } else { (from.0, from.1 - 4) };
            drag(&mut hand, from, to);
            let now = splitter_position(&hand, splitter);
            let wanted = if splitter.is_vertical() { before + 4 } else { before - 4 };
            assert!(now.abs_diff(wanted) <= 1, "{splitter:?} went from {before} to {now}, not {wanted}");
            hand.mouse(mouse_event(MouseEventKind::Drag(MouseButton::Left), (60, 20)));
            assert_eq!(splitter_position(&hand, splitter), now, "a button that was let go drags nothing");
            hand.press("I =");
            assert_eq!(splitter_position(&hand, splitter), before);
        }
    }
}

#[test]
fn keys_resize_panes() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let packages = splitter_position(&hand, Splitter::Packages);
    hand.press("+ +");
    assert!(splitter_position(&hand, Splitter::Packages) > packages);
    hand.press("- - -");
    assert!(splitter_position(&hand, Splitter::Packages) < packages);
    hand.press("2");
    let graph = splitter_position(&hand, Splitter::Graph);
    hand.press("tab +");
    assert!(splitter_position(&hand, Splitter::Graph) < graph, "the words below have the keys");
    hand.press("6 +");
    assert!(hand.shows("this pane cannot grow"));
}

#[test]
fn breadcrumbs_lead_to_the_pane_of_their_item() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'granary' enter 3");
    let channel = top_left(hit_area(&hand, Hit::Crumb(Breadcrumb::Channel)));
    click(&mut hand, channel);
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.session.navigation.pane),
        (Screen::Packages, Pane::Channels)
    );
    let package = top_left(hit_area(&hand, Hit::Crumb(Breadcrumb::Package)));
    click(&mut hand, package);
    assert_eq!(hand.model.session.navigation.pane, Pane::Packages);
    hand.press("[");
    assert_eq!(hand.model.session.navigation.screen, Screen::Upgrades, "one can go back from there");
}

#[test]
fn scroll_bar_reaches_both_ends() {
    let mut hand = ExplorerDriver::demo(120, 12);
    hand.press("4");
    let bar = hit_area(&hand, Hit::ScrollBar(ListId::Problems));
    drag(&mut hand, top_left(bar), (bar.x, bar.y + bar.height - 1));
    let last = hand.model.row_count(ListId::Problems) - 1;
    assert_eq!(hand.model.list_cursor(ListId::Problems), Some(last));
    click(&mut hand, top_left(bar));
    assert_eq!(hand.model.list_cursor(ListId::Problems), Some(0));
    // Lists without a cursor scroll.
    let mut hand = ExplorerDriver::demo(80, 16);
    hand.press("/ 'granary' enter l l tab");
    let bar = hit_area(&hand, Hit::ScrollBar(ListId::Details));
    click(&mut hand, (bar.x, bar.y + bar.height - 1));
    assert!(hand.model.session.lists.first_row(ListId::Details) > 0);
}

#[test]
fn click_selects_a_row_and_second_click_opens_it() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let list = hand.model.frame.hits.drawn_list(ListId::Packages).unwrap().area;
    let second = (list.x + 2, list.y + 1);
    click(&mut hand, second);
    let name = hand.model.session.selection().package.clone();
    assert_eq!(hand.model.session.navigation.pane, Pane::Packages);
    click(&mut hand, second);
    assert_eq!(hand.model.session.navigation.pane, Pane::Channels, "as Enter does");
    assert_eq!(hand.model.session.selection().package, name);
    // A click into another pane on its selected row only moves the focus.
    click(&mut hand, second);
    assert_eq!(hand.model.session.navigation.pane, Pane::Packages);
}

#[test]
fn error_notice_takes_no_key_and_is_dismissed_by_escape_or_click() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.model.notices.report_failure(NoticeTopic::Load, "the disk is gone");
    hand.press("j");
    assert!(hand.shows("the disk is gone"));
    assert_ne!(hand.model.session.selection().package, first_package(&hand), "the key did what it does");
    hand.press("/ 'o' enter l");
    assert!(hand.shows("the disk is gone"), "no other key puts it away");
    hand.press("esc");
    assert!(!hand.shows("the disk is gone"));
    assert_eq!(hand.model.session.navigation.pane, Pane::Channels, "putting it away is all that esc did");
    hand.press("I l");
    assert!(hand.shows("the disk is gone"), "it can be read again");
    hand.press("esc");
    hand.model.notices.report_failure(NoticeTopic::Load, "and again");
    hand.press("k");
    let toast = top_left(hit_area(&hand, Hit::Toast));
    click(&mut hand, toast);
    assert!(!hand.shows("and again"));
}

fn first_package(hand: &ExplorerDriver) -> Option<PackageName> {
    hand.model.screens.packages.package_names().first().cloned()
}

/// Notices are visible at every size: in a box, or in one line if there is no room.
#[test]
fn error_notice_is_visible_at_every_size() {
    for (columns, rows) in [(160, 48), (80, 24), (50, 15), (40, 10)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.model.notices.report_failure(NoticeTopic::Save, "first");
        hand.model
            .notices
            .report_failure(NoticeTopic::Load, "second: a sentence that is longer than one line. ".repeat(9));
        hand.press("j");
        assert!(hand.shows("second"), "{columns}x{rows}\n{}", hand.screen());
        hand.press("?");
        assert!(hand.shows("second"), "{columns}x{rows}\n{}", hand.screen());
        hand.press("esc I l down");
        assert!(hand.shows("Messages"), "{columns}x{rows}");
    }
}

#[test]
fn click_on_the_order_changes_it() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let names = |hand: &ExplorerDriver| hand.model.screens.packages.package_names().to_vec();
    let most_stuck = names(&hand);
    let order = top_left(hit_area(&hand, Hit::Order(ListId::Packages)));
    click(&mut hand, order);
    assert!(hand.shows("by name"));
    assert_ne!(names(&hand), most_stuck);
}

#[test]
fn hints_and_menu_rows_can_be_clicked() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let find = top_left(hit_area(&hand, Hit::Action(ActionId::Find)));
    click(&mut hand, find);
    assert!(hand.shows("Find anything"));
    hand.press("esc 2 y");
    let rows = hand.model.frame.hits.drawn_list(ListId::Dialog(0)).unwrap().area;
    click(&mut hand, (rows.x, rows.y));
    assert!(hand.effects.iter().any(|effect| matches!(effect, Effect::Copy(_))), "{}", hand.screen());
    hand.press("y");
    // Items below a dialog are not clickable.
    let filter = hand.model.frame.hits.area_of(Hit::Action(ActionId::Filter));
    assert_eq!(filter, None, "{}", hand.screen());
}

#[test]
fn screen_is_dimmed_during_a_slow_reload() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, "schema: olm.package\nname: ship\n").unwrap();
    let catalog = load::open_catalog(&path).unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(path), catalog, 80, 24);
    let is_dim = |hand: &ExplorerDriver| hand.buffer()[(2, 6)].modifier.contains(Modifier::DIM);
    hand.press("r");
    assert!(!is_dim(&hand), "what takes no time is not waited for");
    hand.send(Msg::WaitProgress(LoadProgress::default()));
    assert!(is_dim(&hand) && hand.shows("reloading"), "{}", hand.screen());
}
