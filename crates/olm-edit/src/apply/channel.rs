//! Edits of whole channels.

use super::{
    EditError,
    document::{self, apply_changes, effective_key, is_canonical, rewrite_change, rewrite_document},
    find_channel_in,
    layout::{self, NamedDocument},
    new_document::{self, InsertPosition},
};
use crate::{operation::NewEntry, rewrite::ValueTree};
use olm_catalog::{
    Catalog, ChannelName,
    blob::{DeprecationTarget, PackageBlob},
    file::DocId,
    model::DocChange,
    package::Package,
};

pub(super) fn set_default(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
) -> Result<Catalog, EditError> {
    let definition = package_definition(package)?;
    find_channel_in(package, channel)?;
    rewrite_document(catalog, definition.doc, |tree| {
        let key = effective_key(tree, "defaultChannel");
        tree.set(&key, channel.as_str());
    })
}

pub(super) fn package_definition(package: &Package) -> Result<&PackageBlob, EditError> {
    let definition = package.definition().map(AsRef::as_ref);
    definition.ok_or_else(|| EditError::NoDefinition(package.name.clone()))
}

/// Removes all documents of the channel; a broken catalog may have several.
pub(super) fn remove_channel(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    default: Option<&ChannelName>,
) -> Result<Catalog, EditError> {
    find_channel_in(package, channel)?;
    let mut changes = Vec::new();
    match default {
        Some(default) if default == channel => return Err(EditError::IsDefault(channel.clone())),
        Some(default) => {
            find_channel_in(package, default)?;
            changes.push(rewrite_change(catalog, package_definition(package)?.doc, |tree| {
                let key = effective_key(tree, "defaultChannel");
                tree.set(&key, default.as_str());
            })?);
        }
        None if package.default_channel() == Some(channel) => {
            return Err(EditError::IsDefault(channel.clone()));
        }
        None => {}
    }
    let documents = package.channels.iter().filter(|c| &c.name.value == channel);
    changes.extend(documents.map(|c| DocChange::Remove { doc: c.doc }));
    let about = DeprecationTarget::Channel(channel.clone());
    changes.extend(document::without_deprecations(catalog, package, |target| *target == about)?);
    apply_changes(catalog, changes)
}

/// Adds a channel in the layout of the package's channels. It gets its own file if all of them have one.
/// Otherwise it goes to their file, in sorted order if they are sorted as opm sorts them. Without channels,
/// that is the file of the package's definition.
pub(super) fn add_channel(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    entries: &[NewEntry],
) -> Result<Catalog, EditError> {
    require_free_name(package, channel)?;
    let home = package_definition(package)?.doc;
    let strings = [("schema", "olm.channel"), ("package", package.name.as_str()), ("name", channel.as_str())];
    let fill = |tree: &mut ValueTree| {
        let key = effective_key(tree, "entries");
        tree.set(
            &key,
            ValueTree::from_items(entries.iter().map(|new| super::new_entry_item(&new.name, &new.spec))),
        );
    };
    let channels = || package.channels.iter().map(|c| (c.doc, c.name.value.as_str()));
    let first = layout::main_file(catalog, channels().map(|(doc, _)| doc)).unwrap_or(home);
    if first.file == home.file {
        let above = insert_after_doc(catalog, package, home, channel, None);
        return apply_changes(catalog, new_document::insert_new_after(catalog, above, &strings, fill)?);
    }
    let known: Vec<NamedDocument<'_>> =
        channels().map(|(doc, name)| NamedDocument { doc, words: [name, ""] }).collect();
    if let Some(file) = layout::separate_file(catalog, home, &known, [channel.as_str(), ""]) {
        let text = new_document::render_for_own_file(catalog, file.sibling, &strings, fill)?;
        return apply_changes(
            catalog,
            vec![DocChange::Make { display_path: file.shown, disk: file.disk, text }],
        );
    }
    let above = insert_after_doc(catalog, package, first, channel, None);
    let is_first = channels().any(|(doc, name)| doc == above && name > channel.as_str());
    let changes = match is_first.then(|| new_document::position_before(catalog, above)).flatten() {
        Some(place) => {
            vec![place.insert(above.file, new_document::render_like(catalog, above, &strings, fill)?)]
        }
        None => new_document::insert_new_after(catalog, above, &strings, fill)?,
    };
    apply_changes(catalog, changes)
}

