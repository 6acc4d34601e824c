//! Errors for which OLM v1 rejects a bundle.
//!
//! Source: operator-controller, `internal/operator-controller/rukpak/bundle/source` and
//! `.../render/registryv1`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    document::{self, Document, DocumentError},
    field_access::{annotation_value, is_true_at, items_at, node_at, text_at, texts_at},
    manifests::{Tree, TreeFile},
    registry::{BundleLocation, CRD_KIND, CSV_KIND, OTHER_KINDS, Object, PREFIX},
    suites::{Verdict, is_subdomain},
    typed::{DecoderKind, field_text},
};
use olm_catalog::{Node, Span, Value, text::json};

/// Returns all errors of OLM v1 with default settings: a certificate provider, no configuration.
pub fn check_tree(tree: &Tree) -> Vec<Verdict> {
    match LoadedBundle::load_tree(tree) {
        Ok(loaded) => check_loaded_bundle(&loaded),
        Err((message, place)) => vec![Verdict::error("load", message, place)],
    }
}

/// Returns all errors of OLM v1 in a bundle that it loads.
pub fn check_loaded_bundle(bundle: &LoadedBundle<'_>) -> Vec<Verdict> {
    run_checks(bundle)
}

/// Reason why a bundle does not load, and its location.
type LoadError = (String, Option<BundleLocation>);

/// A bundle as v1 loads it.
#[derive(Debug)]
pub struct LoadedBundle<'t> {
    /// Package of `metadata/annotations.yaml`; `None` if only the objects are known.
    pub package: Option<String>,
    /// All objects; lists are flattened.
    pub objects: Vec<Object<'t>>,
    csv: usize,
}

impl<'t> LoadedBundle<'t> {
    /// Loads a bundle.
    ///
    /// # Errors
    ///
    /// The first error that v1 reports.
    pub fn load_tree(tree: &'t Tree) -> Result<Self, LoadError> {
        let package = load_package(tree)?;
        check_properties(tree)?;
        Ok(Self { package: Some(package), ..Self::load_objects(tree)? })
    }

    /// Loads the objects of a bundle without its metadata, as in a catalog.
    ///
    /// # Errors
    ///
    /// The first error for which OLM v1 does not load the objects.
    pub fn load_objects(tree: &'t Tree) -> Result<Self, LoadError> {
        if let Some(folder) = tree.folders_in("manifests").next() {
            return Err((format!("{folder}: a folder inside manifests"), None));
        }
        let mut objects = Vec::new();
        let is_file = |file: &&TreeFile| {
            file.path == "manifests"
                || file.path.strip_prefix("manifests/").is_some_and(|name| !name.contains('/'))
        };
        for file in tree.files.iter().filter(is_file) {
            for document in file.all_documents() {
                let document = document.map_err(|error| unreadable_file_error(file, &error))?;
                if !document.node.is_null() {
                    add_objects(file, document, &mut objects)?;
                }
            }
        }
        let csv = objects.iter().rposition(|object: &Object| object.kind() == CSV_KIND);
        let csv =
            csv.ok_or_else(|| ("no file in manifests/ holds a ClusterServiceVersion".to_owned(), None))?;
        let loaded = Self { package: None, objects, csv };
        let annotated = annotation_value(loaded.csv_node(), "olm.properties");
        let is_list =
            |text: &str| json::parse_json(text.as_bytes()).is_ok_and(|list| is_property_list(Some(&list)));
        if annotated.is_some_and(|text| !is_list(&text)) {
            return Err(("the annotation `olm.properties` is no JSON list of properties".to_owned(), None));
        }
        Ok(loaded)
    }

    /// Returns the ClusterServiceVersion; the last one if there are several.
    pub fn csv_node(&self) -> &Node<'t> {
        &self.csv_object().document.node
    }

    /// Returns the ClusterServiceVersion as an object.
    pub fn csv_object(&self) -> &Object<'t> {
        // `read` has checked the index.
        &self.objects[self.csv]
    }
}

fn unreadable_file_error(file: &TreeFile, error: &DocumentError) -> LoadError {
    let span = match error {
        DocumentError::Unreadable(error) => error.span,
        DocumentError::Empty => Span::default(),
    };
    (format!("{} cannot be read: {error}", file.path), Some(BundleLocation { file: file.path.clone(), span }))
}

