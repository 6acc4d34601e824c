//! OpenShift versions in names of folders and files.

use std::fmt;

/// The only major version that folders are named after; other numbers are those of products.
const MAJOR: u64 = 4;

/// A minor version of OpenShift, as names spell it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MinorVersion {
    /// The 18 of 4.18.
    pub minor: u64,
}

impl fmt::Display for MinorVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MAJOR}.{}", self.minor)
    }
}

impl MinorVersion {
    /// Parses `4.18`.
    pub fn parse(text: &str) -> Option<Self> {
        let (rest, version) = Self::prefix(text)?;
        (rest.is_empty() && text.contains('.')).then_some(version)
    }

    /// Returns the version that a name is or ends with: `v4.18`, `4.18`, `catalog-4.18`, `catalog-v4-18`.
    pub fn of_name(name: &str) -> Option<Self> {
        let bare = name.strip_prefix('v').unwrap_or(name);
        Self::parse(bare).or_else(|| {
            let starts = name.match_indices('-').map(|(at, _)| at + 1);
            starts.filter_map(|at| name.get(at..)).find_map(|end| {
                let (rest, version) = Self::prefix(end.strip_prefix('v').unwrap_or(end))?;
                rest.is_empty().then_some(version)
            })
        })
    }

    /// Returns the version of the last part of a path that has one. The ending of a file name does not count.
    pub fn of_path(path: &str) -> Option<Self> {
        path.rsplit('/').find_map(|part| Self::of_name(part).or_else(|| Self::of_name(stem(part))))
    }

    /// Returns the last version that stands by itself in the name of a file: `Dockerfile-v4-18.catalog`, `fbc-4.18.Dockerfile`.
    pub fn in_file_name(name: &str) -> Option<Self> {
        let is_start = |at: usize| {
            let before = name.get(..at).and_then(|text| text.chars().next_back());
            before.is_none_or(|c| !c.is_ascii_alphanumeric())
        };
        let starts = name.char_indices().map(|(at, _)| at).filter(|at| is_start(*at));
        let mut versions = starts.filter_map(|at| {
            let text = name.get(at..)?;
            let (rest, version) = Self::prefix(text.strip_prefix('v').unwrap_or(text))?;
            let mut next = rest.chars();
            let is_whole = match next.next() {
                Some('.' | '-') => !next.next().is_some_and(|c| c.is_ascii_digit()),
                Some(c) => !c.is_ascii_alphanumeric(),
                None => true,
            };
            is_whole.then_some(version)
        });
        versions.next_back()
    }

    /// Splits a version off the beginning of a text.
    fn prefix(text: &str) -> Option<(&str, Self)> {
        let rest = text.strip_prefix('4')?.strip_prefix(['.', '-'])?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let minor = rest.get(..end).filter(|digits| (1..=3).contains(&digits.len()))?.parse().ok()?;
        Some((rest.get(end..)?, Self { minor }))
    }
}

/// The name of a file without the ending of a catalog or template.
pub fn stem(name: &str) -> &str {
    let endings = [".yaml", ".yml", ".json"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minor(version: Option<MinorVersion>) -> Option<u64> {
        version.map(|version| version.minor)
    }

    #[test]
    fn last_version_of_a_path_counts() {
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
            assert_eq!(minor(MinorVersion::of_path(path)), expected, "{path}");
        }
    }

    #[test]
    fn version_in_the_middle_of_a_file_name_counts() {
        for (name, expected) in [
            ("Dockerfile-v4-13.catalog", Some(13)),
            ("Dockerfile.v4-12", Some(12)),
            ("ship-catalog-4.19.Dockerfile", Some(19)),
            ("fbc-v4-17-push.yaml", Some(17)),
            ("ship-4.1.0.Dockerfile", None),
            ("ship14-4.yaml", None),
            ("Dockerfile", None),
        ] {
            assert_eq!(minor(MinorVersion::in_file_name(name)), expected, "{name}");
        }
    }
}
