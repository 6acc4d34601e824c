//! The rows of what is assumed: subscriptions, what is installed, and, where several are open, the catalogs.

use crate::{
    app::{
        parts::list::{ListId, passes},
        session::Session,
        work::Source,
    },
    catalog::{BundleName, ChannelName, PackageName},
    resolve::Pick,
};

/// A row, by its place among those of its sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Row {
    /// A subscription.
    Subscribed(usize),
    /// What is installed.
    Installed(usize),
    /// An open catalog.
    Catalog(usize),
}

impl Row {
    /// The catalog it is about.
    pub fn source(self, session: &Session) -> Option<Source> {
        let assumed = &session.cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscribed.get(at).map(|one| one.source.clone()),
            Self::Installed(at) => assumed.installed.get(at).map(|one| one.source.clone()),
            Self::Catalog(at) => session.open.get(at).map(|open| open.source.clone()),
        }
    }

    /// The package, channel and bundle that it names.
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

    /// Whether it counts.
    pub fn counts(self, session: &Session) -> bool {
        let assumed = &session.cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscribed.get(at).is_some_and(|one| one.counts),
            Self::Installed(at) => assumed.installed.get(at).is_some_and(|one| one.counts),
            Self::Catalog(at) => session.open.get(at).is_some_and(|open| session.is_in_sight(&open.source)),
        }
    }

    /// What OLM Classic does about it; `None` where that is nothing, or not known.
    pub fn pick(self, session: &Session) -> Option<&Pick> {
        let (package, ..) = self.names(session);
        let answer = &session.cluster.resolved()?.answer;
        answer.picks().iter().find(|pick| Some(&pick.package) == package.as_ref())
    }
}

/// All rows that pass the filter.
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
