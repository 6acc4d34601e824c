//! A catalog that is read package by package, so that the user can browse it during loading.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    Catalog, Origin,
    document_collection::{self, scan_heading},
};
use crate::{
    file::{DocId, SourceFile},
    names::PackageName,
    package::Package,
    problem::{Problem, Problems},
};

/// Missing part of a catalog that is being read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingPart {
    /// Packages with unread documents: they are incomplete or empty in the catalog.
    pub packages: BTreeSet<PackageName>,
    /// Number of bytes of documents read so far.
    pub bytes_read: usize,
    /// Number of bytes of documents found so far.
    pub bytes_found: usize,
    /// True if all files were scanned, so that the list of packages is complete.
    pub is_listed: bool,
}

/// Unread documents of a package, by their headings.
#[derive(Default)]
struct UnreadPackage {
    documents: Vec<DocId>,
    bytes: usize,
}

/// A catalog that grows. The final result equals that of reading everything at once.
pub(crate) struct IncrementalCatalog {
    catalog: Catalog,
    waiting: HashMap<PackageName, UnreadPackage>,
    /// Unread packages in the order in which they were found.
    order: VecDeque<PackageName>,
    /// Placeholders of packages without read documents.
    empty: BTreeMap<PackageName, Arc<Package>>,
    read: usize,
    found: usize,
}

impl IncrementalCatalog {
    pub fn new(origin: Origin) -> Self {
        Self {
            catalog: Catalog::with_files_only(origin, Vec::new(), Problems::default()),
            waiting: HashMap::new(),
            order: VecDeque::new(),
            empty: BTreeMap::new(),
            read: 0,
            found: 0,
        }
    }

    /// Returns the beginning of a catalog whose last file is cut off. It has the complete packages, without the
    /// one at the cut. `None` if there are none.
    pub fn beginning(origin: Origin, files: Vec<SourceFile>) -> Option<Catalog> {
        let mut growing = Self::new(origin);
        growing.add_files(files);
        // A document without a heading may be cut off.
        growing.waiting.remove(&PackageName::default());
        let last = growing.waiting.iter().max_by_key(|(_, waiting)| waiting.documents.last().copied());
        let cut_off = last.map(|(name, _)| name.clone())?;
        growing.order.retain(|name| !name.as_str().is_empty() && *name != cut_off);
        if growing.order.is_empty() {
            return None;
        }
        growing.read_packages(None, usize::MAX);
        Some(growing.snapshot(false))
    }

    /// Adds files in opm's order, and finds the packages of their documents.
    pub fn add_files(&mut self, files: Vec<SourceFile>) {
        let first = self.catalog.files.len() as u32;
        self.catalog.files.extend(files.into_iter().map(Arc::new));
        let new = self.catalog.files.get(first as usize..).unwrap_or_default();
        let chunks: Vec<DocId> = document_collection::chunk_ids(first, new).collect();
        let scan = |doc: DocId| {
            let segment = self.catalog.file(doc.file)?.segment(doc.serial)?;
            let found = segment.format().and_then(|format| scan_heading(format, segment.text.as_bytes()));
            // Documents without a heading come last.
            Some((doc, found.map_or(PackageName::default(), |h| (*h.package).into()), segment.text.len()))
        };
        let headings: Vec<_> = chunks.into_par_iter().with_min_len(32).filter_map(scan).collect();
        for (doc, package, bytes) in headings {
            let waiting = self.waiting.entry(package).or_insert_with_key(|package| {
                self.order.push_back(package.clone());
                UnreadPackage::default()
            });
            waiting.documents.push(doc);
            waiting.bytes += bytes;
            self.found += bytes;
        }
    }

    /// Reads the next packages, `wanted` first, until `bytes` bytes are read. Returns true if there are more.
    pub fn read_packages(&mut self, wanted: Option<&PackageName>, bytes: usize) -> bool {
        let mut documents = Vec::new();
        let mut taken = 0;
        let wanted = wanted.filter(|wanted| self.waiting.contains_key(*wanted)).cloned();
        let mut next = wanted.or_else(|| self.next_waiting());
        while let Some(package) = next {
            if let Some(waiting) = self.waiting.remove(&package) {
                documents.extend(waiting.documents);
                taken += waiting.bytes;
            }
            next = if taken < bytes { self.next_waiting() } else { None };
        }
        self.read += taken;
        self.catalog.collect_documents(&documents);
        !self.waiting.is_empty()
    }

    fn next_waiting(&mut self) -> Option<PackageName> {
        let nameless = PackageName::default();
        while let Some(next) = self.order.pop_front() {
            if next != nameless && self.waiting.contains_key(&next) {
                return Some(next);
            }
        }
        self.waiting.contains_key(&nameless).then_some(nameless)
    }

    /// Returns the catalog read so far. Unread packages are in it, but empty.
    pub fn snapshot(&mut self, is_listed: bool) -> Catalog {
        let packages: BTreeSet<PackageName> =
            self.waiting.keys().filter(|name| !name.as_str().is_empty()).cloned().collect();
        let mut catalog = self.catalog.clone();
        for name in &packages {
            if !catalog.packages.contains_key(name) {
                let empty = || Arc::new(Package::new(name.clone()));
                let empty = self.empty.entry(name.clone()).or_insert_with(empty);
                catalog.packages.insert(name.clone(), Arc::clone(empty));
            }
        }
        catalog.missing_part = Some(Arc::new(MissingPart {
            packages,
            bytes_read: self.read,
            bytes_found: self.found,
            is_listed,
        }));
        catalog
    }

    /// Returns the complete catalog, with the problems of its files.
    pub fn into_catalog(mut self, about_files: Vec<Problem>) -> Catalog {
        while self.read_packages(None, usize::MAX) {}
        self.catalog.problems.set_file_problems(about_files);
        self.catalog
    }
}

#[cfg(test)]
mod tests;
