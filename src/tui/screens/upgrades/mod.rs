//! The Upgrades screen: the upgrades of every installed version.

mod fields;
pub mod rows;
mod view;

use rows::{SortOrder, UpgradesCache, UpgradesFocus, UpgradesView, VisibleRow};

use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{ActionContext::On, Enabled, WriteScope},
    },
    parts::{
        frame::{Hit, Splitter},
        list::{Direction, ListId},
    },
    screens::screen::{ScreenState, ScreenView},
    session::{
        Session,
        action::{self, Action, Target, action},
        context::{Context, ViewContext},
    },
    widgets::canvas::{Canvas, Rect},
};
use olm_catalog::BundleName;
use olm_upgrade::{fresh_install::FreshInstalls, openshift::ClusterUpdate};

/// Focus order of the panes and fields.
const FOCUS_ORDER: [UpgradesFocus; 8] = [
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
    shown: UpgradesCache,
}

impl Upgrades {
    /// Returns the installed bundles that block the cluster update, if an OpenShift version is set.
    pub fn cluster_update(&self) -> Option<&ClusterUpdate> {
        self.shown.cluster_update.value.as_ref()
    }

    /// Returns the result of a fresh installation.
    pub fn fresh(&self) -> Option<&FreshInstalls> {
        self.shown.fresh.value.as_ref()
    }

    /// Returns the visible rows in order.
    pub fn visible_rows(&self) -> &[VisibleRow] {
        &self.shown.rows.value
    }

    /// Returns true if the reasons are focused.
    pub fn is_reading_reasons(&self) -> bool {
        self.focus == UpgradesFocus::Reasons
    }

    /// Returns the installed bundle of a row.
    fn installed_in_row<'a>(&self, row: usize, session: &'a Session) -> Option<&'a BundleName> {
        Some(&self.visible_rows().get(row)?.upgrade_row(&session.derived)?.installed.name)
    }

    /// Selects the first row if the selected one is hidden.
    fn select_first_if_hidden(&mut self, cx: &mut Context<'_>) {
        cx.session.derive();
        self.update_derived(&cx.view());
        if self.list_cursor(ListId::Upgrades, &cx.view()).is_none() && !self.visible_rows().is_empty() {
            self.select_row(ListId::Upgrades, 0, cx);
        }
    }
}

