//! Access to the fields of an object. Values of wrong types are ignored and recorded.

use std::cell::RefCell;

use olm_catalog::{Node, Span, Value};

/// Field with a wrong type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct InvalidField {
    /// Location of the value.
    pub span: Span,
    /// Path of the field.
    pub field: String,
    /// Expected type.
    pub expected: &'static str,
}

/// Object, or object inside another one.
#[derive(Clone, Debug)]
pub(super) struct Fields<'n> {
    node: &'n Node<'n>,
    /// Path in the whole object, such as `status.conditions[0].`.
    path: String,
    invalid: &'n RefCell<Vec<InvalidField>>,
}

impl<'n> Fields<'n> {
    /// Creates access to a whole object; invalid fields are added to `wrong`.
    pub fn new(node: &'n Node<'n>, wrong: &'n RefCell<Vec<InvalidField>>) -> Self {
        Self { node, path: String::new(), invalid: wrong }
    }

    /// Returns the location of the object.
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// Returns the value at a path; `None` if it is null.
    pub fn value_at(&self, path: &[&str]) -> Option<&'n Node<'n>> {
        let mut node = self.node;
        for key in path {
            node = node.get(key).filter(|value| !value.is_null())?;
        }
        Some(node)
    }

    /// Returns the text at a path; `None` if it is empty.
    pub fn text_at(&self, path: &[&str]) -> Option<String> {
        let node = self.value_at(path)?;
        match node.as_str() {
            Some(text) => (!text.is_empty()).then(|| text.to_owned()),
            None => self.report_invalid(node, path, "text"),
        }
    }

    /// Returns the integer at a path.
    pub fn integer_at(&self, path: &[&str]) -> Option<i64> {
        let node = self.value_at(path)?;
        let read = match &node.value {
            Value::Number(number) => number.0.parse().ok(),
            _ => None,
        };
        if read.is_none() { self.report_invalid(node, path, "a whole number") } else { read }
    }

    /// Returns the boolean at a path.
    pub fn bool_at(&self, path: &[&str]) -> Option<bool> {
        let node = self.value_at(path)?;
        match node.value {
            Value::Bool(truth) => Some(truth),
            _ => self.report_invalid(node, path, "true or false"),
        }
    }

    /// Returns the texts of a list.
    pub fn texts_at(&self, path: &[&str]) -> Vec<String> {
        self.list_items(path)
            .filter_map(|(node, at)| {
                let text = node.as_str().map(str::to_owned);
                text.or_else(|| self.report_invalid(node, &[path, &[&at]].concat(), "text"))
            })
            .collect()
    }

    /// Returns the objects of a list.
    pub fn objects_at(&self, path: &[&str]) -> Vec<Self> {
        let inside = |(node, at): (&'n Node<'n>, String)| {
            let inner = [path, &[&at]].concat();
            match node.value {
                Value::Map(_) => {
                    Some(Self { node, path: format!("{}.", self.path_text(&inner)), invalid: self.invalid })
                }
                _ => self.report_invalid(node, &inner, "an object"),
            }
        };
        self.list_items(path).filter_map(inside).collect()
    }

    /// Returns the texts of a map, such as labels.
    pub fn pairs_at(&self, path: &[&str]) -> Vec<(String, String)> {
        let members = self.value_at(path).map(Node::members).unwrap_or_default();
        let pair = |member: &olm_catalog::Member<'_>| {
            Some((member.key.to_string(), member.value.as_str()?.to_owned()))
        };
        members.iter().filter_map(pair).collect()
    }

    /// Iterates over the items of a list with their index paths.
    fn list_items(&self, path: &[&str]) -> impl Iterator<Item = (&'n Node<'n>, String)> {
        let node = self.value_at(path);
        if let Some(node) = node.filter(|node| !matches!(node.value, Value::List(_))) {
            self.report_invalid::<()>(node, path, "a list");
        }
        let items = node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(|(at, item)| (item, format!("[{at}]")))
    }

    fn report_invalid<T>(&self, node: &Node<'_>, path: &[&str], expected: &'static str) -> Option<T> {
        self.invalid.borrow_mut().push(InvalidField {
            span: node.span,
            field: self.path_text(path),
            expected,
        });
        None
    }

    fn path_text(&self, path: &[&str]) -> String {
        format!("{}{}", self.path, path.join(".")).replace(".[", "[")
    }
}
