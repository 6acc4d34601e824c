//! Tests of restoring the last position in a catalog.

use std::{path::PathBuf, sync::Arc};

use olm_catalog::load::{self, Progress};
use olm_check::review::Snapshot;
use olmap::tui::{
    Screen, Settings, Source,
    session::navigation::{LastPlace, Pane, Selection},
};

use super::support::ExplorerDriver;

fn catalog_path() -> PathBuf {
    PathBuf::from("catalog.json")
}

fn catalog_source() -> Source {
    Source::Path(catalog_path())
}

/// Returns a package with two channels; `blanks` makes it long.
fn padded_package(name: &str, blanks: usize) -> String {
    let blanks = " ".repeat(blanks);
    let channel = |channel: &str| {
        format!(
            "{{\"schema\":\"olm.channel\",\"package\":\"{name}\",\"name\":\"{channel}\",\"entries\":[{{\"name\":\"{name}.v1.1.0\",\"replaces\":\"{name}.v1.0.0\"}},{{\"name\":\"{name}.v1.0.0\"}}]}}\n"
        )
    };
    let bundle = |version: &str| {
        format!(
            "{{\"schema\":\"olm.bundle\",\"package\":\"{name}\",\"name\":\"{name}.v{version}\",\"image\":\"example.com/{name}\",{blanks}\"properties\":[{{\"type\":\"olm.package\",\"value\":{{\"packageName\":\"{name}\",\"version\":\"{version}\"}}}}]}}\n"
        )
    };
    format!(
        "{{\"schema\":\"olm.package\",\"name\":\"{name}\",\"defaultChannel\":\"stable\"}}\n{}{}{}{}",
        channel("beta"),
        channel("stable"),
        bundle("1.0.0"),
        bundle("1.1.0")
    )
}

fn snapshot_with_packages(names: &[&str]) -> Arc<Snapshot> {
    let text: String = names.iter().map(|name| padded_package(name, 0)).collect();
    Arc::new(Snapshot::new(load::from_bytes(text.into_bytes())))
}

fn last_position(screen: Screen, [package, channel, bundle]: [&str; 3]) -> LastPlace {
    let selection = Selection {
        package: Some(package.into()),
        channel: Some(channel.into()),
        bundle: Some(bundle.into()),
    };
    LastPlace { screen, pane: Pane::Entries, selection }
}

/// Starts an explorer with a saved position.
fn start_at_position(to: LastPlace) -> ExplorerDriver {
    let mut hand = ExplorerDriver::before_loading(vec![catalog_source()], Settings::default(), 100, 20);
    hand.model.session.navigation.restore_place(catalog_path(), to);
    hand
}

fn selected_names(hand: &ExplorerDriver) -> [String; 3] {
    let Selection { package, channel, bundle } = hand.model.session.selection().clone();
    [package.unwrap().to_string(), channel.unwrap().to_string(), bundle.unwrap().to_string()]
}

#[test]
fn position_is_restored_and_saved() {
    let to = last_position(Screen::Graph, ["loom", "beta", "loom.v1.0.0"]);
    let mut hand = start_at_position(to.clone());
    hand.finish_loading(catalog_source(), Ok(snapshot_with_packages(&["kiln", "loom"])));
    assert_eq!(selected_names(&hand), ["loom", "beta", "loom.v1.0.0"]);
    assert!(hand.shows("[2 Graph]") && hand.shows("beta: 2 entries"), "{}", hand.screen());
    assert!(hand.shows("back at loom, where the last session ended"), "{}", hand.screen());
    assert_eq!(hand.model.session.last_places(), [(catalog_path(), to)]);
    hand.press("1 h");
    assert!(!hand.shows("where the last session ended"), "{}", hand.screen());
    assert_eq!(hand.model.session.last_places()[0].1.pane, Pane::Channels);
}

/// No notice says so if the explorer starts there anyway.
#[test]
fn position_at_the_start_is_restored_without_a_notice() {
    for (package, has_notice) in [("kiln", false), ("loom", true)] {
        let head = format!("{package}.v1.1.0");
        let mut hand = start_at_position(last_position(Screen::Packages, [package, "stable", &head]));
        hand.finish_loading(catalog_source(), Ok(snapshot_with_packages(&["kiln", "loom"])));
        assert_eq!(hand.shows("where the last session ended"), has_notice, "{}", hand.screen());
    }
}

