//! Suite `crd`: Kubernetes' validation of CRDs, without its checks of schemas and `status`.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apis/apiextensions/validation`, on the internal form of both
//! API versions: common parts of all versions of a CRD occur once, above them.

mod internal;

use super::{
    Level, Report,
    loaded::LoadedBundle,
    text_formats::{is_dns1035_label, is_request_uri, is_subdomain},
};
use crate::{
    field_access::{annotation_value, integer_at, is_true_at, items_at, node_at, text_at},
    registry::Object,
};
use internal::{Conversion, InternalCrd, VersionParts};
use olm_catalog::{Node, Span};

/// Annotation required for groups of Kubernetes.
const APPROVAL: &str = "api-approved.kubernetes.io";
/// Types of a printer column.
const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
/// Formats of a printer column.
const COLUMN_FORMATS: [&str; 8] =
    ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];
/// Maximum length of a deprecation warning in bytes.
const MAX_WARNING: usize = 256;

pub(super) fn check_crds(bundle: &LoadedBundle, out: &mut Report) {
    for object in bundle.crds() {
        for fault in crd_errors(object) {
            let message = format!("{}: {}", fault.field, fault.message);
            let value = fault.invalid_value().to_owned();
            out.set_kind(fault.kind).add_verdict(
                Level::Error,
                fault.field,
                message,
                Some(object.location(fault.span)),
            );
            if let Some(last) = out.verdicts.last_mut() {
                last.value = value;
            }
        }
    }
}

/// An error that Kubernetes reports.
#[derive(Clone)]
pub(crate) struct CrdError {
    /// Type of the error.
    pub kind: &'static str,
    /// Field in the internal form, such as `spec.versions[1].name`.
    pub field: String,
    /// Message.
    pub message: String,
    /// Span in the document.
    pub span: Span,
}

impl CrdError {
    /// Returns the invalid value, which is at the beginning of the message.
    fn invalid_value(&self) -> &str {
        self.message.strip_prefix('`').and_then(|rest| rest.split('`').next()).unwrap_or_default()
    }
}

const INVALID: &str = "FieldValueInvalid";
const NOT_SUPPORTED: &str = "FieldValueNotSupported";
const FORBIDDEN: &str = "FieldValueForbidden";
const REQUIRED: &str = "FieldValueRequired";

/// Returns the errors that Kubernetes reports, except those of schemas and `status`.
pub(crate) fn crd_errors(object: &Object) -> Vec<CrdError> {
    object.document.derive(("errors of a CRD", ""), crd_errors_of_node)
}

/// Returns the errors of a CRD without its file.
pub(crate) fn crd_errors_of_node(node: &Node<'_>) -> Vec<CrdError> {
    let mut checker = Checker { faults: Vec::new() };
    let crd = InternalCrd::from_node(node);
    checker.check_metadata(node, &crd);
    checker.check_spec(&crd);
    let mut faults = checker.faults;
    faults.retain(|fault| !fault.field.contains("openAPIV3Schema") && !fault.field.contains("status"));
    faults
}

struct Checker {
    faults: Vec<CrdError>,
}

impl Checker {
    fn add_error(&mut self, field: impl Into<String>, message: impl Into<String>, span: Span) {
        self.add_error_of_kind(INVALID, field, message, span);
    }

    fn add_error_of_kind(
        &mut self,
        kind: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
        span: Span,
    ) {
        self.faults.push(CrdError { kind, field: field.into(), message: message.into(), span });
    }

    fn add_required(&mut self, field: impl Into<String>, span: Span) {
        self.add_error_of_kind(REQUIRED, field, "is required", span);
    }

    fn check_metadata(&mut self, node: &Node, crd: &InternalCrd) {
        let name = text_at(node, &["metadata", "name"]);
        let expected = format!("{}.{}", crd.plural, crd.group);
        if name.is_empty() {
            self.add_required("metadata.name", node.span);
        } else if name != expected {
            self.add_error("metadata.name", format!("`{name}` must be `{expected}`"), node.span);
        }
        let is_protected = ["k8s.io", "kubernetes.io"]
            .iter()
            .any(|group| crd.group == *group || crd.group.ends_with(&format!(".{group}")));
        if is_protected {
            let field = format!("metadata.annotations[{APPROVAL}]");
            match annotation_value(node, APPROVAL) {
                Some(value) if is_approval(&value) => {}
                Some(value) if !value.is_empty() => {
                    let message = format!("`{value}` must be a URL or begin with `unapproved`");
                    self.add_error(field, message, node.span);
                }
                _ => self.add_error_of_kind(
                    REQUIRED,
                    field,
                    "is required for a group of Kubernetes",
                    node.span,
                ),
            }
        }
    }

