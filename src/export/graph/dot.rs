//! Graphviz: one directed graph, a cluster a channel.
//!
//! An arrow leads from what is installed to what it can be upgraded to; a range is one arrow from a node with its text.

use std::fmt::Write;

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use crate::{
    layout::order,
    upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades},
};

/// The channels as one `digraph`.
pub fn dot(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(package.package.name.as_str()));
    out.push_str("  rankdir=BT;\n  node [shape=box, fontname=\"Courier\"];\n  edge [fontname=\"Courier\", fontsize=10];\n");
    for (index, channel) in channels.iter().enumerate() {
        cluster(&mut out, package, channel, index);
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, package: &PackageGraph, channel: &ChannelUpgrades, index: usize) {
    let graph = &channel.graph;
    let id = |at: NodeIndex| format!("c{index}n{}", at.index());
    let _ = writeln!(out, "  subgraph cluster_{index} {{\n    label={};", quoted(graph.name().as_str()));
    let order = order(graph);
    for &at in order.iter().rev() {
        let Some(node) = graph.node(at) else { continue };
        let mut attributes = format!("label={}", quoted(node.name.as_str()));
        match (node.entry.is_some(), graph.is_skipped(at)) {
            (false, _) => attributes.push_str(", style=dotted, tooltip=\"not in this channel\""),
            (true, true) => attributes.push_str(", style=dashed, tooltip=\"skipped\""),
            (true, false) => {}
        }
        if package.package.bundle_deprecation(&node.name).is_some() {
            attributes.push_str(", fontcolor=gray40, xlabel=\"deprecated\"");
        }
        let _ = writeln!(out, "    {} [{attributes}];", id(at));
    }
    for &to in order.iter().rev() {
        let dead = if graph.is_skipped(to) { ", arrowhead=tee, color=gray60" } else { "" };
        let mut incoming: Vec<_> = graph.graph().edges_directed(to, petgraph::Direction::Incoming).collect();
        incoming.sort_unstable_by_key(EdgeRef::id);
        for edge in incoming {
            let style = match edge.weight() {
                EdgeKind::Replaces => "solid",
                _ => "dashed",
            };
            let kind = edge.weight().as_str();
            let _ = writeln!(
                out,
                "    {} -> {} [label=\"{kind}\", style={style}{dead}];",
                id(edge.source()),
                id(to)
            );
        }
        if let Some(range) = graph.entry(to).and_then(|e| e.skip_range.as_ref()) {
            let node = format!("c{index}r{}", to.index());
            let _ = writeln!(out, "    {node} [shape=note, label={}];", quoted(&range.text.value));
            let _ = writeln!(out, "    {node} -> {} [label=\"skipRange\", style=dotted{dead}];", id(to));
        }
    }
    out.push_str("  }\n");
}

/// A quoted string. Besides the quote only the backslash means something in a label.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{export::graph::select, layout::fixture};

    #[test]
    fn a_channel_is_a_cluster() {
        let package = fixture::channel(
            "3.0.0 replaces=1.0.0 skips=2.0.0 range=<3.0.0\n2.0.0 replaces=1.0.0\n1.0.0 replaces=0.9.0",
        );
        let expected = r#"digraph "p" {
  rankdir=BT;
  node [shape=box, fontname="Courier"];
  edge [fontname="Courier", fontsize=10];
  subgraph cluster_0 {
    label="c";
    c0n3 [label="p.v0.9.0", style=dotted, tooltip="not in this channel"];
    c0n2 [label="p.v1.0.0"];
    c0n1 [label="p.v2.0.0", style=dashed, tooltip="skipped"];
    c0n0 [label="p.v3.0.0"];
    c0n3 -> c0n2 [label="replaces", style=solid];
    c0n2 -> c0n1 [label="replaces", style=solid, arrowhead=tee, color=gray60];
    c0n2 -> c0n0 [label="replaces", style=solid];
    c0n1 -> c0n0 [label="skips", style=dashed];
    c0r0 [shape=note, label="<3.0.0"];
    c0r0 -> c0n0 [label="skipRange", style=dotted];
  }
}
"#;
        assert_eq!(dot(&package, &select(&package, Some("c"))), expected);
    }

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(quoted("a\"b\\N\n&lt;"), r#""a\"b\\N &amp;lt;""#);
    }
}
