//! The Packages screen: packages, channels, entries, and details. With several open catalogs it shows
//! a table of their packages first.

mod rows;
pub mod table;
mod view;

use std::{collections::HashSet, sync::Arc};

use crate::tui::{
    keys::{ActionId, spec::Enabled},
    parts::{
        frame::{Hit, Splitter},
        list::{Direction, ListId, ListOrder},
        memo::{IndexedNames, Memo, SharedRef},
    },
    screens::{
        packages::{
            rows::Descriptions,
            table::{PackageTable, TableFocus},
        },
        screen::{ScreenState, ScreenView},
    },
    session::{
        Session,
        action::{Target, TargetKind},
        catalogs::Catalogs,
        context::{Context, ViewContext},
        jobs::console_fields::ConsoleFieldIndex,
        navigation::Pane,
        open_catalog::OpenCatalog,
    },
    widgets::canvas::{Canvas, Rect},
    work::{
        Jump,
        comparison::{ChangeMarks, Comparison},
    },
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{PackageState, Snapshot, accepted::AcceptedFindings, diff::ChangeKind};
use olm_upgrade::{Engine, stuck::StuckReport};
use olmap_report::document::Line;

/// The panes in focus order.
const PANES: [Pane; 4] = [Pane::Packages, Pane::Channels, Pane::Entries, Pane::Details];

type ListKey<T> = (SharedRef<T>, SharedRef<Comparison>, String, Option<ListOrder>);
type PackagesKey =
    (ListKey<Snapshot>, SharedRef<Snapshot>, SharedRef<AcceptedFindings>, SharedRef<ConsoleFieldIndex>);
type EntriesKey =
    (SharedRef<PackageState>, SharedRef<ChangeMarks>, Option<ChannelName>, String, Option<ListOrder>);

/// Form of the numbers of stuck versions in the list of packages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StuckNumbers {
    /// The catalog has none, or they are not known yet.
    #[default]
    None,
    /// A single number, because Classic and v1 agree in every package.
    Same,
    /// A number for each engine, because some package has different ones.
    ByEngine,
}

impl StuckNumbers {
    /// Returns the form for all packages of the selected catalog, so that a filter does not change it.
    fn for_catalog(catalogs: &Catalogs) -> Self {
        let reports = || {
            let packages = catalogs.snapshot().into_iter().flat_map(|snapshot| snapshot.packages());
            packages.filter_map(|(_, package_state)| catalogs.stuck_of(package_state))
        };
        let differs =
            |report: &StuckReport| report.count_stuck(Engine::Classic) != report.count_stuck(Engine::V1);
        match reports().next() {
            None => Self::None,
            Some(_) if reports().any(differs) => Self::ByEngine,
            Some(_) => Self::Same,
        }
    }
}

/// State of the Packages screen. The focused pane is part of the session, because it is restored.
#[derive(Debug, Default)]
pub struct Packages {
    table: PackageTable,
    names: Memo<PackagesKey, IndexedNames<PackageName>>,
    stuck_numbers: StuckNumbers,
    /// Packages with objects that may be missing.
    incomplete: HashSet<PackageName>,
    channels: Memo<ListKey<PackageState>, IndexedNames<ChannelName>>,
    entries: Memo<EntriesKey, IndexedNames<BundleName>>,
    descriptions: Descriptions,
}

impl Packages {
    /// Returns the table of the packages of several catalogs.
    pub fn table(&self) -> &PackageTable {
        &self.table
    }

    /// Returns the packages that pass the filter, including removed ones.
    pub fn package_names(&self) -> &IndexedNames<PackageName> {
        &self.names.value
    }

    /// Returns the form of the numbers of stuck versions.
    pub fn stuck_numbers(&self) -> StuckNumbers {
        self.stuck_numbers
    }

    /// Returns true if a file of the package has an error because of which objects may be missing.
    pub fn is_incomplete(&self, package: &PackageName) -> bool {
        self.incomplete.contains(package)
    }

    /// Returns the channels of the package that pass the filter, the default channel first,
    /// including removed ones.
    pub fn channel_names(&self) -> &IndexedNames<ChannelName> {
        &self.channels.value
    }

