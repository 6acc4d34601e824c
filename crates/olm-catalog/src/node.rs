//! Tree of one document with the byte span of every node; the common result of the YAML and JSON parsers.
//!
//! Strings whose value is in the source are borrowed from the text. [`Node::detached`] returns a tree that owns
//! its strings.

use std::{borrow::Cow, collections::HashMap};

use super::span::Span;

/// Maximum nesting of lists and maps; opm's limit (that of Go's JSON decoder).
pub const MAX_DEPTH: usize = 10_000;

/// A value with its source span.
///
/// For YAML, the span of a scalar includes its quotes or block header. The span of a flow collection includes
/// its brackets. A block collection spans from the first byte of its first key or `-` to the last byte of its
/// last value. An alias has the span of the alias (`*name`), and so have members merged by `<<`.
///
/// Precisely, for `text` the chunk that was parsed:
///
/// - The span of a plain scalar does not include blanks and comments around it. The span of a quoted scalar
///   includes its quotes. The span of a block scalar goes from `|` or `>` to the end of its last content line,
///   without that line's break and the blank lines after it (also for `|+`, where those are part of the value).
///   Without content, it is the header up to its indicators.
/// - A tag or an anchor before a value is not part of the value's span, so that replacing the span keeps them.
/// - An absent value (`key:`, `-`) has an empty span right after the `:` or `-`, or after the key if there is
///   no `:` (`? key`, `{key}`).
/// - A block collection starts at its first `-`, `?` or key (with the key's own tag or anchor) and ends with
///   its last value. The one-pair map in `[a: b]` counts as a block collection.
/// - Inside an alias every node and key has the span of the alias, and so have members merged through one.
#[derive(Debug)]
pub struct Node<'a> {
    /// Span in the document text.
    pub span: Span,
    /// Value of the node.
    pub value: Value<'a>,
}

/// Value in JSON's data model, because opm converts YAML to JSON before decoding.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// `null`, `~` or an absent value.
    Null,
    /// A boolean (in YAML 1.1 also `yes`, `off`, `y` ...).
    Bool(bool),
    /// A number.
    Number(Number<'a>),
    /// A string.
    String(Cow<'a, str>),
    /// A sequence.
    List(Vec<Node<'a>>),
    /// A map in source order with duplicates; the last of a name counts.
    Map(Vec<Member<'a>>),
}

/// A number as JSON text (`0x1F` is `31`). 64-bit integers keep all digits; others have the precision of a
/// 64-bit float.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number<'a>(pub Cow<'a, str>);

/// A `key: value` pair of a map.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'a> {
    /// Key as a string (`yes:` is the key `true`, as in opm).
    pub key: Cow<'a, str>,
    /// Span of the key, including quotes.
    pub key_span: Span,
    /// Value of the member.
    pub value: Node<'a>,
}

impl Number<'_> {
    /// Formats a number like Go's JSON encoder: shortest digits, with an exponent below 1e-6 and from 1e21 on.
    /// `None` for infinities and NaN.
    pub fn from_f64(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        let size = number.abs();
        if size != 0.0 && !(1e-6..1e21).contains(&size) {
            let text = format!("{number:e}");
            let signed = if text.contains("e-") { text } else { text.replace('e', "e+") };
            return Some(Self(signed.into()));
        }
        Some(Self(number.to_string().into()))
    }
}

impl<'a> Node<'a> {
    /// Creates a node.
    pub fn new(value: Value<'a>, span: Span) -> Self {
        Self { span, value }
    }

    /// Returns the value. (A node implements `Drop`, so its value cannot be moved out by a pattern.)
    pub fn into_value(mut self) -> Value<'a> {
        std::mem::replace(&mut self.value, Value::Null)
    }

    /// Returns the value of an exactly matching key; the last one if it is repeated.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.members().iter().rev().find(|m| m.key == key).map(|m| &m.value)
    }

    /// Returns the members of a map; empty for other values.
    pub fn members(&self) -> &[Member<'a>] {
        match &self.value {
            Value::Map(members) => members,
            _ => &[],
        }
    }

    /// Returns the items of a list; empty for other values.
    pub fn items(&self) -> &[Node<'a>] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns true if the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }
}

/// Number of levels dropped by recursion; deeper levels wait in a list.
const LEVELS: usize = 32;

impl Drop for Node<'_> {
    fn drop(&mut self) {
        if !is_nested(&self.value) {
            return;
        }
        let mut deeper = Vec::new();
        flatten(&mut self.value, LEVELS, &mut deeper);
        while let Some(mut value) = deeper.pop() {
            flatten(&mut value, LEVELS, &mut deeper);
        }
    }
}

/// Flattens a value to at most one level of children, so that dropping it does not recurse further.
fn flatten<'a>(value: &mut Value<'a>, levels: usize, deeper: &mut Vec<Value<'a>>) {
    let mut child = |child: &mut Value<'a>| {
        if !is_nested(child) {
            return;
        }
        if levels == 0 {
            deeper.push(std::mem::replace(child, Value::Null));
        } else {
            flatten(child, levels - 1, deeper);
            // The child is flat, so dropping it ends here.
            *child = Value::Null;
        }
    };
    match value {
        Value::List(items) => items.iter_mut().for_each(|item| child(&mut item.value)),
        Value::Map(members) => members.iter_mut().for_each(|member| child(&mut member.value.value)),
        _ => {}
    }
}

