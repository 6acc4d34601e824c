//! Annotations of a ClusterServiceVersion that consoles read, and their allowed values.
//!
//! Sources: the OpenShift documentation of the ClusterServiceVersion, and openshift/console,
//! `operator-hub-utils.ts`. Consoles compare values exactly.

pub use olm_catalog::console_fields::{INFRASTRUCTURE_FEATURES, VALID_SUBSCRIPTION, parse_string_list};

use super::suites::is_dns1123_label;
use olm_catalog::console_fields::names_of_feature;

/// Annotation with the CRDs that consoles hide: a JSON list.
pub const INTERNAL_OBJECTS: &str = "operators.operatorframework.io/internal-objects";
/// Annotation with the object that a console offers to create after the install: JSON.
pub const INITIALIZATION_RESOURCE: &str = "operatorframework.io/initialization-resource";
/// Annotation with the namespace that a console proposes for the install.
pub const SUGGESTED_NAMESPACE: &str = "operatorframework.io/suggested-namespace";
/// Annotation with the object of that namespace: JSON.
pub const SUGGESTED_NAMESPACE_TEMPLATE: &str = "operatorframework.io/suggested-namespace-template";

/// Values of the annotation `capabilities`.
pub const CAPABILITY_LEVELS: [&str; 5] =
    ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];

/// Values of `spec.maturity`.
pub const MATURITY_LEVELS: [&str; 8] =
    ["planning", "pre-alpha", "alpha", "beta", "stable", "mature", "inactive", "deprecated"];

/// Documented values of the annotation `infrastructure-features`.
pub const INFRASTRUCTURE_FEATURE_NAMES: [&str; 6] =
    ["disconnected", "cnf", "cni", "csi", "fips", "proxy-aware"];

/// Meaning of a value of the annotation `infrastructure-features`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InfrastructureFeature {
    /// Documented value.
    Documented(&'static str),
    /// Value that the OpenShift console reads, but the documentation does not list. Contains the
    /// documented value for the same feature, if there is one.
    ConsoleOnly(Option<&'static str>),
    /// Value that no known console reads.
    Unknown,
}

impl InfrastructureFeature {
    /// Returns the meaning of a value. The case of letters counts.
    pub fn from_value(value: &str) -> Self {
        let Some(names) = names_of_feature(value) else { return Self::Unknown };
        let documented = INFRASTRUCTURE_FEATURE_NAMES.into_iter().find(|name| names.contains(name));
        match documented {
            Some(name) if name == value => Self::Documented(name),
            documented => Self::ConsoleOnly(documented),
        }
    }

    /// Returns the documented value for the feature, if there is one.
    pub fn documented_name(self) -> Option<&'static str> {
        match self {
            Self::Documented(name) => Some(name),
            Self::ConsoleOnly(name) => name,
            Self::Unknown => None,
        }
    }
}

/// Returns true if Kubernetes accepts the name for a namespace.
pub fn is_namespace_name(name: &str) -> bool {
    is_dns1123_label(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_of_features_counts() {
        for (value, expected) in [
            ("disconnected", InfrastructureFeature::Documented("disconnected")),
            ("Disconnected", InfrastructureFeature::ConsoleOnly(Some("disconnected"))),
            ("sno", InfrastructureFeature::ConsoleOnly(None)),
            ("proxyaware", InfrastructureFeature::Unknown),
            ("DISCONNECTED", InfrastructureFeature::Unknown),
            ("", InfrastructureFeature::Unknown),
        ] {
            assert_eq!(InfrastructureFeature::from_value(value), expected, "{value}");
        }
        for name in INFRASTRUCTURE_FEATURE_NAMES {
            assert_eq!(InfrastructureFeature::from_value(name), InfrastructureFeature::Documented(name));
        }
    }

    #[test]
    fn list_has_only_strings() {
        for text in ["[]", r#"["a"]"#, r#" ["a", ""] "#] {
            assert!(parse_string_list(text).is_some(), "{text}");
        }
        for text in ["", "a", "[fips]", r#""a""#, r#"["a", 1]"#, r#"{"a": "b"}"#, "null"] {
            assert!(parse_string_list(text).is_none(), "{text}");
        }
    }

    #[test]
    fn namespace_name_is_a_dns_label() {
        for name in ["a", "my-operator", "0a"] {
            assert!(is_namespace_name(name), "{name}");
        }
        let long = "a".repeat(64);
        for name in ["", "Etcd_NS", "a.b", "-a", "a-", long.as_str()] {
            assert!(!is_namespace_name(name), "{name}");
        }
    }
}
