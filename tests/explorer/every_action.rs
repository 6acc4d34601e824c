//! Runs every action by each of its keys, or from the palette if it has none, and checks its
//! effect. The test fails if an action is not listed here.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc, time::Duration};

use olmap::{
    app::{
        Configuration, LoadOutcome, Msg, Screen, Settings, Source,
        dialogs::{OpenDialog, entry::EntryField},
        keys::{ActionId, Dialog, Scope},
        parts::list::ListId,
        session::place::Pane,
        shell::table as action,
        work::outcome::LeftOver,
    },
    catalog::load,
    config::Problem,
    edit::Recorded,
    review::Snapshot,
};

use super::support::Hand;

/// Content that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Open {
    /// The demo.
    Demo,
    /// Catalog on disk.
    Disk,
    /// Two catalogs of a repository, generated from a template.
    Two,
    /// Demo with an invalid configuration.
    Wrong,
    /// Catalog with a journal of unsaved edits.
    LeftOver,
    /// Semver template.
    Template,
    /// Catalogs of three OpenShift versions on the Overview screen, with the first one current.
    Overview,
    /// Demo with a cluster that has some of its packages installed.
    Cluster,
}

/// Expected effect of an action.
#[derive(Clone, Copy)]
enum Seen {
    /// State that is true afterwards and was false before.
    State(fn(&Hand) -> bool),
    /// Any requested effect.
    Asked,
    /// Any change on the screen.
    Drawn,
}

const SHIP: &str = "\
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

const CI: &str = "fbc:\n  catalog_mapping:\n  - template_name: basic.yaml\n    catalog_names: [v1]\n    type: olm.template.basic\n";

/// Keys that open the channel of the demo with the dead end on the Graph screen.
const GRAPH: &str = "/ 'gran' enter l l 2";

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn outcome(path: &Path) -> LoadOutcome {
    let catalog = load::open(path, &load::Progress::default()).unwrap();
    LoadOutcome {
        source: Source::Path(path.to_owned()),
        result: Ok(Arc::new(Snapshot::new(catalog))),
        left_over: None,
    }
}

fn hand(open: Open, root: &Path) -> Hand {
    let on_disk = |catalogs: &[&str], left_over: Option<LeftOver>| {
        for catalog in catalogs {
            write(root, &format!("catalogs/{catalog}/ship/catalog.yaml"), SHIP);
        }
        write(root, "operators/ship/ci.yaml", CI);
        let template = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: ship, defaultChannel: stable}\n";
        write(root, "operators/ship/catalog-templates/basic.yaml", template);
        let mut outcomes: Vec<_> =
            catalogs.iter().map(|name| outcome(&root.join("catalogs").join(name))).collect();
        outcomes[0].left_over = left_over;
        let sources = outcomes.iter().map(|outcome| outcome.source.clone()).collect();
        let mut hand = Hand::starting(sources, Settings::default(), 120, 36);
        hand.send(Msg::Loaded { generation: 0, outcomes });
        hand
    };
    match open {
        Open::Demo => Hand::demo(120, 36),
        Open::Cluster => super::on_cluster::demo(120, 36),
        Open::Template => super::template::template(120, 36),
        Open::Overview => {
            let mut hand = super::plan::open(120, 36, &super::plan::catalogs());
            super::overview::press(&mut hand, "0");
            hand
        }
        Open::Disk => on_disk(&["v1"], None),
        Open::Two => on_disk(&["v1", "v2"], None),
        Open::LeftOver => {
            let edits: Vec<Arc<Recorded>> = Vec::new();
            on_disk(&["v1"], Some(LeftOver { journal: "journal".into(), age: Duration::from_secs(9), edits }))
        }
        Open::Wrong => {
            let problems =
                vec![Problem { message: "there is no such thing".to_owned(), ..Problem::default() }];
            let configuration = Arc::new(Configuration { path: Some("config.toml".into()), problems });
            let settings = Settings { configuration, ..Settings::default() };
            let mut hand = Hand::starting(vec![Source::Demo], settings, 120, 36);
            hand.loaded(Source::Demo, Ok(Arc::new(Snapshot::new(olmap::catalog::demo::demo()))));
            hand
        }
    }
}

