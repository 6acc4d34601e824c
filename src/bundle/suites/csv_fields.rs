//! Required fields: `checkFields` of the api library, which distinguishes empty structs.

use super::{Level, Report, loaded::Loaded};
use crate::{
    bundle::{
        read::{at, text},
        typed::{Reading, write},
    },
    catalog::{Node, Span, Value},
};

pub(super) fn check(bundle: &Loaded, out: &mut Report) {
    let csv = bundle.node();
    let mut missing = |field: &str, path: &[&str]| {
        out.with_kind("FieldNotFound").add(
            Level::Error,
            field,
            format!("{field} is missing"),
            bundle.place(path),
        );
    };
    if is_zero(at(csv, &["metadata"]), "ObjectMeta") {
        missing("ObjectMeta", &[]);
    }
    if is_zero(at(csv, &["spec"]), "ClusterServiceVersionSpec") {
        missing("Spec", &[]);
        return;
    }
    let install = at(csv, &["spec", "install"]);
    if is_zero(install, "NamedInstallStrategy") {
        missing("Spec.InstallStrategy", &["spec"]);
    } else {
        if text(csv, &["spec", "install", "strategy"]).is_empty() {
            missing("Spec.InstallStrategy.StrategyName", &["spec", "install"]);
        }
        if at(csv, &["spec", "install", "spec", "deployments"]).is_none() {
            missing("Spec.InstallStrategy.StrategySpec.DeploymentSpecs", &["spec", "install"]);
        }
    }
    if text(csv, &["spec", "displayName"]).is_empty() {
        missing("Spec.DisplayName", &["spec"]);
    }
}

/// Returns true if Go's value of a struct is its zero value: it does not have known fields. An empty list
/// counts as a value.
fn is_zero(node: Option<&Node>, type_name: &str) -> bool {
    let Some(node) = node else { return true };
    let written = Node::new(write(node, type_name, Reading::Yaml), Span::default());
    is_nothing(&written) && !has_list(node)
}

fn is_nothing(node: &Node) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::String(text) => text.is_empty() || text == "0.0.0",
        Value::Number(number) => number.0 == "0",
        Value::List(items) => items.is_empty(),
        Value::Map(members) => members.iter().all(|member| is_nothing(&member.value)),
    }
}

/// Returns true if a tree contains a list. Uses an explicit stack, because unknown fields may be nested 10,000
/// levels deep.
fn has_list(node: &Node) -> bool {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if matches!(node.value, Value::List(_)) {
            return true;
        }
        left.extend(node.members().iter().map(|member| &member.value));
    }
    false
}
