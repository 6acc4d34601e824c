//! Tests of lists: sort orders and highlighted matches.

use olm_check::Severity;
use olmap::tui::{parts::list::ListId, screens::deprecations::rows::DeprecationRow};
use ratatui::style::Modifier;

use super::support::ExplorerDriver;

#[test]
fn packages_are_sorted_by_stuck_versions_name_bundles_and_findings() {
    let mut hand = ExplorerDriver::demo(120, 36);
    let names = |hand: &ExplorerDriver| -> Vec<String> {
        hand.model.screens.packages.package_names().iter().map(ToString::to_string).collect()
    };
    let most_stuck = names(&hand);
    let stuck = |name: &String| {
        hand.model.session.snapshot().unwrap().package(name).unwrap().graph.stuck().count_any()
    };
    assert!(most_stuck.windows(2).all(|pair| stuck(&pair[0]) >= stuck(&pair[1])), "{most_stuck:?}");
    assert!(stuck(&most_stuck[0]) > 0);
    hand.press("S");
    let by_name = names(&hand);
    assert!(by_name.is_sorted(), "{by_name:?}");
    let selected = hand.model.session.selection().package.clone();
    hand.press("S");
    let bundles =
        |name: &String| hand.model.session.snapshot().unwrap().package(name).unwrap().package().bundles.len();
    let by_bundles = names(&hand);
    assert!(by_bundles.windows(2).all(|pair| bundles(&pair[0]) >= bundles(&pair[1])), "{by_bundles:?}");
    assert_ne!(by_bundles, by_name);
    assert_eq!(hand.model.session.selection().package, selected, "what is selected stays so");
    hand.press("S");
    let worst =
        |name: &String| hand.model.session.snapshot().unwrap().package(name).unwrap().worst_severity();
    let by_findings = names(&hand);
    assert!(worst(&by_findings[0]).is_some());
    assert_eq!(worst(by_findings.last().unwrap()), None, "what is clean comes last");
    let ranks: Vec<_> =
        by_findings.iter().map(|name| worst(name).map_or(9, |severity| severity as usize)).collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    assert!(by_findings.iter().any(|name| worst(name) == Some(Severity::Warning)));
    hand.press("S");
    assert_eq!(names(&hand), most_stuck);
}

#[test]
fn channels_entries_findings_and_deprecations_can_be_sorted() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'granary' enter l");
    let channels = hand.model.screens.packages.channel_names().to_vec();
    hand.press("S S S");
    assert_eq!(hand.model.screens.packages.channel_names().to_vec(), channels, "once round");
    hand.press("l");
    let newest = hand.model.screens.packages.entry_names().to_vec();
    hand.press("S");
    let mut oldest = hand.model.screens.packages.entry_names().to_vec();
    oldest.reverse();
    assert_eq!(oldest, newest);
    hand.press("4 S");
    let packages: Vec<_> = hand
        .model
        .screens
        .problems
        .listed_findings()
        .iter()
        .map(|problem| problem.finding.package.clone())
        .collect();
    assert!(packages.is_sorted(), "{packages:?}");
    hand.press("S");
    let rules: Vec<_> =
        hand.model.screens.problems.listed_findings().iter().map(|problem| problem.finding.rule.id).collect();
    assert!(rules.is_sorted(), "{rules:?}");
    hand.press("S");
    let places: Vec<_> = hand
        .model
        .screens
        .problems
        .listed_findings()
        .iter()
        .map(|problem| problem.location.as_ref().map(|place| (place.path.clone(), place.line)))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    hand.press("5 S");
    let stuck: Vec<_> =
        hand.model.screens.deprecations.deprecations().iter().map(DeprecationRow::blocked_count).collect();
    assert!(stuck.is_sorted_by(|a, b| a >= b), "{stuck:?}");
    hand.press("2 S");
    assert!(hand.shows("HEAD"), "the graph has one order, and S means nothing there");
}

/// Returns the underlined texts, which are the matches.
fn highlighted_texts(hand: &ExplorerDriver) -> Vec<String> {
    let buffer = hand.buffer();
    let mut runs: Vec<String> = Vec::new();
    let mut open = false;
    for cell in buffer.content() {
        let is_lit = cell.modifier.contains(Modifier::UNDERLINED);
        match (is_lit, open) {
            (true, true) => runs.last_mut().unwrap().push_str(cell.symbol()),
            (true, false) => runs.push(cell.symbol().to_owned()),
            _ => {}
        }
        open = is_lit;
    }
    runs
}

#[test]
fn filter_matches_are_highlighted() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("/ 'OPER' space 'ry' enter");
    let found = highlighted_texts(&hand);
    assert!(found.iter().any(|run| run == "oper") && found.iter().any(|run| run == "ry"), "{found:?}");
    assert_eq!(hand.model.row_count(ListId::Packages), found.iter().filter(|run| *run == "oper").count());
    hand.press("esc 4 / 'downgrade-edge' enter");
    assert!(
        highlighted_texts(&hand).iter().any(|run| run == "downgrade-edge"),
        "{:?}",
        highlighted_texts(&hand)
    );
    hand.press("5 / 'nowhere' enter");
    assert!(hand.shows("nothing matches /nowhere; esc clears it"), "{}", hand.screen());
}

#[test]
fn empty_list_offers_no_row_actions() {
    let mut hand = ExplorerDriver::open_yaml("schema: olm.package\nname: ship\n", 100, 30);
    hand.press("5");
    for hint in ["enter go there", "/ filter", "S sort"] {
        assert!(!hand.shows(hint), "{hint}\n{}", hand.screen());
    }
    hand.press("S");
    assert!(hand.shows("nothing to sort here"), "{}", hand.screen());
    hand.press("/");
    assert!(hand.shows("nothing to filter here"), "{}", hand.screen());
    // A list that is empty because of its filter can be filtered again.
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("4 / 'xyzzy' enter");
    assert!(hand.shows("/ filter") && !hand.shows("enter go there"), "{}", hand.screen());
    hand.press("/ ctrl-u enter");
    assert!(hand.shows("enter go there"), "{}", hand.screen());
}

