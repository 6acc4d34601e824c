//! Rules about the Kubernetes version that a bundle needs, and about permissions that it does not
//! use.

use std::collections::{BTreeMap, BTreeSet};

use super::BundleSubject;
use crate::{Finding, FindingLocation, findings::Findings, format::format_list, rules};
use olm_bundle::{
    field_access::{items_at, node_at, text_at},
    registry::CRD_KIND,
};
use olm_catalog::{Node, Span};
use olm_version::Version;

/// APIs and kinds with the first minor version of Kubernetes 1 that serves them. Sources: the
/// deprecated API migration guide and the API reference of Kubernetes. Kinds that are older than
/// OLM or not part of Kubernetes are not listed.
const FIRST_VERSIONS: [(&str, &[&str], u64); 27] = [
    (
        "admissionregistration.k8s.io/v1",
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        16,
    ),
    (
        "admissionregistration.k8s.io/v1",
        &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
        30,
    ),
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"], 16),
    ("apiregistration.k8s.io/v1", &["APIService"], 10),
    ("apps/v1", &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"], 9),
    ("authentication.k8s.io/v1", &["TokenReview"], 6),
    ("authentication.k8s.io/v1", &["SelfSubjectReview"], 28),
    (
        "authorization.k8s.io/v1",
        &["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"],
        6,
    ),
    ("autoscaling/v2", &["HorizontalPodAutoscaler"], 23),
    ("batch/v1", &["CronJob"], 21),
    ("certificates.k8s.io/v1", &["CertificateSigningRequest"], 19),
    ("coordination.k8s.io/v1", &["Lease"], 14),
    ("discovery.k8s.io/v1", &["EndpointSlice"], 21),
    ("events.k8s.io/v1", &["Event"], 19),
    ("flowcontrol.apiserver.k8s.io/v1", FLOW_CONTROL_KINDS, 29),
    ("flowcontrol.apiserver.k8s.io/v1beta3", FLOW_CONTROL_KINDS, 26),
    ("networking.k8s.io/v1", &["NetworkPolicy"], 8),
    ("networking.k8s.io/v1", &["Ingress", "IngressClass"], 19),
    ("node.k8s.io/v1", &["RuntimeClass"], 20),
    ("policy/v1", &["PodDisruptionBudget"], 21),
    ("rbac.authorization.k8s.io/v1", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"], 8),
    ("scheduling.k8s.io/v1", &["PriorityClass"], 14),
    ("storage.k8s.io/v1", &["CSIDriver"], 19),
    ("storage.k8s.io/v1", &["CSINode"], 17),
    ("storage.k8s.io/v1", &["CSIStorageCapacity"], 24),
    ("storage.k8s.io/v1", &["StorageClass"], 6),
    ("storage.k8s.io/v1", &["VolumeAttachment"], 13),
];
const FLOW_CONTROL_KINDS: &[&str] = &["FlowSchema", "PriorityLevelConfiguration"];
/// First minor version of Kubernetes 1 that enforces `x-kubernetes-validations` by default.
const CEL_RULES_SINCE_MINOR: u64 = 25;
/// First minor version of Kubernetes 1 that supports `selectableFields` by default.
const SELECTABLE_FIELDS_SINCE_MINOR: u64 = 31;
/// Maximum depth of the search for validation rules in a schema.
const MAX_SCHEMA_DEPTH: usize = 256;

/// Returns the first minor version of Kubernetes 1 that serves a kind; `None` if it is not listed.
fn first_version(api: &str, kind: &str) -> Option<u64> {
    let entry = FIRST_VERSIONS.iter().find(|(of, kinds, _)| *of == api && kinds.contains(&kind));
    entry.map(|(.., minor)| *minor)
}

/// Feature that a bundle uses, with the first Kubernetes version that has it.
struct VersionRequirement {
    feature: String,
    /// First minor version of Kubernetes 1 with the feature.
    minor: u64,
    at: FindingLocation,
}

/// Reports a `minKubeVersion` that is lower than the bundle needs.
pub(crate) fn min_kube_version(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let Some(node) = node_at(csv.node(), &["spec", "minKubeVersion"]) else { return };
    let Some(given) = node.as_str().and_then(|text| Version::parse_tolerant(text.trim()).ok()) else {
        return;
    };
    let is_met = |minor: u64| given.major() > 1 || given.major() == 1 && given.minor() >= minor;
    let mut needs: Vec<VersionRequirement> =
        version_requirements(s).into_iter().filter(|need| !is_met(need.minor)).collect();
    needs.sort_by(|a, b| (b.minor, &a.feature).cmp(&(a.minor, &b.feature)));
    let Some(highest) = needs.first() else { return };
    let message = format!(
        "minKubeVersion is {}, but {} needs Kubernetes 1.{}",
        node.as_str().unwrap_or_default(),
        highest.feature,
        highest.minor
    );
    let mut finding = Finding::new(&rules::LOW_MIN_KUBE_VERSION, message)
        .at_location(s.location_in_object(csv.object, node.span))
        .with_help(format!("raise it to 1.{}.0", highest.minor));
    for need in needs {
        finding = finding.with_related_location(format!("{} needs 1.{}", need.feature, need.minor), need.at);
    }
    found.push(finding);
}

/// Returns the features of a bundle that need a known Kubernetes version.
fn version_requirements(s: &BundleSubject<'_>) -> Vec<VersionRequirement> {
    let mut needs = Vec::new();
    for object in &s.contents().objects {
        let (api, kind) = (object.string_field("apiVersion"), object.kind());
        let node = &object.document.node;
        let mut add = |what: String, minor: u64, span: Span| {
            needs.push(VersionRequirement { feature: what, minor, at: s.location_in_object(object, span) });
        };
        if let Some(minor) = first_version(api, kind) {
            let span = node.get("apiVersion").unwrap_or(node).span;
            add(format!("{api} {kind}"), minor, span);
        }
        if kind == CRD_KIND {
            let name = object.name();
            for version in items_at(node, &["spec", "versions"]) {
                if let Some(span) = find_cel_rules(version) {
                    add(format!("x-kubernetes-validations of {name}"), CEL_RULES_SINCE_MINOR, span);
                    break;
                }
            }
            let mut versions = items_at(node, &["spec", "versions"]).iter();
            if let Some(fields) = versions.find_map(|version| version.get("selectableFields")) {
                add(format!("selectableFields of {name}"), SELECTABLE_FIELDS_SINCE_MINOR, fields.span);
            }
        }
    }
    let csv = s.csv();
    for api in csv.map(|csv| items_at(csv.node(), &["spec", "nativeAPIs"])).unwrap_or_default() {
        let (group, version, kind) =
            (text_at(api, &["group"]), text_at(api, &["version"]), text_at(api, &["kind"]));
        let name = if group.is_empty() { version.into_owned() } else { format!("{group}/{version}") };
        if let (Some(minor), Some(csv)) = (first_version(&name, &kind), csv) {
            needs.push(VersionRequirement {
                feature: format!("{name} {kind}"),
                minor,
                at: s.location_in_object(csv.object, api.span),
            });
        }
    }
    needs
}

/// Returns the position of the first CEL rules in a CRD version. Searches only schemas, since a
/// default or a field may have the same name.
fn find_cel_rules(version: &Node<'_>) -> Option<Span> {
    let mut left = vec![(node_at(version, &["schema", "openAPIV3Schema"])?, 0)];
    let mut first: Option<Span> = None;
    while let Some((schema, depth)) = left.pop() {
        for member in schema.members() {
            match member.key.as_ref() {
                "x-kubernetes-validations" if !member.value.items().is_empty() => {
                    first = Some(first.map_or(member.key_span, |first| first.min(member.key_span)));
                }
                "items" | "additionalProperties" if depth < MAX_SCHEMA_DEPTH => {
                    left.push((&member.value, depth + 1));
                }
                "properties" if depth < MAX_SCHEMA_DEPTH => {
                    left.extend(member.value.members().iter().map(|field| (&field.value, depth + 1)));
                }
                _ => {}
            }
        }
    }
    first
}

/// Reports permissions for service accounts that no deployment uses.
pub(crate) fn unused_permissions(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let install = |list| items_at(csv.node(), &["spec", "install", "spec", list]);
    let account = |deployment| {
        let of = |key| text_at(deployment, &["spec", "template", "spec", key]);
        let named =
            [of("serviceAccountName"), of("serviceAccount")].into_iter().find(|name| !name.is_empty());
        named.unwrap_or_else(|| "default".into())
    };
    let used: BTreeSet<_> = install("deployments").iter().map(account).collect();
    let mut unused: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    for permission in install("permissions").iter().chain(install("clusterPermissions")) {
        let name = text_at(permission, &["serviceAccountName"]);
        if !name.is_empty() && !used.contains(&name) {
            let span = permission.get("serviceAccountName").unwrap_or(permission).span;
            unused.entry(name.into_owned()).or_default().push(span);
        }
    }
    let mut places = unused.iter().flat_map(|(name, spans)| spans.iter().map(move |span| (name, *span)));
    let Some((first, span)) = places.next() else { return };
    let (accounts, names) =
        (if unused.len() == 1 { "account" } else { "accounts" }, format_list(unused.keys()));
    let message = format!("no deployment runs as the service {accounts} {names}");
    let mut finding =
        Finding::new(&rules::UNUSED_PERMISSIONS, message).at_location(s.location_in_object(csv.object, span));
    for (name, span) in places {
        let what = if name == first {
            "more of its permissions".to_owned()
        } else {
            format!("permissions of {name}")
        };
        finding = finding.with_related_location(what, s.location_in_object(csv.object, span));
    }
    found.push(finding);
}

#[cfg(test)]
mod tests {
    use super::{find_cel_rules, first_version};
    use olm_bundle::document;

    #[test]
    fn kinds_of_same_api_have_different_first_versions() {
        for (api, kind, expected) in [
            ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", Some(16)),
            ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", Some(30)),
            ("authentication.k8s.io/v1", "SelfSubjectReview", Some(28)),
            ("storage.k8s.io/v1", "CSIDriver", Some(19)),
            ("storage.k8s.io/v1", "StorageClass", Some(6)),
            ("networking.k8s.io/v1", "NetworkPolicy", Some(8)),
            ("apps/v1", "Deployment", Some(9)),
            ("v1", "Service", None),
            ("clay.example.com/v1", "Kiln", None),
        ] {
            assert_eq!(first_version(api, kind), expected, "{api} {kind}");
        }
    }

    #[test]
    fn finds_cel_rules_in_schemas_but_not_in_data() {
        let has = |schema: &str| {
            let version = format!("schema: {{openAPIV3Schema: {schema}}}");
            find_cel_rules(&document::parse_first_of_text(version.as_bytes()).unwrap().node).is_some()
        };
        let rules = "x-kubernetes-validations: [{rule: self > 0}]";
        for schema in [
            format!("{{{rules}}}"),
            format!("{{properties: {{a: {{{rules}}}}}}}"),
            format!("{{items: {{additionalProperties: {{{rules}}}}}}}"),
            format!("{{properties: {{default: {{{rules}}}}}}}"),
        ] {
            assert!(has(&schema), "{schema}");
        }
        for schema in [
            format!("{{default: {{{rules}}}}}"),
            format!("{{example: {{properties: {{{rules}}}}}}}"),
            "{properties: {x-kubernetes-validations: {type: array}}}".to_owned(),
            "{x-kubernetes-validations: []}".to_owned(),
        ] {
            assert!(!has(&schema), "{schema}");
        }
    }
}
