//! Blobs, addressed by digest.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::{Cache, folder_entries, make_private_folder};
use crate::digest::{Digest, Digester};
use olm_catalog::load::regular_file;

/// Name prefix of incomplete blobs.
const INCOMPLETE_PREFIX: &str = ".new-";
/// Age after which an incomplete blob is abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// Number of bytes read at once.
const CHUNK: usize = 64 * 1024;

/// A cached blob.
pub(super) struct Blob {
    pub(super) size: u64,
    /// Time of the last read.
    used: SystemTime,
    path: PathBuf,
}

impl Cache {
    fn blob_path(&self, digest: &Digest) -> PathBuf {
        self.blobs_folder().join(digest.algorithm()).join(digest.hex())
    }

    /// Opens a blob at its first byte; `None` if it is missing. Removes a blob whose content does
    /// not match its digest.
    pub fn blob(&self, digest: &Digest) -> Option<File> {
        let path = self.blob_path(digest);
        let mut file = regular_file::open_regular(&path).ok()?;
        let mut digester = digest.digester();
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => digester.update(chunk.get(..count)?),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
        if digester.finish() != *digest {
            let _ = fs::remove_file(path);
            return None;
        }
        file.seek(SeekFrom::Start(0)).ok()?;
        // Used blobs stay longer. If the time cannot be written, the blob is only removed earlier.
        let _ = file.set_modified(SystemTime::now());
        Some(file)
    }

    /// Reads a small blob; `None` if it is missing or has more than `most` bytes.
    pub fn small_blob(&self, digest: &Digest, most: u64) -> Option<Vec<u8>> {
        let file = self.blob(digest)?;
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most && digest.matches(&bytes)).then_some(bytes)
    }

    /// Returns true if a blob exists, without reading it.
    pub fn has_blob(&self, digest: &Digest) -> bool {
        self.blob_path(digest).is_file()
    }

    /// Stores a blob if it matches its digest. Ignores failures to write.
    pub fn store_blob(&self, digest: &Digest, bytes: &[u8]) {
        if let Some(mut new) = self.begin_blob(digest) {
            new.write_bytes(bytes);
            new.store_if_valid();
        }
    }

    /// Begins to write a blob; `None` if the cache is not writable.
    pub fn begin_blob(&self, digest: &Digest) -> Option<NewBlob> {
        let folder = self.blobs_folder().join(digest.algorithm());
        make_private_folder(&folder).ok()?;
        let file = tempfile::Builder::new().prefix(INCOMPLETE_PREFIX).tempfile_in(folder).ok()?;
        let (cache, digester) = (self.clone(), digest.digester());
        Some(NewBlob { cache, digest: digest.clone(), digester, size: 0, file: Some(file) })
    }

    pub(super) fn blobs(&self) -> Vec<Blob> {
        let folder = self.blobs_folder();
        let all =
            folder_entries(&folder).flat_map(|folder| folder_entries(&folder.path()).collect::<Vec<_>>());
        let about = |entry: fs::DirEntry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Blob { size: about.len(), used: about.modified().ok()?, path: entry.path() })
        };
        all.filter_map(about).collect()
    }

    /// Removes abandoned blobs, then the least recently used ones until the rest is within the limit.
    fn remove_oldest(&self) {
        let mut blobs = self.blobs();
        let is_abandoned = |blob: &Blob| {
            let is_new = blob
                .path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(INCOMPLETE_PREFIX));
            is_new && blob.used.elapsed().is_ok_and(|age| age > ABANDONED_AFTER)
        };
        blobs.retain(|blob| !(is_abandoned(blob) && fs::remove_file(&blob.path).is_ok()));
        let mut all: u64 = blobs.iter().map(|blob| blob.size).sum();
        blobs.sort_by_key(|blob| blob.used);
        for blob in &blobs {
            if all <= self.max_bytes {
                return;
            }
            if fs::remove_file(&blob.path).is_ok() {
                all -= blob.size;
            }
        }
    }
}

/// A blob being written to the cache. Dropping it before the end leaves nothing.
pub struct NewBlob {
    cache: Cache,
    digest: Digest,
    digester: Digester,
    size: u64,
    /// `None` after a failed write.
    file: Option<tempfile::NamedTempFile>,
}

impl NewBlob {
    /// Adds bytes.
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        self.digester.update(bytes);
        self.size += bytes.len() as u64;
        // A blob larger than the limit would only displace all others.
        if self.size > self.cache.max_bytes || file.write_all(bytes).is_err() {
            self.file = None;
        }
    }

    /// Stores the blob if it matches its digest.
    pub fn store_if_valid(self) {
        let Self { cache, digest, digester, file, .. } = self;
        let Some(file) = file.filter(|_| digester.finish() == digest) else { return };
        if file.persist(cache.blob_path(&digest)).is_ok() {
            cache.remove_oldest();
        }
    }
}
