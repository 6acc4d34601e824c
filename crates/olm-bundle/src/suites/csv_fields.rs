//! Required fields: `checkFields` of the api library, which distinguishes empty structs.

use super::{Level, Report, loaded::LoadedBundle};
use crate::{
    field_access::{node_at, text_at},
    typed::{DecoderKind, write_as_go},
};
use olm_catalog::{Node, Span, Value};

pub(super) fn check_required_fields(bundle: &LoadedBundle, out: &mut Report) {
    let csv = bundle.csv_node();
    let mut missing = |field: &str, path: &[&str]| {
        out.set_kind("FieldNotFound").add_verdict(
            Level::Error,
            field,
            format!("{field} is missing"),
            bundle.csv_location(path),
        );
    };
    if is_zero_value(node_at(csv, &["metadata"]), "ObjectMeta") {
        missing("ObjectMeta", &[]);
    }
    if is_zero_value(node_at(csv, &["spec"]), "ClusterServiceVersionSpec") {
        missing("Spec", &[]);
        return;
    }
    let install = node_at(csv, &["spec", "install"]);
    if is_zero_value(install, "NamedInstallStrategy") {
        missing("Spec.InstallStrategy", &["spec"]);
    } else {
        if text_at(csv, &["spec", "install", "strategy"]).is_empty() {
            missing("Spec.InstallStrategy.StrategyName", &["spec", "install"]);
        }
        if node_at(csv, &["spec", "install", "spec", "deployments"]).is_none() {
            missing("Spec.InstallStrategy.StrategySpec.DeploymentSpecs", &["spec", "install"]);
        }
    }
    if text_at(csv, &["spec", "displayName"]).is_empty() {
        missing("Spec.DisplayName", &["spec"]);
    }
}

/// Returns true if Go's value of a struct is its zero value: it does not have known fields. An empty list
/// counts as a value.
fn is_zero_value(node: Option<&Node>, type_name: &str) -> bool {
    let Some(node) = node else { return true };
    let written = Node::new(write_as_go(node, type_name, DecoderKind::Yaml), Span::default());
    is_null_or_empty(&written) && !contains_list(node)
}

fn is_null_or_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::String(text) => text.is_empty() || text == "0.0.0",
        Value::Number(number) => number.0 == "0",
        Value::List(items) => items.is_empty(),
        Value::Map(members) => members.iter().all(|member| is_null_or_empty(&member.value)),
    }
}

/// Returns true if a tree contains a list. Uses an explicit stack, because unknown fields may be nested 10,000
/// levels deep.
fn contains_list(node: &Node) -> bool {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if matches!(node.value, Value::List(_)) {
            return true;
        }
        left.extend(node.members().iter().map(|member| &member.value));
    }
    false
}
