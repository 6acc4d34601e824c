//! Mermaid flowcharts, which GitHub draws in Markdown.
//!
//! An arrow points from an installed bundle to its upgrade. A range is one labelled arrow from a
//! node with its text, not one arrow per version. Runs of bundles that look the same are one node,
//! unless they are expanded. Edges that Classic ignores, because their entry is skipped, end in a
//! cross.
//!
//! One flowchart has all channels as subgraphs. In Markdown, each channel is a flowchart: GitHub
//! does not draw diagrams of 50,000 characters or more than 500 edges, so a large channel is split
//! into several diagrams, each with all bundles that its edges need.

use std::{collections::HashSet, fmt::Write};

use super::{
    dot::{MarkedTitle, channel_title, package_title},
    runs::{BundleRun, ChannelRuns},
};
use crate::{escape, markdown::escape_markdown};
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades};

/// Limits of one diagram: edges, and bytes of text. GitHub refuses larger ones.
const MAX_EDGES: usize = 499;
const MAX_TEXT: usize = 49_999;

/// Maximum length of a label in characters, so that no catalog text fills a diagram.
const MAX_LABEL: usize = 300;

/// Bytes reserved for the rest of a diagram: its title of [`MAX_LABEL`] escaped characters.
const FRAME: usize = 5_000;

const CLASSES: [(&str, &str); 5] = [
    ("head", "stroke-width:3px"),
    ("skipped", "stroke-dasharray:4 3"),
    ("deadEnd", "stroke:#cf222e,stroke-width:3px"),
    ("deprecated", "text-decoration:line-through"),
    ("dangling", "stroke-dasharray:1 4"),
];

/// Channels as flowcharts, split to the size that GitHub draws.
pub(super) struct Flowcharts {
    /// Heading with the package.
    package: String,
    /// Channels with their headings.
    channels: Vec<(String, Vec<DiagramPart>)>,
}

impl Flowcharts {
    pub(super) fn new(package: &PackageGraph, channels: &[&ChannelUpgrades], is_folded: bool) -> Self {
        let drawn = |channel: &&ChannelUpgrades| {
            (
                markdown_heading(&channel_title(package, channel)),
                Drawing::new(package, channel, String::new(), is_folded).split_into_parts(),
            )
        };
        Self {
            package: markdown_heading(&package_title(package)),
            channels: channels.iter().map(drawn).collect(),
        }
    }

    /// Returns the number of flowcharts.
    pub(super) fn flowchart_count(&self) -> usize {
        self.channels.iter().map(|(_, parts)| parts.len()).sum()
    }

    /// Returns true if a channel was too large for one flowchart.
    pub(super) fn is_split(&self) -> bool {
        self.channels.iter().any(|(_, parts)| parts.len() > 1)
    }

    /// Renders all flowcharts as Markdown.
    pub(super) fn render_flowcharts_markdown(&self) -> String {
        let mut out = format!("# {}\n", self.package);
        for (title, parts) in &self.channels {
            let _ = write!(out, "\n## {title}\n");
            let count = parts.len();
            if count > 1 {
                let _ = write!(
                    out,
                    "\nGitHub draws at most 500 edges and 50,000 characters in one diagram, so this channel is in {count} parts.\n"
                );
            }
            for (number, part) in (1..).zip(parts) {
                if count > 1 {
                    let _ =
                        write!(out, "\n### Part {number} of {count}: {}\n", escape_markdown(&part.covers));
                }
                let _ = write!(out, "\n```mermaid\n{}```\n", part.text);
            }
        }
        out
    }
}

/// Diagram with part of a channel.
struct DiagramPart {
    text: String,
    /// Newest and oldest bundle whose edges the diagram contains.
    covers: String,
}

