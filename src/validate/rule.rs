//! The table of rules: the one place where a rule has its id, severity, help and story.

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// opm or OLM refuses or breaks.
    Error,
    /// Users get hurt.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word used on screens and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// A stable word, such as `multiple-heads`.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Whether `opm validate` rejects what it reports.
    pub parity: bool,
    /// What it looks for, in a few words.
    pub title: &'static str,
    /// What to do about it, in one line.
    pub help: &'static str,
}
