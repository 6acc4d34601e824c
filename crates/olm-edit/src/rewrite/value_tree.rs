//! Trees without locations, for building and changing the content of a document.

use std::{
    collections::{BTreeMap, HashMap},
    slice, vec,
};

use olm_catalog::{Member, Node, Number, Value};

/// A value without a location. The order of keys in a map is only a preference for new keys.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum ValueTree {
    /// `null`.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, as JSON text.
    Number(Number<'static>),
    /// A string.
    String(String),
    /// A list.
    List(Vec<ValueTree>),
    /// A map. The last of several equal keys counts.
    Map(Vec<(String, ValueTree)>),
}

impl ValueTree {
    /// Builds a map.
    pub fn from_members<K: Into<String>, V: Into<ValueTree>>(
        members: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self::Map(members.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// Builds a list.
    pub fn from_items<V: Into<ValueTree>>(items: impl IntoIterator<Item = V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// Returns the value of a key, in exactly this spelling.
    pub fn get(&self, key: &str) -> Option<&ValueTree> {
        self.members().iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the value of a key for changes, in exactly this spelling.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut ValueTree> {
        match self {
            Self::Map(members) => {
                members.iter_mut().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Sets the value of a key; appends a new key. Replaces any other value by a map.
    pub fn set(&mut self, key: &str, value: impl Into<ValueTree>) {
        let value = value.into();
        if let Some(old) = self.get_mut(key) {
            *old = value;
        } else if let Self::Map(members) = self {
            members.push((key.to_owned(), value));
        } else {
            *self = Self::Map(vec![(key.to_owned(), value)]);
        }
    }

    /// Removes a key from a map.
    pub fn remove(&mut self, key: &str) -> Option<ValueTree> {
        let value = self.get_mut(key).map(std::mem::take);
        if let Self::Map(members) = self {
            members.retain(|(name, _)| name != key);
        }
        value
    }

    /// Returns the members of a map; empty for other values.
    pub fn members(&self) -> &[(String, ValueTree)] {
        match self {
            Self::Map(members) => members,
            _ => &[],
        }
    }

    /// Returns the items of a list; empty for other values.
    pub fn items(&self) -> &[ValueTree] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the items of a list for changes.
    pub fn items_mut(&mut self) -> Option<&mut Vec<ValueTree>> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns true for a list or map that is not empty.
    pub(super) fn is_non_empty_collection(&self) -> bool {
        match self {
            Self::List(items) => !items.is_empty(),
            Self::Map(members) => !members.is_empty(),
            _ => false,
        }
    }

    /// Returns true unless the value is a list or a map.
    pub(super) fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Map(_))
    }

    /// Returns true if two trees have the same content, in any order of keys. Works at any depth.
    pub fn has_same_content(&self, other: &ValueTree) -> bool {
        let mut open = vec![(self, other)];
        while let Some(pair) = open.pop() {
            match pair {
                (Self::List(a), Self::List(b)) => {
                    if a.len() != b.len() {
                        return false;
                    }
                    open.extend(a.iter().zip(b));
                }
                (Self::Map(a), Self::Map(b)) => {
                    let (a, b) = (members_by_key(a), members_by_key(b));
                    if a.len() != b.len() || !a.keys().eq(b.keys()) {
                        return false;
                    }
                    open.extend(a.into_values().zip(b.into_values()));
                }
                (a, b) if a.is_scalar() && b.is_scalar() => {
                    if a != b {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Returns a text that is equal exactly for trees with the same content. Works at any depth.
    pub(super) fn fingerprint(&self) -> String {
        enum Task<'p> {
            Tree(&'p ValueTree),
            Key(&'p str),
            Close(char),
        }
        let mut out = String::new();
        let mut open = vec![Task::Tree(self)];
        while let Some(task) = open.pop() {
            match task {
                Task::Close(bracket) => out.push(bracket),
                Task::Key(key) => push_fingerprint(&mut out, 'k', key),
                Task::Tree(Self::Null) => out.push('~'),
                Task::Tree(Self::Bool(yes)) => out.push(if *yes { 't' } else { 'f' }),
                Task::Tree(Self::Number(number)) => push_fingerprint(&mut out, 'n', &number.0),
                Task::Tree(Self::String(string)) => push_fingerprint(&mut out, 's', string),
                Task::Tree(Self::List(items)) => {
                    out.push('[');
                    open.push(Task::Close(']'));
                    open.extend(items.iter().rev().map(Task::Tree));
                }
                Task::Tree(Self::Map(members)) => {
                    out.push('{');
                    open.push(Task::Close('}'));
                    for (key, value) in members_by_key(members).into_iter().rev() {
                        open.push(Task::Tree(value));
                        open.push(Task::Key(key));
                    }
                }
            }
        }
        out
    }
}

/// Appends a piece of a fingerprint with its length, so that text cannot imitate structure.
fn push_fingerprint(out: &mut String, kind: char, text: &str) {
    out.push(kind);
    out.push_str(&text.len().to_string());
    out.push(':');
    out.push_str(text);
}

/// Returns the effective members by key.
fn members_by_key(members: &[(String, ValueTree)]) -> BTreeMap<&str, &ValueTree> {
    members.iter().map(|(key, value)| (key.as_str(), value)).collect()
}

impl From<&str> for ValueTree {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for ValueTree {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for ValueTree {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u32> for ValueTree {
    fn from(value: u32) -> Self {
        Self::Number(Number(value.to_string().into()))
    }
}

impl<V: Into<ValueTree>> From<Vec<V>> for ValueTree {
    fn from(items: Vec<V>) -> Self {
        Self::from_items(items)
    }
}

/// A collection whose children are being copied.
enum OpenCollection<'n> {
    List(slice::Iter<'n, Node<'n>>, Vec<ValueTree>),
    Map(vec::IntoIter<&'n Member<'n>>, Vec<(String, ValueTree)>),
}

/// Copies only the last of several equal keys. Works at any depth.
impl From<&Node<'_>> for ValueTree {
    fn from(node: &Node<'_>) -> Self {
        let mut open: Vec<OpenCollection<'_>> = Vec::new();
        let mut next = node;
        loop {
            let mut done = match &next.value {
                Value::Null => Self::Null,
                Value::Bool(value) => Self::Bool(*value),
                Value::Number(number) => Self::Number(Number(number.0.clone().into_owned().into())),
                Value::String(text) => Self::String(text.clone().into_owned()),
                Value::List(items) if items.is_empty() => Self::List(Vec::new()),
                Value::Map(members) if members.is_empty() => Self::Map(Vec::new()),
                Value::List(items) => {
                    let mut items = items.iter();
                    if let Some(first) = items.next() {
                        next = first;
                    }
                    open.push(OpenCollection::List(items, Vec::new()));
                    continue;
                }
                Value::Map(members) => {
                    let mut members = effective_members(members).into_iter();
                    let mut copied = Vec::new();
                    if let Some(first) = members.next() {
                        copied.push((first.key.clone().into_owned(), Self::Null));
                        next = &first.value;
                    }
                    open.push(OpenCollection::Map(members, copied));
                    continue;
                }
            };
            // The finished value goes to its parent, and completed collections are closed.
            next = loop {
                match open.pop() {
                    None => return done,
                    Some(OpenCollection::List(mut rest, mut items)) => {
                        items.push(done);
                        if let Some(sibling) = rest.next() {
                            open.push(OpenCollection::List(rest, items));
                            break sibling;
                        }
                        done = Self::List(items);
                    }
                    Some(OpenCollection::Map(mut rest, mut members)) => {
                        if let Some(last) = members.last_mut() {
                            last.1 = done;
                        }
                        if let Some(sibling) = rest.next() {
                            members.push((sibling.key.clone().into_owned(), Self::Null));
                            open.push(OpenCollection::Map(rest, members));
                            break &sibling.value;
                        }
                        done = Self::Map(members);
                    }
                }
            };
        }
    }
}

/// Returns the effective members in source order: the last one of each key.
fn effective_members<'n, 'a>(members: &'n [Member<'a>]) -> Vec<&'n Member<'a>> {
    let last: HashMap<&str, usize> = members.iter().enumerate().map(|(at, m)| (m.key.as_ref(), at)).collect();
    members
        .iter()
        .enumerate()
        .filter(|(at, m)| last.get(m.key.as_ref()) == Some(at))
        .map(|(_, m)| m)
        .collect()
}
