//! Difference between two catalogs, for people, for programs, and for a comment on a pull request.

pub mod json;
pub mod lines;
pub mod markdown;
pub(crate) mod phrases;
pub mod text;
pub mod verdict;

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    graph::mermaid::escape_label,
    omissions::{OmittedPart, READ_PART_PREFIX},
    plan::PlanRange,
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{
    ChangedUpgrade, Snapshot,
    diff::{ChangeKind, ChannelDiff, Difference, Edge, EntryDiff, Impact, ImpactCounts, Violation},
};
use olm_plan::planner::AllPlans;

/// Difference between two catalogs with its context.
#[derive(Clone, Debug)]
pub struct CatalogComparison<'a> {
    /// Display name of the old catalog.
    pub old_label: &'a str,
    /// Display name of the new catalog.
    pub new_label: &'a str,
    /// Old catalog.
    pub old: &'a Snapshot,
    /// New catalog.
    pub new: &'a Snapshot,
    /// Difference.
    pub difference: &'a Difference,
    /// Violated release rules.
    pub violations: &'a [Violation],
    /// Parts of both catalogs that could not be read and are not compared.
    pub left_out: Vec<OmittedPart>,
    /// True if documents are reported that differ only in formatting.
    pub formatting: bool,
    /// Cluster update from the old to the new catalog, if they are for different OpenShift
    /// versions.
    pub update: Option<Update>,
}

/// Update of a cluster from one catalog to that of a later OpenShift version.
#[derive(Clone, Debug)]
pub struct Update {
    /// Catalogs of the update.
    pub over: PlanRange,
    /// Upgrade plans of all installed versions.
    pub everyone: AllPlans,
}

impl CatalogComparison<'_> {
    /// Returns true if nothing differs, false if something does, and `None` if unread parts may
    /// differ.
    pub(super) fn is_same(&self) -> Option<bool> {
        match (self.difference.is_empty(), self.left_out.is_empty()) {
            (true, false) => None,
            (is_empty, _) => Some(is_empty),
        }
    }

    /// Describes the impact on users, worst first. Empty if no user is affected.
    pub fn describe_impacts(&self) -> Vec<(Impact, String)> {
        let mut users = phrases::describe_user_impacts(self);
        let (blocking, others): (Vec<_>, Vec<_>) = phrases::describe_deprecation_impacts(self)
            .into_iter()
            .partition(|(fortune, _)| *fortune == Impact::Stuck);
        let place = users.iter().position(|(fortune, _)| !fortune.is_harm()).unwrap_or(users.len());
        users.splice(place..place, blocking);
        users.extend(others);
        users
    }

    /// Qualifies a positive sentence if parts of the catalogs could not be read.
    fn qualify_praise(&self, words: &str) -> String {
        if self.left_out.is_empty() { words.to_owned() } else { format!("{READ_PART_PREFIX}{words}") }
    }

    /// Returns the number of packages that differ in meaning.
    pub fn count_differing_packages(&self) -> usize {
        self.difference.packages.iter().filter(|package| !package.has_same_meaning()).count()
    }

    /// Returns the impact of a changed upgrade.
    pub fn impact_of(&self, moved: &ChangedUpgrade) -> Impact {
        Impact::judge_change(moved, &self.difference.consequences.stuck, self.old, self.new)
    }

    /// Returns the number of installed versions by impact.
    pub fn count_users(&self) -> ImpactCounts {
        ImpactCounts::count_users(self.difference, self.old, self.new)
    }
}

/// Formats a number with the singular or plural noun.
fn count_noun(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Maximum number of edges. Mermaid fails at 500, and a flowchart is unreadable long before that.
const MAX_EDGES: usize = 60;

/// Styles of added, removed and changed entries.
const CLASSES: [(ChangeKind, &str, &str); 3] = [
    (ChangeKind::Added, "added", "stroke:#1a7f37,stroke-width:3px"),
    (ChangeKind::Removed, "removed", "stroke:#cf222e,stroke-dasharray:4 3"),
    (ChangeKind::Changed, "changed", "stroke:#9a6700,stroke-width:2px"),
];

/// Returns the flowchart; `None` if no edge differs or there are too many. `replaces` and `skips`
/// edges are drawn as they are. A skipRange is drawn as edges from the entries it covers.
fn render_changed_flowchart(
    compared: &CatalogComparison<'_>,
    package: &PackageName,
    channel: &ChannelDiff,
) -> Option<String> {
    let edges = channel.new_edges.len() + channel.removed_edges.len();
    if edges == 0 || edges > MAX_EDGES {
        return None;
    }
    let mut nodes: BTreeMap<&BundleName, usize> = BTreeMap::new();
    for edge in channel.removed_edges.iter().chain(&channel.new_edges) {
        for name in [&edge.from, &edge.to] {
            let next = nodes.len();
            nodes.entry(name).or_insert(next);
        }
    }
    let fate =
        |name: &BundleName| channel.entries.iter().find(|e| e.name == *name).map(EntryDiff::change_kind);
    let mut out = String::from("flowchart BT\n");
    for (name, id) in &nodes {
        let mark = fate(name).map(|fate| format!("{} ", fate.diff_mark())).unwrap_or_default();
        let text = format!("{mark}{}", phrases::bundle_label(compared, package, name));
        let _ = writeln!(out, "  n{id}[\"{}\"]", escape_label(&text));
    }
    let mut styles = Vec::new();
    let mut number = 0;
    for (edges, mark, arrow, colour) in
        [(&channel.removed_edges, '-', "-.->", "#cf222e"), (&channel.new_edges, '+', "==>", "#1a7f37")]
    {
        for Edge { from, to, kind } in edges {
            if let (Some(from), Some(to)) = (nodes.get(from), nodes.get(to)) {
                let kind = escape_label(&format!("{mark} {kind}"));
                let _ = writeln!(out, "  n{from} {arrow}|\"{kind}\"| n{to}");
                styles.push(format!("  linkStyle {number} stroke:{colour}\n"));
                number += 1;
            }
        }
    }
    out.extend(styles);
    for (of, class, style) in CLASSES {
        let ids: Vec<String> =
            nodes.iter().filter(|(name, _)| fate(name) == Some(of)).map(|(_, id)| format!("n{id}")).collect();
        if !ids.is_empty() {
            let _ = write!(out, "  classDef {class} {style}\n  class {} {class}\n", ids.join(","));
        }
    }
    Some(out)
}
