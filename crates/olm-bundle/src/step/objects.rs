//! Rules for the objects of `manifests/`, compared in pairs, and the fields that the API server never changes.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use base64::Engine as _;

use super::{
    contents::{StepBundle, StepObject},
    leftovers::object_leftovers,
    reason::{AffectedOlms, Judgement, Reason, ReasonKind},
};
use crate::{
    field_access::{is_true_at, items_at, node_at, text_at},
    registry::{CRD_KIND, CSV_KIND, OTHER_KINDS},
};
use olm_catalog::Node;

/// Kind that OLM v1 installs and OLM Classic does not.
const ONLY_V1: &str = "PodMonitor";

/// Compares the objects of two bundles.
pub(super) fn compare_objects(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    for item in new.objects.iter().filter(|item| item.kind != CSV_KIND) {
        let is_installed = check_kind(new, item, out);
        if is_installed && item.kind != CRD_KIND {
            compare_object(old, new, item, out);
        }
    }
    check_lost_objects(new, out);
    check_duplicates(old, new, out);
}

/// Returns the OLMs that read an object.
fn object_readers(item: &StepObject) -> Option<AffectedOlms> {
    match (item.in_classic, item.in_v1) {
        (true, true) => Some(AffectedOlms::Both),
        (true, false) => Some(AffectedOlms::Classic),
        (false, true) => Some(AffectedOlms::V1),
        (false, false) => None,
    }
}

/// Checks kind and name of a new object. Returns true if the rest of it can be compared.
fn check_kind(new: &StepBundle, item: &StepObject, out: &mut Judgement) -> bool {
    let Some(by) = object_readers(item) else { return false };
    let object = item.kind_and_name();
    let unsupported = |reader: &str| {
        let words = format!("{reader} does not install a {} from a bundle", item.kind);
        let reason = Reason::refusal(ReasonKind::UnsupportedObject, &object, words);
        reason.with_field("kind").with_location(new.object_location(item))
    };
    if item.kind != CRD_KIND && !OTHER_KINDS.contains(&item.kind.as_str()) {
        out.add_reason(by, unsupported("OLM"));
        return false;
    }
    if item.kind == ONLY_V1 && by != AffectedOlms::V1 {
        out.add_reason(AffectedOlms::Classic, unsupported("OLM Classic"));
    }
    if item.name.is_empty() {
        out.add_not_checked(by, format!("{} in {} does not have a name", item.kind, item.file));
        return false;
    }
    true
}

/// Checks a new object, and its changes from the old object of the same name.
fn compare_object(old: &StepBundle, new: &StepBundle, item: &StepObject, out: &mut Judgement) {
    let Some(by) = object_readers(item) else { return };
    let before = replaced_object(old, item);
    // OLM Classic does not install this kind, so other reasons apply only to OLM v1.
    let by = if item.kind == ONLY_V1 { AffectedOlms::V1 } else { by };
    if !check_api(old, new, item, by, out) {
        return;
    }
    let place = new.object_location(item);
    let faults = super::object_faults(&item.kind, &item.node);
    for fault in &faults {
        let reason = Reason::refusal(ReasonKind::InvalidObject, item.kind_and_name(), &fault.message);
        out.add_reason(by, reason.with_field(&fault.field).with_location(place.clone()));
    }
    let Some(before) = before.filter(|_| faults.is_empty()) else { return };
    // If an OLM did not read the object before, the object is new to it.
    let Some(by) = object_readers(before).and_then(|had| by.intersection(had)) else { return };
    let changed = immutable_changes(&item.kind, &before.node, &item.node);
    for change in &changed {
        let reason = Reason::refusal(ReasonKind::ImmutableField, item.kind_and_name(), &change.message);
        out.add_reason(by, reason.with_field(change.field).with_location(place.clone()));
    }
    if changed.is_empty() && by != AffectedOlms::Classic {
        for left in object_leftovers(&item.kind, &before.node, &item.node) {
            let reason = Reason::look_reason(ReasonKind::LeftoverField, item.kind_and_name(), left.message);
            out.add_reason(AffectedOlms::V1, reason.with_field(left.field).with_location(place.clone()));
        }
    }
}

/// Returns the object of the old bundle that a new one replaces.
fn replaced_object<'b>(old: &'b StepBundle, item: &StepObject) -> Option<&'b StepObject> {
    old.objects.iter().find(|before| before.cluster_key() == item.cluster_key())
}

