//! Tests of the list of open catalogs.

use std::sync::Arc;

use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::tui::{LoadOutcome, Source, UserError, session::accepted_findings::AcceptedRequest};

use super::support::{ExplorerDriver, settings};

const SHIP_CATALOG: &str = "\
{schema: olm.package, name: ship, defaultChannel: stable}
---
{schema: olm.channel, package: ship, name: stable, entries: [{name: ship.v1.1.0, replaces: ship.v1.0.0}, {name: ship.v1.0.0}]}
---
{schema: olm.channel, package: ship, name: tested, entries: [{name: ship.v1.0.0}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.1.0, image: 'example.com/ship:1.1.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.1.0}}]}
---
{schema: olm.bundle, package: ship, name: ship.v1.0.0, image: 'example.com/ship:1.0.0', properties: [{type: olm.package, value: {packageName: ship, version: 1.0.0}}]}
";

fn catalog_source(name: &str) -> Source {
    Source::Path(format!("catalogs/{name}").into())
}

fn snapshot_from_yaml(yaml: &str) -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(yaml.as_bytes().to_vec())))
}

/// Opens three catalogs, the second with errors, and a missing one.
pub fn open_four_catalogs(columns: u16, rows: u16) -> ExplorerDriver {
    let names = ["v4.18", "v4.20", "v4.22", "v4.24"];
    let mut hand =
        ExplorerDriver::before_loading(names.map(catalog_source).to_vec(), settings(), columns, rows);
    let broken = SHIP_CATALOG.replace("replaces: ship.v1.0.0", "replaces: ship.v0.9.0");
    let missing = Err(UserError { message: "there is no such file".to_owned(), hint: None });
    let results = [
        Ok(snapshot_from_yaml(SHIP_CATALOG)),
        Ok(snapshot_from_yaml(&broken)),
        Ok(snapshot_from_yaml(SHIP_CATALOG)),
        missing,
    ];
    let outcomes = names.into_iter().zip(results);
    let outcomes = outcomes
        .map(|(name, result)| LoadOutcome { source: catalog_source(name), result, recoverable_edits: None })
        .collect();
    hand.finish_loads(outcomes);
    hand.press("esc");
    hand
}

#[test]
fn list_shows_states_and_enter_opens_the_catalog() {
    let mut hand = open_four_catalogs(100, 24);
    hand.press("l j s enter O");
    insta::assert_snapshot!("open_catalogs_100x24", hand.screen());
    hand.press("down enter");
    assert_eq!(hand.model.session.catalogs.current_index(), 1);
    assert_eq!(hand.model.session.selection().package.as_ref().unwrap(), "ship", "at the same names");
    hand.press("[");
    assert_eq!(hand.model.session.catalogs.current_index(), 0, "it is a jump");
}

#[test]
fn typing_filters_and_unopened_catalog_shows_reason() {
    let mut hand = open_four_catalogs(80, 24);
    hand.press("O '4.2' down down");
    insta::assert_snapshot!("open_catalogs_filtered_80x24", hand.screen());
    hand.press("enter");
    assert!(!hand.model.dialogs.is_empty(), "one does not go where nothing is");
    hand.press("up enter");
    assert_eq!(hand.model.session.catalogs.current_index(), 2);
    hand.press("O 'nowhere' enter");
    assert!(hand.shows("nothing matches"), "{}", hand.screen());
}

#[test]
fn key_is_shown_in_header_and_hints_if_several_catalogs_are_open() {
    let mut hand = open_four_catalogs(100, 24);
    assert!(hand.shows("O [1/3]"), "{}", hand.screen());
    assert!(hand.shows("O catalogs"), "{}", hand.screen());
    hand.press("? 'open'");
    assert!(hand.shows("open catalog: List the open catalogs"), "{}", hand.screen());
}

#[test]
fn list_with_one_catalog_explains_how_to_open_more() {
    let mut hand = ExplorerDriver::demo(80, 24);
    assert!(!hand.shows("O catalogs"), "{}", hand.screen());
    hand.press("O");
    assert!(hand.shows("To open several: olmap PATH PATH"), "{}", hand.screen());
}

#[test]
fn problems_stay_visible_in_narrow_terminals() {
    let mut hand = open_four_catalogs(50, 15);
    hand.press("O");
    insta::assert_snapshot!("open_catalogs_50x15", hand.screen());
}

#[test]
fn unread_catalog_is_marked_as_reading() {
    let names = ["v4.18", "v4.20"];
    let mut hand = ExplorerDriver::before_loading(names.map(catalog_source).to_vec(), settings(), 80, 24);
    hand.load_partially(catalog_source("v4.18"), snapshot_from_yaml(SHIP_CATALOG));
    hand.press("O");
    assert!(hand.shows("v4.20  reading"), "{}", hand.screen());
}

#[test]
fn accepted_findings_are_not_counted_in_any_catalog() {
    let mut hand = open_four_catalogs(100, 24);
    hand.press("O");
    assert!(hand.shows("[2] v4.20  1 package   1 error"), "{}", hand.screen());
    hand.press("esc >");
    let outcome = Ok(Some(super::accepted_findings::baseline_accepting(&hand, |_| true, "")));
    hand.press("<");
    let asked = AcceptedRequest { source: catalog_source("v4.20"), path: "baseline.yaml".into() };
    hand.answer(Arc::new(asked), outcome);
    hand.press("O");
    assert!(hand.shows("[2] v4.20  1 package  0 errors"), "{}", hand.screen());
}
