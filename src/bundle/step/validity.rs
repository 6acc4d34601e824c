//! Objects that the API server refuses regardless of the old objects.

use std::borrow::Cow;

use base64::Engine as _;

use super::fields::labels;
use crate::{
    bundle::{
        read::{at, items, text, texts},
        suites::is_subdomain,
        typed::{self, Reading},
    },
    catalog::Node,
};

/// Fault of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Invalid {
    /// Field path; empty for the whole object.
    pub field: String,
    /// Description of the fault.
    pub words: String,
}

fn invalid(field: impl Into<String>, words: impl Into<String>) -> Invalid {
    Invalid { field: field.into(), words: words.into() }
}

/// Kinds whose names may contain characters other than lowercase letters, digits, `-` and `.`.
const PATH_NAMES: [&str; 4] = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

/// Returns the type name of a kind in `assets/kubernetes-types.txt`.
fn type_of(kind: &str) -> &'static str {
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
pub(super) fn faults(kind: &str, node: &Node<'_>) -> Vec<Invalid> {
    let mut faults = Vec::new();
    if let Err(fault) = typed::check(node, type_of(kind), Reading::Json) {
        let words = format!("{} {}", fault.path, fault.reason);
        faults.push(invalid(fault.path, words));
    }
    let name = text(node, &["metadata", "name"]);
    if PATH_NAMES.contains(&kind) {
        if name.contains(['/', '%']) || matches!(name.as_ref(), "." | "..") {
            faults.push(invalid("metadata.name", "its name has a character that names must not have"));
        }
    } else if !is_subdomain(&name) {
        faults.push(invalid("metadata.name", "its name is not a DNS subdomain"));
    }
    match kind {
        "PodDisruptionBudget" => {
            let has = |key| at(node, &["spec", key]).is_some();
            if has("minAvailable") && has("maxUnavailable") {
                faults.push(invalid("spec", "minAvailable and maxUnavailable are both set"));
            }
        }
        "Service" => faults.extend(service(node)),
        "Secret" => faults.extend(base64(node, "data")),
        "ConfigMap" => {
            faults.extend(base64(node, "binaryData"));
            let binary = labels(at(node, &["binaryData"]));
            if let Some(key) = labels(at(node, &["data"])).keys().find(|key| binary.contains_key(*key)) {
                faults.push(invalid("data", format!("{key} is in data and in binaryData")));
            }
        }
        "RoleBinding" | "ClusterRoleBinding" => {
            let kinds =
                if kind == "RoleBinding" { &["Role", "ClusterRole"][..] } else { &["ClusterRole"][..] };
            if !kinds.contains(&text(node, &["roleRef", "kind"]).as_ref()) {
                faults.push(invalid("roleRef", format!("roleRef must name a {}", kinds.join(" or a "))));
            } else if text(node, &["roleRef", "name"]).is_empty() {
                faults.push(invalid("roleRef", "roleRef does not have a name"));
            }
        }
        _ => {}
    }
    faults
}

/// Returns a fault for the first value of a map that is not base64.
fn base64(node: &Node<'_>, map: &'static str) -> Option<Invalid> {
    let is_base64 = |value: &str| {
        let text: String = value.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
        base64::engine::general_purpose::STANDARD.decode(text).is_ok()
    };
    let values = labels(at(node, &[map]));
    let (key, _) = values.into_iter().find(|(_, value)| !is_base64(value))?;
    Some(invalid(map, format!("the value of {key} is not base64")))
}

fn service(node: &Node<'_>) -> Option<Invalid> {
    let ports = items(node, &["spec", "ports"]);
    let names: Vec<Cow<'_, str>> = ports.iter().map(|port| text(port, &["name"])).collect();
    if names.len() > 1 && names.iter().any(|name| name.is_empty()) {
        return Some(invalid("spec.ports", "a service with several ports needs a name for each"));
    }
    let twice = (1..names.len()).find_map(|at| {
        let name = names.get(at)?;
        names.get(..at)?.contains(name).then_some(name)
    });
    twice.map(|name| invalid("spec.ports", format!("two ports have the name {name}")))
}

/// Returns the faults of a deployment in a CSV. The argument is the deployment spec.
pub(super) fn deployment(spec: &Node<'_>) -> Vec<Invalid> {
    let mut faults = Vec::new();
    if let Err(fault) = typed::check(spec, "DeploymentSpec", Reading::Json) {
        let field = format!("spec.{}", fault.path);
        let words = format!("{field} {}", fault.reason);
        faults.push(invalid(field, words));
    }
    let selector = at(spec, &["selector"]);
    let is_empty = |selector: &Node<'_>| {
        at(selector, &["matchLabels"]).is_none_or(|labels| labels.members().is_empty())
            && items(selector, &["matchExpressions"]).is_empty()
    };
    match selector {
        None => faults.push(invalid("spec.selector", "it does not have a selector")),
        Some(selector) if is_empty(selector) => {
            faults.push(invalid("spec.selector", "its selector is empty"));
        }
        Some(selector) if !selects(selector, at(spec, &["template", "metadata", "labels"])) => {
            let words = "the labels of its pods do not match its selector";
            faults.push(invalid("spec.template.metadata.labels", words));
        }
        Some(_) => {}
    }
    let is_recreate = text(spec, &["strategy", "type"]) == "Recreate";
    if is_recreate && at(spec, &["strategy", "rollingUpdate"]).is_some_and(|node| !node.is_null()) {
        faults.push(invalid(
            "spec.strategy.rollingUpdate",
            "the strategy Recreate does not have rollingUpdate",
        ));
    }
    let containers = items(spec, &["template", "spec", "containers"]);
    if containers.is_empty() {
        faults.push(invalid("spec.template.spec.containers", "it does not have a container"));
    }
    let initial = items(spec, &["template", "spec", "initContainers"]);
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    for container in containers.iter().chain(initial) {
        let name = text(container, &["name"]);
        if name.is_empty() || text(container, &["image"]).is_empty() {
            let words = "a container needs a name and an image";
            faults.push(invalid("spec.template.spec.containers[]", words));
        } else if names.contains(&name) {
            let words = format!("two containers have the name {name}");
            faults.push(invalid("spec.template.spec.containers[]", words));
        } else {
            names.push(name);
        }
    }
    faults
}

/// Returns true if a label selector matches labels.
fn selects(selector: &Node<'_>, own: Option<&Node<'_>>) -> bool {
    let own = labels(own);
    let wanted = labels(at(selector, &["matchLabels"]));
    let has_labels = wanted.iter().all(|(key, value)| own.get(key) == Some(value));
    let fits = |expression: &Node<'_>| {
        let key = text(expression, &["key"]);
        let value = own.get(key.as_ref());
        let is_listed = || value.is_some_and(|value| texts(expression, &["values"]).any(|one| one == *value));
        match text(expression, &["operator"]).as_ref() {
            "In" => is_listed(),
            "NotIn" => !is_listed(),
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            // Unknown operator.
            _ => false,
        }
    };
    has_labels && items(selector, &["matchExpressions"]).iter().all(fits)
}
