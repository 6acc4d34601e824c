//! Copies and compares trees without recursion. A document may nest [`MAX_DEPTH`](super::MAX_DEPTH) levels and
//! be read on a thread with a small stack.

use std::{borrow::Cow, collections::HashMap};

use super::{Member, Node, Number, Value};

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
    use super::super::{MAX_DEPTH, Member, Node, Number, Value};
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
