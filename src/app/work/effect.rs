//! What the world is asked to do.

use std::{path::PathBuf, sync::Arc};

use super::{
    cluster::{Asked, Everyone},
    comparison::Labelled,
    overview::ToOverview,
    planning::ToPlan,
    remedy::RemedySearch,
    source::{Base, Source},
};
use crate::{
    catalog::{BundleHome, BundleName, ChannelName, Origin, PackageName},
    edit::{Edit, Recorded},
    export::graph::Format,
    review::{Judged, Snapshot, expect::Row},
};

/// A catalog whose files are to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct ToSave {
    /// The catalog.
    pub catalog: usize,
    /// What the files held when they were last read or written.
    pub baseline: Arc<Snapshot>,
    /// What they shall hold.
    pub state: Arc<Snapshot>,
}

/// Something the world is asked to do. Work that takes time comes back as a message.
#[derive(Clone, PartialEq, Debug)]
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
    /// Write a comparison as Markdown to a file that is not there yet.
    ExportComparison {
        /// The comparison.
        told: Labelled,
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
    /// Read the accepted findings of a catalog, where there are any.
    ReadAccepted {
        /// The catalog.
        source: Source,
        /// The file.
        path: PathBuf,
    },
    /// Read the manifests of a bundle that is looked into: its directory, or its image where that was fetched.
    LookInside {
        /// Given back with the answer.
        number: u64,
        /// The bundle.
        sought: SoughtBundle,
    },
    /// Find out what takes time: judge upgrade steps by the manifests of bundles, compare packages with their templates.
    Learn {
        /// The package that is looked at; `None` for all of the catalog of which it was not found out yet.
        package: Option<Arc<Judged>>,
        /// The catalog; given back with the answer.
        snapshot: Arc<Snapshot>,
    },
    /// Work out what an edit leads to.
    Preview {
        /// The state it would be made in; given back with the answer.
        snapshot: Arc<Snapshot>,
        /// The other catalogs that are open, each with what it is called.
        beside: Vec<(String, Arc<Snapshot>)>,
        /// The edit; given back with the answer.
        edit: Edit,
    },
    /// Search edits that free stuck versions.
    FindRemedies(Arc<RemedySearch>),
    /// Work out what OLM Classic makes of an assumed cluster.
    Resolve(Arc<Asked>),
    /// Work out the overview over catalogs.
    Overlook(Arc<ToOverview>),
    /// Work out the plans over catalogs of several OpenShift versions.
    Plan(Arc<ToPlan>),
    /// Work out what Classic's picks become with dependencies.
    Solve(Arc<Everyone>),
    /// Fetch the images of bundles into the cache. Each is told as it comes.
    FetchBundles {
        /// Given back with the answers.
        number: u64,
        /// The bundles and their images.
        images: Vec<(BundleName, String)>,
    },
    /// Fetch no more of them.
    StopFetching,
    /// Compare two bundles by their manifests, the older one first.
    CompareBundles {
        /// The bundles; given back with the answer.
        sought: Box<[SoughtBundle; 2]>,
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
    /// Read no more what a catalog is to be compared with.
    StopReading {
        /// The catalog.
        catalog: usize,
    },
    /// Read the history of a package: the commits that touched its files, and what each did.
    ReadHistory {
        /// Given back with the answer.
        number: u64,
        /// The catalog.
        path: PathBuf,
        /// The package.
        package: PackageName,
    },
    /// Read a catalog as a commit left it.
    ReadPast {
        /// Given back with the answer.
        number: u64,
        /// The catalog.
        path: PathBuf,
        /// The commit's whole name.
        commit: String,
    },
    /// Read an image set configuration, and work out what oc-mirror would publish of a catalog by it.
    Mirror {
        /// The catalog.
        snapshot: Arc<Snapshot>,
        /// The file, with `#N` behind it where it mirrors several catalogs.
        path: PathBuf,
    },
    /// Read no more of the past.
    StopPast,
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
    /// Look for names on disk that a path could go on with.
    ListNames {
        /// The path as far as it is typed.
        typed: String,
    },
    /// Read a bundle that is to be added: a directory, or what opm rendered.
    ReadBundle {
        /// Where it is.
        path: PathBuf,
        /// Its image; empty where it has one.
        image: String,
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

/// Something that is copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copied {
    /// What it is, for the notice.
    pub what: String,
    /// The text itself.
    pub text: String,
}

/// A bundle whose manifests are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SoughtBundle {
    /// Where its directory is, where one knows.
    pub home: Option<BundleHome>,
    /// Its image, which may have been fetched.
    pub image: Option<String>,
    /// The bundle.
    pub bundle: BundleName,
    /// Its version, by which directories are often called.
    pub version: String,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}
