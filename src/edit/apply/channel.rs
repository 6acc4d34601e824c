//! Edits of whole channels.

use super::{
    EditError, channel_in, deprecation,
    document::{change, field, is_canonical, rewrite, rewritten},
    entry,
    fresh::{self, Place},
    layout::{self, Known},
};
use crate::{
    catalog::{
        Catalog, ChannelName,
        blob::{DeprecationTarget, PackageBlob},
        file::DocId,
        model::DocChange,
        package::Package,
    },
    edit::{operation::NewEntry, rewrite::Plain},
};

pub(super) fn set_default(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
) -> Result<Catalog, EditError> {
    let definition = definition(package)?;
    channel_in(package, channel)?;
    rewrite(catalog, definition.doc, |tree| {
        let key = field(tree, "defaultChannel");
        tree.set(&key, channel.as_str());
    })
}

pub(super) fn definition(package: &Package) -> Result<&PackageBlob, EditError> {
    let definition = package.definition().map(AsRef::as_ref);
    definition.ok_or_else(|| EditError::NoDefinition(package.name.clone()))
}

/// Takes out every document of the channel: in a broken catalog it may have several.
pub(super) fn remove(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    default: Option<&ChannelName>,
) -> Result<Catalog, EditError> {
    channel_in(package, channel)?;
    let mut changes = Vec::new();
    match default {
        Some(default) if default == channel => return Err(EditError::IsDefault(channel.clone())),
        Some(default) => {
            channel_in(package, default)?;
            changes.push(rewritten(catalog, definition(package)?.doc, |tree| {
                let key = field(tree, "defaultChannel");
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
    changes.extend(deprecation::without(catalog, package, |target| *target == about)?);
    change(catalog, changes)
}

/// Adds a channel where the package keeps its channels: in a file of its own if each of them has one, otherwise in their file, in
/// opm's place if they are in opm's order. Without channels that is the file of the package's definition.
pub(super) fn add(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    entries: &[NewEntry],
) -> Result<Catalog, EditError> {
    is_free(package, channel)?;
    let home = definition(package)?.doc;
    let strings = [("schema", "olm.channel"), ("package", package.name.as_str()), ("name", channel.as_str())];
    let fill = |tree: &mut Plain| {
        let key = field(tree, "entries");
        tree.set(&key, Plain::list(entries.iter().map(|new| entry::item(&new.name, &new.spec))));
    };
    let channels = || package.channels.iter().map(|c| (c.doc, c.name.value.as_str()));
    let first = layout::main_file(catalog, channels().map(|(doc, _)| doc)).unwrap_or(home);
    if first.file == home.file {
        let above = place(catalog, package, home, channel, None);
        return change(catalog, fresh::behind(catalog, above, &strings, fill)?);
    }
    let known: Vec<Known<'_>> = channels().map(|(doc, name)| Known { doc, words: [name, ""] }).collect();
    if let Some(file) = layout::own_file(catalog, home, &known, [channel.as_str(), ""]) {
        let text = fresh::alone(catalog, file.like, &strings, fill)?;
        return change(catalog, vec![DocChange::Make { shown: file.shown, disk: file.disk, text }]);
    }
    let above = place(catalog, package, first, channel, None);
    let is_first = channels().any(|(doc, name)| doc == above && name > channel.as_str());
    let changes = match is_first.then(|| fresh::ahead(catalog, above)).flatten() {
        Some(place) => vec![place.insert(above.file, fresh::styled(catalog, above, &strings, fill)?)],
        None => fresh::behind(catalog, above, &strings, fill)?,
    };
    change(catalog, changes)
}

fn is_free(package: &Package, channel: &ChannelName) -> Result<(), EditError> {
    if channel.as_str().trim().is_empty() {
        return Err(EditError::NoName);
    }
    match package.channel(channel.as_str()) {
        Some(_) => Err(EditError::ChannelThere(channel.clone())),
        None => Ok(()),
    }
}

/// The document behind which a channel belongs, without counting one that is about to move.
fn place(
    catalog: &Catalog,
    package: &Package,
    first: DocId,
    channel: &ChannelName,
    moving: Option<DocId>,
) -> DocId {
    let channels = package.channels.iter().filter(|c| Some(c.doc) != moving);
    fresh::place(catalog, first, channels.map(|c| (c.doc, c.name.value.as_str())), channel.as_str())
}

/// Gives a channel another name, wherever the package names it. One that opm rendered goes to its new place.
pub(super) fn rename(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    to: &ChannelName,
) -> Result<Catalog, EditError> {
    channel_in(package, channel)?;
    is_free(package, to)?;
    let mut changes = Vec::new();
    for blob in package.channels.iter().filter(|c| &c.name.value == channel) {
        let renamed = rewritten(catalog, blob.doc, |tree| {
            let key = field(tree, "name");
            tree.set(&key, to.as_str());
        })?;
        let DocChange::Replace { doc, text } = renamed else { continue };
        match moved(catalog, package, doc, to) {
            Some(place) => {
                changes.push(DocChange::Remove { doc });
                changes.push(place.insert(doc.file, text));
            }
            None => changes.push(DocChange::Replace { doc, text }),
        }
    }
    if package.default_channel() == Some(channel) {
        changes.push(rewritten(catalog, definition(package)?.doc, |tree| {
            let key = field(tree, "defaultChannel");
            tree.set(&key, to.as_str());
        })?);
    }
    changes.extend(deprecation::about_renamed(catalog, package, channel, to)?);
    change(catalog, changes)
}

/// Where in its file a renamed channel belongs, if it has to move: among channels that opm rendered.
fn moved(catalog: &Catalog, package: &Package, doc: DocId, to: &ChannelName) -> Option<Place> {
    let is_rendered = |doc: DocId| {
        let (format, text, tree) = (catalog.format(doc)?, catalog.text(doc)?, catalog.tree(doc)?.ok()?);
        Some(is_canonical(format, text, &tree))
    };
    let file = catalog.file(doc.file)?;
    let here = || package.channels.iter().filter(|c| c.doc.file == doc.file);
    if !here().is_sorted_by_key(|c| c.name.value.as_str()) || is_rendered(doc) != Some(true) {
        return None;
    }
    let others = || here().filter(|c| c.doc != doc);
    let home = definition(package).ok().map(|blob| blob.doc).filter(|home| home.file == doc.file);
    let above = home.or_else(|| others().next().map(|c| c.doc))?;
    let above = place(catalog, package, above, to, Some(doc));
    let is_first = others().any(|c| c.doc == above && c.name.value > *to);
    let place = if is_first { fresh::ahead(catalog, above)? } else { Place::Behind(above.serial) };
    // It may stand right there already.
    let there = match place {
        Place::Front => 0,
        Place::Behind(serial) => file.position(serial)? + 1,
    };
    let is_there = place == Place::Behind(doc.serial) || file.position(doc.serial)? == there;
    (!is_there).then_some(place)
}
