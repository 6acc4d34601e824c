//! Tree walk of the canonical writer for block YAML.

use std::{cmp::Ordering, collections::HashMap};

use super::{
    format_yaml_number,
    scalar::{Allowed, Printer},
};
use crate::node::{Member, Node, Number, Value};

/// Columns per level.
const STEP: usize = 2;
/// Longer keys are written with `?` (in bytes, like libyaml).
const MAX_SIMPLE_KEY: usize = 128;

/// Writes one document as opm does, from its first key to the line feed after its last value, without `---`.
///
/// Keys are in natural order; the last of repeated keys counts. The output reads back as the same tree.
pub fn write_yaml(node: &Node) -> String {
    write_indented_yaml(node, 0)
}

/// Writes one document as [`write_yaml`] does, with lists indented by `list_indent` columns below their keys.
pub fn write_indented_yaml(node: &Node, list_indent: usize) -> String {
    let mut writer = Writer { printer: Printer::default(), open: Vec::new(), list_indent };
    writer.write_node(node, Position::Root);
    writer.write_all();
    writer.printer.indent(0);
    writer.printer.into_string()
}

/// Position of a node in its parent.
#[derive(Clone, Copy)]
enum Position {
    Root,
    /// Item of a list with this indentation.
    Item(usize),
    /// Value of a key in a map with this indentation.
    Value(usize),
}

impl Position {
    /// Returns the column of the node's children.
    fn child_column(self) -> usize {
        match self {
            Self::Root => 0,
            Self::Item(indent) | Self::Value(indent) => indent + STEP,
        }
    }

    /// Returns the column in which folded and block texts continue.
    fn text_column(self) -> usize {
        match self {
            Self::Root => STEP,
            Self::Item(indent) | Self::Value(indent) => indent + STEP,
        }
    }
}

/// A list or map with remaining children. On an explicit stack, because nesting may be 10,000 levels deep.
enum Open<'a> {
    List { items: std::slice::Iter<'a, Node<'a>>, indent: usize },
    Map { members: std::vec::IntoIter<&'a Member<'a>>, indent: usize },
}

struct Writer<'a> {
    printer: Printer,
    open: Vec<Open<'a>>,
    list_indent: usize,
}

impl<'a> Writer<'a> {
    fn write_all(&mut self) {
        while let Some(open) = self.open.last_mut() {
            match open {
                Open::List { items, indent } => {
                    let indent = *indent;
                    if let Some(item) = items.next() {
                        self.printer.indent(indent);
                        self.printer.write_block_indicator('-');
                        self.write_node(item, Position::Item(indent));
                        continue;
                    }
                }
                Open::Map { members, indent } => {
                    let indent = *indent;
                    if let Some(member) = members.next() {
                        self.write_member(member, indent);
                        continue;
                    }
                }
            }
            self.open.pop();
        }
    }

    fn write_member(&mut self, member: &'a Member, indent: usize) {
        self.printer.indent(indent);
        let key = &member.key;
        let allowed = Allowed::analyze(key);
        if !allowed.multiline && key.len() <= MAX_SIMPLE_KEY {
            self.printer.write_text(key, allowed.style(key, true), None);
            self.printer.write_colon();
        } else {
            self.printer.write_block_indicator('?');
            self.printer.write_text(key, allowed.style(key, false), Some(indent + STEP));
            self.printer.indent(indent);
            self.printer.write_block_indicator(':');
        }
        self.write_node(&member.value, Position::Value(indent));
    }

    fn write_node(&mut self, node: &'a Node, position: Position) {
        match &node.value {
            Value::Null => self.printer.write_token("null"),
            Value::Bool(true) => self.printer.write_token("true"),
            Value::Bool(false) => self.printer.write_token("false"),
            Value::Number(Number(text)) => self.printer.write_token(&format_yaml_number(text)),
            Value::String(text) => {
                self.printer.write_text(
                    text,
                    Allowed::analyze(text).style(text, false),
                    Some(position.text_column()),
                );
            }
            Value::List(items) if items.is_empty() => self.printer.write_token("[]"),
            Value::Map(members) if members.is_empty() => self.printer.write_token("{}"),
            Value::List(items) => {
                // opm writes a list flush with its key.
                let indent = match position {
                    Position::Value(indent) if !self.printer.is_indenting() => indent + self.list_indent,
                    _ => position.child_column(),
                };
                self.open.push(Open::List { items: items.iter(), indent });
            }
            Value::Map(members) => {
                let members = in_natural_order(members).into_iter();
                self.open.push(Open::Map { members, indent: position.child_column() });
            }
        }
    }
}

