//! Effects of an edit on deprecated bundles.

use super::{LINE, deprecated_snapshot, parse_target};
use crate::review::{Consequences, Snapshot, deprecations::DeprecationEffects};
use olm_catalog::blob::DeprecationTarget;
use olm_edit::Edit;

fn effects_of_edit(before: &Snapshot, edit: &Edit) -> Option<DeprecationEffects> {
    let after = before.after_change(olm_edit::apply_edit(&before.catalog, edit).unwrap());
    let found = Consequences::compare_snapshots(before, &after).deprecations;
    assert!(found.len() < 2);
    found.into_iter().next()
}

fn deprecate_target(text: &str) -> Edit {
    Edit::Deprecate { package: "p".into(), target: parse_target(text), message: "m".into() }
}

#[test]
fn reports_bundles_that_a_deprecation_strands() {
    let before = deprecated_snapshot(&[("c", LINE)], &[]);
    let effects_of = |text: &str| effects_of_edit(&before, &deprecate_target(text)).unwrap();
    let head = effects_of("bundle 3.0.0");
    assert_eq!(head.added, [(parse_target("bundle 3.0.0"), 1)]);
    assert_eq!(head.lost.len(), 2, "Classic in c, and v1");
    assert_eq!(head.stopped, ["p.v2.0.0"]);
    let package = effects_of("package");
    assert_eq!(package.added, [(DeprecationTarget::Package, 3)]);
    assert!(package.lost.is_empty() && package.stopped.is_empty());
}

#[test]
fn removal_of_deprecation_frees_bundles() {
    let before = deprecated_snapshot(&[("c", LINE)], &["bundle 3.0.0"]);
    let back = Edit::Undeprecate { package: "p".into(), target: parse_target("bundle 3.0.0") };
    let effects = effects_of_edit(&before, &back).unwrap();
    assert_eq!(effects.removed, [parse_target("bundle 3.0.0")]);
    assert_eq!((effects.found.len(), effects.freed.len()), (2, 1));
    assert!(effects.added.is_empty() && effects.lost.is_empty() && effects.stopped.is_empty());
}

#[test]
fn removed_way_out_strands_bundles_and_new_message_does_not() {
    let before = deprecated_snapshot(&[("c", LINE)], &["bundle 2.0.0"]);
    let cut = Edit::RemoveEntry { package: "p".into(), channel: "c".into(), entry: "p.v3.0.0".into() };
    let lost = effects_of_edit(&before, &cut).unwrap();
    assert!(lost.added.is_empty());
    assert!(lost.lost.iter().all(|s| s.installed == "p.v2.0.0"), "{lost:?}");
    assert_eq!(lost.lost.len(), 2);
    assert_eq!(
        effects_of_edit(&before, &deprecate_target("bundle 2.0.0")),
        None,
        "the message alone is another"
    );
}
