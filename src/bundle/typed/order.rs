//! The order in which Go writes the fields of a struct.

use super::table::{TABLE, Type};
use crate::catalog::{Node, Value};

/// Puts the keys inside the value of a struct's field into Go's order; keys that Go does not know come last. Values stay as
/// they are.
pub fn order_field(node: &mut Node, type_name: &str, field: &str) {
    if let Some(field) = TABLE.named(type_name).and_then(|shape| shape.exact(field)) {
        order(node, &field.kind);
    }
}

/// Recursion ends with the type: no field of a bundle's metadata contains its own type.
fn order(node: &mut Node, kind: &Type) {
    match (kind, &mut node.value) {
        (Type::List(item), Value::List(items)) => {
            for node in items {
                order(node, item);
            }
        }
        (Type::Map(item), Value::Map(members)) => {
            for member in members {
                order(&mut member.value, item);
            }
        }
        (Type::Struct(id) | Type::Pointer(id), Value::Map(members)) => {
            let Some(shape) = TABLE.get(*id) else { return };
            let position = |key: &str| shape.fields.iter().position(|field| field.name == key);
            members.sort_by_key(|member| position(&member.key).unwrap_or(usize::MAX));
            for member in members {
                if let Some(field) = shape.exact(&member.key) {
                    order(&mut member.value, &field.kind);
                }
            }
        }
        _ => {}
    }
}
