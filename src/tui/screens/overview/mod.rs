//! The Overview screen: a table of packages and open catalogs, with details of one cell.

mod view;

use std::cmp::Reverse;

use crate::tui::{
    dialogs::edit_choice,
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, On},
            Enabled,
        },
    },
    parts::{
        frame::{Hit, Splitter},
        list::{ListId, ListOrder, passes_filter},
        memo::{Memo, SharedRef},
    },
    screens::screen::{ScreenState, ScreenView},
    session::{
        Session,
        action::{Action, ActionHandler, Target, action, find_handler},
        context::{Context, ViewContext},
        jobs::overview::OverviewRequest,
        stuck_versions,
    },
    widgets::canvas::{Canvas, Rect},
    work::Jump,
};
use olm_catalog::PackageName;
use olm_plan::overview::{ChannelHealth, OverviewRow, channel_health};
use olmap_report::overview::SortedOverview;

/// Focused pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// The cells.
    #[default]
    Cells,
    /// The details of a cell.
    Text,
}

/// State of the Overview screen.
#[derive(Debug, Default)]
pub struct Overview {
    focus: Focus,
    /// The package of the highlighted row.
    package: Option<PackageName>,
    /// Index of the highlighted catalog in the overview.
    catalog: usize,
    /// Last seen selection of the session: package and catalog.
    seen_selection: Option<(Option<PackageName>, usize)>,
    /// Indexes of the packages that pass the filter, in order.
    rows: Vec<usize>,
    channels: Memo<(SharedRef<OverviewRequest>, Option<PackageName>, usize), Vec<ChannelHealth>>,
}

impl Overview {
    /// Returns the indexes of the packages that pass the filter, in order.
    pub fn visible_rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the index of the highlighted catalog in the overview.
    pub fn highlighted_catalog(&self) -> usize {
        self.catalog
    }

    /// Returns the channels of the highlighted package in the highlighted catalog.
    pub fn highlighted_channels(&self) -> &[ChannelHealth] {
        &self.channels.value
    }

    /// Returns the focused pane.
    pub fn focused_pane(&self) -> Focus {
        self.focus
    }

    /// Returns the row of the highlighted package.
    pub fn highlighted_row<'a>(&self, session: &'a Session) -> Option<&'a OverviewRow> {
        let (_, sorted) = session.jobs.overview.overview()?;
        let package = self.package.as_ref()?;
        sorted.overview.rows.iter().find(|row| row.package == *package)
    }

    fn highlighted_index(&self, session: &Session) -> Option<usize> {
        let (_, sorted) = session.jobs.overview.overview()?;
        let package = self.package.as_ref()?;
        let is_it = |at: &usize| sorted.overview.rows.get(*at).is_some_and(|row| row.package == *package);
        self.rows.iter().position(is_it)
    }

    /// Highlights a catalog.
    fn highlight_catalog(&mut self, catalog: usize, session: &Session) {
        let catalogs = session.jobs.overview.overview().map_or(0, |(_, sorted)| sorted.columns.len());
        self.catalog = catalog.min(catalogs.saturating_sub(1));
    }

    /// Returns the highlighted package as a place on the Catalog screen, if the highlighted catalog
    /// has it.
    fn highlighted_jump(&self, session: &Session) -> Option<Jump> {
        self.highlighted_row(session)?.cells.get(self.catalog)?.as_ref()?;
        Some(Jump::Catalog {
            catalog: Some(catalog_of(session, self.catalog)?),
            package: self.package.clone()?,
            channel: None,
            bundle: None,
        })
    }
}

/// Returns the packages that pass the filter, in the chosen order.
fn filter_packages(session: &Session) -> Vec<usize> {
    let Some((_, sorted)) = session.jobs.overview.overview() else { return Vec::new() };
    let sorted: &SortedOverview = sorted;
    let filter = session.lists.filter(ListId::Overview);
    let rows = sorted.overview.rows.iter().enumerate();
    let mut rows: Vec<(usize, &OverviewRow)> =
        rows.filter(|(_, row)| passes_filter(filter, row.package.as_str())).collect();
    if session.lists.order_of(ListId::Overview) == Some(ListOrder::MostProblems) {
        rows.sort_by_cached_key(|(_, row)| Reverse(row.trouble()));
    }
    rows.into_iter().map(|(at, _)| at).collect()
}

/// Returns the open catalog of a catalog of the overview.
fn catalog_of(session: &Session, nth: usize) -> Option<usize> {
    session.catalogs.position(session.jobs.overview.source_of(nth)?)
}

