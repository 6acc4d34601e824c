//! Suite `content`: opm's checks of `manifests/`.
//!
//! Source: operator-registry, `pkg/lib/bundle/validate.go`, `ValidateBundleContent`, and
//! `pkg/lib/validation/bundle.go`.

use std::collections::BTreeSet;

use super::{
    Cause, Level, Report, Verdict, crd, csv,
    loaded::LoadedBundle,
    text_formats::{is_label_value, is_qualified_name},
};
use crate::{
    document::{DocumentCache, DocumentError},
    field_access::{annotation_value, items_at, node_at, text_at},
    manifests::{Tree, TreeFile},
    registry::{BundleLocation, CRD_KIND, CSV_KIND, OTHER_KINDS, Object},
    typed::{self, DecoderKind, find_member},
};
use olm_catalog::{Node, Span, Value};

/// Name of this suite.
pub(super) const NAME: &str = "content";

pub(super) fn check_content<'t>(tree: &'t Tree, readings: &DocumentCache<'t>) -> Vec<Verdict> {
    let mut out = Report { validator: NAME, ..Report::default() };
    if !tree.has_folder("manifests") {
        out.add_error("the folder manifests is missing", None);
        out.add_error("there are no manifests", None);
        return out.verdicts;
    }
    for folder in tree.folders_in("manifests") {
        out.add_error(format!("{folder}: a folder inside manifests"), None);
    }
    let mut objects = Vec::new();
    for file in tree.files_in("manifests") {
        match parse_object(file, readings) {
            Ok(object) => {
                check_object(tree, &object, &mut out);
                objects.push(object);
            }
            Err(verdict) => out.add_error(verdict.0, verdict.1),
        }
    }
    if !objects.is_empty() {
        check_object_set(&objects, &mut out);
    }
    out.verdicts
}

/// Parses the object of a file. An empty file is an object without a kind.
fn parse_object<'t>(
    file: &'t TreeFile,
    readings: &DocumentCache<'t>,
) -> Result<Object<'t>, (String, Option<BundleLocation>)> {
    let place = |span| Some(BundleLocation { file: file.path.clone(), span });
    let document = readings.first(file).map_err(|error| {
        let span = match &error {
            DocumentError::Unreadable(error) => error.span,
            DocumentError::Empty => Span::default(),
        };
        (format!("{} cannot be read: {error}", file.path), place(span))
    })?;
    let kind = document.node.get("kind").and_then(Node::as_str).unwrap_or_default();
    let is_object = matches!(document.node.value, Value::Map(_)) && !kind.is_empty();
    if !is_object && !document.node.is_null() {
        return Err((format!("{} is no object with a kind", file.path), place(Span::default())));
    }
    Ok(Object { file, document })
}

fn check_object(tree: &Tree, object: &Object, out: &mut Report) {
    let place = || Some(object.location(object.document.node.span));
    match object.kind() {
        CSV_KIND => check_csv(tree, object, out),
        CRD_KIND => check_crd(object, out),
        kind if OTHER_KINDS.contains(&kind) => {
            if let Some(message) = metadata_fault(&object.document.node) {
                out.add_error(format!("{}: {message}", object.file.path), place());
            }
        }
        kind => {
            let kind = if kind.is_empty() { "an empty document" } else { kind };
            out.add_error(format!("{}: OLM does not support {kind} in bundles", object.file.path), place());
        }
    }
}

fn check_csv(tree: &Tree, object: &Object, out: &mut Report) {
    if let Some(fault) = object.type_error("ClusterServiceVersion", DecoderKind::Unstructured) {
        out.add_error(format!("{}: {fault}", object.file.path), Some(object.location(fault.span)));
        return;
    }
    let document = object.document.clone();
    let alone = LoadedBundle::from_csv(tree, Object { file: object.file, document });
    let mut found = Report { validator: NAME, ..Report::default() };
    csv::check_csv(&alone, &mut found);
    out.verdicts.extend(found.verdicts.into_iter().filter(|verdict| verdict.level == Level::Error));
}

fn check_crd(object: &Object, out: &mut Report) {
    let type_name = match object.string_field("apiVersion") {
        "apiextensions.k8s.io/v1" => "CustomResourceDefinition",
        "apiextensions.k8s.io/v1beta1" => "CustomResourceDefinitionV1beta1",
        other => {
            let message = format!("{}: a CustomResourceDefinition of {other} is not known", object.file.path);
            out.add_error(message, Some(object.location(object.document.node.span)));
            return;
        }
    };
    if let Some(fault) = object.type_error(type_name, DecoderKind::Json) {
        out.add_error(format!("{}: {fault}", object.file.path), Some(object.location(fault.span)));
        return;
    }
    for fault in crd::crd_errors(object) {
        let message = format!("{}: {}: {}", object.file.path, fault.field, fault.message);
        out.add_verdict(Level::Error, fault.field, message, Some(object.location(fault.span)));
    }
}

