//! Messages to the explorer.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::{
    cluster::{DependencyQuery, ResolverQuery, ResolverResult},
    comparison::Comparison,
    effect::BundleLocator,
    outcome::{
        AddedRows, BundleComparison, Exported, FetchOutcome, LoadOutcome, LoadProgress, ManifestLookup,
        MirrorPreview, PathCompletions, SaveDestination, SaveFailure,
    },
    overview::OverviewRequest,
    plan_request::{PlanRequest, Plans},
    preview::Preview,
    remedy::{Remedies, RemedySearch},
    source::Source,
    user_error::UserError,
};
use crate::tui::parts::{hit::HitMap, theme_settings::Background};
use olm_bundle::NewBundle;
use olm_catalog::BundleName;
use olm_check::review::{self, PackageState, Snapshot, history::History};
use olm_edit::Edit;
use olm_upgrade::resolve::SinglePackageAnswer;
use olmap_report::overview::SortedOverview;

/// Message to the explorer: an input event or the result of an effect.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// A mouse event.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal was resized: columns, rows.
    Resize(u16, u16),
    /// The terminal reported its background color.
    TerminalBackground(Background),
    /// A frame was drawn, with the areas for mouse hits.
    Drawn(HitMap),
    /// Periodic progress report while the user waits for loading.
    WaitProgress(LoadProgress),
    /// The terminal got the focus.
    FocusGained,
    /// The editor exited, or failed to run.
    EditorExited(Result<(), UserError>),
    /// Result of work for the user, as a notice.
    Notice(Result<String, UserError>),
    /// A request that is not possible here, with the reason.
    Refused(String),
    /// More of a catalog was read.
    PartlyLoaded {
        /// Number of the request. Messages of older requests are dropped.
        generation: u64,
        /// The source that is being read.
        source: Source,
        /// State of the part that is read.
        snapshot: Arc<Snapshot>,
    },
    /// Loading ended.
    Loaded {
        /// Number of the request. Messages of older requests are dropped.
        generation: u64,
        /// One outcome per source, in the order of the request.
        outcomes: Vec<LoadOutcome>,
    },
    /// Writing ended.
    Saved {
        /// The written catalogs, each with its written state.
        written: Vec<(usize, Arc<Snapshot>)>,
        /// The destination, or the reason why nothing was written.
        outcome: Result<SaveDestination, SaveFailure>,
        /// Warning about a successful write.
        warning: Option<String>,
    },
    /// Another explorer has the catalog or a part of it open.
    OpenElsewhere {
        /// The catalog.
        source: Source,
        /// Process ID of the other explorer.
        process: u32,
    },
    /// A catalog changed on disk. The change may come from this program.
    ChangedOnDisk(Source),
    /// The files of a catalog were compared with the baseline.
    DiskChecked {
        /// The catalog.
        source: Source,
        /// The state that the files were compared with.
        baseline: Arc<Snapshot>,
        /// The new state of the files. `None` if nothing changed.
        changed: Option<LoadOutcome>,
    },
    /// The journal cannot be written, so edits would not survive a crash. With the reason.
    JournalFailed(String),
    /// A file of upgrade expectations was read.
    ExpectationsRead {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// Content of the file. `None` if the file does not exist.
        outcome: Result<Option<Vec<u8>>, UserError>,
    },
    /// A file of accepted findings was read.
    AcceptedRead {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// Content of the file. `None` if the file does not exist.
        outcome: Result<Option<Vec<u8>>, UserError>,
    },
    /// The manifests of a bundle were read.
    ManifestsRead {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The manifests, or the reason why they are not available.
        outcome: Result<ManifestLookup, UserError>,
    },
    /// Deferred checks ended.
    DeferredChecksDone {
        /// The catalog, if all of it was checked.
        catalog: Option<Arc<Snapshot>>,
        /// The checked packages with their results. Packages without manifests and template are
        /// missing.
        checked: Vec<(Arc<PackageState>, review::DeferredChecks)>,
    },
    /// The preview of an edit was computed.
    PreviewReady {
        /// The state before the edit.
        snapshot: Arc<Snapshot>,
        /// The edit.
        edit: Edit,
        /// The preview.
        preview: Preview,
    },
    /// The search for edits that free stuck versions ended.
    RemediesFound {
        /// The search.
        search: Arc<RemedySearch>,
        /// Its result.
        remedies: Remedies,
    },
    /// An assumed cluster was resolved.
    ClusterResolved {
        /// The query.
        asked: Arc<ResolverQuery>,
        /// The result.
        resolved: Arc<ResolverResult>,
    },
    /// The overview of the open catalogs was computed.
    OverviewReady {
        /// The request.
        asked: Arc<OverviewRequest>,
        /// The overview.
        overview: Arc<SortedOverview>,
    },
    /// Upgrade plans were computed.
    PlansReady {
        /// The request.
        asked: Arc<PlanRequest>,
        /// The plans.
        plans: Arc<Plans>,
    },
    /// Classic's upgrades were resolved with dependencies.
    DependenciesResolved {
        /// The query.
        asked: Arc<DependencyQuery>,
        /// The upgrades that change with dependencies.
        solved: Arc<BTreeMap<BundleName, SinglePackageAnswer>>,
    },
    /// An image was fetched, or fetching it failed.
    BundleFetched {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The bundle.
        bundle: BundleName,
        /// Whether the image was fetched or cached, or the reason of the failure.
        outcome: Result<FetchOutcome, UserError>,
    },
    /// Fetching images ended.
    FetchEnded {
        /// Number of the request.
        number: u64,
    },
    /// Two bundles were compared by their manifests.
    BundlesCompared {
        /// The bundles.
        bundles: Box<[BundleLocator; 2]>,
        /// The difference, or the reason why it is not available.
        outcome: Result<Arc<BundleComparison>, UserError>,
    },
    /// Upgrade expectations were added, or adding them failed.
    ExpectationsAdded {
        /// The catalog.
        source: Source,
        /// The path in the request.
        asked: PathBuf,
        /// The added rows, or the reason of the failure.
        outcome: Result<AddedRows, UserError>,
    },
    /// The base for a comparison was read.
    BaseRead {
        /// The catalog.
        catalog: usize,
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The checked state of the base, or the reason of the failure.
        result: Result<Arc<Snapshot>, UserError>,
    },
    /// The history of a package was read.
    HistoryRead {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The history, or the reason of the failure.
        result: Result<Arc<History>, UserError>,
    },
    /// The result of oc-mirror was computed for a catalog.
    MirrorPreviewed {
        /// The catalog.
        snapshot: Arc<Snapshot>,
        /// The path in the request.
        asked: PathBuf,
        /// The result, or the reason of the failure.
        outcome: Result<Box<MirrorPreview>, UserError>,
    },
    /// A catalog was read at a commit.
    CommitRead {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The checked state, or the reason of the failure.
        result: Result<Arc<Snapshot>, UserError>,
    },
    /// Two states of a catalog were compared.
    Compared {
        /// The catalog.
        catalog: usize,
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The comparison.
        comparison: Arc<Comparison>,
    },
    /// A catalog was searched for a git repository.
    RepositoryChecked {
        /// The catalog.
        catalog: usize,
        /// `Err` with the reason if the catalog is not in a repository.
        outcome: Result<(), UserError>,
    },
    /// A new bundle was read.
    BundleRead {
        /// Path of the bundle.
        path: PathBuf,
        /// The image in the request.
        image: String,
        /// The bundle, or the reason why it cannot be added.
        outcome: Result<Arc<NewBundle>, UserError>,
    },
    /// File names that complete a path were listed.
    CompletionsListed {
        /// The typed part of the path.
        typed: String,
        /// The names, or the reason why there are none.
        outcome: Result<PathCompletions, UserError>,
    },
    /// A graph or comparison was written.
    Exported {
        /// The path in the request.
        asked: PathBuf,
        /// The written file, or the reason of the failure.
        outcome: Result<Exported, UserError>,
    },
}
