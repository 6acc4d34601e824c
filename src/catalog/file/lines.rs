//! How many lines come before a byte, without counting from the start each time: thousands of findings may be in one document.

/// Bytes from one count to the next.
const STEP: usize = 4096;

/// Line breaks before places in the chunks of a file.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// Before each chunk, and in the chunk before every [`STEP`]th byte of it.
    chunks: Vec<(usize, Vec<usize>)>,
}

impl Lines {
    /// Counts once through all chunks.
    pub(super) fn new<'t>(chunks: impl Iterator<Item = &'t [u8]>) -> Self {
        let mut total = 0;
        let chunks = chunks.map(|text| {
            let mut within = 0;
            let counts = text.chunks(STEP).map(|part| {
                let before = within;
                within += breaks(part);
                before
            });
            let counts = counts.collect();
            let before = total;
            total += within;
            (before, counts)
        });
        Self { chunks: chunks.collect() }
    }

    /// Line breaks in the file before a byte of a chunk with this text.
    pub(super) fn before(&self, chunk: usize, text: &[u8], offset: usize) -> usize {
        let Some((before, counts)) = self.chunks.get(chunk) else { return 0 };
        let at = (offset / STEP).min(counts.len().saturating_sub(1));
        let rest = text.get(at * STEP..offset).map_or(0, breaks);
        before + counts.get(at).copied().unwrap_or_default() + rest
    }
}

fn breaks(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn they_are_those_that_one_counts(
            lengths in prop::collection::vec((0..3 * STEP, 1..90_usize), 0..5),
            chunk in 0..5_usize,
            at in 0..3 * STEP,
        ) {
            let text = |(length, line): &(usize, usize)| -> Vec<u8> {
                (1..=*length).map(|n| if n % line == 0 { b'\n' } else { b'x' }).collect()
            };
            let texts: Vec<Vec<u8>> = lengths.iter().map(text).collect();
            let lines = Lines::new(texts.iter().map(Vec::as_slice));
            let Some(text) = texts.get(chunk) else { return Ok(()) };
            let at = at.min(text.len());
            let slow = texts[..chunk].iter().map(|text| breaks(text)).sum::<usize>() + breaks(&text[..at]);
            prop_assert_eq!(lines.before(chunk, text, at), slow);
        }
    }
}
