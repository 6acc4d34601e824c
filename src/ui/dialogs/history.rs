//! History of a package: one row per commit, and the changes of the selected one.

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        dialogs::history::HistoryList,
        keys::{ActionId, Dialog},
        parts::list::ListId,
    },
    ui::{
        canvas::{Canvas, Pieces, display_width, fit, pad, piece, text_piece, wrap_text},
        parts::{
            boxes::{centered, draw_key_hints},
            lists::list_view,
        },
        theme::Role,
    },
};
use olm_check::review::history::{History, HistoryStep};
use olmap_report::{Ink, history};

/// Columns of the author.
const AUTHOR_COLUMNS: usize = 18;
/// Lines of the box besides the commits: details of the selected commit, the present, the frame and
/// the keys.
const DETAIL_LINES: u16 = 16;
/// Below this width the author is omitted.
const MIN_AUTHOR_WIDTH: u16 = 70;

/// Draws the history.
pub(in crate::ui) fn draw_history(model: &Model, list: &HistoryList, canvas: &mut Canvas<'_>, area: Rect) {
    let found = model.session.git_history.result.as_ref().and_then(|found| found.as_ref().ok());
    let rows = found.map_or(0, |found| u16::try_from(found.steps.len()).unwrap_or(u16::MAX));
    let high = area.height.saturating_sub(2).min(30).min(rows.saturating_add(DETAIL_LINES));
    let title = format!("History of {}", list.package);
    let inner = canvas.draw_box(centered(area, 110, high), &title);
    if inner.is_empty() {
        return;
    }
    match &model.session.git_history.result {
        None => {
            canvas.draw_text(inner.x, inner.y, inner.width, "reading the commits of its files", Role::Active);
            draw_key_hints(model, Dialog::History, canvas, inner, &[(ActionId::Cancel, "stops")]);
        }
        Some(Err(refusal)) => {
            for (y, line) in (inner.y..inner.bottom().saturating_sub(1))
                .zip(wrap_text(&refusal.to_string(), usize::from(inner.width)))
            {
                canvas.draw_text(inner.x, y, inner.width, &line, Role::Error);
            }
            draw_key_hints(model, Dialog::History, canvas, inner, &[(ActionId::Cancel, "closes")]);
        }
        Some(Ok(found)) => draw_commits(model, list, found, canvas, inner),
    }
}

fn draw_commits(model: &Model, list: &HistoryList, found: &History, canvas: &mut Canvas<'_>, inner: Rect) {
    if found.steps.is_empty() {
        let words = "no commit has this package: it is not committed yet";
        canvas.draw_text(inner.x, inner.y, inner.width, words, Role::Dim);
        draw_key_hints(model, Dialog::History, canvas, inner, &[(ActionId::Cancel, "closes")]);
        return;
    }
    let told = list.cursor.checked_sub(1).and_then(|at| found.steps.get(at));
    let columns = usize::from(inner.width);
    let below: Vec<Pieces> = match told {
        Some(step) => commit_detail_lines(step, columns),
        None => wrap_text(&describe_present(found), columns)
            .into_iter()
            .map(|line| vec![piece(line, Role::Dim)])
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
    canvas.draw_list(upper, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        match row.checked_sub(1) {
            None => {
                vec![
                    piece(pad("now", short, ascii), Role::Title),
                    piece("  the files as they are", Role::Dim),
                ]
            }
            Some(at) => {
                found.steps.get(at).map(|step| commit_row(step, short, author, ascii)).unwrap_or_default()
            }
        }
    });
    canvas.draw_rule(Rect { y: upper.bottom(), height: 1, ..inner });
    let end = inner.bottom().saturating_sub(1);
    for (y, line) in (upper.bottom() + 1..end).zip(&below) {
        canvas.draw_line(Rect { y, height: 1, ..inner }, line);
    }
    let keys =
        [(ActionId::Accept, if told.is_some() { "shows the catalog as of then" } else { "shows now" })];
    let keys: Vec<_> = keys.into_iter().chain([(ActionId::Cancel, "closes")]).collect();
    draw_key_hints(model, Dialog::History, canvas, inner, &keys);
}

fn describe_present(found: &History) -> String {
    let mut words =
        format!("{} changed the package.", crate::ui::text::format_count(found.steps.len(), "commit"));
    if found.is_shallow {
        words += " The clone is shallow: what is older is not known.";
    }
    if found.is_cut {
        words += " Older commits are not listed.";
    }
    words
}

fn commit_row(step: &HistoryStep, short: usize, author: usize, ascii: bool) -> Pieces {
    let by = &step.committed;
    let (ink, did) = history::summarize_commit(step);
    let mut pieces =
        vec![piece(pad(&by.short, short, ascii), Role::Key), piece(format!("  {}  ", by.date), Role::Dim)];
    if author > 0 {
        pieces.push(text_piece(format!("{}  ", pad(&fit(&by.author, author, ascii), author, ascii))));
    }
    pieces.push(piece(did, ink_role(ink)));
    pieces
}

/// Returns the commit message and the changes of the commit.
fn commit_detail_lines(step: &HistoryStep, columns: usize) -> Vec<Pieces> {
    let by = &step.committed;
    let merge = if by.is_merge { " (merge)" } else { "" };
    let message = format!("{}: {}{merge}", by.author, by.subject);
    let mut lines: Vec<Pieces> =
        wrap_text(&message, columns).into_iter().map(|line| vec![piece(line, Role::Title)]).collect();
    for line in history::commit_lines(step) {
        let indent = display_width(line.head) + 1;
        for (at, words) in wrap_text(&line.words, columns.saturating_sub(indent)).into_iter().enumerate() {
            let head = if at == 0 { format!("{} ", line.head) } else { " ".repeat(indent) };
            lines.push(vec![piece(head, ink_role(line.ink)), text_piece(words)]);
        }
    }
    lines
}

fn ink_role(ink: Ink) -> Role {
    match ink {
        Ink::Error => Role::Error,
        Ink::Warning => Role::Warning,
        Ink::Good => Role::Good,
        Ink::Dim => Role::Dim,
        Ink::Note | Ink::Bold | Ink::Text => Role::Text,
    }
}
