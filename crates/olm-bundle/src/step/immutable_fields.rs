//! Fields that the API server never changes, by kind.

use std::{borrow::Cow, collections::BTreeMap};

use base64::Engine as _;

use crate::field_access::{is_true_at, items_at, node_at, text_at};
use olm_catalog::Node;

/// Change of a field that the API server does not allow to change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ImmutableChange {
    /// Changed field.
    pub field: &'static str,
    /// Description of the change.
    pub message: String,
}

fn immutable_change(field: &'static str, words: impl Into<String>) -> ImmutableChange {
    ImmutableChange { field, message: words.into() }
}

/// Returns the immutable fields that differ between two objects of one kind and name.
pub(super) fn immutable_changes(kind: &str, old: &Node<'_>, new: &Node<'_>) -> Vec<ImmutableChange> {
    match kind {
        "RoleBinding" | "ClusterRoleBinding" => role_ref_change(old, new).into_iter().collect(),
        "ConfigMap" => data_change(old, new, &config_map_data).into_iter().collect(),
        "Secret" => {
            secret_type_change(old, new).into_iter().chain(data_change(old, new, &secret_data)).collect()
        }
        "PriorityClass" => priority_changes(old, new),
        "Service" => service_changes(old, new),
        _ => Vec::new(),
    }
}

/// Returns the change of the selector of a deployment. The arguments are deployment specs.
pub(super) fn selector_change(old: &Node<'_>, new: &Node<'_>) -> Option<ImmutableChange> {
    let (old, new) = (node_at(old, &["selector"]), node_at(new, &["selector"]));
    let spell = |selector: Option<&Node<'_>>| selector.map(format_selector).unwrap_or_default();
    let (before, after) = (spell(old), spell(new));
    (before != after)
        .then(|| immutable_change("spec.selector", format!("selector changes from {before} to {after}")))
}

/// Formats a label selector. The order of labels is ignored; the order of expressions and values
/// is kept.
fn format_selector(selector: &Node<'_>) -> String {
    let labels: BTreeMap<&str, Cow<'_, str>> = text_map(node_at(selector, &["matchLabels"]));
    let mut parts: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    for expression in items_at(selector, &["matchExpressions"]) {
        let values: Vec<Cow<'_, str>> =
            items_at(expression, &["values"]).iter().map(|value| text_at(value, &[])).collect();
        let (key, operator) = (text_at(expression, &["key"]), text_at(expression, &["operator"]));
        parts.push(format!("{key} {operator} ({})", values.join(", ")));
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// Returns the entries of a map of strings.
pub(super) fn text_map<'n>(map: Option<&'n Node<'_>>) -> BTreeMap<&'n str, Cow<'n, str>> {
    let members = map.map(Node::members).unwrap_or_default();
    members.iter().map(|member| (member.key.as_ref(), text_at(&member.value, &[]))).collect()
}

fn role_ref_change(old: &Node<'_>, new: &Node<'_>) -> Option<ImmutableChange> {
    let spell = |binding: &Node<'_>| {
        let part = |key| text_at(binding, &["roleRef", key]).into_owned();
        let group = Some(part("apiGroup")).filter(|group| !group.is_empty());
        let group = group.unwrap_or_else(|| "rbac.authorization.k8s.io".to_owned());
        (group, part("kind"), part("name"))
    };
    let (before, after) = (spell(old), spell(new));
    let words = |(_, kind, name): &(String, String, String)| format!("{kind} {name}");
    (before != after).then(|| {
        immutable_change("roleRef", format!("roleRef changes from {} to {}", words(&before), words(&after)))
    })
}

/// Contents of a `ConfigMap` or `Secret` by key.
type Data = BTreeMap<String, Vec<u8>>;

fn config_map_data(object: &Node<'_>) -> Data {
    let mut data: Data = text_entries(object, "data").collect();
    // A key is in only one of the two maps.
    data.extend(text_entries(object, "binaryData").map(|(key, bytes)| (key, decode_base64(bytes))));
    data
}

fn secret_data(object: &Node<'_>) -> Data {
    let mut data: Data =
        text_entries(object, "data").map(|(key, bytes)| (key, decode_base64(bytes))).collect();
    data.extend(text_entries(object, "stringData"));
    data
}

