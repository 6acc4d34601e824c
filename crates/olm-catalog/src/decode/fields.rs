//! Field lookup as in Go's `encoding/json`.

use super::{Decoder, path::Path};
use crate::{
    node::{Member, Node, Value},
    problem::ProblemKind,
    span::{Span, Spanned},
};

/// Members of an object, with its path.
pub(super) struct Fields<'a> {
    node: &'a Node<'a>,
    path: Path<'a>,
}

/// Returns true if a key matches a field: ignores case and folds two non-ASCII letters like Go.
pub fn key_matches_field(field: &str, key: &str) -> bool {
    // Fast path: most keys are ASCII.
    if key.is_ascii() {
        return field.eq_ignore_ascii_case(key);
    }
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    field.chars().map(fold).eq(key.chars().map(fold))
}

impl Decoder {
    /// Returns true if a node is a map; reports it otherwise.
    pub(super) fn expect_map(&mut self, node: &Node, path: Path<'_>) -> bool {
        let is_map = matches!(node.value, Value::Map(_));
        if !is_map {
            self.report_wrong_type(node.span, path.format_dotted(), "a map");
        }
        is_map
    }

    pub(super) fn report_wrong_type(&mut self, span: Span, field: String, expected: &'static str) {
        self.report_problem(span, ProblemKind::WrongType { field, expected });
    }

    /// Returns a string item of a list. Null is the empty string, as in Go.
    pub(super) fn string_item(&mut self, node: &Node, path: Path<'_>) -> Option<Spanned<String>> {
        match &node.value {
            Value::String(text) => Some(Spanned::new(text.clone().into_owned(), node.span)),
            Value::Null => Some(Spanned::new(String::new(), node.span)),
            _ => {
                self.report_wrong_type(node.span, path.format_dotted(), "a string");
                None
            }
        }
    }
}

impl<'a> Fields<'a> {
    pub(super) fn new(node: &'a Node, path: Path<'a>) -> Self {
        Self { node, path }
    }

    pub(super) fn span(&self) -> Span {
        self.node.span
    }

    /// Returns the path of a field for messages.
    pub(super) fn field_path(&self, key: &str) -> String {
        Path::Key(&self.path, key).format_dotted()
    }

    /// Returns the member that a Go decoder uses: the last one that matches in byte order. opm sorts the keys
    /// of every object by bytes before it fills its structs (operator-registry `alpha/declcfg/declcfg.go`,
    /// `Meta`).
    pub(super) fn member(&self, key: &str) -> Option<&'a Member<'a>> {
        let matching = self.node.members().iter().filter(|m| m.key == key || key_matches_field(key, &m.key));
        matching.max_by(|a, b| a.key.cmp(&b.key))
    }

    /// Returns the value of a field unless it is null.
    pub(super) fn non_null_value(&self, key: &str) -> Option<&'a Node<'a>> {
        self.member(key).map(|m| &m.value).filter(|v| !v.is_null())
    }

    /// Returns a string field.
    pub(super) fn string_field(&self, decoder: &mut Decoder, key: &str) -> Option<Spanned<String>> {
        let node = self.non_null_value(key)?;
        if let Value::String(text) = &node.value {
            return Some(Spanned::new(text.clone().into_owned(), node.span));
        }
        decoder.report_wrong_type(node.span, self.field_path(key), "a string");
        None
    }

    /// Returns a string field; an empty string counts as absent.
    pub(super) fn non_empty_string(&self, decoder: &mut Decoder, key: &str) -> Option<Spanned<String>> {
        self.string_field(decoder, key).filter(|s| !s.value.is_empty())
    }

    /// Returns the items of a list field; empty if absent.
    pub(super) fn list_field(&self, decoder: &mut Decoder, key: &str) -> &'a [Node<'a>] {
        let Some(node) = self.non_null_value(key) else { return &[] };
        if let Value::List(items) = &node.value {
            return items;
        }
        decoder.report_wrong_type(node.span, self.field_path(key), "a list");
        &[]
    }

    /// Returns a map field.
    pub(super) fn map_field(&self, decoder: &mut Decoder, key: &str) -> Option<&'a Node<'a>> {
        let node = self.non_null_value(key)?;
        decoder.expect_map(node, Path::Key(&self.path, key)).then_some(node)
    }
}
