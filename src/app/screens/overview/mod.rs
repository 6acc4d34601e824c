//! The Overview screen: a table of packages and open catalogs, with details of one cell.

mod table;

pub use self::table::TABLE;

use self::table::INSTEAD;

use std::cmp::Reverse;

use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{
            hit::Hit,
            list::{ListId, passes},
            memo::{Memo, Same},
            orders::Order,
            splits::Splitter,
        },
        screens::screen::ScreenState,
        session::{
            Session,
            action::how,
            cx::{Cx, See},
            target::Target,
        },
        work::{Jump, overview::ToOverview},
    },
    catalog::PackageName,
    export::overview::Sorted,
    plan::overview::{Health, Row, channels},
};

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
    elsewhere: Option<(Option<PackageName>, usize)>,
    /// Indexes of the packages that pass the filter, in order.
    rows: Vec<usize>,
    channels: Memo<(Same<ToOverview>, Option<PackageName>, usize), Vec<Health>>,
}

impl Overview {
    /// Returns the indexes of the packages that pass the filter, in order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the index of the highlighted catalog in the overview.
    pub fn catalog(&self) -> usize {
        self.catalog
    }

    /// Returns the channels of the highlighted package in the highlighted catalog.
    pub fn channels(&self) -> &[Health] {
        &self.channels.value
    }

    /// Returns the focused pane.
    pub fn focused(&self) -> Focus {
        self.focus
    }

    /// Returns the row of the highlighted package.
    pub fn row<'a>(&self, session: &'a Session) -> Option<&'a Row> {
        let (_, sorted) = session.overlooking.overview()?;
        let package = self.package.as_ref()?;
        sorted.overview.rows.iter().find(|row| row.package == *package)
    }

    fn place(&self, session: &Session) -> Option<usize> {
        let (_, sorted) = session.overlooking.overview()?;
        let package = self.package.as_ref()?;
        let is_it = |at: &usize| sorted.overview.rows.get(*at).is_some_and(|row| row.package == *package);
        self.rows.iter().position(is_it)
    }

    /// Highlights a catalog.
    fn choose(&mut self, catalog: usize, session: &Session) {
        let catalogs = session.overlooking.overview().map_or(0, |(_, sorted)| sorted.columns.len());
        self.catalog = catalog.min(catalogs.saturating_sub(1));
    }

    /// Returns the highlighted package as a place on the Catalog screen, if the highlighted catalog
    /// has it.
    fn there(&self, session: &Session) -> Option<Jump> {
        self.row(session)?.cells.get(self.catalog)?.as_ref()?;
        Some(Jump::Catalog {
            catalog: Some(session.overlooked(self.catalog)?),
            package: self.package.clone()?,
            channel: None,
            bundle: None,
        })
    }
}

/// Returns the packages that pass the filter, in the chosen order.
fn listed(session: &Session) -> Vec<usize> {
    let Some((_, sorted)) = session.overlooking.overview() else { return Vec::new() };
    let sorted: &Sorted = sorted;
    let filter = session.lists.filter(ListId::Overview);
    let rows = sorted.overview.rows.iter().enumerate();
    let mut rows: Vec<(usize, &Row)> = rows.filter(|(_, row)| passes(filter, row.package.as_str())).collect();
    if session.orders.of(ListId::Overview) == Some(Order::MostTrouble) {
        rows.sort_by_cached_key(|(_, row)| Reverse(row.trouble()));
    }
    rows.into_iter().map(|(at, _)| at).collect()
}

impl ScreenState for Overview {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, INSTEAD, id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, INSTEAD, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        let known = self.package.as_ref().filter(|package| {
            see.session.snapshot().is_some_and(|now| now.package(package.as_str()).is_some())
        });
        let Some(package) = known else { return Target::page() };
        Target::of_row(see.session, "this row", Some(package.clone()), None, None)
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        match self.focus {
            Focus::Cells => ListId::Overview,
            Focus::Text => ListId::OverviewText,
        }
    }

    fn lists(&self) -> &'static [ListId] {
        &[ListId::Overview]
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        if list == ListId::Overview { self.rows.len() } else { 0 }
    }

    fn cursor(&self, list: ListId, see: &See<'_>) -> Option<usize> {
        if list == ListId::Overview { self.place(see.session) } else { None }
    }

    fn select(&mut self, list: ListId, row: usize, cx: &mut Cx<'_>) {
        let known = cx.session.overlooking.overview();
        let Some(((_, sorted), at)) = known.zip(self.rows.get(row)) else { return };
        if list == ListId::Overview {
            self.package = sorted.overview.rows.get(*at).map(|row| row.package.clone());
            cx.session.lists.set_first(ListId::OverviewText, 0);
        }
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        self.focus = if list == ListId::OverviewText { Focus::Text } else { Focus::Cells };
    }

    fn turn(&mut self, _by: isize, _cx: &mut Cx<'_>) {
        self.focus = match self.focus {
            Focus::Cells if !self.rows.is_empty() => Focus::Text,
            Focus::Cells | Focus::Text => Focus::Cells,
        };
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        self.there(cx.session).into_iter().for_each(|jump| cx.go(jump));
    }

    fn enters(&self, see: &See<'_>) -> Option<&'static str> {
        self.there(see.session).map(|_| "go there")
    }

    fn pair(&self) -> Option<([ActionId; 2], &'static str)> {
        Some(([ActionId::OverviewLeft, ActionId::OverviewRight], "catalog"))
    }

    fn clicked(&mut self, hit: Hit, cx: &mut Cx<'_>) {
        if let Hit::Channel(catalog) = hit {
            self.choose(catalog, cx.session);
        }
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.focus != Focus::Cells {
            self.focus = Focus::Cells;
            return true;
        }
        cx.place_back()
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Overview, self.focus == Focus::Cells))
    }

    fn settle(&mut self, see: &See<'_>) {
        let session = see.session;
        let Some((asked, sorted)) = session.overlooking.overview() else {
            *self = Self::default();
            return;
        };
        let now = (session.selection().package.clone(), session.current);
        if self.elsewhere.as_ref() != Some(&now) {
            self.package = now.0.clone().or_else(|| self.package.take());
            let places = 0..sorted.columns.len();
            if let Some(own) =
                places.into_iter().find(|nth| session.overlooked(*nth) == Some(session.current))
            {
                self.catalog = own;
            }
            self.elsewhere = Some(now);
        }
        self.choose(self.catalog, session);
        self.rows = listed(session);
        if self.place(session).is_none() {
            let first = self.rows.first().and_then(|at| sorted.overview.rows.get(*at));
            self.package = first.map(|row| row.package.clone());
        }
        if self.rows.is_empty() {
            self.focus = Focus::Cells;
        }
        let key = (Same::of(Some(asked)), self.package.clone(), self.catalog);
        self.channels.update(key, |(_, package, nth)| {
            let release = asked.catalogs.get(*nth);
            let judged = release.zip(package.as_ref()).and_then(|(release, package)| {
                Some(channels(release.catalog.1.package(package.as_str())?, release.openshift))
            });
            judged.unwrap_or_default()
        });
    }
}