/// Checks the API of a new object. Returns true if the rest of it can be compared.
fn check_api(
    old: &StepBundle,
    new: &StepBundle,
    item: &StepObject,
    by: AffectedOlms,
    out: &mut Judgement,
) -> bool {
    let (object, api) = (item.kind_and_name(), &item.api_version);
    let place = || new.object_location(item);
    match api_availability(&item.kind, api) {
        Availability::Served => {}
        Availability::Removed => {
            let words = format!("Kubernetes does not serve {api} any more");
            let reason = Reason::refusal(ReasonKind::RemovedApi, object, words);
            out.add_reason(by, reason.with_field("apiVersion").with_location(place()));
            return false;
        }
        Availability::Optional => {
            let had = |before: &StepObject| before.kind == item.kind && before.api_version == *api;
            if !old.objects.iter().any(had) {
                let words = format!("it needs {api}, which not every cluster has");
                let reason = Reason::look_reason(ReasonKind::NeedsApi, object, words);
                out.add_reason(by, reason.with_field("apiVersion").with_location(place()));
            }
        }
        Availability::Unknown => {
            out.add_not_checked(by, format!("no rule for {} {} of {api}", item.kind, item.name));
            return false;
        }
    }
    true
}

/// Adds the objects that OLM Classic does not read. It reads the first document of each file.
fn check_lost_objects(new: &StepBundle, out: &mut Judgement) {
    let owned: BTreeSet<String> = owned_crds(new);
    let read: BTreeSet<(&str, &str)> =
        new.objects.iter().filter(|item| item.in_classic).map(StepObject::cluster_key).collect();
    let mut told = BTreeSet::new();
    for item in new.objects.iter().filter(|item| !item.in_classic && !read.contains(&item.cluster_key())) {
        if item.kind == CSV_KIND || !told.insert(item.cluster_key()) {
            continue;
        }
        let words = if item.in_v1 {
            format!("OLM Classic and opm do not read it: it is not the first document of {}", item.file)
        } else {
            format!("it is not read: {} is in a folder of manifests/", item.file)
        };
        let place = new.object_location(item);
        if item.kind == CRD_KIND && owned.contains(&item.name) {
            let words = format!("{words}, and the CSV owns it");
            out.add_reason(
                AffectedOlms::Classic,
                Reason::refusal(ReasonKind::LostObject, item.kind_and_name(), words).with_location(place),
            );
        } else {
            out.add_reason(
                AffectedOlms::Classic,
                Reason::look_reason(ReasonKind::LostObject, item.kind_and_name(), words).with_location(place),
            );
        }
    }
}

pub(super) fn owned_crds(bundle: &StepBundle) -> BTreeSet<String> {
    let owned = bundle.csv_list(&["spec", "customresourcedefinitions", "owned"]).iter();
    owned.map(|crd| text_at(crd, &["name"]).into_owned()).collect()
}

/// Adds objects of the same kind and name.
fn check_duplicates(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let mut classic: BTreeMap<(&str, &str), Vec<&StepObject>> = BTreeMap::new();
    let mut v1: BTreeMap<(&str, &str), Vec<&StepObject>> = BTreeMap::new();
    for item in new.objects.iter().filter(|item| item.kind != CSV_KIND) {
        for (is_read, by_key) in [(item.in_classic, &mut classic), (item.in_v1, &mut v1)] {
            if is_read {
                by_key.entry(item.cluster_key()).or_default().push(item);
            }
        }
    }
    let files = |items: &[&StepObject]| {
        let files: BTreeSet<&str> = items.iter().map(|item| item.file.as_str()).collect();
        files.into_iter().collect::<Vec<_>>().join(" and ")
    };
    for items in classic.values().filter(|items| items.len() > 1) {
        let Some(last) = items.last() else { continue };
        let words = format!("it is in {}; OLM Classic writes both, and the last one stays", files(items));
        let reason = Reason::look_reason(ReasonKind::DuplicateObject, last.kind_and_name(), words);
        out.add_reason(AffectedOlms::Classic, reason.with_location(new.object_location(last)));
    }
    let (made_before, generated) = (generated_objects(old), generated_objects(new));
    for (key, items) in &v1 {
        let own = (key.0.to_owned(), key.1.to_owned());
        let is_generated = generated.contains(&own);
        let Some(last) = items.last().filter(|_| items.len() > 1 || is_generated) else { continue };
        let words = match items.as_slice() {
            [_] => format!("it is in {}, and OLM v1 makes one of that name from the CSV", files(items)),
            items => format!("it is twice in {}", files(items)),
        };
        // Helm patches an existing object, and fails to create a second one. boxcutter refuses
        // both.
        let had = made_before.contains(&own) || replaced_object(old, last).is_some_and(|before| before.in_v1);
        let is_there = had && last.kind != CRD_KIND;
        let kind = ReasonKind::DuplicateObject;
        let reason = if is_there {
            Reason::look_reason(kind, last.kind_and_name(), words)
        } else {
            Reason::refusal(kind, last.kind_and_name(), words)
        };
        out.add_reason(AffectedOlms::V1, reason.with_location(new.object_location(last)));
    }
}

