//! State that change marks compare with: the base of a comparison, otherwise the loaded files if
//! edits are unsaved.

use std::sync::Arc;

use crate::tui::{
    session::{SelectableBundles, Session, navigation::Selection, open_catalog::OpenCatalog},
    work::{
        change_marks::{self, RemovedEntry},
        comparison::Comparison,
    },
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::Installed;

impl Session {
    /// Returns the state that change marks compare with. `None` if there is no base and nothing is
    /// unsaved.
    pub fn mark_base(&self) -> Option<&Arc<Snapshot>> {
        if self.base().is_some() { self.base_state() } else { self.loaded_state_if_edited() }
    }

    /// Returns the loaded state, if there is no base and edits are unsaved. A what-if and a past
    /// commit have their own display.
    pub(super) fn loaded_state_if_edited(&self) -> Option<&Arc<Snapshot>> {
        let has_words = |open: &&OpenCatalog| open.what_if.is_some() || open.past_commit.is_some();
        let open = self
            .current_catalog()
            .filter(|open| open.base_comparison.base().is_none() && !has_words(open))?;
        (!Arc::ptr_eq(open.history.now(), &open.baseline)).then_some(&open.baseline)
    }

    /// Returns the selected package in the state that change marks compare with.
    pub fn mark_base_package(&self) -> Option<&Arc<PackageState>> {
        self.mark_base()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// Returns the comparison of the change marks.
    pub fn mark_comparison(&self) -> Option<&Arc<Comparison>> {
        if self.base().is_some() { self.comparison() } else { self.derived.edit_comparison() }
    }

    /// Returns true if the change marks show unsaved edits.
    pub fn marks_show_edits(&self) -> bool {
        self.base().is_none() && self.derived.edit_comparison().is_some()
    }

    /// Returns a removed entry of the selected channel, or a removed bundle of the package.
    pub fn removed_entry(&self, name: &BundleName) -> Option<&RemovedEntry> {
        self.derived.marks().removed_entry(name).or_else(|| self.derived.package_marks().removed_entry(name))
    }

    /// Returns true if the catalog does not have or name a bundle any more.
    pub(in crate::tui) fn is_removed(&self, package: &PackageName, bundle: &BundleName) -> bool {
        let now = self.snapshot().and_then(|now| now.package(package.as_str()));
        let before = self.mark_base().and_then(|before| before.package(package.as_str()));
        let is_named = |package_state: Option<&Arc<PackageState>>| {
            package_state.is_some_and(|j| change_marks::is_bundle_named(j, bundle))
        };
        is_named(before) && !is_named(now)
    }

    /// Returns true if a removed bundle has a row on the screen, so that it can be selected.
    pub(super) fn has_removed_row(
        &self,
        selection: &Selection,
        bundle: &BundleName,
        reach: SelectableBundles,
    ) -> bool {
        let before = self.mark_base().zip(selection.package.as_ref());
        let Some(before) = before.and_then(|(before, name)| before.package(name.as_str())) else {
            return false;
        };
        let was_entry = || {
            let channel = selection.channel.as_ref().and_then(|name| before.graph.channel(name.as_str()));
            channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
        };
        match reach {
            SelectableBundles::InChannel => was_entry(),
            SelectableBundles::InAnyChannel => before.package().channels_with(bundle).next().is_some(),
            SelectableBundles::InPackage => before.package().bundle(bundle.as_str()).is_some(),
        }
    }

    /// Returns a bundle as it is installed on a cluster. The version of a removed bundle comes from
    /// the earlier state.
    pub(in crate::tui) fn installed_bundle(&self, package: &PackageState, bundle: &BundleName) -> Installed {
        installed_bundle(package, self.mark_base_package().map(Arc::as_ref), bundle)
    }
}

/// See [`Session::installed_bundle`].
pub(super) fn installed_bundle(
    package: &PackageState,
    before: Option<&PackageState>,
    bundle: &BundleName,
) -> Installed {
    let is_there = package.package().bundle(bundle.as_str()).is_some();
    let source = before.filter(|_| !is_there).unwrap_or(package);
    Installed::from_package(source.package(), bundle)
}
