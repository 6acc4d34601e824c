//! Drawing of a channel within an HTML page, which provides the style. Changed entries are
//! highlighted.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt::Write as _,
    ops::Range,
};

use super::{
    super::text,
    LETTER, Words,
    draw::{CELL, Drawing, MARGIN, ROW},
    note,
};
use crate::{
    catalog::BundleName,
    export::{markup::escape, plain},
    layout::{Fold, Glyph, Layout, Line, Options, Row, layout},
    review::diff::Fate,
    upgrade::{PackageGraph, package::ChannelUpgrades},
};

/// Maximum number of lines of a drawing.
const MAX_LINES: usize = 150;

/// Number of rows shown above and below a changed row.
const AROUND: usize = 2;

/// SVG element for an HTML page. Catalog text is escaped; it contains no style, script or address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inline(String);

impl Inline {
    /// Returns the element.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Changed entries of a channel. Rows are folded unless they are changed, near a change, or the
/// head.
#[derive(Clone, Debug, Default)]
pub struct Marks<'a> {
    /// Changes of entries.
    pub fates: HashMap<&'a BundleName, Fate>,
    /// Additional entries that are shown.
    pub near: HashSet<&'a BundleName>,
}

/// Draws a channel. Runs of unremarkable rows are folded.
pub fn inline(package: &PackageGraph, channel: &ChannelUpgrades, marks: Option<&Marks<'_>>) -> Inline {
    let picture = layout(package, channel, &Options { labels: true, ..Options::page(text::WIDTH) });
    let lines = match marks {
        Some(marks) => {
            let found = around(&picture, marks);
            picture.lines(Fold { dull: true, found: Some(&found), floor: None })
        }
        None => picture.lines(Fold { dull: true, ..Fold::default() }),
    };
    let none = Marks::default();
    let mut page = Page {
        picture: &picture,
        marks: marks.unwrap_or(&none),
        words: Words::new(&picture),
        back: String::new(),
        drawing: Drawing::default(),
        text: String::new(),
        width: 0,
    };
    let mut y = MARGIN / 2;
    page.headings(y);
    y += ROW;
    let shown = lines.get(..MAX_LINES.min(lines.len())).unwrap_or_default();
    for line in shown {
        match line {
            Line::Row(row) => page.row(*row, y),
            Line::Dull(rows) | Line::Unfound(rows) | Line::Below(rows) => page.folded(rows, y),
            Line::Gone { .. } => continue,
        }
        y += ROW;
    }
    let rest: usize = lines.iter().skip(shown.len()).map(|line| line.rows().len()).sum();
    if rest > 0 {
        let words = format!("and {rest} more below: olmap graph draws them");
        page.words("d", MARGIN, y, &words);
        y += ROW;
    }
    let label = text::title(package, channel, &picture);
    page.finish(&label, y + MARGIN / 2)
}

/// Returns the indexes of changed rows, of rows near them, and of the head, in order.
fn around(picture: &Layout, marks: &Marks<'_>) -> Vec<usize> {
    let near = |(at, row): (usize, &Row)| {
        if marks.fates.contains_key(&row.name) {
            at.saturating_sub(AROUND)..at + AROUND + 1
        } else if row.marks.head || marks.near.contains(&row.name) {
            at..at + 1
        } else {
            0..0
        }
    };
    let rows = picture.rows.iter().enumerate().flat_map(near);
    let found: BTreeSet<usize> = rows.filter(|at| *at < picture.rows.len()).collect();
    found.into_iter().collect()
}

struct Page<'a> {
    picture: &'a Layout,
    marks: &'a Marks<'a>,
    words: Words,
    back: String,
    drawing: Drawing,
    text: String,
    width: usize,
}

impl Page<'_> {
    fn words(&mut self, class: &str, x: usize, y: usize, words: &str) {
        let baseline = y + ROW / 2 + 5;
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(self.text, "<text{class} x=\"{x}\" y=\"{baseline}\">{}</text>", escape(words));
        self.width = self.width.max(x + plain::width(words) * LETTER);
    }

    fn headings(&mut self, y: usize) {
        for (column, label) in self.picture.labels() {
            self.words("d", MARGIN + column * CELL, y, label);
        }
        self.words("d", self.words.version, y, "version");
        self.words("d", self.words.note, y, "what");
    }

    fn row(&mut self, at: usize, y: usize) {
        let Some(row) = self.picture.rows.get(at) else { return };
        self.drawing.row(self.picture, at, y, |_, glyph| glyph);
        let fate = self.marks.fates.get(&row.name).copied();
        let (class, mark) = match fate {
            Some(Fate::Added) => ("add", "+"),
            Some(Fate::Removed) => ("del", "-"),
            Some(Fate::Changed) => ("chg", "~"),
            None => ("", ""),
        };
        if fate.is_some() {
            // The rectangle spans the image, whose width is not known yet.
            let _ =
                writeln!(self.back, "<rect class=\"{class}\" y=\"{y}\" width=\"100%\" height=\"{ROW}\"/>");
            self.words(class, self.words.version - LETTER * 2, y, mark);
        }
        self.words(class, self.words.version, y, &row.version);
        let note = note(row);
        if !note.is_empty() {
            self.words(
                if row.marks.dead_end || row.marks.stuck.is_some() { "bad" } else { "d" },
                self.words.note,
                y,
                &note,
            );
        }
    }

    /// Draws folded rows as one line; vertical lines continue through it.
    fn folded(&mut self, rows: &Range<usize>, y: usize) {
        let (first, last) = (self.picture.rows.get(rows.start), self.picture.rows.get(rows.end - 1));
        let Some((first, last)) = first.zip(last) else { return };
        let node = self.picture.columns.node;
        let of = |column: usize, glyph: Glyph| if column == node { Glyph::Blank } else { glyph.continued() };
        self.drawing.row(self.picture, rows.end - 1, y, of);
        self.words("d", MARGIN + node * CELL + 2, y, "\u{22ee}");
        let span = if rows.len() == 1 {
            first.version.clone()
        } else {
            format!("{} to {} ({})", first.version, last.version, rows.len())
        };
        self.words("d", self.words.version, y, &span);
    }

    fn finish(self, label: &str, height: usize) -> Inline {
        let width = self.width + MARGIN;
        Inline(format!(
            "<svg class=\"graph\" role=\"img\" aria-label=\"{}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n{}{}{}</svg>\n",
            escape(label),
            self.back,
            self.drawing.markup(),
            self.text,
        ))
    }
}
