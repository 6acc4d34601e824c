//! Cache of fetched content in the user's cache directory: blobs by digest, and the last digest of each name.
//!
//! Blobs in `blobs/ALGORITHM/HEX` are verified on every read. `names/HEX.json` are small notes,
//! named by the digest of the name. Each file is written next to its destination and renamed, so
//! it is complete or missing. Readers need no lock. Content that cannot be stored is fetched
//! again.

mod blobs;
mod names;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, FileType},
    io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

pub use blobs::NewBlob;
pub use names::LastDigest;

/// Default limit for blobs, in bytes: a few versions of the largest catalogs.
const DEFAULT_MAX_BYTES: u64 = 4 << 30;

/// A folder of fetched content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    folder: PathBuf,
    max_bytes: u64,
}

/// Content of a cache in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheUsage {
    /// Number of blobs.
    pub blobs: usize,
    /// Total size of the blobs in bytes.
    pub bytes: u64,
    /// Number of names.
    pub names: usize,
}

impl Cache {
    /// Returns the cache in `$XDG_CACHE_HOME/olmap`, or in the system's equivalent; `None` without a home
    /// directory.
    pub fn default_location() -> Option<Self> {
        Some(Self::in_folder(etcetera::choose_base_strategy().ok()?.cache_dir().join("olmap")))
    }

    /// Returns the cache in a folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder, max_bytes: DEFAULT_MAX_BYTES }
    }

    /// Returns the cache with another limit in bytes.
    #[must_use]
    pub fn with_max_bytes(self, most: u64) -> Self {
        Self { max_bytes: most, ..self }
    }

    /// Returns the folder of the cache.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the limit for blobs, in bytes.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Returns the amount of cached content.
    pub fn usage(&self) -> CacheUsage {
        let blobs = self.blobs();
        CacheUsage {
            blobs: blobs.len(),
            bytes: blobs.iter().map(|blob| blob.size).sum(),
            names: folder_entries(&self.names_folder())
                .filter(|entry| is_kind(entry, FileType::is_file))
                .count(),
        }
    }

    /// Removes all content; returns how much it was.
    ///
    /// # Errors
    ///
    /// If a file cannot be removed.
    pub fn remove_all(&self) -> io::Result<CacheUsage> {
        let amount = self.usage();
        for folder in [self.blobs_folder(), self.names_folder()] {
            match fs::remove_dir_all(folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(amount)
    }

    fn blobs_folder(&self) -> PathBuf {
        self.folder.join("blobs")
    }

    fn names_folder(&self) -> PathBuf {
        self.folder.join("names")
    }
}

/// Makes a folder that only the user can read, because content may come from private registries.
fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lists a folder of the cache. Empty if the folder is missing, or if it is a link, whose target
/// is not part of the cache.
pub fn folder_entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir());
    let listed = is_folder.then(|| fs::read_dir(folder).ok()).flatten();
    listed.into_iter().flatten().flatten()
}

/// Returns true if an entry is of a kind. Links are not followed.
fn is_kind(entry: &fs::DirEntry, kind: impl Fn(&FileType) -> bool) -> bool {
    entry.file_type().is_ok_and(|found| kind(&found))
}