fn dialog(hand: &Hand) -> Option<Dialog> {
    hand.model.dialogs.last().map(|dialog| dialog.state().id())
}

fn bundle(hand: &Hand) -> &str {
    hand.model.session.selection().bundle.as_ref().unwrap().as_str()
}

fn package(hand: &Hand) -> &str {
    hand.model.session.selection().package.as_ref().unwrap().as_str()
}

fn first(hand: &Hand, list: ListId) -> usize {
    hand.model.session.lists.first(list)
}

fn row(hand: &Hand) -> usize {
    hand.model.dialogs.last().and_then(|dialog| dialog.state().rows()).unwrap().cursor
}

/// Returns whether a dialog, a what-if or an unsaved edit exists.
fn asks(hand: &Hand) -> bool {
    dialog(hand).is_some() || hand.model.session.what_if().is_some() || hand.model.session.unsaved() > 0
}

fn scripts() -> Vec<(ActionId, Open, String, Seen)> {
    use ActionId as A;
    use Open::{Demo, Disk, Two, Wrong};
    let graph = |more: &str| format!("{GRAPH} {more}");
    let mut all: Vec<(ActionId, Open, String, Seen)> = Vec::new();
    let mut add = |id, open, setup: &str, seen: Seen| all.push((id, open, setup.to_owned(), seen));
    add(A::Up, Demo, "j", Seen::State(|h| package(h) == "quill-operator"));
    add(A::Down, Demo, "", Seen::State(|h| package(h) == "ballast-operator"));
    add(A::Top, Demo, "G", Seen::State(|h| package(h) == "quill-operator"));
    add(A::Bottom, Demo, "", Seen::State(|h| package(h) == "tinsel-operator"));
    add(A::HalfDown, Demo, "", Seen::State(|h| package(h) != "quill-operator"));
    add(A::HalfUp, Demo, "G", Seen::State(|h| package(h) != "tinsel-operator"));
    add(A::PageDown, Demo, "", Seen::State(|h| package(h) != "quill-operator"));
    add(A::PageUp, Demo, "G", Seen::State(|h| package(h) != "tinsel-operator"));
    add(A::In, Demo, "", Seen::State(|h| h.model.session.pane == Pane::Channels));
    add(A::Out, Demo, "l", Seen::State(|h| h.model.session.pane == Pane::Packages));
    add(A::Back, Demo, "l", Seen::State(|h| h.model.session.pane == Pane::Packages));
    add(A::BackOrQuit, Demo, "", Seen::State(|h| h.model.leaving));
    add(A::NextPane, Demo, "", Seen::State(|h| h.model.session.pane == Pane::Channels));
    add(A::PreviousPane, Demo, "", Seen::State(|h| h.model.session.pane == Pane::Details));
    add(A::GrowPane, Demo, "", Seen::Drawn);
    add(A::ShrinkPane, Demo, "+ +", Seen::Drawn);
    add(A::ResetPanes, Demo, "+ +", Seen::Drawn);
    add(A::ShowCatalog, Demo, "2", Seen::State(|h| h.model.session.screen == Screen::Catalog));
    add(A::ShowGraph, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Graph));
    add(A::ShowUpgrades, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Upgrades));
    add(A::ShowProblems, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Problems));
    add(A::ShowAbout, Demo, "", Seen::State(|h| h.model.session.screen == Screen::About));
    add(A::ShowTemplate, Open::Template, "", Seen::State(|h| h.model.session.screen == Screen::Template));
    add(A::ShowResolve, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Resolve));
    add(A::ShowOverview, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Overview));
    add(A::OverviewRight, Open::Overview, "", Seen::State(|h| h.model.screens.overview.catalog() == 1));
    add(
        A::OverviewLeft,
        Open::Overview,
        "right right",
        Seen::State(|h| h.model.screens.overview.catalog() == 1),
    );
    add(A::ShowPlan, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Plan));
    add(
        A::PlanEngine,
        Demo,
        "Q",
        Seen::State(|h| h.model.session.planning.question.engine == olmap::upgrade::Engine::V1),
    );
    add(
        A::PlanApproval,
        Demo,
        "Q",
        Seen::State(|h| {
            h.model.session.planning.question.approval == olmap::plan::planner::Approval::Automatic
        }),
    );
    add(
        A::PlanUpdates,
        Demo,
        "Q",
        Seen::State(|h| h.model.session.planning.question.updates == olmap::plan::planner::Updates::Earliest),
    );
    add(
        A::AssumeSubscription,
        Demo,
        "",
        Seen::State(|h| h.model.session.cluster.assumed.subscribed.len() == 1),
    );
    add(
        A::AssumeInstalled,
        Demo,
        "l l",
        Seen::State(|h| h.model.session.cluster.assumed.installed.len() == 1),
    );
    add(
        A::AssumeCluster,
        Open::Cluster,
        "",
        Seen::State(|h| h.model.session.cluster.assumed.subscribed.len() == 1),
    );
    add(
        A::Exclude,
        Demo,
        "t 9",
        Seen::State(|h| h.model.session.cluster.assumed.subscribed.iter().any(|one| !one.counts)),
    );
    add(A::OtherChannel, Demo, "/ 'quill' enter t 9", Seen::Drawn);
    add(A::OtherSource, Two, "t 9", Seen::Drawn);
    add(A::RemoveAssumed, Demo, "t 9", Seen::State(|h| h.model.session.cluster.assumed.is_empty()));
    add(A::ClearAssumed, Demo, "t 9", Seen::State(|h| h.model.session.cluster.assumed.is_empty()));
    add(A::ShowBundle, Demo, "l l", Seen::State(|h| h.model.session.screen == Screen::Bundle));
    add(A::OpenCatalog, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Prompt)));
    add(A::FetchBundles, Demo, "l l", Seen::State(|h| dialog(h) == Some(Dialog::Fetch)));
    add(A::NextSection, Demo, "l l 7", Seen::Drawn);
    add(A::PreviousSection, Demo, "l l 7 G", Seen::Drawn);
    add(A::CopyRow, Demo, "l l 7 j", Seen::Asked);
    add(A::ShowDeprecations, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Deprecations));
    add(A::ShowChanges, Demo, "", Seen::State(|h| h.model.session.screen == Screen::Changes));
    add(A::PlaceBack, Demo, "2", Seen::State(|h| h.model.session.screen == Screen::Catalog));
    add(A::PlaceForward, Demo, "2 [", Seen::State(|h| h.model.session.screen == Screen::Graph));
    add(A::NextCatalog, Two, "", Seen::State(|h| h.model.session.current == 1));
    add(A::PreviousCatalog, Two, "", Seen::State(|h| h.model.session.current == 1));
    add(A::PickCatalog, Two, "", Seen::State(|h| dialog(h) == Some(Dialog::Catalogs)));
    add(A::CompareWith, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Against)));
    add(A::ShowHistory, Disk, "", Seen::State(|h| dialog(h) == Some(Dialog::History)));
    add(A::StopComparing, Demo, "B g j enter", Seen::State(|h| h.model.session.base().is_none()));
    add(A::Filter, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Filter)));
    add(A::Find, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Finder)));
    add(A::ShowApis, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Apis)));
    add(A::Palette, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Commands) && h.shows("Actions")));
    add(
        A::Help,
        Demo,
        "",
        Seen::State(|h| dialog(h) == Some(Dialog::Commands) && h.shows("Keys on Catalog")),
    );
    add(A::Tour, Demo, "", Seen::Drawn);
    add(A::ShowLog, Demo, "esc", Seen::State(|h| dialog(h) == Some(Dialog::Log)));
    add(A::ShowConfiguration, Wrong, "esc", Seen::State(|h| dialog(h) == Some(Dialog::Configuration)));
    add(A::EditEntry, Demo, "l l", Seen::State(|h| dialog(h) == Some(Dialog::Entry)));
    add(A::Promote, Demo, "l l", Seen::State(|h| dialog(h) == Some(Dialog::Promote)));
    add(A::AddBundle, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::AddBundle)));
    add(A::AddEntry, Demo, "l l", Seen::State(asks));
    add(A::AddChannel, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Ask)));
    add(A::RenameChannel, Demo, "l", Seen::State(|h| dialog(h) == Some(Dialog::Ask)));
    add(A::Describe, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Ask)));
    add(A::SetDefault, Demo, "l j", Seen::State(|h| dialog(h) == Some(Dialog::Choose)));
    add(A::Deprecate, Demo, "l l", Seen::State(asks));
    add(A::Remove, Demo, "l l", Seen::State(asks));
    add(A::Undo, Demo, "l j s enter", Seen::State(|h| h.model.session.unsaved() == 0));
    add(A::Redo, Demo, "l j s enter u", Seen::State(|h| h.model.session.unsaved() == 1));
    add(A::EditElsewhere, Two, "l j s enter", Seen::State(|h| dialog(h) == Some(Dialog::OtherCatalogs)));
    add(A::OpenTemplate, Two, "", Seen::Asked);
    add(A::Review, Demo, "l j s enter", Seen::State(|h| h.model.session.screen == Screen::Changes));
    add(A::Write, Disk, "l j s enter 6", Seen::Asked);
    add(A::SaveAs, Demo, "", Seen::State(|h| dialog(h) == Some(Dialog::Prompt)));
    add(A::Reload, Disk, "", Seen::Asked);
    add(A::CopyName, Demo, "l l", Seen::Asked);
    add(A::CopyEntry, Demo, "l l", Seen::Asked);
    add(A::CopyPath, Demo, &graph("j"), Seen::Asked);
    add(A::CopyCommand, Disk, "l l", Seen::Asked);
    add(A::CopyExtension, Demo, "l l", Seen::Asked);
    add(A::CopySubscription, Demo, "l l", Seen::Asked);
    add(A::CopyImage, Demo, "l l", Seen::Asked);
    add(A::CopyPlace, Disk, "l l", Seen::Asked);
    add(A::CompareBundles, Disk, "l l", Seen::State(|h| dialog(h) == Some(Dialog::BundleDifference)));
    add(A::CopyComparison, Two, "6 B g j enter", Seen::Asked);
    add(A::ExportComparison, Two, "6 B g j enter", Seen::State(|h| h.shows("Write the comparison")));
    add(A::ToggleMouse, Demo, "", Seen::Drawn);
    add(A::OpenEditor, Disk, "l l", Seen::Asked);
    add(A::NextTheme, Demo, "", Seen::Drawn);
    add(A::Suspend, Demo, "", Seen::Asked);
    add(A::Quit, Demo, "", Seen::State(|h| h.model.leaving));
    add(A::FollowOlder, Demo, GRAPH, Seen::State(|h| bundle(h) != "granary-operator.v3.1.1"));
    add(A::FollowNewer, Demo, &graph("j"), Seen::State(|h| bundle(h) == "granary-operator.v3.1.1"));
    add(A::JumpClassic, Demo, &graph("j"), Seen::State(|h| bundle(h) == "granary-operator.v3.1.1"));
    add(A::JumpV1, Demo, &graph("j"), Seen::State(|h| bundle(h) == "granary-operator.v3.1.1"));
    add(A::Zoom, Demo, GRAPH, Seen::Drawn);
    add(A::AllChannels, Demo, GRAPH, Seen::State(|h| h.model.screens.graph.is_side_by_side()));
    add(A::GraphLeft, Demo, &graph("w right"), Seen::Drawn);
    add(A::GraphRight, Demo, &graph("w"), Seen::Drawn);
    add(A::NextNews, Demo, GRAPH, Seen::State(|h| bundle(h) != "granary-operator.v3.1.1"));
    add(A::PreviousNews, Demo, &graph("G"), Seen::State(|h| bundle(h) != "granary-operator.v1.9.1"));
    add(A::NextFound, Demo, &graph("/ 'v2' enter"), Seen::Drawn);
    add(A::PreviousFound, Demo, &graph("/ 'v2' enter"), Seen::Drawn);
    add(A::Mark, Demo, GRAPH, Seen::State(|h| h.model.session.mark.is_some()));
    add(A::Legend, Demo, GRAPH, Seen::State(|h| dialog(h) == Some(Dialog::Legend)));
    add(A::Focus, Demo, GRAPH, Seen::State(|h| h.model.screens.graph.view.focus));
    add(A::Fold, Demo, &graph("/ 'v2' enter"), Seen::Drawn);
    add(A::Floor, Demo, GRAPH, Seen::State(|h| dialog(h) == Some(Dialog::Prompt)));
    for id in [A::ExportText, A::ExportMermaid, A::ExportDot, A::ExportSvg, A::ExportJson, A::ExportJsonl] {
        add(id, Demo, GRAPH, Seen::State(|h| dialog(h) == Some(Dialog::Prompt)));
    }
    add(
        A::DifferencesOnly,
        Demo,
        "/ 'gran' enter 3",
        Seen::State(|h| h.model.screens.upgrades.view.differences),
    );
    add(A::AddExpectation, Demo, "/ 'gran' enter l l 3", Seen::State(asks));
    add(A::Sort, Demo, "3", Seen::Drawn);
    add(A::ApplyFix, Demo, "4", Seen::State(|h| dialog(h) == Some(Dialog::Choose)));
    add(A::FoldAccepted, Demo, "4 G", Seen::Drawn);
    for id in [A::WhatIfBelow, A::WhatIfWithout, A::WhatIfRange, A::WhatIfSkip, A::WhatIfDeprecateBundle] {
        add(id, Demo, GRAPH, Seen::State(asks));
    }
    for id in [A::WhatIfDeprecateChannel, A::WhatIfDeprecatePackage, A::WhatIfRemoveChannel] {
        add(id, Demo, GRAPH, Seen::State(asks));
    }
    add(A::WhatIfExtract, Demo, GRAPH, Seen::State(asks));
    add(A::WhatIfMirror, Demo, GRAPH, Seen::State(|h| dialog(h) == Some(Dialog::Prompt)));
    add(A::WhatIfUndo, Demo, &graph("W l"), Seen::State(|h| h.model.session.what_if().is_none()));
    add(A::WhatIfDrop, Demo, &graph("W l"), Seen::State(|h| h.model.session.what_if().is_none()));
    add(A::WhatIfKeep, Demo, &graph("W l"), Seen::State(|h| h.model.session.unsaved() == 1));
    add(A::TestRange, Demo, GRAPH, Seen::State(|h| dialog(h) == Some(Dialog::Range)));
    add(A::Accept, Demo, "ctrl-p 'tide'", Seen::State(|h| package(h) == "tidewater-operator"));
    add(A::Cancel, Demo, "ctrl-p", Seen::State(|h| dialog(h).is_none()));
    add(A::RowUp, Demo, "ctrl-p down", Seen::State(|h| row(h) == 0));
    add(A::RowDown, Demo, "ctrl-p", Seen::State(|h| row(h) == 1));
    add(A::RowPageUp, Demo, "ctrl-p pgdn", Seen::State(|h| row(h) == 0));
    add(A::RowPageDown, Demo, "ctrl-p", Seen::State(|h| row(h) > 1));
    let long = "/ 'gran' enter l l j h x";
    add(A::PreviewDown, Demo, long, Seen::State(|h| first(h, ListId::Preview) > 0));
    add(A::PreviewUp, Demo, &format!("{long} pgdn"), Seen::State(|h| first(h, ListId::Preview) == 0));
    add(A::RowFirst, Demo, "l l p G", Seen::State(|h| row(h) == 0));
    add(
        A::RowLast,
        Demo,
        "l l p g",
        Seen::State(|h| row(h) + 1 == h.model.dialogs.last().unwrap().state().rows().unwrap().count),
    );
    add(A::NextField, Demo, "l l e", Seen::State(|h| entry_field(h) == Some(EntryField::Skips)));
    add(A::PreviousField, Demo, "l l e", Seen::State(|h| entry_field(h) == Some(EntryField::SkipRange)));
    add(A::Complete, Demo, "l l e tab 'quil'", Seen::Drawn);
    add(A::ClearField, Demo, "ctrl-p 'tide'", Seen::Drawn);
    add(A::Choose, Demo, "/ 'tide' enter l l p j", Seen::Drawn);
    add(A::PromoteSkips, Demo, "/ 'tide' enter l l p j", Seen::Drawn);
    add(A::PromoteRange, Demo, "/ 'tide' enter l l p j", Seen::Drawn);
    for id in [A::EntryFromCsv, A::OwnRange, A::NewChannel, A::BackToFields] {
        add(id, Demo, "", Seen::Drawn);
    }
    add(A::WriteAnyway, Disk, "l l g e ctrl-u enter ctrl-s enter", Seen::Asked);
    add(A::ForgetEdits, Open::LeftOver, "", Seen::State(|h| format!("{:?}", h.effects).contains("Forget")));
    add(
        A::ReviewFirst,
        Demo,
        "l j s enter ctrl-c",
        Seen::State(|h| h.model.session.screen == Screen::Changes),
    );
    add(A::DiscardEdits, Demo, "l j s enter ctrl-c", Seen::State(|h| h.model.leaving));
    add(A::DialogHelp, Demo, "l l p", Seen::State(|h| h.shows("Keys in promoting")));
    all
}

