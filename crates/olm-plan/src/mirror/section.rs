//! Operator sections: the part of an `ImageSetConfiguration` for one catalog.

use std::fmt;

use olm_catalog::{ChannelName, PackageName, Span};
use olm_version::{Version, masterminds::Constraint};

/// Item of `mirror.operators`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The reference of the catalog. Empty if the file contains only a section.
    pub catalog: String,
    /// True to keep all versions instead of only the heads.
    pub full: bool,
    /// The selected packages. Empty for all packages.
    pub packages: Vec<PackageRule>,
    /// The position of the item in the file.
    pub span: Span,
}

/// Item of `packages`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRule {
    /// The name of the package.
    pub name: PackageName,
    /// The default channel of the filtered catalog. `None` for the default channel of the catalog.
    pub default_channel: Option<ChannelName>,
    /// The selected versions in every channel.
    pub range: Range,
    /// The selected channels. Empty for all channels.
    pub channels: Vec<ChannelRule>,
    /// The position of the item in the file.
    pub span: Span,
}

/// Item of `channels`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelRule {
    /// The name of the channel.
    pub name: ChannelName,
    /// The selected versions of the channel.
    pub range: Range,
    /// The position of the item in the file.
    pub span: Span,
}

/// Version range from `minVersion` and `maxVersion`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The lowest selected version.
    pub min: Option<Bound>,
    /// The highest selected version.
    pub max: Option<Bound>,
}

/// Lenient version, for example `1.2` or `v1.2.0`.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The version as written.
    pub text: String,
    /// The parsed version. Missing numbers are 0.
    pub version: Version,
    /// The position in the file.
    pub span: Span,
}

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Bound {}

impl Range {
    /// Returns true if both bounds are missing. An empty range selects the head.
    pub fn is_empty(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    /// Returns the only selected version if both bounds are the same text.
    pub(super) fn only_version(&self) -> Option<&Bound> {
        self.min.as_ref().filter(|min| self.max.as_ref() == Some(*min))
    }

    /// Returns the range as a constraint. Returns `None` if the range is empty or invalid.
    pub(super) fn constraint(&self) -> Option<Constraint> {
        if self.is_empty() { None } else { Constraint::parse(&self.to_string()).ok() }
    }
}

/// Formats the range as oc-mirror does: `>=1.0.0 <=2.0.0`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(min) = &self.min {
            write!(f, ">={}", min.text)?;
        }
        if let Some(max) = &self.max {
            let blank = if self.min.is_some() { " " } else { "" };
            write!(f, "{blank}<={}", max.text)?;
        }
        Ok(())
    }
}

impl Bound {
    /// Parses a version like the lenient Masterminds parser that oc-mirror uses.
    pub fn parse(text: &str, span: Span) -> Option<Self> {
        parse_lenient_version(text).map(|version| Self { text: text.to_owned(), version, span })
    }
}

/// Parses a lenient version: `v1.1`, `1` and `01.1.0` are valid, `1.x` is not. (Masterminds/semver 3,
/// `NewVersion`.)
fn parse_lenient_version(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at_checked(end)?;
    let mut parts = [0_u64; 3];
    for (at, part) in numbers.split('.').enumerate() {
        let is_number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        *parts.get_mut(at)? = is_number.then(|| part.parse().ok())??;
    }
    let [major, minor, patch] = parts;
    Version::parse(&format!("{major}.{minor}.{patch}{rest}")).ok()
}

impl Section {
    /// Returns the rule for a package. Returns `None` if no item names the package.
    pub(super) fn rule_for(&self, package: &PackageName) -> Option<&PackageRule> {
        self.packages.iter().find(|rule| rule.name == *package)
    }

    /// Returns true if the section selects the package.
    pub(super) fn selects(&self, package: &PackageName) -> bool {
        self.packages.is_empty() || self.rule_for(package).is_some()
    }
}

impl PackageRule {
    /// Creates a rule that selects the heads of all channels.
    pub fn heads_only(name: PackageName) -> Self {
        Self {
            name,
            default_channel: None,
            range: Range::default(),
            channels: Vec::new(),
            span: Span::default(),
        }
    }

    /// Returns the selected versions of a channel. Returns `None` if the channel is not selected.
    ///
    /// The range of the channel overrides the range of the package.
    pub(super) fn range_of(&self, channel: &ChannelName) -> Option<&Range> {
        if self.channels.is_empty() {
            return Some(&self.range);
        }
        let own = &self.channels.iter().find(|rule| rule.name == *channel)?.range;
        Some(if own.is_empty() { &self.range } else { own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_leniently() {
        let cases = [
            ("v1.1", Some("1.1.0")),
            ("1", Some("1.0.0")),
            ("01.1.0", Some("1.1.0")),
            ("1-rc.1", Some("1.0.0-rc.1")),
            ("1.2.3+7", Some("1.2.3+7")),
            ("1.x", None),
            ("latest", None),
            (">=1.1.0", None),
            ("", None),
            ("1.", None),
            ("1.2.3.4", None),
            ("vv1", None),
            ("1.2.3-", None),
            ("99999999999999999999", None),
            ("-1", None),
        ];
        for (text, expected) in cases {
            let read = Bound::parse(text, Span::default()).map(|bound| bound.version.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