    /// Returns the entries of the channel that pass the filter, newest first, including removed
    /// ones.
    pub fn entry_names(&self) -> &IndexedNames<BundleName> {
        &self.entries.value
    }

    /// Returns the wrapped description of the selected package.
    pub fn package_description(&self) -> &[Line] {
        &self.descriptions.package.value
    }

    /// Returns the wrapped description of the selected bundle.
    pub fn bundle_description(&self) -> &[Line] {
        &self.descriptions.bundle.value
    }

    /// Returns true if a row has a change: the item itself, or the upgrade of an entry.
    fn row_differs(&self, list: ListId, row: usize, session: &Session) -> bool {
        match list {
            ListId::PackageTable => {
                let overview = session.jobs.overview.overview();
                let rows = overview.map(|(_, sorted)| &sorted.overview.rows);
                let row = rows.zip(self.table.visible_rows().get(row)).and_then(|(rows, at)| rows.get(*at));
                row.is_some_and(|row| self.table.has_change(&row.package))
            }
            ListId::Packages => self.package_names().get(row).is_some_and(|name| {
                let fate = session.package_change(name);
                fate.is_some_and(|fate| fate != ChangeKind::Removed)
            }),
            ListId::Channels => self.channel_names().get(row).is_some_and(|name| {
                let fate = session.channel_change(name);
                fate.is_some_and(|fate| fate != ChangeKind::Removed)
            }),
            ListId::Entries => self.entry_names().get(row).is_some_and(|name| {
                session.derived.entry_change(name).is_some()
                    || session.derived.previous_upgrade(name).is_some()
            }),
            _ => false,
        }
    }

    /// Returns the nearest row of packages or channels that still exists. Removed rows are skipped
    /// in the direction of the movement.
    fn existing_row(&self, list: ListId, row: usize, view_cx: &ViewContext<'_>) -> Option<usize> {
        let session = view_cx.session;
        let package = |name: &PackageName| session.snapshot().and_then(|now| now.package(name.as_str()));
        let channel = |name: &ChannelName| {
            session.selected_package().and_then(|now| now.package().channel(name.as_str()))
        };
        let is_there = |row: &usize| {
            if list == ListId::Packages {
                self.package_names().get(*row).and_then(package).is_some()
            } else {
                self.channel_names().get(*row).and_then(channel).is_some()
            }
        };
        let (mut below, mut above) = (row..self.row_count(list, view_cx), (0..row).rev());
        if self.list_cursor(list, view_cx).is_some_and(|cursor| cursor > row) {
            is_there(&row).then_some(row).or_else(|| above.find(is_there)).or_else(|| below.find(is_there))
        } else {
            below.find(is_there).or_else(|| above.find(is_there))
        }
    }

    /// Selects the next changed row after another row. Returns false if there is none.
    fn select_next_change_from(
        &mut self,
        list: ListId,
        from: Option<usize>,
        way: Direction,
        cx: &mut Context<'_>,
    ) -> bool {
        let rows = self.row_count(list, &cx.view());
        let found = way.next_row(rows, from, |row| self.row_differs(list, row, cx.session));
        if let Some(row) = found {
            self.select_row(list, row, cx);
        }
        found.is_some()
    }

    /// Selects the next changed row after the selected one. Returns false if there is none.
    fn select_next_change(&mut self, list: ListId, way: Direction, cx: &mut Context<'_>) -> bool {
        let from = self.list_cursor(list, &cx.view());
        self.select_next_change_from(list, from, way, cx)
    }

    /// Selects the next changed package and its first or last changed channel.
    fn select_first_changed_channel(&mut self, way: Direction, cx: &mut Context<'_>) -> bool {
        if !self.select_next_change(ListId::Packages, way, cx) {
            return false;
        }
        cx.session.derive();
        self.update_derived(&cx.view());
        // The package may have another kind of change.
        self.select_next_change_from(ListId::Channels, None, way, cx);
        true
    }

