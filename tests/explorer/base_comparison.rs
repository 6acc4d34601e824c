//! Tests of comparing the open catalog with a base: marks on the screens and navigation between
//! changes.

use olmap::tui::UserError;
use std::{fmt::Write as _, path::Path, sync::Arc};

use insta::assert_snapshot;
use olm_catalog::load::{self, git::Revision};
use olm_check::review::Snapshot;
use olmap::tui::{
    Effect, Exported, LoadOutcome, Msg, Screen, Settings, Source,
    dialogs::comparison_choice::ComparisonChoice,
    parts::list::ListId,
    session::{
        jobs::base_comparison::{BaseRequest, ComparisonRequest, CopyComparisonRequest, RepositoryRequest},
        navigation::Pane,
    },
    work::Base,
};

use super::support::ExplorerDriver;

fn bundle_blobs(package: &str, versions: &[&str]) -> String {
    let bundle = |version: &&str| {
        format!(
            "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\nimage: \
             registry.example/{package}:{version}\nproperties:\n- type: olm.package\n  value:\n    packageName: \
             {package}\n    version: {version}\n"
        )
    };
    versions.iter().map(bundle).collect::<Vec<_>>().concat()
}

pub(super) fn package_yaml(name: &str, channels: &[(&str, &str)], versions: &[&str]) -> String {
    let mut text = format!("---\nschema: olm.package\nname: {name}\ndefaultChannel: {}\n", channels[0].0);
    for (channel, entries) in channels {
        let _ =
            write!(text, "---\nschema: olm.channel\npackage: {name}\nname: {channel}\nentries:\n{entries}");
    }
    text + &bundle_blobs(name, versions)
}

const RAFT_CHANNEL: (&str, &str) =
    ("alpha", "- name: raft.v0.1.0\n- name: raft.v0.2.0\n  replaces: raft.v0.1.0\n");

fn old_catalog() -> String {
    let stable = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n- name: ship.v1.2.0\n  replaces: \
                  ship.v1.1.0\n";
    let tested = "- name: ship.v1.0.0\n";
    package_yaml("boat", &[("stable", "- name: boat.v1.0.0\n")], &["1.0.0"])
        + &package_yaml("raft", &[RAFT_CHANNEL], &["0.1.0", "0.2.0"])
        + &package_yaml("ship", &[("stable", stable), ("tested", tested)], &["1.0.0", "1.1.0", "1.2.0"])
}

/// Returns a changed catalog. One package was removed and one added. In a third package, one entry
/// was removed, one added and one rewired; one bundle was republished.
fn new_catalog() -> String {
    let stable = "- name: ship.v1.0.0\n- name: ship.v1.2.0\n  replaces: ship.v1.0.0\n- name: ship.v1.3.0\n  replaces: \
                  ship.v1.2.0\n";
    let tested = "- name: ship.v1.0.0\n";
    let ship = package_yaml("ship", &[("stable", stable), ("tested", tested)], &["1.0.0", "1.2.0", "1.3.0"])
        .replace("registry.example/ship:1.2.0", "registry.example/ship:again");
    package_yaml("raft", &[RAFT_CHANNEL], &["0.1.0", "0.2.0"])
        + &ship
        + &package_yaml("skiff", &[("stable", "- name: skiff.v1.0.0\n")], &["1.0.0"])
        + "---\nschema: olm.deprecations\npackage: ship\nentries:\n- reference:\n    schema: olm.bundle\n    name: \
           ship.v1.0.0\n  message: Old.\n"
}

pub(super) fn snapshot_from_text(text: &str) -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(text.as_bytes().to_vec())))
}

pub(super) fn path_source(name: &str) -> Source {
    Source::Path(name.into())
}

/// Loads the new catalog and the old one, without answers to requests.
fn load_both(columns: u16, rows: u16, settings: Settings) -> ExplorerDriver {
    let sources = vec![path_source("new"), path_source("old")];
    let mut hand = ExplorerDriver::before_loading(sources, settings, columns, rows);
    let outcome = |name, text: String| LoadOutcome {
        source: path_source(name),
        result: Ok(snapshot_from_text(&text)),
        recoverable_edits: None,
    };
    hand.finish_loads(vec![outcome("new", new_catalog()), outcome("old", old_catalog())]);
    hand
}

