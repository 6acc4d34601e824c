//! Withdrawals from random channels, and from published ones: all other versions keep their upgrades.

use std::{collections::BTreeMap, env, fmt::Write as _, sync::Arc};

use olm_catalog::{BundleName, ChannelName, load, package::Package};
use olm_check::{
    Severity,
    review::{PackageState, Snapshot},
};
use olm_edit::{EditError, Withdrawal};
use olm_upgrade::{Installed, PackageGraph, classic};
use olm_version::VersionRelease;
use proptest::prelude::*;

use super::{conformance, placements::bundles_reaching, real::package_catalogs};

/// Entry of a random channel.
#[allow(clippy::struct_excessive_bools, reason = "each is a property of the entry")]
#[derive(Clone, Debug)]
struct GeneratedEntry {
    /// True if the entry is on the chain; the last one always is. Otherwise the next one that is skips it.
    is_chained: bool,
    /// True if an entry that is not on the chain replaces a lower one.
    replaces: bool,
    /// True if the entry also skips the entries that are not on the chain further below.
    skips_more: bool,
    /// Distance of the lower end of its range; `None` without a range.
    range: Option<usize>,
    /// True if the entry skips a version that the catalog does not have.
    skips_missing: bool,
}

fn generated_entry() -> impl Strategy<Value = GeneratedEntry> {
    let range = prop::option::weighted(0.5, 1_usize..5);
    (any::<bool>(), any::<bool>(), any::<bool>(), range, prop::bool::weighted(0.2)).prop_map(
        |(is_chained, replaces, skips_more, range, skips_missing)| GeneratedEntry {
            is_chained,
            replaces,
            skips_more,
            range,
            skips_missing,
        },
    )
}

fn bundle_name(n: usize) -> String {
    format!("p.v{}.0.0", n + 1)
}

/// Returns the catalog of random entries, and of a second channel with the lowest of them.
fn write_catalog(entries: &[GeneratedEntry], has_tail: bool) -> String {
    let last = entries.len() - 1;
    let is_chained = |n: usize| n == last || entries[n].is_chained;
    let mut text = "schema: olm.package\nname: p\ndefaultChannel: all\n---\nschema: olm.channel\npackage: p\nname: all\nentries:\n".to_owned();
    for (n, entry) in entries.iter().enumerate() {
        let _ = writeln!(text, "- name: {}", bundle_name(n));
        let below = (0..n).rev().find(|&n| is_chained(n));
        let replaced = if is_chained(n) { below } else { n.checked_sub(1).filter(|_| entry.replaces) };
        match replaced {
            Some(replaced) => {
                let _ = writeln!(text, "  replaces: {}", bundle_name(replaced));
            }
            None if has_tail && is_chained(n) => text += "  replaces: p.v0.9.0\n",
            None => {}
        }
        let lowest = if entry.skips_more { 0 } else { below.map_or(0, |below| below + 1) };
        let mut skipped: Vec<String> =
            (lowest..n).filter(|&n| !is_chained(n)).map(bundle_name).filter(|_| is_chained(n)).collect();
        if entry.skips_missing {
            skipped.push(format!("p.v{n}.7.0"));
        }
        if !skipped.is_empty() {
            let _ = writeln!(text, "  skips: [{}]", skipped.join(", "));
        }
        if let Some(distance) = entry.range {
            let _ =
                writeln!(text, "  skipRange: '>={}.0.0 <{}.0.0'", (n + 1).saturating_sub(distance), n + 1);
        }
    }
    text += "---\nschema: olm.channel\npackage: p\nname: first\nentries:\n- name: p.v1.0.0\n";
    for n in 0..=last {
        let _ = write!(
            text,
            "---\nschema: olm.bundle\npackage: p\nname: {}\nimage: example.com/p:{n}\nproperties:\n- {{type: olm.package, value: {{packageName: p, version: {}.0.0}}}}\n",
            bundle_name(n),
            n + 1
        );
    }
    text
}

