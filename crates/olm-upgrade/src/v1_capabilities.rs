//! Features of OLM v1 that differ between OpenShift versions.
//!
//! Sources: `features/features.go` of openshift/api for the default feature set of each release branch, and the
//! release branches of openshift/operator-framework-operator-controller: `rukpak/convert` (4.17 to 4.19: no webhooks),
//! `rukpak/render/registryv1` (checks of manifests), `resolve/validation.go` (dependencies are refused in all of
//! them), `rukpak/preflights/crdupgradesafety` and the version of crdify in `go.mod` (checks of CRDs). 4.23 and later
//! have this code as operator-controller 1.11 has it, which olmap follows. Other versions were not looked at.

use super::openshift::OpenShift;

/// Support of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureSupport {
    /// OLM v1 refuses it.
    Unsupported,
    /// Only with the feature set `TechPreviewNoUpgrade`, which a cluster cannot leave.
    TechPreview,
    /// In the default feature set.
    Supported,
}

/// Checks of CRDs before an upgrade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrdChecks {
    /// Checks that were written before crdify.
    Other,
    /// An earlier version of crdify than the one that olmap follows.
    EarlierCrdify,
    /// The checks that olmap follows.
    SameAsOlmap,
}

/// Features of OLM v1 on an OpenShift version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct V1Capabilities {
    /// The OpenShift version.
    pub openshift: OpenShift,
    /// OLM v1 itself (`NewOLM`).
    pub olm_v1: FeatureSupport,
    /// Webhooks of a bundle (`NewOLMWebhookProviderOpenshiftServiceCA`).
    pub webhooks: FeatureSupport,
    /// Bundles that do not support `AllNamespaces` (`NewOLMOwnSingleNamespace`).
    pub watch_namespaces: FeatureSupport,
    /// Checks of CRDs.
    pub crd_checks: CrdChecks,
    /// True if manifests are checked as olmap checks them.
    pub has_same_manifest_checks: bool,
}

/// Features of consecutive OpenShift versions.
struct Row {
    versions: &'static [(u64, u64)],
    olm_v1: FeatureSupport,
    webhooks: FeatureSupport,
    watch_namespaces: FeatureSupport,
    crd_checks: CrdChecks,
    has_same_manifest_checks: bool,
}

use FeatureSupport::{Supported, TechPreview, Unsupported};

const ROWS: &[Row] = &[
    Row {
        versions: &[(4, 17)],
        olm_v1: TechPreview,
        webhooks: Unsupported,
        watch_namespaces: Unsupported,
        crd_checks: CrdChecks::Other,
        has_same_manifest_checks: false,
    },
    Row {
        versions: &[(4, 18)],
        olm_v1: Supported,
        webhooks: Unsupported,
        watch_namespaces: Unsupported,
        crd_checks: CrdChecks::Other,
        has_same_manifest_checks: false,
    },
    Row {
        versions: &[(4, 19)],
        olm_v1: Supported,
        webhooks: Unsupported,
        watch_namespaces: TechPreview,
        crd_checks: CrdChecks::EarlierCrdify,
        has_same_manifest_checks: false,
    },
    Row {
        versions: &[(4, 20)],
        olm_v1: Supported,
        webhooks: TechPreview,
        watch_namespaces: TechPreview,
        crd_checks: CrdChecks::EarlierCrdify,
        has_same_manifest_checks: false,
    },
    Row {
        versions: &[(4, 21)],
        olm_v1: Supported,
        webhooks: Supported,
        watch_namespaces: TechPreview,
        crd_checks: CrdChecks::EarlierCrdify,
        has_same_manifest_checks: false,
    },
    Row {
        versions: &[(4, 22)],
        olm_v1: Supported,
        webhooks: Supported,
        watch_namespaces: TechPreview,
        crd_checks: CrdChecks::EarlierCrdify,
        has_same_manifest_checks: true,
    },
    Row {
        versions: &[(4, 23), (5, 0), (5, 1)],
        olm_v1: Supported,
        webhooks: Supported,
        watch_namespaces: TechPreview,
        crd_checks: CrdChecks::SameAsOlmap,
        has_same_manifest_checks: true,
    },
];

impl V1Capabilities {
    /// Returns the features of OLM v1 on an OpenShift version; `None` if they are not known.
    pub fn find_for_openshift(version: OpenShift) -> Option<Self> {
        let key = (version.major, version.minor);
        let row = ROWS.iter().find(|row| row.versions.contains(&key))?;
        Some(Self {
            openshift: version,
            olm_v1: row.olm_v1,
            webhooks: row.webhooks,
            watch_namespaces: row.watch_namespaces,
            crd_checks: row.crd_checks,
            has_same_manifest_checks: row.has_same_manifest_checks,
        })
    }

