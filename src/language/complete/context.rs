//! What is being written: in which object, under which keys.

use std::ops::Range;

/// What stands at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slot {
    /// The key of a map.
    Key,
    /// The value of a key.
    Value(String),
    /// An item of a list, or the first key of a map that is one.
    Item,
}

/// A map around the cursor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// What it says already: keys and what stands behind them on their line.
    pub members: Vec<(String, String)>,
    /// The key it stands under, itself or the list it is in; `None` for the document.
    pub under: Option<String>,
}

impl Level {
    /// What stands behind a key. opm does not mind the case of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let mut members = self.members.iter();
        members.find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value.as_str())
    }
}

/// What is being written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// What stands at the cursor.
    pub slot: Slot,
    /// The key of the list of an item.
    pub list: Option<String>,
    /// The bytes of the word at the cursor, quotes left out.
    pub word: Range<usize>,
    /// Whether the word stands in quotes already, and in which.
    pub quote: Option<char>,
    /// Whether it stands in brackets.
    pub flow: bool,
    /// Whether it is JSON.
    pub json: bool,
    /// The maps around it, from the inside.
    pub levels: Vec<Level>,
}

impl Context {
    /// The object that is written, by the nearest map with a schema that is one, and the keys that lead from it to the cursor.
    pub fn object(&self) -> (Option<&Level>, Vec<&str>) {
        let is_object =
            |level: &&Level| level.get("schema").is_some() && level.under.as_deref() != Some("reference");
        let at = self.levels.iter().position(|level| is_object(&level));
        let inner = self.levels.iter().take(at.unwrap_or(self.levels.len()));
        let mut path: Vec<&str> = inner.filter_map(|level| level.under.as_deref()).collect();
        path.reverse();
        if let Some(list) = &self.list {
            path.push(list);
        }
        (at.and_then(|at| self.levels.get(at)), path)
    }

    /// The map that is written.
    pub fn map(&self) -> Option<&Level> {
        self.levels.first()
    }
}

/// A scalar without its quotes.
pub fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}
