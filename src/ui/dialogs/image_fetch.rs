//! Fetching of bundle images: the choices, then the progress and the failures.

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        dialogs::image_fetch::ImageFetch,
        keys::{ActionId, Dialog},
        parts::list::ListId,
        session::image_fetch::FetchProgress,
        work::dialog_request::FetchChoice,
    },
    ui::{
        canvas::{Canvas, Piece, Pieces, display_width, pad, piece, text_piece, wrap_text},
        parts::{
            boxes::{centered, draw_key_hints},
            lists::list_view,
        },
        theme::Role,
    },
};

const BOX_COLUMNS: u16 = 90;

/// Draws the choices, or the progress once the fetch has started.
pub(in crate::ui) fn draw_image_fetch(
    model: &Model,
    fetch: &ImageFetch,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    if fetch.is_started {
        draw_fetch_progress(model, canvas, area);
    } else {
        draw_fetch_choices(model, fetch, canvas, area);
    }
}

fn draw_fetch_choices(model: &Model, fetch: &ImageFetch, canvas: &mut Canvas<'_>, area: Rect) {
    let columns = usize::from(BOX_COLUMNS.min(area.width).saturating_sub(4));
    let hosts = fetch.choices.get(fetch.cursor).map(|chosen| chosen.hosts.join(", ")).unwrap_or_default();
    let about = format!(
        "The manifests of {} are in the images of its bundles. Fetching opens connections to {hosts}; images are \
         kept in the cache.",
        fetch.package
    );
    let about = wrap_text(&about, columns);
    let high = u16::try_from(about.len() + fetch.choices.len() + 5).unwrap_or(u16::MAX);
    let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), "Fetch bundle images");
    if inner.is_empty() {
        return;
    }
    let rows = u16::try_from(fetch.choices.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(1));
    let room = inner.height.saturating_sub(rows + 1);
    for (y, line) in (inner.y..inner.y + room).zip(&about) {
        canvas.draw_text(inner.x, y, inner.width, line, Role::Text);
    }
    let above = room.min(u16::try_from(about.len() + 1).unwrap_or(u16::MAX));
    let list = Rect { y: inner.y + above, height: rows, ..inner };
    let labels = fetch.choices.iter().map(|choice| display_width(&choice.label)).max().unwrap_or_default();
    let ascii = canvas.ascii;
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        fetch.choices.get(row).map(|choice| fetch_choice_row(choice, labels, ascii)).unwrap_or_default()
    });
    let keys = [(ActionId::Accept, "fetch"), (ActionId::Cancel, "cancel")];
    draw_key_hints(model, Dialog::Fetch, canvas, inner, &keys);
}

fn fetch_choice_row(choice: &FetchChoice, labels: usize, ascii: bool) -> Vec<Piece> {
    let images = match choice.images.len() {
        1 => "1 image".to_owned(),
        count => format!("{count} images"),
    };
    vec![text_piece(pad(&choice.label, labels, ascii)), piece(format!("  {images}"), Role::Dim)]
}

fn draw_fetch_progress(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let fetching = &model.session.image_fetch;
    let failed = u16::try_from(fetching.failed.len()).unwrap_or(u16::MAX);
    let high = if failed == 0 { 6 } else { failed.saturating_add(10).min(area.height * 4 / 5) };
    let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), progress_title(fetching));
    if inner.is_empty() {
        return;
    }
    canvas.draw_text(inner.x, inner.y, inner.width, &fetching.summarize_fetch(), Role::Text);
    let mut used = 1;
    if fetching.is_running && inner.height > 2 {
        let bar = progress_bar(fetching, usize::from(inner.width), canvas.ascii);
        canvas.draw_line(Rect { y: inner.y + 1, height: 1, ..inner }, &bar);
        used = 2;
    }
    if failed > 0 && inner.height > used + 2 {
        canvas.draw_rule(Rect { y: inner.y + used, height: 1, ..inner });
        draw_fetch_failures(
            model,
            canvas,
            Rect { y: inner.y + used + 1, height: inner.height - used - 2, ..inner },
        );
    }
    let keys: &[(ActionId, &str)] = if fetching.is_running {
        &[(ActionId::Cancel, "stop")]
    } else {
        &[(ActionId::Accept, ""), (ActionId::Cancel, "close")]
    };
    draw_key_hints(model, Dialog::Fetch, canvas, inner, keys);
}

fn progress_title(fetching: &FetchProgress) -> &'static str {
    match (fetching.is_running, fetching.is_stopping) {
        (true, true) => "Stopping",
        (true, false) => "Fetching bundle images",
        (false, _) => "Some bundle images were not fetched",
    }
}

/// Returns the progress bar.
fn progress_bar(fetching: &FetchProgress, columns: usize, ascii: bool) -> Pieces {
    let of = format!(" {} of {}", fetching.finished_count(), fetching.images);
    let room = columns.saturating_sub(display_width(&of)).min(50);
    let full = room * fetching.finished_count() / fetching.images.max(1);
    let (done, open) = if ascii { ("#", ".") } else { ("━", "─") };
    vec![
        piece(done.repeat(full), Role::Good),
        piece(open.repeat(room.saturating_sub(full)), Role::Dim),
        piece(of, Role::Dim),
    ]
}

/// Draws the failed bundles and the full error of the selected one.
fn draw_fetch_failures(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let failed = &model.session.image_fetch.failed;
    let view = list_view(model, ListId::Dialog(canvas.dialogs_below));
    let selected = view.cursor.and_then(|row| failed.get(row));
    let why: Vec<(String, Role)> = selected
        .map(|(_, refusal)| {
            let columns = usize::from(area.width);
            let hint = refusal.hint.iter().flat_map(|hint| wrap_text(hint, columns));
            let why = wrap_text(&refusal.message, columns).into_iter().map(|line| (line, Role::Error));
            why.chain(hint.map(|line| (line, Role::Dim))).collect()
        })
        .unwrap_or_default();
    let below = u16::try_from(why.len()).unwrap_or(u16::MAX).min(area.height / 2);
    let list = Rect { height: area.height.saturating_sub(below), ..area };
    canvas.draw_list(list, &view, |row| match failed.get(row) {
        Some((bundle, refusal)) => vec![
            piece("failed  ", Role::Error),
            text_piece(bundle.to_string()),
            piece(format!("  {}", refusal.message), Role::Dim),
        ],
        None => Vec::new(),
    });
    for (y, (line, role)) in (list.bottom()..area.bottom()).zip(&why) {
        canvas.draw_text(area.x, y, area.width, line, *role);
    }
}
