//! Tests of the dialog that releases a bundle: a new one from its directory, and one of a catalog.

use std::{fmt::Write as _, path::Path, sync::Arc};

use olm_bundle::NewBundle;
use olm_catalog::{Origin, blob::EntrySpec, load};
use olm_check::review::Snapshot;
use olm_source::{ManifestSearchPath, read_new_bundle};
use olmap::tui::{
    Effect, LoadOutcome, Msg, Settings, Source, UserError,
    session::jobs::{
        deferred_checks::DeferredCheckRequest,
        dialog_questions::{NewBundleRequest, PreviewCheckRequest, PreviewRequest},
    },
};

use super::{
    base_comparison::package_yaml, package_table::answer_overview_requests, support::ExplorerDriver,
};

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

/// Opens catalogs of the given texts.
fn open_catalogs(catalogs: &[(&str, String)], (columns, rows): (u16, u16)) -> ExplorerDriver {
    let sources: Vec<Source> = catalogs.iter().map(|(name, _)| Source::Path((*name).into())).collect();
    let mut hand = ExplorerDriver::before_loading(sources.clone(), Settings::default(), columns, rows);
    let outcomes = catalogs.iter().zip(sources).map(|((name, text), source)| LoadOutcome {
        source,
        result: Ok(snapshot_from_text(name, text.clone())),
        recoverable_edits: None,
    });
    hand.finish_loads(outcomes.collect());
    hand
}

/// Opens three catalogs; the last has a different head.
fn open_three_catalogs(columns: u16, rows: u16) -> ExplorerDriver {
    let catalogs = [("v4.18", "1.3.2"), ("v4.20", "1.3.2"), ("v4.22", "1.3.9")];
    open_catalogs(&catalogs.map(|(name, head)| (name, beacon_catalog(head))), (columns, rows))
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
    hand.press("p");
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
        hand.press("p");
        let first = hand.screen();
        hand.press("esc");
        open_new_bundle_dialog(&mut hand);
        let name = format!("new_bundle_{columns}x{rows}");
        insta::assert_snapshot!(name, format!("{first}\n{}", hand.screen()));
    }
}

#[test]
fn bundle_is_added_to_two_channels_of_three_catalogs_with_one_undo() {
    let mut hand = open_three_catalogs(120, 36);
    open_new_bundle_dialog(&mut hand);
    // The channels of the previous release are preselected; `candidate` is created on demand.
    hand.press("j space j space j space enter");
    assert!(
        hand.shows("released beacon-operator.v1.4.0 to channels candidate and stable in 3 catalogs"),
        "{}",
        hand.screen()
    );
    for catalog in 0..3 {
        let head = if catalog == 2 { "1.3.9" } else { "1.3.2" };
        let entry = format!("beacon-operator.v1.4.0 replaces beacon-operator.v{head} range >=1.0.0 <1.4.0");
        assert_eq!(last_entry(&hand, catalog, "stable"), entry);
        assert_eq!(last_entry(&hand, catalog, "candidate"), "beacon-operator.v1.4.0");
    }
    hand.press("u");
    assert!(hand.shows("undone in 3 catalogs: add beacon-operator.v1.4.0"), "{}", hand.screen());
    assert!((0..3).all(|catalog| hand.model.session.catalogs.all()[catalog].history.undo_title().is_none()));
}

