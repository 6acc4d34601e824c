//! The schema of a CRD's version, as Kubernetes reads it: a structural schema, in which what no `properties` names is
//! dropped.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apiserver/schema` (pruning, defaulting) and `kube-openapi/pkg/validation`.
//! It is no dialect of JSON Schema that a library knows: `nullable`, `x-kubernetes-int-or-string`, defaults before `required`.

// Addresses as texts: nothing of a network.
use core::net::{Ipv4Addr, Ipv6Addr};
use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::HashMap,
};

use regex::{Regex, RegexBuilder};

use crate::{
    bundle::read::{at, items, text, truth},
    catalog::{Node, Number, Span, Value, near},
};

/// How deep an object is looked into; deeper ones than any API server takes are left alone.
const DEEPEST: usize = 64;
/// How many values an object may have before the rest is left alone: more than any API server takes.
const MOST_STEPS: usize = 1_000_000;
/// Among more names than this nobody looks for the one that was meant.
const MOST_NAMES: usize = 500;
/// The longest pattern that is looked at, in bytes of the automaton made of it.
const PATTERN_SIZE: usize = 1 << 20;

/// How an object is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// As one that somebody applies: defaults are set, and fields that no schema names are dropped, which is told.
    Applied,
    /// As one that is stored, by the schema alone: what OLM Classic does before it changes a CRD.
    Stored,
}

/// A part of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'n> {
    node: &'n Node<'n>,
    /// The CRD keeps fields that no schema names: `preserveUnknownFields`.
    keeps: bool,
}

/// What is wrong with a value.
pub(crate) struct Fault {
    /// The field: `spec.shelves[0].width`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// Where it is in the text that was read.
    pub span: Span,
}

/// Where a way through a schema ends.
pub(crate) enum Step<'n> {
    /// At a part of the schema.
    At(Schema<'n>),
    /// Where anything may be.
    Anything,
    /// There is no such field; the one that was probably meant.
    Nowhere(Option<&'n str>),
}

/// The schema of a version of a CRD; nothing where it has none.
pub(crate) fn of_version<'n>(crd: &'n Node<'n>, version: &str) -> Option<Schema<'n>> {
    let versions = items(crd, &["spec", "versions"]).iter();
    let of = versions.into_iter().find(|item| text(item, &["name"]) == version);
    let own = of.and_then(|version| at(version, &["schema", "openAPIV3Schema"]));
    let node = own.or_else(|| at(crd, &["spec", "validation", "openAPIV3Schema"]))?;
    let is_old = text(crd, &["apiVersion"]).ends_with("/v1beta1");
    let keeps = match at(crd, &["spec", "preserveUnknownFields"]).map(|node| &node.value) {
        Some(Value::Bool(keeps)) => *keeps,
        // Where nothing is said, only the old API does.
        _ => is_old,
    };
    Some(Schema { node, keeps })
}

impl<'n> Schema<'n> {
    /// A part of it.
    fn part(self, node: &'n Node<'n>) -> Self {
        Self { node, keeps: self.keeps }
    }

    fn is(self, key: &str) -> bool {
        truth(self.node, &[key])
    }

    fn kind(self) -> Cow<'n, str> {
        text(self.node, &["type"])
    }

    fn properties(self) -> impl Iterator<Item = (&'n str, Schema<'n>)> {
        let members = self.node.get("properties").map(Node::members).unwrap_or_default();
        members.iter().map(move |member| (member.key.as_ref(), self.part(&member.value)))
    }

    fn property(self, name: &str) -> Option<Schema<'n>> {
        self.node.get("properties")?.get(name).map(|node| self.part(node))
    }

    fn items(self) -> Option<Schema<'n>> {
        self.node.get("items").map(|node| self.part(node))
    }

    /// What all fields without a name of their own are.
    fn additional(self) -> Option<Step<'n>> {
        let node = self.node.get("additionalProperties")?;
        match node.value {
            Value::Map(_) => Some(Step::At(self.part(node))),
            Value::Bool(true) => Some(Step::Anything),
            _ => None,
        }
    }

    /// Whether fields that nobody names stay.
    fn keeps_all(self) -> bool {
        self.keeps || self.is("x-kubernetes-preserve-unknown-fields")
    }

    /// Into a field.
    pub(crate) fn field(self, name: &str) -> Step<'n> {
        if let Some(schema) = self.property(name) {
            return Step::At(schema);
        }
        let of_object = ["apiVersion", "kind", "metadata"];
        if self.keeps_all() || self.is("x-kubernetes-embedded-resource") && of_object.contains(&name) {
            return Step::Anything;
        }
        self.additional().unwrap_or_else(|| {
            let names = || self.properties().map(|(name, _)| name);
            let is_few = names().nth(MOST_NAMES).is_none();
            Step::Nowhere(if is_few { near::meant(name, names()) } else { None })
        })
    }

    /// Into an element of a list, or a field that a `*` stands for.
    pub(crate) fn element(self) -> Step<'n> {
        match self.items() {
            Some(schema) => Step::At(schema),
            None if self.keeps_all() || self.kind().is_empty() => Step::Anything,
            None => self.additional().unwrap_or(Step::Nowhere(None)),
        }
    }

    /// What is wrong with an object.
    pub(crate) fn judge(self, object: &Node, manner: Manner) -> Vec<Fault> {
        let shared = Shared { manner, steps: Cell::default(), patterns: RefCell::default() };
        let mut judge = Judge { faults: Vec::new(), depth: 0, field: String::new(), shared: &shared };
        for member in object.members() {
            // It judges these by itself.
            if !matches!(member.key.as_ref(), "apiVersion" | "kind" | "metadata") {
                judge.member(self, &member.key, member.key_span, &member.value);
            }
        }
        judge.required(self, object);
        judge.faults
    }
}

