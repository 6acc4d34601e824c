//! Parts of a catalog that [`Edit::KeepOnly`](super::Edit::KeepOnly) keeps.

use serde::{Deserialize, Serialize};

use olm_catalog::{BundleName, ChannelName, PackageName};

/// Parts of a package to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPackage {
    /// Name of the package.
    pub package: PackageName,
    /// New default channel; `None` to leave it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_channel: Option<ChannelName>,
    /// Channels to keep; `None` to keep everything in the package, including bundles without a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<KeptChannel>>,
}

/// Parts of a channel to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptChannel {
    /// Name of the channel.
    pub channel: ChannelName,
    /// Entries to keep; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<BundleName>>,
}

impl KeptPackage {
    /// Creates the selection of a whole package.
    pub fn all_of(package: PackageName) -> Self {
        Self { package, default_channel: None, channels: None }
    }
}
