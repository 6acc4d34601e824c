//! How a run ended.

/// How a run ended that did what it was asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing to complain about.
    Fine,
    /// There are findings, or an expectation is not met.
    Findings,
    /// A signal ended it.
    Signal(i32),
}

impl From<bool> for Outcome {
    fn from(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Fine }
    }
}
