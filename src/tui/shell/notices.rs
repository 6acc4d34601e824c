//! Persistent notices drawn over the screen.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::filter,
    keys::ActionId,
    parts::{
        frame::Hit,
        notice::{Notice, NoticeKind, NoticeTopic},
    },
    shell::model::Model,
    widgets::{
        canvas::{Canvas, Line, piece, wrap_text},
        lists::notice_mark,
        theme::Ink,
    },
    work::ProgramChoice,
};

/// Maximum number of notices over the screen; the log has the others.
const MAX_NOTICES: usize = 3;

/// Minimum screen height for the notice box.
const MIN_ROWS: u16 = 12;

/// Maximum number of lines per notice.
const MAX_LINES: usize = 4;

/// Draws persistent notices at the lower right, above the hint bar. Only the dismiss key affects
/// them.
pub fn draw_notices(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let standing = &model.notices.persistent;
    let Some((_, last)) = standing.last() else { return };
    let filters = model.dialogs.last().is_some_and(|dialog| dialog.id() == filter::DIALOG);
    let in_dialog = !model.dialogs.is_empty() && !filters;
    if in_dialog || area.height < MIN_ROWS {
        // A dialog needs its room, so one line shows that there are notices. A transient notice has
        // priority.
        if !filters && model.notices.transient.is_none() {
            draw_notice_line(canvas, area, standing.len(), last);
        }
        return;
    }
    let columns = area.width.saturating_sub(2).min(70);
    let room = usize::from(columns.saturating_sub(4));
    let hidden = standing.len().saturating_sub(MAX_NOTICES);
    let shown = standing.iter().skip(hidden);
    let mut lines: Vec<(String, Ink)> = Vec::new();
    for (_, notice) in shown {
        let ink = notice_mark(notice.kind, canvas).1;
        let mut wrapped = wrap_text(&notice.display_text(), room);
        if wrapped.len() > MAX_LINES {
            wrapped.truncate(MAX_LINES);
            if let Some(last) = wrapped.last_mut() {
                last.push_str(canvas.unicode_or_ascii(" …", " ~"));
            }
        }
        lines.extend(wrapped.into_iter().map(|line| (line, ink)));
    }
    let most = usize::from(area.height.saturating_sub(6));
    lines.truncate(most);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(3);
    let place = Rect {
        x: area.right().saturating_sub(columns + 1),
        y: area.bottom().saturating_sub(height + 1),
        width: columns,
        height,
    };
    let title = match standing.iter().filter(|(_, notice)| notice.kind == NoticeKind::Failed).count() {
        0 if standing.iter().all(|(about, _)| *about == NoticeTopic::Disk) => "Changed on disk".to_owned(),
        0 => "Warning".to_owned(),
        1 => "Something went wrong".to_owned(),
        n => format!("{n} things went wrong"),
    };
    let inner = canvas.draw_box(place, &title);
    for (y, (line, ink)) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.draw_text(inner.x, y, inner.width, line, *ink);
    }
    canvas.draw_line(Rect { y: inner.bottom() - 1, height: 1, ..inner }, &dismiss_hint(model));
    canvas.add_hit(place, Hit::Toast);
}

fn dismiss_hint(model: &Model) -> Line {
    vec![
        piece(model.key_label(ActionId::Back), Ink::Key),
        piece(" dismisses  ", Ink::Dim),
        piece(model.program_keys(ProgramChoice::Messages), Ink::Key),
        piece(" all messages", Ink::Dim),
    ]
}

/// Draws one line at the bottom if there is no room for the box.
fn draw_notice_line(canvas: &mut Canvas<'_>, area: Rect, count: usize, last: &Notice) {
    let row = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
    let (mark, ink) = notice_mark(last.kind, canvas);
    let more = if count > 1 { format!("(+{}) ", count - 1) } else { String::new() };
    canvas.clear(row);
    canvas.draw_line(
        Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..row },
        &[piece(mark, ink), piece(more, ink), piece(last.display_text(), ink)],
    );
    canvas.add_hit(row, Hit::Toast);
}
