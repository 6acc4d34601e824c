//! How a screen shows what it shows: what one switched on there, kept while one looks at other screens.

use crate::layout::Floor;

/// What the Graph screen draws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GraphMode {
    /// The selected channel, a row a bundle.
    #[default]
    Channel,
    /// What is around the selected bundle, two hops each way.
    Zoom,
    /// All channels of the package, side by side.
    SideBySide,
}

/// The state of the Graph screen that is not the selection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphView {
    /// What is drawn.
    pub mode: GraphMode,
    /// Whether the keys go to the words below the picture.
    pub reading: bool,
    /// Whether what does not concern the selected bundle is dimmed.
    pub focus: bool,
    /// Whether runs of rows without news are folded; with a search, all it did not find.
    pub fold: bool,
    /// The lowest version to show.
    pub floor: Option<Floor>,
}

/// Rows that a screen does not have for itself: header, tabs and hints.
const AROUND: u16 = 3;

/// Rows for the answers below a graph, the rule above them not counted, on a screen with so many rows for itself.
pub fn answer_rows(rows: u16) -> u16 {
    match rows {
        0..9 => 0,
        9..16 => 3,
        _ => 5,
    }
}

/// Columns and rows for the picture of [`GraphMode::Zoom`] in a terminal of a size: without margins, heading, answers,
/// and a legend where the picture need not have every row.
pub fn zoom_room((columns, rows): (u16, u16)) -> (u16, u16) {
    let rows = rows.saturating_sub(AROUND);
    let answers = answer_rows(rows);
    let graph = rows.saturating_sub(answers + u16::from(answers > 0));
    (columns.saturating_sub(2), graph.saturating_sub(1 + u16::from(graph >= 10)))
}
