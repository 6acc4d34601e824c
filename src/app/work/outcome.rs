//! What came of work that the world was asked to do.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::{refusal::Refusal, source::Source};
use crate::{edit::Recorded, review::Snapshot};

/// Why a catalog was not written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotSaved {
    /// Somebody else changed a file since it was loaded: which, in words.
    ChangedOnDisk(String),
    /// The files would lose something besides their content, in words: it is for the user to say whether that matters.
    Costs(Vec<String>),
    /// Anything else.
    Failed(Refusal),
}

/// A graph that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Where it is.
    pub path: PathBuf,
    /// How many flowcharts it has, where it has flowcharts.
    pub flowcharts: usize,
    /// Whether a channel was too large for one flowchart.
    pub is_split: bool,
}

/// What came of loading one source.
#[derive(Debug)]
pub struct LoadOutcome {
    /// What was to be loaded.
    pub source: Source,
    /// The catalog, judged; or why there is none.
    pub result: Result<Arc<Snapshot>, Refusal>,
    /// Edits of it that an earlier olmap did not save.
    pub left_over: Option<LeftOver>,
}

/// How far loading is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Files found.
    pub files: usize,
    /// Files read.
    pub read: usize,
    /// Bytes read.
    pub bytes: usize,
}

/// Where a catalog was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedTo {
    /// Its own files.
    InPlace,
    /// Another file or directory.
    Elsewhere(PathBuf),
}

/// What came of adding rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grown {
    /// The file.
    pub path: PathBuf,
    /// What it holds now.
    pub bytes: Vec<u8>,
    /// How many rows were not in it before.
    pub added: usize,
}

/// Edits that were not saved when an earlier olmap came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOver {
    /// The journal they are written in.
    pub journal: PathBuf,
    /// How long ago the last of them was made.
    pub age: Duration,
    /// The edits, oldest first.
    pub edits: Vec<Arc<Recorded>>,
}
