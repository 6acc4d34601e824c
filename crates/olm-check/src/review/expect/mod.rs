//! Upgrade expectations: required results for installed versions, as rows of a small YAML file that
//! are checked against a catalog.
//!
//! A row queries one or both OLMs about installed bundles, as `olmap successors` does, and has the
//! required result ([`ExpectedResult`]). [`Expectations::parse_file`] parses a file and reports all mistakes.
//! [`ExpectationReport::new`] checks its rows against a catalog, [`record_expectations`] writes the current answers as a
//! file, and [`ExtendedFile`] adds a row to a file.

mod check;
mod expected_result;
mod formatter;
mod insertion;
mod parser;
mod recording;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Arc};

use olm_catalog::{ChannelName, Location, PackageName, Span, Spanned};
use olm_upgrade::{Engine, v1::Policy};

pub use check::{ActualResult, Case, ExpectationReport};
pub use expected_result::ExpectedResult;
pub use formatter::{NewRow, expect_same_answer};
pub use insertion::{AddError, ExtendedFile};
pub use recording::{RecordOptions, record_expectations};

/// File of expectations.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectations {
    /// Path for display.
    pub path: PathBuf,
    /// Valid rows.
    pub rows: Vec<Expectation>,
    /// Mistakes that do not depend on the catalog, in file order.
    pub mistakes: Vec<Mistake>,
    bytes: Arc<[u8]>,
}

/// Row of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// Location of the row.
    pub span: Span,
    /// Name of the package; `None` for the only package of the catalog.
    pub package: Option<Spanned<PackageName>>,
    /// Installed bundles as written: `NAME`, `VERSION` or `NAME@VERSION`, each checked separately.
    /// Empty for a fresh installation.
    pub installed: Vec<Spanned<String>>,
    /// OLMs to query.
    pub engines: &'static [Engine],
    /// Classic: the subscribed channels, each checked separately; the default channel if empty. v1:
    /// the selected channels; all if empty.
    pub channels: Vec<Spanned<ChannelName>>,
    /// v1: the version constraint; any version if empty.
    pub version: String,
    /// v1: the policy for edges.
    pub policy: Policy,
    /// Required result.
    pub expect: Spanned<ExpectedResult>,
}

/// Mistake in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Location of the mistake.
    pub span: Span,
    /// Index of its row in [`Expectations::rows`]; `None` if the row is invalid.
    pub row: Option<usize>,
    /// Description, without a full stop.
    pub message: String,
    /// Suggested correction, if any.
    pub hint: Option<String>,
}

impl Expectation {
    /// Returns true if two rows have the same meaning, regardless of their positions.
    fn has_same_meaning(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(a: &[Spanned<T>], b: &[Spanned<T>]) -> bool {
            a.iter().map(|a| &a.value).eq(b.iter().map(|b| &b.value))
        }
        let package = |row: &Self| row.package.as_ref().map(|package| package.value.clone());
        package(self) == package(other)
            && same(&self.installed, &other.installed)
            && same(&self.channels, &other.channels)
            && self.engines == other.engines
            && (&self.version, self.policy) == (&other.version, other.policy)
            && self.expect.value == other.expect.value
    }
}

impl Expectations {
    /// Parses a file. Never fails: valid rows count, everything else becomes a mistake.
    pub fn parse_file(path: PathBuf, bytes: Vec<u8>) -> Self {
        let (rows, mistakes) = parser::parse_rows(&bytes);
        Self { path, rows, mistakes, bytes: bytes.into() }
    }

    /// Returns the content of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the location of a part of the file.
    pub fn location_of(&self, span: Span) -> Location {
        let bytes = span.range();
        let before = &self.bytes[..bytes.start.min(self.bytes.len())];
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        Location {
            path: self.path.clone(),
            line: 1 + memchr::memchr_iter(b'\n', before).count(),
            column: 1 + String::from_utf8_lossy(&before[start..]).chars().count(),
            bytes,
            is_whole_file: false,
        }
    }
}
