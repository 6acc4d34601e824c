//! The plan: how what is installed on one OpenShift version gets to another one, stop by stop.
//!
//! A cluster goes from one minor version to the next, and at each of them its operators see the catalog of that version. A plan
//! lists what happens: OLM's picks, changes of channel, the cluster's own updates. Each of its upgrades is one that OLM makes
//! in the catalog of that version: nothing else is ever planned.

mod block;
mod everyone;
mod graph;
mod held;
mod leg;
mod min_kube;
mod opening;
mod question;
mod remark;
mod search;
mod stop;
#[cfg(test)]
mod tests;
mod whole;

pub use block::{Block, BlockKind};
pub use everyone::{Everyone, PackagePlans, starts};
pub use leg::{Leg, Legs, World, missing};
pub use opening::Opens;
pub use question::{Approval, Prefer, Question, Start, Updates};
pub use remark::{Known, Remark, remarks};
pub use stop::{By, Plan, Stop};
pub use whole::{Planned, Whole};

use graph::Graph;
use leg::Asker;

use crate::upgrade::Installed;

/// The plan for one installed operator.
pub fn plan(legs: &Legs, start: &Start, question: &Question) -> Plan {
    plans(legs, std::slice::from_ref(start), question)
        .pop()
        .unwrap_or_else(|| Plan::nothing(start, *question))
}

/// The plans for several installed versions of one package, in their order. What they have in common is looked at once.
pub fn plans(legs: &Legs, starts: &[Start], question: &Question) -> Vec<Plan> {
    // A channel is changed only where nothing else helps, so those come first who need no change.
    let kept = Graph::new(legs, question, false, starts);
    let mut plans: Vec<Option<Plan>> = search::arriving(&kept, starts).collect();
    let left: Vec<usize> = (0..starts.len()).filter(|at| matches!(plans.get(*at), Some(None))).collect();
    let others: Vec<Start> = left.iter().filter_map(|at| starts.get(*at)).cloned().collect();
    if !others.is_empty() {
        let changing = Graph::new(legs, question, question.may_change_channel, &others);
        let arriving: Vec<Option<Plan>> = search::arriving(&changing, &others).collect();
        for ((at, start), (found, node)) in
            left.iter().zip(&others).zip(arriving.into_iter().zip(&changing.starts))
        {
            let kept_node = kept.starts.get(*at).copied().flatten();
            let blocked = || search::blocked(start, (&kept, kept_node), (&changing, *node));
            if let Some(plan) = plans.get_mut(*at) {
                *plan = Some(found.unwrap_or_else(blocked));
            }
        }
    }
    let nothing =
        |(plan, start): (Option<Plan>, &Start)| plan.unwrap_or_else(|| Plan::nothing(start, *question));
    plans.into_iter().zip(starts).map(nothing).collect()
}

/// Whether OLM makes an upgrade of a plan on a leg that may be another one than it was planned on: from the stop before, to the
/// stop.
pub fn is_made(plan: &Plan, leg: &Leg, before: &Stop, stop: &Stop) -> bool {
    let asker = Asker::new(&plan.package, leg, plan.engine, stop.channel.as_ref());
    let installed = Installed { name: before.bundle.clone(), version: before.version.clone() };
    let next = asker.next(plan.approval, &installed);
    next.is_ok_and(|next| next.iter().any(|(name, _)| *name == stop.bundle))
}
