//! Upgrade graphs of channels, for other programs and for terminals.
//!
//! Every function takes the package and its selected channels, see [`select_channels`].

mod dot;
mod json;
mod jsonl;
mod marks;
pub(super) mod mermaid;
mod opm;
mod side_by_side;
mod svg;
mod text;

pub use dot::render_dot;
pub use json::graph_json;
pub use jsonl::{EdgeLine, edge_lines, render_edge_lines};
pub use opm::{DrawingError, render_opm_mermaid};
pub use side_by_side::render_side_by_side;
pub use svg::{ChangeMarks, InlineSvg, draw_inline, render_svg};
pub use text::render_channels;

use super::json::to_pretty_json;
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

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
}

#[cfg(test)]
mod conformance;
