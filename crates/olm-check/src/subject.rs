//! Input of rules: a package with derived data.

use std::{
    cell::{Cell, OnceCell},
    collections::HashMap,
    sync::Arc,
};

use super::{catalog_context::CatalogContext, console::ShownHead, stuck::StepFindings, walk::ChannelWalk};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, Span,
    blob::{BundleBlob, ChannelBlob, Entry},
    package::Package,
    problem::ProblemKind,
};
use olm_upgrade::{
    PackageGraph,
    package::ChannelUpgrades,
    resolve::PackageResolution,
    v1::{Query, Resolver},
};
use olm_version::VersionRelease;

/// Package to check: the input of rules.
pub struct PackageSubject<'a> {
    pub(super) context: &'a CatalogContext<'a>,
    pub(super) catalog: &'a Catalog,
    pub(super) graph: &'a PackageGraph,
    pub(super) package: &'a Package,
    /// Results of opm's walk through each channel, in the order of [`Package::channels`].
    pub(super) walks: Vec<ChannelWalk<'a>>,
    /// Unreadable parts of each document.
    unreadable: HashMap<DocId, UnreadableParts<'a>>,
    /// Texts of unreadable documents that may contain the package; computed on first use.
    unread_texts: OnceCell<Vec<&'a [u8]>>,
    /// Number of bytes of unreadable documents that may still be searched.
    search_budget: Cell<usize>,
    /// OLM v1's resolver for a request without channel and version; computed on first use.
    resolver: OnceCell<Option<Arc<Resolver>>>,
    /// Results of a new Subscription to each channel.
    pub(super) resolution: &'a PackageResolution,
    /// Findings about single steps; groups of stuck versions may explain them.
    pub(super) step_findings: OnceCell<StepFindings>,
    /// Heads as consoles show them; computed on first use.
    pub(super) shown_heads: OnceCell<Vec<ShownHead<'a>>>,
}

/// Unreadable parts of a document.
#[derive(Default)]
struct UnreadableParts<'a> {
    /// Spans of the problems, sorted.
    places: Vec<Span>,
    /// Kinds of the problems, without consecutive duplicates.
    kinds: Vec<&'a ProblemKind>,
}

/// Maximum size of an unreadable document to search, in bytes. Larger documents may contain any
/// name.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// Approximate number of bytes of unreadable documents to search for all packages together. It
/// limits the effort for many packages with much unreadable input. After that, documents may
/// contain any name.
const MAX_TOTAL_SEARCHED_BYTES: usize = 1 << 32;

impl<'a> PackageSubject<'a> {
    pub(super) fn new(
        context: &'a CatalogContext<'a>,
        graph: &'a PackageGraph,
        resolution: &'a PackageResolution,
    ) -> Self {
        let catalog = context.catalog;
        let package: &Package = &graph.package;
        let mut spoilt: HashMap<DocId, UnreadableParts<'_>> = HashMap::new();
        for (kind, doc, span) in package.problems.in_documents().filter(|(kind, ..)| kind.is_error()) {
            let spoilt = spoilt.entry(doc).or_default();
            spoilt.places.push(span);
            if !spoilt.kinds.last().is_some_and(|last| std::ptr::eq(*last, kind)) {
                spoilt.kinds.push(kind);
            }
        }
        for spoilt in spoilt.values_mut() {
            spoilt.places.sort_unstable();
        }
        Self {
            context,
            catalog,
            graph,
            package,
            walks: package.channels.iter().map(|channel| ChannelWalk::new(channel)).collect(),
            unreadable: spoilt,
            unread_texts: OnceCell::new(),
            search_budget: Cell::new(MAX_TOTAL_SEARCHED_BYTES / catalog.packages().len().max(1)),
            resolver: OnceCell::new(),
            resolution,
            step_findings: OnceCell::new(),
            shown_heads: OnceCell::new(),
        }
    }

