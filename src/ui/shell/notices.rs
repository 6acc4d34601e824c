//! Persistent notices drawn over the screen.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::OpenDialog,
    keys::ActionId,
    parts::{
        hit::Hit,
        notice::{About, Notice, Tone},
    },
};
use crate::ui::{
    canvas::{Canvas, Pieces, piece, wrap},
    parts::notice::mark,
    theme::Role,
};

/// Maximum number of notices over the screen; the log has the others.
const MOST: usize = 3;

/// Minimum screen height for the notice box.
const LEAST: u16 = 12;

/// Maximum number of lines per notice.
const LINES: usize = 4;

/// Draws persistent notices at the lower right, above the hint bar. Only the dismiss key affects
/// them.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let standing = &model.notices.standing;
    let Some((_, last)) = standing.last() else { return };
    let filters = matches!(model.dialogs.last(), Some(OpenDialog::Filter(_)));
    let in_dialog = !model.dialogs.is_empty() && !filters;
    if in_dialog || area.height < LEAST {
        // A dialog needs its room, so one line shows that there are notices. A transient notice has
        // priority.
        if !filters && model.notices.passing.is_none() {
            line(canvas, area, standing.len(), last);
        }
        return;
    }
    let columns = area.width.saturating_sub(2).min(70);
    let room = usize::from(columns.saturating_sub(4));
    let hidden = standing.len().saturating_sub(MOST);
    let shown = standing.iter().skip(hidden);
    let mut lines: Vec<(String, Role)> = Vec::new();
    for (_, notice) in shown {
        let role = mark(notice.tone, canvas).1;
        let mut wrapped = wrap(&notice.words(), room);
        if wrapped.len() > LINES {
            wrapped.truncate(LINES);
            if let Some(last) = wrapped.last_mut() {
                last.push_str(canvas.either(" …", " ~"));
            }
        }
        lines.extend(wrapped.into_iter().map(|line| (line, role)));
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
    let title = match standing.iter().filter(|(_, notice)| notice.tone == Tone::Failed).count() {
        0 if standing.iter().all(|(about, _)| *about == About::Disk) => "Changed on disk".to_owned(),
        0 => "Warning".to_owned(),
        1 => "Something went wrong".to_owned(),
        n => format!("{n} things went wrong"),
    };
    let inner = canvas.boxed(place, &title);
    for (y, (line, role)) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.put(inner.x, y, inner.width, line, *role);
    }
    canvas.line(Rect { y: inner.bottom() - 1, height: 1, ..inner }, &way_out(model));
    canvas.hit(place, Hit::Toast);
}

fn way_out(model: &Model) -> Pieces {
    vec![
        piece(model.key(ActionId::Back), Role::Key),
        piece(" dismisses  ", Role::Dim),
        piece(model.key(ActionId::ShowLog), Role::Key),
        piece(" all messages", Role::Dim),
    ]
}

/// Draws one line at the bottom if there is no room for the box.
fn line(canvas: &mut Canvas<'_>, area: Rect, count: usize, last: &Notice) {
    let row = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
    let (mark, role) = mark(last.tone, canvas);
    let more = if count > 1 { format!("(+{}) ", count - 1) } else { String::new() };
    canvas.clear(row);
    canvas.line(
        Rect { x: area.x + 1, width: area.width.saturating_sub(1), ..row },
        &[piece(mark, role), piece(more, role), piece(last.words(), role)],
    );
    canvas.hit(row, Hit::Toast);
}
