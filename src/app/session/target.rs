//! What shared actions are about: what is highlighted on the shown screen.

use super::Session;
use crate::{
    app::{keys::spec::Reason, work::effect::Spot},
    catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget},
    validate::Location,
};

/// What of it is highlighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Level {
    /// The package.
    Package,
    /// The channel.
    Channel,
    /// The bundle.
    Bundle,
    /// All of it: who acts may have to ask.
    #[default]
    All,
}

/// Where a row of a list stands in the files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Whereabouts {
    /// At a place that is known.
    At(Location),
    /// In a file on disk that is none of the catalog's.
    OnDisk(Spot),
    /// Where something is deprecated.
    Deprecation(Option<DeprecationTarget>),
}

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// The package.
    pub package: Option<PackageName>,
    /// A channel of it.
    pub channel: Option<ChannelName>,
    /// A bundle of it: an entry of the channel, as a rule.
    pub bundle: Option<BundleName>,
    /// What of these is highlighted.
    pub level: Level,
    /// What the highlighted row is, such as `this finding`; `None` where the selection is highlighted.
    pub row: Option<&'static str>,
    /// Where that row stands, where it knows.
    pub whereabouts: Option<Whereabouts>,
}

impl Target {
    /// What is selected.
    pub fn selected(session: &Session) -> Self {
        let selection = session.selection().clone();
        Self {
            package: selection.package,
            channel: selection.channel,
            bundle: selection.bundle,
            ..Self::default()
        }
    }

    /// What a row is about. A bundle that is named without a channel is looked at in one that has it.
    pub fn of_row(
        session: &Session,
        row: &'static str,
        package: Option<PackageName>,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
    ) -> Self {
        let channel = channel.or_else(|| session.channel_with(package.as_ref()?, bundle.as_ref()?));
        Self { package, channel, bundle, row: Some(row), ..Self::default() }
    }

    /// A page without rows: nothing of it is highlighted.
    pub fn page() -> Self {
        Self { row: Some("this page"), ..Self::default() }
    }

    /// Why nothing can be done with something that is missing, such as `entry`.
    pub fn without(&self, what: &str) -> Reason {
        match self.row {
            Some(row) => format!("{row} has no {what}"),
            None => format!("no {what} is selected"),
        }
    }
}
