//! Tests that no screen or dialog shows characters from a hostile catalog that control or hide text
//! on a terminal. The texts are those of the command line tests. More fields contain them:
//! messages, pasted text, the configuration and recovered edits.
//!
//! With `OLMAP_ATTACK=large` (docs/trust.md) each text is tested by itself, with random ones in
//! addition. Every action runs on every screen with all texts combined.

use olmap::tui::UserError;
use std::{collections::BTreeSet, path::PathBuf, sync::Arc, thread, time::Duration};

use olm_bundle::NewBundle;
use olm_catalog::{blob::EntrySpec, load};
use olm_check::review::Snapshot;
use olm_edit::{Edit, RecordedEdit};
use olmap::{
    config::Problem,
    tui::{
        Configuration, LoadOutcome, Msg, SaveDestination, SaveFailure, Screen, Settings, Source,
        dialogs::DIALOGS,
        keys::{ActionId, Dialog, spec::ActionContext},
        session::{
            jobs::{
                base_comparison::{BaseRequest, ComparisonRequest, RepositoryRequest},
                dialog_questions::NewBundleRequest,
                git_history::HistoryRequest,
            },
            upgrade_expectations::ExpectationsRequest,
        },
        shell::action_table as action,
        work::outcome::UnsavedEdits,
    },
};

use super::{
    files::{self, Files},
    large, readers, strings,
    support::{ExplorerDriver, settings},
};

/// Keys that open each screen, pane, view and query field.
const PLACE_KEYS: &[&str] = &[
    "1",
    "1 l",
    "1 l l",
    "1 l l l",
    "1 l l 7 / 'e' enter j",
    "2",
    "2 j w",
    "2 z",
    "2 m j tab",
    "3",
    "3 enter",
    "3 tab tab enter",
    "3 tab tab tab enter",
    "3 tab tab tab tab enter",
    "3 shift-tab shift-tab enter",
    "3 shift-tab shift-tab shift-tab enter",
    "4",
    "4 / 'a'",
    "5",
    "6",
];

/// Actions that leave the explorer or need another program. Saving is tested last.
const LEAVING_ACTIONS: &[ActionId] =
    &[ActionId::Quit, ActionId::Suspend, ActionId::BackOrQuit, ActionId::Write];

/// Visited dialogs and errors in cells.
type InspectionResults = (BTreeSet<Dialog>, Vec<String>);

/// Explorer with a hostile catalog, and the results of its inspection.
struct ScreenInspector<'a> {
    hand: ExplorerDriver,
    text: &'a str,
    /// Keys and messages so far.
    trail: Vec<String>,
    dialogs: BTreeSet<Dialog>,
    wrong: Vec<String>,
}

impl<'a> ScreenInspector<'a> {
    fn new(hand: ExplorerDriver, text: &'a str) -> Self {
        let mut look = Self { hand, text, trail: Vec::new(), dialogs: BTreeSet::new(), wrong: Vec::new() };
        look.inspect_cells();
        look
    }

    /// Presses keys and inspects the screen after the last one.
    fn press_and_inspect(&mut self, script: &str) {
        self.trail.push(script.to_owned());
        self.hand.press(script);
        self.inspect_cells();
    }

    fn send_and_inspect(&mut self, what: &str, msg: Msg) {
        self.trail.push(what.to_owned());
        self.hand.send(msg);
        self.inspect_cells();
    }

    /// Inspects every cell.
    fn inspect_cells(&mut self) {
        self.dialogs.extend(self.hand.model.dialogs.last().map(|dialog| dialog.id()));
        let frame = self.hand.frame();
        let bad = |c: char| c.is_control() || readers::is_active(c) || readers::is_invisible(c);
        for (at, cell) in frame.content().iter().enumerate() {
            if let Some(c) = cell.symbol().chars().find(|c| bad(*c)) {
                let (x, y) = frame.pos_of(at);
                let way: Vec<_> = self.trail.iter().rev().take(4).rev().cloned().collect();
                self.wrong.push(format!("U+{:04X} at {x},{y} after {way:?}", u32::from(c)));
                break;
            }
        }
    }

    fn into_results(self) -> InspectionResults {
        (self.dialogs, self.wrong)
    }

    /// Runs an action from the palette and fills its fields.
    fn run_action(&mut self, title: &str) {
        self.trail.push(format!(": {title}"));
        self.hand.press(":");
        self.hand.send(Msg::Paste(title.to_owned()));
        self.press_and_inspect("enter");
        for key in ["tab", "enter"] {
            if self.hand.model.dialogs.is_empty() {
                break;
            }
            self.send_and_inspect("paste", Msg::Paste(self.text.to_owned()));
            self.press_and_inspect(key);
        }
        while !self.hand.model.dialogs.is_empty() {
            self.press_and_inspect("esc");
        }
    }
}

