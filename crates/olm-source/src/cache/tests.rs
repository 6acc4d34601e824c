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
