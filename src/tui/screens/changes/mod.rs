//! The Changes screen: unsaved edits with their changed lines and consequences, or a comparison
//! with a base.

mod view;

use std::collections::HashMap;

use crate::tui::{
    dialogs::save_refusal,
    keys::{
        ActionId, Screen,
        spec::{ActionContext::On, Enabled, WriteScope},
    },
    parts::{
        frame::Splitter,
        list::{Direction, ListId, passes_filter},
        memo::{Memo, SharedRef},
    },
    screens::screen::{ScreenState, ScreenView},
    session::{
        Session,
        action::{Action, Target, action, find_handler},
        context::{Context, ViewContext},
        navigation::Pane,
        open_catalog::OpenCatalog,
        saving,
    },
    widgets::{
        canvas::{Canvas, Rect},
        theme::Ink,
    },
    work::{
        ScreenEvent,
        comparison::{Comparison, DifferenceRow, RowTarget},
    },
};
use olm_catalog::BundleName;
use olm_check::review::{ChangeReport, Snapshot};
use olmap_report::new_upgrades::{UpgradeChecks, describe_new_upgrades};

/// State on disk and a later state.
type States = (SharedRef<Snapshot>, SharedRef<Snapshot>);

/// Changes of open catalogs by their indexes.
type Reports = Vec<(usize, ChangeReport)>;

/// States of the catalogs with changes, and whether the safety of upgrades is being checked.
type NewUpgradesKey = (Vec<(usize, States)>, bool);

/// State of the Changes screen.
#[derive(Debug, Default)]
pub struct Changes {
    /// Index of the selected row of the comparison. An index beyond the end selects the last row.
    row: usize,
    differences: Memo<(SharedRef<Comparison>, String), Vec<usize>>,
    report: Memo<States, ChangeReport>,
    other_reports: Memo<Vec<(usize, States)>, Reports>,
    /// Descriptions of the upgrades that each catalog with changes adds, by its index.
    new_upgrades: Memo<NewUpgradesKey, HashMap<usize, Vec<(Ink, String)>>>,
}

impl Changes {
    /// Returns the indexes of the visible rows of the comparison.
    pub fn visible_differences(&self) -> &[usize] {
        &self.differences.value
    }

    /// Returns a visible row of the comparison by its index.
    pub fn visible_difference<'a>(&self, session: &'a Session, row: usize) -> Option<&'a DifferenceRow> {
        session.catalogs.comparison()?.rows.get(*self.visible_differences().get(row)?)
    }

    /// Returns the changes to write and their consequences.
    pub fn changes(&self) -> &ChangeReport {
        &self.report.value
    }

    /// Returns the changes of the other open catalogs by their indexes.
    pub fn other_changes(&self) -> &[(usize, ChangeReport)] {
        &self.other_reports.value
    }

    /// Returns the descriptions of the upgrades that the changes of a catalog add.
    pub fn new_upgrades(&self, catalog: usize) -> &[(Ink, String)] {
        self.new_upgrades.value.get(&catalog).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the index of the selected row.
    fn selected_index(&self) -> Option<usize> {
        Some(self.row.min(self.visible_differences().len().checked_sub(1)?))
    }

    /// Returns the selected row of the comparison.
    fn selected_difference<'a>(&self, session: &'a Session) -> Option<&'a DifferenceRow> {
        self.visible_difference(session, self.selected_index()?)
    }

    /// Returns the navigation target of the selected row.
    fn selected_target(&self, session: &Session) -> Option<RowTarget> {
        self.selected_difference(session).map(|row| row.target.clone())
    }

    /// Returns the index of the visible row where the changes of the package start, if the selected
    /// row is a summary.
    fn selected_details(&self, session: &Session) -> Option<usize> {
        let details = self.selected_difference(session)?.details?;
        self.visible_differences().iter().position(|row| *row == details)
    }

    fn update_other_reports(&mut self, session: &Session) {
        let is_other = |(number, open): &(usize, &OpenCatalog)| {
            *number != session.catalogs.current_index() && open.unsaved_count() > 0
        };
        let others = || session.catalogs.all().iter().enumerate().filter(is_other);
        let states = others().map(|(number, open)| {
            (
                number,
                (
                    SharedRef::from_shared(Some(&open.baseline)),
                    SharedRef::from_shared(Some(open.history.now())),
                ),
            )
        });
        self.other_reports.update(states.collect(), |_| {
            others()
                .map(|(number, open)| {
                    (number, ChangeReport::compare_files(&open.baseline, open.history.now()))
                })
                .collect()
        });
    }

    fn update_new_upgrades(&mut self, session: &Session) {
        let current = session.catalogs.current_index();
        let reports = || {
            let own = session.snapshot().map(|now| (current, &self.report.value, now));
            let others = self.other_reports.value.iter().filter_map(|(number, report)| {
                Some((*number, report, session.catalogs.all().get(*number)?.history.now()))
            });
            own.into_iter().chain(others)
        };
        let states = reports().map(|(number, _, now)| {
            let was = session.catalogs.all().get(number).map(|open| &open.baseline);
            (number, (SharedRef::from_shared(was), SharedRef::from_shared(Some(now))))
        });
        let is_checking = session.jobs.is_checking_catalogs();
        let checks = if is_checking { UpgradeChecks::Running } else { UpgradeChecks::Done };
        self.new_upgrades.update((states.collect(), is_checking), |_| {
            reports()
                .map(|(number, report, now)| {
                    (number, describe_new_upgrades(&report.consequences, now, checks))
                })
                .collect()
        });
    }
}

