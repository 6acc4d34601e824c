//! What rules look at: a package with everything derived from it.

use std::{cell::OnceCell, collections::HashMap, sync::Arc};

use super::walk::Walk;
use crate::{
    catalog::{
        BundleName, Catalog, DocId, Span,
        blob::{BundleBlob, ChannelBlob, Entry},
        package::Package,
        problem::{Problem, ProblemKind, ProblemPlace},
    },
    upgrade::{
        PackageGraph,
        package::ChannelUpgrades,
        v1::{Query, Resolver},
    },
    version::VersionRelease,
};

/// A package under examination.
pub(super) struct Subject<'a> {
    pub catalog: &'a Catalog,
    pub graph: &'a PackageGraph,
    pub package: &'a Package,
    /// opm's walk through each channel, in the order of [`Package::channels`].
    pub walks: Vec<Walk<'a>>,
    /// The problems of each document that mean something could not be read, in the order of their places.
    spoilt: HashMap<DocId, Vec<&'a Problem>>,
    /// The documents that could not be read at all and may speak of the package.
    unread: OnceCell<Vec<&'a [u8]>>,
    resolver: OnceCell<Option<Arc<Resolver>>>,
}

/// Beyond this many bytes, an unreadable document is not searched: it may speak of anything.
const MAX_SEARCHED: usize = 1 << 20;

fn speaks_of(text: &[u8], name: &str) -> bool {
    text.len() > MAX_SEARCHED || memchr::memmem::find(text, name.as_bytes()).is_some()
}

fn span_of(problem: &Problem) -> Span {
    match problem.at {
        ProblemPlace::Document(_, span) => span,
        ProblemPlace::File(_) => Span::default(),
    }
}

impl<'a> Subject<'a> {
    pub fn new(catalog: &'a Catalog, graph: &'a PackageGraph) -> Self {
        let package: &Package = &graph.package;
        let mut spoilt: HashMap<DocId, Vec<&Problem>> = HashMap::new();
        for problem in package.problems.iter().filter(|p| p.kind.is_error()) {
            if let Some(doc) = problem.doc() {
                spoilt.entry(doc).or_default().push(problem);
            }
        }
        for problems in spoilt.values_mut() {
            problems.sort_by_key(|problem| span_of(problem));
        }
        let walks = package.channels.iter().map(|channel| Walk::new(channel)).collect();
        Self { catalog, graph, package, walks, spoilt, unread: OnceCell::new(), resolver: OnceCell::new() }
    }

    /// Whether this is a package at all, and not where blobs are kept that did not say of which one they are.
    pub fn is_named(&self) -> bool {
        !self.package.name.as_str().is_empty()
    }

    /// Whether there is an `olm.package`. Where there is none, nothing else can be said to be missing.
    pub fn is_defined(&self) -> bool {
        self.is_named() && !self.package.definitions.is_empty()
    }

    /// What could not be read in a document.
    pub fn problems_of(&self, doc: DocId) -> &[&'a Problem] {
        self.spoilt.get(&doc).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a part of a document could not be read: then what seems to be missing there may be meant.
    pub fn is_spoilt(&self, doc: DocId, span: Span) -> bool {
        let problems = self.problems_of(doc);
        // They are sorted, and a place that begins inside another ends there, too.
        let first = problems.partition_point(|problem| span_of(problem).start < span.start);
        problems.get(first).is_some_and(|problem| span_of(problem).end <= span.end)
    }

    /// Whether one of some fields of a document has a value of the wrong type. Fields are told by their path, such as
    /// `properties[0].type`.
    pub fn is_field_spoilt(&self, doc: DocId, is_meant: impl Fn(&str) -> bool) -> bool {
        self.problems_of(doc)
            .iter()
            .any(|problem| matches!(&problem.kind, ProblemKind::WrongType { field, .. } if is_meant(field)))
    }

    /// Whether some entry of the package could not be read, or has no name: it may be any bundle's.
    pub fn has_unknown_entry(&self) -> bool {
        self.package.channels.iter().any(|channel| !self.problems_of(channel.doc).is_empty())
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
            let errors = self.catalog.problems().iter().filter(|problem| problem.kind.is_error());
            let texts = errors.filter_map(Problem::doc).filter_map(|doc| self.catalog.text(doc));
            texts.filter(|text| speaks_of(text, self.package.name.as_str())).collect()
        });
        texts.iter().any(|text| speaks_of(text, name))
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
