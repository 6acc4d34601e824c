//! Plans for everything that is installed on one cluster.

use rayon::prelude::*;

use super::{Opens, Plan, Question, Remark, Start, World, plan, remarks};
use crate::{catalog::Catalog, upgrade::openshift::OpenShift};

/// The plan for one operator with all that is to be said of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// What somebody should know besides.
    pub remarks: Vec<Remark>,
    /// The edit that opens the way, where there is none and one edit does.
    pub opens: Option<Opens>,
}

/// See the module. The operators are independent but for the cluster's version, which is the same for all.
#[derive(Clone, PartialEq, Debug)]
pub struct Whole {
    /// The OpenShift versions that have a catalog, in order.
    pub versions: Vec<OpenShift>,
    /// The minor versions between them: what is installed is assumed to stay as it is there.
    pub missing: Vec<OpenShift>,
    /// The operators, in the order in which they were asked about.
    pub operators: Vec<Planned>,
}

impl Whole {
    /// Plans for what is installed. `catalog` tells the catalog of a version.
    pub fn new<'a>(
        world: &World,
        asked: &[(Start, Question)],
        catalog: impl Fn(OpenShift) -> Option<&'a Catalog> + Sync,
    ) -> Self {
        let of = |(start, question): &(Start, Question)| {
            let legs = world.package(start.package.as_str())?;
            let plan = plan(legs, start, question);
            let remarks = remarks(legs, &plan, &catalog);
            let opens = Opens::of(legs, start, question, &plan);
            Some(Planned { plan, remarks, opens })
        };
        Self {
            versions: world.versions().to_vec(),
            missing: world.missing(),
            operators: asked.par_iter().filter_map(of).collect(),
        }
    }

    /// Whether all of them arrive.
    pub fn arrives(&self) -> bool {
        self.operators.iter().all(|operator| operator.plan.arrives())
    }

    /// The version that the cluster gets to with all of them.
    pub fn reaches(&self) -> Option<OpenShift> {
        self.operators.iter().filter_map(|operator| operator.plan.reaches()).min()
    }
}
