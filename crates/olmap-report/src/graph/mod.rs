//! Upgrade graphs of channels, for other programs and for terminals.
//!
//! Every function takes the package and its selected channels, see [`select_channels`].

mod dot;
mod jsonl;
pub(super) mod mermaid;
mod opm;
mod side_by_side;
mod svg;
mod text;

pub use dot::render_dot;

pub use jsonl::{EdgeLine, edge_lines, render_edge_lines};
pub use opm::{DrawingError, render_opm_mermaid};
pub use side_by_side::render_side_by_side;
pub use svg::{ChangeMarks, InlineSvg, draw_inline, render_svg};
pub use text::render_channels;

use petgraph::graph::NodeIndex;
use serde_json::{Map, Value, json};

use super::json::to_pretty_json;
use crate::layout::{Options, Row, draw_layout};
use olm_catalog::{BundleName, blob::DeprecationTarget};
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades};

/// Returns the channels to export: the named one if it exists, or all of them, the default channel
/// first, the others by name.
pub fn select_channels<'a>(package: &'a PackageGraph, channel: Option<&str>) -> Vec<&'a ChannelUpgrades> {
    let Some(name) = channel else {
        let default = package.package.default_channel();
        let mut all: Vec<&ChannelUpgrades> = package.channels().iter().collect();
        all.sort_by_key(|c| (Some(c.graph.name()) != default, c.graph.name()));
        return all;
    };
    package.channel(name).into_iter().collect()
}

/// Output format of a channel graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// Drawing for 80 columns.
    Text,
    /// All channels in one drawing for 80 columns.
    SideBySide,
    /// Mermaid flowchart; Markdown if there are several.
    Mermaid,
    /// Markdown with flowcharts.
    Markdown,
    /// Graphviz source.
    Dot,
    /// SVG image for documents.
    Svg,
    /// Object with every node and its upgrades.
    Json,
    /// Edge list as JSON lines, with expanded skipRange.
    Jsonl,
}

impl Format {
    fn file_extension(self) -> &'static str {
        match self {
            Self::Text | Self::SideBySide => "txt",
            Self::Mermaid => "mmd",
            Self::Markdown => "md",
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
        }
    }
}

/// Rendered graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// Text of the output, with a final line break.
    pub text: String,
    /// Number of flowcharts; zero in other formats.
    pub flowcharts: usize,
    /// True if a channel was too large for one flowchart.
    pub is_split: bool,
}

/// Renders one channel, or all if `channel` is `None`. `ascii` affects text drawings only.
pub fn render_graph(package: &PackageGraph, channel: Option<&str>, format: Format, ascii: bool) -> Rendered {
    let channels = select_channels(package, channel);
    let (mut flowcharts, mut is_split) = (0, false);
    let text = match format {
        Format::Text => render_channels(package, &channels, ascii),
        Format::SideBySide => render_side_by_side(package, ascii),
        Format::Mermaid | Format::Markdown => {
            let drawn = mermaid::Flowcharts::new(package, &channels);
            (flowcharts, is_split) = (drawn.flowchart_count(), drawn.is_split());
            match drawn.single_flowchart() {
                Some(flowchart) if format == Format::Mermaid => flowchart.to_owned(),
                _ => drawn.render_flowcharts_markdown(),
            }
        }
        Format::Dot => render_dot(package, &channels),
        Format::Svg => render_svg(package, &channels),
        Format::Json => to_pretty_json(&graph_json(package, &channels)),
        Format::Jsonl => render_edge_lines(package, &channels),
    };
    Rendered { text, flowcharts, is_split }
}

/// Returns a file name: `package-channel.ext`, or `package.ext` for all channels. It contains only
/// letters, digits, `.`, `_` and `-`, and does not begin with one of the last three.
pub fn file_name(package: &str, channel: Option<&str>, format: Format) -> String {
    /// Well below the limit of file systems, for both names and the extension together.
    const LONGEST: usize = 100;
    let names = std::iter::once(package).chain(channel);
    let stem = names.map(|name| name.chars().take(LONGEST).collect::<String>()).collect::<Vec<_>>().join("-");
    let harmless = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let stem: String = stem.chars().map(harmless).collect();
    let stem = stem.trim_start_matches(['.', '-', '_']);
    format!("{}.{}", if stem.is_empty() { "graph" } else { stem }, format.file_extension())
}

