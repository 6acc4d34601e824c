//! Choosing from a few things.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{
    keys::Key,
    model::Model,
    overlay::{Overlay, Pick, PickPurpose},
};

pub(super) fn key(model: &mut Model, mut pick: Pick, key: Key) -> Then {
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Char(' ') if pick.several => {
            if let Some((_, chosen)) = pick.items.get_mut(pick.cursor) {
                *chosen = !*chosen;
            }
        }
        KeyCode::Enter => {
            let several = pick.several;
            let chosen = pick
                .items
                .iter()
                .enumerate()
                .filter(|(row, (_, chosen))| if several { *chosen } else { *row == pick.cursor });
            let names: Vec<_> = chosen.map(|(_, (name, _))| name.as_str().into()).collect();
            match pick.purpose {
                PickPurpose::Subscribed => model.subscribed = names.into_iter().next(),
                PickPurpose::V1Channels => model.query.channels = names,
            }
            return Then::Close;
        }
        KeyCode::Char('j') => pick.cursor = (pick.cursor + 1).min(pick.items.len().saturating_sub(1)),
        KeyCode::Char('k') => pick.cursor = pick.cursor.saturating_sub(1),
        _ => {
            let rows = pick.items.len();
            moves(&mut pick.cursor, rows, page(model), key);
        }
    }
    Then::Stay(Overlay::Pick(pick))
}
