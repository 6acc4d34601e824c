//! State that change marks compare with: the base of a comparison, otherwise the loaded files if
//! edits are unsaved.

use std::sync::Arc;

use crate::{
    app::{
        session::{Reach, Session, open::Open, place::Selection},
        work::{comparison::Comparison, marks, marks::Gone},
    },
    catalog::{BundleName, PackageName},
    review::{Judged, Snapshot},
    upgrade::Installed,
};

impl Session {
    /// Returns the state that change marks compare with. `None` if there is no base and nothing is
    /// unsaved.
    pub fn marked_state(&self) -> Option<&Arc<Snapshot>> {
        if self.base().is_some() { self.base_state() } else { self.edited_state() }
    }

    /// Returns the loaded state, if there is no base and edits are unsaved. A what-if and a past
    /// commit have their own display.
    pub(super) fn edited_state(&self) -> Option<&Arc<Snapshot>> {
        let has_words = |open: &&Open| open.what_if.is_some() || open.past.is_some();
        let open = self.catalog().filter(|open| open.comparing.base().is_none() && !has_words(open))?;
        (!Arc::ptr_eq(open.history.now(), &open.baseline)).then_some(&open.baseline)
    }

    /// Returns the selected package in the state that change marks compare with.
    pub fn marked_package(&self) -> Option<&Arc<Judged>> {
        self.marked_state()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// Returns the comparison of the change marks.
    pub fn marked(&self) -> Option<&Arc<Comparison>> {
        if self.base().is_some() { self.comparison() } else { self.answers.edits() }
    }

    /// Returns true if the change marks show unsaved edits.
    pub fn marks_edits(&self) -> bool {
        self.base().is_none() && self.answers.edits().is_some()
    }

    /// Returns a removed entry of the selected channel, or a removed bundle of the package.
    pub fn gone(&self, name: &BundleName) -> Option<&Gone> {
        self.answers.marks().gone(name).or_else(|| self.answers.package_marks().gone(name))
    }

    /// Returns true if the catalog does not have or name a bundle any more.
    pub(in crate::app) fn is_gone(&self, package: &PackageName, bundle: &BundleName) -> bool {
        let now = self.snapshot().and_then(|now| now.package(package.as_str()));
        let before = self.marked_state().and_then(|before| before.package(package.as_str()));
        let is_named = |judged: Option<&Arc<Judged>>| judged.is_some_and(|j| marks::is_named(j, bundle));
        is_named(before) && !is_named(now)
    }

    /// Returns true if a removed bundle has a row on the screen, so that it can be selected.
    pub(super) fn has_row_of_gone(&self, selection: &Selection, bundle: &BundleName, reach: Reach) -> bool {
        let before = self.marked_state().zip(selection.package.as_ref());
        let Some(before) = before.and_then(|(before, name)| before.package(name.as_str())) else {
            return false;
        };
        let was_entry = || {
            let channel = selection.channel.as_ref().and_then(|name| before.graph.channel(name.as_str()));
            channel.is_some_and(|channel| channel.graph.entry_named(bundle.as_str()).is_some())
        };
        match reach {
            Reach::Channel => was_entry(),
            Reach::Named => before.package().channels_with(bundle).next().is_some(),
            Reach::Bundles => before.package().bundle(bundle.as_str()).is_some(),
        }
    }

    /// Returns a bundle as it is installed on a cluster. The version of a removed bundle comes from
    /// the earlier state.
    pub(in crate::app) fn installed(&self, package: &Judged, bundle: &BundleName) -> Installed {
        installed(package, self.marked_package().map(Arc::as_ref), bundle)
    }
}

/// See [`Session::installed`].
pub(super) fn installed(package: &Judged, before: Option<&Judged>, bundle: &BundleName) -> Installed {
    let is_there = package.package().bundle(bundle.as_str()).is_some();
    let source = before.filter(|_| !is_there).unwrap_or(package);
    Installed::of(source.package(), bundle)
}
