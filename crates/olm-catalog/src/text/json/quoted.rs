//! String literals: extent and decoded text.

use std::borrow::Cow;

/// String literal, well-formed except for bytes that are not UTF-8.
pub(super) struct Quoted<'a> {
    /// Bytes between the quotes.
    pub inner: &'a [u8],
    /// Offset of the first byte after the opening quote.
    pub start: usize,
    /// True if the literal contains an escape.
    pub is_escaped: bool,
}

impl Quoted<'_> {
    /// Returns the offset of the closing quote.
    pub(super) fn closing_quote(&self) -> usize {
        self.start + self.inner.len()
    }

    /// Decodes the literal. `document` is the whole text if it is UTF-8; the result borrows from it if
    /// possible.
    pub(super) fn decode_text<'a>(&self, document: Option<&'a str>) -> Cow<'a, str> {
        match document.and_then(|text| text.get(self.start..self.closing_quote())) {
            Some(text) if !self.is_escaped => Cow::Borrowed(text),
            Some(text) => Cow::Owned(unescape(text.as_bytes(), |out, run| out.push_str(&text[run]))),
            None => Cow::Owned(unescape(self.inner, |out, run| push_lossy(out, &self.inner[run]))),
        }
    }
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGHS: u64 = ONES << 7;

/// Returns the number of bytes before the first quote, backslash or control character. Checks eight bytes at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (eights, rest) = bytes.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        // The high bit of a byte is set if the byte was zero. Bits of higher bytes may be wrong, which is
        // harmless because only the first match counts.
        let zero = |x: u64| x.wrapping_sub(ONES) & !x;
        let quote = zero(eight ^ (ONES * u64::from(b'"')));
        let backslash = zero(eight ^ (ONES * u64::from(b'\\')));
        let control = eight.wrapping_sub(ONES * 0x20) & !eight;
        let found = (quote | backslash | control) & HIGHS;
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let tail = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
    bytes.len() - rest.len() + tail
}

/// Decodes the escapes of a well-formed literal. `copy` appends the range between two escapes.
fn unescape(inner: &[u8], copy: impl Fn(&mut String, std::ops::Range<usize>)) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut at = 0;
    while let Some(length) = memchr::memchr(b'\\', &inner[at..]) {
        copy(&mut out, at..at + length);
        at = decode_escape(inner, at + length + 1, &mut out);
    }
    copy(&mut out, at..inner.len());
    out
}

/// Decodes the escape whose letter is at `at` and returns the position after it.
fn decode_escape(inner: &[u8], at: usize, out: &mut String) -> usize {
    let c = match inner.get(at) {
        Some(b'b') => '\x08',
        Some(b'f') => '\x0C',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return decode_unicode(inner, at, out),
        Some(byte) => char::from(*byte),
        None => return at,
    };
    out.push(c);
    at + 1
}

/// Decodes `\uXXXX` and surrogate pairs; a lone surrogate becomes U+FFFD.
fn decode_unicode(inner: &[u8], at: usize, out: &mut String) -> usize {
    let unit = |at: usize| {
        let digits = inner.get(at..at + 4).and_then(|digits| std::str::from_utf8(digits).ok())?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(at + 1) else { return at + 1 };
    let after = at + 5;
    let second = match inner.get(after..after + 2) {
        Some(b"\\u") => unit(after + 2),
        _ => None,
    };
    let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    if let Some(c) = pair.filter(|c| c.len_utf16() == 2) {
        out.push(c);
        return after + 6;
    }
    out.push(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER));
    after
}

/// Decodes bytes as text and replaces invalid UTF-8 as Go does.
pub(crate) fn decode_lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    push_lossy(&mut out, bytes);
    out
}

/// Appends bytes as text. Like Go, replaces every byte that is not part of a character.
pub(super) fn push_lossy(out: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
}
