//! Rules for changes of schema nodes, with their messages.
//!
//! The reference is crdify, which OLM v1 uses: `sigs.k8s.io/crdify`, `pkg/validations/property`.
//! The messages are the same, so that users recognize them from clusters.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    schema_nodes::{FlatNode, Shape, ShapeInterner, canonical_number},
    unhandled::{self, Difference},
};
use crate::typed::{DecoderKind, field_text};
use olm_catalog::{Node, Span, Value, escape};

/// Rules, the most severe first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Validation {
    /// A version in which objects may be stored is removed.
    StoredVersionRemoval,
    /// Change between namespaced and cluster-wide.
    Scope,
    /// A field is removed.
    ExistingFieldRemoval,
    /// `type`.
    Type,
    /// `required`.
    Required,
    /// `enum`.
    Enum,
    /// `pattern`.
    Pattern,
    /// `minimum`.
    Minimum,
    /// `maximum`.
    Maximum,
    /// `minLength`.
    MinLength,
    /// `maxLength`.
    MaxLength,
    /// `minItems`.
    MinItems,
    /// `maxItems`.
    MaxItems,
    /// `minProperties`.
    MinProperties,
    /// `maxProperties`.
    MaxProperties,
    /// `oneOf`.
    OneOf,
    /// `nullable`.
    Nullable,
    /// `default`.
    Default,
    /// `description`, which may change freely.
    Description,
    /// A change of a key without a rule.
    Unhandled,
}

impl Validation {
    /// Returns its name in crdify.
    pub fn name(self) -> &'static str {
        match self {
            Self::StoredVersionRemoval => "storedVersionRemoval",
            Self::Scope => "scope",
            Self::ExistingFieldRemoval => "existingFieldRemoval",
            Self::Type => "type",
            Self::Required => "required",
            Self::Enum => "enum",
            Self::Pattern => "pattern",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::MinProperties => "minProperties",
            Self::MaxProperties => "maxProperties",
            Self::OneOf => "oneOf",
            Self::Nullable => "nullable",
            Self::Default => "default",
            Self::Description => "description",
            Self::Unhandled => "unhandled",
        }
    }

    /// Returns true for the eight limits of numbers, lengths and counts, which share their
    /// messages.
    pub fn is_limit(self) -> bool {
        LIMITS.iter().any(|limit| limit.rule == self)
    }

    /// Returns the rule of a schema key, if any.
    pub(super) fn from_key(key: &str) -> Option<Self> {
        Some(match key {
            "description" => Self::Description,
            "type" => Self::Type,
            "required" => Self::Required,
            "enum" => Self::Enum,
            "pattern" => Self::Pattern,
            "oneOf" => Self::OneOf,
            "nullable" => Self::Nullable,
            "default" => Self::Default,
            _ => return LIMITS.iter().find(|limit| limit.rule.name() == key).map(|limit| limit.rule),
        })
    }
}

/// A limit: a number that may only be relaxed.
struct Limit {
    rule: Validation,
    /// True for a minimum, false for a maximum.
    is_lower: bool,
    /// True if Go stores and prints it as a float.
    is_float: bool,
}

const fn new_limit(rule: Validation, is_lower: bool, is_float: bool) -> Limit {
    Limit { rule, is_lower, is_float }
}

const LIMITS: [Limit; 8] = [
    new_limit(Validation::Minimum, true, true),
    new_limit(Validation::Maximum, false, true),
    new_limit(Validation::MinLength, true, false),
    new_limit(Validation::MaxLength, false, false),
    new_limit(Validation::MinItems, true, false),
    new_limit(Validation::MaxItems, false, false),
    new_limit(Validation::MinProperties, true, false),
    new_limit(Validation::MaxProperties, false, false),
];

/// A change of a node that a rule refuses.
pub(super) struct Change {
    pub validation: Validation,
    pub message: String,
    /// Names of `required`, which the reference prints in random order.
    pub names: BTreeSet<String>,
    /// Spans in the old and the new document.
    pub old: Span,
    pub new: Option<Span>,
    /// True if only descriptions changed, or an optional key was added.
    pub is_harmless: bool,
    /// For `Unhandled` and `oneOf`: both sides in full, because the message is shortened.
    pub full: Option<[Vec<Shape>; 2]>,
}

