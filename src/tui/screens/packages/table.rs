//! Table of the packages of several open catalogs: packages down, catalogs across, and the channels
//! of the selected package in the current catalog. The Packages screen shows it instead of the list
//! of packages.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use crate::tui::{
    dialogs::release::Release,
    keys::{Screen, spec::Enabled},
    parts::{
        list::{self, ListId, ListOrder, passes_filter},
        memo::{Memo, SharedRef},
    },
    screens::packages::rows::matches_console_fields,
    session::{
        Session,
        context::{Context, ViewContext},
        jobs::overview::OverviewRequest,
        navigation::Pane,
        open_catalog::OpenCatalog,
    },
    work::{Base, Jump, comparison::Comparison},
};
use olm_catalog::{BundleName, PackageName};
use olm_check::review::{Snapshot, diff::ChangeKind};
use olm_plan::overview::{ChannelHealth, OverviewRow, channel_health};

/// Focused pane of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TableFocus {
    /// The packages.
    #[default]
    Rows,
    /// The channels of the selected package.
    Text,
}

/// State of the table.
#[derive(Debug, Default)]
pub struct PackageTable {
    focus: TableFocus,
    /// The selected package. The current catalog may lack it.
    package: Option<PackageName>,
    /// Last seen selection of the session: package and catalog.
    seen_selection: Option<(Option<PackageName>, usize)>,
    /// Indexes of the packages that pass the filter, in order.
    rows: Vec<usize>,
    channels: Memo<(SharedRef<OverviewRequest>, Option<PackageName>, usize), Vec<ChannelHealth>>,
    changes: Memo<Vec<ComparedStates>, ChangedCells>,
}

/// Loaded and current state of a catalog, and its comparison with a base.
type ComparedStates = (SharedRef<Snapshot>, SharedRef<Snapshot>, Option<SharedRef<Comparison>>);

/// Changed packages, each with its changes by column.
type ChangedCells = HashMap<PackageName, BTreeMap<usize, ChangeKind>>;

/// Collects the changes of all columns.
fn changed_cells(session: &Session, columns: usize) -> ChangedCells {
    let mut cells = ChangedCells::new();
    for nth in 0..columns {
        let open = session.jobs.overview.source_of(nth).and_then(|source| session.catalogs.find(source));
        for (package, change) in open.map(OpenCatalog::changed_packages).unwrap_or_default() {
            cells.entry(package).or_default().insert(nth, change);
        }
    }
    cells
}

/// Returns the column of the current catalog. `None` unless the table has several catalogs, the
/// current one among them.
pub fn current_column(session: &Session) -> Option<usize> {
    let overview = &session.jobs.overview;
    let (_, sorted) = overview.overview().filter(|(_, sorted)| sorted.columns.len() > 1)?;
    let current = &session.current_catalog()?.source;
    (0..sorted.columns.len()).find(|nth| overview.source_of(*nth) == Some(current))
}

/// Says that only the base of the comparison has a package.
pub fn explain_absent_package(package: &PackageName) -> String {
    format!("{package} was removed: no open catalog has it")
}

impl PackageTable {
    /// Returns true if the screen shows the table. What-ifs, earlier commits, and comparisons of a catalog
    /// with another catalog mark the rows of the list of packages, which is shown instead.
    pub fn is_shown(session: &Session) -> bool {
        session.navigation.pane == Pane::Packages
            && session.catalogs.all().len() > 1
            && !matches!(session.catalogs.base(), Some(Base::Open(_) | Base::Path(_)))
            && session.catalogs.what_if().is_none()
            && session.catalogs.past_commit().is_none()
            && current_column(session).is_some()
    }

    /// Returns the indexes of the packages that pass the filter, in order.
    pub fn visible_rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the channels of the selected package in the current catalog.
    pub fn selected_channels(&self) -> &[ChannelHealth] {
        &self.channels.value
    }

    /// Returns true if several catalogs are side by side in the table, visible or not.
    pub fn is_filled(&self) -> bool {
        self.seen_selection.is_some()
    }

    /// Returns the focused pane.
    pub fn focused_pane(&self) -> TableFocus {
        self.focus
    }

