//! Rules about annotations of the `ClusterServiceVersion` that consoles read. A console ignores an
//! annotation with another form than it expects.

use std::collections::{BTreeSet, HashSet};

use super::{BundleSubject, EmbeddedText};
use crate::{Finding, FindingLocation, Rule, Severity, findings::Findings, format::format_list, rules};
use olm_bundle::{
    console_annotations::{
        INFRASTRUCTURE_FEATURE_NAMES, INFRASTRUCTURE_FEATURES, INTERNAL_OBJECTS, InfrastructureFeature,
        SUGGESTED_NAMESPACE, SUGGESTED_NAMESPACE_TEMPLATE, VALID_SUBSCRIPTION, is_namespace_name,
        parse_string_list,
    },
    field_access::{items_at, node_at, text_at},
    registry::Csv,
};
use olm_catalog::{Node, Span, Value, similar_names, text::json};

/// Annotation of the `ClusterServiceVersion` with a text.
pub(super) struct CsvAnnotation<'s, 'a> {
    subject: &'s BundleSubject<'a>,
    csv: Csv<'s, 'a>,
    node: &'s Node<'a>,
    /// Text of the annotation.
    pub text: &'s str,
}

impl<'s, 'a> CsvAnnotation<'s, 'a> {
    /// Returns an annotation; `None` if it is absent or not a text.
    pub fn by_key(subject: &'s BundleSubject<'a>, key: &str) -> Option<Self> {
        let csv = subject.csv()?;
        let node = node_at(csv.node(), &["metadata", "annotations"])?.get(key)?;
        Some(Self { subject, csv, node, text: node.as_str()? })
    }

    /// Returns the location of the whole annotation.
    pub fn whole_location(&self) -> FindingLocation {
        self.subject.location_in_object(self.csv.object, self.node.span)
    }

    /// Returns its text with positions in the document, for many parts of a long text.
    pub fn embedded_text(&self) -> EmbeddedText<'s> {
        EmbeddedText::new(self.csv.object, self.node, self.text)
    }

    /// Returns the location of a part of its text.
    pub fn location_in_text(&self, span: Span) -> FindingLocation {
        let span = self.embedded_text().span_in_document(span);
        self.subject.location_in_object(self.csv.object, span)
    }

    /// Returns the distinct items of its list, or the finding that it is not a list of strings.
    fn string_list(&self, rule: &'static Rule, effect: &str) -> Result<Vec<(String, Span)>, Box<Finding>> {
        let Some(list) = parse_string_list(self.text) else {
            let message = format!("{} is not a JSON list of strings: {effect}", rule.id);
            return Err(Box::new(Finding::new(rule, message).at_location(self.whole_location())));
        };
        let mut seen = HashSet::new();
        let items = list.items().iter().filter_map(|item| Some((item.as_str()?.to_owned(), item.span)));
        Ok(items.filter(|(name, _)| seen.insert(name.clone())).collect())
    }
}

pub(crate) fn infrastructure_features(s: &BundleSubject<'_>, found: &mut Findings) {
    const RULE: &Rule = &rules::INFRASTRUCTURE_FEATURES;
    let Some(annotation) = CsvAnnotation::by_key(s, INFRASTRUCTURE_FEATURES) else { return };
    let items = match annotation.string_list(RULE, "consoles show none of the features") {
        Ok(items) => items,
        Err(finding) => return found.push(*finding),
    };
    for (name, span) in items {
        let finding = match InfrastructureFeature::from_value(&name) {
            InfrastructureFeature::Documented(_) => continue,
            InfrastructureFeature::ConsoleOnly(documented) => {
                let message = format!("only the OpenShift console reads the feature `{name}`");
                let help =
                    documented.map_or_else(String::new, |name| format!("write {name}, as it is documented"));
                let mut finding = Finding::new(RULE, message).with_help(help);
                finding.severity = Severity::Note;
                finding
            }
            InfrastructureFeature::Unknown => {
                let message = format!("no console reads the feature `{name}`");
                let known = INFRASTRUCTURE_FEATURE_NAMES.into_iter();
                let help = similar_names::suggest_closest(&name, known.clone()).map_or_else(
                    || format!("the features are {}", format_list(known)),
                    |meant| format!("did you mean {meant}?"),
                );
                Finding::new(RULE, message).with_help(help)
            }
        };
        found.push(finding.with_detail(name).at_location(annotation.location_in_text(span)));
    }
}

