//! Difference between catalogs for programs (`docs/cli.md`).

use serde::Serialize;
use serde_json::{Value, json};

use super::CatalogComparison;
use crate::{
    changed_upgrades, deprecations, finding, omissions::OmittedPart, plan, stuck_changes, unmet_dependencies,
};
use olm_check::{
    Finding,
    review::{
        FreshInstallChange, Snapshot,
        diff::{
            BundleDiff, ChannelDiff, DeprecationDiff, Edge, EntryDiff, Impact, ImpactCounts, Leaf, OtherDiff,
            PackageDiff, ValueChange,
        },
    },
};

/// Returns the complete difference as one object.
pub fn difference_json(compared: &CatalogComparison<'_>) -> Value {
    let consequences = &compared.difference.consequences;
    let findings = |found: &[Finding], state: &Snapshot| -> Vec<finding::Row> {
        found.iter().map(|finding| finding::Row::from_finding(&state.catalog, finding)).collect()
    };
    let moved = |rows: &[olm_check::review::ChangedUpgrade]| -> Vec<MovedRow> {
        let row = |row| MovedRow {
            fortune: impact_id(compared.impact_of(row)),
            row: changed_upgrades::Row::from_changed_upgrade(row),
        };
        rows.iter().map(row).collect()
    };
    let ends: Vec<changed_upgrades::Row> =
        consequences.changed_ends.iter().map(changed_upgrades::Row::from_changed_upgrade).collect();
    let fresh = |change: &FreshInstallChange| FreshRow {
        fortune: impact_id(compared.difference.impact_of_fresh_install(change)),
        row: changed_upgrades::fresh_installs::Row::from_fresh_change(change),
    };
    let severity_changes: Vec<finding::Row> = consequences
        .severity_changes
        .iter()
        .map(|change| finding::Row::from_severity_change(&compared.difference.after().catalog, change))
        .collect();
    let unchecked: Vec<finding::Row> = consequences
        .unchecked_findings
        .iter()
        .map(|unchecked| finding::Row::from_unchecked(&compared.difference.before().catalog, unchecked))
        .collect();
    let users = compared.count_users();
    let violation = |violation: &olm_check::review::diff::Violation| json!({"gate": violation.gate.name(), "package": violation.package, "what": violation.text});
    json!({
        "old": compared.old_label,
        "new": compared.new_label,
        "same": compared.is_same(),
        "leftOut": compared.left_out.iter().map(OmittedPart::describe_omission).collect::<Vec<_>>(),
        "users": self::users_json(&users),
        "stuck": stuck_changes::stuck_difference_json(compared.difference),
        "packages": compared.difference.packages.iter().map(package_diff_json).collect::<Vec<_>>(),
        "update": compared.update.as_ref().map(|update| plan::everyone_row(&update.over, &update.everyone)),
        "others": compared.difference.others.iter().map(other_diff_json).collect::<Vec<_>>(),
        "moved": moved(&consequences.changed_steps),
        "ends": ends,
        "fresh": consequences.fresh.iter().map(fresh).collect::<Vec<_>>(),
        "deprecations": consequences.deprecations.iter().map(deprecations::EffectsRow::from_effects).collect::<Vec<_>>(),
        "leftWithout": consequences.unmet.all.iter().map(unmet_dependencies::Row::from_unmet_dependency).collect::<Vec<_>>(),
        "newFindings": findings(&consequences.new_findings, compared.difference.after()),
        "goneFindings": findings(&consequences.fixed_findings, compared.difference.before()),
        "remainingFindings": findings(&consequences.remaining_findings, compared.difference.after()),
        "severityChanges": severity_changes,
        "uncheckedFindings": unchecked,
        "violations": compared.violations.iter().map(violation).collect::<Vec<_>>(),
    })
}

/// Returns the number of users by impact.
pub(crate) fn users_json(users: &ImpactCounts) -> Value {
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
struct MovedRow {
    fortune: &'static str,
    #[serde(flatten)]
    row: changed_upgrades::Row,
}

#[derive(Serialize)]
struct FreshRow {
    fortune: &'static str,
    #[serde(flatten)]
    row: changed_upgrades::fresh_installs::Row,
}

/// Returns the ID of an impact.
pub(crate) fn impact_id(fortune: Impact) -> &'static str {
    match fortune {
        Impact::Stuck => "stuck",
        Impact::Failing => "failing",
        Impact::Downgraded => "downgraded",
        Impact::Freed => "freed",
        Impact::Recovered => "recovered",
        Impact::Redirected => "moved",
    }
}