/// What all that look at an object share.
struct Shared {
    manner: Manner,
    steps: Cell<usize>,
    /// The patterns by their texts; none where a text is no pattern.
    patterns: RefCell<HashMap<String, Option<Regex>>>,
}

impl Shared {
    /// Whether a text matches a pattern; where the pattern is none, nobody can tell.
    fn fits(&self, pattern: &str, text: &str) -> bool {
        let mut patterns = self.patterns.borrow_mut();
        if !patterns.contains_key(pattern) {
            let regex = RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build().ok();
            patterns.insert(pattern.to_owned(), regex);
        }
        patterns.get(pattern).and_then(Option::as_ref).is_none_or(|regex| regex.is_match(text))
    }

    /// Whether there is another step to take.
    fn step(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.steps.get() <= MOST_STEPS
    }
}

struct Judge<'s> {
    faults: Vec<Fault>,
    depth: usize,
    field: String,
    shared: &'s Shared,
}

impl Judge<'_> {
    fn fault(&mut self, message: impl Into<String>, span: Span) {
        self.faults.push(Fault { field: self.field.clone(), message: message.into(), span });
    }

    /// Looks at a part of the value, called so.
    fn within(&mut self, part: &str, look: impl FnOnce(&mut Self)) {
        let length = self.field.len();
        if length > 0 && !part.starts_with('[') {
            self.field.push('.');
        }
        self.field.push_str(part);
        self.depth += 1;
        if self.depth < DEEPEST && self.shared.step() {
            look(self);
        }
        self.depth -= 1;
        self.field.truncate(length);
    }

    fn member(&mut self, schema: Schema<'_>, key: &str, key_span: Span, value: &Node) {
        self.within(key, |judge| match schema.field(key) {
            Step::At(schema) => judge.value(schema, value),
            Step::Anything => {}
            // Fields without a schema are no mistake in what is stored, unless they are forbidden.
            Step::Nowhere(_) if judge.shared.manner == Manner::Stored => {
                if schema.node.get("additionalProperties").is_some() {
                    judge.fault("is not allowed", key_span);
                }
            }
            Step::Nowhere(Some(meant)) => {
                judge.fault(format!("is not in the schema and is dropped; did you mean {meant}?"), key_span);
            }
            Step::Nowhere(None) => judge.fault("is not in the schema and is dropped", key_span),
        });
    }

    /// Whether a default takes the place of what is missing: where they are set, that is done before anything is asked for.
    fn defaults(&self, schema: Schema<'_>) -> bool {
        self.shared.manner == Manner::Applied && schema.node.get("default").is_some()
    }

    fn required(&mut self, schema: Schema<'_>, value: &Node) {
        for name in items(schema.node, &["required"]).iter().filter_map(Node::as_str) {
            let has_default = schema.property(name).is_some_and(|property| self.defaults(property));
            if value.get(name).is_none() && !has_default {
                self.within(name, |judge| judge.fault("is required", value.span));
            }
        }
    }

    fn value(&mut self, schema: Schema<'_>, value: &Node) {
        if value.is_null() {
            // A null that may not be is dropped where there is a default.
            if !schema.is("nullable") && !self.defaults(schema) && !schema.kind().is_empty() {
                self.fault("must not be null", value.span);
            }
            return;
        }
        if let Some(message) = wrong_type(schema, value) {
            return self.fault(message, value.span);
        }
        self.shape(schema, value);
        self.choices(schema, value);
        match &value.value {
            Value::Map(members) => {
                for member in members {
                    self.member(schema, &member.key, member.key_span, &member.value);
                }
                self.required(schema, value);
            }
            Value::List(list) => {
                let Some(of_item) = schema.items() else { return };
                for (at, item) in list.iter().enumerate() {
                    self.within(&format!("[{at}]"), |judge| judge.value(of_item, item));
                }
            }
            _ => {}
        }
    }

    /// What a value must be besides its type.
    fn shape(&mut self, schema: Schema<'_>, value: &Node) {
        if let Some(allowed) = schema.node.get("enum").map(Node::items).filter(|list| !list.is_empty())
            && !allowed.iter().any(|item| item.same_meaning(value))
        {
            let names: Vec<String> = allowed.iter().take(8).map(shown).collect();
            let more = if allowed.len() > names.len() { ", \u{2026}" } else { "" };
            self.fault(format!("is {}, not one of {}{more}", shown(value), names.join(", ")), value.span);
        }
        let limit = |key: &str| number(schema.node.get(key)?);
        let mut size = |size: usize, least: &str, most: &str, what: &str| {
            let length = size as f64;
            if let Some(least) = limit(least).filter(|least| length < *least) {
                self.fault(format!("has {size} {what}, at least {least} are needed"), value.span);
            } else if let Some(most) = limit(most).filter(|most| length > *most) {
                self.fault(format!("has {size} {what}, at most {most} are allowed"), value.span);
            }
        };
        match &value.value {
            Value::String(text) => {
                size(text.chars().count(), "minLength", "maxLength", "characters");
                if let Some(pattern) = schema.node.get("pattern").and_then(Node::as_str)
                    && !self.shared.fits(pattern, text)
                {
                    self.fault(format!("is {}, which does not match {pattern}", shown(value)), value.span);
                }
                if let Some(format) = schema.node.get("format").and_then(Node::as_str)
                    && self.shared.manner == Manner::Stored
                    && !has_format(format, text)
                {
                    self.fault(format!("is {}, which is no {format}", shown(value)), value.span);
                }
            }
            Value::List(list) => size(list.len(), "minItems", "maxItems", "items"),
            Value::Map(members) => size(members.len(), "minProperties", "maxProperties", "fields"),
            Value::Number(_) => {
                let Some(given) = number(value) else { return };
                let (low, high) = (schema.is("exclusiveMinimum"), schema.is("exclusiveMaximum"));
                if let Some(least) =
                    limit("minimum").filter(|least| if low { given <= *least } else { given < *least })
                {
                    self.fault(format!("is {given}, the minimum is {least}"), value.span);
                } else if let Some(most) =
                    limit("maximum").filter(|most| if high { given >= *most } else { given > *most })
                {
                    self.fault(format!("is {given}, the maximum is {most}"), value.span);
                }
            }
            Value::Bool(_) | Value::Null => {}
        }
    }

    /// `allOf`, `anyOf`, `oneOf`, `not`: they say more of values whose fields the schema itself names.
    fn choices(&mut self, schema: Schema<'_>, value: &Node) {
        let depth = self.depth + 1;
        if depth >= DEEPEST || !self.shared.step() {
            return;
        }
        let faults = |part: &Node| {
            let mut judge =
                Judge { faults: Vec::new(), depth, field: self.field.clone(), shared: self.shared };
            judge.condition(Schema { node: part, keeps: schema.keeps }, value);
            judge.faults
        };
        let list = |key: &str| schema.node.get(key).map(Node::items).unwrap_or_default();
        let mut found: Vec<Fault> = list("allOf").iter().flat_map(faults).collect();
        let fitting = |key: &str| list(key).iter().filter(|part| faults(part).is_empty()).count();
        let mut fault = |message: &str| {
            found.push(Fault { field: self.field.clone(), message: message.to_owned(), span: value.span });
        };
        if !list("anyOf").is_empty() && fitting("anyOf") == 0 {
            fault("fits none of what anyOf allows");
        }
        if !list("oneOf").is_empty() && fitting("oneOf") != 1 {
            fault("must fit exactly one of what oneOf allows");
        }
        if schema.node.get("not").is_some_and(|part| faults(part).is_empty()) {
            fault("fits what `not` forbids");
        }
        self.faults.extend(found);
    }

    /// A value judged by a condition, which drops nothing: fields that it does not name are another's.
    fn condition(&mut self, schema: Schema<'_>, value: &Node) {
        if let Some(message) = wrong_type(schema, value) {
            return self.fault(message, value.span);
        }
        self.shape(schema, value);
        self.choices(schema, value);
        self.required(schema, value);
        for (name, schema) in schema.properties() {
            if let Some(value) = value.get(name) {
                self.within(name, |judge| judge.condition(schema, value));
            }
        }
        if let Some(of_item) = schema.items() {
            for (at, item) in value.items().iter().enumerate() {
                self.within(&format!("[{at}]"), |judge| judge.condition(of_item, item));
            }
        }
    }
}

