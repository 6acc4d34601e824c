//! The catalog filter of oc-mirror v2, and the installed versions that lose their upgrades in the filtered
//! catalog.
//!
//! The rules come from running oc-mirror v2 with catalog-filter 0.0.5. The filtered catalog is a normal
//! [`Catalog`], so all queries work with it. oc-mirror does not validate the catalogs
//! that it publishes.

mod check;
mod filter;
mod images;
mod parser;
mod reduction;
mod section;
#[cfg(test)]
mod tests;
mod unknown_names;

use thiserror::Error;

use check::{UnfilteredUpgrades, check_positions, new_rejections};
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, Span, package::Package};
use olm_edit::{
    Edit,
    kept_parts::{KeptChannel, KeptPackage},
};
use olm_version::Version;

pub(super) use check::only_package;
pub use check::{Cause, CheckQuestion, FilterImpact, InstalledPosition, MirrorCheck, check_upgrades};
pub use filter::filter_catalog;
pub use parser::{ConfigurationError, ConfigurationErrorKind, parse_configuration};
pub use reduction::Reduction;
pub use section::{Bound, ChannelRule, PackageRule, Range, Section};
pub use unknown_names::{CatalogNames, UnknownName, find_unknown_names};

/// Returns the edit that reduces a catalog to the packages, channels, entries and bundles of the filtered
/// catalog.
///
/// The edit removes bundles without a channel, because OLM cannot install them. oc-mirror sometimes mirrors
/// such bundles.
pub fn build_filter_edit(catalog: &Catalog, filtered: &Catalog) -> Edit {
    let packages = filtered.packages().map(|left| {
        let before = catalog.package(left.name.as_str());
        let default = left.default_channel().cloned();
        let channels = left.channels.iter().map(|channel| KeptChannel {
            channel: channel.name.value.clone(),
            entries: Some(channel.entries.iter().map(|entry| entry.name.value.clone()).collect()),
        });
        KeptPackage {
            package: left.name.clone(),
            default_channel: default
                .filter(|now| before.and_then(|before| before.default_channel()) != Some(now)),
            channels: Some(channels.collect()),
        }
    });
    Edit::KeepOnly { packages: packages.collect() }
}

/// A reason why oc-mirror stops.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// The catalog is unreadable.
    #[error("opm cannot read the catalog")]
    Unreadable,
    /// The input is a template, not a catalog.
    #[error("a template cannot be mirrored, only the catalog it makes")]
    Template,
    /// A bundle does not have a version. oc-mirror also checks bundles without a channel.
    #[error("package {package}: bundle {bundle} has no olm.package property")]
    NoVersion {
        /// The name of the package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
    },
    /// A bundle has a version that is not a strict semantic version.
    #[error("package {package}: bundle {bundle} has the version {version}, which is not a semantic version")]
    BadVersion {
        /// The name of the package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
        /// The version as written.
        version: String,
    },
    /// The default channel of the catalog is not selected, and the section sets no other default channel.
    #[error("package {package}: its default channel {channel} is not mirrored")]
    DefaultLeftOut {
        /// The package.
        package: PackageName,
        /// The default channel of the catalog.
        channel: ChannelName,
    },
    /// The default channel of the section is not selected or does not exist.
    #[error("package {package}: the defaultChannel {channel} is not mirrored")]
    NoSuchDefault {
        /// The package.
        package: PackageName,
        /// The channel that the section sets as default.
        channel: ChannelName,
    },
    /// `full` is combined with a version range.
    #[error("package {package}: full cannot be combined with minVersion or maxVersion")]
    FullWithRange {
        /// The package.
        package: PackageName,
    },
    /// A channel has an invalid upgrade graph.
    #[error("package {package}, channel {channel}: {why}")]
    Channel {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The reason.
        why: BadChannel,
    },
    /// No version of the default channel matches the range.
    #[error("package {package}: no version of its default channel {channel} matches {range}")]
    DefaultEmptied {
        /// The package.
        package: PackageName,
        /// The default channel of the catalog.
        channel: ChannelName,
        /// The version range.
        range: String,
    },
    /// `minVersion` and `maxVersion` are the same version, which the package does not have.
    #[error("package {package}: it has no version {version}")]
    NoSuchVersion {
        /// The package.
        package: PackageName,
        /// The version as written.
        version: String,
    },
    /// oc-mirror cannot parse a related image.
    #[error("package {package}: bundle {bundle} has the related image {image:?}, which {why}")]
    Image {
        /// The package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
        /// The image as written.
        image: String,
        /// The reason.
        why: BadImage,
    },
    /// No bundle of the catalog is kept.
    #[error("nothing is left: no bundle of the catalog is mirrored")]
    NothingLeft,
}

