//! `olm.template.substitutes`: a catalog in which bundles substitute others.

use std::collections::HashSet;

use super::{
    Judge, Options, Rendered,
    basic::read_entry,
    bundles::{Bundles, NO_DOC, annotation, prepare},
    document::TemplateDocument,
    fault::{Fault, FaultKind, Faults},
    tree_builder,
};
use crate::{
    catalog::{
        BundleName, Node, Origin, Spanned, Value,
        blob::{Blob, BundleBlob, EntrySpec},
        decode, load,
        template::substitution::{Earlier, Substituted, Substitution, SubstitutionFault, substituted},
        text::{canonical, emit},
    },
    version::{Release, VersionRelease},
};

/// Annotation of a substitute in the older format, whose build metadata is its release.
const SUBSTITUTES_FOR: &str = "olm.substitutesFor";

/// Renders a template. Substitutions apply one after another, and the catalog must be valid after each.
pub(super) fn render(
    template: &TemplateDocument,
    bundles: &dyn Bundles,
    options: Options,
    judge: Judge,
) -> Result<Rendered, Faults> {
    let entries = template.list("entries")?;
    let substitutions = template.list("substitutions")?;
    let substitutions: Vec<Substitution> =
        substitutions.iter().map(|item| read(template, item)).collect::<Result<_, _>>()?;
    let unread: Vec<Fault> = entries.iter().filter_map(|entry| read_entry(template, entry).err()).collect();
    if !unread.is_empty() {
        return Err(Faults(unread));
    }
    let unknown = unknown(template, &substitutions, bundles);
    if !unknown.is_empty() {
        return Err(Faults(unknown));
    }
    let place = template.at(template.node.span);
    check(entries.iter(), judge).map_err(|reasons| FaultKind::Invalid { after: None, reasons }.at(place))?;
    let mut docs: Vec<Node> = entries.iter().map(|entry| canonical::normalise(entry).detached()).collect();
    let mut earlier = Earlier::default();
    for one in &substitutions {
        let refused = |(fault, span)| FaultKind::Substitution(fault).at(template.at(span));
        earlier.admit(one).map_err(refused)?;
        let bundle = substitute(template, one, &docs, bundles, options)?;
        let name = name_of(&bundle);
        for doc in &mut docs {
            add_to_channel(doc, &one.base.value, &name.as_str().into());
        }
        docs.push(bundle);
        check(docs.iter(), judge).map_err(|reasons| {
            FaultKind::Invalid { after: Some(name.clone()), reasons }.at(template.at(one.span))
        })?;
    }
    Ok(Rendered { docs, notes: Vec::new() })
}

fn read<'t>(template: &TemplateDocument<'t>, item: &Node<'t>) -> Result<Substitution, Fault> {
    if !matches!(item.value, Value::Map(_) | Value::Null) {
        return Err(template.wrong_type(item.span, "substitutions", "a list of maps"));
    }
    let text = |name| template.string(item, name).map(|(text, span)| Spanned::new(text, span));
    Ok(Substitution { image: text("name")?, base: text("base")?, span: item.span })
}

/// Reports all unknown images at once.
fn unknown(template: &TemplateDocument, substitutions: &[Substitution], bundles: &dyn Bundles) -> Vec<Fault> {
    let mut seen = HashSet::new();
    let images = substitutions.iter().map(|one| &one.image).filter(|image| !image.value.is_empty());
    let images = images.filter(|image| seen.insert(&image.value) && bundles.blob(&image.value).is_none());
    images.map(|image| FaultKind::UnknownImage(image.value.clone()).at(template.at(image.span))).collect()
}

