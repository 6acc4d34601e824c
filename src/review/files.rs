//! What an edit changes in files, line by line, and in meaning.

use std::{ops::Range, path::PathBuf};

use similar::{ChangeTag, TextDiff};

use super::{Consequences, Snapshot};
use crate::catalog::{SourceFile, model::ChangedFile};

/// One file that would be written.
#[derive(Clone, Debug)]
pub struct FileDiff {
    /// The file as shown: relative to its catalog.
    pub path: PathBuf,
    /// Where it is on disk.
    pub disk: Option<PathBuf>,
    /// What becomes of it.
    pub kind: FileKind,
    /// Its changed parts.
    pub hunks: Vec<Hunk>,
}

/// What becomes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// It is there before and after.
    Edited,
    /// It is made.
    New,
    /// It is taken away: an edit had made it, and that edit is taken back.
    Gone,
}

/// Lines that stand together in a diff.
#[derive(Clone, Debug)]
pub struct Hunk {
    /// Its first line in the old file, from 1.
    pub old_line: usize,
    /// Its first line in the new file, from 1.
    pub new_line: usize,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// A line of a diff.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffLine {
    /// What becomes of it.
    pub kind: DiffKind,
    /// Its text, without the line break.
    pub text: String,
    /// Whether a line break ends it; only the last line of a file can be without.
    pub has_break: bool,
    /// Whether the line break begins with a carriage return.
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

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiffKind {
    /// It stays.
    Kept,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

/// Everything that differs between what is on disk and what would be written.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The files.
    pub files: Vec<FileDiff>,
    /// The differences in meaning.
    pub consequences: Consequences,
}

impl Report {
    /// Compares two states of a catalog.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Self {
        let files = after.catalog.files_changed_since(&before.catalog);
        let files = files.into_iter().filter_map(|ChangedFile { before, after }| {
            let kind = match (before, after) {
                (None, _) => FileKind::New,
                (_, None) => FileKind::Gone,
                _ => FileKind::Edited,
            };
            let file = after.or(before)?;
            let (path, disk) = (file.shown.clone(), file.disk.clone());
            Some(FileDiff { path, disk, kind, hunks: hunks(before, after) })
        });
        Self { files: files.collect(), consequences: Consequences::between(before, after) }
    }
}

/// The documents that differ, and one on each side of them: a hunk in the middle of a file has lines around it.
fn widened(old: &SourceFile, new: &SourceFile) -> (Range<usize>, Range<usize>) {
    let (theirs, ours) = old.differing(new);
    let wide = |range: Range<usize>, file: &SourceFile| {
        range.start.saturating_sub(1)..(range.end + 1).min(file.segments().len())
    };
    (wide(theirs, old), wide(ours, new))
}

/// The changed lines. Only the stretch from the first to the last changed document is compared, so that an edit in a
/// big file costs what the edit costs.
fn hunks(old: Option<&SourceFile>, new: Option<&SourceFile>) -> Vec<Hunk> {
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let whole = |file: Option<&SourceFile>| file.map(|file| lossy(file.bytes())).unwrap_or_default();
    let (lines_before, old, new) = match (old, new) {
        (None, _) | (_, None) => (0, whole(old), whole(new)),
        (Some(old), Some(new)) => {
            let (theirs, ours) = widened(old, new);
            let before = old.segments().get(..theirs.start).unwrap_or_default();
            let lines = before.iter().map(|s| memchr::memchr_iter(b'\n', s.text.bytes()).count()).sum();
            (lines, lossy(old.bytes_of(theirs)), lossy(new.bytes_of(ours)))
        }
    };
    hunks_of(&old, &new, lines_before)
}

impl FileDiff {
    /// A file on disk that is no catalog's, before and after.
    pub fn of_texts(path: PathBuf, before: &[u8], after: &[u8]) -> Self {
        let (old, new) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
        Self { disk: Some(path.clone()), path, kind: FileKind::Edited, hunks: hunks_of(&old, &new, 0) }
    }
}

fn hunks_of(old: &str, new: &str, lines_before: usize) -> Vec<Hunk> {
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
