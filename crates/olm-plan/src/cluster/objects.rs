//! Objects besides operators: the version of the cluster, catalogs and operator groups.

use super::{Condition, ConditionKind, Location, operators::Fields};
use olm_catalog::redact::redact;
use olm_upgrade::{openshift::OpenShift, resolve::SourceKey};

/// Annotation that excludes the global catalogs from the namespace (`operator-framework/api`,
/// `pkg/operators/v1/operatorgroup_types.go`).
const EXCLUDES_GLOBAL: &str = "olm.operatorframework.io/exclude-global-namespace-resolution";
/// Upgrade strategy that continues after a failed upgrade.
const FAIL_FORWARD: &str = "TechPreviewUnsafeFailForward";

/// Version of OpenShift.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClusterVersion {
    /// Last completely installed version, as written.
    pub version: String,
    /// Minor version.
    pub openshift: Option<OpenShift>,
    /// Target version of a running update.
    pub updating_to: Option<String>,
    /// `spec.channel`
    pub channel: Option<String>,
    /// Condition for an update to the next minor version.
    pub upgradeable: Option<Condition>,
    /// Location of the object.
    pub place: Location,
}

/// `CatalogSource` object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogOnCluster {
    /// Name and namespace.
    pub key: SourceKey,
    /// Image of the catalog.
    pub image: Option<String>,
    /// Priority; higher values come first.
    pub priority: i64,
    /// Last observed connection state, such as `READY`; empty if unknown.
    pub state: String,
    /// Location of the object.
    pub place: Location,
}

/// `ClusterCatalog` object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtensionCatalog {
    /// Name of the catalog.
    pub name: String,
    /// Image of the catalog.
    pub image: Option<String>,
    /// Priority; higher values come first.
    pub priority: i64,
    /// True if bundles of the catalog may be installed.
    pub available: bool,
    /// Labels, which extensions select by.
    pub labels: Vec<(String, String)>,
    /// Location of the object.
    pub place: Location,
}

/// `OperatorGroup` object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorGroup {
    /// Namespace of the group.
    pub namespace: String,
    /// Name of the group.
    pub name: String,
    /// Watched namespaces; all if the list is empty and there is no selector.
    pub targets: Vec<String>,
    /// True if a selector chooses the namespaces.
    pub selects: bool,
    /// True if upgrades continue after a failed upgrade.
    pub fails_forward: bool,
    /// True if the namespace ignores the global catalogs.
    pub excludes_global: bool,
    /// Location of the object.
    pub place: Location,
}

impl ClusterVersion {
    /// Parses the version. The newest complete version is the current version; a newer incomplete version is
    /// the target.
    pub(super) fn from_fields(fields: &Fields<'_>, place: Location) -> Option<Self> {
        let history = fields.objects_at(&["status", "history"]);
        let state = |one: &Fields<'_>| one.text_at(&["state"]).unwrap_or_default();
        let version = |one: &Fields<'_>| one.text_at(&["version"]);
        let complete = history.iter().find(|one| state(one) == "Completed").and_then(version);
        let newest = history.first().filter(|one| state(one) != "Completed").and_then(version);
        let (version, updating_to) = match (complete, newest) {
            (Some(complete), newest) => (complete, newest),
            // The cluster is being installed.
            (None, Some(newest)) => (newest, None),
            (None, None) => (fields.text_at(&["status", "desired", "version"])?, None),
        };
        Some(Self {
            openshift: OpenShift::parse(&version).ok(),
            version,
            updating_to,
            channel: fields.text_at(&["spec", "channel"]),
            upgradeable: Condition::from_status(fields)
                .into_iter()
                .find(|condition| condition.kind == ConditionKind::Upgradeable),
            place,
        })
    }
}

impl CatalogOnCluster {
    pub(super) fn from_fields(fields: &Fields<'_>, key: SourceKey, place: Location) -> Self {
        Self {
            key,
            image: fields.text_at(&["spec", "image"]).map(|image| redact_secrets(&image)),
            priority: fields.integer_at(&["spec", "priority"]).unwrap_or_default(),
            state: fields.text_at(&["status", "connectionState", "lastObservedState"]).unwrap_or_default(),
            place,
        }
    }
}

impl ExtensionCatalog {
    pub(super) fn from_fields(fields: &Fields<'_>, name: String, place: Location) -> Self {
        Self {
            name,
            image: fields.text_at(&["spec", "source", "image", "ref"]).map(|image| redact_secrets(&image)),
            priority: fields.integer_at(&["spec", "priority"]).unwrap_or_default(),
            available: fields.text_at(&["spec", "availabilityMode"]).as_deref() != Some("Unavailable"),
            labels: fields.pairs_at(&["metadata", "labels"]),
            place,
        }
    }
}

impl OperatorGroup {
    pub(super) fn from_fields(fields: &Fields<'_>, namespace: String, name: String, place: Location) -> Self {
        let excludes = fields.text_at(&["metadata", "annotations", EXCLUDES_GLOBAL]);
        Self {
            namespace,
            name,
            targets: fields.texts_at(&["spec", "targetNamespaces"]),
            selects: fields.value_at(&["spec", "selector"]).is_some_and(|node| !node.members().is_empty()),
            fails_forward: fields.text_at(&["spec", "upgradeStrategy"]).as_deref() == Some(FAIL_FORWARD),
            excludes_global: excludes.as_deref() == Some("true"),
            place,
        }
    }
}

/// Removes passwords and tokens from a text: `https://user:PASSWORD@host`, `user:PASSWORD@host/image`,
/// `Bearer TOKEN`, `Basic TOKEN`.
pub(super) fn redact_secrets(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut is_token = false;
    for word in text.split(' ') {
        if is_token && !word.is_empty() {
            words.push("***".to_owned());
            is_token = false;
            continue;
        }
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        is_token = is_token || bare.eq_ignore_ascii_case("bearer") || bare.eq_ignore_ascii_case("basic");
        words.push(redact(word).into_owned());
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_passwords_and_tokens_but_keeps_references() {
        let digest = format!("quay.io:443/a/b:v1@sha256:{}", "a".repeat(64));
        for (text, expected) in [
            ("GET https://user:secret@host/v2/: 401", "GET https://***@host/v2/: 401"),
            ("user:secret@quay.io/a/b:v1", "***@quay.io/a/b:v1"),
            ("sent Authorization: Bearer abc.def and more", "sent Authorization: Bearer *** and more"),
            ("\"Basic dXNlcg==\" was refused", "\"Basic *** was refused"),
            ("me@example.com", "me@example.com"),
            (&digest, &digest),
            ("nothing  here", "nothing  here"),
        ] {
            assert_eq!(redact_secrets(text), expected);
        }
    }
}