/// Opens the new catalog and the old one.
pub(super) fn open_both_with(columns: u16, rows: u16, settings: Settings) -> ExplorerDriver {
    let mut hand = load_both(columns, rows, settings);
    answer_comparison_effects(&mut hand);
    hand
}

fn open_both(columns: u16, rows: u16) -> ExplorerDriver {
    open_both_with(columns, rows, Settings::default())
}

/// Answers effects about comparisons like the runtime, until there are none.
pub(super) fn answer_comparison_effects(hand: &mut ExplorerDriver) {
    loop {
        let effects = std::mem::take(&mut hand.effects);
        let mut asked = false;
        for effect in effects {
            let msg = if let Some(asked) = effect.question::<ComparisonRequest>() {
                let comparison = asked.compare();
                Msg::answer(asked, comparison)
            } else if let Some(asked) = effect.question::<BaseRequest>() {
                let result = match &asked.base {
                    Base::Path(path) if path == Path::new("old") => Ok(snapshot_from_text(&old_catalog())),
                    other => {
                        let hint = Some("Look elsewhere.".to_owned());
                        Err(UserError { message: format!("{} is not there", other.label()), hint })
                    }
                };
                Msg::answer(asked, result)
            } else {
                continue;
            };
            asked = true;
            hand.send(msg);
        }
        if !asked {
            return;
        }
    }
}

/// Opens the choice of the base and accepts the row with the given label.
pub(super) fn choose_base(hand: &mut ExplorerDriver, called: &str) {
    hand.press("B g");
    let Some(choice) = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<ComparisonChoice>())
    else {
        panic!("no choice")
    };
    let row = choice.options.iter().position(|other| other.label == called);
    let row = row.unwrap_or_else(|| panic!("nothing is called {called}"));
    hand.press(&"j ".repeat(row)).press("enter");
    answer_comparison_effects(hand);
}

/// Opens the new catalog compared with the old one.
pub(super) fn open_compared(columns: u16, rows: u16) -> ExplorerDriver {
    let mut hand = open_both(columns, rows);
    choose_base(&mut hand, "old");
    hand
}

pub(super) fn selected_names(hand: &ExplorerDriver) -> String {
    let selection = hand.model.session.selection();
    let name = |name: Option<String>| name.unwrap_or_default();
    format!(
        "{} {} {}",
        name(selection.package.as_ref().map(ToString::to_string)),
        name(selection.channel.as_ref().map(ToString::to_string)),
        name(selection.bundle.as_ref().map(ToString::to_string))
    )
}

#[test]
fn screens_with_a_base() {
    for (name, keys) in [
        ("catalog", "j l l"),
        ("graph", "j l l 2"),
        ("upgrades", "j l l 3"),
        ("changes", "6"),
        ("changes_row", "6 j j j"),
        ("choice", "B"),
    ] {
        let mut all = String::new();
        for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
            let mut hand = open_compared(columns, rows);
            hand.press(keys);
            answer_comparison_effects(&mut hand);
            let _ = write!(all, "== {columns}x{rows}\n{}", hand.screen());
        }
        assert_snapshot!(name, all);
        let mut hand = open_both_with(80, 24, Settings { ascii: true, ..Settings::default() });
        choose_base(&mut hand, "old");
        hand.press(keys);
        assert!(hand.screen().is_ascii(), "{}", hand.screen());
    }
}