/// The reason why oc-mirror cannot filter a channel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadChannel {
    /// The channel does not have entries.
    #[error("it has no entries")]
    Empty,
    /// Two entries have the same name.
    #[error("it has two entries named {0}")]
    Twice(BundleName),
    /// An entry replaces or skips itself.
    #[error("its entry {0} replaces or skips itself")]
    Itself(BundleName),
    /// The `replaces` edges contain a cycle.
    #[error("its entries replace each other in a circle")]
    Cycle,
    /// Every entry is replaced or skipped, so the channel does not have a head.
    #[error("it has no head")]
    NoHead,
    /// The channel has several heads.
    #[error("it has several heads: {0}")]
    Heads(String),
}

/// The reason why oc-mirror cannot parse an image reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadImage {
    /// The reference does not have a name.
    #[error("has no name")]
    Empty,
    /// The image is in a layout on disk.
    #[error("is not in a registry")]
    Layout,
    /// The reference has neither a tag nor a digest.
    #[error("has no tag and no digest")]
    Untagged,
    /// The digest is malformed or has an unknown algorithm.
    #[error("has an invalid digest")]
    Digest,
}

impl MirrorError {
    /// Returns a suggestion how to solve the problem.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable => "olmap validate shows what is wrong".to_owned(),
            Self::Template => "olmap template render FILE makes the catalog".to_owned(),
            Self::DefaultLeftOut { channel, .. } => {
                format!("add {channel} to channels, or name one of them as defaultChannel")
            }
            Self::NoSuchDefault { channel, .. } => format!("add {channel} to channels"),
            Self::FullWithRange { .. } => "remove full, or the versions".to_owned(),
            Self::DefaultEmptied { .. } => {
                "change minVersion or maxVersion; a pre-release is in range only if one of them is one (1.2.3-0)"
                    .to_owned()
            }
            Self::NoSuchVersion { .. } => "minVersion and maxVersion are the same text".to_owned(),
            Self::NothingLeft => "olmap list packages CATALOG shows the names".to_owned(),
            _ => return None,
        })
    }
}

/// Change of the configuration for one package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The name of the package.
    pub package: PackageName,
    /// The position to change: the item of the package, or the section if the package has no item.
    pub span: Span,
    /// The new `minVersion`.
    pub min_version: Option<String>,
    /// True to remove `maxVersion`.
    pub without_max: bool,
    /// The channels to add.
    pub channels: Vec<ChannelName>,
    /// True to mirror the whole section with `full`, which removes all version ranges.
    pub full: bool,
    /// The number of positions that still fail after the change.
    pub remaining: usize,
}