/// Returns the effective members in natural order.
fn in_natural_order<'n, 'a>(members: &'n [Member<'a>]) -> Vec<&'n Member<'a>> {
    let mut members = effective_members(members);
    if !members.is_sorted_by(|a, b| compare_natural(&a.key, &b.key) == Ordering::Less) {
        members.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        merge_sort(&mut members, |a, b| compare_natural(&a.key, &b.key) != Ordering::Greater);
    }
    members
}

/// Compares two keys as go-yaml v2 does (`keyList.Less`). At the first difference, letters come after all other
/// characters, digits compare as numbers (`a2` before `a10`), and the rest compares by code point.
fn compare_natural(a: &str, b: &str) -> Ordering {
    let difference = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b);
    let Some(((at, a_char), b_char)) = difference else {
        return a.len().cmp(&b.len());
    };
    match (a_char.is_alphabetic(), b_char.is_alphabetic()) {
        (true, true) => return a_char.cmp(&b_char),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // Digits before the difference matter if they make a zero significant: `10` is not `1` and `0`.
    let inside_number = (a_char == '0' || b_char == '0')
        && a[..at].bytes().rev().take_while(u8::is_ascii_digit).any(|digit| digit != b'0');
    let (a_number, a_length) = leading_number(&a[at..], inside_number);
    let (b_number, b_length) = leading_number(&b[at..], inside_number);
    a_number.cmp(&b_number).then(a_length.cmp(&b_length)).then(a_char.cmp(&b_char))
}

/// Returns the number at the beginning of a text, or 0, and the count of its digits. `continues` puts a 1
/// before the digits, because they continue a number. Overflow wraps like Go's `int64`.
fn leading_number(text: &str, continues: bool) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((i64::from(continues), 0), |(number, length), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), length + 1)
    })
}

/// Sorts stably by an arbitrary relation. Natural order has cycles (`12` < `1a` < `2` < `12`), on which
/// the sorts of the standard library may panic.
fn merge_sort<T: Copy>(items: &mut Vec<T>, in_order: impl Fn(T, T) -> bool) {
    let mut merged = Vec::with_capacity(items.len());
    let mut width = 1;
    while width < items.len() {
        for pair in items.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([a, a_rest @ ..], [b, b_rest @ ..]) = (left, right) {
                if in_order(*a, *b) {
                    merged.push(*a);
                    left = a_rest;
                } else {
                    merged.push(*b);
                    right = b_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(items, &mut merged);
        merged.clear();
        width *= 2;
    }
}

/// Returns the members in source order, without those that a later member with the same key overrides.
pub(crate) fn effective_members<'n, 'a>(members: &'n [Member<'a>]) -> Vec<&'n Member<'a>> {
    if members.is_sorted_by(|a, b| a.key < b.key) {
        return members.iter().collect();
    }
    let last: HashMap<&str, usize> = members.iter().enumerate().map(|(i, m)| (m.key.as_ref(), i)).collect();
    members.iter().enumerate().filter(|(i, m)| last.get(m.key.as_ref()) == Some(i)).map(|(_, m)| m).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sort_keys(keys: &[&str]) -> Vec<String> {
        let mut keys: Vec<&str> = keys.to_vec();
        merge_sort(&mut keys, |a, b| compare_natural(a, b) != Ordering::Greater);
        keys.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn numbers_in_keys_compare_by_value() {
        assert_eq!(sort_keys(&["a10", "a2", "a100", "a1"]), ["a1", "a2", "a10", "a100"]);
        assert_eq!(sort_keys(&["v01", "v1", "v001"]), ["v1", "v01", "v001"]);
        assert_eq!(sort_keys(&["12", "105", "10", "1-"]), ["1-", "10", "12", "105"]);
    }

    #[test]
    fn signs_come_before_digits_and_digits_before_letters() {
        assert_eq!(sort_keys(&["ab", "a_b", "a-b", "a1", "a", "aB"]), ["a", "a-b", "a_b", "a1", "aB", "ab"]);
    }

    #[test]
    fn cyclic_order_does_not_panic() {
        let keys: Vec<String> =
            (0..2000).map(|i| format!("{}{}", i % 13, ["", "a", "0", "-"][i % 4])).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(sort_keys(&keys).len(), 2000);
    }

    #[test]
    fn long_digit_runs_do_not_overflow() {
        assert_eq!(sort_keys(&["9".repeat(40).as_str(), "1"]).len(), 2);
    }
}
