//! What can be done on the Overview screen only.

use super::{Focus, Overview};
use crate::app::{
    keys::{
        ActionId, Screen,
        spec::{Context, Context::On},
    },
    parts::list::ListId,
    session::{
        action::{Action, action},
        cx::Cx,
    },
};

const HERE: Context = On(&[Screen::Overview]);

/// Its own actions.
pub static TABLE: &[Action<Overview>] = &[
    action(
        ActionId::OverviewLeft,
        HERE,
        &["left", "h"],
        "left",
        "Select the catalog to the left",
        |screen, cx| go(screen, cx, screen.catalog.saturating_sub(1)),
    ),
    action(
        ActionId::OverviewRight,
        HERE,
        &["right", "l"],
        "right",
        "Select the catalog to the right",
        |screen, cx| go(screen, cx, screen.catalog.saturating_add(1)),
    ),
];

fn go(screen: &mut Overview, cx: &mut Cx<'_>, catalog: usize) {
    screen.focus = Focus::Cells;
    screen.choose(catalog, cx.session);
    cx.session.lists.set_first(ListId::OverviewText, 0);
}
