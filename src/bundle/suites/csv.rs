//! Suite `csv`.
//!
//! Source: `operator-framework/api`, `pkg/validation/internal/csv.go`.

use std::collections::BTreeSet;

use super::{
    Cause, FAILED, Level, Report, csv_fields,
    loaded::Loaded,
    names::{is_label_value, is_subdomain},
};
use crate::{
    bundle::{
        document,
        read::{annotation, at, group_and_version, items, text, texts, truth},
    },
    catalog::{Node, Value, text::json},
    version::Version,
};

/// Annotations with case-sensitive spelling.
const CASE_SENSITIVE: [&str; 5] = [
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
    "olm.providedAPIs",
    "olm.skipRange",
];

pub(super) fn check(bundle: &Loaded, out: &mut Report) {
    names(bundle, out);
    examples(bundle, out);
    install_modes(bundle, out);
    csv_fields::check(bundle, out);
    spelling(bundle, out);
    if text(bundle.node(), &["apiVersion"]).is_empty() {
        out.error("`apiVersion` is missing", bundle.place(&[]));
    }
    min_kube_version(bundle, out);
    if annotation(bundle.node(), "olm.properties").is_some() {
        let place = bundle.place(&["metadata", "annotations", "olm.properties"]);
        out.with_kind("PropertiesAnnotationUsed")
            .warning("the annotation `olm.properties` belongs into metadata/properties.yaml", place);
    }
}

fn names(bundle: &Loaded, out: &mut Report) {
    let name = bundle.name();
    let replaces = text(bundle.node(), &["spec", "replaces"]);
    let mut judge = |what: &str, name: &str, path: &[&str]| {
        if !is_subdomain(name) {
            let message =
                format!("{what} `{name}`: use lower-case letters, digits, `-` and `.`, at most 253");
            out.error(message, bundle.place(path));
        } else if !is_label_value(name) {
            out.error(format!("{what} `{name}` is longer than 63 characters"), bundle.place(path));
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
fn examples(bundle: &Loaded, out: &mut Report) {
    let annotations = at(bundle.node(), &["metadata", "annotations"]);
    let place = || bundle.place(&["metadata", "annotations", "alm-examples"]);
    if annotations.is_none_or(|annotations| annotations.members().is_empty()) {
        out.warning("there are no annotations", bundle.place(&["metadata"]));
        return;
    }
    let old = annotation(bundle.node(), "alm-examples");
    let new = annotation(bundle.node(), "olm.examples");
    let examples = match (old, new) {
        (None, None) => {
            out.warning("there are no examples: neither `alm-examples` nor `olm.examples`", place());
            return;
        }
        (Some(old), Some(_)) => {
            out.warning("both `alm-examples` and `olm.examples` are there; only the first is read", place());
            old
        }
        (Some(examples), None) | (None, Some(examples)) => examples,
    };
    // An empty string does not contain an example.
    let given = if examples.is_empty() {
        Some(BTreeSet::new())
    } else {
        if let Err(error) = json::parse(examples.as_bytes()) {
            out.with_kind("ParseError").error(format!("the examples are no JSON: {error}"), place());
            return;
        }
        // Go reads them as a stream, so only the first value counts.
        document::first(examples.as_bytes()).ok().and_then(|read| example_kinds(&read.node))
    };
    let Some(given) = given else {
        out.with_kind("ParseError")
            .error("the examples must be a JSON list of objects, each with a `kind`", place());
        return;
    };
    let (provided, wrong) = provided(bundle);
    for name in wrong {
        let place = bundle.place(&["spec", "customresourcedefinitions", "owned"]);
        let message = format!("the CRD name `{name}` is not plural.group");
        out.with_kind("ParseError").with_cause(Cause::OwnedName(name)).error(message, place);
    }
    for (group, version, kind) in &given {
        if !provided.contains(&(group.clone(), version.clone(), kind.clone())) {
            out.with_kind("OperationFailed").error(
                format!("an example of {group}/{version} {kind}, which the bundle does not own"),
                place(),
            );
        }
    }
    for (group, version, kind) in &provided {
        if !given.contains(&(group.clone(), version.clone(), kind.clone())) {
            let api = format!("{group}/{version} {kind}");
            let message = format!("{api} is owned and has no example");
            out.with_kind("OperationFailed").with_cause(Cause::NoExample(api)).warning(message, place());
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
        let (group, version) = group_and_version(api_version);
        kinds.insert((group.to_owned(), version.to_owned(), kind.to_owned()));
    }
    Some(kinds)
}

/// Returns the APIs that the CSV owns, and the invalid names of CRDs.
fn provided(bundle: &Loaded) -> (BTreeSet<Gvk>, Vec<String>) {
    let field = |node, key| text(node, &[key]).into_owned();
    let mut provided = BTreeSet::new();
    let mut wrong = Vec::new();
    for crd in items(bundle.node(), &["spec", "customresourcedefinitions", "owned"]) {
        match text(crd, &["name"]).split_once('.') {
            Some((_, group)) => {
                provided.insert((group.to_owned(), field(crd, "version"), field(crd, "kind")));
            }
            None => wrong.push(field(crd, "name")),
        }
    }
    for api in items(bundle.node(), &["spec", "apiservicedefinitions", "owned"]) {
        provided.insert((field(api, "group"), field(api, "version"), field(api, "kind")));
    }
    (provided, wrong)
}

fn install_modes(bundle: &Loaded, out: &mut Report) {
    let place = || bundle.place(&["spec", "installModes"]);
    let modes = items(bundle.node(), &["spec", "installModes"]);
    if modes.is_empty() {
        out.error("there are no install modes", place());
        return;
    }
    let supported: Vec<_> =
        modes.iter().filter(|mode| truth(mode, &["supported"])).map(|mode| text(mode, &["type"])).collect();
    let converts = items(bundle.node(), &["spec", "webhookdefinitions"])
        .iter()
        .any(|webhook| texts(webhook, &["conversionCRDs"]).next().is_some());
    if converts && supported.iter().any(|mode| mode != "AllNamespaces") {
        let message = "with conversionCRDs only the install mode AllNamespaces may be supported";
        out.with_cause(Cause::ConversionInstallModes).error(message, place());
    }
    if supported.is_empty() {
        out.error("no install mode is supported", place());
    }
}

fn spelling(bundle: &Loaded, out: &mut Report) {
    let annotations = at(bundle.node(), &["metadata", "annotations"]).map(Node::members).unwrap_or_default();
    for member in annotations {
        let proper = CASE_SENSITIVE.iter().find(|proper| proper.eq_ignore_ascii_case(&member.key));
        if let Some(proper) = proper.filter(|proper| **proper != member.key) {
            let place = Some(bundle.csv().place(member.key_span));
            out.with_kind(FAILED).add(
                Level::Error,
                "",
                format!("the annotation `{}` must be spelled `{proper}`", member.key),
                place,
            );
        }
    }
}

/// Checks the minimum Kubernetes version; also used by OperatorHub's rules.
pub(super) fn min_kube_version(bundle: &Loaded, out: &mut Report) {
    let place = || bundle.place(&["spec", "minKubeVersion"]);
    let version = text(bundle.node(), &["spec", "minKubeVersion"]);
    if version.trim().is_empty() {
        out.warning(
            "there is no `minKubeVersion`: the bundle is offered to clusters of any version",
            place(),
        );
    } else if let Err(error) = Version::parse(&version) {
        out.error(format!("minKubeVersion `{version}`: {error}"), place());
    }
}