    fn check_spec(&mut self, crd: &InternalCrd) {
        let span = crd.span;
        if crd.group.is_empty() {
            self.add_required("spec.group", span);
        } else if !is_subdomain(&crd.group) {
            self.add_error("spec.group", format!("`{}` is no DNS subdomain", crd.group), span);
        } else if !crd.group.contains('.') {
            self.add_error("spec.group", format!("`{}` should have a dot", crd.group), span);
        }
        match crd.scope.as_str() {
            "Cluster" | "Namespaced" => {}
            "" => self.add_required("spec.scope", span),
            other => {
                let message = format!("`{other}` is neither Cluster nor Namespaced");
                self.add_error_of_kind(NOT_SUPPORTED, "spec.scope", message, span);
            }
        }
        self.check_versions(crd);
        if crd.preserve_unknown_fields {
            let message = "must not be true; set x-kubernetes-preserve-unknown-fields in the schema";
            self.add_error("spec.preserveUnknownFields", message, span);
        }
        self.check_names(crd);
        self.check_parts("spec", &crd.common, span);
        if let Some(conversion) = &crd.conversion {
            check_conversion(conversion, self);
        }
    }

    fn check_versions(&mut self, crd: &InternalCrd) {
        let span = crd.span;
        let names: Vec<&str> = crd.versions.iter().map(|version| version.name.as_str()).collect();
        for (at, version) in crd.versions.iter().enumerate() {
            let field = |name: &str| format!("spec.versions[{at}].{name}");
            if !is_dns1035_label(&version.name) {
                self.add_error(field("name"), format!("`{}` is no DNS label", version.name), version.span);
            }
            if let Some(warning) = &version.deprecation_warning {
                let message = if !version.is_deprecated {
                    Some("can only be set for a deprecated version")
                } else if warning.is_empty() {
                    Some("must not be empty")
                } else if warning.len() > MAX_WARNING {
                    Some("must have at most 256 bytes")
                } else if warning.chars().any(char::is_control) {
                    Some("must only have printable characters")
                } else {
                    None
                };
                if let Some(message) = message {
                    self.add_error(field("deprecationWarning"), message, version.span);
                }
            }
            self.check_parts(&format!("spec.versions[{at}]"), &version.own, version.span);
        }
        if (1..names.len()).any(|at| names[..at].contains(&names[at])) {
            self.add_error("spec.versions", "names a version twice", span);
        }
        if crd.versions.iter().filter(|version| version.is_stored).count() != 1 {
            self.add_error("spec.versions", "must have exactly one version with `storage: true`", span);
        }
        if !crd.version.is_empty() && names.first().is_some_and(|first| *first != crd.version) {
            let message = format!("`{}` must be the first of spec.versions", crd.version);
            self.add_error("spec.version", message, span);
        }
    }

    fn check_names(&mut self, crd: &InternalCrd) {
        let span = crd.span;
        let named = [
            ("plural", crd.plural.clone()),
            ("singular", crd.singular.clone()),
            ("kind", crd.kind.to_lowercase()),
            ("listKind", crd.list_kind.to_lowercase()),
        ];
        for (field, name) in &named {
            let field = format!("spec.names.{field}");
            if name.is_empty() {
                // The name of a list is derived from its kind.
                if field != "spec.names.listKind" || crd.kind.is_empty() {
                    self.add_required(field, span);
                }
            } else if !is_dns1035_label(name) {
                self.add_error(field, format!("`{name}` is no DNS label"), span);
            }
        }
        for (list, names) in [("shortNames", &crd.short_names), ("categories", &crd.categories)] {
            for (at, name) in names.iter().enumerate().filter(|(_, name)| !is_dns1035_label(name)) {
                self.add_error(format!("spec.names.{list}[{at}]"), format!("`{name}` is no DNS label"), span);
            }
        }
        if !crd.kind.is_empty() && crd.kind == crd.list_kind {
            self.add_error("spec.names.listKind", "must differ from kind", span);
        }
    }