/// The typed directory and those next to it have the manifests of the new upgrade.
#[test]
fn new_upgrades_are_checked_with_the_released_directory() {
    let entries = "- name: kettle.v1.1.0\n  replaces: kettle.v1.0.0\n- name: kettle.v1.0.0\n";
    let yaml = package_yaml("kettle", &[("stable", entries)], &["1.1.0", "1.0.0"]);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("p");
    hand.send(Msg::Paste("tests/fixtures/safety/kettle/1.2.0".to_owned()));
    hand.press("enter");
    answer_last_effect(&mut hand);
    hand.send(Msg::Paste(IMAGE.replace("beacon", "kettle")));
    hand.press("enter");
    answer_last_effect(&mut hand);
    assert!(hand.shows("Safety of the new upgrades: not checked yet"), "{}", hand.screen());
    let mut search_path = ManifestSearchPath::default();
    for effect in &hand.effects {
        if let Effect::UseBundleDirectory { package, path } = effect {
            search_path.package_directories.entry(package.clone()).or_default().insert(path.clone());
        }
    }
    let asked = hand.take_request::<PreviewCheckRequest>().unwrap();
    let checked = asked.run_checks(&|package, snapshot| {
        olmap::run_deferred_checks(Some(package), snapshot, &search_path, None)
    });
    hand.answer(asked, checked);
    assert!(hand.shows("Safety of the new upgrades: 1 needs a look"), "{}", hand.screen());
    assert!(hand.shows("1.1.0 to 1.2.0: "), "the reason: {}", hand.screen());
    // The directories next to the typed one have the manifests of an earlier upgrade, too.
    assert!(hand.shows("Found now 1 (checked only now, not caused by the edit)"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("released kettle.v1.2.0 to channel stable"), "{}", hand.screen());
    while let Some(asked) = hand.take_request::<DeferredCheckRequest>() {
        let checks = olmap::run_deferred_checks(asked.package.as_ref(), &asked.snapshot, &search_path, None);
        hand.answer(asked, checks);
    }
    hand.press("6");
    assert!(hand.shows("Safety of the new upgrades: 1 needs a look"), "{}", hand.screen());
}

/// A catalog without the package offers the channels of the source. Nothing is created unless the user chooses it.
#[test]
fn bundle_is_released_to_a_catalog_without_its_package() {
    let beacon = beacon_catalog("1.3.2").replace(
        "defaultChannel: stable\n",
        "defaultChannel: stable\ndescription: Lights for harbours.\nicon: {base64data: aWNvbg==, mediatype: image/png}\n",
    );
    let other = package_yaml("ship", &[("stable", "- name: ship.v1.0.0\n")], &["1.0.0"]);
    let mut hand = open_catalogs(&[("v4.18", beacon), ("v4.20", other)], (120, 36));
    // The head of the channel is selected.
    hand.press("l l p");
    assert!(hand.shows("v4.20") && hand.shows("new package"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("no channel selected"), "{}", hand.screen());
    hand.press("space enter");
    assert!(hand.shows("released beacon-operator.v1.3.2 to channel stable in v4.20"), "{}", hand.screen());
    let catalog = &hand.model.session.catalogs.all()[1].history.now().catalog;
    let package = catalog.package("beacon-operator").unwrap();
    let definition = package.definition().unwrap();
    assert_eq!(definition.description.as_ref().unwrap().value, "Lights for harbours.");
    assert_eq!(definition.icon.as_ref().unwrap().media_type, "image/png");
    assert_eq!(package.default_channel().unwrap().as_str(), "stable");
    assert_eq!(last_entry(&hand, 1, "stable"), "beacon-operator.v1.3.2");
    hand.press("6");
    assert!(hand.shows("Effects in v4.20") && hand.shows("No upgrade changes."), "{}", hand.screen());
}

/// On the cell of a catalog that lacks the package, the head of the nearest catalog that has it is offered.
#[test]
fn absent_package_is_released_from_the_nearest_catalog() {
    let other = package_yaml("ship", &[("stable", "- name: ship.v1.0.0\n")], &["1.0.0"]);
    let catalogs =
        [("v4.18", other.clone()), ("v4.20", beacon_catalog("1.3.2")), ("v4.22", beacon_catalog("1.3.9"))];
    let mut hand = open_catalogs(&catalogs, (120, 36));
    answer_overview_requests(&mut hand);
    hand.press("/ 'beacon' enter p");
    assert!(hand.shows("Release beacon-operator.v1.3.2"), "{}", hand.screen());
    assert!(hand.shows(">[ ] v4.18  stable"), "{}", hand.screen());
    hand.press("space enter");
    assert!(hand.shows("released beacon-operator.v1.3.2 to channel stable"), "{}", hand.screen());
    assert_eq!(last_entry(&hand, 0, "stable"), "beacon-operator.v1.3.2");
    // The highlighted package is the selected one, before and after the edit is undone.
    let selected = |hand: &ExplorerDriver| hand.model.session.selection().package.clone();
    assert_eq!(selected(&hand).unwrap().as_str(), "beacon-operator");
    hand.press("u");
    assert!(hand.shows(">beacon-operator[-"), "{}", hand.screen());
    hand.press("ctrl-r");
    assert_eq!(selected(&hand).unwrap().as_str(), "beacon-operator");

    // Without a single head nothing is offered, and a dialog for a directory would be a surprise.
    let headless = beacon_catalog("1.3.2").replace("  replaces: beacon-operator.v1.3.0\n", "");
    let mut hand = open_catalogs(&[("v4.18", other), ("v4.20", headless)], (120, 36));
    answer_overview_requests(&mut hand);
    hand.press("/ 'beacon' enter p");
    assert!(hand.shows("does not have a single head with a bundle"), "{}", hand.screen());
}

/// Upgrades on v1 belong to no channel, so no row counts them.
#[test]
fn row_without_classic_changes_does_not_hide_those_on_v1() {
    let entries = "- name: kettle.v1.2.0\n  replaces: kettle.v1.0.0\n- name: kettle.v1.0.0\n";
    let channels =
        [("stable", "- name: kettle.v2.0.0\n"), ("old", entries), ("beta", "- name: kettle.v1.1.0\n")];
    let yaml = package_yaml("kettle", &channels, &["2.0.0", "1.2.0", "1.1.0", "1.0.0"]);
    let mut hand = ExplorerDriver::open_yaml(&yaml, 120, 36);
    hand.press("l g j l p");
    assert!(hand.shows("Release kettle.v1.1.0"), "{}", hand.screen());
    assert!(
        hand.shows("[x] old     below 1.2.0, skipped  replaces 1.0.0  no Classic upgrade changes"),
        "{}",
        hand.screen()
    );
    assert!(hand.shows("v1      1.1.0: stays => 1.2.0"), "{}", hand.screen());
}

/// The notice names the catalog if it is not clear which one changed.
#[test]
fn notice_names_the_changed_catalog() {
    let mut hand = open_three_catalogs(120, 36);
    open_new_bundle_dialog(&mut hand);
    // Only the last catalog stays chosen.
    hand.press("space j space enter");
    assert!(hand.shows("to channel stable in v4.22"), "{}", hand.screen());
}

#[test]
fn text_that_is_no_image_reference_is_an_error() {
    let mut hand = open_three_catalogs(120, 36);
    hand.press("p");
    hand.send(Msg::Paste(BUNDLE.to_owned()));
    hand.press("enter");
    answer_last_effect(&mut hand);
    hand.press("'bad' space 'image' enter");
    answer_last_effect(&mut hand);
    assert!(hand.shows("not an image reference: ") && !hand.shows("is a tag"), "{}", hand.screen());
}

/// A package without an earlier state has no upgrades that differ.
#[test]
fn package_of_a_first_release_is_new() {
    let mut hand = ExplorerDriver::open_yaml(
        &package_yaml("ship", &[("stable", "- name: ship.v1.0.0\n")], &["1.0.0"]),
        120,
        36,
    );
    open_new_bundle_dialog(&mut hand);
    hand.press("space enter 1 / 'beacon' enter 2");
    assert!(hand.shows("unsaved edits: new package"), "{}", hand.screen());
}

#[test]
fn edges_come_from_the_channel_the_csv_or_input() {
    let mut hand = open_three_catalogs(160, 40);
    open_new_bundle_dialog(&mut hand);
    assert!(hand.shows("like 1.3.2: replaces 1.3.2, >=1.0.0 <1.4.0"), "{}", hand.screen());
    // The head in the last catalog differs from the one in the CSV.
    let conflict = "v4.22 stable: the CSV replaces beacon-operator.v1.3.2, the entry beacon-operator.v1.3.9";
    assert!(hand.shows(conflict), "{}", hand.screen());
    // One key changes all rows.
    hand.press("r");
    assert!(hand.shows("edges: replaces") && !hand.shows("like 1.3.2"), "{}", hand.screen());
    hand.press("r");
    assert_eq!(
        hand.screen().matches("as the CSV: replaces 1.3.2, >=1.2.0 <1.4.0").count(),
        6,
        "{}",
        hand.screen()
    );
    hand.press("j j j j e ctrl-u '>=1.0.0' enter");
    assert!(hand.shows("as the CSV: replaces 1.3.2, >=1.0.0  "), "{}", hand.screen());
    hand.press("e ctrl-u '>=x' enter");
    assert!(hand.shows("skipRange") && !hand.shows("range >=x"), "stays in the field: {}", hand.screen());
    hand.press("esc enter");
    let range = |catalog| last_entry(&hand, catalog, "stable");
    assert_eq!(range(0), "beacon-operator.v1.4.0 replaces beacon-operator.v1.3.2 range >=1.2.0 <1.4.0");
    assert_eq!(range(2), "beacon-operator.v1.4.0 replaces beacon-operator.v1.3.2 range >=1.0.0");
}

/// The only entry of a channel has no edges in any form.
#[test]
fn equal_forms_of_edges_are_not_offered() {
    let entries = [("stable", "- name: ship.v1.0.0\n")];
    let mut hand = ExplorerDriver::open_yaml(&package_yaml("ship", &entries, &["1.0.0"]), 120, 36);
    hand.press("l l p n 'fast' enter r");
    assert!(hand.shows("the other forms give the same edges"), "{}", hand.screen());
    assert!(hand.shows("fast"), "{}", hand.screen());
}

#[test]
fn new_channel_is_created_in_every_catalog_without_it() {
    let mut hand = open_three_catalogs(100, 30);
    open_new_bundle_dialog(&mut hand);
    hand.press("n enter");
    assert!(hand.shows("a channel needs a name"), "{}", hand.screen());
    hand.press("'fast' enter enter");
    assert!(hand.shows("to channels fast and stable"), "{}", hand.screen());
    assert!((0..3).all(|catalog| last_entry(&hand, catalog, "fast") == "beacon-operator.v1.4.0"));
}

#[test]
fn invalid_bundle_shows_reason_and_keeps_input() {
    let mut hand = open_three_catalogs(80, 24);
    hand.press("p enter");
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
    hand.press("p");
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
    hand.press("p");
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
    assert!(hand.shows(">=1.0.0 <1.4.0"), "the proposed range: {}", hand.screen());
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
    hand.press("p");
    assert!(hand.model.dialogs.is_empty() && hand.shows("olmap CATALOG OPERATORS"), "{}", hand.screen());
}

/// Returns a catalog with releases 1.1.0, 1.2.3 and 1.3.0 in channels, and 1.2.4 in the last one if `has_fix`.
fn stream_catalog(channels: &[&str], has_fix: bool) -> String {
    let mut text = format!("schema: olm.package\nname: beacon-operator\ndefaultChannel: {}\n", channels[0]);
    for channel in channels {
        let _ = write!(
            text,
            "---\nschema: olm.channel\npackage: beacon-operator\nname: {channel}\nentries:\n- name: \
             beacon-operator.v1.1.0\n- name: beacon-operator.v1.2.3\n  replaces: beacon-operator.v1.1.0\n- name: \
             beacon-operator.v1.3.0\n  replaces: beacon-operator.v1.2.3\n"
        );
    }
    if has_fix {
        text.push_str(
            "  skips: [beacon-operator.v1.2.4]\n- name: beacon-operator.v1.2.4\n  replaces: beacon-operator.v1.2.3\n",
        );
    }
    for version in ["1.1.0", "1.2.3", "1.3.0"].into_iter().chain(has_fix.then_some("1.2.4")) {
        text.push_str("---\n");
        text.push_str(&bundle_text(version));
    }
    text
}

pub fn image(version: &str) -> String {
    let digest: String = version.replace('.', "").repeat(32).chars().take(64).collect();
    format!("quay.io/harbour/beacon@sha256:{digest}")
}

pub fn bundle_text(version: &str) -> String {
    format!(
        "schema: olm.bundle\npackage: beacon-operator\nname: beacon-operator.v{version}\nimage: {}\nproperties:\n- \
         type: olm.package\n  value:\n    packageName: beacon-operator\n    version: {version}\n",
        image(version)
    )
}

/// Opens three catalogs and the semver template of the same releases. With `has_fix`, the first catalog has 1.2.4.
pub fn open_stream(has_fix: bool, size: (u16, u16)) -> ExplorerDriver {
    let channels = ["stable", "fast", "candidate"];
    let names = ["v4.18", "v4.20", "v4.22"];
    let mut sources: Vec<Source> = names.iter().map(|name| Source::Path((*name).into())).collect();
    sources.push(Source::Path("beacon/semver.yaml".into()));
    let mut hand = ExplorerDriver::before_loading(sources.clone(), Settings::default(), size.0, size.1);
    let has_fix_there = |name: &str| has_fix && name == "v4.18";
    let catalogs = names.map(|name| snapshot_from_text(name, stream_catalog(&channels, has_fix_there(name))));
    let list = |name: &str| {
        let images = ["1.1.0", "1.2.3", "1.3.0"].map(|version| format!("  - image: {}\n", image(version)));
        format!("{name}:\n  bundles:\n{}", images.concat())
    };
    let template =
        format!("schema: olm.semver\ngenerateMajorChannels: true\n{}{}", list("fast"), list("stable"));
    let template = load::from_bytes(template.into_bytes());
    let template = template.with_known_bundles_of(&catalogs[0].catalog);
    let snapshots = catalogs.into_iter().chain([Arc::new(Snapshot::new(template))]);
    let outcomes = snapshots.zip(sources).map(|(snapshot, source)| LoadOutcome {
        source,
        result: Ok(snapshot),
        recoverable_edits: None,
    });
    hand.finish_loads(outcomes.collect());
    hand
}

/// Returns the bytes of all files of all catalogs.
pub fn all_bytes(hand: &ExplorerDriver) -> Vec<Vec<u8>> {
    let catalogs = hand.model.session.catalogs.all().iter();
    catalogs
        .flat_map(|open| open.history.now().catalog.files().to_vec())
        .map(|file| file.current_bytes())
        .collect()
}

pub fn entry_edges(hand: &ExplorerDriver, catalog: usize, channel: &str, version: &str) -> Option<EntrySpec> {
    let now = hand.model.session.catalogs.all()[catalog].history.now().clone();
    let package = now.package("beacon-operator")?.package().clone();
    let entries = &package.channel(channel)?.entries;
    let name = format!("beacon-operator.v{version}");
    entries.iter().find(|entry| entry.name.value == name.as_str()).map(olm_catalog::blob::Entry::to_spec)
}

#[test]
fn fix_of_an_older_minor_is_released_everywhere_with_few_keys() {
    let mut hand = open_stream(false, (120, 36));
    let before = all_bytes(&hand);
    let mut keys = 0;
    let mut press = |hand: &mut ExplorerDriver, script: &str| {
        keys += script.split(' ').count();
        hand.press(script);
    };
    press(&mut hand, "p");
    hand.send(Msg::Paste("bundle.yaml".to_owned()));
    press(&mut hand, "enter");
    let asked = hand.effects.last().and_then(Effect::question::<NewBundleRequest>).unwrap();
    let new = olm_source::new_bundle_of(bundle_text("1.2.4").into_bytes(), "").unwrap();
    hand.answer(asked, Ok(Arc::new(new)));
    assert_eq!(hand.screen().matches("below 1.3.0, skipped").count(), 9, "{}", hand.screen());
    press(&mut hand, "enter");
    assert!(
        hand.shows("released beacon-operator.v1.2.4 to 9 channels and 2 lists in 4 catalogs"),
        "{}",
        hand.screen()
    );
    assert!(keys < 20, "{keys} keys");
    for catalog in 0..3 {
        for channel in ["stable", "fast", "candidate"] {
            let fix = entry_edges(&hand, catalog, channel, "1.2.4").unwrap();
            assert_eq!(fix.replaces.unwrap(), "beacon-operator.v1.2.3");
            let head = entry_edges(&hand, catalog, channel, "1.3.0").unwrap();
            assert_eq!(head.skips, ["beacon-operator.v1.2.4"]);
        }
    }
    let template = String::from_utf8(all_bytes(&hand).pop().unwrap()).unwrap();
    assert_eq!(template.matches(&image("1.2.4")).count(), 2, "{template}");
    hand.press("u");
    assert_eq!(all_bytes(&hand), before);
}

/// Opens the dialog for 1.2.4, which is only in the channel `candidate` of the first catalog.
pub fn open_release_of_fix(size: (u16, u16)) -> ExplorerDriver {
    let mut hand = open_stream(true, size);
    hand.press("ctrl-p 'beacon-operator.v1.2.4' enter p");
    assert!(hand.shows("Release beacon-operator.v1.2.4"), "{}", hand.screen());
    hand
}

#[test]
fn bundle_of_a_catalog_at_three_sizes() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = open_release_of_fix((columns, rows));
        let first = hand.screen();
        hand.press("s s enter");
        insta::assert_snapshot!(format!("stream_{columns}x{rows}"), format!("{first}\n{}", hand.screen()));
    }
}

