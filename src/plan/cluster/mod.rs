//! What a cluster says is installed on it: what `kubectl get ... -o yaml` wrote, or a must-gather, read and never changed. No cluster
//! is contacted.
//!
//! Only what olmap asks for is kept of an object: no secret, no token, nothing else of what such files hold gets into a
//! [`Cluster`]. What cannot be read is a [`Note`] with its place, and the rest counts all the same.

mod compare;
mod condition;
mod csv;
mod fields;
mod kind;
mod note;
mod objects;
mod operators;
mod question;
mod reader;
mod redact;
mod report;
mod types;
mod wanted;

#[cfg(test)]
mod compare_tests;
#[cfg(test)]
mod tests;

pub use compare::{Point, Said, Topic, compare, troubles};
pub use condition::{Condition, ConditionKind};
pub use kind::Kind;
pub use note::{Note, NoteKind, Place};
pub use objects::{CatalogOnCluster, ClusterVersion, ExtensionCatalog, OperatorGroup};
pub use question::{NoQuestion, question};
pub use reader::{NothingFound, Reader};
pub use report::{Looked, Report, report};
pub use types::{Approval, Asks, Cluster, InstalledBundle, Operator, SubscriptionAsks};
pub use wanted::{NotWanted, wanted};

/// What to run for a file that has everything.
pub const KUBECTL: &str = "kubectl get clusterversions,subscriptions.operators.coreos.com,clusterserviceversions,\
operatorgroups,catalogsources,installplans,clusterextensions,clustercatalogs -A -l '!olm.copiedFrom' -o yaml";