#[test]
fn palette_does_not_move_while_typing() {
    let edge = |hand: &ExplorerDriver| hand.screen().lines().position(|line| line.contains('╰')).unwrap();
    for keys in [":", "4 ?"] {
        let mut hand = ExplorerDriver::demo(80, 24);
        hand.press(keys);
        let before = edge(&hand);
        for letter in ["'u'", "'n'", "'d'", "'o'", "'x'"] {
            hand.press(letter);
            assert_eq!(edge(&hand), before, "{}", hand.screen());
        }
    }
}

#[test]
fn open_log_does_not_change_with_new_messages() {
    let mut hand = ExplorerDriver::demo(80, 24);
    hand.press("S I l");
    let before = hand.screen();
    hand.model.notices.report_failure(olmap::tui::parts::notice::NoticeTopic::Load, "something new");
    hand.model.notices.dismiss_persistent();
    hand.resize(80, 24);
    assert_eq!(hand.screen(), before);
    hand.press("esc I l");
    assert!(hand.shows("something new"), "{}", hand.screen());
}

#[test]
fn error_that_hides_a_channel_is_shown_with_the_package() {
    let yaml = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
                name: [stable\nentries:\n- name: ship.v1.0.0\n---\nschema: olm.bundle\npackage: ship\nname: ship.v1.0.0\n";
    let hand = ExplorerDriver::open_yaml(yaml, 120, 36);
    for words in ["<stdin>:8:8: error yaml-syntax:", "(4 shows all errors)", "No channel could be read"] {
        assert!(hand.shows(words), "{words}: {}", hand.screen());
    }
}

/// An empty column of heads would suggest that the channels have no head.
#[test]
fn channel_heads_and_their_title_are_shown_if_there_is_room() {
    let catalog = |names: &[&str]| {
        let channel = |name: &&str| {
            format!(
                "---\nschema: olm.channel\npackage: a-package-of-a-long-name\nname: {name}\nentries:\n- name: p.v1.10.0\n"
            )
        };
        let channels: String = names.iter().map(channel).collect();
        format!(
            "schema: olm.package\nname: a-package-of-a-long-name\ndefaultChannel: {}\n{channels}",
            names[0]
        ) + "---\n{schema: olm.bundle, package: a-package-of-a-long-name, name: p.v1.10.0, image: 'example.com/p:1', properties: [{type: olm.package, value: {packageName: a-package-of-a-long-name, version: 1.10.0}}]}\n"
    };
    // Names are cut in the middle if the heads have room beside the rest.
    let long_names = catalog(&["stable-v1.10-long-name", "candidate-v1.1-long-name"]);
    let hand = ExplorerDriver::open_yaml(&long_names, 80, 24);
    assert!(hand.shows("head │") && hand.shows("stable…g-name 1.10.0"), "{}", hand.screen());
    let hand = ExplorerDriver::open_yaml(&long_names, 62, 24);
    assert!(!hand.shows("head │") && !hand.shows("1.10.0 │"), "{}", hand.screen());
    let hand = ExplorerDriver::open_yaml(&catalog(&["candidate-v1", "stable"]), 80, 24);
    assert!(hand.shows("head │") && hand.shows("stable        1.10.0"), "{}", hand.screen());
}

/// A version counts once, also if findings of a rule are about several of its channels.
#[test]
fn affected_versions_of_repeated_findings_count_once() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";
    let yaml = super::base_comparison::package_yaml(
        "ship",
        &[("Fast", entries), ("Stable", entries)],
        &["1.0.0", "1.1.0"],
    );
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("4");
    let row = hand.screen().lines().find(|line| line.contains("v1-channel-name")).unwrap().to_owned();
    assert!(row.contains("ship  2  v1-channel-name  2x "), "{row}");
}

/// Several heads concern all versions of the channel, not only the heads.
#[test]
fn several_heads_affect_the_whole_channel() {
    let entries = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n- name: ship.v1.2.0\n  \
                   replaces: ship.v1.0.0\n";
    let versions = ["1.0.0", "1.1.0", "1.2.0"];
    let yaml = super::base_comparison::package_yaml("ship", &[("stable", entries)], &versions);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("4");
    let row = hand.screen().lines().find(|line| line.contains("multiple-heads")).unwrap().to_owned();
    assert!(row.contains("ship  3  multiple-heads"), "{row}");
}

/// Edits must not change what a filter hides.
#[test]
fn edits_do_not_apply_to_a_hidden_selection() {
    let mut hand = ExplorerDriver::demo(120, 36);
    for place in ["", "l ", "l l "] {
        hand.press(&format!("1 h h home {place}/ 'zzz' enter"));
        for key in ["d", "x", "e"] {
            hand.press(key);
            assert!(hand.model.dialogs.is_empty(), "{place}{key}: {}", hand.screen());
            assert!(hand.shows("the filtered list has no"), "{place}{key}: {}", hand.screen());
        }
        hand.press("esc");
    }
    let mut table = super::catalogs::open_four_catalogs(120, 36);
    table.press("/ 'zzz' enter x");
    assert!(table.shows("the filtered list has no package"), "{}", table.screen());
    hand.press("1 h h home 3 / 'zzz' enter");
    for key in ["d", "x", "e", "X"] {
        hand.press(key);
        assert!(hand.model.dialogs.is_empty(), "{key}: {}", hand.screen());
    }
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}
