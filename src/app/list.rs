//! Lists: which there are, how they scroll, how they are filtered.

use std::collections::BTreeMap;

/// The lists of the explorer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ListId {
    /// Packages of the catalog.
    Packages,
    /// Channels of the package.
    Channels,
    /// Entries of the channel.
    Entries,
    /// What is known of the selected thing.
    Details,
    /// Rows of the graph.
    Graph,
    /// Bundles of all channels side by side.
    SideBySide,
    /// Rows of the upgrade table.
    Upgrades,
    /// Why the selected row's answers are what they are.
    Reasons,
    /// Findings.
    Problems,
    /// Deprecations.
    Deprecations,
    /// Lines of the Changes screen.
    Changes,
    /// Rows of the overlay on top.
    Overlay,
}

impl ListId {
    /// Whether moving in it moves a cursor; otherwise it only scrolls.
    pub fn has_cursor(self) -> bool {
        !matches!(self, Self::Details | Self::Reasons | Self::Changes)
    }
}

/// First visible row such that the cursor is in sight, staying where it was if it can.
pub fn first_visible(first: usize, cursor: usize, height: usize, rows: usize) -> usize {
    let height = height.max(1);
    let last_first = rows.saturating_sub(height);
    let first = first.min(last_first);
    if cursor < first {
        cursor
    } else if cursor >= first + height {
        (cursor + 1 - height).min(last_first)
    } else {
        first
    }
}

/// Scroll positions and filters of all lists.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    first: BTreeMap<ListId, usize>,
    filters: BTreeMap<ListId, String>,
}

impl Lists {
    /// First visible row.
    pub fn first(&self, id: ListId) -> usize {
        self.first.get(&id).copied().unwrap_or_default()
    }

    /// Scrolls.
    pub fn set_first(&mut self, id: ListId, first: usize) {
        self.first.insert(id, first);
    }

    /// What a list is filtered by; empty for not at all.
    pub fn filter(&self, id: ListId) -> &str {
        self.filters.get(&id).map_or("", String::as_str)
    }

    /// Filters a list.
    pub fn set_filter(&mut self, id: ListId, filter: String) {
        if filter.is_empty() {
            self.filters.remove(&id);
        } else {
            self.filters.insert(id, filter);
        }
    }
}

/// Whether a text passes a filter: every word of it occurs, without regard to case.
pub fn passes(filter: &str, text: &str) -> bool {
    if filter.is_empty() {
        return true;
    }
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}
