//! Cached data that is derived from the selection and used by several screens.

pub(in crate::app) mod was;

use std::sync::Arc;

use crate::{
    app::{
        keys::Screen,
        parts::memo::{Memo, Same},
        session::{
            Session,
            accepting::Acceptance,
            answers::was::{Before, With},
            expecting::Expected,
            marked,
            place::Selection,
        },
        work::{comparison::Comparison, marks::Marks},
    },
    catalog::{BundleName, ChannelName, PackageName, details::BundleDetails},
    review::{Judged, Snapshot, expect},
    upgrade::{
        Answer,
        table::{UpgradeRow, UpgradeTable},
        v1::Query,
    },
};

pub use was::Was;

/// Upgrades of the selected bundle under both OLM versions.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    /// Classic, in the selected or subscribed channel.
    pub classic: Option<Answer>,
    /// v1, with the current query.
    pub v1: Option<Answer>,
}

pub(super) type TableKey = (Same<Judged>, Option<ChannelName>, Query);
type PicksKey = (Same<Judged>, Same<Judged>, Option<ChannelName>, Option<BundleName>, Query);

/// Change marks of the entries of a channel.
type EntryMarks = Memo<(Same<Comparison>, Option<PackageName>, Option<ChannelName>), Arc<Marks>>;

/// Changes by unsaved edits, keyed by the loaded and the current state.
type Edits = Memo<(Same<Snapshot>, Same<Snapshot>), Option<Arc<Comparison>>>;

/// Cached derived data. `Session::derive` updates it.
#[derive(Debug, Default)]
pub struct Answers {
    other_bundles: Memo<(Same<Judged>, Option<ChannelName>), bool>,
    table: Memo<TableKey, Option<Arc<UpgradeTable>>>,
    was: was::Compared,
    details: Memo<(Same<Judged>, Option<BundleName>), Option<BundleDetails>>,
    picks: Memo<PicksKey, Picks>,
    expected: Expected,
    accepted: Acceptance,
    edits: Edits,
    marks: EntryMarks,
    package_marks: Memo<(Same<Comparison>, Option<PackageName>), Arc<Marks>>,
}

impl Answers {
    /// Returns the upgrade table of the package.
    pub fn table(&self) -> Option<&Arc<UpgradeTable>> {
        self.table.value.as_ref()
    }

    /// Returns the details of the selected bundle.
    pub fn details(&self) -> Option<&BundleDetails> {
        self.details.value.as_ref()
    }

    /// Returns the upgrades of the selected bundle.
    pub fn picks(&self) -> &Picks {
        &self.picks.value
    }

    /// Returns the report on the upgrade expectations. `None` if there are no expectations.
    pub fn expected(&self) -> Option<&expect::Report> {
        self.expected.report()
    }

    /// Returns the rows of the expectations that unsaved edits break.
    pub fn broken(&self) -> Vec<usize> {
        self.expected.broken()
    }

    /// Returns the accepted findings.
    pub(in crate::app) fn accepted(&self) -> &Acceptance {
        &self.accepted
    }

    /// Returns the changes by unsaved edits. `None` if the catalog is compared with a base.
    pub(in crate::app) fn edits(&self) -> Option<&Arc<Comparison>> {
        self.edits.value.as_ref()
    }

    /// Returns the change marks of the entries of the screen's channel.
    pub fn marks(&self) -> &Arc<Marks> {
        &self.marks.value
    }

    /// Returns the change marks of the package's entries over all channels.
    pub fn package_marks(&self) -> &Arc<Marks> {
        &self.package_marks.value
    }

    /// Returns the upgrades of installed bundles that the package no longer has.
    pub fn gone(&self) -> &[UpgradeRow] {
        &self.was.value.gone
    }
}

