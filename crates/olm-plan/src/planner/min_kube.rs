//! Bundles that need a higher Kubernetes version than an OpenShift version has.

use super::Leg;
use olm_catalog::BundleName;

/// Returns the `minKubeVersion` of a bundle if it is higher than the Kubernetes version of the leg.
pub(super) fn required_kubernetes(leg: &Leg, bundle: &BundleName) -> Option<String> {
    let csv = leg.graph.as_ref()?.package.bundle(bundle.as_str())?.csv.as_ref()?;
    let wanted = csv.min_kube_version.as_ref()?;
    (parse_major_minor(wanted)? > leg.openshift.kubernetes_version()?).then(|| wanted.clone())
}

/// Parses major and minor version, for example from `v1.29.0`. The patch version does not matter.
fn parse_major_minor(text: &str) -> Option<(u64, u64)> {
    let text = text.trim();
    let mut parts = text.strip_prefix('v').unwrap_or(text).split(['.', '-', '+']);
    let major = parts.next()?.parse().ok()?;
    Some((major, parts.next().map_or(Some(0), |minor| minor.parse().ok())?))
}
