//! Snapshots of demo screens in various states, at two or more sizes. Their initial state at every
//! size is in sizes.rs. Review each snapshot before accepting it.

use insta::assert_snapshot;
use olmap::tui::Settings;

use super::support::ExplorerDriver;

/// Keys that select the dead end of the demo.
const DEAD_END_KEYS: &str = "/ 'granary' enter l l j j j j";

fn screen_at_size(columns: u16, rows: u16, keys: &str) -> String {
    let mut hand = ExplorerDriver::demo(columns, rows);
    hand.press(DEAD_END_KEYS).press(keys);
    hand.screen()
}

macro_rules! screens {
    ($($name:ident: $keys:expr;)*) => {
        $(
            #[test]
            fn $name() {
                assert_snapshot!(concat!(stringify!($name), "_120x36"), screen_at_size(120, 36, $keys));
                assert_snapshot!(concat!(stringify!($name), "_80x24"), screen_at_size(80, 24, $keys));
            }
        )*
    };
}

screens! {
    zoom_head: "2 z g";
    upgrades_reasons: "3 enter";
    upgrades_sorted: "3 S S D";
    upgrades_no_row: "3 D / '3.1' enter";
    upgrades_field: "3 tab tab tab";
    pick_starting: "3 tab tab tab enter '2.6'";
    prompt_version_wrong: "3 shift-tab shift-tab shift-tab enter '>=3.0.0,' space '<<4'";
    deprecation_suggested_asked: "5 G d";
    changes_empty: "6";
    entry_form_that_breaks: "g e ctrl-u 'granary-operator.v9'";
    filter: "/ '3.0'";
    pick_channels: "3 shift-tab shift-tab shift-tab shift-tab enter";
    prompt_version: "3 shift-tab shift-tab shift-tab enter '>=3.0.0,' space '<4'";
}

#[test]
fn zoom_in_small_terminal() {
    assert_snapshot!("zoom_head_50x15", screen_at_size(50, 15, "2 z g"));
}

/// The upgrade table with a cluster version, at four sizes.
#[test]
fn upgrade_table_with_cluster_version() {
    for (columns, rows) in [(160, 48), (120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("/ 'quill' enter l l 3 shift-tab enter '4.18' enter esc j j j j j");
        assert_snapshot!(format!("upgrades_openshift_{columns}x{rows}"), hand.screen());
    }
}

#[test]
fn screens_use_only_ascii_in_ascii_mode() {
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.model.settings = Settings { ascii: true, ..Settings::default() };
    hand.press(DEAD_END_KEYS).press("2 z g");
    assert_snapshot!("ascii_zoom_head_80x24", hand.screen());
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
    hand.press("3 tab tab tab enter '2.5' enter esc");
    assert_snapshot!("ascii_upgrades_80x24", hand.screen());
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
    hand.press(": 'e'");
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
}

#[test]
fn wide_characters_and_escape_sequences_are_drawn_safely() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("/ 'kotatsu' enter l l");
    // The test terminal does not redraw cells that were covered by a wide letter.
    hand.resize(100, 30);
    assert_snapshot!("wide_100x30", hand.screen());
    hand.press("h h / ctrl-u 'tinsel' enter l l");
    assert_snapshot!("escapes_100x30", hand.screen());
    assert!(!hand.screen().contains('\u{1b}'));
}

#[test]
fn deprecated_channel_and_package_are_marked() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("/ 'quill' enter l");
    assert_snapshot!("deprecated_100x30", hand.screen());
}

/// Returns a package with as many channels as real catalogs: one per minor version and some with
/// other names.
fn fleet_catalog() -> String {
    let mut yaml = "schema: olm.package\nname: fleet\ndefaultChannel: stable\n".to_owned();
    let mut channel = |name: &str, versions: &[String]| {
        yaml += &format!("---\nschema: olm.channel\npackage: fleet\nname: {name}\nentries:\n");
        for (index, version) in versions.iter().enumerate() {
            yaml += &format!("- name: fleet.v{version}\n");
            if let Some(older) = versions.get(index + 1) {
                yaml += &format!("  replaces: fleet.v{older}\n");
            }
        }
    };
    let minor = |n: usize| -> Vec<String> { (0..3).rev().map(|patch| format!("1.{n}.{patch}")).collect() };
    let all: Vec<String> = (0..30).rev().flat_map(minor).collect();
    channel("stable", &all);
    for n in 0..30 {
        let mut versions = minor(n);
        versions.extend(n.checked_sub(1).map(|n| format!("1.{n}.2")));
        channel(&format!("stable-v1.{n}"), &versions);
    }
    channel("candidate", &["1.30.0-rc.1".to_owned(), "1.29.2".to_owned()]);
    for version in all.iter().chain([&"1.30.0-rc.1".to_owned()]) {
        yaml += &format!(
            "---\nschema: olm.bundle\npackage: fleet\nname: fleet.v{version}\nimage: example.com/fleet:{version}\n\
             properties:\n- {{type: olm.package, value: {{packageName: fleet, version: {version}}}}}\n"
        );
    }
    yaml += "---\nschema: olm.deprecations\npackage: fleet\nentries:\n";
    for n in 0..9 {
        yaml += &format!("- reference: {{schema: olm.channel, name: stable-v1.{n}}}\n  message: gone\n");
    }
    yaml
}

#[test]
fn all_channels_side_by_side() {
    for (columns, rows) in [(160, 48), (120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::open_yaml(&fleet_catalog(), columns, rows);
        hand.press("2 w l l l l l l l l l l l l l l l l l ctrl-d");
        assert_snapshot!(format!("side_by_side_many_{columns}x{rows}"), hand.screen());
        assert!(hand.shows("stable-v1.13"), "the selected channel is told by its full name");
    }
    let mut hand = ExplorerDriver::open_yaml(&fleet_catalog(), 80, 24);
    hand.model.settings = Settings { ascii: true, ..Settings::default() };
    hand.press("2 w G l l");
    assert_snapshot!("ascii_side_by_side_80x24", hand.screen());
    assert!(hand.screen().is_ascii(), "{}", hand.screen());
}
