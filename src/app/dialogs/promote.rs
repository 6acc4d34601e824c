//! Choosing the channels a bundle is put into, and its edges in each.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::app::shell::keeping;
use crate::app::{
    dialogs::{
        ask::Ask,
        state::{Overlay, Promote, PromoteTarget},
    },
    keys::ActionId,
    shell::model::Model,
    work::opening::{Asked, Purpose},
};

pub(in crate::app) fn key(model: &mut Model, mut promote: Box<Promote>, press: Press) -> Then {
    // The last row is for a channel that is not there.
    let last = promote.targets.len();
    let asks = promote.cursor == last;
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Choose) if asks => return ask_name(model, promote),
        Press::Action(ActionId::Accept) if asks && promote.preview.is_none() => {
            return ask_name(model, promote);
        }
        Press::Action(ActionId::Accept) => {
            if promote.preview.is_none() {
                choose(model, &mut promote);
            }
            if let Some(Ok(outcome)) = promote.preview.clone() {
                keeping::accept(model, &outcome);
                return Then::Close;
            }
        }
        Press::Action(ActionId::Choose) => {
            choose(model, &mut promote);
            promote.cursor = (promote.cursor + 1).min(last.saturating_sub(1));
        }
        Press::Action(ActionId::PromoteSkips) => wish(model, &mut promote, |target| {
            target.wish.instead = !target.wish.instead && target.has_instead();
        }),
        Press::Action(ActionId::PromoteRange) => wish(model, &mut promote, |target| {
            target.wish.range = !target.wish.range && target.has_range();
        }),
        _ => {
            moves(&mut promote.cursor, last + 1, page(model), press);
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
            model.notices.refused(text);
        }
        Ok(_) => target.chosen = !target.chosen,
    }
    crate::app::dialogs::promote::refresh_promote(model, promote);
}

/// Other edges in the channel under the cursor, which is chosen by that.
fn wish(model: &mut Model, promote: &mut Promote, change: impl Fn(&mut PromoteTarget)) {
    let Some(target) = promote.targets.get_mut(promote.cursor) else { return };
    let before = target.wish;
    change(target);
    if target.wish == before {
        model.notices.refused(format!("the head of {} has nothing of the kind to take over", target.channel));
    } else {
        target.chosen = true;
        crate::app::dialogs::promote::refresh_promote(model, promote);
    }
}

/// Works out what promoting to the chosen channels would lead to.
pub(in crate::app) fn refresh_promote(model: &Model, promote: &mut Promote) {
    promote.preview = promote.edit().map(|edit| model.session.preview(edit));
}
