//! What rules look at: a package with everything derived from it.

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

/// A package under examination.
pub(super) struct Subject<'a> {
    pub around: &'a Surroundings<'a>,
    pub catalog: &'a Catalog,
    pub graph: &'a PackageGraph,
    pub package: &'a Package,
    /// opm's walk through each channel, in the order of [`Package::channels`].
    pub walks: Vec<Walk<'a>>,
    /// What could not be read in each document.
    spoilt: HashMap<DocId, Spoilt<'a>>,
    /// The documents that could not be read at all and may speak of the package.
    unread: OnceCell<Vec<&'a [u8]>>,
    /// How many bytes of them may still be searched.
    left: Cell<usize>,
    resolver: OnceCell<Option<Arc<Resolver>>>,
    /// What those get who subscribe to one of its channels.
    pub standings: &'a Standings,
    /// Findings about single steps, which stuck versions may explain.
    pub step_findings: OnceCell<StepFindings>,
}

/// What could not be read in a document.
#[derive(Default)]
struct Spoilt<'a> {
    /// The places, in their order.
    places: Vec<Span>,
    /// What is wrong, that of some for others that are alike.
    kinds: Vec<&'a ProblemKind>,
}

/// Beyond this many bytes, an unreadable document is not searched: it may speak of anything.
const MAX_SEARCHED: usize = 1 << 20;

/// How many bytes of unreadable documents are searched for all packages together, more or less. Beyond, they may speak of
/// anything: many packages and much that is unreadable would take their product.
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

    /// opm's walk through a channel; the first of that name.
    pub fn walk(&self, channel: &ChannelName) -> Option<&Walk<'a>> {
        self.walks.get(self.package.channel_place(channel.as_str())?)
    }

    /// Whether this is a package at all, and not where blobs are kept that did not say of which one they are.
    pub fn is_named(&self) -> bool {
        !self.package.name.as_str().is_empty()
    }

    /// Whether there is an `olm.package`. Where there is none, nothing else can be said to be missing.
    pub fn is_defined(&self) -> bool {
        self.is_named() && !self.package.definitions.is_empty()
    }

    /// Whether something in a document could not be read.
    pub fn is_partly_unread(&self, doc: DocId) -> bool {
        self.spoilt.contains_key(&doc)
    }

    /// Whether a part of a document could not be read: then what seems to be missing there may be meant.
    pub fn is_spoilt(&self, doc: DocId, span: Span) -> bool {
        let Some(Spoilt { places, .. }) = self.spoilt.get(&doc) else { return false };
        // They are sorted, and a place that begins inside another ends there, too.
        let first = places.partition_point(|place| place.start < span.start);
        places.get(first).is_some_and(|place| place.end <= span.end)
    }

    /// Whether one of some fields of a document has a value of the wrong type. Fields are told by their path, such as
    /// `properties[0].type`.
    pub fn is_field_spoilt(&self, doc: DocId, is_meant: impl Fn(&str) -> bool) -> bool {
        let kinds = self.spoilt.get(&doc).map(|spoilt| spoilt.kinds.as_slice()).unwrap_or_default();
        kinds.iter().any(|kind| matches!(kind, ProblemKind::WrongType { field, .. } if is_meant(field)))
    }

    /// Whether some entry of the package could not be read, or has no name: it may be any bundle's.
    pub fn has_unknown_entry(&self) -> bool {
        self.package.channels.iter().any(|channel| self.is_partly_unread(channel.doc))
            || self.entries().any(|(_, entry)| entry.name.value.as_str().is_empty())
    }

    /// The entries whose names no bundle has.
    pub fn entries_without_bundle(&self) -> impl Iterator<Item = (&'a ChannelBlob, &'a Entry)> {
        self.entries().filter(|(_, entry)| {
            let name = entry.name.value.as_str();
            !name.is_empty() && self.package.bundle(name).is_none()
        })
    }

    /// Whether some document that could not be read at all speaks of the package and of a name: what seems to be missing
    /// may be there, and one cause is not reported twice.
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

    /// The version of a bundle.
    pub fn version(&self, name: &BundleName) -> Option<&'a VersionRelease> {
        self.package.version_of(name.as_str())
    }

    /// Puts names in the order in which people read releases: highest version first.
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

    /// Every entry of every channel.
    pub fn entries(&self) -> impl Iterator<Item = (&'a ChannelBlob, &'a Entry)> {
        self.package.channels.iter().flat_map(|channel| channel.entries.iter().map(move |e| (&**channel, e)))
    }

    /// The default channel, where the package has it.
    pub fn default_channel(&self) -> Option<&'a ChannelUpgrades> {
        self.graph.channel(self.package.default_channel()?.as_str())
    }

    /// The heads of channels that have one, each with the channels it is head of.
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

    /// OLM v1 as it answers who names neither channel nor version.
    pub fn v1(&self) -> Option<&Resolver> {
        self.resolver.get_or_init(|| self.graph.resolver(&Query::default()).ok()).as_deref()
    }
}
