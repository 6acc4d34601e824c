//! JSON as opm's encoder writes it: four blanks per level, no HTML escapes, a line feed at the end.

use super::{members::effective_members, scalar::push_blanks};
use crate::node::{Member, Node, Number, Value};
use std::fmt::Write as _;

/// Blanks per level.
const STEP: usize = 4;

/// Writes one document like Go's `json.Encoder` with an indent of four blanks. Keys keep the order of the tree;
/// the last of repeated keys counts.
///
/// [`normalize`](crate::text::canonical::normalize) establishes opm's key order.
pub fn write_json(node: &Node) -> String {
    let mut writer = Writer { out: String::new(), open: Vec::new() };
    writer.write_node(node);
    writer.write_all();
    writer.out.push('\n');
    writer.out
}

/// A list or object with remaining children. On an explicit stack, because nesting may be 10,000 levels deep.
struct Open<'a> {
    children: Children<'a>,
    first: bool,
}

enum Children<'a> {
    List(std::slice::Iter<'a, Node<'a>>),
    Map(std::vec::IntoIter<&'a Member<'a>>),
}

struct Writer<'a> {
    out: String,
    open: Vec<Open<'a>>,
}

impl<'a> Writer<'a> {
    fn write_all(&mut self) {
        let mut depth = self.open.len();
        while let Some(Open { children, first }) = self.open.last_mut() {
            let (key, child, end) = match children {
                Children::List(items) => (None, items.next(), ']'),
                Children::Map(members) => match members.next() {
                    Some(member) => (Some(member.key.as_ref()), Some(&member.value), '}'),
                    None => (None, None, '}'),
                },
            };
            if let Some(child) = child {
                self.out.push_str(if *first { "\n" } else { ",\n" });
                *first = false;
                self.indent(depth);
                if let Some(key) = key {
                    self.write_string(key);
                    self.out.push_str(": ");
                }
                self.write_node(child);
            } else {
                self.open.pop();
                self.out.push('\n');
                self.indent(depth - 1);
                self.out.push(end);
            }
            depth = self.open.len();
        }
    }

    fn write_node(&mut self, node: &'a Node) {
        match &node.value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(Number(text)) => self.out.push_str(text),
            Value::String(text) => self.write_string(text),
            Value::List(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Map(members) if members.is_empty() => self.out.push_str("{}"),
            Value::List(items) => {
                self.out.push('[');
                self.open.push(Open { children: Children::List(items.iter()), first: true });
            }
            Value::Map(members) => {
                self.out.push('{');
                let members = effective_members(members).into_iter();
                self.open.push(Open { children: Children::Map(members), first: true });
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        push_blanks(&mut self.out, depth * STEP);
    }

    /// Writes a string with the escapes of `encoding/json` without HTML escapes.
    fn write_string(&mut self, text: &str) {
        self.out.push('"');
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c < ' ' || matches!(c, '"' | '\\' | '\u{2028}' | '\u{2029}'))
        {
            self.out.push_str(&rest[..at]);
            let mut chars = rest[at..].chars();
            match chars.next() {
                Some('"') => self.out.push_str("\\\""),
                Some('\\') => self.out.push_str("\\\\"),
                Some('\n') => self.out.push_str("\\n"),
                Some('\r') => self.out.push_str("\\r"),
                Some('\t') => self.out.push_str("\\t"),
                Some('\u{8}') => self.out.push_str("\\b"),
                Some('\u{c}') => self.out.push_str("\\f"),
                Some(other) => {
                    // Writing to a string cannot fail.
                    let _ = write!(self.out, "\\u{:04x}", u32::from(other));
                }
                None => {}
            }
            rest = chars.as_str();
        }
        self.out.push_str(rest);
        self.out.push('"');
    }
}
