//! Rules that check the objects that consoles offer: examples and the initialization resource.

use std::collections::HashMap;

use super::{BundleSubject, annotations::CsvAnnotation};
use crate::{Finding, FindingLocation, Rule, Severity, findings::Findings, format::format_list, rules};
use olm_bundle::{
    console_annotations::INITIALIZATION_RESOURCE,
    field_access::{annotation_value, items_at, split_api_version, text_at},
    registry::{Csv, Object},
    schema::{self, Budget, VersionSchema},
};
use olm_catalog::{Node, Span, Value, text::json};

/// Maximum length of the name and of the kind of an example in messages, in characters.
const MAX_NAME_LENGTH: usize = 100;

/// Maximum number of faults that a finding lists besides the first.
const MAX_RELATED: usize = 10;

/// CRDs of a bundle with their schemas, and the budget of all validations.
struct ExampleSchemas<'s, 'a> {
    crds: HashMap<(String, String), &'s Object<'a>>,
    schemas: HashMap<(String, String), Option<VersionSchema<'s>>>,
    budget: Budget,
}

/// Faults of examples with their locations, in order.
#[derive(Default)]
struct ExampleFaults {
    list: Vec<(String, FindingLocation)>,
    /// Number of further faults.
    unlisted: usize,
}

impl<'s, 'a> ExampleSchemas<'s, 'a> {
    fn from_bundle(s: &'s BundleSubject<'a>) -> Self {
        let mut crds: HashMap<(String, String), &Object<'_>> = HashMap::new();
        for crd in s.crds() {
            let field = |path: &[&str]| text_at(&crd.document.node, path).into_owned();
            crds.entry((field(&["spec", "group"]), field(&["spec", "names", "kind"]))).or_insert(crd);
        }
        Self { crds, schemas: HashMap::new(), budget: Budget::default() }
    }

    /// Validates an example and adds its faults. Returns false if the budget does not suffice.
    fn validate_example(
        &mut self,
        example: &Node<'_>,
        called: &str,
        locate: impl Fn(Span) -> FindingLocation,
        faults: &mut ExampleFaults,
    ) -> bool {
        let (api, kind) = (text_at(example, &["apiVersion"]), text_at(example, &["kind"]));
        let crds = &self.crds;
        let of =
            *self.schemas.entry((api.clone().into_owned(), kind.clone().into_owned())).or_insert_with(|| {
                let (group, version) = api.split_once('/')?;
                let crd = crds.get(&(group.to_owned(), kind.clone().into_owned()))?;
                schema::version_schema(&crd.document.node, version)
            });
        let Some(of) = of else { return true };
        let result = of.validate(example, &self.budget);
        for fault in result.list {
            let what = [called, fault.field.as_str()].join(": ");
            let message = format!("{} {}", what.trim_end_matches(": "), fault.message);
            faults.list.push((message, locate(fault.span)));
        }
        faults.unlisted += result.more;
        !self.budget.is_spent()
    }
}

pub(crate) fn example_schema(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let key =
        ["alm-examples", "olm.examples"].into_iter().find(|key| annotation_value(csv.node(), key).is_some());
    let Some(annotation) = key.and_then(|key| CsvAnnotation::by_key(s, key)) else { return };
    // The suite csv reports JSON that cannot be parsed.
    let Ok(examples) = json::parse_json(annotation.text.as_bytes()) else { return };
    let mut schemas = ExampleSchemas::from_bundle(s);
    let mut faults = ExampleFaults::default();
    let mut is_cut = None;
    let embedded = annotation.embedded_text();
    let locate = |span| s.location_in_object(csv.object, embedded.span_in_document(span));
    for example in examples.items() {
        let short = |text: &str| text.chars().take(MAX_NAME_LENGTH).collect::<String>();
        let name = short(&text_at(example, &["metadata", "name"]));
        let called = [short(&text_at(example, &["kind"])), name].join(" ");
        let called = format!("the example {}", called.trim_end());
        if !schemas.validate_example(example, &called, locate, &mut faults) {
            let message = format!(
                "{called} is too much for its schema: it was not looked at to the end, nor any after it"
            );
            let mut finding = Finding::new(&rules::EXAMPLE_SCHEMA, message).at_location(locate(example.span));
            finding.severity = Severity::Note;
            is_cut = Some(finding);
            break;
        }
    }
    found.extend(faults.into_finding(&rules::EXAMPLE_SCHEMA, "examples"));
    found.extend(is_cut);
}