impl ScreenState for Overview {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(TABLE, REPLACEMENTS, id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(TABLE, REPLACEMENTS, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let known = self.package.as_ref().filter(|package| {
            view_cx.session.snapshot().is_some_and(|now| now.package(package.as_str()).is_some())
        });
        let Some(package) = known else { return Target::for_page() };
        Target::from_row(&view_cx.session.catalogs, "this row", Some(package.clone()), None, None)
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        match self.focus {
            Focus::Cells => ListId::Overview,
            Focus::Text => ListId::OverviewText,
        }
    }

    fn scrolled_lists(&self) -> &'static [ListId] {
        &[ListId::Overview]
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        if list == ListId::Overview { self.rows.len() } else { 0 }
    }

    fn list_cursor(&self, list: ListId, view_cx: &ViewContext<'_>) -> Option<usize> {
        if list == ListId::Overview { self.highlighted_index(view_cx.session) } else { None }
    }

    fn select_row(&mut self, list: ListId, row: usize, cx: &mut Context<'_>) {
        let known = cx.session.jobs.overview.overview();
        let Some(((_, sorted), at)) = known.zip(self.rows.get(row)) else { return };
        if list == ListId::Overview {
            self.package = sorted.overview.rows.get(*at).map(|row| row.package.clone());
            cx.session.lists.set_first_row(ListId::OverviewText, 0);
        }
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        self.focus = if list == ListId::OverviewText { Focus::Text } else { Focus::Cells };
    }

    fn focus_next_pane(&mut self, _by: isize, _cx: &mut Context<'_>) {
        self.focus = match self.focus {
            Focus::Cells if !self.rows.is_empty() => Focus::Text,
            Focus::Cells | Focus::Text => Focus::Cells,
        };
    }

    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        self.highlighted_jump(cx.session).into_iter().for_each(|jump| cx.go_to(jump));
    }

    fn describe_enter(&self, view_cx: &ViewContext<'_>) -> Option<&'static str> {
        self.highlighted_jump(view_cx.session).map(|_| "go there")
    }

    fn paired_keys(&self) -> Option<([ActionId; 2], &'static str)> {
        Some(([ActionId::OverviewLeft, ActionId::OverviewRight], "catalog"))
    }

    fn handle_click(&mut self, hit: Hit, cx: &mut Context<'_>) {
        if let Hit::Channel(catalog) = hit {
            self.highlight_catalog(catalog, cx.session);
        }
    }

    fn go_back(&mut self, cx: &mut Context<'_>) -> bool {
        if self.focus != Focus::Cells {
            self.focus = Focus::Cells;
            return true;
        }
        cx.go_back()
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Overview, self.focus == Focus::Cells))
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let session = view_cx.session;
        let Some((asked, sorted)) = session.jobs.overview.overview() else {
            *self = Self::default();
            return;
        };
        let now = (session.selection().package.clone(), session.catalogs.current_index());
        if self.seen_selection.as_ref() != Some(&now) {
            self.package = now.0.clone().or_else(|| self.package.take());
            let places = 0..sorted.columns.len();
            if let Some(own) = places
                .into_iter()
                .find(|nth| catalog_of(session, *nth) == Some(session.catalogs.current_index()))
            {
                self.catalog = own;
            }
            self.seen_selection = Some(now);
        }
        self.highlight_catalog(self.catalog, session);
        self.rows = filter_packages(session);
        if self.highlighted_index(session).is_none() {
            let first = self.rows.first().and_then(|at| sorted.overview.rows.get(*at));
            self.package = first.map(|row| row.package.clone());
        }
        if self.rows.is_empty() {
            self.focus = Focus::Cells;
        }
        let key = (SharedRef::from_shared(Some(asked)), self.package.clone(), self.catalog);
        self.channels.update(key, |(_, package, nth)| {
            let release = asked.catalogs.get(*nth);
            let package_state = release.zip(package.as_ref()).and_then(|(release, package)| {
                Some(channel_health(release.catalog.1.package(package.as_str())?, release.openshift))
            });
            package_state.unwrap_or_default()
        });
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_overview_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

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
    if catalog_of(view_cx.session, screen.catalog) != Some(view_cx.session.catalogs.current_index()) {
        return Err(format!(
            "the edit belongs to that catalog: {} goes there",
            view_cx.key_label(ActionId::In)
        ));
    }
    stuck_versions::can_free_versions(&screen.target(view_cx), view_cx)
}

fn free_row(screen: &mut Overview, cx: &mut Context<'_>) {
    edit_choice::free_versions(&screen.target(&cx.view()), cx);
}

fn move_to_catalog(screen: &mut Overview, cx: &mut Context<'_>, catalog: usize) {
    screen.focus = Focus::Cells;
    screen.highlight_catalog(catalog, cx.session);
    cx.session.lists.set_first_row(ListId::OverviewText, 0);
}
