//! Block YAML: the tree walk of the canonical writer.

use super::{natural::in_natural_order, number::yaml_number, scalar::Printer, style::Allowed};
use crate::catalog::node::{Member, Node, Number, Value};

/// Columns one level is deep.
const STEP: usize = 2;
/// Longer keys are written with `?` (bytes, as libyaml counts them).
const LONGEST_SIMPLE_KEY: usize = 128;

/// One document as opm writes it, from its first key to the line feed after its last value, without `---`.
///
/// Keys come out in natural order, of repeated keys the last. Reading the result gives the same tree.
pub fn yaml(node: &Node) -> String {
    let mut writer = Writer { printer: Printer::default(), open: Vec::new() };
    writer.node(node, Place::Root);
    writer.run();
    writer.printer.indent(0);
    writer.printer.finish()
}

/// Where a node stands.
#[derive(Clone, Copy)]
enum Place {
    Root,
    /// In a list indented this far.
    Item(usize),
    /// After a key of a mapping indented this far.
    Value(usize),
}

impl Place {
    /// The column of what is inside the node.
    fn inner(self) -> usize {
        match self {
            Self::Root => 0,
            Self::Item(indent) | Self::Value(indent) => indent + STEP,
        }
    }

    /// The column in which a folded text goes on, and in which block texts stand.
    fn text(self) -> usize {
        match self {
            Self::Root => STEP,
            Self::Item(indent) | Self::Value(indent) => indent + STEP,
        }
    }
}

/// A list or mapping with children still to write. Kept on a stack of ours: nesting goes to 10,000.
enum Open<'a> {
    List { items: std::slice::Iter<'a, Node<'a>>, indent: usize },
    Map { members: std::vec::IntoIter<&'a Member<'a>>, indent: usize },
}

struct Writer<'a> {
    printer: Printer,
    open: Vec<Open<'a>>,
}

impl<'a> Writer<'a> {
    fn run(&mut self) {
        while let Some(open) = self.open.last_mut() {
            match open {
                Open::List { items, indent } => {
                    let indent = *indent;
                    if let Some(item) = items.next() {
                        self.printer.indent(indent);
                        self.printer.block_indicator('-');
                        self.node(item, Place::Item(indent));
                        continue;
                    }
                }
                Open::Map { members, indent } => {
                    let indent = *indent;
                    if let Some(member) = members.next() {
                        self.member(member, indent);
                        continue;
                    }
                }
            }
            self.open.pop();
        }
    }

    fn member(&mut self, member: &'a Member, indent: usize) {
        self.printer.indent(indent);
        let key = &member.key;
        let allowed = Allowed::of(key);
        if !allowed.multiline && key.len() <= LONGEST_SIMPLE_KEY {
            self.printer.text(key, allowed.style(key, true), None);
            self.printer.colon();
        } else {
            self.printer.block_indicator('?');
            self.printer.text(key, allowed.style(key, false), Some(indent + STEP));
            self.printer.indent(indent);
            self.printer.block_indicator(':');
        }
        self.node(&member.value, Place::Value(indent));
    }

    fn node(&mut self, node: &'a Node, place: Place) {
        match &node.value {
            Value::Null => self.printer.token("null"),
            Value::Bool(true) => self.printer.token("true"),
            Value::Bool(false) => self.printer.token("false"),
            Value::Number(Number(text)) => self.printer.token(&yaml_number(text)),
            Value::String(text) => {
                self.printer.text(text, Allowed::of(text).style(text, false), Some(place.text()));
            }
            Value::List(items) if items.is_empty() => self.printer.token("[]"),
            Value::Map(members) if members.is_empty() => self.printer.token("{}"),
            Value::List(items) => {
                // A list right after its key is flush with it.
                let indent = match place {
                    Place::Value(indent) if !self.printer.is_indenting() => indent,
                    _ => place.inner(),
                };
                self.open.push(Open::List { items: items.iter(), indent });
            }
            Value::Map(members) => {
                let members = in_natural_order(members).into_iter();
                self.open.push(Open::Map { members, indent: place.inner() });
            }
        }
    }
}
