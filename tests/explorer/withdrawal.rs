//! Tests of the release dialog: withdrawals, and catalogs that a semver template generates.

use std::{fs, sync::Arc};

use olm_catalog::load;
use olm_check::review::Snapshot;
use olmap::tui::{LoadOutcome, Settings, Source};

use super::{
    release::{all_bytes, bundle_text, entry_edges, image, open_release_of_fix, open_stream},
    support::ExplorerDriver,
};

#[test]
fn withdrawn_bundle_leaves_all_channels_and_lists() {
    let mut hand = open_stream(false, (120, 36));
    let before = all_bytes(&hand);
    hand.press("ctrl-p 'beacon-operator.v1.2.3' enter p");
    assert!(hand.shows("is already an entry"), "{}", hand.screen());
    hand.press("x");
    assert!(hand.shows("Withdraw beacon-operator.v1.2.3"), "{}", hand.screen());
    assert_eq!(hand.screen().matches("its users upgrade").count(), 9, "{}", hand.screen());
    // The template generates no upgrade from an image that it does not list.
    assert_eq!(hand.screen().matches("  its users stay").count(), 2, "{}", hand.screen());
    hand.press("enter");
    let notice = "withdrew beacon-operator.v1.2.3 from 9 channels and 2 lists in 4 catalogs";
    assert!(hand.shows(notice), "{}", hand.screen());
    for catalog in 0..3 {
        for channel in ["stable", "fast", "candidate"] {
            assert_eq!(entry_edges(&hand, catalog, channel, "1.2.3"), None);
            let head = entry_edges(&hand, catalog, channel, "1.3.0").unwrap();
            assert_eq!(head.replaces.unwrap(), "beacon-operator.v1.1.0");
            assert_eq!(head.skips, ["beacon-operator.v1.2.3"]);
        }
    }
    let template = String::from_utf8(all_bytes(&hand).pop().unwrap()).unwrap();
    assert!(!template.contains(&image("1.2.3")), "{template}");
    hand.press("u");
    assert_eq!(all_bytes(&hand), before);
}

#[test]
fn withdrawal_at_three_sizes() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = open_stream(true, (columns, rows));
        hand.press("ctrl-p 'beacon-operator.v1.3.0' enter p x");
        insta::assert_snapshot!(format!("withdrawal_{columns}x{rows}"), hand.screen());
    }
}

#[test]
fn rows_without_the_bundle_cannot_be_withdrawn() {
    let mut hand = open_release_of_fix((120, 36));
    hand.press("x");
    assert!(hand.shows("does not have it") && hand.shows("is not in the list"), "{}", hand.screen());
    hand.press("space enter");
    assert!(hand.shows("no channel selected"), "{}", hand.screen());
    for key in ["s", "r", "e", "n"] {
        hand.press(key);
        assert!(hand.shows("only to release a bundle: x releases it instead"), "{}", hand.screen());
    }
    hand.press("x");
    assert!(hand.shows("Release beacon-operator.v1.2.4"), "{}", hand.screen());
}

#[test]
fn bundle_in_no_channel_cannot_be_withdrawn() {
    let text = "schema: olm.package\nname: beacon-operator\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: \
                beacon-operator\nname: stable\nentries:\n- name: beacon-operator.v1.1.0\n---\n";
    let text = [text, &bundle_text("1.1.0"), "---\n", &bundle_text("1.2.3")].concat();
    let catalog = load::from_bytes(text.into_bytes());
    let mut hand = ExplorerDriver::open_source(Source::Path("catalog.yaml".into()), catalog, 120, 36);
    hand.press("ctrl-p 'beacon-operator.v1.2.3' enter p x");
    assert!(hand.shows("is in no channel of the open catalogs"), "{}", hand.screen());
    assert!(hand.shows("Release beacon-operator.v1.2.3"), "{}", hand.screen());
}

