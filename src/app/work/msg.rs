//! What happens to the explorer, and what it asks the world to do.

use std::{path::PathBuf, sync::Arc};

use ratatui::crossterm::event::{KeyEvent, MouseEvent};

use crate::app::{
    actions::copy::Copied,
    parts::{hit::HitMap, look::Background},
    session::{against::Base, expecting::Grown, model::Source, recovery::LeftOver, spot::Spot},
    work::comparison::Comparison,
};
use crate::{
    catalog::{ChannelName, Origin, PackageName},
    edit::Recorded,
    export::graph::Format,
    review::{Judged, Snapshot, expect::Row},
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
    Edited(Result<(), String>),
    /// Something was done for the user, or why it was not, in words.
    Told(Result<String, String>),
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
        outcome: Result<Option<Vec<u8>>, String>,
    },
    /// Adding upgrade expectations ended.
    ExpectationsAdded {
        /// The catalog.
        source: Source,
        /// The path that was asked for.
        asked: PathBuf,
        /// What was added, or why nothing was: text and hint.
        outcome: Result<Grown, (String, Option<String>)>,
    },
    /// What there is to compare a catalog with was read.
    BaseRead {
        /// The catalog.
        catalog: usize,
        /// The request it answers; an older one is dropped.
        number: u64,
        /// What was read, judged; or why it was not: text and hint.
        result: Result<Arc<Snapshot>, (String, Option<String>)>,
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
        outcome: Result<(), String>,
    },
    /// Writing a graph ended.
    Exported {
        /// The path that was asked for.
        asked: PathBuf,
        /// What was written, or why nothing was: text and hint.
        outcome: Result<Exported, (String, Option<String>)>,
    },
}

/// Why a catalog was not written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotSaved {
    /// Somebody else changed a file since it was loaded: which, in words.
    ChangedOnDisk(String),
    /// The files would lose something besides their content, in words: it is for the user to say whether that matters.
    Costs(Vec<String>),
    /// Anything else: text and hint.
    Failed(String, Option<String>),
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
    /// The catalog, judged; or why there is none: text and hint.
    pub result: Result<Arc<Snapshot>, (String, Option<String>)>,
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

/// A catalog whose files are to be written.
#[derive(Clone, Debug)]
pub struct ToSave {
    /// The catalog.
    pub catalog: usize,
    /// What the files held when they were last read or written.
    pub baseline: Arc<Snapshot>,
    /// What they shall hold.
    pub state: Arc<Snapshot>,
}

/// Something the world is asked to do. Work that takes time comes back as a [`Msg`].
#[derive(Clone, Debug)]
pub enum Effect {
    /// Read and judge catalogs.
    Load {
        /// Given back with the answer.
        generation: u64,
        /// What to read.
        sources: Vec<Source>,
        /// Whether to tell each time there is more to look at.
        show: bool,
    },
    /// Read a package before the others.
    Want {
        /// The package.
        package: PackageName,
    },
    /// Write the files of catalogs that differ from what is on disk: all of them or none.
    Save {
        /// The catalogs.
        saves: Vec<ToSave>,
        /// Whether the user was told what files lose besides their content.
        knowing: bool,
    },
    /// Write a whole catalog somewhere else; never over something that is there, nor into the catalog itself.
    SaveAs {
        /// The catalog.
        catalog: usize,
        /// What to write.
        state: Arc<Snapshot>,
        /// A file for a catalog of one file, else a directory.
        path: PathBuf,
    },
    /// Keep the unsaved edits of a catalog where they survive a crash, in place of those kept before.
    Journal {
        /// The catalog as it was opened.
        catalog: PathBuf,
        /// The edits, oldest first.
        edits: Vec<Arc<Recorded>>,
    },
    /// Remove a journal that an earlier olmap left.
    Forget {
        /// The journal.
        journal: PathBuf,
    },
    /// Write the graph of a package to a file that is not there yet.
    Export {
        /// The package.
        package: Arc<Judged>,
        /// The channel; all where `None`.
        channel: Option<ChannelName>,
        /// As what.
        format: Format,
        /// Whether pictures of text are to be ASCII.
        ascii: bool,
        /// The catalog, of which the file must not become a part.
        origin: Origin,
        /// The file.
        path: PathBuf,
    },
    /// Read the upgrade expectations of a catalog, where there are any.
    ReadExpectations {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
    },
    /// Add upgrade expectations to a file, which is made where there is none; never in the catalog itself.
    AddExpectations {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
        /// The rows.
        rows: Vec<Row>,
        /// The catalog, of which the file must not become a part.
        origin: Origin,
    },
    /// Compare the files of a catalog with what was last read or written, and read them if they differ.
    LookAgain {
        /// The catalog.
        source: Source,
        /// What to compare with.
        baseline: Arc<Snapshot>,
    },
    /// Read something to compare a catalog with.
    ReadBase {
        /// The catalog.
        catalog: usize,
        /// Given back with the answer.
        number: u64,
        /// What to read.
        base: Base,
        /// The path of the catalog, for revisions without one.
        like: Option<PathBuf>,
    },
    /// Compare two states of a catalog.
    Compare {
        /// The catalog.
        catalog: usize,
        /// Given back with the answer.
        number: u64,
        /// The old one.
        before: Arc<Snapshot>,
        /// The new one.
        after: Arc<Snapshot>,
    },
    /// Find out whether a catalog is in a git repository.
    FindRepository {
        /// The catalog.
        catalog: usize,
        /// Its path.
        path: PathBuf,
    },
    /// Stop loading.
    StopLoading,
    /// Put something into the clipboard.
    Copy(Copied),
    /// Take the mouse, or leave it to the terminal.
    CaptureMouse(bool),
    /// Hand the terminal to the user's editor until that ends.
    OpenEditor {
        /// Where it shall begin.
        spot: Spot,
    },
    /// Hand the terminal back to the shell until `fg`.
    Suspend,
    /// Leave.
    Quit,
}
