//! Actions of the Overview screen.

use super::{Focus, Overview};
use crate::tui::screens::screen::ScreenState as _;
use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, On},
            Enabled,
        },
    },
    parts::list::ListId,
    session::{
        action::{Action, ActionHandler, action},
        context::{Context, ViewContext},
        stuck_versions,
    },
};

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Overview>] =
    &[ActionHandler { id: ActionId::ApplyFix, is_enabled: can_free_row, run: free_row }];

const HERE: ActionContext = On(&[Screen::Overview]);

/// The actions.
pub static TABLE: &[Action<Overview>] = &[
    action(
        ActionId::OverviewLeft,
        HERE,
        &["left", "h"],
        "left",
        "Select the catalog to the left",
        |screen, cx| move_to_catalog(screen, cx, screen.catalog.saturating_sub(1)),
    ),
    action(
        ActionId::OverviewRight,
        HERE,
        &["right", "l"],
        "right",
        "Select the catalog to the right",
        |screen, cx| move_to_catalog(screen, cx, screen.catalog.saturating_add(1)),
    ),
];

/// Returns an error if no edit may free the stuck versions of the row in the current catalog.
fn can_free_row(screen: &Overview, view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.session.catalog_of_overview(screen.catalog) != Some(view_cx.session.current) {
        return Err(format!(
            "the edit belongs to that catalog: {} goes there",
            view_cx.key_label(ActionId::In)
        ));
    }
    stuck_versions::can_free_versions(&screen.target(view_cx), view_cx)
}

fn free_row(screen: &mut Overview, cx: &mut Context<'_>) {
    stuck_versions::free_versions(&screen.target(&cx.view()), cx);
}

fn move_to_catalog(screen: &mut Overview, cx: &mut Context<'_>, catalog: usize) {
    screen.focus = Focus::Cells;
    screen.highlight_catalog(catalog, cx.session);
    cx.session.lists.set_first_row(ListId::OverviewText, 0);
}
