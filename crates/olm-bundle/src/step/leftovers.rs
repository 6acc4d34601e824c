//! Objects that are invalid while fields of the old object remain.
//!
//! The boxcutter applier of OLM v1 first applies each object in a dry run, with its own field manager. The
//! dry run merges the new object into the old one without removing fields. It fails if the merged object is
//! invalid. OLM Classic and the Helm applier replace the object and succeed.

use std::borrow::Cow;

use super::objects::text_map;
use crate::field_access::{integer_at, is_true_at, items_at, node_at, text_at, texts_at};
use olm_catalog::{Node, Value};

const VOLUMES: &str = "spec.template.spec.volumes";
const CONTAINERS: &str = "spec.template.spec.containers";
const PORTS: &str = "spec.template.spec.containers[].ports";
const ENV: &str = "spec.template.spec.containers[].env";
const MOUNTS: &str = "spec.template.spec.containers[].volumeMounts";
const RESOURCES: &str = "spec.template.spec.containers[].resources";
const SECURITY: &str = "spec.template.spec.containers[].securityContext";
const POD_SECURITY: &str = "spec.template.spec.securityContext";

/// Probes and hooks of a container: path, field, and its mutually exclusive handlers.
const HANDLERS: [(&[&str], &str); 5] = [
    (&["livenessProbe"], "spec.template.spec.containers[].livenessProbe"),
    (&["readinessProbe"], "spec.template.spec.containers[].readinessProbe"),
    (&["startupProbe"], "spec.template.spec.containers[].startupProbe"),
    (&["lifecycle", "postStart"], "spec.template.spec.containers[].lifecycle"),
    (&["lifecycle", "preStop"], "spec.template.spec.containers[].lifecycle"),
];
const HANDLER_KINDS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const ENV_SOURCES: [&str; 5] =
    ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

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
fn port_protocol<'n>(port: &'n Node<'_>) -> Cow<'n, str> {
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
        left.extend(pod_leftovers(old, new));
    }
    left
}

/// Returns the fields of the old pod spec that make the merged one invalid.
fn pod_leftovers(old: &Node<'_>, new: &Node<'_>) -> Vec<Leftover> {
    let mut left = Vec::new();
    for (before, after) in pair_by_key(old, new, &["volumes"], "name") {
        let (had, has) = (volume_sources(before), volume_sources(after));
        // A volume without a source is an empty directory.
        let had = if had.is_empty() { vec!["emptyDir"] } else { had };
        if has.len() == 1 && had.iter().any(|source| !has.contains(source)) {
            let (name, had, has) = (text_at(after, &["name"]), had.join(", "), has.join(", "));
            left.push(Leftover::new(VOLUMES, format!("volume {name} changes from {had} to {has}")));
        }
    }
    left.extend(profile_leftover(old, new).map(|words| Leftover::new(POD_SECURITY, words)));
    for list in ["containers", "initContainers"] {
        for (before, after) in pair_by_key(old, new, &[list], "name") {
            container_leftovers(before, after, &mut left);
        }
    }
    for (from, to) in [("containers", "initContainers"), ("initContainers", "containers")] {
        let names = |pod, list| items_at(pod, &[list]).iter().map(|one| text_at(one, &["name"]));
        if let Some(name) = names(new, to).find(|name| names(old, from).any(|old| old == *name)) {
            left.push(Leftover::new(CONTAINERS, format!("container {name} moves from {from} to {to}")));
        }
    }
    left.extend(host_port_leftover(old, new));
    left
}

/// Pairs items of two lists by a key field.
fn pair_by_key<'n, 'a>(
    old: &'n Node<'a>,
    new: &'n Node<'a>,
    list: &[&str],
    key: &str,
) -> Vec<(&'n Node<'a>, &'n Node<'a>)> {
    let before = items_at(old, list);
    let pair = |after: &'n Node<'a>| {
        let name = text_at(after, &[key]);
        Some((before.iter().find(|one| text_at(one, &[key]) == name)?, after))
    };
    items_at(new, list).iter().filter_map(pair).collect()
}

/// Returns the sources that a volume names.
fn volume_sources<'n>(volume: &'n Node<'_>) -> Vec<&'n str> {
    let members = volume.members().iter();
    members.filter(|one| one.key != "name" && !one.value.is_null()).map(|one| one.key.as_ref()).collect()
}

