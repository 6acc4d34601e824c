//! The Graph screen: the upgrade graph of a channel, the neighborhood of a bundle, or all channels
//! side by side.

mod legend;
mod navigation;
pub mod options;
pub mod pictures;
mod table;
pub mod view;

pub use crate::tui::screens::graph::table::TABLE;

use std::sync::Arc;

use pictures::{GraphLayouts, GraphLines, visible_graph_lines};
use table::REPLACEMENTS;

use crate::tui::{
    keys::{ActionId, Screen, spec::Enabled},
    parts::{
        frame::{Hit, Splitter},
        list::{Direction, ListId},
        memo::{Memo, SharedRef},
    },
    screens::{
        graph::options::{FoldLevel, GraphMode, GraphView},
        screen::{ScreenState, ScreenView},
    },
    session::{
        action,
        context::{Context, ViewContext},
    },
    widgets::canvas::{Canvas, Rect},
    work::{Jump, ScreenEvent, comparison::ChangeMarks},
};
use olm_catalog::{BundleName, ChannelName};
use olm_check::review::PackageState;
use olm_upgrade::{
    path::{PathReport, UpgradeContext},
    v1::Query,
};
use olmap_report::layout::{
    FoldLine, Layout,
    neighborhood::Neighborhood,
    side_by_side::{PreparedChannels, SideBySide},
};

type RoutesKey =
    (SharedRef<PackageState>, Option<ChannelName>, Option<BundleName>, Query, Option<BundleName>);

/// State of the Graph screen.
#[derive(Debug, Default)]
pub struct Graph {
    /// Display options.
    pub view: GraphView,
    pictures: GraphLayouts,
    routes: Memo<RoutesKey, Vec<PathReport>>,
    all_channels: Memo<(SharedRef<PackageState>, SharedRef<ChangeMarks>), Option<PreparedChannels>>,
    side_by_side: Memo<pictures::SideBySideKey, Option<SideBySide>>,
}

impl Graph {
    /// Returns the layout of the channel.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.pictures.layout.value.as_ref()
    }

    /// Returns the neighborhood of the selected bundle, while it is visible.
    pub fn zoom(&self) -> Option<&Neighborhood> {
        self.pictures.zoom.value.as_ref()
    }

    /// Returns the visible rows of the layout.
    pub fn graph_lines(&self) -> &GraphLines {
        &self.pictures.lines.value
    }

    /// Returns the lines that a fold level would show.
    pub(super) fn preview_fold(&self, level: FoldLevel, view_cx: &ViewContext<'_>) -> Vec<FoldLine> {
        let session = view_cx.session;
        let context = (&**session.derived.marks(), session.selection().bundle.as_ref());
        let search = session.lists.filter(ListId::Graph);
        let lines = |layout| visible_graph_lines(layout, context, level, self.view.floor, search).lines;
        self.layout().map(|layout| lines(layout)).unwrap_or_default()
    }

    /// Returns the paths from the marked bundle to the selected one under each OLM version. Empty
    /// if nothing is marked.
    pub fn routes(&self) -> &[PathReport] {
        &self.routes.value
    }

    /// Returns all channels of the package side by side, while they are visible.
    pub fn side_by_side(&self) -> Option<&SideBySide> {
        self.side_by_side.value.as_ref()
    }

    /// Returns the visible list, whether or not it is focused.
    fn drawn_list(&self) -> ListId {
        if self.is_side_by_side() { ListId::SideBySide } else { ListId::Graph }
    }

    fn update_routes(&mut self, view_cx: &ViewContext<'_>) {
        let selection = view_cx.session.selection();
        let package = view_cx.session.selected_package();
        let marked = view_cx
            .session
            .navigation
            .marked_bundle
            .as_ref()
            .filter(|(of, _)| selection.package.as_ref() == Some(of));
        let key = (
            SharedRef::from_shared(package),
            selection.channel.clone(),
            selection.bundle.clone(),
            view_cx.session.upgrade_query.query.clone(),
            marked.map(|(_, bundle)| bundle.clone()),
        );
        self.routes.update(key, |(_, channel, to, query, from)| {
            let wanted = || Some((package?, channel.as_ref()?, from.as_ref()?, to.as_ref()?));
            let Some((package, channel, from, to)) = wanted() else { return Vec::new() };
            let from = view_cx.session.catalogs.installed_bundle(package, from);
            let contexts = [UpgradeContext::Classic(channel.clone()), UpgradeContext::V1(query.clone())];
            let route = |by| PathReport::new(&package.graph, by, &from, to);
            contexts.iter().map(route).collect()
        });
    }

    fn update_side_by_side(&mut self, view_cx: &ViewContext<'_>) {
        let package = view_cx.session.selected_package();
        let marks = view_cx.session.derived.package_marks();
        let first = self.side_by_side.value.as_ref().map_or(0, |shown| shown.first);
        let key = pictures::SideBySideKey {
            package: SharedRef::from_shared(package),
            marks: SharedRef::from_shared(Some(marks)),
            channel: view_cx.session.selection().channel.clone(),
            width: usize::from(view_cx.frame.size.0),
        };
        self.all_channels.update(
            (SharedRef::from_shared(package), SharedRef::from_shared(Some(marks))),
            |_| {
                let gone = marks.removed.iter().map(|gone| (gone.name.clone(), gone.version.clone()));
                Some(PreparedChannels::with_removed(&package?.graph, &gone.collect::<Vec<_>>()))
            },
        );
        let prepared = self.all_channels.value.as_ref();
        self.side_by_side
            .update(key, |key| Some(pictures::draw_side_by_side(package?, prepared?, key, first)));
    }
}

