//! Tests of adding a new bundle from its directory to channels of three catalogs in one dialog.

use std::{fmt::Write as _, path::Path, sync::Arc};

use olm_bundle::NewBundle;
use olm_catalog::{Origin, load};
use olm_check::review::Snapshot;
use olm_source::read_new_bundle;
use olmap::tui::{
    Effect, LoadOutcome, Msg, Settings, Source, UserError, session::jobs::dialog_questions::NewBundleRequest,
};

use super::support::ExplorerDriver;

const IMAGE: &str =
    "quay.io/harbour/beacon@sha256:5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99";
const BUNDLE: &str = "tests/fixtures/cli/bundle";

/// Returns a catalog with the package of the fixture bundle and the given head.
fn beacon_catalog(head: &str) -> String {
    let mut text = format!(
        "schema: olm.package\nname: beacon-operator\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: \
         beacon-operator\nname: stable\nentries:\n- name: beacon-operator.v1.3.0\n- name: beacon-operator.v{head}\n  \
         replaces: beacon-operator.v1.3.0\n  skipRange: '>=1.0.0 <{head}'\n"
    );
    for version in ["1.3.0", head] {
        let digest = version.replace('.', "").repeat(32).chars().take(64).collect::<String>();
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: beacon-operator\nname: beacon-operator.v{version}\nimage: \
             quay.io/harbour/beacon@sha256:{digest}\nproperties:\n- type: olm.package\n  value:\n    \
             packageName: beacon-operator\n    version: {version}\n"
        );
    }
    text
}

fn snapshot_from_text(name: &str, text: String) -> Arc<Snapshot> {
    let files = [("beacon/catalog.yaml".into(), text.into_bytes())];
    Arc::new(Snapshot::new(load::from_texts(Origin::Directory(name.into()), files)))
}

/// Opens three catalogs; the last has a different head.
fn open_three_catalogs(columns: u16, rows: u16) -> ExplorerDriver {
    let catalogs = [
        ("v4.18", beacon_catalog("1.3.2")),
        ("v4.20", beacon_catalog("1.3.2")),
        ("v4.22", beacon_catalog("1.3.9")),
    ];
    let sources = catalogs.each_ref().map(|(name, _)| Source::Path(name.into()));
    let mut hand = ExplorerDriver::before_loading(sources.to_vec(), Settings::default(), columns, rows);
    let outcomes = catalogs.into_iter().zip(sources).map(|((name, text), source)| LoadOutcome {
        source,
        result: Ok(snapshot_from_text(name, text)),
        recoverable_edits: None,
    });
    hand.finish_loads(outcomes.collect());
    hand
}

/// Answers the last effect like the runtime.
fn answer_last_effect(hand: &mut ExplorerDriver) {
    answer_effect(hand, hand.effects.len() - 1);
}

fn answer_effect(hand: &mut ExplorerDriver, effect: usize) {
    let Some(asked) = hand.effects.get(effect).and_then(Effect::question::<NewBundleRequest>) else {
        panic!("{:?}", hand.effects)
    };
    let outcome = read_new_bundle(&asked.path, &asked.image).map(Arc::new);
    let outcome = outcome.map_err(|error| UserError { message: error.to_string(), hint: error.hint() });
    hand.answer(asked, outcome);
}

/// Opens the dialog with the fixture bundle.
pub fn open_new_bundle_dialog(hand: &mut ExplorerDriver) {
    hand.press("P");
    hand.send(Msg::Paste(BUNDLE.to_owned()));
    hand.press("enter");
    answer_last_effect(hand);
    assert!(hand.shows("beacon-operator.v1.4.0: paste its image"), "{}", hand.screen());
    hand.send(Msg::Paste(IMAGE.to_owned()));
    hand.press("enter");
    answer_last_effect(hand);
}

fn last_entry(hand: &ExplorerDriver, catalog: usize, channel: &str) -> String {
    let now = hand.model.session.catalogs.all()[catalog].visible_state();
    let Some(channel) = now.catalog.package("beacon-operator").and_then(|package| package.channel(channel))
    else {
        return String::new();
    };
    let last = channel.entries.last().map(|entry| (entry.name.value.to_string(), entry.to_spec()));
    last.map(|(name, spec)| {
        let replaces = spec.replaces.map(|name| format!(" replaces {name}")).unwrap_or_default();
        let range = spec.skip_range.map(|range| format!(" range {range}")).unwrap_or_default();
        format!("{name}{replaces}{range}")
    })
    .unwrap_or_default()
}

#[test]
fn new_bundle_dialog_at_three_sizes() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = open_three_catalogs(columns, rows);
        hand.press("P");
        let first = hand.screen();
        hand.press("esc");
        open_new_bundle_dialog(&mut hand);
        let name = format!("add_bundle_{columns}x{rows}");
        insta::assert_snapshot!(name, format!("{first}\n{}", hand.screen()));
    }
}

#[test]
fn bundle_is_added_to_two_channels_of_three_catalogs_with_one_undo() {
    let mut hand = open_three_catalogs(120, 36);
    open_new_bundle_dialog(&mut hand);
    // Existing channels from the annotations are preselected; `candidate` is created on demand.
    hand.press("j space j space j space enter");
    assert!(hand.shows("added beacon-operator.v1.4.0 to 6 channels in 3 catalogs"), "{}", hand.screen());
    for catalog in 0..3 {
        let head = if catalog == 2 { "1.3.9" } else { "1.3.2" };
        let entry = format!("beacon-operator.v1.4.0 replaces beacon-operator.v{head}");
        assert_eq!(last_entry(&hand, catalog, "stable"), entry);
        assert_eq!(last_entry(&hand, catalog, "candidate"), "beacon-operator.v1.4.0");
    }
    hand.press("u");
    assert!(hand.shows("undone in 3 catalogs: add beacon-operator.v1.4.0"), "{}", hand.screen());
    assert!((0..3).all(|catalog| hand.model.session.catalogs.all()[catalog].history.undo_title().is_none()));
}

