//! Differences of a node without a rule, found by descending only into parts that differ.
//!
//! The reference prints the difference of two Go structs; this module reports the changed keys with their
//! values.

use std::collections::{HashMap, HashSet};

use super::{
    shape::{Holds, Shapes, holds, members},
    validation::{Validation, json},
};
use crate::catalog::{Member, Node, Span, Value};

/// Number of differences shown per node.
const MAX_SHOWN: usize = 3;
/// Maximum number of differences searched, to bound the cost of nodes below many others.
const MAX_FOUND: usize = 1000;
/// Maximum length of a shown value.
const MAX_VALUE_LEN: usize = 60;
/// Descriptive keys.
const WORDS: [&str; 4] = ["description", "title", "example", "externalDocs"];

/// A changed key.
pub(super) struct Difference {
    /// Path from the node: `additionalProperties.properties.zone.enum`.
    way: String,
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
pub(super) fn differences<'n>(
    old: &'n Node<'n>,
    new: Option<&'n Node<'n>>,
    shapes: &Shapes<'n>,
) -> Vec<Difference> {
    let mut walk = Walk { shapes, found: Vec::new() };
    walk.schema(old, new, "", true);
    walk.found
}

/// Formats the differences in a short message.
pub(super) fn message(differences: &[Difference]) -> String {
    let mut told: Vec<String> = differences.iter().take(MAX_SHOWN).map(describe).collect();
    match differences.len() - told.len() {
        0 => {}
        _ if differences.len() >= MAX_FOUND => told.push(format!("{MAX_FOUND} or more in all")),
        more => told.push(format!("{more} more")),
    }
    told.join("; ")
}

fn describe(difference: &Difference) -> String {
    let Difference { way, old_text, new_text, .. } = difference;
    if WORDS.iter().any(|word| way == word || way.ends_with(&format!(".{word}"))) {
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

struct Walk<'w, 'n> {
    shapes: &'w Shapes<'n>,
    found: Vec<Difference>,
}

impl<'n> Walk<'_, 'n> {
    /// Compares two schemas. At the node itself, keys with a rule and separate nodes are skipped.
    fn schema(&mut self, old: &'n Node<'n>, new: Option<&'n Node<'n>>, way: &str, is_top: bool) {
        if self.found.len() >= MAX_FOUND {
            return;
        }
        let counts = |member: &&'n Member<'n>| {
            let key = member.key.as_ref();
            let own = matches!(key, "properties" | "items") || Validation::of_key(key).is_some();
            holds(key).is_some() && !(is_top && own)
        };
        let of = |node: Option<&'n Node<'n>>| -> Vec<&'n Member<'n>> {
            node.map(|node| members(node).filter(counts).collect()).unwrap_or_default()
        };
        self.members(&of(Some(old)), &of(new), way, Self::key);
    }

    /// Compares the members of two maps, in the order of the old one, then new ones.
    fn members(
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
    fn key(&mut self, key: &'n str, old: Option<&'n Node<'n>>, new: Option<&'n Node<'n>>, way: &str) {
        let Some(holds) = holds(key) else { return };
        let [old, new] = [old, new].map(|node| node.filter(|node| !is_absent(holds, node)));
        match (old, new) {
            (None, None) => {}
            (Some(a), Some(b)) if is_schema(holds) => self.both(holds, a, b, way),
            (Some(a), Some(b)) if json(a) == json(b) => {}
            _ => {
                let is_words = WORDS.contains(&key);
                self.add(way, old, new, is_words);
            }
        }
    }

    fn both(&mut self, holds: Holds, old: &'n Node<'n>, new: &'n Node<'n>, way: &str) {
        match (&old.value, &new.value) {
            (Value::Map(_), Value::Map(_)) if matches!(holds, Holds::SchemaMap | Holds::Dependencies) => {
                let of = |node: &'n Node<'n>| members(node).collect::<Vec<_>>();
                let is_properties = way.rsplit('.').next() == Some("properties");
                self.members(&of(old), &of(new), way, |walk, _, old, new, way| match (old, new) {
                    (Some(old), Some(new)) => walk.child(old, new, way),
                    // A new field is optional.
                    (old, new) => walk.add(way, old, new, is_properties && old.is_none()),
                });
            }
            (Value::List(a), Value::List(b)) => {
                for at in 0..a.len().max(b.len()) {
                    let way = format!("{way}[{at}]");
                    match (a.get(at), b.get(at)) {
                        (Some(a), Some(b)) => self.child(a, b, &way),
                        (a, b) => self.add(&way, a, b, false),
                    }
                }
            }
            _ => self.child(old, new, way),
        }
    }

    fn child(&mut self, old: &'n Node<'n>, new: &'n Node<'n>, way: &str) {
        let same = match (self.shapes.whole(old), self.shapes.whole(new)) {
            (Some(old), Some(new)) => old == new,
            _ => false,
        };
        if same {
            return;
        }
        if matches!((&old.value, &new.value), (Value::Map(_), Value::Map(_))) {
            self.schema(old, Some(new), way, false);
        } else if json(old) != json(new) {
            self.add(way, Some(old), Some(new), false);
        }
    }

    fn add(&mut self, way: &str, old: Option<&'n Node<'n>>, new: Option<&'n Node<'n>>, is_harmless: bool) {
        if self.found.len() >= MAX_FOUND {
            return;
        }
        self.found.push(Difference {
            way: way.to_owned(),
            old_text: old.map(short),
            new_text: new.map(short),
            old: old.map(|node| node.span),
            new: new.map(|node| node.span),
            // Differences beyond the limit may be harmful.
            is_harmless: is_harmless && self.found.len() + 1 < MAX_FOUND,
        });
    }
}

fn is_schema(holds: Holds) -> bool {
    matches!(
        holds,
        Holds::Schema
            | Holds::SchemaList
            | Holds::SchemaMap
            | Holds::SchemaOrBool
            | Holds::SchemaOrList
            | Holds::Dependencies
    )
}

/// Returns true if the value of a key counts as absent, like [`Shapes::plain`].
fn is_absent(holds: Holds, node: &Node) -> bool {
    match (&node.value, holds) {
        (Value::Null, _) => true,
        (Value::String(text), Holds::Text) => text.is_empty(),
        (Value::Bool(value), Holds::Bool) => !value,
        (Value::List(items), Holds::JsonList | Holds::SchemaList | Holds::SchemaOrList) => items.is_empty(),
        (Value::Map(members), Holds::SchemaMap | Holds::Dependencies) => members.is_empty(),
        _ => false,
    }
}

/// Formats a short value on one line; empty for a long one.
fn short(node: &Node) -> String {
    if matches!(node.value, Value::Map(_)) || node.items().len() > MAX_VALUE_LEN {
        return String::new();
    }
    let text = json(node);
    if text.chars().count() > MAX_VALUE_LEN { String::new() } else { text }
}
