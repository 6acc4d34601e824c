//! A file as the sequence of its chunks, so that an edit replaces one chunk and moves nothing else.

mod lines;

use std::{
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::SystemTime,
};

use super::text::{
    Text,
    split::{self, ChunkKind, Format},
};
pub(crate) use lines::{Lines, Position};

/// A file of a catalog, by its position in [`Catalog::files`](super::Catalog::files).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A document of a catalog. Stays the same while other documents come and go; not its position in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DocId {
    /// The file it stands in.
    pub file: FileId,
    /// A number given once in the file, never again.
    pub serial: u32,
}

/// Where something stands, for people: what a compiler would print.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The file as shown.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Bytes of the whole file.
    pub bytes: Range<usize>,
    /// True if all of the file or directory is meant, so that line and column say nothing.
    pub is_whole: bool,
}

impl fmt::Display for Place {
    /// Writes `catalog.yaml:12:3`, or the path alone if all of the file is meant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if self.is_whole { Ok(()) } else { write!(f, ":{}:{}", self.line, self.column) }
    }
}

impl Place {
    /// Returns the location of a file or directory as a whole.
    pub fn whole(path: PathBuf) -> Self {
        Self { path, line: 1, column: 1, bytes: Range::default(), is_whole: true }
    }

    /// Returns `catalog.yaml:12`, or the path alone if all of the file is meant.
    pub fn path_and_line(&self) -> String {
        let path = self.path.display();
        if self.is_whole { path.to_string() } else { format!("{path}:{}", self.line) }
    }

    /// What places are sorted by: path, then line, then column.
    pub fn order(&self) -> (&Path, usize, usize) {
        (&self.path, self.line, self.column)
    }
}

/// A chunk of a file: at most one document with whatever stands before it (separator, comments, blank lines).
#[derive(Clone, Debug)]
pub struct Segment {
    /// See [`DocId::serial`].
    pub serial: u32,
    /// Its bytes.
    pub text: Text,
    /// What is in it.
    pub kind: ChunkKind,
}

impl Segment {
    /// What the document is written in; `None` where there is no document that could be read.
    pub fn format(&self) -> Option<Format> {
        match &self.kind {
            ChunkKind::Document(format) => Some(*format),
            ChunkKind::NoObject | ChunkKind::Unreadable(_) => None,
        }
    }
}

/// What the schemas of templates begin with.
const TEMPLATES: &[&str] = &["olm.semver", "olm.template."];

/// What a file with more than a template is a catalog by.
const OBJECTS: &[&str] = &["olm.package", "olm.channel", "olm.bundle", "olm.deprecations"];

/// Whether a text has one of some words: a glance at it.
fn mentions(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

/// What the system says of a file that nobody has written to for a while. Whoever writes to it changes that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub length: u64,
    pub modified: SystemTime,
}

/// One file of a catalog.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as shown to people: relative to the catalog's directory, or as given.
    pub shown: PathBuf,
    /// Where it is on disk; `None` for standard input and the built-in demo.
    pub disk: Option<PathBuf>,
    /// Whether it may be written, as far as its permissions tell.
    pub writable: bool,
    /// Whether it is outside the catalog and a link in the catalog leads to it: who made the link may not be allowed to read
    /// it, so nothing of its text is quoted.
    pub foreign: bool,
    /// How to tell that it is unchanged on disk without reading it, where that can be told.
    pub(super) stamp: Option<Stamp>,
    /// Whether an edit made it; without content, such a file is none.
    made: bool,
    segments: Vec<Segment>,
    /// Position of each serial in `segments`; `NOWHERE` once removed. Empty as long as all are where they were first.
    positions: Vec<u32>,
    /// Start of each segment in the file.
    starts: Vec<usize>,
    /// Line breaks; counted when somebody first asks for a line.
    lines: OnceLock<Lines>,
}

const NOWHERE: u32 = u32::MAX;

