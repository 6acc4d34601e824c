//! The single edit that makes a blocked plan arrive. Each edit is tested before it is suggested.

use std::sync::Arc;

use super::{Legs, Plan, PlanSettings, PlanStart, plan_operator};
use olm_catalog::{BundleName, ChannelName};
use olm_edit::Edit;
use olm_upgrade::{
    Engine, Installed, PackageGraph,
    openshift::{OpenShift, OpenShiftLimit},
    path::{PathFix, PathReport, UpgradeContext},
    v1::Query,
};

/// Edit with the catalog to edit.
#[derive(Clone, PartialEq, Debug)]
pub struct CatalogFix {
    /// The OpenShift version of the catalog.
    pub openshift: OpenShift,
    /// The edit.
    pub fix: PathFix,
}

impl CatalogFix {
    /// Finds the smallest edit of one catalog that makes a blocked plan arrive: an additional edge to an entry.
    ///
    /// Returns `None` if the plan arrives or if no edge helps. For example, the package is missing or no
    /// version supports the next OpenShift version.
    pub fn find_catalog_fix(
        legs: &Legs,
        start: &PlanStart,
        question: &PlanSettings,
        plan: &Plan,
    ) -> Option<Self> {
        let block = plan.blocked.as_ref()?;
        if !block.kind.is_about_edges() {
            return None;
        }
        let end = plan.stops.last()?;
        let at = legs.legs.iter().position(|leg| leg.openshift == block.openshift)?;
        let leg = legs.legs.get(at)?;
        let graph = leg.graph.as_ref()?;
        let from = Installed { name: end.bundle.clone(), version: end.version.clone() };
        let next = legs.legs.get(at + 1).map(|leg| leg.openshift);
        upgrade_contexts(graph, *question, end.channel.as_ref()).iter().find_map(|traveller| {
            find_goals(graph, traveller, next).into_iter().find_map(|goal| {
                let opening = PathReport::find_fix_without_channel_change(graph, traveller, &from, &goal)?;
                arrives_after(legs, at, start, *question, &opening)
                    .then_some(Self { openshift: leg.openshift, fix: opening })
            })
        })
    }
}

/// Returns the upgrade contexts to fix: first the followed channel. If the plan can change the
/// channel, the default channel and the other channels follow.
fn upgrade_contexts(
    graph: &PackageGraph,
    question: PlanSettings,
    channel: Option<&ChannelName>,
) -> Vec<UpgradeContext> {
    let of = |channel: Option<&ChannelName>| match (question.engine, channel) {
        (Engine::Classic, channel) => Some(UpgradeContext::Classic(channel?.clone())),
        (Engine::V1, channel) => Some(UpgradeContext::V1(Query {
            channels: channel.into_iter().cloned().collect(),
            ..Query::default()
        })),
    };
    let Some(own) = channel else { return of(None).into_iter().collect() };
    let mut channels: Vec<&ChannelName> =
        graph.channels().iter().map(|channel| channel.graph.name()).collect();
    let default = graph.package.default_channel();
    channels.retain(|channel| *channel == own || question.may_change_channel);
    channels.sort_by_key(|channel| (*channel != own, Some(*channel) != default));
    channels.into_iter().filter_map(|channel| of(Some(channel))).collect()
}

/// Returns the possible targets, best first: bundles that do not block the next OpenShift version.
fn find_goals(graph: &PackageGraph, traveller: &UpgradeContext, next: Option<OpenShift>) -> Vec<BundleName> {
    /// The limit, because a target can take many edits to test.
    const MAX_GOALS: usize = 4;
    let is_free = |name: &BundleName| {
        let bundle = graph.package.bundle(name.as_str());
        bundle.is_some_and(|bundle| next.is_none_or(|next| !OpenShiftLimit::from_bundle(bundle).blocks(next)))
    };
    let preference: Vec<BundleName> = match traveller {
        UpgradeContext::Classic(channel) => {
            let channel = graph.channel(channel.as_str());
            let chain = channel.and_then(|channel| Some((channel, channel.chain.as_ref().ok()?)));
            let names = chain.map(|(channel, chain)| {
                chain
                    .order
                    .iter()
                    .filter_map(|&at| channel.graph.node(at))
                    .map(|node| node.name.clone())
                    .collect()
            });
            names.unwrap_or_default()
        }
        UpgradeContext::V1(query) => graph
            .v1_resolver(query)
            .map(|resolver| resolver.preferred_names().cloned().collect())
            .unwrap_or_default(),
    };
    preference.into_iter().filter(is_free).take(MAX_GOALS).collect()
}

/// Returns true if the plan arrives with an additional edge in the catalog of one leg.
fn arrives_after(
    legs: &Legs,
    at: usize,
    start: &PlanStart,
    question: PlanSettings,
    opening: &PathFix,
) -> bool {
    let Edit::SetEntry { spec, .. } = &opening.edit else { return false };
    let supposed = || {
        let graph = legs.legs.get(at)?.graph.as_ref()?;
        let package = graph.package.with_entry(&opening.channel, &opening.entry, spec)?;
        let mut supposed = legs.clone();
        supposed.legs.get_mut(at)?.graph = Some(PackageGraph::new(&Arc::new(package)));
        Some(plan_operator(&supposed, start, &question).arrives())
    };
    supposed().unwrap_or(false)
}