    /// Checks subresources, columns and selectable fields: of a version, or of all.
    fn check_parts(&mut self, field: &str, parts: &VersionParts<'_>, span: Span) {
        if let Some(scale) = parts.scale {
            let field = |name: &str| format!("{field}.subresources.scale.{name}");
            let path = |name| text_at(scale, &[name]);
            let mut checker = |name: &str, path: &str, roots: &[&str], is_required: bool| {
                if path.is_empty() {
                    if is_required {
                        self.add_required(field(name), scale.span);
                    }
                } else if !is_simple_path(path) {
                    self.add_error(field(name), format!("`{path}` is no simple JSON path"), scale.span);
                } else if !roots.iter().any(|root| path.starts_with(root)) {
                    self.add_error(
                        field(name),
                        format!("`{path}` must be below {}", roots.join(" or ")),
                        scale.span,
                    );
                }
            };
            checker("specReplicasPath", &path("specReplicasPath"), &[".spec."], true);
            checker("statusReplicasPath", &path("statusReplicasPath"), &[".status."], true);
            checker("labelSelectorPath", &path("labelSelectorPath"), &[".spec.", ".status."], false);
        }
        for (at, column) in parts.columns.iter().enumerate() {
            self.check_column(&format!("{field}.additionalPrinterColumns[{at}]"), column);
        }
        let mut known = Vec::new();
        for (at, selectable) in parts.selectable.iter().enumerate() {
            let path = text_at(selectable, &["jsonPath"]);
            let field = format!("{field}.selectableFields[{at}].jsonPath");
            if path.is_empty() {
                self.add_required(field, selectable.span);
            } else if !is_selectable(&path, parts.schema) {
                self.add_error(
                    field,
                    format!("`{path}` is no field of the schema that can be selected by"),
                    span,
                );
            } else if known.contains(&path) {
                self.add_error(field, format!("`{path}` is there twice"), span);
            } else {
                known.push(path);
            }
        }
    }

    fn check_column(&mut self, field: &str, column: &Node) {
        let span = column.span;
        let value = |name| text_at(column, &[name]);
        if value("name").is_empty() {
            self.add_required(format!("{field}.name"), span);
        }
        let kind = value("type");
        if kind.is_empty() {
            self.add_required(format!("{field}.type"), span);
        } else if !COLUMN_TYPES.contains(&kind.as_ref()) {
            let message = format!("`{kind}` is none of {}", COLUMN_TYPES.join(", "));
            self.add_error(format!("{field}.type"), message, span);
        }
        let format = value("format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format.as_ref()) {
            let message = format!("`{format}` is none of {}", COLUMN_FORMATS.join(", "));
            self.add_error(format!("{field}.format"), message, span);
        }
        let path = value("jsonPath");
        if path.is_empty() {
            self.add_required(format!("{field}.JSONPath"), span);
        } else if !is_simple_path(&path) {
            self.add_error(format!("{field}.JSONPath"), format!("`{path}` is no simple JSON path"), span);
        }
    }
}

/// Returns true for a URL, or a reason for the missing approval.
fn is_approval(value: &str) -> bool {
    let has_host =
        value.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty());
    value.starts_with("unapproved") || has_host
}

/// Returns true if a node has `true` under a key.
fn has_true(node: &Node, key: &str) -> bool {
    is_true_at(node, &[key])
}

/// Returns the strings of a list.
fn list_strings(node: &Node, path: &[&str]) -> Vec<String> {
    items_at(node, path).iter().map(|item| text_at(item, &[]).into_owned()).collect()
}

/// Returns true for the simple paths allowed in columns: `.spec.replicas`, `.status.conditions[0].type`.
fn is_simple_path(path: &str) -> bool {
    if !path.starts_with('.') || path.contains(['{', '}']) {
        return false;
    }
    let mut depth = 0_i32;
    let mut quote = None;
    for c in path.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if depth > 0 => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && quote.is_none() && !path.ends_with("..")
}

