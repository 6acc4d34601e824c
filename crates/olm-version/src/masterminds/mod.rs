//! Range dialect of `spec.source.catalog.version` of OLM v1: that of the Go library Masterminds/semver, version
//! 3.
//!
//! `=`, `!=`, `>`, `>=` or `=>`, `<`, `<=` or `=<`, `~` or `~>`, `^` before a version; a comma or white space
//! for AND, `||` for OR; hyphen ranges `1.2 - 2.3`; partial versions, a leading `v`, and the wildcards `x`, `X`
//! and `*`. Without an operator a full version is exact and a partial one works like `~`.
//!
//! A pre-release version only matches if some clause of the AND group has a pre-release. Quirks of the library
//! are reproduced: `~0.0.0` matches every release, `^*` only `0.0.0`, `<=*` versions below `0.1.0`; text after
//! a wildcard is ignored (`1.x.7` is `1.x`).

mod clause;
mod hyphen;
mod parse;
mod spelling;

use super::{RangeError, Version};
use clause::Clause;

pub(super) use spelling::blang_spelling;

/// A parsed constraint.
///
/// ```
/// use olm_version::{Version, masterminds::Constraint};
///
/// let constraint = Constraint::parse("^1.2, !=1.3.0 || 3.1 - 3.4")?;
/// assert!(constraint.matches(&Version::new(1, 4, 0)));
/// assert!(!constraint.matches(&Version::parse("1.4.0-rc.1")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    groups: Vec<Group>,
}

/// Clauses that must all be satisfied: one side of `||`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Group {
    clauses: Vec<Clause>,
}

impl Group {
    /// Returns true if pre-release versions can match: some clause has a pre-release.
    fn admits_prereleases(&self) -> bool {
        self.clauses.iter().any(|clause| !clause.pre.is_empty())
    }

    fn matches(&self, version: &Version) -> bool {
        (!version.is_prerelease() || self.admits_prereleases())
            && self.clauses.iter().all(|c| c.matches(version))
    }
}

impl Constraint {
    /// Parses a constraint.
    ///
    /// # Errors
    /// The first error, its column and, if the other dialect was intended, the spelling in this one.
    pub fn parse(text: &str) -> Result<Self, RangeError> {
        parse::parse_constraint(text).map_err(|error| error.with_suggestion(spelling::suggest_spelling(text)))
    }

    /// Returns true if `version` satisfies the constraint; build metadata is ignored.
    pub fn matches(&self, version: &Version) -> bool {
        self.matched_alternative(version).is_some()
    }

    /// Returns the index of the first matching side of `||`.
    pub fn matched_alternative(&self, version: &Version) -> Option<usize> {
        self.groups.iter().position(|group| group.matches(version))
    }

    /// Returns true if any side of `||` allows pre-release versions.
    pub fn admits_prereleases(&self) -> bool {
        self.groups.iter().any(Group::admits_prereleases)
    }
}

#[cfg(test)]
mod tests;
