//! Tests of the explorer by key scripts, with checks of state and effects.

use olm_catalog::load;
use olmap::tui::{
    Effect, Screen, Settings, Source, UserError,
    keys::{
        ActionId, Key, key as keys,
        spec::{ActionSpec, WriteScope},
    },
    parts::{frame::Hit, list::ListId},
    screens::graph::options::GraphMode,
    session::{
        jobs::load::{LoadAnswer, LoadRequest},
        navigation::Pane,
        wait_state::Stage,
    },
    shell::action_table as action,
};
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
# the newest
- name: ship.v1.2.0
  replaces: ship.v1.1.0   # as ever
- name: ship.v1.1.0
  replaces: ship.v1.0.0
- name: ship.v1.0.0
---
schema: olm.channel
package: ship
name: fast
entries:
- name: ship.v1.1.0
---
{schema: olm.bundle, package: ship, name: ship.v1.2.0, image: 'example.com/ship:1.2.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.2.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, image: 'example.com/ship:1.1.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:1.0.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

fn open_ship() -> ExplorerDriver {
    ExplorerDriver::open_yaml(SHIP_CATALOG, 100, 30)
}

fn selected_bundle(hand: &ExplorerDriver) -> String {
    hand.model.session.selection().bundle.as_ref().map(ToString::to_string).unwrap_or_default()
}

fn current_text(hand: &ExplorerDriver) -> String {
    String::from_utf8(hand.model.session.snapshot().unwrap().catalog.files()[0].current_bytes()).unwrap()
}

#[test]
fn default_channel_and_its_head_are_selected_first() {
    let hand = open_ship();
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "stable");
    assert_eq!(selected_bundle(&hand), "ship.v1.2.0");
}

#[test]
fn enter_leads_from_packages_to_the_bundle_and_escape_back() {
    let mut hand = open_ship();
    hand.press("l l");
    assert_eq!(hand.model.session.navigation.pane, Pane::Entries);
    hand.press("j enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Bundle);
    assert_eq!(selected_bundle(&hand), "ship.v1.1.0", "the selection is shared by all screens");
    hand.press("[");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages, "a jump can be taken back");
    hand.press("]");
    assert_eq!(hand.model.session.navigation.screen, Screen::Bundle);
    hand.press("esc h h");
    assert_eq!(hand.model.session.navigation.pane, Pane::Packages);
}

