//! Effect of a chosen row on users.

use std::collections::BTreeSet;

use crate::tui::dialogs::release::rows::{ReleaseRow, ReleaseRows};
use olm_catalog::{BundleName, ChannelName};
use olm_check::review::{Consequences, FreshInstallChange};
use olm_upgrade::Engine;

/// Effect on the users of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowEffect {
    /// Number of installed versions whose next upgrade changes.
    pub moved: usize,
    /// Changed fresh install.
    pub fresh: Option<FreshInstallChange>,
    /// Number of versions of the row that become stuck.
    pub stuck: usize,
    /// True if versions of the row are no longer stuck on at least one engine.
    pub frees_versions: bool,
    /// True if upgrades on v1 change in the catalog.
    pub changes_v1: bool,
}

impl RowEffect {
    /// Returns true if nothing changes for users.
    pub fn is_empty(&self) -> bool {
        let Self { moved, fresh, stuck, frees_versions, changes_v1 } = self;
        *moved == 0 && fresh.is_none() && *stuck == 0 && !frees_versions && !changes_v1
    }
}

impl ReleaseRows {
    /// Returns the effect on the users of a chosen row; `None` until it is known.
    pub fn row_effect(&self, row: &ReleaseRow) -> Option<RowEffect> {
        let preview = self.catalogs.get(row.catalog_row)?.preview.ready_preview()?;
        let outcome = preview.as_ref().ok().filter(|_| row.chosen)?;
        let Consequences { changed_steps, fresh, harm, stuck, .. } = &outcome.consequences;
        let is_own =
            |channel: &Option<ChannelName>| channel.as_ref().is_some_and(|channel| row.has_channel(channel));
        let moved =
            changed_steps.iter().filter(|step| step.engine == Engine::Classic && is_own(&step.channel));
        let is_entry = |channel: &olm_catalog::blob::ChannelBlob, name: &BundleName| {
            channel.entries.iter().any(|entry| entry.name.value == *name)
        };
        let after = outcome.after.packages().map(|(_, state)| state.package());
        let channels: Vec<_> = after
            .flat_map(|package| &package.channels)
            .filter(|it| is_own(&Some(it.name.value.clone())))
            .collect();
        let count = |names: BTreeSet<&BundleName>| {
            names.into_iter().filter(|name| channels.iter().any(|channel| is_entry(channel, name))).count()
        };
        let freed = stuck.iter().flat_map(|change| &change.freed).map(|row| &row.version).collect();
        let newly_stuck = harm.stuck.iter().flat_map(|(_, rows)| rows).map(|row| &row.version).collect();
        let fresh = fresh.iter().find(|fresh| fresh.engine == Engine::Classic && is_own(&fresh.channel));
        Some(RowEffect {
            moved: moved.count(),
            fresh: fresh.cloned(),
            stuck: count(newly_stuck),
            frees_versions: count(freed) > 0,
            changes_v1: changed_steps.iter().any(|step| step.engine == Engine::V1),
        })
    }
}
