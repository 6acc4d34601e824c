//! The schema of a CRD's version, as Kubernetes reads it: a structural schema, in which what no `properties` names is
//! dropped.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apiserver` (`customresource_handler.go`, `schema/pruning`,
//! `schema/defaulting`, `schema/listtype`), `pkg/registry/customresource/strategy.go`, and `kube-openapi/pkg/validation`. It is no
//! dialect of JSON Schema that a library knows: `nullable`, `x-kubernetes-int-or-string`, defaults before anything is asked
//! for. As there, an object is first made what it would be stored as ([`prepare`]), and that is judged ([`judge`]).

mod budget;
mod facets;
mod formats;
mod judge;
mod prepare;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(crate) use budget::Budget;

use crate::{
    bundle::read::{at, items, text, truth},
    catalog::{Node, Span, Value},
};

/// How deep an object is looked into; deeper ones than any API server takes are left alone.
const DEEPEST: usize = 64;
/// How many faults of one object are told.
const MOST_FAULTS: usize = 100;
/// Length of a field's path in bytes beyond which no default is looked for.
const MAX_FIELD: usize = 2000;
/// The longest name of a field in a message, in characters.
const LONGEST_FIELD: usize = 200;

/// A part of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'n> {
    node: &'n Node<'n>,
    /// The CRD keeps fields that no schema names: `preserveUnknownFields`.
    keeps: bool,
}

/// The schema of a version of a CRD.
#[derive(Clone, Copy)]
pub(crate) struct OfVersion<'n> {
    /// What its objects are.
    pub schema: Schema<'n>,
    /// The version has a status subresource: whatever status an object is made with is dropped.
    drops_status: bool,
}

/// What is wrong with a value.
pub(crate) struct Fault {
    /// The field: `spec.shelves[0].width`; the end of it where it is long.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// Where it is in the text that was read.
    pub span: Span,
}

/// What is wrong with an object.
#[derive(Default)]
pub(crate) struct Faults {
    /// The first of them.
    pub list: Vec<Fault>,
    /// How many more there are.
    pub more: usize,
}

impl Faults {
    fn add(&mut self, field: &str, message: impl Into<String>, span: Span) {
        if self.list.len() < MOST_FAULTS {
            self.list.push(Fault { field: end_of(field), message: message.into(), span });
        } else {
            self.more += 1;
        }
    }
}

/// The end of a long name.
fn end_of(field: &str) -> String {
    match field.char_indices().rev().nth(LONGEST_FIELD) {
        Some((at, c)) => format!("\u{2026}{}", field.get(at + c.len_utf8()..).unwrap_or_default()),
        None => field.to_owned(),
    }
}

/// Where a way through a schema ends.
pub(crate) enum Step<'n> {
    /// At a part of the schema.
    At(Schema<'n>),
    /// Where anything may be.
    Anything,
    /// There is no such field.
    Nowhere,
}

/// The schema of a version of a CRD; nothing where it has none.
pub(crate) fn of_version<'n>(crd: &'n Node<'n>, version: &str) -> Option<OfVersion<'n>> {
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
    let own_status = of.and_then(|version| at(version, &["subresources", "status"]));
    let status = own_status.or_else(|| at(crd, &["spec", "subresources", "status"]));
    let drops_status = status.is_some_and(|status| !status.is_null());
    Some(OfVersion { schema: Schema { node, keeps }, drops_status })
}

impl OfVersion<'_> {
    /// What the API server says of a new object, and which fields it drops.
    pub(crate) fn judge(self, object: &Node<'_>, budget: &Budget) -> Faults {
        let mut faults = Faults::default();
        let prepared = prepare::object(self, object, budget, &mut faults);
        // What was not prepared to its end is not what would be stored.
        if !budget.is_spent() {
            judge::object(self, &prepared, budget, &mut faults);
        }
        faults
    }

    /// What is wrong with an object that is stored, by the schema alone: what OLM Classic looks at before it changes a CRD.
    pub(crate) fn judge_stored(self, object: &Node<'_>, budget: &Budget) -> Faults {
        let mut faults = Faults::default();
        let whole = Self { drops_status: false, ..self };
        judge::object(whole, object, budget, &mut faults);
        faults
    }

    /// Returns the defaults of the schema that the schema itself refuses, for which the API server refuses the CRD.
    pub(crate) fn judge_defaults(self, budget: &Budget) -> Faults {
        let mut faults = Faults::default();
        let mut left = vec![(self.schema, String::new())];
        while let Some((schema, field)) = left.pop() {
            if field.len() > MAX_FIELD || !budget.spend(1) {
                continue;
            }
            if let Some(default) = schema.default() {
                judge::default(schema, default, &field, budget, &mut faults);
            }
            let named = schema.properties().map(|(name, part)| {
                let field = if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
                (part, field)
            });
            left.extend(named);
            left.extend(schema.items().map(|part| (part, format!("{field}[]"))));
            if let Some(Step::At(part)) = schema.additional() {
                left.push((part, format!("{field}.*")));
            }
        }
        faults
    }
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

    /// What it is where nothing is given.
    fn default(self) -> Option<&'n Node<'n>> {
        self.node.get("default").filter(|default| !default.is_null())
    }

    fn properties(self) -> impl Iterator<Item = (&'n str, Schema<'n>)> {
        let members = self.node.get("properties").map(Node::members).unwrap_or_default();
        members.iter().map(move |member| (member.key.as_ref(), self.part(&member.value)))
    }

    /// How many fields it names.
    fn width(self) -> usize {
        self.node.get("properties").map_or(0, |properties| properties.members().len())
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
    pub(crate) fn field(self, name: &str, budget: &Budget) -> Step<'n> {
        // A wide object takes its time, but none where fields are too many to be looked at.
        if !budget.spend(self.width() / 8) {
            return Step::Anything;
        }
        let of_object = ["apiVersion", "kind", "metadata"];
        if self.is("x-kubernetes-embedded-resource") && of_object.contains(&name) {
            return Step::Anything;
        }
        if let Some(schema) = self.property(name) {
            return Step::At(schema);
        }
        let unnamed = if self.keeps_all() { Step::Anything } else { Step::Nowhere };
        self.additional().unwrap_or(unnamed)
    }

    /// The field that was probably meant by a name that is none.
    pub(crate) fn meant(self, name: &str, budget: &Budget) -> Option<&'n str> {
        budget.suggest(name, self.width(), self.properties().map(|(name, _)| name))
    }

    /// Into an element of a list, or a field that a `*` stands for.
    pub(crate) fn element(self) -> Step<'n> {
        match self.items() {
            Some(schema) => Step::At(schema),
            None if self.keeps_all() || self.kind().is_empty() => Step::Anything,
            None => self.additional().unwrap_or(Step::Nowhere),
        }
    }
}