    /// Returns the row of the selected package.
    pub fn selected_row<'a>(&self, session: &'a Session) -> Option<&'a OverviewRow> {
        let (_, sorted) = session.jobs.overview.overview()?;
        let package = self.package.as_ref()?;
        sorted.overview.rows.iter().find(|row| row.package == *package)
    }

    /// Returns the position of the selected package among the visible rows.
    pub fn selected_index(&self, session: &Session) -> Option<usize> {
        let (_, sorted) = session.jobs.overview.overview()?;
        let package = self.package.as_ref()?;
        let is_it = |at: &usize| sorted.overview.rows.get(*at).is_some_and(|row| row.package == *package);
        self.rows.iter().position(is_it)
    }

    /// Returns the change of a package in the catalog of a column, since the base or by unsaved edits.
    pub fn cell_change(&self, package: &PackageName, nth: usize) -> Option<ChangeKind> {
        self.changes.value.get(package)?.get(&nth).copied()
    }

    /// Returns true if a package has a change in any catalog.
    pub fn has_change(&self, package: &PackageName) -> bool {
        self.changes.value.contains_key(package)
    }

    /// Returns the selected package if the current catalog lacks it.
    pub fn missing_package(&self, session: &Session) -> Option<&PackageName> {
        let package = self.package.as_ref()?;
        session.snapshot()?.package(package.as_str()).is_none().then_some(package)
    }

    /// Returns the highlighted package if the table is on the screen and the current catalog lacks the package.
    pub fn visible_missing_package(&self, session: &Session) -> Option<&PackageName> {
        let is_visible = session.navigation.screen == Screen::Packages && Self::is_shown(session);
        self.missing_package(session).filter(|_| is_visible)
    }

    /// Returns the highlighted package if the current catalog has it since an edit, and another package is still selected.
    pub fn added_package(&self, session: &Session) -> Option<PackageName> {
        let selected = &session.selection().package;
        let is_unchanged = self.seen_selection.as_ref().is_some_and(|(package, catalog)| {
            package == selected && *catalog == session.catalogs.current_index()
        });
        let is_added = is_unchanged && self.package != *selected && self.missing_package(session).is_none();
        self.package.clone().filter(|_| is_added)
    }

    /// Returns the list that has the focus.
    pub fn focused_list(&self) -> ListId {
        match self.focus {
            TableFocus::Rows => ListId::PackageTable,
            TableFocus::Text => ListId::PackageTableText,
        }
    }

    /// Focuses the pane of a list.
    pub fn focus_list(&mut self, list: ListId) {
        self.focus = if list == ListId::PackageTableText { TableFocus::Text } else { TableFocus::Rows };
    }

    /// Focuses the other pane.
    pub fn focus_other_pane(&mut self) {
        self.focus = match self.focus {
            TableFocus::Rows if !self.rows.is_empty() => TableFocus::Text,
            TableFocus::Rows | TableFocus::Text => TableFocus::Rows,
        };
    }

    /// Moves the focus back to the packages. Returns false if they have it.
    pub fn focus_rows(&mut self) -> bool {
        std::mem::take(&mut self.focus) != TableFocus::Rows
    }

    /// Selects a package, in the session too if the current catalog has it.
    pub fn select_row(&mut self, row: usize, cx: &mut Context<'_>) {
        let known = cx.session.jobs.overview.overview();
        let Some(((_, sorted), at)) = known.zip(self.rows.get(row)) else { return };
        self.package = sorted.overview.rows.get(*at).map(|row| row.package.clone());
        cx.session.lists.set_first_row(ListId::PackageTableText, 0);
        if self.missing_package(cx.session).is_none()
            && let Some(package) = self.package.clone()
        {
            cx.session.select_package(package);
        }
    }

    /// Opens the channels of the selected package: in the current catalog, or in the nearest one
    /// that has the package.
    pub fn open_package(&self, cx: &mut Context<'_>) {
        let Some(missing) = self.missing_package(cx.session) else {
            cx.session.navigation.pane = Pane::Channels;
            return;
        };
        match self.package_elsewhere(cx.session) {
            Some((catalog, package)) => {
                cx.go_to(Jump::Catalog { catalog: Some(catalog), package, channel: None, bundle: None });
            }
            None => cx.notices.report_refusal(explain_absent_package(missing)),
        }
    }

    /// Returns the selected package and the nearest catalog that has it, the earlier one first. `None` if the
    /// current catalog has the package, or none has it.
    pub fn package_elsewhere(&self, session: &Session) -> Option<(usize, PackageName)> {
        let package = self.missing_package(session)?;
        let (row, current) = (self.selected_row(session)?, current_column(session)?);
        let columns = (0..row.cells.len()).filter(|nth| row.cells[*nth].is_some());
        let column = columns.min_by_key(|nth| (nth.abs_diff(current), *nth > current))?;
        let catalog = session.catalogs.position(session.jobs.overview.source_of(column)?)?;
        Some((catalog, package.clone()))
    }

    /// Opens the dialog that releases the head of the selected package, which the current catalog lacks.
    pub fn release_head(&self, cx: &mut Context<'_>) {
        let session = &*cx.session;
        let Some((open, package, head)) = self.head_elsewhere(session) else { return };
        if let Some(release) = Release::for_current_catalog(open, package, head, &cx.view()) {
            cx.open_dialog(release);
        }
    }

    /// Refuses if no open catalog has a head of the selected package. `None` if the current catalog has the package.
    pub fn check_head_release(&self, session: &Session) -> Option<Enabled> {
        let missing = self.visible_missing_package(session)?;
        Some(Release::check_open_catalogs(session).and_then(|()| match self.head_elsewhere(session) {
            Some(_) => Ok(()),
            None if self.package_elsewhere(session).is_none() => Err(explain_absent_package(missing)),
            None => {
                Err(format!("the default channel of {missing} does not have a single head with a bundle"))
            }
        }))
    }

    /// Returns the head of the default channel in the nearest catalog that has the selected package.
    fn head_elsewhere<'a>(
        &'a self,
        session: &'a Session,
    ) -> Option<(&'a OpenCatalog, &'a PackageName, &'a BundleName)> {
        let package = self.missing_package(session)?;
        let open = session.catalogs.all().get(self.package_elsewhere(session)?.0)?;
        let stuck = open.visible_state().package(package.as_str())?.graph.stuck();
        Some((open, package, &stuck.answer.as_ref()?.head))
    }

    /// Recomputes derived state; cheap if nothing changed.
    pub fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        let session = view_cx.session;
        let (Some((asked, _)), Some(column)) = (session.jobs.overview.overview(), current_column(session))
        else {
            *self = Self::default();
            return;
        };
        let now = (session.selection().package.clone(), session.catalogs.current_index());
        if self.seen_selection.as_ref() != Some(&now) {
            // Switching to a catalog without the package keeps the row, and so does removing the package.
            let is_other = |(package, catalog): &(Option<PackageName>, usize)| {
                *catalog != now.1 || *package == self.package
            };
            let is_kept =
                self.seen_selection.as_ref().is_some_and(is_other) && self.missing_package(session).is_some();
            if !is_kept {
                self.package = now.0.clone().or_else(|| self.package.take());
            }
            self.seen_selection = Some(now);
        }
        let columns = asked.catalogs.len();
        let opens =
            (0..columns).filter_map(|nth| session.catalogs.find(session.jobs.overview.source_of(nth)?));
        let states = opens.map(|open| {
            let comparison = open
                .base_comparison
                .base()
                .map(|_| SharedRef::from_shared(open.base_comparison.comparison()));
            (
                SharedRef::from_shared(Some(&open.baseline)),
                SharedRef::from_shared(Some(open.history.now())),
                comparison,
            )
        });
        self.changes.update(states.collect(), |_| changed_cells(session, columns));
        self.rows = filter_packages(session, |package| self.has_change(package));
        if self.rows.is_empty() {
            self.focus = TableFocus::Rows;
        }
        let key = (SharedRef::from_shared(Some(asked)), self.package.clone(), column);
        self.channels.update(key, |(_, package, nth)| {
            let release = asked.catalogs.get(*nth);
            let package_state = release.zip(package.as_ref()).and_then(|(release, package)| {
                let state = release.catalog.1.package(package.as_str())?;
                let mut channels = channel_health(state, release.openshift);
                let default = state.package().default_channel();
                channels.sort_by(|a, b| list::compare_channels(default, &a.channel, &b.channel));
                Some(channels)
            });
            package_state.unwrap_or_default()
        });
    }
}

/// Returns the packages that pass the filter, by name or if no name does by what consoles show, in the
/// chosen order. With a base, those that changed are first unless the user sorts by name.
fn filter_packages(session: &Session, is_changed: impl Fn(&PackageName) -> bool) -> Vec<usize> {
    let Some((_, sorted)) = session.jobs.overview.overview() else { return Vec::new() };
    let filter = session.lists.filter(ListId::PackageTable);
    let all = || sorted.overview.rows.iter().enumerate();
    let mut rows: Vec<(usize, &OverviewRow)> =
        all().filter(|(_, row)| passes_filter(filter, row.package.as_str())).collect();
    if rows.is_empty() {
        rows = all().filter(|(_, row)| matches_console_fields(session, &row.package, filter)).collect();
    }
    if session.lists.order_of(ListId::PackageTable) == Some(ListOrder::MostProblems) {
        rows.sort_by_cached_key(|(_, row)| Reverse(row.trouble()));
        if session.catalogs.base().is_some() {
            rows.sort_by_cached_key(|(_, row)| !is_changed(&row.package));
        }
    }
    rows.into_iter().map(|(at, _)| at).collect()
}
