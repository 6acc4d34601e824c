//! Suites about APIs that Kubernetes has removed: `alpha-deprecated-apis`, and `community` with the
//! requirements of OpenShift's community catalog for bundles with APIs that Kubernetes 1.22 removed.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/removed_apis.go` and `community.go`; lists C
//! and D of the data's README.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Level, Report, Settings, VALIDATION_FAILED, loaded::LoadedBundle, openshift, parse_kubernetes_version,
};
use crate::field_access::{annotation_value, items_at, text_at, texts_at};
use olm_catalog::{Node, Value, text::json};
use olm_version::Version;

/// A Kubernetes release that removed APIs, with kind and `apiVersion` of each.
struct Removal {
    release: (u64, u64),
    apis: &'static [(&'static str, &'static str)],
}

const RBAC: &str = "rbac.authorization.k8s.io/v1beta1";
const AUTHORIZATION: &str = "authorization.k8s.io/v1beta1";
const ADMISSION: &str = "admissionregistration.k8s.io/v1beta1";
const NETWORKING: &str = "networking.k8s.io/v1beta1";
const STORAGE: &str = "storage.k8s.io/v1beta1";

const REMOVALS: [Removal; 3] = [
    Removal {
        release: (1, 22),
        apis: &[
            ("CustomResourceDefinition", "apiextensions.k8s.io/v1beta1"),
            ("PriorityClass", "scheduling.k8s.io/v1beta1"),
            ("Role", RBAC),
            ("RoleBinding", RBAC),
            ("ClusterRole", RBAC),
            ("ClusterRoleBinding", RBAC),
            ("APIService", "apiregistration.k8s.io/v1beta1"),
            ("TokenReview", "authentication.k8s.io/v1beta1"),
            ("LocalSubjectAccessReview", AUTHORIZATION),
            ("SelfSubjectAccessReview", AUTHORIZATION),
            ("SubjectAccessReview", AUTHORIZATION),
            ("MutatingWebhookConfiguration", ADMISSION),
            ("ValidatingWebhookConfiguration", ADMISSION),
            ("Lease", "coordination.k8s.io/v1beta1"),
            ("Ingress", "extensions/v1beta1"),
            ("Ingress", NETWORKING),
            ("IngressClass", NETWORKING),
            ("CSIDriver", STORAGE),
            ("CSINode", STORAGE),
            ("StorageClass", STORAGE),
            ("VolumeAttachment", STORAGE),
            ("CertificateSigningRequest", "certificates.k8s.io/v1beta1"),
        ],
    },
    Removal {
        release: (1, 25),
        apis: &[
            ("CronJob", "batch/v1beta1"),
            ("EndpointSlice", "discovery.k8s.io/v1beta1"),
            ("Event", "events.k8s.io/v1beta1"),
            ("HorizontalPodAutoscaler", "autoscaling/v2beta1"),
            ("PodDisruptionBudget", "policy/v1beta1"),
            ("PodSecurityPolicy", "policy/v1beta1"),
            ("RuntimeClass", "node.k8s.io/v1beta1"),
        ],
    },
    Removal { release: (1, 26), apis: &[("HorizontalPodAutoscaler", "autoscaling/v2beta2")] },
];

/// Names of objects with removed APIs, by kind.
pub(super) type ObjectNames = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check_removed_apis(bundle: &LoadedBundle, settings: &Settings, out: &mut Report) {
    let stated = text_at(bundle.csv_node(), &["spec", "minKubeVersion"]);
    let minimum = parse_version("minKubeVersion", &stated, bundle, out);
    let asked = settings.kubernetes.clone().unwrap_or_default();
    let asked = parse_version("k8s-version", &asked, bundle, out);
    for removal in &REMOVALS {
        let (major, minor) = removal.release;
        let names = removed_by_release(bundle, removal);
        let at = Version::new(major, minor, 0);
        let is_reached =
            |version: &Option<Version>| version.as_ref().is_some_and(|v| v.cmp_precedence(&at).is_ge());
        let level = if is_reached(&minimum) || is_reached(&asked) { Level::Error } else { Level::Warning };
        if !names.is_empty() {
            let message =
                format!("uses APIs that Kubernetes {major}.{minor} removed: {}", format_names(&names));
            out.set_kind(VALIDATION_FAILED).add_verdict(level, "", message, None);
        }
        if removal.release == (1, 25) && asks_for_security_policies(bundle) {
            let message = "permissions on PodSecurityPolicies, which Kubernetes 1.25 removed";
            out.set_kind(VALIDATION_FAILED)
                .add_warning(message, bundle.csv_location(&["spec", "install", "spec"]));
        }
    }
}

/// Parses a version; reports it if it is invalid.
fn parse_version(what: &str, text: &str, bundle: &LoadedBundle, out: &mut Report) -> Option<Version> {
    if text.is_empty() {
        return None;
    }
    let version = parse_kubernetes_version(text);
    if version.is_none() {
        let message = format!("{what} `{text}` is no version, so nothing is judged by it");
        out.set_kind(VALIDATION_FAILED).add_error(message, bundle.csv_location(&["spec", "minKubeVersion"]));
    }
    version
}

/// Returns the objects of the bundle with APIs that Kubernetes 1.22 removed.
fn removed_by_1_22(bundle: &LoadedBundle) -> ObjectNames {
    REMOVALS.first().map(|removal| removed_by_release(bundle, removal)).unwrap_or_default()
}

