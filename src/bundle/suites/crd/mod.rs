//! Suite `crd`: Kubernetes' validation of CRDs, without its checks of schemas and `status`.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apis/apiextensions/validation`, on the internal form of both
//! API versions: common parts of all versions of a CRD occur once, above them.

mod conversion;
mod internal;
mod paths;

use super::{
    Level, Report,
    loaded::Loaded,
    names::{is_dns1035_label, is_subdomain},
};
use crate::{
    bundle::{
        read::{annotation, items, text, truth},
        registry::Object,
    },
    catalog::{Node, Span},
};
use internal::{Internal, Version};

/// Annotation required for groups of Kubernetes.
const APPROVAL: &str = "api-approved.kubernetes.io";
/// Types of a printer column.
const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
/// Formats of a printer column.
const COLUMN_FORMATS: [&str; 8] =
    ["int32", "int64", "float", "double", "byte", "date", "date-time", "password"];
/// Maximum length of a deprecation warning in bytes.
const MAX_WARNING: usize = 256;

pub(super) fn check(bundle: &Loaded, out: &mut Report) {
    for object in bundle.crds() {
        for fault in faults(object) {
            let message = format!("{}: {}", fault.field, fault.message);
            let value = fault.value().to_owned();
            out.with_kind(fault.kind).add(Level::Error, fault.field, message, Some(object.place(fault.span)));
            if let Some(last) = out.verdicts.last_mut() {
                last.value = value;
            }
        }
    }
}

/// An error that Kubernetes reports.
pub(in crate::bundle) struct CrdFault {
    /// Type of the error.
    pub kind: &'static str,
    /// Field in the internal form, such as `spec.versions[1].name`.
    pub field: String,
    /// Message.
    pub message: String,
    /// Span in the document.
    pub span: Span,
}

impl CrdFault {
    /// Returns the invalid value, which is at the beginning of the message.
    fn value(&self) -> &str {
        self.message.strip_prefix('`').and_then(|rest| rest.split('`').next()).unwrap_or_default()
    }
}

const INVALID: &str = "FieldValueInvalid";
const NOT_SUPPORTED: &str = "FieldValueNotSupported";
const FORBIDDEN: &str = "FieldValueForbidden";
const REQUIRED: &str = "FieldValueRequired";

/// Returns the errors that Kubernetes reports, except those of schemas and `status`.
pub(in crate::bundle) fn faults(object: &Object) -> Vec<CrdFault> {
    faults_of(&object.document.node)
}

/// Returns the errors of a CRD without its file.
pub(in crate::bundle) fn faults_of(node: &Node<'_>) -> Vec<CrdFault> {
    let mut checker = Checker { faults: Vec::new() };
    let crd = Internal::from_node(node);
    checker.metadata(node, &crd);
    checker.spec(&crd);
    let mut faults = checker.faults;
    faults.retain(|fault| !fault.field.contains("openAPIV3Schema") && !fault.field.contains("status"));
    faults
}

struct Checker {
    faults: Vec<CrdFault>,
}

impl Checker {
    fn fault(&mut self, field: impl Into<String>, message: impl Into<String>, span: Span) {
        self.fault_of(INVALID, field, message, span);
    }

    fn fault_of(
        &mut self,
        kind: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
        span: Span,
    ) {
        self.faults.push(CrdFault { kind, field: field.into(), message: message.into(), span });
    }

    fn required(&mut self, field: impl Into<String>, span: Span) {
        self.fault_of(REQUIRED, field, "is required", span);
    }

    fn metadata(&mut self, node: &Node, crd: &Internal) {
        let name = text(node, &["metadata", "name"]);
        let expected = format!("{}.{}", crd.plural, crd.group);
        if name.is_empty() {
            self.required("metadata.name", node.span);
        } else if name != expected {
            self.fault("metadata.name", format!("`{name}` must be `{expected}`"), node.span);
        }
        let is_protected = ["k8s.io", "kubernetes.io"]
            .iter()
            .any(|group| crd.group == *group || crd.group.ends_with(&format!(".{group}")));
        if is_protected {
            let field = format!("metadata.annotations[{APPROVAL}]");
            match annotation(node, APPROVAL) {
                Some(value) if is_approval(&value) => {}
                Some(value) if !value.is_empty() => {
                    let message = format!("`{value}` must be a URL or begin with `unapproved`");
                    self.fault(field, message, node.span);
                }
                _ => self.fault_of(REQUIRED, field, "is required for a group of Kubernetes", node.span),
            }
        }
    }

    fn spec(&mut self, crd: &Internal) {
        let span = crd.span;
        if crd.group.is_empty() {
            self.required("spec.group", span);
        } else if !is_subdomain(&crd.group) {
            self.fault("spec.group", format!("`{}` is no DNS subdomain", crd.group), span);
        } else if !crd.group.contains('.') {
            self.fault("spec.group", format!("`{}` should have a dot", crd.group), span);
        }
        match crd.scope.as_str() {
            "Cluster" | "Namespaced" => {}
            "" => self.required("spec.scope", span),
            other => {
                let message = format!("`{other}` is neither Cluster nor Namespaced");
                self.fault_of(NOT_SUPPORTED, "spec.scope", message, span);
            }
        }
        self.versions(crd);
        if crd.preserve_unknown_fields {
            let message = "must not be true; set x-kubernetes-preserve-unknown-fields in the schema";
            self.fault("spec.preserveUnknownFields", message, span);
        }
        self.names(crd);
        self.parts("spec", &crd.common, span);
        if let Some(conversion) = &crd.conversion {
            conversion::check(conversion, self);
        }
    }

