//! Validation by the schema of a CRD's version, as in Kubernetes: a structural schema, in which unknown fields
//! are dropped.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apiserver` (`customresource_handler.go`, `schema/pruning`,
//! `schema/defaulting`, `schema/listtype`), `pkg/registry/customresource/strategy.go`, and
//! `kube-openapi/pkg/validation`. Libraries for JSON Schema do not support this dialect: `nullable`,
//! `x-kubernetes-int-or-string`, defaults before validation. As in Kubernetes, an object is first converted to
//! its stored form (`prepare`), which is then validated (`validator`).

#[cfg(test)]
mod tests;
mod validator;

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
};

use regex::bytes::{Regex, RegexBuilder};

use crate::field_access::{is_true_at, items_at, node_at, text_at};
use olm_catalog::{Member, Node, Span, Value, similar_names};
use validator::type_error;

/// Maximum depth of checked objects, deeper than those that an API server accepts.
const MAX_DEPTH: usize = 64;
/// Maximum number of listed errors per object.
const MAX_FAULTS: usize = 100;
/// Maximum length in bytes of the path of a field whose default is checked.
const MAX_DEFAULT_PATH: usize = 2000;
/// Maximum length of a field name in a message, in characters.
const MAX_FIELD_LEN: usize = 200;

/// A part of a schema.
#[derive(Clone, Copy)]
pub struct Schema<'n> {
    node: &'n Node<'n>,
    /// True if the CRD keeps unknown fields: `preserveUnknownFields`.
    keeps_unknown_fields: bool,
}

/// Schema of a version of a CRD.
#[derive(Clone, Copy)]
pub struct VersionSchema<'n> {
    /// Root schema of the objects.
    pub schema: Schema<'n>,
    /// True if the version has a status subresource, so that the status of a new object is dropped.
    drops_status: bool,
    /// True if error messages must not contain values.
    hides_values: bool,
}

/// Error of a value.
pub struct SchemaError {
    /// Path of the field, such as `spec.shelves[0].width`; only its end if it is long.
    pub field: String,
    /// Message.
    pub message: String,
    /// Span in the source text.
    pub span: Span,
}

/// Errors of an object.
#[derive(Default)]
pub struct SchemaErrors {
    /// First errors.
    pub list: Vec<SchemaError>,
    /// Number of further errors.
    pub more: usize,
}

impl SchemaErrors {
    fn add_error(&mut self, field: &str, message: impl Into<String>, span: Span) {
        if self.list.len() < MAX_FAULTS {
            self.list.push(SchemaError { field: truncate_front(field), message: message.into(), span });
        } else {
            self.more += 1;
        }
    }
}

/// Returns the end of a long name.
fn truncate_front(field: &str) -> String {
    match field.char_indices().rev().nth(MAX_FIELD_LEN) {
        Some((at, c)) => format!("\u{2026}{}", field.get(at + c.len_utf8()..).unwrap_or_default()),
        None => field.to_owned(),
    }
}

/// Result of a step into a schema.
pub enum SchemaStep<'n> {
    /// A part of the schema.
    Part(Schema<'n>),
    /// Any value is allowed.
    Anything,
    /// The field does not exist.
    Missing,
}

/// Returns the schema of a version of a CRD; `None` if it does not have one.
pub fn version_schema<'n>(crd: &'n Node<'n>, version: &str) -> Option<VersionSchema<'n>> {
    let versions = items_at(crd, &["spec", "versions"]).iter();
    let of = versions.into_iter().find(|item| text_at(item, &["name"]) == version);
    let own = of.and_then(|version| node_at(version, &["schema", "openAPIV3Schema"]));
    let node = own.or_else(|| node_at(crd, &["spec", "validation", "openAPIV3Schema"]))?;
    let is_old = text_at(crd, &["apiVersion"]).ends_with("/v1beta1");
    let keeps = match node_at(crd, &["spec", "preserveUnknownFields"]).map(|node| &node.value) {
        Some(Value::Bool(keeps)) => *keeps,
        // By default only the old API keeps unknown fields.
        _ => is_old,
    };
    let own_status = of.and_then(|version| node_at(version, &["subresources", "status"]));
    let status = own_status.or_else(|| node_at(crd, &["spec", "subresources", "status"]));
    let drops_status = status.is_some_and(|status| !status.is_null());
    let schema = Schema { node, keeps_unknown_fields: keeps };
    Some(VersionSchema { schema, drops_status, hides_values: false })
}

