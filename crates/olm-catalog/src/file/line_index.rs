//! Line and column of bytes in a file. A sparse index keeps lookups fast, because one document may have
//! thousands of findings and one line thousands of documents.

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
