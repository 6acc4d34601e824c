//! Tests of the installed operators of a cluster on the screens.

use std::sync::Arc;

use insta::assert_snapshot;
use olm_check::review::Snapshot;
use olm_plan::cluster::{Cluster, Reader};
use olmap::tui::{Effect, Settings, Source};

use super::{
    resolve::answer_resolve_requests,
    support::{self, ExplorerDriver},
};

/// Parses the objects of a cluster; `None` if there are none.
pub fn parse_cluster(text: &str) -> Option<Arc<Cluster>> {
    let mut reader = Reader::default();
    reader.add_file("cluster.yaml", text.as_bytes());
    reader.finish_cluster().ok().map(Arc::new)
}

/// Opens the demo with its cluster.
pub fn open_demo_with_cluster(columns: u16, rows: u16) -> ExplorerDriver {
    let cluster = parse_cluster(include_str!("../../demo/cluster.yaml"));
    assert!(cluster.as_ref().is_some_and(|cluster| cluster.notes.is_empty()));
    let settings = Settings { installed_operators: cluster, ..support::settings() };
    let mut hand = ExplorerDriver::before_loading(vec![Source::Demo], settings, columns, rows);
    hand.finish_loading(Source::Demo, Ok(Arc::new(Snapshot::new(olmap::demo::demo()))));
    hand
}

#[test]
fn cluster_state_at_several_sizes() {
    for (columns, rows) in [(160, 48), (120, 36), (100, 30), (80, 24), (60, 18), (50, 15)] {
        let mut hand = open_demo_with_cluster(columns, rows);
        let mut all = format!("== at first\n{}", hand.screen());
        for (what, keys) in
            [("the channel", "l l G"), ("the graph", "2"), ("all channels", "w"), ("upgrades", "w 3")]
        {
            hand.press(keys);
            all += &format!("== {what}\n{}", hand.screen());
        }
        hand.press("9 t c");
        answer_resolve_requests(&mut hand);
        all += &format!("== resolved\n{}", hand.screen());
        assert_snapshot!(format!("on_cluster_{columns}x{rows}"), all);
    }
}

#[test]
fn cluster_state_is_summarized_and_shown() {
    let mut hand = open_demo_with_cluster(120, 36);
    assert!(hand.shows("a cluster with OpenShift 4.19, 4 operators: i marks them"), "{}", hand.screen());
    hand.press("/ 'folio' enter");
    assert!(!hand.shows("installed "), "{}", hand.screen());
    hand.press("esc / 'granary' enter");
    assert!(
        hand.shows(
            "installed granary-operator.v2.6.4: Subscription operators/granary-operator, channel stable"
        ),
        "{}",
        hand.screen()
    );
    hand.press("3");
    assert!(
        hand.shows("OpenShift [4.19 -> 4.20]"),
        "the question about the next version is asked: {}",
        hand.screen()
    );
}

#[test]
fn action_assumes_the_namespace_of_the_selected_package() {
    let mut hand = open_demo_with_cluster(120, 36);
    hand.press("/ 'folio' enter 9 t s t c");
    let assumed = &hand.model.session.jobs.assumed_cluster.assumed;
    let packages: Vec<&str> = assumed.subscriptions.iter().map(|one| one.package.as_str()).collect();
    assert_eq!(
        packages,
        ["ballast-operator"],
        "folio is not on the cluster: the first namespace with something"
    );
    hand.press("1 esc / 'granary' enter 9 t c");
    assert!(hand.shows("assumed: 2 of namespace operators"), "{}", hand.screen());
    hand.press("9");
    answer_resolve_requests(&mut hand);
    assert!(
        hand.shows("upgrades tidewater-operator.v2.3.2 to tidewater-operator.v2.4.1"),
        "{}",
        hand.screen()
    );
    assert_eq!(hand.model.session.jobs.assumed_cluster.assumed.installed.len(), 2);
}

#[test]
fn action_without_a_cluster_shows_what_is_missing() {
    let mut hand = ExplorerDriver::demo(120, 36);
    hand.press("9 t j j");
    assert!(hand.shows("no cluster is given: olmap --cluster FILE"), "{}", hand.screen());
    let text = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: a}\nspec: {name: nowhere}\n";
    hand.model.session.installed_operators.cluster = parse_cluster(text);
    hand.press("esc t j j");
    assert!(
        hand.shows("the cluster has no Subscription of a package that is in an open"),
        "{}",
        hand.screen()
    );
}

fn press_and_get_copy(hand: &mut ExplorerDriver, keys: &str) -> String {
    hand.press(keys);
    let copied = hand.effects.drain(..).find_map(|effect| match effect {
        Effect::Copy(copied) => Some(copied.text),
        _ => None,
    });
    copied.unwrap_or_else(|| panic!("{keys} copies nothing: {}", hand.screen()))
}

#[test]
fn copied_custom_resources_use_names_of_the_cluster() {
    let mut hand = open_demo_with_cluster(120, 36);
    let classic = press_and_get_copy(&mut hand, "/ 'ballast' enter l l j y b");
    let words = "  source: harbour\n  sourceNamespace: olm\n  startingCSV: ballast-operator.v1.5.0\n";
    assert!(classic.contains(words) && classic.contains("  namespace: storage\n"), "{classic}");
    assert!(!classic.contains("OperatorGroup"), "the namespace has one: {classic}");
    let v1 = press_and_get_copy(&mut hand, "y x");
    assert!(
        v1.starts_with("# OLM refuses it: v1 by default installs only bundles that support AllNamespaces\n"),
        "{v1}"
    );
    assert!(
        v1.contains(
            "      channels:\n      - stable\n      packageName: ballast-operator\n      version: 1.5.0\n"
        ),
        "{v1}"
    );
    // The channel is omitted if v1 cannot resolve it.
    let preview = press_and_get_copy(&mut hand, "h j l y x");
    assert!(preview.contains("version: 1.6.0-beta.2") && !preview.contains("channels:"), "{preview}");
    let mut alone = ExplorerDriver::demo(120, 36);
    let classic = press_and_get_copy(&mut alone, "/ 'ballast' enter l l j y b");
    assert!(classic.contains("  targetNamespaces:\n  - ballast-operator\n"), "{classic}");
    assert!(classic.starts_with("# spec.source is a guess"), "{classic}");
}
