//! Difference between catalogs for programs (`docs/cli.md`).

use serde::Serialize;
use serde_json::{Value, json};

use super::Compared;
use crate::{
    export::{deprecations, finding, left, left_out::LeftOut, moved, plan, stuck_changes},
    review::{
        FreshChange, Snapshot,
        diff::{
            BundleDiff, Change, ChannelDiff, DeprecationDiff, Edge, EntryDiff, Fortune, Leaf, OtherDiff,
            PackageDiff, Users,
        },
    },
    validate::Diagnostic,
};

/// Returns the complete difference as one object.
pub fn value(compared: &Compared<'_>) -> Value {
    let consequences = &compared.difference.consequences;
    let findings = |found: &[Diagnostic], state: &Snapshot| -> Vec<finding::Row> {
        found.iter().map(|finding| finding::Row::of(&state.catalog, finding)).collect()
    };
    let moved = |rows: &[crate::review::Moved]| -> Vec<Moved> {
        let row = |row| Moved { fortune: fortune(compared.fortune_of(row)), row: moved::Row::of(row) };
        rows.iter().map(row).collect()
    };
    let ends: Vec<moved::Row> = consequences.ends.iter().map(moved::Row::of).collect();
    let fresh = |change: &FreshChange| Fresh {
        fortune: fortune(Fortune::of_fresh(change, compared.old, compared.new)),
        row: moved::fresh::Row::of(change),
    };
    let unchecked: Vec<finding::Row> = consequences
        .unchecked_findings
        .iter()
        .map(|unchecked| finding::Row::of_unchecked(&compared.old.catalog, unchecked))
        .collect();
    let users = compared.users();
    let violation = |violation: &crate::review::diff::Violation| json!({"gate": violation.gate.name(), "package": violation.package, "what": violation.what});
    json!({
        "old": compared.old_label,
        "new": compared.new_label,
        "same": compared.is_same(),
        "leftOut": compared.left_out.iter().map(LeftOut::sentence).collect::<Vec<_>>(),
        "users": self::users(&users),
        "stuck": stuck_changes::json(compared.difference),
        "packages": compared.difference.packages.iter().map(package).collect::<Vec<_>>(),
        "update": compared.update.as_ref().map(|update| plan::everyone_row(&update.over, &update.everyone)),
        "others": compared.difference.others.iter().map(other).collect::<Vec<_>>(),
        "moved": moved(&consequences.moved),
        "ends": ends,
        "fresh": consequences.fresh.iter().map(fresh).collect::<Vec<_>>(),
        "deprecations": consequences.deprecations.iter().map(deprecations::EffectsRow::of).collect::<Vec<_>>(),
        "leftWithout": consequences.left.all.iter().map(left::Row::of).collect::<Vec<_>>(),
        "newFindings": findings(&consequences.new_findings, compared.new),
        "goneFindings": findings(&consequences.fixed_findings, compared.old),
        "uncheckedFindings": unchecked,
        "violations": compared.violations.iter().map(violation).collect::<Vec<_>>(),
    })
}

/// Returns the number of users by impact.
pub(in crate::export) fn users(users: &Users) -> Value {
    json!({
        "orphaned": users.orphaned,
        "stuck": users.stuck,
        "failing": users.failing,
        "downgraded": users.downgraded,
        "freed": users.freed,
        "recovered": users.recovered,
        "moved": users.moved,
        "ends": users.ends,
        "freshBroken": users.fresh_broken,
        "freshOlder": users.fresh_older,
        "fresh": users.fresh,
    })
}

#[derive(Serialize)]
struct Moved {
    fortune: &'static str,
    #[serde(flatten)]
    row: moved::Row,
}

#[derive(Serialize)]
struct Fresh {
    fortune: &'static str,
    #[serde(flatten)]
    row: moved::fresh::Row,
}

