//! Extract requests: `PACKAGE[:CHANNEL[:RANGE]]`.

use std::fmt;

use super::error::ExtractError;
use olm_catalog::{ChannelName, PackageName, package::Package};
use olm_version::masterminds::Constraint;

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
    pub(super) fn constraint(&self) -> Result<Option<Constraint>, ExtractError> {
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
