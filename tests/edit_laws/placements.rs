//! Placements of published bundles in the channels that do not have them. The packages are not part of this repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    sync::Arc,
};

use olm_catalog::{BundleName, ChannelName, PackageName, load};
use olm_check::{
    review::{Consequences, PackageState, Snapshot, stuck_changes::Publication},
    rule::Severity,
};
use olm_edit::{ChannelPlacement, Edit};
use olm_upgrade::{
    Installed, PackageGraph, classic,
    placement::{ChannelPlacements, Placement, PlacementProposal},
    v1::{Query, Resolver},
};

use super::{conformance, real::package_catalogs};

/// Bundles from which OLM Classic, or OLM v1 in this channel only, reaches `end` by any number of upgrades.
pub fn bundles_reaching(
    graph: &PackageGraph,
    channel: &ChannelName,
    end: &BundleName,
) -> [BTreeSet<BundleName>; 2] {
    let upgrades = graph.channel(channel.as_str()).unwrap();
    let chain = upgrades.chain.as_ref().unwrap();
    let query = Query { channels: vec![channel.clone()], ..Query::default() };
    let resolver = Resolver::new(&graph.package, &query).unwrap();
    let classic_pick = |installed: &Installed| {
        let at = classic::pick_successor(&upgrades.graph, chain, installed)?;
        upgrades.graph.node(at).map(|node| node.name.clone())
    };
    let v1_pick = |installed: &Installed| {
        resolver.pick(Some(installed)).ok().filter(|pick| **pick != installed.name).cloned()
    };
    let reaching = |pick: &dyn Fn(&Installed) -> Option<BundleName>| {
        let starts = graph.package.bundles.iter().map(|bundle| bundle.name.value.clone());
        starts
            .filter(|start| {
                let (mut at, mut steps) = (start.clone(), 0);
                while at != *end {
                    let Some(next) = pick(&Installed::from_package(&graph.package, &at)) else {
                        return false;
                    };
                    (at, steps) = (next, steps + 1);
                    if steps > graph.package.bundles.len() {
                        return false;
                    }
                }
                true
            })
            .collect()
    };
    [reaching(&classic_pick), reaching(&v1_pick)]
}

/// Rules whose warnings follow from the content of a channel, wherever the bundle is in it: OLM v1 leaves the channel, and
/// stuck versions of pre-release channels count once a channel for releases has them.
const ALLOWED_RULES: [&str; 2] = ["v1-escape", "stuck"];

/// Distance of checked pairs of a bundle and a channel, unless all are checked.
const PAIR_STEP: usize = 41;