/// Returns true if a path can select resources: it leads to a string, boolean or integer of the schema, and not
/// into `metadata`.
fn is_selectable(path: &str, schema: Option<&Node>) -> bool {
    let Some(names) = path.strip_prefix('.') else { return false };
    if names.contains(['[', '{', '*']) || names.starts_with("metadata") {
        return false;
    }
    let found =
        names.split('.').try_fold(schema, |schema, name| Some(node_at(schema?, &["properties", name])));
    found
        .flatten()
        .is_some_and(|schema| matches!(text_at(schema, &["type"]).as_ref(), "string" | "boolean" | "integer"))
}

const CONVERSION_FIELD: &str = "spec.conversion";

fn check_conversion(conversion: &Conversion, checker: &mut Checker) {
    let span = conversion.span;
    let client_field = format!("{CONVERSION_FIELD}.webhookClientConfig");
    let review_field = format!("{CONVERSION_FIELD}.conversionReviewVersions");
    match conversion.strategy.as_str() {
        "None" | "Webhook" => {}
        "" => checker.add_required(format!("{CONVERSION_FIELD}.strategy"), span),
        other => {
            let message = format!("`{other}` is neither None nor Webhook");
            checker.add_error_of_kind(NOT_SUPPORTED, format!("{CONVERSION_FIELD}.strategy"), message, span);
        }
    }
    if conversion.strategy != "Webhook" {
        if conversion.client.is_some() {
            checker.add_error_of_kind(
                FORBIDDEN,
                client_field,
                "must only be set with the strategy Webhook",
                span,
            );
        }
        if !conversion.review_versions.is_empty() {
            checker.add_error_of_kind(
                FORBIDDEN,
                review_field,
                "must only be set with the strategy Webhook",
                span,
            );
        }
        return;
    }
    match conversion.client {
        None => {
            checker.add_error_of_kind(REQUIRED, client_field, "is required with the strategy Webhook", span);
        }
        Some(client) => check_client(client, &client_field, checker),
    }
    check_review_versions(&conversion.review_versions, &review_field, conversion, checker);
}

fn check_client(client: &Node, field: &str, checker: &mut Checker) {
    let span = client.span;
    match (node_at(client, &["url"]), node_at(client, &["service"])) {
        (Some(_), None) => {
            let url = text_at(client, &["url"]);
            if !is_webhook_url(&url) {
                checker.add_error(
                    format!("{field}.url"),
                    format!("`{url}` must be https://HOST[/PATH]"),
                    span,
                );
            }
        }
        (None, Some(service)) => {
            for name in ["name", "namespace"] {
                if text_at(service, &[name]).is_empty() {
                    checker.add_required(format!("{field}.service.{name}"), span);
                }
            }
            if integer_at(service, &["port"]).is_some_and(|port| !(1..=65535).contains(&port)) {
                checker.add_error(format!("{field}.service.port"), "must be between 1 and 65535", span);
            }
            let path = text_at(service, &["path"]);
            if !path.is_empty() && !path.starts_with('/') {
                checker.add_error(
                    format!("{field}.service.path"),
                    format!("`{path}` must begin with /"),
                    span,
                );
            }
        }
        _ => checker.add_error_of_kind(REQUIRED, field, "needs either url or service", span),
    }
}

fn is_webhook_url(url: &str) -> bool {
    let host = url.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    is_request_uri(url)
        && host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !url.contains(['?', '#'])
}

fn check_review_versions(versions: &[String], field: &str, conversion: &Conversion, checker: &mut Checker) {
    let span = conversion.span;
    if versions.is_empty() {
        return checker.add_required(field, span);
    }
    for (at, version) in versions.iter().enumerate() {
        let field = format!("{field}[{at}]");
        if versions[..at].contains(version) {
            checker.add_error(field, format!("`{version}` is there twice"), span);
        } else if !is_dns1035_label(version) {
            checker.add_error(field, format!("`{version}` is no DNS label"), span);
        }
    }
    if !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        checker.add_error(field, "must have v1 or v1beta1", span);
    }
}
