//! Cached layouts of the Graph screen. The part that does not depend on the selection is cached
//! separately.

use std::sync::Arc;

use crate::tui::{
    parts::{
        list::{ListId, passes_filter},
        memo::{Memo, SharedRef},
    },
    screens::graph::options::{self, FoldLevel, GraphView},
    session::context::ViewContext,
    work::comparison::{ChangeMarks, RemovedEntry},
};
use olm_catalog::{BundleName, ChannelName};
use olm_check::review::PackageState;
use olm_upgrade::v1::Query;
use olmap_report::{
    escape,
    layout::{
        self, Floor, FoldLine, FoldOptions, Layout, Options, PreparedChannel,
        neighborhood::{self, Neighborhood},
        side_by_side::{self as strips, PreparedChannels, SideBySide, Strip},
    },
};

/// Inputs of the layout that do not depend on the selected bundle.
#[derive(Debug, PartialEq)]
pub(in crate::tui) struct ChannelKey {
    pub(in crate::tui) package: SharedRef<PackageState>,
    pub(in crate::tui) channel: Option<ChannelName>,
    pub(in crate::tui) query: Query,
    /// Columns of the terminal.
    pub(in crate::tui) width: usize,
}

type LayoutKey = (SharedRef<PreparedChannel>, Option<BundleName>);
type LinesKey = (SharedRef<Layout>, SharedRef<ChangeMarks>, FoldLevel, Option<Floor>, String);
type ZoomKey = (SharedRef<PreparedChannel>, SharedRef<ChangeMarks>, Option<BundleName>, (u16, u16));

/// Visible rows of the layout, and the matches of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLines {
    /// The visible lines from top to bottom.
    pub lines: Vec<FoldLine>,
    /// Rows of the layout that match the search. Empty without a search.
    pub matches: Vec<usize>,
}

/// Layouts of the selected channel and bundle.
#[derive(Debug, Default)]
pub(in crate::tui) struct GraphLayouts {
    ground: Memo<ChannelKey, Option<Arc<PreparedChannel>>>,
    pub(in crate::tui) layout: Memo<LayoutKey, Option<Arc<Layout>>>,
    pub(in crate::tui) lines: Memo<LinesKey, GraphLines>,
    pub(in crate::tui) zoom: Memo<ZoomKey, Option<Neighborhood>>,
}

impl GraphLayouts {
    /// Updates the layout of the channel and its visible lines.
    pub(in crate::tui) fn update_channel(
        &mut self,
        key: ChannelKey,
        view: &GraphView,
        view_cx: &ViewContext<'_>,
    ) {
        let package = view_cx.session.selected_package();
        self.ground.update(key, |key| Some(Arc::new(channel_ground(package?, key)?)));
        let ground = self.ground.value.as_ref();
        let selected = (SharedRef::from_shared(ground), view_cx.session.selection().bundle.clone());
        self.layout.update(selected, |(_, bundle)| Some(Arc::new(ground?.draw_layout(bundle.as_ref())?)));
        let layout = self.layout.value.as_ref();
        let GraphView { fold, floor, .. } = *view;
        let marks = view_cx.session.derived.marks();
        let search = view_cx.session.lists.filter(ListId::Graph).to_owned();
        // The key contains the layout, which depends on the selected bundle.
        let key = (SharedRef::from_shared(layout), SharedRef::from_shared(Some(marks)), fold, floor, search);
        let selected = view_cx.session.selection().bundle.as_ref();
        self.lines.update(key, |(_, _, fold, floor, search)| {
            layout
                .map(|layout| visible_graph_lines(layout, (marks, selected), *fold, *floor, search))
                .unwrap_or_default()
        });
    }

    /// Updates the neighborhood of the selected bundle.
    pub(in crate::tui) fn update_zoom(&mut self, view_cx: &ViewContext<'_>) {
        let ground = self.ground.value.as_ref();
        let room = options::zoom_room(view_cx.frame.screen_size());
        let marks = view_cx.session.derived.marks();
        let key = (
            SharedRef::from_shared(ground),
            SharedRef::from_shared(Some(marks)),
            view_cx.session.selection().bundle.clone(),
            room,
        );
        self.zoom.update(key, |(_, _, bundle, (width, height))| {
            let (width, height) = ((*width).into(), (*height).into());
            let (query, marks) = (view_cx.session.upgrade_query.query.clone(), marks.mark_characters());
            let options = neighborhood::Options { width, height, query, marks };
            ground?.draw_neighborhood(bundle.as_ref()?, &options)
        });
    }
}

fn channel_ground(package: &PackageState, key: &ChannelKey) -> Option<PreparedChannel> {
    let options = Options { query: key.query.clone(), ..Options::for_page_width(key.width) };
    PreparedChannel::new(&package.graph, key.channel.as_ref()?.as_str(), &options)
}

