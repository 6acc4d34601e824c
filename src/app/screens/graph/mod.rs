//! The Graph screen: the upgrade graph of a channel, the neighborhood of a bundle, or all channels
//! side by side.

pub mod all_channels;
mod exports;
mod folds;
mod moves;
pub mod picture;
mod pointing;
mod rows;
mod side_by_side;
mod table;
pub mod view;
mod zoom;

pub use table::TABLE;

use table::INSTEAD;

use std::sync::Arc;

use crate::{
    app::{
        keys::{ActionId, Screen, spec::Enabled},
        parts::{
            hit::Hit,
            list::ListId,
            memo::{Memo, Same},
            splits::Splitter,
            way::Way,
        },
        screens::screen::ScreenState,
        session::{
            action,
            cx::{Cx, See},
        },
        work::{Answer, Jump, marks::Marks},
    },
    catalog::{BundleName, ChannelName},
    layout::{
        Layout,
        neighbourhood::Neighbourhood,
        side_by_side::{Ground, SideBySide},
    },
    review::Judged,
    upgrade::{
        path::{Route, Traveller},
        v1::Query,
    },
};
use picture::{GraphLines, Pictures};
use view::{GraphMode, GraphView};

type RoutesKey = (Same<Judged>, Option<ChannelName>, Option<BundleName>, Query, Option<BundleName>);

/// State of the Graph screen.
#[derive(Debug, Default)]
pub struct Graph {
    /// Display options.
    pub view: GraphView,
    pictures: Pictures,
    routes: Memo<RoutesKey, Vec<Route>>,
    all_channels: Memo<(Same<Judged>, Same<Marks>), Option<Ground>>,
    side_by_side: Memo<all_channels::Key, Option<SideBySide>>,
}

impl Graph {
    /// Returns the layout of the channel.
    pub fn layout(&self) -> Option<&Arc<Layout>> {
        self.pictures.layout.value.as_ref()
    }

    /// Returns the neighborhood of the selected bundle, while it is visible.
    pub fn zoom(&self) -> Option<&Neighbourhood> {
        self.pictures.zoom.value.as_ref()
    }

    /// Returns the visible rows of the layout.
    pub fn graph_lines(&self) -> &GraphLines {
        &self.pictures.lines.value
    }

    /// Returns the paths from the marked bundle to the selected one under each OLM version. Empty
    /// if nothing is marked.
    pub fn routes(&self) -> &[Route] {
        &self.routes.value
    }

    /// Returns all channels of the package side by side, while they are visible.
    pub fn side_by_side(&self) -> Option<&SideBySide> {
        self.side_by_side.value.as_ref()
    }

    /// Returns the visible list, whether or not it is focused.
    fn drawn(&self) -> ListId {
        if self.is_side_by_side() { ListId::SideBySide } else { ListId::Graph }
    }

    fn settle_routes(&mut self, see: &See<'_>) {
        let selection = see.session.selection();
        let package = see.session.package();
        let marked = see.session.mark.as_ref().filter(|(of, _)| selection.package.as_ref() == Some(of));
        let key = (
            Same::of(package),
            selection.channel.clone(),
            selection.bundle.clone(),
            see.session.question.query.clone(),
            marked.map(|(_, bundle)| bundle.clone()),
        );
        self.routes.update(key, |(_, channel, to, query, from)| {
            let wanted = || Some((package?, channel.as_ref()?, from.as_ref()?, to.as_ref()?));
            let Some((package, channel, from, to)) = wanted() else { return Vec::new() };
            let from = see.session.installed(package, from);
            let travellers = [Traveller::Classic(channel.clone()), Traveller::V1(query.clone())];
            let route = |by| Route::new(&package.graph, by, &from, to);
            travellers.iter().map(route).collect()
        });
    }

    fn settle_side_by_side(&mut self, see: &See<'_>) {
        let package = see.session.package();
        let marks = see.session.answers.package_marks();
        let first = self.side_by_side.value.as_ref().map_or(0, |shown| shown.first);
        let key = all_channels::Key {
            package: Same::of(package),
            marks: Same::of(Some(marks)),
            channel: see.session.selection().channel.clone(),
            width: usize::from(see.frame.size.0),
        };
        self.all_channels.update((Same::of(package), Same::of(Some(marks))), |_| {
            let gone = marks.gone.iter().map(|gone| (gone.name.clone(), gone.version.clone()));
            Some(Ground::with_gone(&package?.graph, &gone.collect::<Vec<_>>()))
        });
        let ground = self.all_channels.value.as_ref();
        self.side_by_side.update(key, |key| Some(all_channels::picture(package?, ground?, key, first)));
    }
}

impl ScreenState for Graph {
    fn can(&self, id: ActionId, see: &See<'_>) -> Option<Enabled> {
        action::how(TABLE, INSTEAD, id).map(|how| (how.can)(self, see))
    }

