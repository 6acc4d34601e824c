//! State that all screens share, in parts: each part has a type with its own methods.
//!
//! Methods of [`Session`] need several parts. A session does not know screens or dialogs. State of a
//! single screen or dialog belongs to it.

pub mod accepted_findings;
pub mod action;
pub mod catalogs;
pub mod cluster;
pub mod cluster_members;
pub mod context;
pub mod derived_state;
pub mod editing;
pub mod jobs;
pub mod navigation;
pub mod open_catalog;
pub mod recovery;
pub mod saving;
pub mod stuck_versions;
pub mod upgrade_expectations;
pub mod wait_state;
pub mod what_if;

use std::sync::Arc;

use crate::tui::{
    parts::list::ListStates,
    session::{
        catalogs::Catalogs,
        cluster::InstalledOperators,
        derived_state::DerivedState,
        jobs::Jobs,
        navigation::{Navigation, Selection},
        open_catalog::OpenCatalog,
        wait_state::WaitState,
    },
    work::Source,
};
use olm_catalog::{BundleName, ChannelName, package::Package};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::{openshift::OpenShift, v1::Query};

/// Query to both OLM versions, shared by all screens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UpgradeQuery {
    /// Query of v1.
    pub query: Query,
    /// Channel of the Classic Subscription, if it is not the selected one.
    pub subscribed: Option<ChannelName>,
    /// `startingCSV` of a fresh installation under Classic. `None` for the head of the channel.
    pub starting: Option<BundleName>,
    /// OpenShift version of the cluster, if it is set.
    pub openshift: Option<OpenShift>,
}

impl UpgradeQuery {
    /// Clears the fields that belong to one package.
    fn clear_package_fields(&mut self) {
        self.subscribed = None;
        self.query.channels.clear();
        self.starting = None;
    }

    /// Returns the channel of the Upgrades screen: the one chosen there, otherwise the selected
    /// one.
    fn subscribed_channel<'a>(&'a self, selection: &'a Selection) -> Option<&'a ChannelName> {
        self.subscribed.as_ref().or(selection.channel.as_ref())
    }

    /// Removes channels that a package does not have.
    fn remove_missing_channels(&mut self, package: &Package) {
        self.subscribed.take_if(|name| package.channel(name.as_str()).is_none());
        self.query.channels.retain(|name| package.channel(name.as_str()).is_some());
    }
}

/// State shared by all screens.
#[derive(Debug)]
pub struct Session {
    /// The open catalogs and their sources.
    pub catalogs: Catalogs,
    /// The visible screen and pane, and places to go to.
    pub navigation: Navigation,
    /// Scroll positions, filters and sort orders of lists.
    pub lists: ListStates,
    /// The query to both OLM versions.
    pub upgrade_query: UpgradeQuery,
    /// Cached derived state.
    pub derived: DerivedState,
    /// States of the background jobs.
    pub jobs: Jobs,
    /// Work in progress, and what waits for it.
    pub waiting: WaitState,
    /// Installed operators of a cluster, if the user passed its files.
    pub installed_operators: InstalledOperators,
}

impl Session {
    /// Creates a session that loads its sources.
    pub fn new(sources: Vec<Source>) -> Self {
        Self {
            jobs: Jobs::from_sources(&sources),
            catalogs: Catalogs::from_sources(sources),
            navigation: Navigation::default(),
            lists: ListStates::default(),
            upgrade_query: UpgradeQuery::default(),
            derived: DerivedState::default(),
            waiting: WaitState::default(),
            installed_operators: InstalledOperators::default(),
        }
    }

    /// See [`Catalogs::current`].
    pub fn current_catalog(&self) -> Option<&OpenCatalog> {
        self.catalogs.current()
    }

    /// See [`Catalogs::snapshot`].
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.catalogs.snapshot()
    }

    /// See [`Catalogs::selection`].
    pub fn selection(&self) -> &Selection {
        self.catalogs.selection()
    }

    /// See [`Catalogs::selected_package`].
    pub fn selected_package(&self) -> Option<&Arc<PackageState>> {
        self.catalogs.selected_package()
    }

    /// Returns the channel of the Upgrades screen: the one chosen there, otherwise the selected
    /// one.
    pub fn subscribed_channel(&self) -> Option<&ChannelName> {
        self.upgrade_query.subscribed_channel(self.selection())
    }

    /// Describes where a bundle of the selected package is installed. `None` if it is not
    /// installed.
    pub fn describe_installation(&self, bundle: &BundleName) -> Option<String> {
        self.installed_operators.describe_installation(self.selection().package.as_ref()?, bundle)
    }

    /// Recomputes derived state; cheap if nothing changed.
    pub(in crate::tui) fn derive(&mut self) {
        let Self { catalogs, navigation, upgrade_query, derived, .. } = self;
        derived.update(catalogs, navigation.screen, upgrade_query);
    }
}
