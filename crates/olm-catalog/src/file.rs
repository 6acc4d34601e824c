//! A file as a sequence of chunks, so that an edit replaces one chunk and leaves the others unchanged.

use std::{
    collections::HashSet,
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::SystemTime,
};

use super::text::{
    Text,
    split::{self, Chunk, ChunkKind, Format},
};

/// A file of a catalog, by its index in [`Catalog::files`](super::Catalog::files).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A document of a catalog. The ID is stable while other documents are added or removed; it is not the position
/// in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DocId {
    /// File that contains the document.
    pub file: FileId,
    /// Number that is unique in the file and never reused.
    pub serial: u32,
}

/// Location in a file, in the form that compilers print.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// Display path of the file.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte range in the file.
    pub bytes: Range<usize>,
    /// True for a whole file or directory; line and column are then not significant.
    pub is_whole_file: bool,
}

impl fmt::Display for Location {
    /// Writes `catalog.yaml:12:3`, or only the path of a whole file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.is_whole_file { Ok(()) } else { write!(f, ":{}:{}", self.line, self.column) }
    }
}

impl Location {
    /// Returns the location of a file or directory as a whole.
    pub fn whole_file(path: PathBuf) -> Self {
        Self { path, line: 1, column: 1, bytes: Range::default(), is_whole_file: true }
    }

    /// Returns `catalog.yaml:12`, or only the path of a whole file.
    pub fn path_and_line(&self) -> String {
        let path = self.path.display();
        if self.is_whole_file { path.to_string() } else { format!("{path}:{}", self.line) }
    }

    /// Returns the sort key of locations: path, line, column.
    pub fn sort_key(&self) -> (&Path, usize, usize) {
        (&self.path, self.line, self.column)
    }
}

/// A chunk of a file: at most one document with the text before it (separator, comments, blank lines).
#[derive(Clone, Debug)]
pub struct Segment {
    /// See [`DocId::serial`].
    pub serial: u32,
    /// Text of the chunk.
    pub text: Text,
    /// Kind of the chunk.
    pub kind: ChunkKind,
}

impl Segment {
    /// Returns the format of the document; `None` if the chunk is not a readable document.
    pub fn format(&self) -> Option<Format> {
        match &self.kind {
            ChunkKind::Document(format) => Some(*format),
            ChunkKind::NoObject | ChunkKind::Unreadable(_) => None,
        }
    }
}

/// Prefixes of the schemas of templates.
const TEMPLATE_SCHEMAS: &[&str] = &["olm.semver", "olm.template."];

/// Schemas that make a file with a template and other documents a catalog.
const OBJECT_SCHEMAS: &[&str] = &["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"];

/// Returns true if a text contains one of some words.
fn contains_any(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

/// File metadata for detecting changes without reading. Recorded only if the file was not modified recently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub length: u64,
    pub modified: SystemTime,
}

/// A file of a catalog.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Display path: relative to the catalog's directory, or as given.
    pub display_path: PathBuf,
    /// Path on disk; `None` for standard input and the embedded demo.
    pub disk: Option<PathBuf>,
    /// True if the permissions of the file allow writing.
    pub writable: bool,
    /// True if the file is outside the catalog and reached through a link. The author of the link may not have
    /// permission to read it, so its text is never quoted.
    pub foreign: bool,
    /// Metadata to detect that the file is unchanged on disk, if reliable.
    pub(super) stamp: Option<Stamp>,
    /// True if an edit created the file; without content, such a file does not exist.
    is_new: bool,
    segments: Vec<Segment>,
    /// Index in `segments` by serial; `REMOVED` for removed documents. Empty until a document is added or
    /// removed.
    positions: Vec<u32>,
    /// Offset of each segment in the file.
    chunk_starts: Vec<usize>,
    /// Line index, computed on first use.
    line_index: OnceLock<LineIndex>,
}

const REMOVED: u32 = u32::MAX;

