//! Hyphen ranges, `1.2 - 2.3`, which the library rewrites as text before parsing.

use super::parse::{is_space, scan_version, skip_space};

/// Rewritten text with the original offset of each byte. `end` is the length of the original text.
pub(super) struct Rewritten {
    pub(super) text: String,
    original_offsets: Vec<usize>,
    original_len: usize,
}

impl Rewritten {
    /// Returns the original offset of an offset in this text.
    pub(super) fn original_offset(&self, offset: usize) -> usize {
        self.original_offsets.get(offset).copied().unwrap_or(self.original_len)
    }

    /// Returns true if an inserted `>= ` begins at an offset.
    pub(super) fn is_inserted(&self, offset: usize) -> bool {
        // All bytes of an inserted text have the same original offset; copied bytes have different
        // ones.
        self.text.as_bytes().get(offset) == Some(&b'>')
            && self.original_offset(offset) == self.original_offset(offset + 1)
    }

    /// Replaces a byte range with pieces. Each has its text, the original offset of its first byte,
    /// and true if the text is copied from the original and not inserted.
    fn replace(&mut self, at: usize, len: usize, pieces: &[(&str, usize, bool)]) {
        let text: String = pieces.iter().map(|(piece, ..)| *piece).collect();
        let origin: Vec<usize> = pieces
            .iter()
            .flat_map(|&(piece, start, copied)| {
                (0..piece.len()).map(move |n| start + if copied { n } else { 0 })
            })
            .collect();
        self.text.replace_range(at..at + len, &text);
        self.original_offsets.splice(at..at + len, origin);
    }
}

/// A hyphen range, as byte ranges: the whole with surrounding blanks, and its two versions.
struct HyphenRange {
    whole: (usize, usize),
    from: (usize, usize),
    to: (usize, usize),
}

/// Rewrites every `A - B` to `>= A, <= B `. Callers limit the length of `text`.
pub(super) fn rewrite_hyphen_ranges(text: &str) -> Rewritten {
    let mut rewritten = Rewritten {
        text: text.to_owned(),
        original_offsets: (0..text.len()).collect(),
        original_len: text.len(),
    };
    let mut at = 0;
    while at < text.len() {
        let Some(found) = hyphen_range_at(text, at) else {
            at += 1;
            continue;
        };
        let slice = |(start, end): (usize, usize)| text.get(start..end).unwrap_or_default();
        // The library replaces the first text equal to the match, which may be at another position.
        let whole = slice(found.whole);
        if let Some(place) = rewritten.text.find(whole) {
            let pieces = [
                (">= ", found.from.0, false),
                (slice(found.from), found.from.0, true),
                (", <= ", found.to.0, false),
                (slice(found.to), found.to.0, true),
                (" ", found.to.1, false),
            ];
            rewritten.replace(place, whole.len(), &pieces);
        }
        at = found.whole.1;
    }
    rewritten
}

/// Returns a hyphen range that begins, including blanks, exactly at `start`.
fn hyphen_range_at(text: &str, start: usize) -> Option<HyphenRange> {
    let bytes = text.as_bytes();
    let from = skip_space(bytes, start);
    let from_end = scan_version(bytes, from).ok()?.end;
    let hyphen = skip_space(bytes, from_end);
    let after = hyphen + 1;
    if hyphen == from_end
        || bytes.get(hyphen) != Some(&b'-')
        || !bytes.get(after).copied().is_some_and(is_space)
    {
        return None;
    }
    let to = skip_space(bytes, after);
    let to_end = scan_version(bytes, to).ok()?.end;
    Some(HyphenRange { whole: (start, skip_space(bytes, to_end)), from: (from, from_end), to: (to, to_end) })
}
