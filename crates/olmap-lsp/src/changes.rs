//! Text edits that turn one state of a catalog into another.

use std::{
    collections::HashMap,
    ops::Range,
    path::{Path, PathBuf},
};

use gen_lsp_types::{
    CreateFile, DocumentChange, Edit as OneEdit, OptionalVersionedTextDocumentIdentifier, Range as Lines,
    TextDocumentEdit, TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Encoding, address};
use olm_catalog::{Catalog, SourceFile};

/// Capabilities of a client for edits, and versions of its open documents.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// True if the client supports document versions in edits.
    pub versions: bool,
    /// True if the client can create files in edits.
    pub creates_files: bool,
    /// Versions of the open documents.
    pub open: HashMap<PathBuf, i32>,
}

/// Reason why an edit is not offered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The edit creates a file.
    #[error("it makes a new file: make this edit in the explorer")]
    NewFile,
    /// The file does not exist on disk.
    #[error("{0} is on no disk")]
    NoDisk(PathBuf),
    /// The file contains invalid UTF-8.
    #[error("{0} is not UTF-8")]
    NotText(PathBuf),
}

/// Returns the edit that turns one state of a catalog into another.
pub fn diff_catalogs(
    before: &Catalog,
    after: &Catalog,
    encoding: Encoding,
    client: &Client,
) -> Result<WorkspaceEdit, ChangeError> {
    let mut files = Vec::new();
    for changed in after.files_changed_since(before) {
        let (Some(old), Some(new)) = (changed.before, changed.after) else {
            return Err(ChangeError::NewFile);
        };
        let Some(disk) = &old.disk else { return Err(ChangeError::NoDisk(old.display_path.clone())) };
        let edits =
            diff_file(old, new, encoding).ok_or_else(|| ChangeError::NotText(old.display_path.clone()))?;
        files.push((address::normalize_dots(disk), edits));
    }
    Ok(build_workspace_edit(files, client))
}

/// Returns a workspace edit, in a form that the client supports.
pub fn build_workspace_edit(files: Vec<(PathBuf, Vec<TextEdit>)>, client: &Client) -> WorkspaceEdit {
    if !client.versions {
        let changes: HashMap<Uri, Vec<TextEdit>> =
            files.into_iter().map(|(path, edits)| (address::path_to_uri(&path), edits)).collect();
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let change = |(path, edits): (PathBuf, Vec<TextEdit>)| {
        let version = client.open.get(&path).copied();
        let text_document = OptionalVersionedTextDocumentIdentifier::new(
            version,
            TextDocumentIdentifier { uri: address::path_to_uri(&path) },
        );
        let edits = edits.into_iter().map(OneEdit::TextEdit).collect();
        DocumentChange::TextDocumentEdit(TextDocumentEdit { text_document, edits })
    };
    WorkspaceEdit {
        document_changes: Some(files.into_iter().map(change).collect()),
        ..WorkspaceEdit::default()
    }
}

/// Returns the edit that changes the text of a file; `None` if the text is invalid UTF-8.
pub fn edit_text(
    path: &Path,
    before: &[u8],
    after: &[u8],
    (encoding, client): (Encoding, &Client),
) -> Option<WorkspaceEdit> {
    let at = |byte: usize| encoding.position(before, byte);
    let edit = |(range, text): (Range<usize>, &[u8])| {
        Some(TextEdit {
            range: Lines { start: at(range.start), end: at(range.end) },
            new_text: std::str::from_utf8(text).ok()?.to_owned(),
        })
    };
    let edits: Option<Vec<TextEdit>> = diff_bytes(before, after).into_iter().map(edit).collect();
    Some(build_workspace_edit(vec![(address::normalize_dots(path), edits?)], client))
}

/// Returns the edit that creates a file with a text.
pub fn create_file(path: &Path, text: String) -> WorkspaceEdit {
    let uri = address::path_to_uri(&address::normalize_dots(path));
    let create = CreateFile { uri: uri.clone(), options: None, annotation_id: None };
    let text_document = OptionalVersionedTextDocumentIdentifier::new(None, TextDocumentIdentifier { uri });
    let edits = vec![OneEdit::TextEdit(TextEdit { range: Lines::default(), new_text: text })];
    let write = DocumentChange::TextDocumentEdit(TextDocumentEdit { text_document, edits });
    WorkspaceEdit {
        document_changes: Some(vec![DocumentChange::CreateFile(create), write]),
        ..WorkspaceEdit::default()
    }
}

/// Returns the text edits of one file; `None` if the text is invalid UTF-8.
fn diff_file(old: &SourceFile, new: &SourceFile, encoding: Encoding) -> Option<Vec<TextEdit>> {
    let (was, is) = old.differing_chunks(new);
    let start = old
        .segments()
        .get(was.start)
        .and_then(|segment| old.chunk_offset(segment.serial))
        .unwrap_or(old.len());
    let whole = old.current_bytes();
    let (was, is) = (old.chunk_bytes(was), new.chunk_bytes(is));
    let splices = diff_bytes(&was, &is);
    let at = |byte: usize| encoding.position(&whole, start + byte);
    let edit = |(range, text): (Range<usize>, &[u8])| {
        Some(TextEdit {
            range: Lines { start: at(range.start), end: at(range.end) },
            new_text: std::str::from_utf8(text).ok()?.to_owned(),
        })
    };
    splices.into_iter().map(edit).collect()
}

/// Returns the replaced byte ranges of `old` with their new text. Unchanged lines are kept, and in
/// a changed line only the differing part is replaced.
fn diff_bytes<'n>(old: &[u8], new: &'n [u8]) -> Vec<(Range<usize>, &'n [u8])> {
    let (above, old_lines, new_lines) = differing_lines(old, new);
    let (old_starts, new_starts) = (line_starts(&old_lines, above), line_starts(&new_lines, above));
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (mut was, mut is) =
            (line_range_bytes(&old_starts, op.old_range()), line_range_bytes(&new_starts, op.new_range()));
        let part = |text: &[u8], range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_vec();
        let (a, b) = (part(old, &was), part(new, &is));
        let head = floor_boundary(&a, a.iter().zip(&b).take_while(|(a, b)| a == b).count());
        let rest = a.len().min(b.len()) - head;
        let tail = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        // Neither a character nor a CR LF line break is split.
        let tail = a.len() - ceil_boundary(&a, a.len() - tail);
        was = was.start + head..was.end - tail;
        is = is.start + head..is.end - tail;
        out.push((was, new.get(is).unwrap_or_default()));
    }
    out
}