impl ScreenState for Graph {
    fn check_action(&self, id: ActionId, view_cx: &ViewContext<'_>) -> Option<Enabled> {
        action::find_handler(TABLE, REPLACEMENTS, id).map(|how| (how.is_enabled)(self, view_cx))
    }

    fn run_action(&mut self, id: ActionId, cx: &mut Context<'_>) {
        if let Some(how) = action::find_handler(TABLE, REPLACEMENTS, id) {
            (how.run)(self, cx);
        }
    }

    fn focused_list(&self, _see: &ViewContext<'_>) -> ListId {
        if self.view.is_reading { ListId::Details } else { self.drawn_list() }
    }

    fn row_count(&self, list: ListId, view_cx: &ViewContext<'_>) -> usize {
        match list {
            ListId::Graph => self.graph_lines().lines.len(),
            ListId::SideBySide => self.side_by_side().map_or(0, |side| side.rows.len()),
            _ => view_cx.frame.hits.drawn_list(list).map_or(0, |drawn| drawn.rows),
        }
    }

    fn list_cursor(&self, list: ListId, view_cx: &ViewContext<'_>) -> Option<usize> {
        navigation::selected_line(self, list, view_cx.session)
    }

    fn select_row(&mut self, list: ListId, row: usize, cx: &mut Context<'_>) {
        navigation::select_line(self, list, row, cx.session);
    }

    fn focus_list(&mut self, list: ListId, _cx: &mut Context<'_>) {
        match list {
            ListId::Details => self.view.is_reading = true,
            ListId::Graph => self.view.is_reading = false,
            _ => {}
        }
    }

    fn open_highlighted(&mut self, cx: &mut Context<'_>) {
        if self.is_side_by_side() {
            self.leave_side_by_side(cx);
        } else {
            cx.go_to(Jump::Screen(Screen::Upgrades));
        }
    }