impl SourceFile {
    /// Splits a file into chunks.
    pub fn new(shown: PathBuf, disk: Option<PathBuf>, bytes: Vec<u8>) -> Self {
        let chunks = split::split_chunks(&bytes);
        let buffer = Arc::new(bytes);
        Self::from_chunks(shown, disk, chunks, |range| Text::slice(&buffer, range))
    }

    /// Creates a file from its chunks; `text` returns the text of a range.
    pub(super) fn from_chunks(
        shown: PathBuf,
        disk: Option<PathBuf>,
        chunks: Vec<Chunk>,
        text: impl Fn(Range<usize>) -> Text,
    ) -> Self {
        let segments = (0..)
            .zip(chunks)
            .map(|(serial, chunk)| Segment { serial, text: text(chunk.range), kind: chunk.kind })
            .collect();
        let mut file = Self {
            display_path: shown,
            disk,
            writable: true,
            foreign: false,
            stamp: None,
            is_new: false,
            segments,
            positions: Vec::new(),
            chunk_starts: Vec::new(),
            line_index: OnceLock::new(),
        };
        file.reindex();
        file
    }

    /// Creates a file that does not exist on disk yet.
    pub(super) fn new_unsaved(shown: PathBuf, disk: Option<PathBuf>, bytes: Vec<u8>) -> Self {
        Self { is_new: true, ..Self::new(shown, disk, bytes) }
    }

    /// Returns a file on disk with the same content, which both share.
    pub(super) fn copy_at(&self, path: PathBuf, writable: bool) -> Self {
        Self { disk: Some(path), writable, stamp: None, ..self.clone() }
    }

    /// Returns true if the file exists. A new file without content does not.
    pub fn exists(&self) -> bool {
        !self.is_new || self.segments.iter().any(|segment| !segment.text.is_empty())
    }

    /// Returns true if edits removed all content.
    pub fn is_emptied(&self) -> bool {
        self.segments.is_empty() && !self.positions.is_empty()
    }

    fn reindex(&mut self) {
        self.positions.fill(REMOVED);
        self.chunk_starts.clear();
        let mut start = 0;
        for (position, segment) in (0..).zip(&self.segments) {
            if let Some(slot) = self.positions.get_mut(segment.serial as usize) {
                *slot = position;
            }
            self.chunk_starts.push(start);
            start += segment.text.len();
        }
        self.line_index = OnceLock::new();
    }

    /// Returns the chunks in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the template document of the file and the number of documents after it, if the file is a
    /// template. It is a template if it has a single document, or if no catalog object follows the first
    /// document. opm reads only the first document of a template.
    pub(super) fn template_document(&self) -> Option<(&Segment, usize)> {
        let mut documents = self.segments.iter().filter(|s| !matches!(s.kind, ChunkKind::NoObject));
        let first = documents.next()?;
        let rest: Vec<&Segment> = documents.collect();
        let is_one = rest.is_empty()
            || contains_any(first.text.as_bytes(), TEMPLATE_SCHEMAS)
                && !rest.iter().any(|segment| contains_any(segment.text.as_bytes(), OBJECT_SCHEMAS));
        is_one.then_some((first, rest.len()))
    }

    /// Returns the format of the first readable document; YAML if there is none.
    pub fn format(&self) -> Format {
        self.segments.iter().find_map(Segment::format).unwrap_or(Format::Yaml)
    }

