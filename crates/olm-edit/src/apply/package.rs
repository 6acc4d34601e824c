//! Edits of a package's description and icon.

use super::{
    EditError,
    channel::package_definition,
    document::{effective_key, remove_field, rewrite_document},
    entry::counts_as_absent,
};
use crate::{operation::NewIcon, rewrite::ValueTree};
use olm_catalog::{Catalog, package::Package};

/// Sets or removes the description.
pub(super) fn set_description(
    catalog: &Catalog,
    package: &Package,
    description: Option<&str>,
) -> Result<Catalog, EditError> {
    rewrite_document(catalog, package_definition(package)?.doc, |tree| {
        let key = effective_key(tree, "description");
        // An empty text counts as absent, and an absent value keeps its form.
        match description.filter(|text| !text.is_empty()) {
            Some(text) => tree.set(&key, text),
            None if tree.get(&key).is_some_and(counts_as_absent) => {}
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
    rewrite_document(catalog, package_definition(package)?.doc, |tree| {
        let key = effective_key(tree, "icon");
        match icon {
            Some(icon) => {
                // Other members of the icon stay.
                let mut members = match tree.get(&key) {
                    Some(ValueTree::Map(members)) => ValueTree::Map(members.clone()),
                    _ => ValueTree::Map(Vec::new()),
                };
                for (name, value) in [("base64data", &icon.base64data), ("mediatype", &icon.mediatype)] {
                    let name = effective_key(&members, name);
                    members.set(&name, value.as_str());
                }
                tree.set(&key, members);
            }
            None => remove_field(tree, &key),
        }
    })
}
