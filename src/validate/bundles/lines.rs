//! Lines and columns of many places of one text, without reading it again for each.

/// After how many bytes characters are counted anew.
const BLOCK: usize = 1024;

/// Where the lines of a text begin, and how many characters there are up to each block of it.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
    blocks: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1)).collect();
        let mut count = 0;
        let mut blocks = Vec::with_capacity(text.len() / BLOCK + 1);
        for block in text.chunks(BLOCK) {
            blocks.push(count);
            count += characters(block);
        }
        // A place at the end is in a block, too.
        blocks.push(count);
        Self { text, starts, blocks }
    }

    /// The bytes themselves.
    pub(super) fn text(&self) -> &'t [u8] {
        self.text
    }

    /// How many characters begin before a byte.
    fn before(&self, at: usize) -> usize {
        let block = at / BLOCK;
        let rest = self.text.get(block * BLOCK..at).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or_default() + characters(rest)
    }

    /// Line and column (in characters) of a byte, from 1.
    pub(super) fn line_and_column(&self, at: usize) -> (usize, usize) {
        let at = at.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= at);
        let first = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        (line, self.before(at) - self.before(first) + 1)
    }
}

/// What begins a character is counted.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK, Lines};

    #[test]
    fn lines_and_columns_are_those_of_characters() {
        let lines = Lines::of("a\u{e4}b\n\nc".as_bytes());
        for (at, expected) in
            [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (4, (1, 4)), (5, (2, 1)), (6, (3, 1)), (9, (3, 2))]
        {
            assert_eq!(lines.line_and_column(at), expected, "{at}");
        }
        assert_eq!(Lines::of(b"").line_and_column(5), (1, 1));
    }

    proptest! {
        #[test]
        fn a_table_says_what_counting_says(parts in prop::collection::vec("[a\u{e4}\n]{0,700}", 0..6), at in 0..BLOCK * 5) {
            let text = parts.concat();
            let at = text.floor_char_boundary(at.min(text.len()));
            let (before, line) = (&text[..at], text[..at].matches('\n').count() + 1);
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            prop_assert_eq!(Lines::of(text.as_bytes()).line_and_column(at), (line, column));
        }
    }
}
