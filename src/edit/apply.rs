//! Carrying out an edit: from names to the one document that says it, to the bytes of that document.

use crate::catalog::{
    BundleName, Catalog, ChannelName, Node, PackageName,
    blob::{ChannelBlob, EntrySpec},
    canonical, emit,
    file::DocId,
    model::DocChange,
    package::Package,
    split::Format,
};

use super::{
    operation::Edit,
    rewrite::{self, Plain, RewriteError},
};

/// Why an edit cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The catalog has no such package.
    #[error("no package {0} in the catalog")]
    NoPackage(PackageName),
    /// The package has no such channel.
    #[error("no channel {0} in the package")]
    NoChannel(ChannelName),
    /// The channel has no such entry.
    #[error("no entry {entry} in channel {channel}")]
    NoEntry {
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
    },
    /// The channel has the entry already.
    #[error("{entry} is already an entry of {channel}")]
    AlreadyThere {
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
    },
    /// The package has no `olm.package` object.
    #[error("package {0} has no olm.package object that could say its default channel")]
    NoDefinition(PackageName),
    /// The document cannot be read.
    #[error("the document cannot be read")]
    Unreadable,
    /// The document is written in a way that cannot be edited surely.
    #[error("{error}. {}", error.hint())]
    Rewrite {
        /// The document.
        doc: DocId,
        /// Why not.
        error: RewriteError,
    },
}

/// The catalog after an edit. What one has already is not changed.
///
/// # Errors
///
/// When what the edit names is not there, or the bytes cannot be edited surely.
pub fn apply(catalog: &Catalog, edit: &Edit) -> Result<Catalog, EditError> {
    match edit {
        Edit::SetEntry { package, channel, entry, spec } => {
            let blob = channel_of(catalog, package, channel)?;
            let index = position(blob, entry)?;
            rewrite(catalog, blob.doc, |tree| {
                if let Some(item) = entries(tree).and_then(|items| items.get_mut(index)) {
                    set_spec(item, spec);
                }
            })
        }
        Edit::AddEntry { package, channel, entry, spec } => {
            let blob = channel_of(catalog, package, channel)?;
            if position(blob, entry).is_ok() {
                return Err(EditError::AlreadyThere { channel: channel.clone(), entry: entry.clone() });
            }
            rewrite(catalog, blob.doc, |tree| {
                let mut item = Plain::map([("name", entry.as_str())]);
                set_spec(&mut item, spec);
                match entries(tree) {
                    Some(items) => items.push(item),
                    None => tree.set("entries", Plain::list([item])),
                }
            })
        }
        Edit::RemoveEntry { package, channel, entry } => {
            let blob = channel_of(catalog, package, channel)?;
            let index = position(blob, entry)?;
            rewrite(catalog, blob.doc, |tree| {
                if let Some(items) = entries(tree).filter(|items| index < items.len()) {
                    items.remove(index);
                }
            })
        }
        Edit::RenameKey { package, channel, entry, from, to } => {
            let blob = channel_of(catalog, package, channel)?;
            let index = position(blob, entry)?;
            rewrite(catalog, blob.doc, |tree| {
                if let Some(Plain::Map(members)) = entries(tree).and_then(|items| items.get_mut(index))
                    && !members.iter().any(|(key, _)| key == to)
                    && let Some((key, _)) = members.iter_mut().find(|(key, _)| key == from)
                {
                    key.clone_from(to);
                }
            })
        }
        Edit::SetDefaultChannel { package, channel } => {
            let definition = package_of(catalog, package)?
                .definition()
                .ok_or_else(|| EditError::NoDefinition(package.clone()))?;
            channel_of(catalog, package, channel)?;
            rewrite(catalog, definition.doc, |tree| {
                let key = field(tree, "defaultChannel");
                tree.set(&key, channel.as_str());
            })
        }
        Edit::Several { edits, .. } => {
            let mut state = None;
            for edit in edits {
                state = Some(apply(state.as_ref().unwrap_or(catalog), edit)?);
            }
            Ok(state.unwrap_or_else(|| catalog.clone()))
        }
    }
}