    /// Returns the current bytes of the file, including edits.
    pub fn current_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.segments.iter().map(|s| s.text.len()).sum());
        for segment in &self.segments {
            bytes.extend_from_slice(segment.text.as_bytes());
        }
        bytes
    }

    /// Returns the chunks of both states that differ, between a common prefix and suffix. Unedited chunks are
    /// compared by address, so the cost depends on the edits and not on the file size.
    pub fn differing_chunks(&self, other: &Self) -> (Range<usize>, Range<usize>) {
        let (mine, theirs) = (&self.segments, &other.segments);
        let same = |(a, b): &(&Segment, &Segment)| a.text == b.text && a.kind == b.kind;
        let start = mine.iter().zip(theirs).take_while(same).count();
        let rest = mine.len().min(theirs.len()) - start;
        let end = mine.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(same).count();
        (start..mine.len() - end, start..theirs.len() - end)
    }

    /// Returns the bytes of a range of chunks.
    pub fn chunk_bytes(&self, chunks: Range<usize>) -> Vec<u8> {
        let segments = self.segments.get(chunks).unwrap_or_default();
        segments.iter().flat_map(|s| s.text.as_bytes()).copied().collect()
    }

    /// Returns true if two states of a file have the same bytes.
    pub fn has_same_bytes(&self, other: &Self) -> bool {
        let (mine, theirs) = self.differing_chunks(other);
        self.chunk_bytes(mine) == other.chunk_bytes(theirs)
    }

    /// Returns the index of a document among the chunks.
    pub fn position(&self, serial: u32) -> Option<usize> {
        if self.positions.is_empty() {
            return Some(serial as usize).filter(|position| *position < self.segments.len());
        }
        self.positions.get(serial as usize).filter(|&&p| p != REMOVED).map(|&p| p as usize)
    }

    /// Prepares for adding or removing documents.
    fn track_positions(&mut self) {
        if self.positions.is_empty() {
            self.positions = (0..self.segments.len() as u32).collect();
        }
    }

    /// Returns the chunk of a document.
    pub fn segment(&self, serial: u32) -> Option<&Segment> {
        self.segments.get(self.position(serial)?)
    }

    /// Returns the offset in the file of a document's chunk.
    pub fn chunk_offset(&self, serial: u32) -> Option<usize> {
        self.chunk_starts.get(self.position(serial)?).copied()
    }

    /// Replaces the text of one document. Returns false if the document does not exist.
    pub(super) fn replace_document(&mut self, serial: u32, text: Text) -> bool {
        let Some(segment) = self.position(serial).and_then(|p| self.segments.get_mut(p)) else {
            return false;
        };
        segment.text = text;
        self.reindex();
        true
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.segments.iter().map(|segment| segment.text.len()).sum()
    }

    /// Returns true if the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if the file has exactly these bytes.
    pub fn has_bytes(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        let is_next = |segment: &Segment| match rest.strip_prefix(segment.text.as_bytes()) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        };
        self.segments.iter().all(is_next) && rest.is_empty()
    }

    /// Inserts a new document after another (at the front if `after` is `None`) and returns its serial.
    pub(super) fn insert_document(&mut self, after: Option<u32>, text: Text, kind: ChunkKind) -> u32 {
        self.track_positions();
        let serial = self.positions.len() as u32;
        let at = after.and_then(|serial| self.position(serial)).map_or(0, |p| p + 1);
        self.segments.insert(at, Segment { serial, text, kind });
        self.positions.push(REMOVED);
        self.reindex();
        serial
    }

    /// Replaces the chunks after a document, or the first ones if `after` is `None`, and returns the new
    /// serials. They reuse the serials of the replaced chunks as far as possible.
    pub(super) fn replace_chunks(
        &mut self,
        after: Option<u32>,
        gone: &[u32],
        new: Vec<(Text, ChunkKind)>,
    ) -> Vec<u32> {
        if gone.len() != new.len() {
            self.track_positions();
        }
        let at = after.and_then(|serial| self.position(serial)).map_or(0, |p| p + 1);
        let fresh = self.positions.len() as u32..;
        let serials: Vec<u32> = gone.iter().copied().chain(fresh).take(new.len()).collect();
        self.positions.extend(std::iter::repeat_n(REMOVED, new.len().saturating_sub(gone.len())));
        let new =
            serials.iter().zip(new).map(|(serial, (text, kind))| Segment { serial: *serial, text, kind });
        self.segments.splice(at..(at + gone.len()).min(self.segments.len()), new);
        if self.segments.is_empty() {
            // The file is now like one that was read in this state, without removed documents.
            self.positions.clear();
        }
        self.reindex();
        serials
    }

    /// Removes documents. Those that do not exist are ignored.
    pub(super) fn remove_documents(&mut self, serials: &HashSet<u32>) {
        if serials.iter().all(|serial| self.position(*serial).is_none()) {
            return;
        }
        self.track_positions();
        self.segments.retain(|segment| !serials.contains(&segment.serial));
        self.reindex();
    }

    /// Returns the chunk of a byte of the file and the offset in it; the end of the last chunk for later bytes.
    pub fn segment_at(&self, byte: usize) -> Option<(&Segment, usize)> {
        let at = self.chunk_starts.partition_point(|start| *start <= byte).checked_sub(1)?;
        let (segment, start) = self.segments.get(at).zip(self.chunk_starts.get(at))?;
        Some((segment, (byte - start).min(segment.text.len())))
    }

    /// Returns the line and column of a byte of a document, in all units.
    pub fn position_of_byte(&self, serial: u32, offset: usize) -> Position {
        let position = self.position(serial).unwrap_or_default();
        let text =
            |position: usize| self.segments.get(position).map(|s| s.text.as_bytes()).unwrap_or_default();
        self.line_index().position(position, offset.min(text(position).len()), text)
    }

    /// Returns the location of a byte range of a document.
    pub fn location(&self, serial: u32, range: Range<usize>) -> Location {
        let position = self.position(serial).unwrap_or_default();
        let start = self.chunk_starts.get(position).copied().unwrap_or_default();
        let Position { lines, column, .. } = self.position_of_byte(serial, range.start);
        Location {
            path: self.display_path.clone(),
            line: 1 + lines,
            column: 1 + column,
            bytes: start + range.start..start + range.end,
            is_whole_file: false,
        }
    }

    fn line_index(&self) -> &LineIndex {
        self.line_index
            .get_or_init(|| LineIndex::new(self.segments.iter().map(|segment| segment.text.as_bytes())))
    }

    /// Returns true if text of the file was needed, but the file had changed on disk.
    pub(super) fn is_lost(&self) -> bool {
        self.segments.first().is_some_and(|segment| segment.text.is_lost())
    }

    /// Returns the display path.
    pub fn display_path(&self) -> &Path {
        &self.display_path
    }
}