fn entry_field(hand: &Hand) -> Option<EntryField> {
    match hand.model.dialogs.last() {
        Some(OpenDialog::Entry(form)) => Some(form.field),
        _ => None,
    }
}

/// Opens the content and presses keys until the action is available.
fn ready(id: ActionId, open: Open, setup: &str, root: &Path) -> Hand {
    use ActionId as A;
    let mut hand = hand(open, root);
    if id == ActionId::FoldAccepted {
        let outcome = Ok(Some(super::accepting::accepting(&hand, |_| true, "")));
        let source = hand.model.session.open[0].source.clone();
        hand.send(Msg::Accepted { source, path: "baseline.yaml".into(), outcome });
    }
    if matches!(id, A::EntryFromCsv | A::OwnRange | A::NewChannel | A::BackToFields) {
        super::add_bundle::asked(&mut hand);
    }
    hand.press(setup);
    if matches!(id, ActionId::CopyComparison | ActionId::ExportComparison) {
        super::against::settle(&mut hand);
    }
    if id == ActionId::ApplyFix {
        // Some findings have several possible fixes.
        let spec = action::table().find(id).unwrap();
        for _ in 0..50 {
            if action::permitted(&hand.model, spec).is_ok() {
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
    let scripts = scripts();
    let listed: BTreeSet<ActionId> = scripts.iter().map(|(id, ..)| *id).collect();
    let missing: Vec<&str> =
        ActionId::ALL.iter().filter(|id| !listed.contains(id)).map(|id| id.name()).collect();
    assert!(missing.is_empty(), "no script presses the keys of {missing:?}");
    let mut wrong = Vec::new();
    for (id, open, setup, seen) in scripts {
        let folder = tempfile::tempdir().unwrap();
        let before = ready(id, open, &setup, folder.path());
        let scope = match dialog(&before) {
            Some(dialog) => Scope::Dialog(dialog),
            None => Scope::Screen(before.model.session.screen),
        };
        let mut keys: Vec<String> = before.model.keys.map.labels(scope, id).map(str::to_owned).collect();
        if keys.is_empty() {
            keys.push(format!(": '{}' enter", id.name()));
        }
        if let Seen::State(seen) = seen
            && seen(&before)
        {
            wrong.push(format!("{}: seen before it is done", id.name()));
        }
        for key in keys {
            let mut hand = ready(id, open, &setup, folder.path());
            hand.press(&key);
            let is_seen = match seen {
                Seen::State(seen) => seen(&hand),
                Seen::Asked => !hand.effects.is_empty(),
                Seen::Drawn => hand.screen() != before.screen(),
            };
            if !is_seen {
                wrong.push(format!("{} by {key}: nothing is seen of it:\n{}", id.name(), hand.screen()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
