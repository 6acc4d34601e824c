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
mod leftovers;
mod objects;
mod reason;
#[cfg(test)]
mod tests;

pub use contents::{CrdFacts, StepBundle};
pub use crds::{StoredVersions, earlier_stored_versions};
pub use reason::{Judgement, OlmJudgement, Reason, ReasonKind, StepVerdict};

use std::borrow::Cow;

use base64::Engine as _;

use crate::{
    field_access::{items_at, node_at, text_at, texts_at},
    registry::BundleError,
    suites::is_subdomain,
    typed::{self, DecoderKind},
};
use objects::text_map;
use olm_catalog::Node;
use reason::AffectedOlms;

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

/// Fault of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ObjectFault {
    /// Field path; empty for the whole object.
    pub field: String,
    /// Description of the fault.
    pub message: String,
}

fn object_fault(field: impl Into<String>, words: impl Into<String>) -> ObjectFault {
    ObjectFault { field: field.into(), message: words.into() }
}

/// Kinds whose names may contain characters other than lowercase letters, digits, `-` and `.`.
const PATH_NAMES: [&str; 4] = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/// Returns the type name of a kind in `assets/kubernetes-types.txt`.
fn type_name(kind: &str) -> &'static str {
    match kind {
        "PodDisruptionBudget" => "PodDisruptionBudget",
        "PriorityClass" => "PriorityClass",
        "Role" | "ClusterRole" => "Role",
        "RoleBinding" | "ClusterRoleBinding" => "RoleBinding",
        "ConfigMap" => "ConfigMap",
        "Secret" => "Secret",
        "Service" => "Service",
        "ServiceAccount" => "ServiceAccount",
        "NetworkPolicy" => "NetworkPolicy",
        _ => "ObjectWithMetadata",
    }
}

/// Returns the faults of an object of `manifests/`.
fn object_faults(kind: &str, node: &Node<'_>) -> Vec<ObjectFault> {
    let mut faults = Vec::new();
    if let Err(fault) = typed::check_type(node, type_name(kind), DecoderKind::Json) {
        let words = format!("{} {}", fault.path, fault.reason);
        faults.push(object_fault(fault.path, words));
    }
    let name = text_at(node, &["metadata", "name"]);
    if PATH_NAMES.contains(&kind) {
        if name.contains(['/', '%']) || matches!(name.as_ref(), "." | "..") {
            faults.push(object_fault("metadata.name", "its name has a character that names must not have"));
        }
    } else if !is_subdomain(&name) {
        faults.push(object_fault("metadata.name", "its name is not a DNS subdomain"));
    }
    match kind {
        "PodDisruptionBudget" => {
            let has = |key| node_at(node, &["spec", key]).is_some();
            if has("minAvailable") && has("maxUnavailable") {
                faults.push(object_fault("spec", "minAvailable and maxUnavailable are both set"));
            }
        }
        "Service" => faults.extend(service_fault(node)),
        "Secret" => faults.extend(base64_fault(node, "data")),
        "ConfigMap" => {
            faults.extend(base64_fault(node, "binaryData"));
            let binary = text_map(node_at(node, &["binaryData"]));
            if let Some(key) = text_map(node_at(node, &["data"])).keys().find(|key| binary.contains_key(*key))
            {
                faults.push(object_fault("data", format!("{key} is in data and in binaryData")));
            }
        }
        "RoleBinding" | "ClusterRoleBinding" => {
            let kinds =
                if kind == "RoleBinding" { &["Role", "ClusterRole"][..] } else { &["ClusterRole"][..] };
            if !kinds.contains(&text_at(node, &["roleRef", "kind"]).as_ref()) {
                faults.push(object_fault("roleRef", format!("roleRef must name a {}", kinds.join(" or a "))));
            } else if text_at(node, &["roleRef", "name"]).is_empty() {
                faults.push(object_fault("roleRef", "roleRef does not have a name"));
            }
        }
        _ => {}
    }
    faults
}

