//! Cache of fetched content in the user's cache directory: blobs by digest, and the last digest of each name.
//!
//! Blobs in `blobs/ALGORITHM/HEX` are verified on every read. `names/HEX.json` are small notes,
//! named by the digest of the name. Each file is written next to its destination and renamed, so
//! it is complete or missing. Readers need no lock. Content that cannot be stored is fetched
//! again.

mod blobs;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, FileType},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use olm_catalog::{load::regular_file, redact::redact};

pub use blobs::NewBlob;

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

/// Maximum number of names in the cache.
const MAX_NAMES: usize = 1000;

/// Digest of a tag or an address at the last request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LastDigest {
    /// `HOST/NAME:TAG`, or an address without its query, which may contain a secret.
    pub name: String,
    /// Hexadecimal digest of the full name, used as the file name.
    #[serde(skip)]
    key: String,
    /// Digest of the content.
    pub digest: String,
    /// Time of the request, in seconds since 1970.
    pub seen: u64,
    /// Modification time from the server, for conditional requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
}

impl LastDigest {
    /// Creates a record with the current time.
    pub fn seen_now(name: &str, digest: &Digest) -> Self {
        Self {
            name: redact(name).into_owned(),
            key: name_key(name),
            digest: digest.to_string(),
            seen: now(),
            modified: None,
        }
    }

    /// Returns the record with the modification time from the server.
    #[must_use]
    pub fn with_modified(self, modified: Option<String>) -> Self {
        Self { modified, ..self }
    }

    /// Returns the age in seconds.
    pub fn age(&self) -> u64 {
        now().saturating_sub(self.seen)
    }

    /// Returns the digest of the content; `None` if the record is damaged.
    pub fn digest(&self) -> Option<Digest> {
        self.digest.parse().ok()
    }
}

/// Returns the key of a name: its digest, so that no secret in it is stored.
fn name_key(name: &str) -> String {
    Digest::sha256(name.as_bytes()).hex().to_owned()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Cache {
    fn name_path(&self, key: &str) -> PathBuf {
        self.names_folder().join(format!("{key}.json"))
    }

    /// Returns the last known digest of a name.
    pub fn last_seen(&self, name: &str) -> Option<LastDigest> {
        let key = name_key(name);
        let text =
            regular_file::read_regular(&self.name_path(&key), regular_file::MAX_HANDWRITTEN_SIZE).ok()?;
        let note = LastDigest { key, ..serde_json::from_slice(&text).ok()? };
        (note.name == redact(name) && note.digest().is_some()).then_some(note)
    }

    /// Returns all names that can be requested again, latest first. Skips addresses whose query
    /// was not stored.
    pub fn all_names(&self) -> Vec<String> {
        let read = |file: fs::DirEntry| {
            let text = regular_file::read_regular(&file.path(), regular_file::MAX_HANDWRITTEN_SIZE).ok()?;
            let note = serde_json::from_slice::<LastDigest>(&text).ok()?;
            (file.file_name().to_str()? == format!("{}.json", name_key(&note.name))).then_some(note)
        };
        let mut all: Vec<LastDigest> = folder_entries(&self.names_folder()).filter_map(read).collect();
        all.sort_by(|a, b| b.seen.cmp(&a.seen).then_with(|| a.name.cmp(&b.name)));
        all.into_iter().map(|note| note.name).collect()
    }

    /// Stores the digest of a name, and removes the oldest records if there are too many. Ignores
    /// failures to write.
    pub fn store_name(&self, note: &LastDigest) {
        let _ = self.write_name(note);
    }

    fn write_name(&self, note: &LastDigest) -> io::Result<()> {
        let folder = self.names_folder();
        make_private_folder(&folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(&folder)?;
        beside.write_all(&serde_json::to_vec(note)?)?;
        beside.persist(self.name_path(&note.key)).map_err(|error| error.error)?;
        let about = |file: fs::DirEntry| Some((file.metadata().ok()?.modified().ok()?, file.path()));
        let mut all: Vec<_> = folder_entries(&folder).filter_map(about).collect();
        all.sort();
        for (_, path) in all.iter().take(all.len().saturating_sub(MAX_NAMES)) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}
