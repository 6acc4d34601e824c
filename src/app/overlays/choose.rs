//! Choosing one of a few ways.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{choose::Choose, edit_flow, keys::Key, model::Model, overlay::Overlay};

pub(super) fn key(model: &mut Model, mut choice: Box<Choose>, key: Key) -> Then {
    let last = choice.ways.len().saturating_sub(1);
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => {
            if let Some(question) = choice.question(model) {
                return Then::Stay(Overlay::Ask(Box::new(question)));
            }
            let Some(Ok(outcome)) = choice.preview.clone() else {
                return Then::Stay(Overlay::Choose(choice));
            };
            edit_flow::keep(model, choice.purpose, &outcome);
            return Then::Close;
        }
        KeyCode::Char('j') => choice.cursor = choice.cursor.saturating_add(1).min(last),
        KeyCode::Char('k') => choice.cursor = choice.cursor.saturating_sub(1),
        _ => {
            moves(&mut choice.cursor, last + 1, page(model), key);
        }
    }
    Then::Stay(Overlay::Choose(choice))
}