fn version_of(package: &Package, bundle: &BundleName) -> Option<VersionRelease> {
    package.bundle_version(bundle.as_str()).cloned()
}

/// Returns the number of errors by rule.
fn count_errors(snapshot: &Snapshot) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for found in snapshot.findings().filter(|found| found.severity() == Severity::Error) {
        *counts.entry(found.rule.id).or_default() += 1;
    }
    counts
}

/// Returns the violations of the laws by a withdrawal from channels.
fn check_laws(
    before: &Snapshot,
    state: &Arc<PackageState>,
    bundle: &BundleName,
    channels: &[ChannelName],
) -> Result<Vec<String>, EditError> {
    let (package, mut wrong) = (state.package(), Vec::new());
    let withdrawal = Withdrawal::plan(package, bundle, channels)?;
    let after = before.after_change(olm_edit::apply_edit(&before.catalog, &withdrawal.edit)?);
    let known = count_errors(before);
    for (rule, count) in count_errors(&after) {
        if count > known.get(rule).copied().unwrap_or_default() {
            wrong.push(format!("new {rule}"));
        }
    }
    let Some(after) = after.package(package.name.as_str()) else { return Ok(vec!["no package".to_owned()]) };
    for channel in package.channels_with(bundle).map(|blob| &blob.name.value) {
        if !channels.is_empty() && !channels.contains(channel) {
            continue;
        }
        let head = |graph: &PackageGraph| Some(graph.channel(channel.as_str())?.graph.head()?.name.clone());
        let Some(old_head) = head(&state.graph) else { continue };
        let Some(new_head) = head(&after.graph) else {
            wrong.push(format!("{channel} does not have one head"));
            continue;
        };
        if (old_head == *bundle) != withdrawal.stays_in.contains(channel) {
            wrong.push(format!("{channel}: wrong answer for installations of {bundle}"));
        }
        if old_head != *bundle && old_head != new_head {
            wrong.push(format!("{channel}: the head changes to {new_head}"));
        }
        let top = version_of(package, &new_head);
        let reaching_before = bundles_reaching(&state.graph, channel, &old_head);
        let reaching_after = bundles_reaching_from(&state.graph, &after.graph, channel, &new_head);
        for (engine, (was, is)) in
            ["Classic", "v1"].into_iter().zip(reaching_before.iter().zip(&reaching_after))
        {
            let is_above = |name: &BundleName| {
                let versions = version_of(package, name).zip(top.clone());
                versions.is_some_and(|(version, top)| version.cmp_precedence(&top).is_gt())
            };
            let lost = was.difference(is).filter(|name| !is_above(name));
            let lost: Vec<_> = lost.filter(|name| *name != bundle || old_head != *bundle).collect();
            if !lost.is_empty() {
                wrong.push(format!("{channel}: {engine} no longer reaches the head from {lost:?}"));
            }
        }
    }
    Ok(wrong)
}

/// Returns the bundles of the old package from which each OLM reaches the head of a channel of the new one.
fn bundles_reaching_from(
    old: &PackageGraph,
    new: &PackageGraph,
    channel: &ChannelName,
    head: &BundleName,
) -> [std::collections::BTreeSet<BundleName>; 2] {
    let mut reaching = bundles_reaching(new, channel, head);
    let upgrades = new.channel(channel.as_str()).unwrap();
    let chain = upgrades.chain.as_ref().unwrap();
    let removed = old.package.bundles.iter().map(|bundle| &bundle.name.value);
    for bundle in removed.filter(|name| new.package.bundle(name.as_str()).is_none()) {
        let installed = Installed::from_package(&old.package, bundle);
        let next = classic::pick_successor(&upgrades.graph, chain, &installed);
        let next = next.and_then(|at| upgrades.graph.node(at)).map(|node| node.name.clone());
        for set in &mut reaching {
            if next.as_ref().is_some_and(|next| set.contains(next)) {
                set.insert(bundle.clone());
            }
        }
    }
    reaching
}

