//! Checks of OLM v1, in its order.

use std::collections::{BTreeMap, BTreeSet};

use super::Loaded;
use crate::{
    bundle::{
        read::{at, items, text, texts, truth},
        registry::{BundlePlace, CRD_KIND, CSV_KIND, OTHER_KINDS},
        suites::{Verdict, is_subdomain},
    },
    catalog::Node,
};

const CONVERSION: &str = "ConversionWebhook";
/// Resources of webhook configurations, singular and plural, compared without case.
const CONFIGURATIONS: [&str; 4] = [
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
];

/// Returns all errors.
pub(super) fn run(bundle: &Loaded) -> Vec<Verdict> {
    let mut checks = Checks { bundle, verdicts: Vec::new() };
    checks.deployments();
    checks.crds();
    if bundle.package.as_ref().is_some_and(String::is_empty) {
        checks.error("package-name", "the annotations name no package", None);
    }
    checks.webhooks();
    checks.conversions();
    checks.kinds();
    checks.unsupported();
    checks.verdicts
}

struct Checks<'b, 't> {
    bundle: &'b Loaded<'t>,
    verdicts: Vec<Verdict>,
}

impl<'b> Checks<'b, '_> {
    fn error(&mut self, validator: &'static str, message: impl Into<String>, place: Option<BundlePlace>) {
        self.verdicts.push(Verdict::error(validator, message, place));
    }

    fn location(&self, node: &Node) -> BundlePlace {
        self.bundle.csv_object().place(node.span)
    }

    fn list(&self, path: &[&str]) -> &'b [Node<'b>] {
        items(self.bundle.csv(), path)
    }

    fn deployments(&mut self) {
        let mut known = BTreeSet::new();
        for deployment in self.list(&["spec", "install", "spec", "deployments"]) {
            let name = text(deployment, &["name"]);
            let place = Some(self.location(deployment));
            if !is_subdomain(&name) {
                self.error("deployment-name", format!("`{name}` is no name of a deployment"), place.clone());
            }
            if !known.insert(name.clone()) {
                self.error("deployment-unique", format!("there are two deployments `{name}`"), place);
            }
        }
    }

    fn crds(&mut self) {
        let mut known = BTreeSet::new();
        for object in self.bundle.objects.iter().filter(|object| object.kind() == CRD_KIND) {
            if !known.insert(object.name()) {
                let place = Some(object.place(object.document.node.span));
                self.error("crd-unique", format!("there are two CRDs `{}`", object.name()), place);
            }
        }
        for owned in self.list(&["spec", "customresourcedefinitions", "owned"]) {
            let name = text(owned, &["name"]);
            if !known.contains(name.as_ref()) {
                let message = format!("the CSV owns the CRD `{name}`, which the bundle does not have");
                self.error("owned-crd-exists", message, Some(self.location(owned)));
            }
        }
    }

    fn webhooks(&mut self) {
        let deployments: BTreeSet<_> = self
            .list(&["spec", "install", "spec", "deployments"])
            .iter()
            .map(|deployment| text(deployment, &["name"]))
            .collect();
        let mut known = BTreeSet::new();
        for webhook in self.list(&["spec", "webhookdefinitions"]) {
            let (kind, name) = (text(webhook, &["type"]), text(webhook, &["generateName"]));
            let place = Some(self.location(webhook));
            let deployment = text(webhook, &["deploymentName"]);
            if !deployments.contains(&deployment) {
                let message = format!("webhook `{name}`: there is no deployment `{deployment}`");
                self.error("webhook-deployment", message, place.clone());
            }
            if !is_subdomain(&name) {
                self.error("webhook-name", format!("`{name}` is no name of a webhook"), place.clone());
            }
            if !known.insert((kind.clone(), name.clone())) {
                self.error(
                    "webhook-unique",
                    format!("there are two webhooks `{name}` of the type {kind}"),
                    place.clone(),
                );
            }
            if kind != CONVERSION {
                self.rules(webhook, &name, place.as_ref());
            }
        }
    }

    fn rules(&mut self, webhook: &Node, name: &str, place: Option<&BundlePlace>) {
        for rule in items(webhook, &["rules"]) {
            for group in texts(rule, &["apiGroups"]) {
                if matches!(group.as_ref(), "*" | "olm.operatorframework.io") {
                    let message =
                        format!("webhook `{name}`: its rules must not be about the group `{group}`");
                    self.error("webhook-rules", message, place.cloned());
                }
                if group != "admissionregistration.k8s.io" {
                    continue;
                }
                for resource in texts(rule, &["resources"]) {
                    if resource == "*" || CONFIGURATIONS.contains(&resource.to_lowercase().as_str()) {
                        let message =
                            format!("webhook `{name}`: its rules must not be about `{resource}` of {group}");
                        self.error("webhook-rules", message, place.cloned());
                    }
                }
            }
        }
    }

    fn conversions(&mut self) {
        let conversions: Vec<&Node> = self
            .list(&["spec", "webhookdefinitions"])
            .iter()
            .filter(|w| text(w, &["type"]) == CONVERSION)
            .collect();
        let supported = self.supported_modes();
        if supported != ["AllNamespaces"] {
            for webhook in &conversions {
                let message = format!(
                    "webhook `{}`: a conversion webhook needs AllNamespaces as the only install mode",
                    text(webhook, &["generateName"])
                );
                self.error("conversion-install-modes", message, Some(self.location(webhook)));
            }
        }
        let owned: BTreeSet<_> = self
            .list(&["spec", "customresourcedefinitions", "owned"])
            .iter()
            .map(|crd| text(crd, &["name"]))
            .collect();
        let mut uses: BTreeMap<_, usize> = BTreeMap::new();
        for webhook in &conversions {
            for crd in texts(webhook, &["conversionCRDs"]) {
                *uses.entry(crd.clone()).or_default() += 1;
                if !owned.contains(&crd) {
                    let message =
                        format!("a conversion webhook is for the CRD `{crd}`, which the CSV does not own");
                    self.error("conversion-crd-owned", message, Some(self.location(webhook)));
                }
            }
        }
        for (crd, count) in uses {
            if count > 1 {
                let message = format!("{count} conversion webhooks are for the CRD `{crd}`");
                self.error("conversion-crd-unique", message, None);
            }
        }
    }

    fn kinds(&mut self) {
        for object in &self.bundle.objects {
            let kind = object.kind();
            if kind != CSV_KIND && kind != CRD_KIND && !OTHER_KINDS.contains(&kind) {
                let place = Some(object.place(object.document.node.span));
                self.error("object-kind", format!("{kind} `{}` cannot be in a bundle", object.name()), place);
            }
        }
    }

    fn supported_modes(&self) -> Vec<String> {
        let modes = self.list(&["spec", "installModes"]).iter();
        let supported = modes.filter(|mode| truth(mode, &["supported"]));
        supported.map(|mode| text(mode, &["type"]).into_owned()).collect()
    }

    /// Checks for unsupported features of v1.
    fn unsupported(&mut self) {
        let services = self.list(&["spec", "apiservicedefinitions", "owned"]);
        if let Some(service) = services.first() {
            self.error("api-services", "OLM v1 installs no API services", Some(self.location(service)));
        }
        if !self.supported_modes().iter().any(|mode| mode == "AllNamespaces") {
            let place = at(self.bundle.csv(), &["spec", "installModes"]).map(|modes| self.location(modes));
            self.error("all-namespaces", "OLM v1 needs the install mode AllNamespaces", place);
        }
        let converted: BTreeSet<_> = self
            .list(&["spec", "webhookdefinitions"])
            .iter()
            .filter(|webhook| text(webhook, &["type"]) == CONVERSION)
            .flat_map(|webhook| texts(webhook, &["conversionCRDs"]))
            .collect();
        for object in self.bundle.objects.iter().filter(|object| object.kind() == CRD_KIND) {
            let preserves = truth(&object.document.node, &["spec", "preserveUnknownFields"]);
            if preserves && converted.contains(object.name()) {
                let message =
                    format!("the CRD `{}` is converted: preserveUnknownFields must be false", object.name());
                self.error("conversion-preserve", message, Some(object.place(object.document.node.span)));
            }
        }
    }
}
