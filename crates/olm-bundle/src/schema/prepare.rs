//! Preparation of an object as in the API server: sets defaults, and drops unknown fields and invalid nulls.

use std::collections::HashSet;

use super::{Budget, MAX_DEPTH, Schema, SchemaErrors, SchemaStep, VersionSchema, validator::type_error};
use olm_catalog::{Member, Node, Span, Value};

/// Returns the prepared object. Reports fields that are dropped because they are unknown.
pub(super) fn prepare_object<'v>(
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
        let schema = schema.filter(|schema| type_error(*schema, value).is_none());
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
