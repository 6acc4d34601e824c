//! Rules about schemas and property types: names that are reserved for OLM, and custom names.

use std::collections::BTreeMap;

use super::{finding::Finding, findings::Findings, format::format_with_kind, rules, subject::PackageSubject};
use olm_catalog::{
    Catalog, DocId, Span,
    blob::{BundleBlob, OtherBlob},
    similar_names,
};

/// Prefix of names that are reserved for OLM.
const RESERVED: &str = "olm.";

/// Schemas that OLM and opm define.
const SCHEMAS: [&str; 9] = [
    "olm.package",
    "olm.channel",
    "olm.bundle",
    "olm.deprecations",
    "olm.semver",
    "olm.template.basic",
    "olm.template.substitutes",
    "olm.composite",
    "olm.composite.catalogs",
];

/// Property types that OLM and opm define, and those that only older versions of opm write.
const PROPERTY_TYPES: [&str; 15] = [
    "olm.package",
    "olm.package.required",
    "olm.gvk",
    "olm.gvk.required",
    "olm.constraint",
    "olm.label",
    "olm.label.required",
    "olm.csv.metadata",
    "olm.bundle.object",
    "olm.maxOpenShiftVersion",
    "olm.channel",
    "olm.skips",
    "olm.skipRange",
    "olm.substitutesFor",
    "olm.deprecated",
];

/// Reports reserved schemas of blobs and reserved property types that OLM does not know. Only the
/// properties of bundles are checked.
pub(super) fn reserved_schema(s: &PackageSubject<'_>, found: &mut Findings) {
    report_reserved_schemas(s.catalog, &s.package.others, found);
    let mut types: BTreeMap<&str, Vec<(&BundleBlob, Span)>> = BTreeMap::new();
    for bundle in &s.package.bundles {
        let bundle: &BundleBlob = bundle;
        for property in &bundle.properties {
            let kind = property.kind.value.as_str();
            if kind.starts_with(RESERVED) && !PROPERTY_TYPES.contains(&kind) {
                types.entry(kind).or_default().push((bundle, property.kind.span));
            }
        }
    }
    for (kind, uses) in types {
        let newest = s.newest_first(uses.iter().map(|(bundle, _)| &bundle.name.value));
        let first =
            newest.first().and_then(|name| uses.iter().find(|(bundle, _)| bundle.name.value == **name));
        let Some((bundle, span)) = first else { continue };
        let message = format!(
            "property type {kind} of {} is reserved for OLM, which does not know it",
            format_with_kind("bundle", &bundle.name.value)
        );
        let mut finding = Finding::new(&rules::RESERVED_SCHEMA, message)
            .with_bundle(&bundle.name.value)
            .with_names([kind])
            .with_detail(kind)
            .at_span(bundle.doc, *span);
        if let Some(name) = similar_names::suggest_closest(kind, PROPERTY_TYPES.into_iter()) {
            finding = finding.with_help(format!("did you mean {name}?"));
        }
        found.push(finding);
    }
}

/// Reports custom schemas of blobs without the domain of their author.
pub(super) fn schema_without_domain(s: &PackageSubject<'_>, found: &mut Findings) {
    report_schemas_without_domain(s.catalog, &s.package.others, found);
}

/// Reports schemas of blobs that do not name a package.
pub(super) fn report_outside_packages(catalog: &Catalog, found: &mut Findings) {
    report_reserved_schemas(catalog, catalog.others(), found);
    report_schemas_without_domain(catalog, catalog.others(), found);
}

fn report_reserved_schemas(catalog: &Catalog, blobs: &[OtherBlob], found: &mut Findings) {
    let is_reserved = |schema: &str| schema.starts_with(RESERVED) && !SCHEMAS.contains(&schema);
    for (schema, doc) in first_blobs(blobs, is_reserved) {
        let message = format!("schema {schema} is reserved for OLM, which does not know it");
        let mut finding = Finding::new(&rules::RESERVED_SCHEMA, message)
            .with_names([schema])
            .with_detail(schema)
            .at_span(doc, schema_span(catalog, doc));
        if let Some(name) = similar_names::suggest_closest(schema, SCHEMAS.into_iter()) {
            finding = finding.with_help(format!("did you mean {name}?"));
        }
        found.push(finding);
    }
}

fn report_schemas_without_domain(catalog: &Catalog, blobs: &[OtherBlob], found: &mut Findings) {
    for (schema, doc) in first_blobs(blobs, |schema| !has_domain(schema)) {
        let message = format!("schema {schema} has no domain, so another author may use the same name");
        found.push(
            Finding::new(&rules::SCHEMA_WITHOUT_DOMAIN, message)
                .with_names([schema])
                .with_detail(schema)
                .with_detail(schema)
                .at_span(doc, schema_span(catalog, doc)),
        );
    }
}

/// Returns the matching schemas, each with its first document.
fn first_blobs(blobs: &[OtherBlob], is_meant: impl Fn(&str) -> bool) -> BTreeMap<&str, DocId> {
    let mut first = BTreeMap::new();
    for blob in blobs.iter().filter(|blob| is_meant(&blob.schema)) {
        first.entry(&*blob.schema).or_insert(blob.doc);
    }
    first
}

/// Returns true if a name has at least two parts with a dot between them.
fn has_domain(schema: &str) -> bool {
    schema.split_once('.').is_some_and(|(before, after)| !before.is_empty() && !after.is_empty())
}

/// Returns the span of the schema of a document.
pub(super) fn schema_span(catalog: &Catalog, doc: DocId) -> Span {
    let document = catalog.parse_document(doc).and_then(Result::ok);
    document.and_then(|node| Some(node.get("schema")?.span)).unwrap_or_default()
}
