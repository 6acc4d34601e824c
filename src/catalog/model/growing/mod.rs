//! A catalog that is read package by package, so that what is there can be looked at while the rest is read.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::Arc,
};

use rayon::prelude::*;

use super::{Catalog, Origin, gather, heading::heading};
use crate::catalog::{
    file::{DocId, SourceFile},
    names::PackageName,
    package::Package,
    problem::{Problem, Problems},
};

/// What is not there yet of a catalog that is being read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Packages that documents were found of which were not read: those are in the catalog in part, or empty.
    pub packages: BTreeSet<PackageName>,
    /// How many bytes of documents were read.
    pub read: usize,
    /// How many bytes of documents were found so far.
    pub found: usize,
    /// Whether all files were looked at, so that no package is missing.
    pub is_listed: bool,
}

/// Documents that wait to be read, by the packages they are of at a glance.
#[derive(Default)]
struct Waiting {
    documents: Vec<DocId>,
    bytes: usize,
}

/// A catalog that grows. In the end it is what reading everything at once would have given.
pub(in crate::catalog) struct Growing {
    catalog: Catalog,
    waiting: HashMap<PackageName, Waiting>,
    /// The packages that wait, in the order they were found in.
    order: VecDeque<PackageName>,
    /// What stands for packages of which nothing was read yet.
    empty: BTreeMap<PackageName, Arc<Package>>,
    read: usize,
    found: usize,
}

impl Growing {
    pub fn new(origin: Origin) -> Self {
        Self {
            catalog: Catalog::of_files(origin, Vec::new(), Problems::default()),
            waiting: HashMap::new(),
            order: VecDeque::new(),
            empty: BTreeMap::new(),
            read: 0,
            found: 0,
        }
    }

    /// What a catalog begins with, where the last of its files is cut off: the packages in it but the one it is cut off in, of which there
    /// may be more. `None` where there are no such.
    pub fn beginning(origin: Origin, files: Vec<SourceFile>) -> Option<Catalog> {
        let mut growing = Self::new(origin);
        growing.add(files);
        // What cannot be told at a glance may well be cut off.
        growing.waiting.remove(&PackageName::default());
        let last = growing.waiting.iter().max_by_key(|(_, waiting)| waiting.documents.last().copied());
        let cut_off = last.map(|(name, _)| name.clone())?;
        growing.order.retain(|name| !name.as_str().is_empty() && *name != cut_off);
        if growing.order.is_empty() {
            return None;
        }
        growing.read_on(None, usize::MAX);
        Some(growing.so_far(false))
    }

    /// Adds files, in the order in which opm reads them, and finds out of what packages their documents are.
    pub fn add(&mut self, files: Vec<SourceFile>) {
        let first = self.catalog.files.len() as u32;
        self.catalog.files.extend(files.into_iter().map(Arc::new));
        let new = self.catalog.files.get(first as usize..).unwrap_or_default();
        let chunks: Vec<DocId> = gather::chunks(first, new).collect();
        let glance = |doc: DocId| {
            let segment = self.catalog.file(doc.file)?.segment(doc.serial)?;
            let found = segment.format().and_then(|format| heading(format, segment.text.bytes()));
            // What says nothing at a glance comes last.
            Some((doc, found.map_or(PackageName::default(), |h| (*h.package).into()), segment.text.len()))
        };
        let glances: Vec<_> = chunks.into_par_iter().with_min_len(32).filter_map(glance).collect();
        for (doc, package, bytes) in glances {
            let waiting = self.waiting.entry(package).or_insert_with_key(|package| {
                self.order.push_back(package.clone());
                Waiting::default()
            });
            waiting.documents.push(doc);
            waiting.bytes += bytes;
            self.found += bytes;
        }
    }

    /// Reads the packages that come next, `wanted` before all others, until some bytes are read. Whether there is more.
    pub fn read_on(&mut self, wanted: Option<&PackageName>, bytes: usize) -> bool {
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
        self.catalog.take_in_all(&documents);
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

    /// The catalog as far as it was read. Packages that wait are in it, without anything in them.
    pub fn so_far(&mut self, is_listed: bool) -> Catalog {
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
        catalog.unread = Some(Arc::new(Unread { packages, read: self.read, found: self.found, is_listed }));
        catalog
    }

    /// The whole catalog, with what is wrong with its files.
    pub fn finish(mut self, about_files: Vec<Problem>) -> Catalog {
        while self.read_on(None, usize::MAX) {}
        self.catalog.problems.set_about_files(about_files);
        self.catalog
    }
}

#[cfg(test)]
mod tests;