#[test]
fn catalogs_without_the_bundle_get_it_from_the_current_one() {
    let mut hand = open_release_of_fix((120, 36));
    let before = all_bytes(&hand);
    assert!(hand.shows("is already an entry"), "{}", hand.screen());
    hand.press("enter");
    assert!(
        hand.shows("released beacon-operator.v1.2.4 to 8 channels and 2 lists in 4 catalogs"),
        "{}",
        hand.screen()
    );
    let added = String::from_utf8(all_bytes(&hand)[1].clone()).unwrap();
    assert!(added.contains(&image("1.2.4")), "{added}");
    hand.press("u");
    assert!(hand.shows("undone in 4 catalogs"), "{}", hand.screen());
    assert_eq!(all_bytes(&hand), before);
}

#[test]
fn downgrade_is_confirmed_by_a_second_enter() {
    let mut hand = open_release_of_fix((120, 36));
    hand.press("s");
    assert!(hand.shows("step below 1.3.0"), "{}", hand.screen());
    hand.press("s");
    assert!(hand.shows("DOWNGRADE from 1.3.0"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("DOWNGRADE in v4.18 stable: installations of 1.3.0"), "{}", hand.screen());
    assert!(hand.shows("fresh installs get 1.2.4 instead of 1.3.0"), "{}", hand.screen());
    // Any other key takes the confirmation back.
    hand.press("down enter");
    assert_eq!(hand.model.dialogs.len(), 1, "asked again: {}", hand.screen());
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
    hand.press("enter");
    assert!(hand.model.dialogs.is_empty(), "{}", hand.screen());
    let edges = entry_edges(&hand, 0, "stable", "1.2.4").unwrap();
    assert_eq!(edges.replaces.unwrap(), "beacon-operator.v1.3.0");
}

#[test]
fn escape_asks_before_it_drops_choices() {
    let mut hand = open_release_of_fix((120, 36));
    hand.press("esc");
    assert!(hand.model.dialogs.is_empty(), "nothing was chosen: {}", hand.screen());
    let mut hand = open_release_of_fix((120, 36));
    hand.press("space esc");
    assert!(hand.shows("esc again closes this without applying your choices"), "{}", hand.screen());
    // Any other key continues.
    hand.press("down esc");
    assert_eq!(hand.model.dialogs.len(), 1, "asked again: {}", hand.screen());
    hand.press("esc");
    assert!(hand.model.dialogs.is_empty(), "{}", hand.screen());
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}

#[test]
fn step_in_the_chain_changes_the_entry_above() {
    let mut hand = open_release_of_fix((120, 36));
    hand.press("s enter");
    let above = entry_edges(&hand, 0, "stable", "1.3.0").unwrap();
    assert_eq!(above.replaces.unwrap(), "beacon-operator.v1.2.4");
    assert_eq!(above.skip_range.as_deref(), Some(">=1.2.3 <1.3.0"));
    assert!(above.skips.is_empty());
}

#[test]
fn reserved_row_is_not_chosen_and_says_why() {
    let mut text = stream_catalog(&["stable"], false);
    text.push_str("---\n");
    text.push_str(&bundle_text("1.0.0"));
    text.push_str(
        "---\nschema: olm.channel\npackage: beacon-operator\nname: old\nentries:\n- name: beacon-operator.v1.0.0\n",
    );
    let mut hand = open_catalogs(&[("v4.18", text)], (120, 36));
    hand.press("ctrl-p 'beacon-operator.v1.0.0' enter p");
    assert!(hand.shows("[ ] stable") && hand.shows("too old for this channel"), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("no channel selected"), "{}", hand.screen());
    hand.press("space enter");
    assert_eq!(entry_edges(&hand, 0, "stable", "1.3.0").unwrap().skips.len(), 0);
    assert_eq!(entry_edges(&hand, 0, "stable", "1.1.0").unwrap().skips, ["beacon-operator.v1.0.0"]);
}

#[test]
fn active_what_if_refuses_a_catalog() {
    let mut hand = open_release_of_fix((120, 36));
    hand.press("esc >");
    hand.press("ctrl-p 'beacon-operator.v1.1.0' enter 2 W l");
    assert!(hand.model.session.catalogs.what_if().is_some(), "{}", hand.screen());
    hand.press("< 1 ctrl-p 'beacon-operator.v1.2.4' enter p");
    assert!(hand.shows("a what-if is active there"), "{}", hand.screen());
}

#[test]
fn added_entry_of_an_older_version_is_skipped_by_the_next_one() {
    let mut hand = open_release_of_fix((120, 36));
    hand.press("esc 1 h / 'stable' enter a '1.2.4' enter");
    assert!(hand.shows("Add beacon-operator.v1.2.4 to stable"), "{}", hand.screen());
    hand.press("enter");
    let fix = entry_edges(&hand, 0, "stable", "1.2.4").unwrap();
    assert_eq!(fix.replaces.unwrap(), "beacon-operator.v1.2.3");
    let head = entry_edges(&hand, 0, "stable", "1.3.0").unwrap();
    assert_eq!(head.skips, ["beacon-operator.v1.2.4"]);
}

#[test]
fn write_protected_catalog_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalog.yaml");
    std::fs::write(&path, beacon_catalog("1.3.2")).unwrap();
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let catalog = load::open_catalog(&path).unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(path), catalog, 120, 36);
    open_new_bundle_dialog(&mut hand);
    assert!(hand.shows("Not possible:") && hand.shows("is write-protected"), "{}", hand.screen());
    assert!(!hand.shows("enter apply") && hand.shows("esc cancel"), "{}", hand.screen());
    hand.press("enter");
    assert_eq!(hand.model.dialogs.len(), 1);
    assert_eq!(hand.model.session.catalogs.unsaved_count(), 0);
}