    fn act(&mut self, id: ActionId, cx: &mut Cx<'_>) {
        if let Some(how) = action::how(TABLE, INSTEAD, id) {
            (how.run)(self, cx);
        }
    }

    fn list(&self, _see: &See<'_>) -> ListId {
        if self.view.reading { ListId::Details } else { self.drawn() }
    }

    fn rows(&self, list: ListId, see: &See<'_>) -> usize {
        match list {
            ListId::Graph => self.graph_lines().lines.len(),
            ListId::SideBySide => self.side_by_side().map_or(0, |side| side.rows.len()),
            _ => see.frame.hits.list(list).map_or(0, |drawn| drawn.rows),
        }
    }

    fn cursor(&self, list: ListId, see: &See<'_>) -> Option<usize> {
        rows::cursor(self, list, see.session)
    }

    fn select(&mut self, list: ListId, row: usize, cx: &mut Cx<'_>) {
        rows::select(self, list, row, cx.session);
    }

    fn focus(&mut self, list: ListId, _cx: &mut Cx<'_>) {
        match list {
            ListId::Details => self.view.reading = true,
            ListId::Graph => self.view.reading = false,
            _ => {}
        }
    }

    fn enter(&mut self, cx: &mut Cx<'_>) {
        if self.is_side_by_side() {
            self.leave_side_by_side(cx);
        } else {
            cx.go(Jump::Screen(Screen::Upgrades));
        }
    }

    fn enters(&self, see: &See<'_>) -> Option<&'static str> {
        let words = if self.is_side_by_side() { "its graph" } else { "upgrades" };
        (self.rows(self.drawn(), see) > 0).then_some(words)
    }

    fn pair(&self) -> Option<([ActionId; 2], &'static str)> {
        self.is_side_by_side().then_some(([ActionId::GraphLeft, ActionId::GraphRight], "channel"))
    }

    fn back(&mut self, cx: &mut Cx<'_>) -> bool {
        if self.view.mode == GraphMode::Zoom {
            self.draw_graph(GraphMode::Channel, cx.session);
        } else if self.view.reading {
            self.view.reading = false;
        } else if self.is_side_by_side() {
            self.leave_side_by_side(cx);
        } else {
            return cx.session.mark.take().is_some();
        }
        true
    }

    fn turn(&mut self, _by: isize, _cx: &mut Cx<'_>) {
        self.view.reading = !self.view.reading;
    }

    fn splitter(&self, _see: &See<'_>) -> Option<(Splitter, bool)> {
        Some((Splitter::Graph, !self.view.reading))
    }

    fn has_news(&self, see: &See<'_>) -> Enabled {
        folds::has_layout(self, see)
    }

    fn next_change(&mut self, way: Way, cx: &mut Cx<'_>) -> bool {
        if cx.session.marked().is_none() && cx.session.what_if().is_none() {
            folds::go_to_news(self, cx, way);
            return true;
        }
        rows::next_change(self, cx, way)
    }

    fn answered(&mut self, answer: Answer, cx: &mut Cx<'_>) {
        match answer {
            Answer::Floor(floor) => self.view.floor = floor,
            Answer::Filtered(ListId::Graph) => folds::search_from_here(self, cx.session),
            Answer::OneChannel => self.draw_graph(GraphMode::Channel, cx.session),
            Answer::Filtered(_) | Answer::Finding(_) => {}
        }
    }

    fn clicked(&mut self, hit: Hit, cx: &mut Cx<'_>) {
        match hit {
            Hit::Channel(number) => self.select_channel_number(number, cx.session),
            Hit::Box(index) => {
                let clicked = self.zoom().and_then(|zoom| zoom.boxes.get(index));
                if let Some(at) = clicked.and_then(|clicked| clicked.members.first()).copied() {
                    cx.session.select_node(at);
                }
            }
            _ => {}
        }
    }

    fn pointed(&mut self, list: ListId, row: usize, (x, y): (u16, u16), cx: &mut Cx<'_>) -> Option<String> {
        match list {
            ListId::Graph => pointing::edge(self, cx.frame, row, x),
            ListId::SideBySide => {
                let (number, column) = cx.frame.hits.channel_at(x, y)?;
                self.select_channel_number(number, cx.session);
                pointing::edge_of_strip(self, number, row, column)
            }
            _ => None,
        }
    }

    fn settle(&mut self, see: &See<'_>) {
        if self.is_side_by_side() {
            self.settle_side_by_side(see);
        } else {
            let key = picture::Key {
                package: Same::of(see.session.package()),
                channel: see.session.selection().channel.clone(),
                query: see.session.question.query.clone(),
                width: usize::from(see.frame.size.0),
            };
            self.pictures.draw(key, &self.view, see);
            if self.view.mode == GraphMode::Zoom {
                self.pictures.zoom(see);
            }
        }
        self.settle_routes(see);
    }
}