#[test]
fn edges_come_from_head_csv_or_input() {
    let mut hand = open_three_catalogs(100, 30);
    open_new_bundle_dialog(&mut hand);
    hand.press("r");
    assert!(hand.shows("range >=1.0.0 <1.4.0"), "the head's, up to the new version: {}", hand.screen());
    // The head in the last catalog differs from the one in the CSV.
    hand.press("j j j j");
    let conflict = "v4.22 stable: the CSV replaces beacon-operator.v1.3.2, the head is";
    assert!(hand.shows(conflict), "{}", hand.screen());
    hand.press("c");
    assert!(hand.shows("as the CSV: replaces beacon-operator.v1.3.2"), "{}", hand.screen());
    hand.press("e ctrl-u '>=1.0.0' enter");
    assert!(hand.shows("range >=1.0.0"), "{}", hand.screen());
    hand.press("e ctrl-u '>=x' enter");
    assert!(hand.shows("skipRange") && !hand.shows("range >=x"), "stays in the field: {}", hand.screen());
    hand.press("esc enter");
    let range = |catalog| last_entry(&hand, catalog, "stable");
    assert_eq!(range(0), "beacon-operator.v1.4.0 replaces beacon-operator.v1.3.2 range >=1.0.0 <1.4.0");
    assert_eq!(range(2), "beacon-operator.v1.4.0 replaces beacon-operator.v1.3.2 range >=1.0.0");
}

#[test]
fn new_channel_is_created_in_every_catalog_without_it() {
    let mut hand = open_three_catalogs(100, 30);
    open_new_bundle_dialog(&mut hand);
    hand.press("n enter");
    assert!(hand.shows("a channel needs a name"), "{}", hand.screen());
    hand.press("'fast' enter enter");
    assert!(hand.shows("to 6 channels in 3 catalogs"), "{}", hand.screen());
    assert!((0..3).all(|catalog| last_entry(&hand, catalog, "fast") == "beacon-operator.v1.4.0"));
}

#[test]
fn invalid_bundle_shows_reason_and_keeps_input() {
    let mut hand = open_three_catalogs(80, 24);
    hand.press("P enter");
    assert!(hand.shows("a bundle directory or rendered file is needed"), "{}", hand.screen());
    hand.press("'tests/fixtures' enter");
    answer_last_effect(&mut hand);
    assert!(hand.shows("tests/fixtures is not a bundle directory"), "{}", hand.screen());
    hand.press("ctrl-u");
    hand.send(Msg::Paste(BUNDLE.to_owned()));
    hand.press("enter");
    answer_last_effect(&mut hand);
    hand.press("enter");
    assert!(hand.shows("an image is needed"), "{}", hand.screen());
    hand.press("'quay.io/harbour/beacon:v1' enter");
    answer_last_effect(&mut hand);
    assert!(hand.shows("a tag, which can move"), "{}", hand.screen());
    // Nothing is selected, so nothing is added.
    hand.press("g space j space j space enter");
    assert!(hand.shows("no channel selected"), "{}", hand.screen());
    hand.press("shift-tab");
    assert!(hand.shows("shift-tab back"), "the image again: {}", hand.screen());
    hand.press("esc");
    assert!(hand.model.dialogs.is_empty());
}

#[test]
fn answer_to_older_question_is_ignored() {
    let mut hand = open_three_catalogs(80, 24);
    hand.press("P");
    hand.send(Msg::Paste(BUNDLE.to_owned()));
    hand.press("enter");
    let refused = UserError { message: "gone".to_owned(), hint: None };
    let other: Result<Arc<NewBundle>, UserError> = Err(refused);
    let asked = NewBundleRequest { path: Path::new("other").to_owned(), image: String::new() };
    hand.answer(Arc::new(asked), other);
    assert!(!hand.shows("gone") && hand.shows("is being read"), "{}", hand.screen());
}

#[test]
fn typing_while_a_bundle_is_read_discards_the_answer() {
    let mut hand = open_three_catalogs(120, 36);
    hand.press("P");
    hand.send(Msg::Paste(BUNDLE.to_owned()));
    hand.press("enter");
    let asked = hand.effects.len() - 1;
    hand.press("'-new'");
    answer_effect(&mut hand, asked);
    assert!(!hand.shows("1.4.0"), "{}", hand.screen());
}

#[test]
fn range_field_keeps_the_channels_visible() {
    let mut hand = open_three_catalogs(80, 24);
    open_new_bundle_dialog(&mut hand);
    hand.press("e");
    assert!(hand.shows("skipRange of the entry in stable"), "{}", hand.screen());
    assert!(hand.shows(">=1.2.0 <1.4.0"), "the CSV's range: {}", hand.screen());
    assert!(hand.shows("[x]"), "the channels stay: {}", hand.screen());
}

#[test]
fn proposed_channels_accept_no_bundle() {
    let catalog = olm_source::open_path(
        Path::new(BUNDLE),
        &olm_source::OpenOptions::default(),
        &load::Progress::default(),
    )
    .unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(BUNDLE.into()), catalog, 120, 36);
    hand.press("P");
    assert!(hand.model.dialogs.is_empty() && hand.shows("olmap CATALOG OPERATORS"), "{}", hand.screen());
}
