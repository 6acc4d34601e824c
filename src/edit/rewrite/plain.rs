//! A tree without places: what a document is to mean, easy to build and to change.

use std::{
    collections::{BTreeMap, HashMap},
    slice, vec,
};

use crate::catalog::{Member, Node, Number, Value};

/// A value without its place in a text. The order of a map's keys is a wish for where new keys go, not a meaning.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Plain {
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
    List(Vec<Plain>),
    /// A map. Where a key is repeated the last one counts.
    Map(Vec<(String, Plain)>),
}

impl Plain {
    /// A map of these members.
    pub fn map<K: Into<String>, V: Into<Plain>>(members: impl IntoIterator<Item = (K, V)>) -> Self {
        Self::Map(members.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// A list of these items.
    pub fn list<V: Into<Plain>>(items: impl IntoIterator<Item = V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// The value of an exactly named key of a map.
    pub fn get(&self, key: &str) -> Option<&Plain> {
        self.members().iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value of an exactly named key of a map, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Plain> {
        match self {
            Self::Map(members) => {
                members.iter_mut().rev().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Gives a key of a map this value, adding it at the end if it is new. Anything that is no map becomes one.
    pub fn set(&mut self, key: &str, value: impl Into<Plain>) {
        let value = value.into();
        if let Some(old) = self.get_mut(key) {
            *old = value;
        } else if let Self::Map(members) = self {
            members.push((key.to_owned(), value));
        } else {
            *self = Self::Map(vec![(key.to_owned(), value)]);
        }
    }

    /// Takes a key out of a map.
    pub fn remove(&mut self, key: &str) -> Option<Plain> {
        let value = self.get_mut(key).map(std::mem::take);
        if let Self::Map(members) = self {
            members.retain(|(name, _)| name != key);
        }
        value
    }

    /// The members of a map; none for anything else.
    pub fn members(&self) -> &[(String, Plain)] {
        match self {
            Self::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(&self) -> &[Plain] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a list, to change them.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Plain>> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is a list or a map that has something in it.
    pub(super) fn is_filled(&self) -> bool {
        match self {
            Self::List(items) => !items.is_empty(),
            Self::Map(members) => !members.is_empty(),
            _ => false,
        }
    }

    /// Whether it is no list and no map.
    pub(super) fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Map(_))
    }

    /// Whether two trees mean the same: the order of keys is no matter. Works at any depth.
    pub fn same_meaning(&self, other: &Plain) -> bool {
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
                    let (a, b) = (by_key(a), by_key(b));
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

    /// A text that is the same for trees that mean the same and for no others. Works at any depth.
    pub(super) fn fingerprint(&self) -> String {
        enum Task<'p> {
            Tree(&'p Plain),
            Key(&'p str),
            Close(char),
        }
        let mut out = String::new();
        let mut open = vec![Task::Tree(self)];
        while let Some(task) = open.pop() {
            match task {
                Task::Close(bracket) => out.push(bracket),
                Task::Key(key) => text(&mut out, 'k', key),
                Task::Tree(Self::Null) => out.push('~'),
                Task::Tree(Self::Bool(yes)) => out.push(if *yes { 't' } else { 'f' }),
                Task::Tree(Self::Number(number)) => text(&mut out, 'n', &number.0),
                Task::Tree(Self::String(string)) => text(&mut out, 's', string),
                Task::Tree(Self::List(items)) => {
                    out.push('[');
                    open.push(Task::Close(']'));
                    open.extend(items.iter().rev().map(Task::Tree));
                }
                Task::Tree(Self::Map(members)) => {
                    out.push('{');
                    open.push(Task::Close('}'));
                    for (key, value) in by_key(members).into_iter().rev() {
                        open.push(Task::Tree(value));
                        open.push(Task::Key(key));
                    }
                }
            }
        }
        out
    }
}

/// A piece of a fingerprint, with its length, so that no text can pretend to be structure.
fn text(out: &mut String, kind: char, text: &str) {
    out.push(kind);
    out.push_str(&text.len().to_string());
    out.push(':');
    out.push_str(text);
}

/// The members that count, by key.
fn by_key(members: &[(String, Plain)]) -> BTreeMap<&str, &Plain> {
    members.iter().map(|(key, value)| (key.as_str(), value)).collect()
}

impl From<&str> for Plain {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Plain {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Plain {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u32> for Plain {
    fn from(value: u32) -> Self {
        Self::Number(Number(value.to_string().into()))
    }
}

impl<V: Into<Plain>> From<Vec<V>> for Plain {
    fn from(items: Vec<V>) -> Self {
        Self::list(items)
    }
}

/// A collection whose children are being copied.
enum Open<'n> {
    List(slice::Iter<'n, Node<'n>>, Vec<Plain>),
    Map(vec::IntoIter<&'n Member<'n>>, Vec<(String, Plain)>),
}

/// Of repeated keys only the last is copied. Works at any depth.
impl From<&Node<'_>> for Plain {
    fn from(node: &Node<'_>) -> Self {
        let mut open: Vec<Open<'_>> = Vec::new();
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
                    open.push(Open::List(items, Vec::new()));
                    continue;
                }
                Value::Map(members) => {
                    let mut members = effective(members).into_iter();
                    let mut copied = Vec::new();
                    if let Some(first) = members.next() {
                        copied.push((first.key.clone().into_owned(), Self::Null));
                        next = &first.value;
                    }
                    open.push(Open::Map(members, copied));
                    continue;
                }
            };
            // Hand the finished value up, closing every collection it completes.
            next = loop {
                match open.pop() {
                    None => return done,
                    Some(Open::List(mut rest, mut items)) => {
                        items.push(done);
                        if let Some(sibling) = rest.next() {
                            open.push(Open::List(rest, items));
                            break sibling;
                        }
                        done = Self::List(items);
                    }
                    Some(Open::Map(mut rest, mut members)) => {
                        if let Some(last) = members.last_mut() {
                            last.1 = done;
                        }
                        if let Some(sibling) = rest.next() {
                            members.push((sibling.key.clone().into_owned(), Self::Null));
                            open.push(Open::Map(rest, members));
                            break &sibling.value;
                        }
                        done = Self::Map(members);
                    }
                }
            };
        }
    }
}

/// The members that count, in source order: the last one of each key.
fn effective<'n, 'a>(members: &'n [Member<'a>]) -> Vec<&'n Member<'a>> {
    let last: HashMap<&str, usize> = members.iter().enumerate().map(|(at, m)| (m.key.as_ref(), at)).collect();
    members
        .iter()
        .enumerate()
        .filter(|(at, m)| last.get(m.key.as_ref()) == Some(at))
        .map(|(_, m)| m)
        .collect()
}
