//! Lists of the explorer, their scroll positions and filters.

use std::{collections::BTreeMap, ops::Range};

/// List of the explorer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ListId {
    /// Packages of the catalog.
    Packages,
    /// Channels of the package.
    Channels,
    /// Entries of the channel.
    Entries,
    /// Details of the selected item.
    Details,
    /// Rows of the graph.
    Graph,
    /// Bundles of all channels side by side.
    SideBySide,
    /// Rows of the upgrade table.
    Upgrades,
    /// Reasons for the answers of the selected row.
    Reasons,
    /// Findings.
    Problems,
    /// Deprecations.
    Deprecations,
    /// Differences from the base of the comparison.
    Differences,
    /// Lines of the Changes screen.
    Changes,
    /// Sections of the bundle contents.
    InsideSections,
    /// Rows of the bundle contents.
    Inside,
    /// Details of a row of the bundle contents.
    InsideText,
    /// Images of a semver template.
    Template,
    /// Assumptions about a cluster.
    Assumed,
    /// Resolution by OLM Classic.
    Resolved,
    /// Packages of all open catalogs.
    Overview,
    /// Details of a package in a catalog.
    OverviewText,
    /// Packages of the Plan screen.
    Planned,
    /// Installed versions of a package, each with its plan.
    Lanes,
    /// Steps of a plan.
    Stops,
    /// Lines of the About screen.
    About,
    /// Details of the selected finding.
    Finding,
    /// Rows of a dialog, by the number of dialogs below it.
    Dialog(usize),
    /// Preview of the edit in the topmost dialog.
    Preview,
}

impl ListId {
    /// Returns true if the list has a cursor; other lists only scroll.
    pub fn has_cursor(self) -> bool {
        !matches!(
            self,
            Self::Details
                | Self::Reasons
                | Self::Changes
                | Self::InsideText
                | Self::Resolved
                | Self::OverviewText
                | Self::Stops
                | Self::About
                | Self::Finding
                | Self::Preview
        )
    }
}

/// Returns the first visible row so that the cursor is visible, without scrolling if possible.
pub fn first_visible_row(first: usize, cursor: usize, height: usize, rows: usize) -> usize {
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
pub struct ListStates {
    first_rows: BTreeMap<ListId, usize>,
    filters: BTreeMap<ListId, String>,
}

impl ListStates {
    /// Returns the first visible row.
    pub fn first_row(&self, id: ListId) -> usize {
        self.first_rows.get(&id).copied().unwrap_or_default()
    }

    /// Scrolls a list to the given first row.
    pub fn set_first_row(&mut self, id: ListId, first: usize) {
        self.first_rows.insert(id, first);
    }

    /// Returns the filter of a list; empty if it is not filtered.
    pub fn filter(&self, id: ListId) -> &str {
        self.filters.get(&id).map_or("", String::as_str)
    }

    /// Sets the filter of a list; an empty text removes it.
    pub fn set_filter(&mut self, id: ListId, filter: String) {
        if filter.is_empty() {
            self.filters.remove(&id);
        } else {
            self.filters.insert(id, filter);
        }
    }
}

/// Returns true if the text contains every word of the filter, ignoring case.
pub fn passes_filter(filter: &str, text: &str) -> bool {
    if filter.is_empty() {
        return true;
    }
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// Returns the byte ranges of the filter's words in a text. The ranges are sorted and neither
/// overlap nor touch.
pub fn match_ranges(filter: &str, text: &str) -> Vec<Range<usize>> {
    let words: Vec<Vec<char>> =
        filter.split_whitespace().map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    if words.is_empty() {
        return found;
    }
    for (start, _) in text.char_indices() {
        let rest = text.get(start..).unwrap_or_default();
        let longest =
            words.iter().filter_map(|word| Some(start + lowercase_prefix_length(rest, word)?)).max();
        let Some(end) = longest else { continue };
        match found.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => found.push(start..end),
        }
    }
    found
}

/// Returns the byte length of the prefix that equals a lowercase word; `None` without a match.
fn lowercase_prefix_length(text: &str, word: &[char]) -> Option<usize> {
    let mut left = word.iter();
    let mut length = 0;
    for c in text.chars() {
        if left.as_slice().is_empty() {
            break;
        }
        // A character may have several lowercase characters, and a word may end within them.
        for small in c.to_lowercase() {
            if left.next().is_some_and(|wanted| *wanted != small) {
                return None;
            }
        }
        length += c.len_utf8();
    }
    left.as_slice().is_empty().then_some(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn filter_words_match_anywhere_in_text() {
        let lit = |filter, text: &'static str| {
            match_ranges(filter, text).into_iter().map(|range| &text[range]).collect::<Vec<_>>()
        };
        assert_eq!(lit("AN", "banana"), ["anan"]);
        assert_eq!(lit("quay stab", "project-quay stable-3"), ["quay", "stab"]);
        assert_eq!(lit("ship 1.2", "ship.v1.2.0"), ["ship", "1.2"]);
        assert_eq!(lit("오퍼", "배 오퍼레이터"), ["오퍼"]);
        assert_eq!(lit("straße", "STRASSE Straße"), ["Straße"]);
        assert!(lit(" ", "banana").is_empty());
    }

    proptest! {
        #[test]
        fn passing_text_has_match_ranges(text in "[a-cA-C.İß0-2 ]{0,12}", filter in "[a-c.0-2]{1,2}( [a-c]{1,2})?") {
            let found = match_ranges(&filter, &text);
            for range in &found {
                prop_assert!(text.get(range.clone()).is_some_and(|lit| !lit.is_empty()));
            }
            prop_assert!(found.windows(2).all(|pair| pair[0].end < pair[1].start));
            if passes_filter(&filter, &text) {
                prop_assert!(!found.is_empty());
            }
            if found.is_empty() {
                prop_assert!(filter.split_whitespace().all(|word| !passes_filter(word, &text)));
            }
        }
    }
}
