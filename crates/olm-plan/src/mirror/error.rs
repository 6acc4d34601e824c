//! The reasons why oc-mirror does not mirror a catalog.

use thiserror::Error;

use olm_catalog::{BundleName, ChannelName, PackageName};

/// A reason why oc-mirror stops.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MirrorError {
    /// The catalog is unreadable.
    #[error("opm cannot read the catalog")]
    Unreadable,
    /// The input is a template, not a catalog.
    #[error("a template cannot be mirrored, only the catalog it makes")]
    Template,
    /// A bundle does not have a version. oc-mirror also checks bundles without a channel.
    #[error("package {package}: bundle {bundle} has no olm.package property")]
    NoVersion {
        /// The name of the package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
    },
    /// A bundle has a version that is not a strict semantic version.
    #[error("package {package}: bundle {bundle} has the version {version}, which is not a semantic version")]
    BadVersion {
        /// The name of the package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
        /// The version as written.
        version: String,
    },
    /// The default channel of the catalog is not selected, and the section sets no other default channel.
    #[error("package {package}: its default channel {channel} is not mirrored")]
    DefaultLeftOut {
        /// The package.
        package: PackageName,
        /// The default channel of the catalog.
        channel: ChannelName,
    },
    /// The default channel of the section is not selected or does not exist.
    #[error("package {package}: the defaultChannel {channel} is not mirrored")]
    NoSuchDefault {
        /// The package.
        package: PackageName,
        /// The channel that the section sets as default.
        channel: ChannelName,
    },
    /// `full` is combined with a version range.
    #[error("package {package}: full cannot be combined with minVersion or maxVersion")]
    FullWithRange {
        /// The package.
        package: PackageName,
    },
    /// A channel has an invalid upgrade graph.
    #[error("package {package}, channel {channel}: {why}")]
    Channel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The reason.
        why: BadChannel,
    },
    /// No version of the default channel matches the range.
    #[error("package {package}: no version of its default channel {channel} matches {range}")]
    DefaultEmptied {
        /// The package.
        package: PackageName,
        /// The default channel of the catalog.
        channel: ChannelName,
        /// The version range.
        range: String,
    },
    /// `minVersion` and `maxVersion` are the same version, which the package does not have.
    #[error("package {package}: it has no version {version}")]
    NoSuchVersion {
        /// The package.
        package: PackageName,
        /// The version as written.
        version: String,
    },
    /// oc-mirror cannot parse a related image.
    #[error("package {package}: bundle {bundle} has the related image {image:?}, which {why}")]
    Image {
        /// The package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
        /// The image as written.
        image: String,
        /// The reason.
        why: BadImage,
    },
    /// No bundle of the catalog is kept.
    #[error("nothing is left: no bundle of the catalog is mirrored")]
    NothingLeft,
}

/// The reason why oc-mirror cannot filter a channel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadChannel {
    /// The channel does not have entries.
    #[error("it has no entries")]
    Empty,
    /// Two entries have the same name.
    #[error("it has two entries named {0}")]
    Twice(BundleName),
    /// An entry replaces or skips itself.
    #[error("its entry {0} replaces or skips itself")]
    Itself(BundleName),
    /// The `replaces` edges contain a cycle.
    #[error("its entries replace each other in a circle")]
    Cycle,
    /// Every entry is replaced or skipped, so the channel does not have a head.
    #[error("it has no head")]
    NoHead,
    /// The channel has several heads.
    #[error("it has several heads: {0}")]
    Heads(String),
}

/// The reason why oc-mirror cannot parse an image reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadImage {
    /// The reference does not have a name.
    #[error("has no name")]
    Empty,
    /// The image is in a layout on disk.
    #[error("is not in a registry")]
    Layout,
    /// The reference has neither a tag nor a digest.
    #[error("has no tag and no digest")]
    Untagged,
    /// The digest is malformed or has an unknown algorithm.
    #[error("has an invalid digest")]
    Digest,
}

impl MirrorError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable => "olmap validate shows what is wrong".to_owned(),
            Self::Template => "olmap template render FILE makes the catalog".to_owned(),
            Self::DefaultLeftOut { channel, .. } => {
                format!("add {channel} to channels, or name one of them as defaultChannel")
            }
            Self::NoSuchDefault { channel, .. } => format!("add {channel} to channels"),
            Self::FullWithRange { .. } => "remove full, or the versions".to_owned(),
            Self::DefaultEmptied { .. } => {
                "change minVersion or maxVersion; a pre-release is in range only if one of them is one (1.2.3-0)"
                    .to_owned()
            }
            Self::NoSuchVersion { .. } => "minVersion and maxVersion are the same text".to_owned(),
            Self::NothingLeft => "olmap list packages CATALOG shows the names".to_owned(),
            _ => return None,
        })
    }
}
