//! Why nothing is taken out of a catalog.

use thiserror::Error;

use crate::{
    catalog::{ChannelName, PackageName},
    edit::EditError,
    version::RangeError,
};

/// Why nothing is taken out of a catalog.
#[derive(Debug, Error)]
pub enum Fault {
    /// Nothing is asked for.
    #[error("nothing is asked for")]
    Nothing,
    /// No package stands in what was typed.
    #[error("{0:?} names no package")]
    NoName(String),
    /// A template is no catalog.
    #[error("it is a template, not a catalog")]
    Template,
    /// The catalog does not have the package.
    #[error("no package {package}")]
    NoPackage {
        /// The package.
        package: PackageName,
        /// What was meant, perhaps.
        meant: Option<String>,
    },
    /// The package does not have the channel.
    #[error("no channel {channel} in package {package}")]
    NoChannel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// Those it has.
        channels: Vec<ChannelName>,
    },
    /// What was typed as a range is none.
    #[error("{wish}: not a range: {error}")]
    Range {
        /// What was asked for.
        wish: String,
        /// The range as typed.
        range: String,
        /// Why it is none.
        error: Box<RangeError>,
    },
    /// No version is in the range.
    #[error("{wish}: no version is in this range")]
    NoneInRange {
        /// What was asked for.
        wish: String,
        /// The lowest and the highest version there is.
        versions: Option<(String, String)>,
        /// Whether pre-releases would be in it, were they let through.
        prereleases: bool,
    },
    /// opm rejects the channel, so no part of it can be valid.
    #[error("{wish}: no range can be taken of channel {channel}: {why}")]
    BadChannel {
        /// What was asked for.
        wish: String,
        /// The channel.
        channel: ChannelName,
        /// Why opm rejects it.
        why: String,
    },
    /// The channel that is to be the default one is not taken.
    #[error("{channel} cannot be the default channel of {package}: it is not taken")]
    DefaultNotTaken {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
    },
    /// A default channel is named for a package that is not taken.
    #[error("a default channel is named for {0}, which is not taken")]
    DefaultOfNobody(PackageName),
    /// The documents cannot be edited.
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl Fault {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Nothing | Self::NoName(_) => {
                Some("a package, PACKAGE:CHANNEL, or PACKAGE:CHANNEL:RANGE".to_owned())
            }
            Self::Template => Some("olmap template render makes the catalog".to_owned()),
            Self::NoPackage { meant, .. } => meant.as_ref().map(|meant| format!("did you mean {meant}?")),
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
            Self::DefaultNotTaken { package, channel } => Some(format!("ask for {package}:{channel} too")),
            Self::DefaultOfNobody(_) | Self::Edit(_) => None,
        }
    }
}
