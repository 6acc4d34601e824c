//! Cache of fetched content in the user's cache directory: blobs by digest, and the last digest of each name.
//!
//! Blobs in `blobs/ALGORITHM/HEX` are verified on every read. `names/HEX.json` are small notes,
//! named by the digest of the name. Each file is written next to its destination and renamed, so
//! it is complete or missing. Readers need no lock. Content that cannot be stored is fetched
//! again.

use std::{
    fs::{self, File, FileType},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Digester};
use olm_catalog::{load::regular_file, redact::redact};

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

/// Name prefix of incomplete blobs.
const INCOMPLETE_PREFIX: &str = ".new-";

/// Age after which an incomplete blob is abandoned.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Number of bytes read at once.
const CHUNK: usize = 64 * 1024;

/// A cached blob.
struct Blob {
    size: u64,
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

    fn blobs(&self) -> Vec<Blob> {
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

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        time::{Duration, SystemTime},
    };

    use super::*;
    use crate::digest::Digest;

    fn temporary_cache(most: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path().join("olmap")).with_max_bytes(most);
        (folder, cache)
    }

    fn blob_file(cache: &Cache, digest: &Digest) -> PathBuf {
        cache.folder().join("blobs").join(digest.to_string().replacen(':', "/", 1))
    }

    /// Sets the time of the last read of a blob.
    fn set_blob_age(cache: &Cache, digest: &Digest, seconds: u64) {
        let file = fs::File::options().write(true).open(blob_file(cache, digest)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn blob_is_returned_unchanged_or_not_at_all() {
        let (_folder, cache) = temporary_cache(1000);
        let digest = Digest::sha256(b"tide");
        assert!(cache.blob(&digest).is_none());
        cache.store_blob(&digest, b"ebb");
        assert!(cache.blob(&digest).is_none(), "what is something else is not kept");
        cache.store_blob(&digest, b"tide");
        let mut text = String::new();
        cache.blob(&digest).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "tide");
        assert_eq!(cache.small_blob(&digest, 3), None);
        assert_eq!(cache.usage(), CacheUsage { blobs: 1, bytes: 4, names: 0 }, "nothing is left beside it");
        fs::write(blob_file(&cache, &digest), b"tidy").unwrap();
        assert!(cache.blob(&digest).is_none());
        assert!(!blob_file(&cache, &digest).exists(), "what is damaged is removed");
    }

    #[test]
    fn removes_least_recently_used_blob_first() {
        let (_folder, cache) = temporary_cache(10);
        let digests = [b"aaaa", b"bbbb", b"cccc"].map(|bytes| Digest::sha256(bytes));
        cache.store_blob(&digests[0], b"aaaa");
        cache.store_blob(&digests[1], b"bbbb");
        set_blob_age(&cache, &digests[0], 50);
        set_blob_age(&cache, &digests[1], 20);
        assert!(cache.blob(&digests[0]).is_some(), "read again");
        cache.store_blob(&digests[2], b"cccc");
        assert_eq!(digests.each_ref().map(|digest| cache.has_blob(digest)), [true, false, true]);
        let large = Digest::sha256(b"larger than all of it");
        cache.store_blob(&large, b"larger than all of it");
        assert_eq!(cache.usage().blobs, 2, "it pushes nothing out");
    }

    #[test]
    fn unfinished_blob_leaves_nothing() {
        let (_folder, cache) = temporary_cache(1000);
        let digest = Digest::sha256(b"tide");
        let mut new = cache.begin_blob(&digest).unwrap();
        new.write_bytes(b"ti");
        drop(new);
        assert_eq!(cache.usage(), CacheUsage::default());
        let left = cache.folder().join("blobs/sha256/.new-left");
        fs::write(&left, b"ti").unwrap();
        let file = fs::File::options().write(true).open(&left).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(100_000)).unwrap();
        cache.store_blob(&digest, b"tide");
        assert!(!left.exists(), "of a program that was killed a day ago");
    }

    #[test]
    fn remembers_last_digest_of_name() {
        let (_folder, cache) = temporary_cache(1000);
        let (old, new) = (Digest::sha256(b"old"), Digest::sha256(b"new"));
        for digest in [&old, &new] {
            cache.store_name(&LastDigest::seen_now("example.com/ns/cat:v1", digest));
        }
        assert_eq!(cache.last_seen("example.com/ns/cat:v1").unwrap().digest(), Some(new.clone()));
        assert_eq!(cache.last_seen("example.com/ns/cat:v2"), None);
        let file = folder_entries(&cache.folder().join("names")).next().unwrap().path();
        for broken in ["", "{", "[]", "{\"name\":\"example.com/ns/cat:v1\",\"digest\":\"x\",\"seen\":1}"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(cache.last_seen("example.com/ns/cat:v1"), None, "{broken}");
        }
        cache.store_blob(&new, b"new");
        assert_eq!(cache.remove_all().unwrap(), CacheUsage { blobs: 1, bytes: 3, names: 1 });
        assert_eq!(cache.usage(), CacheUsage::default());
        assert_eq!(cache.remove_all().unwrap(), CacheUsage::default(), "once more");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_cache() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, cache) = temporary_cache(1000);
        let digest = Digest::sha256(b"tide");
        cache.store_blob(&digest, b"tide");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o077;
        assert_eq!(mode(&blob_file(&cache, &digest)), 0);
        assert_eq!(mode(&cache.folder().join("blobs")), 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_the_cache_are_not_followed() {
        let (folder, cache) = temporary_cache(2);
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        for name in ["a", "b", ".new-c"] {
            let file = elsewhere.join(name);
            fs::write(&file, "1234").unwrap();
            let file = fs::File::options().write(true).open(file).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(100_000)).unwrap();
        }
        let links = ["blobs/sha512", "blobs/sha256/link", "names/link.json"];
        for (link, to) in links.iter().zip([&elsewhere, &elsewhere.join("a"), &elsewhere.join("a")]) {
            let link = cache.folder().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(to, link).unwrap();
        }
        assert_eq!(cache.usage(), CacheUsage::default());
        // The new blob exceeds the limit, so the cache removes an older blob.
        let digest = Digest::sha256(b"ti");
        cache.store_blob(&digest, b"ti");
        assert_eq!(cache.usage(), CacheUsage { blobs: 1, bytes: 2, names: 0 });
        assert_eq!(cache.remove_all().unwrap(), CacheUsage { blobs: 1, bytes: 2, names: 0 });
        for folder in ["blobs", "names"] {
            std::os::unix::fs::symlink(&elsewhere, cache.folder().join(folder)).unwrap();
        }
        assert_eq!(cache.usage(), CacheUsage::default());
        assert_eq!(cache.remove_all().ok(), Some(CacheUsage::default()), "the links themselves are removed");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 3);
        assert!(!cache.folder().join("blobs").exists());
    }
}
