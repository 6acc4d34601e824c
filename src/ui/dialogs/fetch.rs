//! Fetching of bundle images: the choices, then the progress and the failures.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        dialogs::fetch::Fetch,
        keys::{ActionId, Dialog},
        parts::list::ListId,
        session::fetching::Fetching,
        work::opening::ToFetch,
    },
    ui::{
        canvas::{Canvas, Piece, Pieces, pad, piece, text, width, wrap},
        parts::{
            boxes::{centred, way_out},
            lists::list_view,
        },
        theme::Role,
    },
};

const COLUMNS: u16 = 90;

/// Draws the choices, or the progress once the fetch has started.
pub(in crate::ui) fn draw(model: &Model, fetch: &Fetch, canvas: &mut Canvas<'_>, area: Rect) {
    if fetch.is_begun { progress(model, canvas, area) } else { choices(model, fetch, canvas, area) }
}

fn choices(model: &Model, fetch: &Fetch, canvas: &mut Canvas<'_>, area: Rect) {
    let columns = usize::from(COLUMNS.min(area.width).saturating_sub(4));
    let hosts = fetch.choices.get(fetch.cursor).map(|chosen| chosen.hosts.join(", ")).unwrap_or_default();
    let about = format!(
        "The manifests of {} are in the images of its bundles. Fetching opens connections to {hosts}; images are \
         kept in the cache.",
        fetch.package
    );
    let about = wrap(&about, columns);
    let high = u16::try_from(about.len() + fetch.choices.len() + 5).unwrap_or(u16::MAX);
    let inner = canvas.boxed(centred(area, COLUMNS, high), "Fetch bundle images");
    if inner.is_empty() {
        return;
    }
    let rows = u16::try_from(fetch.choices.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(1));
    let room = inner.height.saturating_sub(rows + 1);
    for (y, line) in (inner.y..inner.y + room).zip(&about) {
        canvas.put(inner.x, y, inner.width, line, Role::Text);
    }
    let above = room.min(u16::try_from(about.len() + 1).unwrap_or(u16::MAX));
    let list = Rect { y: inner.y + above, height: rows, ..inner };
    let labels = fetch.choices.iter().map(|choice| width(&choice.label)).max().unwrap_or_default();
    let ascii = canvas.ascii;
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |row| {
        fetch.choices.get(row).map(|choice| row_of(choice, labels, ascii)).unwrap_or_default()
    });
    let keys = [(ActionId::Accept, "fetch"), (ActionId::Cancel, "cancel")];
    way_out(model, Dialog::Fetch, canvas, inner, &keys);
}

fn row_of(choice: &ToFetch, labels: usize, ascii: bool) -> Vec<Piece> {
    let images = match choice.images.len() {
        1 => "1 image".to_owned(),
        count => format!("{count} images"),
    };
    vec![text(pad(&choice.label, labels, ascii)), piece(format!("  {images}"), Role::Dim)]
}

fn progress(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let fetching = &model.session.fetching;
    let failed = u16::try_from(fetching.failed.len()).unwrap_or(u16::MAX);
    let high = if failed == 0 { 6 } else { failed.saturating_add(10).min(area.height * 4 / 5) };
    let inner = canvas.boxed(centred(area, COLUMNS, high), title(fetching));
    if inner.is_empty() {
        return;
    }
    canvas.put(inner.x, inner.y, inner.width, &fetching.words(), Role::Text);
    let mut used = 1;
    if fetching.is_running && inner.height > 2 {
        let bar = bar(fetching, usize::from(inner.width), canvas.ascii);
        canvas.line(Rect { y: inner.y + 1, height: 1, ..inner }, &bar);
        used = 2;
    }
    if failed > 0 && inner.height > used + 2 {
        canvas.rule(Rect { y: inner.y + used, height: 1, ..inner });
        failures(model, canvas, Rect { y: inner.y + used + 1, height: inner.height - used - 2, ..inner });
    }
    let keys: &[(ActionId, &str)] = if fetching.is_running {
        &[(ActionId::Cancel, "stop")]
    } else {
        &[(ActionId::Accept, ""), (ActionId::Cancel, "close")]
    };
    way_out(model, Dialog::Fetch, canvas, inner, keys);
}

fn title(fetching: &Fetching) -> &'static str {
    match (fetching.is_running, fetching.is_stopping) {
        (true, true) => "Stopping",
        (true, false) => "Fetching bundle images",
        (false, _) => "Some bundle images were not fetched",
    }
}

/// Returns the progress bar.
fn bar(fetching: &Fetching, columns: usize, ascii: bool) -> Pieces {
    let of = format!(" {} of {}", fetching.done(), fetching.images);
    let room = columns.saturating_sub(width(&of)).min(50);
    let full = room * fetching.done() / fetching.images.max(1);
    let (done, open) = if ascii { ("#", ".") } else { ("━", "─") };
    vec![
        piece(done.repeat(full), Role::Good),
        piece(open.repeat(room.saturating_sub(full)), Role::Dim),
        piece(of, Role::Dim),
    ]
}

/// Draws the failed bundles and the full error of the selected one.
fn failures(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let failed = &model.session.fetching.failed;
    let view = list_view(model, ListId::Dialog(canvas.below));
    let selected = view.cursor.and_then(|row| failed.get(row));
    let why: Vec<(String, Role)> = selected
        .map(|(_, refusal)| {
            let columns = usize::from(area.width);
            let hint = refusal.hint.iter().flat_map(|hint| wrap(hint, columns));
            let why = wrap(&refusal.message, columns).into_iter().map(|line| (line, Role::Error));
            why.chain(hint.map(|line| (line, Role::Dim))).collect()
        })
        .unwrap_or_default();
    let below = u16::try_from(why.len()).unwrap_or(u16::MAX).min(area.height / 2);
    let list = Rect { height: area.height.saturating_sub(below), ..area };
    canvas.list(list, &view, |row| match failed.get(row) {
        Some((bundle, refusal)) => vec![
            piece("failed  ", Role::Error),
            text(bundle.to_string()),
            piece(format!("  {}", refusal.message), Role::Dim),
        ],
        None => Vec::new(),
    });
    for (y, (line, role)) in (list.bottom()..area.bottom()).zip(&why) {
        canvas.put(area.x, y, area.width, line, *role);
    }
}
