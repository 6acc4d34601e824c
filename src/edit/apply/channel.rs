//! Edits of whole channels.

use super::{
    EditError, channel_in, deprecation,
    document::{change, field, rewrite, rewritten},
};
use crate::catalog::{
    Catalog, ChannelName, blob::DeprecationTarget, blob::PackageBlob, model::DocChange, package::Package,
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

fn definition(package: &Package) -> Result<&PackageBlob, EditError> {
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