fn removed_by_release(bundle: &LoadedBundle, removal: &Removal) -> ObjectNames {
    let mut names = ObjectNames::new();
    for object in &bundle.objects {
        let (kind, api_version) = (object.kind(), object.string_field("apiVersion"));
        if removal.apis.contains(&(kind, api_version)) {
            let kind = if kind == "CustomResourceDefinition" { "CRD" } else { kind };
            names.entry(kind.to_owned()).or_default().insert(object.name().to_owned());
        }
    }
    // Resources in CRD descriptions are checked only for releases from 1.25 on.
    if removal.release >= (1, 25) {
        for list in ["owned", "required"] {
            for crd in items_at(bundle.csv_node(), &["spec", "customresourcedefinitions", list]) {
                for resource in items_at(crd, &["resources"]) {
                    let (kind, version) = (text_at(resource, &["kind"]), text_at(resource, &["version"]));
                    if removal.apis.contains(&(kind.as_ref(), version.as_ref())) {
                        names
                            .entry(kind.into_owned())
                            .or_default()
                            .insert(text_at(resource, &["name"]).into_owned());
                    }
                }
            }
        }
    }
    names
}

/// Returns true if permissions name `podsecuritypolicies` of the API group `policy`, unless the
/// resources of a CRD description list that kind.
fn asks_for_security_policies(bundle: &LoadedBundle) -> bool {
    let listed = ["owned", "required"].iter().any(|list| {
        items_at(bundle.csv_node(), &["spec", "customresourcedefinitions", list]).iter().any(|crd| {
            let resources = items_at(crd, &["resources"]).iter();
            let mut kinds =
                resources.map(|resource| format!("{}s", text_at(resource, &["kind"]).to_lowercase()));
            kinds.any(|kind| kind == "podsecuritypolicies" || kind == "podsecuritypolicys")
        })
    });
    let asked = ["permissions", "clusterPermissions"].iter().any(|list| {
        items_at(bundle.csv_node(), &["spec", "install", "spec", list]).iter().any(|permission| {
            items_at(permission, &["rules"]).iter().any(|rule| {
                texts_at(rule, &["apiGroups"]).any(|group| group == "policy")
                    && texts_at(rule, &["resources"]).any(|resource| resource == "podsecuritypolicies")
            })
        })
    });
    asked && !listed
}

/// Formats names: `CRD memos.example.com, RoleBinding a b`.
fn format_names(names: &ObjectNames) -> String {
    let kinds = names.iter().map(|(kind, names)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("{kind} {}", names.join(" "))
    });
    kinds.collect::<Vec<_>>().join(", ")
}

/// Property that prevents a cluster from updating.
pub(super) const MAX_OPENSHIFT_PROPERTY: &str = "olm.maxOpenShiftVersion";

/// First OpenShift version with Kubernetes 1.22.
const COMMUNITY_LIMIT: (u64, u64) = (4, 9);

pub(super) fn check_community(bundle: &LoadedBundle, out: &mut Report) {
    let names = removed_by_1_22(bundle);
    if names.is_empty() {
        return;
    }
    out.add_warning("nothing says for which OpenShift versions the index is: give it as `index-path`", None);
    if let Some(reason) = find_annotation_fault(bundle) {
        let message =
            format!("{reason}; the bundle uses APIs that Kubernetes 1.22 removed: {}", format_names(&names));
        let place = || bundle.csv_location(&["metadata", "annotations", "olm.properties"]);
        out.add_error(message.clone(), place());
        // The reference program repeats every error as a warning.
        out.add_warning(message, place());
    }
}

/// Returns the error of the annotation that limits the OpenShift version.
fn find_annotation_fault(bundle: &LoadedBundle) -> Option<String> {
    let Some(properties) = annotation_value(bundle.csv_node(), "olm.properties") else {
        return Some(format!("the annotation `olm.properties` with {MAX_OPENSHIFT_PROPERTY} is missing"));
    };
    let Some(list) = json::parse_json(properties.as_bytes()).ok().and_then(|list| type_value_pairs(&list))
    else {
        return Some("the annotation `olm.properties` must be a list of {type, value} with texts".to_owned());
    };
    let Some((_, limit)) = list.iter().find(|(kind, _)| kind == MAX_OPENSHIFT_PROPERTY) else {
        return Some(format!("the annotation `olm.properties` has no {MAX_OPENSHIFT_PROPERTY}"));
    };
    let Ok(version) = Version::parse_tolerant(limit) else {
        return Some(format!("{MAX_OPENSHIFT_PROPERTY} `{limit}` is no version"));
    };
    // The reference program ignores a version with a patch part.
    if !openshift::is_minor_version(&version) {
        return None;
    }
    let is_below = (version.major(), version.minor()) < COMMUNITY_LIMIT;
    (!is_below).then(|| {
        format!(
            "{MAX_OPENSHIFT_PROPERTY} `{limit}` must be below {}.{}",
            COMMUNITY_LIMIT.0, COMMUNITY_LIMIT.1
        )
    })
}

pub(super) fn type_value_pairs(list: &Node) -> Option<Vec<(String, String)>> {
    let Value::List(items) = &list.value else { return None };
    let text = |item: &Node, key| match item.get(key) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    items.iter().map(|item| Some((text(item, "type")?, text(item, "value")?))).collect()
}
