//! Separator line (`---`) between the YAML documents of a file, shared by the splitter and the parser.

use super::read_error::{ReadError, ReadErrorKind};

/// Checks the `---` line at the beginning of a chunk: only blanks or a comment may follow on the line. `None`
/// if the chunk does not begin with `---`.
pub(super) fn check_separator(chunk: &[u8]) -> Option<Result<(), ReadError>> {
    let after = chunk.strip_prefix(b"---")?;
    let line = &after[..memchr::memchr(b'\n', after).unwrap_or(after.len())];
    let text = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let trimmed = text.trim_start();
    let at = 3 + text.len() - trimmed.len();
    let is_fine = match trimmed.chars().next() {
        Some(c) => c == '#',
        // Blanks to the end of the line, or bytes that are not text.
        None => at == 3 + line.len(),
    };
    if is_fine {
        Some(Ok(()))
    } else {
        Some(Err(ReadErrorKind::Separator.at_span(at..3 + line.trim_ascii_end().len())))
    }
}
