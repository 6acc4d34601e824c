//! Output formats that several commands share.

use clap::ValueEnum;

/// Formats of commands that print text or JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TextOrJson {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
}

/// Formats of commands whose report may become a comment on a pull request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReportFormat {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// Markdown for a comment on a pull request.
    Markdown,
}

/// Formats of findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FindingsFormat {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Markdown for a comment on a pull request.
    Markdown,
    /// GitHub Actions workflow commands.
    Github,
    /// Code Quality report, for GitLab merge requests.
    Gitlab,
}
