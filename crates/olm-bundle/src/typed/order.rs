//! Order of the fields in Go's structs.

use super::table::{TABLE, Type};
use olm_catalog::{Node, Value};

/// Sorts the keys inside the value of a struct field in Go's order; unknown keys come last. Values are
/// unchanged.
pub fn order_field(node: &mut Node, type_name: &str, field: &str) {
    if let Some(field) = TABLE.struct_named(type_name).and_then(|shape| shape.field_named(field)) {
        order_keys(node, &field.kind);
    }
}

/// Sorts recursively. The depth is that of the type: no field of a bundle's metadata contains its own type.
fn order_keys(node: &mut Node, kind: &Type) {
    match (kind, &mut node.value) {
        (Type::List(item), Value::List(items)) => {
            for node in items {
                order_keys(node, item);
            }
        }
        (Type::Map(item), Value::Map(members)) => {
            for member in members {
                order_keys(&mut member.value, item);
            }
        }
        (Type::Struct(id) | Type::Pointer(id), Value::Map(members)) => {
            let Some(shape) = TABLE.struct_by_id(*id) else { return };
            let position = |key: &str| shape.fields.iter().position(|field| field.name == key);
            members.sort_by_key(|member| position(&member.key).unwrap_or(usize::MAX));
            for member in members {
                if let Some(field) = shape.field_named(&member.key) {
                    order_keys(&mut member.value, &field.kind);
                }
            }
        }
        _ => {}
    }
}