/// Returns `{package, defaultChannel?, deprecated, channels: [{name, default, deprecated, heads,
/// error?, nodes: [...]}]}`.
///
/// `nodes` are the entries, and the bundles that are replaced or skipped without being entries, in
/// drawing order: `{name, version?, entry, head, replaces?, skips?, skipRange?, skippedBy?,
/// deadEnd, deprecated, classic?, note?}`. `classic` is the bundle that Classic upgrades to; it is
/// absent if Classic stays.
pub fn graph_json(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> Value {
    let mut top = Map::new();
    top.insert("package".into(), package.package.name.as_str().into());
    if let Some(default) = package.package.default_channel() {
        top.insert("defaultChannel".into(), default.as_str().into());
    }
    let deprecated = package.package.deprecation(&DeprecationTarget::Package).is_some();
    top.insert("deprecated".into(), deprecated.into());
    top.insert("channels".into(), channels.iter().map(|c| channel_json(package, c)).collect());
    Value::Object(top)
}

fn channel_json(package: &PackageGraph, channel: &ChannelUpgrades) -> Value {
    let graph = &channel.graph;
    let picture = draw_layout(package, channel, &Options::default());
    let name = |at: NodeIndex| graph.node(at).map(|n| n.name.as_str()).unwrap_or_default();
    let mut value = json!({
        "name": graph.name().as_str(),
        "default": package.package.default_channel() == Some(graph.name()),
        "deprecated": package.package.channel_deprecation(graph.name()).is_some(),
        "heads": graph.heads().iter().copied().map(name).collect::<Vec<_>>(),
    });
    if let Some(error) = &picture.error {
        value["error"] = error.to_string().into();
    }
    value["nodes"] = picture.rows.iter().map(|row| node_json(channel, row)).collect();
    value
}

fn node_json(channel: &ChannelUpgrades, row: &Row) -> Value {
    let graph = &channel.graph;
    let marks = &row.marks;
    let mut node = Map::new();
    let mut put = |key: &str, value: Value| node.insert(key.to_owned(), value);
    put("name", row.name.as_str().into());
    if let Some(version) = graph.node(row.at).and_then(|n| n.version.as_ref()) {
        put("version", version.to_string().into());
    }
    put("entry", (!marks.dangling).into());
    put("head", marks.head.into());
    if let Some(entry) = graph.entry(row.at) {
        let spec = entry.to_spec();
        if let Some(replaces) = spec.replaces {
            put(EdgeKind::Replaces.as_str(), replaces.as_str().into());
        }
        if !spec.skips.is_empty() {
            let skips: Vec<&str> = spec.skips.iter().map(BundleName::as_str).collect();
            put(EdgeKind::Skips.as_str(), skips.into());
        }
        if let Some(range) = spec.skip_range {
            put(EdgeKind::SkipRange.as_str(), range.into());
        }
    }
    if let Some(by) = &marks.skipped_by {
        put("skippedBy", by.as_str().into());
    }
    put("stuck", marks.stuck.is_some().into());
    put("deadEnd", marks.dead_end.into());
    put("deprecated", marks.deprecated.into());
    if let Some(pick) = &row.classic_target {
        put("classic", pick.as_str().into());
    }
    if !row.note.is_empty() {
        put("note", row.note.as_str().into());
    }
    Value::Object(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_upgrade::fixture;

    #[test]
    fn file_is_named_after_package_and_channel() {
        assert_eq!(file_name("p", Some("stable"), Format::Svg), "p-stable.svg");
        assert_eq!(file_name("p", None, Format::Markdown), "p.md");
        assert_eq!(file_name("p", Some("../fast 1"), Format::Text), "p-..-fast-1.txt");
        assert_eq!(file_name("../..", None, Format::Dot), "graph.dot");
        let long = file_name("..hidden", Some(&"a".repeat(500)), Format::Dot);
        assert_eq!(long.len(), "hidden".len() + 1 + 100 + 4);
    }

    #[test]
    fn every_format_ends_with_a_line_break_and_ascii_option_is_respected() {
        let package = fixture::graph_from_lines("2.0.0 replaces=1.0.0 range=<2.0.0\n1.0.0");
        let formats = [
            Format::Text,
            Format::SideBySide,
            Format::Mermaid,
            Format::Markdown,
            Format::Dot,
            Format::Svg,
            Format::Json,
            Format::Jsonl,
        ];
        for format in formats {
            let text = render_graph(&package, Some("c"), format, true).text;
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{format:?} {text:?}");
            assert!(format == Format::Svg || text.is_ascii(), "{text}");
        }
    }

    #[test]
    fn package_without_channels_has_output() {
        let catalog = olm_catalog::load::from_bytes(b"schema: olm.package\nname: p\n".to_vec());
        let package = PackageGraph::new(catalog.package("p").unwrap());
        let of = |format| render_graph(&package, None, format, false).text;
        assert_eq!(of(Format::Text), "p: no channels\n");
        assert_eq!(of(Format::Jsonl), "", "a line an edge");
        for format in
            [Format::SideBySide, Format::Mermaid, Format::Markdown, Format::Dot, Format::Svg, Format::Json]
        {
            assert!(of(format).ends_with('\n'), "{format:?}");
        }
    }

    #[test]
    fn flowcharts_and_splits_are_counted() {
        let skips: Vec<String> = (0..600).map(|n| format!("1.{n}.0")).collect();
        let large = fixture::graph_from_lines(&format!("2.0.0 skips={}", skips.join(",")));
        let small = fixture::graph_from_channels(&[("a", "1.0.0"), ("b", "1.0.0")]);
        let of = |package, format| {
            let Rendered { flowcharts, is_split, .. } = render_graph(package, None, format, false);
            (flowcharts, is_split)
        };
        assert_eq!(of(&large, Format::Markdown), (2, true));
        assert_eq!(of(&small, Format::Mermaid), (2, false));
        assert_eq!(of(&small, Format::Dot), (0, false));
    }

    mod json {
        use super::super::*;
        use crate::{graph::select_channels, layout::fixture};

        #[test]
        fn node_has_its_fields_marks_and_upgrade() {
            let package = fixture::graph_from_lines(
                "2.3.0 replaces=2.1.0 skips=2.2.0 range=<2.1.0\n2.2.0 skips=1.9.0\n2.1.0 replaces=0.9.0\n1.9.0 deprecated",
            );
            let value = graph_json(&package, &select_channels(&package, None));
            assert_eq!(value["defaultChannel"], "c");
            assert_eq!(
                (&value["deprecated"], &value["channels"][0]["deprecated"]),
                (&json!(false), &json!(false))
            );
            let channel = &value["channels"][0];
            assert_eq!(channel["heads"], json!(["p.v2.3.0"]));
            assert_eq!(
                channel["nodes"][0],
                json!({"name": "p.v2.3.0", "version": "2.3.0", "entry": true, "head": true, "replaces": "p.v2.1.0",
                "skips": ["p.v2.2.0"], "skipRange": "<2.1.0", "stuck": false, "deadEnd": false, "deprecated": false, "note": "HEAD"})
            );
            let node = |name: &str| {
                channel["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap().clone()
            };
            assert_eq!(node("p.v2.2.0")["skippedBy"], "p.v2.3.0");
            assert_eq!(node("p.v1.9.0")["classic"], "p.v2.3.0", "by the range");
            assert_eq!(node("p.v1.9.0")["deprecated"], true);
            assert_eq!(node("p.v0.9.0")["entry"], false);
        }

        #[test]
        fn channel_that_classic_cannot_use_has_an_error() {
            let package = fixture::graph_from_lines("2.0.0\n1.0.0");
            let value = graph_json(&package, &select_channels(&package, None));
            assert!(value["channels"][0]["error"].as_str().unwrap().contains("2 heads"));
        }
    }
}

#[cfg(test)]
mod conformance;
