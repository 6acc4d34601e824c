//! Blobs by their digests.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use super::{Cache, entries, make};
use crate::{
    catalog::load::regular,
    source::digest::{Digest, Digester},
};

/// How blobs begin that are not whole yet.
const NEW: &str = ".new-";
/// After this time nobody writes on such a blob any more.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);
/// How many bytes are read at once.
const CHUNK: usize = 64 * 1024;

/// A blob that is kept.
pub(super) struct Blob {
    pub(super) size: u64,
    /// When it was last read.
    used: SystemTime,
    path: PathBuf,
}

impl Cache {
    fn blob_path(&self, digest: &Digest) -> PathBuf {
        self.blobs_folder().join(digest.algorithm()).join(digest.hex())
    }

    /// A blob, from its first byte on; none where it is not there. One that is not what its name says is removed.
    pub fn blob(&self, digest: &Digest) -> Option<File> {
        let path = self.blob_path(digest);
        let mut file = regular::open(&path).ok()?;
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
        // What is used stays; where that cannot be written, it goes earlier.
        let _ = file.set_modified(SystemTime::now());
        Some(file)
    }

    /// A small blob; none where it is not there or has more bytes than `most`.
    pub fn small_blob(&self, digest: &Digest, most: u64) -> Option<Vec<u8>> {
        let file = self.blob(digest)?;
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= most && digest.is_of(&bytes)).then_some(bytes)
    }

    /// Whether a blob is there, without reading it.
    pub fn has(&self, digest: &Digest) -> bool {
        self.blob_path(digest).is_file()
    }

    /// Keeps a blob, if it is what it should be and can be kept.
    pub fn keep(&self, digest: &Digest, bytes: &[u8]) {
        if let Some(mut new) = self.begin(digest) {
            new.add(bytes);
            new.finish();
        }
    }

    /// A blob that is to be kept; none where nothing can be written.
    pub fn begin(&self, digest: &Digest) -> Option<NewBlob> {
        let folder = self.blobs_folder().join(digest.algorithm());
        make(&folder).ok()?;
        let file = tempfile::Builder::new().prefix(NEW).tempfile_in(folder).ok()?;
        let (cache, digester) = (self.clone(), digest.digester());
        Some(NewBlob { cache, digest: digest.clone(), digester, size: 0, file: Some(file) })
    }

    pub(super) fn blobs(&self) -> Vec<Blob> {
        let folder = self.blobs_folder();
        let all = entries(&folder).flat_map(|folder| entries(&folder.path()).collect::<Vec<_>>());
        let about = |entry: fs::DirEntry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some(Blob { size: about.len(), used: about.modified().ok()?, path: entry.path() })
        };
        all.filter_map(about).collect()
    }

    /// Removes what was not read for longest until the rest is within the limit, and what was never finished.
    fn trim(&self) {
        let mut blobs = self.blobs();
        let is_forgotten = |blob: &Blob| {
            let is_new = blob.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NEW));
            is_new && blob.used.elapsed().is_ok_and(|age| age > FORGOTTEN)
        };
        blobs.retain(|blob| !(is_forgotten(blob) && fs::remove_file(&blob.path).is_ok()));
        let mut all: u64 = blobs.iter().map(|blob| blob.size).sum();
        blobs.sort_by_key(|blob| blob.used);
        for blob in &blobs {
            if all <= self.most {
                return;
            }
            if fs::remove_file(&blob.path).is_ok() {
                all -= blob.size;
            }
        }
    }
}

/// A blob on its way into the cache. Dropped before it is finished it leaves nothing.
pub struct NewBlob {
    cache: Cache,
    digest: Digest,
    digester: Digester,
    size: u64,
    /// None once it cannot be written.
    file: Option<tempfile::NamedTempFile>,
}

impl NewBlob {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let Some(file) = &mut self.file else { return };
        self.digester.update(bytes);
        self.size += bytes.len() as u64;
        // One that is larger than all that is kept would only push the others out.
        if self.size > self.cache.most || file.write_all(bytes).is_err() {
            self.file = None;
        }
    }

    /// Keeps it, if it is what it should be.
    pub fn finish(self) {
        let Self { cache, digest, digester, file, .. } = self;
        let Some(file) = file.filter(|_| digester.finish() == digest) else { return };
        if file.persist(cache.blob_path(&digest)).is_ok() {
            cache.trim();
        }
    }
}