/// Returns the versions of missing bundles that OLM Classic upgrades by a range.
fn upgraded_missing(graph: &PackageGraph, below: &str) -> Vec<u64> {
    let upgrades = graph.channel("all").unwrap();
    let chain = upgrades.chain.as_ref().unwrap();
    let top = graph.package.bundle_version(below).unwrap().version.major();
    let is_upgraded = |major: &u64| {
        let version = format!("{major}.5.0");
        let name = BundleName::from(format!("p.v{version}"));
        let installed = Installed { name, version: VersionRelease::parse(&version, "").ok() };
        classic::pick_successor(&upgrades.graph, chain, &installed).is_some()
    };
    (0..top).filter(is_upgraded).collect()
}

proptest! {
    #![proptest_config(super::test_config(300))]

    #[test]
    fn withdrawal_keeps_the_upgrades_of_all_other_versions(
        entries in prop::collection::vec(generated_entry(), 2..9), has_tail in any::<bool>(),
        at in any::<prop::sample::Index>(), everywhere in any::<bool>(),
    ) {
        let text = write_catalog(&entries, has_tail);
        let before = Snapshot::new(load::from_bytes(text.clone().into_bytes()));
        prop_assert_eq!(count_errors(&before), BTreeMap::new(), "{}", text);
        let state = before.package("p").unwrap();
        let bundle: BundleName = bundle_name(at.index(entries.len())).into();
        let channels: Vec<ChannelName> = if everywhere { Vec::new() } else { vec!["all".into()] };
        match check_laws(&before, state, &bundle, &channels) {
            Ok(wrong) => prop_assert!(wrong.is_empty(), "{} without {}:\n{}", text, bundle, wrong.join("\n")),
            Err(EditError::EmptyChannel(channel)) => {
                prop_assert!(everywhere && channel == "first" && bundle == "p.v1.0.0");
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
        let edit = Withdrawal::plan(state.package(), &bundle, &channels).unwrap().edit;
        let after = before.after_change(olm_edit::apply_edit(&before.catalog, &edit).unwrap());
        let after = after.package("p").unwrap();
        let head = after.graph.channel("all").unwrap().graph.head().unwrap().name.clone();
        let (was, is) = (upgraded_missing(&state.graph, head.as_str()), upgraded_missing(&after.graph, head.as_str()));
        prop_assert!(was.iter().all(|major| is.contains(major)), "{} without {}: {:?} to {:?}", text, bundle, was, is);
    }
}

/// Distance of checked bundles, unless all are checked.
const BUNDLE_STEP: usize = 11;

#[test]
fn withdrawals_of_published_bundles_keep_upgrades_and_bring_no_error() {
    let Some(data) = conformance::find_data("repo").and_then(|repo| Some(repo.parent()?.to_owned())) else {
        return;
    };
    let everything = env::var_os("OLMAP_ALL").is_some();
    let (mut wrong, mut counts, mut bundles) = (Vec::new(), BTreeMap::<String, usize>::new(), 0_usize);
    for (folder, _) in package_catalogs(&data).into_iter().step_by(if everything { 1 } else { 7 }) {
        let before = Snapshot::new(load::open_catalog(&folder).unwrap());
        for (_, state) in before.packages() {
            for bundle in state.package().bundles.iter().map(|bundle| &bundle.name.value) {
                bundles += 1;
                if !everything && bundles % BUNDLE_STEP != 0 {
                    continue;
                }
                for blob in state.package().channels_with(bundle) {
                    let result = check_laws(&before, state, bundle, std::slice::from_ref(&blob.name.value));
                    let kind = result.as_ref().map_or_else(ToString::to_string, |_| "withdrawn".to_owned());
                    let kind =
                        if kind.contains("no entries left") { "would be empty".to_owned() } else { kind };
                    *counts.entry(kind).or_default() += 1;
                    let found = result.unwrap_or_default();
                    wrong.extend(
                        found.into_iter().map(|error| format!("{}: {bundle}: {error}", folder.display())),
                    );
                }
            }
        }
    }
    println!("{counts:#?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
