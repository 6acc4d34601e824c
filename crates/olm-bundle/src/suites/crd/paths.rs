//! JSON paths of a CRD.

use crate::field_access::{node_at, text_at};
use olm_catalog::Node;

/// Returns true for the simple paths allowed in columns: `.spec.replicas`, `.status.conditions[0].type`.
pub(super) fn is_simple_path(path: &str) -> bool {
    if !path.starts_with('.') || path.contains(['{', '}']) {
        return false;
    }
    let mut depth = 0_i32;
    let mut quote = None;
    for c in path.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if depth > 0 => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && quote.is_none() && !path.ends_with("..")
}

/// Returns true if a path can select resources: it leads to a string, boolean or integer of the schema, and not
/// into `metadata`.
pub(super) fn is_selectable(path: &str, schema: Option<&Node>) -> bool {
    let Some(names) = path.strip_prefix('.') else { return false };
    if names.contains(['[', '{', '*']) || names.starts_with("metadata") {
        return false;
    }
    let found =
        names.split('.').try_fold(schema, |schema, name| Some(node_at(schema?, &["properties", name])));
    found
        .flatten()
        .is_some_and(|schema| matches!(text_at(schema, &["type"]).as_ref(), "string" | "boolean" | "integer"))
}
