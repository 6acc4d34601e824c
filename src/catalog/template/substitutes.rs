//! Catalog of an `olm.template.substitutes`: its entries, with the substitutions applied in order
//! (operator-registry `alpha/template/substitutes`).
//!
//! Changed objects have the span of the substitution's image. Unknown substitutes are omitted and reported.

use super::{
    Fact, Known, member, rejection,
    semver_catalog::bundle_at,
    substitution::{Earlier, Substituted, Substitution, SubstitutionFault, substituted},
};
use crate::{
    catalog::{
        blob::{Blob, BundleBlob, ChannelBlob, Entry, EntrySpec},
        decode::{self, Decoded},
        file::DocId,
        names::BundleName,
        node::Node,
        problem::Problems,
        span::{Span, Spanned},
    },
    version::VersionRelease,
};

/// An `olm.template.substitutes` as read.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Substitutions in order.
    pub substitutions: Vec<Substitution>,
    /// Number of substitutions that are not applied, because their images or those of earlier ones are unknown.
    pub unknown: usize,
}

/// Reads the template: its bundles by index in the entries, the substitutions, and the generated objects.
pub(super) fn read(doc: DocId, node: &Node, known: &Known) -> (Vec<Option<Fact>>, Substitutes, Vec<Decoded>) {
    let items = |name| member(node, name).map(|list| list.value.items()).unwrap_or_default();
    let decoded: Vec<Decoded> = items("entries").iter().map(|item| decode::decode(doc, item)).collect();
    let bundles = decoded.iter().map(|document| match &document.blob {
        Some(Blob::Bundle(bundle)) => Some(Fact {
            package: bundle.package.value.clone(),
            name: bundle.name.value.clone(),
            version: bundle.version.clone(),
            blob: None,
        }),
        _ => None,
    });
    let bundles = bundles.collect();
    let mut made = Builder { doc, decoded };
    let (mut substitutes, mut earlier) = (Substitutes::default(), Earlier::default());
    for item in items("substitutions") {
        let text = |name| {
            let member = member(item, name);
            let text = member.map(|member| (member.value.as_str(), member.value.span));
            let (text, span) = text.unwrap_or((Some(""), item.span));
            Some(Spanned::new(text?.to_owned(), span))
        };
        let (Some(image), Some(base)) = (text("name"), text("base")) else {
            made.decoded.push(rejection(
                doc,
                item.span,
                "name and base of a substitution are texts".to_owned(),
            ));
            continue;
        };
        let substitution = Substitution { image, base, span: item.span };
        let admitted = earlier.admit(&substitution);
        let made_of = match (admitted, known.by_image(&substitution.image.value)) {
            (Err(fault), _) => Err(fault),
            (Ok(()), None) => Ok(false),
            (Ok(()), Some(fact)) => made.substitute(&substitution, fact, substitutes.unknown > 0),
        };
        match made_of {
            Ok(is_made) => substitutes.unknown += usize::from(!is_made),
            Err((fault, span)) => made.decoded.push(rejection(doc, span, fault.to_string())),
        }
        substitutes.substitutions.push(substitution);
    }
    (bundles, substitutes, made.decoded)
}

/// Objects generated so far.
struct Builder {
    doc: DocId,
    decoded: Vec<Decoded>,
}

impl Builder {
    /// Applies a substitution and returns true if possible. With `may_lack`, its base may be an unknown
    /// substitute.
    fn substitute(
        &mut self,
        substitution: &Substitution,
        fact: &Fact,
        may_lack: bool,
    ) -> Result<bool, (SubstitutionFault, Span)> {
        let Substitution { image, base, .. } = substitution;
        let bundles = self.decoded.iter().filter_map(|document| match &document.blob {
            Some(Blob::Bundle(bundle)) if bundle.name.value.as_str() == base.value => Some(&**bundle),
            _ => None,
        });
        let Some(of_base) = bundles.map(|bundle: &BundleBlob| bundle.version.clone()).next() else {
            let missing = (SubstitutionFault::NoBase(base.value.clone()), base.span);
            return if may_lack { Ok(false) } else { Err(missing) };
        };
        if let (Some(version), Some(of_base)) = (&fact.version, &of_base)
            && !may_be_release(version, of_base)
        {
            substitution.goes_up(version, of_base).map_err(|fault| (fault, image.span))?;
        }
        for document in &mut self.decoded {
            if let Some(Blob::Channel(channel)) = &mut document.blob {
                add_to_channel(channel, &base.value, &fact.name, image.span);
            }
        }
        let bundle = Blob::Bundle(Box::new(bundle_at(self.doc, fact, image)));
        self.decoded.push(Decoded { blob: Some(bundle), problems: Problems::default() });
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
        match substituted(entry.name.value.as_str(), entry.spec(), base, substitute) {
            Substituted::Base(spec) => {
                let own = Entry {
                    span,
                    name: Spanned::new(substitute.clone(), span),
                    unknown: Vec::new(),
                    ..entry.clone()
                };
                added.push(with_edges(own, spec, span));
                *entry = Entry { replaces: None, skips: Vec::new(), skip_range: None, ..entry.clone() };
            }
            Substituted::Redirected(spec) => *entry = with_edges(entry.clone(), spec, span),
            Substituted::Untouched => {}
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
