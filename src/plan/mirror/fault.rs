//! Why oc-mirror refuses to mirror a catalog.

use thiserror::Error;

use crate::catalog::{BundleName, ChannelName, PackageName};

/// What stops oc-mirror.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The catalog itself cannot be read.
    #[error("opm cannot read the catalog")]
    Unreadable,
    /// A template is no catalog.
    #[error("a template cannot be mirrored, only the catalog it makes")]
    Template,
    /// A bundle without a version, which is looked at whether a channel has it or not.
    #[error("package {package}: bundle {bundle} has no olm.package property")]
    NoVersion {
        /// Its package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
    },
    /// A bundle with a version that is no strict semantic version.
    #[error("package {package}: bundle {bundle} has the version {version}, which is not a semantic version")]
    BadVersion {
        /// Its package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
        /// As written.
        version: String,
    },
    /// The catalog's default channel is not wanted, and no other is named.
    #[error("package {package}: its default channel {channel} is not mirrored")]
    DefaultLeftOut {
        /// The package.
        package: PackageName,
        /// Its default channel.
        channel: ChannelName,
    },
    /// The default channel that was asked for is not wanted, or not there.
    #[error("package {package}: the defaultChannel {channel} is not mirrored")]
    NoSuchDefault {
        /// The package.
        package: PackageName,
        /// What was asked for.
        channel: ChannelName,
    },
    /// `full` with a range.
    #[error("package {package}: full cannot be combined with minVersion or maxVersion")]
    FullWithRange {
        /// The package.
        package: PackageName,
    },
    /// A channel that has no upgrade graph to filter.
    #[error("package {package}, channel {channel}: {why}")]
    Channel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// What is wrong with it.
        why: BadChannel,
    },
    /// The default channel of the catalog has no version in range.
    #[error("package {package}: no version of its default channel {channel} matches {range}")]
    DefaultEmptied {
        /// The package.
        package: PackageName,
        /// Its default channel.
        channel: ChannelName,
        /// What was asked for.
        range: String,
    },
    /// Both bounds name one version, which the package does not have.
    #[error("package {package}: it has no version {version}")]
    NoSuchVersion {
        /// The package.
        package: PackageName,
        /// What was asked for.
        version: String,
    },
    /// A related image that oc-mirror cannot name.
    #[error("package {package}: bundle {bundle} has the related image {image:?}, which {why}")]
    Image {
        /// The package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
        /// As written.
        image: String,
        /// What is wrong with it.
        why: BadImage,
    },
    /// Nothing is left.
    #[error("nothing is left: no bundle of the catalog is mirrored")]
    NothingLeft,
}

/// Why a channel cannot be filtered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadChannel {
    /// No entries.
    #[error("it has no entries")]
    Empty,
    /// An entry twice.
    #[error("it has two entries named {0}")]
    Twice(BundleName),
    /// An entry that replaces or skips itself.
    #[error("its entry {0} replaces or skips itself")]
    Itself(BundleName),
    /// A circle of `replaces`.
    #[error("its entries replace each other in a circle")]
    Cycle,
    /// Each entry is replaced or skipped by another.
    #[error("it has no head")]
    NoHead,
    /// Several entries that nothing replaces or skips.
    #[error("it has several heads: {0}")]
    Heads(String),
}

/// Why oc-mirror cannot name an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadImage {
    /// Reference without a name.
    #[error("has no name")]
    Empty,
    /// Image in a layout on disk.
    #[error("is not in a registry")]
    Layout,
    /// Neither tag nor digest.
    #[error("has no tag and no digest")]
    Untagged,
    /// Digest that is malformed, or of an unknown algorithm.
    #[error("has an invalid digest")]
    Digest,
}

impl Fault {
    /// What to change.
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