#[test]
fn differences_are_listed_by_meaning_and_enter_opens_them() {
    let mut hand = open_compared(120, 40);
    hand.press("6");
    assert!(hand.shows("3 packages differ from old"), "{}", hand.screen());
    assert!(hand.shows("- boat  removed: 1 channel, 1 bundle"), "{}", hand.screen());
    assert!(hand.shows("+ skiff  added: 1 channel, 1 bundle"), "{}", hand.screen());
    assert!(hand.shows("~ channel stable: head 1.2.0 => 1.3.0"), "{}", hand.screen());
    assert!(hand.shows("~ 1.2.0: replaces 1.1.0 => 1.0.0"), "{}", hand.screen());
    assert!(hand.shows("published bundle 1.2.0"), "{}", hand.screen());
    assert!(hand.shows("deprecates 1.0.0: Old."), "{}", hand.screen());
    let told = &hand.model.session.catalogs.comparison().unwrap().rows;
    assert!(told.iter().all(|row| !row.item.text.contains("raft")), "what is the same is not told of");
    hand.press("/ 'published' enter");
    assert!(hand.shows("~ ship") && !hand.shows("skiff"), "{}", hand.screen());
    hand.press("G enter");
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.session.navigation.pane),
        (Screen::Packages, Pane::Entries)
    );
    assert_eq!(selected_names(&hand), "ship stable ship.v1.2.0");
    // A removed entry has a row at its old position.
    hand.press("6 esc / '1.1.0:' enter G enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Graph, "{}", hand.screen());
    assert_eq!(selected_names(&hand), "ship stable ship.v1.1.0");
    assert!(hand.shows("ship.v1.1.0 is gone: only in old"), "{}", hand.screen());
    // The first rows summarize the packages, and lead to their changes.
    hand.press("6 esc g");
    assert!(hand.shows("boat  "), "{}", hand.screen());
    hand.press("enter enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Changes);
    assert!(hand.shows("boat was removed"), "{}", hand.screen());
}

#[test]
fn enter_on_changed_upgrade_opens_upgrades_screen() {
    let mut hand = open_compared(120, 36);
    hand.press("6 / 'ship' enter g");
    let moved = (0..hand.model.row_count(ListId::Differences))
        .position(|row| {
            hand.model
                .screens
                .changes
                .visible_difference(&hand.model.session, row)
                .unwrap()
                .item
                .text
                .starts_with("stable: 1.2.0: stays")
        })
        .unwrap();
    hand.press(&"j ".repeat(moved)).press("enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Upgrades, "{}", hand.screen());
    assert!(selected_names(&hand).starts_with("ship stable ship.v1."), "{}", selected_names(&hand));
}

#[test]
fn change_keys_visit_each_change_across_packages() {
    let walk = |hand: &mut ExplorerDriver, key: &str| {
        let mut seen = Vec::new();
        for _ in 0..20 {
            hand.press(key);
            if hand.shows("no more changes ") {
                break;
            }
            seen.push(selected_names(hand));
        }
        seen
    };
    let mut hand = open_compared(120, 36);
    assert_eq!(selected_names(&hand), "raft alpha raft.v0.2.0");
    let packages = walk(&mut hand, "}");
    assert_eq!(packages, ["ship stable ship.v1.3.0", "skiff stable skiff.v1.0.0"]);
    assert_eq!(walk(&mut hand, "{"), ["ship stable ship.v1.3.0"]);
    // Channels, then entries.
    hand.press("g l");
    assert_eq!(walk(&mut hand, "}"), ["ship stable ship.v1.3.0", "skiff stable skiff.v1.0.0"]);
    hand.press("h g l l");
    let down = walk(&mut hand, "}");
    let mut up = walk(&mut hand, "{");
    assert_eq!(
        down,
        [
            "ship stable ship.v1.3.0",
            "ship stable ship.v1.2.0",
            "ship stable ship.v1.1.0",
            "ship stable ship.v1.0.0",
            "skiff stable skiff.v1.0.0"
        ]
    );
    up.reverse();
    assert_eq!(up, down[..4]);
    // The graph and the table contain only this channel.
    for screen in ["2", "3"] {
        let mut hand = open_compared(120, 36);
        hand.press("j l l").press(screen).press("G");
        let up = walk(&mut hand, "{");
        assert_eq!(up.last().unwrap(), "ship stable ship.v1.3.0", "on {screen}");
        assert!(up.contains(&"ship stable ship.v1.2.0".to_owned()), "on {screen}: {up:?}");
    }
    // The Changes screen moves by package.
    hand.press("6 g } }");
    let row = hand.model.list_cursor(ListId::Differences).unwrap();
    assert!(
        hand.model
            .screens
            .changes
            .visible_difference(&hand.model.session, row)
            .unwrap()
            .item
            .text
            .starts_with("ship  changed")
    );
    hand.press("{");
    assert!(hand.shows(">- boat  removed"), "{}", hand.screen());
}

#[test]
fn without_a_base_the_graph_moves_to_news_and_other_screens_show_a_hint() {
    let mut hand = open_both(120, 36);
    for screen in ["1", "3", "6"] {
        hand.press(screen).press("}");
        assert!(hand.shows("no comparison is active: start one with B"), "{}", hand.screen());
    }
    hand.press("1 j l l 2 }");
    assert_eq!(selected_names(&hand), "ship stable ship.v1.0.0", "the deprecated one");
}

#[test]
fn edits_are_compared_again_and_stay_reachable() {
    let mut hand = open_both(120, 36);
    choose_base(&mut hand, "as loaded");
    hand.press("6");
    assert!(hand.shows("0 packages differ from the catalog as loaded"), "{}", hand.screen());
    assert!(hand.shows("No difference in meaning."), "{}", hand.screen());
    // The default channel of ship changes.
    hand.press("1 j l j s enter");
    answer_comparison_effects(&mut hand);
    hand.press("6");
    assert!(hand.shows("default channel stable => tested"), "{}", hand.screen());
    hand.press("tab");
    assert!(hand.shows("+defaultChannel: tested"), "{}", hand.screen());
    assert!(hand.shows("No new errors."), "{}", hand.screen());
    hand.press("tab");
    assert!(hand.shows("default channel stable => tested"), "{}", hand.screen());
    // The unsaved edits are shown before saving.
    hand.press("1 ctrl-s");
    assert!(hand.shows("+defaultChannel: tested"), "{}", hand.screen());
    hand.press("tab u");
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("No difference in meaning."), "{}", hand.screen());
}

#[test]
fn enter_does_not_save_while_a_comparison_is_shown() {
    let mut hand = open_compared(120, 36);
    hand.press("j l j s enter");
    answer_comparison_effects(&mut hand);
    hand.press("6 enter");
    assert!(hand.effects.iter().all(|effect| !matches!(effect, Effect::Save { .. })));
    assert_eq!(hand.model.session.waiting.busy, None);
    hand.press("6 : 'write' enter");
    assert!(hand.effects.iter().all(|effect| !matches!(effect, Effect::Save { .. })));
    hand.press("esc 6 tab enter");
    assert!(hand.effects.iter().any(|effect| matches!(effect, Effect::Save { .. })), "{}", hand.screen());
}

#[test]
fn base_is_read_once_and_stale_answers_are_dropped() {
    let mut hand = open_both(120, 36);
    hand.press("B g j j j j enter 'nowhere' enter");
    let first = hand.last_request::<BaseRequest>().unwrap();
    assert!(hand.shows("reading nowhere"), "{}", hand.screen());
    hand.effects.clear();
    hand.press("esc B g j j j j enter 'old' enter");
    let why = UserError::new("too late");
    hand.answer(first, Err(why));
    assert!(!hand.shows("too late"), "{}", hand.screen());
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("against old"), "{}", hand.screen()); // The comparison stays, and so does the error.
    hand.press("B g j j j enter 'main' enter esc");
    answer_comparison_effects(&mut hand);
    hand.press("j k");
    assert!(hand.shows("git:main is not there: not compared with git:main"), "{}", hand.screen());
    assert!(hand.shows("against old"), "{}", hand.screen());
    // The result of an abandoned comparison arrives late.
    let old = || snapshot_from_text(&old_catalog());
    let asked = ComparisonRequest { catalog: 0, before: old(), after: old() };
    let late = asked.compare();
    hand.answer(Arc::new(asked), late);
    hand.press("esc 6");
    assert!(hand.shows("3 packages differ"), "{}", hand.screen());
    choose_base(&mut hand, "nothing");
    assert!(hand.shows("No unsaved edits.") && !hand.shows("against"), "{}", hand.screen());
}