/// Returns a fault for the first value of a map that is not base64.
fn base64_fault(node: &Node<'_>, map: &'static str) -> Option<ObjectFault> {
    let is_base64 = |value: &str| {
        let text: String = value.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
        base64::engine::general_purpose::STANDARD.decode(text).is_ok()
    };
    let values = text_map(node_at(node, &[map]));
    let (key, _) = values.into_iter().find(|(_, value)| !is_base64(value))?;
    Some(object_fault(map, format!("the value of {key} is not base64")))
}

fn service_fault(node: &Node<'_>) -> Option<ObjectFault> {
    let ports = items_at(node, &["spec", "ports"]);
    let names: Vec<Cow<'_, str>> = ports.iter().map(|port| text_at(port, &["name"])).collect();
    if names.len() > 1 && names.iter().any(|name| name.is_empty()) {
        return Some(object_fault("spec.ports", "a service with several ports needs a name for each"));
    }
    let twice = (1..names.len()).find_map(|at| {
        let name = names.get(at)?;
        names.get(..at)?.contains(name).then_some(name)
    });
    twice.map(|name| object_fault("spec.ports", format!("two ports have the name {name}")))
}

/// Returns the faults of a deployment in a CSV. The argument is the deployment spec.
fn deployment_faults(spec: &Node<'_>) -> Vec<ObjectFault> {
    let mut faults = Vec::new();
    if let Err(fault) = typed::check_type(spec, "DeploymentSpec", DecoderKind::Json) {
        let field = format!("spec.{}", fault.path);
        let words = format!("{field} {}", fault.reason);
        faults.push(object_fault(field, words));
    }
    let selector = node_at(spec, &["selector"]);
    let is_empty = |selector: &Node<'_>| {
        node_at(selector, &["matchLabels"]).is_none_or(|labels| labels.members().is_empty())
            && items_at(selector, &["matchExpressions"]).is_empty()
    };
    match selector {
        None => faults.push(object_fault("spec.selector", "it does not have a selector")),
        Some(selector) if is_empty(selector) => {
            faults.push(object_fault("spec.selector", "its selector is empty"));
        }
        Some(selector) if !selector_matches(selector, node_at(spec, &["template", "metadata", "labels"])) => {
            let words = "the labels of its pods do not match its selector";
            faults.push(object_fault("spec.template.metadata.labels", words));
        }
        Some(_) => {}
    }
    let is_recreate = text_at(spec, &["strategy", "type"]) == "Recreate";
    if is_recreate && node_at(spec, &["strategy", "rollingUpdate"]).is_some_and(|node| !node.is_null()) {
        faults.push(object_fault(
            "spec.strategy.rollingUpdate",
            "the strategy Recreate does not have rollingUpdate",
        ));
    }
    let containers = items_at(spec, &["template", "spec", "containers"]);
    if containers.is_empty() {
        faults.push(object_fault("spec.template.spec.containers", "it does not have a container"));
    }
    let initial = items_at(spec, &["template", "spec", "initContainers"]);
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    for container in containers.iter().chain(initial) {
        let name = text_at(container, &["name"]);
        if name.is_empty() || text_at(container, &["image"]).is_empty() {
            let words = "a container needs a name and an image";
            faults.push(object_fault("spec.template.spec.containers[]", words));
        } else if names.contains(&name) {
            let words = format!("two containers have the name {name}");
            faults.push(object_fault("spec.template.spec.containers[]", words));
        } else {
            names.push(name);
        }
    }
    faults
}

/// Returns true if a label selector matches labels.
fn selector_matches(selector: &Node<'_>, own: Option<&Node<'_>>) -> bool {
    let own = text_map(own);
    let wanted = text_map(node_at(selector, &["matchLabels"]));
    let has_labels = wanted.iter().all(|(key, value)| own.get(key) == Some(value));
    let fits = |expression: &Node<'_>| {
        let key = text_at(expression, &["key"]);
        let value = own.get(key.as_ref());
        let is_listed =
            || value.is_some_and(|value| texts_at(expression, &["values"]).any(|one| one == *value));
        match text_at(expression, &["operator"]).as_ref() {
            "In" => is_listed(),
            "NotIn" => !is_listed(),
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            // Unknown operator.
            _ => false,
        }
    };
    has_labels && items_at(selector, &["matchExpressions"]).iter().all(fits)
}