fn package_of<'a>(catalog: &'a Catalog, name: &PackageName) -> Result<&'a Package, EditError> {
    catalog.package(name.as_str()).map(AsRef::as_ref).ok_or_else(|| EditError::NoPackage(name.clone()))
}

fn channel_of<'a>(
    catalog: &'a Catalog,
    package: &PackageName,
    name: &ChannelName,
) -> Result<&'a ChannelBlob, EditError> {
    let channel = package_of(catalog, package)?.channel(name.as_str());
    channel.map(AsRef::as_ref).ok_or_else(|| EditError::NoChannel(name.clone()))
}

/// Position of an entry in the list of the document.
fn position(blob: &ChannelBlob, entry: &BundleName) -> Result<usize, EditError> {
    let found = blob.entries.iter().find(|e| &e.name.value == entry);
    found
        .map(|e| e.position)
        .ok_or_else(|| EditError::NoEntry { channel: blob.name.value.clone(), entry: entry.clone() })
}

/// A key as the document spells it: OLM does not mind its case, so the one that is there stays.
fn field(tree: &Plain, key: &str) -> String {
    let there = tree.members().iter().map(|(name, _)| name).find(|name| name.eq_ignore_ascii_case(key));
    there.cloned().unwrap_or_else(|| key.to_owned())
}

fn entries(tree: &mut Plain) -> Option<&mut Vec<Plain>> {
    let key = field(tree, "entries");
    tree.get_mut(&key)?.items_mut()
}

fn set_spec(item: &mut Plain, spec: &EntrySpec) {
    let mut put = |key: &str, value: Option<Plain>| {
        let key = field(item, key);
        match value {
            // An unchanged value is left alone, so that an empty or null one stays as it is written.
            Some(value) if item.get(&key) == Some(&value) => {}
            Some(value) => item.set(&key, value),
            None if item.get(&key).is_some_and(means_absent) => {}
            None => {
                item.remove(&key);
            }
        }
    };
    put("replaces", spec.replaces.as_ref().map(|name| Plain::from(name.as_str())));
    let skips = Plain::list(spec.skips.iter().map(BundleName::as_str));
    put("skips", (!spec.skips.is_empty()).then_some(skips));
    put("skipRange", spec.skip_range.as_deref().map(Plain::from));
}

fn means_absent(value: &Plain) -> bool {
    match value {
        Plain::Null => true,
        Plain::String(text) => text.is_empty(),
        Plain::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Changes one document: a canonical one stays what opm would render, any other keeps its own style.
fn rewrite(catalog: &Catalog, doc: DocId, change: impl FnOnce(&mut Plain)) -> Result<Catalog, EditError> {
    let (Some(format), Some(text), Some(Ok(tree))) =
        (catalog.format(doc), catalog.text(doc), catalog.tree(doc))
    else {
        return Err(EditError::Unreadable);
    };
    let mut plain = Plain::from(&tree);
    change(&mut plain);
    let rewritten =
        rewrite::rewrite(format, text, &tree, &plain).map_err(|error| EditError::Rewrite { doc, error })?;
    let text = match canonical_text(format, text, &tree, &rewritten.text) {
        Some(canonical) => canonical,
        None => rewritten.text,
    };
    Ok(catalog.with_changes(vec![DocChange::Replace { doc, text }]).0)
}

/// Where the old text was opm's own rendering, opm's rendering of the new meaning.
fn canonical_text(format: Format, before: &[u8], old: &Node, after: &[u8]) -> Option<Vec<u8>> {
    if format != Format::Yaml || rendered(old) != before {
        return None;
    }
    let tree = crate::catalog::split::parse(format, after).ok()?;
    Some(rendered(&tree))
}

fn rendered(tree: &Node) -> Vec<u8> {
    format!("---\n{}", emit::yaml(&canonical::normalise(tree))).into_bytes()
}
