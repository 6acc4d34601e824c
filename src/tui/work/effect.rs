//! Effects: requests to the runtime as data.

use std::{path::PathBuf, sync::Arc};

use super::{
    cluster::{DependencyQuery, ResolverQuery},
    comparison::LabeledComparison,
    overview::OverviewRequest,
    plan_request::PlanRequest,
    remedy::RemedySearch,
    source::{Base, Source},
};
use olm_catalog::{BundleName, BundleSource, ChannelName, Origin, PackageName};
use olm_check::review::{PackageState, Snapshot, expect::NewRow};
use olm_edit::{Edit, RecordedEdit};
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
    /// Read and check catalogs.
    Load {
        /// Returned with the answer.
        generation: u64,
        /// The sources to read.
        sources: Vec<Source>,
        /// Whether to report partly read catalogs.
        show_partial: bool,
    },
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
    /// Read the upgrade expectations of a catalog, if the file exists.
    ReadExpectations {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
    },
    /// Read the accepted findings of a catalog, if the file exists.
    ReadAccepted {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
    },
    /// Read the manifests of a bundle from its directory or its fetched image.
    ReadManifests {
        /// Returned with the answer.
        number: u64,
        /// The bundle.
        bundle: BundleLocator,
    },
    /// Run deferred checks: check upgrade steps against bundle manifests, compare packages with
    /// their templates.
    RunDeferredChecks {
        /// The package to check. `None` for all unchecked packages of the catalog.
        package: Option<Arc<PackageState>>,
        /// The catalog. Returned with the answer.
        snapshot: Arc<Snapshot>,
    },
    /// Compute the preview of an edit.
    Preview {
        /// The state before the edit. Returned with the answer.
        snapshot: Arc<Snapshot>,
        /// The other open catalogs, each with its display name.
        other_catalogs: Vec<(String, Arc<Snapshot>)>,
        /// The edit. Returned with the answer.
        edit: Edit,
    },
    /// Search edits that free stuck versions.
    FindRemedies(Arc<RemedySearch>),
    /// Resolve an assumed cluster as OLM Classic does.
    ResolveCluster(Arc<ResolverQuery>),
    /// Compute the overview of the open catalogs.
    ComputeOverview(Arc<OverviewRequest>),
    /// Compute upgrade plans over catalogs of several OpenShift versions.
    ComputePlans(Arc<PlanRequest>),
    /// Resolve Classic's upgrades with dependencies.
    ResolveDependencies(Arc<DependencyQuery>),
    /// Fetch images of bundles into the cache. Each image is reported when it arrives.
    FetchBundles {
        /// Returned with the answers.
        number: u64,
        /// The bundles and their images.
        images: Vec<(BundleName, String)>,
    },
    /// Stop fetching images.
    StopFetching,
    /// Compare two bundles by their manifests, the older one first.
    CompareBundles {
        /// The bundles. Returned with the answer.
        bundles: Box<[BundleLocator; 2]>,
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
    /// Compare the files of a catalog with the baseline, and read them if they differ.
    CheckDisk {
        /// The catalog.
        source: Source,
        /// State of the files when they were last read or written.
        baseline: Arc<Snapshot>,
    },
    /// Read a base to compare a catalog with.
    ReadBase {
        /// Index of the open catalog.
        catalog: usize,
        /// Returned with the answer.
        number: u64,
        /// The base to read.
        base: Base,
        /// The path of the catalog, for revisions without a path.
        default_path: Option<PathBuf>,
    },
    /// Stop reading the base of a catalog.
    StopReadingBase {
        /// Index of the open catalog.
        catalog: usize,
    },
    /// Read the history of a package: the commits that touched its files with their changes.
    ReadHistory {
        /// Returned with the answer.
        number: u64,
        /// Path of the catalog.
        path: PathBuf,
        /// The package.
        package: PackageName,
    },
    /// Read a catalog at a commit.
    ReadCommit {
        /// Returned with the answer.
        number: u64,
        /// Path of the catalog.
        path: PathBuf,
        /// The full commit ID.
        commit: String,
    },
    /// Read an image set configuration and compute which part of a catalog oc-mirror would publish.
    PreviewMirror {
        /// The catalog.
        snapshot: Arc<Snapshot>,
        /// The file, followed by `#N` if it mirrors several catalogs.
        path: PathBuf,
    },
    /// Stop reading history and commits.
    StopReadingHistory,
    /// Compare two states of a catalog.
    Compare {
        /// Index of the open catalog.
        catalog: usize,
        /// Returned with the answer.
        number: u64,
        /// The old state.
        before: Arc<Snapshot>,
        /// The new state.
        after: Arc<Snapshot>,
    },
    /// Check whether a catalog is in a git repository.
    CheckRepository {
        /// Index of the open catalog.
        catalog: usize,
        /// Its path.
        path: PathBuf,
    },
    /// List file names that complete a path.
    ListCompletions {
        /// The typed part of the path.
        typed: String,
    },
    /// Read a bundle to add: a directory, or the output of opm render.
    ReadBundle {
        /// Path of the bundle.
        path: PathBuf,
        /// The image of the bundle. Empty if the bundle already names one.
        image: String,
    },
    /// Stop loading.
    StopLoading,
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
