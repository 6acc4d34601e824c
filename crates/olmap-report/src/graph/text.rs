//! Channel as a text drawing for 80 columns.

use std::fmt::Write;

use super::dot::{channel_title, package_title};
use crate::{
    escape::{
        self,
        wrap::{LongWord, fill_lines},
    },
    layout::{Cell, Glyph, Layout, Options, Row, draw_layout, legend::VisibleSigns},
};
use olm_upgrade::{PackageGraph, package::ChannelUpgrades};

pub(super) const WIDTH: usize = 80;

/// Minimum width of notes, even if lines become too long.
pub(super) const MIN_NOTE: usize = 28;

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
        let options =
            Options { labels: true, ..Options::for_page_width(WIDTH) }.with_selected(channel.graph.head());
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
pub(super) fn drawing_title(package: &PackageGraph, channel: &ChannelUpgrades, picture: &Layout) -> String {
    let entries = match channel.graph.entry_nodes().count() {
        1 => "1 entry".to_owned(),
        n => format!("{n} entries"),
    };
    // Stuck versions are unknown unless the default channel has exactly one head.
    let stuck = match (package.stuck().count_in_channel(&channel.graph), picture.count_dead_ends()) {
        (Some(_), _) => format!(", {} stuck", picture.count_stuck()),
        (None, 0) => String::new(),
        (None, 1) => ", 1 DEAD END".to_owned(),
        (None, n) => format!(", {n} DEAD ENDS"),
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
pub(super) fn wrap_note(text: &str, width: usize) -> Vec<String> {
    fill_lines(escape::escape_line(text).split(' '), ("", ""), width, LongWord::Whole)
}

/// Writes the legend of the signs that occur. `reach` is true if the `reach` column has content.
pub(super) fn write_legend(seen: &VisibleSigns, reach: bool, out: &mut String, ascii: bool) {
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
  .>+-x |    -:     s     2.5.3    SKIPPED by 2.5.4: never installed by Classic,
  | |   |     :                    maybe by v1
  | '-x |    -:     s     2.5.2    SKIPPED by 2.5.4
  |   o-+    -:     r     2.5.1
  |   o-+    -'     ~     2.4.9
  'X  # |                 2.3.7    STUCK on Classic, DEAD END: 2.5.3 would
        |                          upgrade it, but is skipped; v1: 2.5.3
      ?-'                 2.3.6    not in this channel; 2.4.9 replaces it

x skipped   # DEAD END: can never upgrade on Classic   ? not in the channel
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
