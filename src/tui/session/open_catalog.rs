//! Open catalogs, and the progress of opening.

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    session::{
        history::History,
        jobs::{base_comparison::BaseComparison, git_history::PastCommit},
        navigation::Selection,
        recovery::Journaled,
        what_if::WhatIf,
    },
    work::{Source, outcome::LoadProgress},
};
use olm_catalog::Origin;
use olm_check::review::{Snapshot, accepted::AcceptedFindings, expect::Expectations};
use olm_upgrade::openshift::OpenShift;

/// Open catalog.
#[derive(Clone, Debug)]
pub struct OpenCatalog {
    /// Source of the catalog.
    pub source: Source,
    /// Undo history: the current and other states.
    pub history: History,
    /// State of the files when they were last read or written.
    pub baseline: Arc<Snapshot>,
    /// Selection in this catalog.
    pub selection: Selection,
    /// True until a key is pressed: olmap chose the selection itself.
    pub(in crate::tui) is_selected_by_default: bool,
    /// True if the files may have changed since they were last checked.
    pub(in crate::tui) needs_disk_check: bool,
    /// Number of errors before another program added errors.
    pub(in crate::tui) errors_before: Option<usize>,
    /// Last journaled state, with the state on disk at that time.
    pub(in crate::tui) journaled: Option<Journaled>,
    /// Comparison of the catalog.
    pub base_comparison: BaseComparison,
    /// Edits that are shown but not applied.
    pub what_if: Option<WhatIf>,
    /// Past commit that is shown instead of the current state.
    pub past_commit: Option<PastCommit>,
    /// Expected upgrades, if there is a file of expectations.
    pub expectations: Option<Arc<Expectations>>,
    /// Accepted findings, if there is a file.
    pub accepted: Option<Arc<AcceptedFindings>>,
}

impl OpenCatalog {
    /// Returns the OpenShift versions of the catalog.
    pub fn openshift_versions(&self) -> Vec<OpenShift> {
        let versions = self.visible_state().catalog.openshift();
        if versions.is_empty() {
            return OpenShift::find_in_text(&self.source.label()).into_iter().collect();
        }
        versions.to_vec()
    }

    /// Returns the visible state: a past commit, the what-if, or the current state.
    pub fn visible_state(&self) -> &Arc<Snapshot> {
        if let Some(past) = &self.past_commit {
            return &past.state;
        }
        self.what_if.as_ref().map_or(self.history.now(), |what_if| &what_if.state)
    }
}

/// Catalog that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCatalog {
    /// Name of the source.
    pub label: String,
    /// The reason.
    pub message: String,
    /// A hint how to solve the problem.
    pub hint: Option<String>,
}

/// Progress of opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Catalogs are being read.
    Loading(LoadProgress),
    /// At least one catalog is visible.
    Ready,
    /// No catalog could be opened.
    Failed(Vec<FailedCatalog>),
}

/// Work whose result will replace the state. Changes are blocked until then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockingWork {
    /// Files are read again.
    Reading,
    /// Files are written.
    Saving,
    /// An additional catalog is read.
    Opening,
    /// Catalogs are read for the first time. The part that is read is visible.
    Loading,
}

impl BlockingWork {
    /// Returns the reason why changes are blocked.
    pub fn block_reason(self) -> &'static str {
        match self {
            Self::Opening => "another catalog is being opened",
            Self::Reading | Self::Loading => "the files are being read",
            Self::Saving => "the files are being written",
        }
    }
}

impl OpenCatalog {
    /// Creates an open catalog without edits.
    pub(in crate::tui) fn new(source: Source, snapshot: Arc<Snapshot>) -> Self {
        Self {
            source,
            history: History::new(snapshot.clone()),
            baseline: snapshot,
            selection: Selection::default(),
            is_selected_by_default: false,
            needs_disk_check: false,
            errors_before: None,
            journaled: None,
            base_comparison: BaseComparison::default(),
            what_if: None,
            past_commit: None,
            expectations: None,
            accepted: None,
        }
    }

    /// Replaces the state of a catalog without edits. If the default channel of the selected
    /// package changed, its selection is chosen again.
    pub(in crate::tui) fn replace_state(&mut self, snapshot: Arc<Snapshot>) {
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

impl OpenCatalog {
    /// Returns a proposed path for a companion file or folder. It avoids the catalog's own folder,
    /// because opm reads every file there.
    pub(in crate::tui) fn propose_companion_path(&self, name: &str) -> String {
        let in_catalog = match &self.visible_state().catalog.origin {
            // Only an approximation without disk access. Writers check the real path.
            Origin::Directory(root) | Origin::Bundles(root) => {
                root.components().all(|part| part == Component::CurDir)
            }
            _ => false,
        };
        if in_catalog { format!("../{name}") } else { name.to_owned() }
    }
}

/// Returns the labels of catalogs: the last path component if it is unique, otherwise the path
/// without the common folders.
pub fn catalog_labels(open: &[OpenCatalog]) -> Vec<String> {
    let paths: Vec<Option<&Path>> = open
        .iter()
        .map(|open| match &open.source {
            Source::Path(path) => Some(path.as_path()),
            Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
        })
        .collect();
    let named: Vec<&Path> = paths.iter().copied().flatten().collect();
    let mut short = distinct_path_tails(&named).into_iter();
    let label = |(open, path): (&OpenCatalog, Option<&Path>)| {
        let short = path.and_then(|_| short.next());
        short.map_or_else(|| open.source.label(), |short| short.display().to_string())
    };
    open.iter().zip(paths.iter().copied()).map(label).collect()
}

/// Returns the shortest distinct tails of paths.
fn distinct_path_tails(paths: &[&Path]) -> Vec<PathBuf> {
    let last: Vec<PathBuf> = paths.iter().filter_map(|path| path.file_name()).map(PathBuf::from).collect();
    let different: HashSet<&PathBuf> = last.iter().collect();
    if different.len() == paths.len() {
        return last;
    }
    let shared = shared_folder_count(paths);
    paths.iter().map(|path| path.components().skip(shared).collect()).collect()
}

/// Returns the number of leading folders that all paths share. Each path keeps at least one
/// component.
fn shared_folder_count(paths: &[&Path]) -> usize {
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
    fn catalogs_are_labeled_by_distinct_path_tails() {
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
            assert_eq!(distinct_path_tails(&paths), expected, "{paths:?}");
        }
    }
}
