//! Fields that the API server never changes, by kind.

use std::{borrow::Cow, collections::BTreeMap};

use base64::Engine as _;

use crate::{
    bundle::read::{at, items, text, truth},
    catalog::Node,
};

/// Change of a field that the API server does not allow to change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fixed {
    /// Changed field.
    pub field: &'static str,
    /// Description of the change.
    pub words: String,
}

fn fixed(field: &'static str, words: impl Into<String>) -> Fixed {
    Fixed { field, words: words.into() }
}

/// Returns the immutable fields that differ between two objects of one kind and name.
pub(super) fn changed(kind: &str, old: &Node<'_>, new: &Node<'_>) -> Vec<Fixed> {
    match kind {
        "RoleBinding" | "ClusterRoleBinding" => role_ref(old, new).into_iter().collect(),
        "ConfigMap" => data(old, new, &config_map_data).into_iter().collect(),
        "Secret" => secret_type(old, new).into_iter().chain(data(old, new, &secret_data)).collect(),
        "PriorityClass" => priority(old, new),
        "Service" => service(old, new),
        _ => Vec::new(),
    }
}

/// Returns the change of the selector of a deployment. The arguments are deployment specs.
pub(super) fn selector(old: &Node<'_>, new: &Node<'_>) -> Option<Fixed> {
    let (old, new) = (at(old, &["selector"]), at(new, &["selector"]));
    let spell = |selector: Option<&Node<'_>>| selector.map(selector_words).unwrap_or_default();
    let (before, after) = (spell(old), spell(new));
    (before != after).then(|| fixed("spec.selector", format!("selector changes from {before} to {after}")))
}

/// Formats a label selector. The order of labels is ignored; the order of expressions and values
/// is kept.
fn selector_words(selector: &Node<'_>) -> String {
    let labels: BTreeMap<&str, Cow<'_, str>> = labels(at(selector, &["matchLabels"]));
    let mut parts: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    for expression in items(selector, &["matchExpressions"]) {
        let values: Vec<Cow<'_, str>> =
            items(expression, &["values"]).iter().map(|value| text(value, &[])).collect();
        let (key, operator) = (text(expression, &["key"]), text(expression, &["operator"]));
        parts.push(format!("{key} {operator} ({})", values.join(", ")));
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// Returns the entries of a map of strings.
pub(super) fn labels<'n>(map: Option<&'n Node<'_>>) -> BTreeMap<&'n str, Cow<'n, str>> {
    let members = map.map(Node::members).unwrap_or_default();
    members.iter().map(|member| (member.key.as_ref(), text(&member.value, &[]))).collect()
}

fn role_ref(old: &Node<'_>, new: &Node<'_>) -> Option<Fixed> {
    let spell = |binding: &Node<'_>| {
        let part = |key| text(binding, &["roleRef", key]).into_owned();
        let group = Some(part("apiGroup")).filter(|group| !group.is_empty());
        let group = group.unwrap_or_else(|| "rbac.authorization.k8s.io".to_owned());
        (group, part("kind"), part("name"))
    };
    let (before, after) = (spell(old), spell(new));
    let words = |(_, kind, name): &(String, String, String)| format!("{kind} {name}");
    (before != after)
        .then(|| fixed("roleRef", format!("roleRef changes from {} to {}", words(&before), words(&after))))
}

/// Contents of a `ConfigMap` or `Secret` by key.
type Data = BTreeMap<String, Vec<u8>>;

fn config_map_data(object: &Node<'_>) -> Data {
    let mut data: Data = text_entries(object, "data").collect();
    // A key is in only one of the two maps.
    data.extend(text_entries(object, "binaryData").map(|(key, bytes)| (key, decode(bytes))));
    data
}

fn secret_data(object: &Node<'_>) -> Data {
    let mut data: Data = text_entries(object, "data").map(|(key, bytes)| (key, decode(bytes))).collect();
    data.extend(text_entries(object, "stringData"));
    data
}

