//! Cut of a changed text into documents: only near the change, because a catalog of many megabytes is cut again with
//! each typed letter.

use std::ops::Range;

use crate::{
    file::Segment,
    text::split::{self, Chunk, ChunkKind, Format, PrecedingChunks},
};

/// New text of a file, with the unchanged parts of the old text.
pub trait EditedText {
    /// Returns the length in bytes.
    fn byte_len(&self) -> usize;

    /// Returns a part of the text.
    fn bytes_in(&self, range: Range<usize>) -> Vec<u8>;

    /// Returns the number of bytes at the beginning and at the end that are equal in the old text.
    fn unchanged_ends(&self) -> [usize; 2];
}

/// New documents near a change.
pub(super) struct Recut {
    /// Segments that the chunks replace. The segments before and after them are kept.
    pub replaced: Range<usize>,
    /// Chunks in place of those segments; their ranges are those of `bytes`.
    pub chunks: Vec<Chunk>,
    /// Text of the chunks.
    pub bytes: Vec<u8>,
}

/// Cuts the text between the segments that are equal at both ends. `None` if these do not determine the cut: the file
/// has both formats, or the change reaches into the text after it, such as an open bracket.
///
/// # Preconditions
///
/// The old segments are a cut of the old text, and the ends that [`EditedText::unchanged_ends`] names are equal.
pub(super) fn cut_near_change(old: &[Segment], new: &dyn EditedText) -> Option<Recut> {
    let old_len: usize = old.iter().map(|segment| segment.text.len()).sum();
    let [same_start, same_end] = new.unchanged_ends();
    let format = old.first()?.format()?;
    // Blanks without an object, and text that opm refuses, depend on what is around them.
    if old.iter().any(|segment| segment.format() != Some(format)) {
        return None;
    }
    let length = |at: usize| old.get(at).map_or(0, |segment| segment.text.len());
    let (mut above, mut start) = (0, 0);
    while above < old.len() && start + length(above) <= same_start {
        start += length(above);
        above += 1;
    }
    // The end of a segment may depend on the text after it, so the last equal segment is cut again.
    if let Some(last) = above.checked_sub(1) {
        (above, start) = (last, start - length(last));
    }
    // One JSON object does not decide how the rest is read, two do.
    if format == Format::Json && above == 1 {
        (above, start) = (0, 0);
    }
    let (mut first_below, mut below_bytes) = (old.len(), 0);
    while first_below > above && below_bytes + length(first_below - 1) <= same_end {
        first_below -= 1;
        below_bytes += length(first_below);
    }
    while format == Format::Json && first_below < old.len().min(2) {
        below_bytes -= length(first_below);
        first_below += 1;
    }
    // The ends overlap if the change removes or repeats text.
    if start + below_bytes > old_len.min(new.byte_len()) {
        return None;
    }
    // The first equal segment is cut again too: if it begins where it did, the rest is cut as before.
    let probe = (first_below < old.len()).then(|| length(first_below));
    let end = new.byte_len() - below_bytes;
    let bytes = new.bytes_in(start..end + probe.unwrap_or_default());
    let before = preceding_chunks(format, old.get(..above)?, &bytes)?;
    let mut chunks = split::split_part(&bytes, before);
    if let Some(length) = probe {
        let last = chunks.pop()?;
        if last.range.start != end - start || last.range.len() != length {
            return None;
        }
        let is_known = |chunk: &Chunk| chunk.kind == ChunkKind::Document(format);
        let enough = if format == Format::Json { 2 } else { 1 };
        if above + chunks.len() < enough || !chunks.iter().all(is_known) || !is_known(&last) {
            return None;
        }
    }
    Some(Recut { replaced: above..first_below, chunks, bytes })
}