#[test]
fn missing_selection_falls_back_to_the_nearest_item() {
    let to = |names| last_position(Screen::Upgrades, names);
    let mut hand = start_at_position(to(["loom", "beta", "loom.v0.1.0"]));
    hand.finish_loading(catalog_source(), Ok(snapshot_with_packages(&["kiln", "loom"])));
    assert_eq!(selected_names(&hand), ["loom", "beta", "loom.v1.1.0"], "the head of the channel");
    let mut hand = start_at_position(to(["loom", "alpha", "loom.v0.1.0"]));
    hand.finish_loading(catalog_source(), Ok(snapshot_with_packages(&["kiln", "loom"])));
    assert_eq!(selected_names(&hand), ["loom", "stable", "loom.v1.1.0"], "the default channel");
    let mut hand = start_at_position(to(["mill", "beta", "mill.v1.0.0"]));
    hand.finish_loading(catalog_source(), Ok(snapshot_with_packages(&["kiln", "loom"])));
    assert_eq!(selected_names(&hand), ["kiln", "stable", "kiln.v1.1.0"], "the start");
    assert!(hand.shows("[1 Packages]") && !hand.shows("last session"), "{}", hand.screen());
}

/// Returns the partial snapshots of a long catalog, and the complete one.
fn partial_and_complete_snapshots() -> (Vec<Arc<Snapshot>>, Arc<Snapshot>) {
    let bytes = ["kiln", "loom", "mill"].map(|name| padded_package(name, 3_000_000)).concat().into_bytes();
    let mut shown: Vec<Arc<Snapshot>> = Vec::new();
    let whole = load::from_bytes_incremental(bytes, &Progress::default(), &mut |catalog| {
        shown.push(Arc::new(Snapshot::from_partial(shown.last().map(|s| &**s), catalog)));
    });
    (shown, Arc::new(Snapshot::new(whole.unwrap())))
}

fn send_partial(hand: &mut ExplorerDriver, snapshot: &Arc<Snapshot>) {
    hand.load_partially(catalog_source(), snapshot.clone());
}

#[test]
fn position_in_unread_packages_is_restored_after_loading() {
    let (shown, whole) = partial_and_complete_snapshots();
    let mut hand = start_at_position(last_position(Screen::Graph, ["mill", "beta", "mill.v1.0.0"]));
    let mut early = 0;
    for snapshot in &shown {
        send_partial(&mut hand, snapshot);
        early += usize::from(selected_channel(&hand).is_none_or(|channel| channel != "beta"));
    }
    assert!(early > 0, "it was there at once: nothing was waited for");
    hand.finish_loading(catalog_source(), Ok(whole));
    assert_eq!(selected_names(&hand), ["mill", "beta", "mill.v1.0.0"]);
    assert!(hand.shows("[2 Graph]"), "{}", hand.screen());
}

fn selected_channel(hand: &ExplorerDriver) -> Option<String> {
    hand.model.session.selection().channel.as_ref().map(ToString::to_string)
}

#[test]
fn keys_during_loading_cancel_restoring_the_position() {
    let (shown, whole) = partial_and_complete_snapshots();
    let mut hand = start_at_position(last_position(Screen::Graph, ["mill", "beta", "mill.v1.0.0"]));
    send_partial(&mut hand, &shown[0]);
    hand.press("1 h h g");
    let here = hand.model.session.selection().package.clone();
    for snapshot in &shown {
        send_partial(&mut hand, snapshot);
    }
    hand.finish_loading(catalog_source(), Ok(whole));
    assert_eq!(hand.model.session.selection().package, here);
    assert!(hand.shows("[1 Packages]"), "{}", hand.screen());
}

#[test]
fn position_is_kept_if_the_user_leaves_during_loading() {
    let (shown, _) = partial_and_complete_snapshots();
    let mut hand = start_at_position(last_position(Screen::Graph, ["mill", "beta", "mill.v1.0.0"]));
    assert!(hand.model.session.last_places().is_empty());
    send_partial(&mut hand, &shown[0]);
    assert!(hand.model.session.last_places().is_empty(), "nothing new is to be kept");
}

#[test]
fn early_keys_start_at_the_restored_position() {
    let mut hand = start_at_position(last_position(Screen::Packages, ["loom", "beta", "loom.v1.1.0"]));
    hand.press("j");
    hand.finish_loading(catalog_source(), Ok(snapshot_with_packages(&["kiln", "loom"])));
    assert_eq!(selected_names(&hand), ["loom", "beta", "loom.v1.0.0"]);
}

#[test]
fn no_position_is_saved_without_a_file() {
    assert!(ExplorerDriver::demo(100, 30).model.session.last_places().is_empty());
    assert!(
        ExplorerDriver::open_yaml(&padded_package("kiln", 0), 100, 30).model.session.last_places().is_empty()
    );
}
