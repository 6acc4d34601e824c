//! Graphviz source: one directed graph with a cluster per channel.
//!
//! An arrow points from an installed bundle to its upgrade. A range is one arrow from a node that
//! shows its text. Runs of bundles that look the same are one node, unless they are expanded. The grammar is that of <https://graphviz.org/doc/info/lang.html>.

use std::fmt::{self, Write};

use super::runs::{BundleRun, ChannelRuns};
use crate::{escape, layout::Marks, log::CommandDetector};
use olm_catalog::blob::DeprecationTarget;
use olm_upgrade::{ChannelGraph, EdgeKind, PackageGraph, package::ChannelUpgrades};
use petgraph::graph::NodeIndex;

/// Renders the channels as one `digraph`. `is_folded` draws runs of bundles as one node.
pub fn render_dot(package: &PackageGraph, channels: &[&ChannelUpgrades], is_folded: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quote_label([package.package.name.as_str()]));
    let _ = writeln!(
        out,
        "  label={};\n  labelloc=t;\n  rankdir=BT;",
        quote_label([package_title(package).to_string().as_str()])
    );
    out.push_str("  node [shape=box, fontname=\"Courier\"];\n  edge [fontname=\"Courier\", fontsize=10];\n");
    for (index, channel) in channels.iter().enumerate() {
        write_dot_cluster(&mut out, package, (channel, index), is_folded);
    }
    out.push_str("}\n");
    out
}

fn write_dot_cluster(
    out: &mut String,
    package: &PackageGraph,
    (channel, index): (&ChannelUpgrades, usize),
    is_folded: bool,
) {
    let graph = &channel.graph;
    let title = channel_title(package, channel);
    let _ = writeln!(
        out,
        "  subgraph cluster_{index} {{\n    label={};",
        quote_label([title.to_string().as_str()])
    );
    let runs = ChannelRuns::for_channel(package, channel, is_folded);
    for run in runs.runs.iter().rev() {
        write_dot_node(out, graph, run, &dot_node_id(index, run));
    }
    for at in (0..runs.runs.len()).rev() {
        write_dot_edges(out, graph, &runs, (at, index));
    }
    out.push_str("  }\n");
}

fn dot_node_id(index: usize, run: &BundleRun) -> String {
    format!("c{index}n{}", run.newest_member().map_or(0, |first| first.at.index()))
}

fn write_dot_node(out: &mut String, graph: &ChannelGraph, run: &BundleRun, id: &str) {
    let Some(first) = run.newest_member() else { return };
    let (newest, oldest) = run.bundle_names(graph);
    let title = oldest.map_or_else(|| newest.to_owned(), |oldest| format!("{newest} to {oldest}"));
    let members = run.describe_members(graph);
    let lines = std::iter::once(title.as_str()).chain(members.iter().map(String::as_str));
    let mut attributes = format!("label={}", quote_label(lines.chain(first.mark_words())));
    let marks = &first.marks;
    let looks = [
        (marks.dangling, ", style=dotted"),
        (!marks.dangling && marks.skipped_by.is_some(), ", style=dashed"),
        (marks.head, ", penwidth=2"),
        (marks.dead_end || marks.stuck.is_some(), ", color=red, penwidth=2"),
        (marks.deprecated, ", fontcolor=gray40"),
    ];
    looks.into_iter().filter(|(holds, _)| *holds).for_each(|(_, look)| attributes.push_str(look));
    let _ = writeln!(out, "    {id} [{attributes}];");
}

fn write_dot_edges(out: &mut String, graph: &ChannelGraph, runs: &ChannelRuns, (to, index): (usize, usize)) {
    let Some(run) = runs.runs.get(to) else { return };
    // Classic never lands on a skipped entry, so edges to it are drawn without an arrow.
    let is_skipped = run.newest_member().is_some_and(|first| graph.is_skipped(first.at));
    let dead = if is_skipped { ", arrowhead=tee, color=gray60" } else { "" };
    let target = dot_node_id(index, run);
    for edge in runs.incoming_edges(graph, to) {
        let Some(from) = runs.runs.get(edge.from) else { continue };
        let style = match edge.kind {
            EdgeKind::Replaces => "solid",
            _ => "dashed",
        };
        let (from, label) = (dot_node_id(index, from), edge.edge_label());
        let _ = writeln!(out, "    {from} -> {target} [label=\"{label}\", style={style}{dead}];");
    }
    if let Some(range) = run.range_label(graph) {
        let node = format!("c{index}r{}", run.newest_member().map_or(0, |first| first.at.index()));
        let _ = writeln!(out, "    {node} [shape=note, label={}];", quote_label([range.as_str()]));
        let _ = writeln!(out, "    {node} -> {target} [label=\"skipRange\", style=dotted{dead}];");
    }
}

