//! Upgrade graphs of channels, for other programs and for terminals.
//!
//! Every function takes the package and its selected channels, see [`select_channels`].

mod change_text;
mod changes;
mod dot;
mod jsonl;
pub(super) mod mermaid;
mod opm;
mod runs;
mod side_by_side;
mod svg;
pub use change_text::{ChangeDrawing, draw_channel_change, render_change_legend};
pub use changes::ChangeMarks;
pub use dot::render_dot;

pub use jsonl::{EdgeLine, edge_lines, render_edge_lines, write_edge_lines};
pub use opm::{DrawingError, render_opm_mermaid};
pub use side_by_side::render_side_by_side;
pub use svg::{InlineSvg, SignSample, describe_sign, draw_inline, render_svg};

use std::fmt::Write;

use petgraph::graph::NodeIndex;
use serde_json::{Map, Value, json};

use super::json::to_pretty_json;
use crate::{
    escape::{
        self,
        wrap::{LongWord, fill_lines},
    },
    layout::{Cell, Glyph, Layout, Options, Row, draw_layout, legend::VisibleSigns},
};
use dot::{channel_title, package_title};
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
    /// Single Mermaid flowchart, with a subgraph for each channel.
    Mermaid,
    /// Markdown with flowcharts.
    Markdown,
    /// Graphviz source.
    Dot,
    /// SVG image for documents.
    Svg,
    /// All channels in one SVG image, with the same bundle on the same row.
    SideBySideSvg,
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
            Self::Svg | Self::SideBySideSvg => "svg",
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

impl Rendered {
    /// Returns true if the text is a Mermaid flowchart that GitHub does not draw because of its size.
    pub fn is_too_large_for_github(&self) -> bool {
        self.text.starts_with("flowchart ") && mermaid::exceeds_github_limits(&self.text)
    }
}

/// Renders one channel, or all if `channel` is `None`. `ascii` affects text drawings only. Mermaid
/// and DOT draw a run of bundles that look the same as one node.
pub fn render_graph(package: &PackageGraph, channel: Option<&str>, format: Format, ascii: bool) -> Rendered {
    render_with_folds(package, channel, format, [ascii, true])
}

/// Renders one channel, or all if `channel` is `None`, with a node for each bundle.
pub fn render_expanded_graph(
    package: &PackageGraph,
    channel: Option<&str>,
    format: Format,
    ascii: bool,
) -> Rendered {
    render_with_folds(package, channel, format, [ascii, false])
}