/// Returns the bundle of a substitution, if it may substitute its base.
fn substitute(
    template: &TemplateDocument,
    one: &Substitution,
    docs: &[Node],
    bundles: &dyn Bundles,
    options: Options,
) -> Result<Node<'static>, Fault> {
    let refused = |fault, span| FaultKind::Substitution(fault).at(template.at(span));
    let (image, base) = (one.image.value.as_str(), one.base.value.as_str());
    let blob = bundles
        .blob(image)
        .ok_or_else(|| FaultKind::UnknownImage(image.to_owned()).at(template.at(one.image.span)))?;
    let unusable =
        |reason| FaultKind::Bundle { image: image.to_owned(), reason }.at(template.at(one.image.span));
    let pulled = prepare(&blob, options.migrate).map_err(unusable)?;
    let of_base = docs.iter().filter_map(|doc| match decode::decode(NO_DOC, doc).blob? {
        Blob::Bundle(bundle) if bundle.name.value == base => Some((doc, bundle)),
        _ => None,
    });
    let (base_doc, base_blob) = of_base
        .map(|(doc, bundle)| (doc, *bundle))
        .next()
        .ok_or_else(|| refused(SubstitutionFault::NoBase(base.to_owned()), one.base.span))?;
    let is_legacy = pulled.annotation(SUBSTITUTES_FOR).is_some();
    let version = version(&pulled.blob, is_legacy).map_err(unusable)?;
    let is_legacy = annotation(base_doc, SUBSTITUTES_FOR).is_some();
    let base_version = self::version(&base_blob, is_legacy).map_err(unusable)?;
    one.goes_up(&version, &base_version).map_err(|fault| refused(fault, one.span))?;
    Ok(pulled.node)
}

/// Returns the version and release of a bundle; the error is in words.
fn version(bundle: &BundleBlob, is_legacy: bool) -> Result<VersionRelease, String> {
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
fn check<'n>(docs: impl Iterator<Item = &'n Node<'n>>, judge: Judge) -> Result<(), Vec<String>> {
    let text: String = docs.map(emit::json).collect();
    let catalog = load::from_texts(Origin::Stdin, [("entries".into(), text.into_bytes())]);
    let reasons = judge(&catalog);
    if reasons.is_empty() { Ok(()) } else { Err(reasons) }
}

fn name_of(bundle: &Node) -> String {
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
        match substituted(name, spec(entry), base, substitute) {
            Substituted::Base(asked) => {
                let mut taken = entry.clone();
                set(&mut taken, "name", tree_builder::text(substitute.as_str()));
                set_edges(&mut taken, &asked);
                added.push(taken);
                if let Value::Map(members) = &mut entry.value {
                    members.retain(|member| member.key == "name");
                }
            }
            Substituted::Redirected(asked) => set_edges(entry, &asked),
            Substituted::Untouched => {}
        }
    }
    entries.extend(added);
}

/// Returns the edges of an entry. Its range stays as it is written.
fn spec(entry: &Node<'static>) -> EntrySpec {
    let replaces = entry.get("replaces").and_then(Node::as_str).map(BundleName::from);
    let skips = entry.get("skips").map(Node::items).unwrap_or_default();
    let skips = skips.iter().filter_map(Node::as_str).map(BundleName::from).collect();
    EntrySpec { replaces, skips, skip_range: None }
}

fn set_edges(entry: &mut Node<'static>, asked: &EntrySpec) {
    if let Some(replaces) = &asked.replaces {
        set(entry, "replaces", tree_builder::text(replaces.as_str()));
    }
    set(
        entry,
        "skips",
        tree_builder::list(asked.skips.iter().map(|name| tree_builder::text(name.as_str())).collect()),
    );
}

/// Sets a member of an entry, in opm's order of members.
fn set(entry: &mut Node<'static>, key: &'static str, value: Node<'static>) {
    let Value::Map(members) = &mut entry.value else { return };
    members.retain(|member| member.key != key);
    if let Value::Map(fresh) = tree_builder::map(vec![(key, value)]).into_value() {
        members.extend(fresh);
    }
    let rank = |key: &str| ["name", "replaces", "skips", "skipRange"].iter().position(|known| *known == key);
    members.sort_by_key(|member| rank(&member.key));
}
