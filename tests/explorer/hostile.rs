//! Tests that no screen or dialog shows characters from a hostile catalog that control or hide text
//! on a terminal. The texts are those of the command line tests. More fields contain them:
//! messages, pasted text, the configuration and recovered edits.
//!
//! With `OLMAP_ATTACK=large` (docs/trust.md) each text is tested by itself, with random ones in
//! addition. Every action runs on every screen with all texts combined.

use olmap::app::Refusal;
use std::{collections::BTreeSet, path::PathBuf, sync::Arc, thread, time::Duration};

use olmap::{
    app::{
        Configuration, Effect, LoadOutcome, Msg, NotSaved, SavedTo, Screen, Settings, Source,
        keys::{ActionId, Dialog, spec::Context},
        shell::table as action,
        work::{comparison::Comparison, outcome::LeftOver},
    },
    bundle::NewBundle,
    catalog::{blob::EntrySpec, load},
    config::Problem,
    edit::{Edit, Recorded},
    review::Snapshot,
};

use super::{
    files::{self, Files},
    large, readers, strings,
    support::{Hand, settings},
};

/// Keys that open each screen, pane, view and query field.
const PLACES: &[&str] = &[
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
const AWAY: &[ActionId] = &[ActionId::Quit, ActionId::Suspend, ActionId::BackOrQuit, ActionId::Write];

/// Visited dialogs and errors in cells.
type Seen = (BTreeSet<Dialog>, Vec<String>);

/// Explorer with a hostile catalog, and the results of its inspection.
struct Look<'a> {
    hand: Hand,
    text: &'a str,
    /// Keys and messages so far.
    trail: Vec<String>,
    dialogs: BTreeSet<Dialog>,
    wrong: Vec<String>,
}

impl<'a> Look<'a> {
    fn new(hand: Hand, text: &'a str) -> Self {
        let mut look = Self { hand, text, trail: Vec::new(), dialogs: BTreeSet::new(), wrong: Vec::new() };
        look.at_cells();
        look
    }

    /// Presses keys and inspects the screen after the last one.
    fn press(&mut self, script: &str) {
        self.trail.push(script.to_owned());
        self.hand.press(script);
        self.at_cells();
    }

    fn send(&mut self, what: &str, msg: Msg) {
        self.trail.push(what.to_owned());
        self.hand.send(msg);
        self.at_cells();
    }

    /// Inspects every cell.
    fn at_cells(&mut self) {
        self.dialogs.extend(self.hand.model.dialogs.last().map(|dialog| dialog.state().id()));
        let frame = self.hand.frame();
        let bad = |c: char| c.is_control() || readers::acts(c) || readers::hides(c);
        for (at, cell) in frame.content().iter().enumerate() {
            if let Some(c) = cell.symbol().chars().find(|c| bad(*c)) {
                let (x, y) = frame.pos_of(at);
                let way: Vec<_> = self.trail.iter().rev().take(4).rev().cloned().collect();
                self.wrong.push(format!("U+{:04X} at {x},{y} after {way:?}", u32::from(c)));
                break;
            }
        }
    }

    fn seen(self) -> Seen {
        (self.dialogs, self.wrong)
    }

    /// Runs an action from the palette and fills its fields.
    fn act(&mut self, title: &str) {
        self.trail.push(format!(": {title}"));
        self.hand.press(":");
        self.hand.send(Msg::Paste(title.to_owned()));
        self.press("enter");
        for key in ["tab", "enter"] {
            if self.hand.model.dialogs.is_empty() {
                break;
            }
            self.send("paste", Msg::Paste(self.text.to_owned()));
            self.press(key);
        }
        while !self.hand.model.dialogs.is_empty() {
            self.press("esc");
        }
    }
}

fn judged(path: PathBuf) -> (Source, Arc<Snapshot>) {
    let catalog = load::open(&path, &load::Progress::default()).unwrap();
    (Source::Path(path), Arc::new(Snapshot::new(catalog)))
}

/// Catalogs and settings to open: the new catalog, the old one, a template and a broken one.
struct Open {
    all: Vec<(Source, Arc<Snapshot>)>,
    settings: Settings,
    left_over: Vec<Edit>,
}

