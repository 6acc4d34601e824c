//! Upgrade steps: what OLM Classic and OLM v1 do when one bundle takes the place of another.
//!
//! [`judge`] compares every object of two bundles by rules that were found by running both OLMs on an API server. A step is
//! safe only if nothing was left out; what has no rule is "not checked". Verdicts say nothing about pods: a deployment counts
//! as available once it is written.
//!
//! Sources: operator-lifecycle-manager (`pkg/controller/operators/catalog`, `pkg/controller/install`), operator-controller
//! (`internal/operator-controller/applier`, `rukpak/render/registryv1`), Kubernetes' validation of its own types.

mod apis;
mod contents;
mod crds;
mod csv;
mod fields;
mod leftover;
mod objects;
mod permissions;
mod pods;
mod reason;
#[cfg(test)]
mod tests;
mod validity;

pub use contents::{CrdFacts, StepBundle};
pub use crds::{StoredBefore, stored_before};
pub use reason::{Judgement, OlmJudgement, Reason, ReasonKind, StepVerdict};

use reason::By;

use super::registry::BundleFault;

/// Judges the step from one bundle to another. `stored`: versions in which objects may be stored since a bundle before the old
/// one, by CRD.
pub fn judge(old: &StepBundle, new: &StepBundle, stored: &StoredBefore) -> Judgement {
    let is_v1_moot =
        old.v1_verdicts.iter().any(|one| matches!(one.validator, "api-services" | "all-namespaces"));
    let mut out = Judgement { is_v1_moot, ..Judgement::default() };
    for bundle in [old, new] {
        if let Some(reason) = &bundle.ambiguous {
            out.add_not_checked(By::Both, reason.clone());
        }
    }
    if let Some(fault) = &old.v1_fault {
        out.add_not_checked(By::V1, format!("OLM v1 does not load {}: {fault}", old.name));
    }
    if let Some(fault) = &old.opm_fault {
        out.add_not_checked(By::Classic, format!("opm does not load {}: {fault}", old.name));
    }
    objects::compare(old, new, &mut out);
    csv::compare(old, new, &mut out);
    crds::compare(old, new, stored, &mut out);
    faults(new, &mut out);
    out.sort();
    out
}

/// Adds the faults for which the new bundle is not loaded, unless they are among the reasons.
fn faults(new: &StepBundle, out: &mut Judgement) {
    if let Some(fault) = &new.v1_fault {
        let reason = Reason::refusal(ReasonKind::InvalidBundle, new.csv_object(), fault);
        out.v1.reasons = vec![reason];
    }
    let is_lost = out.classic.refusals().any(|reason| reason.kind == ReasonKind::LostObject);
    match &new.opm_fault {
        Some(BundleFault::MissingCrd(_)) if is_lost => {}
        Some(fault) => {
            out.add(
                By::Classic,
                Reason::refusal(ReasonKind::InvalidBundle, new.csv_object(), fault.to_string()),
            );
        }
        None => {}
    }
}