fn is_nested(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_))
}

/// Parts of incomplete lists and maps. A collection that closes takes its parts from the end, into a vector of
/// exact size.
#[derive(Default)]
pub(super) struct Parts<'a> {
    items: Vec<Node<'a>>,
    members: Vec<Member<'a>>,
}

impl<'a> Parts<'a> {
    /// Returns the mark of a list or map that begins now, for `take_collection`.
    pub fn begin_collection(&self, is_map: bool) -> usize {
        if is_map { self.members.len() } else { self.items.len() }
    }

    /// Adds an item to the innermost list.
    pub fn add_item(&mut self, item: Node<'a>) {
        self.items.push(item);
    }

    /// Adds a member to the innermost map, with `null` at `absent` as its value.
    pub fn add_key(&mut self, key: Cow<'a, str>, key_span: Span, absent: Span) {
        self.members.push(Member { key, key_span, value: Node::new(Value::Null, absent) });
    }

    /// Sets the value of the innermost map's last member.
    pub fn set_value(&mut self, value: Node<'a>) {
        if let Some(member) = self.members.last_mut() {
            member.value = value;
        }
    }

    /// Replaces the innermost list's last item.
    pub fn replace_item(&mut self, item: Node<'a>) {
        if let Some(last) = self.items.last_mut() {
            *last = item;
        }
    }

    /// Takes the list or map that began at a mark.
    pub fn take_collection(&mut self, is_map: bool, mark: usize) -> Value<'a> {
        if is_map {
            Value::Map(split_tail(&mut self.members, mark))
        } else {
            Value::List(split_tail(&mut self.items, mark))
        }
    }

    /// Returns the root, which is the only remaining node.
    pub fn into_root(mut self) -> Option<Node<'a>> {
        self.items.pop()
    }
}

/// Number of parts from which moving the others is cheaper.
const MIN_SPLIT_OFF: usize = 4096;

/// Splits off the parts from a position on. For many parts, it avoids holding them twice.
fn split_tail<T>(parts: &mut Vec<T>, mark: usize) -> Vec<T> {
    let count = parts.len().saturating_sub(mark);
    if count < MIN_SPLIT_OFF || count < mark {
        return parts.split_off(mark);
    }
    let before: Vec<T> = parts.drain(..mark).collect();
    let mut tail = std::mem::replace(parts, before);
    tail.shrink_to_fit();
    tail
}

/// A collection that is being copied.
struct Copying<'n, 'a, 'b> {
    from: &'n Node<'a>,
    items: Vec<Node<'b>>,
    members: Vec<Member<'b>>,
}

/// Function that copies a text.
type Text<'a, 'b> = fn(&Cow<'a, str>) -> Cow<'b, str>;

impl<'n, 'a, 'b> Copying<'n, 'a, 'b> {
    fn new(from: &'n Node<'a>) -> Self {
        Self {
            from,
            items: Vec::with_capacity(from.items().len()),
            members: Vec::with_capacity(from.members().len()),
        }
    }

    fn next_child(&self) -> Option<&'n Node<'a>> {
        match &self.from.value {
            Value::List(items) => items.get(self.items.len()),
            Value::Map(members) => members.get(self.members.len()).map(|m| &m.value),
            _ => None,
        }
    }

    fn add_child(&mut self, value: Node<'b>, text: Text<'a, 'b>) {
        match &self.from.value {
            Value::Map(members) => {
                if let Some(Member { key, key_span, .. }) = members.get(self.members.len()) {
                    self.members.push(Member { key: text(key), key_span: *key_span, value });
                }
            }
            _ => self.items.push(value),
        }
    }

    fn into_node(self) -> Node<'b> {
        let value = match &self.from.value {
            Value::Map(_) => Value::Map(self.members),
            _ => Value::List(self.items),
        };
        Node { span: self.from.span, value }
    }
}

fn copy_tree<'a, 'b>(root: &Node<'a>, text: Text<'a, 'b>) -> Node<'b> {
    let mut open: Vec<Copying> = Vec::new();
    let mut node = root;
    loop {
        let scalar = |value| Some(Node { span: node.span, value });
        let mut copy = match &node.value {
            Value::List(_) | Value::Map(_) => {
                open.push(Copying::new(node));
                None
            }
            Value::Null => scalar(Value::Null),
            Value::Bool(value) => scalar(Value::Bool(*value)),
            Value::Number(number) => scalar(Value::Number(Number(text(&number.0)))),
            Value::String(string) => scalar(Value::String(text(string))),
        };
        node = loop {
            if let Some(copied) = copy.take() {
                match open.last_mut() {
                    Some(parent) => parent.add_child(copied, text),
                    None => return copied,
                }
            }
            match open.last().and_then(Copying::next_child) {
                Some(child) => break child,
                None => copy = open.pop().map(Copying::into_node),
            }
        };
    }
}

impl Clone for Node<'_> {
    fn clone(&self) -> Self {
        copy_tree(self, Cow::clone)
    }
}

