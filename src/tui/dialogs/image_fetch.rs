//! Dialog that chooses which bundle images to fetch, then shows the progress.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, OperationResponse, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    session::{
        context::{Context, ViewContext},
        jobs::bundle_manifests::{self, FetchProgress},
    },
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, Line, Piece, display_width, pad, piece, text_piece, wrap_text},
        theme::Ink,
    },
};
use olm_catalog::{BundleName, PackageName};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("fetch", "fetching bundle images").with_rows();

/// Bundle images that can be fetched together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchChoice {
    /// Label of the choice.
    pub label: String,
    /// The bundles with their images, without duplicate images.
    pub images: Vec<(BundleName, String)>,
    /// The registries of the images.
    pub hosts: Vec<String>,
}

/// State of the dialog.
#[derive(Debug)]
pub struct ImageFetch {
    /// Package of the bundles.
    pub package: PackageName,
    /// Sets of images to choose from.
    pub choices: Vec<FetchChoice>,
    /// True after a set was chosen; the dialog then shows the progress.
    pub is_started: bool,
    /// Index of the selected choice, or of the selected failed image after the start.
    pub cursor: usize,
    failed_images: usize,
}

impl ImageFetch {
    /// Opens the dialog with the cursor on the given choice.
    pub(in crate::tui) fn new(package: PackageName, choices: Vec<FetchChoice>, cursor: usize) -> Self {
        Self { package, choices, is_started: false, cursor, failed_images: 0 }
    }
}

impl DialogState for ImageFetch {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        if self.is_started {
            return if cx.session.jobs.image_fetch.is_running() {
                DialogStep::Stay
            } else {
                DialogStep::Close
            };
        }
        if let Some(chosen) = self.choices.get(self.cursor) {
            bundle_manifests::start_fetch(cx, self.package.clone(), chosen.images.clone());
            self.is_started = true;
            self.cursor = 0;
        }
        DialogStep::Stay
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        if self.is_started {
            bundle_manifests::stop_fetch(cx);
        }
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        let count = if self.is_started { self.failed_images } else { self.choices.len() };
        Some(RowCursor { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn on_fetch_ended(&mut self, failed: usize) -> OperationResponse {
        match (self.is_started, failed) {
            (false, _) => OperationResponse::NotWaiting,
            (true, 0) => OperationResponse::Close,
            (true, _) => OperationResponse::ShowError,
        }
    }

    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        self.failed_images = view_cx.session.jobs.image_fetch.failed.len();
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        if self.is_started {
            draw_fetch_progress(view_cx, self, canvas, area);
        } else {
            draw_fetch_choices(view_cx, self, canvas, area);
        }
    }
}

const BOX_COLUMNS: u16 = 90;

fn draw_fetch_choices(view_cx: &ViewContext<'_>, fetch: &ImageFetch, canvas: &mut Canvas<'_>, area: Rect) {
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
        canvas.draw_text(inner.x, y, inner.width, line, Ink::Text);
    }
    let above = room.min(u16::try_from(about.len() + 1).unwrap_or(u16::MAX));
    let list = Rect { y: inner.y + above, height: rows, ..inner };
    let labels = fetch.choices.iter().map(|choice| display_width(&choice.label)).max().unwrap_or_default();
    let ascii = canvas.ascii;
    canvas.draw_list(list, &dialog_list(fetch, view_cx, canvas), |row| {
        fetch.choices.get(row).map(|choice| fetch_choice_row(choice, labels, ascii)).unwrap_or_default()
    });
    let keys = [(ActionId::Accept, "fetch"), (ActionId::Cancel, "cancel")];
    draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
}

fn fetch_choice_row(choice: &FetchChoice, labels: usize, ascii: bool) -> Vec<Piece> {
    let images = match choice.images.len() {
        1 => "1 image".to_owned(),
        count => format!("{count} images"),
    };
    vec![text_piece(pad(&choice.label, labels, ascii)), piece(format!("  {images}"), Ink::Dim)]
}

