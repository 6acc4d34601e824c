//! Choosing the channels a bundle is put into, and its edges in each.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::app::{
    ask::{Ask, Asked, Purpose},
    edit_flow,
    keys::Key,
    model::Model,
    overlay::{Overlay, Promote, PromoteTarget},
};

pub(super) fn key(model: &mut Model, mut promote: Box<Promote>, key: Key) -> Then {
    // The last row is for a channel that is not there.
    let last = promote.targets.len();
    let asks = promote.cursor == last;
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Char(' ') if asks => return ask_name(model, promote),
        KeyCode::Enter if asks && promote.preview.is_none() => return ask_name(model, promote),
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
            promote.cursor = (promote.cursor + 1).min(last.saturating_sub(1));
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

fn ask_name(model: &Model, promote: Box<Promote>) -> Then {
    let taken = promote.targets.iter().filter(|target| target.is_new);
    let taken = taken.map(|target| target.channel.clone()).collect();
    let asked = Asked::PromoteTo { bundle: promote.bundle.clone(), taken };
    let question = Ask::new(model, Purpose::Edit, promote.package.clone(), asked, String::new());
    Then::Above(Overlay::Promote(promote), Overlay::Ask(Box::new(question)))
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