impl ScreenState for Upgrades {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        action::find_handler(TABLE, &[], id).map(|how| (how.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(how) = action::find_handler(TABLE, &[], id) {
            (how.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        if self.hides_all_rows(ListId::Upgrades, view_cx) {
            return Target::for_filtered_list();
        }
        Target::from_selection(view_cx.session.selection())
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        if self.is_reading_reasons() { ListId::Reasons } else { ListId::Upgrades }
    }

    fn row_count(&self, list: ListId, view_cx: &ViewContext<'_>) -> usize {
        match list {
            ListId::Upgrades => self.visible_rows().len(),
            _ => view_cx.frame.hits.drawn_list(list).map_or(0, |drawn| drawn.rows),
        }
    }

    fn list_cursor(&self, list: ListId, view_cx: &ViewContext<'_>) -> Option<usize> {
        if list != ListId::Upgrades {
            return None;
        }
        let name = view_cx.session.selection().bundle.as_ref()?;
        let answers = &view_cx.session.derived;
        let gone = || {
            answers
                .removed_bundle_upgrades()
                .iter()
                .position(|row| row.installed.name == *name)
                .map(VisibleRow::Removed)
        };
        let shows = answers.upgrade_table()?.row_position(name).map(VisibleRow::Table).or_else(gone)?;
        self.visible_rows().iter().position(|row| *row == shows)
    }

    fn select_row(&mut self, list: ListId, row: usize, cx: &mut Context<'_>) {
        if list != ListId::Upgrades {
            cx.session.lists.set_first_row(list, row);
            return;
        }
        if let Some(name) = self.installed_in_row(row, cx.session).cloned() {
            cx.session.lists.set_first_row(ListId::Reasons, 0);
            cx.session.catalogs.select_bundle(name);
        }
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        match list {
            ListId::Upgrades => self.focus = UpgradesFocus::Table,
            ListId::Reasons => self.focus = UpgradesFocus::Reasons,
            _ => {}
        }
    }

    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        fields::open_focused(self, cx);
    }

    fn describe_enter(&self, _see: &ViewContext<'_>) -> Option<&'static str> {
        let goes_in = self.focus != UpgradesFocus::Table || !self.visible_rows().is_empty();
        let label = match self.focus {
            UpgradesFocus::Table | UpgradesFocus::Reasons => "why, tab fields",
            _ => "change",
        };
        goes_in.then_some(label)
    }

    fn go_out(&mut self, _cx: &mut Context<'_>) {
        if self.is_reading_reasons() {
            self.focus = UpgradesFocus::Table;
        }
    }

    fn go_back(&mut self, _cx: &mut Context<'_>) -> bool {
        let before = std::mem::replace(&mut self.focus, UpgradesFocus::Table);
        before != UpgradesFocus::Table
    }

    fn focus_next_pane(&mut self, by: isize, _cx: &mut Context<'_>) {
        let at = FOCUS_ORDER.iter().position(|focus| *focus == self.focus).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(FOCUS_ORDER.len() as isize) as usize;
        self.focus = FOCUS_ORDER.get(next).copied().unwrap_or(self.focus);
    }

    fn splitter(&self, view_cx: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        let line = view_cx.frame.explanation_splitter(Splitter::Upgrades, Splitter::UpgradesSide);
        Some((line, !self.is_reading_reasons()))
    }

    fn can_sort(&self, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        Some(fields::check_table(self, view_cx).and_then(|()| {
            if self.visible_rows().is_empty() { Err("nothing to sort here".to_owned()) } else { Ok(()) }
        }))
    }

    fn sort_by_next_order(&mut self, cx: &mut Context<'_>) -> bool {
        fields::cycle_sort(self, cx);
        true
    }

    fn next_change(&mut self, way: Direction, cx: &mut Context<'_>) -> bool {
        let view_cx = cx.view();
        let differs = |name: &BundleName| {
            let session = view_cx.session;
            session.derived.previous_upgrade(name).is_some()
                || session.catalogs.is_new_bundle(name)
                || session.derived.removed_entry(name).is_some()
        };
        let found =
            way.next_row(self.visible_rows().len(), self.list_cursor(ListId::Upgrades, &view_cx), |row| {
                self.installed_in_row(row, view_cx.session).is_some_and(differs)
            });
        if let Some(row) = found {
            self.select_row(ListId::Upgrades, row, cx);
        }
        found.is_some()
    }

    fn handle_click(&mut self, hit: Hit, cx: &mut Context<'_>) {
        match hit {
            Hit::Field(place) => {
                if let Some(field) = UpgradesFocus::FIELDS.get(place) {
                    self.focus = *field;
                    self.open_highlighted(cx);
                }
            }
            Hit::Sort(place) => {
                if let Some(sort) = SortOrder::ALL.get(place) {
                    fields::sort_by(self, cx, *sort);
                }
            }
            _ => {}
        }
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        self.shown.update(&self.view, view_cx);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_upgrades_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// The actions.
pub static TABLE: &[Action<Upgrades>] = &[
    action(
        ActionId::DifferencesOnly,
        On(&[Screen::Upgrades]),
        &["D"],
        "differences",
        "Show only rows where Classic and v1 differ, or all",
        fields::toggle_differences,
    )
    .with_hint()
    .enabled_when(fields::check_table),
    action(
        ActionId::AddExpectation,
        On(&[Screen::Upgrades]),
        &["X"],
        "expect",
        "Record this upgrade as an expectation, for olmap expect",
        fields::ask_expectations_file,
    )
    .with_search_terms(&["record"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(fields::check_row),
];