#[test]
fn notice_names_the_command_that_renders_a_catalog() {
    let root = super::other_catalogs::create_repository();
    let mut hand = super::other_catalogs::open_repository(root.path(), 160, 40);
    hand.press("l l g p");
    let command = "then render it again with olmap template render ";
    assert!(hand.shows("v4.18: also release it in"), "{}", hand.screen());
    hand.press("enter");
    let said = hand.model.notices.transient.as_ref().unwrap().display_text();
    assert!(said.starts_with("released ship.v1.1.0 to channels stable and tested in 3 catalogs"), "{said}");
    assert!(said.contains(command) && said.ends_with("catalogs/v4.18/ship/catalog.yaml"), "{said}");
    // With the template among the open catalogs, only catalogs that do not change have to be rendered.
    hand.press("u T");
    super::other_catalogs::finish_requested_load(&mut hand);
    hand.press("1 ctrl-p 'ship.v1.1.0' space 'v4.18' enter p");
    assert!(!hand.shows("also release it in"), "{}", hand.screen());
    hand.press("space pgdn");
    assert!(hand.shows("v4.18: render it from"), "{}", hand.screen());
}

/// Returns a catalog with a chain of `count` entries.
fn chain_catalog(count: usize) -> String {
    let mut text =
        "schema: olm.package\nname: beacon-operator\ndefaultChannel: stable\n---\nschema: olm.channel\n\
                    package: beacon-operator\nname: stable\nentries:\n- name: beacon-operator.v1.0.0\n"
            .to_owned();
    for patch in 1..count {
        let below = patch - 1;
        let _ =
            write!(text, "- name: beacon-operator.v1.0.{patch}\n  replaces: beacon-operator.v1.0.{below}\n");
    }
    for patch in 0..count {
        text.push_str("---\n");
        text.push_str(&bundle_text(&format!("1.0.{patch}")));
    }
    text
}

