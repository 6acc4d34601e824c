//! All channels of a package side by side as text, made for 80 columns.

use std::fmt::Write;

use super::{MIN_NOTE, WIDTH, wrap_note, write_legend};
use crate::{
    escape,
    layout::{
        Glyph,
        legend::{SignId, VisibleSigns},
        side_by_side::{
            Channel, Options, PreparedChannels, Row, Strip,
            heading::{self, stagger_labels},
            page::Page,
        },
    },
    stuck,
};
use olm_upgrade::{Engine, PackageGraph};

/// Maximum number of lines of names above the strips.
const MAX_NAME_LINES: usize = 12;

/// Maximum name width for which strips are moved further apart.
const MAX_NAME_WIDTH: usize = 16;

/// Renders all channels, as many strips per block as fit, followed by the legend.
pub fn render_side_by_side(package: &PackageGraph, ascii: bool) -> String {
    let ground = PreparedChannels::new(package);
    let channels = ground.channels();
    let mut seen = VisibleSigns::default();
    let hidden = (0..channels.len()).filter_map(|number| ground.draw_alone(number)).map(|strip| {
        seen.add_cells(strip.cells.iter().flatten());
        seen.add_if(SignId::Replaces, !strip.strands.is_empty());
        strip.hidden
    });
    let hidden: usize = hidden.sum();
    seen.add_if(SignId::Hidden, hidden > 0);
    let widths = Widths::new(&ground, hidden);
    let longest = channels.iter().map(|c| escape::display_width(c.name.as_str())).max().unwrap_or(0);
    let options = Options {
        columns: WIDTH.saturating_sub(widths.side_width() + MIN_NOTE),
        max_pitch: longest.min(MAX_NAME_WIDTH) + 1,
        ..Options::default()
    };
    let mut out = String::new();
    write_package_title(&mut out, package, &ground);
    let mut first = 0;
    loop {
        let page = ground.draw_page(first, &options);
        let next = first + page.strips.len();
        if page.strips.len() < channels.len() {
            let from = first + 1;
            let _ = writeln!(out, "channels {from} to {next} of {} and their bundles", channels.len());
        }
        StripPrinter { ground: &ground, page: &page, widths, ascii, out: &mut out }.print_page();
        out.push('\n');
        if page.strips.is_empty() || next >= channels.len() {
            break;
        }
        first = next;
    }
    write_flag_legend(&mut out, channels);
    write_legend(&seen, false, &mut out, ascii);
    out
}

fn write_package_title(out: &mut String, package: &PackageGraph, ground: &PreparedChannels) {
    let plural = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let rows = ground.rows();
    let found = package.stuck();
    let dead_ends = rows.iter().filter(|row| row.dead_ends > 0).count();
    let _ = writeln!(
        out,
        "{}: {} in {}, {}",
        escape::escape_line(package.package.name.as_str()),
        plural(rows.iter().filter(|row| row.channels > 0).count(), "bundle"),
        plural(ground.channels().len(), "channel"),
        match dead_ends {
            _ if found.answer.is_some() => {
                stuck::format_stuck_title(found.count_stuck(Engine::Classic), found.count_stuck(Engine::V1))
            }
            n => format!("{n} never upgraded by Classic"),
        }
    );
}

/// Writes the legend of the signs above the strips that occur.
fn write_flag_legend(out: &mut String, channels: &[Channel]) {
    let is = |test: fn(&Channel) -> bool| channels.iter().any(test);
    let signs = [
        (is(|c| c.is_default), "* default channel"),
        (is(|c| c.deprecated), "D deprecated"),
        (is(|c| c.error.is_some()), "! Classic cannot use it"),
    ];
    let signs: Vec<&str> = signs.iter().filter(|sign| sign.0).map(|sign| sign.1).collect();
    if !signs.is_empty() {
        let _ = writeln!(out, "{}", signs.join("   "));
    }
}

fn cut_mark(ascii: bool) -> &'static str {
    if ascii { "~" } else { "…" }
}

/// Widths of the columns next to the strips.
#[derive(Clone, Copy)]
struct Widths {
    version: usize,
    hidden: usize,
    count: usize,
}

