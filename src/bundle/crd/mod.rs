//! Whether a new CRD can take the place of an old one: what OLM v1's preflight refuses, what Classic refuses, and what it means
//! for the resources that are there.
//!
//! Everything is read from our own trees, so that each finding has a place on both sides. Sources: operator-controller,
//! `internal/operator-controller/rukpak/preflights/crdupgradesafety` over `sigs.k8s.io/crdify`; operator-lifecycle-manager,
//! `pkg/controller/operators/catalog`.

mod classic;
mod compare;
mod finding;
mod flat;
mod group;
mod kube_version;
mod model;
mod pair;
mod place;
mod sets;
mod shape;
mod unhandled;
mod validation;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use classic::{Classic, RefusedExample};
pub use compare::{Comparison, DEEPEST, Incomparable, compare, compare_storing};
pub use finding::{Check, Finding};
pub use group::{Field, Group, groups};
pub use model::{Crd, CrdApi, CrdVersion};
pub use pair::{NoPair, read_pair};
pub use place::{FileGround, Ground, Place};
pub use sets::{
    Compared, CrdSet, Examples, NotInSight, SetComparison, UnreadFile, compare_sets, compare_sets_storing,
    compare_two,
};
pub use validation::Validation;