    /// Returns the catalog of the package.
    pub fn catalog(&self) -> &'a Catalog {
        self.catalog
    }

    /// Returns the package. Its name is empty for objects that do not name a package.
    pub fn package(&self) -> &'a Package {
        self.package
    }

    /// Returns the upgrade graphs of the package.
    pub fn graph(&self) -> &'a PackageGraph {
        self.graph
    }

    /// Returns the walk through the first channel with the given name.
    pub(super) fn walk(&self, channel: &ChannelName) -> Option<&ChannelWalk<'a>> {
        self.walks.get(self.package.channel_position(channel.as_str())?)
    }

    /// Returns true unless this is the container of blobs that do not name a package.
    pub(super) fn is_named(&self) -> bool {
        !self.package.name.as_str().is_empty()
    }

    /// Returns true if there is an `olm.package`. Without it, nothing else counts as missing.
    pub(super) fn is_defined(&self) -> bool {
        self.is_named() && !self.package.definitions.is_empty()
    }

    /// Returns true if any part of a document is unreadable.
    pub(super) fn is_partly_unread(&self, doc: DocId) -> bool {
        self.unreadable.contains_key(&doc)
    }

    /// Returns true if a span of a document contains an unreadable part. Values in this span do not
    /// count as missing.
    pub(super) fn is_unreadable(&self, doc: DocId, span: Span) -> bool {
        let Some(UnreadableParts { places, .. }) = self.unreadable.get(&doc) else { return false };
        // The spans are sorted, and a span that begins inside of another also ends there.
        let first = places.partition_point(|place| place.start < span.start);
        places.get(first).is_some_and(|place| place.end <= span.end)
    }

    /// Returns true if a matching field of a document has a value of the wrong type. The argument
    /// is the path of the field, such as `properties[0].type`.
    pub(super) fn is_field_unreadable(&self, doc: DocId, is_meant: impl Fn(&str) -> bool) -> bool {
        let kinds = self.unreadable.get(&doc).map(|spoilt| spoilt.kinds.as_slice()).unwrap_or_default();
        kinds.iter().any(|kind| matches!(kind, ProblemKind::WrongType { field, .. } if is_meant(field)))
    }

    /// Returns true if an entry of the package is unreadable or does not have a name. It may
    /// belong to any bundle.
    pub(super) fn has_unknown_entry(&self) -> bool {
        self.package.channels.iter().any(|channel| self.is_partly_unread(channel.doc))
            || self.all_entries().any(|(_, entry)| entry.name.value.as_str().is_empty())
    }

    /// Returns the entries whose bundle does not exist.
    pub(super) fn entries_without_bundle(&self) -> impl Iterator<Item = (&'a ChannelBlob, &'a Entry)> {
        self.all_entries().filter(|(_, entry)| {
            let name = entry.name.value.as_str();
            !name.is_empty() && self.package.bundle(name).is_none()
        })
    }

    /// Returns true if an unreadable document may define an item of the package: it contains the
    /// names of both. Such an item does not count as missing, since another finding reports the
    /// document.
    pub(super) fn may_be_unread(&self, name: &str) -> bool {
        let texts = self.unread_texts.get_or_init(|| {
            let errors = self.catalog.problems().in_documents().filter(|(kind, ..)| kind.is_error());
            let mut documents: Vec<DocId> = errors.map(|(_, doc, _)| doc).collect();
            documents.dedup();
            let texts = documents.into_iter().filter_map(|doc| self.catalog.document_text(doc));
            texts.filter(|text| self.may_contain(text, self.package.name.as_str())).collect()
        });
        texts.iter().any(|text| self.may_contain(text, name))
    }

    /// Returns true if a text contains a name. Also true if the text is too large to search, or if
    /// the search budget is used up.
    fn may_contain(&self, text: &[u8], name: &str) -> bool {
        self.search_budget.set(self.search_budget.get().saturating_sub(text.len()));
        text.len() > MAX_SEARCHED_BYTES
            || self.search_budget.get() == 0
            || memchr::memmem::find(text, name.as_bytes()).is_some()
    }

    /// Returns the version of a bundle.
    pub fn version_of(&self, name: &BundleName) -> Option<&'a VersionRelease> {
        self.package.bundle_version(name.as_str())
    }

    /// Sorts names by version, highest first.
    pub fn newest_first<'n>(&self, names: impl IntoIterator<Item = &'n BundleName>) -> Vec<&'n BundleName> {
        let mut names: Vec<_> = names.into_iter().map(|name| (self.version_of(name), name)).collect();
        names.sort_by(|(a, x), (b, y)| {
            let order = match (a, b) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            order.then_with(|| x.cmp(y))
        });
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns all entries of all channels.
    pub fn all_entries(&self) -> impl Iterator<Item = (&'a ChannelBlob, &'a Entry)> {
        self.package.channels.iter().flat_map(|channel| channel.entries.iter().map(move |e| (&**channel, e)))
    }

    /// Returns the default channel; `None` if it does not exist.
    pub fn default_channel(&self) -> Option<&'a ChannelUpgrades> {
        self.graph.channel(self.package.default_channel()?.as_str())
    }

    /// Returns the heads, each with its channels.
    pub fn heads(&self) -> Vec<(&'a BundleBlob, Vec<&'a ChannelBlob>)> {
        let mut heads: Vec<(&BundleBlob, Vec<&ChannelBlob>)> = Vec::new();
        let mut places: HashMap<&BundleName, usize> = HashMap::new();
        for walk in &self.walks {
            let Some(bundle) = walk.head().and_then(|head| self.package.bundle(head.name.value.as_str()))
            else {
                continue;
            };
            let place = *places.entry(&bundle.name.value).or_insert_with(|| {
                heads.push((bundle, Vec::new()));
                heads.len() - 1
            });
            if let Some((_, channels)) = heads.get_mut(place) {
                channels.push(walk.channel);
            }
        }
        heads
    }

    /// Returns OLM v1's resolver for a request without channel and version.
    pub(super) fn v1_resolver(&self) -> Option<&Resolver> {
        self.resolver.get_or_init(|| self.graph.v1_resolver(&Query::default()).ok()).as_deref()
    }
}