impl Open {
    fn new(files: &Files, text: &str) -> Self {
        let all = ["new", "old", "template.json", "broken"].map(|name| judged(files.root.join(name))).into();
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
                cluster: super::on_cluster::cluster(&files::cluster(&files.names, text)),
                ..settings()
            },
            left_over,
        }
    }

    fn hand(&self, size: (u16, u16), left_over: bool) -> Hand {
        let sources = self.all.iter().map(|(source, _)| source.clone()).collect();
        let mut hand = Hand::starting(sources, self.settings.clone(), size.0, size.1);
        let left = |snapshot: &Snapshot| LeftOver {
            journal: "journal".into(),
            age: Duration::from_secs(9),
            edits: self
                .left_over
                .iter()
                .map(|edit| Arc::new(Recorded::new(&snapshot.catalog, edit.clone())))
                .collect(),
        };
        let outcomes = self.all.iter().map(|(source, snapshot)| LoadOutcome {
            source: source.clone(),
            result: Ok(Arc::clone(snapshot)),
            left_over: left_over.then(|| left(snapshot)),
        });
        hand.send(Msg::Loaded { generation: 0, outcomes: outcomes.collect() });
        hand
    }

    /// Answers requests for a comparison.
    fn compare(&self, look: &mut Look<'_>) {
        for _ in 0..3 {
            for effect in std::mem::take(&mut look.hand.effects) {
                match effect {
                    Effect::ReadBase { catalog, number, .. } => {
                        let result = Ok(Arc::clone(&self.all[1].1));
                        look.send("a base", Msg::BaseRead { catalog, number, result });
                    }
                    Effect::Compare { catalog, number, before, after } => {
                        let comparison = Arc::new(Comparison::between(before, after));
                        look.send("a comparison", Msg::Compared { catalog, number, comparison });
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Returns messages with results of other programs and the system.
fn messages(open: &Open, text: &str) -> Vec<(&'static str, Msg)> {
    let (source, snapshot) = open.all[0].clone();
    let (words, both) = (|| text.to_owned(), || Refusal::new(text).with_hint(text));
    let path = PathBuf::from(files::file_name(text));
    let saved = |outcome, warning| Msg::Saved { written: vec![(0, Arc::clone(&snapshot))], outcome, warning };
    let failed = |why| saved(Err(why), None);
    let expectations = |outcome| Msg::Expectations { source: source.clone(), path: path.clone(), outcome };
    let rows = format!("- {{package: {0}, expect: {0}}}", serde_json::to_string(text).unwrap());
    vec![
        ("told", Msg::Told(Ok(words()))),
        ("told that not", Msg::Told(Err(Refusal::new(words())))),
        ("refused", Msg::Refused(words())),
        ("editor", Msg::Edited(Err(Refusal::new(words())))),
        ("no journal", Msg::NoJournal(words())),
        ("no history", Msg::HistoryRead { number: 1, result: Err(both()) }),
        ("no past", Msg::PastRead { number: 1, result: Err(both()) }),
        ("no repository", Msg::FoundRepository { catalog: 0, outcome: Err(Refusal::new(words())) }),
        ("no expectations", expectations(Err(Refusal::new(words())))),
        ("mistaken expectations", expectations(Ok(Some(text.as_bytes().to_vec())))),
        ("expectations", expectations(Ok(Some(rows.into_bytes())))),
        (
            "none added",
            Msg::ExpectationsAdded { source: source.clone(), asked: path.clone(), outcome: Err(both()) },
        ),
        ("no export", Msg::Exported { asked: path.clone(), outcome: Err(both()) }),
        ("no base", Msg::BaseRead { catalog: 0, number: 1, result: Err(both()) }),
        ("not saved", failed(NotSaved::Failed(Refusal::new(words()).with_hint(words())))),
        ("changed on disk", failed(NotSaved::ChangedOnDisk(words()))),
        ("costs", failed(NotSaved::Costs(vec![words(), words()]))),
        ("saved, with a warning", saved(Ok(SavedTo::InPlace), Some(words()))),
        ("also open", Msg::AlsoOpen { source: source.clone(), process: 7 }),
    ]
}

/// Inspects every place at a terminal size, alone and compared with another catalog.
fn screens(open: &Open, text: &str, size: (u16, u16)) -> Seen {
    let mut look = Look::new(open.hand(size, false), text);
    for place in PLACES {
        look.press(place);
        look.press("j G");
        look.press("tab");
        look.press("esc esc");
    }
    look.press("1 t");
    look.press("l l Z");
    look.press("9");
    super::resolve::resolve(&mut look.hand);
    look.press("tab G");
    look.press("tab c n");
    look.press("0");
    super::overview::overlook(&mut look.hand);
    look.press("j right tab G");
    look.press("Q");
    super::plan::plan(&mut look.hand);
    look.press("j enter tab G v");
    super::plan::plan(&mut look.hand);
    look.press("9");
    look.press("space X 1");
    look.press("1 B");
    // Selects another open catalog as the base.
    look.press("j j j enter");
    open.compare(&mut look);
    for place in PLACES {
        look.press(place);
        look.press("n");
        look.press("esc");
    }
    for screen in ["}", "2", "3", "4", "5", "6", "1 }", "2", "3", "4", "5", "6"] {
        look.press(screen);
    }
    look.seen()
}

/// Returns a bundle that contains the given text in every field.
fn new_bundle(package: &str, text: &str) -> NewBundle {
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
        described: olmap::bundle::propose::Package::default(),
        channels: vec![text.into()],
        own: Some(spec),
    }
}

/// Inspects the form for a new bundle, from its path to the channels.
fn add_bundle(look: &mut Look<'_>, package: &str, text: &str) {
    let path = || PathBuf::from("b");
    for outcome in [Err(Refusal::new(text).with_hint(text)), Ok(Arc::new(new_bundle(package, text)))] {
        look.hand.press("esc esc esc esc 1");
        look.press("P 'b' enter");
        look.send("a bundle", Msg::BundleRead { path: path(), image: String::new(), outcome });
    }
    for keys in ["c", "e", "esc n", "esc g", "j"] {
        look.press(keys);
    }
    look.press("enter");
    look.press("esc");
}

/// Inspects messages and recovered edits, including one that cannot be restored.
fn news(open: &Open, package: &str, text: &str) -> Seen {
    let mut look = Look::new(open.hand((110, 34), true), text);
    look.press("enter");
    look.press("esc 6");
    look.press("ctrl-c");
    look.press("esc 1");
    for (what, msg) in messages(open, text) {
        look.send(what, msg);
    }
    add_bundle(&mut look, package, text);
    look.hand.press("esc esc esc 1");
    look.press("2 G m g V");
    look.press("j");
    look.press("esc");
    look.press("L");
    look.press("G");
    look.seen()
}

/// Inspects every action, from one suitable place or from all places.
fn actions(open: &Open, text: &str, everywhere: bool) -> Seen {
    let mut look = Look::new(open.hand((110, 34), false), text);
    for spec in action::table().all().filter(|spec| !AWAY.contains(&spec.id)) {
        let places: &[&str] = match spec.context {
            _ if everywhere => PLACES,
            Context::On([Screen::Graph]) => &["2"],
            Context::On([Screen::Upgrades]) => &["3"],
            Context::On([Screen::Problems]) => &["4"],
            Context::In(_) => &[],
            Context::Everywhere | Context::On(_) => &["1 l l"],
        };
        for place in places {
            look.press(place);
            look.act(spec.title);
        }
    }
    look.press("6 ctrl-s enter");
    look.press("esc ctrl-c");
    look.seen()
}

/// Runs all inspections with one text.
fn look_everywhere(files: &Files, text: &str, thoroughly: bool) -> Seen {
    let open = Open::new(files, text);
    thread::scope(|scope| {
        let looks = [
            scope.spawn(|| actions(&open, text, thoroughly)),
            scope.spawn(|| screens(&open, text, (110, 34))),
            scope.spawn(|| screens(&open, text, (48, 14))),
            scope.spawn(|| news(&open, &files.names.package, text)),
        ];
        let seen: Vec<Seen> = looks.into_iter().map(|look| look.join().unwrap()).collect();
        let dialogs = seen.iter().flat_map(|(dialogs, _)| dialogs.iter().copied()).collect();
        (dialogs, seen.into_iter().flat_map(|(_, wrong)| wrong).collect())
    })
}

#[test]
fn no_cell_is_fooled_by_what_it_shows() {
    let is_large = large::is_large();
    // Commands and markup have no effect on a terminal.
    let texts = if is_large { strings::all(10) } else { strings::few()[..1].to_vec() };
    let folder = tempfile::tempdir().unwrap();
    let (mut dialogs, mut wrong) = (BTreeSet::new(), Vec::new());
    for (nth, (name, text)) in texts.iter().enumerate() {
        let files = Files::write(&folder.path().join(nth.to_string()), text);
        // The first few texts combine all others.
        let (seen, found) = look_everywhere(&files, text, is_large && nth < strings::few().len());
        println!("{name}: {} frames are wrong", found.len());
        dialogs.extend(seen);
        wrong.extend(found.into_iter().map(|what| format!("{name}: {what}")));
    }
    let shown: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} frames:\n{}", wrong.len(), shown.join("\n"));
    let missing: Vec<&Dialog> = Dialog::ALL.iter().filter(|dialog| !dialogs.contains(dialog)).collect();
    assert!(missing.is_empty(), "nobody looked at {missing:?}");
}
