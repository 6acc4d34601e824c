//! Changed part of a channel's graph, as a Mermaid flowchart.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{CatalogComparison, phrases};
use crate::graph::mermaid::escape_label;
use olm_catalog::{BundleName, PackageName};
use olm_check::review::diff::{ChangeKind, ChannelDiff, Edge, EntryDiff};

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
pub(super) fn render_changed_flowchart(
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
