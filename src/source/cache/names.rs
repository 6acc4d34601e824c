//! Which digest a name had last time.

use std::{
    fs,
    io::{self, Write as _},
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::{Cache, files, make};
use crate::{catalog::load::regular, source::digest::Digest};

/// The most names of which the digest is kept.
const MOST: usize = 1000;

/// What a tag or an address stood for when it was last asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LastSeen {
    /// `HOST/NAME:TAG`, or an address.
    pub name: String,
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
        Self { name: name.to_owned(), digest: digest.to_string(), seen: now(), modified: None }
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

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Cache {
    fn name_path(&self, name: &str) -> PathBuf {
        self.names_folder().join(format!("{}.json", Digest::of(name.as_bytes()).hex()))
    }

    /// What a name stood for when it was last asked for.
    pub fn last_seen(&self, name: &str) -> Option<LastSeen> {
        let text = regular::read(&self.name_path(name), regular::MOST_BY_HAND).ok()?;
        let note: LastSeen = serde_json::from_slice(&text).ok()?;
        (note.name == name && note.digest().is_some()).then_some(note)
    }

    /// All names of which something is known, the one that was asked for last first.
    pub fn all_names(&self) -> Vec<String> {
        let read = |file: fs::DirEntry| {
            let text = regular::read(&file.path(), regular::MOST_BY_HAND).ok()?;
            serde_json::from_slice::<LastSeen>(&text).ok()
        };
        let mut all: Vec<LastSeen> = files(&self.names_folder()).filter_map(read).collect();
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
        beside.persist(self.name_path(&note.name)).map_err(|error| error.error)?;
        let about = |file: fs::DirEntry| Some((file.metadata().ok()?.modified().ok()?, file.path()));
        let mut all: Vec<_> = files(&folder).filter_map(about).collect();
        all.sort();
        for (_, path) in all.iter().take(all.len().saturating_sub(MOST)) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}