fn require_free_name(package: &Package, channel: &ChannelName) -> Result<(), EditError> {
    if channel.as_str().trim().is_empty() {
        return Err(EditError::NoName);
    }
    match package.channel(channel.as_str()) {
        Some(_) => Err(EditError::ChannelExists(channel.clone())),
        None => Ok(()),
    }
}

/// Returns the document after which a channel belongs, ignoring one that is about to move.
fn insert_after_doc(
    catalog: &Catalog,
    package: &Package,
    first: DocId,
    channel: &ChannelName,
    moving: Option<DocId>,
) -> DocId {
    let channels = package.channels.iter().filter(|c| Some(c.doc) != moving);
    new_document::insert_after_doc(
        catalog,
        first,
        channels.map(|c| (c.doc, c.name.value.as_str())),
        channel.as_str(),
    )
}

/// Renames a channel wherever the package refers to it. A channel rendered by opm moves to its sorted position.
pub(super) fn rename_channel(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    to: &ChannelName,
) -> Result<Catalog, EditError> {
    find_channel_in(package, channel)?;
    require_free_name(package, to)?;
    let mut changes = Vec::new();
    for blob in package.channels.iter().filter(|c| &c.name.value == channel) {
        let renamed = rewrite_change(catalog, blob.doc, |tree| {
            let key = effective_key(tree, "name");
            tree.set(&key, to.as_str());
        })?;
        let DocChange::Replace { doc, text } = renamed else { continue };
        match new_position(catalog, package, doc, to) {
            Some(place) => {
                changes.push(DocChange::Remove { doc });
                changes.push(place.insert(doc.file, text));
            }
            None => changes.push(DocChange::Replace { doc, text }),
        }
    }
    if package.default_channel() == Some(channel) {
        changes.push(rewrite_change(catalog, package_definition(package)?.doc, |tree| {
            let key = effective_key(tree, "defaultChannel");
            tree.set(&key, to.as_str());
        })?);
    }
    changes.extend(document::rename_target(catalog, package, channel, to)?);
    apply_changes(catalog, changes)
}

/// Returns the new position of a renamed channel among channels rendered by opm; `None` if it need not move.
fn new_position(
    catalog: &Catalog,
    package: &Package,
    doc: DocId,
    to: &ChannelName,
) -> Option<InsertPosition> {
    let is_rendered = |doc: DocId| {
        let (format, text, tree) =
            (catalog.format(doc)?, catalog.document_text(doc)?, catalog.parse_document(doc)?.ok()?);
        Some(is_canonical(format, text, &tree))
    };
    let file = catalog.file(doc.file)?;
    let here = || package.channels.iter().filter(|c| c.doc.file == doc.file);
    if !here().is_sorted_by_key(|c| c.name.value.as_str()) || is_rendered(doc) != Some(true) {
        return None;
    }
    let others = || here().filter(|c| c.doc != doc);
    let home = package_definition(package).ok().map(|blob| blob.doc).filter(|home| home.file == doc.file);
    let above = home.or_else(|| others().next().map(|c| c.doc))?;
    let above = insert_after_doc(catalog, package, above, to, Some(doc));
    let is_first = others().any(|c| c.doc == above && c.name.value > *to);
    let place = if is_first {
        new_document::position_before(catalog, above)?
    } else {
        InsertPosition::After(above.serial)
    };
    // The document may already be at this position.
    let there = match place {
        InsertPosition::Front => 0,
        InsertPosition::After(serial) => file.position(serial)? + 1,
    };
    let is_there = place == InsertPosition::After(doc.serial) || file.position(doc.serial)? == there;
    (!is_there).then_some(place)
}
