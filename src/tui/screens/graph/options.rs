//! Display options of the Graph screen, which are kept while other screens are visible, with their
//! actions, and exports of the graph.

use crate::tui::{
    dialogs::{
        edit_choice,
        prompt::{Prompt, PromptPurpose},
    },
    keys::{ActionId, spec::Enabled},
    parts::{
        list::{Direction, ListId},
        memo::SharedRef,
    },
    screens::{
        graph::{Graph, legend, navigation::check_channels},
        screen::ScreenState as _,
    },
    session::{
        Session,
        context::{Context, ViewContext},
        stuck_versions,
    },
};
use olm_catalog::{ChannelName, PackageName};
use olm_check::review::stuck::path_fix_edit;
use olm_edit::Edit;
use olmap_report::{
    graph::{Format, file_name},
    layout::Floor,
};

/// Mode of the Graph screen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GraphMode {
    /// The selected channel, one row per bundle.
    #[default]
    Channel,
    /// The neighborhood of the selected bundle, two hops in each direction.
    Zoom,
    /// All channels of the package side by side.
    SideBySide,
}

/// Rows that one line replaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FoldLevel {
    /// Rows below a row with the same note, for example the same reason why they are stuck.
    #[default]
    RepeatedNotes,
    /// No rows.
    Nothing,
    /// Rows without anything notable too; during a search, rows without a match.
    Unremarkable,
}

impl FoldLevel {
    /// Returns the level after this one.
    const fn next(self) -> Self {
        match self {
            Self::RepeatedNotes => Self::Nothing,
            Self::Nothing => Self::Unremarkable,
            Self::Unremarkable => Self::RepeatedNotes,
        }
    }
}

/// Display options of the Graph screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphView {
    /// The mode.
    pub mode: GraphMode,
    /// Whether the text below the graph is focused.
    pub is_reading: bool,
    /// Whether rows that are unrelated to the selected bundle are dimmed.
    pub dims_unrelated: bool,
    /// The rows that are folded.
    pub fold: FoldLevel,
    /// The lowest version to show.
    pub floor: Option<Floor>,
}

/// Rows of header, tabs and hints.
const CHROME_ROWS: u16 = 3;

/// Returns the number of rows for the upgrades below a graph, without the rule above them.
pub fn answer_rows(rows: u16) -> u16 {
    match rows {
        0..9 => 0,
        9..16 => 3,
        _ => 5,
    }
}

/// Returns columns and rows for the picture of [`GraphMode::Zoom`]: the terminal size without
/// margins, heading, upgrades, and a legend if there is room.
pub fn zoom_room((columns, rows): (u16, u16)) -> (u16, u16) {
    let rows = rows.saturating_sub(CHROME_ROWS);
    let answers = answer_rows(rows);
    let graph = rows.saturating_sub(answers + u16::from(answers > 0));
    (columns.saturating_sub(2), graph.saturating_sub(1 + u16::from(graph >= 10)))
}

pub(super) fn check_layout(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    if graph.is_side_by_side() {
        return Err(format!("only for one channel: {} goes there", view_cx.key_label(ActionId::In)));
    }
    let rows = graph.layout().map_or(0, |layout| layout.rows.len());
    if rows > 0 { Ok(()) } else { Err("no channel with entries is selected".to_owned()) }
}

pub(super) fn check_search(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    check_layout(graph, view_cx)?;
    if view_cx.session.lists.filter(ListId::Graph).is_empty() {
        return Err(format!("no search is active: start one with {}", view_cx.key_label(ActionId::Filter)));
    }
    if graph.graph_lines().matches.is_empty() { Err("no match".to_owned()) } else { Ok(()) }
}

pub(super) fn toggle_focus(graph: &mut Graph, _: &mut Context<'_>) {
    graph.view.dims_unrelated = !graph.view.dims_unrelated;
}

/// Switches to the next level that folds other rows.
pub(super) fn toggle_fold(graph: &mut Graph, cx: &mut Context<'_>) {
    let lines = |level| graph.preview_fold(level, &cx.view());
    let now = lines(graph.view.fold);
    let next = graph.view.fold.next();
    graph.view.fold = if lines(next) == now { next.next() } else { next };
}

/// Marks the selected bundle, or removes its mark.
pub(super) fn toggle_mark(_: &mut Graph, cx: &mut Context<'_>) {
    let selection = cx.session.selection();
    let here = selection.package.clone().zip(selection.bundle.clone());
    cx.session.navigation.marked_bundle =
        if cx.session.navigation.marked_bundle == here { None } else { here };
}

/// Returns the edit that adds the path from the mark to the selected bundle, for Classic if
/// possible.
fn path_edit(graph: &Graph) -> Option<Edit> {
    graph.routes().iter().find_map(|route| route.fix.as_ref()).map(path_fix_edit)
}