#[test]
fn unavailable_base_shows_reason() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("B");
    assert!(hand.shows("the demo is not in a git repository"), "{}", hand.screen());
    assert!(hand.shows(">another catalog"), "the first that is possible: {}", hand.screen());
    hand.press("k k enter");
    assert!(hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<ComparisonChoice>()).is_some());
    hand.press("j enter");
    assert!(hand.shows("such as main, v1.2 or HEAD~1"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("a name is needed"), "{}", hand.screen());
    hand.press("'main'");
    assert!(hand.shows("the demo is not in a git repository"), "{}", hand.screen());
    hand.press("':sub/catalog' enter");
    assert_eq!(hand.last_request::<BaseRequest>().unwrap().default_path, None);
    let mut hand = open_both(120, 36);
    hand.press("B");
    let asked = hand.requests::<RepositoryRequest>();
    assert_eq!(asked.len(), 2, "of both catalogs");
    let asked = asked.into_iter().find(|asked| asked.catalog == 0).unwrap();
    let outcome = Err(UserError::new("new is in no git repository"));
    hand.answer(asked, outcome);
    assert!(hand.shows("not now: new is in no git repository"), "{}", hand.screen());
    assert!(hand.shows(">old"), "the cursor moves to what is possible: {}", hand.screen());
}

