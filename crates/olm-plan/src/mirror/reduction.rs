//! Versions that a mirror can leave out, because the edges of higher entries cover the installed versions.

use std::{collections::HashSet, sync::Arc};

use super::{
    CheckQuestion, PackageRule, Range, Section, bounds_from_highest,
    check::{UnfilteredUpgrades, check_positions, new_rejections},
    filter::filter_catalog,
    highest_sufficient,
    section::Bound,
};
use olm_catalog::{Catalog, ChannelName, PackageName, Span, package::Package};

/// Higher `minVersion` that costs no checked version an upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The name of the package.
    pub package: PackageName,
    /// The channel whose range changes. `None` for the range of the package.
    pub channel: Option<ChannelName>,
    /// The position of the old `minVersion`, or of the item without one.
    pub span: Span,
    /// The new `minVersion`.
    pub min_version: String,
    /// The number of bundles that are not mirrored any more.
    pub bundles: usize,
    /// The number of images that no mirrored bundle uses any more.
    pub images: usize,
}

/// Returns the highest `minVersion` of each range of a package without failures. `filtered` is the whole mirrored catalog.
pub(super) fn find_reductions(
    catalog: &Catalog,
    package: &Arc<Package>,
    filtered: &Catalog,
    section: &Section,
    question: &CheckQuestion,
) -> Vec<Reduction> {
    let Some(rule) = section.rule_for(&package.name).filter(|_| !section.full) else { return Vec::new() };
    let search = ReductionSearch {
        catalog,
        package,
        section,
        question,
        unfiltered: UnfilteredUpgrades::for_engines(package, &question.engines),
        known: olm_check::rejection_messages(catalog),
        other_images: filtered
            .packages()
            .filter(|other| other.name != package.name)
            .flat_map(image_names)
            .collect(),
    };
    let mut rule = rule.clone();
    let mut reductions = Vec::new();
    let own_channels = rule.channels.iter().filter(|channel| !channel.range.is_empty());
    let mut targets: Vec<Option<ChannelName>> =
        own_channels.map(|channel| Some(channel.name.clone())).collect();
    let uses_package_range =
        rule.channels.is_empty() || rule.channels.iter().any(|channel| channel.range.is_empty());
    if uses_package_range && !rule.range.is_empty() {
        targets.push(None);
    }
    for channel in targets {
        if let Some((reduction, reduced)) = search.raise_min(&rule, channel) {
            reductions.push(reduction);
            rule = reduced;
        }
    }
    reductions
}

struct ReductionSearch<'a> {
    /// The catalog with only the package.
    catalog: &'a Catalog,
    package: &'a Arc<Package>,
    section: &'a Section,
    question: &'a CheckQuestion,
    /// The upgrades of the package without filtering.
    unfiltered: UnfilteredUpgrades<'a>,
    /// The reasons why opm rejects the catalog.
    known: Vec<String>,
    /// The images of the other mirrored packages.
    other_images: HashSet<&'a str>,
}

impl ReductionSearch<'_> {
    /// Returns the highest `minVersion` of a range that changes no result, and the rule with it.
    fn raise_min(
        &self,
        rule: &PackageRule,
        channel: Option<ChannelName>,
    ) -> Option<(Reduction, PackageRule)> {
        let before = self.filter_by_rule(rule)?;
        let allowed = self.count_changed_ends(rule, &before)?;
        let range = selected_range(rule, channel.as_ref())?;
        let current = range.min.clone();
        let mut candidates = bounds_from_highest(self.package);
        if let Some(current) = &current {
            candidates.retain(|bound| bound.version.cmp_precedence(&current.version).is_gt());
            candidates.push(current.clone());
        }
        let with_min = |bound: &Bound| {
            let mut rule = rule.clone();
            if let Some(range) = selected_range_mut(&mut rule, channel.as_ref()) {
                range.min = Some(bound.clone());
            }
            rule
        };
        let trial = |bound: &Bound| {
            let rule = with_min(bound);
            self.count_changed_ends(&rule, &self.filter_by_rule(&rule)?)
        };
        let (bound, changed) = highest_sufficient(&candidates, trial)?;
        if changed > allowed {
            return None;
        }
        let reduced = with_min(&bound);
        let after = self.filter_by_rule(&reduced)?;
        let count =
            |catalog: &Catalog| catalog.packages().map(|package| package.bundles.len()).sum::<usize>();
        let bundles = count(&before).checked_sub(count(&after)).filter(|saved| *saved > 0)?;
        let left: HashSet<&str> = after.packages().flat_map(image_names).collect();
        let images: HashSet<&str> = before.packages().flat_map(image_names).collect();
        let images =
            images.into_iter().filter(|image| !left.contains(image) && !self.other_images.contains(image));
        let item = match &channel {
            Some(name) => rule.channels.iter().find(|item| item.name == *name).map(|item| item.span),
            None => Some(rule.span),
        };
        let reduction = Reduction {
            package: self.package.name.clone(),
            span: current.map(|min| min.span).or(item)?,
            channel,
            min_version: bound.text,
            bundles,
            images: images.count(),
        };
        Some((reduction, reduced))
    }

    fn filter_by_rule(&self, rule: &PackageRule) -> Option<Catalog> {
        filter_catalog(self.catalog, &self.section_with(rule)).ok()
    }

    fn section_with(&self, rule: &PackageRule) -> Section {
        Section { packages: vec![rule.clone()], ..self.section.clone() }
    }

    /// Returns the number of versions whose upgrades end elsewhere than without filtering. `None` if one loses upgrades.
    fn count_changed_ends(&self, rule: &PackageRule, filtered: &Catalog) -> Option<usize> {
        let is_rejected = !new_rejections(&self.known, filtered).is_empty();
        let section = self.section_with(rule);
        let positions = check_positions(&self.unfiltered, filtered, &section, self.question, is_rejected);
        let has_failure = positions.iter().any(|position| position.impact.is_failure());
        (!has_failure && !is_rejected)
            .then(|| positions.iter().filter(|position| position.before != position.after).count())
    }
}

