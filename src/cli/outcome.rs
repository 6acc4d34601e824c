//! Result of a run, which determines the exit code.

/// Result of a run without an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No findings.
    Fine,
    /// Findings, or expectations that are not met.
    Findings,
    /// Ended by a signal.
    Signal(i32),
}

impl From<bool> for Outcome {
    fn from(has_findings: bool) -> Self {
        if has_findings { Self::Findings } else { Self::Fine }
    }
}
