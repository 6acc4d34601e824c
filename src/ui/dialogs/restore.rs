//! Edits from before a crash.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::restore::Restore,
    keys::{ActionId, Dialog},
    session::open::labels,
};
use crate::ui::{
    canvas::{Canvas, Pieces, piece, text, wrap},
    parts::boxes::{QUESTION, question},
    text::plural,
    theme::Role,
};

/// Asks whether they shall be made again.
pub(in crate::ui) fn draw(model: &Model, asked: &Restore, canvas: &mut Canvas<'_>, area: Rect) {
    let left_over = &asked.left_over;
    let columns = usize::from(QUESTION.min(area.width).saturating_sub(4));
    let opening = wrap(&opening(model, asked), columns).into_iter();
    let mut lines: Vec<Pieces> = opening.map(|line| vec![piece(line, Role::Warning)]).collect();
    let most = usize::from(area.height).saturating_sub(8).max(1);
    let hidden = left_over.edits.len().saturating_sub(most);
    for edit in left_over.edits.iter().take(most) {
        lines.push(vec![text(format!("  {}", edit.edit.title()))]);
    }
    if hidden > 0 {
        lines.push(vec![piece(format!("  and {hidden} more"), Role::Dim)]);
    }
    let keys =
        [(ActionId::Accept, "restore"), (ActionId::ForgetEdits, "discard"), (ActionId::Cancel, "later")];
    question(model, Dialog::Restore, "Recovered edits", &lines, &keys, canvas, area);
}

fn opening(model: &Model, asked: &Restore) -> String {
    let left_over = &asked.left_over;
    let open = &model.session.open;
    // Several may be asked about, one after the other.
    let label = labels(open).into_iter().nth(asked.catalog).filter(|_| open.len() > 1);
    let catalog = label.unwrap_or_else(|| "this catalog".to_owned());
    let edits = plural(left_over.edits.len(), "edit");
    let verb = if left_over.edits.len() == 1 { "was" } else { "were" };
    format!("{edits} of {catalog} {verb} not saved when olmap ended, {} ago:", ago(left_over.age))
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
