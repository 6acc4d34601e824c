//! Why an edit cannot be made.

use std::path::PathBuf;

use crate::{
    catalog::{BundleName, ChannelName, PackageName, file::DocId},
    edit::rewrite::RewriteError,
    version::Version,
};

/// Why an edit cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The catalog has no such package.
    #[error("no package {0} in the catalog")]
    NoPackage(PackageName),
    /// The package has no such channel.
    #[error("no channel {0} in the package")]
    NoChannel(ChannelName),
    /// The package has no such bundle.
    #[error("no bundle {0} in the package")]
    NoBundle(BundleName),
    /// The channel has no such entry.
    #[error("no entry {entry} in channel {channel}")]
    NoEntry {
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
    },
    /// The channel has the entry already.
    #[error("{entry} is already an entry of {channel}")]
    AlreadyThere {
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
    },
    /// The package has the channel already.
    #[error("there is a channel {0} already")]
    ChannelThere(ChannelName),
    /// The package has the bundle already.
    #[error("there is a bundle {0} already")]
    BundleThere(BundleName),
    /// A template of a kind that says nothing of channels.
    #[error("an {0} has no packages and channels to edit: change what it lists in an editor")]
    NoCatalog(&'static str),
    /// A template has the bundle's image and does not say that it is the bundle's.
    #[error("which image of the template is that of {0} is not known: open a catalog made from it beside it")]
    ImageOnly(BundleName),
    /// A channel must have a name.
    #[error("a channel needs a name")]
    NoName,
    /// What was to be added is no bundle of the package.
    #[error("this is no bundle of the package: {0}")]
    NoBlob(&'static str),
    /// The package has no `olm.package` object.
    #[error("package {0} has no olm.package object that could say its default channel")]
    NoDefinition(PackageName),
    /// The default channel was to go, and no other was named.
    #[error("{0} is the default channel: make another one the default first")]
    IsDefault(ChannelName),
    /// The default channel would have no entries.
    #[error("{0}, the default channel, would be left without entries: make another one the default first")]
    EmptiesDefault(ChannelName),
    /// Every channel would be left without entries.
    #[error("nothing would be left of package {0}")]
    NothingLeft(PackageName),
    /// No bundle is below the version.
    #[error("no bundle of the package is below {0}")]
    NothingBelow(Version),
    /// A deprecation must tell something.
    #[error("a deprecation needs a message: it is all that users see of it")]
    NoMessage,
    /// The package says nothing of the kind.
    #[error("{0} is not deprecated")]
    NotDeprecated(String),
    /// The document cannot be read.
    #[error("the document cannot be read")]
    Unreadable,
    /// With another document in it, or without one, the file would be read as something else.
    #[error("{} cannot be parted surely there. Make this edit in $EDITOR.", .0.display())]
    Parting(PathBuf),
    /// The document is written in a way that cannot be edited surely.
    #[error("{error}. {}", error.hint())]
    Rewrite {
        /// The document.
        doc: DocId,
        /// Why not.
        error: RewriteError,
    },
}
