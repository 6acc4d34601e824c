//! Plans for all possible installed versions of all packages.

use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use super::{
    Block, BlockKind, CatalogFix, Legs, PlanCatalogs, PlanSettings, PlanStart, SharedPlans, VersionPlan,
    find_dead_end, note::DeadEnd,
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::{Engine, Installed, openshift::OpenShift};

/// The plans for all installed versions that the first catalog allows: every entry of every channel.
#[derive(Clone, PartialEq, Debug)]
pub struct PackagePlans {
    /// The name of the package.
    pub package: PackageName,
    /// The OLM engine.
    pub engine: Engine,
    /// The head of the default channel for each OpenShift version. `None` if there is no such package or head.
    pub heads: Vec<Option<BundleName>>,
    /// The plans, with channels and entries in source order.
    pub plans: SharedPlans,
}

/// The end of a plan: OpenShift version, channel and bundle.
type PlanEnd<'a> = (OpenShift, Option<&'a ChannelName>, &'a BundleName);

/// The plans for all packages.
#[derive(Clone, PartialEq, Debug)]
pub struct AllPlans {
    /// The OpenShift versions with a catalog.
    pub versions: Vec<OpenShift>,
    /// The minor versions without catalog between them.
    pub missing: Vec<OpenShift>,
    /// The plans by package name, each package once for every engine.
    pub packages: Vec<PackagePlans>,
}

impl AllPlans {
    /// Computes the plans for all packages and questions.
    pub fn new(world: &PlanCatalogs, questions: &[PlanSettings]) -> Self {
        let of = |legs: &Legs| {
            questions.iter().map(|question| PackagePlans::new(legs, question)).collect::<Vec<_>>()
        };
        Self {
            versions: world.versions().to_vec(),
            missing: world.missing_versions(),
            packages: world.packages().par_iter().flat_map_iter(of).collect(),
        }
    }

    /// Returns the number of stranded plans and the number of all plans.
    pub fn count_stranded(&self) -> (usize, usize) {
        let counts =
            self.packages.iter().map(|package| (package.count_stranded(), package.plans.count_plans()));
        counts.fold((0, 0), |(stranded, all), (some, of)| (stranded + some, all + of))
    }
}

impl PackagePlans {
    /// Computes the plans for all entries of a package.
    pub fn new(legs: &Legs, question: &PlanSettings) -> Self {
        Self {
            package: legs.package.clone(),
            engine: question.engine,
            heads: legs.legs.iter().map(|leg| default_head(leg.graph.as_ref()?)).collect(),
            plans: SharedPlans::from_starts(legs, &list_starts(legs), question),
        }
    }

    /// Returns the single edit that opens each blocked plan, if there is one. Plans with the same end share the
    /// result.
    pub fn find_fixes(&self, legs: &Legs, question: &PlanSettings) -> Vec<Option<CatalogFix>> {
        let mut known: HashMap<PlanEnd<'_>, Option<CatalogFix>> = HashMap::new();
        let mut found = Vec::with_capacity(self.plans.count_plans());
        for (plan, start) in self.plans.iter().zip(list_starts(legs)) {
            let end = plan.last_state().zip(plan.blocked());
            found.push(end.and_then(|(end, block)| {
                let find_fix = || CatalogFix::find_fix_at(legs, &start, *question, end, block);
                known.entry((end.openshift, end.channel, end.bundle)).or_insert_with(find_fix).clone()
            }));
        }
        found
    }

    /// Returns the number of plans that do not arrive.
    pub fn count_stranded(&self) -> usize {
        self.plans.iter().filter(|plan| !plan.arrives()).count()
    }

    /// Returns the number of installed versions that are stuck in the last catalog, and whose plans arrive there.
    pub fn count_stuck(&self, legs: &Legs) -> usize {
        let is_stuck = |plan: &VersionPlan<'_>| {
            let ends = plan.first_state().zip(plan.last_state()).filter(|_| plan.arrives());
            let end = ends.and_then(|(first, last)| find_dead_end(legs, self.engine, first, last));
            matches!(end, Some(DeadEnd::Stuck(_)))
        };
        // A version is in several channels.
        let stuck = self.plans.iter().filter(is_stuck);
        let versions: HashSet<BundleName> =
            stuck.filter_map(|plan| Some(plan.first_state()?.bundle.clone())).collect();
        versions.len()
    }

    /// Returns the number of plans that end on the head of the default channel in the last catalog.
    pub fn count_at_head(&self) -> usize {
        let head = self.heads.last().and_then(Option::as_ref);
        let is_there =
            |plan: &VersionPlan<'_>| plan.arrives() && plan.last_state().map(|end| end.bundle) == head;
        self.plans.iter().filter(is_there).count()
    }

    /// Counts the blocked plans by OpenShift version and reason.
    pub fn blocked_counts(&self) -> BTreeMap<(OpenShift, BlockKind), usize> {
        let mut places = BTreeMap::new();
        for Block { openshift, kind, .. } in self.plans.iter().filter_map(VersionPlan::blocked) {
            *places.entry((*openshift, *kind)).or_default() += 1;
        }
        places
    }
}

/// Returns all entries of all channels in the first catalog.
pub fn list_starts(legs: &Legs) -> Vec<PlanStart> {
    let Some(graph) = legs.legs.first().and_then(|leg| leg.graph.as_ref()) else { return Vec::new() };
    let of = |channel: &olm_upgrade::package::ChannelUpgrades| {
        let nodes = channel.graph.entry_nodes().filter_map(|at| channel.graph.node(at));
        let start = |node: &olm_upgrade::GraphNode| PlanStart {
            package: legs.package.clone(),
            installed: Installed { name: node.name.clone(), version: node.version.clone() },
            channel: Some(channel.graph.name().clone()),
            limit: None,
        };
        nodes.map(start).collect::<Vec<_>>()
    };
    graph.channels().iter().flat_map(of).collect()
}

fn default_head(graph: &olm_upgrade::PackageGraph) -> Option<BundleName> {
    let channel = graph.channel(graph.package.default_channel()?.as_str())?;
    Some(channel.graph.head()?.name.clone())
}
