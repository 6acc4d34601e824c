//! Addition, change and removal of deprecations.

use super::{
    EditError,
    document::{
        add_entry, apply_changes, effective_key, entries_mut, remove_entries, rewrite_change,
        rewrite_document,
    },
    find_channel_in, new_document, require_bundle,
};
use crate::rewrite::ValueTree;
use olm_catalog::{
    Catalog, ChannelName,
    blob::{Deprecation, DeprecationTarget, DeprecationsBlob},
    model::DocChange,
    package::Package,
};

/// Adds or changes a deprecation. If the package does not have an `olm.deprecations`, creates it with
/// [`fresh::deprecations`].
pub(super) fn deprecate(
    catalog: &Catalog,
    package: &Package,
    target: &DeprecationTarget,
    message: &str,
) -> Result<Catalog, EditError> {
    match target {
        DeprecationTarget::Package => {}
        DeprecationTarget::Channel(channel) => drop(find_channel_in(package, channel)?),
        DeprecationTarget::Bundle(bundle) => require_bundle(package, bundle)?,
    }
    if message.trim().is_empty() {
        return Err(EditError::NoMessage);
    }
    let said = package.deprecations.iter().find_map(|blob| Some((blob, find_deprecation(blob, target)?)));
    if let Some((blob, said)) = said {
        return rewrite_document(catalog, blob.doc, |tree| {
            if let Some(item) = entries_mut(tree).and_then(|items| items.get_mut(said.position)) {
                let key = effective_key(item, "message");
                item.set(&key, message);
            }
        });
    }
    let item =
        ValueTree::from_members([("reference", target_reference(target)), ("message", message.into())]);
    if let Some(blob) = package.deprecations.first() {
        return rewrite_document(catalog, blob.doc, |tree| add_entry(tree, item));
    }
    apply_changes(catalog, new_document::add_deprecations(catalog, package, item)?)
}

pub(super) fn undeprecate(
    catalog: &Catalog,
    package: &Package,
    target: &DeprecationTarget,
) -> Result<Catalog, EditError> {
    let changes = without_deprecations(catalog, package, |other| other == target)?;
    if changes.is_empty() {
        let name = match target {
            DeprecationTarget::Package => format!("package {}", package.name),
            DeprecationTarget::Channel(channel) => format!("channel {channel}"),
            DeprecationTarget::Bundle(bundle) => bundle.to_string(),
        };
        return Err(EditError::NotDeprecated(name));
    }
    apply_changes(catalog, changes)
}

/// Removes the deprecations of some targets, and documents that become empty.
pub(super) fn without_deprecations(
    catalog: &Catalog,
    package: &Package,
    gone: impl Fn(&DeprecationTarget) -> bool,
) -> Result<Vec<DocChange>, EditError> {
    let mut changes = Vec::new();
    for blob in &package.deprecations {
        let leaving = blob.entries.iter().filter(|entry| entry.target.as_ref().is_some_and(&gone));
        let leaving: Vec<usize> = leaving.map(|entry| entry.position).collect();
        if leaving.is_empty() {
            continue;
        }
        changes.push(if leaving.len() == blob.entries.len() {
            DocChange::Remove { doc: blob.doc }
        } else {
            rewrite_change(catalog, blob.doc, |tree| remove_entries(tree, &leaving))?
        });
    }
    Ok(changes)
}

/// Changes the deprecations of a renamed channel to its new name.
pub(super) fn rename_target(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    to: &ChannelName,
) -> Result<Vec<DocChange>, EditError> {
    let target = DeprecationTarget::Channel(channel.clone());
    let mut changes = Vec::new();
    for blob in &package.deprecations {
        let said = blob.entries.iter().filter(|entry| entry.target.as_ref() == Some(&target));
        // A broken catalog may have several.
        let said: Vec<usize> = said.map(|entry| entry.position).collect();
        if said.is_empty() {
            continue;
        }
        changes.push(rewrite_change(catalog, blob.doc, |tree| {
            let items = entries_mut(tree).into_iter().flatten().enumerate();
            for (_, item) in items.filter(|(position, _)| said.contains(position)) {
                let key = effective_key(item, "reference");
                if let Some(reference) = item.get_mut(&key) {
                    let key = effective_key(reference, "name");
                    reference.set(&key, to.as_str());
                }
            }
        })?);
    }
    Ok(changes)
}

fn find_deprecation<'a>(blob: &'a DeprecationsBlob, target: &DeprecationTarget) -> Option<&'a Deprecation> {
    blob.entries.iter().find(|entry| entry.target.as_ref() == Some(target))
}

fn target_reference(target: &DeprecationTarget) -> ValueTree {
    match target {
        DeprecationTarget::Package => ValueTree::from_members([("schema", "olm.package")]),
        DeprecationTarget::Channel(channel) => {
            ValueTree::from_members([("schema", "olm.channel"), ("name", channel.as_str())])
        }
        DeprecationTarget::Bundle(bundle) => {
            ValueTree::from_members([("schema", "olm.bundle"), ("name", bundle.as_str())])
        }
    }
}
