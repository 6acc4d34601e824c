//! Rules about catalogs that also check bundle directories, with locations in their files. The
//! rules about catalogs do not check catalogs that are rendered from bundle directories.

use super::{BundleSubject, EmbeddedText};
use crate::{
    Finding, FindingLocation, bundle::describe_empty_image, findings::Findings,
    readiness::max_openshift_fault, rules,
};
use olm_bundle::{
    TreeFile, document,
    field_access::{items_at, node_at},
    registry::{BundleLocation, Csv},
};
use olm_catalog::{Node, Span, Value, text::json::parse_json};

/// Property that limits the OpenShift version of the cluster.
const MAX_OPENSHIFT: &str = "olm.maxOpenShiftVersion";

/// Adds the findings of all shared rules.
pub(super) fn check_shared_rules(s: &BundleSubject<'_>, found: &mut Findings) {
    empty_related_image(s, found);
    max_openshift_version(s, found);
}

/// Reports related images without an image.
fn empty_related_image(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let mut finding: Option<Finding> = None;
    for item in items_at(csv.node(), &["spec", "relatedImages"]) {
        let image = item.get("image");
        if !matches!(item.value, Value::Map(_) | Value::Null) {
            continue;
        }
        if !image.is_none_or(|image| image.is_null() || image.as_str() == Some("")) {
            continue;
        }
        let name = item.get("name").and_then(Node::as_str).unwrap_or_default();
        let at = s.location_in_object(csv.object, image.map_or(item.span, |image| image.span));
        let message = describe_empty_image(name, csv.name());
        finding = Some(match finding {
            None => Finding::new(&rules::EMPTY_RELATED_IMAGE, message).at_location(at),
            Some(first) => first.with_related_location(message, at),
        });
    }
    found.extend(finding);
}

/// Reports values of `olm.maxOpenShiftVersion` that are not major.minor.
fn max_openshift_version(s: &BundleSubject<'_>, found: &mut Findings) {
    let mut values: Vec<(String, bool, FindingLocation)> = Vec::new();
    if let Some(limits) = s.directory.tree.files_in("metadata").find_map(limits_in_file) {
        let located =
            limits.into_iter().map(|(text, is_number, place)| (text, is_number, s.location(&place)));
        values.extend(located);
    }
    if let Some(csv) = s.csv() {
        values.extend(annotated_limits(s, csv));
    }
    for (text, is_number, at) in values {
        let value = if is_number { shortest_number(&text) } else { text.clone() };
        if let Some(fault) = max_openshift_fault(&text, &value) {
            let name = s.csv().map_or("the bundle", Csv::name);
            let mut finding = Finding::new(
                &rules::MAX_OPENSHIFT_VERSION,
                format!("olm.maxOpenShiftVersion of {name} is {}", fault.what),
            );
            finding.help = fault.help;
            found.push(finding.at_location(at));
        }
    }
}

/// Returns the values in a file of `metadata/`: the text, true for a number, and the location.
/// `None` if the file has no properties, so that opm reads the next one.
fn limits_in_file(file: &TreeFile) -> Option<Vec<(String, bool, BundleLocation)>> {
    let document = document::parse_first(file.content_or_empty()).ok()?;
    let properties = document.node.get("properties")?.items();
    let limits = properties.iter().filter_map(|property| {
        let value = limit_value(property)?;
        let range = value.span.range();
        let span = Span::new(document.start + range.start, document.start + range.end);
        let written = file.content_or_empty().get(span.range())?;
        let (text, is_number) = match &value.value {
            Value::String(text) => (text.clone().into_owned(), false),
            Value::Number(_) => (String::from_utf8_lossy(written).into_owned(), true),
            _ => return None,
        };
        Some((text, is_number, BundleLocation { file: file.path.clone(), span }))
    });
    (!properties.is_empty()).then(|| limits.collect())
}

/// Returns the values in the annotation `olm.properties` of the CSV.
fn annotated_limits(s: &BundleSubject<'_>, csv: Csv<'_, '_>) -> Vec<(String, bool, FindingLocation)> {
    let annotation = ["metadata", "annotations", "olm.properties"];
    let Some(node) = node_at(csv.node(), &annotation) else { return Vec::new() };
    let Some(text) = node.as_str() else { return Vec::new() };
    let Ok(list) = parse_json(text.as_bytes()) else { return Vec::new() };
    let embedded = EmbeddedText::new(csv.object, node, text);
    let limits = list.items().iter().filter_map(|property| {
        let value = limit_value(property)?;
        let (limit, is_number) = match &value.value {
            Value::String(limit) => (limit.clone().into_owned(), false),
            Value::Number(_) => (text.get(value.span.range())?.to_owned(), true),
            _ => return None,
        };
        Some((limit, is_number, s.location_in_object(csv.object, embedded.span_in_document(value.span))))
    });
    limits.collect()
}

/// Returns the value of a property that limits the OpenShift version.
fn limit_value<'n, 'a>(property: &'n Node<'a>) -> Option<&'n Node<'a>> {
    let kind = property.get("type").and_then(Node::as_str);
    property.get("value").filter(|_| kind == Some(MAX_OPENSHIFT))
}

/// Returns a number in its shortest form, as in a catalog: `4.2` for `4.20`.
fn shortest_number(text: &str) -> String {
    text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| number.to_string())
}
