//! Validation by the schema of a CRD's version, as in Kubernetes: a structural schema, in which unknown fields
//! are dropped.
//!
//! Source: `k8s.io/apiextensions-apiserver`, `pkg/apiserver` (`customresource_handler.go`, `schema/pruning`,
//! `schema/defaulting`, `schema/listtype`), `pkg/registry/customresource/strategy.go`, and
//! `kube-openapi/pkg/validation`. Libraries for JSON Schema do not support this dialect: `nullable`,
//! `x-kubernetes-int-or-string`, defaults before validation. As in Kubernetes, an object is first converted to
//! its stored form ([`prepare`]), which is then validated ([`validator`]).

mod budget;
mod facets;
mod formats;
mod prepare;
#[cfg(test)]
mod tests;
mod validator;

use std::borrow::Cow;

pub(crate) use budget::Budget;

use crate::{
    bundle::read::{at, items, text, truth},
    catalog::{Node, Span, Value},
};

/// Maximum depth of checked objects, deeper than those that an API server accepts.
const MAX_DEPTH: usize = 64;
/// Maximum number of listed errors per object.
const MAX_FAULTS: usize = 100;
/// Maximum length in bytes of the path of a field whose default is checked.
const MAX_FIELD: usize = 2000;
/// Maximum length of a field name in a message, in characters.
const MAX_FIELD_LEN: usize = 200;

/// A part of a schema.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'n> {
    node: &'n Node<'n>,
    /// True if the CRD keeps unknown fields: `preserveUnknownFields`.
    keeps: bool,
}

/// Schema of a version of a CRD.
#[derive(Clone, Copy)]
pub(crate) struct OfVersion<'n> {
    /// Root schema of the objects.
    pub schema: Schema<'n>,
    /// True if the version has a status subresource, so that the status of a new object is dropped.
    drops_status: bool,
}

/// Error of a value.
pub(crate) struct Fault {
    /// Path of the field, such as `spec.shelves[0].width`; only its end if it is long.
    pub field: String,
    /// Message.
    pub message: String,
    /// Span in the source text.
    pub span: Span,
}

/// Errors of an object.
#[derive(Default)]
pub(crate) struct Faults {
    /// First errors.
    pub list: Vec<Fault>,
    /// Number of further errors.
    pub more: usize,
}

impl Faults {
    fn add(&mut self, field: &str, message: impl Into<String>, span: Span) {
        if self.list.len() < MAX_FAULTS {
            self.list.push(Fault { field: end_of(field), message: message.into(), span });
        } else {
            self.more += 1;
        }
    }
}

/// Returns the end of a long name.
fn end_of(field: &str) -> String {
    match field.char_indices().rev().nth(MAX_FIELD_LEN) {
        Some((at, c)) => format!("\u{2026}{}", field.get(at + c.len_utf8()..).unwrap_or_default()),
        None => field.to_owned(),
    }
}

/// Result of a step into a schema.
pub(crate) enum Step<'n> {
    /// A part of the schema.
    At(Schema<'n>),
    /// Any value is allowed.
    Anything,
    /// The field does not exist.
    Nowhere,
}

/// Returns the schema of a version of a CRD; `None` if it does not have one.
pub(crate) fn of_version<'n>(crd: &'n Node<'n>, version: &str) -> Option<OfVersion<'n>> {
    let versions = items(crd, &["spec", "versions"]).iter();
    let of = versions.into_iter().find(|item| text(item, &["name"]) == version);
    let own = of.and_then(|version| at(version, &["schema", "openAPIV3Schema"]));
    let node = own.or_else(|| at(crd, &["spec", "validation", "openAPIV3Schema"]))?;
    let is_old = text(crd, &["apiVersion"]).ends_with("/v1beta1");
    let keeps = match at(crd, &["spec", "preserveUnknownFields"]).map(|node| &node.value) {
        Some(Value::Bool(keeps)) => *keeps,
        // By default only the old API keeps unknown fields.
        _ => is_old,
    };
    let own_status = of.and_then(|version| at(version, &["subresources", "status"]));
    let status = own_status.or_else(|| at(crd, &["spec", "subresources", "status"]));
    let drops_status = status.is_some_and(|status| !status.is_null());
    Some(OfVersion { schema: Schema { node, keeps }, drops_status })
}

