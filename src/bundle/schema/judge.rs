//! What the API server says of an object as it would be stored.

use super::{Budget, DEEPEST, Faults, LONGEST_FIELD, OfVersion, Schema, Step};
use crate::{
    bundle::read::items,
    catalog::{Node, Number, Span, Value},
};

/// What is wrong with an object that was prepared.
pub(super) fn object(of: OfVersion<'_>, object: &Node<'_>, budget: &Budget, faults: &mut Faults) {
    let drops_status = of.drops_status;
    let mut judge = Judge { faults, budget, field: String::new(), depth: 0, drops_status };
    judge.value(of.schema, object);
}

/// Adds what a schema refuses of its own default.
pub(super) fn default(schema: Schema<'_>, value: &Node, field: &str, budget: &Budget, faults: &mut Faults) {
    let mut judge = Judge { faults, budget, field: field.to_owned(), depth: 1, drops_status: false };
    judge.value(schema, value);
}

pub(super) struct Judge<'s> {
    faults: &'s mut Faults,
    pub(super) budget: &'s Budget,
    field: String,
    depth: usize,
    /// Of the object as a whole.
    drops_status: bool,
}

impl Judge<'_> {
    pub(super) fn fault(&mut self, message: impl Into<String>, span: Span) {
        // What was not looked at to its end is not known to be wrong.
        if !self.budget.is_spent() {
            self.faults.add(&self.field, message, span);
        }
    }

    /// Looks at a part of the value, called so.
    pub(super) fn within(&mut self, part: &str, look: impl FnOnce(&mut Self)) {
        let length = self.field.len();
        if length > 0 && !part.starts_with('[') {
            self.field.push('.');
        }
        self.field.push_str(part);
        self.depth += 1;
        if self.depth < DEEPEST && self.budget.spend(1) {
            look(self);
        }
        self.depth -= 1;
        self.field.truncate(length);
    }

    fn value(&mut self, schema: Schema<'_>, value: &Node) {
        if let Some(message) = wrong_type(schema, value) {
            return self.fault(message, value.span);
        }
        if value.is_null() {
            return;
        }
        self.facets(schema, value);
        self.choices(schema, value);
        match &value.value {
            Value::Map(members) => {
                for member in members {
                    match schema.field(&member.key, self.budget) {
                        Step::At(part) => self.within(&member.key, |judge| judge.value(part, &member.value)),
                        // Fields without a schema are no mistake in what is stored, unless they are forbidden.
                        Step::Nowhere if self.is_forbidden(schema, &member.key) => {
                            self.within(&member.key, |judge| judge.fault("is not allowed", member.key_span));
                        }
                        Step::Nowhere | Step::Anything => {}
                    }
                }
                self.required(schema, value);
            }
            Value::List(list) => {
                if let Some(of_item) = schema.items() {
                    for (at, item) in list.iter().enumerate() {
                        self.within(&format!("[{at}]"), |judge| judge.value(of_item, item));
                    }
                }
                self.list_type(schema, list);
            }
            _ => {}
        }
    }

    /// Whether a field that has no schema is forbidden; those of every object never are.
    fn is_forbidden(&self, schema: Schema<'_>, key: &str) -> bool {
        let is_of_object = self.depth == 0 && matches!(key, "apiVersion" | "kind" | "metadata");
        schema.node.get("additionalProperties").is_some() && !is_of_object
    }

    fn required(&mut self, schema: Schema<'_>, value: &Node) {
        for name in items(schema.node, &["required"]).iter().filter_map(Node::as_str) {
            // An object cannot be made with one: whose fault that is, nobody can tell.
            let is_dropped = self.depth == 0 && self.drops_status && name == "status";
            if !self.budget.spend(value.members().len() / 8) || is_dropped {
                continue;
            }
            if value.get(name).is_none() {
                self.within(name, |judge| judge.fault("is required", value.span));
            }
        }
    }

    /// `allOf`, `anyOf`, `oneOf`, `not`: they say more of values whose fields the schema itself names.
    fn choices(&mut self, schema: Schema<'_>, value: &Node) {
        if self.depth + 1 >= DEEPEST {
            return;
        }
        let list = |key: &str| schema.node.get(key).map(Node::items).unwrap_or_default();
        for part in list("allOf") {
            self.deeper(|judge| judge.value(schema.part(part), value));
        }
        if !list("anyOf").is_empty() && !list("anyOf").iter().any(|part| self.fits(schema.part(part), value))
        {
            self.fault("fits none of what anyOf allows", value.span);
        }
        let one = list("oneOf");
        if !one.is_empty() && one.iter().filter(|part| self.fits(schema.part(part), value)).count() != 1 {
            self.fault("must fit exactly one of what oneOf allows", value.span);
        }
        if schema.node.get("not").is_some_and(|part| self.fits(schema.part(part), value)) {
            self.fault("fits what `not` forbids", value.span);
        }
    }

    /// Whether a value meets a condition.
    fn fits(&mut self, condition: Schema<'_>, value: &Node) -> bool {
        let mut faults = Faults::default();
        let mut judge = Judge {
            faults: &mut faults,
            budget: self.budget,
            field: String::new(),
            depth: self.depth,
            drops_status: self.drops_status,
        };
        judge.deeper(|judge| judge.value(condition, value));
        faults.list.is_empty()
    }

    /// Conditions within conditions are no deeper a value, but as deep to look at.
    fn deeper(&mut self, look: impl FnOnce(&mut Self)) {
        self.depth += 1;
        if self.budget.spend(1) {
            look(self);
        }
        self.depth -= 1;
    }
}

/// What is wrong with the type of a value.
pub(super) fn wrong_type(schema: Schema<'_>, value: &Node) -> Option<String> {
    let is = match &value.value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(Number(text)) if is_whole(text) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    };
    let (wanted, is_either) = (schema.kind(), schema.is("x-kubernetes-int-or-string"));
    if is == "null" {
        let may_be = schema.is("nullable") || wanted.is_empty() && !is_either;
        return (!may_be).then(|| "must not be null".to_owned());
    }
    if is_either {
        let fits = matches!(is, "integer" | "string");
        return (!fits).then(|| format!("is {}, not an integer or a string", shown(value)));
    }
    let fits = wanted.is_empty() || wanted == is || wanted == "number" && is == "integer";
    (!fits).then(|| format!("is {}, not of the type {wanted}", shown(value)))
}

fn is_whole(text: &str) -> bool {
    text.parse::<i64>().is_ok() || text.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
}

/// A value in a message.
pub(super) fn shown(value: &Node) -> String {
    const LONGEST: usize = 40;
    match &value.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(Number(text)) => text.clone().into_owned(),
        Value::String(text) => format!("`{}`", begin_of(text, LONGEST)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
    }
}

/// The begin of a long text.
fn begin_of(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A pattern in a message.
pub(super) fn shown_pattern(pattern: &str) -> String {
    begin_of(pattern, LONGEST_FIELD)
}
