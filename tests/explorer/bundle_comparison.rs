//! Tests of `V`, which shows the differences between two bundles.

use std::{fmt::Write as _, sync::Arc};

use insta::assert_snapshot;
use olm_bundle::{
    compare::Comparison,
    manifests::BundleManifests,
    outline::Outline,
    registry::DirectoryContents,
    step::{StepBundle, StoredVersions, judge_step},
};
use olm_source::{bundles, read_bundle_directory};
use olmap::tui::{
    Source,
    dialogs::bundle_difference::{self, BundleDifference},
    session::jobs::dialog_questions::BundleComparisonRequest,
    work::{effect::BundleLocator, outcome::BundleComparison},
};

use super::support::ExplorerDriver;

/// Returns a channel of three bundles. The newest has fewer install modes and a higher minimum
/// Kubernetes version.
fn three_bundle_catalog() -> String {
    let mut text = "schema: olm.package\nname: ship\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: ship\nname: \
                    stable\nentries:\n- name: ship.v1.2.0\n  replaces: ship.v1.1.0\n- name: ship.v1.1.0\n  replaces: \
                    ship.v1.0.0\n- name: ship.v1.0.0\n"
        .to_owned();
    for (version, own, kubernetes) in
        [("1.0.0", true, "1.25.0"), ("1.1.0", true, "1.25.0"), ("1.2.0", false, "1.30.0")]
    {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: ship\nname: ship.v{version}\nimage: example.com/ship:{version}\nproperties:\n- \
             type: olm.package\n  value: {{packageName: ship, version: {version}}}\n- type: olm.csv.metadata\n  value: \
             {{displayName: Ship, minKubeVersion: {kubernetes}, installModes: [{{type: OwnNamespace, supported: {own}}}, \
             {{type: AllNamespaces, supported: true}}]}}\n"
        );
    }
    text
}

fn difference_title(hand: &ExplorerDriver) -> &str {
    match hand.model.dialogs.last().and_then(|dialog| dialog.downcast::<BundleDifference>()) {
        Some(difference) => &difference.title,
        _ => panic!("{}", hand.screen()),
    }
}

#[test]
fn bundle_is_compared_with_its_predecessor() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = ExplorerDriver::open_yaml(&three_bundle_catalog(), columns, rows);
        hand.press("l l V");
        assert_eq!(difference_title(&hand), "ship.v1.1.0 => ship.v1.2.0");
        assert_snapshot!(format!("compared_{columns}x{rows}"), hand.screen());
        hand.press("j j esc");
        assert!(hand.model.dialogs.is_empty());
    }
}

#[test]
fn bundle_is_compared_with_the_marked_one() {
    let mut hand = ExplorerDriver::open_yaml(&three_bundle_catalog(), 120, 36);
    hand.press("l l 2 G m g V");
    assert_eq!(difference_title(&hand), "ship.v1.0.0 => ship.v1.2.0");
}

#[test]
fn bundle_that_replaces_none_is_compared_with_a_chosen_one() {
    let mut hand = ExplorerDriver::open_yaml(&three_bundle_catalog(), 120, 36);
    hand.press("l l G V");
    assert_snapshot!("choice_120x36", hand.screen());
    hand.press("k enter");
    assert_eq!(difference_title(&hand), "ship.v1.0.0 => ship.v1.2.0");
    hand.press("esc");
    assert!(hand.model.dialogs.is_empty(), "{}", hand.screen());
}

#[test]
fn screen_without_a_bundle_shows_reason() {
    let mut hand = ExplorerDriver::open_yaml(&three_bundle_catalog(), 120, 36);
    hand.press("I a V");
    assert!(
        hand.model.dialogs.is_empty()
            && hand.shows("compare bundles on Packages, Graph, Upgrades and 5 more"),
        "{}",
        hand.screen()
    );
    hand.press("esc l l V f1");
    assert!(hand.model.dialogs.iter().any(|dialog| dialog.id() == bundle_difference::DIALOG));
    assert!(hand.shows("Keys in two bundles"), "{}", hand.screen());
}

/// Bundle directories are compared by their manifests.
#[test]
fn bundle_directories_are_compared_by_content() {
    let folder = tempfile::tempdir().unwrap();
    for (version, verbs) in [("1.0.0", "get"), ("1.1.0", "get, delete")] {
        let at = folder.path().join("lamp").join(version);
        let write = |path: &str, text: String| {
            let path = at.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let rule = format!("{{apiGroups: [\"\"], resources: [pods], verbs: [{verbs}]}}");
        let replaces = if version == "1.1.0" { "  replaces: lamp.v1.0.0\n" } else { "" };
        write(
            "manifests/lamp.clusterserviceversion.yaml",
            format!(
                "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {{name: lamp.v{version}}}\n\
                 spec:\n  version: {version}\n{replaces}  install: {{strategy: deployment, spec: {{permissions: \
                 [{{serviceAccountName: lamp, rules: [{rule}]}}]}}}}\n"
            ),
        );
        write(
            "metadata/annotations.yaml",
            "annotations:\n  operators.operatorframework.io.bundle.package.v1: lamp\n  \
             operators.operatorframework.io.bundle.channels.v1: stable\n"
                .to_owned(),
        );
    }
    let path = folder.path().join("lamp");
    let catalog = olm_source::open_path(
        &path,
        &olm_source::OpenOptions::default(),
        &olm_catalog::load::Progress::default(),
    )
    .unwrap();
    let mut hand = ExplorerDriver::open_source(Source::Path(path), catalog, 120, 36);
    hand.press("l l V");
    assert!(hand.shows("reading their manifests"), "{}", hand.screen());
    assert!(!hand.shows("get delete"), "{}", hand.screen());
    let sought = hand.last_request::<BundleComparisonRequest>().unwrap().bundles.clone();
    let answer = |hand: &mut ExplorerDriver, sought: &[BundleLocator; 2]| {
        let [old, new] = sought.each_ref().map(|sought| {
            let directory = bundles::find_directory(
                sought.source.as_ref().unwrap(),
                sought.bundle.as_str(),
                &sought.version,
            )
            .unwrap();
            let tree = read_bundle_directory(&directory).unwrap();
            let inside = Outline::from_directory(&DirectoryContents::from_tree(&tree), &tree);
            let shown = Some(directory.display().to_string());
            (inside, StepBundle::from_manifests(BundleManifests { tree, shown }).unwrap())
        });
        let step = judge_step(&old.1, &new.1, &StoredVersions::new());
        let outcome =
            Ok(Arc::new(BundleComparison { comparison: Comparison::compare_outlines(&old.0, &new.0), step }));
        hand.answer(Arc::new(BundleComparisonRequest { bundles: Box::new(sought.clone()) }), outcome);
    };
    let [old, new] = *sought.clone();
    answer(&mut hand, &[new, old]);
    assert!(hand.shows("reading their manifests"), "an answer to another question: {}", hand.screen());
    // The dialog also gets the answer if the user reads its keys meanwhile.
    hand.press("f1");
    assert!(hand.shows("Keys in two bundles"), "{}", hand.screen());
    answer(&mut hand, &sought);
    hand.press("esc");
    assert!(hand.shows("from their manifests"), "{}", hand.screen());
    assert!(hand.shows("get => delete get") || hand.shows("get => get delete"), "{}", hand.screen());
}
