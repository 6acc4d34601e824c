//! Consequences of a catalog change for installed bundles.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    Evaluation, UncheckedFinding,
    deprecations::DeprecationEffects,
    findings::{self, SeverityChange},
    fresh::{self, FreshInstallChange},
    harm::Harm,
    snapshot::{PackageState, Snapshot},
    stuck_changes::StuckChange,
    unmet_dependencies::UnmetDependencies,
};
use crate::Finding;
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName};
use olm_upgrade::{
    Engine, Installed, ResolveError,
    package::ChannelUpgrades,
    resolve::Source,
    table::{self, NextUpgrade},
    v1::Query,
};

/// Upgrade of an installed bundle in one OLM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UpgradeOutcome {
    /// Next upgrade.
    pub next: NextUpgrade,
    /// True if Classic stays although the head of the channel is higher.
    pub dead_end: bool,
    /// True if v1 upgrades it out of the default channel of the package.
    pub escapes: bool,
    /// Bundle at the end of the upgrade path; the installed one if it stays.
    pub end: BundleName,
    /// True if the upgrade path is a cycle.
    pub circular: bool,
}

impl UpgradeOutcome {
    /// Returns true if the next upgrade is the same and is equally good. Ignores changes of
    /// `escapes`: users on v1 do not follow the default channel.
    fn has_same_step(&self, other: &Self) -> bool {
        self.next == other.next && self.dead_end == other.dead_end
    }

    /// Returns true if the upgrade paths end at the same bundle.
    fn has_same_end(&self, other: &Self) -> bool {
        self.end == other.end && self.circular == other.circular
    }
}

/// Installed bundle with a changed upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedUpgrade {
    /// Name of the package.
    pub package: PackageName,
    /// OLM that upgrades it.
    pub engine: Engine,
    /// Classic: the subscribed channel. v1 is queried without channels.
    pub channel: Option<ChannelName>,
    /// Installed bundle.
    pub installed: BundleName,
    /// True if the catalog no longer has the bundle. Clusters keep it installed, with its old
    /// version.
    pub removed: bool,
    /// Previous upgrade.
    pub before: UpgradeOutcome,
    /// New upgrade.
    pub after: UpgradeOutcome,
}

/// Differences for users between two states of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Consequences {
    /// Findings that only the new state has.
    pub new_findings: Vec<Finding>,
    /// Findings that disappeared and whose rules were evaluated on the new state.
    pub fixed_findings: Vec<Finding>,
    /// Findings that were parts of a finding that disappeared. They are neither new nor fixed.
    pub remaining_findings: Vec<Finding>,
    /// Findings with another severity than before.
    pub severity_changes: Vec<SeverityChange>,
    /// Findings that disappeared because their rules could not be evaluated any more.
    pub unchecked_findings: Vec<UncheckedFinding>,
    /// Installed bundles whose next upgrade changes, or that become dead ends or are no longer dead
    /// ends. Classic by channel, v1 over all channels.
    pub changed_steps: Vec<ChangedUpgrade>,
    /// Installed bundles with the same next upgrade but another end of the upgrade path.
    pub changed_ends: Vec<ChangedUpgrade>,
    /// Changes of stuck versions, by package.
    pub stuck: Vec<StuckChange>,
    /// Fresh installs with a changed result.
    pub fresh: Vec<FreshInstallChange>,
    /// Effects of changed deprecations, by package.
    pub deprecations: Vec<DeprecationEffects>,
    /// Bundles with a newly unmet dependency.
    pub unmet: UnmetDependencies,
    /// Users in `moved` and `fresh` who are worse off.
    pub harm: Harm,
}

impl Consequences {
    /// Compares two states. Examines only packages that differ, and the findings of packages that
    /// depend on them.
    pub fn compare_snapshots(before: &Snapshot, after: &Snapshot) -> Self {
        Self::compare_beside(before, after, &[])
    }

