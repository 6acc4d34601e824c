//! Asking for a line of text.

use crate::app::dialogs::{Press, Then};
use crate::app::shell::keeping;
use crate::{
    app::{
        actions,
        dialogs::{ask::Ask, entry::EntryForm, state::Overlay},
        keys::ActionId,
        parts::field,
        shell::model::Model,
        work::opening::Asked,
    },
    catalog::ChannelName,
    edit::Edit,
};

pub(in crate::app) fn key(model: &mut Model, mut question: Box<Ask>, press: Press) -> Then {
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Accept) => return answered(model, question),
        Press::Action(ActionId::Complete) => question.complete(),
        _ => {
            if !field::type_into(&mut question.input, press) {
                return Then::Stay(Overlay::Ask(question));
            }
        }
    }
    question.refresh(model);
    Then::Stay(Overlay::Ask(question))
}

fn answered(model: &mut Model, question: Box<Ask>) -> Then {
    let stays = |question| Then::Stay(Overlay::Ask(question));
    if question.remark.is_err() {
        return stays(question);
    }
    if question.asked == Asked::NewChannel {
        let name = ChannelName::from(question.typed());
        return Then::Stay(actions::new_channel_ways(model, question.package, &name));
    }
    let Some(Ok(outcome)) = &question.preview else { return stays(question) };
    match (&question.asked, &outcome.edit) {
        (Asked::NewEntry(_), Edit::AddEntry { package, channel, entry, spec }) => {
            let mut form = EntryForm::adding(package.clone(), channel.clone(), entry.clone(), spec.clone());
            crate::app::dialogs::entry::refresh_form(model, &mut form);
            return Then::Stay(Overlay::Entry(Box::new(form)));
        }
        (Asked::PromoteTo { .. }, Edit::AddChannel { channel, .. }) => {
            // The dialog that asks is below.
            if let Some(Overlay::Promote(mut promote)) = model.overlays.pop() {
                promote.add_new(channel.clone());
                crate::app::dialogs::promote::refresh_promote(model, &mut promote);
                return Then::Stay(Overlay::Promote(promote));
            }
        }
        _ => return Then::Do(keeping::keep(model, question.purpose, outcome)),
    }
    Then::Close
}
