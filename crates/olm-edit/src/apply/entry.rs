//! Edits of single entries.

use super::{
    EditError,
    document::{add_entry, effective_key, entries_mut, remove_entries, remove_field, rewrite_document},
};
use crate::rewrite::ValueTree;
use olm_catalog::{
    BundleName, Catalog,
    blob::{ChannelBlob, EntrySpec},
};

pub(super) fn set_entry(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    spec: &EntrySpec,
) -> Result<Catalog, EditError> {
    let index = entry_position(channel, entry)?;
    rewrite_document(catalog, channel.doc, |tree| set_entry_at(tree, index, spec))
}

pub(super) fn append_entry(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    spec: &EntrySpec,
) -> Result<Catalog, EditError> {
    if entry_position(channel, entry).is_ok() {
        return Err(EditError::EntryExists { channel: channel.name.value.clone(), entry: entry.clone() });
    }
    rewrite_document(catalog, channel.doc, |tree| add_entry(tree, new_entry_item(entry, spec)))
}

/// Returns a new entry.
pub(super) fn new_entry_item(entry: &BundleName, spec: &EntrySpec) -> ValueTree {
    let mut item = ValueTree::from_members([("name", entry.as_str())]);
    set_spec(&mut item, spec);
    item
}

pub(super) fn remove_entry(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
) -> Result<Catalog, EditError> {
    let index = entry_position(channel, entry)?;
    rewrite_document(catalog, channel.doc, |tree| remove_entries(tree, &[index]))
}

pub(super) fn rename_entry_key(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    from: &str,
    to: &str,
) -> Result<Catalog, EditError> {
    let index = entry_position(channel, entry)?;
    rewrite_document(catalog, channel.doc, |tree| {
        if let Some(ValueTree::Map(members)) = entries_mut(tree).and_then(|items| items.get_mut(index))
            && !members.iter().any(|(key, _)| key == to)
            && let Some((key, _)) = members.iter_mut().find(|(key, _)| key == from)
        {
            to.clone_into(key);
        }
    })
}

/// Returns the position of an entry in the list of the document.
fn entry_position(channel: &ChannelBlob, entry: &BundleName) -> Result<usize, EditError> {
    let found = channel.entries.iter().find(|e| &e.name.value == entry);
    found
        .map(|e| e.position)
        .ok_or_else(|| EditError::NoEntry { channel: channel.name.value.clone(), entry: entry.clone() })
}

/// Changes the edges of the entry at a position of the list.
pub(super) fn set_entry_at(tree: &mut ValueTree, position: usize, spec: &EntrySpec) {
    if let Some(item) = entries_mut(tree).and_then(|items| items.get_mut(position)) {
        set_spec(item, spec);
    }
}

fn set_spec(item: &mut ValueTree, spec: &EntrySpec) {
    let mut put = |key: &str, value: Option<ValueTree>| {
        let key = effective_key(item, key);
        match value {
            // An unchanged value is not written, so an empty or null value keeps its form.
            Some(value) if item.get(&key) == Some(&value) => {}
            Some(value) => item.set(&key, value),
            None if item.get(&key).is_some_and(counts_as_absent) => {}
            None => remove_field(item, &key),
        }
    };
    put("replaces", spec.replaces.as_ref().map(|name| ValueTree::from(name.as_str())));
    let skips = ValueTree::from_items(spec.skips.iter().map(BundleName::as_str));
    put("skips", (!spec.skips.is_empty()).then_some(skips));
    put("skipRange", spec.skip_range.as_deref().map(ValueTree::from));
}

/// Returns true if a value counts as absent.
pub(super) fn counts_as_absent(value: &ValueTree) -> bool {
    match value {
        ValueTree::Null => true,
        ValueTree::String(text) => text.is_empty(),
        ValueTree::List(items) => items.is_empty(),
        _ => false,
    }
}
