//! A spelling in this dialect for what was written in another.

use super::parse::parse;
use crate::version::masterminds;

/// How to write what `text` evidently means; `None` where that is not evident.
pub(super) fn suggestion(text: &str) -> Option<String> {
    let text = text.replace("==", "=").replace("&&", " ").replace('\t', " ");
    let meant = masterminds::blang_spelling(&text)?;
    // Only what parses is advice.
    parse(&meant).is_ok_and(|range| range.oddities.is_empty()).then_some(meant)
}
