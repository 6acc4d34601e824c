//! Occurrences of names of packages, channels and bundles.

use super::location::DocumentSpan;
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, PackageName, Span, Spanned,
    blob::DeprecationTarget,
    package::Package,
    text::split::{self, Format},
};

/// Package, or a channel or bundle of it, that a name denotes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NamedObject {
    /// The package itself.
    Package,
    /// Channel of the package.
    Channel(ChannelName),
    /// Bundle of the package.
    Bundle(BundleName),
}

impl NamedObject {
    /// Returns the name; for a package, the name of the package.
    pub fn name<'n>(&'n self, package: &'n PackageName) -> &'n str {
        match self {
            Self::Package => package.as_str(),
            Self::Channel(name) => name.as_str(),
            Self::Bundle(name) => name.as_str(),
        }
    }
}

/// Role of a name at its location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameRole {
    /// Name in the definition of the object.
    Definition,
    /// Name of an entry.
    Entry,
    /// Name in `replaces` or `skips` of an entry.
    Edge,
    /// Other reference.
    Mention,
}

/// Occurrence of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Named object.
    pub named: NamedObject,
    /// Role of the name.
    pub role: NameRole,
    /// Channel of the entry that contains the name; `None` outside of entries.
    pub channel: Option<ChannelName>,
    /// Location of the name.
    pub at: DocumentSpan,
}

/// Calls a function for every name in a package. With `only`, skips other documents.
pub fn for_each_name(package: &Package, only: Option<DocId>, visit: &mut dyn FnMut(Occurrence)) {
    let is_asked = |doc: DocId| only.is_none_or(|only| only == doc);
    let mut visit_name = |doc, span, named, role, channel: Option<&ChannelName>| {
        visit(Occurrence { named, role, channel: channel.cloned(), at: DocumentSpan { doc, span } });
    };
    for blob in package.definitions.iter().filter(|blob| is_asked(blob.doc)) {
        visit_name(blob.doc, blob.name.span, NamedObject::Package, NameRole::Definition, None);
        if let Some(Spanned { value, span }) = &blob.default_channel {
            visit_name(blob.doc, *span, NamedObject::Channel(value.clone()), NameRole::Mention, None);
        }
    }
    for blob in package.channels.iter().filter(|blob| is_asked(blob.doc)) {
        visit_name(blob.doc, blob.package.span, NamedObject::Package, NameRole::Mention, None);
        let channel = &blob.name.value;
        visit_name(
            blob.doc,
            blob.name.span,
            NamedObject::Channel(channel.clone()),
            NameRole::Definition,
            None,
        );
        for entry in &blob.entries {
            let own = (&entry.name, NameRole::Entry);
            let edges = entry.replaces.iter().chain(&entry.skips).map(|name| (name, NameRole::Edge));
            for (name, role) in std::iter::once(own).chain(edges) {
                visit_name(blob.doc, name.span, NamedObject::Bundle(name.value.clone()), role, Some(channel));
            }
        }
    }
    for blob in package.bundles.iter().filter(|blob| is_asked(blob.doc)) {
        visit_name(blob.doc, blob.package.span, NamedObject::Package, NameRole::Mention, None);
        visit_name(
            blob.doc,
            blob.name.span,
            NamedObject::Bundle(blob.name.value.clone()),
            NameRole::Definition,
            None,
        );
        for property in &blob.package_properties {
            if property.package_name.value == package.name.as_str() {
                visit_name(
                    blob.doc,
                    property.package_name.span,
                    NamedObject::Package,
                    NameRole::Mention,
                    None,
                );
            }
        }
    }
    for blob in package.deprecations.iter().filter(|blob| is_asked(blob.doc)) {
        visit_name(blob.doc, blob.package.span, NamedObject::Package, NameRole::Mention, None);
        for deprecation in &blob.entries {
            let named = match &deprecation.target {
                Some(DeprecationTarget::Channel(name)) => NamedObject::Channel(name.clone()),
                Some(DeprecationTarget::Bundle(name)) => NamedObject::Bundle(name.clone()),
                Some(DeprecationTarget::Package) | None => continue,
            };
            if let Some(name) = &deprecation.name {
                visit_name(blob.doc, name.span, named, NameRole::Mention, None);
            }
        }
    }
}