/// Returns all refused changes from one node to another, or to its removal if `new` is `None`.
pub(super) fn refused_changes<'n>(
    old: &FlatNode<'n>,
    new: Option<&FlatNode<'n>>,
    shapes: &ShapeInterner<'n>,
) -> Vec<Change> {
    if new.is_some_and(|new| new.own == old.own) {
        return Vec::new();
    }
    let mut found = NodeComparison { old, new, changes: Vec::new() };
    found.check_type();
    found.check_required();
    found.check_enum();
    found.check_pattern();
    for limit in &LIMITS {
        found.check_limit(limit);
    }
    found.check_one_of();
    found.check_nullable();
    found.check_default();
    found.check_unhandled(shapes);
    found.changes
}

/// Comparison of two nodes that collects the refused changes.
struct NodeComparison<'f, 'n> {
    old: &'f FlatNode<'n>,
    new: Option<&'f FlatNode<'n>>,
    changes: Vec<Change>,
}

impl<'n> NodeComparison<'_, 'n> {
    fn add_change(&mut self, validation: Validation, message: String) -> &mut Change {
        let place = |flat: &FlatNode, key| flat.node.get(key).map_or(flat.span, |node| node.span);
        let key = validation.name();
        let at = self.changes.len();
        self.changes.push(Change {
            validation,
            message,
            names: BTreeSet::new(),
            old: place(self.old, key),
            new: self.new.map(|new| place(new, key)),
            is_harmless: false,
            full: None,
        });
        &mut self.changes[at]
    }

    fn old_and_new(&self, key: &str) -> [Option<&'n Node<'n>>; 2] {
        let get = |flat: &FlatNode<'n>| flat.node.get(key).filter(|node| !node.is_null());
        [get(self.old), self.new.and_then(get)]
    }

    fn old_and_new_text(&self, key: &str) -> [Cow<'n, str>; 2] {
        self.old_and_new(key)
            .map(|node| node.and_then(|node| field_text(node, DecoderKind::Yaml)).unwrap_or_default())
    }

    fn check_type(&mut self) {
        let [old, new] = self.old_and_new_text("type");
        if old != new {
            self.add_change(
                Validation::Type,
                format!("type changed : {} -> {}", go_quote(&old), go_quote(&new)),
            );
        }
    }

    fn check_required(&mut self) {
        let [old, new] = self.old_and_new("required").map(string_set);
        let more: BTreeSet<String> = new.difference(&old).cloned().collect();
        if !more.is_empty() {
            let message = format!("new required fields: [{}]", join_names(&more));
            self.add_change(Validation::Required, message).names = more;
        }
    }

    fn check_enum(&mut self) {
        let set = |node: Option<&Node>| -> BTreeSet<String> {
            node.map(Node::items).unwrap_or_default().iter().map(format_json).collect()
        };
        let [old, new] = self.old_and_new("enum").map(set);
        if old.is_empty() && !new.is_empty() {
            let all = join_names(&new);
            let message = format!("enum constraint added when there was none previously : [{all}]");
            self.add_change(Validation::Enum, message);
        } else if old.difference(&new).next().is_some() {
            let gone = old.difference(&new).cloned().collect();
            self.add_change(
                Validation::Enum,
                format!("allowed enum values removed : [{}]", join_names(&gone)),
            );
        }
    }

    fn check_pattern(&mut self) {
        let [old, new] = self.old_and_new_text("pattern");
        let what = match (old.is_empty(), new.is_empty()) {
            _ if old == new => return,
            (true, _) => "added",
            (_, true) => "removed",
            _ => "changed",
        };
        let message = format!("pattern {what} : {} -> {}", go_quote(&old), go_quote(&new));
        self.add_change(Validation::Pattern, message);
    }

    fn check_limit(&mut self, limit: &Limit) {
        let number = |node: Option<&Node>| match &node?.value {
            Value::Number(number) => number.0.parse::<f64>().ok(),
            _ => None,
        };
        let [old, new] = self.old_and_new(limit.rule.name()).map(number);
        let Some(new) = new else { return };
        let shown = |value: f64| if limit.is_float { format_go_float(value) } else { format!("{value}") };
        let (which, moved) = if limit.is_lower { ("minimum", "increased") } else { ("maximum", "decreased") };
        let message = match old {
            None => {
                format!("{which} constraint added when there was none previously : {}", shown(new))
            }
            Some(old) if (limit.is_lower && new > old) || (!limit.is_lower && new < old) => {
                format!("{which} {moved} : {} -> {}", shown(old), shown(new))
            }
            Some(_) => return,
        };
        self.add_change(limit.rule, message);
    }

    /// Compares `oneOf`. The messages differ from those of the reference, which print Go data structures.
    fn check_one_of(&mut self) {
        let old: BTreeSet<_> = self.old.one_of.iter().copied().collect();
        let new: BTreeSet<_> = self.new.map(|new| new.one_of.iter().copied().collect()).unwrap_or_default();
        if old == new {
            return;
        }
        let (gone, more) = (old.difference(&new).count(), new.difference(&old).count());
        let count =
            |count: usize| if count == 1 { "1 schema".to_owned() } else { format!("{count} schemas") };
        let message = match (gone, more) {
            _ if old.is_empty() => {
                format!("oneOf constraint added when there was none previously : {}", count(more))
            }
            (gone, 0) => format!("allowed oneOf schemas removed : {}", count(gone)),
            (0, more) => format!("allowed oneOf schemas added : {}", count(more)),
            (gone, more) => {
                format!("allowed oneOf schemas removed : {}, added : {}", count(gone), count(more))
            }
        };
        let sides = [&old, &new].map(|side| side.iter().copied().collect());
        self.add_change(Validation::OneOf, message).full = Some(sides);
    }

    fn check_nullable(&mut self) {
        let is = |node: Option<&Node>| node.is_some_and(|node| matches!(node.value, Value::Bool(true)));
        let [old, new] = self.old_and_new("nullable").map(is);
        match (old, new) {
            (false, true) => {
                self.add_change(Validation::Nullable, "nullable added : false -> true".to_owned())
            }
            (true, false) => {
                self.add_change(Validation::Nullable, "nullable removed : true -> false".to_owned())
            }
            _ => return,
        };
    }

    fn check_default(&mut self) {
        let [old, new] = self.old_and_new("default").map(|node| node.map(format_json));
        let message = match (old, new) {
            (None, Some(new)) => {
                format!("default added when there was none previously : {}", go_quote(&new))
            }
            (Some(old), None) => format!("default value removed : {}", go_quote(&old)),
            (Some(old), Some(new)) if old != new => {
                format!("default value changed : {} -> {}", go_quote(&old), go_quote(&new))
            }
            _ => return,
        };
        self.add_change(Validation::Default, message);
    }

    fn check_unhandled(&mut self, shapes: &ShapeInterner<'n>) {
        if self.new.is_some_and(|new| new.rest == self.old.rest) {
            return;
        }
        let differences = unhandled::find_differences(self.old.node, self.new.map(|new| new.node), shapes);
        let Some(first) = differences.first() else { return };
        let (old, new) = (first.old, first.new);
        let is_harmless = differences.iter().all(Difference::is_harmless);
        let sides = [vec![self.old.rest], self.new.map(|new| new.rest).into_iter().collect()];
        let change = self.add_change(Validation::Unhandled, unhandled::format_differences(&differences));
        change.is_harmless = is_harmless;
        change.full = Some(sides);
        change.old = old.unwrap_or(change.old);
        change.new = new.or(change.new);
    }
}