impl Node<'_> {
    /// Returns a copy that does not borrow from the text of the document.
    pub fn detached(&self) -> Node<'static> {
        copy_tree(self, |text| Cow::Owned(text.as_ref().to_owned()))
    }
}

/// Compares value and span, including the order of members.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        let mut pending = vec![(self, other)];
        while let Some((a, b)) = pending.pop() {
            let same = a.span == b.span
                && match (&a.value, &b.value) {
                    (Value::List(x), Value::List(y)) => {
                        pending.extend(x.iter().zip(y));
                        x.len() == y.len()
                    }
                    (Value::Map(x), Value::Map(y)) => {
                        pending.extend(x.iter().zip(y).map(|(x, y)| (&x.value, &y.value)));
                        x.len() == y.len()
                            && x.iter().zip(y).all(|(x, y)| x.key == y.key && x.key_span == y.key_span)
                    }
                    (x, y) => scalars_equal(x, y),
                };
            if !same {
                return false;
            }
        }
        true
    }
}

impl Node<'_> {
    /// Returns true if two trees have the same value, regardless of spans and key order. Of a repeated key,
    /// only the last counts.
    pub fn has_same_value(&self, other: &Node) -> bool {
        let mut pending = vec![(self, other)];
        while let Some((a, b)) = pending.pop() {
            let same = match (&a.value, &b.value) {
                (Value::List(x), Value::List(y)) => {
                    pending.extend(x.iter().zip(y));
                    x.len() == y.len()
                }
                (Value::Map(x), Value::Map(y)) => {
                    let (x, y) = (last_by_key(x), last_by_key(y));
                    x.len() == y.len()
                        && x.iter().all(|(key, a)| y.get(key).map(|b| pending.push((a, b))).is_some())
                }
                (x, y) => scalars_equal(x, y),
            };
            if !same {
                return false;
            }
        }
        true
    }
}

fn last_by_key<'n, 'a>(members: &'n [Member<'a>]) -> HashMap<&'n str, &'n Node<'a>> {
    members.iter().map(|m| (m.key.as_ref(), &m.value)).collect()
}

fn scalars_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, Member, Node, Number, Value};
    use crate::span::Span;

    fn leaf(n: usize) -> Node<'static> {
        Node::new(Value::Number(Number(n.to_string().into())), Span::new(n, n + 1))
    }

    fn map_node<'a>(members: Vec<(&'a str, Node<'a>)>) -> Node<'a> {
        let members = members.into_iter().map(|(key, value)| Member {
            key: key.into(),
            key_span: Span::new(7, 8),
            value,
        });
        Node::new(Value::Map(members.collect()), Span::new(0, 9))
    }

    fn nested_lists(levels: usize) -> Node<'static> {
        (0..levels).fold(leaf(0), |inner, n| {
            if n % 2 == 0 {
                map_node(vec![("k", inner)])
            } else {
                Node::new(Value::List(vec![inner]), Span::default())
            }
        })
    }

    #[test]
    fn deep_tree_is_copied_compared_and_dropped_on_small_stack() {
        let work = || {
            let tree = nested_lists(20 * MAX_DEPTH);
            let copy = tree.clone();
            assert!(copy == tree && copy.has_same_value(&tree) && tree.detached() == tree);
            assert!(!copy.has_same_value(&nested_lists(20 * MAX_DEPTH - 2)));
        };
        std::thread::Builder::new().stack_size(128 * 1024).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn copy_has_every_span_and_key() {
        let tree = map_node(vec![
            ("a", Node::new(Value::List(vec![leaf(1), map_node(vec![]), leaf(2)]), Span::new(3, 4))),
            ("b", map_node(vec![("c", leaf(3)), ("c", leaf(4))])),
        ]);
        assert_eq!(tree.clone(), tree);
    }

    #[test]
    fn same_meaning_ignores_order_and_overridden_duplicates() {
        let tree = map_node(vec![("a", leaf(1)), ("b", leaf(2)), ("a", leaf(3))]);
        assert!(tree.has_same_value(&map_node(vec![("b", leaf(2)), ("a", leaf(3))])));
        assert!(!tree.has_same_value(&map_node(vec![("b", leaf(2)), ("a", leaf(1))])));
        assert_ne!(tree, map_node(vec![("b", leaf(2)), ("a", leaf(3))]));
    }

    #[test]
    fn formats_numbers_like_go() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.234_567_890_123_456_8e29, "1.2345678901234568e+29"),
            (0.000_001, "0.000001"),
            (1e-7, "1e-7"),
            (-1.5e-10, "-1.5e-10"),
            (4.1, "4.1"),
            (9_007_199_254_740_992.0, "9007199254740992"),
        ];
        for (number, text) in cases {
            assert_eq!(Number::from_f64(number), Some(Number(text.into())));
        }
        assert_eq!(Number::from_f64(f64::INFINITY), None);
    }
}
