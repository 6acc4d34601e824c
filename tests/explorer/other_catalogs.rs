//! Tests of one edit in several catalogs: preview in each, selection, and saving together.

use std::{fs, path::Path, sync::Arc};

use olm_catalog::{Catalog, load};
use olm_check::review::Snapshot;
use olm_edit::{Batch, save};
use olmap::tui::{
    Effect, LoadOutcome, Msg, Screen, Settings, Source,
    session::{
        jobs::{
            deferred_checks::DeferredCheckRequest, dialog_questions::PreviewCheckRequest, load::LoadRequest,
        },
        open_catalog::OpenCatalog,
    },
    work::{effect::SaveRequest, outcome::UnsavedEdits},
};

use super::support::ExplorerDriver;

fn ship_catalog(entries: &str) -> String {
    let mut text = format!(
        "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\nname: \
         stable\nentries:\n{entries}---\nschema: olm.channel\npackage: ship\nname: tested\nentries:\n- name: ship.v1.0.0\n"
    );
    for version in ["1.0.0", "1.1.0"].into_iter().filter(|version| entries.contains(version)) {
        text += &format!(
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: registry.example/ship:{version}\n\
             properties:\n- type: olm.package\n  value:\n    packageName: ship\n    version: {version}\n"
        );
    }
    text
}

const BOTH_ENTRIES: &str = "- name: ship.v1.0.0\n- name: ship.v1.1.0\n  replaces: ship.v1.0.0\n";
const OLD_ENTRY: &str = "- name: ship.v1.0.0\n";

const CI_CONFIG: &str = "\
fbc:
  catalog_mapping:
  - template_name: basic.yaml
    catalog_names: [v4.18]
    type: olm.template.basic
";

const TEMPLATE: &str = "\
schema: olm.template.basic
entries:
- schema: olm.package
  name: ship
  defaultChannel: stable
- schema: olm.channel
  package: ship
  name: stable
  entries:
  - name: ship.v1.0.0
  - name: ship.v1.1.0
    replaces: ship.v1.0.0
- schema: olm.channel
  package: ship
  name: tested
  entries:
  - name: ship.v1.0.0
- schema: olm.bundle
  image: registry.example/ship:1.0.0
- schema: olm.bundle
  image: registry.example/ship:1.1.0
";

/// Returns the number of unsaved edits of each catalog.
fn unsaved_counts(hand: &ExplorerDriver) -> Vec<usize> {
    hand.model.session.catalogs.all().iter().map(OpenCatalog::unsaved_count).collect()
}

/// Creates a repository of three catalogs; the last does not have version 1.1.0.
pub fn create_repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (version, entries) in [("v4.18", BOTH_ENTRIES), ("v4.20", BOTH_ENTRIES), ("v4.22", OLD_ENTRY)] {
        write(&format!("catalogs/{version}/ship/catalog.yaml"), &ship_catalog(entries));
    }
    write("operators/ship/ci.yaml", CI_CONFIG);
    write("operators/ship/catalog-templates/basic.yaml", TEMPLATE);
    root
}

fn load_catalog(path: &Path) -> Catalog {
    load::open_catalog(path).unwrap()
}

fn load_outcome(source: Source) -> LoadOutcome {
    let Source::Path(path) = &source else { panic!("{source:?}") };
    let result = Ok(Arc::new(Snapshot::new(load_catalog(path))));
    LoadOutcome { source, result, recoverable_edits: None }
}

/// Starts an explorer with all catalogs of a repository.
pub fn open_repository(root: &Path, columns: u16, rows: u16) -> ExplorerDriver {
    let sources =
        ["v4.18", "v4.20", "v4.22"].map(|version| Source::Path(root.join("catalogs").join(version)));
    let mut hand = ExplorerDriver::before_loading(sources.to_vec(), Settings::default(), columns, rows);
    let outcomes = sources.into_iter().map(load_outcome).collect();
    hand.finish_loads(outcomes);
    hand
}

/// Loads the requested catalogs like the runtime.
pub fn finish_requested_load(hand: &mut ExplorerDriver) {
    let Some(asked) = hand.effects.last().and_then(Effect::question::<LoadRequest>) else {
        panic!("{:?}", hand.effects.last());
    };
    hand.finish_loads(asked.sources.iter().cloned().map(load_outcome).collect());
}