impl OfVersion<'_> {
    /// Returns the errors that the API server reports for a new object, including dropped fields.
    pub(crate) fn judge(self, object: &Node<'_>, budget: &Budget) -> Faults {
        let mut faults = Faults::default();
        let prepared = prepare::object(self, object, budget, &mut faults);
        // A partially prepared object differs from the stored one.
        if !budget.is_spent() {
            validator::object(self, &prepared, budget, &mut faults);
        }
        faults
    }

    /// Returns the errors of a stored object by the schema alone, as OLM Classic checks them before it changes
    /// a CRD.
    pub(crate) fn judge_stored(self, object: &Node<'_>, budget: &Budget) -> Faults {
        let mut faults = Faults::default();
        let whole = Self { drops_status: false, ..self };
        validator::object(whole, object, budget, &mut faults);
        faults
    }

    /// Returns the errors of the schema's defaults, for which the API server rejects the CRD.
    pub(crate) fn judge_defaults(self, budget: &Budget) -> Faults {
        let mut faults = Faults::default();
        let mut left = vec![(self.schema, String::new())];
        while let Some((schema, field)) = left.pop() {
            if field.len() > MAX_FIELD || !budget.spend(1) {
                continue;
            }
            if let Some(default) = schema.default() {
                validator::default(schema, default, &field, budget, &mut faults);
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
    /// Creates a schema for a part of it.
    fn part(self, node: &'n Node<'n>) -> Self {
        Self { node, keeps: self.keeps }
    }

    fn is(self, key: &str) -> bool {
        truth(self.node, &[key])
    }

    fn kind(self) -> Cow<'n, str> {
        text(self.node, &["type"])
    }

    /// Returns the default value.
    fn default(self) -> Option<&'n Node<'n>> {
        self.node.get("default").filter(|default| !default.is_null())
    }

    fn properties(self) -> impl Iterator<Item = (&'n str, Schema<'n>)> {
        let members = self.node.get("properties").map(Node::members).unwrap_or_default();
        members.iter().map(move |member| (member.key.as_ref(), self.part(&member.value)))
    }

    /// Returns the number of named fields.
    fn width(self) -> usize {
        self.node.get("properties").map_or(0, |properties| properties.members().len())
    }

    fn property(self, name: &str) -> Option<Schema<'n>> {
        self.node.get("properties")?.get(name).map(|node| self.part(node))
    }

    fn items(self) -> Option<Schema<'n>> {
        self.node.get("items").map(|node| self.part(node))
    }

    /// Returns the schema of fields that are not named.
    fn additional(self) -> Option<Step<'n>> {
        let node = self.node.get("additionalProperties")?;
        match node.value {
            Value::Map(_) => Some(Step::At(self.part(node))),
            Value::Bool(true) => Some(Step::Anything),
            _ => None,
        }
    }

    /// Returns true if unknown fields are kept.
    fn keeps_all(self) -> bool {
        self.keeps || self.is("x-kubernetes-preserve-unknown-fields")
    }

    /// Steps into a field.
    pub(crate) fn field(self, name: &str, budget: &Budget) -> Step<'n> {
        // Wide objects cost steps. If the budget is exhausted, any value is allowed.
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

    /// Returns the most similar field name for an unknown one.
    pub(crate) fn meant(self, name: &str, budget: &Budget) -> Option<&'n str> {
        budget.suggest(name, self.width(), self.properties().map(|(name, _)| name))
    }

    /// Steps into an element of a list, or a field represented by `*`.
    pub(crate) fn element(self) -> Step<'n> {
        match self.items() {
            Some(schema) => Step::At(schema),
            None if self.keeps_all() || self.kind().is_empty() => Step::Anything,
            None => self.additional().unwrap_or(Step::Nowhere),
        }
    }
}
