//! Tests of the table of packages that the Packages screen shows for several catalogs: packages down,
//! catalogs across.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olmap::tui::{
    Screen,
    dialogs::comparison_choice::ComparisonChoice,
    parts::list::ListId,
    session::{
        jobs::{
            base_comparison::{BaseRequest, ComparisonRequest},
            console_fields::ConsoleFieldsRequest,
            overview::OverviewRequest,
        },
        navigation::Pane,
    },
};

use super::{
    base_comparison::{package_yaml, snapshot_from_text},
    plan::{open_plan_catalogs, plan_catalogs},
    support::ExplorerDriver,
};

/// Answers overview requests like the worker.
pub fn answer_overview_requests(hand: &mut ExplorerDriver) {
    while let Some(asked) = hand.take_request::<OverviewRequest>() {
        let overview = Arc::new(asked.compute_overview());
        hand.answer(asked, overview);
    }
}

fn press_and_answer(hand: &mut ExplorerDriver, keys: &str) {
    hand.press(keys);
    answer_overview_requests(hand);
}

/// Opens the catalogs of three OpenShift versions, with the table.
fn open_table(columns: u16, rows: u16) -> ExplorerDriver {
    let mut hand = open_plan_catalogs(columns, rows, &plan_catalogs());
    answer_overview_requests(&mut hand);
    hand
}

fn selected_package(hand: &ExplorerDriver) -> &str {
    hand.model.session.selection().package.as_ref().map_or("", olm_catalog::PackageName::as_str)
}

#[test]
fn table_at_several_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open_table(columns, rows);
        let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        press_and_answer(&mut hand, "/ 'crane' enter > >");
        let _ = write!(all, "== crane in 4.22\n{}", hand.screen());
        press_and_answer(&mut hand, "esc S");
        let _ = write!(all, "== by name\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn each_cell_is_described() {
    for (keys, expected) in [
        ("/ 'buoy' enter > >", "The catalog 4.22 has no package buoy; 4.20 has it."),
        ("> > / 'crane' enter", "The head 2.0.0 is lower than that of 4.20: 2.1.0."),
        ("/ 'tide' enter", "1 blocks without an upgrade"),
    ] {
        let mut hand = open_table(120, 36);
        press_and_answer(&mut hand, keys);
        assert!(hand.shows(expected), "{keys}: {expected}\n{}", hand.screen());
    }
}

/// If no name matches, the filter finds packages by what consoles show.
#[test]
fn filter_finds_packages_by_what_consoles_show() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'granary space 'works'");
    assert!(hand.shows("Packages 0 of 8"), "the fields are not read yet: {}", hand.screen());
    let asked = hand.take_request::<ConsoleFieldsRequest>().unwrap();
    let fields = Arc::new(asked.read_fields());
    hand.answer(asked, fields);
    assert!(hand.shows("Packages 1 of 8") && hand.shows("granary-operator"), "{}", hand.screen());
    hand.press("ctrl-u 'gran'");
    assert!(hand.shows("Packages 1 of 8"), "names come first: {}", hand.screen());
}

/// The selection of the table is the selection of all screens.
#[test]
fn row_of_the_table_is_selected_on_other_screens() {
    let mut hand = open_table(120, 36);
    press_and_answer(&mut hand, "/ 'dock' enter");
    assert_eq!(selected_package(&hand), "dock");
    press_and_answer(&mut hand, "2");
    assert!(hand.screen().lines().next().unwrap().contains("dock"), "{}", hand.screen());
    press_and_answer(&mut hand, "1");
    assert_eq!(hand.model.session.lists.filter(ListId::PackageTable), "dock");
}

#[test]
fn enter_opens_the_channels_and_back_returns_to_the_table() {
    let mut hand = open_table(120, 36);
    press_and_answer(&mut hand, "/ 'dock' enter > > enter");
    assert_eq!(hand.model.session.navigation.pane, Pane::Channels);
    assert_eq!(hand.model.session.catalogs.current_index(), 2);
    assert_eq!(selected_package(&hand), "dock");
    press_and_answer(&mut hand, "esc");
    assert!(hand.shows("in 3 catalogs"), "{}", hand.screen());
}

