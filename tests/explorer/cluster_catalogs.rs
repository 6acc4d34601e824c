//! Tests of catalogs that belong to the same cluster: OLM v1 chooses between them.

use std::sync::Arc;

use olm_catalog::load;
use olm_check::review::Snapshot;
use olm_upgrade::cluster::CatalogProperties;
use olmap::tui::{
    LoadOutcome, Settings, Source, UserError,
    session::cluster_members::{ClusterMember, ClusterUpgrade},
};

use super::support::{ExplorerDriver, settings};

/// Package with these entries in channel `stable`: `VERSION` or `VERSION replaces REPLACED`, newest first.
fn tide_catalog(entries: &[&str]) -> String {
    let mut listed = Vec::new();
    let mut bundles = String::new();
    for entry in entries {
        let mut words = entry.split(' ');
        let version = words.next().unwrap();
        let replaces = words.nth(1).map(|replaced| format!(", replaces: tide.v{replaced}"));
        listed.push(format!("{{name: tide.v{version}{}}}", replaces.unwrap_or_default()));
        bundles += &format!(
            "---\nschema: olm.bundle\npackage: tide\nname: tide.v{version}\nimage: example.com/tide:{version}\n\
             properties: [{{type: olm.package, value: {{packageName: tide, version: {version}}}}}]\n"
        );
    }
    format!(
        "schema: olm.package\nname: tide\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: tide\n\
         name: stable\nentries: [{}]\n{bundles}",
        listed.join(", ")
    )
}

const TWO_VERSIONS: [&str; 2] = ["1.1.0 replaces 1.0.0", "1.0.0"];

fn catalog_source(name: &str) -> Source {
    Source::Path(format!("catalogs/{name}").into())
}

fn snapshot(yaml: &str) -> Arc<Snapshot> {
    Arc::new(Snapshot::new(load::from_bytes(yaml.as_bytes().to_vec())))
}

fn loaded(name: &str, yaml: &str) -> LoadOutcome {
    LoadOutcome { source: catalog_source(name), result: Ok(snapshot(yaml)), recoverable_edits: None }
}

/// Opens catalogs by name and text.
fn open_catalogs(catalogs: &[(&str, &str)], columns: u16, rows: u16) -> ExplorerDriver {
    open_with_settings(catalogs, settings(), columns, rows)
}

fn open_with_settings(
    catalogs: &[(&str, &str)],
    settings: Settings,
    columns: u16,
    rows: u16,
) -> ExplorerDriver {
    let sources = catalogs.iter().map(|(name, _)| catalog_source(name)).collect();
    let mut hand = ExplorerDriver::before_loading(sources, settings, columns, rows);
    hand.finish_loads(catalogs.iter().map(|(name, yaml)| loaded(name, yaml)).collect());
    hand.press("esc");
    hand
}

/// Opens `redhat` with both versions and `own` with the lower one, and selects the lower version.
fn open_redhat_and_own(columns: u16, rows: u16) -> ExplorerDriver {
    let (redhat, own) = (tide_catalog(&TWO_VERSIONS), tide_catalog(&["1.0.0"]));
    let mut hand = open_catalogs(&[("redhat", &redhat), ("own", &own)], columns, rows);
    hand.press("l l G 3");
    hand
}

fn member(name: &str, priority: i32) -> ClusterMember {
    let properties = CatalogProperties { priority, ..CatalogProperties::from_name(name) };
    ClusterMember { source: Some(catalog_source(name)), properties: Arc::new(properties) }
}

/// Settings with `redhat` and `own` on one cluster.
fn cluster_settings() -> Settings {
    Settings { cluster_members: vec![member("redhat", 0), member("own", 0)], ..settings() }
}

fn cluster_upgrade(hand: &ExplorerDriver) -> &ClusterUpgrade {
    hand.model.session.derived.selected_upgrades().cluster.as_ref().unwrap()
}

/// Returns `VERSION from CATALOG`, or the kind of the error.
fn describe_answer(hand: &ExplorerDriver) -> String {
    let answer = &cluster_upgrade(hand).answer;
    match (&answer.error, &answer.pick) {
        (Some(error), _) => error.kind().to_owned(),
        (None, Some(pick)) => format!("{} from {}", pick.version_text().unwrap(), pick.catalog.name),
        (None, None) => "nothing".to_owned(),
    }
}

