//! The open catalogs with their sources, and the index of the current catalog.

use std::{ffi::OsStr, path::Path, sync::Arc};

use petgraph::graph::NodeIndex;

use crate::tui::{
    keys::spec::Reason,
    session::{
        cluster_members::ClusterMember, jobs::git_history::PastCommit, navigation::Selection,
        open_catalog::OpenCatalog, what_if::WhatIf,
    },
    work::{Base, Source},
};
use olm_catalog::{BundleName, ChannelName, MissingPart, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::openshift::OpenShift;
use olmap_report::escape;

/// The open catalogs with their sources, and the index of the current catalog.
#[derive(Debug, Default)]
pub struct Catalogs {
    /// Sources in the order of the command line.
    sources: Vec<Source>,
    /// Sources that could not be read, each with the reason.
    failed_sources: Vec<(Source, String)>,
    open: Vec<OpenCatalog>,
    /// Index of the current catalog.
    current: usize,
    /// Catalogs of one cluster, between which OLM v1 chooses.
    pub(super) members: Vec<ClusterMember>,
}

impl Catalogs {
    /// Creates the state before loading: nothing is open.
    pub fn from_sources(sources: Vec<Source>) -> Self {
        Self { sources, ..Self::default() }
    }

    /// Returns the open catalogs.
    pub fn all(&self) -> &[OpenCatalog] {
        &self.open
    }

    /// Returns the open catalogs for changes.
    pub(in crate::tui) fn all_mut(&mut self) -> &mut [OpenCatalog] {
        &mut self.open
    }

    /// Returns an open catalog for changes.
    pub(in crate::tui) fn get_mut(&mut self, index: usize) -> Option<&mut OpenCatalog> {
        self.open.get_mut(index)
    }

    /// Adds an open catalog.
    pub(in crate::tui) fn push(&mut self, open: OpenCatalog) {
        self.open.push(open);
    }

    /// Returns the index of the open catalog of a source.
    pub fn position(&self, source: &Source) -> Option<usize> {
        self.open.iter().position(|open| open.source == *source)
    }

    /// Returns the open catalog of a source.
    pub fn find(&self, source: &Source) -> Option<&OpenCatalog> {
        self.open.iter().find(|open| open.source == *source)
    }

    /// Returns the open catalog of a source for changes.
    pub(in crate::tui) fn find_mut(&mut self, source: &Source) -> Option<&mut OpenCatalog> {
        self.open.iter_mut().find(|open| open.source == *source)
    }

    /// Returns the current catalog.
    pub fn current(&self) -> Option<&OpenCatalog> {
        self.open.get(self.current)
    }

    /// Returns the current catalog for changes.
    pub(in crate::tui) fn current_mut(&mut self) -> Option<&mut OpenCatalog> {
        self.open.get_mut(self.current)
    }

    /// Returns the index of the current catalog.
    pub fn current_index(&self) -> usize {
        self.current
    }

    /// Makes a catalog the current one: the last one if there is none with this index.
    pub fn set_current(&mut self, index: usize) {
        self.current = index.min(self.open.len().saturating_sub(1));
    }

    /// Returns the catalog of a package: the current one if it has the package, otherwise the
    /// first.
    pub(super) fn find_with_package(&self, package: &PackageName) -> Option<&OpenCatalog> {
        let has = |open: &&OpenCatalog| open.visible_state().package(package.as_str()).is_some();
        self.current().filter(has).or_else(|| self.open.iter().find(has))
    }
}

/// Sources.
impl Catalogs {
    /// Returns the sources in the order of the command line.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Adds a source, so that a reload reads it too.
    pub(in crate::tui) fn add_source(&mut self, source: &Source) {
        if !self.sources.contains(source) {
            self.sources.push(source.clone());
        }
    }

    /// Forgets a source that could not be opened, so that a reload skips it.
    pub(in crate::tui) fn forget_source(&mut self, source: &Source) {
        if self.find(source).is_none() {
            self.sources.retain(|other| other != source);
            self.members.retain(|member| member.source.as_ref() != Some(source));
        }
    }

    /// Replaces the source of an open catalog by its copy.
    pub(in crate::tui) fn replace_source(&mut self, catalog: usize, copy: &Source) {
        let Some(open) = self.open.get_mut(catalog) else { return };
        if let Some(known) = self.sources.iter_mut().find(|known| **known == open.source) {
            *known = copy.clone();
        }
        if let Some(member) =
            self.members.iter_mut().find(|member| member.source.as_ref() == Some(&open.source))
        {
            member.source = Some(copy.clone());
        }
        open.source = copy.clone();
    }

    /// Returns the reason why a source could not be read.
    pub fn failure_reason(&self, source: &Source) -> Option<&str> {
        self.failed_sources.iter().find(|(failed, _)| failed == source).map(|(_, reason)| reason.as_str())
    }

    /// Stores the reason why a source could not be read. `None` if it was read.
    pub(in crate::tui) fn set_failure_reason(&mut self, source: &Source, reason: Option<String>) {
        self.failed_sources.retain(|(failed, _)| failed != source);
        self.failed_sources.extend(reason.map(|reason| (source.clone(), reason)));
    }
}

/// The current catalog.
impl Catalogs {
    /// Returns the current state of the current catalog, including the what-if.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.current().map(OpenCatalog::visible_state)
    }

    /// Returns the what-if of the current catalog.
    pub fn what_if(&self) -> Option<&WhatIf> {
        self.current()?.what_if.as_ref()
    }

    /// Returns the past commit that is shown.
    pub fn past_commit(&self) -> Option<&PastCommit> {
        self.current()?.past_commit.as_ref()
    }

    /// Returns the first read-only file of a package. `None` if all files can be written.
    pub fn protected_file(&self, package: &PackageName) -> Option<&Path> {
        let catalog = &self.snapshot()?.catalog;
        // Called for many actions in each frame. There are fewer files than documents.
        if catalog.files().iter().all(|file| file.writable) {
            return None;
        }
        let documents = self.snapshot()?.package(package.as_str())?.package().documents();
        let mut files = documents.filter_map(|doc| catalog.file(doc.file));
        files.find(|file| !file.writable).map(|file| file.display_path())
    }

    /// Returns the reason if a file of a package is write-protected.
    pub fn protection_reason(&self, package: &PackageName) -> Option<Reason> {
        let file = self.protected_file(package)?;
        Some(format!("{} is write-protected", escape::escape_line(&file.display().to_string())))
    }

    /// Returns the unread part of the current catalog.
    pub fn unread(&self) -> Option<&MissingPart> {
        self.snapshot()?.catalog.missing_part()
    }

    /// Returns true if the selected package is not completely read.
    pub fn package_is_unread(&self) -> bool {
        let selected = self.selection().package.as_ref();
        selected.zip(self.unread()).is_some_and(|(package, unread)| unread.packages.contains(package))
    }
}

