//! Suite `bundle-objects`: objects that endanger a cluster.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/bundle_objects.go`, `pdb.go`, `priorityclass.go`,
//! `rbac.go`.

use std::borrow::Cow;

use super::{Level, Report, VALIDATION_FAILED, loaded::LoadedBundle};
use crate::{
    field_access::{is_true_at, items_at, node_at, texts_at},
    registry::Object,
    typed::{self, DecoderKind},
};
use olm_catalog::{Node, Value};

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

pub(super) fn check_objects(bundle: &LoadedBundle, out: &mut Report) {
    for object in &bundle.objects {
        match object.kind() {
            "PodDisruptionBudget" => check_disruption_budget(object, out),
            "PriorityClass" => check_priority_class(object, out),
            "Role" | "ClusterRole" => check_role(object, out),
            _ => {}
        }
    }
}

/// Returns true if an object matches its type; reports it otherwise.
fn check_type(object: &Object, type_name: &str, out: &mut Report) -> bool {
    match typed::check_type(&object.document.node, type_name, DecoderKind::Json) {
        Ok(()) => true,
        Err(fault) => {
            out.set_kind("ParseError").add_error(
                format!("{} {}: {fault}", object.kind(), object.name()),
                Some(object.location(fault.span)),
            );
            false
        }
    }
}

fn check_disruption_budget(object: &Object, out: &mut Report) {
    if !check_type(object, "PodDisruptionBudget", out) {
        return;
    }
    let node = &object.document.node;
    let place = || Some(object.location(node.span));
    let most = node_at(node, &["spec", "maxUnavailable"]);
    // Any string counts as zero: Go uses the number, which a string does not have.
    if most.is_some_and(|most| matches!(most.value, Value::String(_)) || parse_percentage(most) == Some(0)) {
        out.add_error("maxUnavailable must not be 0 or a text: nodes could not be drained", place());
    }
    if node_at(node, &["spec", "minAvailable"]).and_then(Node::as_str) == Some("100%") {
        out.add_error("minAvailable must not be 100%: nodes could not be drained", place());
    }
}

fn parse_percentage(node: &Node) -> Option<i64> {
    match &node.value {
        Value::Number(number) => number.0.parse().ok(),
        _ => None,
    }
}

fn check_priority_class(object: &Object, out: &mut Report) {
    if check_type(object, "PriorityClass", out) && is_true_at(&object.document.node, &["globalDefault"]) {
        let place = Some(object.location(object.document.node.span));
        out.add_error(
            "globalDefault must not be true: it would be the priority of every pod of the cluster",
            place,
        );
    }
}

fn check_role(object: &Object, out: &mut Report) {
    if !check_type(object, "Role", out) {
        return;
    }
    for rule in items_at(&object.document.node, &["rules"]) {
        let has =
            |key: &str, wanted: &[&str]| texts_at(rule, &[key]).any(|text| wanted.contains(&text.as_ref()));
        let place = || Some(object.location(rule.span));
        let is_named_default =
            texts_at(rule, &["resourceNames"]).any(|name: Cow<str>| DEFAULT_SCCS.contains(&name.as_ref()));
        if has("apiGroups", &["security.openshift.io"])
            && has("resources", &["securitycontextconstraints"])
            && has("verbs", &["*", "delete", "update", "patch"])
            && is_named_default
        {
            out.add_verdict(
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
            out.set_kind(VALIDATION_FAILED).add_warning(
                "a role creates or changes PodDisruptionBudgets, which may keep nodes from draining",
                place(),
            );
        }
    }
}
