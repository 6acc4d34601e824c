//! Tests that no finding counts as fixed if its rule could not be evaluated in the new state.

use std::{collections::BTreeSet, sync::LazyLock};

use proptest::prelude::*;

use super::{Consequences, DeferredChecks, Snapshot};
use crate::{Finding, Rule, rules};
use olm_catalog::{
    Catalog, ChannelName, PackageName,
    blob::{DeprecationTarget, EntrySpec},
    load,
};
use olm_edit::Edit;
use olm_upgrade::fixture;

/// Creates a package with default channel `c`. `d` does not lead to it, and has an entry to which
/// OLM v1 upgrades users of `c`.
fn two_channels() -> Catalog {
    fixture::catalog_from_channels(&[
        ("c", "3.0.0 replaces=2.0.0 skips=1.1.0\n2.0.0 replaces=1.0.0\n1.1.0 replaces=1.0.0\n1.0.0"),
        ("d", "4.0.0 range=>=2.0.0_<4.0.0"),
        ("e", "0.2.0 replaces=0.1.0\n0.1.0 deprecated"),
    ])
}

fn state_after(before: &Snapshot, edit: &Edit) -> Snapshot {
    before.after_change(olm_edit::apply_edit(&before.catalog, edit).unwrap())
}

fn rule_ids(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.rule.id).collect()
}

/// Returns the reason why the rule of a finding could not be evaluated; `None` if no such finding
/// disappeared.
fn unchecked_reason(consequences: &Consequences, rule: &Rule) -> Option<String> {
    assert!(!rule_ids(&consequences.fixed_findings).contains(&rule.id), "{consequences:?}");
    let mut unchecked = consequences.unchecked_findings.iter();
    unchecked.find(|unchecked| unchecked.finding.rule == rule).map(|unchecked| unchecked.reason.clone())
}

/// Removes the edges of the default channel's head, so that the channel has several heads.
fn break_channel() -> Edit {
    let (package, channel, entry) = ("p".into(), "c".into(), "p.v3.0.0".into());
    Edit::SetEntry { package, channel, entry, spec: EntrySpec::default() }
}

fn set_default(channel: &str) -> Edit {
    Edit::SetDefaultChannel { package: "p".into(), channel: channel.into() }
}

#[test]
fn rules_about_upgrades_are_not_checked_if_a_channel_becomes_invalid() {
    let before = Snapshot::new(two_channels());
    assert!(before.findings().any(|finding| *finding.rule == rules::STUCK));
    let broken = state_after(&before, &break_channel());
    let consequences = Consequences::compare_snapshots(&before, &broken);
    assert!(rule_ids(&consequences.new_findings).contains(&"multiple-heads"), "{consequences:?}");
    let reason = unchecked_reason(&consequences, &rules::STUCK);
    assert_eq!(reason.as_deref(), Some("channel c is invalid"));
    assert!(!consequences.is_empty());
    // When the channel is valid again, nothing is fixed, since the finding is reported again.
    let back = Consequences::compare_snapshots(&broken, &before);
    assert_eq!(rule_ids(&back.fixed_findings), ["multiple-heads"]);
}

#[test]
fn dead_end_is_not_fixed_if_its_channel_or_its_entry_is_removed() {
    let before = Snapshot::new(fixture::catalog_from_channels(&[
        ("c", "1.2.0 replaces=1.1.0 skips=1.1.1\n1.1.1 replaces=1.1.0 skips=1.0.0\n1.1.0\n1.0.0"),
        ("d", "1.2.0 skips=1.0.0"),
    ]));
    assert!(before.findings().any(|finding| *finding.rule == rules::DEAD_END));
    let (package, channel): (PackageName, ChannelName) = ("p".into(), "c".into());
    let remove_channel =
        Edit::RemoveChannel { package: package.clone(), channel: channel.clone(), default: Some("d".into()) };
    let remove_entry = Edit::RemoveEntry { package, channel, entry: "p.v1.0.0".into() };
    for (edit, expected) in
        [(remove_channel, "channel c is gone"), (remove_entry, "p.v1.0.0 is not in channel c any more")]
    {
        let consequences = Consequences::compare_snapshots(&before, &state_after(&before, &edit));
        assert_eq!(unchecked_reason(&consequences, &rules::DEAD_END).as_deref(), Some(expected));
    }
}

#[test]
fn escape_is_not_fixed_if_the_default_channel_moves() {
    let before = Snapshot::new(two_channels());
    assert!(before.findings().any(|finding| *finding.rule == rules::V1_ESCAPE));
    let moved = state_after(&before, &set_default("d"));
    let reason = unchecked_reason(&Consequences::compare_snapshots(&before, &moved), &rules::V1_ESCAPE);
    let expected = "p.v3.0.0 is not in the default channel d";
    assert_eq!(reason.as_deref(), Some(expected));
}

