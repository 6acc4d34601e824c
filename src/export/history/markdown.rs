//! History of a package as a comment.

use std::fmt::Write as _;

use super::{Told, headline, lines};
use crate::export::markdown::{MAX_BYTES, quote};

/// Returns the comment, newest commit first. Counts the commits that do not fit.
pub fn comment(told: &Told<'_>) -> String {
    let history = told.history;
    let mut out = format!("**{}**\n", quote(&headline(told)));
    let mut left_out = 0;
    for step in &history.steps {
        let by = &step.committed;
        let mut section =
            format!("\n{} {}, {}: {}\n\n", quote(&by.short), by.date, quote(&by.author), quote(&by.subject));
        for line in lines(step) {
            let head = match line.head {
                "+" => "added ",
                "-" => "removed ",
                "~" => "changed ",
                "users:" => "users: ",
                "findings:" => "findings, ",
                _ => "",
            };
            let _ = writeln!(section, "- {head}{}", quote(&line.words));
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
            super::count(left_out, "commit", "commits")
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
