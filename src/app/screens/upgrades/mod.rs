//! The Upgrades screen: the upgrades of every installed version.

mod fields;
pub mod rows;
mod table;

pub use table::TABLE;

use crate::{
    app::{
        keys::{ActionId, spec::Enabled},
        parts::{hit::Hit, list::ListId, splits::Splitter, way::Way},
        screens::screen::ScreenState,
        session::{
            Session, action,
            cx::{Cx, See},
        },
    },
    catalog::BundleName,
    upgrade::{fresh::Fresh, openshift::ClusterUpdate},
};
use rows::{Shown, Shows, Sort, UpgradesFocus, UpgradesView};

/// Focus order of the panes and fields.
const RING: [UpgradesFocus; 8] = [
    UpgradesFocus::Table,
    UpgradesFocus::Reasons,
    UpgradesFocus::Channel,
    UpgradesFocus::Starting,
    UpgradesFocus::V1Channels,
    UpgradesFocus::Version,
    UpgradesFocus::Policy,
    UpgradesFocus::OpenShift,
];

/// State of the Upgrades screen.
#[derive(Debug, Default)]
pub struct Upgrades {
    /// The focused pane or field.
    pub focus: UpgradesFocus,
    /// Display options.
    pub view: UpgradesView,
    shown: Shown,
}

impl Upgrades {
    /// Returns the installed bundles that block the cluster update, if an OpenShift version is set.
    pub fn cluster_update(&self) -> Option<&ClusterUpdate> {
        self.shown.update.value.as_ref()
    }

    /// Returns the result of a fresh installation.
    pub fn fresh(&self) -> Option<&Fresh> {
        self.shown.fresh.value.as_ref()
    }

    /// Returns the visible rows in order.
    pub fn rows(&self) -> &[Shows] {
        &self.shown.rows.value
    }

    /// Returns true if the reasons are focused.
    pub fn is_reading_reasons(&self) -> bool {
        self.focus == UpgradesFocus::Reasons
    }

    /// Returns the installed bundle of a row.
    fn installed<'a>(&self, row: usize, session: &'a Session) -> Option<&'a BundleName> {
        Some(&self.rows().get(row)?.row(&session.answers)?.installed.name)
    }

    /// Selects the first row if the selected one is hidden.
    fn select_what_is_left(&mut self, cx: &mut Cx<'_>) {
        cx.session.derive();
        self.settle(&cx.see());
        if self.cursor(ListId::Upgrades, &cx.see()).is_none() && !self.rows().is_empty() {
            self.select(ListId::Upgrades, 0, cx);
        }
    }
}

impl ScreenState for Upgrades {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        action::how(TABLE, &[], id).map(|how| (how.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(how) = action::how(TABLE, &[], id) {
            (how.run)(self, cx);
        }
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        if self.is_reading_reasons() { ListId::Reasons } else { ListId::Upgrades }
    }

    fn rows(&self, list: ListId, see: &See<'_>) -> usize {
        match list {
            ListId::Upgrades => self.rows().len(),
            _ => see.frame.hits.list(list).map_or(0, |drawn| drawn.rows),
        }
    }

    fn cursor(&self, list: ListId, see: &See<'_>) -> Option<usize> {
        if list != ListId::Upgrades {
            return None;
        }
        let name = see.session.selection().bundle.as_ref()?;
        let answers = &see.session.answers;
        let gone = || answers.gone().iter().position(|row| row.installed.name == *name).map(Shows::Gone);
        let shows = answers.table()?.place(name).map(Shows::Row).or_else(gone)?;
        self.rows().iter().position(|row| *row == shows)
    }

    fn select(&mut self, list: ListId, row: usize, cx: &mut Cx<'_>) {
        if list != ListId::Upgrades {
            cx.session.lists.set_first(list, row);
            return;
        }
        if let Some(name) = self.installed(row, cx.session).cloned() {
            cx.session.lists.set_first(ListId::Reasons, 0);
            cx.session.select_bundle(name);
        }
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        match list {
            ListId::Upgrades => self.focus = UpgradesFocus::Table,
            ListId::Reasons => self.focus = UpgradesFocus::Reasons,
            _ => {}
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        fields::enter(self, cx);
    }

    fn enters(&self, _see: &See<'_>) -> Option<&'static str> {
        let goes_in = self.focus != UpgradesFocus::Table || !self.rows().is_empty();
        goes_in.then_some("why / change field")
    }

    fn out(&mut self, _cx: &mut Cx<'_>) {
        if self.is_reading_reasons() {
            self.focus = UpgradesFocus::Table;
        }
    }

    fn back(&mut self, _cx: &mut Cx<'_>) -> bool {
        let before = std::mem::replace(&mut self.focus, UpgradesFocus::Table);
        before != UpgradesFocus::Table
    }

    fn turn(&mut self, by: isize, _cx: &mut Cx<'_>) {
        let at = RING.iter().position(|focus| *focus == self.focus).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(RING.len() as isize) as usize;
        self.focus = RING.get(next).copied().unwrap_or(self.focus);
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Upgrades, !self.is_reading_reasons()))
    }

    fn can_sort(&self, see: &See<'_>) -> Option<Enabled> {
        Some(fields::has_table(self, see).and_then(|()| {
            if self.rows().is_empty() { Err("nothing to sort here".to_owned()) } else { Ok(()) }
        }))
    }

    fn sort(&mut self, cx: &mut Cx<'_>) -> bool {
        fields::cycle_sort(self, cx);
        true
    }

    fn next_change(&mut self, way: Way, cx: &mut Cx<'_>) -> bool {
        let see = cx.see();
        let differs = |name: &BundleName| {
            let session = see.session;
            session.answers.was(name).is_some() || session.is_new_bundle(name) || session.gone(name).is_some()
        };
        let found = way.next(self.rows().len(), self.cursor(ListId::Upgrades, &see), |row| {
            self.installed(row, see.session).is_some_and(differs)
        });
        if let Some(row) = found {
            self.select(ListId::Upgrades, row, cx);
        }
        found.is_some()
    }

    fn clicked(&mut self, hit: Hit, cx: &mut Cx<'_>) {
        match hit {
            Hit::Field(place) => {
                if let Some(field) = UpgradesFocus::FIELDS.get(place) {
                    self.focus = *field;
                    self.enter(cx);
                }
            }
            Hit::Sort(place) => {
                if let Some(sort) = Sort::ALL.get(place) {
                    fields::sort_by(self, cx, *sort);
                }
            }
            _ => {}
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        self.shown.update(&self.view, see);
    }
}
