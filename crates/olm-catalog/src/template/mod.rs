//! Templates: documents from which opm generates catalogs (operator-registry `alpha/template`).
//!
//! A file with only an `olm.template.basic` is read as its catalog: its `entries` are the package, channels and
//! bundles. A bundle has only an image, and its name and version are inside the image, which is not pulled.
//! They come from bundles with that image (or name) in other open catalogs: [`KnownBundles`]. All objects have spans
//! in the single document.
//!
//! An `olm.semver` lists images. It is read as the catalog that opm generates ([`semver`]); each object has the
//! span of its cause in the template. An `olm.template.substitutes` is a catalog with substitutions, which are
//! applied ([`Substitutes`]). `olm-bundle` renders all three.
//!
//! The `ci.yaml` of an operator in community-operators and the certified operators maps templates to catalogs
//! ([`Mapping`]).

pub mod semver;
mod semver_catalog;
pub mod substitution;

pub use semver_catalog::Semver;
pub use substitution::Substitutes;

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

use crate::{
    blob::{Blob, BundleBlob},
    decode::{self, DecodedDocument},
    file::DocId,
    meta,
    model::Catalog,
    names::{BundleName, PackageName},
    node::{Member, Node},
    problem::{Problem, ProblemKind, ProblemLocation, Problems},
    span::{Span, Spanned},
};
use olm_version::VersionRelease;

/// Kind of a template.
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
    /// Returns the kind for a schema; `None` if the schema is not a template.
    pub fn from_schema(schema: &str) -> Option<Self> {
        [Self::Basic, Self::Semver, Self::Substitutes].into_iter().find(|kind| kind.schema() == schema)
    }

    /// Returns the schema.
    pub fn schema(self) -> &'static str {
        match self {
            Self::Basic => "olm.template.basic",
            Self::Semver => "olm.semver",
            Self::Substitutes => "olm.template.substitutes",
        }
    }
}

/// Template of a catalog: the only document of its only file.
#[derive(Clone, Debug)]
pub struct Template {
    /// Document of the template.
    pub doc: DocId,
    /// Kind of the template.
    pub kind: TemplateKind,
    /// Data of each item of the `entries` that is a bundle.
    bundles: Vec<Option<KnownBundle>>,
    /// Content of an `olm.semver`.
    semver: Option<Semver>,
    /// Content of an `olm.template.substitutes`.
    substitutes: Option<Substitutes>,
}

impl Template {
    /// Returns the data of the bundle at an index of the `entries`.
    pub fn known_bundle(&self, position: usize) -> Option<&KnownBundle> {
        self.bundles.get(position)?.as_ref()
    }

    /// Returns its content, if it is an `olm.semver`.
    pub fn semver(&self) -> Option<&Semver> {
        self.semver.as_ref()
    }

    /// Returns its content, if it is an `olm.template.substitutes`.
    pub fn substitutes(&self) -> Option<&Substitutes> {
        self.substitutes.as_ref()
    }
}

/// Template of a generated package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateSource {
    /// Display path, relative to the root of the repository.
    pub display_path: PathBuf,
    /// Path on disk.
    pub path: PathBuf,
    /// Kind; `None` if unsupported.
    pub kind: Option<TemplateKind>,
    /// True if the catalog is rendered with bundle manifests converted to metadata.
    pub migrates: bool,
}

/// Reads a document with `more` documents after it. If it is a template, returns it with the objects it
/// generates.
pub(super) fn read_template(
    doc: DocId,
    node: &Node,
    more: usize,
    known: &KnownBundles,
) -> Option<(Template, Vec<DecodedDocument>)> {
    let (kind, span) = kind_and_span(node)?;
    let mut template = Template { doc, kind, bundles: Vec::new(), semver: None, substitutes: None };
    let mut decoded = match kind {
        TemplateKind::Basic => read_basic(&mut template, node, known),
        TemplateKind::Semver => {
            let (semver, decoded) = semver_catalog::read_semver(doc, node, known);
            template.semver = Some(semver);
            decoded
        }
        TemplateKind::Substitutes => {
            let (bundles, substitutes, decoded) = substitution::read_substitutes(doc, node, known);
            template.bundles = bundles;
            template.substitutes = Some(substitutes);
            decoded
        }
    };
    for note in template_note(&template, &decoded).into_iter().chain(ignored_documents(more)) {
        decoded.push(document_with_problem(doc, span, note));
    }
    Some((template, decoded))
}

/// Reports an error for which opm rejects a template.
fn rejected_document(doc: DocId, span: Span, reason: String) -> DecodedDocument {
    document_with_problem(doc, span, ProblemKind::BadTemplate(reason))
}

fn document_with_problem(doc: DocId, span: Span, kind: ProblemKind) -> DecodedDocument {
    let problem = Problem { at: ProblemLocation::Document(doc, span), kind };
    DecodedDocument { blob: None, problems: [problem].into_iter().collect() }
}