impl ExampleFaults {
    /// Merges the faults into one finding.
    fn into_finding(self, rule: &'static Rule, of: &str) -> Option<Finding> {
        let Self { list: mut all, unlisted } = self;
        let more = unlisted + all.len().saturating_sub(1);
        all.sort_by(|(fault, at), (other, other_at)| (at, fault).cmp(&(other_at, other)));
        let mut all = all.into_iter();
        let (first, at) = all.next()?;
        let message = match more {
            0 => first,
            1 => format!("{first}; and 1 more fault of the {of}"),
            more => format!("{first}; and {more} more faults of the {of}"),
        };
        let finding = Finding::new(rule, message).at_location(at);
        Some(
            all.take(MAX_RELATED)
                .fold(finding, |finding, (fault, at)| finding.with_related_location(fault, at)),
        )
    }
}

pub(crate) fn initialization_resource(s: &BundleSubject<'_>, found: &mut Findings) {
    const RULE: &Rule = &rules::INITIALIZATION_RESOURCE;
    let Some(annotation) = CsvAnnotation::by_key(s, INITIALIZATION_RESOURCE) else { return };
    let report =
        |fault: &str| Finding::new(RULE, format!("initialization-resource {fault}: no console offers it"));
    let Ok(object) = json::parse_json(annotation.text.as_bytes()) else {
        return found.push(report("is not JSON").at_location(annotation.whole_location()));
    };
    if !matches!(object.value, Value::Map(_)) {
        let finding = report("is not a JSON object").with_help("write one object; a list is not allowed");
        return found.push(finding.at_location(annotation.whole_location()));
    }
    let missing: Vec<&str> =
        [("apiVersion", &["apiVersion"][..]), ("kind", &["kind"]), ("metadata.name", &["metadata", "name"])]
            .into_iter()
            .filter(|(_, path)| text_at(&object, path).is_empty())
            .map(|(field, _)| field)
            .collect();
    if !missing.is_empty() {
        let finding = report(&format!("has no {}", format_list(missing)));
        return found.push(finding.at_location(annotation.location_in_text(object.span)));
    }
    let (api, kind) = (text_at(&object, &["apiVersion"]), text_at(&object, &["kind"]));
    if !s.describes_api(&api, &kind) {
        let message = format!(
            "initialization-resource is of the kind {kind} of {api}, which the ClusterServiceVersion neither owns nor requires"
        );
        let span = object.get("kind").unwrap_or(&object).span;
        return found.push(Finding::new(RULE, message).at_location(annotation.location_in_text(span)));
    }
    let mut faults = ExampleFaults::default();
    let locate = |span| annotation.location_in_text(span);
    let mut schemas = ExampleSchemas::from_bundle(s);
    if !schemas.validate_example(&object, "the initialization resource", locate, &mut faults) {
        let message = "the initialization resource is too large for its schema: a part was not checked";
        let mut finding = Finding::new(RULE, message).at_location(locate(object.span));
        finding.severity = Severity::Note;
        found.push(finding);
    }
    found.extend(faults.into_finding(RULE, "initialization resource"));
}

impl BundleSubject<'_> {
    /// Returns true if the `ClusterServiceVersion` owns or requires a kind of an API version, or if
    /// the bundle has its CRD.
    fn describes_api(&self, api_version: &str, kind: &str) -> bool {
        let (group, version) = split_api_version(api_version);
        let node = self.csv().map(Csv::node);
        let is_crd = |crd: &Node<'_>| {
            let name = text_at(crd, &["name"]);
            name.split_once('.').is_some_and(|(_, of)| of == group)
        };
        let is_service = |service: &Node<'_>| text_at(service, &["group"]) == group;
        let is_described = ["owned", "required"].into_iter().any(|list| {
            let items = |key| node.map(|csv| items_at(csv, &["spec", key, list])).unwrap_or_default().iter();
            let crds = items("customresourcedefinitions").filter(|crd| is_crd(crd));
            let services = items("apiservicedefinitions").filter(|service| is_service(service));
            crds.chain(services)
                .any(|api| text_at(api, &["kind"]) == kind && text_at(api, &["version"]) == version)
        });
        // A CRD may have versions that no description lists.
        is_described
            || self.crds().any(|crd| {
                let node = &crd.document.node;
                text_at(node, &["spec", "group"]) == group
                    && text_at(node, &["spec", "names", "kind"]) == kind
                    && items_at(node, &["spec", "versions"])
                        .iter()
                        .any(|item| text_at(item, &["name"]) == version)
            })
    }
}
