//! Indentation, eight bytes at a time.

/// Returns the number of spaces at the beginning of a text.
pub(super) fn leading_spaces(text: &[u8]) -> usize {
    let (eights, rest) = text.as_chunks::<8>();
    for (index, eight) in eights.iter().enumerate() {
        let other = u64::from_le_bytes(*eight) ^ u64::from_le_bytes([b' '; 8]);
        if other != 0 {
            return index * 8 + other.trailing_zeros() as usize / 8;
        }
    }
    text.len() - rest.len() + rest.iter().take_while(|byte| **byte == b' ').count()
}

#[cfg(test)]
mod tests {
    use super::leading_spaces;

    #[test]
    fn counts_spaces_before_first_other_byte() {
        for count in 0..40 {
            for rest in ["", "a", "\u{A0}", "\n   ", "!       x"] {
                assert_eq!(leading_spaces(format!("{}{rest}", " ".repeat(count)).as_bytes()), count);
            }
        }
    }
}