/// Returns the ID of an impact.
pub(in crate::export) fn fortune(fortune: Fortune) -> &'static str {
    match fortune {
        Fortune::Stuck => "stuck",
        Fortune::Failing => "failing",
        Fortune::Downgraded => "downgraded",
        Fortune::Freed => "freed",
        Fortune::Recovered => "recovered",
        Fortune::Moved => "moved",
    }
}

fn change<T: Serialize>(change: &Change<T>) -> Value {
    json!({"before": change.before, "after": change.after})
}

/// Returns an object without empty members.
fn object(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let kept = members.into_iter().filter(|(_, value)| !is_empty(value));
    Value::Object(kept.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn list<T>(items: &[T], of: impl Fn(&T) -> Value) -> Value {
    items.iter().map(of).collect()
}

/// Returns the differences of a package.
pub(in crate::export) fn package(package: &PackageDiff) -> Value {
    object([
        ("name", json!(package.name)),
        ("fate", json!(package.fate.as_str())),
        ("defaultChannel", package.default_channel.as_ref().map(change).into()),
        ("about", list(&package.about, leaf)),
        ("channels", list(&package.channels, channel)),
        ("bundles", list(&package.bundles, bundle)),
        ("deprecations", list(&package.deprecations, deprecation)),
        ("others", list(&package.others, other)),
        ("rewritten", list(&package.rewritten, |r| json!({"schema": r.schema, "name": r.name}))),
    ])
}

fn channel(channel: &ChannelDiff) -> Value {
    object([
        ("name", json!(channel.name)),
        ("fate", json!(channel.fate.as_str())),
        ("heads", channel.heads.as_ref().map(change).into()),
        ("entries", list(&channel.entries, entry)),
        ("newEdges", list(&channel.new_edges, edge)),
        ("goneEdges", list(&channel.gone_edges, edge)),
        ("moreEdges", channel.has_more_edges.then_some(true).into()),
    ])
}

fn entry(entry: &EntryDiff) -> Value {
    json!({"name": entry.name, "fate": entry.fate().as_str(), "before": entry.before, "after": entry.after})
}

fn edge(edge: &Edge) -> Value {
    json!({"from": edge.from, "to": edge.to, "kind": edge.kind})
}

fn bundle(bundle: &BundleDiff) -> Value {
    object([
        ("name", json!(bundle.name)),
        ("fate", json!(bundle.fate.as_str())),
        ("version", bundle.version.as_ref().map(change).into()),
        ("image", bundle.image.as_ref().map(change).into()),
        ("properties", list(&bundle.properties, |p| json!({"type": p.kind, "parts": list(&p.leaves, leaf)}))),
        (
            "relatedImages",
            list(&bundle.related_images, |i| json!({"name": i.name, "before": i.before, "after": i.after})),
        ),
    ])
}

fn deprecation(deprecation: &DeprecationDiff) -> Value {
    json!({
        "reference": deprecation.target,
        "fate": deprecation.fate().as_str(),
        "before": deprecation.before,
        "after": deprecation.after,
    })
}

fn other(other: &OtherDiff) -> Value {
    object([
        ("schema", json!(other.schema)),
        ("name", other.name.clone().into()),
        ("fate", json!(other.fate.as_str())),
        ("parts", list(&other.leaves, leaf)),
    ])
}

fn leaf(leaf: &Leaf) -> Value {
    json!({"path": leaf.path, "before": leaf.before, "after": leaf.after})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::diff::Fate;

    #[test]
    fn more_edges_are_only_reported_if_there_are_any() {
        let told = |has_more_edges| {
            let (heads, entries, new_edges, gone_edges) = (None, Vec::new(), Vec::new(), Vec::new());
            let (name, fate) = ("c".into(), Fate::Changed);
            let diff = ChannelDiff { name, fate, heads, entries, new_edges, gone_edges, has_more_edges };
            channel(&diff).get("moreEdges").cloned()
        };
        assert_eq!([told(true), told(false)], [Some(json!(true)), None]);
    }
}
