//! Cached layouts of the Graph screen. The part that does not depend on the selection is cached
//! separately.

use std::sync::Arc;

use super::view::{self, GraphView};
use crate::tui::{
    parts::{
        list::{ListId, passes_filter},
        memo::{Memo, SharedRef},
    },
    session::context::ViewContext,
    work::change_marks::{ChangeMarks, RemovedEntry},
};
use olm_catalog::{BundleName, ChannelName};
use olm_check::review::PackageState;
use olm_upgrade::v1::Query;
use olmap_report::layout::{
    self, Floor, FoldLine, FoldOptions, Layout, Options, PreparedChannel,
    neighborhood::{self, Neighborhood},
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
type LinesKey = (SharedRef<Layout>, SharedRef<ChangeMarks>, bool, Option<Floor>, String);
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
        let GraphView { folds_rows: fold, floor, .. } = *view;
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
        let room = view::zoom_room(view_cx.frame.screen_size());
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

fn visible_graph_lines(
    layout: &Layout,
    (marks, selected): (&ChangeMarks, Option<&BundleName>),
    dull: bool,
    floor: Option<Floor>,
    search: &str,
) -> GraphLines {
    let rows = layout.rows.iter().enumerate();
    let holds =
        |row: &layout::Row| passes_filter(search, &format!("{} {} {}", row.name, row.version, row.note));
    let searches = !search.is_empty();
    let found: Vec<usize> = rows.filter(|(_, row)| searches && holds(row)).map(|(index, _)| index).collect();
    let lines = layout.fold_lines(FoldOptions {
        fold_alike: dull,
        floor,
        matches: searches.then_some(found.as_slice()),
    });
    let is_shown = |gone: &RemovedEntry| {
        let is_below = floor.is_some_and(|floor| floor.excludes(&gone.label));
        let is_found = !dull || passes_filter(search, gone.name.as_str());
        Some(&gone.name) == selected || is_found && !is_below
    };
    let gone = marks.removed.iter().enumerate().filter(|(_, gone)| is_shown(gone));
    let gone: Vec<_> = gone.map(|(number, gone)| (number, gone.version.as_ref())).collect();
    GraphLines { lines: layout.with_removed(lines, &gone), matches: found }
}
