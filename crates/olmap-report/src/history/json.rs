//! History of a package for programs (`docs/cli.md`).

use serde_json::{Map, Value, json};

use super::HistoryReport;
use crate::{diff::json as diff, stuck_changes};
use olm_check::review::history::{CommitEffect, FindingCounts, HistoryStep, PackageChange};

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
