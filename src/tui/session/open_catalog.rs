//! Open catalogs, and files next to them.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::tui::{
    session::{
        context::{Context, ViewContext},
        editing::History,
        jobs::{base_comparison::BaseComparison, git_history::PastCommit},
        navigation::Selection,
        recovery::Journaled,
        what_if::WhatIf,
    },
    work::{Effect, Source},
};
use olm_catalog::{Origin, PackageName, TemplateSource};
use olm_check::review::{Snapshot, accepted::AcceptedFindings, diff::ChangeKind, expect::Expectations};
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

    /// Returns true if the catalog is opened from this template. A relative path of the command line names the same file.
    pub(in crate::tui) fn is_template_file(&self, template: &TemplateSource) -> bool {
        self.catalog_path()
            .is_some_and(|path| template.path.ends_with(path) || path.ends_with(&template.display_path))
    }

    /// Returns the path of the catalog, which is also the path in revisions.
    pub(in crate::tui) fn catalog_path(&self) -> Option<&Path> {
        match &self.source {
            Source::Path(path) => Some(path),
            Source::Demo | Source::Stdin(_) | Source::Revision(_) => None,
        }
    }

    /// Returns true if the catalog is compared with a base, or has unsaved edits.
    pub fn has_changes_to_mark(&self) -> bool {
        self.base_comparison.base().is_some() || !Arc::ptr_eq(&self.baseline, self.history.now())
    }

    /// Returns the changed packages since the base, otherwise by unsaved edits. Empty while the comparison is not
    /// known.
    pub fn changed_packages(&self) -> Vec<(PackageName, ChangeKind)> {
        if self.base_comparison.base().is_some() {
            let comparison = self.base_comparison.comparison().into_iter();
            let changed = comparison.flat_map(|comparison| comparison.differing_packages());
            return changed.map(|package| (package.name.clone(), package.change_kind)).collect();
        }
        let (before, now) = (&self.baseline, self.history.now());
        let kind = |name: &PackageName| match (before.package(name.as_str()), now.package(name.as_str())) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            (Some(_), Some(_)) => ChangeKind::Changed,
        };
        now.changed_packages(before).into_iter().map(|name| (name.clone(), kind(name))).collect()
    }

    /// Returns the number of edits that are not on disk.
    pub fn unsaved_count(&self) -> usize {
        self.history.unsaved_count(&self.baseline)
    }

    /// Returns true if the catalog has published channels: it is not a template, and its channels
    /// are not proposed for bundle directories.
    pub(in crate::tui) fn is_published(&self) -> bool {
        let catalog = &self.visible_state().catalog;
        catalog.template().is_none() && !catalog.is_rendered_from_bundles()
    }

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

/// Returns the default path of a companion file: next to the catalog directory, never in it,
/// because opm reads every file there. For a catalog of one file, next to the directory of that
/// file.
pub fn companion_path(origin: &Origin, name: &str) -> Option<PathBuf> {
    let directory = match origin {
        Origin::Directory(root) | Origin::Bundles(root) => root.clone(),
        Origin::File(path) | Origin::Converted(path) => path.parent()?.to_owned(),
        _ => return None,
    };
    Some(match directory.file_name() {
        Some(_) => directory.with_file_name(name),
        None => directory.join("..").join(name),
    })
}

/// Requests an effect for each open catalog, if there is one.
pub(in crate::tui) fn request_for_each_catalog(
    cx: &mut Context<'_>,
    effect: impl Fn(&ViewContext<'_>, &OpenCatalog) -> Option<Effect>,
) {
    let view_cx = cx.view();
    let catalogs = view_cx.session.catalogs.all();
    let effects: Vec<Effect> = catalogs.iter().filter_map(|open| effect(&view_cx, open)).collect();
    for effect in effects {
        cx.request(effect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companion_file_is_next_to_catalog_and_never_in_it() {
        let at = |origin: Origin| {
            companion_path(&origin, "expectations.yaml").map(|path| path.display().to_string())
        };
        let directory = |path: &str| at(Origin::Directory(path.into()));
        assert_eq!(directory("catalogs/v4.22").as_deref(), Some("catalogs/expectations.yaml"));
        assert_eq!(directory("v4.22/").as_deref(), Some("expectations.yaml"));
        assert_eq!(directory(".").as_deref(), Some("./../expectations.yaml"));
        assert_eq!(directory("..").as_deref(), Some("../../expectations.yaml"));
        assert_eq!(at(Origin::File("c/v1/catalog.yaml".into())).as_deref(), Some("c/expectations.yaml"));
        assert_eq!(at(Origin::File("catalog.yaml".into())).as_deref(), Some("../expectations.yaml"));
        assert_eq!(at(Origin::Demo), None);
    }
}
