//! Installed versions whose next upgrade differs between the catalog and the extract.

use std::collections::{HashMap, HashSet};

use olm_catalog::{BundleName, ChannelName};
use olm_upgrade::{
    Engine, Installed, PackageGraph,
    table::{NextUpgrade, classic_next, v1_next},
    v1::Query,
};

/// Installed version whose next upgrade changes although the extract contains the previous target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectedUpgrade {
    /// The OLM engine.
    pub engine: Engine,
    /// The channel in OLM Classic. `None` in OLM v1, which is resolved without channels.
    pub channel: Option<ChannelName>,
    /// The installed bundle.
    pub installed: BundleName,
    /// The next upgrade in the whole catalog.
    pub before: BundleName,
    /// The next upgrade in the extract. `None` if there is no upgrade.
    pub after: Option<BundleName>,
}

/// The upgrades that the extract changes or cuts off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UpgradeChanges {
    /// The installed versions whose next upgrade changes.
    pub changed: Vec<RedirectedUpgrade>,
    /// The number of versions with an upgrade to a bundle outside the extract.
    ///
    /// OLM Classic has a count for each channel. OLM v1 has one count with the key `None`.
    pub cut: HashMap<Option<ChannelName>, usize>,
}

impl UpgradeChanges {
    pub fn compare_graphs(before: &PackageGraph, after: &PackageGraph) -> Self {
        let (whole, taken) = (&before.package, &after.package);
        let kept: HashSet<&BundleName> = taken.bundles.iter().map(|bundle| &bundle.name.value).collect();
        let mut found = Self::default();
        for channel in &taken.channels {
            let name = &channel.name.value;
            let (Some(old), Some(new)) = (before.channel(name.as_str()), after.channel(name.as_str())) else {
                continue;
            };
            for entry in &channel.entries {
                let installed = Installed::from_package(whole, &entry.name.value);
                let (was, now) = (classic_next(old, &installed), classic_next(new, &installed));
                found.add_change(Engine::Classic, Some(name), &installed, (&was, &now), &kept);
            }
        }
        let (old, new) = (before.v1_resolver(&Query::default()), after.v1_resolver(&Query::default()));
        for bundle in &taken.bundles {
            let installed = Installed::from_package(whole, &bundle.name.value);
            let (was, now) = (v1_next(&old, &installed), v1_next(&new, &installed));
            found.add_change(Engine::V1, None, &installed, (&was, &now), &kept);
        }
        found
    }

    fn add_change(
        &mut self,
        engine: Engine,
        channel: Option<&ChannelName>,
        installed: &Installed,
        (was, now): (&NextUpgrade, &NextUpgrade),
        kept: &HashSet<&BundleName>,
    ) {
        let Some(before) = was.target() else { return };
        if !kept.contains(before) {
            *self.cut.entry(channel.cloned()).or_default() += 1;
        } else if now.target() != Some(before) {
            self.changed.push(RedirectedUpgrade {
                engine,
                channel: channel.cloned(),
                installed: installed.name.clone(),
                before: before.clone(),
                after: now.target().cloned(),
            });
        }
    }
}
