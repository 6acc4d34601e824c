//! Removal of everything except named packages, channels and entries.
//!
//! A document that does not refer to removed parts stays as it is written. Documents without a package also
//! stay, because they belong to the whole catalog. A document of an unknown schema is removed if its name is
//! that of a removed channel or bundle.

use std::collections::{HashMap, HashSet};

use super::{
    EditError, channel,
    document::{self, apply_changes, effective_key, remove_entries, rewrite_change},
    find_channel_in, find_package,
};
use crate::kept_parts::{KeptChannel, KeptPackage};
use olm_catalog::{
    BundleName, Catalog, ChannelName,
    blob::{ChannelBlob, DeprecationTarget},
    model::DocChange,
    package::Package,
};

pub(super) fn keep_only(catalog: &Catalog, packages: &[KeptPackage]) -> Result<Catalog, EditError> {
    let mut kept: HashMap<&str, &KeptPackage> = HashMap::new();
    for stays in packages {
        find_package(catalog, &stays.package)?;
        kept.insert(stays.package.as_str(), stays);
    }
    let mut changes = Vec::new();
    for package in catalog.packages() {
        match kept.get(package.name.as_str()) {
            None => changes.extend(package.documents().map(|doc| DocChange::Remove { doc })),
            Some(stays) => changes.extend(changes_in_package(catalog, package, stays)?),
        }
    }
    apply_changes(catalog, changes)
}

/// Returns the changes in a package of which at least a part is kept.
fn changes_in_package(
    catalog: &Catalog,
    package: &Package,
    stays: &KeptPackage,
) -> Result<Vec<DocChange>, EditError> {
    let mut changes = Vec::new();
    if let Some(default) = &stays.default_channel {
        find_channel_in(package, default)?;
        if package.default_channel() != Some(default) {
            changes.push(rewrite_change(catalog, channel::package_definition(package)?.doc, |tree| {
                let key = effective_key(tree, "defaultChannel");
                tree.set(&key, default.as_str());
            })?);
        }
    }
    let Some(channels) = &stays.channels else { return Ok(changes) };
    let rest = RemainingPackage::new(package, channels)?;
    let default = stays.default_channel.as_ref().or(package.default_channel());
    if let Some(default) = default.filter(|default| package.channel(default.as_str()).is_some())
        && !rest.channels.contains_key(default)
    {
        return Err(EditError::IsDefault(default.clone()));
    }
    for blob in &package.channels {
        match rest.channels.get(&blob.name.value) {
            None => changes.push(DocChange::Remove { doc: blob.doc }),
            Some(None) => {}
            Some(Some(entries)) => {
                let removed_positions: Vec<usize> = removed_positions(blob, entries).collect();
                if removed_positions.len() == blob.entries.len() && !removed_positions.is_empty() {
                    changes.push(DocChange::Remove { doc: blob.doc });
                } else if !removed_positions.is_empty() {
                    changes.push(rewrite_change(catalog, blob.doc, |tree| {
                        remove_entries(tree, &removed_positions);
                    })?);
                }
            }
        }
    }
    let gone = package.bundles.iter().filter(|bundle| !rest.bundles.contains(&bundle.name.value));
    changes.extend(gone.map(|bundle| DocChange::Remove { doc: bundle.doc }));
    let others = package.others.iter().filter(|other| rest.refers_to_removed(package, other.name.as_deref()));
    changes.extend(others.map(|other| DocChange::Remove { doc: other.doc }));
    changes.extend(document::without_deprecations(catalog, package, |target| rest.is_removed(target))?);
    Ok(changes)
}

/// Returns the positions in a channel of the entries that are not kept.
fn removed_positions<'c>(
    blob: &'c ChannelBlob,
    entries: &'c HashSet<&BundleName>,
) -> impl Iterator<Item = usize> + 'c {
    blob.entries.iter().filter(|entry| !entries.contains(&entry.name.value)).map(|entry| entry.position)
}

/// Part of a package that is kept.
struct RemainingPackage<'k> {
    /// Remaining channels with their entries; `None` for all entries.
    channels: HashMap<&'k ChannelName, Option<HashSet<&'k BundleName>>>,
    /// Bundles that are entries of the remaining channels.
    bundles: HashSet<&'k BundleName>,
}

impl<'k> RemainingPackage<'k> {
    fn new(package: &'k Package, channels: &'k [KeptChannel]) -> Result<Self, EditError> {
        let mut rest = Self { channels: HashMap::new(), bundles: HashSet::new() };
        for stays in channels {
            find_channel_in(package, &stays.channel)?;
            let blobs = || package.channels.iter().filter(|blob| blob.name.value == stays.channel);
            let all: HashSet<&BundleName> =
                blobs().flat_map(|blob| &blob.entries).map(|entry| &entry.name.value).collect();
            let entries = stays.entries.as_ref();
            if let Some(missing) = entries.into_iter().flatten().find(|entry| !all.contains(entry)) {
                return Err(EditError::NoEntry { channel: stays.channel.clone(), entry: missing.clone() });
            }
            let entries: Option<HashSet<&BundleName>> = entries.map(|entries| entries.iter().collect());
            rest.bundles.extend(entries.as_ref().unwrap_or(&all));
            rest.channels.insert(&stays.channel, entries);
        }
        if rest.bundles.is_empty() {
            return Err(EditError::NothingLeft(package.name.clone()));
        }
        Ok(rest)
    }

    /// Returns true if the target of a deprecation is removed.
    fn is_removed(&self, target: &DeprecationTarget) -> bool {
        match target {
            DeprecationTarget::Package => false,
            DeprecationTarget::Channel(channel) => !self.channels.contains_key(channel),
            DeprecationTarget::Bundle(bundle) => !self.bundles.contains(bundle),
        }
    }

    /// Returns true if a name belongs to a removed channel or bundle, and to no remaining one.
    fn refers_to_removed(&self, package: &Package, name: Option<&str>) -> bool {
        let Some(name) = name else { return false };
        let was_there = package.bundle(name).is_some() || package.channel(name).is_some();
        let is_left = self.bundles.contains(&BundleName::from(name))
            || self.channels.contains_key(&ChannelName::from(name));
        was_there && !is_left
    }
}