    fn versions(&mut self, crd: &Internal) {
        let span = crd.span;
        let names: Vec<&str> = crd.versions.iter().map(|version| version.name.as_str()).collect();
        for (at, version) in crd.versions.iter().enumerate() {
            let field = |name: &str| format!("spec.versions[{at}].{name}");
            if !is_dns1035_label(&version.name) {
                self.fault(field("name"), format!("`{}` is no DNS label", version.name), version.span);
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
                    self.fault(field("deprecationWarning"), message, version.span);
                }
            }
            self.parts(&format!("spec.versions[{at}]"), &version.own, version.span);
        }
        if (1..names.len()).any(|at| names[..at].contains(&names[at])) {
            self.fault("spec.versions", "names a version twice", span);
        }
        if crd.versions.iter().filter(|version| version.is_stored).count() != 1 {
            self.fault("spec.versions", "must have exactly one version with `storage: true`", span);
        }
        if !crd.version.is_empty() && names.first().is_some_and(|first| *first != crd.version) {
            let message = format!("`{}` must be the first of spec.versions", crd.version);
            self.fault("spec.version", message, span);
        }
    }

    fn names(&mut self, crd: &Internal) {
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
                    self.required(field, span);
                }
            } else if !is_dns1035_label(name) {
                self.fault(field, format!("`{name}` is no DNS label"), span);
            }
        }
        for (list, names) in [("shortNames", &crd.short_names), ("categories", &crd.categories)] {
            for (at, name) in names.iter().enumerate().filter(|(_, name)| !is_dns1035_label(name)) {
                self.fault(format!("spec.names.{list}[{at}]"), format!("`{name}` is no DNS label"), span);
            }
        }
        if !crd.kind.is_empty() && crd.kind == crd.list_kind {
            self.fault("spec.names.listKind", "must differ from kind", span);
        }
    }

    /// Checks subresources, columns and selectable fields: of a version, or of all.
    fn parts(&mut self, field: &str, parts: &Version<'_>, span: Span) {
        if let Some(scale) = parts.scale {
            let field = |name: &str| format!("{field}.subresources.scale.{name}");
            let path = |name| text(scale, &[name]);
            let mut checker = |name: &str, path: &str, roots: &[&str], is_required: bool| {
                if path.is_empty() {
                    if is_required {
                        self.required(field(name), scale.span);
                    }
                } else if !paths::is_simple(path) {
                    self.fault(field(name), format!("`{path}` is no simple JSON path"), scale.span);
                } else if !roots.iter().any(|root| path.starts_with(root)) {
                    self.fault(
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
            self.column(&format!("{field}.additionalPrinterColumns[{at}]"), column);
        }
        let mut known = Vec::new();
        for (at, selectable) in parts.selectable.iter().enumerate() {
            let path = text(selectable, &["jsonPath"]);
            let field = format!("{field}.selectableFields[{at}].jsonPath");
            if path.is_empty() {
                self.required(field, selectable.span);
            } else if !paths::is_selectable(&path, parts.schema) {
                self.fault(
                    field,
                    format!("`{path}` is no field of the schema that can be selected by"),
                    span,
                );
            } else if known.contains(&path) {
                self.fault(field, format!("`{path}` is there twice"), span);
            } else {
                known.push(path);
            }
        }
    }

    fn column(&mut self, field: &str, column: &Node) {
        let span = column.span;
        let value = |name| text(column, &[name]);
        if value("name").is_empty() {
            self.required(format!("{field}.name"), span);
        }
        let kind = value("type");
        if kind.is_empty() {
            self.required(format!("{field}.type"), span);
        } else if !COLUMN_TYPES.contains(&kind.as_ref()) {
            let message = format!("`{kind}` is none of {}", COLUMN_TYPES.join(", "));
            self.fault(format!("{field}.type"), message, span);
        }
        let format = value("format");
        if !format.is_empty() && !COLUMN_FORMATS.contains(&format.as_ref()) {
            let message = format!("`{format}` is none of {}", COLUMN_FORMATS.join(", "));
            self.fault(format!("{field}.format"), message, span);
        }
        let path = value("jsonPath");
        if path.is_empty() {
            self.required(format!("{field}.JSONPath"), span);
        } else if !paths::is_simple(&path) {
            self.fault(format!("{field}.JSONPath"), format!("`{path}` is no simple JSON path"), span);
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
fn is_true(node: &Node, key: &str) -> bool {
    truth(node, &[key])
}

/// Returns the strings of a list.
fn texts_of(node: &Node, path: &[&str]) -> Vec<String> {
    items(node, path).iter().map(|item| text(item, &[]).into_owned()).collect()
}