#[test]
fn two_chosen_catalogs_make_an_upgrade_ambiguous() {
    let mut hand = open_redhat_and_own(120, 36);
    let before = hand.screen();
    assert!(before.contains("v1       → 1.1.0"), "{before}");
    hand.press("O tab");
    assert!(hand.shows("only redhat is on the cluster"), "{}", hand.screen());
    assert!(hand.model.session.derived.selected_upgrades().cluster.is_none(), "one catalog is as today");
    hand.press("down tab");
    insta::assert_snapshot!("open_catalogs_of_one_cluster_120x36", hand.screen());
    hand.press("esc");
    assert_eq!(describe_answer(&hand), "ambiguous");
    insta::assert_snapshot!("upgrades_ambiguous_120x36", hand.screen());
    hand.press("O tab down tab esc");
    assert_eq!(hand.screen(), before, "without members everything is as before");
}

#[test]
fn ambiguous_answers_fit_small_terminals() {
    for (columns, rows) in [(80, 24), (50, 15)] {
        let mut hand = open_redhat_and_own(columns, rows);
        hand.press("O tab down tab");
        insta::assert_snapshot!(format!("open_catalogs_of_one_cluster_{columns}x{rows}"), hand.screen());
        hand.press("esc");
        insta::assert_snapshot!(format!("upgrades_ambiguous_{columns}x{rows}"), hand.screen());
    }
}

#[test]
fn higher_priority_stops_the_upgrade_and_a_note_says_so() {
    let mut hand = open_redhat_and_own(120, 36);
    hand.press("O tab down alt-p '5' enter");
    assert!(hand.shows("cluster 5"), "{}", hand.screen());
    hand.press("esc");
    assert_eq!(describe_answer(&hand), "1.0.0 from own");
    insta::assert_snapshot!("upgrades_stopped_by_priority_120x36", hand.screen());
    // The table follows the cluster as well.
    let table = hand.model.session.derived.upgrade_table().unwrap();
    let stays = |name: &str| table.find_row(&name.into()).unwrap().v1.target().is_none();
    assert!(stays("tide.v1.0.0") && stays("tide.v1.1.0"));
    assert!(
        hand.model
            .session
            .derived
            .catalog_table()
            .unwrap()
            .find_row(&"tide.v1.0.0".into())
            .unwrap()
            .v1
            .target()
            .is_some()
    );
    // The other catalog has the same answer, from its own point of view.
    hand.press("> 3");
    assert_eq!(describe_answer(&hand), "1.0.0 from own");
    hand.press("O up alt-p '9' enter esc");
    assert_eq!(describe_answer(&hand), "1.1.0 from redhat");
    assert!(hand.shows("1.1.0 (redhat)"), "{}", hand.screen());
}

#[test]
fn invalid_priority_is_refused_with_the_reason() {
    let mut hand = open_redhat_and_own(80, 24);
    hand.press("O alt-p 'high' enter");
    assert!(hand.shows("a whole number of 32 bits"), "{}", hand.screen());
    hand.press("esc");
    assert!(hand.model.session.catalogs.members().is_empty(), "a cancelled prompt changes nothing");
}

#[test]
fn undo_of_an_edit_in_the_other_catalog_changes_the_answer() {
    let both = tide_catalog(&TWO_VERSIONS);
    let members = vec![member("redhat", 0), member("own", 5)];
    let settings = Settings { cluster_members: members, ..settings() };
    let mut hand = open_with_settings(&[("redhat", &both), ("own", &both)], settings, 120, 36);
    hand.press("l l G");
    assert_eq!(describe_answer(&hand), "1.1.0 from own");
    // Removes the edge in the other catalog. The selection goes along.
    hand.press("> g e ctrl-u enter < G");
    assert_eq!(hand.model.session.catalogs.all()[1].unsaved_count(), 1, "{}", hand.screen());
    assert_eq!(describe_answer(&hand), "1.0.0 from own");
    hand.press("> u < G");
    assert_eq!(hand.model.session.catalogs.all()[1].unsaved_count(), 0);
    assert_eq!(describe_answer(&hand), "1.1.0 from own");
}