fn load_snapshot(path: PathBuf) -> (Source, Arc<Snapshot>) {
    let catalog = load::open_catalog(&path).unwrap();
    (Source::Path(path), Arc::new(Snapshot::new(catalog)))
}

/// Catalogs and settings to open: the new catalog, the old one, a template and a broken one.
struct HostileCatalogs {
    all: Vec<(Source, Arc<Snapshot>)>,
    settings: Settings,
    left_over: Vec<Edit>,
}

impl HostileCatalogs {
    fn new(files: &Files, text: &str) -> Self {
        let all =
            ["new", "old", "template.json", "broken"].map(|name| load_snapshot(files.root.join(name))).into();
        let problem = Problem { message: text.to_owned(), hint: Some(text.to_owned()), ..Problem::default() };
        let path = Some(PathBuf::from(files::file_name(text)));
        let configuration = Arc::new(Configuration { path, problems: vec![problem] });
        let [_, _, entry] = &files.names.bundles;
        let spec = EntrySpec { skip_range: Some(text.to_owned()), ..EntrySpec::default() };
        let edit = |channel: &str| Edit::SetEntry {
            package: files.names.package.as_str().into(),
            channel: channel.into(),
            entry: entry.as_str().into(),
            spec: spec.clone(),
        };
        let left_over = vec![edit(&files.names.channel), edit(text)];
        Self {
            all,
            settings: Settings {
                configuration,
                installed_operators: super::installed_operators::parse_cluster(&files::hostile_cluster(
                    &files.names,
                    text,
                )),
                ..settings()
            },
            left_over,
        }
    }

    fn open_hand(&self, size: (u16, u16), left_over: bool) -> ExplorerDriver {
        let sources = self.all.iter().map(|(source, _)| source.clone()).collect();
        let mut hand = ExplorerDriver::before_loading(sources, self.settings.clone(), size.0, size.1);
        let left = |snapshot: &Snapshot| UnsavedEdits {
            journal: "journal".into(),
            age: Duration::from_secs(9),
            edits: self
                .left_over
                .iter()
                .map(|edit| Arc::new(RecordedEdit::new(&snapshot.catalog, edit.clone())))
                .collect(),
        };
        let outcomes = self.all.iter().map(|(source, snapshot)| LoadOutcome {
            source: source.clone(),
            result: Ok(Arc::clone(snapshot)),
            recoverable_edits: left_over.then(|| left(snapshot)),
        });
        hand.finish_loads(outcomes.collect());
        hand
    }

    /// Answers requests for a comparison.
    fn answer_comparison(&self, look: &mut ScreenInspector<'_>) {
        for _ in 0..3 {
            for effect in std::mem::take(&mut look.hand.effects) {
                if let Some(asked) = effect.question::<BaseRequest>() {
                    let result = Ok(Arc::clone(&self.all[1].1));
                    look.send_and_inspect("a base", Msg::answer(asked, result));
                } else if let Some(asked) = effect.question::<ComparisonRequest>() {
                    let comparison = asked.compare();
                    look.send_and_inspect("a comparison", Msg::answer(asked, comparison));
                }
            }
        }
    }
}

/// Returns messages with results of other programs and the system.
fn hostile_messages(open: &HostileCatalogs, text: &str) -> Vec<(&'static str, Msg)> {
    let (source, snapshot) = open.all[0].clone();
    let (words, both) = (|| text.to_owned(), || UserError::new(text).with_hint(text));
    let path = PathBuf::from(files::file_name(text));
    let saved = |outcome, warning| Msg::Saved { written: vec![(0, Arc::clone(&snapshot))], outcome, warning };
    let failed = |why| saved(Err(why), None);
    let expectations = |outcome| {
        let asked = ExpectationsRequest { source: source.clone(), path: path.clone() };
        Msg::answer(Arc::new(asked), outcome)
    };
    let rows = format!("- {{package: {0}, expect: {0}}}", serde_json::to_string(text).unwrap());
    vec![
        ("told", Msg::Notice(Ok(words()))),
        ("told that not", Msg::Notice(Err(UserError::new(words())))),
        ("refused", Msg::Refused(words())),
        ("editor", Msg::EditorExited(Err(UserError::new(words())))),
        ("no journal", Msg::JournalFailed(words())),
        ("no repository", {
            let asked = RepositoryRequest { catalog: 0, path: path.clone() };
            Msg::answer(Arc::new(asked), Err(UserError::new(words())))
        }),
        ("no expectations", expectations(Err(UserError::new(words())))),
        ("mistaken expectations", expectations(Ok(Some(text.as_bytes().to_vec())))),
        ("expectations", expectations(Ok(Some(rows.into_bytes())))),
        (
            "none added",
            Msg::ExpectationsAdded { source: source.clone(), asked: path.clone(), outcome: Err(both()) },
        ),
        ("no export", Msg::Exported { asked: path.clone(), outcome: Err(both()) }),
        ("not saved", failed(SaveFailure::Failed(UserError::new(words()).with_hint(words())))),
        ("changed on disk", failed(SaveFailure::ChangedOnDisk(words()))),
        ("costs", failed(SaveFailure::MetadataLoss(vec![words(), words()]))),
        ("saved, with a warning", saved(Ok(SaveDestination::InPlace), Some(words()))),
        ("also open", Msg::OpenElsewhere { source: source.clone(), process: 7 }),
    ]
}

