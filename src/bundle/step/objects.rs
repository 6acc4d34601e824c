//! Rules for the objects of `manifests/`, compared in pairs.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    apis::{self, Service},
    contents::{Item, StepBundle},
    fields, leftover,
    reason::{By, Judgement, Reason, ReasonKind},
    validity,
};
use crate::bundle::{
    read::text,
    registry::{CRD_KIND, CSV_KIND, OTHER_KINDS},
};

/// Kind that OLM v1 installs and OLM Classic does not.
const ONLY_V1: &str = "PodMonitor";

/// Compares the objects of two bundles.
pub(super) fn compare(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    for item in new.objects.iter().filter(|item| item.kind != CSV_KIND) {
        let is_installed = kinds(new, item, out);
        if is_installed && item.kind != CRD_KIND {
            object(old, new, item, out);
        }
    }
    lost(new, out);
    duplicates(old, new, out);
}

/// Returns the OLMs that read an object.
fn readers(item: &Item) -> Option<By> {
    match (item.in_classic, item.in_v1) {
        (true, true) => Some(By::Both),
        (true, false) => Some(By::Classic),
        (false, true) => Some(By::V1),
        (false, false) => None,
    }
}

/// Checks kind and name of a new object. Returns true if the rest of it can be compared.
fn kinds(new: &StepBundle, item: &Item, out: &mut Judgement) -> bool {
    let Some(by) = readers(item) else { return false };
    let object = item.object();
    let unsupported = |reader: &str| {
        let words = format!("{reader} does not install a {} from a bundle", item.kind);
        let reason = Reason::refusal(ReasonKind::UnsupportedObject, &object, words);
        reason.field("kind").place(new.place_of(item))
    };
    if item.kind != CRD_KIND && !OTHER_KINDS.contains(&item.kind.as_str()) {
        out.add(by, unsupported("OLM"));
        return false;
    }
    if item.kind == ONLY_V1 && by != By::V1 {
        out.add(By::Classic, unsupported("OLM Classic"));
    }
    if item.name.is_empty() {
        out.add_not_checked(by, format!("{} in {} does not have a name", item.kind, item.file));
        return false;
    }
    true
}

/// Checks a new object, and its changes from the old object of the same name.
fn object(old: &StepBundle, new: &StepBundle, item: &Item, out: &mut Judgement) {
    let Some(by) = readers(item) else { return };
    let before = partner(old, item);
    // OLM Classic does not install this kind, so other reasons apply only to OLM v1.
    let by = if item.kind == ONLY_V1 { By::V1 } else { by };
    if !has_api(old, new, item, by, out) {
        return;
    }
    let place = new.place_of(item);
    let faults = validity::faults(&item.kind, &item.node);
    for fault in &faults {
        let reason = Reason::refusal(ReasonKind::InvalidObject, item.object(), &fault.words);
        out.add(by, reason.field(&fault.field).place(place.clone()));
    }
    let Some(before) = before.filter(|_| faults.is_empty()) else { return };
    // If an OLM did not read the object before, the object is new to it.
    let Some(by) = readers(before).and_then(|had| by.and(had)) else { return };
    let changed = fields::changed(&item.kind, &before.node, &item.node);
    for change in &changed {
        let reason = Reason::refusal(ReasonKind::ImmutableField, item.object(), &change.words);
        out.add(by, reason.field(change.field).place(place.clone()));
    }
    if changed.is_empty() && by != By::Classic {
        for left in leftover::of_object(&item.kind, &before.node, &item.node) {
            let reason = Reason::look(ReasonKind::LeftoverField, item.object(), left.words);
            out.add(By::V1, reason.field(left.field).place(place.clone()));
        }
    }
}

/// Returns the object of the old bundle that a new one replaces.
fn partner<'b>(old: &'b StepBundle, item: &Item) -> Option<&'b Item> {
    old.objects.iter().find(|before| before.key() == item.key())
}

