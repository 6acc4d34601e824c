//! Target of shared actions: the highlighted item of the visible screen.

use super::Session;
use crate::tui::{keys::spec::Reason, work::effect::FileLine};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget};
use olm_check::FindingLocation;

/// Kind of the highlighted item.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TargetKind {
    /// The package.
    Package,
    /// The channel.
    Channel,
    /// The bundle.
    Bundle,
    /// No single item: the action may have to ask.
    #[default]
    All,
}

/// File location of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowLocation {
    /// A known location.
    InCatalog(FindingLocation),
    /// A line of a file that does not belong to the catalog.
    OnDisk(FileLine),
    /// The deprecation of an item.
    Deprecation(Option<DeprecationTarget>),
}

/// Highlighted item of the visible screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// The package.
    pub package: Option<PackageName>,
    /// A channel of the package.
    pub channel: Option<ChannelName>,
    /// A bundle of the package, usually an entry of the channel.
    pub bundle: Option<BundleName>,
    /// Kind of the highlighted item.
    pub kind: TargetKind,
    /// Name of the highlighted row, such as `this finding`. `None` if the selection is highlighted.
    pub row: Option<&'static str>,
    /// Location of the row, if known.
    pub location: Option<RowLocation>,
}

impl Target {
    /// Returns the selection as the target.
    pub fn from_selection(session: &Session) -> Self {
        let selection = session.selection().clone();
        Self {
            package: selection.package,
            channel: selection.channel,
            bundle: selection.bundle,
            ..Self::default()
        }
    }

    /// Returns the target of a row. If a bundle is given without a channel, a channel with the
    /// bundle is used.
    pub fn from_row(
        session: &Session,
        row: &'static str,
        package: Option<PackageName>,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
    ) -> Self {
        let channel = channel.or_else(|| session.channel_with(package.as_ref()?, bundle.as_ref()?));
        Self { package, channel, bundle, row: Some(row), ..Self::default() }
    }

    /// Returns the target of a page without rows.
    pub fn for_page() -> Self {
        Self { row: Some("this page"), ..Self::default() }
    }

    /// Returns the reason why the target does not have something, such as `entry`.
    pub fn missing_reason(&self, what: &str) -> Reason {
        match self.row {
            Some(row) => format!("{row} has no {what}"),
            None => format!("no {what} is selected"),
        }
    }
}
