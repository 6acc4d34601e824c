//! `.indexignore`: the files of a catalog tree that opm ignores.
//!
//! opm reads the patterns of every `.indexignore` in the tree as gitignore patterns of its folder, in the order
//! of its walk. It matches files only, never folders; the last matching pattern decides. The matching is that
//! of go-git, which differs from git's:
//!
//! - A pattern without a slash matches any component of the path, so a folder with that name excludes
//!   everything below it. A trailing slash exempts the last component. `!` re-includes, even below an ignored
//!   folder.
//! - A pattern with a slash is anchored to its folder and matches a prefix of the path from there. `**` between
//!   slashes skips components up to the first match of what follows. At the end it requires one more component.
//! - Within a component: `*`, `?`, `[a-z]` and `[^a]` (not `[!a]`), `\` before a literal. `**` is the same as
//!   `*` without a slash and invalidates a pattern with one. There are no braces. An invalid pattern does not
//!   match anything.

use std::cmp::Ordering;

use thiserror::Error;

use super::glob::Glob;

/// Name of the pattern files; they are never part of the catalog.
pub const FILE_NAME: &str = ".indexignore";

/// Maximum length in bytes of a line that opm can read.
const MAX_LINE_LEN: usize = 64 * 1024 - 1;

/// Error of a line that opm cannot read, so that it rejects the whole catalog.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of {FILE_NAME} is longer than {MAX_LINE_LEN} bytes")]
pub struct LineTooLong {
    /// The line, from 1.
    pub line: usize,
}

/// Patterns of all `.indexignore` files of a tree.
///
/// ```
/// use olm_catalog::paths::indexignore::IgnoreSet;
///
/// let mut set = IgnoreSet::new();
/// set.add(&[], "*.md\nobjects/\n")?;
/// set.add(&["foo"], "!README.md\n")?;
/// assert!(set.ignores(&["foo", "objects", "csv.yaml"]));
/// assert!(!set.ignores(&["foo", "README.md"]));
/// # Ok::<(), olm_catalog::paths::indexignore::LineTooLong>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoreSet {
    /// In the order of the walk: later files win.
    files: Vec<IgnoreFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct IgnoreFile {
    dir: Vec<String>,
    patterns: Vec<Pattern>,
}

/// The pattern that decides about a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision<'a> {
    /// True if it ignores the file, false if it re-includes it.
    pub ignored: bool,
    /// Folder of the `.indexignore` file, as path components from the root.
    pub dir: &'a [String],
    /// Line number of the pattern, from 1.
    pub line: usize,
    /// Pattern as written, trimmed.
    pub pattern: &'a str,
}

impl IgnoreSet {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the `.indexignore` with content `text` in the folder `dir` (path components from the root). The
    /// order of calls does not matter.
    ///
    /// # Errors
    ///
    /// If a line is too long for opm, which then does not load the catalog. The patterns before it are added.
    pub fn add(&mut self, dir: &[&str], text: &str) -> Result<(), LineTooLong> {
        let mut patterns = Vec::new();
        let mut result = Ok(());
        for (n, line) in text.split('\n').enumerate() {
            if line.len() > MAX_LINE_LEN {
                result = Err(LineTooLong { line: n + 1 });
                break;
            }
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                patterns.push(Pattern::parse(line, n + 1));
            }
        }
        let dir: Vec<String> = dir.iter().map(|&part| part.to_owned()).collect();
        let at = self.files.partition_point(|file| compare_walk_order(&file.dir, &dir).is_le());
        self.files.insert(at, IgnoreFile { dir, patterns });
        result
    }

    /// Returns true if opm ignores the file at `path` (path components from the root).
    pub fn ignores(&self, path: &[&str]) -> bool {
        self.decision(path).is_some_and(|decision| decision.ignored)
    }

    /// Returns the pattern that decides about the file at `path`; `None` if no pattern matches and the file is
    /// kept.
    pub fn decision(&self, path: &[&str]) -> Option<Decision<'_>> {
        self.files.iter().rev().find_map(|file| {
            let below = file.dir.len();
            let inside = below < path.len() && file.dir.iter().zip(path).all(|(a, b)| a == b);
            let rest = path.get(below..).filter(|_| inside)?;
            let pattern = file.patterns.iter().rev().find(|pattern| pattern.matches(rest))?;
            Some(Decision {
                ignored: !pattern.included,
                dir: &file.dir,
                line: pattern.line,
                pattern: &pattern.text,
            })
        })
    }
}

