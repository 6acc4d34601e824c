//! Drawing of all channels of a package in one SVG image, with the same bundle on the same row.

use std::fmt::Write as _;

use super::{CELL, Drawing, LETTER, MARGIN, Page, ROW, STYLE};
use crate::{
    escape,
    graph::dot::package_title,
    layout::{
        legend::{SignId, VisibleSigns},
        side_by_side::{Channel, MIN_PITCH, Options, PreparedChannels, Strip},
    },
    markup::escape_markup,
};
use olm_upgrade::{EdgeKind, PackageGraph};

/// Columns from one strip to the next. The names above are slanted and need no more.
const PITCH: usize = MIN_PITCH + 1;

/// Maximum number of characters of a name above a strip.
const MAX_NAME: usize = 40;

/// Draws all channels of a package, followed by the legend.
pub fn render_side_by_side_svg(package: &PackageGraph) -> String {
    let ground = PreparedChannels::new(package);
    let channels = ground.channels();
    let options =
        Options { columns: channels.len() * PITCH + Strip::WIDTH, max_pitch: PITCH, ..Options::default() };
    let drawn = ground.draw_page(0, &options);
    let mut page = Page { body: String::new(), y: MARGIN, width: 0 };
    let title = describe_package(package, &ground);
    page.draw_text_line("t", &title);
    let names: Vec<String> = channels.iter().map(channel_label).collect();
    let longest = names.iter().map(|name| escape::count_columns(name)).max().unwrap_or(0);
    // Names rise by three letters in five.
    page.y += longest * LETTER * 3 / 5 + MARGIN;
    let versions = ground.rows().iter().map(|row| escape::display_width(&row.version));
    let version_width = versions.max().unwrap_or(0).max("version".len());
    let left = MARGIN + version_width * LETTER + 2 * CELL;
    let strip_at = |strip: usize| left + strip * drawn.pitch * CELL;
    for (strip, name) in names.iter().enumerate() {
        let (x, y) = (strip_at(strip) + CELL, page.y);
        let _ = writeln!(
            page.body,
            "<text class=\"d\" transform=\"rotate(-37 {x} {y})\" x=\"{x}\" y=\"{y}\">{}</text>",
            escape_markup(name)
        );
        page.width = page.width.max(x + escape::count_columns(name) * LETTER);
    }
    let notes = strip_at(drawn.strips.len()) + CELL;
    page.draw_text("d", MARGIN, "version");
    page.draw_text("d", notes, "in");
    page.draw_text("d", notes + 5 * LETTER, "what");
    page.y += ROW;
    let mut drawing = Drawing::default();
    let mut seen = VisibleSigns::default();
    for strip in &drawn.strips {
        seen.add_cells(strip.cells.iter().flatten());
        seen.add_if(SignId::Replaces, !strip.strands.is_empty());
        seen.add_if(SignId::Hidden, strip.hidden > 0);
    }
    for (number, place) in &drawn.rows {
        let Some(row) = ground.rows().get(*number) else { continue };
        for (nth, strip) in drawn.strips.iter().enumerate() {
            let cells = strip.cells.get(*place).map(Vec::as_slice).unwrap_or_default();
            for (column, cell) in cells.iter().enumerate() {
                let kind = (!cell.strands.is_empty()).then_some(EdgeKind::Replaces);
                drawing.draw_cell(cell.glyph, kind, strip_at(nth) + column * CELL, page.y);
            }
        }
        page.draw_text("", MARGIN, &row.version);
        page.draw_text("d", notes, &row.channels.to_string());
        page.draw_text(if row.dead_ends > 0 { "bad" } else { "d" }, notes + 5 * LETTER, &row.note);
        page.y += ROW;
    }
    page.body.push_str(&drawing.into_markup());
    page.y += MARGIN;
    page.draw_legend(&seen);
    let Page { body, y, width } = page;
    let (width, height) = (width + MARGIN, y + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" xml:space=\"preserve\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <title>Channels of {}</title>\n<desc>{}</desc>\n<style>{}</style>\n\
         <rect class=\"p\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
        escape_markup(&package_title(package).to_string()),
        escape_markup(&title),
        escape_markup(STYLE)
    )
}

/// Returns the title of the image: package, bundles and channels.
fn describe_package(package: &PackageGraph, ground: &PreparedChannels) -> String {
    let bundles = ground.rows().iter().filter(|row| row.channels > 0).count();
    let plural = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let (bundles, channels) = (plural(bundles, "bundle"), plural(ground.channels().len(), "channel"));
    format!("{}: {bundles} in {channels}", package_title(package))
}

/// Returns the name of a channel with its state in words.
fn channel_label(channel: &Channel) -> String {
    let states = [
        (channel.is_default, "default"),
        (channel.deprecated, "deprecated"),
        (channel.error.is_some(), "Classic cannot use it"),
    ];
    let states: Vec<&str> = states.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word).collect();
    let name = escape::shorten_middle(channel.name.as_str(), MAX_NAME, "\u{2026}");
    if states.is_empty() { name } else { format!("{name} ({})", states.join(", ")) }
}