fn text_entries(object: &Node<'_>, key: &str) -> impl Iterator<Item = (String, Vec<u8>)> {
    let entries = text_map(node_at(object, &[key])).into_iter();
    entries
        .map(|(key, value)| (key.to_owned(), value.into_owned().into_bytes()))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Decodes base64. Returns invalid base64 unchanged, because it differs from other text anyway.
fn decode_base64(bytes: Vec<u8>) -> Vec<u8> {
    let compact: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(compact).unwrap_or(bytes)
}

/// Returns the change of the data of an immutable `ConfigMap` or `Secret`.
fn data_change(
    old: &Node<'_>,
    new: &Node<'_>,
    contents: &dyn Fn(&Node<'_>) -> Data,
) -> Option<ImmutableChange> {
    if !is_true_at(old, &["immutable"]) {
        return None;
    }
    if !is_true_at(new, &["immutable"]) {
        return Some(immutable_change("immutable", "it is immutable and cannot become mutable"));
    }
    let (before, after) = (contents(old), contents(new));
    let keys = before.keys().chain(after.keys());
    let mut changed: Vec<&String> = keys.filter(|key| before.get(*key) != after.get(*key)).collect();
    changed.sort();
    changed.dedup();
    let first = changed.first()?;
    let more = if changed.len() > 1 { format!(" and {} more", changed.len() - 1) } else { String::new() };
    Some(immutable_change("data", format!("it is immutable, and the value of {first}{more} changes")))
}

fn secret_type_change(old: &Node<'_>, new: &Node<'_>) -> Option<ImmutableChange> {
    let spell = |secret: &Node<'_>| match text_at(secret, &["type"]) {
        none if none.is_empty() => "Opaque".to_owned(),
        kind => kind.into_owned(),
    };
    let (before, after) = (spell(old), spell(new));
    (before != after).then(|| immutable_change("type", format!("type changes from {before} to {after}")))
}

fn priority_changes(old: &Node<'_>, new: &Node<'_>) -> Vec<ImmutableChange> {
    let mut all = Vec::new();
    for (field, default) in [("value", "0"), ("preemptionPolicy", "PreemptLowerPriority")] {
        let spell = |class: &Node<'_>| match text_at(class, &[field]) {
            none if none.is_empty() => default.to_owned(),
            value => value.into_owned(),
        };
        let (before, after) = (spell(old), spell(new));
        if before != after {
            all.push(immutable_change(field, format!("{field} changes from {before} to {after}")));
        }
    }
    all
}

/// Cluster IP that the manifest of a service requests.
#[derive(Clone, PartialEq, Eq)]
enum ClusterIp {
    /// No cluster IP: `ExternalName`.
    External,
    /// `None`, for a headless service.
    Headless,
    /// The cluster assigns an address, or keeps the old one.
    Any,
    /// A specific address.
    Is(String),
}

fn cluster_ip(service: &Node<'_>) -> ClusterIp {
    let first = items_at(service, &["spec", "clusterIPs"]).first().map(|ip| text_at(ip, &[]).into_owned());
    let single = Some(text_at(service, &["spec", "clusterIP"]).into_owned()).filter(|ip| !ip.is_empty());
    match single.or(first).unwrap_or_default() {
        _ if text_at(service, &["spec", "type"]) == "ExternalName" => ClusterIp::External,
        ip if ip == "None" => ClusterIp::Headless,
        ip if ip.is_empty() => ClusterIp::Any,
        ip => ClusterIp::Is(ip),
    }
}

fn service_changes(old: &Node<'_>, new: &Node<'_>) -> Vec<ImmutableChange> {
    let mut all = Vec::new();
    let kind = text_at(new, &["spec", "type"]);
    let words = match (cluster_ip(old), cluster_ip(new)) {
        (ClusterIp::Any | ClusterIp::Is(_), ClusterIp::Headless) => {
            Some("clusterIP becomes None, and it had an address".to_owned())
        }
        (ClusterIp::Headless, ClusterIp::Is(ip)) => Some(format!("clusterIP changes from None to {ip}")),
        (ClusterIp::Headless, ClusterIp::Any) if matches!(kind.as_ref(), "NodePort" | "LoadBalancer") => {
            Some(format!("it stays headless, and a service of type {kind} needs an address"))
        }
        (ClusterIp::Is(before), ClusterIp::Is(after)) if before != after => {
            Some(format!("clusterIP changes from {before} to {after}"))
        }
        (ClusterIp::Any, ClusterIp::Is(ip)) => {
            Some(format!("clusterIP becomes {ip}, and it had an address that the cluster chose"))
        }
        _ => None,
    };
    all.extend(words.map(|words| immutable_change("spec.clusterIP", words)));
    let family =
        |service| items_at(service, &["spec", "ipFamilies"]).first().map(|first| text_at(first, &[]));
    if let (Some(before), Some(after)) = (family(old), family(new))
        && before != after
    {
        all.push(immutable_change(
            "spec.ipFamilies",
            format!("the first IP family changes from {before} to {after}"),
        ));
    }
    for field in ["loadBalancerClass", "healthCheckNodePort"] {
        let value = |service| text_at(service, &["spec", field]);
        let is_balancer = |service| text_at(service, &["spec", "type"]) == "LoadBalancer";
        let (before, after) = (value(old), value(new));
        if is_balancer(old) && is_balancer(new) && !before.is_empty() && before != after && !after.is_empty()
        {
            let name = if field == "loadBalancerClass" {
                "spec.loadBalancerClass"
            } else {
                "spec.healthCheckNodePort"
            };
            all.push(immutable_change(name, format!("{field} changes from {before} to {after}")));
        }
    }
    all
}
