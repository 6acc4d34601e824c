//! Checks for characters that need the full reader.

/// Returns a chunk as text if it is UTF-8 without control characters other than tabs, byte order marks, and
/// line breaks other than LF.
pub(super) fn usual_text(chunk: &[u8]) -> Option<&str> {
    let is_control = |byte: u8| byte < b' ' && byte != b'\n' && byte != b'\t' || byte == 0x7F;
    // Without an early exit, the compiler vectorizes the loop.
    let has_controls = chunk.iter().fold(false, |found, byte| found | is_control(*byte));
    let is_odd = |at| matches!(chunk.get(at..), Some(rest) if begins_with_unusual_character(rest));
    if has_controls || memchr::memchr3_iter(0xC2, 0xE2, 0xEF, chunk).any(is_odd) {
        return None;
    }
    std::str::from_utf8(chunk).ok()
}

/// Returns true if text begins with a non-ASCII control character, line break or byte order mark, or with a
/// noncharacter.
fn begins_with_unusual_character(text: &[u8]) -> bool {
    matches!(
        text,
        [0xC2, 0x80..=0x9F, ..]
            | [0xE2, 0x80, 0xA8 | 0xA9, ..]
            | [0xEF, 0xBB, 0xBF, ..]
            | [0xEF, 0xBF, 0xBE | 0xBF, ..]
    )
}

#[cfg(test)]
mod tests {
    use super::usual_text;

    #[test]
    fn leaves_odd_characters_to_full_reader() {
        for odd in [
            "\r", "\0", "\x1B", "\x7F", "\u{80}", "\u{85}", "\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}",
            "\u{FFFE}", "\u{FFFF}",
        ] {
            assert_eq!(usual_text(format!("a: ’{odd}b").as_bytes()), None, "{odd:?}");
        }
        assert_eq!(usual_text(b"a: \xFF"), None);
        let fine = "a: \t~\u{A0}\u{2027}\u{202A}\u{FFFD}\u{1F431}\n";
        assert_eq!(usual_text(fine.as_bytes()), Some(fine));
    }
}