fn draw_fetch_progress(view_cx: &ViewContext<'_>, fetch: &ImageFetch, canvas: &mut Canvas<'_>, area: Rect) {
    let fetching = &view_cx.session.jobs.image_fetch;
    let failed = u16::try_from(fetching.failed.len()).unwrap_or(u16::MAX);
    let high = if failed == 0 { 6 } else { failed.saturating_add(10).min(area.height * 4 / 5) };
    let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), progress_title(fetching));
    if inner.is_empty() {
        return;
    }
    canvas.draw_text(inner.x, inner.y, inner.width, &fetching.summarize_fetch(), Ink::Text);
    let mut used = 1;
    if fetching.is_running() && inner.height > 2 {
        let bar = progress_bar(fetching, usize::from(inner.width), canvas.ascii);
        canvas.draw_line(Rect { y: inner.y + 1, height: 1, ..inner }, &bar);
        used = 2;
    }
    if failed > 0 && inner.height > used + 2 {
        canvas.draw_rule(Rect { y: inner.y + used, height: 1, ..inner });
        draw_fetch_failures(
            view_cx,
            fetch,
            canvas,
            Rect { y: inner.y + used + 1, height: inner.height - used - 2, ..inner },
        );
    }
    let keys: &[(ActionId, &str)] = if fetching.is_running() {
        &[(ActionId::Cancel, "stop")]
    } else {
        &[(ActionId::Accept, ""), (ActionId::Cancel, "close")]
    };
    draw_key_hints(view_cx, DIALOG, canvas, inner, keys);
}

fn progress_title(fetching: &FetchProgress) -> &'static str {
    match (fetching.is_running(), fetching.is_stopping) {
        (true, true) => "Stopping",
        (true, false) => "Fetching bundle images",
        (false, _) => "Some bundle images were not fetched",
    }
}

/// Returns the progress bar.
fn progress_bar(fetching: &FetchProgress, columns: usize, ascii: bool) -> Line {
    let of = format!(" {} of {}", fetching.finished_count(), fetching.images);
    let room = columns.saturating_sub(display_width(&of)).min(50);
    let full = room * fetching.finished_count() / fetching.images.max(1);
    let (done, open) = if ascii { ("#", ".") } else { ("━", "─") };
    vec![
        piece(done.repeat(full), Ink::Good),
        piece(open.repeat(room.saturating_sub(full)), Ink::Dim),
        piece(of, Ink::Dim),
    ]
}

/// Draws the failed bundles and the full error of the selected one.
fn draw_fetch_failures(view_cx: &ViewContext<'_>, fetch: &ImageFetch, canvas: &mut Canvas<'_>, area: Rect) {
    let failed = &view_cx.session.jobs.image_fetch.failed;
    let view = dialog_list(fetch, view_cx, canvas);
    let selected = view.cursor.and_then(|row| failed.get(row));
    let why: Vec<(String, Ink)> = selected
        .map(|(_, refusal)| {
            let columns = usize::from(area.width);
            let hint = refusal.hint.iter().flat_map(|hint| wrap_text(hint, columns));
            let why = wrap_text(&refusal.message, columns).into_iter().map(|line| (line, Ink::Error));
            why.chain(hint.map(|line| (line, Ink::Dim))).collect()
        })
        .unwrap_or_default();
    let below = u16::try_from(why.len()).unwrap_or(u16::MAX).min(area.height / 2);
    let list = Rect { height: area.height.saturating_sub(below), ..area };
    canvas.draw_list(list, &view, |row| match failed.get(row) {
        Some((bundle, refusal)) => vec![
            piece("failed  ", Ink::Error),
            text_piece(bundle.to_string()),
            piece(format!("  {}", refusal.message), Ink::Dim),
        ],
        None => Vec::new(),
    });
    for (y, (line, ink)) in (list.bottom()..area.bottom()).zip(&why) {
        canvas.draw_text(area.x, y, area.width, line, *ink);
    }
}
