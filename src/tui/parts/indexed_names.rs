//! List of names with cached indexes and width, which are needed in every frame.

use std::{borrow::Cow, collections::HashMap, hash::Hash, ops::Deref};

use olmap_report::escape;

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
