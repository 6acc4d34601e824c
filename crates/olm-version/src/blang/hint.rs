//! Suggestions of spellings in this dialect.

use super::parse::parse_range;
use crate::masterminds;

/// Suggests the spelling of `text` in this dialect; `None` if the intention is not clear.
pub(super) fn suggest_spelling(text: &str) -> Option<String> {
    let text = text.replace("==", "=").replace("&&", " ").replace('\t', " ");
    let spelling = masterminds::blang_spelling(&text)?;
    // Only a valid range is suggested.
    parse_range(&spelling).is_ok_and(|range| range.quirks.is_empty()).then_some(spelling)
}
