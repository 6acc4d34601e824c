//! Cached data that is derived from the selection and used by several screens.

pub(in crate::tui) mod previous_upgrades;

use std::sync::Arc;

use crate::tui::{
    keys::Screen,
    parts::memo::{Memo, SharedRef},
    session::{
        Session,
        accepted_findings::AcceptanceCache,
        derived_state::previous_upgrades::{EarlierState, PreviousUpgrades},
        mark_base,
        navigation::Selection,
        upgrade_expectations::ExpectationReports,
    },
    work::{change_marks::ChangeMarks, comparison::Comparison},
};
use olm_catalog::{BundleName, ChannelName, PackageName, details::BundleDetails};
use olm_check::review::{PackageState, Snapshot, expect};
use olm_upgrade::{
    Answer,
    table::{UpgradeRow, UpgradeTable},
    v1::Query,
};

pub use previous_upgrades::PreviousUpgrade;

/// Upgrades of the selected bundle under both OLM versions.
#[derive(Clone, Debug, Default)]
pub struct SelectedUpgrades {
    /// Classic, in the selected or subscribed channel.
    pub classic: Option<Answer>,
    /// v1, with the current query.
    pub v1: Option<Answer>,
}

pub(super) type TableKey = (SharedRef<PackageState>, Option<ChannelName>, Query);
type PicksKey =
    (SharedRef<PackageState>, SharedRef<PackageState>, Option<ChannelName>, Option<BundleName>, Query);

/// Change marks of the entries of a channel.
type EntryMarks = Memo<(SharedRef<Comparison>, Option<PackageName>, Option<ChannelName>), Arc<ChangeMarks>>;

/// Changes by unsaved edits, keyed by the loaded and the current state.
type Edits = Memo<(SharedRef<Snapshot>, SharedRef<Snapshot>), Option<Arc<Comparison>>>;

/// Cached derived data. `Session::derive` updates it.
#[derive(Debug, Default)]
pub struct DerivedState {
    other_bundles: Memo<(SharedRef<PackageState>, Option<ChannelName>), bool>,
    table: Memo<TableKey, Option<Arc<UpgradeTable>>>,
    previous: previous_upgrades::PreviousUpgradeCache,
    details: Memo<(SharedRef<PackageState>, Option<BundleName>), Option<BundleDetails>>,
    picks: Memo<PicksKey, SelectedUpgrades>,
    expected: ExpectationReports,
    accepted: AcceptanceCache,
    edits: Edits,
    marks: EntryMarks,
    package_marks: Memo<(SharedRef<Comparison>, Option<PackageName>), Arc<ChangeMarks>>,
}

impl DerivedState {
    /// Returns the upgrade table of the package.
    pub fn upgrade_table(&self) -> Option<&Arc<UpgradeTable>> {
        self.table.value.as_ref()
    }

    /// Returns the details of the selected bundle.
    pub fn details(&self) -> Option<&BundleDetails> {
        self.details.value.as_ref()
    }

    /// Returns the upgrades of the selected bundle.
    pub fn selected_upgrades(&self) -> &SelectedUpgrades {
        &self.picks.value
    }

    /// Returns the report on the upgrade expectations. `None` if there are no expectations.
    pub fn expectation_report(&self) -> Option<&expect::ExpectationReport> {
        self.expected.report()
    }

    /// Returns the rows of the expectations that unsaved edits break.
    pub fn broken_expectations(&self) -> Vec<usize> {
        self.expected.newly_failing_rows()
    }

    /// Returns the accepted findings.
    pub(in crate::tui) fn acceptance(&self) -> &AcceptanceCache {
        &self.accepted
    }

    /// Returns the changes by unsaved edits. `None` if the catalog is compared with a base.
    pub(in crate::tui) fn edit_comparison(&self) -> Option<&Arc<Comparison>> {
        self.edits.value.as_ref()
    }

    /// Returns the change marks of the entries of the screen's channel.
    pub fn marks(&self) -> &Arc<ChangeMarks> {
        &self.marks.value
    }

    /// Returns the change marks of the package's entries over all channels.
    pub fn package_marks(&self) -> &Arc<ChangeMarks> {
        &self.package_marks.value
    }

    /// Returns the upgrades of installed bundles that the package no longer has.
    pub fn removed_bundle_upgrades(&self) -> &[UpgradeRow] {
        &self.previous.value.removed
    }
}

