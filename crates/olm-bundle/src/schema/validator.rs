//! Validates an object in its stored form like the API server: its types, and other limits such as choices,
//! lengths and uniqueness.

use core::net::{Ipv4Addr, Ipv6Addr};
use std::collections::HashSet;

use super::{Budget, MAX_DEPTH, MAX_FIELD_LEN, Schema, SchemaErrors, SchemaStep, VersionSchema};
use crate::field_access::{items_at, text_at, texts_at};
use olm_catalog::{Node, Number, Span, Value};

/// Validates a prepared object.
pub(super) fn validate_object(
    of: VersionSchema<'_>,
    object: &Node<'_>,
    budget: &Budget,
    faults: &mut SchemaErrors,
) {
    let VersionSchema { drops_status, hides_values, .. } = of;
    let mut validator =
        Validator { faults, budget, field: String::new(), depth: 0, drops_status, hides_values };
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
    let field = field.to_owned();
    let mut validator =
        Validator { faults, budget, field, depth: 1, drops_status: false, hides_values: false };
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
    /// True if messages must not contain values.
    hides_values: bool,
}

impl Validator<'_> {
    pub(super) fn add_error(&mut self, message: impl Into<String>, span: Span) {
        // A partially checked value may be valid.
        if !self.budget.is_spent() {
            self.faults.add_error(&self.field, message, span);
        }
    }

    /// Formats a value for a message; only its type if values are hidden.
    fn show_value(&self, value: &Node) -> String {
        if self.hides_values { describe_type(value).to_owned() } else { format_value(value) }
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
        if let Some(message) = type_error(schema, value, |value| self.show_value(value)) {
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
            hides_values: self.hides_values,
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

/// Returns the error of a value with a wrong type; `show` formats the value.
pub(super) fn type_error(schema: Schema<'_>, value: &Node, show: impl Fn(&Node) -> String) -> Option<String> {
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
        return (!fits).then(|| format!("is {}, not an integer or a string", show(value)));
    }
    let fits = wanted.is_empty() || wanted == is || wanted == "number" && is == "integer";
    (!fits).then(|| format!("is {}, not of the type {wanted}", show(value)))
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

/// Returns the type of a value for a message.
fn describe_type(value: &Node) -> &'static str {
    match &value.value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
    }
}

/// Returns the beginning of a long text.
fn truncate_text(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl Validator<'_> {
    fn check_facets(&mut self, schema: Schema<'_>, value: &Node) {
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
                format!("is {}, not one of {}{more}", self.show_value(value), names.join(", ")),
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
            let message = format!(
                "is {}, which does not match {}",
                self.show_value(value),
                truncate_text(pattern, MAX_FIELD_LEN)
            );
            self.add_error(message, value.span);
        }
        let format = text_at(schema.node, &["format"]);
        if !has_format(&format, given) {
            self.add_error(format!("is {}, not of the format {format}", self.show_value(value)), value.span);
        }
    }

    fn check_number(&mut self, schema: Schema<'_>, value: &Node) {
        let Some(given) = parse_number(value) else { return };
        let limit = |key: &str| parse_number(schema.node.get(key)?);
        let shown = if self.hides_values { self.show_value(value) } else { given.to_string() };
        let (low, high) = (schema.has_flag("exclusiveMinimum"), schema.has_flag("exclusiveMaximum"));
        if let Some(least) =
            limit("minimum").filter(|least| if low { given <= *least } else { given < *least })
        {
            let above = if low { "it must be above" } else { "the minimum is" };
            self.add_error(format!("is {shown}, {above} {least}"), value.span);
        } else if let Some(most) =
            limit("maximum").filter(|most| if high { given >= *most } else { given > *most })
        {
            let below = if high { "it must be below" } else { "the maximum is" };
            self.add_error(format!("is {shown}, {below} {most}"), value.span);
        }
        if let Some(factor) = limit("multipleOf").filter(|factor| *factor > 0.0) {
            let times = given / factor;
            // Like the library, because fractions do not have an exact form.
            if (times - times.round()).abs() > 1e-9 * times.abs().max(1.0) {
                self.add_error(format!("is {shown}, not a multiple of {factor}"), value.span);
            }
        }
    }

    /// Checks `x-kubernetes-list-type`: a set has each value once, a map each key once. Sets of lists and maps
    /// are not checked.
    fn check_list_type(&mut self, schema: Schema<'_>, list: &[Node<'_>]) {
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

/// Returns true if a string has a format (`kube-openapi/pkg/validation/strfmt`). The API server has more
/// formats than olmap; unknown ones are accepted.
pub(super) fn has_format(format: &str, text: &str) -> bool {
    match format {
        "date" => is_date(text),
        "date-time" => is_date_time(text),
        "ipv4" => is_ipv4(text),
        "ipv6" => text.contains(':') && text.parse::<Ipv6Addr>().is_ok(),
        "uuid" => is_uuid(text),
        _ => true,
    }
}

/// Returns true for an IPv4 address, also at the end of an IPv6 address.
fn is_ipv4(text: &str) -> bool {
    let plain: Vec<&str> = text.split('.').map(strip_leading_zeros).collect();
    plain.join(".").parse::<Ipv4Addr>().is_ok() || text.contains('.') && text.parse::<Ipv6Addr>().is_ok()
}

/// Normalizes a part of an address like the API server.
fn strip_leading_zeros(part: &str) -> &str {
    let trimmed = part.trim_start_matches('0');
    if trimmed.is_empty() && !part.is_empty() { "0" } else { trimmed }
}

/// Parses exactly `count` digits.
fn parse_digits(text: &str, count: usize) -> Option<u32> {
    let is_it = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_it.then(|| text.parse().ok())?
}

/// Returns true for `2006-01-02`, if the day exists.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (
        parts.next().and_then(|part| parse_digits(part, 4)),
        parts.next().and_then(|part| parse_digits(part, 2)),
        parts.next().and_then(|part| parse_digits(part, 2)),
    ) else {
        return false;
    };
    let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=last).contains(&day)
}

