//! An open catalog, and how far opening is.

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::{
    app::{
        session::{
            against::Comparing, history::History, past::Past, place::Selection, recovery::Journaled,
            what_if::WhatIf,
        },
        work::{Source, outcome::LoadProgress},
    },
    catalog::Origin,
    review::{Snapshot, accepted::Accepted, expect::Expectations},
    upgrade::openshift::OpenShift,
};

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
    /// True until a key is pressed: olmap chose the selection itself.
    pub(in crate::app) is_selected_by_default: bool,
    /// Whether somebody wrote to it since it was last looked at on disk.
    pub(in crate::app) touched: bool,
    /// How many errors there were before another program made it more.
    pub(in crate::app) errors_before: Option<usize>,
    /// What its journal was last told of: the state then, and the one on disk.
    pub(in crate::app) journaled: Option<Journaled>,
    /// What it is compared with.
    pub comparing: Comparing,
    /// What is supposed of it, where something is: edits that are looked at and not made.
    pub what_if: Option<WhatIf>,
    /// The commit that is looked at in place of the present.
    pub past: Option<Past>,
    /// What its upgrades are expected to do, where a file says so.
    pub expectations: Option<Arc<Expectations>>,
    /// The findings that no longer count, where a file says so.
    pub accepted: Option<Arc<Accepted>>,
}

impl Open {
    /// Returns the versions of OpenShift that it is for.
    pub fn openshift(&self) -> Vec<OpenShift> {
        let versions = self.now().catalog.openshift();
        if versions.is_empty() {
            return OpenShift::in_text(&self.source.label()).into_iter().collect();
        }
        versions.to_vec()
    }

    /// The state that is looked at: one of the past, or with what is supposed, where something is.
    pub fn now(&self) -> &Arc<Snapshot> {
        if let Some(past) = &self.past {
            return &past.state;
        }
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
            Self::Opening => "another catalog is being opened",
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
            is_selected_by_default: false,
            touched: false,
            errors_before: None,
            journaled: None,
            comparing: Comparing::default(),
            what_if: None,
            past: None,
            expectations: None,
            accepted: None,
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

impl Open {
    /// What to propose for a file or folder beside the catalog: opm reads whatever is in a catalog's own folder.
    pub(in crate::app) fn beside(&self, name: &str) -> String {
        let in_catalog = match &self.now().catalog.origin {
            // As far as that can be known without looking at the disk; whoever writes looks there.
            Origin::Directory(root) | Origin::Bundles(root) => {
                root.components().all(|part| part == Component::CurDir)
            }
            _ => false,
        };
        if in_catalog { format!("../{name}") } else { name.to_owned() }
    }
}

/// What catalogs are called: the last part of their paths where that tells them apart, otherwise without the folders that
/// all of them have in common.
pub fn labels(open: &[Open]) -> Vec<String> {
    let paths: Vec<Option<&Path>> = open
        .iter()
        .map(|open| match &open.source {
            Source::Path(path) => Some(path.as_path()),
            Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
        })
        .collect();
    let named: Vec<&Path> = paths.iter().copied().flatten().collect();
    let mut short = short(&named).into_iter();
    let label = |(open, path): (&Open, Option<&Path>)| {
        let short = path.and_then(|_| short.next());
        short.map_or_else(|| open.source.label(), |short| short.display().to_string())
    };
    open.iter().zip(paths.iter().copied()).map(label).collect()
}

/// What tells paths apart.
fn short(paths: &[&Path]) -> Vec<PathBuf> {
    let last: Vec<PathBuf> = paths.iter().filter_map(|path| path.file_name()).map(PathBuf::from).collect();
    let different: HashSet<&PathBuf> = last.iter().collect();
    if different.len() == paths.len() {
        return last;
    }
    let shared = shared_folders(paths);
    paths.iter().map(|path| path.components().skip(shared).collect()).collect()
}

/// How many folders at their beginning paths have in common; each keeps one part at least.
fn shared_folders(paths: &[&Path]) -> usize {
    let Some((first, others)) = paths.split_first() else { return 0 };
    let shared = others.iter().map(|other| {
        let same = first.components().zip(other.components()).take_while(|(a, b)| a == b).count();
        let shortest = first.components().count().min(other.components().count());
        same.min(shortest.saturating_sub(1))
    });
    shared.min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogs_are_called_by_what_tells_them_apart() {
        let cases: [(&[&str], &[&str]); 5] = [
            (&["/a/catalogs/v4.18", "/a/catalogs/v4.20", "/o/basic.yaml"], &["v4.18", "v4.20", "basic.yaml"]),
            (
                &["/a/v4.18/ship", "/a/v4.20/ship", "/a/o/basic.yaml"],
                &["v4.18/ship", "v4.20/ship", "o/basic.yaml"],
            ),
            (&["a/b", "a/b"], &["b", "b"]),
            (&["a/.."], &["a/.."]),
            (&[], &[]),
        ];
        for (paths, expected) in cases {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
            assert_eq!(short(&paths), expected, "{paths:?}");
        }
    }
}
