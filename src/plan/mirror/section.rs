//! What an `ImageSetConfiguration` says of one catalog.

use std::fmt;

use crate::{
    catalog::{ChannelName, PackageName, Span},
    version::{Version, masterminds::Constraint},
};

/// One item of `mirror.operators`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The reference of the catalog; empty where a section stands alone.
    pub catalog: String,
    /// All versions, not only heads.
    pub full: bool,
    /// The packages that are wanted; all where empty.
    pub packages: Vec<PackageRule>,
    /// The item in the file.
    pub span: Span,
}

/// One item of `packages`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageRule {
    /// The package.
    pub name: PackageName,
    /// The default channel of the filtered catalog; `None`: that of the catalog.
    pub default_channel: Option<ChannelName>,
    /// The versions that are wanted of every channel.
    pub range: Range,
    /// The channels that are wanted; all where empty.
    pub channels: Vec<ChannelRule>,
    /// The item in the file.
    pub span: Span,
}

/// One item of `channels`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelRule {
    /// The channel.
    pub name: ChannelName,
    /// The versions that are wanted of it.
    pub range: Range,
    /// The item in the file.
    pub span: Span,
}

/// `minVersion` and `maxVersion`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The lowest version that is wanted.
    pub min: Option<Bound>,
    /// The highest version that is wanted.
    pub max: Option<Bound>,
}

/// A version as somebody wrote it: `1.2` and `v1.2.0` pass too.
#[derive(Clone, Debug)]
pub struct Bound {
    /// As written.
    pub text: String,
    /// As read: what is missing counts as 0.
    pub version: Version,
    /// Its place in the file.
    pub span: Span,
}

impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Bound {}

impl Range {
    /// Whether nothing is asked for, which means: the head.
    pub fn is_empty(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    /// The only version that is wanted, where both bounds are the same text.
    pub(super) fn only(&self) -> Option<&Bound> {
        self.min.as_ref().filter(|min| self.max.as_ref() == Some(*min))
    }

    /// The versions that are wanted; `None` where that is none in particular.
    pub(super) fn constraint(&self) -> Option<Constraint> {
        if self.is_empty() { None } else { Constraint::parse(&self.to_string()).ok() }
    }
}

/// As oc-mirror asks for it: `>=1.0.0 <=2.0.0`.
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
    /// Reads a version as the lenient parser of Masterminds does, which oc-mirror asks.
    pub fn parse(text: &str, span: Span) -> Option<Self> {
        lenient(text).map(|version| Self { text: text.to_owned(), version, span })
    }
}

/// `v1.1`, `1` and `01.1.0` pass, `1.x` does not. (Masterminds/semver 3, `NewVersion`.)
fn lenient(text: &str) -> Option<Version> {
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
    /// What is said of a package; `None` where packages are named and it is not among them.
    pub(super) fn rule(&self, package: &PackageName) -> Option<&PackageRule> {
        self.packages.iter().find(|rule| rule.name == *package)
    }

    /// Whether a package is kept at all.
    pub(super) fn keeps(&self, package: &PackageName) -> bool {
        self.packages.is_empty() || self.rule(package).is_some()
    }
}

impl PackageRule {
    /// A rule that asks for the heads of all channels.
    pub fn heads(name: PackageName) -> Self {
        Self {
            name,
            default_channel: None,
            range: Range::default(),
            channels: Vec::new(),
            span: Span::default(),
        }
    }

    /// What is asked of a channel; `None` where it is not wanted. Its own range comes before that of the package.
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
