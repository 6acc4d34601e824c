//! Errors in a template, as text for standard error.

use std::{fmt::Write as _, path::Path};

use anyhow::Context as _;

use crate::cli::{
    failure::{self, Failure},
    revision, source,
};
use olm_bundle::template::TemplateErrors;
use olm_catalog::{Span, load::regular_file};
use olmap_report::escape;

/// Maximum size of a template in bytes.
const MAX_SIZE: u64 = 256 << 20;

/// Content of a file or standard input, with its name in messages.
pub struct TemplateInput {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Message that replaces those with content of the file.
    unquoted: Option<String>,
}

impl TemplateInput {
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        if path.as_os_str() == source::STDIN {
            let (name, bytes) = ("<stdin>".to_owned(), source::read_stdin()?);
            return Ok(Self { name, bytes, unquoted: None });
        }
        let name = path.display().to_string();
        if let Some(revision) = revision::parse_revision(path) {
            return Ok(Self { name, bytes: revision::read_file(&revision)?, unquoted: None });
        }
        let bytes =
            regular_file::read_regular(path, MAX_SIZE).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { name, bytes, unquoted: failure::hidden_content_message(path) })
    }

    /// Creates an input from text that is already read. `file` is its origin.
    pub fn new(name: String, bytes: Vec<u8>, file: Option<&Path>) -> Self {
        Self { name, bytes, unquoted: file.and_then(failure::hidden_content_message) }
    }

    /// Returns an error with every fault, its location, and hints.
    pub fn refusal(&self, reason: &str, faults: &TemplateErrors) -> Failure {
        let mut lines = String::new();
        let mut hints: Vec<&str> = Vec::new();
        for fault in &faults.0 {
            let (line, column) = self.line_and_column(fault.at);
            let also =
                fault.related.iter().map(|span| format!(" (see line {})", self.line_and_column(*span).0));
            let told = match &self.unquoted {
                None => format!("{}:{line}:{column}: {fault}{}", self.name, also.collect::<String>()),
                Some(words) => format!("{}:{line}:{column}: {words}", self.name),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "  {}", escape::escape_line(&told));
            if self.unquoted.is_none()
                && let Some(hint) = fault.kind.hint()
                && !hints.contains(&hint)
            {
                hints.push(hint);
            }
        }
        let failure = Failure::new(format!("{reason}: {}", self.name)).with_detail(lines);
        hints.into_iter().fold(failure, Failure::add_hint)
    }

    /// Returns line and column, both from 1.
    fn line_and_column(&self, span: Span) -> (usize, usize) {
        let before = self.bytes.get(..span.range().start).unwrap_or(&self.bytes);
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', before).count();
        (line + 1, String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1)
    }
}
