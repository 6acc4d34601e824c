//! What somebody asks for: `PACKAGE[:CHANNEL[:RANGE]]`.

use std::fmt;

use super::fault::Fault;
use crate::{
    catalog::{ChannelName, PackageName, package::Package},
    version::masterminds::Constraint,
};

/// What is asked for of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// The package.
    pub package: PackageName,
    /// The channel; `None` for all of them.
    pub channel: Option<ChannelName>,
    /// The versions, as typed; `None` for all of them.
    pub range: Option<String>,
}

impl Wish {
    /// Everything of a package.
    pub fn whole(package: PackageName) -> Self {
        Self { package, channel: None, range: None }
    }

    /// Reads `PACKAGE[:CHANNEL[:RANGE]]`. `package` tells of a package by its name: a channel may have a colon in its name.
    ///
    /// # Errors
    ///
    /// When nothing stands before the first colon.
    pub fn parse<'a>(text: &str, package: impl Fn(&str) -> Option<&'a Package>) -> Result<Self, Fault> {
        let (name, rest) = match text.split_once(':') {
            None => (text, None),
            Some((name, rest)) => (name, Some(rest)),
        };
        if name.trim().is_empty() {
            return Err(Fault::NoName(text.to_owned()));
        }
        let some = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
        let Some(rest) = rest else { return Ok(Self::whole(name.trim().into())) };
        let has =
            |channel: &str| package(name.trim()).is_some_and(|package| package.channel(channel).is_some());
        let split = || {
            let mut colons = rest.match_indices(':').map(|(at, _)| at).rev();
            let parts = |at: usize| Some((rest.get(..at)?, rest.get(at + 1..)?));
            // The longest that is a channel; where none is, the first part is what was meant.
            let known = colons.clone().filter_map(parts).find(|(channel, _)| has(channel.trim()));
            known.or_else(|| colons.next_back().and_then(parts))
        };
        let (channel, range) = match (has(rest.trim()), split()) {
            (false, Some((channel, range))) => (some(channel), some(range)),
            _ => (some(rest), None),
        };
        Ok(Self { package: name.trim().into(), channel: channel.map(Into::into), range })
    }

    /// The versions that are asked for; `None` for all of them. They are read as OLM v1 reads what people type.
    ///
    /// # Errors
    ///
    /// When the range is none.
    pub(super) fn constraint(&self) -> Result<Option<Constraint>, Fault> {
        let Some(range) = &self.range else { return Ok(None) };
        match Constraint::parse(range) {
            Ok(constraint) => Ok(Some(constraint)),
            Err(error) => {
                Err(Fault::Range { wish: self.to_string(), range: range.clone(), error: Box::new(error) })
            }
        }
    }
}

/// As it is typed.
impl fmt::Display for Wish {
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