fn selected_range<'r>(rule: &'r PackageRule, channel: Option<&ChannelName>) -> Option<&'r Range> {
    match channel {
        Some(name) => rule.channels.iter().find(|item| item.name == *name).map(|item| &item.range),
        None => Some(&rule.range),
    }
}

fn selected_range_mut<'r>(rule: &'r mut PackageRule, channel: Option<&ChannelName>) -> Option<&'r mut Range> {
    match channel {
        Some(name) => rule.channels.iter_mut().find(|item| item.name == *name).map(|item| &mut item.range),
        None => Some(&mut rule.range),
    }
}

/// Returns the bundle images and related images of a package.
fn image_names(package: &Arc<Package>) -> impl Iterator<Item = &str> {
    package.bundles.iter().flat_map(|bundle| {
        let own = bundle.image.iter().map(|image| image.value.as_str());
        own.chain(bundle.related_images.iter().map(|related| related.image.value.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::{check_upgrades, parse_configuration};
    use olm_upgrade::{Engine, fixture};

    /// Returns the reductions as text: the channel, the new `minVersion` and the number of bundles.
    fn reductions(channels: &[(&str, &str)], config: &str, installed: &[&str]) -> Vec<String> {
        let catalog = fixture::catalog_from_channels(channels);
        let section = parse_configuration(config.as_bytes()).unwrap().remove(0);
        let installed = installed.iter().map(|name| ((*name).into(), None)).collect();
        let question = CheckQuestion { engines: vec![Engine::Classic, Engine::V1], installed };
        let check = check_upgrades(&catalog, &section, &question).unwrap();
        let text = |it: &Reduction| {
            let channel = it.channel.as_ref().map_or("package", |name| name.as_str());
            format!("{channel} {} {}", it.min_version, it.bundles)
        };
        check.reductions.iter().map(text).collect()
    }

    const COVERED: &str =
        "1.3.0 replaces=1.2.0 range=>=1.0.0_<1.3.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";
    const CHAIN: &str = "1.3.0 replaces=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";

    #[test]
    fn head_alone_is_enough_if_its_range_covers_all_versions() {
        assert_eq!(
            reductions(&[("c", COVERED)], "packages: [{name: p, minVersion: 1.0.0}]", &[]),
            ["package 1.3.0 3"]
        );
        // Only the head is mirrored already.
        assert_eq!(reductions(&[("c", COVERED)], "packages: [{name: p}]", &[]), [""; 0]);
        assert_eq!(reductions(&[("c", COVERED)], "full: true\npackages: [{name: p}]", &[]), [""; 0]);
    }

    #[test]
    fn only_the_installed_versions_need_an_upgrade() {
        let config = "packages: [{name: p, minVersion: 1.0.0}]";
        assert_eq!(reductions(&[("c", CHAIN)], config, &[]), ["package 1.1.0 1"]);
        assert_eq!(reductions(&[("c", CHAIN)], config, &["p.v1.2.0"]), ["package 1.3.0 3"]);
        // A version loses upgrades already.
        assert_eq!(reductions(&[("c", CHAIN)], "packages: [{name: p, minVersion: 1.2.0}]", &[]), [""; 0]);
    }

    #[test]
    fn each_channel_with_its_own_range_is_reduced() {
        let channels = [("c", COVERED), ("d", "2.1.0 replaces=2.0.0\n2.0.0 replaces=1.3.0\n1.3.0")];
        let config =
            "packages: [{name: p, channels: [{name: c, minVersion: 1.0.0}, {name: d, minVersion: 1.3.0}]}]";
        assert_eq!(reductions(&channels, config, &[]), ["c 1.3.0 3"]);
    }
}
