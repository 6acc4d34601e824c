//! Splits a file into documents as opm does: as text, before any parsing.
//!
//! The content decides the format. If the first character that is not blank (within the first 4,096 bytes) is
//! `{`, JSON values are read one after another. The rest from the first invalid value on is YAML, unless two
//! JSON objects precede it. YAML is split at every line that begins with `---`.

use std::ops::Range;

use memchr::memmem;

use super::{
    json,
    yaml::{self, ReadError, ReadErrorKind},
};
use crate::node::Node;

/// Format of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// YAML 1.1.
    Yaml,
    /// JSON.
    Json,
}

/// A piece of a file. The ranges of all chunks cover the file in order and without gaps.
///
/// A `---` line belongs to the chunk after it, with the comments and blank lines that follow. A JSON value
/// includes the blanks up to the end of its line; the last value includes the rest of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Byte range in the file.
    pub range: Range<usize>,
    /// Kind of the chunk.
    pub kind: ChunkKind,
}

/// Classification of a chunk by opm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChunkKind {
    /// A document; [`parse_chunk`] reads its text.
    Document(Format),
    /// Ignored by opm: a `---` line at the end of the file, or unusual blanks at its beginning.
    NoObject,
    /// A chunk whose first line makes opm reject the file before it reads the text.
    Unreadable(BadStart),
}

/// Byte order marks of UTF-8 and UTF-16.
const BYTE_ORDER_MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];

/// Error in the first line of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadStart {
    /// Text other than blanks or a comment follows `---`.
    Separator,
    /// Text follows the `---` at the beginning of a file without a blank between.
    FirstSeparator,
    /// A byte order mark follows the `---` line at the beginning of a file.
    ByteOrderMark,
}

impl BadStart {
    /// Returns the error for `chunk`; its span is relative to the chunk.
    pub fn to_error(self, chunk: &[u8]) -> ReadError {
        match self {
            Self::Separator => {
                let found = check_separator(chunk).and_then(Result::err);
                found.unwrap_or_else(|| ReadErrorKind::Separator.at_span(0..0))
            }
            Self::FirstSeparator => ReadErrorKind::Separator.at_span(3..4),
            Self::ByteOrderMark => {
                let line = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1);
                let mark = BYTE_ORDER_MARKS.iter().find(|mark| chunk[line..].starts_with(mark));
                ReadErrorKind::ByteOrderMark.at_span(line..line + mark.map_or(0, |mark| mark.len()))
            }
        }
    }
}

/// Parses the text of a chunk into a tree; spans are relative to `text`.
///
/// # Errors
///
/// Text that opm cannot read. If text that begins with `{` is neither JSON nor YAML, the error is about JSON,
/// as in opm.
pub fn parse_chunk(format: Format, text: &[u8]) -> Result<Node<'_>, ReadError> {
    match format {
        Format::Json => json::parse_json(text),
        Format::Yaml => yaml::parse_yaml(text).map_err(|error| {
            if begins_with_brace(text) { json::parse_json(text).err().unwrap_or(error) } else { error }
        }),
    }
}

/// Text between two JSON objects as opm writes them: the end of one and the beginning of the next.
const BETWEEN_OBJECTS: &[u8] = b"}\n{";

/// Number of bytes in which opm looks for the `{` that makes a file JSON.
pub(crate) const PEEK_BYTES: usize = 4096;

/// Splits a file into chunks. An empty file does not have any.
pub fn split_chunks(bytes: &[u8]) -> Vec<Chunk> {
    split_peeking(bytes, PEEK_BYTES)
}

/// Splits a file like [`split_chunks`] but examines only its first `peek` bytes for the `{` that makes it JSON. opm
/// reads bundles with 30 (operator-registry `pkg/registry/parse.go`).
pub fn split_peeking(bytes: &[u8], peek: usize) -> Vec<Chunk> {
    split_up_to(bytes, peek, usize::MAX)
}

/// Counts the chunks of a file, up to `most`.
pub fn count_chunks(bytes: &[u8], most: usize) -> usize {
    split_up_to(bytes, PEEK_BYTES, most).len()
}

