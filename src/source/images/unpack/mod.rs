//! Layers onto a tree, by the rules of containerd, with which opm unpacks (`pkg/archive/tar.go`).

mod compression;
mod entry;
mod limits;
mod readers;
mod whiteout;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    io::{self, Read},
    sync::{Arc, atomic::Ordering},
};

pub use limits::Limits;
use limits::{Stop, Used};
use readers::{Hashed, Packed, Unpacked};

use super::{
    digest::Digest,
    error::ImageError,
    tree::{Content, EntryId, Tree},
};
use crate::catalog::load::Progress;

/// What a layer must be for its files to be believed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The digest of its bytes as they are.
    Packed(Digest),
    /// The digest of its tar; archives of docker name no other.
    Unpacked(Digest),
}

/// Where the layers of an image are read from.
pub trait Layers {
    /// How many there are.
    fn count(&self) -> usize;

    /// The bytes of one, and what they must be.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, Proof), ImageError>;
}

/// What of an image is wanted: the rest is passed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted(Vec<Vec<String>>);

impl Wanted {
    /// What is below some folders, by their paths from the root on.
    pub fn below(folders: &[&str]) -> Self {
        let parts = |path: &&str| super::tree::cleaned(path).into_iter().map(str::to_owned).collect();
        Self(folders.iter().map(parts).collect())
    }

    fn has<'n>(&self, path: &(impl Iterator<Item = &'n str> + Clone)) -> bool {
        self.0.iter().any(|folder| {
            let mut path = path.clone();
            folder.iter().all(|part| path.next() == Some(part.as_str()))
        })
    }
}

/// The files of an image, of which the wanted ones have their content.
pub fn tree(
    layers: &dyn Layers,
    wanted: &Wanted,
    limits: Limits,
    progress: &Progress,
) -> Result<Tree, ImageError> {
    let mut tree = Tree::new(limits.steps);
    let used = Used::new(limits);
    for number in 0..layers.count() {
        progress.files.fetch_add(1, Ordering::Relaxed);
        each_entry(layers, number, &used, progress, &mut |entry, at| {
            entry::apply(&mut tree, entry, at, wanted, &used)?;
            used.check(&tree)
        })?;
        progress.read.fetch_add(1, Ordering::Relaxed);
    }
    Ok(tree)
}

/// What was passed over, read after all: links lead to it. `entries` are sorted.
pub fn fetch(
    layers: &dyn Layers,
    entries: &[EntryId],
    limits: Limits,
    progress: &Progress,
) -> Result<BTreeMap<EntryId, Arc<[u8]>>, ImageError> {
    let mut found = BTreeMap::new();
    let used = Used::new(limits);
    for number in 0..layers.count() {
        if !entries.iter().any(|entry| entry.layer == number) {
            continue;
        }
        each_entry(layers, number, &used, progress, &mut |entry, at| {
            let content = entry::content(entry, entries.binary_search(&at).is_ok(), at, &used)?;
            if let Content::Kept(bytes) = content {
                found.insert(at, bytes);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// An entry of a layer on its way into the tree.
type Entry<'a, 'r> = tar::Entry<'a, Unpacked<'r>>;

/// Reads a layer to its end, and makes sure that it is what it should be. What was made of it before must be thrown away
/// where it is not.
fn each_entry(
    layers: &dyn Layers,
    number: usize,
    used: &Used,
    progress: &Progress,
    take: &mut dyn FnMut(&mut Entry<'_, '_>, EntryId) -> Result<(), Stop>,
) -> Result<(), ImageError> {
    let (bytes, proof) = layers.open(number)?;
    let (of_packed, of_unpacked) = match &proof {
        Proof::Packed(digest) => (Some(digest), None),
        Proof::Unpacked(digest) => (None, Some(digest)),
    };
    let mut packed = Hashed::new(Packed::new(bytes, used, progress), of_packed);
    let mut outcome = Ok(());
    let mut unpacked_outcome = None;
    match compression::unpacked(&mut packed) {
        Err(error) => outcome = Err(Stop::from(error)),
        Ok(reader) => {
            let mut unpacked = Hashed::new(reader, of_unpacked);
            let drains = of_unpacked.is_some();
            outcome = entries(Unpacked::new(&mut unpacked, used), number, used, drains, take).and(outcome);
            if of_unpacked.is_some() && outcome.is_ok() {
                unpacked_outcome = Some(unpacked.finish());
            }
        }
    }
    if let (Err(_), Some(stop)) = (&outcome, used.stopped()) {
        outcome = Err(stop);
    }
    progress.check()?;
    // A wrong digest is the reason of whatever else went wrong.
    let is_stopped = matches!(outcome, Err(Stop::TooMuch(_)));
    if !is_stopped {
        match packed.finish() {
            Ok(wrong @ Some(_)) => unpacked_outcome = Some(Ok(wrong)),
            Ok(None) => {}
            Err(error) => outcome = outcome.and(Err(used.stopped().unwrap_or_else(|| Stop::from(error)))),
        }
    }
    match unpacked_outcome {
        Some(Ok(Some((expected, found)))) => return Err(ImageError::WrongDigest { expected, found }),
        Some(Err(error)) => outcome = outcome.and(Err(Stop::from(error))),
        _ => {}
    }
    outcome.map_err(|stop| stop.of_layer(number + 1))
}

fn entries<'r>(
    unpacked: Unpacked<'r>,
    layer: usize,
    used: &Used,
    drains: bool,
    take: &mut dyn FnMut(&mut Entry<'_, 'r>, EntryId) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut archive = tar::Archive::new(unpacked);
    let mut all = archive.entries()?;
    let mut number = 0;
    loop {
        // Names of any length stand before an entry, and tar reads them into memory.
        used.allow_header();
        let Some(entry) = all.next() else { break };
        let mut entry = entry?;
        used.count_entry()?;
        used.allow_content();
        take(&mut entry, EntryId { layer, entry: number })?;
        io::copy(&mut entry, &mut io::sink())?;
        number += 1;
    }
    if drains {
        // What stands behind the end of a tar counts for its digest, and for how large it is.
        used.allow_content();
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
    }
    Ok(())
}
