//! The upgrade graph of channels for other programs and for terminals.
//!
//! Every function takes the package and those of its channels that are wanted, see [`select`].

mod dot;
mod json;
mod jsonl;
mod mark;
mod mermaid;
mod side_by_side;
mod svg;
mod text;

pub use dot::dot;
pub use json::json;
pub use jsonl::{Line, jsonl, lines};
pub use mermaid::mermaid;
pub use side_by_side::side_by_side;
pub use svg::svg;
pub use text::text;

use super::json::{harmless, pretty};
use crate::upgrade::{PackageGraph, package::ChannelUpgrades};

/// The channels to export: the one with a name (none where there is no such channel), or all of them, the default
/// channel first, the others by name.
pub fn select<'a>(package: &'a PackageGraph, channel: Option<&str>) -> Vec<&'a ChannelUpgrades> {
    let Some(name) = channel else {
        let default = package.package.default_channel();
        let mut all: Vec<&ChannelUpgrades> = package.channels().iter().collect();
        all.sort_by_key(|c| (Some(c.graph.name()) != default, c.graph.name()));
        return all;
    };
    package.channel(name).into_iter().collect()
}

/// What the graph of channels can be written as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// A picture made for 80 columns.
    Text,
    /// Flowcharts for Markdown.
    Mermaid,
    /// For Graphviz.
    Dot,
    /// A picture for documents.
    Svg,
    /// An object with every node and what becomes of it.
    Json,
    /// An edge a line, skipRange expanded.
    Jsonl,
}

/// A graph as some format, and what to call a file with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// What to write; its last line is ended.
    pub text: String,
    /// `package-channel.ext`; only letters, digits, `.`, `_` and `-` are in it, and it begins with none of the last three.
    pub file_name: String,
}

/// One channel (all where `None`) as a format. `ascii` concerns [`Format::Text`] alone.
pub fn render(package: &PackageGraph, channel: Option<&str>, format: Format, ascii: bool) -> Rendered {
    let channels = select(package, channel);
    let (text, extension) = match format {
        Format::Text => (text(package, &channels, ascii), "txt"),
        Format::Mermaid => {
            let text = mermaid(package, &channels);
            // Several flowcharts only have a place in Markdown.
            let extension = if mermaid::is_markdown(&text) { "md" } else { "mmd" };
            (text, extension)
        }
        Format::Dot => (dot(package, &channels), "dot"),
        Format::Svg => (svg(package, &channels), "svg"),
        Format::Json => (pretty(&json(package, &channels)), "json"),
        Format::Jsonl => (harmless(&jsonl(package, &channels)).into_owned(), "jsonl"),
    };
    Rendered { text, file_name: file_name(package.package.name.as_str(), channel, extension) }
}

fn file_name(package: &str, channel: Option<&str>, extension: &str) -> String {
    /// Well below what file systems take, both names and the extension together.
    const LONGEST: usize = 100;
    let names = std::iter::once(package).chain(channel);
    let stem = names.map(|name| name.chars().take(LONGEST).collect::<String>()).collect::<Vec<_>>().join("-");
    let harmless = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
    let stem: String = stem.chars().map(harmless).collect();
    let stem = stem.trim_start_matches(['.', '-', '_']);
    format!("{}.{extension}", if stem.is_empty() { "graph" } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upgrade::fixture;

    #[test]
    fn a_file_is_called_after_package_and_channel() {
        let package = fixture::channels(&[("stable", "1.0.0"), ("../fast 1", "1.0.0")]);
        let name = |channel, format| render(&package, channel, format, false).file_name;
        assert_eq!(name(Some("stable"), Format::Svg), "p-stable.svg");
        assert_eq!(name(Some("stable"), Format::Mermaid), "p-stable.mmd");
        assert_eq!(name(None, Format::Mermaid), "p.md", "several flowcharts");
        assert_eq!(name(Some("../fast 1"), Format::Text), "p-..-fast-1.txt");
        assert_eq!(file_name("../..", None, "dot"), "graph.dot");
        assert_eq!(file_name("..hidden", Some(&"a".repeat(500)), "dot").len(), "hidden".len() + 1 + 100 + 4);
    }

    #[test]
    fn every_format_ends_its_last_line_and_ascii_is_ascii() {
        let package = fixture::channel("2.0.0 replaces=1.0.0 range=<2.0.0\n1.0.0");
        let formats = [Format::Text, Format::Mermaid, Format::Dot, Format::Svg, Format::Json, Format::Jsonl];
        for format in formats {
            let text = render(&package, Some("c"), format, true).text;
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{format:?} {text:?}");
            assert!(format == Format::Svg || text.is_ascii(), "{text}");
        }
    }
}

#[cfg(test)]
mod conformance;
