//! What was fetched, kept in the user's cache: blobs by their digests, and which digest a name had last time.
//!
//! `blobs/ALGORITHM/HEX` are verified whenever they are read, `names/HEX.json` are small notes; the digits are those of the
//! name's digest. Each file is written beside its place and renamed, so that it is whole or not there; whoever reads needs no
//! lock. What cannot be kept is fetched again the next time.

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
pub use names::LastSeen;

/// The most bytes of blobs that are kept: a few versions of the largest catalogs.
const MOST: u64 = 4 << 30;

/// A folder of what was fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    folder: PathBuf,
    most: u64,
}

/// How much there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amount {
    /// How many blobs.
    pub blobs: usize,
    /// Bytes of the blobs.
    pub bytes: u64,
    /// How many names.
    pub names: usize,
}

impl Cache {
    /// `$XDG_CACHE_HOME/olmap`, or what the system has instead; none where there is no home.
    pub fn usual() -> Option<Self> {
        Some(Self::at(etcetera::choose_base_strategy().ok()?.cache_dir().join("olmap")))
    }

    /// Another folder.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder, most: MOST }
    }

    /// The same with another limit, in bytes.
    #[must_use]
    pub fn with_most(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The most bytes of blobs that are kept.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// How much is in it.
    pub fn amount(&self) -> Amount {
        let blobs = self.blobs();
        Amount {
            blobs: blobs.len(),
            bytes: blobs.iter().map(|blob| blob.size).sum(),
            names: entries(&self.names_folder()).filter(|entry| is_kind(entry, FileType::is_file)).count(),
        }
    }

    /// Removes all of it; tells how much that was.
    ///
    /// # Errors
    ///
    /// When something of it cannot be removed.
    pub fn clear(&self) -> io::Result<Amount> {
        let amount = self.amount();
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

/// Makes a folder that nobody else reads: what is private in a registry stays private here.
fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lists a folder of the cache; nothing if it is not there, or is a link: what a link leads to is not the cache's.
pub fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir());
    let listed = is_folder.then(|| fs::read_dir(folder).ok()).flatten();
    listed.into_iter().flatten().flatten()
}

/// Returns true if an entry itself, not what it may lead to, is of a kind.
fn is_kind(entry: &fs::DirEntry, kind: impl Fn(&FileType) -> bool) -> bool {
    entry.file_type().is_ok_and(|found| kind(&found))
}