/// Tries changes, smallest first, on a catalog with one package. Returns `None` if no change helps.
fn find_remedy(
    catalog: &Catalog,
    before: &UnfilteredUpgrades<'_>,
    section: &Section,
    question: &CheckQuestion,
) -> Option<Remedy> {
    let package = before.package;
    let rule = section.rule_for(&package.name).cloned();
    let span = rule.as_ref().map_or(section.span, |rule| rule.span);
    // Leave out the rules of other packages: they do not matter here, and the catalog does not contain these
    // packages.
    let rule = rule.unwrap_or_else(|| PackageRule::heads_only(package.name.clone()));
    let known = olm_check::rejection_messages(catalog);
    let trial = |rule: &PackageRule, full: bool| -> Option<usize> {
        let section = Section { packages: vec![rule.clone()], full, ..section.clone() };
        let filtered = filter_catalog(catalog, &section).ok()?;
        let is_rejected = !new_rejections(&known, &filtered).is_empty();
        let found = check_positions(before, &filtered, &section, question, is_rejected);
        Some(found.iter().filter(|position| position.impact.is_failure()).count())
    };
    let now = trial(&rule, section.full).filter(|_| section.selects(&package.name)).unwrap_or(usize::MAX);
    let versions = bounds_from_highest(package);
    let plain = Remedy {
        package: package.name.clone(),
        span,
        min_version: None,
        without_max: false,
        channels: Vec::new(),
        full: false,
        remaining: now,
    };
    let mut best: Option<Remedy> = None;
    let mut consider = |remedy: Remedy| {
        if remedy.remaining < best.as_ref().map_or(now, |best| best.remaining) {
            best = Some(remedy);
        }
        best.as_ref().is_some_and(|best| best.remaining == 0)
    };
    let has_max = rule.range.max.is_some() || rule.channels.iter().any(|channel| channel.range.max.is_some());
    for with_channels in [false, true] {
        let mut base = rule.clone();
        let mut remedy = plain.clone();
        if with_channels {
            if base.channels.is_empty() {
                continue;
            }
            let missing = package.channels.iter().map(|channel| &channel.name.value);
            let missing = missing.filter(|name| !base.channels.iter().any(|there| there.name == **name));
            remedy.channels = missing.cloned().collect();
            let range = base.channels.first().map(|channel| channel.range.clone()).unwrap_or_default();
            base.channels.extend(remedy.channels.iter().map(|name| ChannelRule {
                name: name.clone(),
                range: range.clone(),
                span: Span::default(),
            }));
            if let Some(left) = trial(&base, section.full)
                && consider(Remedy { remaining: left, ..remedy.clone() })
            {
                break;
            }
        }
        let mut done = false;
        for without_max in [false, true] {
            if without_max && !has_max {
                continue;
            }
            let mut base = base.clone();
            if without_max {
                change_ranges(&mut base, |range| range.max = None);
                // Without its last bound the range selects only the head. In that case only try a lower bound.
                if let Some(left) = trial(&base, false) {
                    done = consider(Remedy { without_max, remaining: left, ..remedy.clone() });
                }
            }
            if done {
                break;
            }
            let at = |bound: &Bound| {
                let mut rule = base.clone();
                let on_channels = rule.channels.iter().any(|channel| !channel.range.is_empty());
                if on_channels {
                    rule.channels.iter_mut().for_each(|channel| channel.range.min = Some(bound.clone()));
                } else {
                    rule.range.min = Some(bound.clone());
                }
                rule
            };
            if let Some((bound, left)) = highest_sufficient(&versions, |bound| trial(&at(bound), false)) {
                let min_version = Some(bound.text);
                done = consider(Remedy { min_version, without_max, remaining: left, ..remedy.clone() });
            }
            if done {
                break;
            }
        }
        if done {
            break;
        }
        let mut whole = base;
        change_ranges(&mut whole, |range| *range = Range::default());
        if let Some(left) = trial(&whole, true)
            && consider(Remedy { full: true, remaining: left, ..remedy })
        {
            break;
        }
    }
    best
}

fn change_ranges(rule: &mut PackageRule, change: impl Fn(&mut Range)) {
    change(&mut rule.range);
    rule.channels.iter_mut().for_each(|channel| change(&mut channel.range));
}

/// Returns the versions of the entries as bounds, highest first. If one version is a pre-release, every bound
/// includes pre-releases.
fn bounds_from_highest(package: &Package) -> Vec<Bound> {
    let entries = package.channels.iter().flat_map(|channel| &channel.entries);
    let mut versions: Vec<Version> = entries
        .filter_map(|entry| Some(package.bundle_version(entry.name.value.as_str())?.version.without_build()))
        .collect();
    versions.sort_by(|a, b| b.cmp_precedence(a));
    versions.dedup();
    let has_prerelease = versions.iter().any(Version::is_prerelease);
    let text = |version: &Version| {
        let ending = if has_prerelease && !version.is_prerelease() { "-0" } else { "" };
        format!("{version}{ending}")
    };
    versions.iter().filter_map(|version| Bound::parse(&text(version), Span::default())).collect()
}

/// Returns the highest bound with as few failures as the lowest bound.
///
/// A lower bound mirrors more. So this is a binary search that tests the bound it returns.
fn highest_sufficient(versions: &[Bound], trial: impl Fn(&Bound) -> Option<usize>) -> Option<(Bound, usize)> {
    let fewest = trial(versions.last()?)?;
    let (mut from, mut to) = (0, versions.len() - 1);
    while from < to {
        let middle = from.midpoint(to);
        let is_enough = versions.get(middle).and_then(&trial).is_some_and(|left| left <= fewest);
        if is_enough { to = middle } else { from = middle + 1 }
    }
    Some((versions.get(to)?.clone(), fewest))
}
