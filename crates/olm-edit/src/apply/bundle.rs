//! Removal of bundles, with repair of the edges that remain.

use std::collections::HashSet;

use super::{
    EditError, deprecation,
    document::{apply_changes, remove_entries, rewrite_change},
    entry::set_entry_at,
    require_bundle,
};
use crate::repair::{TailPolicy, repair_edges};
use olm_catalog::{
    BundleName, Catalog, ChannelName,
    blob::{DeprecationTarget, Entry},
    model::DocChange,
    package::Package,
};
use olm_version::Version;

pub(super) fn remove_bundle(
    catalog: &Catalog,
    package: &Package,
    bundle: &BundleName,
) -> Result<Catalog, EditError> {
    require_bundle(package, bundle)?;
    remove_bundles(catalog, package, &HashSet::from([bundle]), TailPolicy::Drop)
}

pub(super) fn remove_bundles_below(
    catalog: &Catalog,
    package: &Package,
    version: &Version,
) -> Result<Catalog, EditError> {
    let below = package
        .bundles
        .iter()
        .filter(|bundle| bundle.version.as_ref().is_some_and(|v| v.version.cmp_precedence(version).is_lt()));
    let gone: HashSet<&BundleName> = below.map(|bundle| &bundle.name.value).collect();
    if gone.is_empty() {
        return Err(EditError::NothingBelow(version.clone()));
    }
    remove_bundles(catalog, package, &gone, TailPolicy::Keep)
}

fn remove_bundles(
    catalog: &Catalog,
    package: &Package,
    gone: &HashSet<&BundleName>,
    tail: TailPolicy,
) -> Result<Catalog, EditError> {
    if package.bundles.iter().all(|bundle| gone.contains(&bundle.name.value)) {
        return Err(EditError::NothingLeft(package.name.clone()));
    }
    let bundles = package.bundles.iter().filter(|bundle| gone.contains(&bundle.name.value));
    let mut changes: Vec<DocChange> = bundles.map(|bundle| DocChange::Remove { doc: bundle.doc }).collect();
    let mut emptied: HashSet<&ChannelName> = HashSet::new();
    for channel in &package.channels {
        let is_gone = |entry: &&Entry| gone.contains(&entry.name.value);
        let leaving: Vec<usize> = channel.entries.iter().filter(is_gone).map(|e| e.position).collect();
        if !leaving.is_empty() && leaving.len() == channel.entries.len() {
            emptied.insert(&channel.name.value);
            changes.push(DocChange::Remove { doc: channel.doc });
            continue;
        }
        let repairs = repair_edges(channel, gone, tail);
        if leaving.is_empty() && repairs.is_empty() {
            continue;
        }
        changes.push(rewrite_change(catalog, channel.doc, |tree| {
            for (position, spec) in &repairs {
                set_entry_at(tree, *position, spec);
            }
            remove_entries(tree, &leaving);
        })?);
    }
    // Another document of the same channel may still have entries.
    let left: HashSet<&ChannelName> = package
        .channels
        .iter()
        .filter(|channel| !channel.entries.iter().all(|entry| gone.contains(&entry.name.value)))
        .map(|channel| &channel.name.value)
        .collect();
    emptied.retain(|name| !left.contains(name));
    if let Some(default) = package.default_channel().filter(|name| emptied.contains(name)) {
        return Err(EditError::EmptyDefault(default.clone()));
    }
    changes.extend(deprecation::without_deprecations(catalog, package, |target| match target {
        DeprecationTarget::Package => false,
        DeprecationTarget::Channel(channel) => emptied.contains(channel),
        DeprecationTarget::Bundle(bundle) => gone.contains(bundle),
    })?);
    apply_changes(catalog, changes)
}