#[test]
fn edit_form_previews_problems_and_can_be_cancelled() {
    let mut hand = open_ship();
    hand.press("l l e");
    assert!(hand.shows("ship.v1.2.0 in stable"));
    hand.press("'x'");
    assert!(hand.shows("2 heads"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!(current_text(&hand), SHIP_CATALOG);
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}

#[test]
fn applied_edit_changes_only_its_lines_and_undo_restores_them() {
    let mut hand = open_ship();
    hand.press("l l e tab tab '>=1.0.0' enter");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
    let edited = current_text(&hand);
    let line = edited.lines().find(|line| line.contains("skipRange")).unwrap();
    assert!(line.contains(">=1.0.0"), "{line}");
    assert_eq!(edited.replace(&format!("{line}\n"), ""), SHIP_CATALOG, "every other line is as it was");
    hand.press("u");
    assert_eq!(current_text(&hand), SHIP_CATALOG);
    hand.press("ctrl-r");
    assert_eq!(current_text(&hand), edited);
}

#[test]
fn promotion_adds_an_entry_that_replaces_the_head() {
    let mut hand = open_ship();
    hand.press("l l p");
    assert!(hand.shows("Release ship.v1.2.0"));
    hand.press("enter");
    let text = current_text(&hand);
    assert!(text.contains("- name: ship.v1.1.0\n- name: ship.v1.2.0\n  replaces: ship.v1.1.0\n"), "{text}");
    assert!(text.contains("# the newest"), "comments stay");
}

#[test]
fn changes_are_shown_before_they_are_written() {
    let mut hand = ExplorerDriver::open_source(
        Source::Path("ship.yaml".into()),
        olm_catalog::load::from_bytes(SHIP_CATALOG.as_bytes().to_vec()),
        100,
        40,
    );
    hand.press("l l e ctrl-u 'ship.v1.0.0' enter ctrl-s");
    assert_eq!(hand.model.session.navigation.screen, Screen::Changes);
    assert!(hand.shows("-  replaces: ship.v1.1.0   # as ever"), "{}", hand.screen());
    assert!(hand.shows("+  replaces: ship.v1.0.0   # as ever"), "{}", hand.screen());
    assert!(!hand.effects.iter().any(|e| matches!(e, Effect::Save { .. })), "not before Enter");
    hand.press("enter");
    assert!(hand.shows("opm will reject this catalog: 1 new error."), "{}", hand.screen());
    hand.press("enter esc enter enter");
    assert!(!hand.effects.iter().any(|e| matches!(e, Effect::Save { .. })), "not what opm refuses, unasked");
    hand.press("w");
    assert!(hand.effects.iter().any(|e| matches!(e, Effect::Save { .. })));
    hand.finish_saving();
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
    hand.press("u");
    assert_eq!(
        hand.model.session.catalogs.unsaved_count(),
        1,
        "what is taken back after saving is unsaved again"
    );
}

#[test]
fn catalog_without_a_file_is_saved_to_a_chosen_path() {
    let mut hand = open_ship();
    hand.press("l l e ctrl-u enter ctrl-s enter");
    assert!(hand.shows("Save anyway?"), "{}", hand.screen());
    hand.press("w");
    assert!(hand.shows("Save as"));
    hand.press("ctrl-u '/nowhere/ship.yaml' enter");
    let path = hand.effects.iter().find_map(|e| match e {
        Effect::SaveAs { path, .. } => Some(path.clone()),
        _ => None,
    });
    assert_eq!(path.unwrap().to_str(), Some("/nowhere/ship.yaml"));
}

#[test]
fn leaving_with_unsaved_edits_asks() {
    let mut hand = open_ship();
    hand.press("l l e ctrl-u enter q q q");
    assert!(hand.shows("Quit without saving?"));
    assert!(!hand.model.is_quitting);
    hand.press("esc");
    assert!(!hand.shows("Quit without saving?"));
    hand.press("q d");
    assert!(hand.model.is_quitting);
}

#[test]
fn quitting_without_edits_does_not_ask() {
    let mut hand = open_ship();
    hand.press("q");
    assert!(hand.model.is_quitting);
}

#[test]
fn read_only_mode_refuses_every_mutating_action() {
    let settings =
        Settings { read_only: Some("asked for with --read-only".to_owned()), ..Settings::default() };
    let mut hand = open_ship();
    hand.model.settings = settings;
    let always_refused =
        |spec: &&'static ActionSpec| spec.mutates() && spec.writes != WriteScope::AfterPreview;
    for spec in action::action_table().actions().filter(always_refused) {
        let refusal = olmap::tui::shell::action_table::check_permitted(&hand.model, spec);
        assert!(refusal.unwrap_err().starts_with("read-only"), "{}", spec.title);
    }
    hand.press("l l e");
    assert!(hand.model.dialogs.is_empty());
    assert!(hand.shows("read-only"));
}

#[test]
fn write_protected_file_cannot_be_edited_but_can_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, SHIP_CATALOG).unwrap();
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let catalog = load::open_catalog(&path).unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(path), catalog, 100, 30);
    hand.press("l l e");
    assert!(hand.model.dialogs.is_empty());
    assert!(hand.shows("catalog.yaml is write-protected; on Changes, save as"), "{}", hand.screen());
    let save_as = action::action_table().actions().find(|spec| spec.id == ActionId::SaveAs).unwrap();
    assert_eq!(action::check_permitted(&hand.model, save_as), Ok(()));
}

#[test]
fn default_keys_are_valid_and_unique_per_screen() {
    for &screen in Screen::ALL {
        let mut seen: Vec<(Vec<Key>, ActionId)> = Vec::new();
        // The Changes screen binds Enter to saving, and Graph binds left and right to
        // the drawing. The order of the table decides these cases, so they are not conflicts.
        let specs = action::action_table().actions().filter(|spec| spec.applies_to(screen));
        for spec in specs {
            for name in spec.default_keys {
                let keys = keys::parse_key_sequence(name).unwrap_or_else(|| panic!("{name} is no key"));
                let other = seen.iter().find(|(k, _)| k.starts_with(&keys) || keys.starts_with(k));
                let allowed = matches!(
                    (screen, spec.id),
                    (Screen::Changes, ActionId::In) | (Screen::Graph, ActionId::In | ActionId::Out)
                );
                assert!(other.is_none() || allowed, "{name} does {:?} and {other:?} on {screen:?}", spec.id);
                seen.push((keys, spec.id));
            }
        }
    }
}