/// Renders one flowchart with a subgraph for each channel. It is valid for Mermaid, but GitHub may
/// refuse a large one, see [`exceeds_github_limits`].
pub(super) fn render_flowchart(
    package: &PackageGraph,
    channels: &[&ChannelUpgrades],
    is_folded: bool,
) -> String {
    let prefix = |index: usize| if channels.len() > 1 { format!("c{index}") } else { String::new() };
    let drawings: Vec<Drawing<'_>> = channels
        .iter()
        .enumerate()
        .map(|(index, channel)| Drawing::new(package, channel, prefix(index), is_folded))
        .collect();
    let mut text = String::from("flowchart BT\n");
    if drawings.is_empty() {
        text.push_str("  %% no channels\n");
    }
    let mut nodes = Vec::new();
    for drawing in &drawings {
        let title = drawing.channel_heading();
        nodes.push((drawing, drawing.write_subgraph(&mut text, &drawing.drawing_items(), &title)));
    }
    write_classes(&mut text, &nodes);
    text
}

/// Returns true if GitHub does not draw a flowchart because of its size.
pub(super) fn exceeds_github_limits(flowchart: &str) -> bool {
    // Labels do not contain this character.
    let edges = flowchart.lines().filter(|line| line.contains('|')).count();
    flowchart.len() > MAX_TEXT || edges > MAX_EDGES
}

