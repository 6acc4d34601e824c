//! Unpacking of layers to a tree, with the rules of containerd, which opm uses (`pkg/archive/tar.go`).

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
use limits::{Stop, Usage};
use readers::{HashingReader, PackedReader, UnpackedReader};

use super::{
    digest::Digest,
    error::ImageError,
    tree::{Content, EntryId, Tree},
};
use olm_catalog::load::Progress;

/// Expected digest of a layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectedDigest {
    /// Digest of the bytes as stored.
    Stored(Digest),
    /// Digest of the tar; archives of docker have no other.
    Unpacked(Digest),
}

/// Source of an image's layers.
pub trait Layers {
    /// Returns the number of layers.
    fn count(&self) -> usize;

    /// Opens the bytes of a layer, with their expected digest.
    ///
    /// # Errors
    ///
    /// If the layer cannot be read.
    fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError>;
}

/// Folders whose files are needed; all others are skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderFilter(Vec<Vec<String>>);

impl FolderFilter {
    /// Selects everything below the folders, given by their paths from the root.
    pub fn for_folders(folders: &[&str]) -> Self {
        let parts = |path: &&str| super::tree::clean_path(path).into_iter().map(str::to_owned).collect();
        Self(folders.iter().map(parts).collect())
    }

    fn includes<'n>(&self, path: &(impl Iterator<Item = &'n str> + Clone)) -> bool {
        self.0.iter().any(|folder| {
            let mut path = path.clone();
            folder.iter().all(|part| path.next() == Some(part.as_str()))
        })
    }
}

/// Returns the files of an image, with the content of the selected ones.
pub fn build_tree(
    layers: &dyn Layers,
    wanted: &FolderFilter,
    limits: Limits,
    progress: &Progress,
) -> Result<Tree, ImageError> {
    let mut tree = Tree::new(limits.steps);
    let used = Usage::new(limits);
    for number in 0..layers.count() {
        progress.files.fetch_add(1, Ordering::Relaxed);
        read_layer(layers, number, &used, progress, &mut |entry, at| {
            entry::apply_entry(&mut tree, entry, at, wanted, &used)?;
            used.check_tree(&tree)
        })?;
        progress.read.fetch_add(1, Ordering::Relaxed);
    }
    Ok(tree)
}

/// Reads skipped files that links refer to. `entries` must be sorted.
pub fn fetch_skipped(
    layers: &dyn Layers,
    entries: &[EntryId],
    limits: Limits,
    progress: &Progress,
) -> Result<BTreeMap<EntryId, Arc<[u8]>>, ImageError> {
    let mut found = BTreeMap::new();
    let used = Usage::new(limits);
    for number in 0..layers.count() {
        if !entries.iter().any(|entry| entry.layer == number) {
            continue;
        }
        read_layer(layers, number, &used, progress, &mut |entry, at| {
            let content = entry::read_content(entry, entries.binary_search(&at).is_ok(), at, &used)?;
            if let Content::Loaded(bytes) = content {
                found.insert(at, bytes);
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// A layer entry being applied to the tree.
type Entry<'a, 'r> = tar::Entry<'a, UnpackedReader<'r>>;

/// Reads a layer to its end and verifies its digest. If this fails, the caller must discard all results.
fn read_layer(
    layers: &dyn Layers,
    number: usize,
    used: &Usage,
    progress: &Progress,
    take: &mut dyn FnMut(&mut Entry<'_, '_>, EntryId) -> Result<(), Stop>,
) -> Result<(), ImageError> {
    let (bytes, proof) = layers.open(number)?;
    let (of_packed, of_unpacked) = match &proof {
        ExpectedDigest::Stored(digest) => (Some(digest), None),
        ExpectedDigest::Unpacked(digest) => (None, Some(digest)),
    };
    let mut packed = HashingReader::new(PackedReader::new(bytes, used, progress), of_packed);
    let mut outcome = Ok(());
    let mut unpacked_outcome = None;
    match compression::decompress(&mut packed) {
        Err(error) => outcome = Err(Stop::from(error)),
        Ok(reader) => {
            let mut unpacked = HashingReader::new(reader, of_unpacked);
            let drains = of_unpacked.is_some();
            outcome = apply_entries(UnpackedReader::new(&mut unpacked, used), number, used, drains, take)
                .and(outcome);
            if of_unpacked.is_some() && outcome.is_ok() {
                unpacked_outcome = Some(unpacked.verify_rest());
            }
        }
    }
    if let (Err(_), Some(stop)) = (&outcome, used.recorded_stop()) {
        outcome = Err(stop);
    }
    progress.check_stopped()?;
    // A wrong digest explains all other errors.
    let is_stopped = matches!(outcome, Err(Stop::TooMuch(_)));
    if !is_stopped {
        match packed.verify_rest() {
            Ok(wrong @ Some(_)) => unpacked_outcome = Some(Ok(wrong)),
            Ok(None) => {}
            Err(error) => {
                outcome = outcome.and(Err(used.recorded_stop().unwrap_or_else(|| Stop::from(error))));
            }
        }
    }
    match unpacked_outcome {
        Some(Ok(Some((expected, found)))) => return Err(ImageError::WrongDigest { expected, found }),
        Some(Err(error)) => outcome = outcome.and(Err(Stop::from(error))),
        _ => {}
    }
    outcome.map_err(|stop| stop.into_image_error(number + 1))
}

fn apply_entries<'r>(
    unpacked: UnpackedReader<'r>,
    layer: usize,
    used: &Usage,
    drains: bool,
    take: &mut dyn FnMut(&mut Entry<'_, 'r>, EntryId) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut archive = tar::Archive::new(unpacked);
    let mut all = archive.entries()?;
    let mut number = 0;
    loop {
        // Names of any length precede an entry, and tar reads them into memory.
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
        // Bytes after the end of a tar count for its digest and its size.
        used.allow_content();
        io::copy(&mut archive.into_inner(), &mut io::sink())?;
    }
    Ok(())
}