#[test]
fn comparison_is_reported_once_unless_it_is_visible() {
    let mut hand = open_compared(120, 36);
    assert!(hand.shows("compared with old: 3 packages differ"), "{}", hand.screen());
    hand.press("esc d 'Old' enter esc");
    answer_comparison_effects(&mut hand);
    assert!(!hand.shows("compared with old"), "{}", hand.screen());
    let mut hand = open_both(120, 36);
    hand.press("6");
    choose_base(&mut hand, "old");
    assert!(!hand.shows("compared with old"), "{}", hand.screen());
}

#[test]
fn loaded_files_and_revisions_are_the_base_of_every_catalog() {
    let mut hand = open_both(120, 36);
    choose_base(&mut hand, "as loaded");
    hand.press(">");
    answer_comparison_effects(&mut hand);
    assert_eq!(hand.model.session.catalogs.base(), Some(&Base::Loaded));
    choose_base(&mut hand, "nothing");
    hand.press("<");
    assert_eq!(hand.model.session.catalogs.base(), None, "stopped in both");
    // A catalog is the base of the current catalog only.
    choose_base(&mut hand, "old");
    hand.press(">");
    assert_eq!(hand.model.session.catalogs.base(), None);
    // A revision is read for the others once the current catalog has it.
    hand.press("< B g j j j enter 'nowhere' enter");
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("git:nowhere is not there"), "{}", hand.screen());
    hand.effects.clear();
    hand.press("esc B g j j j enter 'main' enter");
    let first = hand.last_request::<BaseRequest>().unwrap();
    assert_eq!(first.catalog, 0);
    hand.effects.clear();
    hand.answer(first, Ok(snapshot_from_text(&old_catalog())));
    let second = hand.last_request::<BaseRequest>().unwrap();
    assert_eq!((second.catalog, second.is_for_all), (1, false));
    // Stopping the comparison stops it in both. A base of its own stays.
    hand.answer(second, Ok(snapshot_from_text(&new_catalog())));
    hand.press(">");
    choose_base(&mut hand, "new");
    hand.press("<");
    choose_base(&mut hand, "nothing");
    hand.press(">");
    assert_eq!(hand.model.session.catalogs.base(), Some(&Base::Open(path_source("new"))));
}

#[test]
fn comparison_with_a_former_base_is_dropped() {
    let mut hand = open_both(120, 36);
    hand.press("B g j j j j j enter");
    let asked = hand.last_request::<ComparisonRequest>().unwrap();
    hand.effects.clear();
    hand.press("B g j enter");
    let late = asked.compare();
    hand.answer(asked, late);
    assert!(!hand.shows("3 packages differ"), "{}", hand.screen());
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("no package differs"), "{}", hand.screen());
}

/// A reviewer of several catalogs must not read the result of the first one only.
#[test]
fn one_notice_reports_the_comparisons_of_all_catalogs() {
    let mut hand = open_both(120, 36);
    hand.press("> d 'Old' enter <");
    choose_base(&mut hand, "as loaded");
    let notice = hand.model.notices.transient.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
    assert!(notice.starts_with("compared with"), "{notice}");
    assert!(notice.contains("new: no package differs; old: 1 package differs"), "{notice}");
}

/// The first screen of a comparison is not that of a catalog without differences.
#[test]
fn comparison_on_changes_shows_the_first_changed_catalog() {
    let mut hand = open_both(120, 36);
    hand.press("> d 'Old' enter < 6");
    choose_base(&mut hand, "as loaded");
    assert_eq!(hand.model.session.catalogs.current_index(), 1);
    assert!(hand.shows("1 package differs from the catalog as loaded"), "{}", hand.screen());
}

