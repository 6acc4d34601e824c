//! Rules about fields of the `ClusterServiceVersion` that users see in consoles.

use super::{BundleSubject, annotations::CsvAnnotation};
use crate::{
    Finding, FindingLocation, Rule, Severity,
    findings::Findings,
    format::{format_list, format_name},
    rules,
};
use olm_bundle::{
    console_annotations::{CAPABILITY_LEVELS, INTERNAL_OBJECTS, MATURITY_LEVELS, parse_string_list},
    field_access::{items_at, node_at, text_at},
    registry::Csv,
};
use olm_catalog::{Node, Value, similar_names};

/// Maximum number of related locations of a finding.
const MAX_RELATED: usize = 10;

/// Required field with the severity of its absence; `None` if nothing reads it.
type RequiredField = (&'static str, &'static [&'static str], Option<Severity>);

/// Fields that the documentation requires and no other default check asks for.
const REQUIRED_FIELDS: [RequiredField; 6] = [
    ("spec.description", &["spec", "description"], Some(Severity::Warning)),
    ("spec.provider.name", &["spec", "provider", "name"], Some(Severity::Warning)),
    ("spec.keywords", &["spec", "keywords"], Some(Severity::Note)),
    ("spec.maintainers", &["spec", "maintainers"], Some(Severity::Note)),
    ("the annotation capabilities", &["metadata", "annotations", "capabilities"], Some(Severity::Note)),
    ("spec.labels", &["spec", "labels"], None),
];

/// Returns true if a field is absent or does not have content.
fn is_blank(node: Option<&Node<'_>>) -> bool {
    node.is_none_or(|node| match &node.value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    })
}

pub(crate) fn required_fields(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    // The suite csv reports a missing spec.
    let Some(spec) = csv.node().members().iter().find(|member| member.key.eq_ignore_ascii_case("spec"))
    else {
        return;
    };
    let missing: Vec<&RequiredField> =
        REQUIRED_FIELDS.iter().filter(|(_, path, _)| is_blank(node_at(csv.node(), path))).collect();
    // Severities are ordered from the most severe.
    let Some(severity) = missing.iter().filter_map(|(.., severity)| *severity).min() else { return };
    let names = format_list(missing.iter().map(|(name, ..)| name));
    let is = if missing.len() == 1 { "is" } else { "are" };
    let mut finding = Finding::new(&rules::MISSING_CSV_FIELD, format!("{names} {is} missing"))
        .at_location(s.location_in_object(csv.object, spec.key_span));
    finding.severity = severity;
    found.push(finding);
}

/// Returns the finding about a value that is not one of a list.
fn unknown_value(rule: &'static Rule, what: &str, value: &str, allowed: &[&'static str]) -> Option<Finding> {
    if value.is_empty() || allowed.contains(&value) {
        return None;
    }
    let help = similar_names::suggest_closest(value, allowed.iter().copied()).map_or_else(
        || format!("write one of {}", allowed.join(", ")),
        |meant| format!("did you mean {meant}?"),
    );
    Some(Finding::new(rule, format!("{what} is `{value}`, which is not one of the levels")).with_help(help))
}

pub(crate) fn capability_level(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(annotation) = CsvAnnotation::by_key(s, "capabilities") else { return };
    let finding =
        unknown_value(&rules::CAPABILITY_LEVEL, "capabilities", annotation.text, &CAPABILITY_LEVELS);
    found.extend(finding.map(|finding| finding.at_location(annotation.whole_location())));
}

pub(crate) fn maturity_level(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let Some(node) = node_at(csv.node(), &["spec", "maturity"]) else { return };
    let finding = node
        .as_str()
        .and_then(|value| unknown_value(&rules::MATURITY_LEVEL, "spec.maturity", value, &MATURITY_LEVELS));
    found.extend(finding.map(|finding| finding.at_location(s.location_in_object(csv.object, node.span))));
}

/// Lists of APIs in a `ClusterServiceVersion`.
const API_LISTS: [(&str, &str); 4] = [
    ("customresourcedefinitions", "owned"),
    ("customresourcedefinitions", "required"),
    ("apiservicedefinitions", "owned"),
    ("apiservicedefinitions", "required"),
];

/// API without a display name or a description.
struct UndescribedApi {
    kind: String,
    missing: &'static str,
    at: FindingLocation,
}

pub(crate) fn api_descriptions(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let internal = internal_crds(csv);
    let mut apis = Vec::new();
    for (key, list) in API_LISTS {
        for api in items_at(csv.node(), &["spec", key, list]) {
            let is_blank_at = |field| is_blank(api.get(field));
            let missing = match (is_blank_at("displayName"), is_blank_at("description")) {
                (false, false) => continue,
                (true, true) => "no displayName and no description",
                (true, false) => "no displayName",
                (false, true) => "no description",
            };
            // Consoles do not show internal CRDs.
            if internal.iter().any(|name| *name == text_at(api, &["name"])) {
                continue;
            }
            let span = api.get("kind").unwrap_or(api).span;
            apis.push(UndescribedApi {
                kind: text_at(api, &["kind"]).into_owned(),
                missing,
                at: s.location_in_object(csv.object, span),
            });
        }
    }
    let count = apis.len();
    let mut apis = apis.into_iter();
    let Some(first) = apis.next() else { return };
    let called = format_name("API", &first.kind);
    let more = match count {
        1 => String::new(),
        2 => "; 1 more API is incomplete too".to_owned(),
        count => format!("; {} more APIs are incomplete too", count - 1),
    };
    let mut finding = Finding::new(&rules::API_DESCRIPTION, format!("{called} has {}{more}", first.missing))
        .at_location(first.at);
    for api in apis.take(MAX_RELATED) {
        let what = format!("{} has {}", format_name("API", &api.kind), api.missing);
        finding = finding.with_related_location(what, api.at);
    }
    found.push(finding);
}

/// Returns the CRDs that consoles hide.
fn internal_crds(csv: Csv<'_, '_>) -> Vec<String> {
    let list = csv.annotation(INTERNAL_OBJECTS).and_then(parse_string_list);
    let items = list.as_ref().map(Node::items).unwrap_or_default();
    items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect()
}