/// The selection of the current catalog.
impl Catalogs {
    /// Returns the selection.
    pub fn selection(&self) -> &Selection {
        self.current().map_or(&Selection::EMPTY, |open| &open.selection)
    }

    /// Returns the selected package.
    pub fn selected_package(&self) -> Option<&Arc<PackageState>> {
        self.snapshot()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// Returns the selected package without the what-if.
    pub(super) fn package_without_what_if(&self) -> Option<&Arc<PackageState>> {
        self.current()?.history.now().package(self.selection().package.as_ref()?.as_str())
    }

    /// Selects a bundle of the package.
    pub(in crate::tui) fn select_bundle(&mut self, name: BundleName) {
        if let Some(open) = self.current_mut() {
            open.selection.bundle = Some(name);
        }
    }

    /// Selects a node of the channel's graph.
    pub(in crate::tui) fn select_node(&mut self, at: NodeIndex) {
        let name = self.selected_package().and_then(|package| {
            let channel = package.graph.channel(self.selection().channel.as_ref()?.as_str())?;
            Some(channel.graph.node(at)?.name.clone())
        });
        if let Some(name) = name {
            self.select_bundle(name);
        }
    }

    /// Returns a channel of a package with a bundle: the selected one if possible, otherwise the
    /// default channel or the first.
    pub(in crate::tui) fn channel_with(
        &self,
        package: &PackageName,
        bundle: &BundleName,
    ) -> Option<ChannelName> {
        let package = self.snapshot()?.package(package.as_str())?.package();
        let mut channels: Vec<_> = package.channels_with(bundle).map(|c| c.name.value.clone()).collect();
        let here = self.selection().channel.as_ref().filter(|here| channels.contains(here));
        if let Some(here) = here.filter(|_| self.selection().package.as_ref() == Some(&package.name)) {
            return Some(here.clone());
        }
        channels.sort();
        let default = package.default_channel().filter(|d| channels.contains(d)).cloned();
        default.or_else(|| channels.into_iter().next())
    }
}

/// Catalogs of one cluster, and of several OpenShift versions.
impl Catalogs {
    /// Returns true if two catalogs can be on one cluster, that is unless they are for different
    /// OpenShift versions.
    pub(super) fn can_share_cluster(&self, a: &Source, b: &Source) -> bool {
        let (a, b) = (self.openshift_versions_of(a), self.openshift_versions_of(b));
        a.is_empty() || b.is_empty() || a.iter().any(|version| b.contains(version))
    }

