//! Checks of OLM v1, in its order.

use std::collections::{BTreeMap, BTreeSet};

use super::LoadedBundle;
use crate::{
    field_access::{is_true_at, items_at, node_at, text_at, texts_at},
    registry::{BundleLocation, CRD_KIND, CSV_KIND, OTHER_KINDS},
    suites::{Verdict, is_subdomain},
};
use olm_catalog::Node;

const CONVERSION: &str = "ConversionWebhook";
/// Resources of webhook configurations, singular and plural, compared without case.
const WEBHOOK_CONFIGURATIONS: [&str; 4] = [
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
];

/// Returns all errors.
pub(super) fn run_checks(bundle: &LoadedBundle) -> Vec<Verdict> {
    let mut checks = Checks { bundle, verdicts: Vec::new() };
    checks.check_deployments();
    checks.check_crds();
    if bundle.package.as_ref().is_some_and(String::is_empty) {
        checks.add_error("package-name", "the annotations name no package", None);
    }
    checks.check_webhooks();
    checks.check_conversions();
    checks.check_kinds();
    checks.check_unsupported();
    checks.verdicts
}

struct Checks<'b, 't> {
    bundle: &'b LoadedBundle<'t>,
    verdicts: Vec<Verdict>,
}

impl<'b> Checks<'b, '_> {
    fn add_error(
        &mut self,
        validator: &'static str,
        message: impl Into<String>,
        place: Option<BundleLocation>,
    ) {
        self.verdicts.push(Verdict::error(validator, message, place));
    }

    fn location(&self, node: &Node) -> BundleLocation {
        self.bundle.csv_object().location(node.span)
    }

    fn csv_list(&self, path: &[&str]) -> &'b [Node<'b>] {
        items_at(self.bundle.csv_node(), path)
    }

    fn check_deployments(&mut self) {
        let mut known = BTreeSet::new();
        for deployment in self.csv_list(&["spec", "install", "spec", "deployments"]) {
            let name = text_at(deployment, &["name"]);
            let place = Some(self.location(deployment));
            if !is_subdomain(&name) {
                self.add_error(
                    "deployment-name",
                    format!("`{name}` is no name of a deployment"),
                    place.clone(),
                );
            }
            if !known.insert(name.clone()) {
                self.add_error("deployment-unique", format!("there are two deployments `{name}`"), place);
            }
        }
    }

    fn check_crds(&mut self) {
        let mut known = BTreeSet::new();
        for object in self.bundle.objects.iter().filter(|object| object.kind() == CRD_KIND) {
            if !known.insert(object.name()) {
                let place = Some(object.location(object.document.node.span));
                self.add_error("crd-unique", format!("there are two CRDs `{}`", object.name()), place);
            }
        }
        for owned in self.csv_list(&["spec", "customresourcedefinitions", "owned"]) {
            let name = text_at(owned, &["name"]);
            if !known.contains(name.as_ref()) {
                let message = format!("the CSV owns the CRD `{name}`, which the bundle does not have");
                self.add_error("owned-crd-exists", message, Some(self.location(owned)));
            }
        }
    }

    fn check_webhooks(&mut self) {
        let deployments: BTreeSet<_> = self
            .csv_list(&["spec", "install", "spec", "deployments"])
            .iter()
            .map(|deployment| text_at(deployment, &["name"]))
            .collect();
        let mut known = BTreeSet::new();
        for webhook in self.csv_list(&["spec", "webhookdefinitions"]) {
            let (kind, name) = (text_at(webhook, &["type"]), text_at(webhook, &["generateName"]));
            let place = Some(self.location(webhook));
            let deployment = text_at(webhook, &["deploymentName"]);
            if !deployments.contains(&deployment) {
                let message = format!("webhook `{name}`: there is no deployment `{deployment}`");
                self.add_error("webhook-deployment", message, place.clone());
            }
            if !is_subdomain(&name) {
                self.add_error("webhook-name", format!("`{name}` is no name of a webhook"), place.clone());
            }
            if !known.insert((kind.clone(), name.clone())) {
                self.add_error(
                    "webhook-unique",
                    format!("there are two webhooks `{name}` of the type {kind}"),
                    place.clone(),
                );
            }
            if kind != CONVERSION {
                self.check_webhook_rules(webhook, &name, place.as_ref());
            }
        }
    }

    fn check_webhook_rules(&mut self, webhook: &Node, name: &str, place: Option<&BundleLocation>) {
        for rule in items_at(webhook, &["rules"]) {
            for group in texts_at(rule, &["apiGroups"]) {
                if matches!(group.as_ref(), "*" | "olm.operatorframework.io") {
                    let message =
                        format!("webhook `{name}`: its rules must not be about the group `{group}`");
                    self.add_error("webhook-rules", message, place.cloned());
                }
                if group != "admissionregistration.k8s.io" {
                    continue;
                }
                for resource in texts_at(rule, &["resources"]) {
                    if resource == "*" || WEBHOOK_CONFIGURATIONS.contains(&resource.to_lowercase().as_str()) {
                        let message =
                            format!("webhook `{name}`: its rules must not be about `{resource}` of {group}");
                        self.add_error("webhook-rules", message, place.cloned());
                    }
                }
            }
        }
    }

    fn check_conversions(&mut self) {
        let conversions: Vec<&Node> = self
            .csv_list(&["spec", "webhookdefinitions"])
            .iter()
            .filter(|w| text_at(w, &["type"]) == CONVERSION)
            .collect();
        let supported = self.supported_modes();
        if supported != ["AllNamespaces"] {
            for webhook in &conversions {
                let message = format!(
                    "webhook `{}`: a conversion webhook needs AllNamespaces as the only install mode",
                    text_at(webhook, &["generateName"])
                );
                self.add_error("conversion-install-modes", message, Some(self.location(webhook)));
            }
        }
        let owned: BTreeSet<_> = self
            .csv_list(&["spec", "customresourcedefinitions", "owned"])
            .iter()
            .map(|crd| text_at(crd, &["name"]))
            .collect();
        let mut uses: BTreeMap<_, usize> = BTreeMap::new();
        for webhook in &conversions {
            for crd in texts_at(webhook, &["conversionCRDs"]) {
                *uses.entry(crd.clone()).or_default() += 1;
                if !owned.contains(&crd) {
                    let message =
                        format!("a conversion webhook is for the CRD `{crd}`, which the CSV does not own");
                    self.add_error("conversion-crd-owned", message, Some(self.location(webhook)));
                }
            }
        }
        for (crd, count) in uses {
            if count > 1 {
                let message = format!("{count} conversion webhooks are for the CRD `{crd}`");
                self.add_error("conversion-crd-unique", message, None);
            }
        }
    }

    fn check_kinds(&mut self) {
        for object in &self.bundle.objects {
            let kind = object.kind();
            if kind != CSV_KIND && kind != CRD_KIND && !OTHER_KINDS.contains(&kind) {
                let place = Some(object.location(object.document.node.span));
                self.add_error(
                    "object-kind",
                    format!("{kind} `{}` cannot be in a bundle", object.name()),
                    place,
                );
            }
        }
    }

    fn supported_modes(&self) -> Vec<String> {
        let modes = self.csv_list(&["spec", "installModes"]).iter();
        let supported = modes.filter(|mode| is_true_at(mode, &["supported"]));
        supported.map(|mode| text_at(mode, &["type"]).into_owned()).collect()
    }

    /// Checks for unsupported features of v1.
    fn check_unsupported(&mut self) {
        let services = self.csv_list(&["spec", "apiservicedefinitions", "owned"]);
        if let Some(service) = services.first() {
            self.add_error("api-services", "OLM v1 installs no API services", Some(self.location(service)));
        }
        if !self.supported_modes().iter().any(|mode| mode == "AllNamespaces") {
            let place =
                node_at(self.bundle.csv_node(), &["spec", "installModes"]).map(|modes| self.location(modes));
            self.add_error("all-namespaces", "OLM v1 needs the install mode AllNamespaces", place);
        }
        let converted: BTreeSet<_> = self
            .csv_list(&["spec", "webhookdefinitions"])
            .iter()
            .filter(|webhook| text_at(webhook, &["type"]) == CONVERSION)
            .flat_map(|webhook| texts_at(webhook, &["conversionCRDs"]))
            .collect();
        for object in self.bundle.objects.iter().filter(|object| object.kind() == CRD_KIND) {
            let preserves = is_true_at(&object.document.node, &["spec", "preserveUnknownFields"]);
            if preserves && converted.contains(object.name()) {
                let message =
                    format!("the CRD `{}` is converted: preserveUnknownFields must be false", object.name());
                self.add_error(
                    "conversion-preserve",
                    message,
                    Some(object.location(object.document.node.span)),
                );
            }
        }
    }
}
