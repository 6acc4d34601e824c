//! Runs every action by each of its keys, or from the palette if it has none, and checks its
//! effect. The test fails if an action is not listed here.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc, time::Duration};

use olm_catalog::load;
use olm_check::review::Snapshot;
use olm_edit::RecordedEdit;
use olmap::tui::{
    Effect, LoadOutcome, Screen, Settings, Source,
    dialogs::{
        api_list, bundle_difference, catalog_list, comparison_choice, edit_choice,
        entry_form::{self, EntryField, EntryForm},
        filter, finder, history, image_fetch, legend, menu, other_catalogs, palette, prompt, range_tester,
        release,
    },
    keys::{ActionId, Dialog, Scope},
    parts::list::ListId,
    session::navigation::Pane,
    shell::action_table as action,
    work::outcome::UnsavedEdits,
};

use super::support::ExplorerDriver;

/// Content that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OpenContent {
    /// The demo.
    Demo,
    /// Catalog on disk.
    Disk,
    /// Two catalogs of a repository, generated from a template.
    Two,
    /// Catalog with a journal of unsaved edits.
    LeftOver,
    /// Semver template.
    Template,
    /// Catalogs of three OpenShift versions, with the first one current.
    Series,
}

/// Expected effect of an action.
#[derive(Clone, Copy)]
enum ExpectedEffect {
    /// State that is true afterwards and was false before.
    State(fn(&ExplorerDriver) -> bool),
    /// Any requested effect.
    Requested,
    /// Any change on the screen.
    Drawn,
}

const SHIP_CATALOG: &str = "\
schema: olm.package
name: ship
defaultChannel: stable
---
schema: olm.channel
package: ship
name: stable
entries:
- name: ship.v1.0.0
- name: ship.v1.1.0
  replaces: ship.v1.0.0
---
schema: olm.channel
package: ship
name: tested
entries:
- name: ship.v1.0.0
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, image: 'example.com/ship:1.1.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:1.0.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

const CI_CONFIG: &str = "fbc:\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v1]\n    type: olm.template.basic\n";

/// Keys that open the channel of the demo with the dead end on the Graph screen.
const GRAPH_KEYS: &str = "/ 'gran' enter l l 2";

fn write_file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn load_outcome(path: &Path) -> LoadOutcome {
    let catalog = load::open_catalog(path).unwrap();
    LoadOutcome {
        source: Source::Path(path.to_owned()),
        result: Ok(Arc::new(Snapshot::new(catalog))),
        recoverable_edits: None,
    }
}

fn open_content(open: OpenContent, root: &Path) -> ExplorerDriver {
    let on_disk = |catalogs: &[&str], left_over: Option<UnsavedEdits>| {
        for catalog in catalogs {
            write_file(root, &format!("catalogs/{catalog}/ship/catalog.yaml"), SHIP_CATALOG);
        }
        write_file(root, "operators/ship/ci.yaml", CI_CONFIG);
        let template = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: ship, defaultChannel: stable}\n";
        write_file(root, "operators/ship/catalog-templates/basic.yaml", template);
        let mut outcomes: Vec<_> =
            catalogs.iter().map(|name| load_outcome(&root.join("catalogs").join(name))).collect();
        outcomes[0].recoverable_edits = left_over;
        let sources = outcomes.iter().map(|outcome| outcome.source.clone()).collect();
        let mut hand = ExplorerDriver::before_loading(sources, Settings::default(), 120, 36);
        hand.finish_loads(outcomes);
        hand
    };
    match open {
        OpenContent::Demo => ExplorerDriver::demo(120, 36),
        OpenContent::Template => super::template::open_template(120, 36),
        OpenContent::Series => super::plan::open_plan_catalogs(120, 36, &super::plan::plan_catalogs()),
        OpenContent::Disk => on_disk(&["v1"], None),
        OpenContent::Two => on_disk(&["v1", "v2"], None),
        OpenContent::LeftOver => {
            let edits: Vec<Arc<RecordedEdit>> = Vec::new();
            on_disk(
                &["v1"],
                Some(UnsavedEdits { journal: "journal".into(), age: Duration::from_secs(9), edits }),
            )
        }
    }
}

