//! Cutting a file into documents, as opm does: as text, before any parsing.
//!
//! The content decides what a file is. If its first character (of the first 4,096 bytes) that is no blank is `{`,
//! JSON values are read one after another; what is not JSON is read as YAML from there on, unless two JSON
//! objects were read already. YAML is cut at lines that begin with `---`, wherever they stand.

use std::ops::Range;

use memchr::memmem;

use super::{
    json,
    read_error::{ReadError, ReadErrorKind},
    separator::separator,
    yaml,
};
use crate::catalog::node::Node;

/// The notation of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// YAML 1.1.
    Yaml,
    /// JSON.
    Json,
}

/// One piece of a file. The ranges of all chunks cover the file in order and without gaps.
///
/// A `---` line belongs to the chunk that follows it, and so do the comments and blank lines after it; a JSON value
/// takes the blanks up to the end of its line with it, and the last one the rest of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Its bytes in the file.
    pub range: Range<usize>,
    /// What they are.
    pub kind: ChunkKind,
}

/// What a chunk is to opm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChunkKind {
    /// A document: [`parse`] its text.
    Document(Format),
    /// Nothing to opm: a `---` line at the end of the file, or odd blanks at its beginning.
    NoObject,
    /// A chunk whose first line makes opm refuse the file before it reads the text.
    Unreadable(BadStart),
}

/// Byte order marks of UTF-8 and UTF-16.
const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];

/// What is wrong with the first line of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadStart {
    /// Something else than blanks or a comment follows its `---`.
    Separator,
    /// Something follows the `---` that begins a file, without a blank between.
    FirstSeparator,
    /// A byte order mark follows the `---` line that begins a file.
    ByteOrderMark,
}

impl BadStart {
    /// The error, its span relative to the chunk, which is this.
    pub fn error(self, chunk: &[u8]) -> ReadError {
        match self {
            Self::Separator => {
                let found = separator(chunk).and_then(Result::err);
                found.unwrap_or_else(|| ReadErrorKind::Separator.at(0..0))
            }
            Self::FirstSeparator => ReadErrorKind::Separator.at(3..4),
            Self::ByteOrderMark => {
                let line = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1);
                let mark = MARKS.iter().find(|mark| chunk[line..].starts_with(mark));
                ReadErrorKind::ByteOrderMark.at(line..line + mark.map_or(0, |mark| mark.len()))
            }
        }
    }
}

/// Reads a chunk's text into a tree; spans are relative to `text`.
///
/// # Errors
///
/// Whatever opm refuses to read. Where text that begins with `{` is neither JSON nor YAML, the error is about JSON,
/// as opm's is.
pub fn parse(format: Format, text: &[u8]) -> Result<Node<'_>, ReadError> {
    match format {
        Format::Json => json::parse(text),
        Format::Yaml => yaml::parse(text).map_err(|error| {
            if begins_with_brace(text) { json::parse(text).err().unwrap_or(error) } else { error }
        }),
    }
}

/// Number of bytes in which opm looks for the `{` that makes a file JSON.
const PEEK: usize = 4096;

/// Cuts a file into chunks. An empty file has none.
pub fn split(bytes: &[u8]) -> Vec<Chunk> {
    split_peeking(bytes, PEEK)
}

/// Cuts a file as [`split`] does, looking at its first `peek` bytes only for the `{` that makes it JSON: bundles are read with
/// 30 (operator-registry `pkg/registry/parse.go`).
pub fn split_peeking(bytes: &[u8], peek: usize) -> Vec<Chunk> {
    split_at_most(bytes, peek, usize::MAX)
}

/// Counts the chunks of a file; stops at `most`.
pub fn count_at_most(bytes: &[u8], most: usize) -> usize {
    split_at_most(bytes, PEEK, most).len()
}

fn split_at_most(bytes: &[u8], peek: usize, most: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut yaml_start = 0;
    if begins_with_brace(&bytes[..bytes.len().min(peek)]) {
        yaml_start = split_json(bytes, false, most, &mut chunks);
    }
    split_yaml(bytes, yaml_start, true, most, &mut chunks);
    chunks
}