/// Adds ship.v1.1.0 to the channel `tested` of the current catalog.
fn add_ship(hand: &mut ExplorerDriver) {
    hand.press("l j a '1.1.0' enter enter");
    assert!(hand.shows("add ship.v1.1.0 to tested"), "{}", hand.screen());
}

/// Returns the batch of the last edit in the journal of a catalog.
fn journaled_batch(hand: &ExplorerDriver, version: &str) -> Option<Batch> {
    hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::WriteJournal { catalog, edits } if catalog.ends_with(version) => edits.last()?.batch.clone(),
        _ => None,
    })
}

/// Returns the catalogs that the last effect saves.
fn requested_saves(hand: &ExplorerDriver) -> Vec<SaveRequest> {
    match hand.effects.last() {
        Some(Effect::Save { saves, .. }) => saves.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn finder_shows_catalog_of_each_row_and_finds_catalogs() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 24);
    hand.press("2 ctrl-p 'ship.v1.1.0'");
    let screen = hand.screen();
    for catalog in ["v4.18", "v4.20"] {
        let row = format!("bundle   {catalog}  ship.v1.1.0");
        assert!(screen.contains(&row), "{screen}");
    }
    hand.press("ctrl-u 'v4.20'");
    assert!(hand.shows(">catalog  v4.20  1 package"), "{}", hand.screen());
    assert!(hand.shows("0 errors"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.session.catalogs.current_index(), 1);
    assert_eq!(hand.model.session.navigation.screen, Screen::Graph, "on the screen one was on");
    hand.press("[");
    assert_eq!(hand.model.session.catalogs.current_index(), 0, "a jump can be taken back");
}

#[test]
fn recovery_question_names_the_catalog() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 30);
    add_ship(&mut hand);
    let edits = hand.effects.iter().rev().find_map(|effect| match effect {
        Effect::WriteJournal { edits, .. } => Some(edits.clone()),
        _ => None,
    });
    let sources: Vec<Source> =
        hand.model.session.catalogs.all().iter().map(|open| open.source.clone()).collect();
    let mut again = ExplorerDriver::before_loading(sources.clone(), Settings::default(), 100, 30);
    let mut outcomes: Vec<LoadOutcome> = sources.into_iter().map(load_outcome).collect();
    outcomes[1].recoverable_edits = Some(UnsavedEdits {
        journal: root.path().join("journal"),
        age: std::time::Duration::from_secs(200),
        edits: edits.unwrap(),
    });
    again.finish_loads(outcomes);
    assert!(
        again.shows("1 edit of v4.20 was not saved when olmap ended, 3 minutes ago"),
        "{}",
        again.screen()
    );
}

#[test]
fn finder_prefers_current_catalog_and_reports_a_switch() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 24);
    hand.press("> ctrl-p 'ship.v1.0.0' enter");
    assert_eq!(hand.model.session.catalogs.current_index(), 1, "what all catalogs have is found in this one");
    assert!(!hand.shows("switched to"), "{}", hand.screen());
    hand.press("ctrl-p 'ship' space 'v4.22' enter");
    assert_eq!(hand.model.session.catalogs.current_index(), 2, "a word may name the catalog");
    assert!(hand.shows("switched to v4.22"), "{}", hand.screen());
}

#[test]
fn last_row_of_a_release_is_toggled_with_one_key() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 24);
    hand.press("l l g p");
    assert!(hand.shows("[x] v4.18  tested"), "{}", hand.screen());
    hand.press("G space");
    assert!(hand.shows("[ ] v4.22  tested"), "{}", hand.screen());
    hand.press("space");
    assert!(hand.shows("[x] v4.22  tested"), "{}", hand.screen());
}

#[test]
fn table_previews_the_edit_in_each_catalog() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 24);
    hand.press("C");
    assert!(hand.shows("no edit was made in this catalog"), "{}", hand.screen());
    add_ship(&mut hand);
    hand.press("C");
    let screen = hand.screen();
    let line = |label: &str| screen.lines().find(|line| line.contains(label)).unwrap_or_default().to_owned();
    assert!(line(" v4.20").contains("[x]") && line(" v4.20").contains("no new findings"), "{screen}");
    assert!(line(" v4.20").contains("1 upgrade changes"), "{screen}");
    assert!(line(" v4.22").contains("[ ]") && line(" v4.22").contains("1 new error"), "{screen}");
    assert!(!screen.contains(" v4.18  "), "it is made there already: {screen}");
    // The background checks are requested for each catalog in turn.
    assert!(hand.shows("Safety of the new upgrades: not checked yet"), "{screen}");
    while let Some(asked) = hand.take_request::<PreviewCheckRequest>() {
        let checked = asked.run_checks(&|_, _| Vec::new());
        hand.answer(asked, checked);
    }
    assert!(hand.shows("Safety of the new upgrades: not checked: no manifests"), "{}", hand.screen());
    // Full preview of the selected catalog.
    hand.press("j");
    assert!(hand.shows("entry-without-bundle"), "{}", hand.screen());
}

