//! Edits of single entries.

use super::{
    EditError,
    document::{add_entry, entries, field, remove_entries, remove_field, rewrite},
};
use crate::{
    catalog::{
        BundleName, Catalog,
        blob::{ChannelBlob, EntrySpec},
    },
    edit::rewrite::Plain,
};

pub(super) fn set(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    spec: &EntrySpec,
) -> Result<Catalog, EditError> {
    let index = position(channel, entry)?;
    rewrite(catalog, channel.doc, |tree| set_at(tree, index, spec))
}

pub(super) fn add(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    spec: &EntrySpec,
) -> Result<Catalog, EditError> {
    if position(channel, entry).is_ok() {
        return Err(EditError::AlreadyThere { channel: channel.name.value.clone(), entry: entry.clone() });
    }
    rewrite(catalog, channel.doc, |tree| add_entry(tree, item(entry, spec)))
}

/// Returns a new entry.
pub(super) fn item(entry: &BundleName, spec: &EntrySpec) -> Plain {
    let mut item = Plain::map([("name", entry.as_str())]);
    set_spec(&mut item, spec);
    item
}

pub(super) fn remove(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
) -> Result<Catalog, EditError> {
    let index = position(channel, entry)?;
    rewrite(catalog, channel.doc, |tree| remove_entries(tree, &[index]))
}

pub(super) fn rename_key(
    catalog: &Catalog,
    channel: &ChannelBlob,
    entry: &BundleName,
    from: &str,
    to: &str,
) -> Result<Catalog, EditError> {
    let index = position(channel, entry)?;
    rewrite(catalog, channel.doc, |tree| {
        if let Some(Plain::Map(members)) = entries(tree).and_then(|items| items.get_mut(index))
            && !members.iter().any(|(key, _)| key == to)
            && let Some((key, _)) = members.iter_mut().find(|(key, _)| key == from)
        {
            to.clone_into(key);
        }
    })
}

/// Returns the position of an entry in the list of the document.
fn position(channel: &ChannelBlob, entry: &BundleName) -> Result<usize, EditError> {
    let found = channel.entries.iter().find(|e| &e.name.value == entry);
    found
        .map(|e| e.position)
        .ok_or_else(|| EditError::NoEntry { channel: channel.name.value.clone(), entry: entry.clone() })
}

/// Changes the edges of the entry at a position of the list.
pub(super) fn set_at(tree: &mut Plain, position: usize, spec: &EntrySpec) {
    if let Some(item) = entries(tree).and_then(|items| items.get_mut(position)) {
        set_spec(item, spec);
    }
}

fn set_spec(item: &mut Plain, spec: &EntrySpec) {
    let mut put = |key: &str, value: Option<Plain>| {
        let key = field(item, key);
        match value {
            // An unchanged value is not written, so an empty or null value keeps its form.
            Some(value) if item.get(&key) == Some(&value) => {}
            Some(value) => item.set(&key, value),
            None if item.get(&key).is_some_and(means_absent) => {}
            None => remove_field(item, &key),
        }
    };
    put("replaces", spec.replaces.as_ref().map(|name| Plain::from(name.as_str())));
    let skips = Plain::list(spec.skips.iter().map(BundleName::as_str));
    put("skips", (!spec.skips.is_empty()).then_some(skips));
    put("skipRange", spec.skip_range.as_deref().map(Plain::from));
}

/// Returns true if a value counts as absent.
pub(super) fn means_absent(value: &Plain) -> bool {
    match value {
        Plain::Null => true,
        Plain::String(text) => text.is_empty(),
        Plain::List(items) => items.is_empty(),
        _ => false,
    }
}
