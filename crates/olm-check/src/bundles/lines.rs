//! Lines and columns of many positions in one text, without a scan of the text for each.

/// Distance in bytes between stored character counts.
const BLOCK: usize = 1024;

/// Index of a text: the start of each line, and the number of characters before each block.
#[derive(Debug)]
pub(super) struct LineIndex<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
    blocks: Vec<usize>,
}

impl<'t> LineIndex<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1)).collect();
        let mut count = 0;
        let mut blocks = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.chunks(BLOCK) {
            blocks.push(count);
            count += count_characters(block);
        }
        // A position at the end of the text needs a block, too.
        blocks.push(count);
        Self { text, starts, blocks }
    }

    pub(super) fn text(&self) -> &'t [u8] {
        self.text
    }

    /// Returns the number of characters that begin before a byte offset.
    fn characters_before(&self, at: usize) -> usize {
        let block = at / BLOCK;
        let rest = self.text.get(block * BLOCK..at).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or_default() + count_characters(rest)
    }

    /// Returns line and column (in characters) of a byte offset, both from 1.
    pub(super) fn line_and_column(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= at);
        let first = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        (line, self.characters_before(at) - self.characters_before(first) + 1)
    }
}

/// Counts the bytes that begin a character.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK, LineIndex};

    #[test]
    fn columns_count_characters() {
        let lines = LineIndex::new("a\u{e4}b\n\nc".as_bytes());
        for (at, expected) in
            [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (4, (1, 4)), (5, (2, 1)), (6, (3, 1)), (9, (3, 2))]
        {
            assert_eq!(lines.line_and_column(at), expected, "{at}");
        }
        assert_eq!(LineIndex::new(b"").line_and_column(5), (1, 1));
    }

    proptest! {
        #[test]
        fn index_agrees_with_counting(parts in prop::collection::vec("[a\u{e4}\n]{0,700}", 0..6), at in 0..BLOCK * 5) {
            let text = parts.concat();
            let at = text.floor_char_boundary(at.min(text.len()));
            let (before, line) = (&text[..at], text[..at].matches('\n').count() + 1);
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            prop_assert_eq!(LineIndex::new(text.as_bytes()).line_and_column(at), (line, column));
        }
    }
}
