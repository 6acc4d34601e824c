//! Output formats that several commands share.

use clap::ValueEnum;

/// Formats of commands that print text for people or JSON for programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TextOrJson {
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
}

/// Formats of commands whose report may become a comment on a pull request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
    /// For a comment on a pull request.
    Markdown,
}

/// Formats of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FindingsFormat {
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// For a comment on a pull request.
    Markdown,
    /// GitHub Actions workflow commands.
    Github,
    /// A Code Quality report, for merge requests of GitLab.
    Gitlab,
}