/// Writes the styles of the nodes of all drawings.
fn write_classes(text: &mut String, drawings: &[(&Drawing<'_>, Vec<usize>)]) {
    for (class, style) in CLASSES {
        let mut ids = Vec::new();
        for (drawing, nodes) in drawings {
            let of = nodes.iter().filter(|&&node| drawing.node_classes(node).any(|name| name == class));
            ids.extend(of.map(|&node| drawing.mermaid_node_id(node)));
        }
        if !ids.is_empty() {
            let _ = write!(text, "  classDef {class} {style}\n  class {} {class}\n", ids.join(","));
        }
    }
}

struct Drawing<'a> {
    package: &'a PackageGraph,
    channel: &'a ChannelUpgrades,
    runs: ChannelRuns,
    /// Start of all identifiers.
    prefix: String,
}

/// Unit that is not split: an edge with the bundles it needs, or a bundle without edges.
struct DrawingItem {
    owner: usize,
    nodes: Vec<usize>,
    edge: String,
}

impl<'a> Drawing<'a> {
    fn new(package: &'a PackageGraph, channel: &'a ChannelUpgrades, prefix: String, is_folded: bool) -> Self {
        Self { package, channel, runs: ChannelRuns::for_channel(package, channel, is_folded), prefix }
    }

    fn split_into_parts(&self) -> Vec<DiagramPart> {
        let mut groups: Vec<Vec<DrawingItem>> = Vec::new();
        let (mut declared, mut text, mut edges) = (HashSet::new(), usize::MAX, 0);
        for item in self.drawing_items() {
            let cost = |declared: &HashSet<usize>| -> usize {
                let new = item.nodes.iter().filter(|node| !declared.contains(*node));
                new.map(|&node| self.node_cost(node)).sum::<usize>() + item.edge.len()
            };
            let is_edge = usize::from(!item.edge.is_empty());
            let fits = text.saturating_add(cost(&declared)) <= MAX_TEXT && edges + is_edge <= MAX_EDGES;
            if !fits {
                groups.push(Vec::new());
                declared.clear();
                (text, edges) = (FRAME, 0);
            }
            text += cost(&declared);
            edges += is_edge;
            declared.extend(item.nodes.iter().copied());
            if let Some(group) = groups.last_mut() {
                group.push(item);
            }
        }
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        let count = groups.len();
        (1..).zip(groups).map(|(number, group)| self.build_part(&group, number, count)).collect()
    }

    /// Returns the edges by run, newest first, and the runs without an edge.
    fn drawing_items(&self) -> Vec<DrawingItem> {
        let graph = &self.channel.graph;
        let mut items = Vec::new();
        for (owner, run) in self.runs.runs.iter().enumerate() {
            let Some(first) = run.newest_member() else { continue };
            let to = self.mermaid_node_id(owner);
            // Classic never lands on a skipped entry, so edges to it end in a cross.
            let dead = graph.is_skipped(first.at);
            for edge in self.runs.incoming_edges(graph, owner) {
                let from = self.mermaid_node_id(edge.from);
                let text =
                    format!("    {from} {}|{}| {to}\n", edge_arrow(edge.kind, dead), edge.edge_label());
                items.push(DrawingItem { owner, nodes: vec![owner, edge.from], edge: text });
            }
            let range = run.range_label(graph);
            if let Some(range) = &range {
                let node = format!("{}r{}", self.prefix, first.at.index());
                let kind = EdgeKind::SkipRange;
                let edge = format!(
                    "    {node}{{{{\"{}\"}}}}\n    {node} {}|{}| {to}\n",
                    escape_label(range),
                    edge_arrow(kind, dead),
                    kind.as_str()
                );
                items.push(DrawingItem { owner, nodes: vec![owner], edge });
            }
            if range.is_none() && self.runs.is_isolated(graph, owner) {
                items.push(DrawingItem { owner, nodes: vec![owner], edge: String::new() });
            }
        }
        items
    }

    fn channel_heading(&self) -> String {
        format!("{} > {}", package_title(self.package), channel_title(self.package, self.channel))
    }

    fn build_part(&self, items: &[DrawingItem], number: usize, count: usize) -> DiagramPart {
        let mut title = self.channel_heading();
        let owners = || items.iter().map(|item| item.owner);
        let covers = match (owners().min(), owners().max()) {
            (Some(newest), Some(oldest)) if newest != oldest => {
                format!("{} to {}", self.newest_name(newest), self.newest_name(oldest))
            }
            (Some(only), _) => self.newest_name(only).to_owned(),
            (None, _) => String::new(),
        };
        if count > 1 {
            let _ = write!(title, ", part {number} of {count}: {covers}");
        }
        let mut text = String::from("flowchart BT\n");
        let nodes = self.write_subgraph(&mut text, items, &title);
        write_classes(&mut text, &[(self, nodes)]);
        DiagramPart { text, covers }
    }

    /// Writes the channel as a subgraph, and returns its nodes.
    fn write_subgraph(&self, text: &mut String, items: &[DrawingItem], title: &str) -> Vec<usize> {
        let mut nodes: Vec<usize> = items.iter().flat_map(|item| item.nodes.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        // The newest bundle is drawn at the top, so the oldest is declared first.
        nodes.reverse();
        let _ = write!(
            text,
            "  subgraph {}channel[\"{}\"]\n    direction BT\n",
            self.prefix,
            escape_label(title)
        );
        text.extend(nodes.iter().map(|&node| self.mermaid_node(node)));
        text.extend(items.iter().rev().map(|item| item.edge.as_str()));
        text.push_str("  end\n");
        nodes
    }

    fn bundle_run(&self, node: usize) -> Option<&BundleRun> {
        self.runs.runs.get(node)
    }

    fn mermaid_node_id(&self, node: usize) -> String {
        let first = self.bundle_run(node).and_then(BundleRun::newest_member);
        format!("{}n{}", self.prefix, first.map_or(0, |first| first.at.index()))
    }

    fn newest_name(&self, node: usize) -> &str {
        self.bundle_run(node).map(|run| run.bundle_names(&self.channel.graph).0).unwrap_or_default()
    }

    fn mermaid_node(&self, node: usize) -> String {
        let Some((run, first)) = self.bundle_run(node).and_then(|run| Some((run, run.newest_member()?)))
        else {
            return String::new();
        };
        let graph = &self.channel.graph;
        let (newest, oldest) = run.bundle_names(graph);
        let mut text = escape_label(newest);
        if let Some(oldest) = oldest {
            let _ = write!(text, "<br/>to {}", escape_label(oldest));
        }
        for line in run.describe_members(graph) {
            let _ = write!(text, "<br/>{line}");
        }
        for word in first.mark_words() {
            text.push_str("<br/>");
            text.push_str(word);
        }
        let (open, close) = match (first.marks.dangling, first.marks.skipped_by.is_some()) {
            (true, _) => ("[/", "/]"),
            (false, true) => ("([", "])"),
            (false, false) => ("[", "]"),
        };
        format!("    {}{open}\"{text}\"{close}\n", self.mermaid_node_id(node))
    }

    fn node_classes(&self, node: usize) -> impl Iterator<Item = &'static str> {
        let marks = self.bundle_run(node).and_then(BundleRun::newest_member).map(|first| &first.marks);
        let of = marks.map(|marks| {
            [
                (marks.head, "head"),
                (marks.skipped_by.is_some(), "skipped"),
                (marks.dead_end || marks.stuck.is_some(), "deadEnd"),
                (marks.deprecated, "deprecated"),
                (marks.dangling, "dangling"),
            ]
        });
        of.into_iter().flatten().filter(|(holds, _)| *holds).map(|(_, class)| class)
    }

    /// Returns the bytes of a bundle: its node, and its ID in each class.
    fn node_cost(&self, node: usize) -> usize {
        self.mermaid_node(node).len()
            + self.node_classes(node).count() * (self.mermaid_node_id(node).len() + 1)
    }
}

fn edge_arrow(kind: EdgeKind, dead: bool) -> &'static str {
    match (kind, dead) {
        (EdgeKind::Replaces, false) => "==>",
        (EdgeKind::Replaces, true) => "==x",
        (EdgeKind::Skips, false) => "-->",
        (EdgeKind::Skips, true) => "--x",
        (EdgeKind::SkipRange, false) => "-.->",
        (EdgeKind::SkipRange, true) => "-.-x",
    }
}

