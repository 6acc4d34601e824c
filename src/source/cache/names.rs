//! Which digest a name had last time.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::{Cache, entries, make};
use crate::{
    catalog::{load::regular, redact::redact},
    source::digest::Digest,
};

/// The most names of which the digest is kept.
const MOST: usize = 1000;

/// What a tag or an address stood for when it was last asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LastSeen {
    /// `HOST/NAME:TAG`, or an address without its query, which may hold a secret.
    pub name: String,
    /// Digest of the whole name, in hexadecimal; it names the file.
    #[serde(skip)]
    key: String,
    /// What it stood for.
    pub digest: String,
    /// When that was, in seconds since 1970.
    pub seen: u64,
    /// What the server said of when it changed, to be asked for news only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
}

impl LastSeen {
    /// Now.
    pub fn now(name: &str, digest: &Digest) -> Self {
        Self {
            name: redact(name).into_owned(),
            key: key(name),
            digest: digest.to_string(),
            seen: now(),
            modified: None,
        }
    }

    /// Returns the note with what the server said of when it changed.
    #[must_use]
    pub fn with_modified(self, modified: Option<String>) -> Self {
        Self { modified, ..self }
    }

    /// How many seconds ago it was asked for.
    pub fn age(&self) -> u64 {
        now().saturating_sub(self.seen)
    }

    /// What it stood for; none where the note is damaged.
    pub fn digest(&self) -> Option<Digest> {
        self.digest.parse().ok()
    }
}

/// Returns the key of a name: its digest, so that no part of a secret in it is kept.
fn key(name: &str) -> String {
    Digest::of(name.as_bytes()).hex().to_owned()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Cache {
    fn name_path(&self, key: &str) -> PathBuf {
        self.names_folder().join(format!("{key}.json"))
    }

    /// What a name stood for when it was last asked for.
    pub fn last_seen(&self, name: &str) -> Option<LastSeen> {
        let key = key(name);
        let text = regular::read(&self.name_path(&key), regular::MOST_BY_HAND).ok()?;
        let note = LastSeen { key, ..serde_json::from_slice(&text).ok()? };
        (note.name == redact(name) && note.digest().is_some()).then_some(note)
    }

    /// Returns all names that can be asked for again, latest first. An address whose query is not kept is left out.
    pub fn all_names(&self) -> Vec<String> {
        let read = |file: fs::DirEntry| {
            let text = regular::read(&file.path(), regular::MOST_BY_HAND).ok()?;
            let note = serde_json::from_slice::<LastSeen>(&text).ok()?;
            (file.file_name().to_str()? == format!("{}.json", key(&note.name))).then_some(note)
        };
        let mut all: Vec<LastSeen> = entries(&self.names_folder()).filter_map(read).collect();
        all.sort_by(|a, b| b.seen.cmp(&a.seen).then_with(|| a.name.cmp(&b.name)));
        all.into_iter().map(|note| note.name).collect()
    }

    /// Notes what a name stands for; where that cannot be written, the next time knows nothing.
    pub fn remember(&self, note: &LastSeen) {
        let _ = self.write_name(note);
    }

    fn write_name(&self, note: &LastSeen) -> io::Result<()> {
        let folder = self.names_folder();
        make(&folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(&folder)?;
        beside.write_all(&serde_json::to_vec(note)?)?;
        beside.persist(self.name_path(&note.key)).map_err(|error| error.error)?;
        let about = |file: fs::DirEntry| Some((file.metadata().ok()?.modified().ok()?, file.path()));
        let mut all: Vec<_> = entries(&folder).filter_map(about).collect();
        all.sort();
        for (_, path) in all.iter().take(all.len().saturating_sub(MOST)) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}
