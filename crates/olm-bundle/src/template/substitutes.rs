//! `olm.template.substitutes`: a catalog in which bundles substitute others.

use std::collections::HashSet;

use super::{
    CatalogCheck, Options, Rendered, TemplateDocument,
    bundles::{BundleProvider, NO_DOC, bundle_annotation, prepare_bundle},
    error::{TemplateError, TemplateErrorKind, TemplateErrors},
    parse_entry, semver,
};
use olm_catalog::{
    BundleName, Node, Origin, Spanned, Value,
    blob::{Blob, BundleBlob, EntrySpec},
    decode, load,
    template::substitution::{
        Substitution, SubstitutionChecker, SubstitutionEffect, SubstitutionError, apply_substitution,
    },
    text::{canonical, emit},
};
use olm_version::{Release, VersionRelease};

/// Annotation of a substitute in the older format. Such a bundle has its release in the build
/// metadata of its version.
const SUBSTITUTES_FOR: &str = "olm.substitutesFor";

/// Renders a template. Substitutions apply one after another, and the catalog must be valid after each.
pub(super) fn render_substitutes(
    template: &TemplateDocument,
    bundles: &dyn BundleProvider,
    options: Options,
    judge: CatalogCheck,
) -> Result<Rendered, TemplateErrors> {
    let entries = template.list_field("entries")?;
    let substitutions = template.list_field("substitutions")?;
    let substitutions: Vec<Substitution> =
        substitutions.iter().map(|item| parse_substitution(template, item)).collect::<Result<_, _>>()?;
    let unread: Vec<TemplateError> =
        entries.iter().filter_map(|entry| parse_entry(template, entry).err()).collect();
    if !unread.is_empty() {
        return Err(TemplateErrors(unread));
    }
    let unknown = report_unknown_images(template, &substitutions, bundles);
    if !unknown.is_empty() {
        return Err(TemplateErrors(unknown));
    }
    let place = template.to_file_span(template.node.span);
    check_catalog(entries.iter(), judge)
        .map_err(|reasons| TemplateErrorKind::Invalid { after: None, reasons }.at_span(place))?;
    let mut docs: Vec<Node> = entries.iter().map(|entry| canonical::normalize(entry).detached()).collect();
    let mut checker = SubstitutionChecker::default();
    for one in &substitutions {
        let refused =
            |(fault, span)| TemplateErrorKind::Substitution(fault).at_span(template.to_file_span(span));
        checker.check_next(one).map_err(refused)?;
        let bundle = find_substitute(template, one, &docs, bundles, options)?;
        let name = bundle_name(&bundle);
        for doc in &mut docs {
            add_to_channel(doc, &one.base.value, &name.as_str().into());
        }
        docs.push(bundle);
        check_catalog(docs.iter(), judge).map_err(|reasons| {
            TemplateErrorKind::Invalid { after: Some(name.clone()), reasons }
                .at_span(template.to_file_span(one.span))
        })?;
    }
    Ok(Rendered { docs, notes: Vec::new() })
}

fn parse_substitution<'t>(
    template: &TemplateDocument<'t>,
    item: &Node<'t>,
) -> Result<Substitution, TemplateError> {
    if !matches!(item.value, Value::Map(_) | Value::Null) {
        return Err(template.wrong_type_error(item.span, "substitutions", "a list of maps"));
    }
    let text = |name| template.string_field(item, name).map(|(text, span)| Spanned::new(text, span));
    Ok(Substitution { image: text("name")?, base: text("base")?, span: item.span })
}

/// Reports all unknown images at once.
fn report_unknown_images(
    template: &TemplateDocument,
    substitutions: &[Substitution],
    bundles: &dyn BundleProvider,
) -> Vec<TemplateError> {
    let mut seen = HashSet::new();
    let images = substitutions.iter().map(|one| &one.image).filter(|image| !image.value.is_empty());
    let images =
        images.filter(|image| seen.insert(&image.value) && bundles.find_by_image(&image.value).is_none());
    images
        .map(|image| {
            TemplateErrorKind::UnknownImage(image.value.clone()).at_span(template.to_file_span(image.span))
        })
        .collect()
}