/// Escapes text for a quoted string in a flowchart. Characters that Mermaid, its Markdown or HTML
/// could interpret become character codes.
pub(crate) fn escape_label(text: &str) -> String {
    let text = escape::escape_line(text);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().take(MAX_LABEL).peekable();
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
    if text.chars().nth(MAX_LABEL).is_some() {
        out.push_str("...");
    }
    out
}

/// Renders a title as a Markdown heading.
fn markdown_heading(title: &MarkedTitle<'_>) -> String {
    format!("{}{}", escape_markdown(title.name), title.state)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::graph::select_channels;
    use olm_catalog::load;
    use olm_upgrade::fixture;

    /// Returns the Markdown with all bundles.
    fn render_expanded(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
        Flowcharts::new(package, channels, false).render_flowcharts_markdown()
    }

    #[test]
    fn range_is_drawn_as_one_arrow() {
        let package = fixture::graph_from_lines(
            "3.0.0 replaces=1.0.0 skips=2.0.0 range=>=1.5.0_<3.0.0\n2.0.0 skips=0.8.0 deprecated\n1.0.0 replaces=0.9.0\n0.8.0",
        );
        let expected = r##"flowchart BT
  subgraph channel["p #62; c #40;default#41;"]
    direction BT
    n3(["p.v0.8.0<br/>STUCK<br/>skipped"])
    n4[/"p.v0.9.0<br/>not in this channel"/]
    n2["p.v1.0.0"]
    n1(["p.v2.0.0<br/>skipped<br/>deprecated"])
    n0["p.v3.0.0<br/>HEAD"]
    n4 ==>|replaces| n2
    n3 --x|skips| n1
    r0{{"#62;#61;1.5.0 #60;3.0.0"}}
    r0 -.->|skipRange| n0
    n1 -->|skips| n0
    n2 ==>|replaces| n0
  end
  classDef head stroke-width:3px
  class n0 head
  classDef skipped stroke-dasharray:4 3
  class n3,n1 skipped
  classDef deadEnd stroke:#cf222e,stroke-width:3px
  class n3 deadEnd
  classDef deprecated text-decoration:line-through
  class n1 deprecated
  classDef dangling stroke-dasharray:1 4
  class n4 dangling
"##;
        assert_eq!(render_flowchart(&package, &select_channels(&package, Some("c")), true), expected);
    }

    #[test]
    fn runs_are_one_node_and_channels_are_subgraphs() {
        let mut lines = String::from("1.9.0 replaces=1.8.0 range=<1.9.0\n");
        for n in (1..9).rev() {
            let _ = writeln!(lines, "1.{n}.0 replaces=1.{}.0 range=<1.{n}.0", n - 1);
        }
        lines.push_str("1.0.0\n");
        let package = fixture::graph_from_channels(&[("a", lines.as_str()), ("b", "1.0.0")]);
        let text = render_flowchart(&package, &select_channels(&package, None), true);
        assert!(text.starts_with("flowchart BT\n  subgraph c0channel["), "{text}");
        assert_eq!(text.matches("  subgraph ").count(), 2, "{text}");
        assert!(text.contains("8 versions<br/>each replaces the next\"]"), "{text}");
        assert!(text.contains("{{\"8 ranges\"}}"), "{text}");
        assert!(!exceeds_github_limits(&text));
        let expanded = render_flowchart(&package, &select_channels(&package, None), false);
        assert_eq!(expanded.matches("|replaces|").count(), 9, "{expanded}");
        assert_eq!(expanded.matches("|skipRange|").count(), 9, "{expanded}");
    }

    #[test]
    fn each_channel_has_its_own_code_block() {
        let package = fixture::graph_from_channels(&[("b_1", "1.0.0"), ("a", "1.0.0")]);
        let text = render_expanded(&package, &select_channels(&package, None));
        assert_eq!(text.matches("```mermaid\nflowchart BT\n").count(), 2);
        assert!(text.starts_with("# p\n\n## b\\_1 (default)\n"), "the default channel comes first: {text}");
        let one = Flowcharts::new(&package, &select_channels(&package, Some("a")), true)
            .render_flowcharts_markdown();
        assert!(
            one.starts_with("# p\n\n## a\n\n```mermaid\nflowchart BT\n") && one.ends_with("```\n"),
            "{one}"
        );
    }

    #[test]
    fn only_deprecated_content_is_marked() {
        let package = |name: &str, deprecated: &str| {
            format!(
                "---\nschema: olm.package\nname: {name}\ndefaultChannel: c\n---\nschema: olm.channel\npackage: {name}\nname: c\nentries:\n- name: v1\n\
                 - name: v2\n  replaces: v1\n---\nschema: olm.channel\npackage: {name}\nname: d\nentries:\n- name: v2\n{deprecated}"
            )
        };
        let deprecations = "---\nschema: olm.deprecations\npackage: p\nentries:\n- reference: {schema: olm.package}\n  message: m\n\
            - reference: {schema: olm.channel, name: d}\n  message: m\n- reference: {schema: olm.bundle, name: v1}\n  message: m\n";
        let text = package("p", deprecations) + &package("q", "");
        let catalog = load::from_bytes(text.into_bytes());
        let draw = |name: &str| {
            let package = PackageGraph::new(catalog.package(name).unwrap());
            render_expanded(&package, &select_channels(&package, None))
        };
        let of_p = draw("p");
        assert!(of_p.starts_with("# p (deprecated)\n\n## c (default)\n"), "{of_p}");
        assert!(of_p.contains("## d (deprecated)\n"));
        assert_eq!(of_p.matches("v1<br/>deprecated").count(), 1);
        assert!(!of_p.contains("v2<br/>deprecated"));
        assert!(!draw("q").contains("deprecated"));
    }

    #[test]
    fn label_escapes_mermaid_syntax() {
        assert_eq!(escape_label("p.v1.0.0-rc.1+b"), "p.v1.0.0-rc.1+b");
        assert_eq!(escape_label("\"]; click n0 `x` <b>&amp; 1. y\n#35;"), {
            "#34;#93;#59; click n0 #96;x#96; #60;b#62;#38;amp#59; 1#46; y#9226;#35;35#59;"
        });
        assert_eq!(escape_label("- list"), "#45; list");
        assert_eq!(escape_label(&"a".repeat(5000)).len(), MAX_LABEL + 3);
        assert_eq!(escape_label("a\u{202e}b"), "a#60;U+202E#62;b", "what people read shows what hides");
    }

    #[test]
    fn heading_escapes_markdown() {
        let text = serde_json::json!({"schema": "olm.channel", "package": "@p <b>", "entries": [{"name": "v1"}],
            "name": "@everyone GH-1 #2 www.evil.example https://evil.example :+1: \u{202e}\u{e0041}"});
        let catalog = load::from_bytes(text.to_string().into_bytes());
        let package = PackageGraph::new(catalog.package("@p <b>").unwrap());
        let drawn =
            Flowcharts::new(&package, &select_channels(&package, None), true).render_flowcharts_markdown();
        let headings: Vec<&str> = drawn.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(
            headings,
            [
                "# \\@<!-- -->p &lt;b&gt;",
                "## \\@<!-- -->everyone GH<!-- -->-1 \\#<!-- -->2 ww<!-- -->w.evil.example https:<!-- -->//evil.example \
             :<!-- -->+1: &lt;U+202E&gt;&lt;U+E0041&gt;"
            ]
        );
    }

    /// Returns the diagrams in Markdown, or the text if it is one diagram.
    fn split_diagrams(text: &str) -> Vec<&str> {
        if !text.starts_with('#') {
            return vec![text];
        }
        text.split("```mermaid\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
    }

    /// Returns the edges of all diagrams as bundle names; a range is its text.
    fn drawn_edges(text: &str) -> Vec<[String; 3]> {
        let mut edges = Vec::new();
        for diagram in split_diagrams(text) {
            let mut names = BTreeMap::new();
            let is_node = |line: &&str| line.contains('"') && !line.contains("subgraph");
            for line in diagram.lines().filter(is_node) {
                let (id, rest) = line.trim().split_once(['[', '(', '{']).unwrap();
                let name = rest.split('"').nth(1).unwrap().split("<br/>").next().unwrap();
                assert!(names.insert(id, name).is_none(), "declared twice: {id}");
            }
            for line in diagram.lines().filter(|line| line.contains('|')) {
                let words: Vec<&str> = line.split_whitespace().collect();
                let kind = words[1].split('|').nth(1).unwrap();
                edges.push([names[words[0]], kind, names[words[2]]].map(str::to_owned));
            }
        }
        edges
    }

    /// Returns the edges of a package from the catalog.
    fn catalog_edges(package: &PackageGraph) -> Vec<[String; 3]> {
        let mut edges = Vec::new();
        for channel in package.channels() {
            for entry in &channel.graph.channel.entries {
                let spec = entry.to_spec();
                let to = || escape_label(entry.name.value.as_str());
                let mut push =
                    |from: &str, kind: &str| edges.push([escape_label(from), kind.to_owned(), to()]);
                spec.replaces.iter().for_each(|name| push(name.as_str(), "replaces"));
                spec.skips.iter().for_each(|name| push(name.as_str(), "skips"));
                spec.skip_range.iter().for_each(|range| push(range, "skipRange"));
            }
        }
        edges
    }

    #[track_caller]
    fn assert_every_edge_drawn_once(package: &PackageGraph, parts: usize) {
        let text = render_expanded(package, &select_channels(package, None));
        let diagrams = split_diagrams(&text);
        assert_eq!(diagrams.len(), parts);
        for diagram in &diagrams {
            let arrows = diagram.lines().filter(|line| line.contains('|')).count();
            assert!(arrows < 500 && diagram.len() < 50_000, "{arrows} {}", diagram.len());
        }
        for number in 1..=parts {
            assert!(text.contains(&format!("### Part {number} of {parts}: p.v")), "{number}");
            assert!(diagrams[number - 1].contains(&format!("part {number} of {parts}: p.v")));
        }
        let (mut drawn, mut asked) = (drawn_edges(&text), catalog_edges(package));
        drawn.sort();
        asked.sort();
        assert_eq!(drawn, asked);
    }

    #[test]
    fn channel_of_700_entries_is_split() {
        let mut lines = String::from("1.0.0\n");
        for n in 1..700 {
            let _ = writeln!(lines, "1.{n}.0 replaces=1.{}.0 range=>=1.0.0_<1.{n}.0", n - 1);
        }
        assert_every_edge_drawn_once(&fixture::graph_from_lines(&lines), 3);
    }

    #[test]
    fn entry_with_3000_skips_is_split() {
        let skips: Vec<String> = (0..3000).map(|n| format!("1.{n}.0")).collect();
        let lines = format!("2.0.0 skips={}\n{}", skips.join(","), skips.join("\n"));
        assert_every_edge_drawn_once(&fixture::graph_from_lines(&lines), 7);
    }
}
