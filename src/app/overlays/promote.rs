//! Choosing the channels a bundle is put into, and its edges in each.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{
    edit_flow,
    keys::Key,
    model::Model,
    overlay::{Overlay, Promote, PromoteTarget},
};

pub(super) fn key(model: &mut Model, mut promote: Box<Promote>, key: Key) -> Then {
    let last = promote.targets.len().saturating_sub(1);
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter => {
            if promote.preview.is_none() {
                choose(model, &mut promote);
            }
            if let Some(Ok(outcome)) = promote.preview.clone() {
                edit_flow::accept(model, &outcome);
                return Then::Close;
            }
        }
        KeyCode::Char(' ') => {
            choose(model, &mut promote);
            promote.cursor = (promote.cursor + 1).min(last);
        }
        KeyCode::Char('s') => wish(model, &mut promote, |target| {
            target.wish.instead = !target.wish.instead && target.has_instead();
        }),
        KeyCode::Char('r') => wish(model, &mut promote, |target| {
            target.wish.range = !target.wish.range && target.has_range();
        }),
        KeyCode::Char('j') => promote.cursor = (promote.cursor + 1).min(last),
        KeyCode::Char('k') => promote.cursor = promote.cursor.saturating_sub(1),
        _ => {
            moves(&mut promote.cursor, last + 1, page(model), key);
        }
    }
    Then::Stay(Overlay::Promote(promote))
}

/// Chooses the channel under the cursor, or no longer; says why it cannot be chosen.
fn choose(model: &mut Model, promote: &mut Promote) {
    let Some(target) = promote.targets.get_mut(promote.cursor) else { return };
    match &target.offer {
        Err(refusal) => {
            let text = format!("{} {}: {refusal}", promote.bundle, target.channel);
            model.notices.failed(text);
        }
        Ok(_) => target.chosen = !target.chosen,
    }
    edit_flow::refresh_promote(model, promote);
}

/// Other edges in the channel under the cursor, which is chosen by that.
fn wish(model: &mut Model, promote: &mut Promote, change: impl Fn(&mut PromoteTarget)) {
    let Some(target) = promote.targets.get_mut(promote.cursor) else { return };
    let before = target.wish;
    change(target);
    if target.wish == before {
        model.notices.failed(format!("the head of {} has nothing of the kind to take over", target.channel));
    } else {
        target.chosen = true;
        edit_flow::refresh_promote(model, promote);
    }
}