/// Returns the bundle of a substitution, if it may substitute its base.
fn find_substitute(
    template: &TemplateDocument,
    one: &Substitution,
    docs: &[Node],
    bundles: &dyn BundleProvider,
    options: Options,
) -> Result<Node<'static>, TemplateError> {
    let refused = |fault, span| TemplateErrorKind::Substitution(fault).at_span(template.to_file_span(span));
    let (image, base) = (one.image.value.as_str(), one.base.value.as_str());
    let blob = bundles.find_by_image(image).ok_or_else(|| {
        TemplateErrorKind::UnknownImage(image.to_owned()).at_span(template.to_file_span(one.image.span))
    })?;
    let unusable = |reason| {
        TemplateErrorKind::Bundle { image: image.to_owned(), reason }
            .at_span(template.to_file_span(one.image.span))
    };
    let prepared = prepare_bundle(&blob, options.migrate).map_err(unusable)?;
    let of_base = docs.iter().filter_map(|doc| match decode::decode_document(NO_DOC, doc).blob? {
        Blob::Bundle(bundle) if bundle.name.value == base => Some((doc, bundle)),
        _ => None,
    });
    let (base_doc, base_blob) = of_base
        .map(|(doc, bundle)| (doc, *bundle))
        .next()
        .ok_or_else(|| refused(SubstitutionError::NoBase(base.to_owned()), one.base.span))?;
    let is_legacy = prepared.annotation(SUBSTITUTES_FOR).is_some();
    let version = version_and_release(&prepared.blob, is_legacy).map_err(unusable)?;
    let is_legacy = bundle_annotation(base_doc, SUBSTITUTES_FOR).is_some();
    let base_version = self::version_and_release(&base_blob, is_legacy).map_err(unusable)?;
    one.check_version(&version, &base_version).map_err(|fault| refused(fault, one.span))?;
    Ok(prepared.node)
}

/// Returns the version and release of a bundle; the error is in words.
fn version_and_release(bundle: &BundleBlob, is_legacy: bool) -> Result<VersionRelease, String> {
    let property = bundle.package_properties.first();
    let property = property.ok_or_else(|| format!("no `olm.package` property in {}", bundle.name.value))?;
    let read = property.parsed.clone().map_err(|error| error.to_string())?;
    if read.release.is_some() || !is_legacy || read.version.build().is_empty() {
        return Ok(read);
    }
    let release = Release::parse(read.version.build())
        .map_err(|error| format!("build metadata of {} as a release: {error}", read.version))?;
    Ok(VersionRelease { version: read.version.without_build(), release: Some(release) })
}

/// Checks whether documents are a valid catalog; the errors are in words.
fn check_catalog<'n>(
    docs: impl Iterator<Item = &'n Node<'n>>,
    judge: CatalogCheck,
) -> Result<(), Vec<String>> {
    let text: String = docs.map(emit::write_json).collect();
    let catalog = load::from_texts(Origin::Stdin, [("entries".into(), text.into_bytes())]);
    let reasons = judge(&catalog);
    if reasons.is_empty() { Ok(()) } else { Err(reasons) }
}

fn bundle_name(bundle: &Node) -> String {
    bundle.get("name").and_then(Node::as_str).unwrap_or_default().to_owned()
}

/// Adds a substitute to a channel. Other documents stay unchanged.
fn add_to_channel(doc: &mut Node<'static>, base: &str, substitute: &BundleName) {
    if doc.get("schema").and_then(Node::as_str) != Some("olm.channel") {
        return;
    }
    let Value::Map(members) = &mut doc.value else { return };
    let Some(entries) = members.iter_mut().find(|member| member.key == "entries") else { return };
    let Value::List(entries) = &mut entries.value.value else { return };
    let mut added = Vec::new();
    for entry in entries.iter_mut() {
        let name = entry.get("name").and_then(Node::as_str).unwrap_or_default();
        match apply_substitution(name, entry_spec(entry), base, substitute) {
            SubstitutionEffect::Base(edges) => {
                let mut substitute_entry = entry.clone();
                set_member(&mut substitute_entry, "name", semver::text_node(substitute.as_str()));
                set_edges(&mut substitute_entry, &edges);
                added.push(substitute_entry);
                if let Value::Map(members) = &mut entry.value {
                    members.retain(|member| member.key == "name");
                }
            }
            SubstitutionEffect::Redirected(asked) => set_edges(entry, &asked),
            SubstitutionEffect::Untouched => {}
        }
    }
    entries.extend(added);
}

/// Returns the edges of an entry, without `skipRange`, which substitutions do not change.
fn entry_spec(entry: &Node<'static>) -> EntrySpec {
    let replaces = entry.get("replaces").and_then(Node::as_str).map(BundleName::from);
    let skips = entry.get("skips").map(Node::items).unwrap_or_default();
    let skips = skips.iter().filter_map(Node::as_str).map(BundleName::from).collect();
    EntrySpec { replaces, skips, skip_range: None }
}

fn set_edges(entry: &mut Node<'static>, edges: &EntrySpec) {
    if let Some(replaces) = &edges.replaces {
        set_member(entry, "replaces", semver::text_node(replaces.as_str()));
    }
    set_member(
        entry,
        "skips",
        semver::list_node(edges.skips.iter().map(|name| semver::text_node(name.as_str())).collect()),
    );
}

/// Sets a member of an entry, in opm's order of members.
fn set_member(entry: &mut Node<'static>, key: &'static str, value: Node<'static>) {
    let Value::Map(members) = &mut entry.value else { return };
    members.retain(|member| member.key != key);
    if let Value::Map(fresh) = semver::map_node(vec![(key, value)]).into_value() {
        members.extend(fresh);
    }
    let rank = |key: &str| ["name", "replaces", "skips", "skipRange"].iter().position(|known| *known == key);
    members.sort_by_key(|member| rank(&member.key));
}
