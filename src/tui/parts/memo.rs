//! Cached values: recomputed if their inputs change, or indexed for every frame.

use std::{borrow::Cow, collections::HashMap, hash::Hash, ops::Deref, sync::Arc};

use olmap_report::escape;

/// Cached value with its input.
#[derive(Debug)]
pub(in crate::tui) struct Memo<K, V> {
    key: Option<K>,
    pub(in crate::tui) value: V,
}

impl<K, V: Default> Default for Memo<K, V> {
    fn default() -> Self {
        Self { key: None, value: V::default() }
    }
}

impl<K, V> Memo<K, V> {
    /// Returns the input of the value. `None` if it was never computed.
    pub(in crate::tui) fn key(&self) -> Option<&K> {
        self.key.as_ref()
    }
}

impl<K: PartialEq, V> Memo<K, V> {
    /// Recomputes the value if the input changed.
    pub(in crate::tui) fn update(&mut self, key: K, make: impl FnOnce(&K) -> V) {
        if self.key.as_ref() != Some(&key) {
            self.value = make(&key);
            self.key = Some(key);
        }
    }
}

/// Shared value that is compared by identity.
#[derive(Debug)]
pub struct SharedRef<T>(Option<Arc<T>>);

impl<T> PartialEq for SharedRef<T> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T> Eq for SharedRef<T> {}

impl<T> Default for SharedRef<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Clone for SharedRef<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> SharedRef<T> {
    pub(in crate::tui) fn from_shared(value: Option<&Arc<T>>) -> Self {
        Self(value.cloned())
    }

    /// Returns the value.
    pub(in crate::tui) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// Returns the shared value.
    pub(in crate::tui) fn shared(&self) -> Option<&Arc<T>> {
        self.0.as_ref()
    }
}

/// List of names with cached indexes and width.
#[derive(Debug)]
pub struct IndexedNames<T> {
    names: Vec<T>,
    indexes: HashMap<T, usize>,
    max_width: usize,
}

impl<T> Default for IndexedNames<T> {
    fn default() -> Self {
        Self { names: Vec::new(), indexes: HashMap::new(), max_width: 0 }
    }
}

impl<T: Clone + Eq + Hash> IndexedNames<T> {
    /// Creates a list; `label` returns the text of a name on the screen.
    pub(in crate::tui) fn new(names: Vec<T>, label: impl Fn(&T) -> Cow<'_, str>) -> Self {
        let widest = names.iter().map(|name| escape::display_width(&label(name))).max().unwrap_or_default();
        let mut places = HashMap::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            places.entry(name.clone()).or_insert(place);
        }
        Self { names, indexes: places, max_width: widest }
    }

    /// Returns the index of a name, the first one if it occurs twice.
    pub fn index_of(&self, name: &T) -> Option<usize> {
        self.indexes.get(name).copied()
    }

    /// Returns the columns of the widest name.
    pub fn max_width(&self) -> usize {
        self.max_width
    }
}

impl<T> Deref for IndexedNames<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.names
    }
}