pub(crate) fn valid_subscription(s: &BundleSubject<'_>, found: &mut Findings) {
    const RULE: &Rule = &rules::VALID_SUBSCRIPTION;
    let Some(annotation) = CsvAnnotation::by_key(s, VALID_SUBSCRIPTION) else { return };
    match annotation.string_list(RULE, "consoles show no subscription") {
        Err(finding) => found.push(*finding),
        Ok(items) => {
            for (_, span) in items.into_iter().filter(|(name, _)| name.trim().is_empty()) {
                let finding = Finding::new(RULE, "an item of valid-subscription is empty");
                found.push(
                    finding
                        .with_help("name the subscription, or remove the item")
                        .at_location(annotation.location_in_text(span)),
                );
            }
        }
    }
}

pub(crate) fn internal_objects(s: &BundleSubject<'_>, found: &mut Findings) {
    const RULE: &Rule = &rules::INTERNAL_OBJECTS;
    let Some(annotation) = CsvAnnotation::by_key(s, INTERNAL_OBJECTS) else { return };
    let items = match annotation.string_list(RULE, "consoles show the CRDs that it should hide") {
        Ok(items) => items,
        Err(finding) => return found.push(*finding),
    };
    let known = s.crd_names(annotation.csv);
    for (name, span) in items.into_iter().filter(|(name, _)| !known.contains(name)) {
        let message = format!("internal-objects names {name}, which is not a CRD of the bundle");
        let mut finding = Finding::new(RULE, message);
        match similar_names::suggest_closest(&name, known.iter().map(String::as_str)) {
            Some(meant) => finding = finding.with_help(format!("did you mean {meant}?")),
            // Without a similar CRD, no CRD stays visible by mistake.
            None => finding.severity = Severity::Note,
        }
        found.push(finding.with_detail(name).at_location(annotation.location_in_text(span)));
    }
}

impl BundleSubject<'_> {
    /// Returns the names of the CRDs of the bundle, and of those that the `ClusterServiceVersion`
    /// owns or requires.
    fn crd_names(&self, csv: Csv<'_, '_>) -> BTreeSet<String> {
        let described = ["owned", "required"].into_iter().flat_map(|list| {
            items_at(csv.node(), &["spec", "customresourcedefinitions", list])
                .iter()
                .map(|crd| text_at(crd, &["name"]).into_owned())
        });
        described.chain(self.crds().map(|crd| crd.name().to_owned())).collect()
    }
}

pub(crate) fn suggested_namespace(s: &BundleSubject<'_>, found: &mut Findings) {
    let plain = CsvAnnotation::by_key(s, SUGGESTED_NAMESPACE);
    let plain = plain.filter(|annotation| !annotation.text.is_empty());
    if let Some(annotation) = plain.as_ref().filter(|annotation| !is_namespace_name(annotation.text)) {
        found.push(
            invalid_name("the annotation suggested-namespace", annotation.text)
                .at_location(annotation.whole_location()),
        );
    }
    let Some(template) = CsvAnnotation::by_key(s, SUGGESTED_NAMESPACE_TEMPLATE) else { return };
    let (name, span) = match template_name(template.text) {
        Ok(name) => name,
        Err(fault) => {
            let message =
                format!("suggested-namespace-template {fault}: consoles propose no namespace for it");
            let help = "write the JSON of a Namespace with metadata.name";
            let finding = Finding::new(&rules::SUGGESTED_NAMESPACE, message).with_help(help);
            found.push(finding.at_location(template.whole_location()));
            return;
        }
    };
    let place = template.location_in_text(span);
    if !is_namespace_name(&name) {
        found.push(invalid_name("the name in suggested-namespace-template", &name).at_location(place));
    } else if let Some(plain) = plain.filter(|annotation| annotation.text != name) {
        let message = format!(
            "suggested-namespace is `{}`, but suggested-namespace-template is for `{name}`, which consoles prefer",
            plain.text
        );
        let finding = Finding::new(&rules::SUGGESTED_NAMESPACE, message)
            .with_help("write the same name, or remove one of them")
            .at_location(place)
            .with_related_location("the other name", plain.whole_location());
        found.push(finding);
    }
}

fn invalid_name(what: &str, name: &str) -> Finding {
    let message = format!("{what} is `{name}`, but a namespace cannot have this name");
    Finding::new(&rules::SUGGESTED_NAMESPACE, message)
}

/// Returns the name of the namespace in a template and its place in the text, or the fault.
fn template_name(text: &str) -> Result<(String, Span), &'static str> {
    let template = json::parse_json(text.as_bytes()).map_err(|_| "is not JSON")?;
    if !matches!(template.value, Value::Map(_)) {
        return Err("is not a JSON object");
    }
    let name = template.get("metadata").and_then(|metadata| metadata.get("name"));
    let name = name.and_then(|name| Some((name.as_str()?.to_owned(), name.span)));
    name.filter(|(name, _)| !name.is_empty()).ok_or("has no metadata.name")
}
