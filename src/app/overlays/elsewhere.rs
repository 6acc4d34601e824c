//! Choosing the catalogs in which the last edit is made as well.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{action::ActionId, elsewhere::Elsewhere, keys::Key, model::Model, overlay::Overlay};

pub(super) fn key(model: &mut Model, mut elsewhere: Box<Elsewhere>, key: Key) -> Then {
    let last = elsewhere.rows.len().saturating_sub(1);
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter if elsewhere.rows.iter().any(|there| there.chosen) => {
            let title = elsewhere.edit.edit.title();
            let made = elsewhere.make(model);
            let catalogs =
                if made == 1 { "1 other catalog".to_owned() } else { format!("{made} other catalogs") };
            let save = model.key(ActionId::Review);
            let words = format!("in {catalogs} too: {title}   ({save} saves all)");
            model.notices.done(words);
            return Then::Close;
        }
        KeyCode::Enter => model.notices.failed("no catalog is chosen: space chooses one"),
        KeyCode::Char(' ') => {
            if let Some(there) = elsewhere.rows.get_mut(elsewhere.cursor) {
                match &there.outcome {
                    Ok(_) => there.chosen = !there.chosen,
                    Err(reason) => model.notices.failed(format!("{}: {reason}", there.label)),
                }
            }
            elsewhere.cursor = (elsewhere.cursor + 1).min(last);
        }
        KeyCode::Char('j') => elsewhere.cursor = (elsewhere.cursor + 1).min(last),
        KeyCode::Char('k') => elsewhere.cursor = elsewhere.cursor.saturating_sub(1),
        _ => {
            moves(&mut elsewhere.cursor, last + 1, page(model), key);
        }
    }
    Then::Stay(Overlay::Elsewhere(elsewhere))
}
