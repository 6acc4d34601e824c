//! Changes of properties and related images in the documents of bundles.

use std::collections::HashSet;

use super::{
    EditError,
    document::{apply_changes, effective_key, remove_field, rewrite_change},
};
use crate::{bundle_change::BundleChange, rewrite::ValueTree};
use olm_bundle::render::{JsonStyle, compact_json};
use olm_catalog::{BundleName, Catalog, Node, package::Package, text::json};

/// Lists of a bundle. A change finds an item by the value of its key.
const PROPERTIES: PartList = PartList { field: "properties", key: "type", value: "value" };
const RELATED_IMAGES: PartList = PartList { field: "relatedImages", key: "name", value: "image" };

#[derive(Clone, Copy, PartialEq, Eq)]
struct PartList {
    field: &'static str,
    key: &'static str,
    value: &'static str,
}

/// A change of a list of a bundle.
struct PartChange<'c> {
    list: PartList,
    /// Value of the key.
    name: &'c str,
    action: PartAction,
}

enum PartAction {
    /// Sets the value of the only item, or adds it.
    Set(ValueTree),
    /// Adds an item unless the list has it.
    Add(ValueTree),
    /// Removes the items with a value, or with any.
    Remove(Option<ValueTree>),
}

impl<'c> PartChange<'c> {
    fn from_bundle_change(change: &'c BundleChange) -> Result<Self, EditError> {
        let (list, name, action) = match change {
            BundleChange::SetProperty { kind, value } => {
                (PROPERTIES, kind, PartAction::Set(parse_value(value)?))
            }
            BundleChange::AddProperty { kind, value } => {
                (PROPERTIES, kind, PartAction::Add(parse_value(value)?))
            }
            BundleChange::RemoveProperty { kind, value } => {
                let value = value.as_ref().map(parse_value).transpose()?;
                (PROPERTIES, kind, PartAction::Remove(value))
            }
            BundleChange::SetRelatedImage { image, .. } if image.is_empty() => {
                return Err(EditError::EmptyRelatedImage);
            }
            BundleChange::SetRelatedImage { name, image } => {
                (RELATED_IMAGES, name, PartAction::Set(image.as_str().into()))
            }
            BundleChange::RemoveRelatedImage { name } => (RELATED_IMAGES, name, PartAction::Remove(None)),
        };
        // A related image may have no name.
        if name.is_empty() && list == PROPERTIES {
            return Err(EditError::NoPropertyType);
        }
        Ok(Self { list, name, action })
    }

    /// Changes a bundle. Returns true if something changed.
    fn apply_to_bundle(&self, bundle: &BundleName, tree: &mut ValueTree) -> Result<bool, EditError> {
        let PartList { field, value: value_key, .. } = self.list;
        let field = effective_key(tree, field);
        let items = match tree.get(&field) {
            None | Some(ValueTree::Null) => &[][..],
            Some(ValueTree::List(items)) => items,
            Some(_) => return Err(EditError::Unreadable),
        };
        let own: Vec<usize> =
            (0..items.len()).filter(|at| items.get(*at).is_some_and(|i| self.is_own(i))).collect();
        let has_value = |at: &usize, value: &ValueTree| {
            let item = items.get(*at);
            item.and_then(|item| item.get(&effective_key(item, value_key)))
                .is_some_and(|v| v.has_same_content(value))
        };
        match &self.action {
            PartAction::Set(value) => match own.as_slice() {
                [] => self.add_item(tree, &field, value),
                [only] if has_value(only, value) => return Ok(false),
                [only] => {
                    let item =
                        tree.get_mut(&field).and_then(ValueTree::items_mut).and_then(|i| i.get_mut(*only));
                    if let Some(item) = item {
                        let key = effective_key(item, value_key);
                        item.set(&key, value.clone());
                    }
                }
                _ => return Err(self.several_error(bundle)),
            },
            PartAction::Add(value) if own.iter().any(|at| has_value(at, value)) => return Ok(false),
            PartAction::Add(value) => self.add_item(tree, &field, value),
            PartAction::Remove(value) => {
                let is_gone = |at: &usize| value.as_ref().is_none_or(|value| has_value(at, value));
                let gone: HashSet<usize> = own.iter().copied().filter(is_gone).collect();
                if gone.is_empty() {
                    return Ok(false);
                }
                if gone.len() == items.len() {
                    remove_field(tree, &field);
                } else if let Some(items) = tree.get_mut(&field).and_then(ValueTree::items_mut) {
                    let mut at = 0;
                    items.retain(|_| {
                        at += 1;
                        !gone.contains(&(at - 1))
                    });
                }
            }
        }
        Ok(true)
    }

