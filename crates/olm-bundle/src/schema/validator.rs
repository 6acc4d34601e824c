//! Validates an object in its stored form like the API server.

use super::{Budget, MAX_DEPTH, MAX_FIELD_LEN, Schema, SchemaErrors, SchemaStep, VersionSchema};
use crate::field_access::items_at;
use olm_catalog::{Node, Number, Span, Value};

/// Validates a prepared object.
pub(super) fn validate_object(
    of: VersionSchema<'_>,
    object: &Node<'_>,
    budget: &Budget,
    faults: &mut SchemaErrors,
) {
    let drops_status = of.drops_status;
    let mut validator = Validator { faults, budget, field: String::new(), depth: 0, drops_status };
    validator.validate_value(of.schema, object);
}

/// Validates the default of a schema.
pub(super) fn validate_default(
    schema: Schema<'_>,
    value: &Node,
    field: &str,
    budget: &Budget,
    faults: &mut SchemaErrors,
) {
    let mut validator = Validator { faults, budget, field: field.to_owned(), depth: 1, drops_status: false };
    validator.validate_value(schema, value);
}

pub(super) struct Validator<'s> {
    faults: &'s mut SchemaErrors,
    pub(super) budget: &'s Budget,
    field: String,
    depth: usize,
    /// True if the object was prepared without its status, so that a missing status is not an
    /// error.
    drops_status: bool,
}

impl Validator<'_> {
    pub(super) fn add_error(&mut self, message: impl Into<String>, span: Span) {
        // A partially checked value may be valid.
        if !self.budget.is_spent() {
            self.faults.add_error(&self.field, message, span);
        }
    }

    /// Runs `look` for a named part of the value.
    pub(super) fn with_path(&mut self, part: &str, look: impl FnOnce(&mut Self)) {
        let length = self.field.len();
        if length > 0 && !part.starts_with('[') {
            self.field.push('.');
        }
        self.field.push_str(part);
        self.depth += 1;
        if self.depth < MAX_DEPTH && self.budget.spend(1) {
            look(self);
        }
        self.depth -= 1;
        self.field.truncate(length);
    }

    fn validate_value(&mut self, schema: Schema<'_>, value: &Node) {
        if let Some(message) = type_error(schema, value) {
            return self.add_error(message, value.span);
        }
        if value.is_null() {
            return;
        }
        self.check_facets(schema, value);
        self.check_combinations(schema, value);
        match &value.value {
            Value::Map(members) => {
                for member in members {
                    match schema.step_into_field(&member.key, self.budget) {
                        SchemaStep::Part(part) => {
                            self.with_path(&member.key, |validator| {
                                validator.validate_value(part, &member.value);
                            });
                        }
                        // Fields without a schema are allowed in stored objects, unless they are forbidden.
                        SchemaStep::Missing if self.is_forbidden_field(schema, &member.key) => {
                            self.with_path(&member.key, |validator| {
                                validator.add_error("is not allowed", member.key_span);
                            });
                        }
                        SchemaStep::Missing | SchemaStep::Anything => {}
                    }
                }
                self.check_required(schema, value);
            }
            Value::List(list) => {
                if let Some(of_item) = schema.items_schema() {
                    for (at, item) in list.iter().enumerate() {
                        self.with_path(&format!("[{at}]"), |validator| {
                            validator.validate_value(of_item, item);
                        });
                    }
                }
                self.check_list_type(schema, list);
            }
            _ => {}
        }
    }

    /// Returns true if a field without a schema is forbidden; fields of every object never are.
    fn is_forbidden_field(&self, schema: Schema<'_>, key: &str) -> bool {
        let is_of_object = self.depth == 0 && matches!(key, "apiVersion" | "kind" | "metadata");
        schema.node.get("additionalProperties").is_some() && !is_of_object
    }

    fn check_required(&mut self, schema: Schema<'_>, value: &Node) {
        for name in items_at(schema.node, &["required"]).iter().filter_map(Node::as_str) {
            // The status of a new object is dropped, so its absence is not an error of the object.
            let is_dropped = self.depth == 0 && self.drops_status && name == "status";
            if !self.budget.spend(value.members().len() / 8) || is_dropped {
                continue;
            }
            if value.get(name).is_none() {
                self.with_path(name, |validator| validator.add_error("is required", value.span));
            }
        }
    }

    /// Checks `allOf`, `anyOf`, `oneOf` and `not`, which restrict values further.
    fn check_combinations(&mut self, schema: Schema<'_>, value: &Node) {
        if self.depth + 1 >= MAX_DEPTH {
            return;
        }
        let list = |key: &str| schema.node.get(key).map(Node::items).unwrap_or_default();
        for part in list("allOf") {
            self.with_depth(|validator| validator.validate_value(schema.with_node(part), value));
        }
        if !list("anyOf").is_empty()
            && !list("anyOf").iter().any(|part| self.satisfies(schema.with_node(part), value))
        {
            self.add_error("fits none of what anyOf allows", value.span);
        }
        let one = list("oneOf");
        if !one.is_empty()
            && one.iter().filter(|part| self.satisfies(schema.with_node(part), value)).count() != 1
        {
            self.add_error("must fit exactly one of what oneOf allows", value.span);
        }
        if schema.node.get("not").is_some_and(|part| self.satisfies(schema.with_node(part), value)) {
            self.add_error("fits what `not` forbids", value.span);
        }
    }

    /// Returns true if a value satisfies a condition.
    fn satisfies(&mut self, condition: Schema<'_>, value: &Node) -> bool {
        let mut faults = SchemaErrors::default();
        let mut validator = Validator {
            faults: &mut faults,
            budget: self.budget,
            field: String::new(),
            depth: self.depth,
            drops_status: self.drops_status,
        };
        validator.with_depth(|validator| validator.validate_value(condition, value));
        faults.list.is_empty()
    }

    /// Counts nested conditions like nested values, to bound the recursion.
    fn with_depth(&mut self, look: impl FnOnce(&mut Self)) {
        self.depth += 1;
        if self.budget.spend(1) {
            look(self);
        }
        self.depth -= 1;
    }
}

/// Returns the error of a value with a wrong type.
pub(super) fn type_error(schema: Schema<'_>, value: &Node) -> Option<String> {
    let is = match &value.value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(Number(text)) if is_integer(text) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    };
    let (wanted, is_either) = (schema.type_name(), schema.has_flag("x-kubernetes-int-or-string"));
    if is == "null" {
        let may_be = schema.has_flag("nullable") || wanted.is_empty() && !is_either;
        return (!may_be).then(|| "must not be null".to_owned());
    }
    if is_either {
        let fits = matches!(is, "integer" | "string");
        return (!fits).then(|| format!("is {}, not an integer or a string", format_value(value)));
    }
    let fits = wanted.is_empty() || wanted == is || wanted == "number" && is == "integer";
    (!fits).then(|| format!("is {}, not of the type {wanted}", format_value(value)))
}

fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok() || text.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
}

/// Formats a value for a message.
pub(super) fn format_value(value: &Node) -> String {
    const MAX_LEN: usize = 40;
    match &value.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(Number(text)) => text.clone().into_owned(),
        Value::String(text) => format!("`{}`", truncate_text(text, MAX_LEN)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
    }
}

/// Returns the beginning of a long text.
fn truncate_text(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Formats a pattern for a message.
pub(super) fn format_pattern(pattern: &str) -> String {
    truncate_text(pattern, MAX_FIELD_LEN)
}
