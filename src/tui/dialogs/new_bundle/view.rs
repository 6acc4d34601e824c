//! Form for a new bundle: its path, its image, the target channels, and a preview of the changes.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::{
        dialog::dialog_list,
        new_bundle::{CHANNELS, ChannelTarget, DIALOG, Focus, NewBundleForm},
    },
    keys::ActionId,
    session::context::ViewContext,
    widgets::{
        boxes::{centered, draw_field, draw_key_hints, draw_preview_body, format_name_columns},
        canvas::{Canvas, Line, display_width, pad, piece, text_piece, wrap_text},
        preview::preview_lines,
        theme::Ink,
    },
};
use olm_bundle::NewBundle;
use olm_catalog::blob::EntrySpec;
use olm_upgrade::pending_bundle::EdgeSource;

/// Columns of the label before a field.
const LABEL_COLUMNS: u16 = 11;

/// Draws the form.
pub(in crate::tui) fn draw_new_bundle_form(
    view_cx: &ViewContext<'_>,
    add: &NewBundleForm,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let title =
        add.bundle.as_ref().map_or_else(|| "Add a bundle".to_owned(), |new| format!("Add {}", new.name));
    let high = if add.bundle.is_some() { area.height.saturating_sub(2).min(32) } else { 14 };
    let inner = canvas.draw_box(centered(area, (area.width * 9 / 10).min(116), high), &title);
    if inner.is_empty() {
        return;
    }
    let mut y = inner.y;
    for (name, input, focus) in [("bundle", &add.path, Focus::Path), ("image", &add.image, Focus::Image)] {
        let focused = add.focus == focus;
        canvas.draw_text(
            inner.x,
            y,
            LABEL_COLUMNS,
            &format!("{name:<10} "),
            if focused { Ink::Active } else { Ink::Dim },
        );
        let room = Rect {
            x: inner.x + LABEL_COLUMNS,
            y,
            width: inner.width.saturating_sub(LABEL_COLUMNS),
            height: 1,
        };
        draw_field(canvas, room, input, focused);
        y += 1;
    }
    if matches!(add.focus, Focus::Range | Focus::NewChannel) {
        let name = if add.focus == Focus::Range { "skipRange" } else { "channel" };
        canvas.draw_text(inner.x, y, LABEL_COLUMNS, &format!("{name:<10} "), Ink::Active);
        let room = Rect {
            x: inner.x + LABEL_COLUMNS,
            y,
            width: inner.width.saturating_sub(LABEL_COLUMNS),
            height: 1,
        };
        draw_field(canvas, room, &add.extra_input, true);
        y += 1;
    }
    y = draw_remark(add, canvas, inner, y);
    let lower = Rect { y, height: inner.bottom().saturating_sub(y + 1), ..inner };
    match &add.bundle {
        Some(new) => draw_channel_targets(view_cx, add, new, canvas, lower),
        None => draw_path_names(add, canvas, lower),
    }
    draw_form_keys(view_cx, add, canvas, inner);
}

/// Draws a remark about the fields; returns the row below it.
fn draw_remark(add: &NewBundleForm, canvas: &mut Canvas<'_>, inner: Rect, mut y: u16) -> u16 {
    let (words, ink) = match (&add.note, &add.bundle) {
        (Err(mistake), _) => (mistake.to_string(), Ink::Error),
        (Ok(words), _) if !words.is_empty() => (words.clone(), Ink::Dim),
        (Ok(_), Some(new)) if new.is_referenced_by_tag() => {
            ("a tag, which can move: a digest (@sha256:...) cannot".to_owned(), Ink::Warning)
        }
        (Ok(_), Some(new)) => (describe_new_bundle(new), Ink::Dim),
        (Ok(_), None) => ("a bundle directory, or a file that opm render printed".to_owned(), Ink::Dim),
    };
    for line in wrap_text(&words, usize::from(inner.width)).into_iter().take(2) {
        canvas.draw_text(inner.x, y, inner.width, &line, ink);
        y += 1;
    }
    y
}

fn describe_new_bundle(new: &NewBundle) -> String {
    let channels: Vec<&str> = new.channels.iter().map(AsRef::as_ref).collect();
    let named = if channels.is_empty() {
        String::new()
    } else {
        format!(", its annotations name {}", channels.join(", "))
    };
    format!("version {} of {}{named}", new.version, new.package)
}

/// Draws completions of the path.
fn draw_path_names(add: &NewBundleForm, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(names) = &add.path_completions else { return };
    let room = (usize::from(area.width), usize::from(area.height));
    let lines = format_name_columns(names, room, canvas.ascii);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        canvas.draw_text(area.x, y, area.width, &line, Ink::Text);
    }
}

