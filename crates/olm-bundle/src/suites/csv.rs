//! Suite `csv`, with the check of required fields, which distinguishes empty structs.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/csv.go`.

use std::collections::BTreeSet;

use super::{
    Cause, Level, Report, VALIDATION_FAILED,
    loaded::LoadedBundle,
    text_formats::{is_label_value, is_subdomain},
};
use crate::{
    document,
    field_access::{annotation_value, is_true_at, items_at, node_at, split_api_version, text_at, texts_at},
    typed::{DecoderKind, write_as_go},
};
use olm_catalog::{Node, Span, Value, text::json};
use olm_version::Version;

/// Annotations with case-sensitive spelling.
const CASE_SENSITIVE: [&str; 5] = [
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
    "olm.providedAPIs",
    "olm.skipRange",
];

pub(super) fn check_csv(bundle: &LoadedBundle, out: &mut Report) {
    check_names(bundle, out);
    check_examples(bundle, out);
    check_install_modes(bundle, out);
    check_required_fields(bundle, out);
    check_annotation_spelling(bundle, out);
    if text_at(bundle.csv_node(), &["apiVersion"]).is_empty() {
        out.add_error("`apiVersion` is missing", bundle.csv_location(&[]));
    }
    check_min_kube_version(bundle, out);
    if annotation_value(bundle.csv_node(), "olm.properties").is_some() {
        let place = bundle.csv_location(&["metadata", "annotations", "olm.properties"]);
        out.set_kind("PropertiesAnnotationUsed")
            .add_warning("the annotation `olm.properties` belongs into metadata/properties.yaml", place);
    }
}

fn check_names(bundle: &LoadedBundle, out: &mut Report) {
    let name = bundle.csv_name();
    let replaces = text_at(bundle.csv_node(), &["spec", "replaces"]);
    let mut judge = |what: &str, name: &str, path: &[&str]| {
        if !is_subdomain(name) {
            let message =
                format!("{what} `{name}`: use lower-case letters, digits, `-` and `.`, at most 253");
            out.add_error(message, bundle.csv_location(path));
        } else if !is_label_value(name) {
            out.add_error(format!("{what} `{name}` is longer than 63 characters"), bundle.csv_location(path));
        }
    };
    judge("metadata.name", &name, &["metadata", "name"]);
    if !replaces.is_empty() {
        judge("spec.replaces", &replaces, &["spec", "replaces"]);
    }
}

/// Group, version and kind.
type Gvk = (String, String, String);

/// Compares the kinds of the examples with the provided APIs.
fn check_examples(bundle: &LoadedBundle, out: &mut Report) {
    let annotations = node_at(bundle.csv_node(), &["metadata", "annotations"]);
    let place = || bundle.csv_location(&["metadata", "annotations", "alm-examples"]);
    if annotations.is_none_or(|annotations| annotations.members().is_empty()) {
        out.add_warning("there are no annotations", bundle.csv_location(&["metadata"]));
        return;
    }
    let old = annotation_value(bundle.csv_node(), "alm-examples");
    let new = annotation_value(bundle.csv_node(), "olm.examples");
    let examples = match (old, new) {
        (None, None) => {
            out.add_warning("there are no examples: neither `alm-examples` nor `olm.examples`", place());
            return;
        }
        (Some(old), Some(_)) => {
            out.add_warning(
                "both `alm-examples` and `olm.examples` are there; only the first is read",
                place(),
            );
            old
        }
        (Some(examples), None) | (None, Some(examples)) => examples,
    };
    // An empty string does not contain an example.
    let given = if examples.is_empty() {
        Some(BTreeSet::new())
    } else {
        if let Err(error) = json::parse_json(examples.as_bytes()) {
            out.set_kind("ParseError").add_error(format!("the examples are no JSON: {error}"), place());
            return;
        }
        // Go reads them as a stream, so only the first value counts.
        document::parse_first(examples.as_bytes()).ok().and_then(|read| example_kinds(&read.node))
    };
    let Some(given) = given else {
        out.set_kind("ParseError")
            .add_error("the examples must be a JSON list of objects, each with a `kind`", place());
        return;
    };
    let (provided, wrong) = owned_apis(bundle);
    for name in wrong {
        let place = bundle.csv_location(&["spec", "customresourcedefinitions", "owned"]);
        let message = format!("the CRD name `{name}` is not plural.group");
        out.set_kind("ParseError").set_cause(Cause::OwnedName(name)).add_error(message, place);
    }
    for (group, version, kind) in &given {
        if !provided.contains(&(group.clone(), version.clone(), kind.clone())) {
            out.set_kind("OperationFailed").add_error(
                format!("an example of {group}/{version} {kind}, which the bundle does not own"),
                place(),
            );
        }
    }
    for (group, version, kind) in &provided {
        if !given.contains(&(group.clone(), version.clone(), kind.clone())) {
            let api = format!("{group}/{version} {kind}");
            let message = format!("{api} is owned and has no example");
            out.set_kind("OperationFailed").set_cause(Cause::NoExample(api)).add_warning(message, place());
        }
    }
}

/// Returns the kinds of the examples; `None` if they are not a list of objects with kinds.
fn example_kinds(examples: &Node) -> Option<BTreeSet<Gvk>> {
    let list = match &examples.value {
        Value::List(list) => list,
        Value::Null => return Some(BTreeSet::new()),
        _ => return None,
    };
    let mut kinds = BTreeSet::new();
    for example in list {
        let kind = example.get("kind")?.as_str().filter(|kind| !kind.is_empty())?;
        let api_version = example.get("apiVersion").and_then(Node::as_str).unwrap_or_default();
        if api_version.matches('/').count() > 1 {
            return None;
        }
        let (group, version) = split_api_version(api_version);
        kinds.insert((group.to_owned(), version.to_owned(), kind.to_owned()));
    }
    Some(kinds)
}

