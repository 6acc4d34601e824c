//! Rules about objects that OLM Classic creates for an operator: webhooks, CRD conversions and
//! API services. If Classic refuses one, the installation fails or waits forever.
//!
//! Source: operator-lifecycle-manager, `pkg/controller/install` (`webhook.go`, `certresources.go`),
//! `pkg/controller/operators/olm`. Classic's own verdicts are in [`olm_bundle::classic`].

use std::collections::{BTreeMap, HashMap, HashSet};

use super::BundleSubject;
use crate::{
    Finding, Rule, Severity,
    findings::Findings,
    format::{format_list, format_name},
    rules,
};
use olm_bundle::{
    classic::{self, InstallMode},
    field_access::{integer_at, is_true_at, items_at, node_at, text_at, texts_at},
    registry::{Csv, Object},
    suites::Cause,
};
use olm_catalog::{Node, Value};

const CONVERSION: &str = "ConversionWebhook";
/// Webhook types that the schema of a `ClusterServiceVersion` allows.
const TYPES: [&str; 3] = ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", CONVERSION];

fn webhooks<'n>(csv: Csv<'n, '_>) -> &'n [Node<'n>] {
    items_at(csv.node(), &["spec", "webhookdefinitions"])
}

/// Formats a webhook as `webhook a.example.com` or `a webhook without a name`.
fn describe_webhook(webhook: &Node<'_>) -> String {
    crate::format::format_with_kind("webhook", &text_at(webhook, &["generateName"]))
}

fn deployment_names(csv: Csv<'_, '_>) -> HashSet<String> {
    let listed = items_at(csv.node(), &["spec", "install", "spec", "deployments"]);
    listed.iter().map(|deployment| text_at(deployment, &["name"]).into_owned()).collect()
}

/// Returns the fault of a `deploymentName`; `None` if the deployment exists.
fn deployment_fault(of: &Node<'_>, deployments: &HashSet<String>) -> Option<String> {
    let name = text_at(of, &["deploymentName"]);
    if name.is_empty() {
        return Some("has no deploymentName".to_owned());
    }
    let is_there = deployments.contains(name.as_ref());
    (!is_there).then(|| format!("names deployment {name}, which is not in the ClusterServiceVersion"))
}

/// Returns the value of a field, or the whole node if the field is missing.
fn field_or_node<'n>(node: &'n Node<'n>, key: &str) -> &'n Node<'n> {
    node.get(key).unwrap_or(node)
}

pub(crate) fn definitions(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let deployments = deployment_names(csv);
    let mut names: HashMap<String, &Node<'_>> = HashMap::new();
    for webhook in webhooks(csv) {
        let report = |message: String, at: &Node<'_>| {
            let finding =
                Finding::new(&rules::WEBHOOK_DEFINITION, format!("{} {message}", describe_webhook(webhook)));
            finding.at_location(s.location_in_object(csv.object, at.span))
        };
        let kind = text_at(webhook, &["type"]);
        if !TYPES.contains(&kind.as_ref()) {
            let fault = match kind.as_ref() {
                "" => "has no type".to_owned(),
                kind => format!("is of the type {kind}, which does not exist"),
            };
            let help = format!("write one of {}", TYPES.join(", "));
            found.push(report(fault, field_or_node(webhook, "type")).with_help(help));
        }
        if let Some(fault) = deployment_fault(webhook, &deployments) {
            found.push(report(fault, field_or_node(webhook, "deploymentName")));
        }
        let name = text_at(webhook, &["generateName"]).into_owned();
        let place = field_or_node(webhook, "generateName");
        if let Some(first) = names.get(&name) {
            let finding = report("has the name of another".to_owned(), place);
            found.push(finding.with_related_location(
                "the first of this name",
                s.location_in_object(csv.object, first.span),
            ));
        } else {
            names.insert(name, place);
        }
    }
}