    /// Compares two states, with the other open catalogs (`beside`), which do not change. Those may
    /// need what this catalog removes, and may provide what it needs.
    pub fn compare_beside(before: &Snapshot, after: &Snapshot, beside: &[Source]) -> Self {
        let touched = after.changed_packages(before);
        let unmet = UnmetDependencies::find_newly_unmet(before, after, &touched, beside);
        let mut all = Self { unmet, ..Self::default() };
        let outside = findings::compare_findings(before.outside_list(), after.outside_list());
        let catalogs = [&*before.catalog, &*after.catalog];
        for name in touched {
            let (old, new) = (before.package(name.as_str()), after.package(name.as_str()));
            all.add_package(catalogs, name, old, new, &outside.0);
        }
        for (was, now) in after.rejudged_packages(before) {
            all.compare_findings(catalogs, Some(was), Some(now), &outside.0);
        }
        all.add_outside_findings(outside);
        all.harm = Harm::from_consequences(&all, before, after);
        all
    }

    /// Adds the differences for users of one package. `outside` has the new findings without a
    /// package.
    pub(super) fn add_package(
        &mut self,
        catalogs: [&Catalog; 2],
        name: &PackageName,
        old: Option<&Arc<PackageState>>,
        new: Option<&Arc<PackageState>>,
        outside: &[Finding],
    ) {
        self.compare_findings(catalogs, old, new, outside);
        self.stuck.extend(StuckChange::compare_states(name, old.map(AsRef::as_ref), new.map(AsRef::as_ref)));
        if let Some(old) = old {
            let changed = InstalledBundles { package: name, old, new: new.map(AsRef::as_ref) }.find_changes();
            let (moved, ends) = changed
                .into_iter()
                .partition(|moved: &ChangedUpgrade| !moved.before.has_same_step(&moved.after));
            let (moved, ends): (Vec<_>, Vec<_>) = (moved, ends);
            self.changed_steps.extend(moved);
            self.changed_ends.extend(ends);
            // A removed package has only the differences above.
            self.fresh.extend(new.map(|new| fresh::changed_installs(name, old, new)).unwrap_or_default());
        }
        self.deprecations.extend(DeprecationEffects::compare_states(
            name,
            old.map(AsRef::as_ref),
            new.map(AsRef::as_ref),
        ));
    }

    /// Adds the new and removed findings of a package.
    pub(super) fn compare_findings(
        &mut self,
        [before, after]: [&Catalog; 2],
        old: Option<&Arc<PackageState>>,
        new: Option<&Arc<PackageState>>,
        outside: &[Finding],
    ) {
        let was = PackageState::finding_list(before, old.map(AsRef::as_ref));
        let now = PackageState::finding_list(after, new.map(AsRef::as_ref));
        let (found, gone) = findings::compare_findings(was, now);
        self.remaining_findings.extend(findings::find_remaining(was, now));
        self.severity_changes.extend(findings::find_severity_changes(was, now));
        let evaluation = Evaluation::new(old.map(AsRef::as_ref), new.map(AsRef::as_ref), &found, outside);
        let (fixed, unchecked) = evaluation.split_disappeared(gone);
        self.fixed_findings.extend(fixed);
        self.unchecked_findings.extend(unchecked);
        self.new_findings.extend(found);
    }

    /// Adds the new and removed findings without a package.
    pub(super) fn add_outside_findings(&mut self, (found, gone): (Vec<Finding>, Vec<Finding>)) {
        let (fixed, unchecked) = Evaluation::new(None, None, &found, &[]).split_disappeared(gone);
        self.fixed_findings.extend(fixed);
        self.unchecked_findings.extend(unchecked);
        self.new_findings.extend(found);
    }

    /// Returns true if there are no differences.
    pub fn is_empty(&self) -> bool {
        self.new_findings.is_empty()
            && self.fixed_findings.is_empty()
            && self.remaining_findings.is_empty()
            && self.severity_changes.is_empty()
            && self.unchecked_findings.is_empty()
            && self.changed_steps.is_empty()
            && self.changed_ends.is_empty()
            && self.stuck.is_empty()
            && self.fresh.is_empty()
            && self.deprecations.is_empty()
            && self.unmet.is_empty()
    }

    /// Removes everything that is not about some packages.
    pub(super) fn retain_packages(&mut self, is_kept: impl Fn(&PackageName) -> bool) {
        let is_about = |finding: &Finding| finding.package.as_ref().is_some_and(&is_kept);
        self.new_findings.retain(is_about);
        self.fixed_findings.retain(is_about);
        self.remaining_findings.retain(is_about);
        self.severity_changes.retain(|change| is_about(&change.finding));
        self.unchecked_findings.retain(|unchecked| is_about(&unchecked.finding));
        self.changed_steps.retain(|moved| is_kept(&moved.package));
        self.changed_ends.retain(|moved| is_kept(&moved.package));
        self.stuck.retain(|change| is_kept(change.package_name()));
        self.fresh.retain(|change| is_kept(&change.package));
        self.deprecations.retain(|effects| is_kept(&effects.package));
        self.harm.retain_packages(&is_kept);
        self.unmet.retain_packages(is_kept);
    }

