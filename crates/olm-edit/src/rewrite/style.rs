//! Style of a document: its way to write lists, maps, keys and strings. New parts follow it.

use std::collections::HashMap;

use super::{
    parts::is_flow,
    scalar::{Quote, is_safe_plain, needs_double_quotes},
    source::Source,
};
use olm_catalog::{Member, Node, Value};

/// Kind of a collection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    List,
    Map,
}

/// Style of a collection that is not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CollectionStyle {
    /// True if it is in brackets.
    pub flow: bool,
    /// True if it is in brackets with one line per part.
    pub lines: bool,
    /// True if it is in brackets on one line with blanks inside, as in `[ a ]`.
    pub padded: bool,
    /// Block style: indentation relative to the key.
    pub offset: usize,
    /// List in block style: distance from the `-` to the content; at least 2.
    pub gap: usize,
}

/// Style of one document.
#[derive(Debug, Default)]
pub(super) struct DocumentStyle {
    /// Styles by label: the key of the collection, with `[]` for items.
    styles: HashMap<(String, Kind), CollectionStyle>,
    /// Style of the first collection in brackets, for new labels.
    any_flow: HashMap<Kind, CollectionStyle>,
    /// Style of the first collection in block style, for new labels.
    any_block: HashMap<Kind, CollectionStyle>,
    /// Style of strings that do not need quotes, by label.
    plain_quotes: HashMap<String, Quote>,
    /// Style of strings that need quotes, by label.
    required_quotes: HashMap<String, Quote>,
    /// Quotes of keys, by label of the map.
    keys: HashMap<String, Quote>,
    /// Orders of keys, by label of the map.
    orders: HashMap<String, Vec<Vec<String>>>,
    /// Indentation per level in JSON; `None` if it is on one line.
    pub json_indent: Option<String>,
    /// Text between a key and its value in JSON: the colon and blanks.
    pub colon: String,
    /// Text between a comma and the next part on the same line.
    pub comma_gap: &'static str,
}

/// Maximum number of maps per label whose order of keys is recorded.
const MAX_ORDERS: usize = 20;

/// A node to visit, with the column of its key and its label.
struct Visit<'n> {
    node: &'n Node<'n>,
    column: Option<usize>,
    label: String,
}

