//! Whose next upgrade is another one in what is taken.

use std::collections::{HashMap, HashSet};

use crate::{
    catalog::{BundleName, ChannelName},
    upgrade::{
        Engine, Installed, PackageGraph,
        table::{Next, classic_next, v1_next},
        v1::Query,
    },
};

/// An installed version whose next upgrade changes though what it would be is taken too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Which OLM.
    pub engine: Engine,
    /// Classic: the channel. v1 is asked without channels.
    pub channel: Option<ChannelName>,
    /// What is installed.
    pub installed: BundleName,
    /// What it is upgraded to in the whole catalog.
    pub before: BundleName,
    /// What it is upgraded to in what is taken; `None` where it stays.
    pub after: Option<BundleName>,
}

/// What becomes of those who have a bundle that is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Upgrades {
    /// Those whose next upgrade changes.
    pub changed: Vec<Changed>,
    /// How many versions are upgraded to what is not taken: Classic by channel, the sum of all of them; v1.
    pub cut: HashMap<Option<ChannelName>, usize>,
}

impl Upgrades {
    pub fn between(before: &PackageGraph, after: &PackageGraph) -> Self {
        let (whole, taken) = (&before.package, &after.package);
        let kept: HashSet<&BundleName> = taken.bundles.iter().map(|bundle| &bundle.name.value).collect();
        let mut found = Self::default();
        for channel in &taken.channels {
            let name = &channel.name.value;
            let (Some(old), Some(new)) = (before.channel(name.as_str()), after.channel(name.as_str())) else {
                continue;
            };
            for entry in &channel.entries {
                let installed = Installed::of(whole, &entry.name.value);
                let (was, now) = (classic_next(old, &installed), classic_next(new, &installed));
                found.add(Engine::Classic, Some(name), &installed, (&was, &now), &kept);
            }
        }
        let (old, new) = (before.resolver(&Query::default()), after.resolver(&Query::default()));
        for bundle in &taken.bundles {
            let installed = Installed::of(whole, &bundle.name.value);
            let (was, now) = (v1_next(&old, &installed), v1_next(&new, &installed));
            found.add(Engine::V1, None, &installed, (&was, &now), &kept);
        }
        found
    }

    fn add(
        &mut self,
        engine: Engine,
        channel: Option<&ChannelName>,
        installed: &Installed,
        (was, now): (&Next, &Next),
        kept: &HashSet<&BundleName>,
    ) {
        let Some(before) = was.target() else { return };
        if !kept.contains(before) {
            *self.cut.entry(channel.cloned()).or_default() += 1;
        } else if now.target() != Some(before) {
            self.changed.push(Changed {
                engine,
                channel: channel.cloned(),
                installed: installed.name.clone(),
                before: before.clone(),
                after: now.target().cloned(),
            });
        }
    }
}
