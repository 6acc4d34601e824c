//! OpenShift versions, also in the names of folders, files and images.

use std::{fmt, path::Path};

/// A minor version of OpenShift.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpenShift {
    /// Major version, such as 4.
    pub major: u64,
    /// Minor version, such as 18.
    pub minor: u64,
}

/// Error of a text that is not an OpenShift version.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not an OpenShift version; write for example 4.18")]
pub struct OpenShiftError(String);

impl OpenShift {
    /// Parses user input such as `4.18`. Ignores a leading `v` and text after the minor version.
    ///
    /// # Errors
    ///
    /// If the text does not begin with two numbers.
    pub fn parse(text: &str) -> Result<Self, OpenShiftError> {
        let error = || OpenShiftError(text.to_owned());
        let rest = text.trim();
        let mut parts = rest.strip_prefix('v').unwrap_or(rest).splitn(3, '.');
        let mut number = || parts.next().and_then(parse_digits).ok_or_else(error);
        Ok(Self { major: number()?, minor: number()? })
    }

    /// Returns the version in a path or an image reference: the last separate word such as `v4.18` or `4.18`.
    pub fn find_in_text(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
        let words = text.split(|c| !is_part(c));
        let read = |word: &str| {
            let word = word.strip_prefix('v').unwrap_or(word);
            let mut parts = word.split('.');
            let found = Self { major: parse_digits(parts.next()?)?, minor: parse_digits(parts.next()?)? };
            // Text after the minor version may be a file extension, but not a patch version.
            let is_minor =
                parts.next().is_none_or(|next| next.starts_with(|c: char| c.is_ascii_alphabetic()));
            (is_minor && matches!(found.major, 4 | 5)).then_some(found)
        };
        words.filter_map(read).next_back().or_else(|| Self::from_path(text))
    }

    /// Parses a name that is exactly a version of OpenShift 4, such as `4.18`. Other numbers are product
    /// versions.
    pub fn parse_name(text: &str) -> Option<Self> {
        let (rest, version) = Self::split_prefix(text)?;
        (rest.is_empty() && text.contains('.')).then_some(version)
    }

    /// Returns the version at the end of a name: `v4.18`, `4.18`, `catalog-4.18`, `catalog-v4-18`.
    pub fn from_name(name: &str) -> Option<Self> {
        let bare = name.strip_prefix('v').unwrap_or(name);
        let is_end = |text: &str| {
            let (rest, version) = Self::split_prefix(text.strip_prefix('v').unwrap_or(text))?;
            rest.is_empty().then_some(version)
        };
        let mut ends = name.match_indices('-').filter_map(|(at, _)| name.get(at + 1..));
        Self::parse_name(bare).or_else(|| ends.find_map(is_end))
    }

    /// Returns the version in the last path component that has one. File extensions are ignored.
    pub fn from_path(path: &str) -> Option<Self> {
        path.rsplit('/').find_map(|part| Self::from_name(part).or_else(|| Self::from_name(file_stem(part))))
    }

    /// Returns the version in the path of a catalog: as [`Self::from_path`], or its own name such as `v5.1`.
    pub fn from_catalog_path(path: &Path) -> Option<Self> {
        let own = || Self::parse(path.file_name()?.to_str()?.strip_prefix('v')?).ok();
        path.to_str().and_then(Self::from_path).or_else(own)
    }

    /// Returns the last separate version in a file name: `Dockerfile-v4-18.catalog`, `fbc-4.18.Dockerfile`.
    pub fn find_in_file_name(name: &str) -> Option<Self> {
        let starts_word = |at: &usize| {
            let before = name.get(..*at).and_then(|text| text.chars().next_back());
            before.is_none_or(|c| !c.is_ascii_alphanumeric())
        };
        let words = name.char_indices().map(|(at, _)| at).filter(starts_word).filter_map(|at| name.get(at..));
        let mut versions = words.filter_map(|text| {
            let (rest, version) = Self::split_prefix(text.strip_prefix('v').unwrap_or(text))?;
            let mut next = rest.chars();
            let ends_word = match next.next() {
                Some('.' | '-') => !next.next().is_some_and(|c| c.is_ascii_digit()),
                Some(c) => !c.is_ascii_alphanumeric(),
                None => true,
            };
            ends_word.then_some(version)
        });
        versions.next_back()
    }

