//! Reads bundles without problems without a tree of their `olm.csv.metadata`, which is most of their text. The decoder
//! uses only two of its fields. The others are only compared with their types.

use super::bundle_check::BundleCheck;
use crate::{
    node::Node,
    span::Span,
    text::{
        json::{self, Builder, Quoted, Scalar, Visitor},
        yaml::{ReadError, ReadErrorKind},
    },
};

/// Fields of `olm.csv.metadata` that the decoder uses.
const USED_FIELDS: [&[u8]; 2] = [b"installModes", b"minKubeVersion"];

/// Number of keys up to which each is compared with the others.
const FEW_KEYS: usize = 32;

/// Parses a JSON bundle without the unused fields of its `olm.csv.metadata`. `None` for other documents, and if
/// something is unusual: then only the whole tree shows what.
pub(super) fn parse_clean_bundle(text: &[u8]) -> Option<Node<'_>> {
    let mut reader = BundleReader {
        text,
        check: BundleCheck::default(),
        builder: Builder::for_utf8(text)?,
        is_in_metadata: false,
        is_skipped: false,
        has_unusual_keys: false,
        keys: Vec::new(),
        maps: Vec::new(),
    };
    json::visit_only_value(text, &mut reader)?;
    if reader.has_unusual_keys || !reader.check.is_clean_bundle() {
        return None;
    }
    reader.builder.into_root()
}

/// Visitor that compares a document with the shape of a bundle, and builds its tree without the unused fields.
struct BundleReader<'a> {
    text: &'a [u8],
    check: BundleCheck,
    builder: Builder<'a>,
    /// True inside of the value of an `olm.csv.metadata`.
    is_in_metadata: bool,
    /// True inside of an unused field.
    is_skipped: bool,
    /// True if a key in the metadata is repeated or has an escape.
    has_unusual_keys: bool,
    /// Ranges of the keys of the open maps in the metadata.
    keys: Vec<(usize, usize)>,
    /// For each open map in the metadata, the number of keys before its own.
    maps: Vec<usize>,
}

impl BundleReader<'_> {
    /// Stops at the first part that is unusual.
    fn check_clean(&self, span: Span) -> Result<(), ReadError> {
        // The error is not reported: the text is parsed again.
        if self.check.is_clean() { Ok(()) } else { Err(ReadErrorKind::TooDeep.at_span(span.range())) }
    }

    fn key_text(&self, key: (usize, usize)) -> &[u8] {
        self.text.get(key.0..key.1).unwrap_or_default()
    }

    /// Returns true if a key of the map whose keys begin at `start` is repeated.
    fn has_repeated_key(&mut self, start: usize) -> bool {
        let own = self.keys.get(start..).unwrap_or_default();
        if own.len() <= FEW_KEYS {
            // Most keys differ in their lengths or last bytes.
            let end = |key: (usize, usize)| (key.1 - key.0, self.text.get(key.1 - 1));
            let is_repeated = |(at, key): (usize, &(usize, usize))| {
                let mut alike = own.iter().take(at).filter(|earlier| end(**earlier) == end(*key));
                alike.any(|earlier| self.key_text(*earlier) == self.key_text(*key))
            };
            return own.iter().enumerate().any(is_repeated);
        }
        let mut texts: Vec<&[u8]> = own.iter().map(|key| self.key_text(*key)).collect();
        texts.sort_unstable();
        texts.windows(2).any(|pair| pair[0] == pair[1])
    }
}

