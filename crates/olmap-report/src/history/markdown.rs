//! History of a package as a comment.

use std::fmt::Write as _;

use super::{HistoryReport, commit_lines, history_headline};
use crate::markdown::{MAX_BYTES, escape_markdown};

/// Returns the comment, newest commit first. Counts the commits that do not fit.
pub fn render_history_comment(told: &HistoryReport<'_>) -> String {
    let history = told.history;
    let mut out = format!("**{}**\n", escape_markdown(&history_headline(told)));
    let mut left_out = 0;
    for step in &history.steps {
        let by = &step.committed;
        let mut section = format!(
            "\n{} {}, {}: {}\n\n",
            escape_markdown(&by.short),
            by.date,
            escape_markdown(&by.author),
            escape_markdown(&by.subject)
        );
        for line in commit_lines(step) {
            let head = match line.head {
                "+" => "added ",
                "-" => "removed ",
                "~" => "changed ",
                "users:" => "users: ",
                "findings:" => "findings, ",
                _ => "",
            };
            let _ = writeln!(section, "- {head}{}", escape_markdown(&line.words));
        }
        if out.len() + section.len() > MAX_BYTES {
            left_out += 1;
        } else {
            out.push_str(&section);
        }
    }
    if left_out > 0 {
        let _ = writeln!(
            out,
            "\n{} have no room here: see `olmap history`.",
            super::count_noun(left_out, "commit", "commits")
        );
    }
    if history.is_cut {
        out.push_str("\nOlder commits are not listed.\n");
    }
    if history.is_shallow {
        out.push_str("\nThe clone is shallow: what is older is not known.\n");
    }
    out
}