    /// Adds the results of another comparison, except for `harm`, which
    /// [`Harm::from_consequences`] computes from all results.
    pub(super) fn append(&mut self, mut other: Self) {
        self.new_findings.append(&mut other.new_findings);
        self.fixed_findings.append(&mut other.fixed_findings);
        self.remaining_findings.append(&mut other.remaining_findings);
        self.severity_changes.append(&mut other.severity_changes);
        self.unchecked_findings.append(&mut other.unchecked_findings);
        self.changed_steps.append(&mut other.changed_steps);
        self.changed_ends.append(&mut other.changed_ends);
        self.stuck.append(&mut other.stuck);
        self.fresh.append(&mut other.fresh);
        self.deprecations.append(&mut other.deprecations);
        self.unmet.all.append(&mut other.unmet.all);
        self.unmet.stopped = self.unmet.stopped.or(other.unmet.stopped);
    }
}

/// Installed bundles of a package, in two states of the package.
struct InstalledBundles<'a> {
    package: &'a PackageName,
    old: &'a PackageState,
    new: Option<&'a PackageState>,
}

impl InstalledBundles<'_> {
    /// Returns all changes: Classic by channel, then v1; lowest installed version first.
    fn find_changes(&self) -> Vec<ChangedUpgrade> {
        let package = self.old.package();
        let mut installed: Vec<Installed> =
            package.bundles.iter().map(|b| Installed::from_package(package, &b.name.value)).collect();
        // Lowest version first; bundles without a version come before all others.
        installed.sort_by(|a, b| match (&a.version, &b.version) {
            (Some(a), Some(b)) => a.cmp_precedence(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        let places: HashMap<&BundleName, Vec<usize>> = {
            let mut places: HashMap<&BundleName, Vec<usize>> = HashMap::new();
            for (place, installed) in installed.iter().enumerate() {
                places.entry(&installed.name).or_default().push(place);
            }
            places
        };
        let mut changed = Vec::new();
        for upgrades in self.old.graph.channels() {
            let channel = upgrades.graph.name();
            let now = self.new.and_then(|new| new.graph.channel(channel.as_str()));
            // If the channel has the same error as before, the answers for all entries are the
            // same.
            if now.is_some_and(|now| matches!((&upgrades.chain, &now.chain), (Err(a), Err(b)) if a == b)) {
                continue;
            }
            let entries = upgrades.graph.entry_nodes().filter_map(|at| upgrades.graph.node(at));
            let mut subscribed: Vec<usize> =
                entries.filter_map(|node| places.get(&node.name)).flatten().copied().collect();
            subscribed.sort_unstable();
            let subscribed: Vec<&Installed> =
                subscribed.into_iter().filter_map(|place| installed.get(place)).collect();
            let before = classic_outcomes(upgrades, &subscribed);
            let after = match (self.new, now) {
                (None, _) => {
                    missing_outcomes(&subscribed, &ResolveError::NoPackage(self.package.to_string()))
                }
                (_, None) => missing_outcomes(&subscribed, &ResolveError::NoChannel(channel.to_string())),
                (_, Some(now)) => classic_outcomes(now, &subscribed),
            };
            self.add_changes(&mut changed, Engine::Classic, Some(channel), &subscribed, before, after);
        }
        let installed: Vec<&Installed> = installed.iter().collect();
        let before = v1_outcomes(self.old, &installed);
        let after = match self.new {
            None => missing_outcomes(&installed, &ResolveError::NoPackage(self.package.to_string())),
            Some(new) => v1_outcomes(new, &installed),
        };
        self.add_changes(&mut changed, Engine::V1, None, &installed, before, after);
        changed
    }

    /// Adds each installed bundle whose next upgrade or end of the upgrade path changes.
    fn add_changes(
        &self,
        changed: &mut Vec<ChangedUpgrade>,
        engine: Engine,
        channel: Option<&ChannelName>,
        installed: &[&Installed],
        before: Vec<UpgradeOutcome>,
        after: Vec<UpgradeOutcome>,
    ) {
        let is_there =
            |name: &BundleName| self.new.is_some_and(|n| n.package().bundle(name.as_str()).is_some());
        for ((installed, before), after) in installed.iter().zip(before).zip(after) {
            if !before.has_same_step(&after) || !before.has_same_end(&after) {
                let installed = installed.name.clone();
                let (package, gone) = (self.package.clone(), !is_there(&installed));
                changed.push(ChangedUpgrade {
                    package,
                    engine,
                    channel: channel.cloned(),
                    installed,
                    removed: gone,
                    before,
                    after,
                });
            }
        }
    }
}

/// Returns the outcomes of installed bundles if the channel or the package is missing: the error.
fn missing_outcomes(installed: &[&Installed], error: &ResolveError) -> Vec<UpgradeOutcome> {
    let outlook = |installed: &&Installed| UpgradeOutcome {
        next: NextUpgrade::Error(error.clone()),
        dead_end: false,
        escapes: false,
        end: installed.name.clone(),
        circular: false,
    };
    installed.iter().map(outlook).collect()
}

/// Returns the outcomes of installed bundles in a channel on Classic.
fn classic_outcomes(upgrades: &ChannelUpgrades, installed: &[&Installed]) -> Vec<UpgradeOutcome> {
    let graph = &upgrades.graph;
    let entries = graph.entry_nodes().filter_map(|at| graph.node(at));
    let entries = entries.map(|node| Installed { name: node.name.clone(), version: node.version.clone() });
    let head = graph.head().and_then(|node| node.version.as_ref());
    follow_outcomes(
        installed,
        entries,
        |installed| table::classic_next(upgrades, installed),
        |installed, next| {
            let is_higher = |head| installed.version.as_ref().is_some_and(|v| v.cmp_precedence(head).is_lt());
            (*next == NextUpgrade::Stays && head.is_some_and(is_higher), false)
        },
    )
}

/// Returns the outcomes of installed bundles on v1.
fn v1_outcomes(judged: &PackageState, installed: &[&Installed]) -> Vec<UpgradeOutcome> {
    let package = judged.package();
    let resolver = judged.graph.v1_resolver(&Query::default());
    let default = package.default_channel().and_then(|name| judged.graph.channel(name.as_str()));
    let is_in_default =
        |name: &BundleName| default.is_some_and(|c| c.graph.entry_named(name.as_str()).is_some());
    follow_outcomes(
        installed,
        package.bundles.iter().map(|b| Installed::from_package(package, &b.name.value)),
        |installed| table::v1_next(&resolver, installed),
        |installed, next| {
            let is_out = next.target().is_some_and(|to| !is_in_default(to));
            (false, is_out && is_in_default(&installed.name))
        },
    )
}

/// Follows the upgrades of installed bundles to their ends. `others` are further bundles on the
/// paths. `judge` returns whether a step is a dead end, and whether it leaves the channel.
fn follow_outcomes(
    installed: &[&Installed],
    others: impl Iterator<Item = Installed>,
    next: impl Fn(&Installed) -> NextUpgrade,
    judge: impl Fn(&Installed, &NextUpgrade) -> (bool, bool),
) -> Vec<UpgradeOutcome> {
    let mut steps: Vec<(BundleName, NextUpgrade)> =
        installed.iter().map(|i| (i.name.clone(), next(i))).collect();
    let known: HashSet<&BundleName> = installed.iter().map(|i| &i.name).collect();
    let others: Vec<_> =
        others.filter(|o| !known.contains(&o.name)).map(|o| (o.name.clone(), next(&o))).collect();
    steps.extend(others);
    let borrowed: Vec<(&BundleName, &NextUpgrade)> = steps.iter().map(|(name, next)| (name, next)).collect();
    let ends = table::find_path_ends(&borrowed);
    let outlook =
        |((installed, (_, next)), end): ((&&Installed, &(BundleName, NextUpgrade)), table::PathEnd)| {
            let (dead_end, escapes) = judge(installed, next);
            UpgradeOutcome { next: next.clone(), dead_end, escapes, end: end.name, circular: end.circular }
        };
    installed.iter().zip(&steps).zip(ends).map(outlook).collect()
}
