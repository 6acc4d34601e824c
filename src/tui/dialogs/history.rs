//! Dialog with the commits that changed a package.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep, RowCursor, dialog_list},
    keys::{ActionId, Dialog, KeyPress},
    session::{
        context::{Context, ViewContext},
        jobs::git_history,
    },
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, Line, display_width, fit, hanging_lines, pad, piece, text_piece, wrap_text},
        theme::Ink,
    },
};
use olm_catalog::PackageName;
use olm_check::review::history::{History, HistoryStep};
use olmap_report::history;

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("history", "the history").with_rows();

/// State of the dialog.
#[derive(Debug)]
pub struct HistoryList {
    /// Package of the history.
    pub package: PackageName,
    /// Index of the selected row. The first row is the present, followed by the commits, newest
    /// first.
    pub cursor: usize,
    commit_count: usize,
    /// True after the cursor was moved to the shown commit.
    is_cursor_placed: bool,
}

impl HistoryList {
    /// Opens an empty list.
    pub(in crate::tui) fn new(package: PackageName) -> Self {
        Self { package, cursor: 0, commit_count: 0, is_cursor_placed: false }
    }
}

impl DialogState for HistoryList {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        if press != KeyPress::Action(ActionId::Accept) {
            return DialogStep::Stay;
        }
        match (&cx.session.jobs.git_history.result, self.cursor.checked_sub(1)) {
            (None, _) => return DialogStep::Stay,
            (Some(Err(_)), _) => {}
            (Some(Ok(_)), None) => git_history::end_history(cx),
            (Some(Ok(_)), Some(at)) => git_history::show_requested_commit(cx, at),
        }
        DialogStep::Close
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        if cx.session.jobs.git_history.result.is_none() {
            git_history::stop_reading_history(cx);
        }
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        let count = if self.commit_count == 0 { 0 } else { self.commit_count + 1 };
        Some(RowCursor { count, cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn refresh_state(&mut self, view_cx: &ViewContext<'_>) {
        let Some(Ok(history)) = &view_cx.session.jobs.git_history.result else { return };
        self.commit_count = history.steps.len();
        if !std::mem::replace(&mut self.is_cursor_placed, true) {
            let at =
                view_cx.session.catalogs.past_commit().filter(|past| past.history.package == self.package);
            let commit = at.and_then(|past| past.step()).map(|step| &step.committed.commit);
            let at =
                commit.and_then(|commit| history.steps.iter().position(|s| s.committed.commit == *commit));
            self.cursor = at.map_or_else(|| self.commit_count.min(1), |at| at + 1);
        }
        self.cursor = self.cursor.min(self.commit_count);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let found = view_cx.session.jobs.git_history.result.as_ref().and_then(|found| found.as_ref().ok());
        let rows = found.map_or(0, |found| u16::try_from(found.steps.len()).unwrap_or(u16::MAX));
        let high = area.height.saturating_sub(2).min(30).min(rows.saturating_add(DETAIL_LINES));
        let title = format!("History of {}", self.package);
        let inner = canvas.draw_box(centered(area, 110, high), &title);
        if inner.is_empty() {
            return;
        }
        match &view_cx.session.jobs.git_history.result {
            None => {
                canvas.draw_text(
                    inner.x,
                    inner.y,
                    inner.width,
                    "reading the commits of its files",
                    Ink::Active,
                );
                draw_key_hints(view_cx, DIALOG, canvas, inner, &[(ActionId::Cancel, "stop")]);
            }
            Some(Err(refusal)) => {
                for (y, line) in (inner.y..inner.bottom().saturating_sub(1))
                    .zip(wrap_text(&refusal.to_string(), usize::from(inner.width)))
                {
                    canvas.draw_text(inner.x, y, inner.width, &line, Ink::Error);
                }
                draw_key_hints(view_cx, DIALOG, canvas, inner, &[(ActionId::Cancel, "close")]);
            }
            Some(Ok(found)) => draw_commits(view_cx, self, found, canvas, inner),
        }
    }
}

/// Columns of the author.
const AUTHOR_COLUMNS: usize = 18;
/// Lines of the box besides the commits: details of the selected commit, the present, the frame and
/// the keys.
const DETAIL_LINES: u16 = 16;
/// Below this width the author is omitted.
const MIN_AUTHOR_WIDTH: u16 = 70;

fn draw_commits(
    view_cx: &ViewContext<'_>,
    list: &HistoryList,
    found: &History,
    canvas: &mut Canvas<'_>,
    inner: Rect,
) {
    if found.steps.is_empty() {
        let words = "no commit has this package: it is not committed yet";
        canvas.draw_text(inner.x, inner.y, inner.width, words, Ink::Dim);
        draw_key_hints(view_cx, DIALOG, canvas, inner, &[(ActionId::Cancel, "close")]);
        return;
    }
    let told = list.cursor.checked_sub(1).and_then(|at| found.steps.get(at));
    let columns = usize::from(inner.width);
    let below: Vec<Line> = match told {
        Some(step) => commit_detail_lines(step, columns),
        None => wrap_text(&describe_present(found), columns)
            .into_iter()
            .map(|line| vec![piece(line, Ink::Dim)])
            .collect(),
    };
    // The list has priority. The details get a third, or up to half if they need it.
    let rows = u16::try_from(found.steps.len() + 1).unwrap_or(u16::MAX);
    let room = inner.height.saturating_sub(2);
    let needed = u16::try_from(below.len()).unwrap_or(u16::MAX);
    let lower = needed.min(room.saturating_sub(rows.min(room / 2)));
    let upper = Rect { height: room.saturating_sub(lower), ..inner };
    let ascii = canvas.ascii;
    let short = found.steps.iter().map(|step| display_width(&step.committed.short)).max().unwrap_or_default();
    let author = if inner.width >= MIN_AUTHOR_WIDTH { AUTHOR_COLUMNS } else { 0 };
    canvas.draw_list(upper, &dialog_list(list, view_cx, canvas), |row| match row.checked_sub(1) {
        None => {
            vec![piece(pad("now", short, ascii), Ink::Title), piece("  the files as they are", Ink::Dim)]
        }
        Some(at) => {
            found.steps.get(at).map(|step| commit_row(step, short, author, ascii)).unwrap_or_default()
        }
    });
    canvas.draw_rule(Rect { y: upper.bottom(), height: 1, ..inner });
    let end = inner.bottom().saturating_sub(1);
    for (y, line) in (upper.bottom() + 1..end).zip(&below) {
        canvas.draw_line(Rect { y, height: 1, ..inner }, line);
    }
    let keys = [(ActionId::Accept, if told.is_some() { "show the catalog as of then" } else { "show now" })];
    let keys: Vec<_> = keys.into_iter().chain([(ActionId::Cancel, "close")]).collect();
    draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
}

fn describe_present(found: &History) -> String {
    let mut words = format!(
        "{} changed the package.",
        crate::tui::widgets::text::format_count(found.steps.len(), "commit")
    );
    if found.is_shallow {
        words += " The clone is shallow: what is older is not known.";
    }
    if found.is_cut {
        words += " Older commits are not listed.";
    }
    words
}

fn commit_row(step: &HistoryStep, short: usize, author: usize, ascii: bool) -> Line {
    let by = &step.committed;
    let mut pieces =
        vec![piece(pad(&by.short, short, ascii), Ink::Key), piece(format!("  {}  ", by.date), Ink::Dim)];
    if author > 0 {
        pieces.push(text_piece(format!("{}  ", pad(&fit(&by.author, author, ascii), author, ascii))));
    }
    pieces.push(history::summarize_commit(step));
    pieces
}

/// Returns the commit message and the changes of the commit.
fn commit_detail_lines(step: &HistoryStep, columns: usize) -> Vec<Line> {
    let by = &step.committed;
    let merge = if by.is_merge { " (merge)" } else { "" };
    let message = format!("{}: {}{merge}", by.author, by.subject);
    let mut lines: Vec<Line> =
        wrap_text(&message, columns).into_iter().map(|line| vec![piece(line, Ink::Title)]).collect();
    for item in history::commit_lines(step) {
        let head = piece(format!("{} ", item.mark), item.ink);
        lines.extend(hanging_lines(&[head], &item.text, columns, Ink::Text));
    }
    lines
}
