//! Drops trees with bounded recursion, and without overhead for scalars.

use super::{Node, Value};

/// Number of levels dropped by recursion; deeper levels wait in a list.
const LEVELS: usize = 32;

impl Drop for Node<'_> {
    fn drop(&mut self) {
        if !is_nested(&self.value) {
            return;
        }
        let mut deeper = Vec::new();
        flatten(&mut self.value, LEVELS, &mut deeper);
        while let Some(mut value) = deeper.pop() {
            flatten(&mut value, LEVELS, &mut deeper);
        }
    }
}

/// Flattens a value to at most one level of children, so that dropping it does not recurse further.
fn flatten<'a>(value: &mut Value<'a>, levels: usize, deeper: &mut Vec<Value<'a>>) {
    let mut child = |child: &mut Value<'a>| {
        if !is_nested(child) {
            return;
        }
        if levels == 0 {
            deeper.push(std::mem::replace(child, Value::Null));
        } else {
            flatten(child, levels - 1, deeper);
            // The child is flat, so dropping it ends here.
            *child = Value::Null;
        }
    };
    match value {
        Value::List(items) => items.iter_mut().for_each(|item| child(&mut item.value)),
        Value::Map(members) => members.iter_mut().for_each(|member| child(&mut member.value.value)),
        _ => {}
    }
}

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_))
}
