//! Differences of a node without a rule, found by descending only into parts that differ.
//!
//! The reference prints the difference of two Go structs; this module reports the changed keys with their
//! values.

use std::collections::{HashMap, HashSet};

use super::{
    schema_nodes::{DESCRIPTIVE_KEYS, ShapeInterner, ValueType, effective_members, value_type},
    validation::{Validation, format_json},
};
use olm_catalog::{Member, Node, Span, Value};

/// Number of differences shown per node.
const MAX_SHOWN: usize = 3;
/// Maximum number of differences searched, to bound the cost of nodes below many others.
const MAX_FOUND: usize = 1000;
/// Maximum length of a shown value.
const MAX_VALUE_LEN: usize = 60;

/// A changed key.
pub(super) struct Difference {
    /// Path from the node: `additionalProperties.properties.zone.enum`.
    path: String,
    old_text: Option<String>,
    new_text: Option<String>,
    pub old: Option<Span>,
    pub new: Option<Span>,
    is_harmless: bool,
}

impl Difference {
    /// Returns true if no resource could become invalid.
    pub(super) fn is_harmless(&self) -> bool {
        self.is_harmless
    }
}

/// Returns the differences, except for keys with a rule at the node itself.
pub(super) fn find_differences<'n>(
    old: &'n Node<'n>,
    new: Option<&'n Node<'n>>,
    shapes: &ShapeInterner<'n>,
) -> Vec<Difference> {
    let mut walk = DifferenceWalk { shapes, found: Vec::new() };
    walk.compare_schemas(old, new, "", true);
    walk.found
}

/// Formats the differences in a short message.
pub(super) fn format_differences(differences: &[Difference]) -> String {
    let mut told: Vec<String> = differences.iter().take(MAX_SHOWN).map(describe_difference).collect();
    match differences.len() - told.len() {
        0 => {}
        _ if differences.len() >= MAX_FOUND => told.push(format!("{MAX_FOUND} or more in all")),
        more => told.push(format!("{more} more")),
    }
    told.join("; ")
}

fn describe_difference(difference: &Difference) -> String {
    let Difference { path: way, old_text, new_text, .. } = difference;
    if DESCRIPTIVE_KEYS.iter().any(|word| way == word || way.ends_with(&format!(".{word}"))) {
        return format!("{way} changed");
    }
    match (old_text, new_text) {
        (None, None) => format!("{way} changed"),
        (None, Some(new)) if new.is_empty() => format!("{way} added"),
        (None, Some(new)) => format!("{way} added : {new}"),
        (Some(old), None) if old.is_empty() => format!("{way} removed"),
        (Some(old), None) => format!("{way} removed : {old}"),
        // Both are too long, or one is a schema.
        (Some(old), Some(new)) if old.is_empty() || new.is_empty() => format!("{way} changed"),
        (Some(old), Some(new)) => format!("{way} changed : {old} -> {new}"),
    }
}

struct DifferenceWalk<'w, 'n> {
    shapes: &'w ShapeInterner<'n>,
    found: Vec<Difference>,
}

