//! What stays of a catalog where the rest is taken out, as data.

use serde::{Deserialize, Serialize};

use crate::catalog::{BundleName, ChannelName, PackageName};

/// What stays of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPackage {
    /// The package.
    pub package: PackageName,
    /// The default channel from then on; `None` to leave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_channel: Option<ChannelName>,
    /// Its channels that stay; `None` for all that the package has, whether a channel has it or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<KeptChannel>>,
}

/// What stays of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptChannel {
    /// The channel.
    pub channel: ChannelName,
    /// Its entries that stay; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<BundleName>>,
}

impl KeptPackage {
    /// Everything of a package.
    pub fn whole(package: PackageName) -> Self {
        Self { package, default_channel: None, channels: None }
    }
}