impl Session {
    /// Recomputes derived state; cheap if nothing changed.
    pub(in crate::app) fn derive(&mut self) {
        // Clone the inputs, so that the caches can be updated next to them.
        let (snapshot, package) = (self.snapshot().cloned(), self.package().cloned());
        let edited = self.edited_state().cloned();
        let key = (Same::of(edited.as_ref()), Same::of(edited.as_ref().and(snapshot.as_ref())));
        self.answers.edits.update(key, |_| {
            let (before, after) = (edited?, snapshot.clone()?);
            Some(Arc::new(Comparison::of_edits(before, after)))
        });
        let (base, real) = (self.marked_package().cloned(), self.real_package().cloned());
        let comparison = self.marked().cloned();
        let subscribed = self.subscribed_channel().cloned();
        let supposes = self.what_if().is_some();
        let Self { answers, open, current, question, screen, .. } = self;
        let open = open.get(*current);
        let Selection { package: name, channel, bundle } =
            open.map_or(&Selection::NOTHING, |open| &open.selection);
        let package = package.as_ref();
        answers.other_bundles.update((Same::of(package), channel.clone()), |(_, channel)| {
            package.zip(channel.as_ref()).is_some_and(|(package, channel)| has_others(package, channel))
        });
        let key = (Same::of(package), subscribed.clone(), question.query.clone());
        answers.table.update(key, |(_, channel, query)| {
            let (package, channel) = (package?, channel.as_ref()?);
            Some(Arc::new(UpgradeTable::new(&package.graph, channel, query)))
        });
        // A what-if takes precedence over the base.
        let (before, with) = if supposes { (real, With::Supposed) } else { (base.clone(), With::Base) };
        let about = if *screen == Screen::Upgrades { subscribed.as_ref() } else { channel.as_ref() };
        let key = (Same::of(before.as_ref()), (Same::of(package), about.cloned(), question.query.clone()));
        answers.was.update(key, |(_, (_, channel, query))| match (&before, package, channel) {
            (Some(before), Some(now), Some(channel)) => was::compare(before, now, channel, query, with),
            _ => Before::default(),
        });
        let key = (Same::of(comparison.as_ref()), name.clone(), about.cloned());
        answers.marks.update(key, |(_, package, channel)| {
            let wanted = comparison.as_ref().zip(package.as_ref()).zip(channel.as_ref());
            let marks = wanted.map(|((of, package), channel)| Marks::of(of, package, channel));
            marks.map(Arc::new).unwrap_or_default()
        });
        answers.package_marks.update((Same::of(comparison.as_ref()), name.clone()), |(_, package)| {
            let wanted = comparison.as_ref().zip(package.as_ref());
            wanted.map(|(of, package)| Marks::of_package(of, package)).map(Arc::new).unwrap_or_default()
        });
        answers.details.update((Same::of(package), bundle.clone()), |(_, bundle)| {
            let blob = package?.package().bundle(bundle.as_ref()?.as_str())?;
            let tree = snapshot.as_ref()?.catalog.tree(blob.doc)?.ok()?;
            Some(BundleDetails::of(&tree))
        });
        let base = base.as_ref();
        let key = (Same::of(package), Same::of(base), subscribed, bundle.clone(), question.query.clone());
        answers.picks.update(key, |(_, _, channel, bundle, query)| match (package, bundle) {
            (Some(package), Some(bundle)) => {
                let installed = marked::installed(package, base.map(Arc::as_ref), bundle);
                Picks {
                    classic: channel.as_ref().map(|c| package.graph.classic(c.as_str(), Some(&installed))),
                    v1: Some(package.graph.v1(query, Some(&installed))),
                }
            }
            _ => Picks::default(),
        });
        answers.expected.update(*screen, open);
        answers.accepted.update(open);
    }

    /// Returns true if a package has bundles that are not entries of a channel.
    pub(in crate::app) fn has_other_bundles(&self, package: &Arc<Judged>, channel: &ChannelName) -> bool {
        // Called for each frame, mostly for the selected channel.
        let is_selected = self.selection().channel.as_ref() == Some(channel)
            && self.package().is_some_and(|selected| Arc::ptr_eq(selected, package));
        if is_selected { self.answers.other_bundles.value } else { has_others(package, channel) }
    }

    /// Returns the selected package without the what-if.
    fn real_package(&self) -> Option<&Arc<Judged>> {
        self.catalog()?.history.now().package(self.selection().package.as_ref()?.as_str())
    }
}

fn has_others(package: &Judged, channel: &ChannelName) -> bool {
    let channel = package.graph.channel(channel.as_str());
    let is_entry =
        |name: &BundleName| channel.is_some_and(|channel| channel.graph.entry_named(name.as_str()).is_some());
    package.package().bundles.iter().any(|bundle| !is_entry(&bundle.name.value))
}
