//! Image references: no text panics, and what is accepted has the parts it claims.
#![no_main]

use libfuzzer_sys::fuzz_target;
use olmap::catalog::image_ref;

fuzz_target!(|text: &str| {
    if let Ok(image) = image_ref::check(text) {
        assert!(!image.repository().is_empty());
        assert_eq!(image.is_digest(), image.digest().is_some());
        if let Some(tag) = image.tag() {
            assert!(!tag.is_empty() && tag.len() <= 128 && text.contains(tag));
        }
        if let Some(digest) = image.digest() {
            assert!(text.ends_with(digest));
        }
    }
});