fn split_up_to(bytes: &[u8], peek: usize, most: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut yaml_start = 0;
    if begins_with_brace(&bytes[..bytes.len().min(peek)]) {
        yaml_start = split_json(bytes, false, most, &mut chunks);
    }
    split_yaml(bytes, yaml_start, true, most, &mut chunks);
    chunks
}

/// Chunks before a chunk boundary of a file, as far as they decide how the rest is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PrecedingChunks {
    /// No chunks: the boundary is the beginning of the file.
    Nothing,
    /// The last chunk is YAML, so the rest is YAML.
    Yaml,
    /// The first two chunks are JSON objects, so the rest is JSON.
    JsonForGood,
}

/// Splits a part of a file that begins at a chunk boundary. If the part also ends at one, the kind of its last
/// chunk may depend on the text that follows.
pub fn split_part(part: &[u8], before: PrecedingChunks) -> Vec<Chunk> {
    match before {
        PrecedingChunks::Nothing => split_chunks(part),
        PrecedingChunks::Yaml => {
            let mut chunks = Vec::new();
            split_yaml(part, 0, false, usize::MAX, &mut chunks);
            chunks
        }
        PrecedingChunks::JsonForGood => {
            let mut chunks = Vec::new();
            split_json(part, true, usize::MAX, &mut chunks);
            chunks
        }
    }
}

/// Splits a file that is probably JSON with a line break between its objects. `None` for other files.
///
/// This is faster than [`split_chunks`], and not certain. The chunks are those of [`split_chunks`] if each of them is
/// one JSON object that [`parse_chunk`] accepts: no object can contain `}`, a line break and `{` in a row.
pub(crate) fn split_likely_json(bytes: &[u8]) -> Option<Vec<Chunk>> {
    if bytes.first() != Some(&b'{') {
        return None;
    }
    let json = |range| Chunk { range, kind: ChunkKind::Document(Format::Json) };
    let mut start = 0;
    let mut chunks = Vec::new();
    for at in memmem::find_iter(bytes, BETWEEN_OBJECTS) {
        let end = at + BETWEEN_OBJECTS.len() - 1;
        chunks.push(json(start..end));
        start = end;
    }
    chunks.push(json(start..bytes.len()));
    Some(chunks)
}

fn begins_with_brace(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        // Usually the first byte decides.
        match rest {
            [b'{', ..] => return true,
            [b' ' | b'\t' | b'\n' | b'\r', after @ ..] => rest = after,
            _ => break,
        }
    }
    let text = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    text.trim_start().starts_with('{')
}

/// Splits off the JSON values at the beginning and returns the start of the YAML after them. Returns the end of
/// the file if all of it is JSON; with `for_good` it always is.
fn split_json(bytes: &[u8], for_good: bool, most: usize, chunks: &mut Vec<Chunk>) -> usize {
    let json = |range| Chunk { range, kind: ChunkKind::Document(Format::Json) };
    // End of the last chunk and of the value in it; the chunk has only blanks after its value.
    let (mut start, mut value_end) = (0, 0);
    loop {
        if chunks.len() >= most {
            return bytes.len();
        }
        let at = json::skip_blanks(bytes, value_end);
        if at == bytes.len() {
            if let Some(last) = chunks.last_mut() {
                last.range.end = bytes.len();
            }
            return bytes.len();
        }
        let value = json::find_extent(bytes, at);
        // After two objects, everything is JSON. Before that, invalid JSON may be YAML.
        if !for_good && chunks.len() < 2 && !value.as_ref().is_some_and(|value| value.is_readable) {
            return yaml_after_json(bytes, value_end, chunks);
        }
        let Some(json::Extent { end, .. }) = value else {
            chunks.push(json(start..bytes.len()));
            return bytes.len();
        };
        value_end = end;
        let chunk_end = end_of_line(bytes, end);
        chunks.push(json(start..chunk_end));
        start = chunk_end;
    }
}

