//! Messages to the explorer.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use super::{
    cluster::{Asked, Everyone, Resolved},
    comparison::Comparison,
    effect::SoughtBundle,
    outcome::{
        BundlesCompared, Exported, Fetched, Grown, LoadOutcome, LoadProgress, Looked, Mirrored, Names,
        NotSaved, SavedTo,
    },
    overview::ToOverview,
    planning::{Plans, ToPlan},
    preview::Preview,
    refusal::Refusal,
    remedy::{Remedies, RemedySearch},
    source::Source,
};
use crate::{
    app::parts::{hit::HitMap, look::Background},
    bundle::NewBundle,
    catalog::BundleName,
    edit::Edit,
    export::overview::Sorted,
    resolve::Alone,
    review::{self, Judged, Snapshot, history::History},
};

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
    Background(Background),
    /// A frame was drawn, with the areas for mouse hits.
    Drawn(HitMap),
    /// Periodic progress report while the user waits for loading.
    Waited(LoadProgress),
    /// The terminal got the focus.
    FocusGained,
    /// The editor exited, or failed to run.
    Edited(Result<(), Refusal>),
    /// Result of work for the user, as a notice.
    Told(Result<String, Refusal>),
    /// A request that is not possible here, with the reason.
    Refused(String),
    /// More of a catalog was read.
    Grown {
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
        outcome: Result<SavedTo, NotSaved>,
        /// Warning about a successful write.
        warning: Option<String>,
    },
    /// Another explorer has the catalog or a part of it open.
    AlsoOpen {
        /// The catalog.
        source: Source,
        /// Process ID of the other explorer.
        process: u32,
    },
    /// A catalog changed on disk. The change may come from this program.
    Touched(Source),
    /// The files of a catalog were compared with the baseline.
    LookedAgain {
        /// The catalog.
        source: Source,
        /// The state that the files were compared with.
        baseline: Arc<Snapshot>,
        /// The new state of the files. `None` if nothing changed.
        news: Option<LoadOutcome>,
    },
    /// The journal cannot be written, so edits would not survive a crash. With the reason.
    NoJournal(String),
    /// A file of upgrade expectations was read.
    Expectations {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// Content of the file. `None` if the file does not exist.
        outcome: Result<Option<Vec<u8>>, Refusal>,
    },
    /// A file of accepted findings was read.
    Accepted {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// Content of the file. `None` if the file does not exist.
        outcome: Result<Option<Vec<u8>>, Refusal>,
    },
    /// The manifests of a bundle were read.
    LookedInside {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The manifests, or the reason why they are not available.
        outcome: Result<Looked, Refusal>,
    },
    /// Deferred checks ended.
    Learned {
        /// The catalog, if all of it was checked.
        all_of: Option<Arc<Snapshot>>,
        /// The checked packages with their results. Packages without manifests and template are
        /// missing.
        learned: Vec<(Arc<Judged>, review::Learned)>,
    },
    /// The preview of an edit was computed.
    Previewed {
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
        asked: Arc<RemedySearch>,
        /// Its result.
        found: Remedies,
    },
    /// An assumed cluster was resolved.
    Resolved {
        /// The query.
        asked: Arc<Asked>,
        /// The result.
        resolved: Arc<Resolved>,
    },
    /// The overview of the open catalogs was computed.
    Overlooked {
        /// The request.
        asked: Arc<ToOverview>,
        /// The overview.
        overview: Arc<Sorted>,
    },
    /// Upgrade plans were computed.
    Planned {
        /// The request.
        asked: Arc<ToPlan>,
        /// The plans.
        plans: Arc<Plans>,
    },
    /// Classic's upgrades were resolved with dependencies.
    Solved {
        /// The query.
        asked: Arc<Everyone>,
        /// The upgrades that change with dependencies.
        solved: Arc<BTreeMap<BundleName, Alone>>,
    },
    /// An image was fetched, or fetching it failed.
    BundleFetched {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The bundle.
        bundle: BundleName,
        /// Whether the image was fetched or cached, or the reason of the failure.
        outcome: Result<Fetched, Refusal>,
    },
    /// Fetching images ended.
    FetchEnded {
        /// Number of the request.
        number: u64,
    },
    /// Two bundles were compared by their manifests.
    BundlesCompared {
        /// The bundles.
        sought: Box<[SoughtBundle; 2]>,
        /// The difference, or the reason why it is not available.
        outcome: Result<Arc<BundlesCompared>, Refusal>,
    },
    /// Upgrade expectations were added, or adding them failed.
    ExpectationsAdded {
        /// The catalog.
        source: Source,
        /// The path in the request.
        asked: PathBuf,
        /// The added rows, or the reason of the failure.
        outcome: Result<Grown, Refusal>,
    },
    /// The base for a comparison was read.
    BaseRead {
        /// The catalog.
        catalog: usize,
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The checked state of the base, or the reason of the failure.
        result: Result<Arc<Snapshot>, Refusal>,
    },
    /// The history of a package was read.
    HistoryRead {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The history, or the reason of the failure.
        result: Result<Arc<History>, Refusal>,
    },
    /// The result of oc-mirror was computed for a catalog.
    Mirrored {
        /// The catalog.
        snapshot: Arc<Snapshot>,
        /// The path in the request.
        asked: PathBuf,
        /// The result, or the reason of the failure.
        outcome: Result<Box<Mirrored>, Refusal>,
    },
    /// A catalog was read at a commit.
    PastRead {
        /// Number of the request. Answers to older requests are dropped.
        number: u64,
        /// The checked state, or the reason of the failure.
        result: Result<Arc<Snapshot>, Refusal>,
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
    FoundRepository {
        /// The catalog.
        catalog: usize,
        /// `Err` with the reason if the catalog is not in a repository.
        outcome: Result<(), Refusal>,
    },
    /// A new bundle was read.
    BundleRead {
        /// Path of the bundle.
        path: PathBuf,
        /// The image in the request.
        image: String,
        /// The bundle, or the reason why it cannot be added.
        outcome: Result<Arc<NewBundle>, Refusal>,
    },
    /// File names that complete a path were listed.
    Names {
        /// The typed part of the path.
        typed: String,
        /// The names, or the reason why there are none.
        outcome: Result<Names, Refusal>,
    },
    /// A graph or comparison was written.
    Exported {
        /// The path in the request.
        asked: PathBuf,
        /// The written file, or the reason of the failure.
        outcome: Result<Exported, Refusal>,
    },
}