/// Returns the kind of a template with the span of its schema. Of two spellings of the key, the later one by
/// bytes counts, as in opm.
fn kind_and_span(node: &Node) -> Option<(TemplateKind, Span)> {
    let spellings = node.members().iter().filter(|member| meta::fold_case(&member.key) == "schema");
    let member = spellings.max_by(|a, b| a.key.cmp(&b.key))?;
    Some((TemplateKind::from_schema(member.value.as_str()?)?, member.value.span))
}

/// Returns a note about ignored documents after a template.
fn ignored_documents(more: usize) -> Option<ProblemKind> {
    let words = match more {
        0 => return None,
        1 => "the document after it is ignored".to_owned(),
        more => format!("the {more} documents after it are ignored"),
    };
    let text = format!("opm reads only the first document of a template: {words}");
    let help = "remove what follows, or move it to a file of its own";
    Some(ProblemKind::Template { text, help, lists: Vec::new() })
}

fn template_note(template: &Template, decoded: &[DecodedDocument]) -> Option<ProblemKind> {
    const ALSO: &str = "also open a catalog generated from it: olmap TEMPLATE CATALOG";
    let (text, help, lists) = match (&template.semver, &template.substitutes) {
        (Some(semver), _) => semver_catalog::semver_note(semver),
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
            let words = match count_without_version(decoded)? {
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

fn read_basic(template: &mut Template, node: &Node, known: &KnownBundles) -> Vec<DecodedDocument> {
    let items = find_member(node, "entries").map(|entries| entries.value.items()).unwrap_or_default();
    let mut decoded: Vec<DecodedDocument> =
        items.iter().map(|item| decode::decode_document(template.doc, item)).collect();
    let defined = |document: &DecodedDocument| match &document.blob {
        Some(Blob::Package(blob)) => Some(blob.name.clone()),
        _ => None,
    };
    let mut packages = decoded.iter().filter_map(defined);
    // The bundle itself does not name its package.
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
            template.bundles.push(Some(KnownBundle { package, name, version, blob: None }));
        }
    }
    if nameless > 0 {
        let assumed_bundles = assumed_bundles(template.doc, &decoded);
        decoded.extend(assumed_bundles);
    }
    decoded
}

/// Returns the bundles of channel entries if the template has bundles by image only, so that the image of each
/// is unknown.
fn assumed_bundles(doc: DocId, decoded: &[DecodedDocument]) -> Vec<DecodedDocument> {
    let mut there: HashSet<(&PackageName, &BundleName)> = HashSet::new();
    for document in decoded {
        if let Some(Blob::Bundle(bundle)) = &document.blob {
            there.insert((&bundle.package.value, &bundle.name.value));
        }
    }
    let mut assumed_bundles = Vec::new();
    for document in decoded {
        let Some(Blob::Channel(channel)) = &document.blob else { continue };
        for entry in &channel.entries {
            if !entry.name.value.as_str().is_empty()
                && there.insert((&channel.package.value, &entry.name.value))
            {
                let bundle = BundleBlob::new(doc, channel.package.clone(), entry.name.clone());
                assumed_bundles.push(DecodedDocument {
                    blob: Some(Blob::Bundle(Box::new(bundle))),
                    problems: Problems::default(),
                });
            }
        }
    }
    assumed_bundles
}

/// Returns the number of bundles without a known version and the number of all; `None` if all have one.
fn count_without_version(decoded: &[DecodedDocument]) -> Option<(usize, usize)> {
    let versions = || {
        decoded.iter().filter_map(|document| match &document.blob {
            Some(Blob::Bundle(bundle)) => Some(bundle.version.is_some()),
            _ => None,
        })
    };
    let unknown = versions().filter(|known| !known).count();
    (unknown > 0).then(|| (unknown, versions().count()))
}

/// Returns a member by name, ignoring case.
fn find_member<'n>(node: &'n Node, name: &str) -> Option<&'n Member<'n>> {
    node.members().iter().rev().find(|member| meta::fold_case(&member.key) == name)
}

#[cfg(test)]
mod tests;

/// Data of a bundle whose image occurs in a template.
#[derive(Clone, Debug)]
pub struct KnownBundle {
    /// Package of the bundle.
    pub package: PackageName,
    /// Name of the bundle.
    pub name: BundleName,
    /// Version, if known.
    pub version: Option<VersionRelease>,
    /// Complete blob of the catalog that has the bundle.
    blob: Option<Arc<BundleBlob>>,
}

/// Bundles of other catalogs, by image and by name.
#[derive(Clone, Debug, Default)]
pub struct KnownBundles {
    /// Bundles of open catalogs.
    open: BundleLookup,
    /// Bundles of catalogs that a repository generates from the template; fallback for `open`.
    published: Arc<BundleLookup>,
}

#[derive(Clone, Debug, Default)]
struct BundleLookup {
    by_image: HashMap<String, KnownBundle>,
    by_name: HashMap<BundleName, KnownBundle>,
}