#[test]
fn catalog_with_another_base_is_in_no_common_notice_and_comment() {
    let mut hand = open_both(120, 36);
    hand.press(">");
    choose_base(&mut hand, "new");
    hand.press("<");
    choose_base(&mut hand, "as loaded");
    assert!(hand.shows("no package differs") && !hand.shows("old:"), "{}", hand.screen());
    hand.press("6 y c");
    let Some(Effect::Copy(copied)) = hand.effects.last() else { panic!("{:?}", hand.effects) };
    assert_eq!(copied.description, "the changes from as loaded to new as Markdown");
}

#[test]
fn comment_is_about_all_catalogs_with_the_base() {
    let mut hand = open_both(120, 36);
    hand.press("> d 'Old' enter <");
    choose_base(&mut hand, "as loaded");
    assert!(hand.shows("(6 shows the changes, > shows the next catalog)"), "{}", hand.screen());
    // The first catalog does not differ.
    hand.press("6");
    assert!(hand.shows("new does not differ: these are the changes of old"), "{}", hand.screen());
    assert!(hand.shows("> other catalogs: new 0 packages"), "{}", hand.screen());
    hand.press("y c");
    let Some(Effect::Copy(copied)) = hand.effects.last() else { panic!("{:?}", hand.effects) };
    for words in [
        "1 of 2 catalogs differ",
        "from as loaded of new to now",
        "1 package differs from as loaded of old to now",
    ] {
        assert!(copied.text.contains(words), "{words}: {}", copied.text);
    }
}

#[test]
fn reload_does_not_report_the_comparison_again() {
    let mut hand = open_both(120, 36);
    hand.press("B g j j j j enter 'old' enter");
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("compared with old"), "{}", hand.screen());
    hand.press("j r");
    answer_comparison_effects(&mut hand);
    assert!(!hand.shows("compared with old"), "{}", hand.screen());
}

#[test]
fn base_from_command_line_is_read_for_each_visited_catalog() {
    let settings = Settings { base: Some(Base::Path("old".into())), ..Settings::default() };
    let mut hand = open_both_with(120, 36, settings);
    assert!(hand.shows("against old"), "{}", hand.screen());
    hand.press("6");
    assert!(hand.shows("3 packages differ from old"), "{}", hand.screen());
    assert!(hand.effects.is_empty());
    hand.press(">");
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("0 packages differ from old"), "{}", hand.screen());
    // A comparison that the user ended does not start again.
    choose_base(&mut hand, "nothing");
    hand.press("< >");
    answer_comparison_effects(&mut hand);
    assert_eq!(hand.model.session.catalogs.base(), None);
}

/// The table of several catalogs marks all of them, so a revision is read for all at once.
#[test]
fn revision_of_the_command_line_is_read_for_every_catalog() {
    let base = Base::Revision(Revision { revision: "main".to_owned(), path: None });
    let mut hand = load_both(120, 36, Settings { base: Some(base.clone()), ..Settings::default() });
    let asked = hand.requests::<BaseRequest>();
    assert_eq!(asked.iter().map(|asked| asked.catalog).collect::<Vec<_>>(), [0, 1]);
    hand.effects.clear();
    for asked in asked {
        hand.answer(asked, Ok(snapshot_from_text(&old_catalog())));
    }
    answer_comparison_effects(&mut hand);
    // Another catalog keeps the screen.
    hand.press("4 >");
    assert_eq!(hand.model.session.navigation.screen, Screen::Problems);
    assert_eq!(hand.model.session.catalogs.base(), Some(&base));
    assert!(hand.requests::<BaseRequest>().is_empty());
}

#[test]
fn reload_reads_the_base_again() {
    let mut hand = open_both(120, 36);
    hand.press("B g j j j j enter 'old' enter");
    answer_comparison_effects(&mut hand);
    hand.press("r");
    let reads = hand.requests::<BaseRequest>().len();
    assert_eq!(reads, 1);
}

