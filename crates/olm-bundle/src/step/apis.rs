//! Kinds that a bundle may have, and the APIs in which Kubernetes serves them.

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
pub(super) fn api_availability(kind: &str, api_version: &str) -> Availability {
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
