//! Edits of a package's description and icon.

use super::{
    EditError,
    channel::definition,
    document::{field, remove_field, rewrite},
    entry::means_absent,
};
use crate::{
    catalog::{Catalog, package::Package},
    edit::{operation::NewIcon, rewrite::Plain},
};

/// Sets or removes the description.
pub(super) fn describe(
    catalog: &Catalog,
    package: &Package,
    description: Option<&str>,
) -> Result<Catalog, EditError> {
    rewrite(catalog, definition(package)?.doc, |tree| {
        let key = field(tree, "description");
        // An empty text counts as absent, and an absent value keeps its form.
        match description.filter(|text| !text.is_empty()) {
            Some(text) => tree.set(&key, text),
            None if tree.get(&key).is_some_and(means_absent) => {}
            None => remove_field(tree, &key),
        }
    })
}

/// Sets or removes the icon.
pub(super) fn set_icon(
    catalog: &Catalog,
    package: &Package,
    icon: Option<&NewIcon>,
) -> Result<Catalog, EditError> {
    rewrite(catalog, definition(package)?.doc, |tree| {
        let key = field(tree, "icon");
        match icon {
            Some(icon) => {
                // Other members of the icon stay.
                let mut members = match tree.get(&key) {
                    Some(Plain::Map(members)) => Plain::Map(members.clone()),
                    _ => Plain::Map(Vec::new()),
                };
                for (name, value) in [("base64data", &icon.base64data), ("mediatype", &icon.mediatype)] {
                    let name = field(&members, name);
                    members.set(&name, value.as_str());
                }
                tree.set(&key, members);
            }
            None => remove_field(tree, &key),
        }
    })
}
