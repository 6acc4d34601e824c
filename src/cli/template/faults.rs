//! Errors in a template, as text for standard error.

use std::{fmt::Write as _, path::Path};

use anyhow::Context as _;

use crate::{
    catalog::{Span, load::regular},
    cli::{
        failure::{self, Failure},
        revision, source,
    },
    export::plain,
    template::Faults,
};

/// Maximum size of a template in bytes.
const MOST: u64 = 256 << 20;

/// Content of a file or standard input, with its name in messages.
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Message that replaces those with content of the file.
    unquoted: Option<String>,
}

impl Input {
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        if path.as_os_str() == source::STDIN {
            let (name, bytes) = ("<stdin>".to_owned(), source::standard_input()?);
            return Ok(Self { name, bytes, unquoted: None });
        }
        let name = path.display().to_string();
        if let Some(revision) = revision::parse(path) {
            return Ok(Self { name, bytes: revision::read_file(&revision)?, unquoted: None });
        }
        let bytes = regular::read(path, MOST).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { name, bytes, unquoted: failure::unquoted(path) })
    }

    /// Creates an input from text that is already read. `file` is its origin.
    pub fn new(name: String, bytes: Vec<u8>, file: Option<&Path>) -> Self {
        Self { name, bytes, unquoted: file.and_then(failure::unquoted) }
    }

    /// Returns an error with every fault, its location, and hints.
    pub fn refusal(&self, reason: &str, faults: &Faults) -> Failure {
        let mut lines = String::new();
        let mut hints: Vec<&str> = Vec::new();
        for fault in &faults.0 {
            let (line, column) = self.place(fault.at);
            let also = fault.also.iter().map(|span| format!(" (see line {})", self.place(*span).0));
            let told = match &self.unquoted {
                None => format!("{}:{line}:{column}: {fault}{}", self.name, also.collect::<String>()),
                Some(words) => format!("{}:{line}:{column}: {words}", self.name),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "  {}", plain::line(&told));
            if self.unquoted.is_none()
                && let Some(hint) = fault.kind.hint()
                && !hints.contains(&hint)
            {
                hints.push(hint);
            }
        }
        let failure = Failure::new(format!("{reason}: {}", self.name)).detail(lines);
        hints.into_iter().fold(failure, Failure::also)
    }

    /// Returns line and column, both from 1.
    fn place(&self, span: Span) -> (usize, usize) {
        let before = self.bytes.get(..span.range().start).unwrap_or(&self.bytes);
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', before).count();
        (line + 1, String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1)
    }
}
