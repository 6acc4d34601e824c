//! Changed lines of files, with unified diffs as their text.

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

use similar::{ChangeTag, TextDiff};

use olm_catalog::{Catalog, SourceFile, model::ChangedFile};

/// Changes of one file.
#[derive(Clone, Debug)]
pub struct FileDiff {
    /// Path for display, relative to the catalog.
    pub path: PathBuf,
    /// Path on disk; `None` if the file is not on disk.
    pub disk: Option<PathBuf>,
    /// Kind of the change.
    pub kind: FileKind,
    /// Changed parts.
    pub hunks: Vec<Hunk>,
}

/// Kind of a file change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Changed file.
    Edited,
    /// New file.
    New,
    /// Removed file: an edit had created it and was undone.
    Removed,
}

/// Adjacent lines of a diff.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// First line in the old file, from 1.
    pub old_line: usize,
    /// First line in the new file, from 1.
    pub new_line: usize,
    /// Lines of the hunk.
    pub lines: Vec<DiffLine>,
}

/// Line of a diff.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffLine {
    /// Kind of the line.
    pub kind: DiffKind,
    /// Text without the line break.
    pub text: String,
    /// True if the line has a line break; only the last line of a file may lack it.
    pub has_break: bool,
    /// True if the line break starts with a carriage return.
    pub has_return: bool,
}

impl DiffLine {
    fn new(tag: ChangeTag, line: &str) -> Self {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let shown = text.strip_suffix('\r').unwrap_or(text);
        let kind = match tag {
            ChangeTag::Equal => DiffKind::Kept,
            ChangeTag::Delete => DiffKind::Removed,
            ChangeTag::Insert => DiffKind::Added,
        };
        let has_break = text.len() < line.len();
        Self { kind, text: shown.to_owned(), has_break, has_return: shown.len() < text.len() }
    }
}

/// Kind of a diff line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiffKind {
    /// Unchanged line.
    Kept,
    /// Removed line.
    Removed,
    /// Added line.
    Added,
}

/// Returns the changes of files between two states of a catalog.
pub fn compare_files(before: &Catalog, after: &Catalog) -> Vec<FileDiff> {
    let changed = after.files_changed_since(before).into_iter();
    let diffs = changed.filter_map(|ChangedFile { before, after }| {
        let kind = match (before, after) {
            (None, _) => FileKind::New,
            (_, None) => FileKind::Removed,
            _ => FileKind::Edited,
        };
        let file = after.or(before)?;
        let (path, disk) = (file.display_path.clone(), file.disk.clone());
        Some(FileDiff { path, disk, kind, hunks: find_hunks(before, after) })
    });
    diffs.collect()
}

/// Returns the ranges of changed documents with one more on each side, for the context lines of hunks.
fn widen_ranges(old: &SourceFile, new: &SourceFile) -> (Range<usize>, Range<usize>) {
    let (theirs, ours) = old.differing_chunks(new);
    let wide = |range: Range<usize>, file: &SourceFile| {
        range.start.saturating_sub(1)..(range.end + 1).min(file.segments().len())
    };
    (wide(theirs, old), wide(ours, new))
}

/// Returns the changed lines. Compares only the range from the first to the last changed document, so that edits in large
/// files are fast.
fn find_hunks(old: Option<&SourceFile>, new: Option<&SourceFile>) -> Vec<Hunk> {
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let whole = |file: Option<&SourceFile>| file.map(|file| lossy(file.current_bytes())).unwrap_or_default();
    let (lines_before, old, new) = match (old, new) {
        (None, _) | (_, None) => (0, whole(old), whole(new)),
        (Some(old), Some(new)) => {
            let (theirs, ours) = widen_ranges(old, new);
            let before = old.segments().get(..theirs.start).unwrap_or_default();
            let lines = before.iter().map(|s| memchr::memchr_iter(b'\n', s.text.as_bytes()).count()).sum();
            (lines, lossy(old.chunk_bytes(theirs)), lossy(new.chunk_bytes(ours)))
        }
    };
    hunks_from_texts(&old, &new, lines_before)
}

impl FileDiff {
    /// Compares the contents of a file that is not part of a catalog.
    pub fn from_texts(path: PathBuf, before: &[u8], after: &[u8]) -> Self {
        let (old, new) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
        Self {
            disk: Some(path.clone()),
            path,
            kind: FileKind::Edited,
            hunks: hunks_from_texts(&old, &new, 0),
        }
    }

    /// Returns the path on disk, or the path in the catalog if the file is not on disk.
    pub fn disk_or_catalog_path(&self) -> &Path {
        self.disk.as_deref().unwrap_or(&self.path)
    }

    /// Returns the number of lines of a kind.
    pub fn count_lines(&self, kind: DiffKind) -> usize {
        self.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count()
    }
}

/// Writes a unified diff for `git apply` and `patch -p1`.
impl fmt::Display for FileDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.disk_or_catalog_path().display().to_string();
        let path = path.trim_start_matches("./").trim_start_matches('/');
        let (old, new) = match self.kind {
            FileKind::Edited => (format!("a/{path}"), format!("b/{path}")),
            FileKind::New => ("/dev/null".to_owned(), format!("b/{path}")),
            FileKind::Removed => (format!("a/{path}"), "/dev/null".to_owned()),
        };
        writeln!(f, "--- {old}\n+++ {new}")?;
        self.hunks.iter().try_for_each(|hunk| hunk.fmt(f))
    }
}

impl fmt::Display for Hunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines_of = |other: DiffKind| self.lines.iter().filter(|line| line.kind != other).count();
        let (old, new) = (lines_of(DiffKind::Added), lines_of(DiffKind::Removed));
        // If a side has no lines, the header names the line before the hunk.
        let from = |line: usize, count: usize| if count == 0 { line.saturating_sub(1) } else { line };
        writeln!(f, "@@ -{},{old} +{},{new} @@", from(self.old_line, old), from(self.new_line, new))?;
        self.lines.iter().try_for_each(|line| line.fmt(f))
    }
}

impl fmt::Display for DiffLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.kind {
            DiffKind::Kept => ' ',
            DiffKind::Removed => '-',
            DiffKind::Added => '+',
        };
        let line_break = if self.has_return { "\r\n" } else { "\n" };
        write!(f, "{mark}{}{line_break}", self.text)?;
        if self.has_break { Ok(()) } else { f.write_str("\\ No newline at end of file\n") }
    }
}

fn hunks_from_texts(old: &str, new: &str, lines_before: usize) -> Vec<Hunk> {
    let diff = TextDiff::from_lines(old, new);
    let groups = diff.grouped_ops(2);
    groups
        .iter()
        .map(|group| Hunk {
            old_line: 1 + lines_before + group.first().map_or(0, |op| op.old_range().start),
            new_line: 1 + lines_before + group.first().map_or(0, |op| op.new_range().start),
            lines: group
                .iter()
                .flat_map(|op| diff.iter_changes(op))
                .map(|change| DiffLine::new(change.tag(), change.value()))
                .collect(),
        })
        .collect()
}