impl SourceFile {
    /// Cuts a file into chunks.
    pub fn new(shown: PathBuf, disk: Option<PathBuf>, bytes: Vec<u8>) -> Self {
        let chunks = split::split(&bytes);
        let buffer = Arc::new(bytes);
        let segments = (0..)
            .zip(chunks)
            .map(|(serial, chunk)| Segment {
                serial,
                text: Text::slice(&buffer, chunk.range),
                kind: chunk.kind,
            })
            .collect();
        let mut file = Self {
            shown,
            disk,
            writable: true,
            foreign: false,
            stamp: None,
            made: false,
            segments,
            positions: Vec::new(),
            starts: Vec::new(),
            lines: OnceLock::new(),
        };
        file.reindex();
        file
    }

    /// A file that is not on disk yet.
    pub(super) fn made(shown: PathBuf, disk: Option<PathBuf>, bytes: Vec<u8>) -> Self {
        Self { made: true, ..Self::new(shown, disk, bytes) }
    }

    /// Whether there is such a file: one that an edit made is gone with its last byte.
    pub fn is_there(&self) -> bool {
        !self.made || self.segments.iter().any(|segment| !segment.text.is_empty())
    }

    /// Whether edits took all out that was in it.
    pub fn is_emptied(&self) -> bool {
        self.segments.is_empty() && !self.positions.is_empty()
    }

    fn reindex(&mut self) {
        self.positions.fill(NOWHERE);
        self.starts.clear();
        let mut start = 0;
        for (position, segment) in (0..).zip(&self.segments) {
            if let Some(slot) = self.positions.get_mut(segment.serial as usize) {
                *slot = position;
            }
            self.starts.push(start);
            start += segment.text.len();
        }
        self.lines = OnceLock::new();
    }

    /// The chunks in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The document that the file is a template by, if it is one: the only one there is, or the first where no object of a
    /// catalog follows. How many follow: opm looks at no other document of a template.
    pub(super) fn template_document(&self) -> Option<(&Segment, usize)> {
        let mut documents = self.segments.iter().filter(|s| !matches!(s.kind, ChunkKind::NoObject));
        let first = documents.next()?;
        let rest: Vec<&Segment> = documents.collect();
        let is_one = rest.is_empty()
            || mentions(first.text.bytes(), TEMPLATES)
                && !rest.iter().any(|segment| mentions(segment.text.bytes(), OBJECTS));
        is_one.then_some((first, rest.len()))
    }

    /// The format of the file: what its chunks are written in.
    pub fn format(&self) -> Format {
        self.segments.iter().find_map(Segment::format).unwrap_or(Format::Yaml)
    }