/// Returns those of the given keys that a node has.
fn present_keys<'k>(node: Option<&Node<'_>>, among: &[&'k str]) -> Vec<&'k str> {
    among.iter().copied().filter(|key| node.is_some_and(|node| node_at(node, &[key]).is_some())).collect()
}

fn container_leftovers(old: &Node<'_>, new: &Node<'_>, left: &mut Vec<Leftover>) {
    let name = text_at(new, &["name"]);
    left.extend(renumbered_port(old, new).map(|words| Leftover::new(PORTS, words)));
    for (before, after) in pair_by_key(old, new, &["env"], "name") {
        let env = text_at(after, &["name"]);
        let source = |node| present_keys(node_at(node, &["valueFrom"]), &ENV_SOURCES);
        let is_plain = |node| !text_at(node, &["value"]).is_empty();
        let words = match (is_plain(before), is_plain(after), source(before), source(after)) {
            (true, false, _, from) if !from.is_empty() => format!("{env} changes from value to valueFrom"),
            (false, true, from, _) if !from.is_empty() => format!("{env} changes from valueFrom to value"),
            (_, _, had, has) if has.len() == 1 && had.iter().any(|one| !has.contains(one)) => {
                format!("{env} changes from {} to {}", had.join(", "), has.join(", "))
            }
            _ => continue,
        };
        left.push(Leftover::new(ENV, words));
    }
    for (path, field) in HANDLERS {
        let (had, has) = (
            present_keys(node_at(old, path), &HANDLER_KINDS),
            present_keys(node_at(new, path), &HANDLER_KINDS),
        );
        if has.len() == 1 && had.iter().any(|one| !has.contains(one)) {
            let what = path.last().copied().unwrap_or_default();
            let words = format!("{what} of {name} changes from {} to {}", had.join(", "), has.join(", "));
            left.push(Leftover::new(field, words));
        }
    }
    for (before, after) in pair_by_key(old, new, &["volumeMounts"], "mountPath") {
        let paths = |node| present_keys(Some(node), &["subPath", "subPathExpr"]);
        let (had, has) = (paths(before), paths(after));
        if has.len() == 1 && had.iter().any(|one| !has.contains(one)) {
            let words = format!(
                "{} changes from {} to {}",
                text_at(after, &["mountPath"]),
                had.join(", "),
                has.join(", ")
            );
            left.push(Leftover::new(MOUNTS, words));
        }
    }
    left.extend(
        privilege_leftover(old, new)
            .or_else(|| profile_leftover(old, new))
            .map(|words| Leftover::new(SECURITY, words)),
    );
    left.extend(
        resource_leftover(old, new).map(|words| Leftover::new(RESOURCES, format!("{name}: {words}"))),
    );
}

/// Returns the port that keeps its name while its number or protocol changes. Container ports
/// merge by number and protocol.
fn renumbered_port(old: &Node<'_>, new: &Node<'_>) -> Option<String> {
    let key = |port| (integer_at(port, &["containerPort"]), port_protocol(port));
    let own = items_at(new, &["ports"]);
    let gone = items_at(old, &["ports"]).iter().filter(|port| !own.iter().any(|new| key(new) == key(port)));
    let name = gone.map(|port| text_at(port, &["name"])).find(|name| {
        let is_named = |port: &Node<'_>| text_at(port, &["name"]) == *name;
        !name.is_empty() && own.iter().any(is_named)
    })?;
    Some(format!("number or protocol of port {name} changes, and its name does not"))
}

/// Node port that a container takes.
#[derive(Clone, PartialEq)]
struct HostPort<'n> {
    container: Cow<'n, str>,
    number: i64,
    host: i64,
    protocol: Cow<'n, str>,
    address: Cow<'n, str>,
}

/// Returns the node port that two merged containers take.
fn host_port_leftover(old: &Node<'_>, new: &Node<'_>) -> Option<Leftover> {
    let is_host = |pod| is_true_at(pod, &["hostNetwork"]);
    let merged_host = node_at(new, &["hostNetwork"]).map_or(is_host(old), |_| is_host(new));
    let (before, after) = (collect_host_ports(old, merged_host), collect_host_ports(new, merged_host));
    let is_same = |a: &HostPort<'_>, b: &HostPort<'_>| {
        (a.host, &a.protocol, &a.address) == (b.host, &b.protocol, &b.address)
    };
    let merges = |a: &HostPort<'_>, b: &HostPort<'_>| {
        (&a.container, a.number, &a.protocol) == (&b.container, b.number, &b.protocol)
    };
    let gone = before.iter().filter(|port| !after.iter().any(|own| merges(own, port)));
    let port = { gone }.find(|port| after.iter().any(|own| is_same(own, port)))?;
    Some(Leftover::new(PORTS, format!("another container port takes the port {} of the node", port.host)))
}