/// Draws the list of channels and a preview for the chosen ones.
fn draw_channel_targets(
    view_cx: &ViewContext<'_>,
    add: &NewBundleForm,
    new: &NewBundle,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let targets = &add.targets;
    let ascii = canvas.ascii;
    let most = (area.height * 2 / 5).max(1);
    let high = u16::try_from(targets.rows.len()).unwrap_or(u16::MAX).min(most);
    let list = Rect { height: high, ..area };
    let label =
        |row: &ChannelTarget| targets.catalogs.get(row.catalog_row).map_or("", |into| into.label.as_str());
    let is_new_package =
        |row: &ChannelTarget| targets.catalogs.get(row.catalog_row).is_some_and(|into| into.is_new_package);
    let first = targets.rows.iter().map(|row| display_width(label(row))).max().unwrap_or(0).min(20);
    let second =
        targets.rows.iter().map(|row| display_width(row.channel.as_str())).max().unwrap_or(8).min(24);
    canvas.draw_list(list, &dialog_list(add, view_cx, canvas), |row| {
        let Some(row) = targets.rows.get(row) else { return Vec::new() };
        let (mark, ink) = match (row.entry_spec(new), row.chosen) {
            (Err(_), _) => (" -  ", Ink::Dim),
            (Ok(_), true) => ("[x] ", Ink::Text),
            (Ok(_), false) => ("[ ] ", Ink::Text),
        };
        let mut pieces = vec![text_piece(mark)];
        if targets.catalogs.len() > 1 {
            pieces.push(piece(format!("{}  ", pad(label(row), first, ascii)), ink));
        }
        pieces.push(piece(format!("{}  ", pad(row.channel.as_str(), second, ascii)), ink));
        pieces.extend(edge_pieces(row, new, is_new_package(row)));
        pieces
    });
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..area });
    let lower =
        Rect { y: list.bottom() + 1, height: area.bottom().saturating_sub(list.bottom() + 2), ..area };
    let columns = usize::from(lower.width).saturating_sub(1);
    let mut lines: Vec<Line> = Vec::new();
    for row in targets.rows.iter().filter(|row| row.chosen) {
        let Some(conflict) = row.csv_conflict(new) else { continue };
        let words = wrap_text(&format!("! {} {}: {conflict}", label(row), row.channel), columns);
        lines.extend(words.into_iter().map(|line| vec![piece(line, Ink::Warning)]));
    }
    for into in &targets.catalogs {
        match (&into.arrival, &into.preview) {
            (Err(reason), _) => {
                let words = wrap_text(&format!("{}: {reason}", into.label), columns);
                lines.extend(words.into_iter().map(|line| vec![piece(line, Ink::Dim)]));
            }
            (Ok(_), None) => {}
            (Ok(_), Some(_)) => {
                if targets.catalogs.len() > 1 {
                    lines.push(vec![piece(into.label.clone(), Ink::Title)]);
                }
                lines.extend(preview_lines(view_cx, into.preview.as_ref(), columns));
            }
        }
    }
    if targets.count_chosen() == 0 {
        lines.push(vec![piece("Select target channels.", Ink::Dim)]);
    }
    draw_preview_body(view_cx, CHANNELS, canvas, lower, &lines);
}

/// Returns the edges that the bundle would get in a channel.
fn edge_pieces(row: &ChannelTarget, new: &NewBundle, is_new_package: bool) -> Line {
    let spec = match row.entry_spec(new) {
        Err(refusal) => return vec![piece(refusal.to_string(), Ink::Dim)],
        Ok(spec) => spec,
    };
    let EntrySpec { replaces, skips, skip_range } = &spec;
    let mut words = Vec::new();
    words.extend(replaces.as_ref().map(|name| format!("replaces {name}")));
    match skips.as_slice() {
        [] => {}
        [first] => words.push(format!("skips {first}")),
        [first, more @ ..] => words.push(format!("skips {first} and {} more", more.len())),
    }
    words.extend(skip_range.as_ref().map(|range| format!("range {range}")));
    let edges = if words.is_empty() { "becomes the first entry".to_owned() } else { words.join(", ") };
    let made = match (is_new_package, row.is_new) {
        (true, _) => "new package: ",
        (false, true) => "new channel: ",
        (false, false) => "",
    };
    let from = if row.edge_source == EdgeSource::Csv { "as the CSV: " } else { "" };
    let mut pieces = vec![piece(format!("{made}{from}{edges}"), Ink::Dim)];
    if (row.chosen || !row.is_new) && row.csv_conflict(new).is_some() {
        pieces.insert(0, piece("! ", Ink::Warning));
    }
    pieces
}

fn draw_form_keys(view_cx: &ViewContext<'_>, add: &NewBundleForm, canvas: &mut Canvas<'_>, inner: Rect) {
    let dialog = if add.focus == Focus::Channels { CHANNELS } else { DIALOG };
    let keys: Vec<(ActionId, &str)> = match add.focus {
        Focus::Path => vec![
            (ActionId::Complete, "completes"),
            (ActionId::Accept, "reads it"),
            (ActionId::Cancel, "cancels"),
        ],
        Focus::Image => vec![
            (ActionId::Accept, "goes on"),
            (ActionId::PreviousField, "back"),
            (ActionId::Cancel, "cancels"),
        ],
        Focus::Range | Focus::NewChannel => {
            vec![(ActionId::Accept, "applies it"), (ActionId::Cancel, "back")]
        }
        Focus::Channels => {
            let mut keys = vec![(ActionId::Choose, "chooses"), (ActionId::NewChannel, "new channel")];
            if let Some(Ok(offer)) = add.targets.selected_target().map(|row| &row.offer) {
                if offer.head_edges.is_some() {
                    keys.push((ActionId::PromoteSkips, "skips the head"));
                }
                if offer.range.is_some() {
                    keys.push((ActionId::PromoteRange, "range"));
                }
                if add.bundle.as_ref().is_some_and(|new| new.own_entry.is_some()) {
                    keys.push((ActionId::EntryFromCsv, "CSV edges"));
                }
                keys.push((ActionId::OwnRange, "skipRange"));
            }
            keys.push((ActionId::Accept, "apply"));
            keys.push((ActionId::Cancel, "cancel"));
            keys
        }
    };
    draw_key_hints(view_cx, dialog, canvas, inner, &keys);
}