    /// Returns the versions whose features are known, in order.
    pub fn known_versions() -> impl DoubleEndedIterator<Item = OpenShift> {
        ROWS.iter().flat_map(|row| row.versions).map(|&(major, minor)| OpenShift { major, minor })
    }

    /// Returns the first version that supports webhooks by default. All known versions after it do.
    pub fn first_with_webhooks() -> Option<OpenShift> {
        Self::known_versions().find(|version| {
            Self::find_for_openshift(*version)
                .is_some_and(|known| known.webhooks == FeatureSupport::Supported)
        })
    }

    /// Returns true if all answers of olmap about OLM v1 without an OpenShift version hold for this one.
    fn is_as_checked(&self) -> bool {
        self.webhooks == FeatureSupport::Supported
            && self.crd_checks == CrdChecks::SameAsOlmap
            && self.has_same_manifest_checks
    }

    /// Returns the first and the last version for which answers without an OpenShift version hold.
    pub fn versions_as_checked() -> Option<(OpenShift, OpenShift)> {
        let holds = |version: &OpenShift| {
            Self::find_for_openshift(*version).is_some_and(|known| known.is_as_checked())
        };
        Some((Self::known_versions().find(holds)?, Self::known_versions().rfind(holds)?))
    }

    /// Returns sentences on the features of the version, and on what olmap does not check for it.
    pub fn describe_features(&self) -> Vec<String> {
        let openshift = self.openshift;
        let mut sentences = Vec::new();
        if self.olm_v1 == FeatureSupport::TechPreview {
            sentences.push(format!("OLM v1 is a Technology Preview on OpenShift {openshift}."));
        }
        let describe = |support: FeatureSupport| match support {
            FeatureSupport::Unsupported => "not supported",
            FeatureSupport::TechPreview => "a Technology Preview",
            FeatureSupport::Supported => "supported",
        };
        sentences.push(format!(
            "OLM v1 on OpenShift {openshift}: webhooks are {}, install modes other than AllNamespaces are {}, \
             dependencies are refused.",
            describe(self.webhooks),
            describe(self.watch_namespaces)
        ));
        let missing = [
            (!self.has_same_manifest_checks, "its checks of manifests are fewer than those of olmap"),
            (
                self.crd_checks == CrdChecks::Other,
                "its checks of CRDs are other ones, so upgrades were not judged",
            ),
            (
                self.crd_checks == CrdChecks::EarlierCrdify,
                "its checks of CRDs are an earlier version of those of olmap",
            ),
        ];
        let missing: Vec<&str> =
            missing.iter().filter(|(is_missing, _)| *is_missing).map(|(_, what)| *what).collect();
        if !missing.is_empty() {
            sentences.push(format!("Not checked for this version: {}.", missing.join("; ")));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_only_grow_with_the_version() {
        let versions: Vec<OpenShift> = V1Capabilities::known_versions().collect();
        assert!(versions.is_sorted());
        let rank = |support: FeatureSupport| support as u8;
        let known: Vec<V1Capabilities> =
            versions.iter().map(|version| V1Capabilities::find_for_openshift(*version).unwrap()).collect();
        for pair in known.windows(2) {
            let [a, b] = pair else { continue };
            for feature in [
                |known: &V1Capabilities| known.olm_v1,
                |known: &V1Capabilities| known.webhooks,
                |known: &V1Capabilities| known.watch_namespaces,
            ] {
                assert!(rank(feature(a)) <= rank(feature(b)), "{} and {}", a.openshift, b.openshift);
            }
        }
    }

    #[test]
    fn versions_that_were_not_looked_at_are_unknown() {
        for text in ["4.16", "4.24", "5.2"] {
            assert_eq!(V1Capabilities::find_for_openshift(OpenShift::parse(text).unwrap()), None, "{text}");
        }
        let text = |version: OpenShift| version.to_string();
        assert_eq!(V1Capabilities::first_with_webhooks().map(text).as_deref(), Some("4.21"));
        let (first, last) = V1Capabilities::versions_as_checked().unwrap();
        assert_eq!((text(first), text(last)), ("4.23".to_owned(), "5.1".to_owned()));
    }

    #[test]
    fn sentences_name_what_is_not_checked() {
        let sentences = |text: &str| {
            let known = V1Capabilities::find_for_openshift(OpenShift::parse(text).unwrap()).unwrap();
            known.describe_features().join(" ")
        };
        assert_eq!(
            sentences("4.17"),
            "OLM v1 is a Technology Preview on OpenShift 4.17. OLM v1 on OpenShift 4.17: webhooks are not \
             supported, install modes other than AllNamespaces are not supported, dependencies are refused. Not \
             checked for this version: its checks of manifests are fewer than those of olmap; its checks of CRDs are \
             other ones, so upgrades were not judged."
        );
        assert_eq!(
            sentences("5.0"),
            "OLM v1 on OpenShift 5.0: webhooks are supported, install modes other than AllNamespaces are a \
             Technology Preview, dependencies are refused."
        );
    }
}
