//! History of a package for programs (`docs/cli.md`).

use serde_json::{Map, Value, json};

use super::Told;
use crate::{
    export::{diff::json as diff, stuck_changes},
    review::history::{Changed, Counts, Did, Step},
};

/// Returns the complete history as one object.
pub fn value(told: &Told<'_>) -> Value {
    let history = told.history;
    json!({
        "package": history.package,
        "catalog": told.catalog,
        "bundle": told.bundle,
        "cut": history.is_cut,
        "shallow": history.is_shallow,
        "commits": history.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

fn step(step: &Step) -> Value {
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
        match &step.did {
            Did::Unread(why) => {
                out.insert("unread".to_owned(), json!(why));
            }
            Did::Changed(changed) => add(changed, out),
        }
    }
    out
}

fn add(changed: &Changed, out: &mut Map<String, Value>) {
    let installed: Map<String, Value> = changed
        .installed
        .iter()
        .map(|(bundle, fortune)| (bundle.to_string(), json!(diff::fortune(*fortune))))
        .collect();
    let members = [
        ("same", json!(changed.package.means_the_same())),
        ("change", diff::package(&changed.package)),
        ("users", diff::users(&changed.users)),
        ("stuck", stuck_changes::json_of_changes(changed.stuck.as_slice())),
        ("installed", Value::Object(installed)),
        ("newFindings", counts(changed.new_findings)),
        ("goneFindings", counts(changed.fixed_findings)),
        ("unreadBefore", json!(changed.unread_before)),
    ];
    out.extend(members.map(|(key, value)| (key.to_owned(), value)));
}

fn counts(counts: Counts) -> Value {
    json!({"errors": counts.errors, "warnings": counts.warnings, "notes": counts.notes})
}