    fn is_own(&self, item: &ValueTree) -> bool {
        let name = item.get(&effective_key(item, self.list.key)).and_then(ValueTree::as_str);
        name.unwrap_or_default() == self.name && matches!(item, ValueTree::Map(_))
    }

    fn add_item(&self, tree: &mut ValueTree, field: &str, value: &ValueTree) {
        let item = ValueTree::from_members([
            (self.list.key, ValueTree::from(self.name)),
            (self.list.value, value.clone()),
        ]);
        match tree.get_mut(field).and_then(ValueTree::items_mut) {
            Some(items) => items.push(item),
            None => tree.set(field, ValueTree::from_items([item])),
        }
    }

    fn several_error(&self, bundle: &BundleName) -> EditError {
        let (bundle, name) = (bundle.clone(), self.name.to_owned());
        if self.list == PROPERTIES {
            EditError::SeveralProperties { bundle, kind: name }
        } else {
            EditError::SeveralRelatedImages { bundle, name }
        }
    }
}

/// Changes a part of bundles. A bundle that already is as requested stays byte for byte.
pub(super) fn change_bundles(
    catalog: &Catalog,
    package: &Package,
    bundles: &[BundleName],
    change: &BundleChange,
) -> Result<Catalog, EditError> {
    let part = PartChange::from_bundle_change(change)?;
    let mut known = HashSet::new();
    let mut changes = Vec::new();
    for name in bundles.iter().filter(|name| known.insert(*name)) {
        let bundle = package.bundle(name.as_str()).ok_or_else(|| EditError::NoBundle(name.clone()))?;
        let mut outcome = Ok(false);
        let rewritten =
            rewrite_change(catalog, bundle.doc, |tree| outcome = part.apply_to_bundle(name, tree));
        if outcome? {
            changes.push(rewritten?);
        }
    }
    match change {
        BundleChange::RemoveProperty { kind, .. } if changes.is_empty() => {
            Err(EditError::NoProperty(kind.clone()))
        }
        BundleChange::RemoveRelatedImage { name } if changes.is_empty() => {
            Err(EditError::NoRelatedImage(name.clone()))
        }
        _ => apply_changes(catalog, changes),
    }
}

/// Describes the parts that a change affects, to detect conflicting changes.
pub(crate) fn describe_parts(
    catalog: &Catalog,
    package: &Package,
    bundles: &[BundleName],
    change: &BundleChange,
) -> Option<String> {
    let part = PartChange::from_bundle_change(change).ok()?;
    let mut lines = Vec::new();
    for name in bundles {
        let tree = catalog.parse_document(package.bundle(name.as_str())?.doc)?.ok()?;
        let items = field_node(&tree, part.list.field).map(Node::items).unwrap_or_default();
        let own = items.iter().filter(|item| part.is_own(&ValueTree::from(*item)));
        lines.extend(own.map(|item| format!("{name} {}", compact_json(item, JsonStyle::Marshalled))));
    }
    (!lines.is_empty()).then(|| lines.join("; "))
}

fn field_node<'n, 'a>(tree: &'n Node<'a>, field: &str) -> Option<&'n Node<'a>> {
    let members = tree.members().iter().filter(|member| member.key.eq_ignore_ascii_case(field));
    members.max_by(|a, b| a.key.cmp(&b.key)).map(|member| &member.value)
}

fn parse_value(value: &serde_json::Value) -> Result<ValueTree, EditError> {
    let text = value.to_string();
    let node = json::parse_json(text.as_bytes()).map_err(|_| EditError::Unreadable)?;
    Ok(ValueTree::from(&node))
}
