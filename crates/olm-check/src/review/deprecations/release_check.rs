//! Deprecations that do not count in a release check: those that existed before a change, and
//! accepted ones.

use std::collections::BTreeSet;

use super::{DeprecationReport, ExitPath, list_deprecations};
use crate::{
    Finding,
    review::{PackageState, Snapshot},
    rules,
};
use olm_catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget};
use olm_upgrade::Engine;

/// Relation of a deprecation to a change of its catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeprecationChange {
    /// True if the change adds the deprecation.
    pub is_new: bool,
    /// True if the change adds the deprecation, or removes an upgrade path from its users.
    pub is_concerned: bool,
    /// True if the change leaves users of the deprecation without an upgrade path, or stops OLM v1.
    pub blocks: bool,
}

/// Compares a deprecation with the state of the catalog before a change.
pub fn compare_deprecation(one: &DeprecationReport, old: &Snapshot, new: &Snapshot) -> DeprecationChange {
    let states = [old, new].map(|state| state.package(one.package.as_str()).map(AsRef::as_ref));
    match DeprecationEffects::compare_states(&one.package, states[0], states[1]) {
        Some(effects) => relate_to_effects(one, &effects),
        None => DeprecationChange::default(),
    }
}

/// Returns the relation of a deprecation to a change that has these effects on its package.
pub fn relate_to_effects(one: &DeprecationReport, effects: &DeprecationEffects) -> DeprecationChange {
    let is_new = effects.added.iter().any(|(target, _)| Some(target) == one.target.as_ref());
    let is_lost = effects.lost.iter().any(|lost| {
        let mut users = one.affected.iter().filter(|user| user.installed == lost.installed);
        users.any(|user| {
            user.closed_paths()
                .any(|(engine, channel)| engine == lost.engine && channel == lost.channel.as_ref())
        })
    });
    let is_stopped = one.stopped.iter().any(|bundle| effects.stopped.contains(bundle));
    let blocks = is_lost || is_stopped;
    DeprecationChange { is_new, is_concerned: is_new || blocks, blocks }
}

/// Returns true if findings that a baseline accepts account for all users whom a deprecation leaves without an upgrade path, and
/// for all on whom OLM v1 stops.
pub fn is_accepted(one: &DeprecationReport, accepted: &[&Finding]) -> bool {
    let named = |rules: &[&'static crate::Rule]| -> BTreeSet<String> {
        let of = |package: &Option<PackageName>| package.as_ref() == Some(&one.package);
        let findings = accepted.iter().filter(|finding| of(&finding.package)).flat_map(|f| f.all_parts());
        let findings = findings.filter(|part| rules.contains(&part.rule));
        let names = findings.flat_map(|finding| {
            finding.names.iter().cloned().chain(finding.bundle.as_ref().map(ToString::to_string))
        });
        names.collect()
    };
    let stuck = named(&[&rules::NO_UNDEPRECATED_WAY_OUT, &rules::DEPRECATED_HEAD]);
    let stopped = named(&[&rules::DEPRECATION_STOPS_V1]);
    let is_known = |way: &ExitPath, installed: &str| match way {
        ExitPath::Closed { at } => stuck.contains(installed) || stuck.contains(at.as_str()),
        _ => true,
    };
    let users = one.affected.iter().all(|user| {
        let installed = user.installed.as_str();
        user.classic.iter().all(|(_, way)| is_known(way, installed)) && is_known(&user.v1, installed)
    });
    users && one.stopped.iter().all(|bundle| stopped.contains(bundle.as_str()))
}

/// Installed deprecated bundle without a way out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StrandedInstall {
    /// OLM that manages it.
    pub engine: Engine,
    /// Classic: the subscribed channel.
    pub channel: Option<ChannelName>,
    /// Installed bundle.
    pub installed: BundleName,
}

/// Differences between two states of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeprecationEffects {
    /// Name of the package.
    pub package: PackageName,
    /// New deprecations, each with the number of affected installed versions.
    pub added: Vec<(DeprecationTarget, usize)>,
    /// Removed deprecations.
    pub removed: Vec<DeprecationTarget>,
    /// Users who lose their way out, or who newly need one and do not have it.
    pub lost: Vec<StrandedInstall>,
    /// Users who gain a way out, or no longer need one.
    pub found: Vec<StrandedInstall>,
    /// Installed versions on which v1 newly stays because the next version is deprecated.
    pub stopped: Vec<BundleName>,
    /// Installed versions that v1 upgrades again.
    pub freed: Vec<BundleName>,
}

impl DeprecationEffects {
    /// Compares two states of a package; `None` if there are no differences.
    pub fn compare_states(
        package: &PackageName,
        old: Option<&PackageState>,
        new: Option<&PackageState>,
    ) -> Option<Self> {
        let (old, new) = (EffectState::from_package_state(old), EffectState::from_package_state(new));
        let gone = |one: &EffectState, other: &EffectState| -> Vec<DeprecationTarget> {
            let targets = one.all.iter().filter_map(|d| d.target.clone());
            targets.filter(|target| other.deprecation(target).is_none()).collect()
        };
        let count = |target: DeprecationTarget| {
            let concerned = new.deprecation(&target).map_or(0, |d| d.concerned.len());
            (target, concerned)
        };
        let effects = Self {
            package: package.clone(),
            added: gone(&new, &old).into_iter().map(count).collect(),
            removed: gone(&old, &new),
            lost: new.stranded.difference(&old.stranded).cloned().collect(),
            found: old.stranded.difference(&new.stranded).cloned().collect(),
            stopped: new.stopped.difference(&old.stopped).cloned().collect(),
            freed: old.stopped.difference(&new.stopped).cloned().collect(),
        };
        (effects != Self { package: package.clone(), ..Self::default() }).then_some(effects)
    }
}

#[derive(Default)]
struct EffectState {
    all: Vec<DeprecationReport>,
    stranded: BTreeSet<StrandedInstall>,
    stopped: BTreeSet<BundleName>,
}

impl EffectState {
    fn from_package_state(judged: Option<&PackageState>) -> Self {
        let all = judged.map(list_deprecations).unwrap_or_default();
        let users = all.iter().flat_map(|d| &d.affected);
        let stranded = users.flat_map(|user| {
            user.closed_paths().map(|(engine, channel)| StrandedInstall {
                engine,
                channel: channel.cloned(),
                installed: user.installed.clone(),
            })
        });
        let stranded = stranded.collect();
        let stopped = all.iter().flat_map(|d| d.stopped.iter().cloned()).collect();
        Self { all, stranded, stopped }
    }

    fn deprecation(&self, target: &DeprecationTarget) -> Option<&DeprecationReport> {
        self.all.iter().find(|d| d.target.as_ref() == Some(target))
    }
}
