//! Checks that values match types.

use std::borrow::Cow;

use super::{StructType, TABLE, Type, TypeTable};
use olm_catalog::{
    Member, Node, Number, Span, Value, decode::key_matches_field, text::emit::format_yaml_number,
};
use olm_version::{Release, Version};

/// Go's ways of reading into a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecoderKind {
    /// `encoding/json`: keys in any case, strict types. Used by opm.
    Json,
    /// `sigs.k8s.io/yaml`: like JSON, but numbers and booleans become strings for string fields. Used by the
    /// api library.
    Yaml,
    /// `runtime.DefaultUnstructuredConverter`: exact keys, strict types, null is absent. Used by OLM v1.
    Unstructured,
}

impl DecoderKind {
    /// Returns the name of the decoder.
    pub(crate) fn decoder_name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Unstructured => "unstructured",
        }
    }
}

/// A value with the wrong type for its field.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct TypeError {
    /// Path of the field from the object: `spec.install.spec.deployments[0].spec.replicas`.
    pub path: String,
    /// Message.
    pub reason: String,
    /// Span in the document.
    pub span: Span,
}

/// Maximum depth of types; only nested schemas reach it.
const MAX_DEPTH: usize = 500;

/// Checks an object against a type, given by name in `assets/kubernetes-types.txt`.
///
/// # Errors
///
/// The first value, in the order of the document, that Go would reject.
pub fn check_type(node: &Node, type_name: &str, reading: DecoderKind) -> Result<(), TypeError> {
    let Some(shape) = TABLE.struct_named(type_name) else { return Ok(()) };
    let checker = Checker { table: &TABLE, reading };
    checker.check_fields(node, shape, &Path::Root)
}

/// Returns the value of a field as Go finds it, ignoring the case of its key. Of several spellings the last in
/// byte order counts, because keys are sorted before a struct is filled.
pub fn find_field<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Node<'a>> {
    let mut found: Option<&'n Member<'a>> = None;
    for member in node.members() {
        let is_named = member.key == name || key_matches_field(name, &member.key);
        if is_named && found.is_none_or(|found| found.key <= member.key) {
            found = Some(member);
        }
    }
    found.map(|member| &member.value).filter(|value| !value.is_null())
}

/// Returns a member of an object, even if it is null.
pub fn find_member<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    node.members().iter().rfind(|member| key_matches_field(key, &member.key)).map(|member| &member.value)
}

/// Returns the value of a string field; with YAML, numbers and booleans are formatted like Go.
pub fn field_text<'n>(node: &'n Node, reading: DecoderKind) -> Option<Cow<'n, str>> {
    match &node.value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(Number(text)) if reading == DecoderKind::Yaml => {
            Some(Cow::Owned(format_yaml_number(text)))
        }
        Value::Bool(value) if reading == DecoderKind::Yaml => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// Path of a value, formatted only for errors.
enum Path<'p> {
    Root,
    Key(&'p Self, &'p str),
    Item(&'p Self, usize),
}

impl Path<'_> {
    fn format_path(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(Self::Root, key) => (*key).to_owned(),
            Self::Key(parent, key) => format!("{}.{key}", parent.format_path()),
            Self::Item(parent, at) => format!("{}[{at}]", parent.format_path()),
        }
    }

    fn depth(&self) -> usize {
        let mut depth = 0;
        let mut next = self;
        while let Self::Key(parent, _) | Self::Item(parent, _) = next {
            depth += 1;
            next = parent;
        }
        depth
    }
}

struct Checker<'t> {
    table: &'t TypeTable,
    reading: DecoderKind,
}