    /// Splits `4.18` or `4-18` off the beginning of a text.
    fn split_prefix(text: &str) -> Option<(&str, Self)> {
        let rest = text.strip_prefix('4')?.strip_prefix(['.', '-'])?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let minor = rest.get(..end).filter(|digits| (1..=3).contains(&digits.len()))?.parse().ok()?;
        Some((rest.get(end..)?, Self { major: 4, minor }))
    }

    /// Returns the included Kubernetes version by the OpenShift release notes: 1.31 for 4.18. `None` if
    /// unknown.
    pub fn kubernetes_version(self) -> Option<(u64, u64)> {
        match self {
            Self { major: 4, minor } => Some((1, minor.checked_add(13)?)),
            // 5.0 is another name of 4.23.
            Self { major: 5, minor } => Some((1, minor.checked_add(36)?)),
            _ => None,
        }
    }

    /// Returns the included Kubernetes version if it is lower than a `minKubeVersion`. `None` if it is not lower, or if one
    /// of them is unknown.
    pub fn too_old_kubernetes(self, wanted: &str) -> Option<(u64, u64)> {
        let included = self.kubernetes_version()?;
        (parse_major_minor(wanted)? > included).then_some(included)
    }

    /// Returns true if two versions are the same; 5.0 is another name of 4.23.
    pub fn is_same(self, other: Self) -> bool {
        let own = |version: Self| {
            if (version.major, version.minor) == (5, 0) { (4, 23) } else { (version.major, version.minor) }
        };
        own(self) == own(other)
    }

    /// Returns the next version in the update order.
    #[must_use]
    pub fn next_minor(self) -> Self {
        match self {
            // 5.0 is another name of 4.23.
            Self { major: 4, minor: 23 } => Self { major: 5, minor: 1 },
            Self { major, minor } => Self { major, minor: minor.saturating_add(1) },
        }
    }
}

impl fmt::Display for OpenShift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for OpenShift {
    type Err = OpenShiftError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

/// OpenShift versions of the annotation `com.redhat.openshift.versions`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenShiftRange {
    /// First version.
    pub first: OpenShift,
    /// Last version; `None` if there is no limit.
    pub last: Option<OpenShift>,
}

impl OpenShiftRange {
    /// Parses `v4.12` (and later), `=v4.12` (only this one) and `v4.12-v4.15`. Red Hat allows
    /// only two lists with commas.
    pub fn parse_label(text: &str) -> Option<Self> {
        let version = |text: &str| {
            let (major, minor) = text.strip_prefix('v')?.split_once('.')?;
            Some(OpenShift { major: parse_digits(major)?, minor: parse_digits(minor)? })
        };
        if matches!(text, "v4.5,v4.6" | "v4.6,v4.5") {
            return Some(Self { first: version("v4.5")?, last: None });
        }
        if let Some(only) = text.strip_prefix('=') {
            let only = version(only)?;
            return Some(Self { first: only, last: Some(only) });
        }
        match text.split_once('-') {
            Some((first, last)) => Some(Self { first: version(first)?, last: Some(version(last)?) }),
            None => Some(Self { first: version(text)?, last: None }),
        }
    }

    /// Returns true if the range includes a version.
    pub fn contains(self, version: OpenShift) -> bool {
        version >= self.first && self.last.is_none_or(|last| version <= last)
    }
}

/// Parses a number that consists of digits only.
pub fn parse_digits(text: &str) -> Option<u64> {
    let only = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if only { text.parse().ok() } else { None }
}

