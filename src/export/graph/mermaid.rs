//! Mermaid flowcharts, as GitHub draws them in Markdown.
//!
//! An arrow leads from what is installed to what it can be upgraded to. A range is one labelled arrow from a node with
//! its text, not one arrow a version. Edges that Classic ignores, because their entry is skipped, end in a cross.

use std::fmt::Write;

use petgraph::{graph::NodeIndex, visit::EdgeRef};

use crate::{
    layout::order,
    upgrade::{ChannelGraph, EdgeKind, PackageGraph, package::ChannelUpgrades},
};

/// GitHub refuses diagrams with more edges; there the skips of an entry become one arrow from a list.
const MAX_EDGES: usize = 500;

/// Names listed in such a node, so that the text stays below GitHub's 50,000 characters.
const MAX_LISTED: usize = 8;

/// A flowchart for one channel; for several, Markdown with one fenced flowchart each.
pub fn mermaid(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
    if let [channel] = channels {
        return flowchart(package, channel);
    }
    let mut out = String::new();
    for (index, channel) in channels.iter().enumerate() {
        let blank = if index == 0 { "" } else { "\n" };
        let name = channel.graph.name().as_str();
        let _ =
            write!(out, "{blank}## {}\n\n```mermaid\n{}```\n", heading(name), flowchart(package, channel));
    }
    out
}

/// One channel.
fn flowchart(package: &PackageGraph, channel: &ChannelUpgrades) -> String {
    let graph = &channel.graph;
    let mut out = String::from("flowchart BT\n");
    let order = order(graph);
    for &at in order.iter().rev() {
        node(&mut out, graph, at);
    }
    let ranges =
        graph.entries().filter(|&at| graph.entry(at).is_some_and(|e| e.skip_range.is_some())).count();
    let compact = graph.graph().edge_count() + ranges > MAX_EDGES;
    for &to in order.iter().rev() {
        edges(&mut out, graph, to, compact);
    }
    out.push_str("  classDef skipped stroke-dasharray: 4 3\n");
    out.push_str("  classDef dangling stroke-dasharray: 1 4\n");
    out.push_str("  classDef deprecated text-decoration: line-through\n");
    let class = |out: &mut String, name: &str, of: &dyn Fn(NodeIndex) -> bool| {
        let ids: Vec<String> =
            order.iter().filter(|&&at| of(at)).map(|at| format!("n{}", at.index())).collect();
        if !ids.is_empty() {
            let _ = writeln!(out, "  class {} {name}", ids.join(","));
        }
    };
    class(&mut out, "skipped", &|at| graph.entry(at).is_some() && graph.is_skipped(at));
    class(&mut out, "dangling", &|at| graph.entry(at).is_none());
    class(&mut out, "deprecated", &|at| {
        graph.node(at).is_some_and(|n| package.package.bundle_deprecation(&n.name).is_some())
    });
    out
}

fn node(out: &mut String, graph: &ChannelGraph, at: NodeIndex) {
    let Some(node) = graph.node(at) else { return };
    let name = label(node.name.as_str());
    let index = at.index();
    let _ = match (node.entry.is_some(), graph.is_skipped(at)) {
        (false, _) => writeln!(out, "  n{index}[/\"{name}<br/>not in this channel\"/]"),
        (true, true) => writeln!(out, "  n{index}([\"{name}<br/>skipped\"])"),
        (true, false) => writeln!(out, "  n{index}[\"{name}\"]"),
    };
}

fn edges(out: &mut String, graph: &ChannelGraph, to: NodeIndex, compact: bool) {
    // Classic never lands on a skipped entry, so nothing leads there.
    let dead = graph.is_skipped(to);
    let owner = to.index();
    let mut skipped = Vec::new();
    let mut incoming: Vec<_> = graph.graph().edges_directed(to, petgraph::Direction::Incoming).collect();
    incoming.sort_unstable_by_key(EdgeRef::id);
    for edge in incoming {
        let (from, kind) = (edge.source(), *edge.weight());
        if kind == EdgeKind::Skips && compact {
            skipped.push(from);
            continue;
        }
        let arrow = arrow(kind, dead);
        let _ = writeln!(out, "  n{} {arrow}|{}| n{owner}", from.index(), kind.as_str());
    }
    if !skipped.is_empty() {
        let name = |at: &NodeIndex| graph.node(*at).map(|n| label(n.name.as_str())).unwrap_or_default();
        let mut listed: Vec<String> = skipped.iter().take(MAX_LISTED).map(name).collect();
        if skipped.len() > MAX_LISTED {
            listed.push(format!("and {} more", skipped.len() - MAX_LISTED));
        }
        let _ = writeln!(out, "  s{owner}>\"{}\"]", listed.join("<br/>"));
        let _ = writeln!(out, "  s{owner} {}|skips| n{owner}", arrow(EdgeKind::Skips, dead));
    }
    if let Some(range) = graph.entry(to).and_then(|e| e.skip_range.as_ref()) {
        let _ = writeln!(out, "  r{owner}{{{{\"{}\"}}}}", label(&range.text.value));
        let _ = writeln!(out, "  r{owner} {}|skipRange| n{owner}", arrow(EdgeKind::SkipRange, dead));
    }
}