pub(crate) fn conversions(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let conversions: Vec<&Node<'_>> =
        webhooks(csv).iter().filter(|webhook| text_at(webhook, &["type"]) == CONVERSION).collect();
    let new = |message: String, at: &Node<'_>| {
        Finding::new(&rules::CONVERSION_WEBHOOK, message)
            .at_location(s.location_in_object(csv.object, at.span))
    };
    let modes = classic::install_modes(csv).unwrap_or_default();
    let others: Vec<&str> =
        modes.iter().filter(|mode| **mode != InstallMode::AllNamespaces).map(|mode| mode.name()).collect();
    if let Some(first) = conversions.first()
        && !others.is_empty()
    {
        let message = format!(
            "{} converts for all namespaces, but the bundle supports {}",
            describe_webhook(first),
            format_list(others)
        );
        // The suite csv reports it with the same cause.
        found.push(new(message, first).with_cause(Cause::ConversionInstallModes));
    }
    let owned: HashSet<_> = items_at(csv.node(), &["spec", "customresourcedefinitions", "owned"])
        .iter()
        .map(|crd| text_at(crd, &["name"]))
        .collect();
    let keeping: HashSet<&str> =
        s.crds().filter(|crd| preserves_unknown_fields(&crd.document.node)).map(Object::name).collect();
    let mut uses: BTreeMap<String, Vec<&Node<'_>>> = BTreeMap::new();
    for webhook in conversions {
        let named = items_at(webhook, &["conversionCRDs"]);
        let mut seen = HashSet::new();
        if named.is_empty() {
            found.push(new(format!("{} names no CRDs to convert", describe_webhook(webhook)), webhook));
        }
        for (node, crd) in named.iter().zip(texts_at(webhook, &["conversionCRDs"])) {
            let fault = if !owned.contains(&crd) {
                Some("which the ClusterServiceVersion does not own")
            } else if keeping.contains(crd.as_ref()) {
                Some("whose preserveUnknownFields is not false")
            } else {
                None
            };
            if let Some(fault) = fault {
                found.push(new(
                    format!("{} converts {}, {fault}", describe_webhook(webhook), format_name("CRD", &crd)),
                    node,
                ));
            }
            // A webhook that names the CRD twice still counts once.
            if seen.insert(crd.clone()) {
                uses.entry(crd.into_owned()).or_default().push(node);
            }
        }
    }
    for crd in s.crds().filter(|crd| !uses.contains_key(crd.name()) && owned.contains(crd.name())) {
        found.extend(conversion_without_service(s, crd));
    }
    for (crd, places) in uses {
        if let [first, again, ..] = places.as_slice() {
            let message =
                format!("{} conversion webhooks are for {}", places.len(), format_name("CRD", &crd));
            found.push(
                new(message, again)
                    .with_related_location("the first", s.location_in_object(csv.object, first.span)),
            );
        }
    }
}

/// Returns the finding about a CRD that names a conversion service without a webhook of the CSV.
/// OLM creates the services of webhooks, so this service does not exist. A CRD with one version
/// does not convert.
fn conversion_without_service(s: &BundleSubject<'_>, crd: &Object<'_>) -> Option<Finding> {
    let node = &crd.document.node;
    let conversion = node_at(node, &["spec", "conversion"])?;
    let is_by_service = text_at(conversion, &["strategy"]) == "Webhook"
        && (node_at(conversion, &["webhook", "clientConfig", "service"]).is_some()
            || node_at(conversion, &["webhookClientConfig", "service"]).is_some());
    if !is_by_service || items_at(node, &["spec", "versions"]).len() < 2 {
        return None;
    }
    let message = format!(
        "CRD {} asks for a conversion webhook that no ConversionWebhook of the ClusterServiceVersion installs: requests for its \
         other versions fail",
        crd.name()
    );
    let help = "add a ConversionWebhook for it, or remove spec.conversion";
    Some(
        Finding::new(&rules::CONVERSION_WEBHOOK, message)
            .at_location(s.location_in_object(crd, conversion.span))
            .with_help(help),
    )
}

/// Returns true if a CRD keeps fields that its schema does not name. This is the default in
/// `v1beta1`.
fn preserves_unknown_fields(crd: &Node<'_>) -> bool {
    let is_old = text_at(crd, &["apiVersion"]).ends_with("/v1beta1");
    let is_said = node_at(crd, &["spec", "preserveUnknownFields"])
        .is_some_and(|keeps| matches!(keeps.value, Value::Bool(_)));
    is_true_at(crd, &["spec", "preserveUnknownFields"]) || is_old && !is_said
}

/// API group of the configurations of webhooks.
const CONFIGURATION_GROUP: &str = "admissionregistration.k8s.io";
/// Resources with the configurations of webhooks.
const CONFIGURATIONS: [&str; 2] = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];

