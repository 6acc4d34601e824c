//! The habits of a document: how it writes lists, maps, keys and strings, so that what is new looks as if it had
//! always been there.

use std::collections::HashMap;

use super::{
    parts::is_flow,
    scalar::{Quote, needs_double, plain_is_safe},
    source::Source,
};
use crate::catalog::{Member, Node, Value};

/// List or map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    List,
    Map,
}

/// How a collection that is not empty is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Look {
    /// In brackets.
    pub flow: bool,
    /// In brackets, each part on a line of its own.
    pub lines: bool,
    /// In brackets on one line with blanks inside them: `[ a ]`.
    pub padded: bool,
    /// In block style: how much deeper than the key it is the value of.
    pub offset: usize,
    /// A list in block style: how far the items begin after their `-`; at least 2.
    pub gap: usize,
}

/// The habits of one document.
#[derive(Debug, Default)]
pub(super) struct Style {
    /// By what it is: the key it is the value of, with `[]` for items.
    looks: HashMap<(String, Kind), Look>,
    any_flow: HashMap<Kind, Look>,
    any_block: HashMap<Kind, Look>,
    /// Of strings that could be written bare: how they are written.
    free: HashMap<String, Quote>,
    /// Of strings that need quotes: which they have.
    quoted: HashMap<String, Quote>,
    /// How the keys of a map are written.
    keys: HashMap<String, Quote>,
    /// The keys of maps in the order in which they are written.
    orders: HashMap<String, Vec<Vec<String>>>,
    /// What one level adds to the indentation of a JSON text; `None` if it is on one line.
    pub unit: Option<String>,
    /// What is between a key and its value in JSON.
    pub colon: String,
    /// What is between a comma and the next part on the same line.
    pub comma_gap: &'static str,
}

/// How many maps of one kind are asked for their key order; more would say the same.
const ORDERS: usize = 20;

/// A node to visit, the column of the key it is the value of, and what it is.
struct Visit<'n> {
    node: &'n Node<'n>,
    column: Option<usize>,
    label: String,
}

impl Style {
    /// Looks at a whole document.
    pub fn of(source: &Source<'_>, root: &Node) -> Self {
        let mut style = Self { colon: ": ".to_owned(), comma_gap: " ", ..Self::default() };
        let mut gaps = (None, None);
        let mut open = vec![Visit { node: root, column: None, label: String::new() }];
        while let Some(Visit { node, column, label }) = open.pop() {
            // Written elsewhere.
            if !source.is_json() && source.byte(node.span.start as usize) == Some(b'*') {
                continue;
            }
            if let Some((kind, look)) = look(source, node, column) {
                let any = if look.flow { &mut style.any_flow } else { &mut style.any_block };
                any.entry(kind).or_insert(look);
                style.looks.entry((label.clone(), kind)).or_insert(look);
            }
            match &node.value {
                Value::List(items) => {
                    let label = items_of(&label);
                    if let [first, second, ..] = items.as_slice() {
                        gaps.1 = gaps.1.or_else(|| comma_gap(source, first, second));
                    }
                    open.extend(items.iter().rev().map(|node| Visit {
                        node,
                        column: None,
                        label: label.clone(),
                    }));
                }
                Value::Map(members) => {
                    if let Some(first) = members.first() {
                        let quote = Quote::of(source.byte(first.key_span.start as usize));
                        style.keys.entry(label.clone()).or_insert(quote);
                        gaps.0 = gaps.0.or_else(|| colon(source, first));
                    }
                    if members.len() > 1 {
                        let orders = style.orders.entry(label).or_default();
                        if orders.len() < ORDERS {
                            orders
                                .push(members.iter().map(|member| member.key.clone().into_owned()).collect());
                        }
                    }
                    for member in members.iter().rev() {
                        let column = Some(source.column(member.key_span.start as usize));
                        open.push(Visit {
                            node: &member.value,
                            column,
                            label: member.key.clone().into_owned(),
                        });
                    }
                }
                Value::String(text) => style.note_string(source, node, text, label),
                _ => {}
            }
        }
        if source.is_json() {
            style.unit = json_unit(source, root);
            style.colon = gaps.0.unwrap_or(style.colon);
            style.comma_gap = gaps.1.unwrap_or(if style.colon.ends_with(':') { "" } else { " " });
        } else {
            style.comma_gap = gaps.1.unwrap_or(" ");
        }
        style
    }