/// Compares the `.indexignore` files of two folders in the order of a walk: by names, folder by folder.
fn compare_walk_order(a: &[String], b: &[String]) -> Ordering {
    let path = |dir| <[String]>::iter(dir).map(String::as_str).chain([FILE_NAME]);
    path(a).cmp(path(b))
}

#[derive(Clone, Debug)]
struct Pattern {
    text: String,
    line: usize,
    /// `!`: re-includes matching files.
    included: bool,
    /// A trailing slash: the last component of a path, a file, does not match.
    dir_only: bool,
    parts: PatternParts,
}

/// The other fields depend on the text.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

#[derive(Clone, Debug)]
enum PatternParts {
    /// Without a slash: matches any component of the path.
    Name(Glob),
    /// With a slash: matches component by component from the folder of the pattern.
    Path(Vec<PatternPart>),
    /// Invalid: matches nothing.
    Nothing,
}

#[derive(Clone, Debug)]
enum PatternPart {
    /// Empty text between two slashes, or before the first.
    Empty,
    /// `**`
    AnyDepth,
    Name(Glob),
}

impl Pattern {
    fn parse(line: &str, number: usize) -> Self {
        let (text, included) = line.strip_prefix('!').map_or((line, false), |text| (text, true));
        let (text, dir_only) = text.strip_suffix('/').map_or((text, false), |text| (text, true));
        let parts = if text.contains('/') {
            let parts = text.split('/').map(|part| match part {
                "" => Some(PatternPart::Empty),
                "**" => Some(PatternPart::AnyDepth),
                part if part.contains("**") => None,
                part => Glob::parse(part).map(PatternPart::Name),
            });
            parts.collect::<Option<Vec<_>>>().map(PatternParts::Path)
        } else {
            Glob::parse(text).map(PatternParts::Name)
        };
        let parts = parts.unwrap_or(PatternParts::Nothing);
        Self { text: line.to_owned(), line: number, included, dir_only, parts }
    }

    /// Returns true if the pattern matches a file; `path` begins below the folder of the pattern and is not
    /// empty.
    fn matches(&self, path: &[&str]) -> bool {
        match &self.parts {
            PatternParts::Nothing => false,
            PatternParts::Name(glob) => {
                let place = path.iter().position(|part| glob.matches(part));
                place.is_some_and(|place| !self.dir_only || place + 1 < path.len())
            }
            PatternParts::Path(parts) => self.matches_path(parts, path),
        }
    }

    fn matches_path(&self, parts: &[PatternPart], path: &[&str]) -> bool {
        let mut rest = path.iter();
        let mut matched = false;
        let mut any_depth = false;
        for (n, part) in parts.iter().enumerate() {
            let is_last = n + 1 == parts.len();
            match part {
                PatternPart::Empty => any_depth = false,
                PatternPart::AnyDepth => any_depth = !is_last,
                PatternPart::Name(glob) if any_depth => {
                    // The first matching component is final; there is no backtracking.
                    any_depth = false;
                    if rest.len() == 0 {
                        return false;
                    }
                    matched = rest.any(|part| glob.matches(part));
                }
                PatternPart::Name(glob) => {
                    if !rest.next().is_some_and(|part| glob.matches(part)) {
                        return false;
                    }
                    // A file cannot match a folder.
                    matched = is_last || rest.len() > 0;
                }
            }
        }
        matched && !(self.dir_only && rest.len() == 0)
    }
}

#[cfg(test)]
mod tests;
