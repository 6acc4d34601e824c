//! Search for the smallest configuration change that repairs upgrades, by trying candidates.

use std::sync::Arc;

use super::{
    check::{CheckQuestion, check_positions, new_rejections},
    filter::filter_catalog,
    section::{Bound, ChannelRule, PackageRule, Range, Section},
};
use olm_catalog::{Catalog, ChannelName, PackageName, Span, package::Package};
use olm_version::Version;

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
pub(super) fn find_remedy(
    catalog: &Catalog,
    package: &Arc<Package>,
    section: &Section,
    question: &CheckQuestion,
) -> Option<Remedy> {
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
        let found = check_positions(package, &filtered, &section, question, is_rejected);
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
