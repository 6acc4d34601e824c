//! Objects that are invalid while fields of the old object remain.
//!
//! The boxcutter applier of OLM v1 first applies each object in a dry run, with its own field
//! manager. The dry run merges the new object into the old one without removing fields. It fails if
//! the merged object is invalid. OLM Classic and the Helm applier replace the object and succeed.

use std::borrow::Cow;

use super::{immutable_fields::text_map, pods};
use crate::field_access::{integer_at, items_at, node_at, text_at};
use olm_catalog::Node;

/// Field of the old object that makes the dry run of the new object fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leftover {
    /// Field path.
    pub field: &'static str,
    /// Reason why the merged object is invalid.
    pub message: String,
}

impl Leftover {
    pub fn new(field: &'static str, words: impl Into<String>) -> Self {
        Self { field, message: words.into() }
    }
}

/// Returns the leftover fields of an object of `manifests/`.
pub(super) fn object_leftovers(kind: &str, old: &Node<'_>, new: &Node<'_>) -> Vec<Leftover> {
    match kind {
        "Service" => service_leftovers(old, new),
        "PodDisruptionBudget" => disruption_budget_leftover(old, new).into_iter().collect(),
        "ConfigMap" => config_map_leftover(old, new).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn has_path(node: &Node<'_>, path: &[&str]) -> bool {
    node_at(node, path).is_some()
}

fn disruption_budget_leftover(old: &Node<'_>, new: &Node<'_>) -> Option<Leftover> {
    let [min, max] = [["spec", "minAvailable"], ["spec", "maxUnavailable"]];
    let merged = [min, max].iter().all(|path| has_path(old, path) || has_path(new, path));
    let is_own = has_path(new, &min) && has_path(new, &max);
    (merged && !is_own).then(|| Leftover::new("spec", "minAvailable and maxUnavailable replace each other"))
}

fn config_map_leftover(old: &Node<'_>, new: &Node<'_>) -> Option<Leftover> {
    let keys = |map, key| text_map(node_at(map, &[key]));
    let moved = |from, to| {
        let before = keys(old, from);
        keys(new, to).into_keys().find(|key| before.contains_key(key)).map(str::to_owned)
    };
    let own = keys(new, "data").into_keys().any(|key| keys(new, "binaryData").contains_key(key));
    let key = moved("data", "binaryData").or_else(|| moved("binaryData", "data")).filter(|_| !own)?;
    Some(Leftover::new("data", format!("{key} moves between data and binaryData")))
}

/// Port of a service.
#[derive(PartialEq)]
struct Port<'n> {
    name: Cow<'n, str>,
    number: i64,
    protocol: Cow<'n, str>,
    /// Value of `nodePort`.
    #[allow(clippy::struct_field_names, reason = "the name of the field in Kubernetes")]
    node_port: Option<i64>,
}

fn service_ports<'n>(service: &'n Node<'_>) -> Vec<Port<'n>> {
    let port = |port: &'n Node<'_>| Port {
        name: text_at(port, &["name"]),
        number: integer_at(port, &["port"]).unwrap_or_default(),
        protocol: port_protocol(port),
        node_port: integer_at(port, &["nodePort"]).filter(|number| *number != 0),
    };
    items_at(service, &["spec", "ports"]).iter().map(port).collect()
}

/// Returns the protocol of a port. The default is TCP.
pub(super) fn port_protocol<'n>(port: &'n Node<'_>) -> Cow<'n, str> {
    match text_at(port, &["protocol"]) {
        none if none.is_empty() => "TCP".into(),
        protocol => protocol,
    }
}

fn service_leftovers(old: &Node<'_>, new: &Node<'_>) -> Vec<Leftover> {
    let mut left = Vec::new();
    let (before, after) = (service_ports(old), service_ports(new));
    let is_kept = |port: &Port<'_>| {
        after.iter().any(|own| (own.number, &own.protocol) == (port.number, &port.protocol))
    };
    // The API server merges ports by number and protocol.
    let gone: Vec<&Port<'_>> = before.iter().filter(|port| !is_kept(port)).collect();
    let is_unnamed = |port: &&Port<'_>| port.name.is_empty();
    let named_twice = gone.iter().find(|port| after.iter().any(|own| own.name == port.name));
    let node_port = gone.iter().find(|port| {
        let same = |own: &Port<'_>| own.node_port == port.node_port && own.protocol == port.protocol;
        port.node_port.is_some() && after.iter().any(same)
    });
    if let Some(port) = named_twice {
        let called = if port.name.is_empty() { "the port".to_owned() } else { format!("port {}", port.name) };
        let words = format!("number or protocol of {called} changes, and its name does not");
        left.push(Leftover::new("spec.ports", words));
    } else if !gone.is_empty()
        && !after.is_empty()
        && (gone.iter().any(is_unnamed) || after.iter().any(|port| is_unnamed(&port)))
    {
        left.push(Leftover::new("spec.ports", "the port changes, and one of the two does not have a name"));
    } else if let Some(port) = node_port {
        let number = port.node_port.unwrap_or_default();
        left.push(Leftover::new("spec.ports", format!("another port gets the node port {number}")));
    }
    let affinity = |service| text_at(service, &["spec", "sessionAffinity"]);
    if affinity(old) == "ClientIP" && affinity(new) == "None" {
        let words = "sessionAffinity becomes None, and its settings stay";
        left.push(Leftover::new("spec.sessionAffinityConfig", words));
    }
    left
}

/// Returns the leftover fields of a deployment in a CSV. The arguments are deployment specs.
pub(super) fn deployment_leftovers(old: &Node<'_>, new: &Node<'_>) -> Vec<Leftover> {
    const ROLLING: &str = "spec.strategy.rollingUpdate";
    let mut left = Vec::new();
    let strategy = |spec| match text_at(spec, &["strategy", "type"]) {
        none if none.is_empty() => Cow::Borrowed("RollingUpdate"),
        kind => kind,
    };
    let is_rolling = |spec| strategy(spec) == "RollingUpdate";
    if is_rolling(old) && strategy(new) == "Recreate" {
        left.push(Leftover::new(ROLLING, "the strategy becomes Recreate"));
    } else if is_rolling(old) && is_rolling(new) {
        let step =
            |spec, key| node_at(spec, &["strategy", "rollingUpdate", key]).map(|value| text_at(value, &[]));
        let is_zero = |key| {
            let merged = step(new, key).or_else(|| step(old, key));
            merged.is_some_and(|value| matches!(value.as_ref(), "0" | "0%"))
        };
        let (surge, unavailable) = ("maxSurge", "maxUnavailable");
        let is_own = step(new, surge).is_some() && step(new, unavailable).is_some();
        if is_zero(surge) && is_zero(unavailable) && !is_own {
            left.push(Leftover::new(ROLLING, "maxSurge and maxUnavailable are both 0"));
        }
    }
    let template = ["template", "spec"];
    if let (Some(old), Some(new)) = (node_at(old, &template), node_at(new, &template)) {
        left.extend(pods::pod_leftovers(old, new));
    }
    left
}