impl ScreenState for Changes {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        find_handler(TABLE, &[], id).map(|own| (own.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(own) = find_handler(TABLE, &[], id) {
            (own.run)(self, cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        if !view_cx.session.shows_comparison() {
            return Target::for_page();
        }
        let Some(RowTarget { package, channel, bundle, .. }) = self.selected_target(view_cx.session) else {
            return Target::for_page();
        };
        Target::from_row(&view_cx.session.catalogs, "this change", package, channel, bundle)
    }

    /// A comparison cannot be written, so Enter goes to the selected row.
    fn replacement_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> ActionId {
        if id == ActionId::Write && view_cx.session.shows_comparison() { ActionId::In } else { id }
    }

    fn focused_list(&self, view_cx: &ViewContext<'_>) -> ListId {
        if view_cx.session.shows_comparison() { ListId::Differences } else { ListId::Changes }
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        if list == ListId::Differences { self.visible_differences().len() } else { 0 }
    }

    fn list_cursor(&self, list: ListId, _see: &ViewContext<'_>) -> Option<usize> {
        if list == ListId::Differences { self.selected_index() } else { None }
    }

    fn select_row(&mut self, list: ListId, row: usize, _cx: &mut Context<'_>) {
        if list == ListId::Differences {
            self.row = row;
        }
    }

    /// Goes to the target of the selected row, if it still exists. From a summary row it goes to
    /// the changes of the package, in the same list.
    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        if !cx.session.shows_comparison() {
            return;
        }
        if let Some(row) = self.selected_details(cx.session) {
            self.row = row;
            cx.session.lists.set_first_row(ListId::Differences, row);
            return;
        }
        let Some(RowTarget { package, channel, bundle, screen }) = self.selected_target(cx.session) else {
            return;
        };
        let Some(name) = package else {
            cx.notices.report_refusal("this has no package");
            return;
        };
        let Some(package_state) = cx.session.snapshot().and_then(|now| now.package(name.as_str())).cloned()
        else {
            cx.notices
                .report_refusal(format!("{name} was removed: it is only in the catalog you compare with"));
            return;
        };
        let package = package_state.package();
        let kept = channel.clone().filter(|channel| package.channel(channel.as_str()).is_some());
        let is_there = |bundle: &BundleName| match &kept {
            Some(channel) if screen != Screen::Upgrades => {
                let upgrades = package_state.graph.channel(channel.as_str());
                upgrades.is_some_and(|upgrades| upgrades.graph.find_node(bundle.as_str()).is_some())
            }
            _ => package.bundle(bundle.as_str()).is_some(),
        };
        // Removed items still have rows.
        let before =
            cx.session.catalogs.mark_base().and_then(|before| before.package(name.as_str())).cloned();
        let has_row = |bundle: &BundleName| {
            before.as_ref().is_some_and(|before| match &kept {
                Some(channel) if screen != Screen::Upgrades => {
                    let upgrades = before.graph.channel(channel.as_str());
                    upgrades.is_some_and(|upgrades| upgrades.graph.entry_named(bundle.as_str()).is_some())
                }
                _ => screen == Screen::Upgrades && before.package().bundle(bundle.as_str()).is_some(),
            })
        };
        let found = bundle.clone().filter(|bundle| is_there(bundle) || has_row(bundle));
        let gone = match (&channel, &bundle) {
            (_, Some(bundle)) if found.is_none() => Some(bundle.to_string()),
            (Some(channel), _) if kept.is_none() => Some(format!("channel {channel}")),
            _ => None,
        };
        let pane = match (&kept, &found) {
            (_, Some(_)) => Pane::Entries,
            (Some(_), None) => Pane::Channels,
            (None, None) => Pane::Packages,
        };
        let screen = if gone.is_some() && screen == Screen::Upgrades { Screen::Packages } else { screen };
        cx.session.jump_with(|session| {
            session.show_on_catalog_screen(name, kept, found, pane);
            session.navigation.screen = screen;
        });
        // The row names a channel, so the graph shows only that channel.
        if screen == Screen::Graph {
            cx.notify_screen(ScreenEvent::OneChannel);
        }
        if let Some(gone) = gone {
            cx.notices.report_done(format!("{gone} was removed; it was here"));
        }
    }

    fn describe_enter(&self, view_cx: &ViewContext<'_>) -> Option<&'static str> {
        let row = self.selected_difference(view_cx.session).filter(|_| view_cx.session.shows_comparison())?;
        if row.details.is_some() {
            return Some("its changes");
        }
        // Only the base has a removed package.
        let package = row.target.package.as_ref()?;
        view_cx.session.snapshot()?.package(package.as_str()).map(|_| "go there")
    }

    fn tab_count(&self, view_cx: &ViewContext<'_>) -> usize {
        let catalogs = &view_cx.session.catalogs;
        match (catalogs.unsaved_count(), catalogs.comparison()) {
            (0, Some(comparison)) => comparison.changed_packages,
            (unsaved, _) => unsaved,
        }
    }

    /// Switches between the comparison and unsaved edits.
    fn focus_next_pane(&mut self, _by: isize, cx: &mut Context<'_>) {
        if cx.session.catalogs.base().is_some() {
            cx.session.navigation.shows_unsaved_edits = !cx.session.navigation.shows_unsaved_edits;
        }
    }

    fn splitter(&self, _see: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Problems, true))
    }

    /// Goes from package to package.
    fn next_change(&mut self, way: Direction, cx: &mut Context<'_>) -> bool {
        let session = &*cx.session;
        let is_first = |row| {
            let row = self.visible_difference(session, row);
            row.is_some_and(|row| row.item.indent == 0 && row.details.is_none())
        };
        let found = way.next_row(self.visible_differences().len(), self.selected_index(), is_first);
        if let Some(row) = found {
            self.row = row;
        }
        found.is_some()
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let session = view_cx.session;
        let comparison = session.catalogs.comparison();
        let key = (SharedRef::from_shared(comparison), session.lists.filter(ListId::Differences).to_owned());
        self.differences.update(key, |(_, filter)| {
            comparison.map(|comparison| filter_rows(&comparison.rows, filter)).unwrap_or_default()
        });
        self.update_other_reports(session);
        let (baseline, snapshot) = (session.current_catalog().map(|open| &open.baseline), session.snapshot());
        self.report.update((SharedRef::from_shared(baseline), SharedRef::from_shared(snapshot)), |_| {
            baseline
                .zip(snapshot)
                .map(|(before, after)| ChangeReport::compare_files(before, after))
                .unwrap_or_default()
        });
        self.update_new_upgrades(session);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_changes_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}

/// Returns the indexes of the rows that pass a filter, and of their parents.
pub(super) fn filter_rows(rows: &[DifferenceRow], filter: &str) -> Vec<usize> {
    let mut shown = Vec::new();
    // Parents of the current row that are not in the result yet, outermost first.
    let mut above: Vec<usize> = Vec::new();
    let mut title = "";
    for (at, row) in rows.iter().enumerate() {
        while above
            .last()
            .and_then(|last| rows.get(*last))
            .is_some_and(|last| last.item.indent >= row.item.indent)
        {
            above.pop();
        }
        above.push(at);
        if row.item.indent == 0 {
            title = &row.item.text;
        }
        if filter.is_empty() || passes_filter(filter, &format!("{title} {}", row.item.text)) {
            shown.append(&mut above);
        }
    }
    shown
}

/// The actions.
pub static TABLE: &[Action<Changes>] = &[action(
    ActionId::Write,
    On(&[Screen::Changes]),
    &["enter"],
    "save",
    "Save the changed files; in a comparison, Enter goes to the change",
    save_changes,
)
.with_search_terms(&["write"])
.with_hint()
.with_write_scope(WriteScope::Package)
.enabled_when(has_changes)];

fn has_changes(_: &Changes, view_cx: &ViewContext<'_>) -> Enabled {
    saving::has_changes(view_cx)
}

fn save_changes(_: &mut Changes, cx: &mut Context<'_>) {
    save_refusal::save_all(cx);
}
