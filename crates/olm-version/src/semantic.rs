//! Semantic versions: strict, and as blang's `ParseTolerant` parses them, as in a ClusterServiceVersion.

use std::{cmp::Ordering, fmt, str::FromStr};

use crate::error::{VersionError, VersionErrorKind, column_of};

/// A strict semantic version (2.0.0) by OLM's rules: three numbers up to 64 bits, no leading zeros, no `v`.
///
/// Equality and hash are exact, so build metadata counts. OLM's order ignores it. An `Ord` that disagrees with
/// `Eq` would break maps and sorting, so use [`Version::cmp_precedence`].
///
/// ```
/// use olm_version::Version;
///
/// let version = Version::parse("1.10.0-rc.1")?;
/// assert!(version.is_prerelease());
/// assert!(version.cmp_precedence(&Version::parse("1.9.0")?).is_gt());
/// # Ok::<(), olm_version::VersionError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Version(semver::Version);

impl Version {
    /// Parses a version, without trimming or completing it.
    ///
    /// # Errors
    /// The first error, its column, and a suggested version.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        let error = match check_version(text) {
            // The crate `semver` accepts everything that the check accepts. If they ever disagree,
            // the text is invalid.
            Ok(()) => match semver::Version::parse(text) {
                Ok(version) => return Ok(Self(version)),
                Err(_) => VersionFault { kind: VersionErrorKind::TooShort, offset: 0 },
            },
            Err(fault) => fault,
        };
        Err(VersionError {
            kind: error.kind,
            column: column_of(text, error.offset),
            suggestion: suggest_version(text),
        })
    }

    /// Creates a version from its three numbers.
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Returns the major version.
    pub const fn major(&self) -> u64 {
        self.0.major
    }

    /// Returns the minor version.
    pub const fn minor(&self) -> u64 {
        self.0.minor
    }

    /// Returns the patch version.
    pub const fn patch(&self) -> u64 {
        self.0.patch
    }

    /// Returns the pre-release without its hyphen, such as `rc.1`; empty if absent.
    pub fn pre(&self) -> &str {
        self.0.pre.as_str()
    }

    /// Returns the build metadata without its plus sign; empty if absent.
    pub fn build(&self) -> &str {
        self.0.build.as_str()
    }

    /// Returns true if the version has a pre-release.
    pub fn is_prerelease(&self) -> bool {
        !self.0.pre.is_empty()
    }

    /// Compares by the precedence of semantic versions. A pre-release is lower than the version
    /// without it, and build metadata is ignored.
    pub fn cmp_precedence(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }

    /// Returns the version without its build metadata.
    #[must_use]
    pub fn without_build(&self) -> Self {
        let mut version = self.0.clone();
        version.build = semver::BuildMetadata::EMPTY;
        Self(version)
    }

    /// Returns the lowest version above this one; `None` for the highest.
    ///
    /// There is no version between `1.0.0` and `1.0.1-0`, or between `1.0.0-a` and `1.0.0-a.0`.
    pub fn successor(&self) -> Option<Self> {
        let (major, minor, patch) = (self.0.major, self.0.minor, self.0.patch);
        let (numbers, pre) = if self.is_prerelease() {
            ((major, minor, patch), format!("{}.0", self.pre()))
        } else if let Some(patch) = patch.checked_add(1) {
            ((major, minor, patch), "0".to_owned())
        } else if let Some(minor) = minor.checked_add(1) {
            ((major, minor, 0), "0".to_owned())
        } else {
            ((major.checked_add(1)?, 0, 0), "0".to_owned())
        };
        let mut version = semver::Version::new(numbers.0, numbers.1, numbers.2);
        version.pre = semver::Prerelease::new(&pre).ok()?;
        Some(Self(version))
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl serde::Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Version {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Version {
    /// Formats the version like its source text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// An error with its byte offset, which [`VersionError`] has as a column.
pub(super) struct VersionFault {
    pub(super) kind: VersionErrorKind,
    pub(super) offset: usize,
}

/// Finds the first error of a version text.
fn check_version(text: &str) -> Result<(), VersionFault> {
    let fault = |kind, offset| Err(VersionFault { kind, offset });
    if text.is_empty() {
        return fault(VersionErrorKind::Empty, 0);
    }
    let mut parts = text.splitn(3, '.');
    let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return fault(VersionErrorKind::TooShort, text.len());
    };
    let minor_at = major.len() + 1;
    let patch_at = minor_at + minor.len() + 1;
    // Build metadata may contain hyphens, so its plus sign is found first.
    let (rest, build) = rest.split_once('+').map_or((rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, pre) = rest.split_once('-').map_or((rest, None), |(patch, pre)| (patch, Some(pre)));
    check_number("major", major, 0)?;
    check_number("minor", minor, minor_at)?;
    check_number("patch", patch, patch_at)?;
    if let Some(pre) = pre {
        check_identifiers(pre, patch_at + patch.len() + 1, "pre-release", true)?;
    }
    if let Some(build) = build {
        check_identifiers(build, patch_at + rest.len() + 1, "build metadata", false)?;
    }
    Ok(())
}

fn check_number(part: &'static str, text: &str, mut offset: usize) -> Result<(), VersionFault> {
    let kind = if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        offset += text.bytes().take_while(u8::is_ascii_digit).count();
        VersionErrorKind::NotANumber { part, text: text.to_owned() }
    } else if text.len() > 1 && text.starts_with('0') {
        VersionErrorKind::LeadingZero { part, text: text.to_owned() }
    } else if text.parse::<u64>().is_err() {
        VersionErrorKind::TooLarge { part, text: text.to_owned() }
    } else {
        return Ok(());
    };
    Err(VersionFault { kind, offset })
}

/// Checks dot-separated identifiers. If `numbers` is true, an identifier of digits must be a valid
/// number; build metadata has no such rule.
pub(super) fn check_identifiers(
    text: &str,
    mut offset: usize,
    part: &'static str,
    numbers: bool,
) -> Result<(), VersionFault> {
    for identifier in text.split('.') {
        if identifier.is_empty() {
            return Err(VersionFault { kind: VersionErrorKind::EmptyIdentifier { part }, offset });
        }
        if let Some((at, character)) =
            identifier.char_indices().find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '-')
        {
            let kind = VersionErrorKind::InvalidCharacter { part, text: identifier.to_owned(), character };
            return Err(VersionFault { kind, offset: offset + at });
        }
        if numbers && identifier.bytes().all(|b| b.is_ascii_digit()) {
            check_number(part, identifier, offset)?;
        }
        offset += identifier.len() + 1;
    }
    Ok(())
}

/// Suggests a version for an invalid text: without blanks, `v` and leading zeros, and with three numbers.
fn suggest_version(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at_checked(end)?;
    let mut numbers: Vec<&str> = numbers
        .split('.')
        .map(|number| match number.trim_start_matches('0') {
            "" if !number.is_empty() => "0",
            stripped => stripped,
        })
        .collect();
    while numbers.len() < 3 {
        numbers.push("0");
    }
    let suggestion = format!("{}{rest}", numbers.join("."));
    check_version(&suggestion).is_ok().then_some(suggestion)
}

impl Version {
    /// Parses a version like OLM parses `spec.version` of a ClusterServiceVersion. Drops surrounding blanks, a
    /// leading `v` and leading zeros; missing numbers are 0. Source: blang/semver v4, `ParseTolerant`.
    ///
    /// # Errors
    ///
    /// If the result is still invalid, or if a pre-release or build follows fewer than three numbers.
    ///
    /// ```
    /// use olm_version::Version;
    ///
    /// assert_eq!(Version::parse_tolerant("v1.02")?, Version::new(1, 2, 0));
    /// assert!(Version::parse_tolerant("1.2-rc.1").is_err());
    /// # Ok::<(), olm_version::VersionError>(())
    /// ```
    pub fn parse_tolerant(text: &str) -> Result<Self, VersionError> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        let is_short = parts.len() < 3;
        let has_suffix = parts.last().is_some_and(|last| last.contains(['+', '-']));
        if is_short && has_suffix {
            return Self::parse(text);
        }
        parts.resize(3, "0".to_owned());
        Self::parse(&parts.join("."))
    }
}

