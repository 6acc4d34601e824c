//! The fields of an object; what has another type than its API says is left out and noted.

use std::cell::RefCell;

use crate::catalog::{Node, Span, Value};

/// A field of another type than it should have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wrong {
    /// Where its value is.
    pub span: Span,
    /// Its path.
    pub field: String,
    /// What it should be.
    pub expected: &'static str,
}

/// An object, or something inside one.
#[derive(Clone, Debug)]
pub(super) struct Fields<'n> {
    node: &'n Node<'n>,
    /// Where it is in the whole object, such as `status.conditions[0].`.
    path: String,
    wrong: &'n RefCell<Vec<Wrong>>,
}

impl<'n> Fields<'n> {
    /// A whole object; what is wrong with it is added to `wrong`.
    pub fn new(node: &'n Node<'n>, wrong: &'n RefCell<Vec<Wrong>>) -> Self {
        Self { node, path: String::new(), wrong }
    }

    /// Where it begins.
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// What is at a path; nothing where that is null.
    pub fn at(&self, path: &[&str]) -> Option<&'n Node<'n>> {
        let mut node = self.node;
        for key in path {
            node = node.get(key).filter(|value| !value.is_null())?;
        }
        Some(node)
    }

    /// The text at a path; nothing where it is empty.
    pub fn text(&self, path: &[&str]) -> Option<String> {
        let node = self.at(path)?;
        match node.as_str() {
            Some(text) => (!text.is_empty()).then(|| text.to_owned()),
            None => self.wrong(node, path, "text"),
        }
    }

    /// The whole number at a path.
    pub fn number(&self, path: &[&str]) -> Option<i64> {
        let node = self.at(path)?;
        let read = match &node.value {
            Value::Number(number) => number.0.parse().ok(),
            _ => None,
        };
        if read.is_none() { self.wrong(node, path, "a whole number") } else { read }
    }

    /// The truth at a path.
    pub fn truth(&self, path: &[&str]) -> Option<bool> {
        let node = self.at(path)?;
        match node.value {
            Value::Bool(truth) => Some(truth),
            _ => self.wrong(node, path, "true or false"),
        }
    }

    /// The texts of a list.
    pub fn texts(&self, path: &[&str]) -> Vec<String> {
        self.list(path)
            .filter_map(|(node, at)| {
                let text = node.as_str().map(str::to_owned);
                text.or_else(|| self.wrong(node, &[path, &[&at]].concat(), "text"))
            })
            .collect()
    }

    /// The objects of a list.
    pub fn objects(&self, path: &[&str]) -> Vec<Self> {
        let inside = |(node, at): (&'n Node<'n>, String)| {
            let inner = [path, &[&at]].concat();
            match node.value {
                Value::Map(_) => {
                    Some(Self { node, path: format!("{}.", self.named(&inner)), wrong: self.wrong })
                }
                _ => self.wrong(node, &inner, "an object"),
            }
        };
        self.list(path).filter_map(inside).collect()
    }

    /// The texts of a map, such as labels.
    pub fn pairs(&self, path: &[&str]) -> Vec<(String, String)> {
        let members = self.at(path).map(Node::members).unwrap_or_default();
        let pair = |member: &crate::catalog::Member<'_>| {
            Some((member.key.to_string(), member.value.as_str()?.to_owned()))
        };
        members.iter().filter_map(pair).collect()
    }

    /// The items of a list, each with its place in it.
    fn list(&self, path: &[&str]) -> impl Iterator<Item = (&'n Node<'n>, String)> {
        let node = self.at(path);
        if let Some(node) = node.filter(|node| !matches!(node.value, Value::List(_))) {
            self.wrong::<()>(node, path, "a list");
        }
        let items = node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(|(at, item)| (item, format!("[{at}]")))
    }

    fn wrong<T>(&self, node: &Node<'_>, path: &[&str], expected: &'static str) -> Option<T> {
        self.wrong.borrow_mut().push(Wrong { span: node.span, field: self.named(path), expected });
        None
    }

    fn named(&self, path: &[&str]) -> String {
        format!("{}{}", self.path, path.join(".")).replace(".[", "[")
    }
}