/// Returns the APIs that the CSV owns, and the invalid names of CRDs.
fn owned_apis(bundle: &LoadedBundle) -> (BTreeSet<Gvk>, Vec<String>) {
    let field = |node, key| text_at(node, &[key]).into_owned();
    let mut provided = BTreeSet::new();
    let mut wrong = Vec::new();
    for crd in items_at(bundle.csv_node(), &["spec", "customresourcedefinitions", "owned"]) {
        match text_at(crd, &["name"]).split_once('.') {
            Some((_, group)) => {
                provided.insert((group.to_owned(), field(crd, "version"), field(crd, "kind")));
            }
            None => wrong.push(field(crd, "name")),
        }
    }
    for api in items_at(bundle.csv_node(), &["spec", "apiservicedefinitions", "owned"]) {
        provided.insert((field(api, "group"), field(api, "version"), field(api, "kind")));
    }
    (provided, wrong)
}

fn check_install_modes(bundle: &LoadedBundle, out: &mut Report) {
    let place = || bundle.csv_location(&["spec", "installModes"]);
    let modes = items_at(bundle.csv_node(), &["spec", "installModes"]);
    if modes.is_empty() {
        out.add_error("there are no install modes", place());
        return;
    }
    let supported: Vec<_> = modes
        .iter()
        .filter(|mode| is_true_at(mode, &["supported"]))
        .map(|mode| text_at(mode, &["type"]))
        .collect();
    let converts = items_at(bundle.csv_node(), &["spec", "webhookdefinitions"])
        .iter()
        .any(|webhook| texts_at(webhook, &["conversionCRDs"]).next().is_some());
    if converts && supported.iter().any(|mode| mode != "AllNamespaces") {
        let message = "with conversionCRDs only the install mode AllNamespaces may be supported";
        out.set_cause(Cause::ConversionInstallModes).add_error(message, place());
    }
    if supported.is_empty() {
        out.add_error("no install mode is supported", place());
    }
}

fn check_annotation_spelling(bundle: &LoadedBundle, out: &mut Report) {
    let annotations =
        node_at(bundle.csv_node(), &["metadata", "annotations"]).map(Node::members).unwrap_or_default();
    for member in annotations {
        let proper = CASE_SENSITIVE.iter().find(|proper| proper.eq_ignore_ascii_case(&member.key));
        if let Some(proper) = proper.filter(|proper| **proper != member.key) {
            let place = Some(bundle.csv().location(member.key_span));
            out.set_kind(VALIDATION_FAILED).add_verdict(
                Level::Error,
                "",
                format!("the annotation `{}` must be spelled `{proper}`", member.key),
                place,
            );
        }
    }
}

/// Checks the minimum Kubernetes version; also used by OperatorHub's rules.
pub(super) fn check_min_kube_version(bundle: &LoadedBundle, out: &mut Report) {
    let place = || bundle.csv_location(&["spec", "minKubeVersion"]);
    let version = text_at(bundle.csv_node(), &["spec", "minKubeVersion"]);
    if version.trim().is_empty() {
        out.add_warning(
            "there is no `minKubeVersion`: the bundle is offered to clusters of any version",
            place(),
        );
    } else if let Err(error) = Version::parse(&version) {
        out.add_error(format!("minKubeVersion `{version}`: {error}"), place());
    }
}

fn check_required_fields(bundle: &LoadedBundle, out: &mut Report) {
    let csv = bundle.csv_node();
    let mut missing = |field: &str, path: &[&str]| {
        out.set_kind("FieldNotFound").add_verdict(
            Level::Error,
            field,
            format!("{field} is missing"),
            bundle.csv_location(path),
        );
    };
    if is_zero_value(node_at(csv, &["metadata"]), "ObjectMeta") {
        missing("ObjectMeta", &[]);
    }
    if is_zero_value(node_at(csv, &["spec"]), "ClusterServiceVersionSpec") {
        missing("Spec", &[]);
        return;
    }
    let install = node_at(csv, &["spec", "install"]);
    if is_zero_value(install, "NamedInstallStrategy") {
        missing("Spec.InstallStrategy", &["spec"]);
    } else {
        if text_at(csv, &["spec", "install", "strategy"]).is_empty() {
            missing("Spec.InstallStrategy.StrategyName", &["spec", "install"]);
        }
        if node_at(csv, &["spec", "install", "spec", "deployments"]).is_none() {
            missing("Spec.InstallStrategy.StrategySpec.DeploymentSpecs", &["spec", "install"]);
        }
    }
    if text_at(csv, &["spec", "displayName"]).is_empty() {
        missing("Spec.DisplayName", &["spec"]);
    }
}

/// Returns true if Go's value of a struct is its zero value: it does not have known fields. An empty list
/// counts as a value.
fn is_zero_value(node: Option<&Node>, type_name: &str) -> bool {
    let Some(node) = node else { return true };
    let written = Node::new(write_as_go(node, type_name, DecoderKind::Yaml), Span::default());
    is_null_or_empty(&written) && !contains_list(node)
}

fn is_null_or_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::String(text) => text.is_empty() || text == "0.0.0",
        Value::Number(number) => number.0 == "0",
        Value::List(items) => items.is_empty(),
        Value::Map(members) => members.iter().all(|member| is_null_or_empty(&member.value)),
    }
}

/// Returns true if a tree contains a list. Uses an explicit stack, because unknown fields may be nested 10,000
/// levels deep.
fn contains_list(node: &Node) -> bool {
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if matches!(node.value, Value::List(_)) {
            return true;
        }
        left.extend(node.members().iter().map(|member| &member.value));
    }
    false
}
