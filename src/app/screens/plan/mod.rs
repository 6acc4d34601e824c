//! The Plan screen: upgrade plans of all packages from the lowest open OpenShift version to the
//! highest, and blocked versions.

pub mod rows;
mod table;

pub use self::table::TABLE;

use self::table::INSTEAD;

use self::rows::PackageRow;
use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{
            list::ListId,
            memo::{Memo, Same},
            splits::Splitter,
        },
        screens::screen::ScreenState,
        session::{
            Session,
            action::how,
            cx::{Cx, See},
            target::Target,
        },
        work::{Jump, planning::Plans},
    },
    catalog::PackageName,
    plan::planner::Planned,
    upgrade::openshift::OpenShift,
};

/// Focused pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// The packages.
    #[default]
    Packages,
    /// The installed versions of the package.
    Lanes,
    /// The stops of the plan.
    Stops,
}

/// Plan of a package, by its index.
type Which = (Same<Plans>, Option<PackageName>, Option<usize>);

/// State of the Plan screen.
#[derive(Debug, Default)]
pub struct Plan {
    focus: Focus,
    /// The package of the highlighted row.
    package: Option<PackageName>,
    /// Last seen selected package of the session.
    elsewhere: Option<PackageName>,
    /// Index of the highlighted installed version.
    lane: usize,
    packages: Vec<PackageRow>,
    lanes: Vec<usize>,
    planned: Memo<Which, Option<Planned>>,
}

/// Returns the open catalog of an OpenShift version.
pub(in crate::app) fn catalog_of(session: &Session, version: OpenShift) -> Option<usize> {
    let (asked, _) = session.planning.plans()?;
    let (_, source, _) = asked.catalogs.iter().find(|(own, ..)| *own == version)?;
    session.open.iter().position(|open| open.source == *source)
}

impl Plan {
    /// Returns the packages.
    pub fn packages(&self) -> &[PackageRow] {
        &self.packages
    }

    /// Returns the indexes of the highlighted package's plans, in order.
    pub fn lanes(&self) -> &[usize] {
        &self.lanes
    }

    /// Returns the highlighted package.
    pub fn package(&self) -> Option<&PackageName> {
        self.package.as_ref()
    }

    /// Returns the highlighted plan with its details.
    pub fn planned(&self) -> Option<&Planned> {
        self.planned.value.as_ref()
    }

    /// Returns the focused pane.
    pub fn focused(&self) -> Focus {
        self.focus
    }

    fn row(&self) -> Option<usize> {
        let package = self.package.as_ref()?;
        self.packages.iter().position(|row| row.package == *package)
    }

    fn lane(&self) -> Option<usize> {
        Some(self.lane.min(self.lanes.len().checked_sub(1)?))
    }

    /// Returns the end of the highlighted plan as a place on the Catalog screen of that version.
    fn end(&self, session: &Session) -> Option<Jump> {
        let planned = self.planned()?;
        let stop = planned.plan.stops.last()?;
        // The edit belongs to the catalog that blocks the plan, even if it does not have the
        // bundle.
        let bundle = match &planned.opens {
            Some(opens) => opens.opening.entry.clone(),
            None => stop.bundle.clone(),
        };
        let channel = planned.opens.as_ref().map(|opens| opens.opening.channel.clone());
        Some(Jump::Catalog {
            catalog: catalog_of(session, stop.openshift),
            package: planned.plan.package.clone(),
            channel: channel.or_else(|| stop.channel.clone()),
            bundle: Some(bundle),
        })
    }
}

