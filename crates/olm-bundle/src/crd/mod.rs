//! Compatibility of a new CRD with an old one: what OLM v1's preflight and Classic reject, and the consequences
//! for existing resources.
//!
//! All checks work on olmap's trees, so that each finding has a location on both sides. Sources:
//! operator-controller, `internal/operator-controller/rukpak/preflights/crdupgradesafety` over
//! `sigs.k8s.io/crdify`; operator-lifecycle-manager, `pkg/controller/operators/catalog`.

mod classic;
mod compare;
mod finding;
mod flat;
mod group;
mod kube_version;
mod location;
mod model;
mod pair;
mod sets;
mod shape;
mod unhandled;
mod validation;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use classic::{ClassicResult, RefusedExample};
pub use compare::{Comparison, Incomparable, MAX_DEPTH, compare_crds, compare_crds_with_stored};
pub use finding::{Check, CrdFinding};
pub use group::{Field, Group, group_findings};
pub use location::{CrdLocation, IndexedFile, SourceText};
pub use model::{Crd, CrdApi, CrdVersion};
pub use pair::{PairError, parse_pair};
pub use sets::{
    CrdComparison, CrdSet, Examples, ManifestsUnavailable, SetComparison, UnreadFile, compare_pair,
    compare_sets, compare_sets_with_stored,
};
pub use validation::Validation;