/// Returns the state of the cut after the kept segments, which all have the format. `None` if it depends on more.
fn preceding_chunks(format: Format, kept: &[Segment], part: &[u8]) -> Option<PrecedingChunks> {
    let first = kept.first().map_or(part, |segment| segment.text.as_bytes());
    match (format, kept.len()) {
        // After two objects, everything is JSON.
        (Format::Json, 0) => Some(PrecedingChunks::Nothing),
        (Format::Json, 1) => None,
        (Format::Json, _) => Some(PrecedingChunks::JsonForGood),
        // A text that begins with a brace is first read as JSON. Its first bytes decide.
        (Format::Yaml, count) => {
            let begin = first.get(..split::PEEK_BYTES.min(first.len()))?;
            let first = begin.iter().find(|byte| !byte.is_ascii_whitespace())?;
            let is_yaml = first.is_ascii() && *first != b'{';
            let before = if count == 0 { PrecedingChunks::Nothing } else { PrecedingChunks::Yaml };
            is_yaml.then_some(before)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::file::SourceFile;

    /// Text with a replaced part.
    struct Replaced {
        text: Vec<u8>,
        ends: [usize; 2],
    }

    impl Replaced {
        fn replace_range(before: &[u8], range: Range<usize>, with: &[u8]) -> Self {
            let text = [&before[..range.start], with, &before[range.end..]].concat();
            Self { text, ends: [range.start, before.len() - range.end] }
        }
    }

    impl EditedText for Replaced {
        fn byte_len(&self) -> usize {
            self.text.len()
        }

        fn bytes_in(&self, range: Range<usize>) -> Vec<u8> {
            self.text[range].to_vec()
        }

        fn unchanged_ends(&self) -> [usize; 2] {
            self.ends
        }
    }

    fn file_of(text: &[u8]) -> SourceFile {
        SourceFile::new("catalog".into(), None, text.to_vec())
    }

    /// Returns the replaced segments, after a comparison of all chunks with those of the whole text.
    fn replaced_segments(before: &[u8], new: &Replaced) -> Option<Range<usize>> {
        let file = file_of(before);
        let Recut { replaced, chunks, bytes } = cut_near_change(file.segments(), new)?;
        let kept = |range: Range<usize>| {
            file.segments()[range].iter().map(|segment| (segment.text.as_bytes(), segment.kind))
        };
        let cut = chunks.iter().map(|chunk| (&bytes[chunk.range.clone()], chunk.kind));
        let below = replaced.end..file.segments().len();
        let joined: Vec<_> = kept(0..replaced.start).chain(cut).chain(kept(below)).collect();
        let whole = split::split_chunks(&new.text);
        let whole: Vec<_> = whole.iter().map(|chunk| (&new.text[chunk.range.clone()], chunk.kind)).collect();
        assert_eq!(joined, whole, "{}", String::from_utf8_lossy(&new.text));
        Some(replaced)
    }

    fn replace_and_cut(before: &str, from: &str, to: &str) -> Option<Range<usize>> {
        let at = before.find(from).unwrap();
        replaced_segments(
            before.as_bytes(),
            &Replaced::replace_range(before.as_bytes(), at..at + from.len(), to.as_bytes()),
        )
    }

    #[test]
    fn only_documents_near_a_change_are_cut_again() {
        let json = (0..9).map(|n| format!("{{\"schema\": \"a{n}\"}}\n")).collect::<Vec<_>>().concat();
        assert_eq!(replace_and_cut(&json, "a5", "b"), Some(4..6));
        assert_eq!(replace_and_cut(&json, "\"a5\"", "\"a5\"}{\"b\": 1"), Some(4..6));
        assert_eq!(replace_and_cut(&json, "\"a5\"}", "{\"a5\"}"), None, "an open bracket");
        assert_eq!(replace_and_cut(&json, "\"a5\"}", "\"a5}"), None, "an open quote");
        assert_eq!(replace_and_cut(&json, "a1", "b"), Some(0..2), "the first decide the format");
        assert_eq!(replace_and_cut(&json, "a0", "b"), Some(0..2));
        assert_eq!(replace_and_cut(&json, "{\"schema\": \"a0\"}\n", ""), None, "one object may be YAML");
        assert_eq!(replace_and_cut(&json, "{\"schema\": \"a0\"}\n", "a: b\n"), None, "YAML before JSON");
        assert_eq!(replace_and_cut(&json, "a8", "b"), Some(7..9), "the last ends with the file");
        let yaml = (0..9).map(|n| format!("---\nschema: a{n}\n")).collect::<Vec<_>>().concat();
        assert_eq!(replace_and_cut(&yaml, "a5", "b"), Some(4..6));
        assert_eq!(replace_and_cut(&yaml, "a5", "b\n---\nc: 1"), Some(4..6));
        assert_eq!(replace_and_cut(&yaml, "a5\n---", "a5\n--"), Some(4..7), "two become one");
        assert_eq!(replace_and_cut(&yaml, "---\nschema: a0", "{}"), None, "a brace at the beginning");
    }

    /// Documents and what breaks them.
    const PIECES: &[&str] = &[
        "{\"a\": 1}\n",
        "{\"b\": \"}\"}",
        "{\"c\": [{}]}\n\n",
        "---\na: 1\n",
        "---\n",
        "b: {c: 1}\n",
        "{",
        "}",
        "\"",
        "-",
        "\n",
        " ",
        "\u{a0}",
        "# c\n",
        "x",
        "",
    ];

    fn text_strategy(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(pieces), 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn cut_near_a_change_equals_the_cut_of_the_whole(
            before in prop_oneof![text_strategy(PIECES), text_strategy(&PIECES[..3]), text_strategy(&PIECES[3..6])],
            at in any::<prop::sample::Index>(),
            length in 0_usize..9,
            with in prop_oneof![text_strategy(PIECES), Just("x".to_owned())],
        ) {
            let bytes = before.as_bytes();
            let start = at.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            replaced_segments(bytes, &Replaced::replace_range(bytes, start..end, with.as_bytes()));
        }
    }
}