    /// Returns the OpenShift versions of a catalog.
    fn openshift_versions_of(&self, source: &Source) -> Vec<OpenShift> {
        self.find(source).map_or_else(
            || OpenShift::find_in_text(&source.label()).into_iter().collect(),
            OpenCatalog::openshift_versions,
        )
    }

    /// Returns the current catalog and those that can be on a cluster with it, each with its
    /// display name.
    pub(in crate::tui) fn cluster_catalogs(&self) -> Vec<(String, Arc<Snapshot>)> {
        let own = self.current().map(|open| self.name_and_state(open));
        own.into_iter().chain(self.other_cluster_catalogs()).collect()
    }

    /// Returns the other catalogs that can be on a cluster with the current one, with display names
    /// and visible states.
    pub(in crate::tui) fn other_cluster_catalogs(&self) -> Vec<(String, Arc<Snapshot>)> {
        let Some(own) = self.current() else { return Vec::new() };
        let others = self.open.iter().filter(|other| {
            other.source != own.source
                && other.visible_state().catalog.template().is_none()
                && other.visible_state().first_rejection().is_none()
                && self.can_share_cluster(&other.source, &own.source)
        });
        others.map(|open| self.name_and_state(open)).collect()
    }

    fn name_and_state(&self, open: &OpenCatalog) -> (String, Arc<Snapshot>) {
        (self.short_source_name(&open.source), Arc::clone(open.visible_state()))
    }

    /// Returns the open catalogs of a cluster upgrade, sorted by OpenShift version. Of several
    /// catalogs of one version, the current one or else the first is used.
    pub(super) fn sorted_by_openshift(&self) -> Vec<(OpenShift, &OpenCatalog)> {
        let mut all: Vec<(OpenShift, usize, &OpenCatalog)> = Vec::new();
        for (at, open) in self.open.iter().enumerate().filter(|(_, open)| open.is_published()) {
            all.extend(open.openshift_versions().into_iter().map(|version| (version, at, open)));
        }
        all.sort_by_key(|(version, at, _)| (*version, *at != self.current, *at));
        all.dedup_by(|(later, ..), (earlier, ..)| later.is_same(*earlier));
        all.into_iter().map(|(version, _, open)| (version, open)).collect()
    }

