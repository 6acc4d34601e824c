//! Suite `community`: requirements of OpenShift's community catalog for bundles with APIs that Kubernetes 1.22
//! removed.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/community.go`; list D of the data's README.

use super::{Report, loaded::Loaded, openshift, removed};
use crate::{
    bundle::read::annotation,
    catalog::{Node, Value, text::json},
    version::Version,
};

/// Property that prevents a cluster from updating.
pub(super) const PROPERTY: &str = "olm.maxOpenShiftVersion";
/// First OpenShift version with Kubernetes 1.22.
const LIMIT: (u64, u64) = (4, 9);

pub(super) fn check(bundle: &Loaded, out: &mut Report) {
    let names = removed::removed_by_1_22(bundle);
    if names.is_empty() {
        return;
    }
    out.warning("nothing says for which OpenShift versions the index is: give it as `index-path`", None);
    if let Some(reason) = fault(bundle) {
        let message = format!(
            "{reason}; the bundle uses APIs that Kubernetes 1.22 removed: {}",
            removed::format_names(&names)
        );
        let place = || bundle.place(&["metadata", "annotations", "olm.properties"]);
        out.error(message.clone(), place());
        // The reference program repeats every error as a warning.
        out.warning(message, place());
    }
}

/// Returns the error of the annotation that limits the OpenShift version.
fn fault(bundle: &Loaded) -> Option<String> {
    let Some(properties) = annotation(bundle.node(), "olm.properties") else {
        return Some(format!("the annotation `olm.properties` with {PROPERTY} is missing"));
    };
    let Some(list) = json::parse(properties.as_bytes()).ok().and_then(|list| texts_of(&list)) else {
        return Some("the annotation `olm.properties` must be a list of {type, value} with texts".to_owned());
    };
    let Some((_, limit)) = list.iter().find(|(kind, _)| kind == PROPERTY) else {
        return Some(format!("the annotation `olm.properties` has no {PROPERTY}"));
    };
    let Ok(version) = Version::parse_tolerant(limit) else {
        return Some(format!("{PROPERTY} `{limit}` is no version"));
    };
    // The reference program ignores a version with a patch part.
    if !openshift::is_minor(&version) {
        return None;
    }
    let is_below = (version.major(), version.minor()) < LIMIT;
    (!is_below).then(|| format!("{PROPERTY} `{limit}` must be below {}.{}", LIMIT.0, LIMIT.1))
}

pub(super) fn texts_of(list: &Node) -> Option<Vec<(String, String)>> {
    let Value::List(items) = &list.value else { return None };
    let text = |item: &Node, key| match item.get(key) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    items.iter().map(|item| Some((text(item, "type")?, text(item, "value")?))).collect()
}