/// What the chunks of a file are that stand before a place at which a chunk begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// None: it is the beginning of the file.
    Nothing,
    /// The last of them is YAML: what follows is too.
    Yaml,
    /// The first two of them are JSON objects: what follows is JSON to the end.
    JsonForGood,
}

/// Cuts a part of a file that begins at the beginning of a chunk. The part may end where a chunk ends; what its last
/// chunk is can then be told only from what follows.
pub fn split_on(part: &[u8], before: Before) -> Vec<Chunk> {
    match before {
        Before::Nothing => split(part),
        Before::Yaml => {
            let mut chunks = Vec::new();
            split_yaml(part, 0, false, usize::MAX, &mut chunks);
            chunks
        }
        Before::JsonForGood => {
            let mut chunks = Vec::new();
            split_json(part, true, usize::MAX, &mut chunks);
            chunks
        }
    }
}

fn begins_with_brace(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        // Most often the first byte decides.
        match rest {
            [b'{', ..] => return true,
            [b' ' | b'\t' | b'\n' | b'\r', after @ ..] => rest = after,
            _ => break,
        }
    }
    let text = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    text.trim_start().starts_with('{')
}

/// Cuts JSON values off the beginning; gives back where YAML begins (the end, if nowhere; so it is where all is JSON
/// `for_good`).
fn split_json(bytes: &[u8], for_good: bool, most: usize, chunks: &mut Vec<Chunk>) -> usize {
    let json = |range| Chunk { range, kind: ChunkKind::Document(Format::Json) };
    // Where the last chunk ends, and the value in it; what it has after that are blanks.
    let (mut start, mut value_end) = (0, 0);
    loop {
        if chunks.len() >= most {
            return bytes.len();
        }
        let at = json::skip_space(bytes, value_end);
        if at == bytes.len() {
            if let Some(last) = chunks.last_mut() {
                last.range.end = bytes.len();
            }
            return bytes.len();
        }
        let value = json::extent(bytes, at);
        // After two objects this is JSON for good. Before, what JSON cannot hold may still be YAML.
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

/// Where YAML begins when JSON ends at `at`: after the blanks (of Unicode, here) up to the end of the line.
fn yaml_after_json(bytes: &[u8], at: usize, chunks: &mut Vec<Chunk>) -> usize {
    let text = bytes[at..].utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let line = text.find('\n').map_or(text, |newline| &text[..=newline]);
    let start = at + line.len() - line.trim_start().len();
    let json_end = chunks.last().map_or(0, |last| last.range.end);
    let blanks = json_end..start;
    // Blanks that YAML would stumble over are a chunk of their own, and an error if nothing follows.
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

/// The place after the blanks and the line break that follow `at`, if nothing else does before the break.
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

/// How long the chunk at the beginning of `text` is.
fn chunk_length(text: &[u8], is_first: bool) -> usize {
    let mut from = 0;
    // A `---` line right after the one that ends a document is content of the next (empty up to there).
    if !is_first && matches!(separator(text), Some(Ok(()))) {
        let line = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
        if text[line..].starts_with(b"---") && matches!(separator(&text[line..]), Some(Ok(()))) {
            from = line + 3;
        }
    }
    memmem::find(&text[from..], b"\n---").map_or(text.len(), |at| from + at + 1)
}

fn yaml_kind(text: &[u8], is_first: bool, is_last: bool) -> ChunkKind {
    match separator(text) {
        None => ChunkKind::Document(Format::Yaml),
        Some(Err(_)) => ChunkKind::Unreadable(BadStart::Separator),
        // The line that begins a file is handed to the YAML parser, which is stricter.
        Some(Ok(())) if is_first => {
            let line = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
            if !matches!(text.get(3), None | Some(b' ' | b'\t' | b'\r' | b'\n')) {
                ChunkKind::Unreadable(BadStart::FirstSeparator)
            } else if MARKS.iter().any(|mark| text[line..].starts_with(mark)) {
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
