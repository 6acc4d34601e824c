//! Tree walk of the canonical writer for block YAML.

use super::{natural::in_natural_order, number::format_yaml_number, scalar::Printer, style::Allowed};
use crate::node::{Member, Node, Number, Value};

/// Columns per level.
const STEP: usize = 2;
/// Longer keys are written with `?` (in bytes, like libyaml).
const MAX_SIMPLE_KEY: usize = 128;

/// Writes one document as opm does, from its first key to the line feed after its last value, without `---`.
///
/// Keys are in natural order; the last of repeated keys counts. The output reads back as the same tree.
pub fn write_yaml(node: &Node) -> String {
    let mut writer = Writer { printer: Printer::default(), open: Vec::new() };
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
                // A list right after its key is flush with it.
                let indent = match position {
                    Position::Value(indent) if !self.printer.is_indenting() => indent,
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
