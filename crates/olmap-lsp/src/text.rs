//! Text of an open document, and its positions in the encoding of the client.

use std::sync::Arc;

use gen_lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};
use olm_catalog::model::EditedText;
use ropey::{Rope, RopeSlice};

/// Unit in which a client counts columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Returns the best encoding of those that a client offers. Bytes are best because they need no
    /// conversion.
    pub fn negotiate(offered: &[PositionEncodingKind]) -> Self {
        let has = |kind: &PositionEncodingKind| offered.contains(kind);
        if has(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if has(&PositionEncodingKind::UTF32) {
            Self::Utf32
        } else {
            Self::Utf16
        }
    }

    /// Returns the encoding as the protocol names it.
    pub fn to_lsp_kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// Returns the number of columns of a text. An invalid byte sequence counts as one column.
    pub fn columns(self, text: &[u8]) -> u32 {
        if self == Self::Utf8 || text.is_ascii() {
            return to_u32(text.len());
        }
        let of_valid = |text: &str| match self {
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            _ => text.chars().count(),
        };
        let parts = text.utf8_chunks();
        to_u32(
            parts.map(|part| of_valid(part.valid()) + usize::from(!part.invalid().is_empty())).sum::<usize>(),
        )
    }

    /// Returns the position of a byte offset of a text.
    pub fn position(self, text: &[u8], byte: usize) -> Position {
        let before = text.get(..byte).unwrap_or(text);
        let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', before).count();
        Position { line: to_u32(line), character: self.columns(before.get(start..).unwrap_or_default()) }
    }
}

/// Converts a number to the protocol type, with saturation.
pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Open document. Only line feeds end a line, as everywhere in olmap.
#[derive(Clone, Debug, Default)]
pub struct TextDocument {
    rope: Rope,
    /// Last text that a draft received; `None` if there is none, or if the client replaced the whole text since.
    shared: Option<SharedText>,
}

/// Identity of a text of a document that a draft received. A copy of the document or of the draft keeps it until its
/// next text.
pub(super) type TextId = Arc<()>;

/// Text that a draft received, and what did not change since.
#[derive(Clone, Debug)]
struct SharedText {
    id: TextId,
    /// Number of unchanged bytes at the beginning and at the end; `None` without a change.
    unchanged_ends: Option<[usize; 2]>,
}

/// Changes of a document since a draft received its text.
pub(super) enum Changes<'d> {
    /// None.
    Nothing,
    /// Part of the text.
    Part(ChangedPart<'d>),
    /// Unknown: the draft has another text.
    Whole,
}

/// Document with a changed part.
pub(super) struct ChangedPart<'d> {
    rope: &'d Rope,
    unchanged_ends: [usize; 2],
}

impl EditedText for ChangedPart<'_> {
    fn byte_len(&self) -> usize {
        self.rope.len_bytes()
    }

    fn bytes_in(&self, range: std::ops::Range<usize>) -> Vec<u8> {
        match self.rope.get_byte_slice(range.clone()) {
            Some(slice) => collect_bytes(slice),
            None => collect_bytes(self.rope.slice(..)).get(range).unwrap_or_default().to_vec(),
        }
    }

    fn unchanged_ends(&self) -> [usize; 2] {
        self.unchanged_ends
    }
}

fn collect_bytes(slice: RopeSlice<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(slice.len_bytes());
    for chunk in slice.chunks() {
        bytes.extend_from_slice(chunk.as_bytes());
    }
    bytes
}

impl TextDocument {
    /// Creates a document.
    pub fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(text), shared: None }
    }

    /// Applies a change from the client. Positions outside the text are clamped.
    pub fn apply_change(&mut self, encoding: Encoding, change: TextDocumentContentChangeEvent) {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                *self = Self::new(&whole.text);
            }
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                let start = self.char_index_at(encoding, part.range.start);
                let end = self.char_index_at(encoding, part.range.end).max(start);
                let [before, after] =
                    [self.rope.char_to_byte(start), self.rope.len_bytes() - self.rope.char_to_byte(end)];
                if let Some(shared) = &mut self.shared {
                    let [start, end] = shared.unchanged_ends.unwrap_or([usize::MAX; 2]);
                    shared.unchanged_ends = Some([start.min(before), end.min(after)]);
                }
                self.rope.remove(start..end);
                self.rope.insert(start, &part.text);
            }
        }
    }

    /// Returns the bytes of the text.
    pub fn to_bytes(&self) -> Vec<u8> {
        collect_bytes(self.rope.slice(..))
    }

    /// Returns the changes since a draft received a text.
    pub(super) fn changes_since(&self, received: Option<&TextId>) -> Changes<'_> {
        match &self.shared {
            Some(shared) if received.is_some_and(|received| Arc::ptr_eq(received, &shared.id)) => {
                match shared.unchanged_ends {
                    None => Changes::Nothing,
                    Some(unchanged_ends) => Changes::Part(ChangedPart { rope: &self.rope, unchanged_ends }),
                }
            }
            _ => Changes::Whole,
        }
    }

    /// Returns an identity for the current text, which a draft receives.
    pub(super) fn share_text(&mut self) -> TextId {
        let id = TextId::default();
        self.shared = Some(SharedText { id: Arc::clone(&id), unchanged_ends: None });
        id
    }

    /// Returns the byte offset of a position. A position outside the text is clamped.
    pub fn byte_at(&self, encoding: Encoding, position: Position) -> usize {
        self.rope.char_to_byte(self.char_index_at(encoding, position))
    }

    /// Returns the position of a byte offset, which is clamped to the text.
    pub fn position(&self, encoding: Encoding, byte: usize) -> Position {
        let byte = byte.min(self.rope.len_bytes());
        let line = self.rope.byte_to_line(byte);
        let start = self.rope.line_to_byte(line);
        let columns = match encoding {
            Encoding::Utf8 => byte - start,
            Encoding::Utf16 => self.utf16_units_before(byte) - self.utf16_units_before(start),
            Encoding::Utf32 => self.rope.byte_to_char(byte) - self.rope.byte_to_char(start),
        };
        Position { line: to_u32(line), character: to_u32(columns) }
    }

    /// Returns the range of the whole text.
    pub fn range(&self, encoding: Encoding) -> Range {
        Range { start: Position::default(), end: self.position(encoding, self.rope.len_bytes()) }
    }

    /// Returns the number of UTF-16 code units before a byte.
    fn utf16_units_before(&self, byte: usize) -> usize {
        self.rope.char_to_utf16_cu(self.rope.byte_to_char(byte))
    }

    fn char_index_at(&self, encoding: Encoding, position: Position) -> usize {
        let line = position.line as usize;
        let Some(text) = self.rope.get_line(line) else { return self.rope.len_chars() };
        let start = self.rope.line_to_char(line);
        let column = position.character as usize;
        let most = line_length(&text);
        let within = match encoding {
            Encoding::Utf32 => column,
            Encoding::Utf8 => text.byte_to_char(column.min(text.len_bytes())),
            Encoding::Utf16 => text.utf16_cu_to_char(column.min(text.len_utf16_cu())),
        };
        start + within.min(most)
    }
}

/// Returns the number of characters of a line without its line break.
fn line_length(line: &RopeSlice<'_>) -> usize {
    let all = line.len_chars();
    let ends_with = |back: usize, c: char| all.checked_sub(back).and_then(|at| line.get_char(at)) == Some(c);
    match (ends_with(1, '\n'), ends_with(2, '\r')) {
        (true, true) => all - 2,
        (true, false) => all - 1,
        _ => all,
    }
}