/// Returns the packages with objects in a document. Only a template has several.
pub fn packages_in(catalog: &Catalog, doc: DocId) -> impl Iterator<Item = &Package> {
    catalog.packages().map(AsRef::as_ref).filter(move |package| package.documents().any(|there| there == doc))
}

/// Returns the shortest name at a byte offset of a document, with its package.
pub fn name_at(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(&Package, Occurrence)> {
    let mut found: Option<(&Package, Occurrence)> = None;
    for package in packages_in(catalog, doc) {
        for_each_name(package, Some(doc), &mut |occurrence| {
            let span = occurrence.at.span;
            // The end of a name counts as part of it.
            let is_there =
                span.start as usize <= offset && offset <= span.end as usize && span.start < span.end;
            let is_shorter =
                found.as_ref().is_none_or(|(_, known)| span_length(span) < span_length(known.at.span));
            if is_there && is_shorter && is_name_in_source(catalog, package, &occurrence) {
                found = Some((package, occurrence));
            }
        });
    }
    found
}

/// Returns the name whose key is at a byte offset: `name` of `- name: ship.v1`. The name is on the same line.
pub fn name_of_key_at(catalog: &Catalog, doc: DocId, offset: usize) -> Option<(&Package, Occurrence)> {
    let text = catalog.document_text(doc)?;
    let start = memchr::memrchr(b'\n', text.get(..offset)?).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', text.get(offset..)?).map_or(text.len(), |at| offset + at);
    let mut found: Option<(&Package, Occurrence)> = None;
    for package in packages_in(catalog, doc) {
        for_each_name(package, Some(doc), &mut |occurrence| {
            let at = occurrence.at.span.start as usize;
            let is_here = (offset..end).contains(&at)
                && text.get(start..at).is_some_and(|before| {
                    // In brackets, other members are on the same line.
                    let from = before.iter().rposition(|byte| matches!(byte, b'{' | b',' | b'['));
                    let from = from.map_or(0, |bracket| bracket + 1);
                    start + from <= offset && before.get(from..).is_some_and(is_single_key)
                });
            if is_here && is_name_in_source(catalog, package, &occurrence) {
                found = Some((package, occurrence));
            }
        });
    }
    found
}

/// Returns true if a text is a key with its colon, after indentation and `-` marks.
fn is_single_key(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    let text = text.strip_suffix(b"'").or_else(|| text.strip_suffix(b"\"")).unwrap_or(text).trim_ascii_end();
    let Some(key) = text.strip_suffix(b":") else { return false };
    let from = key.iter().position(|byte| !matches!(byte, b' ' | b'-' | b'\t')).unwrap_or(key.len());
    let key = key.get(from..).unwrap_or_default().trim_ascii();
    let key = key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")).unwrap_or(key);
    !key.is_empty() && key.iter().all(u8::is_ascii_alphanumeric)
}

fn span_length(span: Span) -> u32 {
    span.end - span.start
}

/// Returns true if the source text at an occurrence is the name. An object of a template may have
/// the location of its input, with a different text.
pub fn is_name_in_source(catalog: &Catalog, package: &Package, occurrence: &Occurrence) -> bool {
    let DocumentSpan { doc, span } = occurrence.at;
    is_value_in_source(catalog, doc, span, occurrence.named.name(&package.name))
}

/// Returns true if the source text of a span is a value that is not empty, as it is or with quotes and escapes.
pub fn is_value_in_source(catalog: &Catalog, doc: DocId, span: Span, value: &str) -> bool {
    let Some(written) = catalog.document_text(doc).and_then(|text| text.get(span.range())) else {
        return false;
    };
    let format = catalog.format(doc).unwrap_or(Format::Yaml);
    !value.is_empty() && (written == value.as_bytes() || scalar_denotes(format, written, value))
}

/// Returns true if a scalar, with its quotes and escapes, has the name as its value.
fn scalar_denotes(format: Format, written: &[u8], name: &str) -> bool {
    // Two quotes, and at most six bytes per byte of the name if all are escaped.
    written.len() <= 2 + 6 * name.len()
        && split::parse_chunk(format, written).is_ok_and(|node| node.as_str() == Some(name))
}
