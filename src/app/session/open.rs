//! An open catalog, and how far opening is.

use crate::app::session::against::Comparing;
use crate::app::session::history::History;
use crate::app::session::place::Selection;
use crate::app::session::recovery::Journaled;
use crate::app::session::what_if::WhatIf;
use crate::app::work::Source;
use crate::app::work::outcome::LoadProgress;
use crate::review::Snapshot;
use crate::review::expect::Expectations;
use std::sync::Arc;

/// An open catalog.
#[derive(Clone, Debug)]
pub struct Open {
    /// What it was loaded from.
    pub source: Source,
    /// Its states: now, and what undo and redo lead to.
    pub history: History,
    /// What its files held when they were last read or written.
    pub baseline: Arc<Snapshot>,
    /// What is selected in it.
    pub selection: Selection,
    /// Whether somebody wrote to it since it was last looked at on disk.
    pub(in crate::app) touched: bool,
    /// What its journal was last told of: the state then, and the one on disk.
    pub(in crate::app) journaled: Option<Journaled>,
    /// What it is compared with.
    pub comparing: Comparing,
    /// What is supposed of it, where something is: edits that are looked at and not made.
    pub what_if: Option<WhatIf>,
    /// What its upgrades are expected to do, where a file says so.
    pub expectations: Option<Arc<Expectations>>,
}

impl Open {
    /// The state that is looked at: with what is supposed, where something is.
    pub fn now(&self) -> &Arc<Snapshot> {
        self.what_if.as_ref().map_or(self.history.now(), |what_if| &what_if.state)
    }
}

/// A catalog that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// What was to be opened.
    pub label: String,
    /// Why it is not.
    pub message: String,
    /// A way out.
    pub hint: Option<String>,
}

/// How far the program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Catalogs are being read.
    Loading(LoadProgress),
    /// There is something to look at.
    Ready,
    /// Nothing could be opened.
    Failed(Vec<Failed>),
}

/// Work whose outcome will replace or settle the state: nothing is changed until it is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Busy {
    /// Files are being read again.
    Reading,
    /// Files are being written.
    Saving,
    /// One more catalog is being read.
    Opening,
    /// Catalogs are being read for the first time; what is there of them is shown.
    Loading,
}

impl Busy {
    /// Why nothing can be changed until it is done.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Opening => "a template is being read",
            Self::Reading | Self::Loading => "the files are being read",
            Self::Saving => "the files are being written",
        }
    }
}

impl Open {
    /// A catalog that was just opened.
    pub(in crate::app) fn new(source: Source, snapshot: Arc<Snapshot>) -> Self {
        Self {
            source,
            history: History::new(snapshot.clone()),
            baseline: snapshot,
            selection: Selection::default(),
            touched: false,
            journaled: None,
            comparing: Comparing::default(),
            what_if: None,
            expectations: None,
        }
    }

    /// Puts another state in place of one that nobody edited. Where the selected package has another default channel now,
    /// the selection in it is chosen anew: that channel was not there, or not known as such.
    pub(in crate::app) fn show(&mut self, snapshot: Arc<Snapshot>) {
        let default = |snapshot: &Snapshot| {
            let name = self.selection.package.as_ref()?;
            let package = snapshot.package(name.as_str())?.package();
            let default = package.default_channel()?;
            package.channel(default.as_str()).map(|channel| channel.name.value.clone())
        };
        if default(&self.baseline) != default(&snapshot) {
            self.selection.channel = None;
            self.selection.bundle = None;
        }
        self.history = History::new(snapshot.clone());
        self.baseline = snapshot;
    }
}
