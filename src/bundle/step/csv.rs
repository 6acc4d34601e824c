//! Rules about the ClusterServiceVersion.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    contents::StepBundle,
    fields, leftover,
    objects::owned_crds,
    permissions,
    reason::{By, Judgement, Reason, ReasonKind},
    validity,
};
use crate::{
    bundle::{
        classic::InstallMode,
        read::{at, text, truth},
        suites::is_subdomain,
    },
    catalog::Node,
    version::Version,
};

const WEBHOOKS: &str = "spec.webhookdefinitions";
const MODES: &str = "spec.installModes";

/// Compares the CSVs of two bundles.
pub(super) fn compare(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    deployments(old, new, out);
    service_accounts(old, new, out);
    permissions(old, new, out);
    install_modes(old, new, out);
    kube_version(old, new, out);
    webhooks(new, out);
    api_services(new, out);
}

fn by_name(bundle: &StepBundle) -> BTreeMap<String, &Node<'static>> {
    let mut all = BTreeMap::new();
    for deployment in bundle.deployments() {
        all.entry(text(deployment, &["name"]).into_owned()).or_insert(deployment);
    }
    all
}

fn deployments(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let before = by_name(old);
    let mut known = BTreeSet::new();
    for deployment in new.deployments() {
        let name = text(deployment, &["name"]).into_owned();
        let object = format!("Deployment/{name}");
        let place = || new.place(&new.csv, deployment.span);
        if !known.insert(name.clone()) {
            let words = "the CSV has two deployments of this name";
            let reason = Reason::refusal(ReasonKind::DuplicateObject, object, words);
            out.add(By::Both, reason.place(place()));
            continue;
        }
        if !is_subdomain(&name) {
            let reason =
                Reason::refusal(ReasonKind::InvalidObject, &object, "its name is not a DNS subdomain");
            out.add(By::Both, reason.field("metadata.name").place(place()));
        }
        let Some(spec) = at(deployment, &["spec"]) else {
            let reason = Reason::refusal(ReasonKind::InvalidObject, object, "it does not have a spec");
            out.add(By::Both, reason.field("spec").place(place()));
            continue;
        };
        let faults = validity::deployment(spec);
        for fault in &faults {
            let reason = Reason::refusal(ReasonKind::InvalidObject, &object, &fault.words);
            out.add(By::Both, reason.field(&fault.field).place(place()));
        }
        let Some(own) = before.get(&name).and_then(|before| at(before, &["spec"])) else { continue };
        if let Some(change) = fields::selector(own, spec) {
            let reason = Reason::refusal(ReasonKind::ImmutableField, object, change.words);
            out.add(By::Both, reason.field(change.field).place(place()));
        } else if faults.is_empty() {
            for left in leftover::deployment(own, spec) {
                let reason = Reason::look(ReasonKind::LeftoverField, &object, left.words);
                out.add(By::V1, reason.field(left.field).place(place()));
            }
        }
    }
}

fn service_accounts(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let (before, after) = (by_name(old), by_name(new));
    let had: BTreeSet<String> = before.values().map(|one| permissions::account(one)).collect();
    let has: BTreeSet<String> = after.values().map(|one| permissions::account(one)).collect();
    let is_new = has.difference(&had).next();
    for (name, deployment) in &before {
        let account = permissions::account(deployment);
        let now = after.get(name).map(|deployment| permissions::account(deployment));
        let next = match &now {
            Some(now) if *now != account => Some(now),
            // The deployment was removed, and another account was added.
            None if !has.contains(&account) => is_new,
            _ => None,
        };
        let Some(next) = next else { continue };
        let words = match &now {
            Some(_) => format!("deployment {name} uses {next} instead"),
            None => format!("the operator uses {next} instead"),
        };
        let object = format!("ServiceAccount/{account}");
        let place = after.get(name).and_then(|deployment| new.place(&new.csv, deployment.span));
        out.add(By::Both, Reason::look(ReasonKind::ServiceAccountRenamed, object, words).place(place));
    }
}

fn permissions(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    for (field, example) in permissions::added(old, new) {
        let words = format!("permissions are added: {example}");
        let reason = Reason::look(ReasonKind::PermissionsAdded, new.csv_object(), words);
        let path: Vec<&str> = field.split('.').collect();
        out.add(By::V1, reason.field(field).place(new.csv_place(&path)));
    }
}

/// Returns the supported install modes.
fn modes(bundle: &StepBundle) -> BTreeSet<InstallMode> {
    let listed = bundle.list(&["spec", "installModes"]);
    let is_supported = |mode: &InstallMode| {
        listed.iter().any(|one| text(one, &["type"]) == mode.name() && truth(one, &["supported"]))
    };
    InstallMode::ALL.into_iter().filter(is_supported).collect()
}

fn install_modes(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let (had, has) = (modes(old), modes(new));
    let place = || new.csv_place(&["spec", "installModes"]);
    let gone: Vec<&str> = had.difference(&has).map(|mode| mode.name()).collect();
    let refusal =
        |kind, words: String| Reason::refusal(kind, new.csv_object(), words).field(MODES).place(place());
    if has.is_empty() {
        let words = "no install mode is supported".to_owned();
        out.add(By::Classic, refusal(ReasonKind::InstallModeRemoved, words));
    } else if !gone.is_empty() {
        let words = format!("install mode {} is no longer supported", gone.join(", "));
        let reason = Reason::look(ReasonKind::InstallModeRemoved, new.csv_object(), words);
        out.add(By::Classic, reason.field(MODES).place(place()));
    }
    if has.contains(&InstallMode::AllNamespaces) {
        return;
    }
    if had.contains(&InstallMode::AllNamespaces) {
        let words = "install mode AllNamespaces is no longer supported".to_owned();
        out.add(By::V1, refusal(ReasonKind::InstallModeRemoved, words));
    } else {
        let words = "install mode AllNamespaces is not supported".to_owned();
        out.add(By::V1, refusal(ReasonKind::InstallModeMissing, words));
    }
}

