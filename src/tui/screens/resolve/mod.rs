//! The Resolve screen: an assumed cluster, and the result of OLM Classic's resolver with the open
//! catalogs.

mod table;
mod view;

pub use crate::tui::screens::resolve::table::TABLE;
use table::REPLACEMENTS;

use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{
        frame::Splitter,
        list::{ListId, passes_filter},
    },
    screens::screen::{ScreenState, ScreenView},
    session::{
        Session,
        action::{Target, find_handler},
        context::{Context, ViewContext},
    },
    widgets::canvas::{Canvas, Rect},
    work::{Jump, Source},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_upgrade::resolve::Pick;

/// State of the Resolve screen.
#[derive(Debug, Default)]
pub struct Resolve {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    rows: Vec<AssumptionRow>,
    /// Whether the result is focused.
    is_reading: bool,
}

impl Resolve {
    /// Returns the rows of the assumed cluster.
    pub fn assumption_rows(&self) -> &[AssumptionRow] {
        &self.rows
    }

    /// Returns the selected row.
    pub fn selected_row(&self) -> Option<&AssumptionRow> {
        self.rows.get(self.selected_index()?)
    }

    /// Returns true if the result is focused.
    pub fn is_reading(&self) -> bool {
        self.is_reading
    }

    fn selected_index(&self) -> Option<usize> {
        Some(self.row.min(self.rows.len().checked_sub(1)?))
    }
}

impl ScreenState for Resolve {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(TABLE, REPLACEMENTS, id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(TABLE, REPLACEMENTS, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let current = view_cx.session.current_catalog().map(|open| &open.source);
        let row = self.selected_row().filter(|row| row.catalog_source(view_cx.session).as_ref() == current);
        let Some(row) = row else { return Target::for_page() };
        let (package, channel, bundle) = row.named_items(view_cx.session);
        Target::from_row(&view_cx.session.catalogs, "this row", package, channel, bundle)
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        if self.is_reading { ListId::Resolved } else { ListId::Assumed }
    }

    fn scrolled_lists(&self) -> &'static [ListId] {
        &[ListId::Assumed]
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        if list == ListId::Assumed { self.rows.len() } else { 0 }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        if list == ListId::Assumed { self.selected_index() } else { None }
    }

    fn select_row(&mut self, list: ListId, row: usize, _cx: &mut Context<'_>) {
        if list == ListId::Assumed {
            self.row = row;
        }
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        self.is_reading = list == ListId::Resolved;
    }

    fn focus_next_pane(&mut self, _by: isize, _cx: &mut Context<'_>) {
        self.is_reading = !self.is_reading;
    }

    /// Goes to the subject of the row on the Packages screen.
    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        if self.is_reading {
            return;
        }
        let Some(row) = self.selected_row() else { return };
        let source = row.catalog_source(cx.session);
        let catalog = source.and_then(|source| cx.session.catalogs.position(&source));
        match row.named_items(cx.session) {
            (Some(package), channel, bundle) => cx.go_to(Jump::Catalog { catalog, package, channel, bundle }),
            _ => catalog.into_iter().for_each(|catalog| cx.go_to(Jump::OtherCatalog(catalog))),
        }
    }

    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        self.selected_row().filter(|_| !self.is_reading).map(|_| "go there")
    }

    fn go_out(&mut self, _cx: &mut Context<'_>) {
        self.is_reading = false;
    }

    fn go_back(&mut self, cx: &mut Context<'_>) -> bool {
        if self.is_reading {
            self.is_reading = false;
            return true;
        }
        // The user came from the last assumption and goes back there.
        cx.go_back()
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Resolve, !self.is_reading))
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        self.rows = filter_rows(view_cx.session);
        if self.rows.is_empty() {
            self.is_reading = false;
        }
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_resolve_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// Row with its index among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssumptionRow {
    /// A subscription.
    Subscribed(usize),
    /// An installed bundle.
    Installed(usize),
    /// An open catalog.
    Catalog(usize),
}

impl AssumptionRow {
    /// Returns the catalog of the row.
    pub fn catalog_source(self, session: &Session) -> Option<Source> {
        let assumed = &session.jobs.assumed_cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscriptions.get(at).map(|one| one.source.clone()),
            Self::Installed(at) => assumed.installed.get(at).map(|one| one.source.clone()),
            Self::Catalog(at) => session.catalogs.all().get(at).map(|open| open.source.clone()),
        }
    }

    /// Returns the package, channel and bundle of the row.
    pub fn named_items(
        self,
        session: &Session,
    ) -> (Option<PackageName>, Option<ChannelName>, Option<BundleName>) {
        let assumed = &session.jobs.assumed_cluster.assumed;
        match self {
            Self::Subscribed(at) => {
                let one = assumed.subscriptions.get(at);
                (one.map(|one| one.package.clone()), one.and_then(|one| one.channel.clone()), None)
            }
            Self::Installed(at) => {
                let one = assumed.installed.get(at);
                (one.map(|one| one.package.clone()), None, one.map(|one| one.bundle.clone()))
            }
            Self::Catalog(_) => (None, None, None),
        }
    }

    /// Returns false if the user excluded the row.
    pub fn is_included(self, session: &Session) -> bool {
        let assumed = &session.jobs.assumed_cluster.assumed;
        match self {
            Self::Subscribed(at) => assumed.subscriptions.get(at).is_some_and(|one| one.is_included),
            Self::Installed(at) => assumed.installed.get(at).is_some_and(|one| one.is_included),
            Self::Catalog(at) => session.catalogs.all().get(at).is_some_and(|open| {
                session.jobs.assumed_cluster.has_catalog(&open.source, &session.catalogs)
            }),
        }
    }

    /// Returns the action of OLM Classic for the row. `None` if there is none, or it is not known.
    pub fn resolver_pick(self, session: &Session) -> Option<&Pick> {
        let (package, ..) = self.named_items(session);
        let answer = &session.jobs.assumed_cluster.resolved()?.answer;
        answer.picks().iter().find(|pick| Some(&pick.package) == package.as_ref())
    }
}

/// Returns all rows that pass the filter.
pub(super) fn filter_rows(session: &Session) -> Vec<AssumptionRow> {
    let assumed = &session.jobs.assumed_cluster.assumed;
    let catalogs = if session.catalogs.all().len() > 1 && !assumed.is_empty() {
        session.catalogs.all().len()
    } else {
        0
    };
    let rows = (0..assumed.subscriptions.len()).map(AssumptionRow::Subscribed);
    let rows = rows.chain((0..assumed.installed.len()).map(AssumptionRow::Installed));
    let rows = rows.chain((0..catalogs).map(AssumptionRow::Catalog));
    let filter = session.lists.filter(ListId::Assumed);
    let words = |row: &AssumptionRow| {
        let (package, channel, bundle) = row.named_items(session);
        let source = row.catalog_source(session).map(|source| session.catalogs.short_source_name(&source));
        format!(
            "{} {} {} {}",
            package.unwrap_or_default(),
            channel.unwrap_or_default(),
            bundle.unwrap_or_default(),
            source.unwrap_or_default()
        )
    };
    rows.filter(|row| passes_filter(filter, &words(row))).collect()
}
