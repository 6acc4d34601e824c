//! Tests of sentences about upgrade paths that end elsewhere although their next step is unchanged.

use olm_check::review::{Snapshot, diff::Difference};
use olm_upgrade::{Engine, fixture::catalog_from_channels};

use super::{CatalogComparison, describe_changed_ends};

/// Returns the sentences about Classic.
fn describe_ends(before: &str, after: &str) -> Vec<String> {
    let [before, after] = [before, after].map(|lines| Snapshot::new(catalog_from_channels(&[("c", lines)])));
    let difference = Difference::compare_catalogs(&before, &after);
    let compared = CatalogComparison {
        old_label: "old",
        new_label: "new",
        difference: &difference,
        violations: &[],
        left_out: Vec::new(),
        formatting: false,
        update: None,
    };
    let ends = describe_changed_ends(&compared, &"p".into()).into_iter();
    ends.filter(|(engine, _)| *engine == Engine::Classic).map(|(_, words)| words).collect()
}

/// A cycle can end at the version at which upgrades ended before.
#[test]
fn cycle_is_not_said_to_replace_the_same_end() {
    let chain = "2.0.0 replaces=1.0.0 range=>=0.9.0_<2.0.0\n1.0.0 replaces=0.9.0\n0.9.0";
    let cycle = "2.0.0 replaces=1.0.0 range=>=0.9.0_<2.0.0\n1.0.0 replaces=0.9.0 range=>=2.0.0\n0.9.0";
    assert_eq!(describe_ends(chain, cycle), ["c: 2 other versions end in a cycle with 2.0.0"]);
    assert_eq!(describe_ends(cycle, chain), ["c: 2 other versions end at 2.0.0, no longer in a cycle"]);
}

#[test]
fn cycle_names_the_former_end() {
    let chain = "2.0.0 replaces=1.0.0\n1.0.0 replaces=0.9.0\n0.9.0";
    let cycle = "2.0.0 replaces=1.0.0\n1.0.0 replaces=0.9.0 range=>=2.0.0\n0.9.0";
    let words = "c: 2 other versions end in a cycle with 1.0.0 instead of at 2.0.0";
    assert_eq!(describe_ends(chain, cycle), [words]);
    assert_eq!(describe_ends(cycle, chain), ["c: 2 other versions end at 2.0.0 instead of 1.0.0"]);
}
