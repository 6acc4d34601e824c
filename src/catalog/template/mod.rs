//! Templates: documents that opm makes catalogs from (operator-registry `alpha/template`).
//!
//! A file that holds nothing but an `olm.template.basic` is read as the catalog it stands for: its `entries` are package,
//! channels and bundles. Of a bundle it has the image only; name and version are in the image, which is not pulled, so
//! they are taken from bundles with that image (or that name) in catalogs that are open beside it: [`Known`]. Everything
//! that is read has its place in the one document there is.
//!
//! An `olm.semver` lists images: it is read as the catalog that opm makes of them ([`semver`]), each object at the place in
//! the template that causes it. An `olm.template.substitutes` is a catalog with substitutions: it is read with them made
//! ([`Substitutes`]). The room `template` renders all three.

mod known;
mod made;
mod mapping;
pub mod semver;
mod substituted;
pub mod substitution;

pub use known::{Fact, Known};
pub use made::Semver;
pub use mapping::{Mapping, mappings, migrates};
pub use substituted::Substitutes;

use std::{collections::HashSet, path::PathBuf};

use super::{
    blob::{Blob, BundleBlob},
    decode::{self, Decoded},
    file::DocId,
    meta,
    names::{BundleName, PackageName},
    node::{Member, Node},
    problem::{Problem, ProblemKind, ProblemPlace, Problems},
    span::{Span, Spanned},
};

/// What sort of template a document is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TemplateKind {
    /// `olm.template.basic`
    Basic,
    /// `olm.semver`
    Semver,
    /// `olm.template.substitutes`
    Substitutes,
}

impl TemplateKind {
    /// The kind of a schema; `None` for what is no template.
    pub fn of(schema: &str) -> Option<Self> {
        [Self::Basic, Self::Semver, Self::Substitutes].into_iter().find(|kind| kind.schema() == schema)
    }

    /// The schema.
    pub fn schema(self) -> &'static str {
        match self {
            Self::Basic => "olm.template.basic",
            Self::Semver => "olm.semver",
            Self::Substitutes => "olm.template.substitutes",
        }
    }
}

/// A catalog's template: the only document of its only file.
#[derive(Clone, Debug)]
pub struct Template {
    /// The document.
    pub doc: DocId,
    /// Its kind.
    pub kind: TemplateKind,
    /// What is known of each item of the `entries` that is a bundle.
    bundles: Vec<Option<Fact>>,
    /// What an `olm.semver` lists.
    semver: Option<Semver>,
    /// What an `olm.template.substitutes` substitutes.
    substitutes: Option<Substitutes>,
}

impl Template {
    /// What is known of the bundle at a position of the `entries`.
    pub fn bundle(&self, position: usize) -> Option<&Fact> {
        self.bundles.get(position)?.as_ref()
    }

    /// What it lists, if it is an `olm.semver`.
    pub fn semver(&self) -> Option<&Semver> {
        self.semver.as_ref()
    }

    /// What it substitutes, if it is an `olm.template.substitutes`.
    pub fn substitutes(&self) -> Option<&Substitutes> {
        self.substitutes.as_ref()
    }
}

/// The template that a package of a catalog is made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MadeFrom {
    /// Where it is, from the root of the repository on: for people.
    pub shown: PathBuf,
    /// Where it is on disk.
    pub path: PathBuf,
    /// What it is; `None` for a kind that is not known here.
    pub kind: Option<TemplateKind>,
    /// Whether the catalog is rendered with the manifests of its bundles made metadata.
    pub migrates: bool,
}

/// Reads a document if it is a template: what it is, and the objects it stands for. `more` documents follow it.
pub(super) fn read(doc: DocId, node: &Node, more: usize, known: &Known) -> Option<(Template, Vec<Decoded>)> {
    let (kind, span) = schema(node)?;
    let mut template = Template { doc, kind, bundles: Vec::new(), semver: None, substitutes: None };
    let mut decoded = match kind {
        TemplateKind::Basic => basic(&mut template, node, known),
        TemplateKind::Semver => {
            let (semver, decoded) = made::read(doc, node, known);
            template.semver = Some(semver);
            decoded
        }
        TemplateKind::Substitutes => {
            let (bundles, substitutes, decoded) = substituted::read(doc, node, known);
            template.bundles = bundles;
            template.substitutes = Some(substitutes);
            decoded
        }
    };
    for remark in remark(&template, &decoded).into_iter().chain(ignored(more)) {
        decoded.push(told(doc, span, remark));
    }
    Some((template, decoded))
}

/// Why opm rejects a template, at its place.
fn rejected(doc: DocId, span: Span, reason: String) -> Decoded {
    told(doc, span, ProblemKind::BadTemplate(reason))
}

fn told(doc: DocId, span: Span, kind: ProblemKind) -> Decoded {
    let problem = Problem { at: ProblemPlace::Document(doc, span), kind };
    Decoded { blob: None, problems: [problem].into_iter().collect() }
}

/// What kind of template a document is, and where it says so. Of two spellings of a key the later one by bytes counts, as
/// opm reads templates.
fn schema(node: &Node) -> Option<(TemplateKind, Span)> {
    let spellings = node.members().iter().filter(|member| meta::fold(&member.key) == "schema");
    let member = spellings.max_by(|a, b| a.key.cmp(&b.key))?;
    Some((TemplateKind::of(member.value.as_str()?)?, member.value.span))
}

/// That there are documents behind a template, which nobody reads.
fn ignored(more: usize) -> Option<ProblemKind> {
    let words = match more {
        0 => return None,
        1 => "the document after it is ignored".to_owned(),
        more => format!("the {more} documents after it are ignored"),
    };
    let text = format!("opm reads only the first document of a template: {words}");
    let help = "remove what follows, or move it to a file of its own";
    Some(ProblemKind::Template { text, help, lists: Vec::new() })
}

