//! History of a package, with the same lines on the command line, in comments and in the explorer.

mod lines;

pub use lines::{commit_lines, history_headline, summarize_commit};

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::{
    Ink, Style,
    diff::json as diff,
    document::count_noun,
    escape::{self, wrap},
    markdown::{Comment, escape_markdown},
    stuck_changes,
};
use olm_catalog::BundleName;
use olm_check::review::history::{CommitEffect, FindingCounts, History, HistoryStep, PackageChange};

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
            let first = format!("  {} ", line.mark);
            let folded = wrap::wrap_hanging(&line.text, &first, "    ", style.width);
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

/// Returns the comment, newest commit first. Counts the commits that do not fit.
pub fn render_history_comment(told: &HistoryReport<'_>) -> String {
    let history = told.history;
    let mut comment = Comment::from(format!("**{}**\n", escape_markdown(&history_headline(told))));
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
            let head = match line.mark {
                "+" => "added ",
                "-" => "removed ",
                "~" => "changed ",
                "users:" => "users: ",
                "findings:" => "findings, ",
                _ => "",
            };
            let _ = writeln!(section, "- {head}{}", escape_markdown(&line.text));
        }
        comment.push_if_fits(&section);
    }
    let Comment { text: mut out, omitted } = comment;
    if omitted > 0 {
        let commits = count_noun(omitted, "commit", "commits");
        let _ = writeln!(out, "\n{commits} have no room here: see `olmap history`.");
    }
    if history.is_cut {
        out.push_str("\nOlder commits are not listed.\n");
    }
    if history.is_shallow {
        out.push_str("\nThe clone is shallow: what is older is not known.\n");
    }
    out
}

/// Returns the complete history as one object.
pub fn history_json(told: &HistoryReport<'_>) -> Value {
    let history = told.history;
    json!({
        "package": history.package,
        "catalog": told.catalog,
        "bundle": told.bundle,
        "cut": history.is_cut,
        "shallow": history.is_shallow,
        "commits": history.steps.iter().map(commit_json).collect::<Vec<_>>(),
    })
}

fn commit_json(step: &HistoryStep) -> Value {
    let by = &step.committed;
    let mut out = json!({
        "commit": by.commit.as_str(),
        "short": by.short,
        "date": by.date.to_string(),
        "author": by.author,
        "subject": by.subject,
        "merge": by.is_merge,
    });
    if let Value::Object(out) = &mut out {
        if let Some(place) = &step.moved {
            out.insert("moved".to_owned(), json!(place.display().to_string()));
        }
        match &step.effect {
            CommitEffect::Unread(why) => {
                out.insert("unread".to_owned(), json!(why));
            }
            CommitEffect::Changed(changed) => insert_commit_changes(changed, out),
        }
    }
    out
}

fn insert_commit_changes(changed: &PackageChange, out: &mut Map<String, Value>) {
    let installed: Map<String, Value> = changed
        .installed
        .iter()
        .map(|(bundle, fortune)| (bundle.to_string(), json!(diff::impact_id(*fortune))))
        .collect();
    let members = [
        ("same", json!(changed.package.has_same_meaning())),
        ("change", diff::package_diff_json(&changed.package)),
        ("users", diff::users_json(&changed.users)),
        ("stuck", stuck_changes::stuck_changes_json(changed.stuck.as_slice())),
        ("installed", Value::Object(installed)),
        ("newFindings", severity_counts_json(changed.new_findings)),
        ("goneFindings", severity_counts_json(changed.fixed_findings)),
        ("unreadBefore", json!(changed.unread_before)),
    ];
    out.extend(members.map(|(key, value)| (key.to_owned(), value)));
}

fn severity_counts_json(counts: FindingCounts) -> Value {
    json!({"errors": counts.errors, "warnings": counts.warnings, "notes": counts.notes})
}