#[test]
fn previews_of_large_catalogs_are_computed_in_the_background() {
    let catalogs = ["v4.18", "v4.20"].map(|name| (name, chain_catalog(900)));
    let mut hand = open_catalogs(&catalogs, (120, 36));
    open_new_bundle_dialog(&mut hand);
    for _ in 0..2 {
        assert!(hand.shows("Working out what it changes"), "{}", hand.screen());
        let asked = hand.take_request::<PreviewRequest>().unwrap();
        assert!(hand.take_request::<PreviewRequest>().is_none(), "one at a time");
        let preview = asked.compute_preview();
        hand.answer(asked, preview);
    }
    assert!(!hand.shows("Working out what it changes"), "{}", hand.screen());
    hand.press("enter");
    assert!(
        hand.shows("released beacon-operator.v1.4.0 to channel stable in 2 catalogs"),
        "{}",
        hand.screen()
    );
}

/// OLM Classic does not install a bundle that needs a newer Kubernetes than the OpenShift version of the catalog has.
#[test]
fn bundle_that_needs_newer_kubernetes_is_warned_about() {
    let csv = "- type: olm.csv.metadata\n  value: {minKubeVersion: 1.33.5}\n";
    let new = package_yaml("ship", &[("stable", "- name: ship.v1.0.0\n")], &["1.0.0"]) + csv;
    let raft = || package_yaml("raft", &[("stable", "- name: raft.v1.0.0\n")], &["1.0.0"]);
    let mut hand = open_catalogs(&[("v4.18", raft()), ("v4.19", raft()), ("v4.20", new)], (120, 36));
    answer_overview_requests(&mut hand);
    hand.press("/ 'ship' enter p space");
    let words = "it needs Kubernetes 1.33.5, OpenShift 4.18 has 1.31";
    assert!(hand.shows(words), "{}", hand.screen());
}