    fn note_string(&mut self, source: &Source<'_>, node: &Node, text: &str, label: String) {
        let quote = Quote::of(source.byte(node.span.start as usize));
        if quote == Quote::Plain || plain_is_safe(text, true) {
            self.free.entry(label).or_insert(quote);
        } else if quote != Quote::Block && !needs_double(text) {
            self.quoted.entry(label).or_insert(quote);
        }
    }

    /// How collections of this label and kind are written, if there are any.
    pub fn look(&self, label: &str, kind: Kind) -> Option<Look> {
        self.looks.get(&(label.to_owned(), kind)).copied()
    }

    /// How a new collection in block style is to be written, or that it should rather be in brackets.
    pub fn block_look(&self, label: &str, kind: Kind) -> Look {
        // Lists flush with their key and maps two deeper: what opm writes.
        let offset = if kind == Kind::Map { 2 } else { 0 };
        let default = Look { flow: false, lines: false, padded: false, offset, gap: 2 };
        self.look(label, kind)
            .or_else(|| self.any_block.get(&kind).copied())
            .or_else(|| self.any_flow.get(&kind).copied().filter(|_| kind == Kind::List))
            .unwrap_or(default)
    }

    /// How a new collection in brackets is to be written.
    pub fn flow_look(&self, label: &str, kind: Kind) -> Look {
        let default = Look { flow: true, lines: self.unit.is_some(), padded: false, offset: 0, gap: 2 };
        self.look(label, kind)
            .filter(|look| look.flow)
            .or_else(|| self.any_flow.get(&kind).copied().filter(|_| self.unit.is_none()))
            .unwrap_or(default)
    }

    /// How a new string of this label is to be written if it can be.
    pub fn quote(&self, label: &str, text: &str, flow: bool) -> Quote {
        match self.free.get(label) {
            Some(Quote::Plain | Quote::Block) | None => {}
            Some(quote) => return *quote,
        }
        if plain_is_safe(text, flow) || needs_double(text) {
            return Quote::Plain;
        }
        self.quoted.get(label).copied().unwrap_or(Quote::Plain)
    }

    /// How the keys of maps of this label are written.
    pub fn key_quote(&self, label: &str) -> Quote {
        self.keys.get(label).copied().unwrap_or(Quote::Plain)
    }

    /// The key orders seen in maps of this label.
    pub fn orders(&self, label: &str) -> &[Vec<String>] {
        self.orders.get(label).map_or(&[], Vec::as_slice)
    }
}

/// What the items of a list of this label are.
pub(super) fn items_of(label: &str) -> String {
    format!("{label}[]")
}

/// How a node is written, if it is a collection that is not empty.
pub(super) fn look(source: &Source<'_>, node: &Node, column: Option<usize>) -> Option<(Kind, Look)> {
    let (kind, first) = match &node.value {
        Value::List(items) => (Kind::List, items.first()?.span.start as usize),
        Value::Map(members) => (Kind::Map, members.first()?.key_span.start as usize),
        _ => return None,
    };
    let start = node.span.start as usize;
    let flow = is_flow(source, node);
    let own_line = source.line_start(first) > start;
    let offset = match (flow, column) {
        (false, Some(column)) => source.column(start).saturating_sub(column),
        _ if kind == Kind::Map => 2,
        _ => 0,
    };
    let look = Look {
        flow,
        lines: flow && own_line,
        padded: flow && !own_line && source.byte(start + 1) == Some(b' '),
        offset,
        gap: if flow || own_line || first <= start { 2 } else { (first - start).max(2) },
    };
    Some((kind, look))
}

/// What is between the comma and the second of two items on one line.
fn comma_gap(source: &Source<'_>, first: &Node, second: &Node) -> Option<&'static str> {
    match source.get(first.span.end as usize..second.span.start as usize) {
        b"," => Some(""),
        b", " => Some(" "),
        _ => None,
    }
}

/// What is between a JSON key and its value.
fn colon(source: &Source<'_>, member: &Member) -> Option<String> {
    let between = source.get(member.key_span.end as usize..member.value.span.start as usize);
    let plain = between.iter().all(|byte| matches!(byte, b' ' | b':'));
    plain.then(|| String::from_utf8_lossy(between).into_owned())
}

/// What the first member of a JSON object is indented more than the object itself.
fn json_unit(source: &Source<'_>, root: &Node) -> Option<String> {
    let first = root.members().first()?.key_span.start as usize;
    let start = root.span.start as usize;
    if source.line_start(first) <= start {
        return None;
    }
    let outer = source.indentation(start);
    let inner = source.indentation(first);
    let unit = inner.strip_prefix(outer).filter(|unit| !unit.is_empty()).unwrap_or(b"    ");
    Some(String::from_utf8_lossy(unit).into_owned())
}