/// The row stays if the next catalog lacks the package, and Enter goes to a catalog that has it.
#[test]
fn package_of_another_catalog_keeps_its_row() {
    let mut hand = open_table(120, 36);
    press_and_answer(&mut hand, "/ 'buoy' enter > >");
    assert_eq!(hand.model.session.catalogs.current_index(), 2);
    assert_ne!(selected_package(&hand), "buoy");
    assert!(hand.shows("The catalog 4.22 has no package buoy"), "{}", hand.screen());
    assert!(hand.shows("› buoy (not here)"), "{}", hand.screen());
    press_and_answer(&mut hand, "e");
    assert!(hand.shows("the selected cell has no"), "{}", hand.screen());
    press_and_answer(&mut hand, "enter");
    assert_eq!((selected_package(&hand), hand.model.session.catalogs.current_index()), ("buoy", 1));
}

/// `>` goes to the column at the right, in whatever order the catalogs were named.
#[test]
fn catalogs_are_switched_in_the_order_of_the_columns() {
    let mut catalogs = plan_catalogs();
    catalogs.rotate_right(1);
    let mut hand = open_plan_catalogs(120, 36, &catalogs);
    answer_overview_requests(&mut hand);
    assert!(hand.shows("[3/3] catalogs/v4.22"), "{}", hand.screen());
    for place in ["[1/3] catalogs/v4.18", "[2/3] catalogs/v4.20", "[3/3] catalogs/v4.22"] {
        press_and_answer(&mut hand, ">");
        assert!(hand.shows(place), "{}", hand.screen());
    }
    press_and_answer(&mut hand, "<");
    assert!(hand.shows("[2/3] catalogs/v4.20"), "{}", hand.screen());
}

/// A package that is highlighted where it is missing is selected in the next catalog that has it.
#[test]
fn package_that_is_missing_here_stays_highlighted_in_the_next_catalog() {
    let mut hand = open_table(120, 36);
    press_and_answer(&mut hand, "> > / 'buoy' enter");
    assert!(hand.shows("The catalog 4.22 has no package buoy"), "{}", hand.screen());
    press_and_answer(&mut hand, "/ ctrl-u enter <");
    assert_eq!((selected_package(&hand), hand.model.session.catalogs.current_index()), ("buoy", 1));
}

/// Graph and Upgrades show the package of the row, in the nearest catalog that has it.
#[test]
fn screens_show_the_package_of_another_catalog() {
    for (key, screen) in [("2", Screen::Graph), ("3", Screen::Upgrades), ("9", Screen::Resolve)] {
        let mut hand = open_table(120, 36);
        press_and_answer(&mut hand, "/ 'buoy' enter > >");
        press_and_answer(&mut hand, key);
        assert_eq!(hand.model.session.navigation.screen, screen);
        assert_eq!((selected_package(&hand), hand.model.session.catalogs.current_index()), ("buoy", 1));
        assert!(hand.shows("buoy is not in v4.22: v4.20 has it"), "{}", hand.screen());
        press_and_answer(&mut hand, "[");
        assert_eq!(hand.model.session.catalogs.current_index(), 2);
    }
    let mut hand = open_table(120, 36);
    press_and_answer(&mut hand, "/ 'buoy' enter > > 4");
    assert_eq!(hand.model.session.catalogs.current_index(), 2, "Problems are those of the catalog");
}

#[test]
fn tab_scrolls_the_channels_below_the_table() {
    let mut hand = open_table(80, 24);
    press_and_answer(&mut hand, "tab");
    assert_eq!(hand.model.focused_list(), ListId::PackageTableText);
    press_and_answer(&mut hand, "esc");
    assert_eq!(hand.model.focused_list(), ListId::PackageTable);
}

