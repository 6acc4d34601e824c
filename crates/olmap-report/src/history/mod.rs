//! History of a package, with the same lines on the command line, in comments and in the explorer.

mod json;
mod lines;
mod markdown;
mod text;

pub use json::history_json;
pub use lines::{Line, commit_lines, history_headline, summarize_commit};
pub use markdown::render_history_comment;
pub use text::render_history;

use olm_catalog::BundleName;
use olm_check::review::history::History;

/// History with its labels.
#[derive(Clone, Copy, Debug)]
pub struct HistoryReport<'a> {
    /// History of the package.
    pub history: &'a History,
    /// Display name of the catalog.
    pub catalog: &'a str,
    /// Bundle that the history is restricted to, if any.
    pub bundle: Option<&'a BundleName>,
}

/// Formats a number with the singular or plural noun.
fn count_noun(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
