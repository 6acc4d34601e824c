//! Effects: requests to the runtime as data.

use std::{path::PathBuf, sync::Arc};

use super::{
    comparison::LabeledComparison,
    job::{JobRequest, JobSlot, Question},
    source::Source,
};
use olm_catalog::{BundleName, BundleSource, ChannelName, Origin, PackageName};
use olm_check::review::{PackageState, Snapshot, expect::NewRow};
use olm_edit::RecordedEdit;
use olmap_report::graph::Format;

/// Catalog whose files have to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct SaveRequest {
    /// Index of the open catalog.
    pub catalog: usize,
    /// State of the files when they were last read or written.
    pub baseline: Arc<Snapshot>,
    /// State to write.
    pub state: Arc<Snapshot>,
}

/// Request to the runtime. Slow work comes back as a message.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Answer a question in the background.
    Run(JobRequest),
    /// Stop the job in a slot.
    Stop(JobSlot),
    /// Read a package before the others.
    ReadFirst {
        /// The package.
        package: PackageName,
    },
    /// Write the changed files of catalogs: all of them or none.
    Save {
        /// The catalogs.
        saves: Vec<SaveRequest>,
        /// Whether the user confirmed the loss of file metadata.
        confirmed: bool,
    },
    /// Write a whole catalog to another path. Existing files and the catalog itself are never
    /// overwritten.
    SaveAs {
        /// Index of the open catalog.
        catalog: usize,
        /// The state to write.
        state: Arc<Snapshot>,
        /// A file if the catalog is one file, otherwise a directory.
        path: PathBuf,
    },
    /// Write the unsaved edits of a catalog to its journal, replacing earlier content.
    WriteJournal {
        /// Path of the catalog as it was opened.
        catalog: PathBuf,
        /// The edits, oldest first.
        edits: Vec<Arc<RecordedEdit>>,
    },
    /// Remove a journal of an earlier session.
    RemoveJournal {
        /// The journal.
        journal: PathBuf,
    },
    /// Write the graph of a package to a new file.
    Export {
        /// The package.
        package: Arc<PackageState>,
        /// The channel. `None` for all channels.
        channel: Option<ChannelName>,
        /// The output format.
        format: Format,
        /// Whether text graphs use only ASCII.
        ascii: bool,
        /// The catalog, which must not contain the new file.
        origin: Origin,
        /// The file.
        path: PathBuf,
    },
    /// Write a comparison as Markdown to a new file.
    ExportComparison {
        /// The comparison.
        comparison: LabeledComparison,
        /// The catalog, which must not contain the new file.
        origin: Origin,
        /// The file.
        path: PathBuf,
    },
    /// Add upgrade expectations to a file outside the catalog, and create the file if necessary.
    AddExpectations {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// The rows.
        rows: Vec<NewRow>,
        /// The catalog, which must not contain the file.
        origin: Origin,
    },
    /// Use a bundle directory, and those next to it, for the checks of a package.
    UseBundleDirectory {
        /// The package.
        package: PackageName,
        /// Path that the user typed. Ignored if it is a file.
        path: PathBuf,
    },
    /// Copy a text to the clipboard.
    Copy(ClipboardText),
    /// Capture the mouse, or release it to the terminal.
    CaptureMouse(bool),
    /// Open the user's editor in the terminal and wait for it to exit.
    OpenEditor {
        /// Position of the cursor.
        location: FileLine,
    },
    /// Suspend the program until `fg`.
    Suspend,
    /// Quit the program.
    Quit,
}

impl Effect {
    /// Creates the effect that answers a question.
    pub fn run<Q: Question>(question: Arc<Q>) -> Self {
        Self::Run(JobRequest::new(question))
    }

    /// Returns the question that the effect answers, if it has the given type.
    pub fn question<Q: Question>(&self) -> Option<Arc<Q>> {
        match self {
            Self::Run(request) => request.question(),
            _ => None,
        }
    }
}

/// Text to copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClipboardText {
    /// Description for the notice.
    pub description: String,
    /// The text.
    pub text: String,
}

/// Bundle with the possible locations of its manifests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BundleLocator {
    /// Its directory, if known.
    pub source: Option<BundleSource>,
    /// Its image, which may be in the cache.
    pub image: Option<String>,
    /// The bundle.
    pub bundle: BundleName,
    /// Its version, which is often the name of the directory.
    pub version: String,
}

/// Line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileLine {
    /// The file.
    pub path: PathBuf,
    /// The line, starting at 1.
    pub line: usize,
}
