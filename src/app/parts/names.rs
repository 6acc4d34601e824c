//! List of names with cached indexes and width, which are needed in every frame.

use std::{borrow::Cow, collections::HashMap, hash::Hash, ops::Deref};

use crate::export::plain;

/// List of names with cached indexes and width.
#[derive(Debug)]
pub struct Names<T> {
    all: Vec<T>,
    places: HashMap<T, usize>,
    widest: usize,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { all: Vec::new(), places: HashMap::new(), widest: 0 }
    }
}

impl<T: Clone + Eq + Hash> Names<T> {
    /// Creates a list; `label` returns the text of a name on the screen.
    pub(in crate::app) fn new(names: Vec<T>, label: impl Fn(&T) -> Cow<'_, str>) -> Self {
        let widest = names.iter().map(|name| plain::width(&label(name))).max().unwrap_or_default();
        let mut places = HashMap::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            places.entry(name.clone()).or_insert(place);
        }
        Self { all: names, places, widest }
    }

    /// Returns the index of a name, the first one if it occurs twice.
    pub fn place(&self, name: &T) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns the columns of the widest name.
    pub fn widest(&self) -> usize {
        self.widest
    }
}

impl<T> Deref for Names<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all
    }
}