impl VersionSchema<'_> {
    /// Returns the errors that the API server reports for a new object, including dropped fields.
    pub fn validate(self, object: &Node<'_>, budget: &Budget) -> SchemaErrors {
        let mut faults = SchemaErrors::default();
        let prepared = prepare_object(self, object, budget, &mut faults);
        // A partially prepared object differs from the stored one.
        if !budget.is_spent() {
            validator::validate_object(self, &prepared, budget, &mut faults);
        }
        faults
    }

    /// Returns the errors of a stored object by the schema alone, as OLM Classic checks them before it changes
    /// a CRD.
    pub(crate) fn validate_stored(self, object: &Node<'_>, budget: &Budget) -> SchemaErrors {
        let mut faults = SchemaErrors::default();
        let whole = Self { drops_status: false, ..self };
        validator::validate_object(whole, object, budget, &mut faults);
        faults
    }

    /// Returns the schema with error messages that name types instead of values. Objects of a cluster may have
    /// secret values.
    #[must_use]
    pub(crate) fn with_hidden_values(self) -> Self {
        Self { hides_values: true, ..self }
    }

    /// Returns the errors of the schema's defaults, for which the API server rejects the CRD.
    pub(crate) fn validate_defaults(self, budget: &Budget) -> SchemaErrors {
        let mut faults = SchemaErrors::default();
        let mut left = vec![(self.schema, String::new())];
        while let Some((schema, field)) = left.pop() {
            if field.len() > MAX_DEFAULT_PATH || !budget.spend(1) {
                continue;
            }
            if let Some(default) = schema.default_value() {
                validator::validate_default(schema, default, &field, budget, &mut faults);
            }
            let named = schema.properties().map(|(name, part)| {
                let field = if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
                (part, field)
            });
            left.extend(named);
            left.extend(schema.items_schema().map(|part| (part, format!("{field}[]"))));
            if let Some(SchemaStep::Part(part)) = schema.additional_properties() {
                left.push((part, format!("{field}.*")));
            }
        }
        faults
    }
}

impl<'n> Schema<'n> {
    /// Creates a schema for a part of it.
    fn with_node(self, node: &'n Node<'n>) -> Self {
        Self { node, keeps_unknown_fields: self.keeps_unknown_fields }
    }

    fn has_flag(self, key: &str) -> bool {
        is_true_at(self.node, &[key])
    }

    fn type_name(self) -> Cow<'n, str> {
        text_at(self.node, &["type"])
    }

    /// Returns the default value.
    fn default_value(self) -> Option<&'n Node<'n>> {
        self.node.get("default").filter(|default| !default.is_null())
    }

    fn properties(self) -> impl Iterator<Item = (&'n str, Schema<'n>)> {
        let members = self.node.get("properties").map(Node::members).unwrap_or_default();
        members.iter().map(move |member| (member.key.as_ref(), self.with_node(&member.value)))
    }

    /// Returns the number of named fields.
    fn property_count(self) -> usize {
        self.node.get("properties").map_or(0, |properties| properties.members().len())
    }

    fn property(self, name: &str) -> Option<Schema<'n>> {
        self.node.get("properties")?.get(name).map(|node| self.with_node(node))
    }

    fn items_schema(self) -> Option<Schema<'n>> {
        self.node.get("items").map(|node| self.with_node(node))
    }

    /// Returns the schema of fields that are not named.
    fn additional_properties(self) -> Option<SchemaStep<'n>> {
        let node = self.node.get("additionalProperties")?;
        match node.value {
            Value::Map(_) => Some(SchemaStep::Part(self.with_node(node))),
            Value::Bool(true) => Some(SchemaStep::Anything),
            _ => None,
        }
    }

    /// Returns true if unknown fields are kept.
    fn keeps_all_fields(self) -> bool {
        self.keeps_unknown_fields || self.has_flag("x-kubernetes-preserve-unknown-fields")
    }

    /// Steps into a field.
    pub fn step_into_field(self, name: &str, budget: &Budget) -> SchemaStep<'n> {
        // Wide objects cost steps. If the budget is exhausted, any value is allowed.
        if !budget.spend(self.property_count() / 8) {
            return SchemaStep::Anything;
        }
        let of_object = ["apiVersion", "kind", "metadata"];
        if self.has_flag("x-kubernetes-embedded-resource") && of_object.contains(&name) {
            return SchemaStep::Anything;
        }
        if let Some(schema) = self.property(name) {
            return SchemaStep::Part(schema);
        }
        let unnamed = if self.keeps_all_fields() { SchemaStep::Anything } else { SchemaStep::Missing };
        self.additional_properties().unwrap_or(unnamed)
    }

    /// Returns the most similar field name for an unknown one.
    pub fn suggest_field(self, name: &str, budget: &Budget) -> Option<&'n str> {
        budget.suggest_name(name, self.property_count(), self.properties().map(|(name, _)| name))
    }

    /// Steps into an element of a list, or a field represented by `*`.
    pub fn step_into_element(self) -> SchemaStep<'n> {
        match self.items_schema() {
            Some(schema) => SchemaStep::Part(schema),
            None if self.keeps_all_fields() || self.type_name().is_empty() => SchemaStep::Anything,
            None => self.additional_properties().unwrap_or(SchemaStep::Missing),
        }
    }
}

