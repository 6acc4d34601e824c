//! Checks of a value besides its type: choices, lengths, limits, uniqueness.

use std::collections::HashSet;

use super::{
    Schema,
    formats::has_format,
    validator::{Validator, format_pattern, format_value},
};
use crate::field_access::{text_at, texts_at};
use olm_catalog::{Node, Number, Value};

impl Validator<'_> {
    pub(super) fn check_facets(&mut self, schema: Schema<'_>, value: &Node) {
        self.check_enum(schema, value);
        let limit = |key: &str| parse_number(schema.node.get(key)?);
        let mut size = |size: usize, least: &str, most: &str, what: &str| {
            let length = size as f64;
            if let Some(least) = limit(least).filter(|least| length < *least) {
                self.add_error(format!("has {size} {what}, at least {least} are needed"), value.span);
            } else if let Some(most) = limit(most).filter(|most| length > *most) {
                self.add_error(format!("has {size} {what}, at most {most} are allowed"), value.span);
            }
        };
        match &value.value {
            Value::String(text) => {
                size(text.chars().count(), "minLength", "maxLength", "characters");
                self.check_text(schema, value, text);
            }
            Value::List(list) => size(list.len(), "minItems", "maxItems", "items"),
            Value::Map(members) => size(members.len(), "minProperties", "maxProperties", "fields"),
            Value::Number(_) => self.check_number(schema, value),
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn check_enum(&mut self, schema: Schema<'_>, value: &Node) {
        let allowed = schema.node.get("enum").map(Node::items).unwrap_or_default();
        if allowed.is_empty() || !self.budget.spend(allowed.len()) {
            return;
        }
        let is_whole = |item: &Node| matches!(item.value, Value::List(_) | Value::Map(_));
        // Choices of whole lists or maps are rare and expensive to compare, so they are not checked.
        let is_allowed = allowed
            .iter()
            .any(|item| if is_whole(item) { is_whole(value) } else { item.has_same_value(value) });
        if !is_allowed {
            let names: Vec<String> = allowed.iter().take(8).map(format_value).collect();
            let more = if allowed.len() > names.len() { ", \u{2026}" } else { "" };
            self.add_error(
                format!("is {}, not one of {}{more}", format_value(value), names.join(", ")),
                value.span,
            );
        }
    }

    fn check_text(&mut self, schema: Schema<'_>, value: &Node, given: &str) {
        if !self.budget.spend(given.len() / 64) {
            return;
        }
        if let Some(pattern) = schema.node.get("pattern").and_then(Node::as_str)
            && !self.budget.matches_pattern(pattern, given)
        {
            let message =
                format!("is {}, which does not match {}", format_value(value), format_pattern(pattern));
            self.add_error(message, value.span);
        }
        let format = text_at(schema.node, &["format"]);
        if !has_format(&format, given) {
            self.add_error(format!("is {}, not of the format {format}", format_value(value)), value.span);
        }
    }

    fn check_number(&mut self, schema: Schema<'_>, value: &Node) {
        let Some(given) = parse_number(value) else { return };
        let limit = |key: &str| parse_number(schema.node.get(key)?);
        let (low, high) = (schema.has_flag("exclusiveMinimum"), schema.has_flag("exclusiveMaximum"));
        if let Some(least) =
            limit("minimum").filter(|least| if low { given <= *least } else { given < *least })
        {
            let above = if low { "it must be above" } else { "the minimum is" };
            self.add_error(format!("is {given}, {above} {least}"), value.span);
        } else if let Some(most) =
            limit("maximum").filter(|most| if high { given >= *most } else { given > *most })
        {
            let below = if high { "it must be below" } else { "the maximum is" };
            self.add_error(format!("is {given}, {below} {most}"), value.span);
        }
        if let Some(factor) = limit("multipleOf").filter(|factor| *factor > 0.0) {
            let times = given / factor;
            // Like the library, because fractions do not have an exact form.
            if (times - times.round()).abs() > 1e-9 * times.abs().max(1.0) {
                self.add_error(format!("is {given}, not a multiple of {factor}"), value.span);
            }
        }
    }

    /// Checks `x-kubernetes-list-type`: a set has each value once, a map each key once. Sets of lists and maps
    /// are not checked.
    pub(super) fn check_list_type(&mut self, schema: Schema<'_>, list: &[Node<'_>]) {
        let kind = text_at(schema.node, &["x-kubernetes-list-type"]);
        let keys: Vec<_> = texts_at(schema.node, &["x-kubernetes-list-map-keys"]).collect();
        if !self.budget.spend(keys.len() * list.iter().map(|item| item.members().len()).sum::<usize>() / 8) {
            return;
        }
        let mut seen: HashSet<Vec<Option<String>>> = HashSet::new();
        for (at, item) in list.iter().enumerate() {
            let (key, what) = match kind.as_ref() {
                "set" => (vec![scalar_key(item)], "value"),
                "map" => (keys.iter().map(|key| item.get(key).and_then(scalar_key)).collect(), "key"),
                _ => return,
            };
            if key.iter().any(Option::is_some) && !seen.insert(key) {
                let message = format!("has the same {what} as an element before it");
                self.with_path(&format!("[{at}]"), |validator| validator.add_error(message, item.span));
            }
        }
    }
}

/// Returns a string that is unique to a scalar.
fn scalar_key(value: &Node<'_>) -> Option<String> {
    match &value.value {
        Value::Bool(value) => Some(format!("b{value}")),
        Value::Number(Number(text)) => Some(format!("n{text}")),
        Value::String(text) => Some(format!("s{text}")),
        Value::Null | Value::List(_) | Value::Map(_) => None,
    }
}

fn parse_number(node: &Node) -> Option<f64> {
    match &node.value {
        Value::Number(Number(text)) => text.parse().ok(),
        _ => None,
    }
}
