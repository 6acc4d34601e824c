//! Completion context: the object and the keys around the cursor.

use std::ops::Range;

/// Syntactic element at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Key of a map.
    Key,
    /// Value of a key.
    Value(String),
    /// Item of a list, or the first key of a map in a list.
    Item,
}

/// Map around the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MapLevel {
    /// Keys of the map that are already in the text, each with the value on its line.
    pub members: Vec<(String, String)>,
    /// Key whose value is this map, or the list that contains it. `None` for the top level of the
    /// document.
    pub parent_key: Option<String>,
}

impl MapLevel {
    /// Returns the value of a key. Like opm, ignores the case of keys.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut members = self.members.iter();
        members.find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }
}

/// Context of a completion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Element at the cursor.
    pub slot: Slot,
    /// Key of the list, if the element is an item.
    pub list: Option<String>,
    /// Byte range of the word at the cursor, without quotes.
    pub word: Range<usize>,
    /// Opening quote of the word, if any.
    pub quote: Option<char>,
    /// True if the word is in brackets.
    pub is_in_brackets: bool,
    /// True if the document is JSON.
    pub is_json: bool,
    /// Maps around the cursor, innermost first.
    pub levels: Vec<MapLevel>,
}

impl Context {
    /// Returns the nearest map with a schema around the cursor, and the keys from that map to the cursor.
    pub fn enclosing_object(&self) -> (Option<&MapLevel>, Vec<&str>) {
        let is_object = |level: &&MapLevel| {
            level.get("schema").is_some() && level.parent_key.as_deref() != Some("reference")
        };
        let at = self.levels.iter().position(|level| is_object(&level));
        let inner = self.levels.iter().take(at.unwrap_or(self.levels.len()));
        let mut path: Vec<&str> = inner.filter_map(|level| level.parent_key.as_deref()).collect();
        path.reverse();
        if let Some(list) = &self.list {
            path.push(list);
        }
        (at.and_then(|at| self.levels.get(at)), path)
    }

    /// Returns the innermost map.
    pub fn innermost_map(&self) -> Option<&MapLevel> {
        self.levels.first()
    }
}

/// Removes the quotes of a scalar.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}