/// Checks the API of a new object. Returns true if the rest of it can be compared.
fn has_api(old: &StepBundle, new: &StepBundle, item: &Item, by: By, out: &mut Judgement) -> bool {
    let (object, api) = (item.object(), &item.api_version);
    let place = || new.place_of(item);
    match apis::service(&item.kind, api) {
        Service::Served => {}
        Service::Removed => {
            let words = format!("Kubernetes does not serve {api} any more");
            let reason = Reason::refusal(ReasonKind::RemovedApi, object, words);
            out.add(by, reason.field("apiVersion").place(place()));
            return false;
        }
        Service::Optional => {
            let had = |before: &Item| before.kind == item.kind && before.api_version == *api;
            if !old.objects.iter().any(had) {
                let words = format!("it needs {api}, which not every cluster has");
                let reason = Reason::look(ReasonKind::NeedsApi, object, words);
                out.add(by, reason.field("apiVersion").place(place()));
            }
        }
        Service::Unknown => {
            out.add_not_checked(by, format!("no rule for {} {} of {api}", item.kind, item.name));
            return false;
        }
    }
    true
}

/// Adds the objects that OLM Classic does not read. It reads the first document of each file.
fn lost(new: &StepBundle, out: &mut Judgement) {
    let owned: BTreeSet<String> = owned_crds(new);
    let read: BTreeSet<(&str, &str)> =
        new.objects.iter().filter(|item| item.in_classic).map(Item::key).collect();
    let mut told = BTreeSet::new();
    for item in new.objects.iter().filter(|item| !item.in_classic && !read.contains(&item.key())) {
        if item.kind == CSV_KIND || !told.insert(item.key()) {
            continue;
        }
        let words = if item.in_v1 {
            format!("OLM Classic and opm do not read it: it is not the first document of {}", item.file)
        } else {
            format!("it is not read: {} is in a folder of manifests/", item.file)
        };
        let place = new.place_of(item);
        if item.kind == CRD_KIND && owned.contains(&item.name) {
            let words = format!("{words}, and the CSV owns it");
            out.add(By::Classic, Reason::refusal(ReasonKind::LostObject, item.object(), words).place(place));
        } else {
            out.add(By::Classic, Reason::look(ReasonKind::LostObject, item.object(), words).place(place));
        }
    }
}

pub(super) fn owned_crds(bundle: &StepBundle) -> BTreeSet<String> {
    let owned = bundle.list(&["spec", "customresourcedefinitions", "owned"]).iter();
    owned.map(|crd| text(crd, &["name"]).into_owned()).collect()
}

/// Adds objects of the same kind and name.
fn duplicates(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let mut classic: BTreeMap<(&str, &str), Vec<&Item>> = BTreeMap::new();
    let mut v1: BTreeMap<(&str, &str), Vec<&Item>> = BTreeMap::new();
    for item in new.objects.iter().filter(|item| item.kind != CSV_KIND) {
        for (is_read, by_key) in [(item.in_classic, &mut classic), (item.in_v1, &mut v1)] {
            if is_read {
                by_key.entry(item.key()).or_default().push(item);
            }
        }
    }
    let files = |items: &[&Item]| {
        let files: BTreeSet<&str> = items.iter().map(|item| item.file.as_str()).collect();
        files.into_iter().collect::<Vec<_>>().join(" and ")
    };
    for items in classic.values().filter(|items| items.len() > 1) {
        let Some(last) = items.last() else { continue };
        let words = format!("it is in {}; OLM Classic writes both, and the last one stays", files(items));
        let reason = Reason::look(ReasonKind::DuplicateObject, last.object(), words);
        out.add(By::Classic, reason.place(new.place_of(last)));
    }
    let (made_before, generated) = (generated(old), generated(new));
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
        let had = made_before.contains(&own) || partner(old, last).is_some_and(|before| before.in_v1);
        let is_there = had && last.kind != CRD_KIND;
        let kind = ReasonKind::DuplicateObject;
        let reason = if is_there {
            Reason::look(kind, last.object(), words)
        } else {
            Reason::refusal(kind, last.object(), words)
        };
        out.add(By::V1, reason.place(new.place_of(last)));
    }
}

/// Returns kind and name of objects that OLM v1 creates from a CSV and that `manifests/` may
/// also contain.
fn generated(bundle: &StepBundle) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for list in ["permissions", "clusterPermissions"] {
        for permission in bundle.list(&["spec", "install", "spec", list]) {
            let account = text(permission, &["serviceAccountName"]);
            if !account.is_empty() && account != "default" {
                all.insert(("ServiceAccount".to_owned(), account.into_owned()));
            }
        }
    }
    for webhook in bundle.list(&["spec", "webhookdefinitions"]) {
        let deployment = text(webhook, &["deploymentName"]);
        all.insert(("Service".to_owned(), format!("{}-service", deployment.replace('.', "-"))));
    }
    all
}