impl Checker<'_> {
    fn check_fields(&self, node: &Node, shape: &StructType, path: &Path) -> Result<(), TypeError> {
        let Value::Map(members) = &node.value else {
            return if node.is_null() { Ok(()) } else { wrong_type(node, path, "a map") };
        };
        if path.depth() > MAX_DEPTH {
            return Ok(());
        }
        for member in members {
            let known = match shape.field_named(&member.key) {
                Some(field) => Some(field),
                None if self.reading == DecoderKind::Unstructured => None,
                None => shape.fields.iter().find(|field| key_matches_field(&field.name, &member.key)),
            };
            if let Some(known) = known {
                self.check_value(&member.value, &known.kind, &Path::Key(path, &known.name))?;
            }
        }
        Ok(())
    }

    fn check_value(&self, node: &Node, kind: &Type, path: &Path) -> Result<(), TypeError> {
        if node.is_null() {
            return self.check_null(node, kind, path);
        }
        match (kind, &node.value) {
            (Type::Any, _) | (Type::Bool, Value::Bool(_)) => Ok(()),
            (Type::Text, _) if field_text(node, self.reading).is_some() => Ok(()),
            (Type::Int32, Value::Number(number)) => {
                self.check_integer(number, i64::from(i32::MAX), node, path)
            }
            (Type::Int64, Value::Number(number)) => self.check_integer(number, i64::MAX, node, path),
            (Type::Float, Value::Number(_)) => Ok(()),
            (Type::List(item), Value::List(items)) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(at, node)| self.check_value(node, item, &Path::Item(path, at)))
            }
            (Type::Map(item), Value::Map(members)) => {
                members.iter().try_for_each(|m| self.check_value(&m.value, item, &Path::Key(path, &m.key)))
            }
            (Type::Struct(id) | Type::Pointer(id), _) => match self.table.struct_by_id(*id) {
                Some(shape) => self.check_fields(node, shape, path),
                None => Ok(()),
            },
            (Type::Time, Value::String(text)) => {
                if is_time(text) {
                    Ok(())
                } else {
                    type_error(node, path, format!("`{text}` is no RFC 3339 time"))
                }
            }
            (Type::Bytes, Value::String(_)) => Ok(()),
            (Type::Quantity, Value::String(text)) if is_quantity(text) => Ok(()),
            (Type::Quantity, Value::Number(_)) | (Type::IntOrText, Value::String(_)) => Ok(()),
            (Type::IntOrText, Value::Number(number)) => {
                self.check_integer(number, i64::from(i32::MAX), node, path)
            }
            (Type::Version, Value::String(text)) => check_version(text, node, path),
            (Type::Release, Value::String(text)) => check_release(text, node, path),
            (Type::SchemaOrBool, Value::Bool(_)) => Ok(()),
            (Type::SchemaOrBool | Type::SchemaOrList | Type::SchemaOrTexts, Value::Map(_)) => {
                match self.table.struct_named("JSONSchemaProps") {
                    Some(shape) => self.check_fields(node, shape, path),
                    None => Ok(()),
                }
            }
            (Type::SchemaOrList, Value::List(items)) => match self.table.struct_named("JSONSchemaProps") {
                Some(shape) => items.iter().try_for_each(|item| self.check_fields(item, shape, path)),
                None => Ok(()),
            },
            (Type::SchemaOrTexts, Value::List(items)) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(at, node)| self.check_value(node, &Type::Text, &Path::Item(path, at)))
            }
            // Go rejects `{` and `[` at the beginning here and leaves the field empty.
            (Type::SchemaOrList | Type::SchemaOrTexts, _) => Ok(()),
            (expected, _) => wrong_type(node, path, expected.display_name()),
        }
    }

    /// Checks null, which is absent except for the two types that parse text themselves.
    fn check_null(&self, node: &Node, kind: &Type, path: &Path) -> Result<(), TypeError> {
        match kind {
            Type::Version if self.reading != DecoderKind::Unstructured => check_version("", node, path),
            Type::Release if self.reading != DecoderKind::Unstructured => check_release("", node, path),
            _ => Ok(()),
        }
    }

    fn check_integer(&self, number: &Number, most: i64, node: &Node, path: &Path) -> Result<(), TypeError> {
        let fits = match number.0.parse::<i64>() {
            Ok(value) => value <= most && value >= -most - 1,
            // Only the converter accepts a float that is a whole number.
            Err(_) => {
                self.reading == DecoderKind::Unstructured
                    && number.0.parse::<f64>().is_ok_and(|value| value.fract() == 0.0 && value.abs() < 9e18)
            }
        };
        let expected = if most == i64::MAX { "a whole number" } else { "a whole number of 32 bits" };
        if fits { Ok(()) } else { wrong_type(node, path, expected) }
    }
}

impl Type {
    fn display_name(&self) -> &'static str {
        match self {
            Self::Text | Self::Version | Self::Release | Self::Time | Self::Bytes => "a string",
            Self::Bool => "true or false",
            Self::Int32 | Self::Int64 => "a whole number",
            Self::Float => "a number",
            Self::Quantity => "a quantity such as 100m or 64Mi",
            Self::IntOrText => "a whole number or a string",
            Self::SchemaOrBool => "true, false or a schema",
            Self::SchemaOrList | Self::SchemaOrTexts => "a schema or a list",
            Self::List(_) => "a list",
            Self::Map(_) | Self::Struct(_) | Self::Pointer(_) => "a map",
            Self::Any => "anything",
        }
    }
}

fn wrong_type(node: &Node, path: &Path, expected: &str) -> Result<(), TypeError> {
    let found = match &node.value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
    };
    type_error(node, path, format!("must be {expected}, not {found}"))
}

fn type_error(node: &Node, path: &Path, reason: String) -> Result<(), TypeError> {
    Err(TypeError { path: path.format_path(), reason, span: node.span })
}

fn check_version(text: &str, node: &Node, path: &Path) -> Result<(), TypeError> {
    Version::parse_tolerant(text)
        .map(drop)
        .or_else(|error| type_error(node, path, format!("`{text}`: {error}")))
}

fn check_release(text: &str, node: &Node, path: &Path) -> Result<(), TypeError> {
    Release::parse(text).map(drop).or_else(|error| type_error(node, path, format!("`{text}`: {error}")))
}

/// Returns true for Go's RFC 3339: `2006-01-02T15:04:05Z`, with optional fractions of a second and offset.
fn is_time(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        text.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let at = |place: usize, wanted: u8| text.as_bytes().get(place) == Some(&wanted);
    let head = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19].into_iter().all(digits);
    let marks = at(4, b'-') && at(7, b'-') && at(10, b'T') && at(13, b':') && at(16, b':');
    let number = |range| text.get::<std::ops::Range<usize>>(range).and_then(|part| part.parse::<u32>().ok());
    let in_range = |range, most| number(range).is_some_and(|value| value <= most);
    let dated = number(5..7).is_some_and(|month| (1..=12).contains(&month))
        && number(8..10).is_some_and(|day| (1..=31).contains(&day));
    if !(head && marks && dated && in_range(11..13, 23) && in_range(14..16, 59) && in_range(17..19, 59)) {
        return false;
    }
    let rest = text.get(19..).unwrap_or_default();
    let rest =
        rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    match rest.as_bytes() {
        b"Z" => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Returns true for a number with a suffix: `100m`, `1.5Gi`, `1e3` (Kubernetes' `resource.ParseQuantity`).
fn is_quantity(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.matches('.').count() <= 1;
    let is_exponent = |suffix: &str| {
        suffix.strip_prefix(['e', 'E']).is_some_and(|digits| {
            let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    is_number && (suffixes.contains(&suffix) || is_exponent(suffix))
}