fn open_dialog_id(hand: &ExplorerDriver) -> Option<Dialog> {
    hand.model.dialogs.last().map(|dialog| dialog.id())
}

fn selected_bundle(hand: &ExplorerDriver) -> &str {
    hand.model.session.selection().bundle.as_ref().unwrap().as_str()
}

fn selected_package(hand: &ExplorerDriver) -> &str {
    hand.model.session.selection().package.as_ref().unwrap().as_str()
}

fn first_visible_row(hand: &ExplorerDriver, list: ListId) -> usize {
    hand.model.session.lists.first_row(list)
}

fn dialog_cursor(hand: &ExplorerDriver) -> usize {
    hand.model.dialogs.last().and_then(|dialog| dialog.row_cursor()).unwrap().cursor
}

/// Returns whether a dialog, a what-if or an unsaved edit exists.
fn has_question_or_edit(hand: &ExplorerDriver) -> bool {
    open_dialog_id(hand).is_some()
        || hand.model.session.catalogs.what_if().is_some()
        || hand.model.session.catalogs.unsaved_count() > 0
}

fn action_scripts() -> Vec<(ActionId, OpenContent, String, ExpectedEffect)> {
    use ActionId as A;
    use OpenContent::{Demo, Disk, Two};
    let graph = |more: &str| format!("{GRAPH_KEYS} {more}");
    let mut all: Vec<(ActionId, OpenContent, String, ExpectedEffect)> = Vec::new();
    let mut add = |id, open, setup: &str, seen: ExpectedEffect| all.push((id, open, setup.to_owned(), seen));
    add(A::Up, Demo, "j", ExpectedEffect::State(|h| selected_package(h) == "quill-operator"));
    add(A::Down, Demo, "", ExpectedEffect::State(|h| selected_package(h) == "ballast-operator"));
    add(A::Top, Demo, "G", ExpectedEffect::State(|h| selected_package(h) == "quill-operator"));
    add(A::Bottom, Demo, "", ExpectedEffect::State(|h| selected_package(h) == "tinsel-operator"));
    add(A::PageDown, Demo, "", ExpectedEffect::State(|h| selected_package(h) != "quill-operator"));
    add(A::PageUp, Demo, "G", ExpectedEffect::State(|h| selected_package(h) != "tinsel-operator"));
    add(A::In, Demo, "", ExpectedEffect::State(|h| h.model.session.navigation.pane == Pane::Channels));
    add(A::Out, Demo, "l", ExpectedEffect::State(|h| h.model.session.navigation.pane == Pane::Packages));
    add(A::Back, Demo, "l", ExpectedEffect::State(|h| h.model.session.navigation.pane == Pane::Packages));
    add(A::BackOrQuit, Demo, "", ExpectedEffect::State(|h| h.model.is_quitting));
    add(A::NextPane, Demo, "", ExpectedEffect::State(|h| h.model.session.navigation.pane == Pane::Channels));
    add(
        A::PreviousPane,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.pane == Pane::Details),
    );
    add(A::GrowPane, Demo, "", ExpectedEffect::Drawn);
    add(A::ShrinkPane, Demo, "+ +", ExpectedEffect::Drawn);
    add(
        A::ShowPackages,
        Demo,
        "2",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Packages),
    );
    add(
        A::ShowGraph,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Graph),
    );
    add(
        A::ShowUpgrades,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Upgrades),
    );
    add(
        A::ShowProblems,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Problems),
    );
    add(A::ProgramMenu, Demo, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(menu::DIALOG)));
    add(
        A::ShowTemplate,
        OpenContent::Template,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Template),
    );
    add(
        A::ShowResolve,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Resolve),
    );
    add(
        A::ShowPlan,
        OpenContent::Series,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Plan),
    );
    add(
        A::PlanEngine,
        OpenContent::Series,
        "0",
        ExpectedEffect::State(|h| {
            h.model.session.jobs.upgrade_plans.question.engine == olm_upgrade::Engine::V1
        }),
    );
    add(
        A::PlanApproval,
        OpenContent::Series,
        "0",
        ExpectedEffect::State(|h| {
            h.model.session.jobs.upgrade_plans.question.approval == olm_plan::planner::Approval::Automatic
        }),
    );
    add(
        A::PlanUpdates,
        OpenContent::Series,
        "0",
        ExpectedEffect::State(|h| {
            h.model.session.jobs.upgrade_plans.question.updates == olm_plan::planner::UpdateTiming::Earliest
        }),
    );
    add(A::Assume, Demo, "9", ExpectedEffect::State(|h| open_dialog_id(h) == Some(menu::DIALOG)));
    add(
        A::Exclude,
        Demo,
        "9 t s",
        ExpectedEffect::State(|h| {
            h.model.session.jobs.assumed_cluster.assumed.subscriptions.iter().any(|one| !one.is_included)
        }),
    );
    add(A::OtherChannel, Demo, "/ 'quill' enter 9 t s", ExpectedEffect::Drawn);
    add(A::OtherSource, Two, "9 t s", ExpectedEffect::Drawn);
    add(
        A::ClearAssumed,
        Demo,
        "9 t s",
        ExpectedEffect::State(|h| h.model.session.jobs.assumed_cluster.assumed.is_empty()),
    );
    add(
        A::ShowBundle,
        Demo,
        "l l",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Bundle),
    );
    add(A::OpenCatalog, Demo, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(prompt::DIALOG)));
    add(
        A::FetchBundles,
        Demo,
        "l l",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(image_fetch::DIALOG)),
    );
    add(
        A::ShowDeprecations,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Deprecations),
    );
    add(
        A::ShowChanges,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Changes),
    );
    add(
        A::PlaceBack,
        Demo,
        "2",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Packages),
    );
    add(
        A::PlaceForward,
        Demo,
        "2 [",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Graph),
    );
    add(A::NextCatalog, Two, "", ExpectedEffect::State(|h| h.model.session.catalogs.current_index() == 1));
    add(
        A::PreviousCatalog,
        Two,
        "",
        ExpectedEffect::State(|h| h.model.session.catalogs.current_index() == 1),
    );
    add(
        A::ShowChanges,
        Demo,
        "",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Changes),
    );
    add(
        A::PlaceBack,
        Demo,
        "2",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Packages),
    );
    add(
        A::PlaceForward,
        Demo,
        "2 [",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Graph),
    );
    add(A::NextCatalog, Two, "", ExpectedEffect::State(|h| h.model.session.catalogs.current_index() == 1));
    add(
        A::PreviousCatalog,
        Two,
        "",
        ExpectedEffect::State(|h| h.model.session.catalogs.current_index() == 1),
    );
    add(A::PickCatalog, Two, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(catalog_list::DIALOG)));
    add(
        A::ToggleClusterMember,
        Two,
        "O",
        ExpectedEffect::State(|h| h.model.session.catalogs.members().len() == 1),
    );
    add(
        A::SetCatalogPriority,
        Two,
        "O",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(prompt::DIALOG)),
    );
    add(
        A::CompareWith,
        Demo,
        "",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(comparison_choice::DIALOG)),
    );
    add(A::ShowHistory, Disk, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(history::DIALOG)));
    add(A::Filter, Demo, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(filter::DIALOG)));
    add(A::Find, Demo, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(finder::DIALOG)));
    add(A::ShowApis, Demo, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(api_list::DIALOG)));
    add(
        A::Palette,
        Demo,
        "",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(palette::DIALOG) && h.shows("Actions")),
    );
    add(
        A::Help,
        Demo,
        "",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(palette::DIALOG) && h.shows("Keys on Packages")),
    );
    add(A::EditEntry, Demo, "l l", ExpectedEffect::State(|h| open_dialog_id(h) == Some(entry_form::DIALOG)));
    add(A::Release, Demo, "l l", ExpectedEffect::State(|h| open_dialog_id(h) == Some(release::DIALOG)));
    add(A::AddEntry, Demo, "l l", ExpectedEffect::State(has_question_or_edit));
    add(A::MoreEdits, Demo, "", ExpectedEffect::State(|h| open_dialog_id(h) == Some(menu::DIALOG)));
    add(
        A::SetDefault,
        Demo,
        "l j",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(edit_choice::DIALOG)),
    );
    add(A::Deprecate, Demo, "l l", ExpectedEffect::State(has_question_or_edit));
    add(A::Remove, Demo, "l l", ExpectedEffect::State(has_question_or_edit));
    add(
        A::Undo,
        Demo,
        "l j s enter",
        ExpectedEffect::State(|h| h.model.session.catalogs.unsaved_count() == 0),
    );
    add(
        A::Redo,
        Demo,
        "l j s enter u",
        ExpectedEffect::State(|h| h.model.session.catalogs.unsaved_count() == 1),
    );
    add(
        A::EditElsewhere,
        Two,
        "l j s enter",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(other_catalogs::DIALOG)),
    );
    add(A::OpenTemplate, Two, "", ExpectedEffect::Requested);
    add(
        A::Review,
        Demo,
        "l j s enter",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Changes),
    );
    add(A::Write, Disk, "l j s enter 6", ExpectedEffect::Requested);
    add(A::SaveAs, Demo, "6", ExpectedEffect::State(|h| open_dialog_id(h) == Some(prompt::DIALOG)));
    add(A::Reload, Disk, "", ExpectedEffect::Requested);
    add(A::Copy, Demo, "l l", ExpectedEffect::State(|h| open_dialog_id(h) == Some(menu::DIALOG)));
    add(
        A::CompareBundles,
        Disk,
        "l l",
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(bundle_difference::DIALOG)),
    );
    add(A::OpenEditor, Disk, "l l", ExpectedEffect::Requested);
    add(A::Suspend, Demo, "", ExpectedEffect::Requested);
    add(A::Quit, Demo, "", ExpectedEffect::State(|h| h.model.is_quitting));
    add(
        A::FollowOlder,
        Demo,
        GRAPH_KEYS,
        ExpectedEffect::State(|h| selected_bundle(h) != "granary-operator.v3.1.1"),
    );
    add(
        A::FollowNewer,
        Demo,
        &graph("j"),
        ExpectedEffect::State(|h| selected_bundle(h) == "granary-operator.v3.1.1"),
    );
    add(A::Zoom, Demo, GRAPH_KEYS, ExpectedEffect::Drawn);
    add(A::AllChannels, Demo, GRAPH_KEYS, ExpectedEffect::State(|h| h.model.screens.graph.is_side_by_side()));
    add(A::GraphLeft, Demo, &graph("w right"), ExpectedEffect::Drawn);
    add(A::GraphRight, Demo, &graph("w"), ExpectedEffect::Drawn);
    add(
        A::NextNews,
        Demo,
        GRAPH_KEYS,
        ExpectedEffect::State(|h| selected_bundle(h) != "granary-operator.v3.1.1"),
    );
    add(
        A::PreviousNews,
        Demo,
        &graph("G"),
        ExpectedEffect::State(|h| selected_bundle(h) != "granary-operator.v1.9.1"),
    );
    add(A::NextFound, Demo, &graph("/ 'v2' enter"), ExpectedEffect::Drawn);
    add(A::PreviousFound, Demo, &graph("/ 'v2' enter"), ExpectedEffect::Drawn);
    add(
        A::Mark,
        Demo,
        GRAPH_KEYS,
        ExpectedEffect::State(|h| h.model.session.navigation.marked_bundle.is_some()),
    );
    add(A::Legend, Demo, GRAPH_KEYS, ExpectedEffect::State(|h| open_dialog_id(h) == Some(legend::DIALOG)));
    add(A::Focus, Demo, GRAPH_KEYS, ExpectedEffect::State(|h| h.model.screens.graph.view.dims_unrelated));
    add(A::Fold, Demo, &graph("/ 'v2' enter"), ExpectedEffect::Drawn);
    add(A::Floor, Demo, GRAPH_KEYS, ExpectedEffect::State(|h| open_dialog_id(h) == Some(prompt::DIALOG)));
    add(A::Export, Demo, GRAPH_KEYS, ExpectedEffect::State(|h| open_dialog_id(h) == Some(prompt::DIALOG)));
    add(
        A::DifferencesOnly,
        Demo,
        "/ 'gran' enter 3",
        ExpectedEffect::State(|h| h.model.screens.upgrades.view.only_differences),
    );
    add(A::AddExpectation, Demo, "/ 'gran' enter l l 3", ExpectedEffect::State(has_question_or_edit));
    add(A::Sort, Demo, "3", ExpectedEffect::Drawn);
    add(A::ApplyFix, Demo, "4", ExpectedEffect::State(|h| open_dialog_id(h) == Some(edit_choice::DIALOG)));
    add(A::WhatIf, Demo, GRAPH_KEYS, ExpectedEffect::State(|h| open_dialog_id(h) == Some(menu::DIALOG)));
    add(
        A::WhatIfApply,
        Demo,
        &graph("W l"),
        ExpectedEffect::State(|h| h.model.session.catalogs.unsaved_count() == 1),
    );
    add(
        A::TestRange,
        Demo,
        GRAPH_KEYS,
        ExpectedEffect::State(|h| open_dialog_id(h) == Some(range_tester::DIALOG)),
    );
    add(
        A::Accept,
        Demo,
        "ctrl-p 'tide'",
        ExpectedEffect::State(|h| selected_package(h) == "tidewater-operator"),
    );
    add(A::Cancel, Demo, "ctrl-p", ExpectedEffect::State(|h| open_dialog_id(h).is_none()));
    add(A::RowUp, Demo, "ctrl-p down", ExpectedEffect::State(|h| dialog_cursor(h) == 0));
    add(A::RowDown, Demo, "ctrl-p", ExpectedEffect::State(|h| dialog_cursor(h) == 1));
    add(A::DialogPageUp, Demo, "ctrl-p pgdn", ExpectedEffect::State(|h| dialog_cursor(h) == 0));
    add(A::DialogPageDown, Demo, "ctrl-p", ExpectedEffect::State(|h| dialog_cursor(h) > 1));
    let long = "/ 'gran' enter l l j h x";
    let is_scrolled = |h: &ExplorerDriver| first_visible_row(h, ListId::Preview) > 0;
    add(A::DialogPageDown, Demo, long, ExpectedEffect::State(is_scrolled));
    add(
        A::DialogPageUp,
        Demo,
        &format!("{long} pgdn"),
        ExpectedEffect::State(|h| first_visible_row(h, ListId::Preview) == 0),
    );
    add(A::RowFirst, Demo, "l l p G", ExpectedEffect::State(|h| dialog_cursor(h) == 0));
    add(
        A::RowLast,
        Demo,
        "l l p g",
        ExpectedEffect::State(|h| {
            dialog_cursor(h) + 1 == h.model.dialogs.last().unwrap().row_cursor().unwrap().count
        }),
    );
    add(A::NextField, Demo, "l l e", ExpectedEffect::State(|h| entry_field(h) == Some(EntryField::Skips)));
    add(
        A::PreviousField,
        Demo,
        "l l e",
        ExpectedEffect::State(|h| entry_field(h) == Some(EntryField::SkipRange)),
    );
    add(A::Complete, Demo, "l l e tab 'quil'", ExpectedEffect::Drawn);
    add(A::ClearField, Demo, "ctrl-p 'tide'", ExpectedEffect::Drawn);
    add(A::Choose, Demo, "/ 'tide' enter l l p j", ExpectedEffect::Drawn);
    add(A::ReleasePlace, Demo, "/ 'tide' enter l l j j j j p", ExpectedEffect::Drawn);
    for id in [A::ReleaseEdges, A::OwnRange, A::NewChannel, A::Withdraw] {
        add(id, Demo, "", ExpectedEffect::Drawn);
    }
    add(A::WriteAnyway, Disk, "l l g e ctrl-u enter ctrl-s enter", ExpectedEffect::Requested);
    add(
        A::ReviewFirst,
        Demo,
        "l j s enter ctrl-c",
        ExpectedEffect::State(|h| h.model.session.navigation.screen == Screen::Changes),
    );
    add(A::DiscardEdits, Demo, "l j s enter ctrl-c", ExpectedEffect::State(|h| h.model.is_quitting));
    add(
        A::DiscardEdits,
        OpenContent::LeftOver,
        "",
        ExpectedEffect::State(|h| {
            h.effects.iter().any(|effect| matches!(effect, Effect::RemoveJournal { .. }))
        }),
    );
    add(A::DialogHelp, Demo, "l l p", ExpectedEffect::State(|h| h.shows("Keys in a release")));
    all
}

