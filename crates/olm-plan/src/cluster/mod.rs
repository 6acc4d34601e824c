//! Installed operators of a cluster, from the output of `kubectl get ... -o yaml` or a must-gather. Nothing is
//! changed, and no cluster is contacted.
//!
//! Only relevant fields of an object are stored, so that no secret or token gets into a [`Cluster`]. Data that
//! cannot be parsed is a [`Note`] with its location, and the rest still counts.

mod compare;
mod condition;
mod csv;
mod fields;
mod kind;
mod note;
mod objects;
mod operator_list;
mod operators;
mod question;
mod reader;
mod redaction;
mod report;
mod types;

#[cfg(test)]
mod compare_tests;
#[cfg(test)]
mod tests;

pub use compare::{ComparedStatements, Statement, Topic, compare_operator, operator_problems};
pub use condition::{Condition, ConditionKind};
pub use kind::Kind;
pub use note::{Location, Note, NoteKind};
pub use objects::{CatalogOnCluster, ClusterVersion, ExtensionCatalog, OperatorGroup};
pub use operator_list::{OperatorListError, parse_operator_list};
pub use question::{QuestionError, build_question};
pub use reader::{NothingFound, Reader};
pub use report::{OperatorReport, Report, report_cluster};
pub use types::{Approval, Cluster, InstalledBundle, Operator, OperatorRequest, SubscriptionRequest};

/// Command that writes a file with all relevant objects.
pub const KUBECTL: &str = "kubectl get clusterversions,subscriptions.operators.coreos.com,clusterserviceversions,\
operatorgroups,catalogsources,installplans,clusterextensions,clustercatalogs -A -l '!olm.copiedFrom' -o yaml";