/// Returns an error if no edit adds the path from the mark or may free the selected version.
pub(super) fn has_fix(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    if path_edit(graph).is_some() {
        return Ok(());
    }
    stuck_versions::can_free_versions(&graph.target(view_cx), view_cx).map_err(|reason| {
        if view_cx.session.navigation.marked_bundle.is_some() {
            let arriving = graph.routes().iter().find(|route| route.path.arrives());
            return match arriving {
                Some(route) => format!("{} has an upgrade path", route.path.context.engine()),
                None => "no edit adds this upgrade path".to_owned(),
            };
        }
        let mark = view_cx.key_label(ActionId::Mark);
        format!("{reason}; {mark} starts an upgrade path")
    })
}

/// Shows the edit that adds the path from the mark; without one, the edit that frees the selected
/// version.
pub(super) fn show_fix(graph: &mut Graph, cx: &mut Context<'_>) {
    match path_edit(graph) {
        Some(edit) => edit_choice::offer_edit(cx, "Add upgrade path", edit),
        None => edit_choice::free_versions(&graph.target(&cx.view()), cx),
    }
}

pub(super) fn open_legend(graph: &mut Graph, cx: &mut Context<'_>) {
    let legend = legend::graph_legend(graph, &cx.view());
    cx.open_dialog(legend);
}

pub(super) fn ask_floor(graph: &mut Graph, cx: &mut Context<'_>) {
    let selected = graph.layout().and_then(|l| l.rows.iter().find(|row| row.relation.selected));
    let text = match graph.view.floor {
        Some(floor) => floor.to_string(),
        None => selected.map(|row| minor_version(&row.version)).unwrap_or_default(),
    };
    let title = "Show versions from; empty for all";
    let purpose = PromptPurpose::Floor(SharedRef::from_shared(graph.layout()));
    cx.open_dialog(Prompt::new(title, purpose, text, &cx.view()));
}

/// Returns the minor version: `4.16` of `4.16.2-rc.1`.
fn minor_version(version: &str) -> String {
    version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")
}

pub(super) fn go_to_next_match(graph: &mut Graph, cx: &mut Context<'_>) {
    go_to_match(graph, cx, Direction::Down);
}

pub(super) fn go_to_previous_match(graph: &mut Graph, cx: &mut Context<'_>) {
    go_to_match(graph, cx, Direction::Up);
}

/// Selects the first match at or after the selected row.
pub(super) fn select_first_match(graph: &Graph, session: &mut Session) {
    let Some(layout) = graph.layout() else { return };
    let here = layout.rows.iter().position(|row| row.relation.selected).unwrap_or_default();
    let found = &graph.graph_lines().matches;
    let next = found.iter().find(|&&row| row >= here).or_else(|| found.first());
    if let Some(row) = next.and_then(|&row| layout.rows.get(row)) {
        session.catalogs.select_bundle(row.name.clone());
    }
}

/// Goes to the next notable row of the channel.
pub(super) fn go_to_notable_row(graph: &Graph, cx: &mut Context<'_>, way: Direction) {
    let rows = graph.layout().map(|layout| layout.rows.iter().enumerate()).into_iter().flatten();
    // The head has a note too, but is not notable.
    let news: Vec<usize> = rows.filter(|(_, row)| row.marks.has_problem()).map(|(index, _)| index).collect();
    if !select_next_of(graph, cx.session, &news, way) {
        cx.notices.report_refusal("no other notable row in this channel");
    }
}

fn go_to_match(graph: &Graph, cx: &mut Context<'_>, way: Direction) {
    if !select_next_of(graph, cx.session, &graph.graph_lines().matches, way) {
        cx.notices.report_refusal("no other match");
    }
}

/// Selects the next of some rows and wraps around. Returns false if there is no other row.
fn select_next_of(graph: &Graph, session: &mut Session, rows: &[usize], way: Direction) -> bool {
    let Some(layout) = graph.layout() else { return false };
    let here = layout.rows.iter().position(|row| row.relation.selected).unwrap_or_default();
    let next = match way {
        Direction::Down => rows.iter().find(|&&row| row > here).or_else(|| rows.first()),
        Direction::Up => rows.iter().rev().find(|&&row| row < here).or_else(|| rows.last()),
    };
    let Some(row) = next.filter(|&&row| row != here).and_then(|&row| layout.rows.get(row)) else {
        return false;
    };
    session.catalogs.select_bundle(row.name.clone());
    true
}

pub(super) fn has_graph(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    if graph.is_side_by_side() { check_channels(graph, view_cx) } else { check_layout(graph, view_cx) }
}

/// Asks for the file to write the graph to. Its ending is the format.
pub(super) fn ask_export_path(graph: &mut Graph, cx: &mut Context<'_>) {
    let text = proposed_path(graph, cx.session, Format::Svg);
    let purpose = PromptPurpose::Export { side_by_side: graph.is_side_by_side() };
    cx.open_dialog(Prompt::new("Write the graph to", purpose, text, &cx.view()));
}

/// Returns the proposed path of the file.
fn proposed_path(graph: &Graph, session: &Session, format: Format) -> String {
    let selection = session.selection();
    let package = selection.package.as_ref().map(PackageName::as_str);
    let channel = selection.channel.as_ref().filter(|_| !graph.is_side_by_side());
    let name = file_name(package.unwrap_or_default(), channel.map(ChannelName::as_str), format);
    session.current_catalog().map_or_else(|| name.clone(), |open| open.propose_companion_path(&name))
}
