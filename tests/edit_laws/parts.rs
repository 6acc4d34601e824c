//! Reference model of changes of properties and related images.

use olm_edit::BundleChange;
use serde_json::{Value, json};

use super::value_tree::{get_field, remove_field, set_field};

/// Changes a bundle. Returns whether something changed; `None` if the change must be refused.
pub fn change_bundle(bundle: &mut Value, change: &BundleChange) -> Option<bool> {
    let (field, key, value_key) = match change {
        BundleChange::SetRelatedImage { .. } | BundleChange::RemoveRelatedImage { .. } => {
            ("relatedImages", "name", "image")
        }
        _ => ("properties", "type", "value"),
    };
    let mut items = get_field(bundle, field).and_then(Value::as_array).cloned().unwrap_or_default();
    let before = items.clone();
    let is_own =
        |item: &Value, name: &str| get_field(item, key).and_then(Value::as_str).unwrap_or_default() == name;
    let has = |item: &Value, value: &Value| get_field(item, value_key) == Some(value);
    match change {
        BundleChange::SetProperty { kind, value } => {
            (!kind.is_empty()).then_some(())?;
            set_item(&mut items, [key, value_key], kind, value)?;
        }
        BundleChange::AddProperty { kind, value } => {
            (!kind.is_empty()).then_some(())?;
            if !items.iter().any(|item| is_own(item, kind) && has(item, value)) {
                items.push(json!({key: kind, value_key: value}));
            }
        }
        BundleChange::RemoveProperty { kind, value } => {
            (!kind.is_empty()).then_some(())?;
            let is_gone =
                |item: &Value| is_own(item, kind) && value.as_ref().is_none_or(|value| has(item, value));
            items.retain(|item| !is_gone(item));
        }
        BundleChange::SetRelatedImage { name, image } => {
            (!image.is_empty()).then_some(())?;
            set_item(&mut items, [key, value_key], name, &image.as_str().into())?;
        }
        BundleChange::RemoveRelatedImage { name } => items.retain(|item| !is_own(item, name)),
    }
    let is_changed = items != before;
    if is_changed && items.is_empty() {
        remove_field(bundle, field);
    } else if is_changed {
        set_field(bundle, field, items.into());
    }
    Some(is_changed)
}

/// Sets the value of the only item with a name, or adds it. `None` if there are several.
fn set_item(items: &mut Vec<Value>, [key, value_key]: [&str; 2], name: &str, value: &Value) -> Option<()> {
    let is_own = |item: &&mut Value| get_field(item, key).and_then(Value::as_str).unwrap_or_default() == name;
    let mut own: Vec<&mut Value> = items.iter_mut().filter(is_own).collect();
    match own.as_mut_slice() {
        [] => items.push(json!({key: name, value_key: value})),
        [only] => set_field(only, value_key, value.clone()),
        _ => return None,
    }
    Some(())
}