fn entry_field(hand: &ExplorerDriver) -> Option<EntryField> {
    let form = hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<EntryForm>());
    form.map(|form| form.focused_field)
}

/// Opens the content and presses keys until the action is available.
fn prepare_action(id: ActionId, open: OpenContent, setup: &str, root: &Path) -> ExplorerDriver {
    use ActionId as A;
    let mut hand = open_content(open, root);
    if matches!(id, A::ReleaseEdges | A::OwnRange | A::NewChannel | A::Withdraw) {
        super::release::open_new_bundle_dialog(&mut hand);
    }
    hand.press(setup);
    if id == ActionId::ApplyFix {
        // Some findings have several possible fixes.
        let spec = action::action_table().find_action(id).unwrap();
        for _ in 0..50 {
            if action::check_permitted(&hand.model, spec).is_ok() {
                break;
            }
            hand.press("j");
        }
    }
    hand.effects.clear();
    hand
}

#[test]
fn every_action_has_its_effect_by_every_key() {
    let scripts = action_scripts();
    let listed: BTreeSet<ActionId> = scripts.iter().map(|(id, ..)| *id).collect();
    let missing: Vec<&str> =
        ActionId::ALL.iter().filter(|id| !listed.contains(id)).map(|id| id.name()).collect();
    assert!(missing.is_empty(), "no script presses the keys of {missing:?}");
    let mut wrong = Vec::new();
    for (id, open, setup, seen) in scripts {
        let folder = tempfile::tempdir().unwrap();
        let before = prepare_action(id, open, &setup, folder.path());
        let scope = match open_dialog_id(&before) {
            Some(dialog) => Scope::Dialog(dialog),
            None => Scope::Screen(before.model.session.navigation.screen),
        };
        let mut keys: Vec<String> =
            before.model.keys.map.display_keys(scope, id).map(str::to_owned).collect();
        if keys.is_empty() {
            keys.push(format!(": '{}' enter", id.name()));
        }
        if let ExpectedEffect::State(seen) = seen
            && seen(&before)
        {
            wrong.push(format!("{}: seen before it is done", id.name()));
        }
        for key in keys {
            let mut hand = prepare_action(id, open, &setup, folder.path());
            hand.press(&key);
            let is_seen = match seen {
                ExpectedEffect::State(seen) => seen(&hand),
                ExpectedEffect::Requested => !hand.effects.is_empty(),
                ExpectedEffect::Drawn => hand.screen() != before.screen(),
            };
            if !is_seen {
                wrong.push(format!("{} by {key}: nothing is seen of it:\n{}", id.name(), hand.screen()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
