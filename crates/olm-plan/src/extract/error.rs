//! Errors of extracting a part of a catalog.

use thiserror::Error;

use olm_catalog::{ChannelName, PackageName};
use olm_edit::EditError;
use olm_version::RangeError;

/// Reason why nothing can be extracted.
#[derive(Debug, Error)]
pub enum ExtractError {
    /// The request is empty.
    #[error("nothing is asked for")]
    EmptyRequest,
    /// The text does not contain a package name.
    #[error("{0:?} names no package")]
    NoName(String),
    /// A template is not a catalog.
    #[error("it is a template, not a catalog")]
    Template,
    /// The package does not exist in the catalog.
    #[error("no package {package}")]
    NoPackage {
        /// Name of the package.
        package: PackageName,
        /// Similar name, if there is one.
        suggestion: Option<String>,
    },
    /// The channel does not exist in the package.
    #[error("no channel {channel} in package {package}")]
    NoChannel {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
        /// Existing channels.
        channels: Vec<ChannelName>,
    },
    /// The range cannot be parsed.
    #[error("{wish}: not a range: {error}")]
    Range {
        /// The request.
        wish: String,
        /// Range as typed.
        range: String,
        /// Reason.
        error: Box<RangeError>,
    },
    /// No version is in the range.
    #[error("{wish}: no version is in this range")]
    NoneInRange {
        /// The request.
        wish: String,
        /// Lowest and highest existing version.
        versions: Option<(String, String)>,
        /// True if pre-releases would match the range.
        prereleases: bool,
    },
    /// opm rejects the channel, so no part of it can be valid.
    #[error("{wish}: no range can be taken of channel {channel}: {why}")]
    BadChannel {
        /// The request.
        wish: String,
        /// Name of the channel.
        channel: ChannelName,
        /// Reason of opm.
        why: String,
    },
    /// The requested default channel is not part of the extract.
    #[error("{channel} cannot be the default channel of {package}: it is not taken")]
    DefaultNotExtracted {
        /// Name of the package.
        package: PackageName,
        /// Name of the channel.
        channel: ChannelName,
    },
    /// The default channel belongs to a package that is not part of the extract.
    #[error("a default channel is named for {0}, which is not taken")]
    DefaultOfOtherPackage(PackageName),
    /// The documents cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl ExtractError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::EmptyRequest | Self::NoName(_) => {
                Some("a package, PACKAGE:CHANNEL, or PACKAGE:CHANNEL:RANGE".to_owned())
            }
            Self::Template => Some("olmap template render makes the catalog".to_owned()),
            Self::NoPackage { suggestion: meant, .. } => {
                meant.as_ref().map(|meant| format!("did you mean {meant}?"))
            }
            Self::NoChannel { channels, .. } => {
                let names: Vec<&str> = channels.iter().take(20).map(ChannelName::as_str).collect();
                (!names.is_empty()).then(|| format!("channels: {}", names.join(", ")))
            }
            Self::Range { error, .. } => error.hint.clone(),
            Self::NoneInRange { versions, prereleases, .. } => {
                let (low, high) = versions.as_ref()?;
                let there = if low == high {
                    format!("the only version is {low}")
                } else {
                    format!("the versions go from {low} to {high}")
                };
                let more = "; pre-releases are in a range only where it names one, such as >=1.0.0-0";
                Some(format!("{there}{}", if *prereleases { more } else { "" }))
            }
            Self::BadChannel { .. } => Some(
                "take the channel as a whole, or mend it first: olmap validate shows what is wrong"
                    .to_owned(),
            ),
            Self::DefaultNotExtracted { package, channel } => {
                Some(format!("ask for {package}:{channel} too"))
            }
            Self::DefaultOfOtherPackage(_) | Self::Edit(_) => None,
        }
    }
}