impl Session {
    /// Recomputes derived state; cheap if nothing changed.
    pub(in crate::tui) fn derive(&mut self) {
        // Clone the inputs, so that the caches can be updated next to them.
        let (snapshot, package) = (self.snapshot().cloned(), self.selected_package().cloned());
        let edited = self.loaded_state_if_edited().cloned();
        let key = (
            SharedRef::from_shared(edited.as_ref()),
            SharedRef::from_shared(edited.as_ref().and(snapshot.as_ref())),
        );
        self.derived.edits.update(key, |_| {
            let (before, after) = (edited?, snapshot.clone()?);
            Some(Arc::new(Comparison::from_edits(before, after)))
        });
        let (base, real) = (self.mark_base_package().cloned(), self.package_without_what_if().cloned());
        let comparison = self.mark_comparison().cloned();
        let subscribed = self.subscribed_channel().cloned();
        let supposes = self.what_if().is_some();
        let Self { derived: answers, open_catalogs: open, current, upgrade_query: question, screen, .. } =
            self;
        let open = open.get(*current);
        let Selection { package: name, channel, bundle } =
            open.map_or(&Selection::EMPTY, |open| &open.selection);
        let package = package.as_ref();
        answers.other_bundles.update((SharedRef::from_shared(package), channel.clone()), |(_, channel)| {
            package
                .zip(channel.as_ref())
                .is_some_and(|(package, channel)| has_bundles_outside_channel(package, channel))
        });
        let key = (SharedRef::from_shared(package), subscribed.clone(), question.query.clone());
        answers.table.update(key, |(_, channel, query)| {
            let (package, channel) = (package?, channel.as_ref()?);
            Some(Arc::new(UpgradeTable::new(&package.graph, channel, query)))
        });
        // A what-if takes precedence over the base.
        let (before, with) =
            if supposes { (real, EarlierState::WithoutWhatIf) } else { (base.clone(), EarlierState::Base) };
        let about = if *screen == Screen::Upgrades { subscribed.as_ref() } else { channel.as_ref() };
        let key = (
            SharedRef::from_shared(before.as_ref()),
            (SharedRef::from_shared(package), about.cloned(), question.query.clone()),
        );
        answers.previous.update(key, |(_, (_, channel, query))| match (&before, package, channel) {
            (Some(before), Some(now), Some(channel)) => {
                previous_upgrades::compare_upgrades(before, now, channel, query, with)
            }
            _ => PreviousUpgrades::default(),
        });
        let key = (SharedRef::from_shared(comparison.as_ref()), name.clone(), about.cloned());
        answers.marks.update(key, |(_, package, channel)| {
            let wanted = comparison.as_ref().zip(package.as_ref()).zip(channel.as_ref());
            let marks = wanted.map(|((of, package), channel)| ChangeMarks::for_channel(of, package, channel));
            marks.map(Arc::new).unwrap_or_default()
        });
        answers.package_marks.update(
            (SharedRef::from_shared(comparison.as_ref()), name.clone()),
            |(_, package)| {
                let wanted = comparison.as_ref().zip(package.as_ref());
                wanted
                    .map(|(of, package)| ChangeMarks::for_package(of, package))
                    .map(Arc::new)
                    .unwrap_or_default()
            },
        );
        answers.details.update((SharedRef::from_shared(package), bundle.clone()), |(_, bundle)| {
            let blob = package?.package().bundle(bundle.as_ref()?.as_str())?;
            let tree = snapshot.as_ref()?.catalog.parse_document(blob.doc)?.ok()?;
            Some(BundleDetails::from_bundle(&tree))
        });
        let base = base.as_ref();
        let key = (
            SharedRef::from_shared(package),
            SharedRef::from_shared(base),
            subscribed,
            bundle.clone(),
            question.query.clone(),
        );
        answers.picks.update(key, |(_, _, channel, bundle, query)| match (package, bundle) {
            (Some(package), Some(bundle)) => {
                let installed = mark_base::installed_bundle(package, base.map(Arc::as_ref), bundle);
                SelectedUpgrades {
                    classic: channel
                        .as_ref()
                        .map(|c| package.graph.resolve_classic(c.as_str(), Some(&installed))),
                    v1: Some(package.graph.resolve_v1(query, Some(&installed))),
                }
            }
            _ => SelectedUpgrades::default(),
        });
        answers.expected.update(*screen, open);
        answers.accepted.update(open);
    }

    /// Returns true if a package has bundles that are not entries of a channel.
    pub(in crate::tui) fn has_other_bundles(
        &self,
        package: &Arc<PackageState>,
        channel: &ChannelName,
    ) -> bool {
        // Called for each frame, mostly for the selected channel.
        let is_selected = self.selection().channel.as_ref() == Some(channel)
            && self.selected_package().is_some_and(|selected| Arc::ptr_eq(selected, package));
        if is_selected {
            self.derived.other_bundles.value
        } else {
            has_bundles_outside_channel(package, channel)
        }
    }

    /// Returns the selected package without the what-if.
    fn package_without_what_if(&self) -> Option<&Arc<PackageState>> {
        self.current_catalog()?.history.now().package(self.selection().package.as_ref()?.as_str())
    }
}

fn has_bundles_outside_channel(package: &PackageState, channel: &ChannelName) -> bool {
    let channel = package.graph.channel(channel.as_str());
    let is_entry =
        |name: &BundleName| channel.is_some_and(|channel| channel.graph.entry_named(name.as_str()).is_some());
    package.package().bundles.iter().any(|bundle| !is_entry(&bundle.name.value))
}