impl BundleLookup {
    /// Collects the bundles of catalogs, except templates.
    fn collect<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        let mut known = Self::default();
        let catalogs = catalogs.into_iter().filter(|catalog| catalog.template().is_none());
        for bundle in catalogs.flat_map(Catalog::packages).flat_map(|package| &package.bundles) {
            let fact = KnownBundle {
                package: bundle.package.value.clone(),
                name: bundle.name.value.clone(),
                version: bundle.version.clone(),
                blob: Some(Arc::clone(bundle)),
            };
            if let Some(image) = &bundle.image {
                known.by_image.entry(image.value.clone()).or_insert_with(|| fact.clone());
            }
            known.by_name.entry(fact.name.clone()).or_insert(fact);
        }
        known
    }
}

impl KnownBundles {
    /// Collects the bundles of open catalogs.
    pub fn from_catalogs<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        Self { open: BundleLookup::collect(catalogs), published: Arc::default() }
    }

    /// Collects the bundles of published catalogs.
    pub fn from_published<'a>(catalogs: impl IntoIterator<Item = &'a Catalog>) -> Self {
        Self { open: BundleLookup::default(), published: Arc::new(BundleLookup::collect(catalogs)) }
    }

    /// Returns these bundles with those of one more catalog.
    #[must_use]
    pub(crate) fn with_catalog(&self, catalog: &Catalog) -> Self {
        let BundleLookup { by_image, by_name } = BundleLookup::collect([catalog]);
        let mut open = self.open.clone();
        open.by_image.extend(by_image);
        open.by_name.extend(by_name);
        Self { open, published: Arc::clone(&self.published) }
    }

    /// Returns these bundles with the published bundles of `other`.
    #[must_use]
    pub(crate) fn with_published_of(&self, other: &Self) -> Self {
        Self { open: self.open.clone(), published: Arc::clone(&other.published) }
    }

    /// Returns true if it has bundles of published catalogs.
    pub(crate) fn has_published(&self) -> bool {
        !self.published.by_name.is_empty()
    }

    /// Returns the bundle with exactly this image reference.
    pub fn by_image(&self, image: &str) -> Option<&KnownBundle> {
        [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_image.get(image))
    }

    /// Returns the image of a bundle.
    pub(crate) fn image_of(&self, bundle: &str) -> Option<&str> {
        let fact = [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_name.get(bundle))?;
        fact.blob.as_ref()?.image.as_ref().map(|image| image.value.as_str())
    }

    /// Returns the names of all bundles.
    pub(crate) fn bundle_names(&self) -> impl Iterator<Item = &str> {
        [&self.open, &*self.published]
            .into_iter()
            .flat_map(|facts| facts.by_name.keys().map(BundleName::as_str))
    }

    /// Returns the images of all bundles.
    pub(crate) fn bundle_images(&self) -> impl Iterator<Item = &str> {
        [&self.open, &*self.published].into_iter().flat_map(|facts| facts.by_image.keys().map(String::as_str))
    }

    /// Returns the bundle with the same image, or with the same name.
    fn look_up(&self, bundle: &BundleBlob) -> Option<&KnownBundle> {
        let image = bundle.image.as_ref().and_then(|image| self.by_image(&image.value));
        image.or_else(|| {
            [&self.open, &*self.published].into_iter().find_map(|facts| facts.by_name.get(&bundle.name.value))
        })
    }
}

/// An item of `fbc.catalog_mapping`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// Name of the template in the operator's `catalog-templates`.
    pub template: String,
    /// Kind; `None` if absent or unsupported.
    pub kind: Option<TemplateKind>,
    /// Catalogs generated from it, such as `v4.20`.
    pub catalogs: Vec<String>,
}

/// Returns the mappings of a `ci.yaml` in order. Mappings without a template name are omitted.
pub fn parse_mappings(ci: &Node) -> Vec<Mapping> {
    let items = ci.get("fbc").and_then(|fbc| fbc.get("catalog_mapping")).map(Node::items);
    items.unwrap_or_default().iter().filter_map(parse_mapping).collect()
}

/// Returns true if the pipelines render a catalog with `--migrate-level bundle-object-to-csv-metadata`: from
/// v4.17 on.
pub fn is_migrated_catalog(catalog: &str) -> bool {
    let numbers = catalog.strip_prefix('v').and_then(|version| version.split_once('.'));
    let numbers = numbers.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    numbers.is_some_and(|release: (u64, u64)| release >= (4, 17))
}

fn parse_mapping(item: &Node) -> Option<Mapping> {
    // Both spellings are in use: the one of the pipeline, and the one of vendors' documentation.
    let names = ["catalog_names", "catalogs_names"].into_iter().filter_map(|key| item.get(key));
    let names = names.flat_map(Node::items).filter_map(Node::as_str);
    Some(Mapping {
        template: item.get("template_name")?.as_str()?.to_owned(),
        kind: item.get("type").and_then(Node::as_str).and_then(TemplateKind::from_schema),
        catalogs: names.map(str::to_owned).collect(),
    })
}