fn remark(template: &Template, decoded: &[Decoded]) -> Option<ProblemKind> {
    const ALSO: &str = "also open a catalog generated from it: olmap TEMPLATE CATALOG";
    let (text, help, lists) = match (&template.semver, &template.substitutes) {
        (Some(semver), _) => made::remark(semver),
        (None, Some(substitutes)) => {
            let all = substitutes.substitutions.len();
            let (text, help) = match substitutes.unknown {
                0 => (
                    "the catalog is made from an olm.template.substitutes".to_owned(),
                    "edit its substitutions in $EDITOR",
                ),
                unknown => (
                    format!(
                        "{unknown} of {all} substitutes are not known: the channels are shown without them"
                    ),
                    ALSO,
                ),
            };
            let each = substitutes
                .substitutions
                .iter()
                .map(|one| (format!("{} substitutes {}", one.image.value, one.base.value), one.image.span));
            (text, help, each.collect())
        }
        (None, None) => {
            let words = match without_version(decoded)? {
                (1, 1) => "the version of its only bundle is not known".to_owned(),
                (unknown, all) if unknown == all => {
                    format!("the versions of all {all} bundles are not known")
                }
                (unknown, all) => format!("the versions of {unknown} of {all} bundles are not known"),
            };
            (format!("{words}: a template lists only bundle images"), ALSO, Vec::new())
        }
    };
    Some(ProblemKind::Template { text, help, lists })
}

fn basic(template: &mut Template, node: &Node, known: &Known) -> Vec<Decoded> {
    let items = member(node, "entries").map(|entries| entries.value.items()).unwrap_or_default();
    let mut decoded: Vec<Decoded> = items.iter().map(|item| decode::decode(template.doc, item)).collect();
    let defined = |document: &Decoded| match &document.blob {
        Some(Blob::Package(blob)) => Some(blob.name.clone()),
        _ => None,
    };
    let mut packages = decoded.iter().filter_map(defined);
    // A bundle does not say of which package it is.
    let home = packages.next().filter(|_| packages.next().is_none());
    let mut nameless = 0;
    for document in &mut decoded {
        let Some(Blob::Bundle(bundle)) = &mut document.blob else {
            template.bundles.push(None);
            continue;
        };
        let fact = known.look_up(bundle);
        if bundle.package.value.as_str().is_empty() {
            let home = home.as_ref().map(|home| home.value.clone());
            let package = home.or_else(|| fact.map(|fact| fact.package.clone()));
            bundle.package.value = package.unwrap_or_default();
        }
        if bundle.name.value.as_str().is_empty()
            && let Some(fact) = fact
        {
            let span = bundle.image.as_ref().map_or(bundle.name.span, |image| image.span);
            bundle.name = Spanned::new(fact.name.clone(), span);
        }
        bundle.version = bundle.version.take().or(fact.and_then(|fact| fact.version.clone()));
        let (package, name) = (bundle.package.value.clone(), bundle.name.value.clone());
        if name.as_str().is_empty() {
            nameless += 1;
            document.blob = None;
            template.bundles.push(None);
        } else {
            let version = bundle.version.clone();
            template.bundles.push(Some(Fact { package, name, version, blob: None }));
        }
    }
    if nameless > 0 {
        let supposed = supposed(template.doc, &decoded);
        decoded.extend(supposed);
    }
    decoded
}

/// The bundles that the entries of channels name and the template has by image only: which image is whose is not known.
fn supposed(doc: DocId, decoded: &[Decoded]) -> Vec<Decoded> {
    let mut there: HashSet<(&PackageName, &BundleName)> = HashSet::new();
    for document in decoded {
        if let Some(Blob::Bundle(bundle)) = &document.blob {
            there.insert((&bundle.package.value, &bundle.name.value));
        }
    }
    let mut supposed = Vec::new();
    for document in decoded {
        let Some(Blob::Channel(channel)) = &document.blob else { continue };
        for entry in &channel.entries {
            if !entry.name.value.as_str().is_empty()
                && there.insert((&channel.package.value, &entry.name.value))
            {
                let bundle = nothing_but(doc, channel.package.clone(), entry.name.clone());
                supposed.push(Decoded {
                    blob: Some(Blob::Bundle(Box::new(bundle))),
                    problems: Problems::default(),
                });
            }
        }
    }
    supposed
}

fn nothing_but(doc: DocId, package: Spanned<PackageName>, name: Spanned<BundleName>) -> BundleBlob {
    BundleBlob {
        doc,
        package,
        name,
        image: None,
        related_images: Vec::new(),
        properties: Vec::new(),
        package_properties: Vec::new(),
        version: None,
        requires: Vec::new(),
        provides: Vec::new(),
        max_openshift: None,
        csv: None,
        has_objects: false,
    }
}

/// How many bundles have no known version, of how many; `None` where all have one.
fn without_version(decoded: &[Decoded]) -> Option<(usize, usize)> {
    let versions = || {
        decoded.iter().filter_map(|document| match &document.blob {
            Some(Blob::Bundle(bundle)) => Some(bundle.version.is_some()),
            _ => None,
        })
    };
    let unknown = versions().filter(|known| !known).count();
    (unknown > 0).then(|| (unknown, versions().count()))
}

/// A member by its name, in any case.
fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Member<'n>> {
    node.members().iter().rev().find(|member| meta::fold(&member.key) == name)
}

#[cfg(test)]
mod tests;
