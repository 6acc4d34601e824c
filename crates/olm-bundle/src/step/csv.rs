//! Rules about the ClusterServiceVersion.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    contents::StepBundle,
    leftovers::deployment_leftovers,
    objects::{self, owned_crds},
    reason::{AffectedOlms, Judgement, Reason, ReasonKind},
};
use crate::{
    classic::InstallMode,
    field_access::{is_true_at, items_at, node_at, text_at, texts_at},
    suites::is_subdomain,
};
use olm_catalog::Node;
use olm_version::Version;

const WEBHOOKS: &str = "spec.webhookdefinitions";
const MODES: &str = "spec.installModes";

/// Compares the CSVs of two bundles.
pub(super) fn compare_csvs(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    compare_deployments(old, new, out);
    compare_service_accounts(old, new, out);
    compare_permissions(old, new, out);
    compare_install_modes(old, new, out);
    compare_kube_versions(old, new, out);
    check_webhooks(new, out);
    check_api_services(new, out);
}

fn deployments_by_name(bundle: &StepBundle) -> BTreeMap<String, &Node<'static>> {
    let mut all = BTreeMap::new();
    for deployment in bundle.deployments() {
        all.entry(text_at(deployment, &["name"]).into_owned()).or_insert(deployment);
    }
    all
}

fn compare_deployments(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let before = deployments_by_name(old);
    let mut known = BTreeSet::new();
    for deployment in new.deployments() {
        let name = text_at(deployment, &["name"]).into_owned();
        let object = format!("Deployment/{name}");
        let place = || new.location_in(&new.csv, deployment.span);
        if !known.insert(name.clone()) {
            let words = "the CSV has two deployments of this name";
            let reason = Reason::refusal(ReasonKind::DuplicateObject, object, words);
            out.add_reason(AffectedOlms::Both, reason.with_location(place()));
            continue;
        }
        if !is_subdomain(&name) {
            let reason =
                Reason::refusal(ReasonKind::InvalidObject, &object, "its name is not a DNS subdomain");
            out.add_reason(AffectedOlms::Both, reason.with_field("metadata.name").with_location(place()));
        }
        let Some(spec) = node_at(deployment, &["spec"]) else {
            let reason = Reason::refusal(ReasonKind::InvalidObject, object, "it does not have a spec");
            out.add_reason(AffectedOlms::Both, reason.with_field("spec").with_location(place()));
            continue;
        };
        let faults = super::deployment_faults(spec);
        for fault in &faults {
            let reason = Reason::refusal(ReasonKind::InvalidObject, &object, &fault.message);
            out.add_reason(AffectedOlms::Both, reason.with_field(&fault.field).with_location(place()));
        }
        let Some(own) = before.get(&name).and_then(|before| node_at(before, &["spec"])) else { continue };
        if let Some(change) = objects::selector_change(own, spec) {
            let reason = Reason::refusal(ReasonKind::ImmutableField, object, change.message);
            out.add_reason(AffectedOlms::Both, reason.with_field(change.field).with_location(place()));
        } else if faults.is_empty() {
            for left in deployment_leftovers(own, spec) {
                let reason = Reason::look_reason(ReasonKind::LeftoverField, &object, left.message);
                out.add_reason(AffectedOlms::V1, reason.with_field(left.field).with_location(place()));
            }
        }
    }
}

fn compare_service_accounts(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let (before, after) = (deployments_by_name(old), deployments_by_name(new));
    let had: BTreeSet<String> = before.values().map(|one| service_account(one)).collect();
    let has: BTreeSet<String> = after.values().map(|one| service_account(one)).collect();
    let is_new = has.difference(&had).next();
    for (name, deployment) in &before {
        let account = service_account(deployment);
        let now = after.get(name).map(|deployment| service_account(deployment));
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
        let place = after.get(name).and_then(|deployment| new.location_in(&new.csv, deployment.span));
        out.add_reason(
            AffectedOlms::Both,
            Reason::look_reason(ReasonKind::ServiceAccountRenamed, object, words).with_location(place),
        );
    }
}

fn compare_permissions(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    for (field, example) in added_permissions(old, new) {
        let words = format!("permissions are added: {example}");
        let reason = Reason::look_reason(ReasonKind::PermissionsAdded, new.csv_object(), words);
        let path: Vec<&str> = field.split('.').collect();
        out.add_reason(AffectedOlms::V1, reason.with_field(field).with_location(new.csv_location(&path)));
    }
}

/// Returns the supported install modes.
fn supported_modes(bundle: &StepBundle) -> BTreeSet<InstallMode> {
    let listed = bundle.csv_list(&["spec", "installModes"]);
    let is_supported = |mode: &InstallMode| {
        listed.iter().any(|one| text_at(one, &["type"]) == mode.name() && is_true_at(one, &["supported"]))
    };
    InstallMode::ALL.into_iter().filter(is_supported).collect()
}