/// Removes leading zeros: `007` becomes `7`; `00` and `00-rc` keep one zero.
fn without_leading_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    let zero = if trimmed.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    format!("{zero}{trimmed}")
}

#[cfg(test)]
mod tests {
    use super::{Version, *};

    fn parse_version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn display_equals_source_text() {
        for text in
            ["0.0.0", "1.2.3", "18446744073709551615.0.1", "1.0.0-0", "1.0.0-rc.1", "1.0.0--", "1.0.0+01.a-b"]
        {
            assert_eq!(parse_version(text).to_string(), text);
        }
    }

    #[test]
    fn accessors_return_parts() {
        let version = parse_version("1.2.3-rc.1+git.a-b");
        assert_eq!((version.major(), version.minor(), version.patch()), (1, 2, 3));
        assert_eq!((version.pre(), version.build()), ("rc.1", "git.a-b"));
        assert!(version.is_prerelease());
        assert!(!parse_version("1.2.3+rc.1").is_prerelease());
    }

    #[test]
    fn rejects_invalid_versions_with_column_and_suggestion() {
        let cases = [
            ("", 1, None),
            ("1", 2, Some("1.0.0")),
            ("1.2", 4, Some("1.2.0")),
            ("v1.2.3", 1, Some("1.2.3")),
            (" 1.2.3", 1, Some("1.2.3")),
            ("1.2.3 ", 6, Some("1.2.3")),
            ("1.2.3.4", 6, None),
            ("01.2.3", 1, Some("1.2.3")),
            ("1.02.3", 3, Some("1.2.3")),
            ("1.2.00", 5, Some("1.2.0")),
            ("1..3", 3, None),
            ("1.2.x", 5, None),
            ("18446744073709551616.0.0", 1, None),
            ("1.0.0-", 7, None),
            ("1.0.0-a..b", 9, None),
            ("1.0.0-01", 7, None),
            ("1.0.0-18446744073709551616", 7, None),
            ("1.0.0-r_c", 8, None),
            ("1.0.0+", 7, None),
            ("1.0.0+a+b", 8, None),
            ("1.2.3-é", 7, None),
            ("٣.0.0", 1, None),
        ];
        for (text, column, suggestion) in cases {
            let error = Version::parse(text).unwrap_err();
            assert_eq!((error.column, error.suggestion.as_deref()), (column, suggestion), "{text}: {error}");
        }
    }

