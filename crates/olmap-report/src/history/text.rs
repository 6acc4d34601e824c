//! History of a package for people.

use std::fmt::Write as _;

use super::{HistoryReport, commit_lines, history_headline};
use crate::{
    Ink, Style,
    escape::{self, wrap},
};

/// Renders the history, newest commit first.
pub fn render_history(told: &HistoryReport<'_>, style: &Style) -> String {
    let history = told.history;
    let mut out = wrap::wrap_sentence(&history_headline(told), "", style.width);
    for step in &history.steps {
        let by = &step.committed;
        let merge = if by.is_merge { "  merge" } else { "" };
        let _ = writeln!(
            out,
            "\n{}  {}  {}{merge}",
            style.paint(Ink::Bold, &by.short),
            by.date,
            escape::escape_line(&by.author)
        );
        out.push_str(&wrap::wrap_sentence(&by.subject, "  ", style.width));
        for line in commit_lines(step) {
            let first = format!("  {} ", line.head);
            let folded = wrap::wrap_hanging(&line.words, &first, "    ", style.width);
            let (head, rest) = folded.split_at_checked(first.len()).unwrap_or((&folded, ""));
            let _ = write!(out, "{}{rest}", style.paint(line.ink, head));
        }
    }
    for (is_so, words) in [
        (history.is_cut, "Older commits are not listed: see --limit and --since."),
        (
            history.is_shallow,
            "This is a shallow clone: what is older than its oldest commit is not known (git fetch --unshallow).",
        ),
    ] {
        if is_so {
            let _ = write!(out, "\n{}", wrap::wrap_sentence(words, "", style.width));
        }
    }
    out
}
