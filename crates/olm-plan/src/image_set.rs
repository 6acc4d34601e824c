//! Image set configuration for plans: mirrors every stop, so that a cluster without internet access
//! can follow the plans.
//!
//! oc-mirror keeps the versions of a channel from `minVersion` up. This module filters catalogs as
//! oc-mirror does. Then it resolves each upgrade of the plans again, to check that the filtered
//! catalogs still have it.

use std::sync::Arc;

use crate::{
    mirror::{self, Bound, ChannelRule, PackageRule, Range, Section},
    planner::{Leg, Plan, Stop, StopCause, is_made_on_leg},
    series::Release,
};
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, Span, package::Package};
use olm_upgrade::{PackageGraph, openshift::OpenShift};
use olm_version::Version;

/// Image set configuration for plans. See the module docs.
#[derive(Clone, Debug)]
pub struct ImageSet {
    /// The mirrored packages of each catalog, in version order. Catalogs without a stop are omitted.
    pub sections: Vec<(OpenShift, Section)>,
    /// The upgrades that oc-mirror breaks with every configuration.
    pub unreachable: Vec<UnreachableBundle>,
}

/// Planned bundle that no configuration keeps reachable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreachableBundle {
    /// The OpenShift version of the catalog.
    pub openshift: OpenShift,
    /// The unreachable bundle.
    pub bundle: BundleName,
}

/// Image that a planned bundle needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequiredImage {
    /// The image reference.
    pub image: String,
    /// The bundles that need the image.
    pub by: Vec<BundleName>,
}

impl ImageSet {
    /// Creates the configuration for some plans. `reference` returns the catalog image of a
    /// release, as oc-mirror pulls it.
    pub fn new(
        releases: &[Release<Catalog>],
        plans: &[&Plan],
        reference: impl Fn(&Release<Catalog>) -> String,
    ) -> Self {
        let mut set = Self { sections: Vec::new(), unreachable: Vec::new() };
        for release in releases {
            let Some(openshift) = release.openshift else { continue };
            let mut section = Section { catalog: reference(release), ..Section::default() };
            let mut names: Vec<&PackageName> = plans.iter().map(|plan| &plan.package).collect();
            names.sort_unstable();
            names.dedup();
            let mut rules: Vec<PackageRule> = Vec::new();
            let mut broken: Vec<UnreachableBundle> = Vec::new();
            for name in names {
                let Some(package) = release.catalog.package(name.as_str()) else { continue };
                let of: Vec<&Plan> = plans.iter().copied().filter(|plan| plan.package == *name).collect();
                let wanted = PackageStops::new(package, &of, openshift);
                if wanted.stops.is_empty() {
                    continue;
                }
                let one = mirror::only_package(&release.catalog, package);
                if let Some(rule) = wanted.find_rule(&one) {
                    rules.push(rule);
                    continue;
                }
                rules.push(wanted.rule_for_all_versions());
                section.full = true;
                broken.extend(wanted.unreachable_bundles(&one));
            }
            if section.full {
                // oc-mirror rejects a range together with `full`.
                for channel in rules.iter_mut().flat_map(|rule| &mut rule.channels) {
                    channel.range = Range::default();
                }
            }
            section.packages = rules;
            if !section.packages.is_empty() {
                set.sections.push((openshift, section));
            }
            set.unreachable.extend(broken);
        }
        set
    }
}

/// The stops of some plans for a package on one OpenShift version.
struct PackageStops<'a> {
    package: &'a Arc<Package>,
    openshift: OpenShift,
    /// Each stop with its plan and the previous stop.
    stops: Vec<(&'a Plan, Option<&'a Stop>, &'a Stop)>,
}