/// Returns the visible lines of a layout.
pub(super) fn visible_graph_lines(
    layout: &Layout,
    (marks, selected): (&ChangeMarks, Option<&BundleName>),
    level: FoldLevel,
    floor: Option<Floor>,
    search: &str,
) -> GraphLines {
    let rows = layout.rows.iter().enumerate();
    let holds =
        |row: &layout::Row| passes_filter(search, &format!("{} {} {}", row.name, row.version, row.note));
    let searches = !search.is_empty();
    let found: Vec<usize> = rows.filter(|(_, row)| searches && holds(row)).map(|(index, _)| index).collect();
    let lines = layout.fold_lines(FoldOptions {
        fold_alike: level == FoldLevel::Unremarkable,
        fold_repeated_notes: level == FoldLevel::RepeatedNotes,
        floor,
        matches: searches.then_some(found.as_slice()),
    });
    let is_shown = |gone: &RemovedEntry| {
        let is_below = floor.is_some_and(|floor| floor.excludes(&gone.label));
        let is_found = level != FoldLevel::Unremarkable || passes_filter(search, gone.name.as_str());
        Some(&gone.name) == selected || is_found && !is_below
    };
    let gone = marks.removed.iter().enumerate().filter(|(_, gone)| is_shown(gone));
    let gone: Vec<_> = gone.map(|(number, gone)| (number, gone.version.as_ref())).collect();
    GraphLines { lines: layout.with_removed(lines, &gone), matches: found }
}

/// Inputs of the picture. The selected row is highlighted later.
#[derive(Debug, PartialEq)]
pub(in crate::tui) struct SideBySideKey {
    pub(in crate::tui) package: SharedRef<PackageState>,
    /// Change marks, which include removed entries.
    pub(in crate::tui) marks: SharedRef<ChangeMarks>,
    pub(in crate::tui) channel: Option<ChannelName>,
    /// Columns of the terminal.
    pub(in crate::tui) width: usize,
}

/// Longest channel name for which all strips are drawn further apart, so that it fits above its
/// strip.
const MAX_NAME_WIDTH: usize = 16;

/// Draws the picture. The first visible channel stays the same as long as the selected one is
/// visible too.
pub(in crate::tui) fn draw_side_by_side(
    package: &PackageState,
    ground: &PreparedChannels,
    key: &SideBySideKey,
    first: usize,
) -> SideBySide {
    let names = package.package().channels.iter().map(|c| escape::display_width(c.name.value.as_str()));
    let options = strips::Options {
        // The remaining columns are for versions and notes.
        columns: (key.width * 3 / 5).saturating_sub(10).max(key.width / 2),
        max_pitch: names.max().unwrap_or(0).min(MAX_NAME_WIDTH) + 1,
        selected: key.channel.clone(),
        first,
    };
    let picture = ground.draw_window(&options);
    match spread_width(&picture, &options, key.width) {
        Some(room) => ground.draw_window(&strips::Options { columns: room, ..options }),
        None => picture,
    }
}

/// Maximum number of columns for the note of a row.
const MAX_NOTE_WIDTH: usize = 40;

/// Returns the width at which all names fit above their strips, if the notes leave enough columns.
fn spread_width(picture: &SideBySide, options: &strips::Options, columns: usize) -> Option<usize> {
    let widest =
        |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| escape::display_width(text)).max();
    let words = widest(&mut picture.rows.iter().map(|row| &row.note)).unwrap_or_default().min(MAX_NOTE_WIDTH);
    let version = widest(&mut picture.rows.iter().map(|row| &row.version)).unwrap_or_default().clamp(7, 20);
    let wanted = picture.channels.len() * options.max_pitch;
    // Notes are below the end of the last name, after the number of channels.
    let beside = version + 6 + words.saturating_sub(options.max_pitch.saturating_sub(Strip::WIDTH + 6));
    (picture.pitch < options.max_pitch && wanted + beside <= columns).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use olm_check::review::Snapshot;
    use olm_upgrade::fixture;

    #[test]
    fn names_are_not_shortened_if_columns_are_free() {
        let channels =
            ["threescale-2.12", "threescale-2.13", "threescale-2.14", "threescale-mas"].map(|c| (c, "1.0.0"));
        let snapshot = Snapshot::new(fixture::catalog_from_channels(&channels));
        let package_state = snapshot.package("p").unwrap();
        let ground = PreparedChannels::new(&package_state.graph);
        let pitch = |width| {
            let key = SideBySideKey {
                package: SharedRef::from_shared(None),
                marks: SharedRef::from_shared(None),
                channel: None,
                width,
            };
            draw_side_by_side(package_state, &ground, &key, 0).pitch
        };
        assert_eq!((pitch(160), pitch(120)), (16, 16), "each name has its columns");
        assert!(pitch(60) < 16, "words come first");
    }
}