    #[test]
    fn order_ignores_build_metadata_but_equality_does_not() {
        let (plain, build) = (parse_version("1.0.0"), parse_version("1.0.0+2"));
        assert_eq!(plain.cmp_precedence(&build), Ordering::Equal);
        assert_ne!(plain, build);
        assert_eq!(build.without_build(), plain);
    }

    #[test]
    fn order_is_that_of_semantic_versions() {
        let ascending = [
            "0.0.0-0",
            "0.0.0",
            "0.0.1-1",
            "0.0.1-9",
            "0.0.1-10",
            "0.0.1--",
            "0.0.1-a",
            "0.0.1-a.0",
            "0.0.1",
            "0.10.0",
        ];
        for pair in ascending.windows(2) {
            assert!(parse_version(pair[0]).cmp_precedence(&parse_version(pair[1])).is_lt(), "{pair:?}");
        }
    }

    #[test]
    fn successor_is_next_version_in_order() {
        let next = |text: &str| parse_version(text).successor().map(|v| v.to_string());
        assert_eq!(next("1.2.3").as_deref(), Some("1.2.4-0"));
        assert_eq!(next("1.2.3-rc").as_deref(), Some("1.2.3-rc.0"));
        assert_eq!(next("1.2.18446744073709551615").as_deref(), Some("1.3.0-0"));
        let top = "18446744073709551615.18446744073709551615.18446744073709551615";
        assert_eq!(next(top), None);
    }

    #[test]
    fn completes_missing_numbers_and_drops_extra_text() {
        let cases = [
            ("1", Some("1.0.0")),
            (" v1.2 ", Some("1.2.0")),
            ("1.02.003", Some("1.2.3")),
            ("1.00.0", Some("1.0.0")),
            ("1.2.00-rc.1+b", Some("1.2.0-rc.1+b")),
            ("1.2.3-01", None),
            ("1.2-rc", None),
            ("1+b", None),
            ("", None),
            ("v", None),
            ("1.x.0", None),
        ];
        for (text, expected) in cases {
            let read = Version::parse_tolerant(text).ok().map(|version| version.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
