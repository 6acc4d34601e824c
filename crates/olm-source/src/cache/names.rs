//! Cache of the last known digest of each image name or address.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::{Cache, folder_entries, make_private_folder};
use crate::digest::Digest;
use olm_catalog::{load::regular_file, redact::redact};

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