/// Steps for all examples of a bundle. A step is one value, eight names, or 64 bytes; the largest real bundles
/// need some thousands.
const MAX_STEPS: usize = 4_000_000;

/// Maximum number of suggestions for unknown names.
const MAX_SUGGESTIONS: usize = 50;

/// Maximum number of candidates for a suggestion.
const MAX_NAMES: usize = 500;

/// Maximum length in bytes of an unknown name with a suggestion.
const MAX_NAME_LEN: usize = 200;

/// Size limits of compiled patterns in bytes; larger patterns are not checked. Smaller automata cost less per
/// byte of text.
const PATTERN_SIZES: [usize; 3] = [1 << 12, 1 << 14, 1 << 16];

/// Remaining work.
pub struct Budget {
    steps: Cell<usize>,
    suggestions: Cell<usize>,
    /// Compiled patterns by text: for ASCII texts, and for all others.
    patterns: [RefCell<HashMap<String, Pattern>>; 2],
}

/// A compiled pattern with its size; `None` if it is invalid or too large.
type Pattern = Option<(Regex, usize)>;

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            suggestions: Cell::new(MAX_SUGGESTIONS),
            patterns: Default::default(),
        }
    }
}

impl Budget {
    /// Consumes steps, at least one; returns true if they were available.
    fn spend(&self, steps: usize) -> bool {
        let left = self.steps.get().saturating_sub(steps.max(1));
        self.steps.set(left);
        left > 0
    }

    /// Makes all steps available again, for another object. Compiled patterns stay.
    pub(crate) fn refill(&self) {
        self.steps.set(MAX_STEPS);
    }

    /// Returns true if the budget is exhausted, so that later results may be incomplete.
    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// Returns the most similar of `count` names, if any is similar enough.
    fn suggest_name<'n>(
        &self,
        name: &str,
        count: usize,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let left = self.suggestions.get().checked_sub(1)?;
        if count > MAX_NAMES || name.len() > MAX_NAME_LEN {
            return None;
        }
        self.suggestions.set(left);
        similar_names::suggest_closest(name, names.filter(|name| name.len() <= MAX_NAME_LEN))
    }

    /// Returns true if a text matches a pattern, or if that cannot be checked.
    fn matches_pattern(&self, pattern: &str, text: &str) -> bool {
        if !self.spend(pattern.len() / 64) {
            return true;
        }
        let [ascii, any] = &self.patterns;
        let mut patterns = if text.is_ascii() { ascii } else { any }.borrow_mut();
        if !patterns.contains_key(pattern) {
            // In Go, `\d`, `\w` and `\s` match only ASCII.
            let in_ascii = if text.is_ascii() { self.compile_pattern(pattern, false) } else { None };
            patterns.insert(pattern.to_owned(), in_ascii.or_else(|| self.compile_pattern(pattern, true)));
        }
        let Some(Some((regex, size))) = patterns.get(pattern) else { return true };
        // In the worst case, each byte of the text visits the whole automaton.
        !self.spend(text.len().saturating_mul(size >> 12)) || regex.is_match(text.as_bytes())
    }

    fn compile_pattern(&self, pattern: &str, is_unicode: bool) -> Pattern {
        PATTERN_SIZES.into_iter().find_map(|size| {
            if !self.spend(pattern.len() + size / 4) {
                return None;
            }
            let regex = RegexBuilder::new(pattern).unicode(is_unicode).size_limit(size).build().ok()?;
            Some((regex, size))
        })
    }
}

/// Returns the prepared object. Reports fields that are dropped because they are unknown.
fn prepare_object<'v>(
    of: VersionSchema<'v>,
    object: &'v Node<'v>,
    budget: &Budget,
    faults: &mut SchemaErrors,
) -> Node<'v> {
    let mut preparing =
        Preparer { faults, budget, field: String::new(), depth: 0, drops_status: of.drops_status };
    preparing.prepare_value(Some(of.schema), object, None)
}

struct Preparer<'s> {
    faults: &'s mut SchemaErrors,
    budget: &'s Budget,
    field: String,
    depth: usize,
    /// True if the status of the object is dropped.
    drops_status: bool,
}

