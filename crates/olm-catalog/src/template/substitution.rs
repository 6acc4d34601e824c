//! Catalog of an `olm.template.substitutes`: its entries, with the substitutions applied in order, and the
//! rules of substitutions, shared by rendering and display (operator-registry `alpha/template/substitutes`).
//!
//! Changed objects have the span of the substitution's image. Unknown substitutes are omitted and reported.

use std::collections::HashSet;

use thiserror::Error;

use super::{KnownBundle, KnownBundles, find_member, rejected_document, semver_catalog::bundle_at};
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

/// An item of `substitutions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Substitution {
    /// `name`: image of the substitute.
    pub image: Spanned<String>,
    /// `base`: the bundle that it replaces.
    pub base: Spanned<String>,
    /// Span of the item.
    pub span: Span,
}

/// Reason why a substitution is impossible.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum SubstitutionError {
    /// Name or base is empty.
    #[error("the {0} of a substitution cannot be empty")]
    Absent(&'static str),
    /// Name and base are the same.
    #[error("name and base of a substitution are both {0}")]
    Itself(String),
    /// An earlier substitution has the same name or base.
    #[error("{0} is in an earlier substitution already")]
    Again(String),
    /// The base bundle does not exist.
    #[error("no bundle is called {0} for the base of a substitution")]
    NoBase(String),
    /// The version of the substitute is not higher.
    #[error("{version} of the substitute is not above {base_version} of {base}")]
    NotAbove {
        /// Version of the substitute.
        version: String,
        /// Base bundle.
        base: String,
        /// Version of the base bundle.
        base_version: String,
    },
}

impl Substitution {
    /// Checks that the version of the substitute is higher than that of its base.
    ///
    /// # Errors
    ///
    /// If it is not.
    pub fn check_version(
        &self,
        version: &VersionRelease,
        base: &VersionRelease,
    ) -> Result<(), SubstitutionError> {
        if version.cmp_precedence(base).is_gt() {
            return Ok(());
        }
        let (version, base_version) = (version.to_string(), base.to_string());
        Err(SubstitutionError::NotAbove { version, base: self.base.value.clone(), base_version })
    }
}

/// Names and bases of the substitutions so far.
#[derive(Debug, Default)]
pub struct SubstitutionChecker {
    images: HashSet<String>,
    bases: HashSet<String>,
}

impl SubstitutionChecker {
    /// Adds the next substitution.
    ///
    /// # Errors
    ///
    /// If it is impossible for any bundles, with the span of the cause.
    pub fn check_next(&mut self, next: &Substitution) -> Result<(), (SubstitutionError, Span)> {
        let Substitution { image, base, span } = next;
        for (all, text) in [(&mut self.images, image), (&mut self.bases, base)] {
            if !all.insert(text.value.clone()) {
                return Err((SubstitutionError::Again(text.value.clone()), text.span));
            }
        }
        for (name, text) in [("name", image), ("base", base)] {
            if text.value.is_empty() {
                return Err((SubstitutionError::Absent(name), *span));
            }
        }
        if image.value == base.value {
            return Err((SubstitutionError::Itself(base.value.clone()), *span));
        }
        Ok(())
    }
}

/// Effect of a substitution on a channel entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SubstitutionEffect {
    /// The entry is the base. It keeps only its name, and the entry of the substitute gets these edges.
    Base(EntrySpec),
    /// The entry had an edge from the base, and now has these edges.
    Redirected(EntrySpec),
    /// The entry is unrelated to the base.
    Untouched,
}

/// Computes the effect of a substitution on an entry.
pub fn apply_substitution(
    name: &str,
    mut asks: EntrySpec,
    base: &str,
    substitute: &BundleName,
) -> SubstitutionEffect {
    let is_base = |name: &BundleName| name.as_str() == base;
    if name == base {
        asks.skips.push(base.into());
        return SubstitutionEffect::Base(asks);
    }
    if asks.replaces.as_ref().is_some_and(is_base) {
        asks.replaces = Some(substitute.clone());
        asks.skips.push(base.into());
    } else if asks.skips.iter().any(is_base) {
        asks.skips.retain(|name| !is_base(name));
        asks.skips.push(substitute.clone());
    } else {
        return SubstitutionEffect::Untouched;
    }
    SubstitutionEffect::Redirected(asks)
}

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
