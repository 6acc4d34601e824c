//! Choosing from a few things.

use crate::app::dialogs::{Press, Then, moves, page};
use crate::{
    app::{
        dialogs::state::{Overlay, Pick},
        keys::ActionId,
        parts::field,
        shell::model::Model,
        work::opening::PickPurpose,
    },
    catalog::BundleName,
};

pub(in crate::app) fn key(model: &mut Model, mut pick: Pick, press: Press) -> Then {
    let rows = pick.left().count();
    match press {
        Press::Action(ActionId::Cancel) => return Then::Close,
        Press::Action(ActionId::Accept) if rows > 0 => {
            take(model, &pick);
            return Then::Close;
        }
        _ if moves(&mut pick.cursor, rows, page(model), press) => {}
        _ if pick.input.is_some() => {
            if let Some(input) = &mut pick.input
                && field::type_into(input, press)
            {
                pick.cursor = 0;
            }
        }
        Press::Action(ActionId::Choose) if pick.several => {
            if let Some((_, chosen)) = pick.items.get_mut(pick.cursor) {
                *chosen = !*chosen;
            }
        }
        _ => {}
    }
    Then::Stay(Overlay::Pick(pick))
}

/// Makes the choice count.
fn take(model: &mut Model, pick: &Pick) {
    let under_cursor = pick.left().nth(pick.cursor);
    let chosen: Vec<(usize, &str)> = if pick.several {
        let chosen = pick.items.iter().enumerate().filter(|(_, (_, chosen))| *chosen);
        chosen.map(|(at, (name, _))| (at, name.as_str())).collect()
    } else {
        under_cursor.map(|(at, (name, _))| (at, name.as_str())).into_iter().collect()
    };
    let mut names = chosen.iter().map(|(_, name)| (*name).into());
    match pick.purpose {
        PickPurpose::Subscribed => model.session.question.subscribed = names.next(),
        PickPurpose::V1Channels => model.session.question.query.channels = names.collect(),
        PickPurpose::Starting => {
            let entry = chosen.first().filter(|(at, _)| *at > 0);
            model.session.question.starting = entry.map(|(_, name)| BundleName::from(*name));
        }
    }
    // What was chosen for another channel may mean nothing in this one.
    model.session.settle();
}