#[test]
fn escape_is_fixed_if_no_entry_of_the_default_channel_escapes() {
    let before = Snapshot::new(two_channels());
    let (package, channel, entry) = ("p".into(), "d".into(), "p.v4.0.0".into());
    let spec = EntrySpec::default();
    let fixed = state_after(&before, &Edit::SetEntry { package, channel, entry, spec });
    let consequences = Consequences::compare_snapshots(&before, &fixed);
    assert!(rule_ids(&consequences.fixed_findings).contains(&"v1-escape"), "{consequences:?}");
    assert!(consequences.unchecked_findings.is_empty(), "{consequences:?}");
}

#[test]
fn template_finding_is_not_checked_until_the_template_is_compared_again() {
    let before = Snapshot::new(two_channels());
    let judged = before.package("p").unwrap();
    let differs = Finding::new(&rules::TEMPLATE_DIFFERS, "p differs").with_package(&"p".into());
    let learn = |state: &Snapshot, template: Option<Finding>| {
        let judged = state.package("p").unwrap();
        let learned = judged.with_deferred_checks(DeferredChecks { template, ..DeferredChecks::default() });
        state.with_deferred_checks(&[(judged.clone(), learned)]).unwrap()
    };
    let before = learn(&before, Some(differs));
    assert!(!std::ptr::eq(judged, before.package("p").unwrap()));
    let edited = state_after(&before, &set_default("e"));
    let pending = Consequences::compare_snapshots(&before, &edited);
    assert_eq!(
        unchecked_reason(&pending, &rules::TEMPLATE_DIFFERS).as_deref(),
        Some("the template is not compared yet")
    );
    // An unreadable template does not count as a match.
    let unread = Finding::new(&rules::NOT_CHECKED, "p not compared").with_package(&"p".into());
    let unread = Consequences::compare_snapshots(&before, &learn(&edited, Some(unread)));
    assert_eq!(unchecked_reason(&unread, &rules::TEMPLATE_DIFFERS).as_deref(), Some("p not compared"));
    let same = Consequences::compare_snapshots(&before, &learn(&edited, None));
    assert!(rule_ids(&same.fixed_findings).contains(&"template-differs"));
}

#[test]
fn finding_is_not_fixed_if_its_document_is_unreadable_or_its_package_is_removed() {
    let text = |catalog: &Catalog| String::from_utf8(catalog.files()[0].current_bytes()).unwrap();
    let before = Snapshot::new(two_channels());
    let broken = text(&before.catalog).replacen("name: d\n", "name: [d\n", 1);
    for new in [broken.as_str(), "schema: olm.package\nname: q\ndefaultChannel: c\n"] {
        let new = Snapshot::new(load::from_bytes(new.as_bytes().to_vec()));
        let difference = super::Difference::compare_catalogs(&before, &new);
        assert_eq!(rule_ids(&difference.consequences.fixed_findings), Vec::<&str>::new());
        assert!(!difference.consequences.unchecked_findings.is_empty());
    }
}

#[test]
fn rules_without_deprecated_packages_are_not_checked_for_one() {
    let before = Snapshot::new(fixture::catalog_from_channels(&[
        ("stable-1", "1.0.0"),
        ("stable-2", "2.0.0 replaces=1.0.0"),
    ]));
    let (package, target) = ("p".into(), DeprecationTarget::Package);
    let ended = state_after(&before, &Edit::Deprecate { package, target, message: "end".to_owned() });
    let reason =
        unchecked_reason(&Consequences::compare_snapshots(&before, &ended), &rules::OLDER_DEFAULT_CHANNEL);
    assert_eq!(reason.as_deref(), Some("the package is deprecated"));
}

/// Rules that need every channel of a package to be valid, and rules that need only their own
/// channel.
const ALL_CHANNEL_RULES: [&str; 2] = ["stuck", "no-undeprecated-way-out"];
const OWN_CHANNEL_RULES: [&str; 4] = ["dead-end", "downgrade-edge", "rebuild-below", "downgrade-by-range"];

/// Findings of opm about the shape of a channel. Checks of upgrades need a channel without such
/// findings.
const SHAPE_FINDINGS: [&str; 6] =
    ["empty-channel", "no-head", "multiple-heads", "replaces-cycle", "stranded-entry", "duplicate-entry"];