    /// The bytes the file has now, edits included.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.segments.iter().map(|s| s.text.len()).sum());
        for segment in &self.segments {
            bytes.extend_from_slice(segment.text.bytes());
        }
        bytes
    }

    /// Where two states of a file differ: the chunks of each between those they share at both ends. Chunks that no
    /// edit touched are known by their address, so this costs what the edits cost, not what the file weighs.
    pub fn differing(&self, other: &Self) -> (Range<usize>, Range<usize>) {
        let (mine, theirs) = (&self.segments, &other.segments);
        let same = |(a, b): &(&Segment, &Segment)| a.text == b.text && a.kind == b.kind;
        let start = mine.iter().zip(theirs).take_while(same).count();
        let rest = mine.len().min(theirs.len()) - start;
        let end = mine.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(same).count();
        (start..mine.len() - end, start..theirs.len() - end)
    }

    /// The bytes of some chunks.
    pub fn bytes_of(&self, chunks: Range<usize>) -> Vec<u8> {
        let segments = self.segments.get(chunks).unwrap_or_default();
        segments.iter().flat_map(|s| s.text.bytes()).copied().collect()
    }

    /// Whether two states of a file have the same bytes.
    pub fn same_bytes(&self, other: &Self) -> bool {
        let (mine, theirs) = self.differing(other);
        self.bytes_of(mine) == other.bytes_of(theirs)
    }

    /// Position of a document among the chunks.
    pub fn position(&self, serial: u32) -> Option<usize> {
        if self.positions.is_empty() {
            return Some(serial as usize).filter(|position| *position < self.segments.len());
        }
        self.positions.get(serial as usize).filter(|&&p| p != NOWHERE).map(|&p| p as usize)
    }

    /// Documents are about to come or go.
    fn move_segments(&mut self) {
        if self.positions.is_empty() {
            self.positions = (0..self.segments.len() as u32).collect();
        }
    }

    /// The chunk of a document.
    pub fn segment(&self, serial: u32) -> Option<&Segment> {
        self.segments.get(self.position(serial)?)
    }

    /// First byte of a document's chunk in the file.
    pub fn start(&self, serial: u32) -> Option<usize> {
        self.starts.get(self.position(serial)?).copied()
    }

    /// Replaces the text of one document. False when there is no such document.
    pub(super) fn replace(&mut self, serial: u32, text: Text) -> bool {
        let Some(segment) = self.position(serial).and_then(|p| self.segments.get_mut(p)) else {
            return false;
        };
        segment.text = text;
        self.reindex();
        true
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.segments.iter().map(|segment| segment.text.len()).sum()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether these are its bytes.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        let is_next = |segment: &Segment| match rest.strip_prefix(segment.text.bytes()) {
            Some(after) => {
                rest = after;
                true
            }
            None => false,
        };
        self.segments.iter().all(is_next) && rest.is_empty()
    }

    /// Puts a new document after another (at the front where `after` is `None`) and returns its serial.
    pub(super) fn insert(&mut self, after: Option<u32>, text: Text, kind: ChunkKind) -> u32 {
        self.move_segments();
        let serial = self.positions.len() as u32;
        let at = after.and_then(|serial| self.position(serial)).map_or(0, |p| p + 1);
        self.segments.insert(at, Segment { serial, text, kind });
        self.positions.push(NOWHERE);
        self.reindex();
        serial
    }

    /// Puts chunks in place of those that follow a document (that stand first, where `after` is `None`), and returns their
    /// serials: those of what they take the place of, as far as there are as many.
    pub(super) fn put(&mut self, after: Option<u32>, gone: &[u32], new: Vec<(Text, ChunkKind)>) -> Vec<u32> {
        if gone.len() != new.len() {
            self.move_segments();
        }
        let at = after.and_then(|serial| self.position(serial)).map_or(0, |p| p + 1);
        let fresh = self.positions.len() as u32..;
        let serials: Vec<u32> = gone.iter().copied().chain(fresh).take(new.len()).collect();
        self.positions.extend(std::iter::repeat_n(NOWHERE, new.len().saturating_sub(gone.len())));
        let new =
            serials.iter().zip(new).map(|(serial, (text, kind))| Segment { serial: *serial, text, kind });
        self.segments.splice(at..(at + gone.len()).min(self.segments.len()), new);
        if self.segments.is_empty() {
            // As one that was read like that: nobody took its documents out.
            self.positions.clear();
        }
        self.reindex();
        serials
    }

    /// Takes a document out. False when there is no such document.
    pub(super) fn remove(&mut self, serial: u32) -> bool {
        let Some(position) = self.position(serial) else { return false };
        self.move_segments();
        self.segments.remove(position);
        self.reindex();
        true
    }

    /// The chunk in which a byte of the file is, and where in it; behind the last byte, the end of the last chunk.
    pub fn segment_at(&self, byte: usize) -> Option<(&Segment, usize)> {
        let at = self.starts.partition_point(|start| *start <= byte).checked_sub(1)?;
        let (segment, start) = self.segments.get(at).zip(self.starts.get(at))?;
        Some((segment, (byte - start).min(segment.text.len())))
    }

    /// Line and column of a byte of a document, in all ways of counting.
    pub(crate) fn position_of(&self, serial: u32, offset: usize) -> Position {
        let position = self.position(serial).unwrap_or_default();
        let text = |position: usize| self.segments.get(position).map(|s| s.text.bytes()).unwrap_or_default();
        self.lines().position(position, offset.min(text(position).len()), text)
    }

    /// Line and column of a byte range of a document.
    pub fn place(&self, serial: u32, range: Range<usize>) -> Place {
        let position = self.position(serial).unwrap_or_default();
        let start = self.starts.get(position).copied().unwrap_or_default();
        let Position { lines, column, .. } = self.position_of(serial, range.start);
        Place {
            path: self.shown.clone(),
            line: 1 + lines,
            column: 1 + column,
            bytes: start + range.start..start + range.end,
            is_whole: false,
        }
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(self.segments.iter().map(|segment| segment.text.bytes())))
    }

    /// The path people see.
    pub fn shown(&self) -> &Path {
        &self.shown
    }
}
