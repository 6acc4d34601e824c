//! Tests of opening another catalog: the announced connection, the progress, and stopping.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::tui::{
    Effect, LoadOutcome, LoadProgress, Msg, Source, UserError,
    session::jobs::{dialog_questions::CompletionRequest, load::LoadRequest},
    work::{JobSlot, outcome::PathCompletions},
};

use super::support::ExplorerDriver;

const IMAGE: &str = "docker://quay.example/ns/cat:v1";
const SHIP_CATALOG: &[u8] =
    b"schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\n\
                      name: stable\nentries: [{name: ship.v1}]\n";

/// Returns the last requested sources.
fn last_load_request(hand: &ExplorerDriver) -> Option<Vec<Source>> {
    hand.last_request::<LoadRequest>().map(|asked| asked.sources.clone())
}

fn answer_load(hand: &mut ExplorerDriver, result: Result<Arc<Snapshot>, UserError>) {
    let sources = last_load_request(hand).unwrap();
    let outcome = LoadOutcome { source: sources[0].clone(), result, recoverable_edits: None };
    hand.finish_loads(vec![outcome]);
}

fn refused_access() -> Result<Arc<Snapshot>, UserError> {
    let why = "quay.example/ns/cat wants credentials, and there are none for it";
    Err(UserError::new(why).with_hint("podman login quay.example"))
}

#[test]
fn opening_a_catalog_at_three_sizes() {
    let mut all = String::new();
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::demo(columns, rows);
        hand.press("ctrl-o 'docker://' tab");
        let names = PathCompletions::from_names(
            vec!["quay.example/ns/cat:v1".into(), "registry.example/cat:v4.22".into()],
            0,
        );
        hand.answer(Arc::new(CompletionRequest { typed: "docker://".to_owned() }), Ok(names));
        let _ = write!(all, "== {columns}x{rows}: what was opened before\n{}", hand.screen());
        hand.press("'quay.example/ns/cat:v1'");
        let _ = write!(all, "== before a connection is opened\n{}", hand.screen());
        hand.press("enter");
        hand.send(Msg::WaitProgress(LoadProgress { files: 1, read: 1, bytes: 42_000_000 }));
        let _ = write!(all, "== while it is opened\n{}", hand.screen());
        answer_load(&mut hand, refused_access());
        let _ = write!(all, "== where it cannot be\n{}", hand.screen());
    }
    assert_snapshot!(all);
}

#[test]
fn connection_is_announced_and_catalog_opens_next_to_the_others() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("ctrl-o");
    for (typed, told) in [
        (IMAGE, "opens a connection to quay.example"),
        ("quay.example/ns/cat:v1", "opens a connection to quay.example"),
        ("https://catalogd.example:8443/catalogs/x", "opens a connection to catalogd.example:8443"),
        ("catalogs/v4.20", "reads all of it, writes nothing"),
        ("./quay.example/ns/cat:v1", "reads all of it, writes nothing"),
    ] {
        hand.press(&format!("ctrl-u '{typed}'"));
        assert!(hand.shows(told), "{typed}: {}", hand.screen());
    }
    hand.press("ctrl-u 'docker://q' tab");
    let names = PathCompletions::from_names(vec!["quay.example/ns/cat:v1".into()], 1);
    hand.answer(Arc::new(CompletionRequest { typed: "docker://q".to_owned() }), Ok(names));
    assert!(
        hand.shows("opens a connection to quay.example"),
        "also of what was completed: {}",
        hand.screen()
    );
    assert!(hand.requests::<LoadRequest>().is_empty());
    hand.press(&format!("ctrl-u '{IMAGE}' enter"));
    assert_eq!(last_load_request(&hand).unwrap(), [Source::Path(IMAGE.into())]);
    hand.press("ctrl-o");
    assert!(hand.shows("another catalog is being opened"), "{}", hand.screen());
    let catalog = load::from_bytes(SHIP_CATALOG.to_vec());
    answer_load(&mut hand, Ok(Arc::new(Snapshot::new(catalog))));
    assert!(hand.shows("open as [2/2]"), "{}", hand.screen());
    assert_eq!(hand.model.session.catalogs.current_index(), 1);
    hand.effects.clear();
    hand.press(&format!("[ ctrl-o '{IMAGE}' enter"));
    assert_eq!(hand.model.session.catalogs.current_index(), 1, "it is open already");
    assert!(last_load_request(&hand).is_none());
}

#[test]
fn escape_stops_opening_and_failed_source_is_removed() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press(&format!("ctrl-o '{IMAGE}' enter esc"));
    assert!(matches!(hand.effects.last(), Some(Effect::Stop(JobSlot::Load))), "{}", hand.screen());
    answer_load(&mut hand, refused_access());
    assert!(hand.shows("podman login quay.example"), "{}", hand.screen());
    assert_eq!(hand.model.session.catalogs.sources(), [Source::Demo]);
    assert_eq!(hand.model.session.catalogs.all().len(), 1);
}

#[test]
fn connection_for_a_base_is_announced_and_can_be_stopped() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("B g j j j j enter");
    assert!(hand.shows("Catalog to compare with"), "{}", hand.screen());
    hand.press(&format!("'{IMAGE}'"));
    assert!(hand.shows("opens a connection to quay.example"), "{}", hand.screen());
    hand.press("enter esc");
    let stops = |effect: &Effect| matches!(effect, Effect::Stop(JobSlot::Base(0)));
    assert!(hand.effects.iter().any(stops), "{}", hand.screen());
}