#[test]
fn filter_narrows_the_list_and_moves_the_selection() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("/ 'tide'");
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap(), "tidewater-operator");
    hand.press("enter");
    assert!(!hand.shows("quill-operator"));
    hand.press("esc");
    assert!(hand.shows("quill-operator"), "esc takes the filter away first");
}

#[test]
fn finder_matches_a_few_letters() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("ctrl-p 'granary' space 'stable' enter");
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap(), "granary-operator");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages);
}

#[test]
fn palette_runs_the_selected_action_or_shows_a_reason() {
    let mut hand = open_ship();
    hand.press(": 'undo'");
    assert!(hand.shows("not now: there is nothing to undo"), "{}", hand.screen());
    hand.press("esc : 'problems' enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Problems);
}

/// Search terms find an action in the palette and in the help, and the row shows the matched term.
#[test]
fn action_is_found_by_its_search_terms() {
    let mut hand = open_ship();
    hand.press(": 'delete'");
    assert!(hand.shows("x                  remove             delete: "), "{}", hand.screen());
    hand.press("esc ? 'delete'");
    assert!(hand.shows("x                  remove             delete: "), "{}", hand.screen());
    hand.press("esc : 'lint' enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Problems);
}

#[test]
fn graph_follows_edges_and_at_their_end_the_pick_in_another_channel() {
    let mut hand = open_ship();
    hand.press("l l j j 2 K K");
    assert_eq!(selected_bundle(&hand), "ship.v1.2.0");
    hand.press("K");
    assert!(hand.shows("no edge leads from it"), "{}", hand.screen());
    hand.press("J J");
    assert_eq!(selected_bundle(&hand), "ship.v1.0.0");
    let mut hand = ExplorerDriver::open_yaml(CHANNEL_CHANGE_CATALOG, 100, 30);
    hand.press("l G 2 K");
    assert_eq!(selected_bundle(&hand), "ship.v2.0.0");
    assert!(hand.shows("v1 leaves this channel: ship.v2.0.0 is in stable"), "{}", hand.screen());
}

/// Catalog with an entry that only a skipRange of another channel includes.
const CHANNEL_CHANGE_CATALOG: &str = "schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries: [{name: ship.v2.0.0, skipRange: '<2.0.0'}]
---
schema: olm.channel
package: ship
name: tested
entries: [{name: ship.v1.0.0}]
---
{schema: olm.bundle, package: ship, name: ship.v2.0.0, image: 'example.com/ship:2', properties: [{type: olm.package, value: {packageName: ship, version: 2.0.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:1', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

#[test]
fn zoom_follows_the_selection_and_keys_move_between_boxes() {
    let mut hand = open_ship();
    let around = |hand: &ExplorerDriver, version: &str| hand.shows(&format!("around {version}"));
    hand.press("l l j 2 z");
    assert_eq!(hand.model.screens.graph.view.mode, GraphMode::Zoom);
    assert!(around(&hand, "1.1.0"), "{}", hand.screen());
    assert!(
        hand.shows("around 1.1.0") && hand.shows("Classic  →"),
        "boxes, and the answers below: {}",
        hand.screen()
    );
    hand.press("l");
    assert_eq!(selected_bundle(&hand), "ship.v1.2.0");
    assert!(around(&hand, "1.2.0"));
    hand.press("right");
    assert!(hand.shows("no edge in this channel leads from it"));
    hand.press("h left");
    assert_eq!(selected_bundle(&hand), "ship.v1.0.0");
    hand.press("K");
    assert_eq!(selected_bundle(&hand), "ship.v1.1.0", "edges stay in the zoom");
    hand.press("k J");
    assert!(around(&hand, "1.1.0"), "so do rows and edges");
    hand.press("esc");
    assert_eq!(
        (hand.model.session.navigation.screen, hand.model.screens.graph.view.mode),
        (Screen::Graph, GraphMode::Channel)
    );
    hand.press("z z l");
    assert_eq!(hand.model.session.navigation.screen, Screen::Upgrades, "out of the zoom l goes in as ever");
    hand.press("[ z 1 2");
    assert_eq!(hand.model.screens.graph.view.mode, GraphMode::Zoom, "kept while one looks at other screens");
}

#[test]
fn click_on_a_box_selects_its_bundle() {
    let mut hand = open_ship();
    hand.press("2 z");
    let (area, _) = *hand
        .model
        .frame
        .hits
        .hits
        .iter()
        .find(|(_, hit)| {
            let Hit::Box(index) = hit else { return false };
            hand.model.screens.graph.zoom().unwrap().boxes[*index].title == "1.0.0"
        })
        .unwrap();
    hand.mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: area.x + 1,
        row: area.y + 1,
        modifiers: KeyModifiers::NONE,
    });
    assert_eq!(selected_bundle(&hand), "ship.v1.0.0");
    assert!(hand.shows("around 1.0.0"));
}

#[test]
fn query_of_v1_is_changed_in_its_fields() {
    let mut hand = open_ship();
    hand.press("3 G");
    assert_eq!(selected_bundle(&hand), "ship.v1.0.0");
    let next = |hand: &ExplorerDriver| {
        let table = hand.model.session.derived.upgrade_table().unwrap();
        table.find_row(&"ship.v1.0.0".into()).unwrap().v1.clone()
    };
    hand.press("shift-tab shift-tab enter");
    assert_eq!(hand.model.session.upgrade_query.query.policy.as_str(), "SelfCertified");
    assert_eq!(next(&hand).target().unwrap(), "ship.v1.2.0");
    hand.press("shift-tab enter '<1.2.0' enter");
    assert_eq!(next(&hand).target().unwrap(), "ship.v1.1.0");
    hand.press("enter 'nonsense'");
    assert_eq!(
        hand.model.session.upgrade_query.query.version, "<1.2.0",
        "what cannot be read changes nothing"
    );
    hand.press("ctrl-u '<1' enter enter ctrl-u '>9' esc");
    assert_eq!(hand.model.session.upgrade_query.query.version, "<1", "what is not taken is put back");
}

#[test]
fn catalog_that_cannot_be_opened_shows_reason_and_hint() {
    let source = Source::Path("/nowhere".into());
    let mut hand = ExplorerDriver::before_loading(vec![source.clone()], Settings::default(), 80, 24);
    assert!(hand.shows("Opening /nowhere"));
    hand.finish_loading(
        source,
        Err(UserError::new("cannot open /nowhere: not there").with_hint("try another")),
    );
    assert!(matches!(hand.model.session.waiting.stage, Stage::Failed(_)));
    assert!(hand.shows("not there") && hand.shows("try another"));
    hand.press("q");
    assert!(hand.model.is_quitting);
}

#[test]
fn stale_load_result_is_dropped() {
    let mut hand = open_ship();
    let snapshot = hand.model.session.snapshot().unwrap().clone();
    let stale = LoadRequest { sources: hand.model.session.catalogs.sources().to_vec(), show_partial: true };
    hand.answer(std::sync::Arc::new(stale), LoadAnswer::Done(Vec::new()));
    assert!(std::sync::Arc::ptr_eq(hand.model.session.snapshot().unwrap(), &snapshot));
}

#[test]
fn undone_edit_that_was_saved_and_lost_is_still_unsaved() {
    let mut hand = ExplorerDriver::open_source(
        Source::Path("ship.yaml".into()),
        olm_catalog::load::from_bytes(SHIP_CATALOG.as_bytes().to_vec()),
        100,
        40,
    );
    hand.press("l l e tab tab '<1.2.0' enter ctrl-s enter");
    hand.finish_saving();
    hand.press("u 1 e tab 'x' enter u");
    assert_eq!(current_text(&hand), SHIP_CATALOG, "memory holds what was loaded, the disk what was saved");
    assert!(hand.model.session.catalogs.unsaved_count() > 0);
    hand.press("6");
    assert!(!hand.shows("Nothing is unsaved"));
    hand.effects.clear();
    hand.press("enter");
    assert!(hand.effects.iter().any(|e| matches!(e, Effect::Save { .. })), "and it can be written");
}

#[test]
fn pasted_text_goes_into_fields_and_nowhere_else() {
    let mut hand = open_ship();
    hand.press("l l e ctrl-u");
    hand.send(olmap::tui::Msg::Paste("ship.v1.0.0\n".into()));
    hand.press("enter");
    assert!(current_text(&hand).contains("replaces: ship.v1.0.0   # as ever"), "{}", current_text(&hand));
    hand.press("ctrl-c");
    assert!(hand.shows("Quit without saving?"));
    hand.send(olmap::tui::Msg::Paste("d".into()));
    assert!(!hand.model.is_quitting, "a pasted letter is no answer");
}

#[test]
fn paste_is_one_insertion_and_is_refused_if_it_does_not_fit() {
    let mut hand = open_ship();
    hand.press("/");
    hand.send(olmap::tui::Msg::Paste("x".repeat(1_000_000)));
    assert!(hand.shows("not pasted: a field takes 10000 characters"), "{}", hand.screen());
    hand.send(olmap::tui::Msg::Paste("ship".into()));
    assert!(hand.shows("/ship"), "{}", hand.screen());
    hand.press("left left");
    hand.send(olmap::tui::Msg::Paste("-ab".into()));
    assert!(hand.shows("/sh-abip"), "it goes in where the cursor is: {}", hand.screen());
    hand.send(olmap::tui::Msg::Paste("y".repeat(10_000 - 7)));
    hand.press("z");
    assert!(hand.shows("the field is full: at most 10000 characters"), "{}", hand.screen());
    hand.press("ctrl-u");
    hand.send(olmap::tui::Msg::Paste("sh".into()));
    assert!(hand.shows("/sh"), "{}", hand.screen());
}

#[test]
fn editing_is_refused_while_files_are_written() {
    let mut hand = ExplorerDriver::open_source(
        Source::Path("ship.yaml".into()),
        olm_catalog::load::from_bytes(SHIP_CATALOG.as_bytes().to_vec()),
        100,
        40,
    );
    hand.press("l l e tab tab '<1.2.0' enter ctrl-s enter enter");
    let saves = hand.effects.iter().filter(|e| matches!(e, Effect::Save { .. })).count();
    assert_eq!(saves, 1, "one Enter, one save");
    hand.press("u");
    assert!(hand.shows("the files are being written"));
    hand.finish_saving();
    hand.press("u");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
}

#[test]
fn undoing_a_promotion_keeps_a_selection() {
    let mut hand = open_ship();
    hand.press("l l p enter h / 'fast' enter l");
    assert_eq!(hand.model.session.selection().channel.as_ref().unwrap(), "fast");
    assert_eq!(selected_bundle(&hand), "ship.v1.2.0");
    hand.press("u");
    assert_eq!(selected_bundle(&hand), "ship.v1.1.0", "the selected entry is gone");
}

#[test]
fn query_of_v1_is_reset_for_another_package() {
    let mut hand = ExplorerDriver::demo(100, 30);
    hand.press("/ 'granary' enter 3 shift-tab shift-tab shift-tab shift-tab enter space enter");
    assert_eq!(hand.model.session.upgrade_query.query.channels.len(), 1);
    hand.press("1 esc / ctrl-u 'quill' enter");
    assert!(hand.model.session.upgrade_query.query.channels.is_empty());
    hand.press("[");
    assert!(hand.model.session.upgrade_query.query.channels.is_empty());
}

#[test]
fn untouched_field_is_not_parsed() {
    let odd = SHIP_CATALOG.replace("  replaces: ship.v1.1.0   # as ever\n", "  skips: ['a b', 'c,d']\n");
    let mut hand = ExplorerDriver::open_yaml(&odd, 100, 30);
    hand.press("l l e tab tab '<1.2.0' enter");
    assert!(current_text(&hand).contains("skips: ['a b', 'c,d']"), "{}", current_text(&hand));
}

#[test]
fn leftover_of_crashed_save_is_reported_when_the_catalog_opens() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ship.yaml"), SHIP_CATALOG).unwrap();
    std::fs::write(folder.path().join(".olmap-save-a1.tmp"), SHIP_CATALOG).unwrap();
    let catalog = olm_catalog::load::open_catalog(folder.path()).unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(folder.path().to_owned()), catalog, 120, 36);
    assert!(hand.shows("a file left over from an interrupted save"), "{}", hand.screen());
    hand.press("4 / 'left-over'");
    assert!(hand.shows("first compare it with the file next to it"), "{}", hand.screen());
}

#[test]
fn finding_is_found_by_its_rule_and_selected_in_its_list() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("4 / 'nothing-of-the-kind' enter 1 ctrl-p 'dead-end' space 'granary'");
    assert!(hand.shows("help:"), "the preview says what to do: {}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.session.navigation.screen, Screen::Problems);
    let row = hand.model.list_cursor(ListId::Problems).unwrap();
    let problem = &hand.model.screens.problems.listed_findings()[row];
    assert_eq!(problem.finding.rule.id, "stuck");
    hand.press("[");
    assert_eq!(hand.model.session.navigation.screen, Screen::Packages, "one can go back");
}

#[test]
fn finder_previews_the_selected_row() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("ctrl-p 'granary-operator.v2.6.4'");
    assert!(hand.shows("Classic") && hand.shows("in stable"), "{}", hand.screen());
    hand.press("ctrl-u 'granary' space 'stable'");
    assert!(hand.shows("default channel"), "{}", hand.screen());
}
