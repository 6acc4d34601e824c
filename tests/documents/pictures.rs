//! Pictures of the book: screens of the demo, drawn by the program.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use olm_bundle::{outline::Outline, registry::DirectoryContents};
use olm_catalog::load::Progress;
use olm_check::review::Snapshot;
use olm_source::OpenOptions;
use olmap::tui::{
    LoadOutcome, Msg, Source,
    session::jobs::{
        bundle_manifests::ManifestRequest, dialog_questions::NewBundleRequest, overview::OverviewRequest,
        upgrade_plans::PlanRequest,
    },
    work::{
        cluster::{DependencyQuery, ResolverQuery},
        outcome::{FoundManifests, ManifestLocation, ManifestLookup},
    },
};

use super::support::{ExplorerDriver, settings};

/// Catalogs that the explorer opens.
#[derive(Clone, Copy)]
enum OpenedCatalogs {
    /// The built-in demo.
    Demo,
    /// Paths below `demo/`.
    Paths(&'static [&'static str]),
}

use OpenedCatalogs::{Demo, Paths};

const OPENSHIFT: OpenedCatalogs = Paths(&["openshift/v4.18", "openshift/v4.20", "openshift/v4.22"]);
const OPERATORS: OpenedCatalogs = Paths(&["operators"]);
/// Directory of the only bundle in `demo/operators`.
const NEW_BUNDLE: &str = "demo/operators/tidewater-operator/2.4.2";

/// Keys of the story that add its bundle to a channel.
const ADD: &str = "/ 'tide' enter p paste:demo/operators/tidewater-operator/2.4.2 enter \
                   paste:registry.example.com/tidewater/bundle@sha256:9f2c0e5b7a41d6c83b15e07f4a9d2c6851e3b70f9d4a6c28e51b07f3a9c4d682 \
                   enter j space space";
/// Keys that release the bundle to two more channels.
const PROMOTE: &str = "enter l j l g p";

