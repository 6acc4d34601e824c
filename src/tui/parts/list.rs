//! Lists of the explorer, their scroll positions, filters and sort orders.

use std::{
    cmp::{Ordering, Reverse},
    collections::BTreeMap,
    ops::Range,
};

use olm_catalog::{ChannelName, PackageName};
use olm_check::{
    Severity,
    review::{PackageState, Snapshot},
};
use olm_upgrade::{ChannelGraph, stuck::StuckReport};
use olmap_report::layout;

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
    /// Packages of all open catalogs, on the Packages screen.
    PackageTable,
    /// Channels of a package in a catalog, below that table.
    PackageTableText,
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
                | Self::PackageTableText
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

/// Sort order of a list. The Upgrades table has separate ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ListOrder {
    /// Packages with the most stuck versions first.
    MostStuckPackages,
    /// Packages by name.
    PackageNames,
    /// Packages with the most bundles first.
    MostBundles,
    /// Packages with the worst findings first, then by their number.
    WorstFindings,
    /// The default channel, then the others by name.
    ChannelNames,
    /// Packages with the most errors and dead ends first.
    MostProblems,
    /// Channels with the newest head first.
    NewestHead,
    /// Channels with the most entries first.
    MostEntries,
    /// Entries in upgrade order, newest first.
    NewestFirst,
    /// Entries in upgrade order, oldest first.
    OldestFirst,
    /// Entries in the order of the channel blob.
    AsWritten,
    /// Findings by severity.
    WorstFirst,
    /// Findings by package.
    FindingPackages,
    /// Findings by rule.
    FindingRules,
    /// Findings by file and line.
    FindingLocations,
    /// Deprecations by package.
    DeprecationPackages,
    /// Deprecations by the number of bundles without an upgrade or blocked under v1, most first.
    MostStuck,
    /// Deprecations by the number of affected bundles, most first.
    MostAffected,
}

impl ListOrder {
    /// Returns the orders of a list, the default first. Empty if the list cannot be sorted.
    pub fn for_list(list: ListId) -> &'static [Self] {
        match list {
            ListId::Packages => {
                &[Self::MostStuckPackages, Self::PackageNames, Self::MostBundles, Self::WorstFindings]
            }
            ListId::PackageTable => &[Self::MostProblems, Self::PackageNames],
            ListId::Channels => &[Self::ChannelNames, Self::NewestHead, Self::MostEntries],
            ListId::Entries => &[Self::NewestFirst, Self::OldestFirst, Self::AsWritten],
            ListId::Problems => {
                &[Self::WorstFirst, Self::FindingPackages, Self::FindingRules, Self::FindingLocations]
            }
            ListId::Deprecations => &[Self::DeprecationPackages, Self::MostStuck, Self::MostAffected],
            _ => &[],
        }
    }

    /// Returns a short description.
    pub fn short_description(self) -> &'static str {
        match self {
            Self::MostStuckPackages => "most stuck first",
            Self::PackageNames | Self::ChannelNames => "by name",
            Self::MostBundles => "most bundles first",
            Self::WorstFindings | Self::WorstFirst => "worst first",
            Self::MostProblems => "most trouble first",
            Self::NewestHead => "newest head first",
            Self::MostEntries => "most entries first",
            Self::NewestFirst => "newest first",
            Self::OldestFirst => "oldest first",
            Self::AsWritten => "as written",
            Self::FindingPackages | Self::DeprecationPackages => "by package",
            Self::FindingRules => "by rule",
            Self::FindingLocations => "by place",
            Self::MostStuck => "most blocked first",
            Self::MostAffected => "most affected first",
        }
    }
}

/// Scroll positions, filters and chosen sort orders of all lists.
#[derive(Clone, Debug, Default)]
pub struct ListStates {
    first_rows: BTreeMap<ListId, usize>,
    filters: BTreeMap<ListId, String>,
    orders: BTreeMap<ListId, ListOrder>,
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

    /// Returns the sort order of a list; `None` if it cannot be sorted.
    pub fn order_of(&self, list: ListId) -> Option<ListOrder> {
        self.orders.get(&list).or(ListOrder::for_list(list).first()).copied()
    }

    /// Switches to the next sort order of a list.
    pub(in crate::tui) fn select_next_order(&mut self, list: ListId) {
        let all = ListOrder::for_list(list);
        let now = self.order_of(list);
        let at = all.iter().position(|order| Some(*order) == now).unwrap_or_default();
        if let Some(next) = all.get((at + 1) % all.len().max(1)) {
            self.orders.insert(list, *next);
        }
    }
}

/// Compares names with the numbers in them: `stable-3.9` is before `stable-3.10`.
pub fn compare_natural(a: &str, b: &str) -> Ordering {
    natural_chunks(a).cmp(&natural_chunks(b)).then_with(|| a.cmp(b))
}

