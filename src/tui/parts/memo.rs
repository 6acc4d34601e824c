//! Cached values that are recomputed if their inputs change.

use std::sync::Arc;

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