/// Approximate number of bytes between two marks.
const BYTES_PER_MARK: usize = 4096;

/// Index of lines and columns of a file with several chunks.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Marks in order; the first is the beginning of the file.
    marks: Vec<Mark>,
}

/// A byte with a known position.
#[derive(Clone, Copy, Debug)]
struct Mark {
    chunk: usize,
    /// Offset in the chunk.
    offset: usize,
    at: Position,
}

/// Position in a file, in several units.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Position {
    /// Number of line breaks before it.
    pub lines: usize,
    /// Number of characters since the last line break.
    pub column: usize,
    /// Number of UTF-16 code units since the last line break, as most editors count.
    pub units: usize,
    /// Number of bytes since the last line break.
    pub bytes: usize,
}

impl LineIndex {
    /// Builds the index in one pass over all chunks.
    pub fn new<'t>(chunks: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut marks = vec![Mark { chunk: 0, offset: 0, at: Position::default() }];
        let mut at = Position::default();
        let mut since = 0;
        for (chunk, text) in chunks.enumerate() {
            let mut offset = 0;
            while offset < text.len() {
                let end = next_boundary(text, offset + BYTES_PER_MARK.saturating_sub(since));
                let part = text.get(offset..end).unwrap_or_default();
                at = at.advanced_over(part);
                since += part.len();
                offset = end;
                if since >= BYTES_PER_MARK {
                    marks.push(Mark { chunk, offset, at });
                    since = 0;
                }
            }
        }
        Self { marks }
    }

    /// Returns the position of a byte of a chunk; `text` returns the chunks.
    pub fn position<'t>(&self, chunk: usize, offset: usize, text: impl Fn(usize) -> &'t [u8]) -> Position {
        let next = self.marks.partition_point(|mark| (mark.chunk, mark.offset) <= (chunk, offset));
        let Some(mark) = next.checked_sub(1).and_then(|last| self.marks.get(last)) else {
            return Position::default();
        };
        let parts = (mark.chunk..=chunk).map(|number| {
            let from = if number == mark.chunk { mark.offset } else { 0 };
            let part = text(number).get(from..).unwrap_or_default();
            if number == chunk { part.get(..offset - from).unwrap_or(part) } else { part }
        });
        parts.fold(mark.at, Position::advanced_over)
    }
}