/// Returns a file name without the extension of a catalog or template.
pub fn file_stem(name: &str) -> &str {
    let endings = [".yaml", ".yml", ".json"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Parses major and minor version, for example from `v1.29.0`. The patch version does not matter.
fn parse_major_minor(text: &str) -> Option<(u64, u64)> {
    let text = text.trim();
    let mut parts = text.strip_prefix('v').unwrap_or(text).split(['.', '-', '+']);
    let major = parts.next()?.parse().ok()?;
    Some((major, parts.next().map_or(Some(0), |minor| minor.parse().ok())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_openshift(text: &str) -> OpenShift {
        OpenShift::parse(text).unwrap()
    }

    fn minor_number(version: Option<OpenShift>) -> Option<u64> {
        version.map(|version| version.minor)
    }

    #[test]
    fn user_input_parses_as_minor_version() {
        assert_eq!(parse_openshift("4.18"), OpenShift { major: 4, minor: 18 });
        assert_eq!(
            (parse_openshift(" v4.18.12 "), parse_openshift("4.20.0-rc.1")),
            (parse_openshift("4.18"), parse_openshift("4.20"))
        );
        for bad in ["", "4", "4.", "four.1", "4.-1", "4 18", "4.99999999999999999999"] {
            assert!(OpenShift::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(
            (
                parse_openshift("4.9").next_minor(),
                parse_openshift("4.23").next_minor(),
                parse_openshift("5.0").next_minor()
            ),
            (parse_openshift("4.10"), parse_openshift("5.1"), parse_openshift("5.1"))
        );
    }

    #[test]
    fn finds_version_in_path_or_image_reference() {
        for (text, version) in [
            ("catalogs/v4.18", Some("4.18")),
            ("catalogs/v4.18/ship-operator/catalog.yaml", Some("4.18")),
            ("catalog-4.20.yaml", Some("4.20")),
            ("quay.io/example/index:v4.22", Some("4.22")),
            ("git:main:catalogs/v5.1", Some("5.1")),
            ("v4.18/v4.20", Some("4.20")),
            ("catalog-4-14", Some("4.14")),
            ("catalogs/catalog-v4-14/ship", Some("4.14")),
            ("ship.v4.18.3", None),
            ("releases/1.2", None),
            ("catalog.yaml", None),
            ("", None),
        ] {
            assert_eq!(OpenShift::find_in_text(text), version.map(parse_openshift), "{text}");
        }
    }

    #[test]
    fn kubernetes_version_is_known_for_4_and_5() {
        let known =
            ["4.12", "4.18", "4.22", "5.0", "3.11"].map(|text| parse_openshift(text).kubernetes_version());
        assert_eq!(known, [Some((1, 25)), Some((1, 31)), Some((1, 35)), Some((1, 36)), None]);
    }

    #[test]
    fn kubernetes_is_too_old_if_its_minor_version_is_lower() {
        let openshift = parse_openshift("4.18");
        for (wanted, expected) in [
            ("1.31.4", None),
            ("v1.32.0", Some((1, 31))),
            ("1.33", Some((1, 31))),
            ("x", None),
            ("2", Some((1, 31))),
        ] {
            assert_eq!(openshift.too_old_kubernetes(wanted), expected, "{wanted}");
        }
    }

    #[test]
    fn last_version_in_path_wins() {
        for (path, expected) in [
            ("v4.14/catalog", Some(14)),
            ("4.9/catalog", Some(9)),
            ("catalog-4-14", Some(14)),
            ("catalog-v4-14/x", Some(14)),
            ("ship-catalog-4.18", Some(18)),
            ("catalog/fbc-4.20.yaml", Some(20)),
            ("v4.14/catalog-4-16", Some(16)),
            ("catalog/ship-2.25", None),
            ("catalog/ship-4.1.0", None),
            ("v14", None),
            ("catalog4.18", None),
            ("", None),
        ] {
            assert_eq!(minor_number(OpenShift::from_path(path)), expected, "{path}");
        }
    }

    #[test]
    fn finds_version_in_middle_of_file_name() {
        for (name, expected) in [
            ("Dockerfile-v4-13.catalog", Some(13)),
            ("Dockerfile.v4-12", Some(12)),
            ("ship-catalog-4.19.Dockerfile", Some(19)),
            ("fbc-v4-17-push.yaml", Some(17)),
            ("ship-4.1.0.Dockerfile", None),
            ("ship14-4.yaml", None),
            ("Dockerfile", None),
        ] {
            assert_eq!(minor_number(OpenShift::find_in_file_name(name)), expected, "{name}");
        }
    }

    #[test]
    fn parses_openshift_ranges_as_red_hat_does() {
        let has = |text: &str, version: &str| {
            OpenShiftRange::parse_label(text)
                .map(|versions| versions.contains(OpenShift::parse(version).unwrap()))
        };
        for (text, given) in [
            ("v4.5", [true, true, true, true]),
            ("v4.6", [false, true, true, true]),
            ("=v4.6", [false, true, false, false]),
            ("v4.5-v4.7", [true, true, true, false]),
            ("v4.5,v4.6", [true, true, true, true]),
        ] {
            for (version, expected) in ["4.5", "4.6", "4.7", "4.8"].into_iter().zip(given) {
                assert_eq!(has(text, version), Some(expected), "{text} {version}");
            }
        }
        assert_eq!(has("v4.9", "4.10"), Some(true), "numbers, not texts");
        for text in ["4.6", "v4.6,v4.7", "v4", ">=v4.6", "v4.6 - v4.7", "", "v4.6.1"] {
            assert_eq!(has(text, "4.6"), None, "{text}");
        }
    }
}