fn compare_install_modes(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let (had, has) = (supported_modes(old), supported_modes(new));
    let place = || new.csv_location(&["spec", "installModes"]);
    let gone: Vec<&str> = had.difference(&has).map(|mode| mode.name()).collect();
    let refusal = |kind, words: String| {
        Reason::refusal(kind, new.csv_object(), words).with_field(MODES).with_location(place())
    };
    if has.is_empty() {
        let words = "no install mode is supported".to_owned();
        out.add_reason(AffectedOlms::Classic, refusal(ReasonKind::InstallModeRemoved, words));
    } else if !gone.is_empty() {
        let words = format!("install mode {} is no longer supported", gone.join(", "));
        let reason = Reason::look_reason(ReasonKind::InstallModeRemoved, new.csv_object(), words);
        out.add_reason(AffectedOlms::Classic, reason.with_field(MODES).with_location(place()));
    }
    if has.contains(&InstallMode::AllNamespaces) {
        return;
    }
    if had.contains(&InstallMode::AllNamespaces) {
        let words = "install mode AllNamespaces is no longer supported".to_owned();
        out.add_reason(AffectedOlms::V1, refusal(ReasonKind::InstallModeRemoved, words));
    } else {
        let words = "install mode AllNamespaces is not supported".to_owned();
        out.add_reason(AffectedOlms::V1, refusal(ReasonKind::InstallModeMissing, words));
    }
}

fn compare_kube_versions(old: &StepBundle, new: &StepBundle, out: &mut Judgement) {
    let path = ["spec", "minKubeVersion"];
    let (before, after) = (text_at(&old.csv.node, &path), text_at(&new.csv.node, &path));
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
        let reason = Reason::look_reason(ReasonKind::KubeVersion, new.csv_object(), words);
        out.add_reason(
            AffectedOlms::Classic,
            reason.with_field("spec.minKubeVersion").with_location(new.csv_location(&path)),
        );
    }
}

fn check_webhooks(new: &StepBundle, out: &mut Judgement) {
    let deployments = deployments_by_name(new);
    let has_all_only = supported_modes(new) == BTreeSet::from([InstallMode::AllNamespaces]);
    let owned = owned_crds(new);
    let mut known = BTreeSet::new();
    for webhook in new.csv_list(&["spec", "webhookdefinitions"]) {
        let (kind, name) = (text_at(webhook, &["type"]), text_at(webhook, &["generateName"]));
        let place = || new.location_in(&new.csv, webhook.span);
        let add = |out: &mut Judgement, by, kind, words: String| {
            let reason = Reason::refusal(kind, new.csv_object(), words);
            out.add_reason(by, reason.with_field(WEBHOOKS).with_location(place()));
        };
        let deployment = text_at(webhook, &["deploymentName"]);
        if !deployments.contains_key(deployment.as_ref()) {
            let words = format!("webhook {name} names deployment {deployment}, which is not in the CSV");
            add(out, AffectedOlms::Both, ReasonKind::WebhookDeploymentMissing, words);
        }
        if kind == "ConversionWebhook" {
            if !has_all_only {
                let words =
                    format!("webhook {name} converts, and AllNamespaces is not the only install mode");
                add(out, AffectedOlms::Both, ReasonKind::ConversionInstallModes, words);
            }
            for crd in crate::field_access::texts_at(webhook, &["conversionCRDs"]) {
                if !owned.contains(crd.as_ref()) {
                    let reason = format!("webhook {name} converts {crd}, which the CSV does not own");
                    out.add_not_checked(AffectedOlms::Classic, reason);
                }
            }
        }
        if !known.insert((kind.into_owned(), name.clone().into_owned())) {
            out.add_not_checked(AffectedOlms::Classic, format!("two webhooks have the name {name}"));
        }
        if !is_subdomain(name.trim_end_matches('-')) {
            out.add_not_checked(AffectedOlms::Classic, format!("{name} is not a valid name of a webhook"));
        }
    }
    for verdict in &new.classic_verdicts {
        let (kind, field) = match verdict.validator {
            "webhook-rules" => (ReasonKind::WebhookRules, WEBHOOKS),
            _ => (ReasonKind::InvalidObject, MODES),
        };
        let reason = Reason::refusal(kind, new.csv_object(), &verdict.message);
        out.add_reason(AffectedOlms::Classic, reason.with_field(field));
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
        out.add_reason(
            AffectedOlms::V1,
            reason.with_field(if kind == ReasonKind::InvalidBundle { "" } else { WEBHOOKS }),
        );
    }
}

