//! The catalog that an `olm.template.substitutes` stands for: its entries, with each substitution made one after another
//! (operator-registry `alpha/template/substitutes`).
//!
//! What a substitution changes stands at its image in the template. A substitute that nobody knows is left out: that is told.

use std::collections::HashSet;

use super::{Fact, Known, made::standing_at, member};
use crate::{
    catalog::{
        blob::{Blob, BundleBlob, ChannelBlob, Entry},
        decode::{self, Decoded},
        file::DocId,
        names::BundleName,
        node::Node,
        problem::{Problem, ProblemKind, ProblemPlace, Problems},
        span::{Span, Spanned},
    },
    version::VersionRelease,
};

/// An item of `substitutions`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Substitution {
    /// The image of the substitute.
    pub image: Spanned<String>,
    /// The bundle that it stands in for.
    pub base: Spanned<String>,
}

/// An `olm.template.substitutes` as it was read.
#[derive(Clone, Debug, Default)]
pub struct Substitutes {
    /// Its substitutions, in order.
    pub substitutions: Vec<Substitution>,
    /// How many of their images are not known.
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
    let mut made = Made { doc, decoded, used: HashSet::new() };
    let mut substitutes = Substitutes::default();
    for item in items("substitutions") {
        let text = |name| {
            let member = member(item, name)?;
            Some(Spanned::new(member.value.as_str()?.to_owned(), member.value.span))
        };
        let (Some(image), Some(base)) = (text("name"), text("base")) else {
            made.problem(item.span, "a substitution needs `name`, an image, and `base`, a bundle".to_owned());
            continue;
        };
        let substitution = Substitution { image, base };
        match known.by_image(&substitution.image.value) {
            None => substitutes.unknown += 1,
            Some(fact) => made.substitute(&substitution, fact),
        }
        substitutes.substitutions.push(substitution);
    }
    (bundles, substitutes, made.decoded)
}

/// The objects so far.
struct Made {
    doc: DocId,
    decoded: Vec<Decoded>,
    /// Images and bases of substitutions before.
    used: HashSet<String>,
}

impl Made {
    fn problem(&mut self, span: Span, text: String) {
        let at = ProblemPlace::Document(self.doc, span);
        let problem = Problem { at, kind: ProblemKind::BadTemplate(text) };
        self.decoded.push(Decoded { blob: None, problems: [problem].into_iter().collect() });
    }

    fn substitute(&mut self, substitution: &Substitution, fact: &Fact) {
        let Substitution { image, base } = substitution;
        for part in [image, base] {
            if !self.used.insert(part.value.clone()) {
                return self.problem(part.span, format!("{} is substituted twice", part.value));
            }
        }
        let bundles = self.decoded.iter().filter_map(|document| match &document.blob {
            Some(Blob::Bundle(bundle)) if bundle.name.value.as_str() == base.value => Some(&**bundle),
            _ => None,
        });
        let Some(version) = bundles.map(|bundle: &BundleBlob| bundle.version.clone()).next() else {
            return self.problem(base.span, format!("there is no bundle {} to substitute", base.value));
        };
        if is_below(fact.version.as_ref(), version.as_ref()) {
            let words = |version: &Option<VersionRelease>| {
                version.as_ref().map_or_else(String::new, ToString::to_string)
            };
            let (own, other) = (words(&fact.version), words(&version));
            let text = format!("{} {own} is not above {} {other}", fact.name, base.value);
            return self.problem(image.span, text);
        }
        for document in &mut self.decoded {
            if let Some(Blob::Channel(channel)) = &mut document.blob {
                in_channel(channel, &base.value, &fact.name, image.span);
            }
        }
        let bundle = Blob::Bundle(Box::new(standing_at(self.doc, fact, image)));
        self.decoded.push(Decoded { blob: Some(bundle), problems: Problems::default() });
    }
}

/// Whether a substitute is not above its base. Of versions that differ in build metadata only, an annotation of the bundle
/// decides, which is not known here.
fn is_below(substitute: Option<&VersionRelease>, base: Option<&VersionRelease>) -> bool {
    let (Some(substitute), Some(base)) = (substitute, base) else { return false };
    let has_build = |version: &VersionRelease| !version.version.build().is_empty();
    match substitute.cmp_precedence(base) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Equal => !has_build(substitute) && !has_build(base),
        std::cmp::Ordering::Greater => false,
    }
}

/// Puts a substitute into a channel that has its base.
fn in_channel(channel: &mut ChannelBlob, base: &str, substitute: &BundleName, span: Span) {
    let here = |name: &str| Spanned::new(BundleName::from(name), span);
    let mut added = Vec::new();
    for entry in &mut channel.entries {
        let is_base = |name: &Spanned<BundleName>| name.value.as_str() == base;
        if is_base(&entry.name) {
            let mut taken = Entry {
                span,
                name: Spanned::new(substitute.clone(), span),
                replaces: entry.replaces.take(),
                skips: std::mem::take(&mut entry.skips),
                skip_range: entry.skip_range.take(),
                ..entry.clone()
            };
            taken.skips.push(here(base));
            added.push(taken);
        } else if entry.replaces.as_ref().is_some_and(is_base) {
            entry.replaces = Some(Spanned::new(substitute.clone(), span));
            entry.skips.push(here(base));
        } else if entry.skips.iter().any(is_base) {
            entry.skips.retain(|name| !is_base(name));
            entry.skips.push(Spanned::new(substitute.clone(), span));
        }
    }
    for (taken, position) in added.into_iter().zip(channel.entries.len()..) {
        channel.entries.push(Entry { position, ..taken });
    }
}