    /// Returns the number of OpenShift versions of the open catalogs.
    pub fn openshift_version_count(&self) -> usize {
        self.sorted_by_openshift().len()
    }
}

/// Names on the screen.
impl Catalogs {
    /// Returns the labels of the open catalogs: the last path component, with the nearest folder that differs if several
    /// catalogs share it.
    pub fn labels(&self) -> Vec<String> {
        let paths: Vec<&Path> = self.open.iter().filter_map(OpenCatalog::catalog_path).collect();
        let label = |open: &OpenCatalog| {
            let name = open.catalog_path().and_then(|path| distinguishing_name(path, &paths));
            name.unwrap_or_else(|| open.source.label())
        };
        self.open.iter().map(label).collect()
    }

    /// Returns the short name of a source.
    pub fn short_source_name(&self, source: &Source) -> String {
        self.short_base_name(&Base::Open(source.clone()))
    }

    /// Returns the short name of a base: the last path component, with the nearest folder that
    /// differs if several catalogs share it.
    pub fn short_base_name(&self, base: &Base) -> String {
        match base_path(base) {
            Some(path) => {
                distinguishing_name(path, &self.visible_paths()).unwrap_or_else(|| base.short_label())
            }
            None => base.short_label(),
        }
    }

    /// Returns the paths of all catalogs and bases on the screen.
    fn visible_paths(&self) -> Vec<&Path> {
        let bases = self
            .open
            .iter()
            .flat_map(|open| [open.base_comparison.base(), open.base_comparison.pending_base()]);
        self.open
            .iter()
            .filter_map(OpenCatalog::catalog_path)
            .chain(bases.flatten().filter_map(base_path))
            .collect()
    }
}

fn base_path(base: &Base) -> Option<&Path> {
    match base {
        Base::Path(path) | Base::Open(Source::Path(path)) => Some(path),
        Base::Open(Source::Demo | Source::Stdin(_) | Source::Revision(_))
        | Base::Loaded
        | Base::Revision(_) => None,
    }
}

/// Returns the last component of a path, after the nearest folder that differs from other paths
/// with the same last component.
fn distinguishing_name(path: &Path, others: &[&Path]) -> Option<String> {
    let name = path.file_name()?;
    let upwards = |path: &Path| -> Vec<_> {
        path.components().rev().skip(1).map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>()
    };
    let own = upwards(path);
    let alike = others.iter().filter(|other| **other != path && other.file_name() == Some(name));
    let differs = |other: &&Path| {
        let theirs = upwards(other);
        own.iter().enumerate().find(|(at, part)| theirs.get(*at) != Some(*part)).map(|(at, _)| at)
    };
    let text = |part: &OsStr| part.to_string_lossy().into_owned();
    let folder = alike.filter_map(differs).max().and_then(|at| Some((at, own.get(at)?)));
    Some(match folder {
        None => text(name),
        Some((0, folder)) => format!("{}/{}", text(folder), text(name)),
        Some((_, folder)) => format!("{}/.../{}", text(folder), text(name)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalogs_of_same_name_show_nearest_folder_that_differs() {
        let cases: [(&[&str], &[&str]); 6] = [
            (&["/a/v4.18", "/a/v4.20"], &["v4.18", "v4.20"]),
            (&["/old/v4.22", "/new/v4.22"], &["old/v4.22", "new/v4.22"]),
            (&["/old/catalogs/v4.22", "/new/catalogs/v4.22"], &["old/.../v4.22", "new/.../v4.22"]),
            (&["v4.22", "../old/v4.22"], &["v4.22", "old/v4.22"]),
            (&["/a/v4.22", "/a/v4.22"], &["v4.22", "v4.22"]),
            (&["a/x/c", "b/x/c", "a/y/c"], &["a/.../c", "b/.../c", "y/c"]),
        ];
        for (paths, expected) in cases {
            let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
            let told: Vec<_> = paths.iter().filter_map(|path| distinguishing_name(path, &paths)).collect();
            assert_eq!(told, expected, "{paths:?}");
        }
    }
}
