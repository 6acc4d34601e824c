//! Rows of the assumed cluster: subscriptions, installed bundles, and the catalogs if several are
//! open.

use crate::{
    app::{
        parts::list::{ListId, passes},
        session::Session,
        work::Source,
    },
    catalog::{BundleName, ChannelName, PackageName},
    resolve::Pick,
};

/// Row with its index among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// A subscription.
    Subscribed(usize),
    /// An installed bundle.
    Installed(usize),
    /// An open catalog.
    Catalog(usize),
}

impl Row {
    /// Returns the catalog of the row.
    pub fn source(self, session: &Session) -> Option<Source> {
        let assumed = &session.cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscribed.get(at).map(|one| one.source.clone()),
            Self::Installed(at) => assumed.installed.get(at).map(|one| one.source.clone()),
            Self::Catalog(at) => session.open.get(at).map(|open| open.source.clone()),
        }
    }

    /// Returns the package, channel and bundle of the row.
    pub fn names(self, session: &Session) -> (Option<PackageName>, Option<ChannelName>, Option<BundleName>) {
        let assumed = &session.cluster.assumed;
        match self {
            Self::Subscribed(at) => {
                let one = assumed.subscribed.get(at);
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
    pub fn counts(self, session: &Session) -> bool {
        let assumed = &session.cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscribed.get(at).is_some_and(|one| one.counts),
            Self::Installed(at) => assumed.installed.get(at).is_some_and(|one| one.counts),
            Self::Catalog(at) => session.open.get(at).is_some_and(|open| session.is_in_sight(&open.source)),
        }
    }

    /// Returns the action of OLM Classic for the row. `None` if there is none, or it is not known.
    pub fn pick(self, session: &Session) -> Option<&Pick> {
        let (package, ..) = self.names(session);
        let answer = &session.cluster.resolved()?.answer;
        answer.picks().iter().find(|pick| Some(&pick.package) == package.as_ref())
    }
}

/// Returns all rows that pass the filter.
pub(super) fn of(session: &Session) -> Vec<Row> {
    let assumed = &session.cluster.assumed;
    let catalogs = if session.open.len() > 1 && !assumed.is_empty() { session.open.len() } else { 0 };
    let rows = (0..assumed.subscribed.len()).map(Row::Subscribed);
    let rows = rows.chain((0..assumed.installed.len()).map(Row::Installed));
    let rows = rows.chain((0..catalogs).map(Row::Catalog));
    let filter = session.lists.filter(ListId::Assumed);
    let words = |row: &Row| {
        let (package, channel, bundle) = row.names(session);
        let source = row.source(session).map(|source| session.short_source(&source));
        format!(
            "{} {} {} {}",
            package.unwrap_or_default(),
            channel.unwrap_or_default(),
            bundle.unwrap_or_default(),
            source.unwrap_or_default()
        )
    };
    rows.filter(|row| passes(filter, &words(row))).collect()
}
