//! Cached layouts of the Graph screen. The part that does not depend on the selection is cached
//! separately.

use std::sync::Arc;

use super::view::{self, GraphView};
use crate::{
    app::{
        parts::{
            list::{ListId, passes},
            memo::{Memo, Same},
        },
        session::cx::See,
        work::marks::{Gone, Marks},
    },
    catalog::{BundleName, ChannelName},
    layout::{
        self, ChannelGround, Floor, Fold, Layout, Line, Options,
        neighbourhood::{self, Neighbourhood},
    },
    review::Judged,
    upgrade::v1::Query,
};

/// Inputs of the layout that do not depend on the selected bundle.
#[derive(Debug, PartialEq)]
pub(in crate::app) struct Key {
    pub(in crate::app) package: Same<Judged>,
    pub(in crate::app) channel: Option<ChannelName>,
    pub(in crate::app) query: Query,
    /// Columns of the terminal.
    pub(in crate::app) width: usize,
}

type LayoutKey = (Same<ChannelGround>, Option<BundleName>);
type LinesKey = (Same<Layout>, Same<Marks>, bool, Option<Floor>, String);
type ZoomKey = (Same<ChannelGround>, Same<Marks>, Option<BundleName>, (u16, u16));

/// Visible rows of the layout, and the matches of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLines {
    /// The visible lines from top to bottom.
    pub lines: Vec<Line>,
    /// Rows of the layout that match the search. Empty without a search.
    pub found: Vec<usize>,
}

/// Layouts of the selected channel and bundle.
#[derive(Debug, Default)]
pub(in crate::app) struct Pictures {
    ground: Memo<Key, Option<Arc<ChannelGround>>>,
    pub(in crate::app) layout: Memo<LayoutKey, Option<Arc<Layout>>>,
    pub(in crate::app) lines: Memo<LinesKey, GraphLines>,
    pub(in crate::app) zoom: Memo<ZoomKey, Option<Neighbourhood>>,
}

impl Pictures {
    /// Updates the layout of the channel and its visible lines.
    pub(in crate::app) fn draw(&mut self, key: Key, view: &GraphView, see: &See<'_>) {
        let package = see.session.package();
        self.ground.update(key, |key| Some(Arc::new(ground(package?, key)?)));
        let ground = self.ground.value.as_ref();
        let selected = (Same::of(ground), see.session.selection().bundle.clone());
        self.layout.update(selected, |(_, bundle)| Some(Arc::new(ground?.layout(bundle.as_ref())?)));
        let layout = self.layout.value.as_ref();
        let GraphView { fold, floor, .. } = *view;
        let marks = see.session.answers.marks();
        let search = see.session.lists.filter(ListId::Graph).to_owned();
        // The key contains the layout, which depends on the selected bundle.
        let key = (Same::of(layout), Same::of(Some(marks)), fold, floor, search);
        let selected = see.session.selection().bundle.as_ref();
        self.lines.update(key, |(_, _, fold, floor, search)| {
            layout.map(|layout| lines(layout, (marks, selected), *fold, *floor, search)).unwrap_or_default()
        });
    }

    /// Updates the neighborhood of the selected bundle.
    pub(in crate::app) fn zoom(&mut self, see: &See<'_>) {
        let ground = self.ground.value.as_ref();
        let room = view::zoom_room(see.frame.room());
        let marks = see.session.answers.marks();
        let key = (Same::of(ground), Same::of(Some(marks)), see.session.selection().bundle.clone(), room);
        self.zoom.update(key, |(_, _, bundle, (width, height))| {
            let (width, height) = ((*width).into(), (*height).into());
            let (query, marks) = (see.session.question.query.clone(), marks.signs());
            let options = neighbourhood::Options { width, height, query, marks };
            ground?.neighbourhood(bundle.as_ref()?, &options)
        });
    }
}

fn ground(package: &Judged, key: &Key) -> Option<ChannelGround> {
    let options = Options { query: key.query.clone(), ..Options::page(key.width) };
    ChannelGround::new(&package.graph, key.channel.as_ref()?.as_str(), &options)
}

fn lines(
    layout: &Layout,
    (marks, selected): (&Marks, Option<&BundleName>),
    dull: bool,
    floor: Option<Floor>,
    search: &str,
) -> GraphLines {
    let rows = layout.rows.iter().enumerate();
    let holds = |row: &layout::Row| passes(search, &format!("{} {} {}", row.name, row.version, row.note));
    let searches = !search.is_empty();
    let found: Vec<usize> = rows.filter(|(_, row)| searches && holds(row)).map(|(index, _)| index).collect();
    let lines = layout.lines(Fold { dull, floor, found: searches.then_some(found.as_slice()) });
    let is_shown = |gone: &Gone| {
        let is_below = floor.is_some_and(|floor| floor.is_above(&gone.label));
        let is_found = !dull || passes(search, gone.name.as_str());
        Some(&gone.name) == selected || is_found && !is_below
    };
    let gone = marks.gone.iter().enumerate().filter(|(_, gone)| is_shown(gone));
    let gone: Vec<_> = gone.map(|(number, gone)| (number, gone.version.as_ref())).collect();
    GraphLines { lines: layout.with_gone(lines, &gone), found }
}