impl Widths {
    /// Measures the columns. `hidden` is the number of edges that are not drawn.
    fn new(ground: &PreparedChannels, hidden: usize) -> Self {
        let version = ground.rows().iter().map(|row| escape::display_width(&row.version)).max().unwrap_or(0);
        Self {
            version: version.clamp("version".len(), 20),
            hidden: if hidden > 0 { 1 + format!("+{hidden}").len() } else { 0 },
            count: ground.channels().len().to_string().len().max("in".len()),
        }
    }

    /// Returns the total width except strips and notes.
    fn side_width(self) -> usize {
        self.version + 2 + self.hidden + 2 + self.count + 2
    }
}

/// Places texts at their columns.
fn place_texts<'t>(texts: impl Iterator<Item = (usize, &'t str)>) -> String {
    let mut line = String::new();
    for (column, text) in texts {
        let gap = column.saturating_sub(escape::count_columns(&line));
        let _ = write!(line, "{:gap$}{text}", "");
    }
    line
}

struct StripPrinter<'a> {
    ground: &'a PreparedChannels,
    page: &'a Page,
    widths: Widths,
    ascii: bool,
    out: &'a mut String,
}

impl StripPrinter<'_> {
    fn strips_width(&self) -> usize {
        self.page.strips.len().checked_sub(1).map_or(0, |gaps| gaps * self.page.pitch + Strip::WIDTH)
    }

    fn strip_channel(&self, strip: usize) -> Option<&Channel> {
        self.page.strips.get(strip).and_then(|strip| self.ground.channels().get(strip.channel))
    }

    fn print_page(&mut self) {
        let names: Vec<_> = (0..self.page.strips.len())
            .map(|strip| escape::escape_line(self.strip_channel(strip).map_or("", |c| c.name.as_str())))
            .collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let room = heading::LabelSpace {
            pitch: self.page.pitch,
            columns: WIDTH.saturating_sub(self.widths.version + 2),
            lines: MAX_NAME_LINES,
            cut: cut_mark(self.ascii),
        };
        let down = self.glyph_text(Glyph::Line(crate::layout::Arms::VERTICAL));
        for line in stagger_labels(&names, room) {
            let labels = line.iter().map(|label| (label.column, label.name.as_deref().unwrap_or(down)));
            let line = place_texts(labels);
            self.print_line("", &line, "");
        }
        let signs = |page: &Self, sign: &dyn Fn(&Channel) -> String| -> Vec<String> {
            (0..page.page.strips.len())
                .map(|strip| page.strip_channel(strip).map(sign).unwrap_or_default())
                .collect()
        };
        let stuck = signs(self, &Channel::stuck_sign);
        let flags = signs(self, &Channel::flags);
        if stuck.iter().any(|sign| !sign.is_empty()) {
            let line = self.sign_line(&stuck, down);
            self.print_line("stuck", &line, "");
        }
        let line = self.sign_line(&flags, down);
        let beside = format!(
            "{:hidden$}  {:>count$}  what",
            "",
            "in",
            hidden = self.widths.hidden,
            count = self.widths.count
        );
        self.print_line("version", &line, &beside);
        let (ground, page) = (self.ground, self.page);
        for &(number, place) in &page.rows {
            if let Some(row) = ground.rows().get(number) {
                self.print_row(place, row);
            }
        }
    }

    /// Renders a line of signs above the strips. Strips without a sign show the line from their
    /// name.
    fn sign_line(&self, signs: &[String], down: &str) -> String {
        let sign = |(strip, sign): (usize, &String)| {
            (strip * self.page.pitch, if sign.is_empty() { down.to_owned() } else { sign.clone() })
        };
        let signs: Vec<(usize, String)> = signs.iter().enumerate().map(sign).collect();
        place_texts(signs.iter().map(|(column, sign)| (*column, sign.as_str())))
    }

    /// Writes a row at its position in the strips.
    fn print_row(&mut self, place: usize, row: &Row) {
        let strips = self.page.strips.iter();
        let hidden: usize = strips.filter_map(|strip| Some(strip.node_in_row(place)?.hidden.replaces)).sum();
        let hidden = if hidden > 0 { format!(" +{hidden}") } else { String::new() };
        let before = self.widths.side_width() + self.strips_width();
        let mut words = wrap_note(&row.note, WIDTH.saturating_sub(before).max(MIN_NOTE)).into_iter();
        let beside = format!(
            "{hidden:hidden_width$}  {:>count$}  {}",
            row.channels,
            words.next().unwrap_or_default(),
            hidden_width = self.widths.hidden,
            count = self.widths.count
        );
        let version = escape::shorten_middle(&row.version, self.widths.version, cut_mark(self.ascii));
        let cells = self.render_cells(place, |glyph| glyph);
        self.print_line(&version, &cells, &beside);
        let indent = self.widths.hidden + 2 + self.widths.count + 2;
        for more in words {
            let cells = self.render_cells(place, Glyph::continuation);
            self.print_line("", &cells, &format!("{:indent$}{more}", ""));
        }
    }

    fn render_cells(&self, row: usize, glyph: fn(Glyph) -> Glyph) -> String {
        let drawn: Vec<String> = self
            .page
            .strips
            .iter()
            .map(|strip| {
                let cells = strip.cells.get(row).into_iter().flatten();
                cells.map(|cell| self.glyph_text(glyph(cell.glyph))).collect()
            })
            .collect();
        drawn.join(&" ".repeat(self.page.pitch.saturating_sub(Strip::WIDTH)))
    }

    fn glyph_text(&self, glyph: Glyph) -> &'static str {
        if self.ascii { glyph.ascii() } else { glyph.unicode() }
    }

    fn print_line(&mut self, version: &str, strips: &str, beside: &str) {
        let version_gap = (self.widths.version + 2).saturating_sub(escape::count_columns(version));
        let gap = if beside.is_empty() {
            0
        } else {
            self.strips_width().saturating_sub(escape::count_columns(strips))
        };
        let line = format!("{version}{:version_gap$}{strips}{:gap$}{beside}", "", "");
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::fixture;
    use olm_catalog::load;

    #[test]
    fn package_has_title_names_rows_and_legend() {
        let package = fixture::graph_from_channels(&[
            ("stable-v1.0", "3.0.0 replaces=1.0.0 skips=2.0.0\n2.0.0 replaces=0.9.0\n1.0.0\n0.9.0"),
            ("fast", "3.1.0 replaces=3.0.0\n3.0.0"),
        ]);
        let expected = "\
p: 5 bundles in 2 channels, Classic 1 stuck
         stable-v1.0 fast
stuck    1           |
version  *           |       in  what
3.1.0                o-.      1  HEAD of fast
3.0.0    o-.         o-'      2  HEAD of stable-v1.0
2.0.0    x |             +1   1
1.0.0    o-'                  1
0.9.0    #                    1  STUCK on Classic: blocked by skips; Classic
                                 never upgrades it in its only channel

* default channel
x skipped   # Classic never upgrades it
-. -' replaces the next row joined below   +n edges not drawn
";
        assert_eq!(render_side_by_side(&package, true), expected);
    }

    #[test]
    fn strips_are_split_into_blocks_of_80_columns() {
        let names: Vec<String> = (0..30).map(|n| format!("stable-v4.{n}")).collect();
        let lines = "1.0.0-alpha.20260101-long.enough replaces=0.9.0\n0.9.0 deprecated";
        let channels: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), lines)).collect();
        let package = fixture::graph_from_channels(&channels);
        let text = render_side_by_side(&package, false);
        assert!(text.lines().all(|line| escape::count_columns(line) <= 80), "{text}");
        let mut printed = 0;
        for line in text.lines().filter(|line| line.starts_with("channels ")) {
            let numbers: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            assert_eq!((numbers[0], numbers[2]), (printed + 1, 30));
            printed = numbers[1];
        }
        assert_eq!(printed, 30);
        assert_eq!(text.matches("●─╮").count(), 30, "each channel once: {text}");
        assert!(render_side_by_side(&package, true).is_ascii());
    }

    #[test]
    fn control_characters_in_names_are_escaped() {
        let yaml = "---\nschema: olm.package\nname: p\n---\nschema: olm.channel\npackage: p\nname: \"c\\e[2J\"\n\
                    entries:\n- name: \"a\\e[31m\"\n";
        let catalog = load::from_bytes(yaml.as_bytes().to_vec());
        let text = render_side_by_side(&PackageGraph::new(catalog.package("p").unwrap()), false);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }

    #[test]
    fn package_without_channels_has_a_title() {
        let catalog = load::from_bytes(b"schema: olm.package\nname: p\n".to_vec());
        let text = render_side_by_side(&PackageGraph::new(catalog.package("p").unwrap()), false);
        assert!(text.starts_with("p: 0 bundles in 0 channels"), "{text}");
    }
}