/// What is wrong with the type of a value.
fn wrong_type(schema: Schema<'_>, value: &Node) -> Option<String> {
    let is = match &value.value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(Number(text)) if is_whole(text) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    };
    if schema.is("x-kubernetes-int-or-string") {
        let fits = matches!(is, "integer" | "string");
        return (!fits).then(|| format!("is {}, not an integer or a string", shown(value)));
    }
    let wanted = schema.kind();
    let fits = wanted.is_empty() || wanted == is || wanted == "number" && is == "integer";
    (!fits).then(|| format!("is {}, not of the type {wanted}", shown(value)))
}

/// Whether a text has a format, of those that can be told without doubt; Kubernetes knows a few more.
fn has_format(format: &str, text: &str) -> bool {
    let digits = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    match format {
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "date" => {
            let parts: Vec<&str> = text.split('-').collect();
            matches!(parts.as_slice(), [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
        }
        "uuid" => {
            let hex = text.bytes().filter(u8::is_ascii_hexdigit).count();
            hex == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        }
        _ => true,
    }
}

fn is_whole(text: &str) -> bool {
    text.parse::<i64>().is_ok() || text.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
}

fn number(node: &Node) -> Option<f64> {
    match &node.value {
        Value::Number(Number(text)) => text.parse().ok(),
        _ => None,
    }
}

/// A value in a message.
fn shown(value: &Node) -> String {
    const LONGEST: usize = 40;
    match &value.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(Number(text)) => text.clone().into_owned(),
        Value::String(text) => match text.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("`{}\u{2026}`", text.get(..at).unwrap_or_default()),
            None => format!("`{text}`"),
        },
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
    }
}
