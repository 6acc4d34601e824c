//! Choosing from a few things.

use ratatui::crossterm::event::KeyCode;

use super::{Then, moves, page};
use crate::{
    app::{
        edit_flow,
        keys::Key,
        model::Model,
        overlay::{Overlay, Pick, PickPurpose},
    },
    catalog::BundleName,
};

pub(super) fn key(model: &mut Model, mut pick: Pick, key: Key) -> Then {
    let rows = pick.left().count();
    let last = rows.saturating_sub(1);
    match key.code {
        KeyCode::Esc => return Then::Close,
        KeyCode::Enter if rows > 0 => {
            take(model, &pick);
            return Then::Close;
        }
        _ if moves(&mut pick.cursor, rows, page(model), key) => {}
        _ if pick.input.is_some() => {
            if let Some(input) = &mut pick.input
                && edit_flow::type_into(input, key)
            {
                pick.cursor = 0;
            }
        }
        KeyCode::Char(' ') if pick.several => {
            if let Some((_, chosen)) = pick.items.get_mut(pick.cursor) {
                *chosen = !*chosen;
            }
        }
        KeyCode::Char('j') => pick.cursor = pick.cursor.saturating_add(1).min(last),
        KeyCode::Char('k') => pick.cursor = pick.cursor.saturating_sub(1),
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
        PickPurpose::Subscribed => model.subscribed = names.next(),
        PickPurpose::V1Channels => model.query.channels = names.collect(),
        PickPurpose::Starting => {
            let entry = chosen.first().filter(|(at, _)| *at > 0);
            model.upgrades.starting = entry.map(|(_, name)| BundleName::from(*name));
        }
    }
    // What was chosen for another channel may mean nothing in this one.
    model.settle();
}
