//! History of one bundle: the part of each step that is about it.

use std::collections::BTreeSet;

use super::{CommitEffect, FindingCounts, History, HistoryStep, PackageChange};
use crate::review::diff::{ChangeKind, ChannelDiff, ImpactCounts, PackageDiff};
use olm_catalog::{BundleName, blob::DeprecationTarget};

impl History {
    /// Returns all bundles and entries in the steps.
    pub fn all_bundles(&self) -> BTreeSet<&BundleName> {
        let packages =
            self.steps.iter().filter_map(HistoryStep::package_change).map(|changed| &changed.package);
        packages
            .flat_map(|package| {
                let entries = package.channels.iter().flat_map(|channel| &channel.entries);
                package.bundles.iter().map(|bundle| &bundle.name).chain(entries.map(|entry| &entry.name))
            })
            .collect()
    }

    /// Removes everything that is not about a bundle. Unreadable steps stay, since they may be
    /// about it.
    #[must_use]
    pub fn for_bundle(&self, bundle: &BundleName) -> Self {
        let steps = self.steps.iter().filter_map(|step| {
            let did = match &step.effect {
                CommitEffect::Changed(changed) => {
                    CommitEffect::Changed(Box::new(changed.part_for_bundle(bundle)?))
                }
                unread @ CommitEffect::Unread(_) => unread.clone(),
            };
            Some(HistoryStep { effect: did, ..step.clone() })
        });
        Self { steps: steps.collect(), package: self.package.clone(), ..*self }
    }
}

impl PackageChange {
    fn part_for_bundle(&self, bundle: &BundleName) -> Option<Self> {
        let is_it = |target: &Option<DeprecationTarget>| matches!(target, Some(DeprecationTarget::Bundle(name)) if name == bundle);
        let whole = &self.package;
        let channels: Vec<ChannelDiff> =
            whole.channels.iter().filter_map(|c| channel_part_for_bundle(c, bundle)).collect();
        let package = PackageDiff {
            default_channel: None,
            description: Vec::new(),
            channels,
            bundles: whole.bundles.iter().filter(|diff| diff.name == *bundle).cloned().collect(),
            deprecations: whole.deprecations.iter().filter(|diff| is_it(&diff.target)).cloned().collect(),
            others: Vec::new(),
            rewritten: Vec::new(),
            ..whole.clone()
        };
        let installed: Vec<_> = self.installed.get_key_value(bundle).into_iter().collect();
        let is_about = !package.channels.is_empty()
            || !package.bundles.is_empty()
            || !package.deprecations.is_empty()
            || !installed.is_empty();
        is_about.then(|| Self {
            package,
            users: ImpactCounts::default(),
            stuck: None,
            installed: installed.into_iter().map(|(name, fortune)| (name.clone(), *fortune)).collect(),
            new_findings: FindingCounts::default(),
            fixed_findings: FindingCounts::default(),
            unread_before: self.unread_before,
        })
    }
}

/// Returns the part of a channel difference about a bundle: its entry, and whether it becomes a
/// head or stops being one.
fn channel_part_for_bundle(channel: &ChannelDiff, bundle: &BundleName) -> Option<ChannelDiff> {
    let entries: Vec<_> = channel.entries.iter().filter(|entry| entry.name == *bundle).cloned().collect();
    let heads =
        channel.heads.as_ref().filter(|heads| heads.before.contains(bundle) != heads.after.contains(bundle));
    (!entries.is_empty() || heads.is_some()).then(|| ChannelDiff {
        // Even if the channel is new or removed, the entry itself can be reported as added or
        // removed.
        change_kind: ChangeKind::Changed,
        entries,
        heads: heads.cloned(),
        new_edges: Vec::new(),
        removed_edges: Vec::new(),
        has_more_edges: false,
        ..channel.clone()
    })
}
