//! Why an edit cannot be made.

use std::path::PathBuf;

use crate::{
    catalog::{BundleName, ChannelName, PackageName, file::DocId, template::semver::List},
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
    /// The catalog has the package already.
    #[error("package {0} already exists")]
    PackageThere(PackageName),
    /// The file of a new package cannot be called like it.
    #[error("no file can be made for package {0}: add its olm.package object in $EDITOR")]
    NoPlace(PackageName),
    /// The package has the channel already.
    #[error("channel {0} already exists")]
    ChannelThere(ChannelName),
    /// The package has the bundle already.
    #[error("bundle {0} already exists")]
    BundleThere(BundleName),
    /// What a template makes is not known.
    #[error("{0} images of the template are not known: what opm would render cannot be worked out")]
    UnknownImages(usize),
    /// A substitution of a template changes the entry, or makes it.
    #[error("{0} is what a substitution of the template makes of it: edit the substitutions in $EDITOR")]
    Substituted(BundleName),
    /// The channels of a semver template follow from its lists.
    #[error("its channels are generated from the lists of the template: add or remove bundle images there")]
    GeneratedChannels,
    /// What can be done to semver templates only.
    #[error("it is no olm.semver template")]
    NoTemplate,
    /// A list of a semver template has the image already.
    #[error("{image} is already in {}", .list.name())]
    InList {
        /// The image.
        image: String,
        /// The list.
        list: List,
    },
    /// A list of a semver template does not have the image.
    #[error("{image} is not in {}", .list.name())]
    NotInList {
        /// The image.
        image: String,
        /// The list.
        list: List,
    },
    /// An item of a list needs an image.
    #[error("a bundle image is needed")]
    NoImage,
    /// What cannot be the image of a bundle: opm pulls images by registry, name, and tag or digest.
    #[error("{image} is no image that opm can pull: {reason}")]
    BadImage {
        /// What was given.
        image: String,
        /// Why not.
        reason: String,
    },
    /// A template has the bundle's image and does not say that it is the bundle's.
    #[error("the image of {0} in the template is not known: also open a catalog generated from it")]
    ImageOnly(BundleName),
    /// A channel must have a name.
    #[error("a channel needs a name")]
    NoName,
    /// What was to be added is no bundle of the package.
    #[error("not a bundle of the package: {0}")]
    NoBlob(&'static str),
    /// The package has no `olm.package` object.
    #[error("package {0} has no olm.package object for its default channel")]
    NoDefinition(PackageName),
    /// The default channel was to go, and no other was named.
    #[error("{0} is the default channel: first make another one the default")]
    IsDefault(ChannelName),
    /// The default channel would have no entries.
    #[error("the default channel {0} would have no entries left: first make another one the default")]
    EmptiesDefault(ChannelName),
    /// Every channel would be left without entries.
    #[error("package {0} would be empty")]
    NothingLeft(PackageName),
    /// No bundle is below the version.
    #[error("the package has no bundle older than {0}")]
    NothingBelow(Version),
    /// A deprecation must tell something.
    #[error("a deprecation needs a message: users see nothing else")]
    NoMessage,
    /// The package says nothing of the kind.
    #[error("{0} is not deprecated")]
    NotDeprecated(String),
    /// The document cannot be read.
    #[error("the document cannot be read")]
    Unreadable,
    /// The file is UTF-16 text, and edits are written in UTF-8.
    #[error("{} is UTF-16 text: save it as UTF-8 first", .0.display())]
    Utf16(PathBuf),
    /// With another document in it, or without one, the file would be read as something else.
    #[error("{} cannot be split safely there. Make this edit in $EDITOR.", .0.display())]
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
