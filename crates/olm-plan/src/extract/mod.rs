//! Valid subsets of a catalog: packages, channels or version ranges of channels, with everything they require.
//!
//! [`extract()`] returns an edit and a description of its result. The rules are opm's (`olmap explain`,
//! `opm validate`). The default channel of a package must exist, and a channel has exactly one head. Each other
//! entry is on the chain of `replaces` from the head down, or is skipped by an entry. oc-mirror cuts in a
//! different way: see [`mirror`](super::mirror).

mod extraction;
mod plan;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    sync::Arc,
};

use thiserror::Error;

use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, package::Package};
use olm_edit::EditError;
use olm_upgrade::resolve::{
    CatalogIndex, Question, Source,
    index::BundlePosition,
    needs::{self, Need},
};
use olm_version::{RangeError, masterminds::Constraint};

pub use extraction::{
    DefaultChannel, Extract, ExtractOptions, ExtractPlan, ExtractReason, ExtractedChannel, ExtractedPackage,
    RedirectedUpgrade, catalog_files, extract, new_rejections, plan_extract,
};
pub use plan::InclusionReason;

/// Name of both catalogs in the resolver; it is never shown.
const OWN_CATALOG: &str = "catalog";

/// Missing dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDependency {
    /// Package that requires it.
    pub package: PackageName,
    /// Description of the dependency.
    pub what: String,
    /// Bundles that require it.
    pub by: Vec<BundleName>,
    /// Packages of the whole catalog that provide it, in OLM's order; empty if it is not in the catalog.
    pub providers: Vec<PackageName>,
}

/// Returns the missing dependencies of a part of a catalog, each once per package.
fn find_missing(whole: &Arc<CatalogIndex>, part: &Catalog) -> Vec<MissingDependency> {
    // Bundles without dependencies are skipped before any lookup.
    let asking: Vec<(&PackageName, usize, &BundleName)> = part
        .packages()
        .flat_map(|package| {
            let bundles = package.bundles.iter().enumerate();
            let bundles = bundles.filter(|(_, bundle)| !bundle.requires.is_empty());
            bundles.map(|(at, bundle)| (&package.name, at, &bundle.name.value))
        })
        .collect();
    if asking.is_empty() {
        return Vec::new();
    }
    let question = |index: &Arc<CatalogIndex>| Question::new(vec![Source::new(OWN_CATALOG, index)]);
    let part = Arc::new(CatalogIndex::new(part));
    let (here, there) = (question(&part), question(whole));
    let mut found: BTreeMap<(&PackageName, String), MissingDependency> = BTreeMap::new();
    for (package, bundle, name) in asking {
        let Some(place) = part.package_position(package.as_str()) else { continue };
        let of = needs::for_bundle(&here, 0, BundlePosition { package: place, bundle });
        let mut elsewhere: Option<Vec<Need>> = None;
        for (nth, need) in of.into_iter().enumerate().filter(|(_, need)| need.providers.is_empty()) {
            let known = found.entry((package, need.description.clone())).or_insert_with(|| {
                let all = elsewhere.get_or_insert_with(|| {
                    let at = whole.package_position(package.as_str()).and_then(|package| {
                        let bundle = whole.packages().get(package)?.bundle_position(name.as_str())?;
                        Some(BundlePosition { package, bundle })
                    });
                    at.map(|at| needs::for_bundle(&there, 0, at)).unwrap_or_default()
                });
                let mut seen = HashSet::new();
                let by = all.get(nth).filter(|same| same.description == need.description).into_iter();
                let by = by.flat_map(|need| &need.providers).map(|provider| provider.package.clone());
                MissingDependency {
                    package: package.clone(),
                    what: need.description,
                    by: Vec::new(),
                    providers: by.filter(|package| seen.insert(package.clone())).collect(),
                }
            });
            known.by.push(name.clone());
        }
    }
    found.into_values().collect()
}

/// Request for bundles of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractRequest {
    /// The name of the package.
    pub package: PackageName,
    /// The channel. `None` for all channels.
    pub channel: Option<ChannelName>,
    /// The version range, as typed. `None` for all versions.
    pub range: Option<String>,
}

impl ExtractRequest {
    /// Requests a whole package.
    pub fn whole_package(package: PackageName) -> Self {
        Self { package, channel: None, range: None }
    }

    /// Parses `PACKAGE[:CHANNEL[:RANGE]]`.
    ///
    /// A channel name can contain a colon. `package` looks up packages by name to find such channels.
    ///
    /// # Errors
    ///
    /// Returns an error if the package name is empty.
    pub fn parse<'a>(
        text: &str,
        package: impl Fn(&str) -> Option<&'a Package>,
    ) -> Result<Self, ExtractError> {
        let (name, rest) = match text.split_once(':') {
            None => (text, None),
            Some((name, rest)) => (name, Some(rest)),
        };
        if name.trim().is_empty() {
            return Err(ExtractError::NoName(text.to_owned()));
        }
        let some = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let Some(rest) = rest else { return Ok(Self::whole_package(name.trim().into())) };
        let has =
            |channel: &str| package(name.trim()).is_some_and(|package| package.channel(channel).is_some());
        let split = || {
            let mut colons = rest.match_indices(':').map(|(at, _)| at).rev();
            let parts = |at: usize| Some((rest.get(..at)?, rest.get(at + 1..)?));
            // Prefer the longest channel that exists. If there is none, split at the first colon.
            let known = colons.clone().filter_map(parts).find(|(channel, _)| has(channel.trim()));
            known.or_else(|| colons.next_back().and_then(parts))
        };
        let (channel, range) = match (has(rest.trim()), split()) {
            (false, Some((channel, range))) => (some(channel), some(range)),
            _ => (some(rest), None),
        };
        Ok(Self { package: name.trim().into(), channel: channel.map(Into::into), range })
    }

    /// Returns the requested versions as a constraint. Returns `None` for all versions.
    ///
    /// The syntax is that of version ranges in OLM v1.
    ///
    /// # Errors
    ///
    /// Returns an error if the range is invalid.
    fn constraint(&self) -> Result<Option<Constraint>, ExtractError> {
        let Some(range) = &self.range else { return Ok(None) };
        match Constraint::parse(range) {
            Ok(constraint) => Ok(Some(constraint)),
            Err(error) => Err(ExtractError::Range {
                wish: self.to_string(),
                range: range.clone(),
                error: Box::new(error),
            }),
        }
    }
}

/// Formats the request as typed.
impl fmt::Display for ExtractRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.package.as_str())?;
        match (&self.channel, &self.range) {
            (None, None) => Ok(()),
            (Some(channel), None) => write!(f, ":{channel}"),
            (channel, Some(range)) => {
                write!(f, ":{}:{range}", channel.as_ref().map_or("", ChannelName::as_str))
            }
        }
    }
}

/// Reason why nothing can be extracted.
#[derive(Debug, Error)]
#[non_exhaustive]
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
