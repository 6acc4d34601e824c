//! How a screen shows what it shows: what one switched on there, kept while one looks at other screens.

/// What the Graph screen draws.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GraphMode {
    /// The selected channel, a row a bundle.
    #[default]
    Channel,
}

/// The state of the Graph screen that is not the selection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GraphView {
    /// What is drawn.
    pub mode: GraphMode,
}
