//! What came of work that the world was asked to do.

use std::{path::PathBuf, sync::Arc, time::Duration};

use tui_input::Input;

use super::{preview, refusal::Refusal, source::Source};
use crate::{
    app::parts::field,
    bundle::{compare::Comparison, inside::Inside, step::Judgement},
    edit::Recorded,
    review::Snapshot,
};

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

/// Where the manifests of a bundle were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BundlePlace {
    /// In a directory.
    Directory(PathBuf),
    /// In an image that was fetched.
    Image(String),
}

/// A bundle whose manifests were read.
#[derive(Clone, PartialEq, Debug)]
pub struct BundleFound {
    /// Where they are.
    pub place: BundlePlace,
    /// What is inside.
    pub inside: Arc<Inside>,
}

/// What came of looking for the manifests of a bundle.
#[derive(Clone, PartialEq, Debug)]
pub enum Looked {
    /// They are here.
    Found(Arc<BundleFound>),
    /// They are in an image that nobody fetched.
    NotFetched,
}

/// Two bundles compared by their manifests.
#[derive(Clone, PartialEq, Debug)]
pub struct BundlesCompared {
    /// What differs.
    pub comparison: Comparison,
    /// Judgement on the step from the first to the second.
    pub step: Judgement,
}

/// What came of fetching an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fetched {
    /// It was fetched.
    Now,
    /// It was in the cache.
    Before,
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

/// Names on disk that a path could go on with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// The names in their order, of folders with a slash; not all of them where there are many.
    pub names: Vec<String>,
    /// How many more there are.
    pub more: usize,
    /// How many bytes of them are typed already.
    pub typed: usize,
    /// How many bytes more all of them have in common.
    pub goes_on: usize,
}

impl Names {
    /// All names there are, of which so many bytes are typed.
    pub fn of(names: Vec<String>, typed: usize) -> Self {
        let goes_on = Self::shared(&names).len().saturating_sub(typed);
        Self { names, more: 0, typed, goes_on }
    }

    /// What all names begin with.
    pub fn shared(names: &[String]) -> &str {
        let Some((first, others)) = names.split_first() else { return "" };
        let same = |other: &String| {
            let pairs = first.char_indices().zip(other.chars());
            let differs = pairs.clone().find(|((_, a), b)| a != b).map(|((at, _), _)| at);
            differs.unwrap_or(first.len().min(other.len()))
        };
        let shared = others.iter().map(same).min().unwrap_or(first.len());
        first.get(..shared).unwrap_or_default()
    }

    /// Puts what all names have in common into the field of the path; gives back the names that are left to choose from.
    pub fn complete(&self, input: &mut Input) -> Option<Self> {
        *input = Input::new(input.value().to_owned());
        // A name that has no room is not taken.
        let _ = field::insert(input, self.rest());
        Some(self.clone()).filter(|names| names.names.len() != 1)
    }

    /// What the path goes on with whichever of them is meant.
    pub fn rest(&self) -> &str {
        let first = self.names.first().and_then(|first| first.get(self.typed..self.typed + self.goes_on));
        first.unwrap_or_default()
    }
}

/// What oc-mirror would publish of a catalog.
#[derive(Debug)]
pub struct Mirrored {
    /// What is left, as a supposition.
    pub outcome: Arc<preview::Outcome>,
    /// How many of its users are worse off, and who they are, in words.
    pub words: String,
    /// Whether anybody is.
    pub fails: bool,
}