/// Checks the fixed findings against what opm rejects in the new state.
fn check_fixed_findings(before: &Snapshot, now: &Snapshot, edit: &Edit) {
    let consequences = Consequences::compare_snapshots(before, now);
    for fixed in &consequences.fixed_findings {
        let Some(name) = &fixed.package else { continue };
        let told = || format!("{edit:?}: {} {}", fixed.rule.id, fixed.message);
        let judged = now.package(name.as_str()).unwrap_or_else(|| panic!("{}", told()));
        let shape = judged.findings.iter().filter(|finding| SHAPE_FINDINGS.contains(&finding.rule.id));
        let rejected: BTreeSet<&ChannelName> = shape.filter_map(|finding| finding.channel.as_ref()).collect();
        let id = fixed.rule.id;
        assert!(!ALL_CHANNEL_RULES.contains(&id) || rejected.is_empty(), "{}", told());
        let own = fixed.channel.as_ref();
        assert!(
            !OWN_CHANNEL_RULES.contains(&id) || own.is_none_or(|own| !rejected.contains(own)),
            "{}",
            told()
        );
        if id == "v1-escape" {
            let package = judged.package();
            let default = package.default_channel().unwrap_or_else(|| panic!("{}", told()));
            for entry in &fixed.names {
                let of = |channel: &ChannelName| {
                    let entries = package.channel(channel.as_str()).into_iter().flat_map(|c| &c.entries);
                    entries.into_iter().any(|e| e.name.value.as_str() == entry)
                };
                let somewhere = package.channels.iter().any(|channel| of(&channel.name.value));
                assert!(!somewhere || of(default), "{}", told());
            }
        }
    }
    // A disappeared finding is either fixed or not checked.
    for unchecked in &consequences.unchecked_findings {
        assert!(!consequences.fixed_findings.contains(&unchecked.finding), "{edit:?}");
        assert!(!unchecked.reason.is_empty());
    }
}

/// Edit as numbers, which are reduced to the available choices.
#[derive(Clone, Debug)]
struct RandomEdit {
    kind: usize,
    numbers: [prop::sample::Index; 4],
}

impl RandomEdit {
    fn to_edit(&self, catalog: &Catalog) -> Option<Edit> {
        let [first, second, third, fourth] = &self.numbers;
        let packages: Vec<_> = catalog.packages().filter(|p| !p.channels.is_empty()).collect();
        let judged = packages.get(first.index(packages.len().max(1)))?;
        let package: PackageName = judged.name.clone();
        let blob = judged.channels.get(second.index(judged.channels.len()))?;
        let channel = blob.name.value.clone();
        let name = |at: &prop::sample::Index| {
            (!blob.entries.is_empty()).then(|| blob.entries[at.index(blob.entries.len())].name.value.clone())
        };
        Some(match self.kind % 8 {
            0 => Edit::SetDefaultChannel { package, channel },
            1 => Edit::RemoveEntry { package, channel, entry: name(third)? },
            2 => {
                let spec = EntrySpec::default();
                Edit::SetEntry { package, channel, entry: name(third)?, spec }
            }
            3 => {
                let spec = EntrySpec { replaces: name(fourth), ..EntrySpec::default() };
                Edit::SetEntry { package, channel, entry: name(third)?, spec }
            }
            4 => {
                let spec = EntrySpec { skips: name(fourth).into_iter().collect(), ..EntrySpec::default() };
                Edit::SetEntry { package, channel, entry: name(third)?, spec }
            }
            5 => Edit::RemoveChannel { package, channel, default: None },
            6 => {
                let target = DeprecationTarget::Channel(channel);
                Edit::Deprecate { package, target, message: "end".to_owned() }
            }
            _ => {
                let target = DeprecationTarget::Bundle(name(third)?);
                Edit::Deprecate { package, target, message: "end".to_owned() }
            }
        })
    }
}

fn any_edit() -> impl Strategy<Value = RandomEdit> {
    (0..8_usize, any::<[prop::sample::Index; 4]>()).prop_map(|(kind, numbers)| RandomEdit { kind, numbers })
}

static FIXTURES: LazyLock<[Snapshot; 2]> = LazyLock::new(|| {
    let demo = olmap_testing::repository_path("demo/catalog");
    let demo = load::open_catalog(demo).unwrap();
    [Snapshot::new(two_channels()), Snapshot::new(demo)]
});

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finding_is_never_fixed_if_its_rule_was_not_evaluated(
        which in 0..2_usize,
        deeds in prop::collection::vec(any_edit(), 1..6),
    ) {
        let mut now = FIXTURES[which].clone();
        for deed in &deeds {
            let Some(edit) = deed.to_edit(&now.catalog) else { continue };
            let Ok(catalog) = olm_edit::apply_edit(&now.catalog, &edit) else { continue };
            let next = now.after_change(catalog);
            check_fixed_findings(&now, &next, &edit);
            check_fixed_findings(&FIXTURES[which], &next, &edit);
            now = next;
        }
    }
}