impl Visitor for BundleReader<'_> {
    fn open(&mut self, is_map: bool, depth: usize, at: usize) -> Result<usize, ReadError> {
        let opens_metadata = is_map && self.check.is_before_metadata();
        self.check.open(is_map, depth, at)?;
        self.check_clean(Span::new(at, at))?;
        self.is_in_metadata |= opens_metadata;
        if self.is_in_metadata && is_map {
            self.maps.push(self.keys.len());
        }
        if self.is_skipped { Ok(0) } else { self.builder.open(is_map, depth, at) }
    }

    fn key(&mut self, key: Quoted<'_>) {
        self.check.key(key);
        if self.is_in_metadata {
            self.has_unusual_keys |= key.is_escaped;
            self.keys.push((key.start, key.start + key.inner.len()));
            if self.maps.len() == 1 {
                self.is_skipped = !USED_FIELDS.contains(&key.inner);
            }
        }
        if !self.is_skipped {
            self.builder.key(key);
        }
    }

    fn scalar(&mut self, scalar: Scalar<'_>, span: Span, in_map: bool) -> Result<(), ReadError> {
        self.check.scalar(scalar, span, in_map)?;
        self.check_clean(span)?;
        if self.is_skipped { Ok(()) } else { self.builder.scalar(scalar, span, in_map) }
    }

    fn close(&mut self, is_map: bool, mark: usize, span: Span, in_map: bool) {
        self.check.close(is_map, mark, span, in_map);
        if self.is_in_metadata && is_map {
            let start = self.maps.pop().unwrap_or_default();
            self.has_unusual_keys |= self.has_repeated_key(start);
            self.keys.truncate(start);
            if self.maps.is_empty() {
                self.is_in_metadata = false;
                self.is_skipped = false;
            }
        }
        if !self.is_skipped {
            self.builder.close(is_map, mark, span, in_map);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        decode::{
            bundle_check::tests::{BUNDLE, changed_bundles},
            decode_document,
        },
        file::{DocId, FileId},
    };

    /// Decodes a text without the unused fields. The result must be that of the whole tree.
    fn is_read_without_metadata(text: &str) -> bool {
        let Some(node) = parse_clean_bundle(text.as_bytes()) else { return false };
        let decode =
            |node: &Node<'_>| format!("{:?}", decode_document(DocId { file: FileId(0), serial: 0 }, node));
        let whole = json::parse_json(text.as_bytes()).unwrap();
        assert_eq!(decode(&node), decode(&whole), "{text}");
        true
    }

    #[test]
    fn usual_bundle_is_read_without_its_metadata() {
        assert!(is_read_without_metadata(BUNDLE));
        let node = parse_clean_bundle(BUNDLE.as_bytes()).unwrap();
        let text = format!("{node:?}");
        assert!(text.contains("OwnNamespace") && !text.contains("crdDescriptions"), "{text}");
        for (from, to) in [
            ("\"a\": \"b\", \"c\": null", "\"a\": \"b\", \"a\": \"b\""),
            ("\"a\": \"b\", \"c\": null", "\"a\": \"b\", \"\\u0061\": \"b\""),
            ("\"keywords\"", "\"provider\": null, \"keywords\""),
            ("\"keywords\"", "\"installModes\": null, \"keywords\""),
            ("\"resources\": [", "\"name\": \"n\", \"resources\": ["),
            ("\"displayName\"", "\"displayname\""),
            ("relatedImages", "relatedImage"),
        ] {
            assert!(BUNDLE.contains(from), "{from}");
            assert!(!is_read_without_metadata(&BUNDLE.replacen(from, to, 1)), "{from} {to}");
        }
        let many: Vec<String> = (0..80).map(|n| format!("\"k{n}\": \"v\"")).collect();
        let with = |annotations: &str| BUNDLE.replacen("\"c\": null", annotations, 1);
        assert!(is_read_without_metadata(&with(&many.join(","))));
        assert!(!is_read_without_metadata(&with(&format!("{}, \"k7\": 1", many.join(",")))));
        assert!(!is_read_without_metadata(&format!("{BUNDLE} {{}}")));
        assert!(!is_read_without_metadata("{\"schema\": \"olm.channel\"}"));
    }

    #[test]
    fn result_is_that_of_the_whole_tree_whatever_is_changed() {
        let read = changed_bundles(BUNDLE).into_iter().filter(|text| is_read_without_metadata(text)).count();
        assert!((2_000..10_000).contains(&read), "{read}");
    }
}
