//! Rows of the assumed cluster: subscriptions, installed bundles, and the catalogs if several are
//! open.

use crate::tui::{
    parts::list::{ListId, passes_filter},
    session::Session,
    work::Source,
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::resolve::Pick;

/// Row with its index among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssumptionRow {
    /// A subscription.
    Subscribed(usize),
    /// An installed bundle.
    Installed(usize),
    /// An open catalog.
    Catalog(usize),
}

impl AssumptionRow {
    /// Returns the catalog of the row.
    pub fn catalog_source(self, session: &Session) -> Option<Source> {
        let assumed = &session.assumed_cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscriptions.get(at).map(|one| one.source.clone()),
            Self::Installed(at) => assumed.installed.get(at).map(|one| one.source.clone()),
            Self::Catalog(at) => session.open_catalogs.get(at).map(|open| open.source.clone()),
        }
    }

    /// Returns the package, channel and bundle of the row.
    pub fn named_items(
        self,
        session: &Session,
    ) -> (Option<PackageName>, Option<ChannelName>, Option<BundleName>) {
        let assumed = &session.assumed_cluster.assumed;
        match self {
            Self::Subscribed(at) => {
                let one = assumed.subscriptions.get(at);
                (one.map(|one| one.package.clone()), one.and_then(|one| one.channel.clone()), None)
            }
            Self::Installed(at) => {
                let one = assumed.installed.get(at);
                (one.map(|one| one.package.clone()), None, one.map(|one| one.bundle.clone()))
            }
            Self::Catalog(_) => (None, None, None),
        }
    }

    /// Returns false if the user excluded the row.
    pub fn is_included(self, session: &Session) -> bool {
        let assumed = &session.assumed_cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscriptions.get(at).is_some_and(|one| one.is_included),
            Self::Installed(at) => assumed.installed.get(at).is_some_and(|one| one.is_included),
            Self::Catalog(at) => {
                session.open_catalogs.get(at).is_some_and(|open| session.is_on_cluster(&open.source))
            }
        }
    }

    /// Returns the action of OLM Classic for the row. `None` if there is none, or it is not known.
    pub fn resolver_pick(self, session: &Session) -> Option<&Pick> {
        let (package, ..) = self.named_items(session);
        let answer = &session.assumed_cluster.resolved()?.answer;
        answer.picks().iter().find(|pick| Some(&pick.package) == package.as_ref())
    }
}

/// Returns all rows that pass the filter.
pub(super) fn filter_rows(session: &Session) -> Vec<AssumptionRow> {
    let assumed = &session.assumed_cluster.assumed;
    let catalogs =
        if session.open_catalogs.len() > 1 && !assumed.is_empty() { session.open_catalogs.len() } else { 0 };
    let rows = (0..assumed.subscriptions.len()).map(AssumptionRow::Subscribed);
    let rows = rows.chain((0..assumed.installed.len()).map(AssumptionRow::Installed));
    let rows = rows.chain((0..catalogs).map(AssumptionRow::Catalog));
    let filter = session.lists.filter(ListId::Assumed);
    let words = |row: &AssumptionRow| {
        let (package, channel, bundle) = row.named_items(session);
        let source = row.catalog_source(session).map(|source| session.short_source_name(&source));
        format!(
            "{} {} {} {}",
            package.unwrap_or_default(),
            channel.unwrap_or_default(),
            bundle.unwrap_or_default(),
            source.unwrap_or_default()
        )
    };
    rows.filter(|row| passes_filter(filter, &words(row))).collect()
}