/// Returns the package of `metadata/annotations.yaml`, which must exist under that name.
fn load_package(tree: &Tree) -> Result<String, LoadError> {
    let file = tree.file_index("metadata/annotations.yaml").and_then(|at| tree.files.get(at));
    let file = file.ok_or_else(|| ("metadata/annotations.yaml is missing".to_owned(), None))?;
    let document = document::parse_first_of_text(file.content_or_empty())
        .map_err(|error| unreadable_file_error(file, &error))?;
    Ok(text_at(&document.node, &["annotations", &format!("{PREFIX}package.v1")]).into_owned())
}

fn check_properties(tree: &Tree) -> Result<(), LoadError> {
    let Some(file) = tree.file_index("metadata/properties.yaml").and_then(|at| tree.files.get(at)) else {
        return Ok(());
    };
    let document = document::parse_first_of_text(file.content_or_empty())
        .map_err(|error| unreadable_file_error(file, &error))?;
    if is_property_list(node_at(&document.node, &["properties"])) {
        return Ok(());
    }
    Err((format!("{}: `properties` is no list of properties", file.path), None))
}

/// Returns true for a list of maps with a string as `type`, or an absent one.
fn is_property_list(node: Option<&Node>) -> bool {
    let is_property = |item: &Node| {
        matches!(item.value, Value::Map(_))
            && node_at(item, &["type"]).is_none_or(|kind| field_text(kind, DecoderKind::Json).is_some())
    };
    match node.map(|node| &node.value) {
        None => true,
        Some(Value::Null) => true,
        Some(Value::List(items)) => items.iter().all(is_property),
        Some(_) => false,
    }
}

/// Adds an object, or those of a list.
fn add_objects<'t>(
    file: &'t TreeFile,
    document: Arc<Document<'t>>,
    objects: &mut Vec<Object<'t>>,
) -> Result<(), LoadError> {
    let is_list = |node: &Node| matches!(node.get("items").map(|items| &items.value), Some(Value::List(_)));
    if !is_list(&document.node) {
        return add_object(Object { file, document }, objects);
    }
    let (start, root) = match Arc::try_unwrap(document) {
        Ok(document) => (document.start, document.node),
        Err(shared) => (shared.start, shared.node.clone()),
    };
    // Lists may be nested as deeply as the parser allows: no recursion, and no copies.
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        if !is_list(&node) {
            add_object(Object { file, document: Arc::new(Document::from_node(start, node)) }, objects)?;
            continue;
        }
        let Value::Map(members) = node.into_value() else { continue };
        let items = members.into_iter().rfind(|member| member.key == "items");
        if let Some(Value::List(items)) = items.map(|member| member.value.into_value()) {
            left.extend(items.into_iter().rev());
        }
    }
    Ok(())
}

fn add_object<'t>(object: Object<'t>, objects: &mut Vec<Object<'t>>) -> Result<(), LoadError> {
    let file = object.file;
    let node = &object.document.node;
    let place = |span| Some(object.location(span));
    if !matches!(node.value, Value::Map(_)) || object.kind().is_empty() {
        return Err((
            format!("{} holds something that is no object with a kind", file.path),
            place(node.span),
        ));
    }
    let checks = match (object.kind(), object.string_field("apiVersion")) {
        (CSV_KIND, _) => {
            vec![
                ("ObjectWithMetadata", DecoderKind::Json),
                ("ClusterServiceVersion", DecoderKind::Unstructured),
            ]
        }
        (CRD_KIND, _) => {
            vec![
                ("ObjectWithMetadata", DecoderKind::Json),
                ("CustomResourceDefinition", DecoderKind::Unstructured),
            ]
        }
        _ => vec![("ObjectWithMetadata", DecoderKind::Json)],
    };
    for (type_name, reading) in checks {
        if let Some(fault) = object.type_error(type_name, reading) {
            return Err((format!("{}: {fault}", file.path), place(fault.span)));
        }
    }
    objects.push(object);
    Ok(())
}

const CONVERSION: &str = "ConversionWebhook";

/// Resources of webhook configurations, singular and plural, compared without case.
const WEBHOOK_CONFIGURATIONS: [&str; 4] = [
    "mutatingwebhookconfiguration",
    "mutatingwebhookconfigurations",
    "validatingwebhookconfiguration",
    "validatingwebhookconfigurations",
];

/// Returns all errors.
fn run_checks(bundle: &LoadedBundle) -> Vec<Verdict> {
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