/// Picture: name, opened catalogs, keys that lead to it, and alternative text. The word
/// `paste:TEXT` pastes a text.
type Picture = (&'static str, OpenedCatalogs, &'static [&'static str], &'static str);

const PICTURES: [Picture; 17] = [
    (
        "catalog",
        Demo,
        &["/ 'granary' enter l l j j j j"],
        "Packages, channels and entries, and what both OLMs do with the selected bundle",
    ),
    (
        "graph",
        Demo,
        &["/ 'granary' enter l l 2 j j j j"],
        "The upgrade graph of a channel with a stuck version",
    ),
    (
        "side-by-side",
        Demo,
        &["/ 'tide' enter l l 2 w"],
        "All channels of a package, the same bundle on the same row",
    ),
    ("zoom", Demo, &["/ 'orrery' enter l l 2 j z"], "What is around a bundle, as boxes and edges"),
    (
        "upgrades",
        Demo,
        &["/ 'orrery' enter l l 3"],
        "What happens to every installed version under Classic and under v1",
    ),
    ("problems", Demo, &["4 j"], "Findings with their rules, places and help"),
    ("deprecations", Demo, &["5 j"], "What is deprecated, and who can still be on it"),
    (
        "changes",
        Demo,
        &["/ 'granary' enter l l e tab end space 'granary-operator.v2.6.4' enter 6"],
        "An edit before it is written: its bytes, findings and successors",
    ),
    ("bundle", OPERATORS, &["7 } } } }"], "What is inside the new bundle, the permissions that matter first"),
    (
        "resolve",
        Demo,
        &["/ 'kotatsu' enter t h / ctrl-u 'quill' enter t 9"],
        "What OLM Classic installs for two subscriptions, with what they need",
    ),
    (
        "overview",
        OPENSHIFT,
        &["1"],
        "Three catalogs side by side: the head of each package, and what is wrong with it",
    ),
    (
        "plan",
        OPENSHIFT,
        &["0 k k k k"],
        "The plan from the lowest OpenShift version to the highest: who strands, where, and why",
    ),
    (
        "story-catalog",
        Demo,
        &["/ 'tide' enter l l"],
        "Packages, channels and entries of the operator that gets a new version",
    ),
    (
        "story-graph",
        Demo,
        &["/ 'tide' enter l l 2"],
        "The upgrade graph of the channel that the new version goes into",
    ),
    ("add-bundle", Demo, &[ADD], "A new bundle, the channels it goes into, and what that does to users"),
    (
        "promote",
        Demo,
        &[ADD, PROMOTE],
        "A bundle is promoted to two channels: what changes for whom, before it is kept",
    ),
    (
        "story-upgrades",
        Demo,
        &[ADD, PROMOTE, "enter h k 3"],
        "Every installed version of tidewater, under both OLMs",
    ),
];

fn open_hand(opening: OpenedCatalogs) -> ExplorerDriver {
    let Paths(paths) = opening else { return ExplorerDriver::demo(110, 32) };
    let sources: Vec<Source> = paths.iter().map(|path| Source::Path((*path).into())).collect();
    let mut hand = ExplorerDriver::before_loading(sources.clone(), settings(), 110, 32);
    let outcomes = paths.iter().zip(sources).map(|(path, source)| {
        let catalog = olm_source::open_path(
            &Path::new("demo").join(path),
            &OpenOptions::default(),
            &Progress::default(),
        );
        LoadOutcome { source, result: Ok(Arc::new(Snapshot::new(catalog.unwrap()))), recoverable_edits: None }
    });
    hand.finish_loads(outcomes.collect());
    hand
}

/// Answers the pending requests of the explorer.
fn answer_requests(hand: &mut ExplorerDriver) {
    hand.finish_checks();
    for effect in std::mem::take(&mut hand.effects) {
        if let Some(asked) = effect.question::<NewBundleRequest>() {
            let outcome = olm_source::read_new_bundle(&asked.path, &asked.image).map(Arc::new);
            hand.answer(asked, Ok(outcome.unwrap()));
        } else if let Some(asked) = effect.question::<ManifestRequest>() {
            let tree = olm_source::read_bundle_directory(Path::new(NEW_BUNDLE)).unwrap();
            let inside = Arc::new(Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree));
            let place = ManifestLocation::Directory(NEW_BUNDLE.into());
            let found = ManifestLookup::Found(Arc::new(FoundManifests { location: place, outline: inside }));
            hand.answer(asked, Ok(found));
        } else if let Some(asked) = effect.question::<ResolverQuery>() {
            let resolved = Arc::new(asked.resolve());
            hand.answer(asked, resolved);
        } else if let Some(asked) = effect.question::<DependencyQuery>() {
            let solved = Arc::new(asked.resolve_upgrades());
            hand.answer(asked, solved);
        } else if let Some(asked) = effect.question::<OverviewRequest>() {
            let overview = Arc::new(asked.compute_overview());
            hand.answer(asked, overview);
        } else if let Some(asked) = effect.question::<PlanRequest>() {
            let plans = Arc::new(asked.compute_plans());
            hand.answer(asked, plans);
        }
    }
}

fn draw_picture(opening: OpenedCatalogs, keys: &[&str], title: &str) -> String {
    let mut hand = open_hand(opening);
    for word in keys.iter().flat_map(|keys| keys.split(' ')) {
        match word.strip_prefix("paste:") {
            Some(text) => hand.send(Msg::Paste(text.to_owned())),
            None => drop(hand.press(word)),
        }
        while !hand.effects.is_empty() {
            answer_requests(&mut hand);
        }
    }
    if std::env::var_os("OLMAP_SHOW").is_some() {
        println!("{title}\n{}", hand.screen());
    }
    hand.picture(title)
}

/// `OLMAP_UPDATE=1 cargo test --test documents` draws the pictures.
#[test]
fn pictures_are_what_the_program_draws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
    let mut names = BTreeSet::new();
    for (name, opening, keys, title) in PICTURES {
        let (path, picture) = (folder.join(format!("{name}.svg")), draw_picture(opening, keys, title));
        if std::env::var_os("OLMAP_UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &picture).unwrap();
        }
        let stored = fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == picture, "docs/pictures/{name}.svg is stale: OLMAP_UPDATE=1 draws it anew");
        roxmltree::Document::parse(&picture).unwrap();
        names.insert(format!("{name}.svg"));
    }
    let there: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, names, "left: what is in docs/pictures; right: what is drawn");
}

/// Every picture is in a document, with its alternative text.
#[test]
fn every_picture_is_in_a_document() {
    let pages: String = super::book::pages().iter().map(|path| super::read_document(path)).collect();
    for (name, ..) in PICTURES {
        assert!(pages.contains(&format!("pictures/{name}.svg)")), "no page shows {name}");
    }
    assert!(!pages.contains("![]("), "a picture without words");
}
