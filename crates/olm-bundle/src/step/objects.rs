//! Rules for the objects of `manifests/`, compared in pairs.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    contents::{StepBundle, StepObject},
    immutable_fields,
    reason::{AffectedOlms, Judgement, Reason, ReasonKind},
};
use crate::{
    field_access::text_at,
    registry::{CRD_KIND, CSV_KIND, OTHER_KINDS},
};

/// Kind that OLM v1 installs and OLM Classic does not.
const ONLY_V1: &str = "PodMonitor";

/// Compares the objects of two bundles.
pub(super) fn compare_objects(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    for item in new.objects.iter().filter(|item| item.kind != CSV_KIND) {
        let is_installed = check_kind(new, item, out);
        if is_installed && item.kind != CRD_KIND {
            compare_object(old, new, item, out);
        }
    }
    check_lost_objects(new, out);
    check_duplicates(old, new, out);
}

/// Returns the OLMs that read an object.
fn object_readers(item: &StepObject) -> Option<AffectedOlms> {
    match (item.in_classic, item.in_v1) {
        (true, true) => Some(AffectedOlms::Both),
        (true, false) => Some(AffectedOlms::Classic),
        (false, true) => Some(AffectedOlms::V1),
        (false, false) => None,
    }
}

/// Checks kind and name of a new object. Returns true if the rest of it can be compared.
fn check_kind(new: &StepBundle, item: &StepObject, out: &mut Judgement) -> bool {
    let Some(by) = object_readers(item) else { return false };
    let object = item.kind_and_name();
    let unsupported = |reader: &str| {
        let words = format!("{reader} does not install a {} from a bundle", item.kind);
        let reason = Reason::refusal(ReasonKind::UnsupportedObject, &object, words);
        reason.with_field("kind").with_location(new.object_location(item))
    };
    if item.kind != CRD_KIND && !OTHER_KINDS.contains(&item.kind.as_str()) {
        out.add_reason(by, unsupported("OLM"));
        return false;
    }
    if item.kind == ONLY_V1 && by != AffectedOlms::V1 {
        out.add_reason(AffectedOlms::Classic, unsupported("OLM Classic"));
    }
    if item.name.is_empty() {
        out.add_not_checked(by, format!("{} in {} does not have a name", item.kind, item.file));
        return false;
    }
    true
}

/// Checks a new object, and its changes from the old object of the same name.
fn compare_object(old: &StepBundle, new: &StepBundle, item: &StepObject, out: &mut Judgement) {
    let Some(by) = object_readers(item) else { return };
    let before = replaced_object(old, item);
    // OLM Classic does not install this kind, so other reasons apply only to OLM v1.
    let by = if item.kind == ONLY_V1 { AffectedOlms::V1 } else { by };
    if !check_api(old, new, item, by, out) {
        return;
    }
    let place = new.object_location(item);
    let faults = super::object_faults(&item.kind, &item.node);
    for fault in &faults {
        let reason = Reason::refusal(ReasonKind::InvalidObject, item.kind_and_name(), &fault.message);
        out.add_reason(by, reason.with_field(&fault.field).with_location(place.clone()));
    }
    let Some(before) = before.filter(|_| faults.is_empty()) else { return };
    // If an OLM did not read the object before, the object is new to it.
    let Some(by) = object_readers(before).and_then(|had| by.intersection(had)) else { return };
    let changed = immutable_fields::immutable_changes(&item.kind, &before.node, &item.node);
    for change in &changed {
        let reason = Reason::refusal(ReasonKind::ImmutableField, item.kind_and_name(), &change.message);
        out.add_reason(by, reason.with_field(change.field).with_location(place.clone()));
    }
    if changed.is_empty() && by != AffectedOlms::Classic {
        for left in super::object_leftovers(&item.kind, &before.node, &item.node) {
            let reason = Reason::look_reason(ReasonKind::LeftoverField, item.kind_and_name(), left.message);
            out.add_reason(AffectedOlms::V1, reason.with_field(left.field).with_location(place.clone()));
        }
    }
}

/// Returns the object of the old bundle that a new one replaces.
fn replaced_object<'b>(old: &'b StepBundle, item: &StepObject) -> Option<&'b StepObject> {
    old.objects.iter().find(|before| before.cluster_key() == item.cluster_key())
}

/// Checks the API of a new object. Returns true if the rest of it can be compared.
fn check_api(
    old: &StepBundle,
    new: &StepBundle,
    item: &StepObject,
    by: AffectedOlms,
    out: &mut Judgement,
) -> bool {
    let (object, api) = (item.kind_and_name(), &item.api_version);
    let place = || new.object_location(item);
    match api_availability(&item.kind, api) {
        Availability::Served => {}
        Availability::Removed => {
            let words = format!("Kubernetes does not serve {api} any more");
            let reason = Reason::refusal(ReasonKind::RemovedApi, object, words);
            out.add_reason(by, reason.with_field("apiVersion").with_location(place()));
            return false;
        }
        Availability::Optional => {
            let had = |before: &StepObject| before.kind == item.kind && before.api_version == *api;
            if !old.objects.iter().any(had) {
                let words = format!("it needs {api}, which not every cluster has");
                let reason = Reason::look_reason(ReasonKind::NeedsApi, object, words);
                out.add_reason(by, reason.with_field("apiVersion").with_location(place()));
            }
        }
        Availability::Unknown => {
            out.add_not_checked(by, format!("no rule for {} {} of {api}", item.kind, item.name));
            return false;
        }
    }
    true
}