fn text_entries(object: &Node<'_>, key: &str) -> impl Iterator<Item = (String, Vec<u8>)> {
    let entries = labels(at(object, &[key])).into_iter();
    entries
        .map(|(key, value)| (key.to_owned(), value.into_owned().into_bytes()))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Decodes base64. Returns invalid base64 unchanged, because it differs from other text anyway.
fn decode(bytes: Vec<u8>) -> Vec<u8> {
    let compact: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(compact).unwrap_or(bytes)
}

/// Returns the change of the data of an immutable `ConfigMap` or `Secret`.
fn data(old: &Node<'_>, new: &Node<'_>, contents: &dyn Fn(&Node<'_>) -> Data) -> Option<Fixed> {
    if !truth(old, &["immutable"]) {
        return None;
    }
    if !truth(new, &["immutable"]) {
        return Some(fixed("immutable", "it is immutable and cannot become mutable"));
    }
    let (before, after) = (contents(old), contents(new));
    let keys = before.keys().chain(after.keys());
    let mut changed: Vec<&String> = keys.filter(|key| before.get(*key) != after.get(*key)).collect();
    changed.sort();
    changed.dedup();
    let first = changed.first()?;
    let more = if changed.len() > 1 { format!(" and {} more", changed.len() - 1) } else { String::new() };
    Some(fixed("data", format!("it is immutable, and the value of {first}{more} changes")))
}

fn secret_type(old: &Node<'_>, new: &Node<'_>) -> Option<Fixed> {
    let spell = |secret: &Node<'_>| match text(secret, &["type"]) {
        none if none.is_empty() => "Opaque".to_owned(),
        kind => kind.into_owned(),
    };
    let (before, after) = (spell(old), spell(new));
    (before != after).then(|| fixed("type", format!("type changes from {before} to {after}")))
}

fn priority(old: &Node<'_>, new: &Node<'_>) -> Vec<Fixed> {
    let mut all = Vec::new();
    for (field, default) in [("value", "0"), ("preemptionPolicy", "PreemptLowerPriority")] {
        let spell = |class: &Node<'_>| match text(class, &[field]) {
            none if none.is_empty() => default.to_owned(),
            value => value.into_owned(),
        };
        let (before, after) = (spell(old), spell(new));
        if before != after {
            all.push(fixed(field, format!("{field} changes from {before} to {after}")));
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
    let first = items(service, &["spec", "clusterIPs"]).first().map(|ip| text(ip, &[]).into_owned());
    let single = Some(text(service, &["spec", "clusterIP"]).into_owned()).filter(|ip| !ip.is_empty());
    match single.or(first).unwrap_or_default() {
        _ if text(service, &["spec", "type"]) == "ExternalName" => ClusterIp::External,
        ip if ip == "None" => ClusterIp::Headless,
        ip if ip.is_empty() => ClusterIp::Any,
        ip => ClusterIp::Is(ip),
    }
}

fn service(old: &Node<'_>, new: &Node<'_>) -> Vec<Fixed> {
    let mut all = Vec::new();
    let kind = text(new, &["spec", "type"]);
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
    all.extend(words.map(|words| fixed("spec.clusterIP", words)));
    let family = |service| items(service, &["spec", "ipFamilies"]).first().map(|first| text(first, &[]));
    if let (Some(before), Some(after)) = (family(old), family(new))
        && before != after
    {
        all.push(fixed("spec.ipFamilies", format!("the first IP family changes from {before} to {after}")));
    }
    for field in ["loadBalancerClass", "healthCheckNodePort"] {
        let value = |service| text(service, &["spec", field]);
        let is_balancer = |service| text(service, &["spec", "type"]) == "LoadBalancer";
        let (before, after) = (value(old), value(new));
        if is_balancer(old) && is_balancer(new) && !before.is_empty() && before != after && !after.is_empty()
        {
            let name = if field == "loadBalancerClass" {
                "spec.loadBalancerClass"
            } else {
                "spec.healthCheckNodePort"
            };
            all.push(fixed(name, format!("{field} changes from {before} to {after}")));
        }
    }
    all
}
