//! Drawing of a channel within an HTML page, which provides the style. Changed entries are
//! highlighted.

use std::{fmt::Write as _, ops::Range};

use super::{CELL, Drawing, LETTER, MARGIN, ROW, WordColumns, row_note};
use crate::graph::{self, ChangeMarks};
use crate::{
    escape,
    layout::{FoldLine, FoldOptions, Glyph, Layout, Options, draw_layout},
    markup::escape_markup,
};
use olm_check::review::diff::ChangeKind;
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

/// Maximum number of lines of a drawing.
const MAX_LINES: usize = 150;

/// SVG element for an HTML page. Catalog text is escaped; it contains no style, script or address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InlineSvg(String);

impl InlineSvg {
    /// Returns the element.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Draws a channel. Runs of unremarkable rows are folded.
pub fn draw_inline(
    package: &PackageGraph,
    channel: &ChannelUpgrades,
    marks: Option<&ChangeMarks<'_>>,
) -> InlineSvg {
    let picture =
        draw_layout(package, channel, &Options { labels: true, ..Options::for_page_width(graph::WIDTH) });
    let lines = match marks {
        Some(marks) => marks.fold_lines(&picture),
        None => picture.fold_lines(FoldOptions { fold_alike: true, ..FoldOptions::default() }),
    };
    let none = ChangeMarks::default();
    let mut page = Page {
        picture: &picture,
        marks: marks.unwrap_or(&none),
        words: WordColumns::new(&picture),
        back: String::new(),
        drawing: Drawing::default(),
        text: String::new(),
        width: 0,
    };
    let mut y = MARGIN / 2;
    page.draw_headings(y);
    y += ROW;
    let shown = lines.get(..MAX_LINES.min(lines.len())).unwrap_or_default();
    for line in shown {
        match line {
            FoldLine::Row(row) => page.draw_picture_row(*row, y),
            FoldLine::Alike(rows) | FoldLine::NotFound(rows) | FoldLine::BelowFloor(rows) => {
                page.draw_folded_rows(rows, y);
            }
            FoldLine::Removed { .. } => continue,
        }
        y += ROW;
    }
    let rest: usize = lines.iter().skip(shown.len()).map(|line| line.row_range().len()).sum();
    if rest > 0 {
        let words = format!("and {rest} more below");
        page.draw_words("d", MARGIN, y, &words);
        y += ROW;
    }
    let label = graph::drawing_title(package, channel, &picture);
    page.into_inline_svg(&label, y + MARGIN / 2)
}

struct Page<'a> {
    picture: &'a Layout,
    marks: &'a ChangeMarks<'a>,
    words: WordColumns,
    back: String,
    drawing: Drawing,
    text: String,
    width: usize,
}

impl Page<'_> {
    fn draw_words(&mut self, class: &str, x: usize, y: usize, words: &str) {
        let baseline = y + ROW / 2 + 5;
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ =
            writeln!(self.text, "<text{class} x=\"{x}\" y=\"{baseline}\">{}</text>", escape_markup(words));
        self.width = self.width.max(x + escape::display_width(words) * LETTER);
    }

    fn draw_headings(&mut self, y: usize) {
        for (column, label) in self.picture.labels() {
            self.draw_words("d", MARGIN + column * CELL, y, label);
        }
        self.draw_words("d", self.words.version, y, "version");
        self.draw_words("d", self.words.note, y, "what");
    }

    fn draw_picture_row(&mut self, at: usize, y: usize) {
        let Some(row) = self.picture.rows.get(at) else { return };
        self.drawing.draw_row(self.picture, at, y, |_, glyph| glyph);
        let fate = self.marks.changes.get(&row.name).copied();
        let (class, mark) = match fate {
            Some(ChangeKind::Added) => ("add", "+"),
            Some(ChangeKind::Removed) => ("del", "-"),
            Some(ChangeKind::Changed) => ("chg", "~"),
            None => ("", ""),
        };
        if fate.is_some() {
            // The rectangle spans the image, whose width is not known yet.
            let _ =
                writeln!(self.back, "<rect class=\"{class}\" y=\"{y}\" width=\"100%\" height=\"{ROW}\"/>");
            self.draw_words(class, self.words.version - LETTER * 2, y, mark);
        }
        self.draw_words(class, self.words.version, y, &row.version);
        let note = row_note(row);
        if !note.is_empty() {
            self.draw_words(
                if row.marks.dead_end || row.marks.stuck.is_some() { "bad" } else { "d" },
                self.words.note,
                y,
                &note,
            );
        }
    }

    /// Draws folded rows as one line; vertical lines continue through it.
    fn draw_folded_rows(&mut self, rows: &Range<usize>, y: usize) {
        let (first, last) = (self.picture.rows.get(rows.start), self.picture.rows.get(rows.end - 1));
        let Some((first, last)) = first.zip(last) else { return };
        let node = self.picture.columns.node;
        let of = |column: usize, _: Glyph| {
            if column == node { Glyph::Blank } else { self.picture.folded_glyph(rows, column) }
        };
        self.drawing.draw_row(self.picture, rows.end - 1, y, of);
        self.draw_words("d", MARGIN + node * CELL + 2, y, "\u{22ee}");
        let span = if rows.len() == 1 {
            first.version.clone()
        } else {
            format!("{} to {} ({})", first.version, last.version, rows.len())
        };
        self.draw_words("d", self.words.version, y, &span);
    }

    fn into_inline_svg(self, label: &str, height: usize) -> InlineSvg {
        let width = self.width + MARGIN;
        InlineSvg(format!(
            "<svg class=\"graph\" role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n{}{}{}</svg>\n",
            escape_markup(label),
            self.back,
            self.drawing.into_markup(),
            self.text,
        ))
    }
}
