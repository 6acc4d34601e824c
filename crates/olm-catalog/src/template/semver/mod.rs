//! `olm.semver` templates: three lists of bundle images from which opm generates channels (operator-registry
//! `alpha/template/semver`).
//!
//! `document` parses the template with the spans of its parts; `generate` generates the channels of the listed
//! bundles. The latter is pure and does not parse, so it can run on every key press.

mod document;
mod generate;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use document::{
    Document, DocumentError, DocumentErrorKind, Image, WrittenSettings, parse_semver_template,
};
pub use generate::{
    Channel, Entry, GenerateError, Generated, Item, ListPosition, Lists, MAX_SKIPS, generate,
};

use crate::blob::BundleBlob;
use olm_version::Version;

/// Returns the package and version of a bundle's only `olm.package` property, which determine its channels.
///
/// # Errors
///
/// The reason why opm does not generate channels.
pub fn package_and_version(bundle: &BundleBlob) -> Result<(&str, Cow<'_, Version>), String> {
    let [property] = bundle.package_properties.as_slice() else {
        let count = bundle.package_properties.len();
        return Err(format!("{count} `olm.package` properties, where exactly one is needed"));
    };
    let version = match &property.parsed {
        Ok(parsed) => Cow::Borrowed(&parsed.version),
        // The release does not matter here.
        Err(_) => Cow::Owned(
            Version::parse(&property.version.value)
                .map_err(|error| format!("version `{}`: {error}", property.version.value))?,
        ),
    };
    Ok((&property.package_name.value, version))
}

/// A list of a semver template, ordered like opm's processing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum List {
    /// `candidate`
    Candidate,
    /// `fast`
    Fast,
    /// `stable`
    Stable,
}

impl List {
    /// All lists in opm's order; the default channel comes from the last non-empty one.
    pub const ALL: [Self; 3] = [Self::Candidate, Self::Fast, Self::Stable];

    /// Returns its key in the template, which is also the prefix of its channel names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Fast => "fast",
            Self::Stable => "stable",
        }
    }
}

/// Kind of a generated channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    /// All versions of one major version: `stable-v1`.
    Major,
    /// All versions of one minor version: `stable-v1.2`.
    Minor,
}

impl ChannelKind {
    /// Returns its value in `defaultChannelTypePreference`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Major => "major",
            Self::Minor => "minor",
        }
    }
}

/// Kinds of generated channels, and the preference for the default channel if two begin with the same bundle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    /// `generateMajorChannels`
    pub major: bool,
    /// `generateMinorChannels`; also true if neither is set.
    pub minor: bool,
    /// `defaultChannelTypePreference`
    pub preference: ChannelKind,
}

/// Error of a `defaultChannelTypePreference`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PreferenceError {
    /// An unknown value.
    #[error("defaultChannelTypePreference is `{0}`, not `major` or `minor`")]
    Unknown(String),
    /// Channels of this kind are not generated.
    #[error("defaultChannelTypePreference is `{}`, but no {} channels are generated", .0.name(), .0.name())]
    NotGenerated(ChannelKind),
}

impl Settings {
    /// Resolves the settings of a template; an empty preference means none.
    ///
    /// # Errors
    ///
    /// If opm rejects the preference.
    pub fn new(major: bool, minor: bool, preference: &str) -> Result<Self, PreferenceError> {
        let minor = minor || !major;
        let preference = match preference {
            "" if minor => ChannelKind::Minor,
            "" => ChannelKind::Major,
            "minor" if minor => ChannelKind::Minor,
            "major" if major => ChannelKind::Major,
            "minor" => return Err(PreferenceError::NotGenerated(ChannelKind::Minor)),
            "major" => return Err(PreferenceError::NotGenerated(ChannelKind::Major)),
            other => return Err(PreferenceError::Unknown(other.to_owned())),
        };
        Ok(Self { major, minor, preference })
    }

    /// Returns true if channels of a kind are generated.
    pub fn generates(self, kind: ChannelKind) -> bool {
        match kind {
            ChannelKind::Major => self.major,
            ChannelKind::Minor => self.minor,
        }
    }
}

#[cfg(test)]
mod tests;