/// Returns the start of the YAML after JSON that ends at `at`: after the Unicode blanks of the rest of the
/// line.
fn yaml_after_json(bytes: &[u8], at: usize, chunks: &mut Vec<Chunk>) -> usize {
    let text = bytes[at..].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let line = text.find('\n').map_or(text, |newline| &text[..=newline]);
    let start = at + line.len() - line.trim_start().len();
    let json_end = chunks.last().map_or(0, |last| last.range.end);
    let blanks = json_end..start;
    // Blanks that YAML rejects form a separate chunk, which is an error if nothing follows.
    let is_odd =
        bytes.get(blanks.clone()).is_some_and(|blanks| blanks.iter().any(|b| !matches!(b, b' ' | b'\n')));
    if is_odd {
        let at_end = start == bytes.len() && !chunks.is_empty();
        let kind = if at_end { ChunkKind::Document(Format::Json) } else { ChunkKind::NoObject };
        chunks.push(Chunk { range: blanks, kind });
        return start;
    }
    json_end
}

/// Returns the position after the blanks and the line break that follow `at`; without the line break if other
/// text comes first.
fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let blanks = bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    match bytes.get(at + blanks) {
        Some(b'\n') => at + blanks + 1,
        _ => at + blanks,
    }
}

fn split_yaml(bytes: &[u8], start: usize, is_first: bool, most: usize, chunks: &mut Vec<Chunk>) {
    let mut start = start;
    let mut is_first = is_first;
    while start < bytes.len() && chunks.len() < most {
        let rest = &bytes[start..];
        let end = start + chunk_length(rest, is_first);
        let text = &bytes[start..end];
        let kind = yaml_kind(text, is_first, end == bytes.len());
        chunks.push(Chunk { range: start..end, kind });
        start = end;
        is_first = false;
    }
}

/// Returns the length of the chunk at the beginning of `text`.
fn chunk_length(text: &[u8], is_first: bool) -> usize {
    let mut from = 0;
    // A second `---` line right after the first belongs to the next document, which is empty up to there.
    if !is_first && matches!(check_separator(text), Some(Ok(()))) {
        let line = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        if text[line..].starts_with(b"---") && matches!(check_separator(&text[line..]), Some(Ok(()))) {
            from = line + 3;
        }
    }
    memmem::find(&text[from..], b"\n---").map_or(text.len(), |at| from + at + 1)
}

fn yaml_kind(text: &[u8], is_first: bool, is_last: bool) -> ChunkKind {
    match check_separator(text) {
        None => ChunkKind::Document(Format::Yaml),
        Some(Err(_)) => ChunkKind::Unreadable(BadStart::Separator),
        // opm passes the first line of a file to the YAML parser, which is stricter.
        Some(Ok(())) if is_first => {
            let line = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
            if !matches!(text.get(3), None | Some(b' ' | b'\t' | b'\r' | b'\n')) {
                ChunkKind::Unreadable(BadStart::FirstSeparator)
            } else if BYTE_ORDER_MARKS.iter().any(|mark| text[line..].starts_with(mark)) {
                ChunkKind::Unreadable(BadStart::ByteOrderMark)
            } else {
                ChunkKind::Document(Format::Yaml)
            }
        }
        Some(Ok(())) => {
            let one_line = memchr::memchr(b'\n', text).is_none_or(|at| at + 1 == text.len());
            if is_last && one_line { ChunkKind::NoObject } else { ChunkKind::Document(Format::Yaml) }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;

/// Checks the `---` line at the beginning of a chunk: only blanks or a comment may follow on the line. `None`
/// if the chunk does not begin with `---`.
pub(super) fn check_separator(chunk: &[u8]) -> Option<Result<(), ReadError>> {
    let after = chunk.strip_prefix(b"---")?;
    let line = &after[..memchr::memchr(b'\n', after).unwrap_or(after.len())];
    let text = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let trimmed = text.trim_start();
    let at = 3 + text.len() - trimmed.len();
    let is_fine = match trimmed.chars().next() {
        Some(c) => c == '#',
        // Blanks to the end of the line, or bytes that are not text.
        None => at == 3 + line.len(),
    };
    if is_fine {
        Some(Ok(()))
    } else {
        Some(Err(ReadErrorKind::Separator.at_span(at..3 + line.trim_ascii_end().len())))
    }
}