/// Returns the errors of the API server about the metadata of an object, combined into one.
fn metadata_fault(object: &Node) -> Option<String> {
    if let Err(fault) = typed::check_type(object, "ObjectWithMetadata", DecoderKind::Json) {
        return Some(fault.to_string());
    }
    let mut faults = Vec::new();
    if text_at(object, &["metadata", "name"]).is_empty() {
        faults.push("metadata.name is missing".to_owned());
    }
    if !text_at(object, &["metadata", "namespace"]).is_empty() {
        faults.push("metadata.namespace must not be set".to_owned());
    }
    let members = |key: &str| node_at(object, &["metadata", key]).map(Node::members).unwrap_or_default();
    for label in members("labels") {
        let value = label.value.as_str().unwrap_or_default();
        if !is_qualified_name(&label.key) || !is_label_value(value) {
            faults.push(format!("metadata.labels: `{}: {value}` is no label", label.key));
        }
    }
    for annotation in members("annotations").iter().filter(|a| !is_qualified_name(&a.key.to_lowercase())) {
        faults.push(format!("metadata.annotations: `{}` is no key of an annotation", annotation.key));
    }
    for owner in items_at(object, &["metadata", "ownerReferences"]) {
        for key in ["apiVersion", "kind", "name", "uid"] {
            if text_at(owner, &[key]).is_empty() {
                faults.push(format!("metadata.ownerReferences: {key} is missing"));
            }
        }
    }
    for finalizer in items_at(object, &["metadata", "finalizers"]) {
        let name = finalizer.as_str().unwrap_or_default();
        if !is_qualified_name(name) {
            faults.push(format!("metadata.finalizers: `{name}` is no name"));
        }
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// Checks the objects against each other.
fn check_object_set(objects: &[Object], out: &mut Report) {
    let Some(csv) = objects.iter().find(|object| object.kind() == CSV_KIND) else {
        // Here the reference program crashes.
        out.add_error("no file in manifests/ holds a ClusterServiceVersion", None);
        return;
    };
    let node = &csv.document.node;
    let place = |span| Some(csv.location(span));
    if let Err(fault) = typed::check_type(node, "ClusterServiceVersionMeta", DecoderKind::Json) {
        out.add_error(format!("{}: {fault}", csv.file.path), place(fault.span));
        return;
    }
    let mut defined = BTreeSet::new();
    for crd in objects.iter().filter(|object| object.kind() == CRD_KIND) {
        let api_version = crd.string_field("apiVersion");
        let type_name = match api_version.rsplit_once('/').map_or(api_version, |(_, version)| version) {
            "v1" => "CustomResourceDefinition",
            "v1beta1" => "CustomResourceDefinitionV1beta1",
            _ => continue,
        };
        let fault = crd.type_error(type_name, DecoderKind::Json);
        if fault.is_some() || !api_version.starts_with("apiextensions.k8s.io/") {
            out.add_error(
                format!("{}: the CRD cannot be read", crd.file.path),
                Some(crd.location(crd.document.node.span)),
            );
            return;
        }
        let name = crd.name().to_owned();
        let kind = text_at(&crd.document.node, &["spec", "names", "kind"]).into_owned();
        let single = text_at(&crd.document.node, &["spec", "version"]);
        if api_version.ends_with("v1beta1") && !single.is_empty() {
            defined.insert((name.clone(), single.into_owned(), kind.clone()));
            continue;
        }
        for version in items_at(&crd.document.node, &["spec", "versions"]) {
            defined.insert((name.clone(), text_at(version, &["name"]).into_owned(), kind.clone()));
        }
    }
    check_owned_crds(csv, defined, out);
    check_versions(csv, out);
}

fn check_owned_crds(csv: &Object, mut defined: BTreeSet<(String, String, String)>, out: &mut Report) {
    let node = &csv.document.node;
    let place = |span| Some(csv.location(span));
    let definitions = node_at(node, &["spec", "customresourcedefinitions"]);
    let fault = definitions
        .and_then(|definitions| typed::check_type(definitions, "DefinitionKeys", DecoderKind::Json).err());
    if find_member(node, "spec").is_none() || fault.is_some() {
        let span = fault.map_or(node.span, |fault| fault.span);
        out.add_error("the CSV's CRDs cannot be read", place(span));
        return;
    }
    for crd in items_at(node, &["spec", "customresourcedefinitions", "owned"]) {
        let field = |key| text_at(crd, &[key]).into_owned();
        // An entry with a separate group is never found.
        let is_found = defined.remove(&(field("name"), field("version"), field("kind")));
        if !is_found || !field("group").is_empty() {
            let message = format!(
                "the CSV owns {}/{}, for which the bundle has no CRD",
                field("name"),
                field("version")
            );
            out.set_cause(Cause::owned_crd(crd)).add_error(message, place(crd.span));
        }
    }
}

fn check_versions(csv: &Object, out: &mut Report) {
    let node = &csv.document.node;
    let place = |span| Some(csv.location(span));
    let version = node_at(node, &["spec", "version"]);
    if find_member(node, "spec").is_none() || version.is_some_and(|version| version.as_str().is_none()) {
        out.add_error(
            "spec.version must be a string",
            place(version.map_or(node.span, |version| version.span)),
        );
        return;
    }
    let release = node_at(node, &["spec", "release"]);
    let is_readable = release.is_none_or(|r| matches!(r.value, Value::String(_) | Value::Number(_)));
    if !is_readable {
        out.add_error(
            "spec.release must be a string or a number",
            place(release.map_or(node.span, |r| r.span)),
        );
        return;
    }
    let has_release = release.is_some() && !text_at(node, &["spec", "release"]).is_empty();
    if has_release && annotation_value(node, "olm.substitutesFor").is_some() {
        out.add_error("a bundle has either a release or olm.substitutesFor", place(node.span));
    }
}
