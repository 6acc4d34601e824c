//! Suite `bundle-objects`: objects that endanger a cluster.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/bundle_objects.go`, `pdb.go`, `priorityclass.go`,
//! `rbac.go`.

use std::borrow::Cow;

use super::{FAILED, Level, Report, loaded::Loaded};
use crate::{
    bundle::{
        read::{at, items, texts, truth},
        registry::Object,
        typed::{self, Reading},
    },
    catalog::{Node, Value},
};

/// Default security context constraints of OpenShift.
const DEFAULT_SCCS: [&str; 8] = [
    "privileged",
    "restricted",
    "anyuid",
    "hostaccess",
    "hostmount-anyuid",
    "hostnetwork",
    "node-exporter",
    "nonroot",
];

pub(super) fn check(bundle: &Loaded, out: &mut Report) {
    for object in &bundle.objects {
        match object.kind() {
            "PodDisruptionBudget" => disruption_budget(object, out),
            "PriorityClass" => priority_class(object, out),
            "Role" | "ClusterRole" => role(object, out),
            _ => {}
        }
    }
}

/// Returns true if an object matches its type; reports it otherwise.
fn is_readable(object: &Object, type_name: &str, out: &mut Report) -> bool {
    match typed::check(&object.document.node, type_name, Reading::Json) {
        Ok(()) => true,
        Err(fault) => {
            out.with_kind("ParseError").error(
                format!("{} {}: {fault}", object.kind(), object.name()),
                Some(object.place(fault.span)),
            );
            false
        }
    }
}

fn disruption_budget(object: &Object, out: &mut Report) {
    if !is_readable(object, "PodDisruptionBudget", out) {
        return;
    }
    let node = &object.document.node;
    let place = || Some(object.place(node.span));
    let most = at(node, &["spec", "maxUnavailable"]);
    // Any string counts as zero: Go uses the number, which a string does not have.
    if most.is_some_and(|most| matches!(most.value, Value::String(_)) || number(most) == Some(0)) {
        out.error("maxUnavailable must not be 0 or a text: nodes could not be drained", place());
    }
    if at(node, &["spec", "minAvailable"]).and_then(Node::as_str) == Some("100%") {
        out.error("minAvailable must not be 100%: nodes could not be drained", place());
    }
}

fn number(node: &Node) -> Option<i64> {
    match &node.value {
        Value::Number(number) => number.0.parse().ok(),
        _ => None,
    }
}

fn priority_class(object: &Object, out: &mut Report) {
    if is_readable(object, "PriorityClass", out) && truth(&object.document.node, &["globalDefault"]) {
        let place = Some(object.place(object.document.node.span));
        out.error(
            "globalDefault must not be true: it would be the priority of every pod of the cluster",
            place,
        );
    }
}

fn role(object: &Object, out: &mut Report) {
    if !is_readable(object, "Role", out) {
        return;
    }
    for rule in items(&object.document.node, &["rules"]) {
        let has =
            |key: &str, wanted: &[&str]| texts(rule, &[key]).any(|text| wanted.contains(&text.as_ref()));
        let place = || Some(object.place(rule.span));
        let is_named_default =
            texts(rule, &["resourceNames"]).any(|name: Cow<str>| DEFAULT_SCCS.contains(&name.as_ref()));
        if has("apiGroups", &["security.openshift.io"])
            && has("resources", &["securitycontextconstraints"])
            && has("verbs", &["*", "delete", "update", "patch"])
            && is_named_default
        {
            out.add(
                Level::Error,
                "",
                "a role changes SecurityContextConstraints that OpenShift brings",
                place(),
            );
        }
        if has("apiGroups", &["policy"])
            && has("resources", &["poddisruptionbudgets"])
            && has("verbs", &["*", "create", "update", "patch"])
        {
            out.with_kind(FAILED).warning(
                "a role creates or changes PodDisruptionBudgets, which may keep nodes from draining",
                place(),
            );
        }
    }
}