/// Returns the lines of both texts without the common lines at the start and the end, after the
/// number of bytes in the common lines at the start.
fn differing_lines<'t>(old: &'t [u8], new: &'t [u8]) -> (usize, Vec<&'t [u8]>, Vec<&'t [u8]>) {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let above = memchr::memrchr(b'\n', old.get(..same).unwrap_or_default()).map_or(0, |at| at + 1);
    let (mut old, mut new) = (old.get(above..).unwrap_or_default(), new.get(above..).unwrap_or_default());
    let below = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = old.get(old.len() - below..).unwrap_or_default();
    if let Some(first) = memchr::memchr(b'\n', tail) {
        let below = below - first - 1;
        old = old.get(..old.len() - below).unwrap_or_default();
        new = new.get(..new.len() - below).unwrap_or_default();
    }
    (above, split_lines(old), split_lines(new))
}

fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the byte offset of each line, and of the end of the last one. The first line is at
/// `from`.
fn line_starts(lines: &[&[u8]], from: usize) -> Vec<usize> {
    let mut starts = vec![from];
    let mut at = from;
    starts.extend(lines.iter().map(|line| {
        at += line.len();
        at
    }));
    starts
}

/// Converts a range of lines to a range of bytes.
fn line_range_bytes(starts: &[usize], lines: Range<usize>) -> Range<usize> {
    let at = |line: usize| starts.get(line).copied().unwrap_or_default();
    at(lines.start)..at(lines.end)
}

/// Returns the last boundary at or before a position: not inside of a character or of CR LF.
fn floor_boundary(text: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| {
        text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80)
            || at > 0 && text.get(at) == Some(&b'\n') && text.get(at - 1) == Some(&b'\r')
    };
    (0..=at).rev().find(|at| !is_inside(*at)).unwrap_or_default()
}

/// Returns the first boundary at or after a position: see [`floor_boundary`].
fn ceil_boundary(text: &[u8], at: usize) -> usize {
    (at..text.len()).find(|at| floor_boundary(text, *at) == *at).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn splices_turn_the_old_text_into_the_new(
            old in "[ab\nü\r]{0,12}", new in "[ab\nü\r]{0,12}", head in "[ab\n]{0,6}", tail in "[ab\n]{0,6}",
        ) {
            let (old, new) = (format!("{head}{old}{tail}"), format!("{head}{new}{tail}"));
            let mut made = old.clone();
            for (range, text) in diff_bytes(old.as_bytes(), new.as_bytes()).into_iter().rev() {
                made.replace_range(range, std::str::from_utf8(text).unwrap());
            }
            prop_assert_eq!(made, new);
        }
    }

    #[test]
    fn only_differing_parts_are_replaced() {
        let (old, new) = ("a: 1\nb: stable\nc: 3\n", "a: 1\nb: stab\nc: 3\n");
        assert_eq!(diff_bytes(old.as_bytes(), new.as_bytes()), [(12..14, "".as_bytes())]);
    }
}
