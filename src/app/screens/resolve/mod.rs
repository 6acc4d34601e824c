//! The Resolve screen: an assumed cluster, and the result of OLM Classic's resolver with the open
//! catalogs.

pub mod rows;
mod table;

pub use self::table::TABLE;

use self::rows::Row;
use crate::app::{
    keys::{ActionId, spec::Enabled},
    parts::{list::ListId, splits::Splitter},
    screens::screen::ScreenState,
    session::{
        action::how,
        cx::{Cx, See},
        target::Target,
    },
    work::Jump,
};

/// State of the Resolve screen.
#[derive(Debug, Default)]
pub struct Resolve {
    /// Index of the selected row. An index beyond the end selects the last row.
    row: usize,
    rows: Vec<Row>,
    /// Whether the result is focused.
    is_reading: bool,
}

impl Resolve {
    /// Returns the rows of the assumed cluster.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the selected row.
    pub fn selected(&self) -> Option<&Row> {
        self.rows.get(self.at()?)
    }

    /// Returns true if the result is focused.
    pub fn is_reading(&self) -> bool {
        self.is_reading
    }

    fn at(&self) -> Option<usize> {
        Some(self.row.min(self.rows.len().checked_sub(1)?))
    }
}

impl ScreenState for Resolve {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, &[], id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, &[], id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        let current = see.session.catalog().map(|open| &open.source);
        let row = self.selected().filter(|row| row.source(see.session).as_ref() == current);
        let Some(row) = row else { return Target::page() };
        let (package, channel, bundle) = row.names(see.session);
        Target::of_row(see.session, "this row", package, channel, bundle)
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        if self.is_reading { ListId::Resolved } else { ListId::Assumed }
    }

    fn lists(&self) -> &'static [ListId] {
        &[ListId::Assumed]
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        if list == ListId::Assumed { self.rows.len() } else { 0 }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        if list == ListId::Assumed { self.at() } else { None }
    }

    fn select(&mut self, list: ListId, row: usize, _cx: &mut Cx<'_>) {
        if list == ListId::Assumed {
            self.row = row;
        }
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        self.is_reading = list == ListId::Resolved;
    }

    fn turn(&mut self, _by: isize, _cx: &mut Cx<'_>) {
        self.is_reading = !self.is_reading;
    }

    /// Goes to the subject of the row on the Catalog screen.
    fn enter(&mut self, cx: &mut Cx<'_>) {
        if self.is_reading {
            return;
        }
        let Some(row) = self.selected() else { return };
        let source = row.source(cx.session);
        let catalog = cx.session.open.iter().position(|open| Some(&open.source) == source.as_ref());
        match row.names(cx.session) {
            (Some(package), channel, bundle) => cx.go(Jump::Catalog { catalog, package, channel, bundle }),
            _ => catalog.into_iter().for_each(|catalog| cx.go(Jump::Turn(catalog))),
        }
    }

    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        self.selected().filter(|_| !self.is_reading).map(|_| "go there")
    }

    fn out(&mut self, _cx: &mut Cx<'_>) {
        self.is_reading = false;
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.is_reading {
            self.is_reading = false;
            return true;
        }
        // The user came from the last assumption and goes back there.
        cx.place_back()
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Resolve, !self.is_reading))
    }

    fn settle(&mut self, see: &See<'_>) {
        self.rows = rows::of(see.session);
        if self.rows.is_empty() {
            self.is_reading = false;
        }
    }
}
