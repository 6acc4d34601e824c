//! All installed versions of all packages at once: who arrives, and where the others are left.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::{Block, BlockKind, Legs, Opens, Plan, Question, Start, World, plans};
use crate::{
    catalog::{BundleName, ChannelName, PackageName},
    upgrade::{Engine, Installed, openshift::OpenShift},
};

/// The plans of everybody who may have a package from the first catalog: every entry of every channel.
#[derive(Clone, PartialEq, Debug)]
pub struct PackagePlans {
    /// The package.
    pub package: PackageName,
    /// Who upgrades.
    pub engine: Engine,
    /// The default channel's head, version by version; `None` where the catalog has no such package, or no such head.
    pub heads: Vec<Option<BundleName>>,
    /// The plans: channels and entries in source order.
    pub plans: Vec<Plan>,
}

/// Where a plan ends: the version, the channel, the bundle.
type End<'a> = (OpenShift, Option<&'a ChannelName>, &'a BundleName);

/// What becomes of everybody, version by version.
#[derive(Clone, PartialEq, Debug)]
pub struct Everyone {
    /// The OpenShift versions that have a catalog.
    pub versions: Vec<OpenShift>,
    /// The minor versions between them.
    pub missing: Vec<OpenShift>,
    /// Packages by name; each for one OLM after the other.
    pub packages: Vec<PackagePlans>,
}

impl Everyone {
    /// The plans of everybody.
    pub fn new(world: &World, questions: &[Question]) -> Self {
        let of = |legs: &Legs| {
            questions.iter().map(|question| PackagePlans::new(legs, question)).collect::<Vec<_>>()
        };
        Self {
            versions: world.versions().to_vec(),
            missing: world.missing(),
            packages: world.packages().par_iter().flat_map_iter(of).collect(),
        }
    }

    /// How many of how many are stranded.
    pub fn stranded(&self) -> (usize, usize) {
        let counts = self.packages.iter().map(|package| (package.stranded(), package.plans.len()));
        counts.fold((0, 0), |(stranded, all), (some, of)| (stranded + some, all + of))
    }
}

impl PackagePlans {
    /// The plans of everybody who may have a package.
    pub fn new(legs: &Legs, question: &Question) -> Self {
        Self {
            package: legs.package.clone(),
            engine: question.engine,
            heads: legs.legs.iter().map(|leg| head(leg.graph.as_ref()?)).collect(),
            plans: plans(legs, &starts(legs), question),
        }
    }

    /// The one edit that opens the way of each who does not arrive, where one does. Who ends at the same place needs the same.
    pub fn opens(&self, legs: &Legs, question: &Question) -> Vec<Option<Opens>> {
        let mut known: HashMap<End<'_>, Option<Opens>> = HashMap::new();
        let mut found = Vec::with_capacity(self.plans.len());
        for (plan, start) in self.plans.iter().zip(starts(legs)) {
            let end = plan.stops.last().filter(|_| plan.blocked.is_some());
            found.push(end.and_then(|end| {
                let key = (end.openshift, end.channel.as_ref(), &end.bundle);
                known.entry(key).or_insert_with(|| Opens::of(legs, &start, question, plan)).clone()
            }));
        }
        found
    }

    /// How many do not arrive.
    pub fn stranded(&self) -> usize {
        self.plans.iter().filter(|plan| !plan.arrives()).count()
    }

    /// How many end on the default channel's head of the last catalog.
    pub fn at_head(&self) -> usize {
        let head = self.heads.last().and_then(Option::as_ref);
        let is_there = |plan: &&Plan| plan.arrives() && plan.stops.last().map(|stop| &stop.bundle) == head;
        self.plans.iter().filter(is_there).count()
    }

    /// Where the others are left and why, and how many of them.
    pub fn places(&self) -> BTreeMap<(OpenShift, BlockKind), usize> {
        let mut places = BTreeMap::new();
        for Block { openshift, kind, .. } in self.plans.iter().filter_map(|plan| plan.blocked.as_ref()) {
            *places.entry((*openshift, *kind)).or_default() += 1;
        }
        places
    }
}

/// Every entry of every channel of the first catalog.
pub fn starts(legs: &Legs) -> Vec<Start> {
    let Some(graph) = legs.legs.first().and_then(|leg| leg.graph.as_ref()) else { return Vec::new() };
    let of = |channel: &crate::upgrade::package::ChannelUpgrades| {
        let nodes = channel.graph.entries().filter_map(|at| channel.graph.node(at));
        let start = |node: &crate::upgrade::GraphNode| Start {
            package: legs.package.clone(),
            installed: Installed { name: node.name.clone(), version: node.version.clone() },
            channel: Some(channel.graph.name().clone()),
            limit: None,
        };
        nodes.map(start).collect::<Vec<_>>()
    };
    graph.channels().iter().flat_map(of).collect()
}

fn head(graph: &crate::upgrade::PackageGraph) -> Option<BundleName> {
    let channel = graph.channel(graph.package.default_channel()?.as_str())?;
    Some(channel.graph.node(channel.graph.head()?)?.name.clone())
}
