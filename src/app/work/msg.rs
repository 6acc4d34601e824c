//! What happens to the explorer.

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

/// Something happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was used.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size: columns, rows.
    Resize(u16, u16),
    /// The terminal told what its background is.
    Background(Background),
    /// A frame was drawn; this is where things are on it.
    Drawn(HitMap),
    /// One waits for some time already, or for some time more; how far loading is.
    Waited(LoadProgress),
    /// The terminal has the focus: somebody comes back from elsewhere.
    FocusGained,
    /// The editor ended; where something went wrong with it, what.
    Edited(Result<(), Refusal>),
    /// Something was done for the user, or why it was not, in words.
    Told(Result<String, Refusal>),
    /// What was asked for cannot be done here: why.
    Refused(String),
    /// There is more of a catalog that is being read.
    Grown {
        /// The request it belongs to; what belongs to an older one is dropped.
        generation: u64,
        /// What is being loaded.
        source: Source,
        /// What is there.
        snapshot: Arc<Snapshot>,
    },
    /// Loading ended.
    Loaded {
        /// The request it answers; an older one is dropped.
        generation: u64,
        /// One outcome a source, in the order asked for.
        outcomes: Vec<LoadOutcome>,
    },
    /// Writing ended.
    Saved {
        /// The catalogs that were written, each with the state that was.
        written: Vec<(usize, Arc<Snapshot>)>,
        /// Where they went, or why it did not.
        outcome: Result<SavedTo, NotSaved>,
        /// What is to be said of it though it went well.
        warning: Option<String>,
    },
    /// Another explorer has a catalog open, or a part of it.
    AlsoOpen {
        /// The catalog.
        source: Source,
        /// The other one's process id.
        process: u32,
    },
    /// Somebody wrote to a catalog on disk; it may have been this program.
    Touched(Source),
    /// The files of a catalog were compared with what was last read or written.
    LookedAgain {
        /// The catalog.
        source: Source,
        /// What they were compared with.
        baseline: Arc<Snapshot>,
        /// What they hold now, where that differs.
        news: Option<LoadOutcome>,
    },
    /// The journal cannot be written, so edits would not survive a crash: why.
    NoJournal(String),
    /// A file of upgrade expectations was looked for.
    Expectations {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// What it holds, `None` where there is none; or why it cannot be read.
        outcome: Result<Option<Vec<u8>>, Refusal>,
    },
    /// A file of accepted findings was looked for.
    Accepted {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// What it holds, `None` where there is none; or why it cannot be read.
        outcome: Result<Option<Vec<u8>>, Refusal>,
    },
    /// The manifests of a bundle were looked for.
    LookedInside {
        /// The request it answers; an older one is dropped.
        number: u64,
        /// What is inside, or why that is not known.
        outcome: Result<Looked, Refusal>,
    },
    /// What takes time was found out.
    Learned {
        /// The catalog, where all of it was looked at.
        all_of: Option<Arc<Snapshot>>,
        /// The packages, each with what is known now. Those with neither manifests nor template in sight are not among them.
        learned: Vec<(Arc<Judged>, review::Learned)>,
    },
    /// What an edit leads to was worked out.
    Previewed {
        /// The state it would be made in.
        snapshot: Arc<Snapshot>,
        /// The edit.
        edit: Edit,
        /// What it leads to.
        preview: Preview,
    },
    /// The search for edits that free stuck versions ended.
    RemediesFound {
        /// The search.
        asked: Arc<RemedySearch>,
        /// Its result.
        found: Remedies,
    },
    /// It was worked out what OLM Classic makes of a assumed cluster.
    Resolved {
        /// What was asked.
        asked: Arc<Asked>,
        /// The answer.
        resolved: Arc<Resolved>,
    },
    /// The overview over catalogs was worked out.
    Overlooked {
        /// What was asked.
        asked: Arc<ToOverview>,
        /// The overview.
        overview: Arc<Sorted>,
    },
    /// The plans over catalogs of several OpenShift versions were worked out.
    Planned {
        /// What was asked.
        asked: Arc<ToPlan>,
        /// The plans.
        plans: Arc<Plans>,
    },
    /// It was worked out what Classic's picks become with dependencies.
    Solved {
        /// What was asked.
        asked: Arc<Everyone>,
        /// Those that become another one.
        solved: Arc<BTreeMap<BundleName, Alone>>,
    },
    /// The image of a bundle was fetched, or was not.
    BundleFetched {
        /// The request it answers; an older one is dropped.
        number: u64,
        /// The bundle.
        bundle: BundleName,
        /// When it was fetched, or why it was not.
        outcome: Result<Fetched, Refusal>,
    },
    /// No more images of bundles are being fetched.
    FetchEnded {
        /// The request it answers.
        number: u64,
    },
    /// Two bundles were compared by their manifests.
    BundlesCompared {
        /// The bundles.
        sought: Box<[SoughtBundle; 2]>,
        /// What differs, or why that is not known.
        outcome: Result<Arc<BundlesCompared>, Refusal>,
    },
    /// Adding upgrade expectations ended.
    ExpectationsAdded {
        /// The catalog.
        source: Source,
        /// The path that was asked for.
        asked: PathBuf,
        /// What was added, or why nothing was.
        outcome: Result<Grown, Refusal>,
    },
    /// What there is to compare a catalog with was read.
    BaseRead {
        /// The catalog.
        catalog: usize,
        /// The request it answers; an older one is dropped.
        number: u64,
        /// What was read, judged; or why it was not.
        result: Result<Arc<Snapshot>, Refusal>,
    },
    /// The history of a package was read.
    HistoryRead {
        /// The request it answers; an older one is dropped.
        number: u64,
        /// The history, or why there is none.
        result: Result<Arc<History>, Refusal>,
    },
    /// It was worked out what oc-mirror would publish of a catalog, or why it would not.
    Mirrored {
        /// The catalog.
        snapshot: Arc<Snapshot>,
        /// The path that was asked for.
        asked: PathBuf,
        /// What it would publish.
        outcome: Result<Box<Mirrored>, Refusal>,
    },
    /// A catalog was read as a commit left it.
    PastRead {
        /// The request it answers; an older one is dropped.
        number: u64,
        /// What was read, judged; or why it was not.
        result: Result<Arc<Snapshot>, Refusal>,
    },
    /// Two states of a catalog were compared.
    Compared {
        /// The catalog.
        catalog: usize,
        /// The request it answers; an older one is dropped.
        number: u64,
        /// What differs.
        comparison: Arc<Comparison>,
    },
    /// It is known whether a catalog is in a git repository.
    FoundRepository {
        /// The catalog.
        catalog: usize,
        /// Why it is in none, where it is not.
        outcome: Result<(), Refusal>,
    },
    /// A new bundle was read.
    BundleRead {
        /// Where it is.
        path: PathBuf,
        /// The image that was given.
        image: String,
        /// The bundle, or why it cannot be added.
        outcome: Result<Arc<NewBundle>, Refusal>,
    },
    /// Names were looked for that a path could go on with.
    Names {
        /// The path as far as it was typed.
        typed: String,
        /// The names, or why there are none to choose from.
        outcome: Result<Names, Refusal>,
    },
    /// Writing a graph ended.
    Exported {
        /// The path that was asked for.
        asked: PathBuf,
        /// What was written, or why nothing was.
        outcome: Result<Exported, Refusal>,
    },
}