/// Inspects every place at a terminal size, alone and compared with another catalog.
fn inspect_screens(open: &HostileCatalogs, text: &str, size: (u16, u16)) -> InspectionResults {
    let mut look = ScreenInspector::new(open.open_hand(size, false), text);
    // The oldest bundle replaces none. Names without a bundle may be below it.
    for keys in ["2 G V", "esc 2 G k V", "esc 2 G k k V", "esc"] {
        look.press_and_inspect(keys);
    }
    for place in PLACE_KEYS {
        look.press_and_inspect(place);
        look.press_and_inspect("j G");
        look.press_and_inspect("tab");
        look.press_and_inspect("esc esc");
    }
    look.press_and_inspect("9 t s");
    look.press_and_inspect("t i");
    look.press_and_inspect("9");
    super::resolve::answer_resolve_requests(&mut look.hand);
    look.press_and_inspect("tab G");
    look.press_and_inspect("tab c n");
    look.press_and_inspect("1 esc esc");
    super::package_table::answer_overview_requests(&mut look.hand);
    look.press_and_inspect("j > tab G");
    look.press_and_inspect("0");
    super::plan::answer_plan_requests(&mut look.hand);
    look.press_and_inspect("j enter tab G v");
    super::plan::answer_plan_requests(&mut look.hand);
    look.press_and_inspect("9");
    look.press_and_inspect("space X 1");
    look.press_and_inspect("1 B");
    // Selects another open catalog as the base.
    look.press_and_inspect("j j j enter");
    open.answer_comparison(&mut look);
    for place in PLACE_KEYS {
        look.press_and_inspect(place);
        look.press_and_inspect("n");
        look.press_and_inspect("esc");
    }
    for screen in ["}", "2", "3", "4", "5", "6", "1 }", "2", "3", "4", "5", "6"] {
        look.press_and_inspect(screen);
    }
    look.into_results()
}

/// Returns a bundle that contains the given text in every field.
fn hostile_bundle(package: &str, text: &str) -> NewBundle {
    let spec = EntrySpec {
        replaces: Some(text.into()),
        skips: vec![text.into()],
        skip_range: Some(text.to_owned()),
    };
    let blob = serde_json::json!({"schema": "olm.bundle", "name": text, "package": package, "image": text});
    NewBundle {
        name: text.into(),
        package: package.into(),
        version: text.to_owned(),
        image: text.to_owned(),
        blob: blob.to_string(),
        with_objects: None,
        proposed_package: olm_bundle::placement::Package::default(),
        channels: vec![text.into()],
        own_entry: Some(spec),
    }
}

/// Inspects the form for a new bundle, from its path to the channels.
fn inspect_release(look: &mut ScreenInspector<'_>, package: &str, text: &str) {
    for outcome in [Err(UserError::new(text).with_hint(text)), Ok(Arc::new(hostile_bundle(package, text)))] {
        look.hand.press("esc esc esc esc 1");
        look.press_and_inspect("h h h h p 'b' enter");
        let asked = NewBundleRequest { path: PathBuf::from("b"), image: String::new() };
        look.send_and_inspect("a bundle", Msg::answer(Arc::new(asked), outcome));
    }
    for keys in ["r", "s", "e", "esc n", "esc g", "j"] {
        look.press_and_inspect(keys);
    }
    look.press_and_inspect("enter");
    look.press_and_inspect("esc");
}