fn arrow(kind: EdgeKind, dead: bool) -> &'static str {
    match (kind, dead) {
        (EdgeKind::Replaces, false) => "==>",
        (EdgeKind::Replaces, true) => "==x",
        (EdgeKind::Skips, false) => "-->",
        (EdgeKind::Skips, true) => "--x",
        (EdgeKind::SkipRange, false) => "-.->",
        (EdgeKind::SkipRange, true) => "-.-x",
    }
}

/// Text as it may stand between quotes in a flowchart: all that Mermaid, its Markdown or HTML could take for syntax is
/// written as a character code.
fn label(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // `1. ` and `- ` at the start would begin a Markdown list.
        let plain = match c {
            '.' => chars.peek().is_some_and(|next| !next.is_whitespace()),
            '-' | '+' => !out.is_empty(),
            '/' | ':' | ' ' | ',' => true,
            c => c.is_alphanumeric(),
        };
        if plain {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

/// Text as it may stand in a Markdown heading.
fn heading(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{export::graph::select, layout::fixture};

    #[test]
    fn one_channel_is_one_flowchart_with_one_arrow_a_range() {
        let package = fixture::channel(
            "3.0.0 replaces=1.0.0 skips=2.0.0 range=>=1.0.0_<3.0.0\n2.0.0 replaces=1.0.0 deprecated\n1.0.0 replaces=0.9.0",
        );
        let expected = r##"flowchart BT
  n3[/"p.v0.9.0<br/>not in this channel"/]
  n2["p.v1.0.0"]
  n1(["p.v2.0.0<br/>skipped"])
  n0["p.v3.0.0"]
  n3 ==>|replaces| n2
  n2 ==x|replaces| n1
  n2 ==>|replaces| n0
  n1 -->|skips| n0
  r0{{"#62;#61;1.0.0 #60;3.0.0"}}
  r0 -.->|skipRange| n0
  classDef skipped stroke-dasharray: 4 3
  classDef dangling stroke-dasharray: 1 4
  classDef deprecated text-decoration: line-through
  class n1 skipped
  class n3 dangling
  class n1 deprecated
"##;
        assert_eq!(mermaid(&package, &select(&package, Some("c"))), expected);
    }

    #[test]
    fn several_channels_are_fenced_one_by_one() {
        let package = fixture::channels(&[("b_1", "1.0.0"), ("a", "1.0.0")]);
        let text = mermaid(&package, &select(&package, None));
        assert_eq!(text.matches("```mermaid\nflowchart BT\n").count(), 2);
        assert!(text.starts_with("## b\\_1\n"), "the default channel comes first: {text}");
    }

    #[test]
    fn nothing_in_a_name_is_syntax() {
        assert_eq!(label("p.v1.0.0-rc.1+b"), "p.v1.0.0-rc.1+b");
        assert_eq!(label("\"]; click n0 `x` <b>&amp; 1. y\n#35;"), {
            "#34;#93;#59; click n0 #96;x#96; #60;b#62;#38;amp#59; 1#46; y#10;#35;35#59;"
        });
        assert_eq!(label("- list"), "#45; list");
    }

    #[test]
    fn a_channel_with_too_many_edges_for_github_lists_its_skips() {
        let versions: Vec<String> = (0..200).rev().map(|n| format!("1.{n}.0")).collect();
        let lines: Vec<String> = versions
            .iter()
            .enumerate()
            .map(|(n, v)| match n {
                0..5 => format!("{v} skips={}", versions[n + 1..].join(",")),
                _ => v.clone(),
            })
            .collect();
        let package = fixture::channel(&lines.join("\n"));
        let text = mermaid(&package, &select(&package, Some("c")));
        let arrows = text.lines().filter(|l| l.contains("| n")).count();
        assert_eq!(arrows, 5);
        assert!(text.contains("and 191 more"));
    }
}
