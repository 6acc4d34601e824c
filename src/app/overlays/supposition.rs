//! Asking what is to be supposed.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::Then;
use crate::app::{edit_flow, keys::Key, model::Model, overlay::Overlay, supposition::Supposition, what_if};

pub(super) fn key(model: &mut Model, mut question: Box<Supposition>, key: Key) -> Then {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => {
            let Some(Ok(outcome)) = &question.preview else {
                return Then::Stay(Overlay::Supposition(question));
            };
            let edit = outcome.edit.clone();
            what_if::suppose_at_once(model, edit);
            return Then::Close;
        }
        KeyCode::Tab => question.complete(),
        KeyCode::Char(' ' | 'n') if control => question.complete(),
        _ => {
            if !edit_flow::type_into(&mut question.input, key) {
                return Then::Stay(Overlay::Supposition(question));
            }
        }
    }
    question.refresh(model);
    Then::Stay(Overlay::Supposition(question))
}
