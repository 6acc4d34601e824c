//! Suite `community`: requirements of OpenShift's community catalog for bundles with APIs that Kubernetes 1.22
//! removed.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/community.go`; list D of the data's README.

use super::{Report, loaded::LoadedBundle, openshift, removed};
use crate::field_access::annotation_value;
use olm_catalog::{Node, Value, text::json};
use olm_version::Version;

/// Property that prevents a cluster from updating.
pub(super) const PROPERTY: &str = "olm.maxOpenShiftVersion";
/// First OpenShift version with Kubernetes 1.22.
const LIMIT: (u64, u64) = (4, 9);

pub(super) fn check_community(bundle: &LoadedBundle, out: &mut Report) {
    let names = removed::removed_by_1_22(bundle);
    if names.is_empty() {
        return;
    }
    out.add_warning("nothing says for which OpenShift versions the index is: give it as `index-path`", None);
    if let Some(reason) = find_annotation_fault(bundle) {
        let message = format!(
            "{reason}; the bundle uses APIs that Kubernetes 1.22 removed: {}",
            removed::format_names(&names)
        );
        let place = || bundle.csv_location(&["metadata", "annotations", "olm.properties"]);
        out.add_error(message.clone(), place());
        // The reference program repeats every error as a warning.
        out.add_warning(message, place());
    }
}

/// Returns the error of the annotation that limits the OpenShift version.
fn find_annotation_fault(bundle: &LoadedBundle) -> Option<String> {
    let Some(properties) = annotation_value(bundle.csv_node(), "olm.properties") else {
        return Some(format!("the annotation `olm.properties` with {PROPERTY} is missing"));
    };
    let Some(list) = json::parse_json(properties.as_bytes()).ok().and_then(|list| type_value_pairs(&list))
    else {
        return Some("the annotation `olm.properties` must be a list of {type, value} with texts".to_owned());
    };
    let Some((_, limit)) = list.iter().find(|(kind, _)| kind == PROPERTY) else {
        return Some(format!("the annotation `olm.properties` has no {PROPERTY}"));
    };
    let Ok(version) = Version::parse_tolerant(limit) else {
        return Some(format!("{PROPERTY} `{limit}` is no version"));
    };
    // The reference program ignores a version with a patch part.
    if !openshift::is_minor_version(&version) {
        return None;
    }
    let is_below = (version.major(), version.minor()) < LIMIT;
    (!is_below).then(|| format!("{PROPERTY} `{limit}` must be below {}.{}", LIMIT.0, LIMIT.1))
}

pub(super) fn type_value_pairs(list: &Node) -> Option<Vec<(String, String)>> {
    let Value::List(items) = &list.value else { return None };
    let text = |item: &Node, key| match item.get(key) {
        None => Some(String::new()),
        Some(value) => value.as_str().map(str::to_owned),
    };
    items.iter().map(|item| Some((text(item, "type")?, text(item, "value")?))).collect()
}
