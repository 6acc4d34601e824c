//! Length of the plain text in a string literal, many bytes at a time.

const ONES: u64 = u64::from_ne_bytes([1; 8]);

const HIGHS: u64 = ONES << 7;

/// Number of bytes that are checked at once in long strings.
const BLOCK: usize = 32;

/// Returns the number of bytes before the first quote, backslash or control character.
#[expect(clippy::inline_always, reason = "a call takes longer than most strings")]
#[inline(always)]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    // Most strings end here.
    match bytes.first_chunk().and_then(first_special) {
        Some(found) => found,
        None => long_plain_length(bytes),
    }
}

/// Returns the result of [`plain_length`] for long strings, and at the end of the text.
#[inline(never)]
fn long_plain_length(bytes: &[u8]) -> usize {
    // A longer string has blocks to check at once.
    let short = bytes.len().min(2 * STEP);
    let (steps, _) = bytes[..short].as_chunks::<STEP>();
    for (index, step) in steps.iter().enumerate().skip(1) {
        if let Some(found) = first_special(step) {
            return index * STEP + found;
        }
    }
    let start = steps.len() * STEP;
    let (blocks, _) = bytes[start..].as_chunks::<BLOCK>();
    let plain = blocks.iter().take_while(|block| !has_special(block)).count();
    let start = start + plain * BLOCK;
    let (steps, rest) = bytes[start..].as_chunks::<STEP>();
    for (index, step) in steps.iter().enumerate() {
        if let Some(found) = first_special(step) {
            return start + index * STEP + found;
        }
    }
    bytes.len() - rest.len() + rest.iter().take_while(|byte| !is_special(**byte)).count()
}

/// Returns true for a quote, a backslash and control characters.
#[expect(clippy::needless_bitwise_bool, reason = "without branches, many bytes are checked at once")]
fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// Returns true if a block has a special byte. The compiler checks all bytes at once.
fn has_special(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(false, |any, byte| any | is_special(*byte))
}

/// Number of bytes that are checked at once in short strings.
const STEP: usize = 16;

/// Returns the index of the first special byte.
#[inline]
fn first_special(step: &[u8; STEP]) -> Option<usize> {
    // Both halves are examined in any case: a branch between them would often be mispredicted.
    let both = u128::from_le_bytes(*step);
    let found = u128::from(special_bits(both as u64)) | u128::from(special_bits((both >> 64) as u64)) << 64;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// Returns the high bits of special bytes.
#[inline]
fn special_bits(eight: u64) -> u64 {
    // The high bit of a byte is set if the byte was zero. Bits of higher bytes may be wrong, which is
    // harmless because only the first match counts.
    let zero = |x: u64| x.wrapping_sub(ONES) & !x;
    let quote = zero(eight ^ (ONES * u64::from(b'"')));
    let backslash = zero(eight ^ (ONES * u64::from(b'\\')));
    let control = eight.wrapping_sub(ONES * 0x20) & !eight;
    (quote | backslash | control) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_first_special_byte_at_every_length() {
        for length in 0..100 {
            let plain = "é!# ".bytes().cycle().take(length).collect::<Vec<u8>>();
            assert_eq!(plain_length(&plain), length);
            for special in *b"\"\\\0\n\x1F" {
                for after in 0..40 {
                    let text = [plain.as_slice(), &[special], &vec![b'"'; after]].concat();
                    assert_eq!(plain_length(&text), length, "{text:?}");
                }
            }
        }
    }
}