fn check_api_services(new: &StepBundle, out: &mut Judgement) {
    let path = ["spec", "apiservicedefinitions", "owned"];
    let services = new.csv_list(&path);
    if services.is_empty() {
        return;
    }
    let words = "OLM v1 does not install API services";
    let reason = Reason::refusal(ReasonKind::UnsupportedApiService, new.csv_object(), words);
    out.add_reason(
        AffectedOlms::V1,
        reason.with_field("spec.apiservicedefinitions").with_location(new.csv_location(&path)),
    );
    let deployments = deployments_by_name(new);
    for service in services {
        let deployment = text_at(service, &["deploymentName"]);
        if !deployments.contains_key(deployment.as_ref()) {
            let name = text_at(service, &["name"]);
            let words = format!("API service {name} names deployment {deployment}, which is not in the CSV");
            let kind = ReasonKind::ApiServiceDeploymentMissing;
            let reason = Reason::refusal(kind, new.csv_object(), words);
            out.add_reason(
                AffectedOlms::Classic,
                reason.with_field("spec.apiservicedefinitions").with_location(new.csv_location(&path)),
            );
        }
    }
}

/// Lists of permissions in a CSV.
const LISTS: [(&str, &str); 2] = [
    ("clusterPermissions", "spec.install.spec.clusterPermissions"),
    ("permissions", "spec.install.spec.permissions"),
];

/// Rule of a role, with empty lists for missing fields.
struct Rule<'n> {
    verbs: Vec<Cow<'n, str>>,
    groups: Vec<Cow<'n, str>>,
    resources: Vec<Cow<'n, str>>,
    names: Vec<Cow<'n, str>>,
    urls: Vec<Cow<'n, str>>,
}

/// Returns the fields in which the new CSV grants more than the old one, each with an example.
///
/// OLM v1 installs for all namespaces, so both lists apply to the whole cluster.
fn added_permissions(old: &StepBundle, new: &StepBundle) -> Vec<(&'static str, String)> {
    let had: Vec<Rule<'_>> = LISTS.iter().flat_map(|(list, _)| permission_rules(old, list)).collect();
    let first =
        |list| permission_rules(new, list).iter().find_map(|rule| first_missing_permission(rule, &had));
    LISTS.iter().filter_map(|(list, field)| Some((*field, first(list)?))).collect()
}

fn permission_rules<'b>(bundle: &'b StepBundle, list: &str) -> Vec<Rule<'b>> {
    let permissions = bundle.csv_list(&["spec", "install", "spec", list]).iter();
    permissions.flat_map(|permission| items_at(permission, &["rules"])).map(parse_rule).collect()
}

fn parse_rule<'n>(node: &'n Node<'static>) -> Rule<'n> {
    let list = |key: &'static str| texts_at(node, &[key]).collect();
    Rule {
        verbs: list("verbs"),
        groups: list("apiGroups"),
        resources: list("resources"),
        names: list("resourceNames"),
        urls: list("nonResourceURLs"),
    }
}

fn list_matches(list: &[Cow<'_, str>], wanted: &str) -> bool {
    list.iter().any(|one| one == "*" || one == wanted)
}

/// Returns true if a list of resources contains one. `*/exec` matches this subresource of every
/// resource.
fn has_resource(list: &[Cow<'_, str>], wanted: &str) -> bool {
    let below = wanted.split_once('/').map(|(_, below)| format!("*/{below}"));
    list_matches(list, wanted) || below.is_some_and(|below| list.iter().any(|one| *one == below))
}

/// Returns true if a list of URLs contains one. `/metrics*` matches every URL with that prefix.
fn has_url(list: &[Cow<'_, str>], wanted: &str) -> bool {
    let begins = |one: &Cow<'_, str>| one.strip_suffix('*').is_some_and(|start| wanted.starts_with(start));
    list.iter().any(|one| one == wanted || begins(one))
}

/// Returns a permission of a rule that no old rule grants.
fn first_missing_permission(rule: &Rule<'_>, had: &[Rule<'_>]) -> Option<String> {
    for verb in &rule.verbs {
        for url in &rule.urls {
            if !had.iter().any(|old| list_matches(&old.verbs, verb) && has_url(&old.urls, url)) {
                return Some(format!("{verb} {url}"));
            }
        }
        for group in &rule.groups {
            for resource in &rule.resources {
                let gives = |old: &Rule<'_>, name: Option<&Cow<'_, str>>| {
                    let is_named = name.is_some_and(|name| old.names.contains(name));
                    list_matches(&old.verbs, verb)
                        && list_matches(&old.groups, group)
                        && has_resource(&old.resources, resource)
                        && (old.names.is_empty() || is_named)
                };
                let is_given = match rule.names.as_slice() {
                    [] => had.iter().any(|old| gives(old, None)),
                    names => names.iter().all(|name| had.iter().any(|old| gives(old, Some(name)))),
                };
                if !is_given {
                    let group = if group.is_empty() { String::new() } else { format!(" of {group}") };
                    return Some(format!("{verb} {resource}{group}"));
                }
            }
        }
    }
    None
}

/// Returns the service account of a deployment in a CSV.
pub(super) fn service_account(deployment: &Node<'_>) -> String {
    let of = |key| text_at(deployment, &["spec", "template", "spec", key]).into_owned();
    [of("serviceAccountName"), of("serviceAccount")]
        .into_iter()
        .find(|name| !name.is_empty())
        .unwrap_or_else(|| "default".to_owned())
}