/// Quotes lines as a label.
fn quote_label<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let lines: Vec<String> = lines.into_iter().map(escape_dot).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// Escapes text for a quoted string, where a backslash starts an escape and `&` an HTML entity.
fn escape_dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut watch = CommandDetector::default();
    for c in escape::escape_line(text).chars() {
        match c {
            c if watch.completes_command(c) => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out
}

/// Bundle with its marks.
pub(super) struct MarkedBundle {
    pub(super) at: NodeIndex,
    pub(super) marks: Marks,
}

impl MarkedBundle {
    /// Returns the words below the name of the bundle, most important first.
    pub(super) fn mark_words(&self) -> Vec<&'static str> {
        let marks = &self.marks;
        let words = [
            (marks.head, "HEAD"),
            (marks.stuck.is_some(), "STUCK"),
            (marks.dead_end && marks.stuck.is_none(), "Classic stays"),
            (marks.skipped_by.is_some(), "skipped"),
            (marks.deprecated, "deprecated"),
            (marks.dangling, "not in this channel"),
            (marks.missing_bundle, "no bundle"),
            (marks.on_cycle, "cycle of replaces"),
            (marks.downgrade, "downgrade"),
        ];
        words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect()
    }
}

/// Name of a package or channel with its state: `stable`, ` (default) (deprecated)`.
pub(super) struct MarkedTitle<'a> {
    /// Catalog text.
    pub(super) name: &'a str,
    /// State in our own words.
    pub(super) state: String,
}

impl fmt::Display for MarkedTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.state)
    }
}

/// Returns the title of a package: `p`, or `p (deprecated)`.
pub(super) fn package_title(package: &PackageGraph) -> MarkedTitle<'_> {
    let deprecated = package.package.deprecation(&DeprecationTarget::Package).is_some();
    let state = if deprecated { " (deprecated)" } else { "" };
    MarkedTitle { name: package.package.name.as_str(), state: state.to_owned() }
}