impl Preparer<'_> {
    /// Prepares a value under its schema; without a schema, any value is allowed. A default has the span of the
    /// missing value.
    fn prepare_value<'v>(
        &mut self,
        schema: Option<Schema<'v>>,
        value: &'v Node<'v>,
        place: Option<Span>,
    ) -> Node<'v> {
        let span = place.unwrap_or(value.span);
        if self.depth >= MAX_DEPTH || !self.budget.spend(1) {
            return Node::new(Value::Null, span);
        }
        // A value of a wrong type is reported only once.
        let schema = schema.filter(|schema| type_error(*schema, value, validator::format_value).is_none());
        let made = match &value.value {
            Value::Map(members) => Value::Map(self.prepare_members(schema, members, span, place)),
            Value::List(list) => {
                Value::List(self.prepare_list(schema.and_then(Schema::items_schema), list, place))
            }
            Value::String(text) => Value::String(text.as_ref().into()),
            scalar => scalar.clone(),
        };
        Node::new(made, span)
    }

    fn prepare_list<'v>(
        &mut self,
        of_item: Option<Schema<'v>>,
        list: &'v [Node<'v>],
        place: Option<Span>,
    ) -> Vec<Node<'v>> {
        let mut made = Vec::with_capacity(list.len());
        for (at, item) in list.iter().enumerate() {
            let default = of_item
                .filter(|schema| item.is_null() && !schema.has_flag("nullable"))
                .and_then(Schema::default_value);
            made.push(self.with_path(&format!("[{at}]"), |preparing| match default {
                Some(default) => preparing.prepare_value(of_item, default, Some(place.unwrap_or(item.span))),
                None => preparing.prepare_value(of_item, item, place),
            }));
        }
        made
    }

    fn prepare_members<'v>(
        &mut self,
        schema: Option<Schema<'v>>,
        members: &'v [Member<'v>],
        span: Span,
        place: Option<Span>,
    ) -> Vec<Member<'v>> {
        let mut seen = HashSet::with_capacity(members.len());
        let mut made: Vec<Member<'v>> = Vec::with_capacity(members.len());
        // The last of duplicate keys counts.
        for member in members.iter().rev().filter(|member| seen.insert(member.key.as_ref())) {
            let value =
                self.with_path(&member.key, |preparing| preparing.prepare_member(schema, member, place));
            if let Some(value) = value {
                let (key, key_span) = (member.key.as_ref().into(), place.unwrap_or(member.key_span));
                made.push(Member { key, key_span, value });
            }
        }
        made.reverse();
        let Some(schema) = schema else { return made };
        if !self.budget.spend(schema.property_count() / 8) {
            return made;
        }
        let known: HashSet<String> = made.iter().map(|member| member.key.clone().into_owned()).collect();
        for (name, property) in schema.properties() {
            let Some(default) = property.default_value().filter(|_| !known.contains(name)) else { continue };
            let value = self
                .with_path(name, |preparing| preparing.prepare_value(Some(property), default, Some(span)));
            made.push(Member { key: name.into(), key_span: span, value });
        }
        made
    }

    /// Prepares the value of a field; `None` if it is dropped.
    fn prepare_member<'v>(
        &mut self,
        schema: Option<Schema<'v>>,
        member: &'v Member<'v>,
        place: Option<Span>,
    ) -> Option<Node<'v>> {
        let key = member.key.as_ref();
        let is_of_object = self.depth == 1;
        if is_of_object && matches!(key, "apiVersion" | "kind" | "metadata") {
            return Some(self.prepare_value(None, &member.value, place));
        }
        if is_of_object && key == "status" && self.drops_status {
            return None;
        }
        let step = schema.map_or(SchemaStep::Anything, |schema| schema.step_into_field(key, self.budget));
        match step {
            SchemaStep::Part(part) if member.value.is_null() && !part.has_flag("nullable") => match part
                .default_value()
            {
                Some(default) => {
                    Some(self.prepare_value(Some(part), default, Some(place.unwrap_or(member.value.span))))
                }
                // Nulls are kept if the CRD keeps all fields.
                None => {
                    part.keeps_unknown_fields.then(|| self.prepare_value(Some(part), &member.value, place))
                }
            },
            SchemaStep::Part(part) => Some(self.prepare_value(Some(part), &member.value, place)),
            SchemaStep::Anything => Some(self.prepare_value(None, &member.value, place)),
            SchemaStep::Missing => {
                if place.is_none() {
                    let meant = schema.and_then(|schema| schema.suggest_field(key, self.budget));
                    let hint = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
                    let message = format!("is not in the schema and is dropped{hint}");
                    self.faults.add_error(&self.field, message, member.key_span);
                }
                None
            }
        }
    }

    /// Runs `look` for a named part of the value.
    fn with_path<T>(&mut self, part: &str, look: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.field.len();
        if length > 0 && !part.starts_with('[') {
            self.field.push('.');
        }
        self.field.push_str(part);
        self.depth += 1;
        let made = look(self);
        self.depth -= 1;
        self.field.truncate(length);
        made
    }
}
