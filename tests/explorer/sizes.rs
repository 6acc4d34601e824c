//! Snapshots of every screen and several dialogs at six sizes, in Unicode and ASCII, and of their
//! roles at one size. Review each snapshot before accepting it: is the answer visible, is anything
//! cut or unexplained?

use std::fmt::Write as _;

use insta::assert_snapshot;
use olmap::tui::{self, Settings, Theme};
use ratatui::{Terminal, backend::TestBackend};

use super::support::ExplorerDriver;

/// Columns and rows. The last size is so small that only a message is drawn.
const SIZES: [(u16, u16); 6] = [(160, 48), (120, 36), (80, 24), (50, 15), (40, 10), (20, 5)];

/// Size at which the roles are listed.
const ROLES_SIZE: (u16, u16) = (80, 24);

/// Keys that select the dead end of the demo.
const DEAD_END_KEYS: &str = "/ 'granary' enter l l j j j j";

fn open_at_size((columns, rows): (u16, u16), ascii: bool, keys: &str) -> ExplorerDriver {
    let mut hand = ExplorerDriver::demo(columns, rows);
    hand.model.settings = Settings { ascii, ..Settings::default() };
    hand.press(DEAD_END_KEYS).press(keys);
    hand
}

/// Returns the screen at all sizes, each after a heading.
fn render_all_sizes(keys: &str) -> String {
    let mut all = String::new();
    for (columns, rows) in SIZES {
        let screen = open_at_size((columns, rows), false, keys).screen();
        let _ = write!(all, "== {columns}x{rows}\n{screen}");
    }
    let _ = write!(
        all,
        "== what is what at {}x{}\n{}",
        ROLES_SIZE.0,
        ROLES_SIZE.1,
        open_at_size(ROLES_SIZE, false, keys).roles()
    );
    for (columns, rows) in SIZES {
        let screen = open_at_size((columns, rows), true, keys).screen();
        assert!(screen.is_ascii(), "{columns}x{rows}:\n{screen}");
        let _ = write!(all, "== {columns}x{rows} in ASCII\n{screen}");
    }
    all
}

macro_rules! screens {
    ($($name:ident: $keys:expr;)*) => {
        const SCREENS: &[(&str, &str)] = &[$((stringify!($name), $keys)),*];

        $(
            #[test]
            fn $name() {
                assert_snapshot!(stringify!($name), render_all_sizes($keys));
            }
        )*
    };
}

screens! {
    catalog: "";
    graph: "2";
    side_by_side: "2 w";
    zoom: "2 z";
    upgrades: "3";
    problems: "4";
    deprecations: "5 j";
    deprecation_suggested: "5 G k k";
    changes: "g j e tab end space 'granary-operator.v2.6.4' enter ctrl-s";
    finder: "ctrl-p 'nightly'";
    palette: ": 'undo'";
    help: "2 ?";
    legend: "2 i";
    which_key: "2 W";
    entry_form: "g j e tab end space 'granary-operator.v2.6.4'";
    release: "g p space";
    range_tester: "2 R '>=2.0.0' space '<3.0.0'";
    leave: "g e ctrl-u enter ctrl-c";
}

/// At all sizes from one cell on, drawing does not panic and letters do not overlap.
#[test]
fn every_size_is_drawn() {
    let widths =
        [1, 2, 3, 5, 9, 16, 17, 20, 39, 40, 41, 49, 50, 59, 60, 61, 79, 80, 99, 100, 119, 120, 160, 240, 500];
    let heights = [1, 2, 3, 5, 9, 10, 11, 14, 15, 16, 23, 24, 36, 48, 80, 200];
    for (name, keys) in SCREENS {
        for is_multiscript in [false, true] {
            let mut hand = if is_multiscript {
                open_multiscript_catalog(keys)
            } else {
                open_at_size((80, 24), false, keys)
            };
            for (index, columns) in widths.into_iter().enumerate() {
                // Every width with some heights, every height with some widths.
                for rows in heights.into_iter().skip(index % 4).step_by(4) {
                    hand.model.frame.size = (columns, rows);
                    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
                    let drawn = terminal
                        .draw(|frame| drop(tui::view(&hand.model, &Theme::terminal(), frame)))
                        .unwrap();
                    for y in 0..rows {
                        let mut free = 0;
                        for x in 0..columns {
                            let symbol = drawn.buffer[(x, y)].symbol();
                            assert!(
                                x >= free || symbol == " ",
                                "{name} {columns}x{rows}: {x},{y} is covered by what is left of it"
                            );
                            let wide = u16::try_from(olmap_report::escape::count_columns(symbol)).unwrap();
                            free = free.max(x + wide);
                        }
                        assert!(free <= columns, "{name} {columns}x{rows}: line {y} reaches over the edge");
                    }
                }
            }
        }
    }
}

/// Names and texts in various scripts.
const SCRIPTS: [&str; 10] = [
    "운영자",
    "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}",
    "演算子",
    "运营商",
    "ｵﾍﾟﾚｰﾀｰ",
    "ตัวดำเนินการ",
    "ऑपरेटर",
    "المشغل لا",
    "e\u{301}\u{323}",
    "👩\u{200d}💻🇰🇷👍🏽❤\u{fe0f}1\u{fe0f}\u{20e3}",
];

/// Opens a catalog whose names and texts use these scripts, and presses keys.
fn open_multiscript_catalog(keys: &str) -> ExplorerDriver {
    let mut yaml = String::new();
    for (number, words) in SCRIPTS.into_iter().enumerate() {
        let long = words.repeat(9);
        let _ = write!(
            yaml,
            "---\nschema: olm.package\nname: '{words}'\ndefaultChannel: '{words}'\ndescription: '**{long}** {long}'\n\
             ---\nschema: olm.channel\npackage: '{words}'\nname: '{words}'\nentries:\n- name: '{words}.v1.0.{number}'\n  replaces: '{long}'\n\
             ---\nschema: olm.bundle\npackage: '{words}'\nname: '{words}.v1.0.{number}'\nimage: 'example.com/{words}:1'\nproperties:\n\
             - type: olm.package\n  value: {{packageName: '{words}', version: 1.0.{number}}}\n\
             - type: olm.csv.metadata\n  value: {{displayName: '{long}', description: '# {long}', keywords: ['{words}'], provider: {{name: '{words}'}}}}\n\
             ---\nschema: olm.deprecations\npackage: '{words}'\nentries:\n- reference: {{schema: olm.package}}\n  message: '{long}'\n"
        );
    }
    let mut hand = ExplorerDriver::open_yaml(&yaml, 80, 24);
    hand.press("l l").press(keys);
    hand
}