    fn describe_enter(&self, view_cx: &ViewContext<'_>) -> Option<&'static str> {
        let words = if self.is_side_by_side() { "its graph" } else { "upgrades" };
        (self.row_count(self.drawn_list(), view_cx) > 0).then_some(words)
    }

    fn paired_keys(&self) -> Option<([ActionId; 2], &'static str)> {
        self.is_side_by_side().then_some(([ActionId::GraphLeft, ActionId::GraphRight], "channel"))
    }

    fn go_back(&mut self, cx: &mut Context<'_>) -> bool {
        if self.view.mode == GraphMode::Zoom {
            self.set_mode(GraphMode::Channel, cx.session);
        } else if self.view.is_reading {
            self.view.is_reading = false;
        } else if self.is_side_by_side() {
            self.leave_side_by_side(cx);
        } else {
            return cx.session.navigation.marked_bundle.take().is_some();
        }
        true
    }

    fn focus_next_pane(&mut self, _by: isize, _cx: &mut Context<'_>) {
        self.view.is_reading = !self.view.is_reading;
    }

    fn splitter(&self, view_cx: &ViewContext<'_>) -> Option<(Splitter, bool)> {
        let is_side = view_cx.frame.has_side_pane() && self.view.mode == GraphMode::Channel;
        let splitter = if is_side { Splitter::GraphSide } else { Splitter::Graph };
        Some((splitter, !self.view.is_reading))
    }

    fn check_next_change(&self, view_cx: &ViewContext<'_>) -> Enabled {
        options::check_layout(self, view_cx)
    }

    fn next_change(&mut self, direction: Direction, cx: &mut Context<'_>) -> bool {
        if cx.session.mark_comparison().is_none() && cx.session.catalogs.what_if().is_none() {
            options::go_to_notable_row(self, cx, direction);
            return true;
        }
        navigation::select_next_change(self, cx, direction)
    }

    fn handle_event(&mut self, event: ScreenEvent, cx: &mut Context<'_>) {
        match event {
            ScreenEvent::Floor(floor) => self.view.floor = floor,
            ScreenEvent::Filtered(ListId::Graph) => options::select_first_match(self, cx.session),
            ScreenEvent::OneChannel => self.set_mode(GraphMode::Channel, cx.session),
            ScreenEvent::Filtered(_) | ScreenEvent::Finding(_) | ScreenEvent::Shown => {}
        }
    }

    fn handle_click(&mut self, hit: Hit, cx: &mut Context<'_>) {
        match hit {
            Hit::Channel(number) => self.select_channel_index(number, cx.session),
            Hit::Box(index) => {
                let clicked = self.zoom().and_then(|zoom| zoom.boxes.get(index));
                if let Some(at) = clicked.and_then(|clicked| clicked.members.first()).copied() {
                    cx.session.catalogs.select_node(at);
                }
            }
            _ => {}
        }
    }

    fn describe_position(
        &mut self,
        list: ListId,
        row: usize,
        (x, y): (u16, u16),
        cx: &mut Context<'_>,
    ) -> Option<String> {
        match list {
            ListId::Graph => navigation::describe_edge(self, cx.frame, row, x),
            ListId::SideBySide => {
                let (number, column) = cx.frame.hits.channel_at(x, y)?;
                self.select_channel_index(number, cx.session);
                navigation::describe_strip_edge(self, number, row, column)
            }
            _ => None,
        }
    }

    fn update_derived(&mut self, view_cx: &ViewContext<'_>) {
        if self.is_side_by_side() {
            self.update_side_by_side(view_cx);
        } else {
            let key = pictures::ChannelKey {
                package: SharedRef::from_shared(view_cx.session.selected_package()),
                channel: view_cx.session.selection().channel.clone(),
                query: view_cx.session.upgrade_query.query.clone(),
                width: usize::from(view_cx.frame.size.0),
            };
            self.pictures.update_channel(key, &self.view, view_cx);
            if self.view.mode == GraphMode::Zoom {
                self.pictures.update_zoom(view_cx);
            }
        }
        self.update_routes(view_cx);
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw_graph_screen(&ScreenView::new(self, view_cx), canvas, area);
    }
}