fn change_json<T: Serialize>(change: &ValueChange<T>) -> Value {
    json!({"before": change.before, "after": change.after})
}

/// Returns an object without empty members.
fn object_without_empty(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let kept = members.into_iter().filter(|(_, value)| !is_empty(value));
    Value::Object(kept.map(|(key, value)| (key.to_owned(), value)).collect())
}

fn json_array<T>(items: &[T], of: impl Fn(&T) -> Value) -> Value {
    items.iter().map(of).collect()
}

/// Returns the differences of a package.
pub(crate) fn package_diff_json(package: &PackageDiff) -> Value {
    object_without_empty([
        ("name", json!(package.name)),
        ("fate", json!(package.change_kind.as_str())),
        ("defaultChannel", package.default_channel.as_ref().map(change_json).into()),
        ("about", json_array(&package.description, leaf_json)),
        ("channels", json_array(&package.channels, channel_diff_json)),
        ("bundles", json_array(&package.bundles, bundle_diff_json)),
        ("deprecations", json_array(&package.deprecations, deprecation_diff_json)),
        ("others", json_array(&package.others, other_diff_json)),
        ("rewritten", json_array(&package.rewritten, |r| json!({"schema": r.schema, "name": r.name}))),
    ])
}

fn channel_diff_json(channel: &ChannelDiff) -> Value {
    object_without_empty([
        ("name", json!(channel.name)),
        ("fate", json!(channel.change_kind.as_str())),
        ("heads", channel.heads.as_ref().map(change_json).into()),
        ("entries", json_array(&channel.entries, entry_diff_json)),
        ("newEdges", json_array(&channel.new_edges, edge_json)),
        ("goneEdges", json_array(&channel.removed_edges, edge_json)),
        ("moreEdges", channel.has_more_edges.then_some(true).into()),
    ])
}

fn entry_diff_json(entry: &EntryDiff) -> Value {
    json!({"name": entry.name, "fate": entry.change_kind().as_str(), "before": entry.before, "after": entry.after})
}

fn edge_json(edge: &Edge) -> Value {
    json!({"from": edge.from, "to": edge.to, "kind": edge.kind})
}

fn bundle_diff_json(bundle: &BundleDiff) -> Value {
    object_without_empty([
        ("name", json!(bundle.name)),
        ("fate", json!(bundle.change_kind.as_str())),
        ("version", bundle.version.as_ref().map(change_json).into()),
        ("image", bundle.image.as_ref().map(change_json).into()),
        (
            "properties",
            json_array(
                &bundle.properties,
                |p| json!({"type": p.kind, "parts": json_array(&p.leaves, leaf_json)}),
            ),
        ),
        (
            "relatedImages",
            json_array(
                &bundle.related_images,
                |i| json!({"name": i.name, "before": i.before, "after": i.after}),
            ),
        ),
    ])
}

fn deprecation_diff_json(deprecation: &DeprecationDiff) -> Value {
    json!({
        "reference": deprecation.target,
        "fate": deprecation.change_kind().as_str(),
        "before": deprecation.before,
        "after": deprecation.after,
    })
}

fn other_diff_json(other: &OtherDiff) -> Value {
    object_without_empty([
        ("schema", json!(other.schema)),
        ("name", other.name.clone().into()),
        ("fate", json!(other.fate.as_str())),
        ("parts", json_array(&other.leaves, leaf_json)),
    ])
}

fn leaf_json(leaf: &Leaf) -> Value {
    json!({"path": leaf.path, "before": leaf.before, "after": leaf.after})
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_check::review::diff::ChangeKind;

    #[test]
    fn more_edges_are_only_reported_if_there_are_any() {
        let told = |has_more_edges| {
            let (heads, entries, new_edges, gone_edges) = (None, Vec::new(), Vec::new(), Vec::new());
            let (name, fate) = ("c".into(), ChangeKind::Changed);
            let diff = ChannelDiff {
                name,
                change_kind: fate,
                heads,
                entries,
                new_edges,
                removed_edges: gone_edges,
                has_more_edges,
            };
            channel_diff_json(&diff).get("moreEdges").cloned()
        };
        assert_eq!([told(true), told(false)], [Some(json!(true)), None]);
    }
}