/// Adds the objects that OLM Classic does not read. It reads the first document of each file.
fn check_lost_objects(new: &StepBundle, out: &mut Judgement) {
    let owned: BTreeSet<String> = owned_crds(new);
    let read: BTreeSet<(&str, &str)> =
        new.objects.iter().filter(|item| item.in_classic).map(StepObject::cluster_key).collect();
    let mut told = BTreeSet::new();
    for item in new.objects.iter().filter(|item| !item.in_classic && !read.contains(&item.cluster_key())) {
        if item.kind == CSV_KIND || !told.insert(item.cluster_key()) {
            continue;
        }
        let words = if item.in_v1 {
            format!("OLM Classic and opm do not read it: it is not the first document of {}", item.file)
        } else {
            format!("it is not read: {} is in a folder of manifests/", item.file)
        };
        let place = new.object_location(item);
        if item.kind == CRD_KIND && owned.contains(&item.name) {
            let words = format!("{words}, and the CSV owns it");
            out.add_reason(
                AffectedOlms::Classic,
                Reason::refusal(ReasonKind::LostObject, item.kind_and_name(), words).with_location(place),
            );
        } else {
            out.add_reason(
                AffectedOlms::Classic,
                Reason::look_reason(ReasonKind::LostObject, item.kind_and_name(), words).with_location(place),
            );
        }
    }
}

pub(super) fn owned_crds(bundle: &StepBundle) -> BTreeSet<String> {
    let owned = bundle.csv_list(&["spec", "customresourcedefinitions", "owned"]).iter();
    owned.map(|crd| text_at(crd, &["name"]).into_owned()).collect()
}

/// Adds objects of the same kind and name.
fn check_duplicates(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let mut classic: BTreeMap<(&str, &str), Vec<&StepObject>> = BTreeMap::new();
    let mut v1: BTreeMap<(&str, &str), Vec<&StepObject>> = BTreeMap::new();
    for item in new.objects.iter().filter(|item| item.kind != CSV_KIND) {
        for (is_read, by_key) in [(item.in_classic, &mut classic), (item.in_v1, &mut v1)] {
            if is_read {
                by_key.entry(item.cluster_key()).or_default().push(item);
            }
        }
    }
    let files = |items: &[&StepObject]| {
        let files: BTreeSet<&str> = items.iter().map(|item| item.file.as_str()).collect();
        files.into_iter().collect::<Vec<_>>().join(" and ")
    };
    for items in classic.values().filter(|items| items.len() > 1) {
        let Some(last) = items.last() else { continue };
        let words = format!("it is in {}; OLM Classic writes both, and the last one stays", files(items));
        let reason = Reason::look_reason(ReasonKind::DuplicateObject, last.kind_and_name(), words);
        out.add_reason(AffectedOlms::Classic, reason.with_location(new.object_location(last)));
    }
    let (made_before, generated) = (generated_objects(old), generated_objects(new));
    for (key, items) in &v1 {
        let own = (key.0.to_owned(), key.1.to_owned());
        let is_generated = generated.contains(&own);
        let Some(last) = items.last().filter(|_| items.len() > 1 || is_generated) else { continue };
        let words = match items.as_slice() {
            [_] => format!("it is in {}, and OLM v1 makes one of that name from the CSV", files(items)),
            items => format!("it is twice in {}", files(items)),
        };
        // Helm patches an existing object, and fails to create a second one. boxcutter refuses
        // both.
        let had = made_before.contains(&own) || replaced_object(old, last).is_some_and(|before| before.in_v1);
        let is_there = had && last.kind != CRD_KIND;
        let kind = ReasonKind::DuplicateObject;
        let reason = if is_there {
            Reason::look_reason(kind, last.kind_and_name(), words)
        } else {
            Reason::refusal(kind, last.kind_and_name(), words)
        };
        out.add_reason(AffectedOlms::V1, reason.with_location(new.object_location(last)));
    }
}

/// Returns kind and name of objects that OLM v1 creates from a CSV and that `manifests/` may
/// also contain.
fn generated_objects(bundle: &StepBundle) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for list in ["permissions", "clusterPermissions"] {
        for permission in bundle.csv_list(&["spec", "install", "spec", list]) {
            let account = text_at(permission, &["serviceAccountName"]);
            if !account.is_empty() && account != "default" {
                all.insert(("ServiceAccount".to_owned(), account.into_owned()));
            }
        }
    }
    for webhook in bundle.csv_list(&["spec", "webhookdefinitions"]) {
        let deployment = text_at(webhook, &["deploymentName"]);
        all.insert(("Service".to_owned(), format!("{}-service", deployment.replace('.', "-"))));
    }
    all
}

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
