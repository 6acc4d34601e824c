//! The catalog that an `olm.template.substitutes` stands for: its entries, with each substitution made one after another
//! (operator-registry `alpha/template/substitutes`).
//!
//! What a substitution changes stands at its image in the template. A substitute that nobody knows is left out: that is told.

use super::{
    Fact, Known,
    made::standing_at,
    member, rejected,
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

/// An `olm.template.substitutes` as it was read.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Its substitutions, in order.
    pub substitutions: Vec<Substitution>,
    /// How many of them are not made, for their images are not known, or those of earlier ones that they stand on.
    pub unknown: usize,
}

/// What is read of it: its entries that are bundles by their positions, the substitutions, and the objects it stands for.
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
    let mut made = Made { doc, decoded };
    let (mut substitutes, mut earlier) = (Substitutes::default(), Earlier::default());
    for item in items("substitutions") {
        let text = |name| {
            let member = member(item, name);
            let text = member.map(|member| (member.value.as_str(), member.value.span));
            let (text, span) = text.unwrap_or((Some(""), item.span));
            Some(Spanned::new(text?.to_owned(), span))
        };
        let (Some(image), Some(base)) = (text("name"), text("base")) else {
            made.decoded.push(rejected(
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
            Err((fault, span)) => made.decoded.push(rejected(doc, span, fault.to_string())),
        }
        substitutes.substitutions.push(substitution);
    }
    (bundles, substitutes, made.decoded)
}

/// The objects so far.
struct Made {
    doc: DocId,
    decoded: Vec<Decoded>,
}

impl Made {
    /// Makes a substitution; whether that could be done. Its base may be a substitute that is not known (`may_lack`).
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
                in_channel(channel, &base.value, &fact.name, image.span);
            }
        }
        let bundle = Blob::Bundle(Box::new(standing_at(self.doc, fact, image)));
        self.decoded.push(Decoded { blob: Some(bundle), problems: Problems::default() });
        Ok(true)
    }
}

/// Whether two versions differ in build metadata only: then an annotation of the ClusterServiceVersion says whether that is a
/// release, and what is known of a bundle here does not hold it.
fn may_be_release(version: &VersionRelease, base: &VersionRelease) -> bool {
    let has_build = |version: &VersionRelease| !version.version.build().is_empty();
    version.cmp_precedence(base).is_eq() && (has_build(version) || has_build(base))
}

/// Puts a substitute into a channel that has its base.
fn in_channel(channel: &mut ChannelBlob, base: &str, substitute: &BundleName, span: Span) {
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
                added.push(asking(own, spec, span));
                *entry = Entry { replaces: None, skips: Vec::new(), skip_range: None, ..entry.clone() };
            }
            Substituted::Redirected(spec) => *entry = asking(entry.clone(), spec, span),
            Substituted::Untouched => {}
        }
    }
    for (taken, position) in added.into_iter().zip(channel.entries.len()..) {
        channel.entries.push(Entry { position, ..taken });
    }
}

/// An entry that asks for something else: what it asked for before stands where it stood, the rest at a place.
fn asking(entry: Entry, spec: EntrySpec, span: Span) -> Entry {
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
