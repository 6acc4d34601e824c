//! The Resolve screen: an assumed cluster, and the result of OLM Classic's resolver with the open
//! catalogs.

pub mod rows;
mod table;

pub use self::table::TABLE;

use self::rows::AssumptionRow;
use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{list::ListId, splitters::Splitter},
    screens::screen::ScreenState,
    session::{
        action::find_handler,
        context::{Context, ViewContext},
        target::Target,
    },
    work::Jump,
};

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
        find_handler(TABLE, &[], id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(TABLE, &[], id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        let current = view_cx.session.current_catalog().map(|open| &open.source);
        let row = self.selected_row().filter(|row| row.catalog_source(view_cx.session).as_ref() == current);
        let Some(row) = row else { return Target::for_page() };
        let (package, channel, bundle) = row.named_items(view_cx.session);
        Target::from_row(view_cx.session, "this row", package, channel, bundle)
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

    /// Goes to the subject of the row on the Catalog screen.
    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        if self.is_reading {
            return;
        }
        let Some(row) = self.selected_row() else { return };
        let source = row.catalog_source(cx.session);
        let catalog = cx.session.open_catalogs.iter().position(|open| Some(&open.source) == source.as_ref());
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
        self.rows = rows::filter_rows(view_cx.session);
        if self.rows.is_empty() {
            self.is_reading = false;
        }
    }
}
