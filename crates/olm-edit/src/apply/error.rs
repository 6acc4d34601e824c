//! Errors of edits.

use std::path::PathBuf;

use crate::rewrite::RewriteError;
use olm_catalog::{BundleName, ChannelName, PackageName, file::DocId, template::semver::List};
use olm_version::Version;

/// Reason why an edit is impossible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The package does not exist.
    #[error("no package {0} in the catalog")]
    NoPackage(PackageName),
    /// The channel does not exist in the package.
    #[error("no channel {0} in the package")]
    NoChannel(ChannelName),
    /// The bundle does not exist in the package.
    #[error("no bundle {0} in the package")]
    NoBundle(BundleName),
    /// The entry does not exist in the channel.
    #[error("no entry {entry} in channel {channel}")]
    NoEntry {
        /// Name of the channel.
        channel: ChannelName,
        /// Name of the entry.
        entry: BundleName,
    },
    /// The channel already has the entry.
    #[error("{entry} is already an entry of {channel}")]
    EntryExists {
        /// Name of the channel.
        channel: ChannelName,
        /// Name of the entry.
        entry: BundleName,
    },
    /// The catalog already has the package.
    #[error("package {0} already exists")]
    PackageExists(PackageName),
    /// The name of a new package is not valid as a file name.
    #[error("no file can be made for package {0}: add its olm.package object in $EDITOR")]
    NoFileName(PackageName),
    /// The package already has the channel.
    #[error("channel {0} already exists")]
    ChannelExists(ChannelName),
    /// The package already has the bundle.
    #[error("bundle {0} already exists")]
    BundleExists(BundleName),
    /// The output of a template is unknown, because its images are.
    #[error("{0} images of the template are not known: what opm would render cannot be worked out")]
    UnknownImages(usize),
    /// A substitution of a template changes or creates the entry.
    #[error("{0} is what a substitution of the template makes of it: edit the substitutions in $EDITOR")]
    Substituted(BundleName),
    /// The channels of a semver template follow from its lists.
    #[error("its channels are generated from the lists of the template: add or remove bundle images there")]
    GeneratedChannels,
    /// The edit is only possible in a semver template.
    #[error("it is no olm.semver template")]
    NotATemplate,
    /// The list of a semver template already has the image.
    #[error("{image} is already in {}", .list.name())]
    ImageExists {
        /// The image.
        image: String,
        /// The list.
        list: List,
    },
    /// The list of a semver template does not have the image.
    #[error("{image} is not in {}", .list.name())]
    NoImageInList {
        /// The image.
        image: String,
        /// The list.
        list: List,
    },
    /// An item of a list requires an image.
    #[error("a bundle image is needed")]
    NoImage,
    /// opm cannot pull the image. It needs a registry, a name, and a tag or a digest.
    #[error("{image} is no image that opm can pull: {reason}")]
    BadImage {
        /// The image.
        image: String,
        /// Reason.
        reason: String,
    },
    /// A template has the bundle's image, but its bundle is unknown.
    #[error("the image of {0} in the template is not known: also open a catalog generated from it")]
    ImageOnly(BundleName),
    /// A template has only the image of the bundle, which determines all other parts.
    #[error("the template has only the image of {0}: change the bundle in the catalog, or in its image")]
    RenderedFromImage(BundleName),
    /// A channel requires a name.
    #[error("a channel needs a name")]
    NoName,
    /// A property requires a type.
    #[error("a property needs a type")]
    NoPropertyType,
    /// None of the bundles has a property of the type.
    #[error("no bundle has a property {0}")]
    NoProperty(String),
    /// A bundle has several properties of the type.
    #[error("{bundle} has several properties {kind}: add or remove one of them")]
    SeveralProperties {
        /// Name of the bundle.
        bundle: BundleName,
        /// Type of the properties.
        kind: String,
    },
    /// A related image requires an image reference.
    #[error("a related image needs an image")]
    EmptyRelatedImage,
    /// None of the bundles has the related image.
    #[error("no bundle has a related image {0}")]
    NoRelatedImage(String),
    /// A bundle has several related images of the name.
    #[error("{bundle} has several related images {name:?}")]
    SeveralRelatedImages {
        /// Name of the bundle.
        bundle: BundleName,
        /// Name of the related images.
        name: String,
    },
    /// The text is not a bundle of the package.
    #[error("not a bundle of the package: {0}")]
    NotABundle(&'static str),
    /// The package does not have an `olm.package` object.
    #[error("package {0} has no olm.package object for its default channel")]
    NoDefinition(PackageName),
    /// The default channel cannot be removed without a new default.
    #[error("{0} is the default channel: first make another one the default")]
    IsDefault(ChannelName),
    /// The default channel would become empty.
    #[error("the default channel {0} would have no entries left: first make another one the default")]
    EmptyDefault(ChannelName),
    /// The channel would become empty.
    #[error("{0} would have no entries left: remove the channel instead")]
    EmptyChannel(ChannelName),
    /// All channels would become empty.
    #[error("package {0} would be empty")]
    NothingLeft(PackageName),
    /// No bundle is below the version.
    #[error("the package has no bundle older than {0}")]
    NothingBelow(Version),
    /// A deprecation requires a message.
    #[error("a deprecation needs a message: users see nothing else")]
    NoMessage,
    /// The target is not deprecated.
    #[error("{0} is not deprecated")]
    NotDeprecated(String),
    /// The document cannot be parsed.
    #[error("the document cannot be read")]
    Unreadable,
    /// The file is UTF-16 text, and edits are written in UTF-8.
    #[error("{} is UTF-16 text: save it as UTF-8 first", .0.display())]
    Utf16(PathBuf),
    /// The file would be read differently with the added or without the removed document.
    #[error("{} cannot be split safely there. Make this edit in $EDITOR.", .0.display())]
    UnsafeSplit(PathBuf),
    /// The form of the document cannot be edited safely.
    #[error("{error}. {}", error.hint())]
    Rewrite {
        /// The document.
        doc: DocId,
        /// Reason.
        error: RewriteError,
    },
}