fn render_with_folds(
    package: &PackageGraph,
    channel: Option<&str>,
    format: Format,
    [ascii, is_folded]: [bool; 2],
) -> Rendered {
    let channels = select_channels(package, channel);
    let (mut flowcharts, mut is_split) = (0, false);
    let text = match format {
        Format::Text => render_channels(package, &channels, ascii),
        Format::SideBySide => render_side_by_side(package, ascii),
        Format::Mermaid => {
            flowcharts = 1;
            mermaid::render_flowchart(package, &channels, is_folded)
        }
        Format::Markdown => {
            let drawn = mermaid::Flowcharts::new(package, &channels, is_folded);
            (flowcharts, is_split) = (drawn.flowchart_count(), drawn.is_split());
            drawn.render_flowcharts_markdown()
        }
        Format::Dot => render_dot(package, &channels, is_folded),
        Format::SideBySideSvg => svg::render_side_by_side_svg(package),
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
        "heads": graph.head_nodes().iter().copied().map(name).collect::<Vec<_>>(),
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

const WIDTH: usize = 80;

/// Minimum width of notes, even if lines become too long.
const MIN_NOTE: usize = 28;

/// Renders channels one below the other, followed by the legend.
///
/// The `reach` column shows how a bundle reaches the head of its channel in one step.
pub fn render_channels(package: &PackageGraph, channels: &[&ChannelUpgrades], ascii: bool) -> String {
    if channels.is_empty() {
        return format!("{}: no channels\n", package_title(package));
    }
    let mut out = String::new();
    let mut seen = VisibleSigns::default();
    let mut reach = false;
    for channel in channels {
        let options = Options { labels: true, ..Options::for_page_width(WIDTH) }
            .with_selected(channel.graph.head_node());
        let picture = draw_layout(package, channel, &options);
        seen.add_picture(&picture);
        reach |= picture.rows.iter().any(|row| row.relation.edge_to_selected.is_some());
        Page { picture: &picture, ascii, out: &mut out }.write_channel(package, channel);
        out.push('\n');
    }
    write_legend(&seen, reach, &mut out, ascii);
    out
}

/// Returns the title of a channel: `p > stable (default): 12 entries, 1 stuck`.
fn drawing_title(package: &PackageGraph, channel: &ChannelUpgrades, picture: &Layout) -> String {
    let entries = match channel.graph.entry_nodes().count() {
        1 => "1 entry".to_owned(),
        n => format!("{n} entries"),
    };
    // Stuck versions are unknown unless the default channel has exactly one head.
    let stuck = match (package.stuck().count_in_channel(&channel.graph), picture.count_dead_ends()) {
        (Some(_), _) => format!(", {} stuck", picture.count_stuck()),
        (None, 0) => String::new(),
        (None, n) => format!(", {n} never upgraded by Classic"),
    };
    format!("{} > {}: {entries}{stuck}", package_title(package), channel_title(package, channel))
}

struct Page<'a> {
    picture: &'a Layout,
    ascii: bool,
    out: &'a mut String,
}

/// Widths of the columns next to the drawing; 0 for absent columns.
struct Widths {
    hidden: usize,
    reach: usize,
    version: usize,
    note: usize,
}

impl Page<'_> {
    fn write_channel(&mut self, package: &PackageGraph, channel: &ChannelUpgrades) {
        let picture = self.picture;
        self.write_channel_title(package, channel);
        let hidden = picture.rows.iter().map(|r| r.hidden.total()).max().filter(|&n| n > 0);
        let version = picture.rows.iter().map(|r| escape::display_width(&r.version)).max().unwrap_or(0);
        let mut widths = Widths {
            hidden: hidden.map_or(0, |n| n.to_string().len() + 2),
            reach: if picture.paths.is_some() { "reach".len() + 1 } else { 0 },
            version: version.clamp("version".len(), 30),
            note: 0,
        };
        let before = picture.width() + widths.hidden + 2 + widths.reach + widths.version + 2;
        widths.note = WIDTH.saturating_sub(before).max(MIN_NOTE);
        self.write_headings(&widths);
        for row in &picture.rows {
            self.write_channel_row(row, &widths);
        }
    }

    fn write_channel_title(&mut self, package: &PackageGraph, channel: &ChannelUpgrades) {
        let _ = writeln!(self.out, "{}", escape::escape_line(&drawing_title(package, channel, self.picture)));
        if let Some(error) = &self.picture.error {
            for line in wrap_note(&format!("Classic: {error}"), WIDTH - 2) {
                let _ = writeln!(self.out, "  {line}");
            }
        }
    }

    fn write_headings(&mut self, widths: &Widths) {
        let mut line = String::new();
        for (column, label) in self.picture.labels() {
            let padding = column.saturating_sub(line.len());
            let _ = write!(line, "{:padding$}{label}", "");
        }
        let padding = self.picture.width().saturating_sub(line.len()) + widths.hidden + 2;
        let reach = if widths.reach > 0 { "reach " } else { "" };
        let _ = write!(line, "{:padding$}{reach}{:version$}  what", "", "version", version = widths.version);
        self.out.push_str(&line);
        self.out.push('\n');
    }

    fn write_channel_row(&mut self, row: &Row, widths: &Widths) {
        let mut words = wrap_note(&row.note, widths.note).into_iter();
        let glyphs = row.cells.iter().map(|c| c.glyph);
        let hidden = if row.hidden.total() > 0 { format!(" +{}", row.hidden.total()) } else { String::new() };
        let reach = if widths.reach > 0 { row.relation.edge_mark() } else { "" };
        let version = escape::escape_line(&row.version);
        let padding = widths.version.saturating_sub(escape::count_columns(&version));
        let first = words.next().unwrap_or_default();
        let beside = format!(
            "{hidden:hidden_width$}  {reach:reach_width$}{version}{:padding$}  {first}",
            "",
            hidden_width = widths.hidden,
            reach_width = widths.reach
        );
        self.write_drawn_line(glyphs, &beside);
        // The drawing continues next to a note of several lines.
        let indent = widths.hidden + 2 + widths.reach + widths.version + 2;
        for more in words {
            let cells: &[Cell] = &row.cells;
            self.write_drawn_line(
                cells.iter().map(|c| c.glyph.continuation()),
                &format!("{:indent$}{more}", ""),
            );
        }
    }

    fn write_drawn_line(&mut self, glyphs: impl Iterator<Item = Glyph>, beside: &str) {
        let mut line = String::new();
        glyphs.for_each(|g| line.push_str(if self.ascii { g.ascii() } else { g.unicode() }));
        line.push_str(beside);
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// Wraps a note at blanks. A word that is too long stays whole.
fn wrap_note(text: &str, width: usize) -> Vec<String> {
    fill_lines(escape::escape_line(text).split(' '), ("", ""), width, LongWord::Whole)
}

/// Writes the legend of the signs that occur. `reach` is true if the `reach` column has content.
fn write_legend(seen: &VisibleSigns, reach: bool, out: &mut String, ascii: bool) {
    let mut signs: Vec<(&str, &str)> =
        seen.signs().map(|sign| (if ascii { sign.ascii } else { sign.unicode }, sign.meaning)).collect();
    if reach {
        signs.push(("r s ~", "replaced, skipped, in the skipRange of the head (@)"));
    }
    let mut line = String::new();
    for (sign, meaning) in signs {
        let item = format!("{sign} {meaning}");
        if !line.is_empty() && escape::count_columns(&line) + 3 + escape::count_columns(&item) > WIDTH {
            let _ = writeln!(out, "{line}");
            line.clear();
        }
        let gap = if line.is_empty() { "" } else { "   " };
        line.push_str(gap);
        line.push_str(&item);
    }
    if !line.is_empty() {
        let _ = writeln!(out, "{line}");
    }
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
            Format::SideBySideSvg,
            Format::Json,
            Format::Jsonl,
        ];
        for format in formats {
            let text = render_graph(&package, Some("c"), format, true).text;
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{format:?} {text:?}");
            let is_svg = matches!(format, Format::Svg | Format::SideBySideSvg);
            assert!(is_svg || text.is_ascii(), "{text}");
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
            let Rendered { flowcharts, is_split, .. } = render_expanded_graph(package, None, format, false);
            (flowcharts, is_split)
        };
        assert_eq!(of(&large, Format::Markdown), (2, true));
        assert_eq!(of(&small, Format::Markdown), (2, false));
        assert_eq!(of(&small, Format::Mermaid), (1, false));
        assert!(render_expanded_graph(&large, None, Format::Mermaid, false).is_too_large_for_github());
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

    mod text {
        use super::super::*;
        use crate::{graph::select_channels, layout::fixture};
        use olm_catalog::load;

        #[test]
        fn channel_has_title_headings_rows_and_legend() {
            let package = fixture::graph_from_lines(
                "2.5.4 replaces=2.5.1 skips=2.5.3,2.5.2 range=>=2.4.0_<2.5.4\n2.5.3 skips=2.3.7\n2.5.2\n\
             2.5.1 replaces=2.4.9\n2.4.9 replaces=2.3.6\n2.3.7",
            );
            let expected = "\
p > c (default): 6 entries, 1 stuck
skips spine  range  reach version  what
    .>o-.    <.     @     2.5.4    HEAD
  .>+-x |    -:     s     2.5.3    SKIPPED by 2.5.4: Classic no longer installs
  | |   |     :                    it
  | '-x |    -:     s     2.5.2    SKIPPED by 2.5.4
  |   o-+    -:     r     2.5.1
  |   o-+    -'     ~     2.4.9
  'X  # |                 2.3.7    STUCK on Classic: 2.5.3 would upgrade it, but
        |                          is skipped; v1: 2.5.3
      ?-'                 2.3.6    not in this channel; 2.4.9 replaces it

x skipped   # Classic never upgrades it   ? not in the channel
.> +- '- skips each row with a tick   -. -' replaces the next row joined below
<. -: -' skipRange includes all marked below
X Classic ignores this edge: it leads to a skipped bundle
r s ~ replaced, skipped, in the skipRange of the head (@)
";
            assert_eq!(render_channels(&package, &select_channels(&package, None), true), expected);
        }

        #[test]
        fn lines_fit_80_columns_and_ascii_drawing_is_ascii() {
            let mut lines = String::new();
            for n in (0..30).rev() {
                lines += &format!("1.{n}.0 replaces=1.{}.0 range=<1.{n}.0_!=1.{}.0", n / 2, n / 3);
                let skips: Vec<String> = (0..n).step_by(2).map(|s| format!("1.{s}.0")).collect();
                if !skips.is_empty() {
                    lines += &format!(" skips={}", skips.join(","));
                }
                lines.push('\n');
            }
            let package = fixture::graph_from_lines(&lines);
            let channels = select_channels(&package, None);
            let wide = render_channels(&package, &channels, false);
            assert!(wide.lines().all(|l| escape::count_columns(l) <= 80), "{wide}");
            assert!(render_channels(&package, &channels, true).is_ascii());
        }

        #[test]
        fn channel_without_chain_has_an_error_and_escaped_names() {
            let yaml = "---\nschema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\n\
                    name: \"c\\e[2J\"\nentries:\n- name: \"a\\e[31m\"\n- name: \"b\\n\"\n";
            let catalog = load::from_bytes(yaml.as_bytes().to_vec());
            let package = PackageGraph::new(catalog.package("p").unwrap());
            let text = render_channels(&package, &select_channels(&package, None), false);
            assert!(text.contains("Classic: channel c\u{241b}[2J has 2 heads"), "{text}");
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
            assert!(text.contains("b\u{240a}"), "{text}");
        }
    }
}

#[cfg(test)]
mod conformance;