#[test]
fn answer_is_not_known_while_a_catalog_is_read_and_after_it_failed() {
    let redhat = tide_catalog(&TWO_VERSIONS);
    let sources = ["redhat", "own"].map(catalog_source).to_vec();
    let mut hand = ExplorerDriver::before_loading(sources, cluster_settings(), 120, 36);
    hand.load_partially(catalog_source("redhat"), snapshot(&redhat));
    hand.press("l l G 3");
    assert_eq!(describe_answer(&hand), "catalog-not-given");
    assert!(hand.shows("v1       not known"), "{}", hand.screen());
    let missing = Err(UserError { message: "there is no such file".to_owned(), hint: None });
    let failed = LoadOutcome { source: catalog_source("own"), result: missing, recoverable_edits: None };
    hand.finish_loads(vec![loaded("redhat", &redhat), failed]);
    assert_eq!(describe_answer(&hand), "catalog-not-given");
    hand.press("esc O");
    assert!(hand.shows("not known while own is not read"), "{}", hand.screen());
}

#[test]
fn catalog_that_no_cluster_serves_stops_all_and_shows_where() {
    let (redhat, own) = (tide_catalog(&TWO_VERSIONS), tide_catalog(&["1.0.0"]));
    let broken = format!("{own}---\nschema: olm.bundle\npackage: tide\nname: 7\n");
    let mut hand = open_with_settings(&[("redhat", &redhat), ("own", &broken)], cluster_settings(), 120, 36);
    hand.press("l l G 3");
    assert_eq!(describe_answer(&hand), "unreadable-catalog");
    insta::assert_snapshot!("upgrades_catalog_not_served_120x36", hand.screen());
}

#[test]
fn forced_rollback_names_the_risk() {
    let redhat = tide_catalog(&TWO_VERSIONS);
    let own = tide_catalog(&["0.9.0"]);
    let members = vec![member("redhat", 0), member("own", 5)];
    let settings = Settings { cluster_members: members, ..settings() };
    let mut hand = open_with_settings(&[("redhat", &redhat), ("own", &own)], settings, 120, 36);
    hand.press("l l 3");
    assert_eq!(describe_answer(&hand), "1.1.0 from redhat");
    // The policy is the fifth field from the left.
    hand.press("shift-tab shift-tab enter");
    assert_eq!(describe_answer(&hand), "0.9.0 from own");
    assert!(hand.shows("ROLLBACK) to 0.9.0 from own"), "{}", hand.screen());
    assert!(hand.shows("data may be lost"), "{}", hand.screen());
}

#[test]
fn downgrade_of_a_single_catalog_names_the_risk() {
    let mut hand = ExplorerDriver::open_yaml(&tide_catalog(&["0.9.0 replaces 1.0.0", "1.0.0"]), 120, 36);
    hand.press("l l G 3");
    assert!(hand.shows("Classic  is downgraded to 0.9.0"), "{}", hand.screen());
    assert!(hand.shows("data may be lost"), "{}", hand.screen());
    hand.press("j");
    assert!(!hand.shows("data may be lost"), "{}", hand.screen());
}

#[test]
fn template_cannot_be_on_a_cluster() {
    let mut hand = super::template::open_template(120, 36);
    hand.press("O tab");
    assert!(hand.shows("a template is not a catalog"), "{}", hand.screen());
    assert!(hand.model.session.catalogs.members().is_empty());
}

#[test]
fn recorded_expectation_is_that_of_one_catalog() {
    let mut hand = open_redhat_and_own(120, 36);
    hand.press("O tab down tab esc X");
    // One row for Classic and one for v1.
    assert_eq!(hand.screen().matches("tide.v1.1.0}").count(), 2, "{}", hand.screen());
}

#[test]
fn key_to_the_pick_of_v1_names_the_other_catalog() {
    let own = tide_catalog(&["1.2.0 replaces 1.1.0", "1.1.0"]);
    let redhat = tide_catalog(&TWO_VERSIONS);
    let members = vec![member("redhat", 0), member("own", 5)];
    let settings = Settings { cluster_members: members, ..settings() };
    let mut hand = open_with_settings(&[("redhat", &redhat), ("own", &own)], settings, 120, 36);
    hand.press("l l 2 g K");
    assert!(hand.shows("v1 picks tide.v1.2.0, which only own has"), "{}", hand.screen());
    hand.press("j K");
    assert_eq!(hand.model.session.selection().bundle.as_ref().unwrap().as_str(), "tide.v1.1.0");
}
