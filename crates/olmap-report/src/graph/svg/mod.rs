//! Drawing of channels as one SVG image, with lines and shapes instead of the characters on screen.

mod inline_image;
mod side_by_side;
mod signs;

use std::{collections::BTreeMap, fmt::Write as _};

use super::dot::package_title;
use crate::{
    escape,
    layout::{Arms, Glyph, Layout, NodeShape, Options, Row, draw_layout, legend::VisibleSigns},
    markup::escape_markup,
};
use olm_upgrade::{EdgeKind, PackageGraph, package::ChannelUpgrades};

pub use inline_image::{InlineSvg, draw_inline};
pub use side_by_side::render_side_by_side_svg;
pub use signs::{SignSample, describe_sign};

/// Approximate width of a character in pixels.
const LETTER: usize = 8;

/// Colors for light and dark pages; shapes and words carry the meaning too. The background is
/// drawn, because a viewer may choose the dark style and show the image on white.
const STYLE: &str = "\
.p{fill:#fff}text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}.t{font-weight:bold}.d{fill:#59636e}.bad{fill:#cf222e}
path{fill:none;stroke-width:2}.replaces{stroke:#0969da}.skips{stroke:#9a6700}.skipRange{stroke:#1a7f37;stroke-dasharray:2 3}
.tip{stroke-dasharray:none}.x{stroke:#cf222e}.n{fill:#1f2328;stroke:#1f2328;stroke-width:2}.s{fill:none}.e{fill:#cf222e;stroke:#cf222e}.g{fill:none;stroke-dasharray:2 2}
@media(prefers-color-scheme:dark){.p{fill:#0d1117}text{fill:#e6edf3}.d{fill:#9198a1}.bad{fill:#ff7b72}
.replaces{stroke:#4493f8}.skips{stroke:#d29922}.skipRange{stroke:#3fb950}
.x{stroke:#ff7b72}.n{stroke:#e6edf3;fill:#e6edf3}.s,.g{fill:none}.e{fill:#ff7b72;stroke:#ff7b72}}";

/// Draws channels one below the other, followed by the legend.
pub fn render_svg(package: &PackageGraph, channels: &[&ChannelUpgrades]) -> String {
    let mut page = Page { body: String::new(), y: MARGIN, width: 0 };
    let mut seen = VisibleSigns::default();
    let mut about = Vec::new();
    for channel in channels {
        let picture =
            draw_layout(package, channel, &Options { labels: true, ..Options::for_page_width(super::WIDTH) });
        seen.add_picture(&picture);
        let title = super::drawing_title(package, channel, &picture);
        page.draw_text_line("t", &title);
        about.push(title);
        if let Some(error) = &picture.error {
            page.draw_text_line("bad", &format!("Classic: {error}"));
        }
        let words = WordColumns::new(&picture);
        page.draw_headings(&picture, &words);
        let right = draw_rows(&mut page.body, &picture, &words, page.y);
        page.width = page.width.max(right);
        page.y += picture.rows.len() * ROW + MARGIN;
    }
    page.draw_legend(&seen);
    let Page { body, y, width } = page;
    let (width, height) = (width + MARGIN, y + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" xml:space=\"preserve\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>Upgrade graph of {}</title>\n<desc>{}</desc>\n<style>{}</style>\n\
         <rect class=\"p\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        escape_markup(&package_title(package).to_string()),
        escape_markup(&about.join("; ")),
        escape_markup(STYLE)
    )
}

/// Image that is being written. `y` is the top of the next line in pixels.
struct Page {
    body: String,
    y: usize,
    width: usize,
}

impl Page {
    fn draw_text(&mut self, class: &str, x: usize, words: &str) {
        let baseline = self.y + ROW / 2 + 5;
        let words = escape::escape_line(words);
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x}\" y=\"{baseline}\">{}</text>",
            escape_markup(&words)
        );
        self.width = self.width.max(x + escape::count_columns(&words) * LETTER);
    }

    /// Draws text on its own line. `class` is a CSS class of [`STYLE`].
    fn draw_text_line(&mut self, class: &str, words: &str) {
        self.draw_text(class, MARGIN, words);
        self.y += ROW;
    }

    /// Draws a line for each sign, with the lines and shapes of the pictures.
    fn draw_legend(&mut self, seen: &VisibleSigns) {
        /// Width of the samples.
        const SAMPLE: usize = 40;
        for sign in seen.signs() {
            let top = self.y;
            if let Some(sample) = SignSample::draw_sign(sign.id) {
                let height = sample.height.max(ROW);
                let y = top + (height - sample.height) / 2;
                self.body.push_str(&sample.to_markup("", [MARGIN, y]));
                self.y += (height - ROW) / 2;
                self.draw_text("d", MARGIN + SAMPLE, &describe_sign(sign));
                self.y = top + height + MARGIN / 4;
            } else {
                self.draw_text("d", MARGIN, sign.unicode);
                self.draw_text("d", MARGIN + SAMPLE, sign.meaning);
                self.y += ROW;
            }
        }
    }

    fn draw_headings(&mut self, picture: &Layout, words: &WordColumns) {
        for (column, label) in picture.labels() {
            self.draw_text("d", MARGIN + column * CELL, label);
        }
        self.draw_text("d", words.version, "version");
        self.draw_text("d", words.note, "what");
        self.y += ROW;
    }
}

/// Positions of the words next to the drawing, in pixels.
struct WordColumns {
    version: usize,
    note: usize,
}

impl WordColumns {
    fn new(picture: &Layout) -> Self {
        let version = MARGIN + picture.width() * CELL + 16;
        let widest = picture.rows.iter().map(|r| escape::display_width(&r.version)).max().unwrap_or(0);
        Self { version, note: version + (widest.max("version".len()) + 2) * LETTER }
    }
}

/// Draws the rows from `top` down and returns the right edge.
fn draw_rows(out: &mut String, picture: &Layout, words: &WordColumns, top: usize) -> usize {
    let (version_at, note_at) = (words.version, words.note);
    let mut right = note_at;
    let (mut drawing, mut texts) = (Drawing::default(), String::new());
    for (index, row) in picture.rows.iter().enumerate() {
        let y = top + index * ROW;
        drawing.draw_row(picture, index, y, |_, glyph| glyph);
        let baseline = y + ROW / 2 + 5;
        let _ = writeln!(
            texts,
            "<text x=\"{version_at}\" y=\"{baseline}\">{}</text>",
            escape_markup(&row.version)
        );
        let note = row_note(row);
        if !note.is_empty() {
            let class = if row.marks.dead_end || row.marks.stuck.is_some() { "bad" } else { "d" };
            let _ = writeln!(
                texts,
                "<text class=\"{class}\" x=\"{note_at}\" y=\"{baseline}\">{}</text>",
                escape_markup(&note)
            );
            right = right.max(note_at + escape::display_width(&note) * LETTER);
        }
    }
    out.push_str(&drawing.into_markup());
    out.push_str(&texts);
    right
}

fn row_note(row: &Row) -> String {
    match (row.note.as_str(), row.hidden.total()) {
        (note, 0) => note.to_owned(),
        ("", hidden) => format!("+{hidden} edges not drawn"),
        (note, hidden) => format!("{note}; +{hidden} edges not drawn"),
    }
}

/// Width of a cell in pixels.
const CELL: usize = 12;

/// Height of a row in pixels.
const ROW: usize = 24;

const MARGIN: usize = 16;

/// Lines and shapes of an image.
#[derive(Default)]
struct Drawing {
    /// Path data by class.
    paths: BTreeMap<(&'static str, bool), String>,
    shapes: String,
}

impl Drawing {
    /// Draws the cells of a row whose upper edge is at `y`. `of` returns the glyph to draw for a
    /// cell.
    pub fn draw_row(&mut self, picture: &Layout, row: usize, y: usize, of: impl Fn(usize, Glyph) -> Glyph) {
        let cells = picture.rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default();
        for (column, cell) in cells.iter().enumerate() {
            let kind = cell.strands.first().and_then(|&id| picture.strand(id)).map(|strand| strand.kind);
            self.draw_cell(of(column, cell.glyph), kind, MARGIN + column * CELL, y);
        }
    }

    fn draw_cell(&mut self, glyph: Glyph, kind: Option<EdgeKind>, x: usize, y: usize) {
        let (middle, centre) = (x + CELL / 2, y + ROW / 2);
        let class = kind.map_or("", EdgeKind::as_str);
        match glyph {
            Glyph::Blank => {}
            Glyph::Node(shape) => self.draw_node_shape(shape, middle, centre),
            Glyph::TipRight => self.add_path(class, true, &format!("M{x} {centre}h{CELL}m-5 -4l5 4l-5 4")),
            Glyph::TipLeft => {
                self.add_path(class, true, &format!("M{} {centre}h-{CELL}m5 -4l-5 4l5 4", x + CELL));
            }
            Glyph::Ignored => self.add_path("x", false, &format!("M{} {}l8 8m0 -8l-8 8", x + 2, centre - 4)),
            Glyph::Line(arms) | Glyph::Dotted(arms) | Glyph::Refused(arms) => {
                self.add_path(class, false, &arm_strokes(arms, x, y));
            }
        }
    }

    fn add_path(&mut self, class: &'static str, is_tip: bool, data: &str) {
        self.paths.entry((class, is_tip)).or_default().push_str(data);
    }

    fn draw_node_shape(&mut self, shape: NodeShape, x: usize, y: usize) {
        let class = match shape {
            NodeShape::Entry => "n",
            NodeShape::Skipped => "n s",
            NodeShape::Dangling => "n g",
            NodeShape::DeadEnd => {
                let (left, top) = (x - 5, y - 5);
                let _ = writeln!(
                    self.shapes,
                    "<rect class=\"n e\" x=\"{left}\" y=\"{top}\" width=\"10\" height=\"10\"/>"
                );
                return;
            }
        };
        let _ = writeln!(self.shapes, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"5\"/>");
    }

    /// Returns the elements, lines below bundles.
    pub fn into_markup(self) -> String {
        let mut out = String::new();
        for ((class, is_tip), data) in &self.paths {
            let tip = if *is_tip { " tip" } else { "" };
            let _ = writeln!(out, "<path class=\"{class}{tip}\" d=\"{data}\"/>");
        }
        out + &self.shapes
    }
}

/// Returns lines from the center of a cell to its edges.
fn arm_strokes(arms: Arms, x: usize, y: usize) -> String {
    let (middle, centre) = (x + CELL / 2, y + ROW / 2);
    let (across, down) = (CELL / 2, ROW / 2);
    let mut path = match (arms.up, arms.down) {
        (true, true) => format!("M{middle} {y}v{ROW}"),
        (true, false) => format!("M{middle} {centre}v-{down}"),
        (false, true) => format!("M{middle} {centre}v{down}"),
        (false, false) => String::new(),
    };
    let _ = match (arms.left, arms.right) {
        (true, true) => write!(path, "M{x} {centre}h{CELL}"),
        (true, false) => write!(path, "M{middle} {centre}h-{across}"),
        (false, true) => write!(path, "M{middle} {centre}h{across}"),
        (false, false) => Ok(()),
    };
    path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{graph::select_channels, layout::fixture};
    use olm_catalog::load;

    /// Returns the elements of an image before the samples of its legend.
    fn picture_without_legend(image: &str) -> &str {
        image.split("<svg ").nth(1).unwrap()
    }

    #[test]
    fn every_bundle_is_a_shape_and_every_edge_has_a_path() {
        let package = fixture::graph_from_lines(
            "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=2.0.0_<3.0.0\n2.5.0 skips=1.0.0\n2.0.0 replaces=0.9.0\n1.0.0",
        );
        let text = render_svg(&package, &select_channels(&package, None));
        let drawn = picture_without_legend(&text);
        assert_eq!(drawn.matches("<circle").count() + drawn.matches("<rect class=\"n").count(), 5);
        for kind in ["replaces", "skips", "skipRange", "x"] {
            assert!(text.contains(&format!("<path class=\"{kind}\"")), "{kind}");
        }
        assert!(text.contains(">HEAD</text>"));
        for words in ["skips", "spine", "range", "version", "what", "Classic never upgrades it"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(
            text.contains("<title>Upgrade graph of p</title>\n<desc>p &gt; c (default): 4 entries, 1 stuck")
        );
        check_well_formed(&text).unwrap();
    }

    #[test]
    fn channels_side_by_side_are_well_formed_and_aligned() {
        let package = fixture::graph_from_channels(&[
            ("stable", "3.0.0 replaces=2.0.0\n2.0.0 replaces=1.0.0\n1.0.0"),
            ("<fast>", "3.0.0 replaces=1.0.0\n1.0.0"),
        ]);
        let text = render_side_by_side_svg(&package);
        check_well_formed(&text).unwrap();
        assert!(text.contains("p: 3 bundles in 2 channels") && text.contains("&lt;fast&gt;"), "{text}");
        let heights: Vec<&str> = picture_without_legend(&text)
            .split("<circle")
            .skip(1)
            .filter_map(|rest| rest.split("cy=\"").nth(1)?.split('"').next())
            .collect();
        let mut rows = heights.clone();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!((heights.len(), rows.len()), (5, 3), "{heights:?}");
        assert!(text.contains("<path class=\"replaces\""), "{text}");
    }

    #[test]
    fn text_stays_within_the_image() {
        let package = fixture::graph_from_lines(
            "3.0.0 replaces=2.0.0 skips=2.5.0 range=>=2.0.0_<3.0.0\n2.5.0 skips=1.0.0\n2.0.0 \
             replaces=0.9.0\n1.0.0",
        );
        let text = render_svg(&package, &select_channels(&package, None));
        let number = |text: &str, name: &str| -> usize {
            let rest = text.split_once(&format!(" {name}=\"")).unwrap().1;
            rest.split_once('"').unwrap().0.parse().unwrap()
        };
        let (width, height) = (number(&text, "width"), number(&text, "height"));
        for line in text.lines().filter(|line| line.starts_with("<text")) {
            let words = line.split_once('>').unwrap().1.split_once('<').unwrap().0;
            let letters = escape::count_columns(&words.replace("&gt;", ">").replace("&lt;", "<"));
            assert!(number(line, "x") + letters * LETTER <= width && number(line, "y") < height, "{line}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_names_yield_valid_xml(package: String, channel: String, entry: String, range: String) {
            let text = serde_json::json!({"schema": "olm.channel", "package": package, "name": channel,
                "entries": [{"name": entry, "replaces": "a", "skips": ["<b>", "&"], "skipRange": range}]});
            let catalog = load::from_bytes(text.to_string().into_bytes());
            if let Some(package) = catalog.package(&package) {
                let text = render_svg(&PackageGraph::new(package), &select_channels(&PackageGraph::new(package), None));
                prop_assert_eq!(check_well_formed(&text), Ok(()), "{}", text);
            }
        }
    }

    /// Parses the text with an XML parser and checks the root element.
    fn check_well_formed(text: &str) -> Result<(), String> {
        let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
        let root = document.root_element();
        let is_svg = root.tag_name().namespace() == Some("http://www.w3.org/2000/svg");
        if is_svg && root.has_tag_name("svg") { Ok(()) } else { Err(format!("{root:?}")) }
    }

    #[test]
    fn names_are_escaped() {
        let yaml = "---\nschema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: '<script>&\"'\nentries:\n- name: \"a\\u001b</text>\"\n";
        let catalog = load::from_bytes(yaml.as_bytes().to_vec());
        let package = PackageGraph::new(catalog.package("p").unwrap());
        let text = render_svg(&package, &select_channels(&package, None));
        assert!(text.contains("p &gt; &lt;script&gt;&amp;&quot;"), "{text}");
        check_well_formed(&text).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains("a</text>"));
        assert!(text.contains("a\u{241b}&lt;/text&gt;"));
    }
}