impl<'a> PackageStops<'a> {
    fn new(package: &'a Arc<Package>, plans: &[&'a Plan], openshift: OpenShift) -> Self {
        let of = |plan: &'a Plan| {
            let before = std::iter::once(None).chain(plan.stops.iter().map(Some));
            before.zip(&plan.stops).map(move |(before, stop)| (plan, before, stop))
        };
        let stops = plans.iter().copied().flat_map(of).filter(|(.., stop)| stop.openshift == openshift);
        Self { package, openshift, stops: stops.collect() }
    }

    /// Returns the channels that the stops use.
    ///
    /// A stop uses the channel that its plan follows. A stop of a plan without a channel uses the
    /// default channel if that has the bundle, else the first channel that has it. If the argument
    /// is true, it uses every channel with the bundle.
    fn used_channels(&self, generous: bool) -> Vec<&'a ChannelName> {
        let mut used: Vec<&'a ChannelName> = Vec::new();
        for (.., stop) in &self.stops {
            let with_it: Vec<&'a ChannelName> = self
                .package
                .channels
                .iter()
                .map(|channel| &channel.name.value)
                .filter(|name| match &stop.channel {
                    Some(followed) => followed == *name,
                    None => {
                        self.package.channels_with(&stop.bundle).any(|channel| channel.name.value == **name)
                    }
                })
                .collect();
            let default = with_it.iter().find(|name| Some(**name) == self.package.default_channel());
            if generous {
                used.extend(&with_it);
            } else {
                used.extend(default.or(with_it.first()));
            }
        }
        // No stop is in a channel of this version. Use the default channel, to mirror the running
        // bundles.
        if used.is_empty() {
            used.extend(self.package.default_channel());
        }
        let in_order = self.package.channels.iter().map(|channel| &channel.name.value);
        in_order.filter(|name| used.contains(name)).collect()
    }

    /// Returns the lowest version in a channel that is a stop.
    fn lowest_stop(&self, channel: &ChannelName) -> Option<&'a Version> {
        let blob = self.package.channel(channel.as_str())?;
        let stops = self.stops.iter().map(|(.., stop)| &stop.bundle);
        let in_channel = stops.filter(|name| blob.entries.iter().any(|entry| entry.name.value == **name));
        let versions = in_channel.filter_map(|name| self.package.bundle_version(name.as_str()));
        versions.min_by(|a, b| a.cmp_precedence(b)).map(|version| &version.version)
    }

    /// Returns a rule with a minimum version for each channel: its lowest stop, or the given
    /// version if that is lower or no stop is in the channel.
    fn rule_from_bound(&self, channels: &[&ChannelName], lower: Option<&Version>) -> PackageRule {
        let rule = |channel: &&ChannelName| {
            let own = self.lowest_stop(channel);
            let min = match (own, lower) {
                (Some(own), Some(lower)) if lower.cmp_precedence(own).is_lt() => Some(lower),
                (None, lower) => lower,
                (own, _) => own,
            };
            let min =
                min.and_then(|version| Bound::parse(&self.format_bound(channel, version), Span::default()));
            ChannelRule { name: (*channel).clone(), range: Range { min, max: None }, span: Span::default() }
        };
        let default = self.package.default_channel();
        let is_kept = channels.iter().any(|channel| Some(*channel) == default);
        PackageRule {
            default_channel: if is_kept { None } else { channels.first().map(|channel| (*channel).clone()) },
            channels: channels.iter().map(rule).collect(),
            ..PackageRule::heads_only(self.package.name.clone())
        }
    }

    /// Formats a version as a minimum.
    ///
    /// If a stop or the head is a pre-release, the minimum also includes pre-releases of the
    /// version.
    fn format_bound(&self, channel: &ChannelName, version: &Version) -> String {
        let pre_release = |name: &BundleName| {
            self.package.bundle_version(name.as_str()).is_some_and(|version| version.version.is_prerelease())
        };
        let heads = self.package.channel(channel.as_str()).map(|channel| channel.heads());
        let is_one = heads.into_iter().flatten().any(pre_release)
            || self.stops.iter().any(|(.., stop)| pre_release(&stop.bundle));
        let version = version.without_build();
        if is_one && !version.is_prerelease() { format!("{version}-0") } else { version.to_string() }
    }

    /// Returns the first rule that keeps every stop. `one` is the catalog with only this package.
    ///
    /// It tries the used channels from the lowest stop up. Then it tries more channels and lower
    /// minimum versions.
    fn find_rule(&self, one: &Catalog) -> Option<PackageRule> {
        let holds = |rule: &PackageRule| self.broken_stops(one, rule, false).is_empty();
        let few = self.used_channels(false);
        let many = self.used_channels(true);
        let lower = self.versions_from_highest();
        let tries = std::iter::once(None).chain(lower.iter().copied().map(Some));
        for lower in tries {
            for channels in [&few, &many] {
                let rule = self.rule_from_bound(channels, lower);
                if holds(&rule) {
                    return Some(rule);
                }
            }
        }
        None
    }

    /// Returns the versions of the package, highest first.
    fn versions_from_highest(&self) -> Vec<&'a Version> {
        let mut versions: Vec<_> =
            self.package.bundles.iter().filter_map(|bundle| bundle.version.as_ref()).collect();
        versions.sort_by(|a, b| b.cmp_precedence(a));
        versions.into_iter().map(|version| &version.version).collect()
    }

    /// Returns the rule with all channels, for a section that mirrors all versions (`full`).
    fn rule_for_all_versions(&self) -> PackageRule {
        self.rule_from_bound(&self.used_channels(true), None)
    }

    /// Returns the stops that are broken even if all versions are mirrored.
    fn unreachable_bundles(&self, one: &Catalog) -> Vec<UnreachableBundle> {
        let mut rule = self.rule_for_all_versions();
        rule.channels.iter_mut().for_each(|channel| channel.range = Range::default());
        let missing = self.broken_stops(one, &rule, true).into_iter();
        missing.map(|bundle| UnreachableBundle { openshift: self.openshift, bundle }).collect()
    }

    /// Returns the stops that a rule breaks: the bundle is missing, or the filtered catalog does
    /// not have the upgrade.
    fn broken_stops(&self, one: &Catalog, rule: &PackageRule, full: bool) -> Vec<BundleName> {
        let section = Section { packages: vec![rule.clone()], full, ..Section::default() };
        let filtered = mirror::filter_catalog(one, &section).ok();
        let graph = filtered.as_ref().and_then(|catalog| catalog.package(self.package.name.as_str()));
        let leg = Leg { openshift: self.openshift, graph: graph.map(PackageGraph::new) };
        let is_held = |(plan, before, stop): &(&Plan, Option<&Stop>, &Stop)| match (stop.cause, before) {
            (StopCause::Pick(_), Some(before)) => is_made_on_leg(plan, &leg, before, stop),
            // A running bundle must stay available, because its pod can move to another node.
            // Ignore bundles that the catalog does not have.
            _ => {
                self.package.channels_with(&stop.bundle).next().is_none()
                    || stop.channel.as_ref().is_some_and(|channel| {
                        self.package.channels_with(&stop.bundle).all(|with| with.name.value != *channel)
                    })
                    || leg.has_bundle(&stop.bundle)
            }
        };
        self.stops.iter().filter(|stop| !is_held(stop)).map(|(.., stop)| stop.bundle.clone()).collect()
    }
}