/// Opens two catalogs that a semver template generates, a catalog with another bundle, and the template.
fn open_generated_catalogs(size: (u16, u16)) -> (tempfile::TempDir, ExplorerDriver) {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let package = "schema: olm.package\nname: beacon-operator\ndefaultChannel: stable-v1\n---\nschema: olm.channel\npackage: \
                   beacon-operator\nname: stable-v1\nentries:\n- name: beacon-operator.v1.2.3\n- name: \
                   beacon-operator.v1.3.0\n  replaces: beacon-operator.v1.2.3\n---\n";
    let old = [package, &bundle_text("1.2.3"), "---\n", &bundle_text("1.3.0")].concat();
    let with_fix = [&old, "---\n", &bundle_text("1.2.4")].concat();
    write("catalogs/v4.18/beacon-operator/catalog.yaml", &with_fix);
    write("catalogs/v4.20/beacon-operator/catalog.yaml", &old);
    write("catalogs/v4.22/beacon-operator/catalog.yaml", &old);
    let template = "operators/beacon-operator/catalog-templates/semver.yaml";
    let images = ["1.2.3", "1.3.0"].map(|version| format!("  - image: {}\n", image(version)));
    let lists =
        format!("schema: olm.semver\ngenerateMajorChannels: true\nstable:\n  bundles:\n{}", images.concat());
    write(template, &lists);
    write(
        "operators/beacon-operator/ci.yaml",
        "fbc:\n  catalog_mapping:\n  - {template_name: semver.yaml, type: olm.semver, catalog_names: [v4.20, v4.22]}\n",
    );
    let paths = ["catalogs/v4.18", "catalogs/v4.20", "catalogs/v4.22", template];
    let sources = paths.map(|path| Source::Path(root.path().join(path)));
    let mut hand = ExplorerDriver::before_loading(sources.to_vec(), Settings::default(), size.0, size.1);
    let known = load::open_catalog(root.path().join("catalogs/v4.18")).unwrap();
    let outcomes = sources.into_iter().map(|source| {
        let Source::Path(path) = &source else { panic!("{source:?}") };
        let catalog = load::open_catalog(path).unwrap().with_known_bundles_of(&known);
        LoadOutcome { source, result: Ok(Arc::new(Snapshot::new(catalog))), recoverable_edits: None }
    });
    hand.finish_loads(outcomes.collect());
    (root, hand)
}

#[test]
fn generated_catalogs_follow_the_lists_of_their_template() {
    let (_root, mut hand) = open_generated_catalogs((120, 36));
    let before = all_bytes(&hand);
    hand.press("ctrl-p 'beacon-operator.v1.2.4' enter p");
    insta::assert_snapshot!(hand.screen());
    hand.press("enter");
    let notice = "released beacon-operator.v1.2.4 to 1 channel, 1 list and 2 generated catalogs";
    assert!(hand.shows(notice), "{}", hand.screen());
    for catalog in [1, 2] {
        let fix = entry_edges(&hand, catalog, "stable-v1", "1.2.4").unwrap();
        assert_eq!((fix.replaces, fix.skips), (None, vec!["beacon-operator.v1.2.3".into()]));
        let head = entry_edges(&hand, catalog, "stable-v1", "1.3.0").unwrap();
        assert_eq!(head.replaces.unwrap(), "beacon-operator.v1.2.4");
    }
    assert!(!hand.shows("render it"), "{}", hand.screen());
    hand.press("p x enter");
    assert!(hand.shows("withdrew beacon-operator.v1.2.4"), "{}", hand.screen());
    assert_eq!(entry_edges(&hand, 1, "stable-v1", "1.2.4"), None);
    hand.press("u u");
    assert_eq!(all_bytes(&hand), before);
}

#[test]
fn catalog_without_the_chosen_list_is_rendered_later() {
    let (_root, mut hand) = open_generated_catalogs((120, 36));
    hand.press("ctrl-p 'beacon-operator.v1.2.4' enter p");
    // Without any list, the generated catalogs do not change.
    let at = |hand: &ExplorerDriver| hand.screen().matches("[x]").count();
    let chosen = at(&hand);
    hand.press("end space");
    assert_eq!(at(&hand), chosen - 1, "{}", hand.screen());
    assert!(!hand.shows("v4.20: "), "{}", hand.screen());
    hand.press("enter");
    assert!(hand.shows("released beacon-operator.v1.2.4 to 1 channel"), "{}", hand.screen());
    assert_eq!(entry_edges(&hand, 1, "stable-v1", "1.2.4"), None);
}