    /// Selects the next changed channel and its first or last changed entry.
    fn select_first_changed_entry(&mut self, way: Direction, cx: &mut Context<'_>) -> bool {
        if !self.select_next_change(ListId::Channels, way, cx) && !self.select_first_changed_channel(way, cx)
        {
            return false;
        }
        cx.session.derive();
        self.update_derived(&cx.view());
        self.select_next_change_from(ListId::Entries, None, way, cx);
        true
    }
}

/// Returns a list, and the lists whose selections determine its rows.
fn lists_down_to(list: ListId) -> &'static [ListId] {
    match list {
        ListId::PackageTable | ListId::PackageTableText => &[ListId::PackageTable],
        ListId::Packages => &[ListId::Packages],
        ListId::Channels => &[ListId::Packages, ListId::Channels],
        _ => &[ListId::Packages, ListId::Channels, ListId::Entries],
    }
}

impl ScreenState for Packages {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        if id == ActionId::Release { self.table.check_head_release(view_cx.session) } else { None }
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if id == ActionId::Release {
            self.table.release_head(cx);
        }
    }

    fn target(&self, view_cx: &ViewContext<'_>) -> Target {
        if PackageTable::is_shown(view_cx.session) && self.table.missing_package(view_cx.session).is_some() {
            return Target { row: Some("the selected cell"), ..Target::default() };
        }
        let path = lists_down_to(self.focused_list(view_cx));
        if path.iter().any(|list| self.hides_all_rows(*list, view_cx)) {
            return Target::for_filtered_list();
        }
        let level = match view_cx.session.navigation.pane {
            Pane::Packages => TargetKind::Package,
            Pane::Channels => TargetKind::Channel,
            Pane::Entries | Pane::Details => TargetKind::Bundle,
        };
        Target { kind: level, ..Target::from_selection(view_cx.session.selection()) }
    }

    fn focused_list(&self, view_cx: &ViewContext<'_>) -> ListId {
        if PackageTable::is_shown(view_cx.session) {
            return self.table.focused_list();
        }
        match view_cx.session.navigation.pane {
            Pane::Packages => ListId::Packages,
            Pane::Channels => ListId::Channels,
            Pane::Entries => ListId::Entries,
            Pane::Details => ListId::Details,
        }
    }

    fn scrolled_lists(&self) -> &'static [ListId] {
        &[ListId::PackageTable, ListId::Packages, ListId::Channels, ListId::Entries]
    }

    fn row_count(&self, list: ListId, _see: &ViewContext<'_>) -> usize {
        match list {
            ListId::PackageTable => self.table.visible_rows().len(),
            ListId::Packages => self.package_names().len(),
            ListId::Channels => self.channel_names().len(),
            ListId::Entries => self.entry_names().len(),
            _ => 0,
        }
    }

    fn list_cursor(&self, list: ListId, view_cx: &ViewContext<'_>) -> Option<usize> {
        let selection = view_cx.session.selection();
        match list {
            ListId::PackageTable => self.table.selected_index(view_cx.session),
            ListId::Packages => self.package_names().index_of(selection.package.as_ref()?),
            ListId::Channels => self.channel_names().index_of(selection.channel.as_ref()?),
            ListId::Entries => self.entry_names().index_of(selection.bundle.as_ref()?),
            _ => None,
        }
    }

    fn select_row(&mut self, list: ListId, row: usize, cx: &mut Context<'_>) {
        match list {
            ListId::PackageTable => self.table.select_row(row, cx),
            ListId::Packages => {
                let row = self.existing_row(list, row, &cx.view());
                if let Some(name) = row.and_then(|row| self.package_names().get(row)).cloned() {
                    cx.session.select_package(name);
                }
            }
            ListId::Channels => {
                let row = self.existing_row(list, row, &cx.view());
                if let Some(name) = row.and_then(|row| self.channel_names().get(row)).cloned() {
                    cx.session.select_channel(name);
                }
            }
            ListId::Entries => {
                if let Some(name) = self.entry_names().get(row).cloned() {
                    cx.session.catalogs.select_bundle(name);
                }
            }
            _ => return,
        }
        // Start at the first line of other details.
        cx.session.lists.set_first_row(ListId::Details, 0);
    }

    fn focus_list(&mut self, list: ListId, cx: &mut Context<'_>) {
        match list {
            ListId::PackageTable | ListId::PackageTableText => self.table.focus_list(list),
            ListId::Packages => cx.session.navigation.pane = Pane::Packages,
            ListId::Channels => cx.session.navigation.pane = Pane::Channels,
            ListId::Entries => cx.session.navigation.pane = Pane::Entries,
            ListId::Details => cx.session.navigation.pane = Pane::Details,
            _ => {}
        }
    }

    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        if self.describe_enter(&cx.view()).is_none() {
            return;
        }
        match cx.session.navigation.pane {
            Pane::Packages if PackageTable::is_shown(cx.session) => self.table.open_package(cx),
            Pane::Packages => cx.session.navigation.pane = Pane::Channels,
            Pane::Channels => cx.session.navigation.pane = Pane::Entries,
            Pane::Entries | Pane::Details => cx.run_action(ActionId::ShowBundle),
        }
    }

    fn describe_enter(&self, view_cx: &ViewContext<'_>) -> Option<&'static str> {
        match self.focused_list(view_cx) {
            ListId::Entries | ListId::Details => {
                view_cx.session.selection().bundle.as_ref().map(|_| "bundle")
            }
            list => (self.row_count(list, view_cx) > 0).then_some("in"),
        }
    }

    fn paired_keys(&self) -> Option<([ActionId; 2], &'static str)> {
        // The keys switch catalogs on each screen; here they move the highlighted column.
        self.table.is_filled().then_some(([ActionId::PreviousCatalog, ActionId::NextCatalog], "catalog"))
    }

    fn handle_click(&mut self, hit: Hit, cx: &mut Context<'_>) {
        if let Hit::Channel(column) = hit
            && let Some(source) = cx.session.jobs.overview.source_of(column)
            && let Some(catalog) = cx.session.catalogs.position(source)
        {
            cx.go_to(Jump::OtherCatalog(catalog));
        }
    }

    fn go_out(&mut self, cx: &mut Context<'_>) {
        cx.session.navigation.pane = match cx.session.navigation.pane {
            Pane::Packages | Pane::Channels => Pane::Packages,
            Pane::Entries => Pane::Channels,
            Pane::Details => Pane::Entries,
        };
    }

    fn go_back(&mut self, cx: &mut Context<'_>) -> bool {
        if cx.session.navigation.pane == Pane::Packages {
            return self.table.focus_rows();
        }
        self.go_out(cx);
        true
    }

    fn focus_next_pane(&mut self, by: isize, cx: &mut Context<'_>) {
        if PackageTable::is_shown(cx.session) {
            return self.table.focus_other_pane();
        }
        let at =
            PANES.iter().position(|pane| *pane == cx.session.navigation.pane).unwrap_or_default() as isize;
        let next = (at + by).rem_euclid(PANES.len() as isize) as usize;
        cx.session.navigation.pane = PANES.get(next).copied().unwrap_or(cx.session.navigation.pane);
    }

    fn splitter(&self, view_cx: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        if PackageTable::is_shown(view_cx.session) {
            let is_side = view_cx.frame.hits.drawn_splitter(Splitter::PackageTableSide).is_some();
            let line = if is_side { Splitter::PackageTableSide } else { Splitter::PackageTable };
            return Some((line, self.table.focused_pane() == TableFocus::Rows));
        }
        Some(match view_cx.session.navigation.pane {
            Pane::Packages => (Splitter::Packages, true),
            Pane::Channels => (Splitter::Channels, true),
            pane => {
                let is_side = view_cx.frame.has_side_pane();
                (if is_side { Splitter::DetailsSide } else { Splitter::Details }, pane == Pane::Entries)
            }
        })
    }

    fn check_next_change(&self, view_cx: &ViewContext<'_>) -> Enabled {
        let has_marks = view_cx.session.catalogs.all().iter().any(OpenCatalog::has_changes_to_mark);
        if has_marks && PackageTable::is_shown(view_cx.session) {
            return Ok(());
        }
        let key = view_cx.key_label(ActionId::CompareWith);
        Err(format!("no comparison is active: start one with {key}"))
    }

    fn next_change(&mut self, way: Direction, cx: &mut Context<'_>) -> bool {
        match cx.session.navigation.pane {
            Pane::Packages if PackageTable::is_shown(cx.session) => {
                self.select_next_change(ListId::PackageTable, way, cx)
            }
            Pane::Packages => self.select_next_change(ListId::Packages, way, cx),
            Pane::Channels => {
                self.select_next_change(ListId::Channels, way, cx)
                    || self.select_first_changed_channel(way, cx)
            }
            Pane::Entries | Pane::Details => {
                self.select_next_change(ListId::Entries, way, cx) || self.select_first_changed_entry(way, cx)
            }
        }
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        self.table.update_derived(view_cx);
        let (snapshot, package) = (view_cx.session.snapshot(), view_cx.session.selected_package());
        let filter = |list| view_cx.session.lists.filter(list).to_owned();
        let order = |list| view_cx.session.lists.order_of(list);
        let marked = view_cx.session.mark_comparison();
        let key = (
            SharedRef::from_shared(snapshot),
            SharedRef::from_shared(marked),
            filter(ListId::Packages),
            order(ListId::Packages),
        );
        let baseline = view_cx.session.current_catalog().map(|open| &open.baseline);
        let key = (
            key,
            SharedRef::from_shared(baseline),
            SharedRef::from_shared(view_cx.session.catalogs.accepted()),
            SharedRef::from_shared(view_cx.session.jobs.console_fields.index()),
        );
        let (stuck_numbers, incomplete) = (&mut self.stuck_numbers, &mut self.incomplete);
        self.names.update(key, |((_, _, filter, order), ..)| {
            let states = snapshot.zip(baseline);
            let sorted = |(now, baseline): (&Arc<Snapshot>, &Arc<Snapshot>)| {
                rows::filter_packages(view_cx.session, (now, baseline), filter, *order)
            };
            let names = states.map(sorted).unwrap_or_default();
            let gone = marked.into_iter().flat_map(|marked| marked.removed_packages());
            let names = rows::add_removed_names(names, gone, filter, *order == Some(ListOrder::PackageNames));
            *stuck_numbers = StuckNumbers::for_catalog(&view_cx.session.catalogs);
            *incomplete =
                view_cx.session.snapshot().map(|now| now.packages_with_file_errors()).unwrap_or_default();
            IndexedNames::new(names, |name| name.as_str().into())
        });
        let key = (
            SharedRef::from_shared(package),
            SharedRef::from_shared(marked),
            filter(ListId::Channels),
            order(ListId::Channels),
        );
        self.channels.update(key, |(_, _, filter, order)| {
            let names =
                package.map(|package| rows::filter_channels(package, filter, *order)).unwrap_or_default();
            let diff =
                marked.zip(package).and_then(|(marked, now)| marked.changed_package(&now.package().name));
            let gone = diff.into_iter().flat_map(|diff| &diff.channels);
            let gone = gone
                .filter(|channel| channel.change_kind == ChangeKind::Removed)
                .map(|channel| &channel.name);
            // The default channel comes first, so the list is not sorted by name.
            let names = rows::add_removed_names(names, gone, filter, false);
            IndexedNames::new(names, |name| name.as_str().into())
        });
        let channel = view_cx.session.selection().channel.clone();
        let marks = view_cx.session.derived.marks();
        let (filtered, ordered) = (filter(ListId::Entries), order(ListId::Entries));
        let key = (
            SharedRef::from_shared(package),
            SharedRef::from_shared(Some(marks)),
            channel,
            filtered,
            ordered,
        );
        self.entries.update(key, |(_, _, channel, filter, order)| {
            let Some((package, channel)) = package.zip(channel.as_ref()) else {
                return IndexedNames::default();
            };
            let names = rows::filter_entries(package, channel, filter, *order);
            let names = rows::add_removed_entries(package, names, marks, filter, *order);
            IndexedNames::new(names, |name| match marks.removed_entry(name) {
                Some(gone) => gone.label.clone().into(),
                None => package.package().short_name(name).into(),
            })
        });
        self.descriptions.update(view_cx);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_packages_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}