impl<'n> DifferenceWalk<'_, 'n> {
    /// Compares two schemas. At the node itself, keys with a rule and separate nodes are skipped.
    fn compare_schemas(&mut self, old: &'n Node<'n>, new: Option<&'n Node<'n>>, way: &str, is_top: bool) {
        if self.found.len() >= MAX_FOUND {
            return;
        }
        let counts = |member: &&'n Member<'n>| {
            let key = member.key.as_ref();
            let own = matches!(key, "properties" | "items") || Validation::from_key(key).is_some();
            value_type(key).is_some() && !(is_top && own)
        };
        let of = |node: Option<&'n Node<'n>>| -> Vec<&'n Member<'n>> {
            node.map(|node| effective_members(node).filter(counts).collect()).unwrap_or_default()
        };
        self.compare_members(&of(Some(old)), &of(new), way, Self::compare_key);
    }

    /// Compares the members of two maps, in the order of the old one, then new ones.
    fn compare_members(
        &mut self,
        old: &[&'n Member<'n>],
        new: &[&'n Member<'n>],
        way: &str,
        mut tell: impl FnMut(&mut Self, &'n str, Option<&'n Node<'n>>, Option<&'n Node<'n>>, &str),
    ) {
        let known: HashMap<&str, &'n Node<'n>> =
            new.iter().map(|member| (member.key.as_ref(), &member.value)).collect();
        let before: HashSet<&str> = old.iter().map(|member| member.key.as_ref()).collect();
        let below = |key: &str| if way.is_empty() { key.to_owned() } else { format!("{way}.{key}") };
        for member in old {
            let key = member.key.as_ref();
            tell(self, key, Some(&member.value), known.get(key).copied(), &below(key));
        }
        for member in new.iter().filter(|member| !before.contains(member.key.as_ref())) {
            tell(self, &member.key, None, Some(&member.value), &below(&member.key));
        }
    }

    /// Compares the values of a key in two schemas.
    fn compare_key(&mut self, key: &'n str, old: Option<&'n Node<'n>>, new: Option<&'n Node<'n>>, way: &str) {
        let Some(holds) = value_type(key) else { return };
        let [old, new] = [old, new].map(|node| node.filter(|node| !is_absent(holds, node)));
        match (old, new) {
            (None, None) => {}
            (Some(a), Some(b)) if is_schema(holds) => self.compare_values(holds, a, b, way),
            (Some(a), Some(b)) if format_json(a) == format_json(b) => {}
            _ => {
                let is_words = DESCRIPTIVE_KEYS.contains(&key);
                self.add_difference(way, old, new, is_words);
            }
        }
    }

    fn compare_values(&mut self, holds: ValueType, old: &'n Node<'n>, new: &'n Node<'n>, way: &str) {
        match (&old.value, &new.value) {
            (Value::Map(_), Value::Map(_))
                if matches!(holds, ValueType::SchemaMap | ValueType::Dependencies) =>
            {
                let of = |node: &'n Node<'n>| effective_members(node).collect::<Vec<_>>();
                let is_properties = way.rsplit('.').next() == Some("properties");
                self.compare_members(&of(old), &of(new), way, |walk, _, old, new, way| match (old, new) {
                    (Some(old), Some(new)) => walk.compare_child(old, new, way),
                    // A new field is optional.
                    (old, new) => walk.add_difference(way, old, new, is_properties && old.is_none()),
                });
            }
            (Value::List(a), Value::List(b)) => {
                for at in 0..a.len().max(b.len()) {
                    let way = format!("{way}[{at}]");
                    match (a.get(at), b.get(at)) {
                        (Some(a), Some(b)) => self.compare_child(a, b, &way),
                        (a, b) => self.add_difference(&way, a, b, false),
                    }
                }
            }
            _ => self.compare_child(old, new, way),
        }
    }

    fn compare_child(&mut self, old: &'n Node<'n>, new: &'n Node<'n>, way: &str) {
        let same = match (self.shapes.schema_shape(old), self.shapes.schema_shape(new)) {
            (Some(old), Some(new)) => old == new,
            _ => false,
        };
        if same {
            return;
        }
        if matches!((&old.value, &new.value), (Value::Map(_), Value::Map(_))) {
            self.compare_schemas(old, Some(new), way, false);
        } else if format_json(old) != format_json(new) {
            self.add_difference(way, Some(old), Some(new), false);
        }
    }

    fn add_difference(
        &mut self,
        way: &str,
        old: Option<&'n Node<'n>>,
        new: Option<&'n Node<'n>>,
        is_harmless: bool,
    ) {
        if self.found.len() >= MAX_FOUND {
            return;
        }
        self.found.push(Difference {
            path: way.to_owned(),
            old_text: old.map(format_short_value),
            new_text: new.map(format_short_value),
            old: old.map(|node| node.span),
            new: new.map(|node| node.span),
            // Differences beyond the limit may be harmful.
            is_harmless: is_harmless && self.found.len() + 1 < MAX_FOUND,
        });
    }
}

fn is_schema(holds: ValueType) -> bool {
    matches!(
        holds,
        ValueType::Schema
            | ValueType::SchemaList
            | ValueType::SchemaMap
            | ValueType::SchemaOrBool
            | ValueType::SchemaOrList
            | ValueType::Dependencies
    )
}

/// Returns true if the value of a key counts as absent, like [`ShapeInterner::plain`].
fn is_absent(holds: ValueType, node: &Node) -> bool {
    match (&node.value, holds) {
        (Value::Null, _) => true,
        (Value::String(text), ValueType::Text) => text.is_empty(),
        (Value::Bool(value), ValueType::Bool) => !value,
        (Value::List(items), ValueType::JsonList | ValueType::SchemaList | ValueType::SchemaOrList) => {
            items.is_empty()
        }
        (Value::Map(members), ValueType::SchemaMap | ValueType::Dependencies) => members.is_empty(),
        _ => false,
    }
}

/// Formats a short value on one line; empty for a long one.
fn format_short_value(node: &Node) -> String {
    if matches!(node.value, Value::Map(_)) || node.items().len() > MAX_VALUE_LEN {
        return String::new();
    }
    let text = format_json(node);
    if text.chars().count() > MAX_VALUE_LEN { String::new() } else { text }
}
