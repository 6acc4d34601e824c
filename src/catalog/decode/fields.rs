//! Looking up fields of an object as Go's `encoding/json` does.

use super::Decoder;
use crate::catalog::{
    node::{Member, Node, Value},
    problem::ProblemKind,
    span::{Span, Spanned},
};

/// The members of one object, and what to call it in messages.
pub(super) struct Fields<'a> {
    node: &'a Node,
    prefix: String,
}

/// Whether a key names a field: without regard to case, and with the two letters that Go folds to ASCII.
pub fn same_key(field: &str, key: &str) -> bool {
    let fold = |c: char| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    field.chars().map(fold).eq(key.chars().map(fold))
}

impl Decoder {
    /// Whether a node is a mapping; reports where it is not.
    pub(super) fn expect_map(&mut self, node: &Node, field: &str) -> bool {
        let is_map = matches!(node.value, Value::Map(_));
        if !is_map {
            self.wrong_type(node.span, field.to_owned(), "a map");
        }
        is_map
    }

    pub(super) fn wrong_type(&mut self, span: Span, field: String, expected: &'static str) {
        self.problem(span, ProblemKind::WrongType { field, expected });
    }

    /// A string item of a list. Null is the empty string, as in Go.
    pub(super) fn item_string(
        &mut self,
        node: &Node,
        field: impl FnOnce() -> String,
    ) -> Option<Spanned<String>> {
        match &node.value {
            Value::String(text) => Some(Spanned::new(text.clone(), node.span)),
            Value::Null => Some(Spanned::new(String::new(), node.span)),
            _ => {
                self.wrong_type(node.span, field(), "a string");
                None
            }
        }
    }
}

impl<'a> Fields<'a> {
    pub(super) fn of(node: &'a Node, prefix: &str) -> Self {
        Self { node, prefix: prefix.to_owned() }
    }

    pub(super) fn span(&self) -> Span {
        self.node.span
    }

    pub(super) fn path(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    /// The member a Go decoder ends up with: the last one that matches. opm writes every object anew with its keys
    /// sorted by bytes before it fills its structs (operator-registry `alpha/declcfg/declcfg.go`, `Meta`).
    pub(super) fn member(&self, key: &str) -> Option<&'a Member> {
        let matching = self.node.members().iter().filter(|m| m.key == key || same_key(key, &m.key));
        matching.max_by(|a, b| a.key.cmp(&b.key))
    }

    /// The value of a field that is not null.
    pub(super) fn value(&self, key: &str) -> Option<&'a Node> {
        self.member(key).map(|m| &m.value).filter(|v| !v.is_null())
    }

    /// A string field.
    pub(super) fn string(&self, decoder: &mut Decoder, key: &str) -> Option<Spanned<String>> {
        let node = self.value(key)?;
        if let Value::String(text) = &node.value {
            return Some(Spanned::new(text.clone(), node.span));
        }
        decoder.wrong_type(node.span, self.path(key), "a string");
        None
    }

    /// A string field for which empty means absent.
    pub(super) fn text(&self, decoder: &mut Decoder, key: &str) -> Option<Spanned<String>> {
        self.string(decoder, key).filter(|s| !s.value.is_empty())
    }

    /// The items of a list field; none where it is absent.
    pub(super) fn list(&self, decoder: &mut Decoder, key: &str) -> &'a [Node] {
        let Some(node) = self.value(key) else { return &[] };
        if let Value::List(items) = &node.value {
            return items;
        }
        decoder.wrong_type(node.span, self.path(key), "a list");
        &[]
    }

    /// A mapping field.
    pub(super) fn map(&self, decoder: &mut Decoder, key: &str) -> Option<&'a Node> {
        let node = self.value(key)?;
        decoder.expect_map(node, &self.path(key)).then_some(node)
    }
}