impl DocumentStyle {
    /// Determines the style of a document.
    pub fn detect(source: &Source<'_>, root: &Node) -> Self {
        let mut style = Self { colon: ": ".to_owned(), comma_gap: " ", ..Self::default() };
        // Text of the first colon and of the first comma.
        let mut gaps = (None, None);
        let mut open = vec![Visit { node: root, column: None, label: String::new() }];
        while let Some(Visit { node, column, label }) = open.pop() {
            // Skip an alias, because its content is written elsewhere.
            if !source.is_json() && source.byte_at(node.span.start as usize) == Some(b'*') {
                continue;
            }
            if let Some((kind, look)) = style_of_node(source, node, column) {
                let any = if look.flow { &mut style.any_flow } else { &mut style.any_block };
                any.entry(kind).or_insert(look);
                style.styles.entry((label.clone(), kind)).or_insert(look);
            }
            match &node.value {
                Value::List(items) => {
                    let label = item_label(&label);
                    if let [first, second, ..] = items.as_slice() {
                        gaps.1 = gaps.1.or_else(|| detect_comma_gap(source, first, second));
                    }
                    open.extend(items.iter().rev().map(|node| Visit {
                        node,
                        column: None,
                        label: label.clone(),
                    }));
                }
                Value::Map(members) => {
                    if let Some(first) = members.first() {
                        let quote = Quote::from_first_byte(source.byte_at(first.key_span.start as usize));
                        style.keys.entry(label.clone()).or_insert(quote);
                        gaps.0 = gaps.0.or_else(|| detect_colon(source, first));
                    }
                    if members.len() > 1 {
                        let orders = style.orders.entry(label).or_default();
                        if orders.len() < MAX_ORDERS {
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
                Value::String(text) => style.record_string(source, node, text, label),
                _ => {}
            }
        }
        if source.is_json() {
            style.json_indent = detect_json_indent(source, root);
            style.colon = gaps.0.unwrap_or(style.colon);
            style.comma_gap = gaps.1.unwrap_or(if style.colon.ends_with(':') { "" } else { " " });
        } else {
            style.comma_gap = gaps.1.unwrap_or(" ");
        }
        style
    }

    /// Records the quotes of a string, if it is the first with this label.
    fn record_string(&mut self, source: &Source<'_>, node: &Node, text: &str, label: String) {
        let quote = Quote::from_first_byte(source.byte_at(node.span.start as usize));
        if quote == Quote::Plain || is_safe_plain(text, true) {
            self.plain_quotes.entry(label).or_insert(quote);
        } else if quote != Quote::Block && !needs_double_quotes(text) {
            self.required_quotes.entry(label).or_insert(quote);
        }
    }

    /// Returns the style of collections with this label and kind, if there are any.
    pub fn style_for_label(&self, label: &str, kind: Kind) -> Option<CollectionStyle> {
        self.styles.get(&(label.to_owned(), kind)).copied()
    }

    /// Returns the style of a new collection in block context, which may be in brackets.
    pub fn block_style(&self, label: &str, kind: Kind) -> CollectionStyle {
        // opm indents lists like their key and maps by two.
        let offset = if kind == Kind::Map { 2 } else { 0 };
        let default = CollectionStyle { flow: false, lines: false, padded: false, offset, gap: 2 };
        self.style_for_label(label, kind)
            .or_else(|| self.any_block.get(&kind).copied())
            .or_else(|| self.any_flow.get(&kind).copied().filter(|_| kind == Kind::List))
            .unwrap_or(default)
    }

    /// Returns the style of a new collection in brackets.
    pub fn flow_style(&self, label: &str, kind: Kind) -> CollectionStyle {
        let default = CollectionStyle {
            flow: true,
            lines: self.json_indent.is_some(),
            padded: false,
            offset: 0,
            gap: 2,
        };
        self.style_for_label(label, kind)
            .filter(|look| look.flow)
            .or_else(|| self.any_flow.get(&kind).copied().filter(|_| self.json_indent.is_none()))
            .unwrap_or(default)
    }

    /// Returns the preferred quotes of a new string with this label. `flow` is true inside
    /// brackets.
    pub fn preferred_quote(&self, label: &str, text: &str, flow: bool) -> Quote {
        match self.plain_quotes.get(label) {
            Some(Quote::Plain | Quote::Block) | None => {}
            Some(quote) => return *quote,
        }
        if is_safe_plain(text, flow) || needs_double_quotes(text) {
            return Quote::Plain;
        }
        self.required_quotes.get(label).copied().unwrap_or(Quote::Plain)
    }

    /// Returns the quotes of keys in maps with this label.
    pub fn key_quote(&self, label: &str) -> Quote {
        self.keys.get(label).copied().unwrap_or(Quote::Plain)
    }

    /// Returns the orders of keys in maps with this label.
    pub fn key_orders(&self, label: &str) -> &[Vec<String>] {
        self.orders.get(label).map_or(&[], Vec::as_slice)
    }
}

/// Returns the label of the items of a list.
pub(super) fn item_label(label: &str) -> String {
    format!("{label}[]")
}

/// Returns the style of a node, if it is a collection that is not empty. `column` is the column of
/// its key, if any.
pub(super) fn style_of_node(
    source: &Source<'_>,
    node: &Node,
    column: Option<usize>,
) -> Option<(Kind, CollectionStyle)> {
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
    let look = CollectionStyle {
        flow,
        lines: flow && own_line,
        padded: flow && !own_line && source.byte_at(start + 1) == Some(b' '),
        offset,
        gap: if flow || own_line || first <= start { 2 } else { (first - start).max(2) },
    };
    Some((kind, look))
}

/// Returns the text between the comma and the second of two items on one line.
fn detect_comma_gap(source: &Source<'_>, first: &Node, second: &Node) -> Option<&'static str> {
    match source.slice(first.span.end as usize..second.span.start as usize) {
        b"," => Some(""),
        b", " => Some(" "),
        _ => None,
    }
}

/// Returns the text between a JSON key and its value.
fn detect_colon(source: &Source<'_>, member: &Member) -> Option<String> {
    let between = source.slice(member.key_span.end as usize..member.value.span.start as usize);
    let plain = between.iter().all(|byte| matches!(byte, b' ' | b':'));
    plain.then(|| String::from_utf8_lossy(between).into_owned())
}

/// Returns the indentation of the first member of a JSON object, relative to the object.
fn detect_json_indent(source: &Source<'_>, root: &Node) -> Option<String> {
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

/// Fields of catalog blobs in the order of opm's types; one list is enough, because the types agree.
const FIELD_ORDER: [&str; 21] = [
    "schema",
    "name",
    "package",
    "reference",
    "message",
    "defaultChannel",
    "base64data",
    "mediatype",
    "icon",
    "description",
    "image",
    "replaces",
    "skips",
    "skipRange",
    "type",
    "value",
    "entries",
    "channels",
    "bundles",
    "properties",
    "relatedImages",
];

fn field_rank(key: &str) -> Option<usize> {
    FIELD_ORDER.iter().position(|field| *field == key)
}

fn is_sorted<K: AsRef<str>>(keys: &[K]) -> bool {
    keys.is_sorted_by(|a, b| a.as_ref() <= b.as_ref())
}

/// Returns true if the known keys are in the order of opm's types.
fn is_by_rank<K: AsRef<str>>(keys: &[K]) -> bool {
    keys.iter().filter_map(|key| field_rank(key.as_ref())).is_sorted()
}

/// Returns true if new keys of a map with this label go to their sorted position. This holds for a sorted map,
/// unless similar maps are not sorted. A small map follows similar maps or the document.
pub(super) fn inserts_sorted<K: AsRef<str>>(keys: &[K], label: &str, style: &DocumentStyle) -> bool {
    let like = style.key_orders(label);
    if !is_sorted(keys) || !like.iter().all(|keys| is_sorted(keys)) {
        return false;
    }
    if keys.len() > 1 || like.iter().any(|keys| !is_by_rank(keys)) {
        return true;
    }
    let root = style.key_orders("");
    !root.is_empty() && root.iter().all(|keys| is_sorted(keys))
}

/// Returns the index of a new key among `keys`.
pub(super) fn insert_index<K: AsRef<str>>(keys: &[K], key: &str, sorted: bool) -> usize {
    if sorted {
        return keys.iter().position(|other| other.as_ref() > key).unwrap_or(keys.len());
    }
    let Some(own) = field_rank(key) else { return keys.len() };
    let ranked = |at: &usize| keys.get(*at).and_then(|other| field_rank(other.as_ref()));
    let before =
        (0..keys.len()).filter(|at| ranked(at).is_some_and(|other| other < own)).max_by_key(|at| ranked(at));
    match before {
        Some(at) => at + 1,
        None => (0..keys.len()).find(|at| ranked(at).is_some()).unwrap_or(keys.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_keys_keep_sorted_order_or_follow_opms_order() {
        let cases: [(&[&str], &str, bool, usize); 9] = [
            (&["name", "replaces", "skips"], "skipRange", true, 2),
            (&["name", "replaces", "skips"], "skipRange", false, 3),
            (&["name", "skips"], "replaces", false, 1),
            (&["name", "skipRange", "replaces"], "skips", false, 3),
            (&["replaces", "name"], "skips", false, 1),
            (&["skips"], "name", false, 0),
            (&["name", "x"], "y", false, 2),
            (&["x"], "name", false, 1),
            (&["entries", "name"], "aaa", true, 0),
        ];
        for (keys, key, sorted, expected) in cases {
            assert_eq!(insert_index(keys, key, sorted), expected, "{key} into {keys:?}");
        }
    }
}
