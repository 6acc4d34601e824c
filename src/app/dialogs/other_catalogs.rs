//! Choosing the catalogs in which the last edit is made as well.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::{
    dialogs::{other_catalogs_state::Elsewhere, state::Overlay},
    keys::{ActionId, Dialog},
    shell::model::Model,
};

pub(in crate::app) fn key(model: &mut Model, mut elsewhere: Box<Elsewhere>, press: Press) -> Then {
    let last = elsewhere.rows.len().saturating_sub(1);
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Accept) if elsewhere.rows.iter().any(|there| there.chosen) => {
            let title = elsewhere.edit.edit.title();
            let made = elsewhere.make(model);
            let catalogs =
                if made == 1 { "1 other catalog".to_owned() } else { format!("{made} other catalogs") };
            let save = model.key(ActionId::Review);
            let words = format!("in {catalogs} too: {title}   ({save} saves all)");
            model.notices.done(words);
            return Then::Close;
        }
        Press::Action(ActionId::Accept) => {
            let choose = model.keymap.label(Dialog::Elsewhere, ActionId::Choose);
            let words = format!("no catalog is chosen: {choose} chooses one");
            model.notices.refused(words);
        }
        Press::Action(ActionId::Choose) => {
            if let Some(there) = elsewhere.rows.get_mut(elsewhere.cursor) {
                match &there.outcome {
                    Ok(_) => there.chosen = !there.chosen,
                    Err(reason) => model.notices.refused(format!("{}: {reason}", there.label)),
                }
            }
            elsewhere.cursor = (elsewhere.cursor + 1).min(last);
        }
        _ => {
            moves(&mut elsewhere.cursor, last + 1, page(model), press);
        }
    }
    Then::Stay(Overlay::Elsewhere(elsewhere))
}
