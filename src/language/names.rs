//! Every place where a package, channel or bundle is named.

use super::spot::Spot;
use crate::catalog::{
    BundleName, Catalog, ChannelName, DocId, PackageName, Span, Spanned,
    blob::DeprecationTarget,
    package::Package,
    text::split::{self, Format},
};

/// What a name names, in its package.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Named {
    /// The package.
    Package,
    /// A channel of it.
    Channel(ChannelName),
    /// A bundle of it.
    Bundle(BundleName),
}

impl Named {
    /// The name; that of a package is the package's.
    pub fn name<'n>(&'n self, package: &'n PackageName) -> &'n str {
        match self {
            Self::Package => package.as_str(),
            Self::Channel(name) => name.as_str(),
            Self::Bundle(name) => name.as_str(),
        }
    }
}

/// What a name is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is the name of what its object defines.
    Definition,
    /// It is the name of an entry.
    Entry,
    /// It is what an entry replaces or skips.
    Edge,
    /// Anything else.
    Mention,
}

/// A name where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// What it names.
    pub named: Named,
    /// What for.
    pub role: Role,
    /// The channel in whose entries it stands.
    pub channel: Option<ChannelName>,
    /// Where.
    pub at: Spot,
}

/// Tells of every name in a package, or in one of its documents.
pub fn each(package: &Package, only: Option<DocId>, tell: &mut dyn FnMut(Occurrence)) {
    let is_asked = |doc: DocId| only.is_none_or(|only| only == doc);
    let mut say = |doc, span, named, role, channel: Option<&ChannelName>| {
        tell(Occurrence { named, role, channel: channel.cloned(), at: Spot { doc, span } });
    };
    for blob in package.definitions.iter().filter(|blob| is_asked(blob.doc)) {
        say(blob.doc, blob.name.span, Named::Package, Role::Definition, None);
        if let Some(Spanned { value, span }) = &blob.default_channel {
            say(blob.doc, *span, Named::Channel(value.clone()), Role::Mention, None);
        }
    }
    for blob in package.channels.iter().filter(|blob| is_asked(blob.doc)) {
        say(blob.doc, blob.package.span, Named::Package, Role::Mention, None);
        let channel = &blob.name.value;
        say(blob.doc, blob.name.span, Named::Channel(channel.clone()), Role::Definition, None);
        for entry in &blob.entries {
            let own = (&entry.name, Role::Entry);
            let edges = entry.replaces.iter().chain(&entry.skips).map(|name| (name, Role::Edge));
            for (name, role) in std::iter::once(own).chain(edges) {
                say(blob.doc, name.span, Named::Bundle(name.value.clone()), role, Some(channel));
            }
        }
    }
    for blob in package.bundles.iter().filter(|blob| is_asked(blob.doc)) {
        say(blob.doc, blob.package.span, Named::Package, Role::Mention, None);
        say(blob.doc, blob.name.span, Named::Bundle(blob.name.value.clone()), Role::Definition, None);
        for property in &blob.package_properties {
            if property.package_name.value == package.name.as_str() {
                say(blob.doc, property.package_name.span, Named::Package, Role::Mention, None);
            }
        }
    }
    for blob in package.deprecations.iter().filter(|blob| is_asked(blob.doc)) {
        say(blob.doc, blob.package.span, Named::Package, Role::Mention, None);
        for deprecation in &blob.entries {
            let named = match &deprecation.target {
                Some(DeprecationTarget::Channel(name)) => Named::Channel(name.clone()),
                Some(DeprecationTarget::Bundle(name)) => Named::Bundle(name.clone()),
                Some(DeprecationTarget::Package) | None => continue,
            };
            if let Some(name) = &deprecation.name {
                say(blob.doc, name.span, named, Role::Mention, None);
            }
        }
    }
}

/// The packages that speak in a document: one, but for templates.
pub fn packages_in(catalog: &Catalog, doc: DocId) -> impl Iterator<Item = &Package> {
    catalog.packages().map(AsRef::as_ref).filter(move |package| package.documents().any(|there| there == doc))
}

/// The name that stands at a byte of a document, with its package: the shortest there is.
pub fn at(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(&Package, Occurrence)> {
    let mut found: Option<(&Package, Occurrence)> = None;
    for package in packages_in(catalog, doc) {
        each(package, Some(doc), &mut |occurrence| {
            let span = occurrence.at.span;
            // Right behind the last letter one is still at the name.
            let is_there =
                span.start as usize <= offset && offset <= span.end as usize && span.start < span.end;
            let is_shorter = found.as_ref().is_none_or(|(_, known)| length(span) < length(known.at.span));
            if is_there && is_shorter && is_written(catalog, package, &occurrence) {
                found = Some((package, occurrence));
            }
        });
    }
    found
}

fn length(span: Span) -> u32 {
    span.end - span.start
}

/// Whether a name is written where it stands: of a template, things may stand at what they are made of.
pub fn is_written(catalog: &Catalog, package: &Package, occurrence: &Occurrence) -> bool {
    let Spot { doc, span } = occurrence.at;
    let Some(written) = catalog.text(doc).and_then(|text| text.get(span.range())) else { return false };
    let name = occurrence.named.name(&package.name);
    written == name.as_bytes() || spells(catalog.format(doc).unwrap_or(Format::Yaml), written, name)
}

/// Whether a scalar, quotes and all, means a name.
fn spells(format: Format, written: &[u8], name: &str) -> bool {
    // Quotes, and at most six bytes a letter where all are escaped.
    written.len() <= 2 + 6 * name.len()
        && split::parse(format, written).is_ok_and(|node| node.as_str() == Some(name))
}