/// Inspects refusals of a history and of a base.
fn inspect_refused_jobs(look: &mut ScreenInspector<'_>, text: &str) {
    let refusal = || UserError::new(text).with_hint(text);
    while !look.hand.model.dialogs.is_empty() {
        look.press_and_inspect("esc");
    }
    look.press_and_inspect("1 ctrl-l");
    let asked = look.hand.take_request::<HistoryRequest>().unwrap();
    look.send_and_inspect("no history", Msg::answer(asked, Err(refusal())));
    look.press_and_inspect("esc");
    look.press_and_inspect("B g j j j j enter 'x' enter");
    let asked = look.hand.take_request::<BaseRequest>().unwrap();
    look.send_and_inspect("no base", Msg::answer(asked, Err(refusal())));
    look.press_and_inspect("esc esc");
}

/// Inspects messages and recovered edits, including one that cannot be restored.
fn inspect_messages(open: &HostileCatalogs, package: &str, text: &str) -> InspectionResults {
    let mut look = ScreenInspector::new(open.open_hand((110, 34), true), text);
    look.press_and_inspect("enter");
    look.press_and_inspect("esc 6");
    look.press_and_inspect("ctrl-c");
    look.press_and_inspect("esc 1");
    for (what, msg) in hostile_messages(open, text) {
        look.send_and_inspect(what, msg);
    }
    inspect_refused_jobs(&mut look, text);
    inspect_release(&mut look, package, text);
    look.hand.press("esc esc esc 1");
    look.press_and_inspect("2 G m g V");
    look.press_and_inspect("j");
    look.press_and_inspect("esc");
    look.press_and_inspect("I l");
    look.press_and_inspect("G");
    look.into_results()
}

/// Inspects every action, from one suitable place or from all places.
fn inspect_actions(open: &HostileCatalogs, text: &str, everywhere: bool) -> InspectionResults {
    let mut look = ScreenInspector::new(open.open_hand((110, 34), false), text);
    for spec in action::action_table().actions().filter(|spec| !LEAVING_ACTIONS.contains(&spec.id)) {
        let places: &[&str] = match spec.context {
            _ if everywhere => PLACE_KEYS,
            ActionContext::On([Screen::Graph]) => &["2"],
            ActionContext::On([Screen::Upgrades]) => &["3"],
            ActionContext::On([Screen::Problems]) => &["4"],
            ActionContext::In(_) => &[],
            ActionContext::Everywhere | ActionContext::On(_) => &["1 l l"],
        };
        for place in places {
            look.press_and_inspect(place);
            look.run_action(spec.title);
        }
    }
    look.press_and_inspect("6 ctrl-s enter");
    look.press_and_inspect("esc ctrl-c");
    look.into_results()
}

/// Runs all inspections with one text.
fn inspect_everything(files: &Files, text: &str, thoroughly: bool) -> InspectionResults {
    let open = HostileCatalogs::new(files, text);
    thread::scope(|scope| {
        let looks = [
            scope.spawn(|| inspect_actions(&open, text, thoroughly)),
            scope.spawn(|| inspect_screens(&open, text, (110, 34))),
            scope.spawn(|| inspect_screens(&open, text, (48, 14))),
            scope.spawn(|| inspect_messages(&open, &files.names.package, text)),
        ];
        let seen: Vec<InspectionResults> = looks.into_iter().map(|look| look.join().unwrap()).collect();
        let dialogs = seen.iter().flat_map(|(dialogs, _)| dialogs.iter().copied()).collect();
        (dialogs, seen.into_iter().flat_map(|(_, wrong)| wrong).collect())
    })
}

#[test]
fn hostile_text_is_harmless_on_every_screen() {
    let is_large = large::is_large();
    // Commands and markup have no effect on a terminal.
    let texts = if is_large { strings::all_strings(10) } else { strings::few_strings()[..1].to_vec() };
    let folder = tempfile::tempdir().unwrap();
    let (mut dialogs, mut wrong) = (BTreeSet::new(), Vec::new());
    for (nth, (name, text)) in texts.iter().enumerate() {
        let files = Files::write_all(&folder.path().join(nth.to_string()), text);
        // The first few texts combine all others.
        let (seen, found) = inspect_everything(&files, text, is_large && nth < strings::few_strings().len());
        println!("{name}: {} frames are wrong", found.len());
        dialogs.extend(seen);
        wrong.extend(found.into_iter().map(|what| format!("{name}: {what}")));
    }
    let shown: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} frames:\n{}", wrong.len(), shown.join("\n"));
    assert_eq!(dialogs, DIALOGS.iter().copied().collect(), "seen dialogs, and the table of dialogs");
}
