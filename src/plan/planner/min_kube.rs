//! Which bundles the Kubernetes of an OpenShift version is too old for.

use super::Leg;
use crate::catalog::BundleName;

/// The `minKubeVersion` of a bundle, where that is more than there is.
pub(super) fn wanted(leg: &Leg, bundle: &BundleName) -> Option<String> {
    let csv = leg.graph.as_ref()?.package.bundle(bundle.as_str())?.csv.as_ref()?;
    let wanted = csv.min_kube_version.as_ref()?;
    (numbers(wanted)? > leg.openshift.kubernetes()?).then(|| wanted.clone())
}

/// The numbers of `v1.29.0`; patch versions say nothing of a minor one.
fn numbers(text: &str) -> Option<(u64, u64)> {
    let text = text.trim();
    let mut parts = text.strip_prefix('v').unwrap_or(text).split(['.', '-', '+']);
    let major = parts.next()?.parse().ok()?;
    Some((major, parts.next().map_or(Some(0), |minor| minor.parse().ok())?))
}
