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
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn split(path: &str) -> Vec<&str> {
        path.split('/').filter(|part| !part.is_empty()).collect()
    }

    /// Returns the remaining files of a small tree, given the folder and content of each `.indexignore`.
    fn remaining_files(files: &[(&str, &str)]) -> String {
        let tree = ["a.md", "a.yaml", "d/a.md", "d/a.yaml", "d/e/a.yaml", "d/e/f/b.yaml", "e/b.yaml"];
        let mut set = IgnoreSet::new();
        for (dir, text) in files {
            set.add(&split(dir), text).unwrap();
        }
        tree.into_iter().filter(|path| !set.ignores(&split(path))).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn pattern_without_slash_matches_any_component() {
        let all = "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml e/b.yaml";
        let cases = [
            ("", all),
            ("# *\n\n  \t", all),
            ("a.yaml", "a.md d/a.md d/e/f/b.yaml e/b.yaml"),
            ("  *.md  \r\nf\r\n", "a.yaml d/a.yaml d/e/a.yaml e/b.yaml"),
            ("e", "a.md a.yaml d/a.md d/a.yaml"),
            ("e/", "a.md a.yaml d/a.md d/a.yaml"),
            ("a.md/", all),
            ("*/", "a.md a.yaml"),
            ("**", ""),
            ("A.md", all),
            ("{a,b}.yaml", all),
            ("[!a].yaml", "a.md d/a.md d/e/f/b.yaml e/b.yaml"),
            ("[^a].yaml", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml"),
            ("[a", all),
            ("/", all),
            ("!", all),
            ("\u{feff}a.yaml", all),
            ("a.yaml # comment", all),
        ];
        for (text, expected) in cases {
            assert_eq!(remaining_files(&[("", text)]), expected, "{text:?}");
        }
    }

    #[test]
    fn pattern_with_slash_matches_from_its_folder() {
        let all = "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml e/b.yaml";
        let cases = [
            ("/a.yaml", "a.md d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml e/b.yaml"),
            ("/e", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml"),
            ("/e/", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml"),
            ("d/e", "a.md a.yaml d/a.md d/a.yaml e/b.yaml"),
            ("d//e", "a.md a.yaml d/a.md d/a.yaml e/b.yaml"),
            ("./a.yaml", all),
            ("d/*", "a.md a.yaml e/b.yaml"),
            ("d/*/", "a.md a.yaml d/a.md d/a.yaml e/b.yaml"),
            ("d/**", "a.md a.yaml e/b.yaml"),
            ("a.md/**", all),
            ("/**", all),
            ("d/**/", "a.md a.yaml e/b.yaml"),
            ("**/a.yaml", "a.md d/a.md d/e/f/b.yaml e/b.yaml"),
            ("**/e/", "a.md a.yaml d/a.md d/a.yaml"),
            ("d/**/b.yaml", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml e/b.yaml"),
            // The pattern after `**` matches only at the first position: the first component of the path.
            ("**/*/b.yaml", "a.md a.yaml d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml"),
            ("d**/a.md", all),
            ("d/[", all),
        ];
        for (text, expected) in cases {
            assert_eq!(remaining_files(&[("", text)]), expected, "{text:?}");
        }
    }

    #[test]
    fn last_match_wins_even_below_ignored_folder() {
        assert_eq!(remaining_files(&[("", "*\n!a.yaml\n")]), "a.yaml d/a.yaml d/e/a.yaml");
        assert_eq!(remaining_files(&[("", "d/\n!d/e/f\n")]), "a.md a.yaml d/e/f/b.yaml e/b.yaml");
        assert_eq!(remaining_files(&[("", "!d\nd\n")]), "a.md a.yaml e/b.yaml");
    }

    #[test]
    fn patterns_apply_only_in_their_folder() {
        assert_eq!(remaining_files(&[("d", "a.yaml\n/e\n")]), "a.md a.yaml d/a.md e/b.yaml");
        assert_eq!(remaining_files(&[("d", "d\n")]), remaining_files(&[]));
    }

    #[test]
    fn later_files_of_walk_win() {
        // `d` sorts after `.indexignore`, `-d` before it. The order of calls does not matter.
        assert_eq!(remaining_files(&[("d", "!*\n"), ("", "*\n")]), "d/a.md d/a.yaml d/e/a.yaml d/e/f/b.yaml");
        let mut set = IgnoreSet::new();
        set.add(&["-d"], "!*\n").unwrap();
        set.add(&[], "*\n").unwrap();
        assert!(set.ignores(&["-d", "a.yaml"]));
    }

    #[test]
    fn returns_deciding_pattern() {
        let mut set = IgnoreSet::new();
        set.add(&[], "# all\n*.md\n").unwrap();
        set.add(&["d"], "\n !a.md \n").unwrap();
        let decision = set.decision(&["d", "a.md"]).unwrap();
        assert_eq!((decision.ignored, decision.line, decision.pattern), (false, 2, "!a.md"));
        assert_eq!(decision.dir, ["d"]);
        assert_eq!(set.decision(&["x.md"]).map(|d| (d.ignored, d.line)), Some((true, 2)));
        assert_eq!(set.decision(&["x.yaml"]), None);
    }

    #[test]
    fn line_beyond_limit_is_an_error() {
        let line = |len: usize| format!("a\n{}\nb", "x".repeat(len));
        assert_eq!(IgnoreSet::new().add(&[], &line(65_535)), Ok(()));
        assert_eq!(IgnoreSet::new().add(&[], &line(65_536)), Err(LineTooLong { line: 2 }));
    }

    #[test]
    fn many_stars_match_quickly() {
        let mut set = IgnoreSet::new();
        set.add(&[], &("**/".repeat(500) + &"*a".repeat(500) + "*b")).unwrap();
        let name = "a".repeat(2_000);
        assert!(!set.ignores(&vec![&*name; 50]));
    }

    proptest! {
        #[test]
        fn never_panics(
            text in "[]ab*?!/\\\\.\\[\n -]{0,30}",
            dir in prop::collection::vec("[ab]", 0..3),
            path in prop::collection::vec("[ab.]{1,3}", 0..4),
        ) {
            let mut set = IgnoreSet::new();
            set.add(&dir.iter().map(String::as_str).collect::<Vec<_>>(), &text).unwrap();
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            prop_assert_eq!(set.ignores(&path), set.decision(&path).is_some_and(|d| d.ignored));
        }
    }

    #[derive(serde::Deserialize)]
    struct Data {
        files: Vec<String>,
        cases: Vec<Case>,
    }

    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        indexignore: BTreeMap<String, String>,
        kept_by_opm: Vec<String>,
        error: bool,
    }

    #[test]
    fn keeps_same_files_as_opm() {
        let Some(text) = olmap_testing::read_data_file("indexignore.json") else { return };
        let data: Data = serde_json::from_str(&text).unwrap();
        assert!(!data.cases.is_empty());
        let mut wrong = Vec::new();
        for case in &data.cases {
            let mut set = IgnoreSet::new();
            let results: Vec<_> =
                case.indexignore.iter().map(|(dir, text)| set.add(&split(dir), text)).collect();
            let mut remaining_files: Vec<&String> =
                data.files.iter().filter(|path| !set.ignores(&split(path))).collect();
            remaining_files.sort();
            if remaining_files.into_iter().ne(&case.kept_by_opm)
                || results.iter().any(Result::is_err) != case.error
            {
                wrong.push(&case.name);
            }
        }
        assert!(wrong.is_empty(), "{} of {} wrong: {wrong:?}", wrong.len(), data.cases.len());
    }
}
