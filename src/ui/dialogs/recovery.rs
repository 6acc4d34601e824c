//! Edits that could be made again, and those that could not.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::recovery::{Conflicts, Question},
    keys::{ActionId, Dialog},
    parts::list::ListId,
    work::outcome::LeftOver,
};
use crate::ui::{
    canvas::{Canvas, Pieces, piece, text, wrap},
    dialogs::{centred, way_out},
    screens::catalog::list_view,
    shell::frame::plural,
    theme::Role,
};

/// Asks.
pub(in crate::ui) fn question(
    model: &Model,
    dialog: Dialog,
    question: &Question,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let wide = 76.min(area.width);
    let columns = usize::from(wide.saturating_sub(4));
    let mut lines: Vec<Pieces> = Vec::new();
    let mut say = |words: &str, role: Role| {
        lines.extend(wrap(words, columns).into_iter().map(|line| vec![piece(line, role)]));
    };
    let title = match question {
        Question::ChangedOnDisk { message } => {
            say(&format!("{message}."), Role::Warning);
            say(
                "Nothing was written. Read it again, and your edits are made again on top of it.",
                Role::Text,
            );
            "Not saved"
        }
        Question::Restore { left_over, .. } => {
            say(&opening(left_over), Role::Warning);
            let most = usize::from(area.height).saturating_sub(8).max(1);
            let hidden = left_over.edits.len().saturating_sub(most);
            for edit in left_over.edits.iter().take(most) {
                lines.push(vec![text(format!("  {}", edit.edit.title()))]);
            }
            if hidden > 0 {
                lines.push(vec![piece(format!("  and {hidden} more"), Role::Dim)]);
            }
            "Edits from before"
        }
    };
    let keys: &[(ActionId, &str)] = match question {
        Question::ChangedOnDisk { .. } => {
            &[(ActionId::Accept, "read again"), (ActionId::Cancel, "leave all as it is")]
        }
        Question::Restore { .. } => &[
            (ActionId::Accept, "make them again"),
            (ActionId::ForgetEdits, "forget them"),
            (ActionId::Cancel, "later"),
        ],
    };
    let high = u16::try_from(lines.len() + 4).unwrap_or(area.height);
    let inner = canvas.boxed(centred(area, wide, high), title);
    for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.line(Rect { y, height: 1, ..inner }, line);
    }
    way_out(model, dialog, canvas, inner, keys);
}

/// Tells which edits could not be made again, and why the selected one could not.
pub(in crate::ui) fn conflicts(model: &Model, conflicts: &Conflicts, canvas: &mut Canvas<'_>, area: Rect) {
    let wide = 90.min(area.width);
    let columns = usize::from(wide.saturating_sub(4));
    let reason =
        conflicts.refused.get(conflicts.cursor).map(|(_, why)| wrap(why, columns)).unwrap_or_default();
    let rows = u16::try_from(conflicts.refused.len()).unwrap_or(u16::MAX);
    let below = u16::try_from(reason.len()).unwrap_or(u16::MAX);
    let high = rows.saturating_add(below).saturating_add(6);
    let title = format!("{} not made again", plural(conflicts.refused.len(), "edit"));
    let inner = canvas.boxed(centred(area, wide, high), &title);
    if inner.height < 4 {
        return;
    }
    let made = match conflicts.made {
        0 => "None of the edits could be made again:".to_owned(),
        made => format!("{} made again, but not:", plural(made, "edit")),
    };
    canvas.put(inner.x, inner.y, inner.width, &made, Role::Warning);
    let room = inner.height - 2;
    let list = Rect { y: inner.y + 1, height: rows.min(room.saturating_sub(below + 1).max(1)), ..inner };
    canvas.list(list, &list_view(model, ListId::Overlay), |row| {
        conflicts.refused.get(row).map(|(title, _)| vec![text(title.clone())]).unwrap_or_default()
    });
    canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom() - 1).zip(reason) {
        canvas.put(inner.x, y, inner.width, &line, Role::Error);
    }
    let keys = [(ActionId::RowUp, ""), (ActionId::RowDown, "previous, next"), (ActionId::Cancel, "closes")];
    way_out(model, Dialog::Conflicts, canvas, inner, &keys);
}

fn opening(left_over: &LeftOver) -> String {
    let edits = plural(left_over.edits.len(), "edit");
    let verb = if left_over.edits.len() == 1 { "was" } else { "were" };
    format!("{edits} of this catalog {verb} not saved when olmap ended, {} ago:", ago(left_over.age))
}

/// A duration in its largest unit.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86400 => (seconds / 3600, "hour"),
        _ => (seconds / 86400, "day"),
    };
    plural(usize::try_from(number).unwrap_or(usize::MAX), unit)
}