/// Reports webhooks for the configurations of webhooks by the names of resources. OLM Classic
/// compares the names of kinds, so it accepts them.
pub(crate) fn calls_for_configurations(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    // OLM Classic gives one verdict for a webhook.
    let refused: Vec<_> =
        classic::check_csv(csv).into_iter().filter_map(|verdict| verdict.location).collect();
    for webhook in webhooks(csv) {
        if text_at(webhook, &["type"]) == CONVERSION || refused.contains(&csv.object.location(webhook.span)) {
            continue;
        }
        let named = items_at(webhook, &["rules"])
            .iter()
            .filter(|rule| texts_at(rule, &["apiGroups"]).any(|group| group == CONFIGURATION_GROUP))
            .flat_map(|rule| items_at(rule, &["resources"]))
            .find(|resource| {
                let name = resource.as_str().unwrap_or_default().to_lowercase();
                CONFIGURATIONS
                    .iter()
                    .any(|plural| *plural == name || plural.strip_suffix('s') == Some(name.as_str()))
            });
        let Some(resource) = named else { continue };
        let message = format!(
            "{} has a rule for {}: OLM v1 refuses the bundle, and Kubernetes never calls a webhook for them",
            describe_webhook(webhook),
            resource.as_str().unwrap_or_default(),
        );
        found.push(
            Finding::new(&rules::WEBHOOK_CONFIGURATIONS, message)
                .at_location(s.location_in_object(csv.object, resource.span)),
        );
    }
}

/// Highest number of a port.
const MAX_PORT: i64 = 65535;

/// Returns the finding about the `containerPort` of an API service.
fn container_port_fault(service: &Node<'_>, name: &str) -> Option<Finding> {
    let port = integer_at(service, &["containerPort"])?;
    if port > MAX_PORT {
        let message = format!("{name} has the containerPort {port}, but the highest port is {MAX_PORT}");
        return Some(Finding::new(&rules::API_SERVICE, message));
    }
    (port < 0).then(|| {
        let message = format!("{name} has the containerPort {port}: OLM Classic uses port 443 instead");
        let mut finding = Finding::new(&rules::API_SERVICE, message);
        finding.severity = Severity::Warning;
        finding
    })
}

pub(crate) fn api_services(s: &BundleSubject<'_>, found: &mut Findings) {
    const RULE: &Rule = &rules::API_SERVICE;
    let Some(csv) = s.csv() else { return };
    let deployments = deployment_names(csv);
    let mut served: HashMap<String, &Node<'_>> = HashMap::new();
    for service in items_at(csv.node(), &["spec", "apiservicedefinitions", "owned"]) {
        let field = |key| text_at(service, &[key]).into_owned();
        let name = format!("API service {}.{}", field("version"), field("group"));
        let missing: Vec<&str> =
            ["group", "version", "kind", "name"].into_iter().filter(|key| field(key).is_empty()).collect();
        if !missing.is_empty() {
            let called = format_name("API service", &field("kind"));
            let finding = Finding::new(RULE, format!("{called} has no {}", format_list(missing)));
            found.push(finding.at_location(s.location_in_object(csv.object, service.span)));
            continue;
        }
        if let Some(fault) = deployment_fault(service, &deployments) {
            let place = s.location_in_object(csv.object, field_or_node(service, "deploymentName").span);
            found.push(Finding::new(RULE, format!("{name} {fault}")).at_location(place));
        }
        if let Some(finding) = container_port_fault(service, &name) {
            let span = field_or_node(service, "containerPort").span;
            found.push(finding.at_location(s.location_in_object(csv.object, span)));
        }
        // Several kinds of one group and version share an APIService.
        match served.get(&name) {
            Some(first) if text_at(first, &["deploymentName"]) != text_at(service, &["deploymentName"]) => {
                let finding = Finding::new(
                    RULE,
                    format!(
                        "{name} is owned twice, by two deployments: a cluster has one APIService of a group and version"
                    ),
                );
                found.push(
                    finding
                        .with_detail(name)
                        .at_location(
                            s.location_in_object(csv.object, field_or_node(service, "deploymentName").span),
                        )
                        .with_related_location("the first", s.location_in_object(csv.object, first.span)),
                );
            }
            Some(_) => {}
            None => drop(served.insert(name, service)),
        }
    }
}
