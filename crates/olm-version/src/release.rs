//! Releases: the packaging number of a bundle next to its version.

use std::{cmp::Ordering, fmt};

use thiserror::Error;

use super::{
    error::{VersionError, VersionErrorKind, column_of},
    semantic::{Version, check_identifiers},
};

/// Maximum length in bytes: the limit of the `ClusterServiceVersion` API.
pub const MAX_RELEASE_LEN: usize = 20;

/// `release` of an `olm.package` property: dot-separated identifiers with the rules of a pre-release, at most
/// [`MAX_RELEASE_LEN`] bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Release(semver::Prerelease);

/// Error of an invalid release.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Longer than [`MAX_RELEASE_LEN`].
    #[error("the release `{text}` is longer than {MAX_RELEASE_LEN} characters")]
    TooLong {
        /// Text of the release.
        text: String,
    },
    /// An invalid identifier.
    #[error("invalid release: {kind}")]
    Identifier {
        /// Kind of the error.
        kind: VersionErrorKind,
        /// Column, 1-based, in characters.
        column: usize,
    },
}

impl Release {
    /// Parses a release. The empty text is invalid; to OLM it means that there is no release (see
    /// [`VersionRelease::parse`]).
    pub fn parse(text: &str) -> Result<Self, ReleaseError> {
        if text.len() > MAX_RELEASE_LEN {
            return Err(ReleaseError::TooLong { text: text.to_owned() });
        }
        check_identifiers(text, 0, "release", true).map_err(|fault| ReleaseError::Identifier {
            kind: fault.kind,
            column: column_of(text, fault.offset),
        })?;
        semver::Prerelease::new(text).map(Self).map_err(|_| ReleaseError::Identifier {
            kind: VersionErrorKind::EmptyIdentifier { part: "release" },
            column: 1,
        })
    }

    /// Returns the text of the release.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Compares like pre-releases, identifier by identifier: numbers by value and before words. If
    /// one release begins with the other, the shorter one is lower.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A version with an optional release: OLM's sort key of bundles.
///
/// Like [`Version`] it has exact equality and therefore does not implement `Ord`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VersionRelease {
    /// The version.
    pub version: Version,
    /// Release; `None` is lower than any release.
    pub release: Option<Release>,
}

/// Error of a version with a release.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum VersionReleaseError {
    /// The version is invalid.
    #[error("invalid version: {0}")]
    Version(#[from] VersionError),
    /// The release is invalid.
    #[error(transparent)]
    Release(#[from] ReleaseError),
}

impl VersionRelease {
    /// Parses the two strings of an `olm.package` property; an empty release means none.
    pub fn parse(version: &str, release: &str) -> Result<Self, VersionReleaseError> {
        let version = Version::parse(version)?;
        let release = if release.is_empty() { None } else { Some(Release::parse(release)?) };
        Ok(Self { version, release })
    }

    /// Compares in OLM's order: by version without build metadata, then by release.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.version.cmp_precedence(&other.version).then_with(|| match (&self.release, &other.release) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        })
    }
}

impl From<Version> for VersionRelease {
    fn from(version: Version) -> Self {
        Self { version, release: None }
    }
}

impl fmt::Display for VersionRelease {
    /// Formats as `1.2.3`, or `1.2.3-4` with a release. The latter also parses as a pre-release, so it is not
    /// reversible.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.version)?;
        match &self.release {
            Some(release) => write!(f, "-{release}"),
            None => Ok(()),
        }
    }
}

/// Converts build metadata to a release, if it is a valid one, and removes it from the version.
/// Other build metadata is kept, without a release. OLM v1 supports this convention of registry+v1
/// bundles.
pub fn with_release_from_build(version: &Version) -> VersionRelease {
    match Release::parse(version.build()) {
        Ok(release) => VersionRelease { version: version.without_build(), release: Some(release) },
        Err(_) => version.clone().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_both(version: &str, release: &str) -> VersionRelease {
        VersionRelease::parse(version, release).unwrap()
    }

    #[test]
    fn release_has_rules_of_prerelease_and_length_limit() {
        for text in ["1", "0", "rc.1", "a-b", "12345678901234567890", "01a"] {
            assert_eq!(Release::parse(text).unwrap().as_str(), text);
        }
        for text in
            ["", "01", "a..b", ".", "a+b", "a_b", "123456789012345678901", "1.01", "99999999999999999999"]
        {
            assert!(Release::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn order_is_by_version_then_release_with_none_lowest() {
        let ascending = [
            parse_both("1.0.0-rc", "9"),
            parse_both("1.0.0", ""),
            parse_both("1.0.0", "0"),
            parse_both("1.0.0", "2"),
            parse_both("1.0.0", "10"),
            parse_both("1.0.0", "10.0"),
            parse_both("1.0.0", "a"),
            parse_both("1.0.1", ""),
        ];
        for pair in ascending.windows(2) {
            assert!(pair[0].cmp_precedence(&pair[1]).is_lt(), "{pair:?}");
            assert!(pair[1].cmp_precedence(&pair[0]).is_gt(), "{pair:?}");
        }
        assert!(parse_both("1.0.0+a", "1").cmp_precedence(&parse_both("1.0.0+b", "1")).is_eq());
    }

    #[test]
    fn display_joins_version_and_release_with_a_hyphen() {
        assert_eq!(parse_both("1.2.3", "").to_string(), "1.2.3");
        assert_eq!(parse_both("1.2.3-rc+g", "4.5").to_string(), "1.2.3-rc+g-4.5");
    }

    #[test]
    fn build_metadata_that_is_valid_release_becomes_release() {
        let cases = [
            ("1.0.0", "1.0.0", None),
            ("1.0.0+2", "1.0.0", Some("2")),
            ("1.0.0-rc+2.a", "1.0.0-rc", Some("2.a")),
            ("1.0.0+02", "1.0.0+02", None),
            ("1.0.0+123456789012345678901", "1.0.0+123456789012345678901", None),
        ];
        for (text, version, release) in cases {
            let read = with_release_from_build(&Version::parse(text).unwrap());
            assert_eq!(read.version.to_string(), version);
            assert_eq!(read.release.as_ref().map(Release::as_str), release);
        }
    }
}