/// New edges that change no upgrade elsewhere are not repeated there unless the user chooses it.
#[test]
fn edges_without_effect_are_not_chosen() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 24);
    hand.press("l l e tab tab '>=1.0.0 space '<1.1.0' enter C");
    let screen = hand.screen();
    let line = |label: &str| screen.lines().find(|line| line.contains(label)).unwrap_or_default().to_owned();
    assert!(line(" v4.20").contains("[ ]") && line(" v4.20").contains("no upgrade changes"), "{screen}");
}

#[test]
fn edit_in_several_catalogs_is_saved_and_undone_together() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 40);
    add_ship(&mut hand);
    hand.press("C enter");
    assert!(hand.shows("also in 1 other catalog: add ship.v1.1.0 to tested"), "{}", hand.screen());
    assert_eq!(unsaved_counts(&hand), [1, 1, 0]);
    let batches = ["v4.18", "v4.20"].map(|version| journaled_batch(&hand, version));
    assert!(batches[0].is_some() && batches[0] == batches[1], "{batches:?}");
    hand.press("ctrl-s");
    assert!(hand.shows("2 edits in 2 catalogs, 2 files to save."), "{}", hand.screen());
    assert!(hand.shows("saves all catalogs") && hand.shows("\n v4.20 "), "{}", hand.screen());
    hand.press("enter");
    let saves = requested_saves(&hand);
    assert_eq!(saves.iter().map(|save| save.catalog).collect::<Vec<_>>(), [0, 1]);
    let states: Vec<(&Catalog, &Catalog)> =
        saves.iter().map(|save| (&*save.baseline.catalog, &*save.state.catalog)).collect();
    save::save_catalogs(&states, &mut save::DirectoryLock::with_default_state()).unwrap().ignore_warning();
    let text = |version: &str| {
        fs::read_to_string(root.path().join(format!("catalogs/{version}/ship/catalog.yaml"))).unwrap()
    };
    assert_eq!(text("v4.18"), text("v4.20"));
    assert!(text("v4.20").contains("name: tested\nentries:\n- name: ship.v1.0.0\n- name: ship.v1.1.0\n"));
    assert_eq!(text("v4.22"), ship_catalog(OLD_ENTRY));
    let written = saves.into_iter().map(|save| (save.catalog, save.state)).collect();
    hand.send(Msg::Saved { written, outcome: Ok(olmap::tui::SaveDestination::InPlace), warning: None });
    assert_eq!(unsaved_counts(&hand), [0, 0, 0]);
    // Undo and redo affect both catalogs, from either of them, saved or not.
    hand.press("> u");
    assert!(hand.shows("undone in 2 catalogs"), "{}", hand.screen());
    assert_eq!(unsaved_counts(&hand), [1, 1, 0]);
    hand.press("ctrl-r");
    assert!(hand.shows("redone in 2 catalogs"), "{}", hand.screen());
    assert_eq!(unsaved_counts(&hand), [0, 0, 0]);
}

#[test]
fn external_change_does_not_separate_edits_made_together() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 120, 24);
    add_ship(&mut hand);
    hand.press("C enter r");
    let path = root.path().join("catalogs/v4.18");
    let file = path.join("ship/catalog.yaml");
    let theirs = format!("{}# x\n", fs::read_to_string(&file).unwrap());
    fs::write(&file, theirs).unwrap();
    hand.finish_loading(Source::Path(path.clone()), Ok(Arc::new(Snapshot::new(load_catalog(&path)))));
    assert_eq!(unsaved_counts(&hand), [1, 1, 0], "{}", hand.screen());
    hand.press("> u");
    assert!(hand.shows("undone in 2 catalogs"), "{}", hand.screen());
    assert_eq!(unsaved_counts(&hand), [0, 0, 0]);
}

