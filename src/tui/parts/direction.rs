//! Direction in a list.

/// Direction in a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Up the list.
    Up,
    /// Down the list.
    Down,
}

impl Direction {
    /// Returns the next row in this direction that satisfies the predicate.
    pub fn next_row(self, rows: usize, from: Option<usize>, holds: impl Fn(usize) -> bool) -> Option<usize> {
        match self {
            Self::Down => (from.map_or(0, |from| from + 1)..rows).find(|row| holds(*row)),
            Self::Up => (0..from.unwrap_or(rows).min(rows)).rev().find(|row| holds(*row)),
        }
    }
}
