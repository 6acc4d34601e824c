//! Results of effects, and errors for the user.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use super::{preview, source::Source};
use crate::tui::parts::field::{self, TextField};
use olm_bundle::{compare::Comparison, outline::Outline, step::Judgement};
use olm_check::review::Snapshot;
use olm_edit::RecordedEdit;

/// Reason why a catalog was not written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SaveFailure {
    /// Another program changed a file since it was loaded. With a description of the file.
    ChangedOnDisk(String),
    /// The files would lose metadata, described in sentences. The user has to confirm.
    MetadataLoss(Vec<String>),
    /// Any other error.
    Failed(UserError),
}

/// Location of the manifests of a bundle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ManifestLocation {
    /// A directory.
    Directory(PathBuf),
    /// An image in the cache.
    Image(String),
}

/// Manifests of a bundle.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundManifests {
    /// Location of the manifests.
    pub location: ManifestLocation,
    /// The content of the bundle.
    pub outline: Arc<Outline>,
}

/// Result of a lookup of bundle manifests.
#[derive(Clone, PartialEq, Debug)]
pub enum ManifestLookup {
    /// The manifests were read.
    Found(Arc<FoundManifests>),
    /// The manifests are in an image that is not in the cache.
    NotFetched,
}

/// Comparison of two bundles by their manifests.
#[derive(Clone, PartialEq, Debug)]
pub struct BundleComparison {
    /// The difference.
    pub comparison: Comparison,
    /// Judgement of the upgrade step from the first to the second bundle.
    pub step: Judgement,
}

/// Result of fetching an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FetchOutcome {
    /// The image was fetched.
    Fetched,
    /// The image was already in the cache.
    Cached,
}

/// Written graph or comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Path of the file.
    pub path: PathBuf,
    /// Number of Mermaid flowcharts; 0 for other formats.
    pub flowcharts: usize,
    /// Whether a channel was split because it is too large for one flowchart.
    pub is_split: bool,
}

/// Result of loading one source.
#[derive(Debug)]
pub struct LoadOutcome {
    /// The source.
    pub source: Source,
    /// The checked catalog, or the reason of the failure.
    pub result: Result<Arc<Snapshot>, UserError>,
    /// Unsaved edits of an earlier session.
    pub recoverable_edits: Option<UnsavedEdits>,
}

/// Progress of loading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadProgress {
    /// Number of files found.
    pub files: usize,
    /// Number of files read.
    pub read: usize,
    /// Number of bytes read.
    pub bytes: usize,
}

/// Destination of a finished save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveDestination {
    /// The catalog's own files.
    InPlace,
    /// Another file or directory.
    Elsewhere(PathBuf),
}

/// Result of adding upgrade expectations to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedRows {
    /// The file.
    pub path: PathBuf,
    /// Content of the file after the change.
    pub bytes: Vec<u8>,
    /// Number of rows that are new.
    pub added: usize,
}

/// Unsaved edits of an earlier session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsavedEdits {
    /// The journal of the edits.
    pub journal: PathBuf,
    /// Time since the last of the edits.
    pub age: Duration,
    /// The edits, oldest first.
    pub edits: Vec<Arc<RecordedEdit>>,
}

/// File names that complete a path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathCompletions {
    /// The sorted names, directories with a slash. Long lists are truncated.
    pub names: Vec<String>,
    /// Number of names that the truncated list omits.
    pub omitted_count: usize,
    /// Number of bytes of each name that are already typed.
    pub typed_len: usize,
    /// Number of further bytes that all names have in common.
    pub common_len: usize,
}

impl PathCompletions {
    /// Creates the list from all names and the number of typed bytes.
    pub fn from_names(names: Vec<String>, typed: usize) -> Self {
        let goes_on = Self::common_prefix(&names).len().saturating_sub(typed);
        Self { names, omitted_count: 0, typed_len: typed, common_len: goes_on }
    }

    /// Returns the longest common prefix of the names.
    pub fn common_prefix(names: &[String]) -> &str {
        let Some((first, others)) = names.split_first() else { return "" };
        let same = |other: &String| {
            let pairs = first.char_indices().zip(other.chars());
            let differs = pairs.clone().find(|((_, a), b)| a != b).map(|((at, _), _)| at);
            differs.unwrap_or(first.len().min(other.len()))
        };
        let shared = others.iter().map(same).min().unwrap_or(first.len());
        first.get(..shared).unwrap_or_default()
    }

    /// Adds the common prefix of all names to the path field. Returns the names to choose from, or
    /// `None` if the completion is unique.
    pub fn complete_input(&self, input: &mut TextField) -> Option<Self> {
        *input = TextField::new(input.value().to_owned());
        // A name that does not fit is not inserted.
        let _ = field::insert_text(input, self.untyped_prefix());
        Some(self.clone()).filter(|names| names.names.len() != 1)
    }

    /// Returns the untyped part of the common prefix.
    pub fn untyped_prefix(&self) -> &str {
        let first =
            self.names.first().and_then(|first| first.get(self.typed_len..self.typed_len + self.common_len));
        first.unwrap_or_default()
    }
}

/// Part of a catalog that oc-mirror would publish.
#[derive(Debug)]
pub struct MirrorPreview {
    /// Preview of the remaining catalog.
    pub outcome: Arc<preview::EditOutcome>,
    /// Summary of the users that are worse off, with their number.
    pub summary: String,
    /// Whether any user is worse off.
    pub has_worse_off_users: bool,
}

/// Error for the user. Errors of the crates are converted to it at the boundary; the UI formats
/// it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserError {
    /// The reason, without a full stop.
    pub message: String,
    /// A hint how to solve the problem.
    pub hint: Option<String>,
}

impl UserError {
    /// Creates an error without a hint.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// Message and hint as sentences.
impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, hint } = self;
        match hint {
            Some(hint) => write!(f, "{message}. {hint}"),
            None => write!(f, "{message}."),
        }
    }
}

impl std::error::Error for UserError {}
