//! The picture of channels as one SVG: the same cells as on the screen, drawn with lines instead of characters.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::{
    export::plain,
    layout::{Arms, Glyph, Layout, NodeShape, Options, Row, layout},
    upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades},
};

/// Pixels of a cell.
const CELL: usize = 12;
/// Pixels from row to row.
const ROW: usize = 24;
/// Pixels of a character of the words, about.
const LETTER: usize = 8;
const MARGIN: usize = 16;

/// Colours for light and dark pages; shapes carry the meaning too.
const STYLE: &str = "\
text{font:13px ui-monospace,monospace;fill:#1f2328}.t{font-weight:bold}.d{fill:#656d76}.bad{fill:#cf222e}
path{fill:none;stroke-width:2}.replaces{stroke:#0969da}.skips{stroke:#9a6700}.skipRange{stroke:#1a7f37;stroke-dasharray:2 3}
.x{stroke:#cf222e}.n{fill:#1f2328;stroke:#1f2328;stroke-width:2}.s{fill:none}.e{fill:#cf222e;stroke:#cf222e}.g{fill:none;stroke-dasharray:2 2}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#8d96a0}.n{stroke:#e6edf3;fill:#e6edf3}.s,.g{fill:none}.bad{fill:#ff7b72}.e{fill:#ff7b72;stroke:#ff7b72}}";

/// The channels, one below the other.
pub fn svg(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
    let mut body = String::new();
    let (mut y, mut width) = (MARGIN, 0);
    for channel in channels {
        let picture = layout(package, channel, &Options::default());
        let _ = writeln!(
            body,
            "<text class=\"t\" x=\"{MARGIN}\" y=\"{}\">{} &gt; {}</text>",
            y + 16,
            escape(package.package.name.as_str()),
            escape(channel.graph.name().as_str())
        );
        y += ROW + 8;
        width = width.max(rows(&mut body, &picture, y));
        y += picture.rows.len() * ROW + MARGIN;
    }
    let (width, height) = (width + MARGIN, y);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{}</style>\n{body}</svg>\n",
        escape(STYLE)
    )
}

/// Draws the rows from `top` on and gives the width they take.
fn rows(out: &mut String, picture: &Layout, top: usize) -> usize {
    let version_at = MARGIN + picture.width() * CELL + 16;
    let version_width = picture.rows.iter().map(|r| plain::line(&r.version).width()).max().unwrap_or(0);
    let note_at = version_at + (version_width + 2) * LETTER;
    let mut right = note_at;
    for (index, row) in picture.rows.iter().enumerate() {
        let y = top + index * ROW;
        for (column, cell) in row.cells.iter().enumerate() {
            let kind = cell.strands.first().and_then(|&id| picture.strand(id)).map(|s| s.kind);
            draw(out, cell.glyph, kind, MARGIN + column * CELL, y);
        }
        let baseline = y + ROW / 2 + 5;
        let _ = writeln!(out, "<text x=\"{version_at}\" y=\"{baseline}\">{}</text>", escape(&row.version));
        let note = note(row);
        if !note.is_empty() {
            let class = if row.marks.dead_end { "bad" } else { "d" };
            let _ = writeln!(
                out,
                "<text class=\"{class}\" x=\"{note_at}\" y=\"{baseline}\">{}</text>",
                escape(&note)
            );
            right = right.max(note_at + plain::line(&note).width() * LETTER);
        }
    }
    right
}

fn note(row: &Row) -> String {
    match (row.note.as_str(), row.hidden.total()) {
        (note, 0) => note.to_owned(),
        ("", hidden) => format!("+{hidden} edges not drawn"),
        (note, hidden) => format!("{note}; +{hidden} edges not drawn"),
    }
}

fn draw(out: &mut String, glyph: Glyph, kind: Option<EdgeKind>, x: usize, y: usize) {
    let (middle, centre) = (x + CELL / 2, y + ROW / 2);
    let class = kind.map_or("", EdgeKind::as_str);
    let _ = match glyph {
        Glyph::Blank => Ok(()),
        Glyph::Node(NodeShape::Entry) => {
            writeln!(out, "<circle class=\"n\" cx=\"{middle}\" cy=\"{centre}\" r=\"5\"/>")
        }
        Glyph::Node(NodeShape::Skipped) => {
            writeln!(out, "<circle class=\"n s\" cx=\"{middle}\" cy=\"{centre}\" r=\"5\"/>")
        }
        Glyph::Node(NodeShape::Dangling) => {
            writeln!(out, "<circle class=\"n g\" cx=\"{middle}\" cy=\"{centre}\" r=\"5\"/>")
        }
        Glyph::Node(NodeShape::DeadEnd) => {
            writeln!(
                out,
                "<rect class=\"n e\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>",
                middle - 5,
                centre - 5
            )
        }
        Glyph::TipRight => {
            writeln!(out, "<path class=\"{class}\" d=\"M{x} {centre}h{CELL}m-5 -4l5 4l-5 4\"/>")
        }
        Glyph::TipLeft => {
            writeln!(out, "<path class=\"{class}\" d=\"M{} {centre}h-{CELL}m5 -4l-5 4l5 4\"/>", x + CELL)
        }
        Glyph::Dead => {
            writeln!(out, "<path class=\"x\" d=\"M{} {}l8 8m0 -8l-8 8\"/>", x + 2, centre - 4)
        }
        Glyph::Line(arms) | Glyph::Dotted(arms) => {
            writeln!(out, "<path class=\"{class}\" d=\"{}\"/>", strokes(arms, x, y))
        }
    };
}

fn strokes(arms: Arms, x: usize, y: usize) -> String {
    let (middle, centre) = (x + CELL / 2, y + ROW / 2);
    let ends = [
        (arms.up, middle, y),
        (arms.right, x + CELL, centre),
        (arms.down, middle, y + ROW),
        (arms.left, x, centre),
    ];
    let mut path = String::new();
    for (_, x, y) in ends.into_iter().filter(|end| end.0) {
        let _ = write!(path, "M{middle} {centre}L{x} {y}");
    }
    path
}

/// Catalog text, harmless and as XML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n') {
        for c in plain::line(line).chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                // Not allowed in XML even when written as a code.
                '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
                c => out.push(c),
            }
        }
        out.push('\n');
    }
    out.pop();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::load, export::graph::select, layout::fixture};

    #[test]
    fn every_bundle_is_a_shape_and_every_line_has_its_kind() {
        let package = fixture::channel(
            "3.0.0 replaces=2.0.0 skips=2.5.0 range=<3.0.0\n2.5.0 skips=1.0.0\n2.0.0 replaces=0.9.0\n1.0.0",
        );
        let text = svg(&package, &select(&package, None));
        assert_eq!(text.matches("<circle").count() + text.matches("<rect").count(), 5);
        for kind in ["replaces", "skips", "skipRange", "x"] {
            assert!(text.contains(&format!("<path class=\"{kind}\"")), "{kind}");
        }
        assert!(text.contains(">HEAD</text>"));
    }

    #[test]
    fn names_are_text() {
        let yaml = "---\nschema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: '<script>&\"'\nentries:\n- name: \"a\\u001b</text>\"\n";
        let catalog = load::from_bytes(yaml.as_bytes().to_vec());
        let package = PackageGraph::new(catalog.package("p").unwrap());
        let text = svg(&package, &select(&package, None));
        assert!(text.contains("p &gt; &lt;script&gt;&amp;&quot;"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains("a</text>"));
        assert!(text.contains("a\u{241b}&lt;/text&gt;"));
    }
}