#[test]
fn one_catalog_has_no_table() {
    let mut hand = open_plan_catalogs(80, 24, &plan_catalogs()[..1]);
    answer_overview_requests(&mut hand);
    assert_eq!(hand.model.focused_list(), ListId::Packages);
    assert!(hand.requests::<OverviewRequest>().is_empty());
}

/// The table is recomputed after an edit.
#[test]
fn edit_updates_the_table() {
    let mut hand = open_table(120, 36);
    assert!(!hand.model.session.jobs.overview.is_waiting());
    press_and_answer(&mut hand, "/ 'ferry' enter enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
    let before = hand.model.session.jobs.overview.overview().map(|(_, sorted)| Arc::clone(sorted));
    // The newest version is removed.
    press_and_answer(&mut hand, "l x enter h h h");
    let after = hand.model.session.jobs.overview.overview().map(|(_, sorted)| Arc::clone(sorted));
    assert_ne!(before, after, "{}", hand.screen());
}

/// Answers requests for bases with a catalog that has one package more, and for comparisons.
fn answer_base_requests(hand: &mut ExplorerDriver) {
    loop {
        if let Some(asked) = hand.take_request::<BaseRequest>() {
            let before = &plan_catalogs()[asked.catalog].1;
            let anchor = package_yaml("anchor", &[("stable", "- name: anchor.v1.0.0\n")], &["1.0.0"]);
            hand.answer(asked, Ok(snapshot_from_text(&format!("{before}{anchor}"))));
        } else if let Some(asked) = hand.take_request::<ComparisonRequest>() {
            let comparison = asked.compare();
            hand.answer(asked, comparison);
        } else {
            break;
        }
    }
    answer_overview_requests(hand);
}

/// A comparison with a revision marks the cells, and lists packages that only the revision has.
#[test]
fn comparison_with_a_revision_marks_the_table() {
    let mut hand = open_table(120, 36);
    hand.press("B g");
    let choice = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<ComparisonChoice>()).unwrap();
    let row = choice.options.iter().position(|option| option.label.contains("revision")).unwrap();
    hand.press(&"j ".repeat(row)).press("enter 'main' enter");
    answer_base_requests(&mut hand);
    assert!(hand.shows("in 3 catalogs, 1 changed"), "{}", hand.screen());
    assert!(hand.shows("changed first"), "{}", hand.screen());
    hand.press("}");
    assert!(hand.shows("no more changes below"), "{}", hand.screen());
    hand.press("{");
    assert!(hand.shows("› anchor (not here)") && hand.shows("removed since"), "{}", hand.screen());
    let screen = hand.screen();
    let row = screen.lines().find(|line| line.starts_with(">anchor")).unwrap();
    assert_eq!(row.matches("- removed").count(), 3, "{screen}");
    for key in ["2", "enter"] {
        hand.press(key);
        assert!(hand.shows("anchor was removed: no open catalog has it"), "{key}: {}", hand.screen());
        assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
    }
}

#[test]
fn unsaved_edits_mark_the_table() {
    let mut hand = open_table(120, 36);
    press_and_answer(&mut hand, "}");
    assert!(hand.shows("no comparison is active"), "{}", hand.screen());
    press_and_answer(&mut hand, "/ 'dock' enter d 'Old' enter esc");
    assert!(hand.shows("in 3 catalogs, 1 changed"), "{}", hand.screen());
    let screen = hand.screen();
    let row = screen.lines().find(|line| line.starts_with(">dock")).unwrap();
    assert_eq!(row.matches("~ ").count(), 1, "the other catalogs are not edited: {screen}");
    assert!(hand.shows("changed since what was loaded"), "{screen}");
    // The marks of a catalog stay after a switch to another catalog.
    press_and_answer(&mut hand, ">");
    assert!(hand.shows("in 3 catalogs, 1 changed") && hand.shows("~ 1.0.0"), "{}", hand.screen());
    press_and_answer(&mut hand, "< u");
    assert!(!hand.shows("changed"), "{}", hand.screen());
}
