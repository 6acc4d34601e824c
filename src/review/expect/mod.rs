//! Upgrade expectations: what must happen to installed versions, as rows of a small YAML file, held against a catalog.
//!
//! A row asks one or both OLMs about what is installed, as `olmap successors` does, and says what the answer must be
//! ([`Expect`]). [`Expectations::read`] reads a file and tells everything that is wrong with it, [`Report::new`] holds
//! its rows against a catalog, [`record`] writes today's answers as a file, and [`Added`] puts one more row into one.

mod add;
mod judge;
mod read;
mod record;
#[cfg(test)]
mod tests;
mod words;
mod write;

use std::{path::PathBuf, sync::Arc};

use crate::{
    catalog::{ChannelName, PackageName, Place, Span, Spanned},
    upgrade::{Engine, v1::Policy},
};

pub use add::{Added, NotAdded};
pub use judge::{Case, Got, Report};
pub use record::{Wish, record};
pub use words::Expect;
pub use write::{Row, answered};

/// A file of expectations.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectations {
    /// The file as shown to people.
    pub path: PathBuf,
    /// Its rows; those that cannot be read are left out.
    pub rows: Vec<Expectation>,
    /// What is wrong with it, whatever the catalog, in the order of the file.
    pub mistakes: Vec<Mistake>,
    bytes: Arc<[u8]>,
}

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The row as a whole.
    pub span: Span,
    /// The package; `None`: the only one of the catalog.
    pub package: Option<Spanned<PackageName>>,
    /// What is installed, as written: `NAME`, `VERSION` or `NAME@VERSION`, each asked about by itself. Empty: nothing is,
    /// and what matters is a fresh installation.
    pub installed: Vec<Spanned<String>>,
    /// Who is asked.
    pub engines: &'static [Engine],
    /// Classic: the subscribed channel, one after the other; the default channel where empty. v1: the channels it may
    /// choose from; all where empty.
    pub channels: Vec<Spanned<ChannelName>>,
    /// v1: the version constraint; any version where empty.
    pub version: String,
    /// v1: whether edges bind.
    pub policy: Policy,
    /// What must happen.
    pub expect: Spanned<Expect>,
}

/// Something in the file that cannot be meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Where it is.
    pub span: Span,
    /// The row it is in, by its place in [`Expectations::rows`]; `None` where that row could not be read.
    pub row: Option<usize>,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl Expectation {
    /// Whether two rows mean the same, wherever they stand.
    fn same_meaning(&self, other: &Self) -> bool {
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
    /// Reads a file. Whatever it holds: rows that can be read count, all else becomes mistakes.
    pub fn read(path: PathBuf, bytes: Vec<u8>) -> Self {
        let (rows, mistakes) = read::read(&bytes);
        Self { path, rows, mistakes, bytes: bytes.into() }
    }

    /// The file's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a part of the file stands.
    pub fn place(&self, span: Span) -> Place {
        let bytes = span.range();
        let before = &self.bytes[..bytes.start.min(self.bytes.len())];
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        Place {
            path: self.path.clone(),
            line: 1 + memchr::memchr_iter(b'\n', before).count(),
            column: 1 + String::from_utf8_lossy(&before[start..]).chars().count(),
            bytes,
            is_whole: false,
        }
    }
}