/// Returns kind and name of objects that OLM v1 creates from a CSV and that `manifests/` may
/// also contain.
fn generated_objects(bundle: &StepBundle) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for list in ["permissions", "clusterPermissions"] {
        for permission in bundle.csv_list(&["spec", "install", "spec", list]) {
            let account = text_at(permission, &["serviceAccountName"]);
            if !account.is_empty() && account != "default" {
                all.insert(("ServiceAccount".to_owned(), account.into_owned()));
            }
        }
    }
    for webhook in bundle.csv_list(&["spec", "webhookdefinitions"]) {
        let deployment = text_at(webhook, &["deploymentName"]);
        all.insert(("Service".to_owned(), format!("{}-service", deployment.replace('.', "-"))));
    }
    all
}

/// Availability of a kind that OLM installs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Availability {
    /// Served by every supported Kubernetes version.
    Served,
    /// No longer served by any supported version.
    Removed,
    /// Served only by clusters that have installed the API.
    Optional,
    /// Unknown: the group is not one in which OLM installs the kind.
    Unknown,
}

/// Kinds of Kubernetes, each with the API that serves it and the groups that have served it.
const BUILT_IN: [(&str, &str, &[&str]); 13] = [
    ("Secret", "v1", &[]),
    ("ConfigMap", "v1", &[]),
    ("ServiceAccount", "v1", &[]),
    ("Service", "v1", &[]),
    ("ClusterRole", "rbac.authorization.k8s.io/v1", RBAC),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io/v1", RBAC),
    ("Role", "rbac.authorization.k8s.io/v1", RBAC),
    ("RoleBinding", "rbac.authorization.k8s.io/v1", RBAC),
    ("PodDisruptionBudget", "policy/v1", &["policy"]),
    ("PriorityClass", "scheduling.k8s.io/v1", &["scheduling.k8s.io"]),
    ("NetworkPolicy", "networking.k8s.io/v1", &["networking.k8s.io", "extensions"]),
    ("CustomResourceDefinition", "apiextensions.k8s.io/v1", &["apiextensions.k8s.io"]),
    ("ClusterServiceVersion", "operators.coreos.com/v1alpha1", &[]),
];

/// OpenShift 3 served RBAC in a group of its own.
const RBAC: &[&str] = &["rbac.authorization.k8s.io", "authorization.openshift.io"];

/// Kinds of APIs that are not part of Kubernetes, with their groups.
const OPTIONAL: [(&str, &str); 9] = [
    ("PrometheusRule", "monitoring.coreos.com"),
    ("ServiceMonitor", "monitoring.coreos.com"),
    ("PodMonitor", "monitoring.coreos.com"),
    ("VerticalPodAutoscaler", "autoscaling.k8s.io"),
    ("ConsoleYAMLSample", "console.openshift.io"),
    ("ConsoleQuickStart", "console.openshift.io"),
    ("ConsoleCLIDownload", "console.openshift.io"),
    ("ConsoleLink", "console.openshift.io"),
    ("ConsolePlugin", "console.openshift.io"),
];

/// Returns the availability of a kind in an API.
fn api_availability(kind: &str, api_version: &str) -> Availability {
    let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
    if let Some((_, served, groups)) = BUILT_IN.iter().find(|(of, ..)| *of == kind) {
        return match api_version {
            api if api == *served => Availability::Served,
            _ if groups.contains(&group) => Availability::Removed,
            _ => Availability::Unknown,
        };
    }
    let is_optional = OPTIONAL.iter().any(|(of, own)| *of == kind && *own == group);
    if is_optional { Availability::Optional } else { Availability::Unknown }
}

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
fn immutable_changes(kind: &str, old: &Node<'_>, new: &Node<'_>) -> Vec<ImmutableChange> {
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
