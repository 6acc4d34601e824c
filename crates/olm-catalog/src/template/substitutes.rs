//! Catalog of an `olm.template.substitutes`: its entries, with the substitutions applied in order
//! (operator-registry `alpha/template/substitutes`).
//!
//! Changed objects have the span of the substitution's image. Unknown substitutes are omitted and reported.

use super::{
    KnownBundle, KnownBundles, find_member, rejected_document,
    semver_catalog::bundle_at,
    substitution::{
        Substitution, SubstitutionChecker, SubstitutionEffect, SubstitutionError, apply_substitution,
    },
};
use crate::{
    blob::{Blob, BundleBlob, ChannelBlob, Entry, EntrySpec},
    decode::{self, DecodedDocument},
    file::DocId,
    names::BundleName,
    node::Node,
    problem::Problems,
    span::{Span, Spanned},
};
use olm_version::VersionRelease;

/// An `olm.template.substitutes` as read.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Substitutions in order.
    pub substitutions: Vec<Substitution>,
    /// Number of substitutions that are not applied, because their images or those of earlier ones are unknown.
    pub unknown: usize,
}

/// Reads the template: its bundles by index in the entries, the substitutions, and the generated objects.
pub(super) fn read_substitutes(
    doc: DocId,
    node: &Node,
    known: &KnownBundles,
) -> (Vec<Option<KnownBundle>>, Substitutes, Vec<DecodedDocument>) {
    let items = |name| find_member(node, name).map(|list| list.value.items()).unwrap_or_default();
    let decoded: Vec<DecodedDocument> =
        items("entries").iter().map(|item| decode::decode_document(doc, item)).collect();
    let bundles = decoded.iter().map(|document| match &document.blob {
        Some(Blob::Bundle(bundle)) => Some(KnownBundle {
            package: bundle.package.value.clone(),
            name: bundle.name.value.clone(),
            version: bundle.version.clone(),
            blob: None,
        }),
        _ => None,
    });
    let bundles = bundles.collect();
    let mut made = Builder { doc, decoded };
    let (mut substitutes, mut earlier) = (Substitutes::default(), SubstitutionChecker::default());
    for item in items("substitutions") {
        let text = |name| {
            let member = find_member(item, name);
            let text = member.map(|member| (member.value.as_str(), member.value.span));
            let (text, span) = text.unwrap_or((Some(""), item.span));
            Some(Spanned::new(text?.to_owned(), span))
        };
        let (Some(image), Some(base)) = (text("name"), text("base")) else {
            made.decoded.push(rejected_document(
                doc,
                item.span,
                "name and base of a substitution are texts".to_owned(),
            ));
            continue;
        };
        let substitution = Substitution { image, base, span: item.span };
        let admitted = earlier.check_next(&substitution);
        let made_of = match (admitted, known.by_image(&substitution.image.value)) {
            (Err(fault), _) => Err(fault),
            (Ok(()), None) => Ok(false),
            (Ok(()), Some(fact)) => made.substitute(&substitution, fact, substitutes.unknown > 0),
        };
        match made_of {
            Ok(is_made) => substitutes.unknown += usize::from(!is_made),
            Err((fault, span)) => made.decoded.push(rejected_document(doc, span, fault.to_string())),
        }
        substitutes.substitutions.push(substitution);
    }
    (bundles, substitutes, made.decoded)
}

/// Objects generated so far.
struct Builder {
    doc: DocId,
    decoded: Vec<DecodedDocument>,
}

impl Builder {
    /// Applies a substitution and returns true if possible. With `may_lack`, its base may be an unknown
    /// substitute.
    fn substitute(
        &mut self,
        substitution: &Substitution,
        fact: &KnownBundle,
        may_lack: bool,
    ) -> Result<bool, (SubstitutionError, Span)> {
        let Substitution { image, base, .. } = substitution;
        let bundles = self.decoded.iter().filter_map(|document| match &document.blob {
            Some(Blob::Bundle(bundle)) if bundle.name.value.as_str() == base.value => Some(&**bundle),
            _ => None,
        });
        let Some(of_base) = bundles.map(|bundle: &BundleBlob| bundle.version.clone()).next() else {
            let missing = (SubstitutionError::NoBase(base.value.clone()), base.span);
            return if may_lack { Ok(false) } else { Err(missing) };
        };
        if let (Some(version), Some(of_base)) = (&fact.version, &of_base)
            && !may_be_release(version, of_base)
        {
            substitution.check_version(version, of_base).map_err(|fault| (fault, image.span))?;
        }
        for document in &mut self.decoded {
            if let Some(Blob::Channel(channel)) = &mut document.blob {
                add_to_channel(channel, &base.value, &fact.name, image.span);
            }
        }
        let bundle = Blob::Bundle(Box::new(bundle_at(self.doc, fact, image)));
        self.decoded.push(DecodedDocument { blob: Some(bundle), problems: Problems::default() });
        Ok(true)
    }
}

/// Returns true if two versions differ in build metadata only. Then an annotation of the ClusterServiceVersion,
/// which is unknown here, decides whether that is a release.
fn may_be_release(version: &VersionRelease, base: &VersionRelease) -> bool {
    let has_build = |version: &VersionRelease| !version.version.build().is_empty();
    version.cmp_precedence(base).is_eq() && (has_build(version) || has_build(base))
}

/// Adds a substitute to a channel with its base.
fn add_to_channel(channel: &mut ChannelBlob, base: &str, substitute: &BundleName, span: Span) {
    let mut added = Vec::new();
    for entry in &mut channel.entries {
        match apply_substitution(entry.name.value.as_str(), entry.to_spec(), base, substitute) {
            SubstitutionEffect::Base(spec) => {
                let own = Entry {
                    span,
                    name: Spanned::new(substitute.clone(), span),
                    unknown: Vec::new(),
                    ..entry.clone()
                };
                added.push(with_edges(own, spec, span));
                *entry = Entry { replaces: None, skips: Vec::new(), skip_range: None, ..entry.clone() };
            }
            SubstitutionEffect::Redirected(spec) => *entry = with_edges(entry.clone(), spec, span),
            SubstitutionEffect::Untouched => {}
        }
    }
    for (taken, position) in added.into_iter().zip(channel.entries.len()..) {
        channel.entries.push(Entry { position, ..taken });
    }
}

/// Returns an entry with other edges. Existing edges keep their spans; new ones get `span`.
fn with_edges(entry: Entry, spec: EntrySpec, span: Span) -> Entry {
    let known: Vec<Spanned<BundleName>> = entry.replaces.iter().chain(&entry.skips).cloned().collect();
    let placed = |name: BundleName| {
        let there = known.iter().find(|known| known.value == name).map_or(span, |known| known.span);
        Spanned::new(name, there)
    };
    Entry {
        replaces: spec.replaces.map(placed),
        skips: spec.skips.into_iter().map(placed).collect(),
        ..entry
    }
}
