//! Effects of an edit on users of deprecated bundles.

use std::collections::BTreeSet;

use super::{DeprecationReport, list_deprecations};
use crate::review::PackageState;
use olm_catalog::{BundleName, ChannelName, PackageName, blob::DeprecationTarget};
use olm_upgrade::Engine;

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
