//! Sorted names for the lists of the Packages screen, and descriptions for its details.

use std::collections::HashSet;

use crate::tui::{
    parts::{
        frame::Splitter,
        list::{self, ListOrder, passes_filter},
        memo::{Memo, SharedRef},
    },
    session::{Session, context::ViewContext},
    work::comparison::ChangeMarks,
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olmap_report::{description, document::Line, layout::removed_rows};

/// Filter that selects packages with stuck versions, or stuck entries, if no name contains it.
const STUCK_FILTER: &str = "stuck";

/// Returns the packages that pass a filter: by name, or if no name does, by what consoles show.
/// [`STUCK_FILTER`] also selects packages with stuck versions.
pub(super) fn filter_packages(
    session: &Session,
    (snapshot, baseline): (&Snapshot, &Snapshot),
    filter: &str,
    order: Option<ListOrder>,
) -> Vec<PackageName> {
    let all = || snapshot.packages().map(|(name, _)| name);
    let mut names: Vec<PackageName> =
        all().filter(|name| passes_filter(filter, name.as_str())).cloned().collect();
    if names.is_empty() {
        let is_stuck = |name: &PackageName| {
            let package = snapshot.package(name.as_str()).filter(|_| is_stuck_filter(filter));
            package.is_some_and(|package| package.graph.stuck().count_any() > 0)
        };
        names = all()
            .filter(|name| is_stuck(name) || matches_console_fields(session, name, filter))
            .cloned()
            .collect();
    }
    list::sort_packages(&mut names, order, (snapshot, baseline), |name| {
        (session.worst_open_severity(name), session.open_findings_of(name).count())
    });
    names
}

fn is_stuck_filter(filter: &str) -> bool {
    filter.trim().eq_ignore_ascii_case(STUCK_FILTER)
}

/// Returns true if a field that consoles show of a package contains the text, in any open catalog.
/// False until the fields are read.
pub(super) fn matches_console_fields(session: &Session, name: &PackageName, text: &str) -> bool {
    let Some(index) = session.jobs.console_fields.index() else { return false };
    let wanted = text.trim().to_lowercase();
    let states = session.catalogs.all().iter();
    let mut states = states.filter_map(|open| open.visible_state().package(name.as_str()));
    !wanted.is_empty()
        && states.any(|state| {
            let values = index.find_values(state.package());
            values.is_some_and(|values| {
                values.iter().any(|value| value.is_shown && value.lowercase.contains(&wanted))
            })
        })
}

/// Returns the channels that pass a filter, the default channel first.
pub(super) fn filter_channels(
    package: &PackageState,
    filter: &str,
    order: Option<ListOrder>,
) -> Vec<ChannelName> {
    let default = package.package().default_channel();
    let mut seen = HashSet::new();
    let named = package.package().channels.iter().map(|channel| &channel.name.value);
    let passing = named.filter(|name| passes_filter(filter, name.as_str()) && seen.insert(*name));
    let mut names: Vec<ChannelName> = passing.cloned().collect();
    names.sort_by(|a, b| list::compare_channels(default, a, b));
    list::sort_channels(&mut names, order, package);
    names
}

/// Returns the entries of a channel that pass a filter by name, or if no name does and the filter is
/// [`STUCK_FILTER`], the stuck ones.
pub(super) fn filter_entries(
    package: &PackageState,
    channel: &ChannelName,
    filter: &str,
    order: Option<ListOrder>,
) -> Vec<BundleName> {
    let Some(upgrades) = package.graph.channel(channel.as_str()) else { return Vec::new() };
    let nodes = list::ordered_nodes(&upgrades.graph, order).into_iter();
    let nodes = nodes.filter_map(|at| upgrades.graph.node(at)).filter(|node| node.entry.is_some());
    let all: Vec<&BundleName> = nodes.map(|node| &node.name).collect();
    let named: Vec<BundleName> =
        all.iter().filter(|name| passes_filter(filter, name.as_str())).copied().cloned().collect();
    if named.is_empty() && is_stuck_filter(filter) {
        let stuck = package.graph.stuck();
        let is_stuck = |name: &&BundleName| stuck.state_of(name).is_stuck();
        return all.into_iter().filter(is_stuck).cloned().collect();
    }
    named
}

/// Adds removed names that pass the filter: at their position if the names are sorted, otherwise at
/// the end.
pub(super) fn add_removed_names<'a, T>(
    mut names: Vec<T>,
    gone: impl Iterator<Item = &'a T>,
    filter: &str,
    by_name: bool,
) -> Vec<T>
where
    T: Clone + Ord + AsRef<str> + 'a,
{
    let there = names.len();
    names.extend(gone.filter(|name| passes_filter(filter, (*name).as_ref())).cloned());
    if by_name && names.len() > there {
        names.sort();
    }
    names
}

/// Adds removed entries that pass the filter: at the position of their version for the order by
/// version, otherwise at the end.
pub(super) fn add_removed_entries(
    package: &PackageState,
    mut names: Vec<BundleName>,
    marks: &ChangeMarks,
    filter: &str,
    order: Option<ListOrder>,
) -> Vec<BundleName> {
    for gone in marks.removed.iter().filter(|gone| passes_filter(filter, gone.name.as_str())) {
        let version = |name: &BundleName| {
            let known = marks.removed_entry(name).map(|gone| gone.version.as_ref());
            known.unwrap_or_else(|| package.package().bundle_version(name.as_str()))
        };
        let versions = names.iter().map(version);
        let place = if order == Some(ListOrder::NewestFirst) {
            removed_rows::insert_position(versions, gone.version.as_ref())
        } else {
            None
        };
        names.insert(place.unwrap_or(names.len()), gone.name.clone());
    }
    names
}

/// Maximum width of text lines, for readability.
const MAX_TEXT_WIDTH: usize = 100;

type Key = (SharedRef<PackageState>, Option<BundleName>, usize, bool);

/// Wrapped descriptions.
#[derive(Debug, Default)]
pub(super) struct Descriptions {
    /// Description of the selected package.
    pub package: Memo<Key, Vec<Line>>,
    /// Description of the selected bundle.
    pub bundle: Memo<Key, Vec<Line>>,
}

impl Descriptions {
    /// Updates the descriptions.
    pub fn update(&mut self, view_cx: &ViewContext<'_>) {
        // The details pane is below or beside the lists, with a margin on each side and a scroll bar.
        let frame = view_cx.frame;
        let pane = if frame.has_side_pane() {
            frame.size.0.saturating_sub(frame.columns_before_side(Splitter::DetailsSide) + 1)
        } else {
            frame.size.0
        };
        let columns = usize::from(pane).saturating_sub(3).min(MAX_TEXT_WIDTH);
        let ascii = view_cx.settings.ascii;
        let package_state = view_cx.session.selected_package();
        let lines = |text: &str| description::render_markdown_lines(text.trim(), columns, ascii);
        self.package.update((SharedRef::from_shared(package_state), None, columns, ascii), |_| {
            let definition = package_state.and_then(|package_state| package_state.package().definition());
            let text = definition.and_then(|definition| definition.description.as_ref());
            text.map(|text| lines(&text.value)).unwrap_or_default()
        });
        let bundle = view_cx.session.selection().bundle.clone();
        self.bundle.update((SharedRef::from_shared(package_state), bundle, columns, ascii), |_| {
            view_cx.session.derived.details().map(|details| lines(&details.description)).unwrap_or_default()
        });
    }
}