impl ScreenState for Plan {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        how(TABLE, INSTEAD, id).map(|own| (own.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(own) = how(TABLE, INSTEAD, id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, see: &See<'_>) -> Target {
        let Some(package) = &self.package else { return Target::page() };
        let first = || self.planned()?.plan.stops.first();
        let (channel, bundle) = match self.focus {
            Focus::Packages => (None, None),
            Focus::Lanes | Focus::Stops => {
                (first().and_then(|stop| stop.channel.clone()), first().map(|stop| stop.bundle.clone()))
            }
        };
        let is_known = see.session.snapshot().is_some_and(|now| now.package(package.as_str()).is_some());
        if !is_known {
            return Target::page();
        }
        Target::of_row(see.session, "this row", Some(package.clone()), channel, bundle)
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        match self.focus {
            Focus::Packages => ListId::Planned,
            Focus::Lanes => ListId::Lanes,
            Focus::Stops => ListId::Stops,
        }
    }

    fn lists(&self) -> &'static [ListId] {
        &[ListId::Planned, ListId::Lanes]
    }

    fn rows(&self, list: ListId, _see: &See<'_>) -> usize {
        match list {
            ListId::Planned => self.packages.len(),
            ListId::Lanes => self.lanes.len(),
            _ => 0,
        }
    }

    fn cursor(&self, list: ListId, _see: &See<'_>) -> Option<usize> {
        match list {
            ListId::Planned => self.row(),
            ListId::Lanes => self.lane(),
            _ => None,
        }
    }

    fn select(&mut self, list: ListId, row: usize, _cx: &mut Cx<'_>) {
        match list {
            ListId::Planned => {
                self.package = self.packages.get(row).map(|row| row.package.clone());
                self.lane = 0;
            }
            ListId::Lanes => self.lane = row,
            _ => {}
        }
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        self.focus = match list {
            ListId::Lanes => Focus::Lanes,
            ListId::Stops => Focus::Stops,
            _ => Focus::Packages,
        };
    }

    fn turn(&mut self, by: isize, _cx: &mut Cx<'_>) {
        self.focus = match (self.focus, by > 0) {
            (Focus::Packages, true) | (Focus::Stops, false) => Focus::Lanes,
            (Focus::Lanes, true) | (Focus::Packages, false) => Focus::Stops,
            (Focus::Stops, true) | (Focus::Lanes, false) => Focus::Packages,
        };
    }

    /// Goes from a package to its versions, and from a version to the end of its plan.
    fn enter(&mut self, cx: &mut Cx<'_>) {
        match self.focus {
            Focus::Packages if !self.lanes.is_empty() => self.focus = Focus::Lanes,
            Focus::Packages => {}
            Focus::Lanes | Focus::Stops => self.end(cx.session).into_iter().for_each(|jump| cx.go(jump)),
        }
    }

    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        match self.focus {
            Focus::Packages => self.package.as_ref().map(|_| "versions"),
            Focus::Lanes | Focus::Stops => self.planned().map(|_| "go to the end"),
        }
    }

    fn out(&mut self, _cx: &mut Cx<'_>) {
        self.focus = match self.focus {
            Focus::Stops => Focus::Lanes,
            Focus::Lanes | Focus::Packages => Focus::Packages,
        };
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.focus != Focus::Packages {
            self.out(cx);
            return true;
        }
        cx.place_back()
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Plan, self.focus != Focus::Stops))
    }

    fn settle(&mut self, see: &See<'_>) {
        let selected = &see.session.selection().package;
        if *selected != self.elsewhere {
            self.elsewhere.clone_from(selected);
            if selected.is_some() {
                self.package.clone_from(selected);
                self.lane = 0;
            }
        }
        self.packages = rows::packages(see.session);
        // The selected package may not have plans yet.
        if self.row().is_none() && !self.packages.is_empty() {
            self.package = self.packages.first().map(|row| row.package.clone());
        }
        self.lanes = rows::lanes(see.session, self.package.as_ref());
        let plans = see.session.planning.plans();
        let nth = self.lane().and_then(|lane| self.lanes.get(lane).copied());
        let key = (Same::of(plans.map(|(_, plans)| plans)), self.package.clone(), nth);
        self.planned.update(key, |(_, package, nth)| {
            let (asked, plans) = plans?;
            plans.planned(asked, plans.package(package.as_ref()?)?, (*nth)?)
        });
        if self.packages.is_empty() {
            self.focus = Focus::Packages;
        }
    }
}
