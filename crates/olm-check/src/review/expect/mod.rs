//! Upgrade expectations: required results for installed versions, as rows of a small YAML file that
//! are checked against a catalog.
//!
//! A row queries one or both OLMs about installed bundles, as `olmap successors` does, and has the
//! required result ([`ExpectedResult`]). [`Expectations::parse_file`] parses a file and reports all mistakes.
//! [`ExpectationReport::new`] checks its rows against a catalog, [`record_expectations`] writes the current answers as a
//! file, and [`ExtendedFile`] adds a row to a file.

mod check;
mod formatter;
mod parser;
mod recording;
#[cfg(test)]
mod tests;

use std::{fmt, path::PathBuf, sync::Arc};

use olm_catalog::{
    ChannelName, Location, Node, PackageName, Span, Spanned, Value, similar_names, text::yaml,
};
use olm_upgrade::{Engine, v1::Policy};

pub use check::{ActualResult, Case, ExpectationReport};

pub use formatter::{NewRow, expect_same_answer};

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

/// File with added rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtendedFile {
    /// New content of the file.
    pub bytes: Vec<u8>,
    /// Inserted text.
    pub text: String,
}

/// Reason why a row cannot be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AddError {
    /// The file cannot be parsed or is not a list.
    #[error("it is not a list of rows")]
    NoList,
    /// The new content would not parse to the old rows plus the new ones.
    #[error("its layout does not allow adding rows")]
    Layout,
}

impl ExtendedFile {
    /// Adds rows at the end of a file. An empty file becomes a list.
    ///
    /// # Errors
    ///
    /// Fails if the file is not a list of rows, or if its layout does not allow more rows.
    pub fn new(file: &Expectations, rows: &[NewRow]) -> Result<Self, AddError> {
        let bytes = file.bytes();
        let root = yaml::parse_yaml(bytes).map_err(|_| AddError::NoList)?;
        // The file may be a single group.
        let list = root.get("expectations").unwrap_or(&root);
        let (at, text) = match &list.value {
            Value::Null if root.is_null() => insert_at_end(bytes, "", rows),
            Value::List(_) if bytes.get(list.span.range().start) == Some(&b'[') => {
                insert_in_brackets(list, rows)
            }
            Value::List(_) => {
                let column = file.location_of(list.span).column - 1;
                insert_at_end(bytes, &" ".repeat(column), rows)
            }
            _ => return Err(AddError::NoList),
        };
        let (before, behind) = bytes.split_at_checked(at).ok_or(AddError::Layout)?;
        let bytes = [before, text.as_bytes(), behind].concat();
        let after = Expectations::parse_file(file.path.clone(), bytes);
        let is_more = after.rows.len() == file.rows.len() + rows.len()
            && after.mistakes.len() == file.mistakes.len()
            && after.rows.starts_with(&file.rows);
        if is_more { Ok(Self { bytes: after.bytes().to_vec(), text }) } else { Err(AddError::Layout) }
    }
}

/// Byte offset and text of the insertion.
type Insertion = (usize, String);

fn insert_at_end(bytes: &[u8], indent: &str, rows: &[NewRow]) -> Insertion {
    let first = memchr::memchr(b'\n', bytes);
    let has_returns = first.is_some_and(|at| bytes[..at].ends_with(b"\r"));
    let mut text: String = rows.iter().map(|row| row.format_as_item(indent)).collect();
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        text.insert(0, '\n');
    }
    if has_returns {
        text = text.replace('\n', "\r\n");
    }
    (bytes.len(), text)
}

/// Inserts after the last row, before the closing bracket.
fn insert_in_brackets(root: &Node<'_>, rows: &[NewRow]) -> Insertion {
    let at = root.items().last().map_or(root.span.range().start + 1, |last| last.span.range().end);
    let rows: Vec<String> = rows.iter().map(NewRow::format_json).collect();
    let comma = if root.items().is_empty() { "" } else { ",\n" };
    (at, format!("{comma}{}", rows.join(",\n")))
}

/// Expected result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectedResult {
    /// The next upgrade, or the new installation, is this bundle: its name, or its version if it is unique.
    Pick(String),
    /// The bundle stays, and the resolver does not report an error.
    Stays,
    /// The resolver reports an error.
    Error,
    /// Successive upgrades reach a bundle.
    Reaches {
        /// Bundle: its name, or its version if it is unique.
        to: String,
        /// Maximum number of upgrades; `None` for any number.
        within: Option<usize>,
    },
    /// Successive upgrades never reach a bundle that is only in matching channels (`*`, `?` and classes as in file names).
    /// Bundles that are also in other channels are ignored, and so is the installed one.
    NeverLands(String),
}

/// Reason why a text is not an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ExpectError {
    pub message: String,
    pub hint: String,
}

/// Valid forms.
const VALID_FORMS: &str = "pick NAME, stays, error, reaches NAME within N hops, never lands on CHANNEL";

/// First word of each form.
const FIRST_WORDS: [&str; 5] = ["pick", "stays", "error", "reaches", "never"];

impl ExpectedResult {
    /// Parses a text.
    fn parse(text: &str) -> Result<Self, ExpectError> {
        let wrong = |hint: &str| {
            Err(ExpectError { message: format!("{text:?} is not an expectation"), hint: hint.to_owned() })
        };
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (first, rest) {
            ("pick", "") => wrong("the name is missing: pick NAME"),
            ("pick", name) => Ok(Self::Pick(name.to_owned())),
            ("stays", "") => Ok(Self::Stays),
            ("error", "") => Ok(Self::Error),
            ("reaches", "") => wrong("the name is missing: reaches NAME within N hops"),
            ("reaches", rest) => {
                let Some((to, bound)) = rest.rsplit_once(" within ") else {
                    return Ok(Self::Reaches { to: rest.to_owned(), within: None });
                };
                let number = bound.strip_suffix(" hops").or_else(|| bound.strip_suffix(" hop"));
                match number.map(str::parse) {
                    Some(Ok(within)) => Ok(Self::Reaches { to: to.to_owned(), within: Some(within) }),
                    _ => wrong("add a number of hops: reaches NAME within 3 hops"),
                }
            }
            ("never", rest) => match rest.strip_prefix("lands on ") {
                Some(channel) if !channel.is_empty() => Ok(Self::NeverLands(channel.to_owned())),
                _ => wrong("write never lands on CHANNEL"),
            },
            ("stays" | "error", _) => wrong(&format!("remove the text after {first}")),
            _ => match similar_names::suggest_closest(first, FIRST_WORDS.into_iter()) {
                Some(meant) => wrong(&format!("did you mean {meant}? Expectations are {VALID_FORMS}")),
                None => wrong(&format!("expectations are {VALID_FORMS}")),
            },
        }
    }
}

impl fmt::Display for ExpectedResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pick(name) => write!(f, "pick {name}"),
            Self::Stays => f.write_str("stays"),
            Self::Error => f.write_str("error"),
            Self::Reaches { to, within: None } => write!(f, "reaches {to}"),
            Self::Reaches { to, within: Some(1) } => write!(f, "reaches {to} within 1 hop"),
            Self::Reaches { to, within: Some(hops) } => write!(f, "reaches {to} within {hops} hops"),
            Self::NeverLands(channel) => write!(f, "never lands on {channel}"),
        }
    }
}