/// Returns the names of a list.
fn string_set(node: Option<&Node>) -> BTreeSet<String> {
    let items = node.map(Node::items).unwrap_or_default().iter();
    items.map(|item| field_text(item, DecoderKind::Yaml).unwrap_or_default().into_owned()).collect()
}

fn join_names(set: &BTreeSet<String>) -> String {
    set.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Formats a value as JSON on one line, with sorted keys and normalized numbers.
pub(super) fn format_json(node: &Node) -> String {
    let mut out = String::new();
    write_json(node, &mut out);
    out
}

fn write_json(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&canonical_number(number)),
        Value::String(text) => write_json_string(text, out),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_json(item, out);
            }
            out.push(']');
        }
        Value::Map(_) => {
            let mut members: Vec<_> = super::schema_nodes::effective_members(node).collect();
            members.sort_by(|a, b| a.key.cmp(&b.key));
            out.push('{');
            for (at, member) in members.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_json_string(&member.key, out);
                out.push(':');
                write_json(&member.value, out);
            }
            out.push('}');
        }
    }
}

fn write_json_string(text: &str, out: &mut String) {
    // A string can always be serialized.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Quotes a text like Go's `%q`.
pub(super) fn go_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\0'..='\u{1f}' | '\u{7f}' => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if c != ' ' && (c.is_whitespace() || escape::is_harmful(c)) => {
                let code = u32::from(c);
                let escape = if code > 0xffff { format!("\\U{code:08x}") } else { format!("\\u{code:04x}") };
                out.push_str(&escape);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Formats a float like Go's `%v`: with an exponent below 1e-4, and from a million on.
fn format_go_float(value: f64) -> String {
    let size = value.abs();
    if value != 0.0 && !(1e-4..1e6).contains(&size) {
        let text = format!("{value:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{value}")
}