/// Returns the violations of the laws by a placement.
fn check_laws(
    before: &Snapshot,
    state: &Arc<PackageState>,
    channel: &ChannelName,
    bundle: &BundleName,
    proposal: &PlacementProposal,
    counts: &mut BTreeMap<String, usize>,
) -> Vec<String> {
    let name = &state.package().name;
    let mut wrong = Vec::new();
    for (form, spec) in &proposal.forms {
        let (spec, changes) = (spec.clone(), proposal.changes.clone());
        let edit = Edit::promote(
            state.package(),
            bundle,
            &[ChannelPlacement { channel: channel.clone(), spec, changes }],
        );
        let after = match olm_edit::apply_edit(&before.catalog, &edit) {
            Ok(after) => before.after_change(after),
            Err(error) => {
                wrong.push(format!("{form:?}: not applied: {error}"));
                continue;
            }
        };
        let consequences = Consequences::compare_snapshots(before, &after);
        for found in consequences.new_findings.iter().filter(|found| found.severity() != Severity::Note) {
            if ALLOWED_RULES.contains(&found.rule.id) && found.severity() == Severity::Warning {
                *counts
                    .entry(format!("{} brings {}", proposal.placement.id(), found.rule.id))
                    .or_default() += 1;
            } else {
                wrong.push(format!("{form:?}: new {}: {}", found.rule.id, found.message));
            }
        }
        let newly_stuck = consequences.stuck.iter().flat_map(|change| &change.newly_stuck);
        for row in newly_stuck.filter(|row| row.publication == Publication::Kept) {
            // A new head of the default channel may be out of reach for versions in other channels. A new entry
            // may lead OLM v1 into a channel that ends below that head. The preview lists both.
            let kind = format!("versions newly stuck by {} on {}", proposal.placement.id(), row.engine);
            *counts.entry(kind).or_default() += 1;
        }
        let after = after.package(name.as_str()).unwrap();
        let upgrades = after.graph.channel(channel.as_str()).unwrap();
        let head = |graph: &PackageGraph| Some(graph.channel(channel.as_str())?.graph.head()?.name.clone());
        let Some(new_head) = head(&after.graph) else {
            wrong.push(format!("{form:?}: {} heads", upgrades.graph.head_nodes().len()));
            continue;
        };
        let Some(old_head) = head(&state.graph) else { continue };
        let before = bundles_reaching(&state.graph, channel, &old_head);
        let after = bundles_reaching(&after.graph, channel, &new_head);
        for (engine, (before, after)) in ["Classic", "v1"].into_iter().zip(before.iter().zip(&after)) {
            let lost: Vec<_> = before.difference(after).map(ToString::to_string).collect();
            if !lost.is_empty() {
                wrong.push(format!("{form:?}: {engine} no longer reaches the head from {}", lost.join(", ")));
            }
        }
        let is_lower = consequences.changed_steps.iter().filter(|moved| {
            let version = |name: &BundleName| state.package().bundle_version(name.as_str());
            let target = moved.after.next.target().and_then(version);
            moved.package == *name
                && target
                    .zip(version(&moved.installed))
                    .is_some_and(|(to, from)| to.cmp_precedence(from).is_lt())
        });
        wrong.extend(is_lower.map(|moved| format!("{form:?}: downgrade of {}", moved.installed)));
    }
    wrong
}

#[test]
fn placements_of_published_bundles_keep_upgrades_and_bring_no_error() {
    let Some(data) = conformance::find_data("repo").and_then(|repo| Some(repo.parent()?.to_owned())) else {
        return;
    };
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::<String, usize>::new());
    let (mut pairs, everything) = (0_usize, env::var_os("OLMAP_ALL").is_some());
    for (folder, _) in package_catalogs(&data).into_iter().step_by(if everything { 1 } else { 7 }) {
        let snapshot = Snapshot::new(load::open_catalog(&folder).unwrap());
        let packages: Vec<(PackageName, Arc<PackageState>)> =
            snapshot.packages().map(|(name, state)| (name.clone(), Arc::clone(state))).collect();
        for (_, state) in packages {
            let package = state.package();
            for channel in &package.channels {
                let channel = &channel.name.value;
                for bundle in package.bundles.iter().map(|bundle| &bundle.name.value) {
                    let places = match ChannelPlacements::find_placements(&state.graph, channel, bundle, None)
                    {
                        Ok(places) => places,
                        Err(olm_upgrade::placement::PlacementError::AlreadyThere) => continue,
                        Err(error) => {
                            let kind = format!("{error:?}");
                            let kind = kind.split(['(', ' ']).next().unwrap_or_default();
                            *counts.entry(format!("none: {kind}")).or_default() += 1;
                            continue;
                        }
                    };
                    pairs += 1;
                    if !everything && pairs % PAIR_STEP != 0 {
                        continue;
                    }
                    let preferred = places.proposals.first().map_or("", |proposal| proposal.placement.id());
                    let reservation = places.reservation.map_or(String::new(), |why| format!(", {why:?}"));
                    *counts.entry(format!("{preferred}{reservation}")).or_default() += 1;
                    for proposal in
                        places.proposals.iter().filter(|proposal| proposal.placement != Placement::Downgrade)
                    {
                        let found = check_laws(&snapshot, &state, channel, bundle, proposal, &mut counts);
                        wrong.extend(found.into_iter().map(|error| {
                            let kind = proposal.placement.id();
                            format!("{}: {bundle} in {channel}, {kind}: {error}", folder.display())
                        }));
                    }
                }
            }
        }
    }
    println!("{counts:#?}");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
