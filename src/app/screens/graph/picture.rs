//! The pictures of the Graph screen. What of a channel stays the same while the selection moves is kept apart.

use std::sync::Arc;

use super::view::{self, GraphView};
use crate::{
    app::{
        parts::{
            list::{ListId, passes},
            memo::{Memo, Same},
        },
        session::cx::See,
    },
    catalog::{BundleName, ChannelName},
    layout::{
        self, ChannelGround, Floor, Fold, Layout, Line, Options,
        neighbourhood::{self, Neighbourhood},
    },
    review::Judged,
    upgrade::v1::Query,
};

/// What the pictures of a channel depend on, whichever bundle is selected.
#[derive(Debug, PartialEq)]
pub(in crate::app) struct Key {
    pub(in crate::app) package: Same<Judged>,
    pub(in crate::app) channel: Option<ChannelName>,
    pub(in crate::app) query: Query,
    /// Columns of the terminal.
    pub(in crate::app) width: usize,
}

type LayoutKey = (Same<ChannelGround>, Option<BundleName>);
type LinesKey = (Same<Layout>, bool, Option<Floor>, String);
type ZoomKey = (Same<ChannelGround>, Option<BundleName>, (u16, u16));

/// The rows of the picture that are shown, and those a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphLines {
    /// From top to bottom.
    pub lines: Vec<Line>,
    /// Rows of the picture in which the searched text is; none where nothing is searched.
    pub found: Vec<usize>,
}

/// The pictures of the selected channel and bundle.
#[derive(Debug, Default)]
pub(in crate::app) struct Pictures {
    ground: Memo<Key, Option<Arc<ChannelGround>>>,
    pub(in crate::app) layout: Memo<LayoutKey, Option<Arc<Layout>>>,
    pub(in crate::app) lines: Memo<LinesKey, GraphLines>,
    pub(in crate::app) zoom: Memo<ZoomKey, Option<Neighbourhood>>,
}

impl Pictures {
    /// The picture of the channel, and which of its rows are shown.
    pub(in crate::app) fn draw(&mut self, key: Key, view: &GraphView, see: &See<'_>) {
        let package = see.session.package();
        self.ground.update(key, |key| Some(Arc::new(ground(package?, key)?)));
        let ground = self.ground.value.as_ref();
        let selected = (Same::of(ground), see.session.selection().bundle.clone());
        self.layout.update(selected, |(_, bundle)| Some(Arc::new(ground?.layout(bundle.as_ref())?)));
        let layout = self.layout.value.as_ref();
        let GraphView { fold, floor, .. } = *view;
        let key = (Same::of(layout), fold, floor, see.session.lists.filter(ListId::Graph).to_owned());
        self.lines.update(key, |(_, fold, floor, search)| {
            layout.map(|layout| lines(layout, *fold, *floor, search)).unwrap_or_default()
        });
    }

    /// The neighbourhood of the selected bundle.
    pub(in crate::app) fn zoom(&mut self, see: &See<'_>) {
        let ground = self.ground.value.as_ref();
        let room = view::zoom_room(see.frame.room());
        let key = (Same::of(ground), see.session.selection().bundle.clone(), room);
        self.zoom.update(key, |(_, bundle, (width, height))| {
            let (width, height) = ((*width).into(), (*height).into());
            let options = neighbourhood::Options { width, height, query: see.session.question.query.clone() };
            ground?.neighbourhood(bundle.as_ref()?, &options)
        });
    }
}

fn ground(package: &Judged, key: &Key) -> Option<ChannelGround> {
    let options = Options { query: key.query.clone(), ..Options::page(key.width) };
    ChannelGround::new(&package.graph, key.channel.as_ref()?.as_str(), &options)
}

fn lines(layout: &Layout, dull: bool, floor: Option<Floor>, search: &str) -> GraphLines {
    let rows = layout.rows.iter().enumerate();
    let holds = |row: &layout::Row| passes(search, &format!("{} {} {}", row.name, row.version, row.note));
    let searches = !search.is_empty();
    let found: Vec<usize> = rows.filter(|(_, row)| searches && holds(row)).map(|(index, _)| index).collect();
    let lines = layout.lines(Fold { dull, floor, found: searches.then_some(found.as_slice()) });
    GraphLines { lines, found }
}
