//! Input of rules: a package with derived data.

use std::{
    cell::{Cell, OnceCell},
    collections::HashMap,
    sync::Arc,
};

use super::{stuck::StepFindings, surroundings::Surroundings, walk::Walk};
use crate::{
    catalog::{
        BundleName, Catalog, ChannelName, DocId, Span,
        blob::{BundleBlob, ChannelBlob, Entry},
        package::Package,
        problem::ProblemKind,
    },
    resolve::Standings,
    upgrade::{
        PackageGraph,
        package::ChannelUpgrades,
        v1::{Query, Resolver},
    },
    version::VersionRelease,
};

/// Package to check.
pub(super) struct Subject<'a> {
    pub around: &'a Surroundings<'a>,
    pub catalog: &'a Catalog,
    pub graph: &'a PackageGraph,
    pub package: &'a Package,
    /// Results of opm's walk through each channel, in the order of [`Package::channels`].
    pub walks: Vec<Walk<'a>>,
    /// Unreadable parts of each document.
    spoilt: HashMap<DocId, Spoilt<'a>>,
    /// Unreadable documents that may contain the package.
    unread: OnceCell<Vec<&'a [u8]>>,
    /// Number of bytes of unreadable documents that may still be searched.
    left: Cell<usize>,
    resolver: OnceCell<Option<Arc<Resolver>>>,
    /// Results of a new Subscription to each channel.
    pub standings: &'a Standings,
    /// Findings about single steps; groups of stuck versions may explain them.
    pub step_findings: OnceCell<StepFindings>,
}

/// Unreadable parts of a document.
#[derive(Default)]
struct Spoilt<'a> {
    /// Spans of the problems, sorted.
    places: Vec<Span>,
    /// Kinds of the problems; equal neighbors occur once.
    kinds: Vec<&'a ProblemKind>,
}

/// Maximum size of an unreadable document to search, in bytes. Larger documents may contain any
/// name.
const MAX_SEARCHED: usize = 1 << 20;

/// Approximate number of bytes of unreadable documents to search for all packages together. It
/// limits the effort for many packages with much unreadable input. After that, documents may
/// contain any name.
const MAX_SEARCHED_IN_ALL: usize = 1 << 32;

impl<'a> Subject<'a> {
    pub fn new(around: &'a Surroundings<'a>, graph: &'a PackageGraph, standings: &'a Standings) -> Self {
        let catalog = around.catalog;
        let package: &Package = &graph.package;
        let mut spoilt: HashMap<DocId, Spoilt<'_>> = HashMap::new();
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
            around,
            catalog,
            graph,
            package,
            walks: package.channels.iter().map(|channel| Walk::new(channel)).collect(),
            spoilt,
            unread: OnceCell::new(),
            left: Cell::new(MAX_SEARCHED_IN_ALL / catalog.packages().len().max(1)),
            resolver: OnceCell::new(),
            standings,
            step_findings: OnceCell::new(),
        }
    }

    /// Returns the walk through the first channel with a name.
    pub fn walk(&self, channel: &ChannelName) -> Option<&Walk<'a>> {
        self.walks.get(self.package.channel_place(channel.as_str())?)
    }

    /// Returns false for the container of blobs that do not name a package.
    pub fn is_named(&self) -> bool {
        !self.package.name.as_str().is_empty()
    }

    /// Returns true if there is an `olm.package`. Without it, nothing else counts as missing.
    pub fn is_defined(&self) -> bool {
        self.is_named() && !self.package.definitions.is_empty()
    }

    /// Returns true if a part of a document is unreadable.
    pub fn is_partly_unread(&self, doc: DocId) -> bool {
        self.spoilt.contains_key(&doc)
    }

    /// Returns true if a part of a document is unreadable. Values in this part do not count as
    /// missing.
    pub fn is_spoilt(&self, doc: DocId, span: Span) -> bool {
        let Some(Spoilt { places, .. }) = self.spoilt.get(&doc) else { return false };
        // The spans are sorted, and a span that begins inside of another also ends there.
        let first = places.partition_point(|place| place.start < span.start);
        places.get(first).is_some_and(|place| place.end <= span.end)
    }

    /// Returns true if a matching field of a document has a value of the wrong type. The argument
    /// is the path of the field, such as `properties[0].type`.
    pub fn is_field_spoilt(&self, doc: DocId, is_meant: impl Fn(&str) -> bool) -> bool {
        let kinds = self.spoilt.get(&doc).map(|spoilt| spoilt.kinds.as_slice()).unwrap_or_default();
        kinds.iter().any(|kind| matches!(kind, ProblemKind::WrongType { field, .. } if is_meant(field)))
    }

    /// Returns true if an entry of the package is unreadable or does not have a name. It may
    /// belong to any bundle.
    pub fn has_unknown_entry(&self) -> bool {
        self.package.channels.iter().any(|channel| self.is_partly_unread(channel.doc))
            || self.entries().any(|(_, entry)| entry.name.value.as_str().is_empty())
    }

    /// Returns the entries whose bundle does not exist.
    pub fn entries_without_bundle(&self) -> impl Iterator<Item = (&'a ChannelBlob, &'a Entry)> {
        self.entries().filter(|(_, entry)| {
            let name = entry.name.value.as_str();
            !name.is_empty() && self.package.bundle(name).is_none()
        })
    }

    /// Returns true if an unreadable document contains the names of the package and of an item.
    /// The item does not count as missing, since another finding reports the document.
    pub fn may_be_unread(&self, name: &str) -> bool {
        let texts = self.unread.get_or_init(|| {
            let errors = self.catalog.problems().in_documents().filter(|(kind, ..)| kind.is_error());
            let mut documents: Vec<DocId> = errors.map(|(_, doc, _)| doc).collect();
            documents.dedup();
            let texts = documents.into_iter().filter_map(|doc| self.catalog.text(doc));
            texts.filter(|text| self.speaks_of(text, self.package.name.as_str())).collect()
        });
        texts.iter().any(|text| self.speaks_of(text, name))
    }

    fn speaks_of(&self, text: &[u8], name: &str) -> bool {
        self.left.set(self.left.get().saturating_sub(text.len()));
        text.len() > MAX_SEARCHED
            || self.left.get() == 0
            || memchr::memmem::find(text, name.as_bytes()).is_some()
    }

    /// Returns the version of a bundle.
    pub fn version(&self, name: &BundleName) -> Option<&'a VersionRelease> {
        self.package.version_of(name.as_str())
    }

    /// Sorts names by version, highest first.
    pub fn newest_first<'n>(&self, names: impl IntoIterator<Item = &'n BundleName>) -> Vec<&'n BundleName> {
        let mut names: Vec<_> = names.into_iter().map(|name| (self.version(name), name)).collect();
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
    pub fn entries(&self) -> impl Iterator<Item = (&'a ChannelBlob, &'a Entry)> {
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
    pub fn v1(&self) -> Option<&Resolver> {
        self.resolver.get_or_init(|| self.graph.resolver(&Query::default()).ok()).as_deref()
    }
}
