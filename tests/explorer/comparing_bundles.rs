//! `V`: what differs between two bundles of a catalog.

use std::fmt::Write as _;

use insta::assert_snapshot;
use olmap::app::{dialogs::OpenDialog, keys::Dialog};

use super::support::Hand;

/// A channel of three bundles of which the newest supports fewer install modes and needs more.
fn catalog() -> String {
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

fn title(hand: &Hand) -> &str {
    match hand.model.dialogs.last() {
        Some(OpenDialog::BundleDifference(difference)) => &difference.title,
        _ => panic!("{}", hand.screen()),
    }
}

#[test]
fn a_bundle_is_compared_with_the_one_it_replaces() {
    for (columns, rows) in [(120, 36), (80, 24), (50, 15)] {
        let mut hand = Hand::text(&catalog(), columns, rows);
        hand.press("l l V");
        assert_eq!(title(&hand), "ship.v1.1.0 => ship.v1.2.0");
        assert_snapshot!(format!("compared_{columns}x{rows}"), hand.screen());
        hand.press("j j esc");
        assert!(hand.model.dialogs.is_empty());
    }
}

#[test]
fn a_bundle_is_compared_with_the_marked_one() {
    let mut hand = Hand::text(&catalog(), 120, 36);
    hand.press("l l 2 G m g V");
    assert_eq!(title(&hand), "ship.v1.0.0 => ship.v1.2.0");
    hand.press("esc G V");
    assert!(hand.model.dialogs.is_empty(), "{}", hand.screen());
    assert!(hand.shows("replaces no bundle of this catalog"), "{}", hand.screen());
}

#[test]
fn what_has_no_bundle_says_why() {
    let mut hand = Hand::text(&catalog(), 120, 36);
    hand.press("I V");
    assert!(hand.model.dialogs.is_empty() && hand.shows("compare bundles: "), "{}", hand.screen());
    hand.press("esc l l V f1");
    assert!(hand.model.dialogs.iter().any(|dialog| dialog.state().id() == Dialog::BundleDifference));
    assert!(hand.shows("Keys in two bundles"), "{}", hand.screen());
}
