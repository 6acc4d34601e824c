//! Answering whether edits shall be made again, and reading which could not.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{
    action,
    keys::Key,
    model::Model,
    msg::Effect,
    overlay::Overlay,
    recovery::{self, Conflicts, Question},
    update,
};

pub(super) fn answer(model: &mut Model, question: Question, key: Key) -> Then {
    match (question, key.code) {
        (Question::ChangedOnDisk { .. }, KeyCode::Enter) => match action::find(action::ActionId::Reload) {
            Some(spec) => Then::Do(update::perform(model, spec)),
            None => Then::Close,
        },
        (Question::ChangedOnDisk { .. }, KeyCode::Esc) => Then::Close,
        (Question::Restore { catalog, left_over }, KeyCode::Enter) => {
            Then::Do(recovery::restore(model, catalog, left_over))
        }
        (Question::Restore { left_over, .. }, KeyCode::Char('d')) => {
            model.notices.done("the edits from before are forgotten");
            Then::Do(vec![Effect::Forget { journal: left_over.journal }])
        }
        (Question::Restore { .. }, KeyCode::Esc) => {
            model.notices.done("the edits from before are kept: they are offered again at the next start");
            Then::Close
        }
        (question, _) => Then::Stay(Overlay::Question(question)),
    }
}

pub(super) fn read(model: &Model, mut conflicts: Conflicts, key: Key) -> Then {
    match key.code {
        KeyCode::Esc | KeyCode::Enter => return Then::Close,
        KeyCode::Char('j') => {
            conflicts.cursor = (conflicts.cursor + 1).min(conflicts.refused.len().saturating_sub(1));
        }
        KeyCode::Char('k') => conflicts.cursor = conflicts.cursor.saturating_sub(1),
        _ => {
            moves(&mut conflicts.cursor, conflicts.refused.len(), page(model), key);
        }
    }
    Then::Stay(Overlay::Conflicts(conflicts))
}