/// Returns the title of a channel: `stable (default) (deprecated)`.
pub(super) fn channel_title<'a>(package: &PackageGraph, channel: &'a ChannelUpgrades) -> MarkedTitle<'a> {
    let name = channel.graph.name();
    let default = if package.package.default_channel() == Some(name) { " (default)" } else { "" };
    let deprecated = package.package.channel_deprecation(name).is_some();
    let state = format!("{default}{}", if deprecated { " (deprecated)" } else { "" });
    MarkedTitle { name: name.as_str(), state }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::select_channels;
    use olm_catalog::load;
    use olm_upgrade::fixture;

    #[test]
    fn channel_is_drawn_as_a_cluster() {
        let package = fixture::graph_from_lines(
            "3.0.0 replaces=1.0.0 skips=2.0.0 range=<1.0.0\n2.0.0 replaces=1.5.0\n1.5.0\n1.0.0 replaces=0.9.0 deprecated",
        );
        let expected = r#"digraph "p" {
  label="p";
  labelloc=t;
  rankdir=BT;
  node [shape=box, fontname="Courier"];
  edge [fontname="Courier", fontsize=10];
  subgraph cluster_0 {
    label="c (default)";
    c0n4 [label="p.v0.9.0\nnot in this channel", style=dotted];
    c0n3 [label="p.v1.0.0\ndeprecated", fontcolor=gray40];
    c0n2 [label="p.v1.5.0\nSTUCK", color=red, penwidth=2];
    c0n1 [label="p.v2.0.0\nskipped", style=dashed];
    c0n0 [label="p.v3.0.0\nHEAD", penwidth=2];
    c0n4 -> c0n3 [label="replaces", style=solid];
    c0n2 -> c0n1 [label="replaces", style=solid, arrowhead=tee, color=gray60];
    c0n3 -> c0n0 [label="replaces", style=solid];
    c0n1 -> c0n0 [label="skips", style=dashed];
    c0r0 [shape=note, label="<1.0.0"];
    c0r0 -> c0n0 [label="skipRange", style=dotted];
  }
}
"#;
        let text = render_dot(&package, &select_channels(&package, Some("c")), true);
        assert_eq!(text, expected);
        Reader::new(&text).graph().unwrap();
    }

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(escape_dot("a\"b\\N\n&lt;\\"), "a\\\"b\\\\N\u{240a}&amp;lt;\\\\");
        assert_eq!(escape_dot("##[error]\u{202e}\u{1b}"), "##&#91;error]<U+202E>\u{241b}");
    }

    proptest! {
        #[test]
        fn arbitrary_names_yield_valid_dot(names in prop::collection::vec(any::<String>(), 3), range: String) {
            let [channel, entry, skipped] = names.as_slice() else { unreachable!() };
            let text = serde_json::json!([
                {"schema": "olm.channel", "package": "p", "name": channel,
                    "entries": [{"name": entry, "skips": [skipped, "\\"], "skipRange": range}]},
                {"schema": "olm.deprecations", "package": "p",
                    "entries": [{"reference": {"schema": "olm.package"}, "message": "m"}]},
            ]);
            let text: Vec<String> = text.as_array().unwrap().iter().map(ToString::to_string).collect();
            let catalog = load::from_bytes(text.concat().into_bytes());
            let package = PackageGraph::new(catalog.package("p").unwrap());
            let text = render_dot(&package, &select_channels(&package, None), true);
            let read = Reader::new(&text).graph();
            prop_assert!(read.is_ok(), "{read:?}\n{text}");
        }
    }

    /// Parser for the subset of the Graphviz grammar that is written here: `digraph ID { stmt ; ...
    /// }`.
    struct Reader<'a> {
        rest: &'a str,
    }

    impl<'a> Reader<'a> {
        fn new(text: &'a str) -> Self {
            Self { rest: text.trim_start() }
        }

        fn take(&mut self, token: &str) -> Result<(), String> {
            self.rest = self
                .rest
                .strip_prefix(token)
                .ok_or(format!("{token} before {:.60}", self.rest))?
                .trim_start();
            Ok(())
        }

        fn is_next(&self, token: &str) -> bool {
            self.rest.starts_with(token)
        }

        fn graph(mut self) -> Result<(), String> {
            self.take("digraph")?;
            self.read_id()?;
            self.block()?;
            if self.rest.is_empty() { Ok(()) } else { Err(format!("after the graph: {}", self.rest)) }
        }

        fn block(&mut self) -> Result<(), String> {
            self.take("{")?;
            while !self.is_next("}") {
                self.statement()?;
            }
            self.take("}")
        }

        fn statement(&mut self) -> Result<(), String> {
            if self.is_next("subgraph") {
                self.take("subgraph")?;
                self.read_id()?;
                return self.block();
            }
            self.read_id()?;
            if self.is_next("=") {
                self.take("=")?;
                self.read_id()?;
            } else {
                while self.is_next("->") {
                    self.take("->")?;
                    self.read_id()?;
                }
                self.attributes()?;
            }
            self.take(";")
        }

        fn attributes(&mut self) -> Result<(), String> {
            self.take("[")?;
            loop {
                self.read_id()?;
                self.take("=")?;
                self.read_id()?;
                if !self.is_next(",") {
                    return self.take("]");
                }
                self.take(",")?;
            }
        }

        /// Reads a name, a numeral, or a quoted string, in which a backslash escapes the next
        /// character.
        fn read_id(&mut self) -> Result<(), String> {
            let end = if let Some(text) = self.rest.strip_prefix('"') {
                let mut escaped = false;
                let end = text.find(|c: char| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends || c.is_control()
                });
                let end = end.ok_or("an open quote")?;
                if !text[end..].starts_with('"') {
                    return Err(format!("a control character in {:.60}", self.rest));
                }
                end + 2
            } else {
                let name = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(0);
                let numeral = self.rest[..name].starts_with(|c: char| c.is_ascii_digit());
                let all_digits = self.rest[..name].chars().all(|c| c.is_ascii_digit());
                if name == 0 || numeral && !all_digits {
                    return Err(format!("no name: {:.60}", self.rest));
                }
                name
            };
            self.rest = self.rest[end..].trim_start();
            Ok(())
        }
    }
}
