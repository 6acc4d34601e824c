//! Upgrade steps: effects in OLM Classic and OLM v1 when one bundle replaces another.
//!
//! [`judge_step`] compares every object of two bundles. Its rules were found by running both OLMs on an
//! API server. A step is safe only if every object was compared; an object without a rule is "not
//! checked". Verdicts do not cover pods: a deployment counts as available once it is written.
//!
//! Sources: operator-lifecycle-manager (`pkg/controller/operators/catalog`,
//! `pkg/controller/install`), operator-controller (`internal/operator-controller/applier`,
//! `rukpak/render/registryv1`), and the validation of built-in types in Kubernetes.

mod contents;
mod crds;
mod csv;
mod immutable_fields;
mod leftover;
mod objects;
mod pods;
mod reason;
#[cfg(test)]
mod tests;
mod validity;

pub use contents::{CrdFacts, StepBundle};
pub use crds::{StoredVersions, earlier_stored_versions};
pub use reason::{Judgement, OlmJudgement, Reason, ReasonKind, StepVerdict};

use reason::AffectedOlms;

use super::registry::BundleError;

/// Judges the step from one bundle to another. `stored` has the versions in which bundles before
/// the old one may have stored objects, by CRD.
pub fn judge_step(old: &StepBundle, new: &StepBundle, stored: &StoredVersions) -> Judgement {
    // OLM v1 cannot install the old bundle, so no cluster with OLM v1 takes this step.
    let is_v1_moot =
        old.v1_verdicts.iter().any(|one| matches!(one.validator, "api-services" | "all-namespaces"));
    let mut out = Judgement { is_v1_moot, ..Judgement::default() };
    for bundle in [old, new] {
        if let Some(reason) = &bundle.ambiguous {
            out.add_not_checked(AffectedOlms::Both, reason.clone());
        }
    }
    if let Some(fault) = &old.v1_fault {
        out.add_not_checked(AffectedOlms::V1, format!("OLM v1 does not load {}: {fault}", old.name));
    }
    if let Some(fault) = &old.opm_fault {
        out.add_not_checked(AffectedOlms::Classic, format!("opm does not load {}: {fault}", old.name));
    }
    objects::compare_objects(old, new, &mut out);
    csv::compare_csvs(old, new, &mut out);
    crds::compare_crds(old, new, stored, &mut out);
    add_load_faults(new, &mut out);
    out.sort_reasons();
    out
}

/// Adds the faults that prevent loading the new bundle, unless a reason already covers them.
fn add_load_faults(new: &StepBundle, out: &mut Judgement) {
    if let Some(fault) = &new.v1_fault {
        let reason = Reason::refusal(ReasonKind::InvalidBundle, new.csv_object(), fault);
        out.v1.reasons = vec![reason];
    }
    let is_lost = out.classic.refusals().any(|reason| reason.kind == ReasonKind::LostObject);
    match &new.opm_fault {
        Some(BundleError::MissingCrd(_)) if is_lost => {}
        Some(fault) => {
            out.add_reason(
                AffectedOlms::Classic,
                Reason::refusal(ReasonKind::InvalidBundle, new.csv_object(), fault.to_string()),
            );
        }
        None => {}
    }
}