/// Returns true for a date, `T`, a time with optional fractions, and `Z` or a time zone offset.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let Some((date, time)) = lower.split_once('t') else { return false };
    let (clock, zone) = match (time.strip_suffix('z'), time.rfind(['+', '-'])) {
        (Some(clock), _) => (clock, None),
        (None, Some(at)) => {
            time.split_at_checked(at).map_or((time, None), |(clock, zone)| (clock, zone.get(1..)))
        }
        (None, None) => return false,
    };
    let is_time = |text: &str, parts: usize| {
        let given: Vec<_> = text.split(':').map(|part| parse_digits(part, 2)).collect();
        let limits = [23, 59, 59];
        given.len() == parts
            && given.iter().zip(limits).all(|(part, most)| part.is_some_and(|part| part <= most))
    };
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(clock, rest)| (clock, Some(rest)));
    let is_fraction =
        fraction.is_none_or(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    let is_zone = zone
        .is_none_or(|zone| zone.len() == 5 && zone.split(':').all(|part| parse_digits(part, 2).is_some()));
    is_date(date) && is_time(clock, 3) && is_fraction && is_zone
}

/// Returns true for hexadecimal digits in five groups, optionally separated by `-`.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (at, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        if !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::has_format;

    #[test]
    fn formats_match_api_server() {
        for (format, good, bad) in [
            ("date", vec!["2024-02-29"], vec!["2023-02-29", "2024-13-01", "2024-1-1", "today", ""]),
            (
                "date-time",
                vec!["2024-02-29T23:59:59Z", "2024-01-01t00:00:00.5z", "2024-01-01T00:00:00+02:00"],
                vec![
                    "2024-01-01",
                    "2024-01-01T24:00:00Z",
                    "2024-01-01T00:00:00",
                    "2024-01-01T00:00:00.Z",
                    "T",
                ],
            ),
            ("ipv4", vec!["10.0.0.1", "010.0.0.1"], vec!["10.0.0", "10.0.0.256", "::1", "a"]),
            ("ipv6", vec!["::1", "fd00::1"], vec!["10.0.0.1", "fd00:::1"]),
            (
                "uuid",
                vec!["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B8109DAD11D180B400C04FD430C8"],
                vec!["6ba7b810", "6ba7b810-9dad-11d1-80b4-00c04fd430cg", ""],
            ),
            ("colour", vec!["red", ""], vec![]),
        ] {
            for (text, expected) in
                good.iter().map(|text| (text, true)).chain(bad.iter().map(|text| (text, false)))
            {
                assert_eq!(has_format(format, text), expected, "{format} {text}");
            }
        }
    }
}
