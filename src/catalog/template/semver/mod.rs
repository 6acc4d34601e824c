//! `olm.semver` templates: three lists of bundle images, of which opm makes channels (operator-registry
//! `alpha/template/semver`).
//!
//! `document` reads the template, with the place of everything in it; `generate` makes the channels of what the lists
//! name. The second is pure and parses nothing, so that it can run at every key press.

mod document;
mod generate;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use document::{Document, DocumentFault, DocumentFaultKind, Image, Written, read};
pub use generate::{Channel, Entry, Fault, Generated, Item, Lists, MOST_SKIPS, Spot, generate};

use crate::{catalog::blob::BundleBlob, version::Version};

/// What channels follow from: the package and the version of the only `olm.package` property of a bundle.
///
/// # Errors
///
/// Why opm makes no channels of it, in words.
pub fn package_and_version(bundle: &BundleBlob) -> Result<(&str, Cow<'_, Version>), String> {
    let [property] = bundle.package_properties.as_slice() else {
        let count = bundle.package_properties.len();
        return Err(format!("{count} `olm.package` properties, where exactly one is needed"));
    };
    let version = match &property.parsed {
        Ok(parsed) => Cow::Borrowed(&parsed.version),
        // The release beside it does not count here.
        Err(_) => Cow::Owned(
            Version::parse(&property.version.value)
                .map_err(|error| format!("version `{}`: {error}", property.version.value))?,
        ),
    };
    Ok((&property.package_name.value, version))
}

/// A list of a semver template; the order is that in which opm goes through them.
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
    /// All lists, in the order in which opm goes through them; of the later ones the default channel is made.
    pub const ALL: [Self; 3] = [Self::Candidate, Self::Fast, Self::Stable];

    /// Its key in the template, with which the names of its channels begin.
    pub fn name(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Fast => "fast",
            Self::Stable => "stable",
        }
    }
}

/// What a generated channel holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelKind {
    /// All versions with one major version: `stable-v1`.
    Major,
    /// All versions with one minor version: `stable-v1.2`.
    Minor,
}

impl ChannelKind {
    /// The word for it in `defaultChannelTypePreference`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Major => "major",
            Self::Minor => "minor",
        }
    }
}

/// Which channels are made, and which of them is the default where two begin with the same bundle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Settings {
    /// `generateMajorChannels`
    pub major: bool,
    /// `generateMinorChannels`; also where neither is set.
    pub minor: bool,
    /// `defaultChannelTypePreference`
    pub preference: ChannelKind,
}

/// Why a `defaultChannelTypePreference` is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PreferenceFault {
    /// It is no word that opm knows.
    #[error("defaultChannelTypePreference is `{0}`, not `major` or `minor`")]
    Unknown(String),
    /// No channels of this kind are made.
    #[error("defaultChannelTypePreference is `{}`, but no {} channels are generated", .0.name(), .0.name())]
    NotMade(ChannelKind),
}

impl Settings {
    /// The settings that a template means; an empty preference is none.
    ///
    /// # Errors
    ///
    /// A preference that opm refuses.
    pub fn new(major: bool, minor: bool, preference: &str) -> Result<Self, PreferenceFault> {
        let minor = minor || !major;
        let preference = match preference {
            "" if minor => ChannelKind::Minor,
            "" => ChannelKind::Major,
            "minor" if minor => ChannelKind::Minor,
            "major" if major => ChannelKind::Major,
            "minor" => return Err(PreferenceFault::NotMade(ChannelKind::Minor)),
            "major" => return Err(PreferenceFault::NotMade(ChannelKind::Major)),
            other => return Err(PreferenceFault::Unknown(other.to_owned())),
        };
        Ok(Self { major, minor, preference })
    }

    /// Whether channels of a kind are made.
    pub fn makes(self, kind: ChannelKind) -> bool {
        match kind {
            ChannelKind::Major => self.major,
            ChannelKind::Minor => self.minor,
        }
    }
}

#[cfg(test)]
mod tests;
