//! `.indexignore`: which files of a catalog tree opm leaves out.
//!
//! opm reads the patterns of every `.indexignore` in the tree as gitignore patterns, each bound to its own folder, in the
//! order in which it walks the tree, and asks them about files only, never about folders; the last pattern that matches
//! decides. The matching is that of go-git, which is not git's:
//!
//! - A pattern without a slash matches any part of the path, so a folder of that name takes all below with it; a
//!   trailing slash keeps the last part out of it. `!` re-includes, even below an ignored folder.
//! - A pattern with a slash is anchored to its folder and matches from there on, as far as it goes; `**` between slashes
//!   skips parts up to the first that matches what follows, at the end it wants one part more at least.
//! - Within a part: `*`, `?`, `[a-z]` and `[^a]` (not `[!a]`), `\` before a literal; `**` is one `*` without a slash and
//!   spoils a pattern with one. No braces. A pattern that is malformed matches nothing.

use std::cmp::Ordering;

use thiserror::Error;

use super::glob::Glob;

/// The name of the files that hold the patterns; they are never read as part of the catalog.
pub const FILE_NAME: &str = ".indexignore";

/// The longest line, in bytes, that opm can read.
const MAX_LINE_LEN: usize = 64 * 1024 - 1;

/// A line that opm cannot read, and so refuses the whole catalog for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line} of {FILE_NAME} is longer than {MAX_LINE_LEN} bytes")]
pub struct LineTooLong {
    /// The line, from 1.
    pub line: usize,
}

/// The patterns of all `.indexignore` files of a tree.
///
/// ```
/// use olmap::catalog::paths::indexignore::IgnoreSet;
///
/// let mut set = IgnoreSet::new();
/// set.add(&[], "*.md\nobjects/\n")?;
/// set.add(&["foo"], "!README.md\n")?;
/// assert!(set.ignores(&["foo", "objects", "csv.yaml"]));
/// assert!(!set.ignores(&["foo", "README.md"]));
/// # Ok::<(), olmap::catalog::paths::indexignore::LineTooLong>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoreSet {
    /// In the order of the walk: what comes later wins.
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
    /// Whether it takes the file out, or back in.
    pub ignored: bool,
    /// The folder whose `.indexignore` holds the pattern, as path components from the root.
    pub dir: &'a [String],
    /// The line of the pattern, from 1.
    pub line: usize,
    /// The pattern as written, blanks around it left out.
    pub pattern: &'a str,
}

impl IgnoreSet {
    /// No patterns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the `.indexignore` with content `text` in the folder `dir` (path components from the root). The order of
    /// calls does not matter.
    ///
    /// # Errors
    /// A line too long for opm, which then loads nothing; the patterns before it are added.
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
        let at = self.files.partition_point(|file| walk_order(&file.dir, &dir).is_le());
        self.files.insert(at, IgnoreFile { dir, patterns });
        result
    }

    /// Whether opm leaves out the file at `path` (path components from the root).
    pub fn ignores(&self, path: &[&str]) -> bool {
        self.decision(path).is_some_and(|decision| decision.ignored)
    }

    /// Which pattern decides about the file at `path`; none where nothing matches and the file is kept.
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

/// The order in which a walk meets the `.indexignore` files of two folders: by names, folder by folder.
fn walk_order(a: &[String], b: &[String]) -> Ordering {
    let path = |dir| <[String]>::iter(dir).map(String::as_str).chain([FILE_NAME]);
    path(a).cmp(path(b))
}

#[derive(Clone, Debug)]
struct Pattern {
    text: String,
    line: usize,
    /// `!`: what matches is kept.
    included: bool,
    /// A trailing slash: the last part of a path, a file, does not match.
    dir_only: bool,
    parts: Parts,
}

/// What it is made of follows from its text.
impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

#[derive(Clone, Debug)]
enum Parts {
    /// Without a slash: any part of the path will do.
    Name(Glob),
    /// With a slash: part by part from the folder of the pattern.
    Path(Vec<Part>),
    /// Malformed: matches nothing.
    Nothing,
}

#[derive(Clone, Debug)]
enum Part {
    /// Nothing between two slashes, or before the first.
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
                "" => Some(Part::Empty),
                "**" => Some(Part::AnyDepth),
                part if part.contains("**") => None,
                part => Glob::parse(part).map(Part::Name),
            });
            parts.collect::<Option<Vec<_>>>().map(Parts::Path)
        } else {
            Glob::parse(text).map(Parts::Name)
        };
        let parts = parts.unwrap_or(Parts::Nothing);
        Self { text: line.to_owned(), line: number, included, dir_only, parts }
    }

    /// Whether the pattern matches a file; `path` begins below the folder of the pattern and is not empty.
    fn matches(&self, path: &[&str]) -> bool {
        match &self.parts {
            Parts::Nothing => false,
            Parts::Name(glob) => {
                let place = path.iter().position(|part| glob.matches(part));
                place.is_some_and(|place| !self.dir_only || place + 1 < path.len())
            }
            Parts::Path(parts) => self.matches_path(parts, path),
        }
    }

    fn matches_path(&self, parts: &[Part], path: &[&str]) -> bool {
        let mut rest = path.iter();
        let mut matched = false;
        let mut any_depth = false;
        for (n, part) in parts.iter().enumerate() {
            let is_last = n + 1 == parts.len();
            match part {
                Part::Empty => any_depth = false,
                Part::AnyDepth => any_depth = !is_last,
                Part::Name(glob) if any_depth => {
                    // The first part that matches is taken for good; there is no second try.
                    any_depth = false;
                    if rest.len() == 0 {
                        return false;
                    }
                    matched = rest.any(|part| glob.matches(part));
                }
                Part::Name(glob) => {
                    if !rest.next().is_some_and(|part| glob.matches(part)) {
                        return false;
                    }
                    // A file cannot be what stands for a folder.
                    matched = is_last || rest.len() > 0;
                }
            }
        }
        matched && !(self.dir_only && rest.len() == 0)
    }
}

#[cfg(test)]
mod tests;
