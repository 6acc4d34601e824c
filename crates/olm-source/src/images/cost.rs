//! Limits on the memory for the text of an image or a web address, checked before it is parsed as a catalog.

use super::{contents::Contents, error::ImageError};
use olm_bundle::TreeFile;
use olm_catalog::text::split::count_chunks;

/// Maximum number of documents: twelve times that of the largest published catalog.
const MAX_DOCUMENTS: usize = 100_000;
/// Maximum number of values in all documents: almost three times that of the largest published catalog.
const MAX_VALUES: usize = 8_000_000;

/// Refuses text with so many small parts that parsing takes many times its size in memory.
///
/// # Errors
///
/// If it has too many documents or values.
pub fn check_cost(contents: &Contents) -> Result<(), ImageError> {
    match contents {
        Contents::Stream { bytes, .. } => check_texts([bytes.as_slice()]),
        Contents::Catalog(listing) => {
            check_texts(listing.iter().filter_map(|(_, text)| text.as_deref().ok()))
        }
        Contents::Bundle(tree) => check_texts(tree.files.iter().map(TreeFile::content_or_empty)),
        // The documents made from the database are checked later.
        Contents::Database { .. } => Ok(()),
    }
}

/// Refuses texts with too many documents or values.
///
/// # Errors
///
/// If there are too many.
pub fn check_texts<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Result<(), ImageError> {
    let (mut documents, mut values) = (0, 0);
    for text in texts {
        documents += count_chunks(text, MAX_DOCUMENTS + 1 - documents);
        if documents > MAX_DOCUMENTS {
            return Err(ImageError::TooMuch(format!("it has more than {MAX_DOCUMENTS} documents")));
        }
        values += count_values(text);
        if values > MAX_VALUES {
            return Err(ImageError::TooMuch(format!("it has more than {MAX_VALUES} values")));
        }
    }
    Ok(())
}

/// Estimates the number of values: one per brace, bracket or comma in JSON, one per line in YAML.
fn count_values(text: &[u8]) -> usize {
    let marks = memchr::memchr3_iter(b'{', b'[', b',', text).count();
    let lines = memchr::memchr_iter(b'\n', text).count();
    marks.max(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(texts: &[&[u8]]) -> String {
        check_texts(texts.iter().copied()).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn text_with_too_many_documents_is_refused() {
        for document in ["schema: a\n---\n", "{\"schema\":\"a\"}\n"] {
            let [most, half, more] =
                [99_999, 50_000, 50_001].map(|count| document.repeat(count).into_bytes());
            assert_eq!(outcome(&[&most]), "");
            assert!(outcome(&[&half, &more]).contains("more than 100000 documents"), "not per file");
        }
    }

    #[test]
    fn text_with_too_many_values_is_refused() {
        for (value, begin) in [("1,", "["), ("{},", "["), ("- a\n", "")] {
            let text = format!("{begin}{}", value.repeat(8_000_001));
            assert!(outcome(&[text.as_bytes()]).contains("more than 8000000 values"), "{value}");
        }
        let string = format!("{{\"a\":\"{}\"}}", "x".repeat(9_000_000));
        assert_eq!(outcome(&[string.as_bytes()]), "");
    }
}
