//! Display options of the Graph screen. They are kept while other screens are visible.

use olmap_report::layout::Floor;

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

/// Display options of the Graph screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphView {
    /// The mode.
    pub mode: GraphMode,
    /// Whether the text below the graph is focused.
    pub is_reading: bool,
    /// Whether rows that are unrelated to the selected bundle are dimmed.
    pub dims_unrelated: bool,
    /// Whether rows without notes are folded; during a search, rows without a match.
    pub folds_rows: bool,
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
