//! Values that are kept until their causes change.

use std::sync::Arc;

/// A value and what it was worked out from.
#[derive(Debug)]
pub(in crate::app) struct Memo<K, V> {
    key: Option<K>,
    pub(in crate::app) value: V,
}

impl<K, V: Default> Default for Memo<K, V> {
    fn default() -> Self {
        Self { key: None, value: V::default() }
    }
}

impl<K: PartialEq, V> Memo<K, V> {
    /// Works the value out again where its causes changed.
    pub(in crate::app) fn update(&mut self, key: K, make: impl FnOnce(&K) -> V) {
        if self.key.as_ref() != Some(&key) {
            self.value = make(&key);
            self.key = Some(key);
        }
    }
}

/// A shared value that equals only itself.
#[derive(Debug)]
pub struct Same<T>(Option<Arc<T>>);

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T> Eq for Same<T> {}

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Same<T> {
    pub(in crate::app) fn of(value: Option<&Arc<T>>) -> Self {
        Self(value.cloned())
    }

    /// The value, where there is one.
    pub(in crate::app) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }
}