/// Compares names of channels like [`compare_natural`]. The default channel is first.
pub fn compare_channels(default: Option<&ChannelName>, a: &ChannelName, b: &ChannelName) -> Ordering {
    let is_other = |name: &ChannelName| Some(name) != default;
    is_other(a).cmp(&is_other(b)).then_with(|| compare_natural(a.as_str(), b.as_str()))
}

/// Splits a name into texts and numbers.
fn natural_chunks(name: &str) -> Vec<(String, Option<u128>)> {
    let is_digit = |c: &char| c.is_ascii_digit();
    let mut chunks = Vec::new();
    let mut rest = name.chars().peekable();
    while let Some(kind) = rest.peek().map(is_digit) {
        let mut chunk = String::new();
        while let Some(c) = rest.next_if(|c| is_digit(c) == kind) {
            chunk.push(c);
        }
        // A number without a place in `u128` is a text.
        let number = chunk.parse().ok();
        chunks.push(if number.is_some() { (String::new(), number) } else { (chunk, None) });
    }
    chunks
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

/// Sorts packages, which must already be sorted by name.
///
/// * `baseline` - catalog before unsaved edits. Its stuck versions count, so that edits do not
///   move rows.
/// * `trouble` - worst finding of a package and the number of its findings.
pub(in crate::tui) fn sort_packages(
    names: &mut [PackageName],
    order: Option<ListOrder>,
    (snapshot, baseline): (&Snapshot, &Snapshot),
    trouble: impl Fn(&PackageName) -> (Option<Severity>, usize),
) {
    let package_state = |name: &PackageName| snapshot.package(name.as_str());
    match order {
        Some(ListOrder::MostStuckPackages) => names.sort_by_cached_key(|name| {
            let known = baseline.package(name.as_str()).or_else(|| package_state(name));
            stuck_sort_key(known.and_then(|it| it.stuck()))
        }),
        Some(ListOrder::MostBundles) => {
            names.sort_by_cached_key(|name| {
                Reverse(package_state(name).map_or(0, |it| it.package().bundles.len()))
            });
        }
        // Packages without findings come last.
        Some(ListOrder::WorstFindings) => names.sort_by_cached_key(|name| {
            let (worst, findings) = trouble(name);
            (worst.is_none(), worst, Reverse(findings))
        }),
        _ => {}
    }
}

/// Returns the sort key of a package: most stuck versions first, then packages with an unknown
/// number.
pub(in crate::tui) fn stuck_sort_key(stuck: Option<&StuckReport>) -> impl Ord + use<> {
    let count = stuck.map_or(0, StuckReport::count_any);
    (Reverse(count), stuck.is_none_or(|stuck| stuck.answer.is_some()))
}

/// Sorts channels, which must already be in their default order.
pub(in crate::tui) fn sort_channels(
    names: &mut [ChannelName],
    order: Option<ListOrder>,
    package_state: &PackageState,
) {
    let graph = |name: &ChannelName| package_state.graph.channel(name.as_str()).map(|it| &it.graph);
    match order {
        Some(ListOrder::MostEntries) => {
            names.sort_by_cached_key(|name| Reverse(graph(name).map_or(0, |it| it.entry_nodes().count())));
        }
        Some(ListOrder::NewestHead) => names.sort_by(|a, b| {
            let version = |name| {
                let graph: &ChannelGraph = graph(name)?;
                package_state.package().bundle_version(graph.head()?.name.as_str())
            };
            match (version(a), version(b)) {
                (Some(a), Some(b)) => b.cmp_precedence(a),
                (a, b) => Reverse(a.is_some()).cmp(&Reverse(b.is_some())),
            }
        }),
        _ => {}
    }
}

/// Returns the nodes of a channel in the given order.
pub(in crate::tui) fn ordered_nodes(
    graph: &ChannelGraph,
    order: Option<ListOrder>,
) -> Vec<petgraph::graph::NodeIndex> {
    if order == Some(ListOrder::AsWritten) {
        return graph.entry_nodes().collect();
    }
    let mut nodes = layout::order_nodes(graph);
    if order == Some(ListOrder::OldestFirst) {
        nodes.reverse();
    }
    nodes
}

/// Direction in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Up the list.
    Up,
    /// Down the list.
    Down,
}

impl Direction {
    /// Returns the next row in this direction that satisfies the predicate.
    pub fn next_row(self, rows: usize, from: Option<usize>, holds: impl Fn(usize) -> bool) -> Option<usize> {
        match self {
            Self::Down => (from.map_or(0, |from| from + 1)..rows).find(|row| holds(*row)),
            Self::Up => (0..from.unwrap_or(rows).min(rows)).rev().find(|row| holds(*row)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn natural_order_compares_numbers() {
        let mut names = ["stable-3.10", "stable-3.9", "stable", "beta", "4.2.x", "4.10", "stable-03.9"];
        names.sort_by(|a, b| compare_natural(a, b));
        assert_eq!(names, ["4.2.x", "4.10", "beta", "stable", "stable-03.9", "stable-3.9", "stable-3.10"]);
    }

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