impl Position {
    /// Returns the position at the end of a text that begins here.
    fn advanced_over(self, text: &[u8]) -> Self {
        let (begin, rest) = match memchr::memrchr(b'\n', text) {
            Some(last) => {
                let lines = self.lines + memchr::memchr_iter(b'\n', text).count();
                (Self { lines, ..Self::default() }, text.get(last + 1..).unwrap_or_default())
            }
            None => (self, text),
        };
        let (column, units) = count_characters(rest);
        Self {
            column: begin.column + column,
            units: begin.units + units,
            bytes: begin.bytes + rest.len(),
            ..begin
        }
    }
}

/// Returns the number of displayed characters of a text, including invalid bytes, and the number of its UTF-16
/// code units.
fn count_characters(text: &[u8]) -> (usize, usize) {
    if text.is_ascii() {
        return (text.len(), text.len());
    }
    text.utf8_chunks().fold((0, 0), |(characters, units), part| {
        let lost = usize::from(!part.invalid().is_empty());
        let all = part.valid().chars();
        (characters + all.clone().count() + lost, units + all.map(char::len_utf16).sum::<usize>() + lost)
    })
}

/// Returns the first position from `from` on where splitting the text does not change the number of characters.
fn next_boundary(text: &[u8], from: usize) -> usize {
    let goes_on = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    // A character has at most four bytes.
    let is_inside =
        |at: &usize| goes_on(at) && !(1..=3).all(|back| at.checked_sub(back).is_some_and(|at| goes_on(&at)));
    (from..text.len()).find(|at| !is_inside(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIECES: &[&[u8]] =
        &[b"x", b"\n", "é".as_bytes(), "演".as_bytes(), "🐱".as_bytes(), b"\xE6\xBC", b"\xFF", b"\x80"];

    proptest! {
        #[test]
        fn positions_equal_a_full_count(
            pieces in prop::collection::vec((prop::sample::select(PIECES), 1..2 * BYTES_PER_MARK), 0..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
            at in any::<prop::sample::Index>(),
        ) {
            let all: Vec<u8> = pieces.iter().flat_map(|(piece, times)| piece.repeat(*times)).collect();
            // Chunks begin at character boundaries.
            let mut cuts: Vec<usize> =
                cuts.iter().map(|cut| next_boundary(&all, cut.index(all.len() + 1))).collect();
            cuts.extend([0, all.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|cut| &all[cut[0]..cut[1]]).collect();
            let at = next_boundary(&all, at.index(all.len() + 1));
            let before = &all[..at];
            let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
            let slow = Position {
                lines: String::from_utf8_lossy(before).matches('\n').count(),
                column: String::from_utf8_lossy(line).chars().count(),
                units: String::from_utf8_lossy(line).encode_utf16().count(),
                bytes: line.len(),
            };
            let chunk = cuts.iter().take(chunks.len()).rposition(|cut| *cut <= at).unwrap();
            let lines = LineIndex::new(chunks.iter().copied());
            prop_assert_eq!(lines.position(chunk, at - cuts[chunk], |number| chunks[number]), slow);
        }
    }

    #[test]
    fn lookup_counts_at_most_one_step() {
        let line = "演x".repeat(100_000);
        let lines = LineIndex::new(std::iter::repeat_n(line.as_bytes(), 3));
        let gaps = lines
            .marks
            .windows(2)
            .map(|marks| (marks[1].chunk - marks[0].chunk) * line.len() + marks[1].offset - marks[0].offset);
        assert!(gaps.max().unwrap() < 2 * BYTES_PER_MARK);
    }
}
