//! Asking before a catalog is written that opm refuses.

use ratatui::crossterm::event::KeyCode;

use super::Then;
use crate::app::{
    actions,
    keys::Key,
    model::Model,
    overlay::{Overlay, Refused, Writing},
};

pub(super) fn key(model: &mut Model, refused: Refused, key: Key) -> Then {
    match key.code {
        KeyCode::Char('w') => Then::Do(match refused.writing {
            Writing::InPlace => actions::write_in_place(model),
            Writing::Elsewhere => actions::ask_where(model),
        }),
        KeyCode::Esc | KeyCode::Char('q') => Then::Close,
        _ => Then::Stay(Overlay::Refused(refused)),
    }
}
