//! Rule that checks examples against the schemas of their CRDs.

use std::collections::HashMap;

use super::{BundleSubject, EmbeddedText};
use crate::{Finding, FindingLocation, Severity, findings::Findings, rules};
use olm_bundle::{
    field_access::{annotation_value, node_at, text_at},
    registry::Object,
    schema::{self, Budget, VersionSchema},
};
use olm_catalog::text::json;

/// Maximum length of the name and of the kind of an example in messages, in characters.
const MAX_NAME_LENGTH: usize = 100;

/// Maximum number of faults that a finding lists besides the first.
const MAX_RELATED: usize = 10;

pub(crate) fn example_schema(s: &BundleSubject<'_>, found: &mut Findings) {
    let Some(csv) = s.csv() else { return };
    let key =
        ["alm-examples", "olm.examples"].into_iter().find(|key| annotation_value(csv.node(), key).is_some());
    let annotations = node_at(csv.node(), &["metadata", "annotations"]);
    let Some(node) = key.and_then(|key| annotations?.get(key)) else { return };
    let Some(given) = node.as_str() else { return };
    // The suite csv reports JSON that cannot be parsed.
    let Ok(examples) = json::parse_json(given.as_bytes()) else { return };
    let mut crds: HashMap<(String, String), &Object<'_>> = HashMap::new();
    for crd in s.crds() {
        let field = |path: &[&str]| text_at(&crd.document.node, path).into_owned();
        crds.entry((field(&["spec", "group"]), field(&["spec", "names", "kind"]))).or_insert(crd);
    }
    let mut schemas: HashMap<(String, String), Option<VersionSchema<'_>>> = HashMap::new();
    let embedded = EmbeddedText::new(csv.object, node, given);
    let budget = Budget::default();
    // Faults of all examples in order, and the number of unlisted faults.
    let mut all: Vec<(String, FindingLocation)> = Vec::new();
    let mut unlisted = 0;
    let mut is_cut = None;
    for example in examples.items() {
        let (api, kind) = (text_at(example, &["apiVersion"]), text_at(example, &["kind"]));
        let of = *schemas.entry((api.clone().into_owned(), kind.clone().into_owned())).or_insert_with(|| {
            let (group, version) = api.split_once('/')?;
            let crd = crds.get(&(group.to_owned(), kind.clone().into_owned()))?;
            schema::version_schema(&crd.document.node, version)
        });
        let Some(of) = of else { continue };
        let short = |text: &str| text.chars().take(MAX_NAME_LENGTH).collect::<String>();
        let name = short(&text_at(example, &["metadata", "name"]));
        let called = [short(&kind), name].join(" ");
        let called = format!("the example {}", called.trim_end());
        let place = |span| s.location_in_object(csv.object, embedded.span_in_document(span));
        let faults = of.validate(example, &budget);
        for fault in faults.list {
            let what = [called.as_str(), fault.field.as_str()].join(": ");
            let message = format!("{} {}", what.trim_end_matches(": "), fault.message);
            all.push((message, place(fault.span)));
        }
        unlisted += faults.more;
        if budget.is_spent() {
            let message = format!(
                "{called} is too much for its schema: it was not looked at to the end, nor any after it"
            );
            let mut finding = Finding::new(&rules::EXAMPLE_SCHEMA, message).at_location(place(example.span));
            finding.severity = Severity::Note;
            is_cut = Some(finding);
            break;
        }
    }
    found.extend(merge_faults(all, unlisted));
    found.extend(is_cut);
}

/// Merges the faults of all examples of a bundle into one finding.
fn merge_faults(mut all: Vec<(String, FindingLocation)>, unlisted: usize) -> Option<Finding> {
    let more = unlisted + all.len().saturating_sub(1);
    all.sort_by(|(fault, at), (other, other_at)| (at, fault).cmp(&(other_at, other)));
    let mut all = all.into_iter();
    let (first, at) = all.next()?;
    let message = match more {
        0 => first,
        1 => format!("{first}; and 1 more fault of the examples"),
        more => format!("{first}; and {more} more faults of the examples"),
    };
    let finding = Finding::new(&rules::EXAMPLE_SCHEMA, message).at_location(at);
    Some(all.take(MAX_RELATED).fold(finding, |finding, (fault, at)| finding.with_related_location(fault, at)))
}
