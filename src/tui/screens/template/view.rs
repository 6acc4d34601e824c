//! Template screen: one column per list of a semver template, one row per bundle image.

use ratatui::layout::Rect;

use crate::tui::{
    keys::ActionId,
    parts::{frame::Splitter, list::ListId},
    screens::{
        screen::ScreenView,
        template::{ImageRow, Template},
    },
    widgets::{
        canvas::{
            Canvas, Line, display_width, highlight_filter, pad, piece, text_piece, wrap_text, wrapped_lines,
        },
        lists::{draw_list_heading, draw_no_rows},
        text::format_count,
        theme::Ink,
    },
};
use olm_catalog::{
    ChannelName, Semver,
    template::semver::{ChannelKind, List},
};

/// Below this width only the details show the channels.
const MIN_WIDTH_FOR_CHANNELS: u16 = 80;
/// Below this width the names of the lists are shortened.
const MIN_WIDTH_FOR_LIST_NAMES: u16 = 64;

/// The screen and its context.
type View<'a> = ScreenView<'a, Template>;

/// Draws the screen.
pub fn draw_template_screen(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect) {
    let snapshot = view.session.snapshot();
    let Some(semver) = snapshot.and_then(|snapshot| snapshot.catalog.template()?.semver()) else {
        let inner = draw_list_heading(view, canvas, area, ListId::Template, "Template", &[]);
        let words = "This is not an olm.semver template. Open one: olmap operators/NAME/catalog-templates/semver.yaml";
        return draw_no_rows(view, canvas, inner, ListId::Template, words);
    };
    let rows = view.state.image_rows();
    let below = if area.height < 10 || rows.is_empty() { 0 } else { (area.height / 3).clamp(4, 9) };
    let (upper, lower) = if below == 0 {
        (area, None)
    } else {
        let above = view.frame.splits.size_before(Splitter::Template, area.height - below - 1, area.height);
        let (upper, lower) = canvas.draw_splitter(area, Splitter::Template, above);
        (upper, Some(lower))
    };
    let inner = draw_list_heading(view, canvas, upper, ListId::Template, &template_title(view, semver), &[]);
    if rows.is_empty() {
        let add = view.key_label(ActionId::AddEntry);
        return draw_no_rows(
            view,
            canvas,
            inner,
            ListId::Template,
            &format!("The lists are empty. {add} adds a bundle image."),
        );
    }
    draw_image_table(view, canvas, inner, rows);
    if let (Some(lower), Some(row)) = (lower, view.state.selected_image()) {
        draw_image_details(view, canvas, lower, row);
    }
}

/// Returns the number of images and the kinds of generated channels.
fn template_title(view: &View<'_>, semver: &Semver) -> String {
    let rows = view.state.image_rows().len();
    let mut title = format!("Template: {}", format_count(rows, "bundle image"));
    match semver.settings {
        None => title += "; not rendered, see Problems",
        Some(settings) => {
            let kinds =
                [ChannelKind::Major, ChannelKind::Minor].into_iter().filter(|kind| settings.generates(*kind));
            let kinds: Vec<&str> = kinds.map(ChannelKind::name).collect();
            title += &format!("; {} channels", kinds.join(" and "));
        }
    }
    let package = view.session.snapshot().and_then(|snapshot| snapshot.packages().next());
    if let Some(default) = package.and_then(|(_, package_state)| package_state.package().default_channel()) {
        title += &format!(", default {default}");
    }
    title
}

fn membership_mark(is_in: bool, ascii: bool) -> &'static str {
    match (is_in, ascii) {
        (true, true) => "x",
        (true, false) => "●",
        (false, true) => ".",
        (false, false) => "·",
    }
}

fn draw_image_table(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, rows: &[ImageRow]) {
    let ascii = canvas.ascii;
    let version = |row: &ImageRow| row.version().map_or_else(|| "?".to_owned(), ToString::to_string);
    let versions = rows.iter().map(|row| display_width(&version(row))).max().unwrap_or(0).clamp(7, 20);
    let is_narrow = area.width < MIN_WIDTH_FOR_CHANNELS;
    let channels = if is_narrow {
        0
    } else {
        rows.iter().map(|row| display_width(&join_channels(&row.channels))).max().unwrap_or(0).clamp(8, 34)
    };
    let mut heading = vec![piece(format!(" {}", pad("version", versions, ascii)), Ink::Dim)];
    let list_width = if area.width < MIN_WIDTH_FOR_LIST_NAMES { 4 } else { 9 };
    for list in List::ALL {
        let name: String = list.name().chars().take(list_width).collect();
        heading.push(piece(format!("  {name:<list_width$}"), Ink::Dim));
    }
    if !is_narrow {
        heading.push(piece(format!("  {}", pad("channels", channels, ascii)), Ink::Dim));
    }
    heading.push(piece("  bundle", Ink::Dim));
    let (first, rest) =
        (Rect { height: 1, ..area }, Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area });
    canvas.draw_line(first, &heading);
    let filter = view.session.lists.filter(ListId::Template);
    canvas.draw_list(rest, &view.list_view(canvas, ListId::Template), |at| {
        let Some(row) = rows.get(at) else { return Vec::new() };
        let ink = if row.bundle_info.is_some() { Ink::Text } else { Ink::Warning };
        let mut pieces: Line = vec![piece(pad(&version(row), versions, ascii), ink)];
        for list in List::ALL {
            let is_in = row.is_in(list);
            let ink = if is_in { Ink::Good } else { Ink::Dim };
            pieces.push(piece(
                format!(
                    "  {}",
                    pad(
                        &format!("{:1$}{2}", "", list_width / 2 - 1, membership_mark(is_in, ascii)),
                        list_width,
                        ascii
                    )
                ),
                ink,
            ));
        }
        if !is_narrow {
            pieces
                .push(piece(format!("  {}", pad(&join_channels(&row.channels), channels, ascii)), Ink::Dim));
        }
        pieces.push(text_piece("  "));
        pieces.extend(highlight_filter(row.display_name(), ink, filter));
        pieces
    });
}

fn join_channels(channels: &[ChannelName]) -> String {
    let names: Vec<&str> = channels.iter().map(ChannelName::as_str).collect();
    names.join(" ")
}

fn draw_image_details(view: &View<'_>, canvas: &mut Canvas<'_>, area: Rect, row: &ImageRow) {
    let columns = usize::from(area.width).saturating_sub(2);
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(wrapped_lines(&row.image, columns, Ink::Title));
    if row.bundle_info.is_none() {
        let words = "No open or published catalog has this image: its version and its channels are not known. Open a \
                     catalog that has it beside the template.";
        lines.extend(wrapped_lines(words, columns, Ink::Warning));
    }
    let package_state =
        row.bundle_info.as_ref().and_then(|(package, ..)| view.session.snapshot()?.package(package.as_str()));
    if let (Some(package_state), Some(bundle)) = (package_state, row.bundle()) {
        for name in &row.channels {
            let Some(channel) = package_state.package().channel(name.as_str()) else { continue };
            let Some(entry) = channel.entries.iter().find(|entry| entry.name.value == *bundle) else {
                continue;
            };
            let mut words = match &entry.replaces {
                Some(replaces) => format!("{name}: replaces {}", replaces.value),
                None => format!("{name}: replaces nothing"),
            };
            if !entry.skips.is_empty() {
                words += &format!(", skips {}", format_count(entry.skips.len(), "bundle"));
            }
            lines.extend(wrap_text(&words, columns).into_iter().map(|line| vec![text_piece(line)]));
        }
    }
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.draw_line(Rect { x: area.x + 1, y, width: area.width - 1, height: 1 }, line);
    }
}