fn collect_host_ports<'n>(pod: &'n Node<'_>, is_host: bool) -> Vec<HostPort<'n>> {
    let containers = items_at(pod, &["containers"]).iter();
    let ports = containers.flat_map(|container| {
        items_at(container, &["ports"]).iter().filter_map(move |port| {
            let number = integer_at(port, &["containerPort"])?;
            let stated = integer_at(port, &["hostPort"]).filter(|host| *host != 0);
            Some(HostPort {
                container: text_at(container, &["name"]),
                number,
                host: stated.or_else(|| is_host.then_some(number))?,
                protocol: port_protocol(port),
                address: text_at(port, &["hostIP"]),
            })
        })
    });
    ports.collect()
}

/// Returns the security profile whose file remains although its type changes.
fn profile_leftover(old: &Node<'_>, new: &Node<'_>) -> Option<String> {
    ["seccompProfile", "appArmorProfile"].into_iter().find_map(|profile| {
        let kind = |node| text_at(node, &["securityContext", profile, "type"]);
        let (before, after) = (kind(old), kind(new));
        let is_left = before == "Localhost" && !after.is_empty() && after != "Localhost";
        is_left.then(|| format!("{profile} changes from Localhost to {after}"))
    })
}

/// Returns the remaining privileges that contradict `allowPrivilegeEscalation: false`.
fn privilege_leftover(old: &Node<'_>, new: &Node<'_>) -> Option<String> {
    let field = |node, key| node_at(node, &["securityContext", key]).map(|value| &value.value);
    let is_false = |value: Option<&Value<'_>>| matches!(value, Some(Value::Bool(false)));
    let is_true = |value: Option<&Value<'_>>| matches!(value, Some(Value::Bool(true)));
    let merged = |key| field(new, key).or_else(|| field(old, key));
    if !is_false(merged("allowPrivilegeEscalation")) {
        return None;
    }
    let is_own = is_false(field(new, "allowPrivilegeEscalation")) && is_true(field(new, "privileged"));
    let added = ["securityContext", "capabilities", "add"];
    let admin =
        |node| texts_at(node, &added).any(|one| matches!(one.as_ref(), "SYS_ADMIN" | "CAP_SYS_ADMIN"));
    let keeps_admin = if node_at(new, &added).is_some() { admin(new) } else { admin(old) };
    let is_left = is_true(merged("privileged")) && !is_own || keeps_admin && !admin(new);
    is_left.then(|| "allowPrivilegeEscalation is false, and the old privileges stay".to_owned())
}

/// Returns the request that exceeds a limit if only one of them is from the new object.
fn resource_leftover(old: &Node<'_>, new: &Node<'_>) -> Option<String> {
    let value = |node, list, name: &str| {
        let list = node_at(node, &["resources", list])?;
        let member = list.members().iter().rfind(|member| member.key == name)?;
        parse_quantity(&text_at(&member.value, &[]))
    };
    let names =
        |node, list| node_at(node, &["resources", list]).map(Node::members).unwrap_or_default().iter();
    let requested = names(new, "requests").chain(names(old, "requests")).map(|member| member.key.as_ref());
    let exceeds = |name: &&str| {
        let request = value(new, "requests", name).or_else(|| value(old, "requests", name));
        let limit = value(new, "limits", name).or_else(|| value(old, "limits", name));
        let is_own = value(new, "requests", name).is_some() && value(new, "limits", name).is_some();
        !is_own && matches!((request, limit), (Some(request), Some(limit)) if request > limit)
    };
    let name = { requested }.find(exceeds)?;
    Some(format!("the request for {name} is above the limit, and one of the two is the old one"))
}

/// Parses a Kubernetes quantity: `64Mi`, `100m`, `1e3`.
pub(super) fn parse_quantity(text: &str) -> Option<f64> {
    const SUFFIXES: [(&str, f64); 16] = [
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("Pi", 1_125_899_906_842_624.0),
        ("Ei", 1_152_921_504_606_846_976.0),
        ("n", 1e-9),
        ("u", 1e-6),
        ("m", 1e-3),
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("E", 1e18),
        ("", 1.0),
    ];
    let text = text.trim();
    SUFFIXES.iter().find_map(|(suffix, factor)| {
        let number = text.strip_suffix(suffix)?;
        let number: f64 = number.parse().ok()?;
        number.is_finite().then_some(number * factor)
    })
}