/// A catalog without the package can get all of it.
#[test]
fn whole_package_is_copied_to_a_catalog_without_it() {
    let raft = package_yaml("raft", &[("stable", "- name: raft.v1.0.0\n")], &["1.0.0"]);
    let mut hand = open_catalogs(&[("old", raft), ("new", beacon_catalog("1.3.2"))], (120, 36));
    answer_overview_requests(&mut hand);
    hand.press("/ 'beacon' enter p j");
    let rows = |hand: &ExplorerDriver| hand.screen().matches("[x]").count();
    assert!(hand.shows("whole package  1 channel, 2 bundles") && rows(&hand) == 0, "{}", hand.screen());
    // A channel and the whole package exclude each other.
    hand.press("space");
    assert!(hand.shows(">[x] old  whole package"), "{}", hand.screen());
    hand.press("k space");
    assert!(hand.shows("[x] old  stable") && rows(&hand) == 1, "{}", hand.screen());
    // The cursor is on the next row.
    hand.press("space");
    assert!(hand.shows(">[x] old  whole package") && rows(&hand) == 1, "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("copied package beacon-operator in old"), "{}", hand.screen());
    let catalog = |at: usize| hand.model.session.catalogs.all()[at].visible_state().clone();
    let beacon = |at: usize| catalog(at).catalog.package("beacon-operator").unwrap().clone();
    let (copy, original) = (beacon(0), beacon(1));
    assert_eq!((copy.channels.len(), copy.bundles.len()), (original.channels.len(), original.bundles.len()));
}
