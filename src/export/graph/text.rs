//! The picture of a channel as text, made for 80 columns.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::{
    export::plain,
    layout::{Glyph, Layout, Options, Row, layout},
    upgrade::{PackageGraph, package::ChannelUpgrades},
};

/// The pictures of channels, one below the other.
pub fn text(package: &PackageGraph, channels: &[&ChannelUpgrades], ascii: bool) -> String {
    let mut out = String::new();
    for (index, channel) in channels.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        one(&mut out, package, channel, ascii);
    }
    out
}

fn one(out: &mut String, package: &PackageGraph, channel: &ChannelUpgrades, ascii: bool) {
    let options = Options::default().with_selected(channel.graph.head());
    let picture = layout(package, channel, &options);
    heading(out, package, channel, &picture);
    let version_width = picture.rows.iter().map(|r| r.version.width()).max().unwrap_or(0).clamp(7, 24);
    for row in &picture.rows {
        line(out, row, version_width, ascii);
    }
}

fn heading(out: &mut String, package: &PackageGraph, channel: &ChannelUpgrades, picture: &Layout) {
    let name = channel.graph.name();
    let default = if package.package.default_channel() == Some(name) { " (default)" } else { "" };
    let _ = writeln!(
        out,
        "{} > {}{default}   {} entries, {} dead ends",
        plain::line(package.package.name.as_str()),
        plain::line(name.as_str()),
        channel.graph.entries().count(),
        picture.dead_ends()
    );
    if let Some(error) = &picture.error {
        let _ = writeln!(out, "{}", plain::line(&error.to_string()));
    }
}

fn line(out: &mut String, row: &Row, version_width: usize, ascii: bool) {
    let glyph = |g: Glyph| if ascii { g.ascii() } else { g.unicode() };
    let mut text = String::from("  ");
    row.cells.iter().for_each(|cell| text.push_str(glyph(cell.glyph)));
    let version = plain::line(&row.version);
    let padding = version_width.saturating_sub(version.width());
    let _ = write!(text, "  {}  {version}{:padding$}  {}", row.reach.mark(), "", plain::line(&row.note));
    if row.hidden.total() > 0 {
        let _ = write!(text, " +{}", row.hidden.total());
    }
    out.push_str(text.trim_end());
    out.push('\n');
}
