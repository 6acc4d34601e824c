//! Actions of the Overview screen.

use super::{Focus, Overview};
use crate::app::screens::screen::ScreenState as _;
use crate::app::{
    keys::{
        ActionId, Screen,
        spec::{Context, Context::On, Enabled},
    },
    parts::list::ListId,
    session::{
        action::{Action, How, action},
        cx::{Cx, See},
        stuck,
    },
};

/// Replacements of shared actions.
pub(super) static INSTEAD: &[How<Overview>] = &[How { id: ActionId::ApplyFix, can: can_free, run: free }];

const HERE: Context = On(&[Screen::Overview]);

/// The actions.
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

/// Returns an error if no edit may free the stuck versions of the row in the current catalog.
fn can_free(screen: &Overview, see: &See<'_>) -> Enabled {
    if see.session.overlooked(screen.catalog) != Some(see.session.current) {
        return Err(format!("the edit belongs to that catalog: {} goes there", see.key(ActionId::In)));
    }
    stuck::can_free(&screen.target(see), see)
}

fn free(screen: &mut Overview, cx: &mut Cx<'_>) {
    stuck::free(&screen.target(&cx.see()), cx);
}

fn go(screen: &mut Overview, cx: &mut Cx<'_>, catalog: usize) {
    screen.focus = Focus::Cells;
    screen.choose(catalog, cx.session);
    cx.session.lists.set_first(ListId::OverviewText, 0);
}