/// Returns the images of all planned bundles, sorted, each with the bundles that need it.
///
/// Images are unknown for bundles that no catalog contains.
pub fn required_images(releases: &[Release<Catalog>], plans: &[&Plan]) -> Vec<RequiredImage> {
    let mut needed: Vec<RequiredImage> = Vec::new();
    let mut note = |image: &str, by: &BundleName| {
        if image.is_empty() {
            return;
        }
        match needed.iter_mut().find(|known| known.image == image) {
            Some(known) if known.by.contains(by) => {}
            Some(known) => known.by.push(by.clone()),
            None => needed.push(RequiredImage { image: image.to_owned(), by: vec![by.clone()] }),
        }
    };
    for plan in plans {
        for stop in &plan.stops {
            let own = releases.iter().filter(|release| release.openshift == Some(stop.openshift));
            let mut packages = own.filter_map(|release| release.catalog.package(plan.package.as_str()));
            let Some(bundle) = packages.find_map(|package| package.bundle(stop.bundle.as_str())) else {
                continue;
            };
            if let Some(image) = &bundle.image {
                note(&image.value, &stop.bundle);
            }
            for related in &bundle.related_images {
                note(&related.image.value, &stop.bundle);
            }
        }
    }
    needed.sort_by(|a, b| a.image.cmp(&b.image));
    needed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::planner::{Approval, PlanCatalogs, PlanSettings, PlanStart, plan_operator};
    use olm_upgrade::{
        Engine, Installed,
        fixture::{self, any_channel_lines},
    };

    fn sample_releases(catalogs: &[[(&str, &str); 2]]) -> Vec<Release<Catalog>> {
        let release = |(at, channels): (usize, &[(&str, &str); 2])| Release {
            openshift: Some(OpenShift { major: 4, minor: 18 + at as u64 }),
            label: format!("v4.{}", 18 + at),
            catalog: fixture::catalog_from_channels(channels),
        };
        catalogs.iter().enumerate().map(release).collect()
    }

    fn section_of(set: &ImageSet, release: &Release<Catalog>) -> Option<Section> {
        let found = set.sections.iter().find(|(openshift, _)| Some(*openshift) == release.openshift);
        found.map(|(_, section)| section.clone())
    }

    #[test]
    fn rule_starts_at_lowest_stop_including_pre_releases() {
        let old = "1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";
        let new = "2.0.0-rc.1 replaces=1.2.0\n1.2.0 replaces=1.1.0\n1.1.0 replaces=1.0.0\n1.0.0";
        let releases = sample_releases(&[[("c", old), ("d", old)], [("c", new), ("d", old)]]);
        let world = PlanCatalogs::new(&releases, |_| true);
        let legs = world.find_package("p").unwrap();
        let installed =
            Installed::from_package(&legs.legs[0].graph.as_ref().unwrap().package, &"p.v1.1.0".into());
        let start = PlanStart { package: "p".into(), installed, channel: Some("c".into()), limit: None };
        let plan = plan_operator(legs, &start, &PlanSettings::new(Engine::Classic));
        let set = ImageSet::new(&releases, &[&plan], |release| release.label.clone());
        let told: Vec<String> = set
            .sections
            .iter()
            .flat_map(|(openshift, section)| section.packages.iter().map(move |package| (openshift, package)))
            .flat_map(|(openshift, package)| {
                package.channels.iter().map(move |c| format!("{openshift} {} {}", c.name, c.range))
            })
            .collect();
        assert_eq!(told, ["4.18 c >=1.1.0", "4.19 c >=1.1.0-0"]);
        assert_eq!(set.unreachable, []);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 96, ..ProptestConfig::default() })]

        #[test]
        fn mirrored_catalogs_have_every_planned_upgrade_or_report_it(
            catalogs in prop::collection::vec((any_channel_lines(), any_channel_lines()), 1..4),
            (engine, approval, any_channel) in any::<(bool, bool, bool)>(),
        ) {
            let catalogs: Vec<[(&str, &str); 2]> =
                catalogs.iter().map(|(c, d)| [("c", c.as_str()), ("d", d.as_str())]).collect();
            let releases = sample_releases(&catalogs);
            let world = PlanCatalogs::new(&releases, |_| true);
            let legs = world.find_package("p").unwrap();
            let question = PlanSettings {
                approval: if approval { Approval::Manual } else { Approval::Automatic },
                ..PlanSettings::new(if engine { Engine::Classic } else { Engine::V1 })
            };
            let channel = (engine || !any_channel).then(|| ChannelName::from("c"));
            let package = legs.legs[0].graph.as_ref().unwrap().package.clone();
            let starts: Vec<PlanStart> = package.bundles.iter().take(3).map(|bundle| PlanStart {
                package: "p".into(),
                installed: Installed::from_package(&package, &bundle.name.value),
                channel: channel.clone(),
                limit: None,
            }).collect();
            let plans = crate::planner::plan_operators(legs, &starts, &question);
            let plans: Vec<&Plan> = plans.iter().collect();
            let set = ImageSet::new(&releases, &plans, |release| release.label.clone());
            for release in &releases {
                let openshift = release.openshift.unwrap();
                let filtered = section_of(&set, release).map(|section| mirror::filter_catalog(&release.catalog, &section));
                let package = filtered.as_ref().and_then(|filtered| filtered.as_ref().ok()?.package("p"));
                let leg = Leg { openshift, graph: package.map(PackageGraph::new) };
                for plan in &plans {
                    for pair in plan.stops.windows(2) {
                        let is_here = pair[1].openshift == openshift && matches!(pair[1].cause, StopCause::Pick(_));
                        if is_here && !is_made_on_leg(plan, &leg, &pair[0], &pair[1]) {
                            let broken = UnreachableBundle { openshift, bundle: pair[1].bundle.clone() };
                            prop_assert!(set.unreachable.contains(&broken), "{:?} {:?} of {:?}", pair, set, filtered.map(Result::err));
                        }
                    }
                }
            }
        }
    }
}