#[test]
fn comparison_is_copied_as_markdown() {
    let mut hand = open_both(100, 30);
    hand.press("6 y c");
    assert!(hand.shows("no comparison is shown"), "{}", hand.screen());
    hand.press("esc");
    choose_base(&mut hand, "old");
    hand.press("y c");
    let Some(Effect::Copy(copied)) = hand.effects.last() else { panic!("nothing is copied") };
    assert_eq!(copied.description, "the changes from old to new as Markdown");
    assert!(
        copied
            .text
            .contains("- new, stable: ship 1.3.0 is the head, replaces 1.2.0; ship 1.1.0 is removed\n"),
        "{}",
        copied.text
    );
    assert!(copied.text.contains("\n\n**Check before you release:**"), "{}", copied.text);
    assert!(copied.text.contains("from old to new."), "{}", copied.text);
    assert!(copied.text.contains("<summary>ship changed"), "{}", copied.text);
}

#[test]
fn unsaved_edits_are_copied_as_markdown() {
    let mut hand = open_both(100, 30);
    hand.press("1 / 'ship' enter l l x enter 6 y c");
    let asked = hand.requests::<CopyComparisonRequest>().pop().unwrap();
    assert_eq!(asked.compared.catalogs.len(), 1, "the other catalog is not edited");
    let text = asked.compared.render_markdown();
    insta::assert_snapshot!(text);
    hand.answer(asked, text.clone());
    let Some(Effect::Copy(copied)) = hand.effects.last() else { panic!("nothing is copied") };
    assert_eq!(
        (&copied.text, copied.description.as_str()),
        (&text, "the changes from the saved files to the edits as Markdown")
    );
}

#[test]
fn comparison_export_mentions_unsaved_edits() {
    let mut hand = open_compared(100, 30);
    hand.press("1 / 'ship' enter l l x enter");
    answer_comparison_effects(&mut hand);
    hand.press("6 o");
    assert!(hand.shows("writes what changed from old to new with the unsaved edits"), "{}", hand.screen());
    hand.press("ctrl-u 'a.md' enter");
    let Some(Effect::ExportComparison { comparison: told, path, .. }) = hand.effects.last() else {
        panic!("not asked")
    };
    assert_eq!(path, Path::new("a.md"));
    assert!(
        told.render_markdown().contains("from old to new with the unsaved edits."),
        "{}",
        told.render_markdown()
    );
    let outcome = Ok(Exported { path: path.clone(), flowcharts: 0, is_split: false });
    hand.send(Msg::Exported { asked: "a.md".into(), outcome });
    assert!(hand.model.dialogs.is_empty() && hand.shows("written: a.md"), "{}", hand.screen());
}

#[test]
fn unreadable_base_keeps_input_and_shows_reason() {
    let mut hand = open_both(80, 24);
    hand.press("B g j j j j enter 'nowhere/at/all' enter");
    assert!(hand.shows("is being read"), "{}", hand.screen());
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("nowhere/at/all is not there; Look elsewhere."), "{}", hand.screen());
    hand.press("ctrl-u 'old' enter");
    answer_comparison_effects(&mut hand);
    assert!(hand.model.dialogs.is_empty() && hand.shows("against old"), "{}", hand.screen());
}

#[test]
fn catalogs_with_equal_names_get_distinct_labels() {
    let [old_path, new_path] =
        ["/srv/releases/of/the/old/catalogs/v4.22", "/srv/releases/of/the/new/catalogs/v4.22"];
    let sources = vec![path_source(new_path), path_source(old_path)];
    let mut hand = ExplorerDriver::before_loading(sources, Settings::default(), 84, 24);
    let outcome = |name, text: String| LoadOutcome {
        source: path_source(name),
        result: Ok(snapshot_from_text(&text)),
        recoverable_edits: None,
    };
    let outcomes = vec![outcome(new_path, new_catalog()), outcome(old_path, old_catalog())];
    hand.finish_loads(outcomes);
    hand.press("B g");
    let Some(choice) = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<ComparisonChoice>())
    else {
        panic!("no choice")
    };
    let row = choice.options.iter().position(|other| other.label.contains("old/")).unwrap();
    hand.press(&"j ".repeat(row)).press("enter");
    answer_comparison_effects(&mut hand);
    assert!(hand.shows("against old/.../v4.22"), "{}", hand.screen());
    hand.press("B g enter");
    assert!(hand.shows("new/.../v4.22"), "{}", hand.screen());
}