#[test]
fn undo_skips_catalogs_with_later_edits() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 120, 24);
    add_ship(&mut hand);
    hand.press("C enter");
    assert_eq!(unsaved_counts(&hand), [1, 1, 0]);
    // The second catalog gets another edit on top: its default channel.
    hand.press("> h h h l j s enter");
    assert_eq!(unsaved_counts(&hand), [1, 2, 0], "{}", hand.screen());
    hand.press("< u");
    assert_eq!(unsaved_counts(&hand), [0, 2, 0]);
    assert!(hand.shows("still applied in v4.20"), "{}", hand.screen());
    hand.press("> u u");
    assert_eq!(unsaved_counts(&hand), [0, 0, 0], "there it goes by itself");
}

#[test]
fn conflict_is_explained_and_cannot_be_selected() {
    let root = create_repository();
    let other = ship_catalog(BOTH_ENTRIES).replace("  replaces: ship.v1.0.0", "  skips:\n  - ship.v1.0.0");
    fs::write(root.path().join("catalogs/v4.20/ship/catalog.yaml"), other).unwrap();
    let mut hand = open_repository(root.path(), 100, 24);
    // The head no longer replaces anything.
    hand.press("l l g e ctrl-u enter C");
    assert!(hand.shows("CONFLICT there skips ship.v1.0.0"), "{}", hand.screen());
    hand.press("space");
    assert!(hand.shows("here it was replaces ship.v1.0.0"), "{}", hand.screen());
    assert!(!hand.shows("[x]"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("no catalog selected"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 1);
}

#[test]
fn generated_catalog_names_its_template_and_both_are_edited() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 120, 40);
    add_ship(&mut hand);
    assert!(hand.shows("from template basic.yaml: T, then C edits it too"), "{}", hand.screen());
    hand.press("6");
    assert!(hand.shows("ship is generated from"), "{}", hand.screen());
    assert!(hand.shows("overwrite edits made only here"), "{}", hand.screen());
    hand.press("T");
    finish_requested_load(&mut hand);
    assert!(hand.shows("open as [4/4]"), "{}", hand.screen());
    hand.press("C");
    let screen = hand.screen();
    let line = screen.lines().find(|line| line.contains("basic.yaml  ")).unwrap_or_default();
    assert!(line.contains("[x]") && line.contains("no new findings"), "{screen}");
    hand.press("enter ctrl-s");
    assert!(hand.shows("basic.yaml, which also has unsaved edits."), "{}", hand.screen());
    hand.press("enter");
    let saves = requested_saves(&hand);
    let template = &saves.iter().find(|save| save.catalog == 3).unwrap().state.catalog;
    let text = String::from_utf8(template.files()[0].current_bytes()).unwrap();
    let tested = "  name: tested\n  entries:\n  - name: ship.v1.0.0\n";
    let expected =
        TEMPLATE.replace(tested, &format!("{tested}  - name: ship.v1.1.0\n    replaces: ship.v1.0.0\n"));
    assert_eq!(text, expected);
    let written = saves.into_iter().map(|save| (save.catalog, save.state)).collect();
    let mut checks = hand.requests::<DeferredCheckRequest>().into_iter();
    let asked = checks.rfind(|asked| asked.package.is_some()).unwrap();
    hand.answer(asked, Vec::new());
    hand.effects.clear();
    hand.send(Msg::Saved { written, outcome: Ok(olmap::tui::SaveDestination::InPlace), warning: None });
    // The comparison of the catalog with its template is requested again.
    let is_ship = |asked: &&Arc<DeferredCheckRequest>| {
        asked.package.as_ref().is_some_and(|of| of.package().name == "ship")
    };
    assert_eq!(hand.requests::<DeferredCheckRequest>().iter().filter(is_ship).count(), 1);
    // The template is already open, so it becomes the current catalog.
    hand.press("1 T");
    assert_eq!(hand.model.session.catalogs.current_index(), 3);
    assert!(hand.shows("[4/4]"), "{}", hand.screen());
}

#[test]
fn opening_a_template_makes_it_current() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 120, 40);
    let from = hand.model.session.catalogs.current_index();
    hand.press("T");
    finish_requested_load(&mut hand);
    assert_eq!(hand.model.session.catalogs.current_index(), 3, "{}", hand.screen());
    assert!(hand.shows("open as [4/4]; "), "{}", hand.screen());
    hand.press("[");
    assert_eq!(hand.model.session.catalogs.current_index(), from);
}

#[test]
fn catalog_without_ci_yaml_has_no_template() {
    let root = create_repository();
    let mut hand = open_repository(root.path(), 100, 24);
    hand.press("> T");
    assert!(hand.shows("no ci.yaml names"), "{}", hand.screen());
}