fn kube_version(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let path = ["spec", "minKubeVersion"];
    let (before, after) = (text(&old.csv.node, &path), text(&new.csv.node, &path));
    if after.is_empty() || before == after {
        return;
    }
    let parse = |text: &str| Version::parse_tolerant(text).ok();
    let is_raised = match (parse(&before), parse(&after)) {
        (Some(before), Some(after)) => before.cmp_precedence(&after).is_lt(),
        // A new minimum is higher than no minimum, and no cluster meets an unreadable one.
        _ => true,
    };
    if is_raised {
        let words = match before.as_ref() {
            "" => format!("minKubeVersion {after} is new"),
            before => format!("minKubeVersion rises from {before} to {after}"),
        };
        let reason = Reason::look(ReasonKind::KubeVersion, new.csv_object(), words);
        out.add(By::Classic, reason.field("spec.minKubeVersion").place(new.csv_place(&path)));
    }
}

fn webhooks(new: &StepBundle, out: &mut Judgement) {
    let deployments = by_name(new);
    let has_all_only = modes(new) == BTreeSet::from([InstallMode::AllNamespaces]);
    let owned = owned_crds(new);
    let mut known = BTreeSet::new();
    for webhook in new.list(&["spec", "webhookdefinitions"]) {
        let (kind, name) = (text(webhook, &["type"]), text(webhook, &["generateName"]));
        let place = || new.place(&new.csv, webhook.span);
        let add = |out: &mut Judgement, by, kind, words: String| {
            let reason = Reason::refusal(kind, new.csv_object(), words);
            out.add(by, reason.field(WEBHOOKS).place(place()));
        };
        let deployment = text(webhook, &["deploymentName"]);
        if !deployments.contains_key(deployment.as_ref()) {
            let words = format!("webhook {name} names deployment {deployment}, which is not in the CSV");
            add(out, By::Both, ReasonKind::WebhookDeploymentMissing, words);
        }
        if kind == "ConversionWebhook" {
            if !has_all_only {
                let words =
                    format!("webhook {name} converts, and AllNamespaces is not the only install mode");
                add(out, By::Both, ReasonKind::ConversionInstallModes, words);
            }
            for crd in crate::bundle::read::texts(webhook, &["conversionCRDs"]) {
                if !owned.contains(crd.as_ref()) {
                    let reason = format!("webhook {name} converts {crd}, which the CSV does not own");
                    out.add_not_checked(By::Classic, reason);
                }
            }
        }
        if !known.insert((kind.into_owned(), name.clone().into_owned())) {
            out.add_not_checked(By::Classic, format!("two webhooks have the name {name}"));
        }
        if !is_subdomain(name.trim_end_matches('-')) {
            out.add_not_checked(By::Classic, format!("{name} is not a valid name of a webhook"));
        }
    }
    for verdict in &new.classic_verdicts {
        let (kind, field) = match verdict.validator {
            "webhook-rules" => (ReasonKind::WebhookRules, WEBHOOKS),
            _ => (ReasonKind::InvalidObject, MODES),
        };
        let reason = Reason::refusal(kind, new.csv_object(), &verdict.message);
        out.add(By::Classic, reason.field(field));
    }
    for verdict in &new.v1_verdicts {
        let kind = match verdict.validator {
            "webhook-rules" => ReasonKind::WebhookRules,
            "webhook-name"
            | "webhook-unique"
            | "conversion-crd-owned"
            | "conversion-crd-unique"
            | "conversion-preserve" => ReasonKind::InvalidWebhook,
            "package-name" => ReasonKind::InvalidBundle,
            // Reported above, or with the object.
            _ => continue,
        };
        let reason = Reason::refusal(kind, new.csv_object(), &verdict.message);
        out.add(By::V1, reason.field(if kind == ReasonKind::InvalidBundle { "" } else { WEBHOOKS }));
    }
}

fn api_services(new: &StepBundle, out: &mut Judgement) {
    let path = ["spec", "apiservicedefinitions", "owned"];
    let services = new.list(&path);
    if services.is_empty() {
        return;
    }
    let words = "OLM v1 does not install API services";
    let reason = Reason::refusal(ReasonKind::UnsupportedApiService, new.csv_object(), words);
    out.add(By::V1, reason.field("spec.apiservicedefinitions").place(new.csv_place(&path)));
    let deployments = by_name(new);
    for service in services {
        let deployment = text(service, &["deploymentName"]);
        if !deployments.contains_key(deployment.as_ref()) {
            let name = text(service, &["name"]);
            let words = format!("API service {name} names deployment {deployment}, which is not in the CSV");
            let kind = ReasonKind::ApiServiceDeploymentMissing;
            let reason = Reason::refusal(kind, new.csv_object(), words);
            out.add(By::Classic, reason.field("spec.apiservicedefinitions").place(new.csv_place(&path)));
        }
    }
}
